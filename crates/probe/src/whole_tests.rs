//! What each kind of measurement writes into a case: every field that readers of cases have come to rely on, and no other.

use crate::session::{
    ReceivedSlice, Stamp, TcpHalf, TcpParties, TcpPlan, TcpSlice, UdpParties, UdpPlan, UdpReceived, UdpSent,
    join_tcp, join_udp,
};
use crate::simulated_path::{MS, SimPath, address, destination};
use crate::{EchoConfig, EchoMachine, PathMtuConfig, PathMtuMachine, RouteConfig, RouteMachine, SeriesPlan};
use evidence::{EchoContext, EchoMode, HostDrops, Payload, ProbeProtocol, StopReason, TcpAccount};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The paths of all fields of `payload`; `[]` stands for the entries of a list. Kernel accounts have a reader of their own.
fn fields(payload: &Payload) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(&serde_json::to_value(payload).unwrap(), "", &mut found);
    found
}

fn collect(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let at = format!("{at}.{name}");
                if name != "accounts" {
                    collect(value, &at, found);
                }
                found.insert(at);
            }
        }
        Value::Array(entries) => {
            let at = format!("{at}[]");
            entries.iter().for_each(|entry| collect(entry, &at, found));
        }
        _ => {}
    }
}

#[track_caller]
fn assert_fields(payload: &Payload, expected: &str) {
    let expected: BTreeSet<String> = expected.split_whitespace().map(|at| format!(".{at}")).collect();
    assert_eq!(fields(payload), expected);
}

#[test]
fn a_route() {
    let mut machine = RouteMachine::new(RouteConfig {
        destination: destination(),
        flows: 1,
        first_sequence: 7,
        size_bytes: 64,
        samples: 3,
    });
    SimPath::new(3, 1).run(&mut machine);
    let names = BTreeMap::from([(address(1, 0), "r1.example".to_owned())]);
    let route = machine.into_observation(address(0, 0), ProbeProtocol::Udp, &[(40_000, 33_434)], &names);
    assert_eq!(
        route.flows[0].hops[0].answers[2].node.name.as_deref(),
        Some("r1.example")
    );
    assert_eq!(route.reached, Some(true));
    assert_fields(
        &Payload::Trace(route),
        "type from from.address to to.address protocol reached packets_sent elapsed_ns flows flows[].source_port
         flows[].destination_port flows[].reached_ttl flows[].hops flows[].hops[].ttl flows[].hops[].unanswered
         flows[].hops[].answers flows[].hops[].answers[].node flows[].hops[].answers[].node.address
         flows[].hops[].answers[].node.name flows[].hops[].answers[].rtt_ns flows[].hops[].answers[].reply_ttl
         flows[].hops[].answers[].kind flows[].hops[].answers[].kind.kind",
    );
}

#[test]
fn a_path_mtu_search() {
    let mut machine = PathMtuMachine::new(PathMtuConfig {
        destination: destination(),
        interface_mtu_bytes: 9000,
        small_bytes: 64,
        destination_ttl: Some(4),
        last_ttl: 3,
        mute_ttls: BTreeSet::new(),
        is_destination_limited: false,
        rtt_ns: 10 * MS,
        first_sequence: 7,
        longest_ns: 20_000 * MS,
    });
    let mut path = SimPath::new(4, 1);
    path.hops[1].next_mtu_bytes = 1500;
    path.run(&mut machine);
    assert_fields(
        &Payload::Probes(machine.into_observation(address(0, 0), ProbeProtocol::Icmp)),
        "type from from.address destination destination.address destination_ttl protocol interface_mtu_bytes
         packets_sent elapsed_ns rows rows[].way rows[].mode rows[].ttl rows[].to rows[].to.address
         rows[].answered_by rows[].answered_by[].address rows[].size_bytes rows[].dont_fragment rows[].sent
         rows[].received rows[].errors rows[].errors[].from rows[].errors[].from.address rows[].errors[].text
         rows[].errors[].mtu_bytes rows[].errors[].count",
    );
}

#[test]
fn echoes_of_hops() {
    let series = |ttl| SeriesPlan {
        mode: EchoMode::Expiring,
        flow: 0,
        send_ttl: Some(ttl),
        ttl,
        address: None,
        size_bytes: 64,
    };
    let mut machine = EchoMachine::new(EchoConfig {
        series: vec![series(1), series(2)],
        count: 5,
        interval_ns: MS,
        granularity_ns: 0,
        last_wait_ns: 100 * MS,
        first_sequence: 7,
    });
    SimPath::new(2, 1).run(&mut machine);
    assert_fields(
        &Payload::Probes(machine.into_observation(
            address(0, 0),
            destination(),
            EchoContext::UnderLoad,
            Some(0),
        )),
        "type from from.address destination destination.address context own_socket_drops elapsed_ns rows rows[].way
         rows[].mode rows[].ttl rows[].to rows[].to.address rows[].answered_by rows[].answered_by[].address
         rows[].size_bytes rows[].sent rows[].received rows[].rate_pps rows[].delay rows[].delay.min_ns
         rows[].delay.p50_ns rows[].delay.p90_ns rows[].delay.p99_ns rows[].delay.max_ns",
    );
}

