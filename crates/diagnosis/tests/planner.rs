//! The planner, driven by synthetic worlds: which asks it makes, that it comes to an end, and in what time.

mod common;

use common::{Manner, World};
use diagnosis::{Means, judge_round};

fn show(world: &World) -> String {
    let run = world.diagnose();
    let verdict = judge_round(&run.case, 1);
    let mut text = format!("{:?} {} ms\n{}\n", run.kinds(), run.time_ms, verdict.summary);
    for f in &verdict.findings {
        text += &format!(
            "{} {:.3} {:?} {} {:?}\n",
            f.code, f.confidence, f.explains, f.location, f.after_fix_bps
        );
        for a in f.supports.iter().chain(&f.contradicts) {
            text += &format!("   {:+.2} {}\n", a.weight, a.text);
        }
        text += &format!(
            "   FIX {}\n   ASK {}\n   CANNOT {:?}\n",
            f.remedy, f.ask_whom, f.cannot_tell_from
        );
    }
    for h in &verdict.red_herrings {
        text += &format!("NOT {} {} ({})\n", h.code, h.seen, h.why_not);
    }
    for e in &verdict.excluded {
        text += &format!("EXCL {} {}\n", e.code, e.why);
    }
    for n in &verdict.not_tested {
        text += &format!("NT {}: {}\n", n.what, n.why);
    }
    text += &format!("NEXT {:?}\nSTATE {:?}\n", verdict.next, verdict.state);
    text
}

#[test]
fn dump() {
    let mut worlds = vec![("nrao", World::nrao())];
    let mut icmp = World::nrao();
    icmp.hole = Some(common::Hole {
        after: 9,
        passes: 1500,
        fragments: true,
    });
    worlds.push(("icmp", icmp));
    worlds.push(("v6", World::nrao().over_ipv6()));
    worlds.push((
        "window",
        World {
            window: 85_000,
            receive_buffer_max: 132_000,
            rtt_ms: 60.0,
            ..World::healthy()
        },
    ));
    worlds.push((
        "loss",
        World {
            loss: Some((5, 2e-5)),
            rtt_ms: 128.0,
            expected: Some(350e6),
            capacity: 400e6,
            ..World::healthy()
        },
    ));
    worlds.push((
        "cap",
        World {
            capacity: 1e8,
            expected: Some(500e6),
            bottleneck: 5,
            ..World::healthy()
        },
    ));
    let mut herrings = World {
        mtu: (9000, 9000),
        ..World::healthy()
    };
    herrings.manners[1] = Manner::Mute;
    herrings.manners[2] = Manner::Limited;
    herrings.manners[4] = Manner::IgnoresLargePings;
    worlds.push(("healthy", herrings.clone()));
    worlds.push((
        "noexpect",
        World {
            expected: None,
            ..herrings
        },
    ));
    worlds.push((
        "single",
        World {
            far_end: false,
            ..World::nrao()
        },
    ));
    for (name, world) in worlds {
        println!("=== {name}\n{}", show(&world));
    }
    let _ = Means::default();
}
