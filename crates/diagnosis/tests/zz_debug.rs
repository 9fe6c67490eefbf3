//! debug
mod common;
use common::scenarios::*;
use common::{Hole, World, add, kind};
use evidence::v1::*;
use std::time::Instant;

fn show(name: &str, world: World) {
    let mut means = world.means();
    let mut case = Case::new(world.complaint());
    let mut time = 0;
    println!("==== {name}");
    for _ in 0..30 {
        let new = evidence::migrate::case(case.clone());
        let t = Instant::now();
        let plan = diagnosis::explain_plan(&new, 1, &means);
        let took = t.elapsed();
        let short: Vec<String> = plan
            .candidates
            .iter()
            .filter(|c| c.gain_bits.is_some())
            .take(9)
            .map(|c| {
                let ask = evidence::migrate::back::ask(&c.ask, &case.complaint).unwrap();
                format!(
                    "{} {:.3}b {:.1}s {:?}",
                    kind(&ask),
                    c.gain_bits.unwrap(),
                    c.cost.time_ms as f64 / 1e3,
                    c.standing
                )
            })
            .collect();
        let Some(ask) = plan.next() else {
            println!(
                "  STOP {} {took:?}\n     {}",
                plan.stopped.unwrap(),
                short.join(" | ")
            );
            break;
        };
        let ask = evidence::migrate::back::ask(ask, &case.complaint).unwrap();
        println!("  -> {} {took:?}\n     {}", kind(&ask), short.join(" | "));
        means.spent_time_ms += ask.cost().time_ms;
        time += ask.cost().time_ms;
        for payload in world.answer(&ask) {
            add(&mut case, ask.vantage(), payload);
        }
    }
    let new = evidence::migrate::case(case.clone());
    let table = diagnosis::worlds_table(&new, 1);
    let at = table.find("ln gain").unwrap_or(0);
    println!(
        "{} ms\n{}",
        time,
        table[at..]
            .lines()
            .filter(|l| !l.contains(']') || !l.starts_with('['))
            .take(12)
            .collect::<Vec<_>>()
            .join("\n")
    );
    for l in table.lines().filter(|l| l.starts_with("ANSWER")) {
        println!("{l}");
    }
    let v = common::judge_round(&case, 1);
    println!("VERDICT {:?} {}", v.state, v.summary);
}

#[test]
fn debug() {
    show("nrao", World::nrao());
    show("icmp", icmp_filtered());
    show("window", window());
    show("long_path_loss", long_path_loss());
    show("link_100m", link_100m());
    show("healthy", World::healthy());
    show("herrings", three_red_herrings());
    show(
        "healthy noexp",
        World {
            expected: None,
            ..World::healthy()
        },
    );
    show(
        "healthy want much",
        World {
            expected: Some(100e9),
            ..World::healthy()
        },
    );
    show(
        "alone",
        World {
            far_end: false,
            ..World::nrao()
        },
    );
    show(
        "cpu",
        World {
            cpu_limit: 300e6,
            ..World::healthy()
        },
    );
    show(
        "mtu+loss",
        World {
            loss: Some((5, 1e-3)),
            ..World::nrao()
        },
    );
    show(
        "mtu+window",
        World {
            window: 85_000,
            receive_buffer_max: 132_000,
            ..World::nrao()
        },
    );
    show(
        "reader",
        World {
            slow_reader: true,
            ..World::healthy()
        },
    );
    show(
        "loss first",
        World {
            loss: Some((1, 2e-4)),
            ..World::healthy()
        },
    );
    show(
        "tunnel",
        World {
            hole: Some(Hole {
                after: 4,
                passes: 1420,
                fragments: true,
            }),
            ..World::healthy()
        },
    );
}