#[test]
fn a_tcp_transfer() {
    let plan = TcpPlan {
        server_sends: false,
        streams: 1,
        mss_bytes: Some(1_000),
        socket_buffer_bytes: Some(65_536),
        congestion_control: None,
        max_time_ms: 1_000,
        max_bytes: None,
        max_rate_bps: None,
        watch_hops: false,
    };
    let slice = TcpSlice {
        start_ns: 0,
        length_ns: 100 * MS,
        bytes: 1_000,
        retransmits: 1,
        cwnd_bytes: 14_480,
        rtt_us: 250,
        delivery_rate_bps: Some(1e6),
    };
    // Slow start, and what follows it.
    let second = TcpSlice {
        start_ns: 100 * MS,
        ..slice
    };
    let half = TcpHalf {
        congestion_control: "cubic".to_owned(),
        slices: vec![slice, second],
        accounts: vec![TcpAccount::default()],
        bytes: 2_000,
        active_ns: 200 * MS,
        stop: StopReason::MaxTime,
        cpu: Some(0.5),
    };
    let parties = TcpParties {
        source: address(0, 0),
        destination: destination(),
        ports: vec![(40_000, 4820)],
    };
    let transfer = join_tcp(parties, &plan, &half, Some(&half), half.stop);
    assert_eq!(transfer.intervals[0].rtt_ns, Some(250_000));
    assert_fields(
        &transfer.into(),
        "type from from.address to to.address protocol streams mss_bytes window_bytes congestion_control duration_ns
         received_bps steady_bps bytes_received stop ports sender sender.accounts sender.cpu receiver
         receiver.accounts receiver.cpu intervals intervals[].start_ns intervals[].length_ns intervals[].bytes_acked
         intervals[].bytes_received intervals[].retransmits intervals[].cwnd_bytes intervals[].rtt_ns
         intervals[].delivery_rate_bps",
    );
}

#[test]
fn a_udp_stream() {
    let plan = UdpPlan {
        server_sends: false,
        size_bytes: 1_400,
        rate_bps: 1e6,
        duration_ms: 1_000,
    };
    let sent = UdpSent {
        sequences: 3,
        packets: 3,
        refused: 0,
        interface_drops: Some(0),
        stamps: vec![Stamp(0, 100), Stamp(1, 200)],
        active_ns: 30 * MS,
        stop: StopReason::MaxTime,
        cpu: Some(0.1),
    };
    let slice = ReceivedSlice {
        start_ns: 0,
        length_ns: 20 * MS,
        packets: 2,
        lost: 1,
    };
    let received = UdpReceived {
        packets: 2,
        duplicates: 0,
        reordered: 0,
        loss_runs: vec![(2, 1)],
        slices: vec![slice],
        drops: HostDrops {
            receiver_socket: Some(0),
            receiver_interface: Some(0),
            ..HostDrops::default()
        },
        stamps: vec![Stamp(0, 150), Stamp(1, 260)],
        active_ns: 20 * MS,
        cpu: Some(0.1),
    };
    let parties = UdpParties {
        source: address(0, 0),
        destination: destination(),
        same_clock: true,
    };
    let stream = join_udp(parties, &plan, &sent, &received, sent.stop);
    assert_eq!((stream.count_lost(), stream.lost_on_path()), (Some(1), Some(1)));
    assert_fields(
        &stream.into(),
        "type from from.address to to.address protocol packet_size_bytes target_bps duration_ns sent_bps received_bps
         packets_sent packets_received duplicates reordered loss_runs stop sender sender.cpu receiver receiver.cpu
         host_drops host_drops.sender_refused host_drops.sender_interface host_drops.receiver_socket
         host_drops.receiver_interface intervals intervals[].start_ns intervals[].length_ns
         intervals[].packets_received intervals[].packets_lost one_way_delay one_way_delay.same_clock
         one_way_delay.min_ns one_way_delay.above_min one_way_delay.above_min.min_ns one_way_delay.above_min.p50_ns
         one_way_delay.above_min.p90_ns one_way_delay.above_min.p99_ns one_way_delay.above_min.max_ns
         one_way_delay.samples one_way_delay.samples[].sequence one_way_delay.samples[].delay_ns",
    );
}
