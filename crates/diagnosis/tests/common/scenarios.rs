//! The scenarios that the faults' tables name: how each world differs from a healthy one.

use super::chains;
use super::connections;
use super::losses::{self, Levels};
use super::{Hole, Manner, World, add, kind, without};
use diagnosis::Means;
use evidence::v1::{Case, Observation, Payload, SizeProbeMode, StopReason};

/// A named case.
pub struct Scenario {
    pub name: &'static str,
    pub case: fn() -> Case,
}

macro_rules! scenarios {
    ($($name:literal => $case:expr,)*) => {
        pub const ALL: &[Scenario] = &[$(Scenario { name: $name, case: || $case },)*];
    };
}

scenarios! {
    "healthy" => run(World::healthy()),
    "healthy-three-red-herrings" => run(three_red_herrings()),
    "healthy-without-expectation" => run(World { expected: None, ..World::healthy() }),
    "slightly-too-slow" => run(World { expected: Some(1.2e9), ..World::healthy() }),
    "processor-limits" => run(World { cpu_limit: 300e6, ..World::healthy() }),
    "processor-limits-without-expectation" => run(World { cpu_limit: 300e6, expected: None, ..World::healthy() }),
    "no-far-end" => run(World { far_end: false, ..World::healthy() }),
    "nothing-measured" => Case::new(World::healthy().complaint()),

    "icmp-filtered" => run(icmp_filtered()),
    "icmp-filtered-single-ended" => run(World { far_end: false, ..icmp_filtered() }),
    "tunnel-1420" => run(World {
        hole: Some(Hole { after: 4, passes: 1420, fragments: true }),
        ..World::healthy()
    }),
    "pmtud-works" => run(pmtud_works()),
    "pmtud-rate-limited" => edited(run(pmtud_works()), |payload| {
        if let Payload::PathMtu(table) = payload {
            table.cells.iter_mut().filter(|cell| cell.size_bytes > 5_000).for_each(|cell| cell.fragmentation_needed.clear());
        }
    }),
    "destination-ignores-large-probes" => run(World {
        destination_answers_up_to: 1_000,
        bottleneck: 5,
        ..World::healthy()
    }),
    "destination-ignores-probes-over-1501-bytes" => run(World {
        mtu: (9000, 9000),
        destination_answers_up_to: 1_501,
        bottleneck: 5,
        ..World::healthy()
    }),
    "hop-ignores-large-probes" => edited(run(World { bottleneck: 5, ..World::healthy() }), |payload| {
        if let Payload::PathMtu(table) = payload {
            let ignored = table.cells.iter_mut().filter(|cell| cell.ttl == Some(3) && cell.size_bytes > 1_000);
            ignored.for_each(|cell| cell.answered = 0);
        }
    }),
    "sizes-not-probed" => without(&run(World::nrao()), |o| matches!(o.payload, Payload::PathMtu(_)) || is_fitting_transfer(o)),
    "ipv6-cannot-tell" => run(World { honest_mtu: None, ..icmp_filtered() }.over_ipv6()),
    "fragments-not-tried" => edited(run(World { honest_mtu: None, ..icmp_filtered() }), |payload| {
        if let Payload::PathMtu(table) = payload {
            table.cells.retain(|cell| cell.mode == SizeProbeMode::DontFragment);
        }
    }),
    "one-probe-per-size" => edited(without(&run(World::nrao()), is_fitting_transfer), |payload| {
        if let Payload::PathMtu(table) = payload {
            table.cells.retain(|cell| cell.ttl.is_none());
            table.cells.iter_mut().for_each(|cell| (cell.sent, cell.answered) = (1, cell.answered.min(1)));
        }
    }),

    "nrao-2021" => run(World::nrao()),
    "nrao-2021-170ms" => run(World { rtt_ms: 170.0, ..World::nrao() }),
    "nrao-2021-single-ended" => run(World { far_end: false, ..World::nrao() }),
    "nrao-2021-falls-back" => edited(run(World::nrao()), falls_back),
    "first-link" => run(World {
        hole: Some(Hole { after: 1, passes: 1500, fragments: true }),
        honest_mtu: None,
        ..World::nrao()
    }),
    "last-link" => run(World {
        hole: Some(Hole { after: 12, passes: 1504, fragments: false }),
        honest_mtu: None,
        ..World::nrao()
    }),
    "mute-hop-behind-the-link" => run(with_manner(World::nrao(), 9, Manner::Mute)),
    "mute-hop-before-the-link" => run(with_manner(World::nrao(), 8, Manner::Mute)),
    "receiver-has-mtu-1500" => run(World { mtu: (9000, 1500), ..World::nrao() }),
    "kernel-knows-the-path-mtu" => edited(run(World { expected: Some(500e6), ..World::nrao() }), knows_the_path_mtu),
    "ipv6-unusual-threshold" => run(World::nrao().over_ipv6()),
    "mismatch-and-loss" => run(World { loss: Some((5, 1e-3)), ..World::nrao() }),
    "mismatch-and-window" => run(World { window: 85_000, receive_buffer_max: 132_000, ..World::nrao() }),

    "window-132k" => run(window()),
    "window-132k-without-host-facts" => run(World { host_facts: false, ..window() }),
    "window-132k-single-transfer" => without(&run(window()), is_parallel),
    "window-fits-expectation" => run(World { expected: Some(10e6), ..window() }),
    "window-without-kernel-account" => edited(without(&run(window()), is_parallel), |payload| {
        if let Payload::TcpThroughput(test) = payload {
            test.sender_accounts.iter_mut().for_each(|account| account.receive_window_limited_us = None);
        }
    }),
    "slow-reader" => run(World { slow_reader: true, ..World::healthy() }),

    "loss-2e-5-at-128ms" => run(long_path_loss()),
    "loss-1e-3-at-20ms" => run(World { loss: Some((5, 1e-3)), ..World::healthy() }),
    "loss-on-the-first-link" => run(World { loss: Some((1, 2e-4)), ..World::healthy() }),
    "loss-on-the-last-link" => run(World { loss: Some((7, 2e-4)), ..World::healthy() }),
    "loss-between-limited-hops" => run(with_manner(with_manner(long_path_loss(), 4, Manner::Limited), 5, Manner::Limited)),
    "loss-with-reno" => run(World { control: "reno", loss: Some((5, 1e-4)), rtt_ms: 60.0, ..World::healthy() }),
    "loss-under-bbr" => run(World { control: "bbr", expected: Some(2e9), ..World { loss: Some((5, 1e-3)), ..World::healthy() } }),
    "loss-too-small-to-matter" => run(World { loss: Some((5, 1e-8)), expected: Some(2e9), ..World::healthy() }),
    "loss-on-the-way-back" => run(World { loss_back: 1e-3, expected: Some(2e9), ..World::healthy() }),
    "drops-in-the-receiving-socket" => run(World { socket_drops: 40, expected: Some(2e9), ..World::healthy() }),
    "loss-beside-drops-in-the-receiving-socket" => run(World { socket_drops: 3_000, ..long_path_loss() }),
    "loss-without-raw-sockets" => run(World { raw_sockets: false, ..long_path_loss() }),
    "loss-without-udp" => without(&run(long_path_loss()), |o| matches!(o.payload, Payload::UdpStream(_))),
    "loss-with-a-small-budget" => {
        let world = long_path_loss();
        world.diagnose_with(Means { budget_time_ms: 40_000, ..world.means() }).case
    },

    "connections-listed-window-limited" => connections::case("10.0.9.1:5201", 9_600, 85_000, 14_000_000),
    "connections-listed-slow-reader" => connections::case("10.0.9.1:5201", 9_600, 6_000_000, 14_000_000),
    "connections-listed-hardly-limited" => connections::case("10.0.9.1:5201", 80, 6_000_000, 14_000_000),
    "connections-listed-of-others" => connections::case("10.0.8.1:5201", 9_600, 85_000, 14_000_000),
    "loss-series-steps-as-the-rate-falls" => losses::case(&began()),
    "loss-series-of-long-standing" => losses::case(&Levels { loss: (0.004, 0.004), rate_mbps: (400.0, 3.0), ..began() }),
    "loss-series-too-small-to-matter" => losses::case(&Levels { loss: (0.0, 0.000_3), rtt_ms: Some(1.0), ..began() }),
    "loss-series-without-a-round-trip-time" => losses::case(&Levels { rtt_ms: None, ..began() }),
    "fnal-desy-2005" => chains::fnal_desy(),
    "fnal-desy-2005-counters" => chains::counters_and_trace(),
    "errors-behind-the-last-counter" => chains::errors_behind_the_last_counter(),
    "errors-without-a-round-trip-time" => chains::errors_without_a_round_trip_time(),
    "interface-counts-checksum-errors" => chains::errored_interface(2),
    "interface-counted-errors-in-its-life" => chains::errored_interface(1),
    "counted-loss-only-under-load" => chains::only_under_load(),
    "counted-loss-on-the-way-back" => chains::on_the_way_back(),
    "counters-that-rise-and-lose-nothing" => chains::rising_only(),
    "one-test-lost-one-packet" => chains::one_packet(),
    "one-counter-and-no-other" => chains::one_counter(),
    "receiver-drops-alone" => chains::receiver_drops_alone(),
    "receiver-drops-counted-by-its-kernel" => edited(run(long_path_loss()), |payload| {
        if let Payload::UdpStream(stream) = payload {
            let dropped = stream.packets_sent / 200;
            stream.packets_received = stream.packets_received.saturating_sub(dropped);
            stream.host_drops.receiver_interface = Some(dropped);
        }
    }),
    "receiver-misses-a-handful" => chains::receiver_misses_a_handful(),
    "receiver-does-not-report" => chains::receiver_does_not_report(),
    "receiver-drops-in-one-test" => chains::receiver_drops_in_one_test(),

    "link-100m" => run(link_100m()),
    "link-100m-without-idle-echo" => without(&run(link_100m()), |o| kind_of(o) == "idle-echo"),
    "link-100m-hops-not-watched" => without(&run(link_100m()), |o| kind_of(o) == "loaded-echo"),
    "link-100m-nobody-expects-more" => run(World { expected: None, ..link_100m() }),
    "link-100m-plain-transfer-only" => without(&run(link_100m()), |o| {
        is_parallel(o) || matches!(o.payload, Payload::UdpStream(_)) || kind_of(o) == "loaded-echo"
    }),
}

