//! A world's truth and evidence in words, for those who suspect its physics.

use crate::map::{RECEIVER, SENDER};
use crate::physics::idle_loss;
use crate::seen::{Record, Seen};
use crate::world::{Place, World};
use std::fmt::Write as _;

/// What is true in a world: its map with every property that is not normal, and what each record says.
#[must_use]
pub fn truth_text(world: &World, records: &[Record]) -> String {
    let mut text = String::new();
    let mbps = |bps: f64| format!("{:.2} Mbit/s", bps / 1e6);
    let _ = writeln!(
        text,
        "world {} of seed {}: {} ({})",
        world.number,
        world.seed,
        world.kind.name(),
        world.fault
    );
    let _ = writeln!(
        text,
        "rate {}, without the fault {}, expected {}, round-trip time {:.2} ms",
        mbps(world.rate_bps),
        mbps(world.healthy_bps),
        world.expected_bps.map_or_else(|| "nothing".into(), mbps),
        world.network.rtt_s(SENDER, RECEIVER) * 1e3
    );
    let _ = writeln!(text, "place: {}", place(world));
    for (name, from, to) in [("way", SENDER, RECEIVER), ("way back", RECEIVER, SENDER)] {
        let _ = writeln!(
            text,
            "{name} (loss at rest {:.2e}):",
            idle_loss(&world.network, &world.network.way(from, to))
        );
        for (index, link) in world.network.way(from, to).into_iter().enumerate() {
            let _ = writeln!(text, "  {:>2} {}", index + 1, link_text(world, link));
        }
    }
    for (index, host) in world.network.hosts.iter().enumerate() {
        let name = world.network.nodes[host.node].name.as_deref().unwrap_or("?");
        let _ = writeln!(
            text,
            "host {index} {name} at position {}: {:?}",
            host.at, host.machine
        );
    }
    let _ = writeln!(text, "records:");
    for record in records {
        let _ = writeln!(text, "  {}", record_text(record));
    }
    text
}

fn place(world: &World) -> String {
    match &world.place {
        Place::Nowhere => "nowhere".into(),
        Place::Host { host } => format!("host {host}"),
        Place::Links { links } => links
            .iter()
            .map(|l| link_text(world, *l))
            .collect::<Vec<_>>()
            .join("; "),
    }
}

fn link_text(world: &World, number: usize) -> String {
    let network = &world.network;
    let link = &network.links[number];
    let name = network.name_behind(number).unwrap_or_default();
    let manners = network.nodes[link.to].manners;
    let mut text = format!(
        "-> {name} {} {:.0} Mbit/s busy {:.2} queue {:.1} ms delay {:.3} ms mtu {}/{}",
        link.address,
        link.capacity_bps / 1e6,
        link.busy,
        link.queue_s * 1e3,
        link.delay_s * 1e3,
        link.mtu,
        link.believed_mtu
    );
    let _ = write!(text, " answers {:.2}", manners.answers);
    if let Some(limit) = manners.limit_pps {
        let _ = write!(text, " at most {limit:.0}/s");
    }
    for (is, word) in [
        (!manners.answers_large, "no large answers"),
        (!manners.says_too_big, "does not say too big"),
        (!link.fragments_pass, "drops fragments"),
        (link.counts_errors, "counts errors"),
    ] {
        if is {
            let _ = write!(text, ", {word}");
        }
    }
    let oddities = [
        ("loss", link.loss),
        ("reorders", link.reorders),
        ("sleeps s", link.sleeps_s),
        ("old errors", link.old_errors as f64),
        ("flow bit/s", link.flow_bps.unwrap_or(0.0)),
        ("asleep", 1.0 - link.awake),
    ];
    for (what, value) in oddities.into_iter().filter(|(_, value)| *value > 0.0) {
        let _ = write!(text, ", {what} {value:.2e}");
    }
    if let Some(loaded) = link.load_loss {
        let _ = write!(text, ", loss under load {loaded:?}");
    }
    if let Some(policer) = link.policer {
        let _ = write!(text, ", policer {policer:?}");
    }
    text
}

fn record_text(record: &Record) -> String {
    let what = match &record.seen {
        Seen::Trace {
            from,
            to,
            hops,
            reached,
            path_mtu,
        } => {
            let silent = hops.iter().filter(|hop| hop.rtts_s.is_empty()).count();
            format!(
                "trace {from}->{to}: {} hops, {silent} silent, reached {reached}, path MTU {path_mtu:?}",
                hops.len()
            )
        }
        Seen::Sizes { from, to, cells, .. } => {
            let lost = cells.iter().filter(|cell| cell.answered == 0).count();
            format!("sizes {from}->{to}: {} cells, {lost} unanswered", cells.len())
        }
        Seen::Rows {
            from,
            to,
            loaded,
            rows,
        } => {
            let shown = rows
                .iter()
                .map(|row| format!("{}:{}B {}/{}", row.ttl, row.size_bytes, row.answered, row.sent));
            format!(
                "probes {from}->{to} loaded {loaded}: {}",
                shown.collect::<Vec<_>>().join(" ")
            )
        }
        Seen::Tcp { setup, run, program } => format!(
            "{program} {}->{} x{} mss {} window {:?}: {:.2} Mbit/s (steady {:.2}), {} of {:.0} segments again, {} timeouts, window-limited {:.1} s, buffer-limited {:.1} s, rtt {:.2} to {:.2} ms, cpu {:.2}/{:.2}",
            setup.sender,
            setup.receiver,
            setup.streams,
            run.mss,
            setup.window,
            run.mean_bps / 1e6,
            run.steady_bps / 1e6,
            run.retransmits,
            run.segments,
            run.timeouts,
            run.window_limited_s,
            run.send_limited_s,
            run.min_rtt_s * 1e3,
            run.slices.last().map_or(0.0, |s| s.rtt_s) * 1e3,
            run.sender_cpu,
            run.receiver_cpu
        ),
        Seen::Udp { setup, run } => format!(
            "udp {}->{} {} B at {:.2} Mbit/s: {} of {} arrived, {} late, {} dropped by the host",
            setup.sender,
            setup.receiver,
            setup.size_bytes,
            run.sent_bps / 1e6,
            run.received,
            run.sent,
            run.reordered,
            run.host_drops
        ),
        Seen::OneWay {
            from,
            to,
            sent,
            lost,
            delays_s,
            ..
        } => format!("one way {from}->{to}: {lost} of {sent} lost, delays {delays_s:?} s"),
        Seen::Counters(counted) => format!("{counted:?}"),
        Seen::Chain { points, run, .. } => format!(
            "counted: sent {}, {points:?}, received {}",
            run.sent, run.received
        ),
        Seen::Sockets { run, .. } => format!(
            "ss: {:.2} Mbit/s, window-limited {:.1} s, window {:.0}",
            run.steady_bps / 1e6,
            run.window_limited_s,
            run.offered_window
        ),
        Seen::Settings(settings) => format!("{settings:?}"),
        Seen::Said { text, value, .. } => format!("said: {text} [{value:.3e}]"),
        Seen::Series { level, points, .. } => format!("series of {level:?}: {} points", points.len()),
        Seen::Routes { seen } => format!("route history: {} looks", seen.len()),
        Seen::Capacities { rows, .. } => format!("capacities: {rows:?}"),
        Seen::Refused { .. } => "no far end".into(),
    };
    let copies = if record.copies > 1 {
        format!(" x{}", record.copies)
    } else {
        String::new()
    };
    let wrong = if record.is_wrong { " WRONG" } else { "" };
    format!(
        "[{:?} at host {}{copies}{wrong}] {what}",
        record.origin, record.vantage
    )
}
