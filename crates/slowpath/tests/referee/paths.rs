//! ping, fping, traceroute, mtr, tracepath.

use crate::network::{
    RECEIVER, SENDER, address, are_installed, imported, in_network, is_close, is_node, node, own,
};
use evidence::{Ask, EchoMode, Payload, ProbeProtocol, ProbeRow, Trace};
use lab::Lab;
use std::net::IpAddr;

/// Of so many packets exactly a tenth is lost, wherever counting begins.
const COUNT: u64 = 100;

fn row(payload: &Payload) -> &ProbeRow {
    match payload {
        Payload::Probes(probes) => match probes.rows.as_slice() {
            [row] => row,
            rows => panic!("one row was expected: {rows:?}"),
        },
        other => panic!("probes were expected: {other:?}"),
    }
}

pub(crate) fn pings_count_the_same_losses() {
    in_network(
        "both = { delay = '5 ms' }\na_to_b = { loss = { every = 10 } }",
        same_losses,
    );
}

fn same_losses(lab: &Lab) {
    let ask = Ask::HopLoss {
        from: node(SENDER),
        to: node(RECEIVER),
        ttls: vec![4],
        count: COUNT,
        rate_pps: 100,
    };
    let ours = own(lab, &ask);
    let ours = row(&ours);
    assert_eq!((ours.sent, ours.count_lost()), (Some(COUNT), Some(COUNT / 10)));
    let ours_ns = ours.delay.and_then(|delay| delay.min_ns).unwrap();
    for (program, command) in [
        ("ping", "ping -c 100 -i 0.01 receiver"),
        ("ping", "ping -n -q -c 100 -i 0.01 receiver"),
        ("ping", "ping -O -D -c 100 -i 0.05 receiver"),
        // Without -t it waits no longer than the period.
        ("fping", "fping -q -c 100 -p 10 -t 500 receiver"),
        ("fping", "fping -c 100 -p 10 -t 500 receiver"),
    ] {
        if !are_installed(&[program]) {
            continue;
        }
        let records = imported(lab, SENDER, command);
        assert_eq!(records.len(), 1, "{command}: {records:?}");
        let theirs = row(&records[0]);
        assert_eq!(
            (theirs.sent, theirs.count_lost()),
            (ours.sent, ours.count_lost()),
            "{command}"
        );
        assert!(
            is_node(lab, &theirs.to, address(lab, RECEIVER)),
            "{command}: {theirs:?}"
        );
        let theirs_ns = theirs.delay.and_then(|delay| delay.min_ns).unwrap();
        assert!(
            is_close(theirs_ns as f64, ours_ns as f64, 0.05),
            "{command}: {theirs_ns} ns against {ours_ns} ns"
        );
    }
}

fn trace(payload: Payload) -> Trace {
    match payload {
        Payload::Trace(trace) => trace,
        other => panic!("a trace was expected: {other:?}"),
    }
}

/// Hop counts with the address that answered.
fn hops(trace: &Trace) -> Vec<(u8, IpAddr)> {
    let hops = trace.hops();
    hops.map(|hop| (hop.ttl, hop.answers[0].node.address.unwrap()))
        .collect()
}

#[track_caller]
fn shows_the_route(lab: &Lab, command: &str, theirs: &Trace, ours: &[(u8, IpAddr)]) {
    // A tool may ask a hop more than once, and each answer is a node of that hop.
    let said: Vec<_> = theirs.hops().map(|hop| hop.ttl).collect();
    let ttls: Vec<_> = ours.iter().map(|(ttl, _)| *ttl).collect();
    assert_eq!(said, ttls, "{command}: {theirs:?}");
    for (hop, (ttl, address)) in theirs.hops().zip(ours) {
        let is_it = |answer: &evidence::TraceAnswer| is_node(lab, &answer.node, *address);
        assert!(!hop.answers.is_empty(), "{command}: nobody at {ttl}: {theirs:?}");
        assert!(
            hop.answers.iter().all(is_it),
            "{command}: not {address} at {ttl}: {hop:?}"
        );
    }
}

pub(crate) fn traces_show_the_same_route() {
    in_network("both = { delay = '5 ms' }", same_route);
}

fn same_route(lab: &Lab) {
    let ours = trace(own(
        lab,
        &Ask::Route {
            from: node(SENDER),
            to: node(RECEIVER),
            protocol: ProbeProtocol::Udp,
            flows: 1,
        },
    ));
    let ours = hops(&ours);
    assert_eq!(ours.len(), 4);
    for (program, command) in [
        ("traceroute", "traceroute receiver"),
        ("traceroute", "traceroute -n -q 1 receiver"),
        ("traceroute", "traceroute -I receiver 80"),
        ("traceroute", "traceroute -T -p 443 receiver"),
        ("mtr", "mtr -r -c 3 -i 0.2 receiver"),
        ("mtr", "mtr -rwnb -c 3 -i 0.2 receiver"),
        ("mtr", "mtr --json -c 3 -i 0.2 receiver"),
        ("mtr", "mtr --xml -c 3 -i 0.2 receiver"),
        ("mtr", "mtr --csv -c 3 -i 0.2 receiver"),
        ("mtr", "mtr --raw -c 3 -i 0.2 receiver"),
        ("tracepath", "tracepath receiver"),
        ("tracepath", "tracepath -n receiver"),
    ] {
        if !are_installed(&[program]) {
            continue;
        }
        let mut records = imported(lab, SENDER, command);
        let at = records
            .iter()
            .position(|record| matches!(record, Payload::Trace(_)));
        let theirs = trace(records.swap_remove(at.unwrap_or_else(|| panic!("{command}: {records:?}"))));
        shows_the_route(lab, command, &theirs, &ours);
    }
}

pub(crate) fn the_same_path_mtu_is_found() {
    in_network("mtu = 1400", same_path_mtu);
}

fn same_path_mtu(lab: &Lab) {
    let probes = own(
        lab,
        &Ask::PathMtu {
            from: node(SENDER),
            to: node(RECEIVER),
        },
    );
    let Payload::Probes(ours) = probes else {
        panic!("probes were expected: {probes:?}")
    };
    let passed = ours.rows.iter().filter(|row| {
        row.dont_fragment == Some(true)
            && row.mode == Some(EchoMode::ToDestination)
            && row.received.is_some_and(|n| n > 0)
    });
    let passed = passed.filter_map(|row| row.size_bytes).max();
    assert_eq!(passed, Some(1400), "{ours:#?}");
    let ours = passed;
    if are_installed(&["tracepath"]) {
        let theirs = imported(lab, SENDER, "tracepath -n receiver").swap_remove(0);
        assert_eq!(trace(theirs).path_mtu_bytes, ours);
    }
    if are_installed(&["ping"]) {
        // The kernel has learnt the path MTU from the first probes and refuses by itself.
        let refused = imported(lab, SENDER, "ping -M do -s 1373 -c 3 -i 0.2 receiver");
        let fits = imported(lab, SENDER, "ping -M do -s 1372 -c 3 -i 0.2 receiver");
        let answers = [refused, fits].map(|records| row(&records[0]).received);
        assert_eq!(answers, [Some(0), Some(3)]);
    }
}