fn run(world: World) -> Case {
    world.diagnose().case
}

pub fn three_red_herrings() -> World {
    let world = World {
        mtu: (9000, 9000),
        ..World::healthy()
    };
    let world = with_manner(with_manner(world, 2, Manner::Mute), 3, Manner::Limited);
    with_manner(world, 5, Manner::IgnoresLargePings)
}

pub fn icmp_filtered() -> World {
    World {
        hole: Some(Hole {
            after: 9,
            passes: 1500,
            fragments: true,
        }),
        ..World::nrao()
    }
}

fn pmtud_works() -> World {
    World {
        mtu: (9000, 9000),
        honest_mtu: Some((4, 1500)),
        bottleneck: 5,
        ..World::healthy()
    }
}

pub fn window() -> World {
    World {
        window: 85_000,
        receive_buffer_max: 132_000,
        rtt_ms: 60.0,
        ..World::healthy()
    }
}

pub fn long_path_loss() -> World {
    World {
        loss: Some((5, 2e-5)),
        rtt_ms: 128.0,
        capacity: 400e6,
        expected: Some(350e6),
        ..World::healthy()
    }
}

pub fn link_100m() -> World {
    World {
        capacity: 100e6,
        bottleneck: 5,
        expected: Some(500e6),
        ..World::healthy()
    }
}

fn with_manner(mut world: World, ttl: u8, manner: Manner) -> World {
    world.manners[usize::from(ttl) - 1] = manner;
    world
}

/// The same observations with their payloads changed, each named anew by its content.
pub fn edited(case: Case, edit: impl Fn(&mut Payload)) -> Case {
    let mut changed = Case::new(case.complaint.clone());
    for observation in case.observations() {
        let mut payload = observation.payload.clone();
        edit(&mut payload);
        add(&mut changed, observation.provenance.vantage.clone(), payload);
    }
    changed
}

/// ESnet to NRAO before the repair, second by second as iperf printed it: nothing for four seconds, then a fresh start
/// with segments that fit.
fn falls_back(payload: &mut Payload) {
    let Payload::TcpThroughput(test) = payload else {
        return;
    };
    if test.requested_mss_bytes.is_some() {
        return;
    }
    let mbps = [2.54, 0.0, 0.0, 0.0, 0.0, 4.45, 8.26, 23.28, 51.75, 83.88];
    let slice = test.intervals[0].clone();
    test.intervals = (0..100)
        .map(|tenth| {
            let mut slice = slice.clone();
            slice.start_ns = tenth * 100_000_000;
            slice.bytes_acked = (mbps[tenth as usize / 10] * 1e6 / 80.0) as u64;
            slice.bytes_received = Some(slice.bytes_acked);
            slice
        })
        .collect();
    test.bytes_received = 21_775_000;
    test.duration_ns = 10_000_000_000;
    test.mean_bps = Some(evidence::v1::RateBps(17.42e6));
    test.steady_bps = Some(evidence::v1::RateBps(23.28e6));
    test.stop = StopReason::MaxTime;
    test.sender_accounts
        .iter_mut()
        .for_each(|account| account.send_mss_bytes = Some(1_436));
}

/// The plain transfer as it runs when a router further on has taught the kernel a path MTU of 1500.
fn knows_the_path_mtu(payload: &mut Payload) {
    let World { .. } = World::nrao();
    if let Payload::TcpThroughput(test) = payload {
        let fitting = World {
            hole: None,
            ..World::nrao()
        };
        let Payload::TcpThroughput(fast) = fitting.tcp(test.sender, 1, Some(1_460), 5_000) else {
            return;
        };
        *test = evidence::v1::TcpThroughput {
            requested_mss_bytes: test.requested_mss_bytes,
            ..fast
        };
    }
}

fn is_parallel(observation: &Observation) -> bool {
    matches!(&observation.payload, Payload::TcpThroughput(test) if test.streams > 1)
}

fn is_fitting_transfer(observation: &Observation) -> bool {
    matches!(&observation.payload, Payload::TcpThroughput(test) if test.requested_mss_bytes.is_some())
}

fn kind_of(observation: &Observation) -> &'static str {
    match &observation.payload {
        Payload::Echo(echo) if echo.context == evidence::v1::EchoContext::Idle => "idle-echo",
        Payload::Echo(_) => "loaded-echo",
        _ => "other",
    }
}

/// The asks of a world's diagnosis, in short.
pub fn kinds(world: &World) -> Vec<String> {
    world.diagnose().asks.iter().map(kind).collect()
}

/// 0.4 % of loss over 60 ms, and what that leaves of the rate.
fn began() -> Levels {
    Levels {
        loss: (0.0, 0.004),
        rate_mbps: (400.0, 3.0),
        rtt_ms: Some(60.0),
    }
}
