//! Beginnings and ends: which packets are one connection, when it is handed out, and what a bound of memory does.

mod script;

use capture::flow::{Brief, Ending, Extent, FlowReport, Limits, Sink, Table};
use capture::{Endpoint, FlowKey, Segment, Way};
use script::{OPENING, World, check, check_all};

const CLOSING: &str = "
    30 > fin 0:0
    50 < fin 0:0 ack=1
    50.1 > A ack=1
";

#[test]
fn an_end_needs_both_sides() {
    assert_eq!(check(World::default(), CLOSING).ending, Ending::Closed);
    assert_eq!(
        check(World::default(), "30 > fin 0:0\n 50 < A ack=1").ending,
        Ending::Open
    );
}

#[test]
fn a_reset_within_the_window_ends_and_another_does_not() {
    assert_eq!(
        check(World::default(), "30 > 0:10\n 50 < A ack=10\n 51 > R seq=10").ending,
        Ending::Reset
    );
    assert_eq!(
        check(World::default(), "30 > 0:10\n 50 < A ack=10\n 51 > R seq=900000").ending,
        Ending::Open
    );
    // Nobody goes on after a reset of his own: somebody else has sent it.
    let forged = "30 > 0:10\n 50 < A ack=10\n 51 < R seq=0\n 52 > 10:20\n 72 < A seq=0 ack=20";
    assert_eq!(check(World::default(), forged).ending, Ending::Open);
    // A refusal.
    let refused = check_all(World::default(), "0 > S\n 20 < R ack=0").remove(0);
    assert_eq!(refused.ending, Ending::Reset);
}

#[test]
fn a_port_used_again_is_another_connection() {
    let again = World {
        client_isn: 70_000,
        server_isn: 80_000,
        ..World::default()
    };
    let mut segments: Vec<Segment> = Vec::new();
    for (world, script) in [
        (World::default(), format!("{OPENING}{CLOSING}")),
        (again, OPENING.to_owned()),
    ] {
        segments.extend(world.read(&script).iter().map(|line| line.segment));
    }
    assert_eq!(script::run(&segments).1.len(), 2);
    // Without the end, a minute later.
    let mut later: Vec<Segment> = World::default()
        .read(OPENING)
        .iter()
        .map(|line| line.segment)
        .collect();
    let start_ns = World::default().start_ns + 60_000_000_000;
    later.extend(
        World { start_ns, ..again }
            .read(OPENING)
            .iter()
            .map(|line| line.segment),
    );
    assert_eq!(script::run(&later).1.len(), 2);
    // At once, in a living connection: somebody else's SYN, or a challenge; not a new connection.
    let mut now: Vec<Segment> = World::default()
        .read(OPENING)
        .iter()
        .map(|line| line.segment)
        .collect();
    now.push(again.read("21 > S")[0].segment);
    now.extend(World::default().read("22 > 0:10").iter().map(|line| line.segment));
    assert_eq!(script::run(&now).1.len(), 1);
}

#[test]
fn a_repeated_syn_is_the_same_connection() {
    let report = check_all(
        World::default(),
        "0 > S\n 1000 > S\n 1020 < SA\n 1020.1 > A ack=0\n 1021 > 0:10 -> new",
    )
    .remove(0);
    let handshake = report.handshake.unwrap();
    assert_eq!(
        (handshake.syn_retransmissions, handshake.syn_to_synack_ns),
        (1, None)
    );
    assert_eq!(
        (
            report.halves[0].retransmitted_packets,
            report.halves[0].retransmitted_bytes
        ),
        (1, 0)
    );
}

#[test]
fn what_a_reset_carries_is_no_data() {
    let report = check(
        World::default(),
        "30 > 0:10 -> new\n 50 < A ack=10\n 51 > R 10:30\n 52 > 10:20 -> new",
    );
    assert_eq!(report.ending, Ending::Reset);
}

#[test]
fn both_may_open_at_once() {
    let report = check_all(
        World::default(),
        "0 > S\n 1 < S\n 20 < SA\n 21 > SA ack=0\n 22 > 0:10 -> new\n 42 < ack=10",
    )
    .remove(0);
    assert_eq!(report.opened, Some(Way::Up));
    assert_eq!(report.halves[0].unique_bytes, 10);
}

#[test]
fn a_syn_may_carry_data() {
    let report = check_all(
        World::default(),
        "0 > S 0:500 -> new\n 20 < SA ack=500\n 20.1 > A ack=0\n 21 > 500:600 -> new",
    )
    .remove(0);
    let up = &report.halves[0];
    assert_eq!(
        (up.unique_bytes, up.retransmitted_packets, up.unseen_bytes),
        (600, 0, 0)
    );
}

#[test]
fn copies_of_the_end_come_late_and_belong_to_it() {
    let reports = check_all(
        World::default(),
        &format!("{OPENING}{CLOSING} 400 < fin 0:0 -> tail-probe\n 400.1 > A"),
    );
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].halves[1].retransmitted_packets, 1);
}

/// A connection of `n`'s own ports: handshake, a request, an answer, and perhaps an end.
fn small(n: u32, has_end: bool) -> Vec<Segment> {
    let world = World {
        client_isn: n,
        start_ns: World::default().start_ns + i64::from(n) * 1_000_000,
        ..World::default()
    };
    let end = if has_end { CLOSING } else { "" };
    let mut segments: Vec<Segment> = world
        .read(&format!("{OPENING}{end}"))
        .iter()
        .map(|line| line.segment)
        .collect();
    let address = std::net::IpAddr::from((0x0a00_0000 + (n >> 14)).to_be_bytes());
    let (key, _) = FlowKey::of(
        Endpoint {
            address,
            port: (n & 0x3fff) as u16 + 1024,
        },
        Endpoint {
            address: [192, 168, 0, 1].into(),
            port: 80,
        },
    );
    for segment in &mut segments {
        (segment.key, segment.hash) = (key, key.hash(3));
    }
    segments
}

#[test]
fn ended_connections_leave_after_a_while() {
    let mut table = Table::new(Limits::default());
    let mut handed_out = 0;
    for n in 0..200 {
        // Half a second between them: 30 linger at once.
        for mut segment in small(n, true) {
            segment.time_ns += i64::from(n) * 500_000_000;
            table.take(&segment, &mut |_| handed_out += 1);
        }
        assert!(table.counts().live <= 32, "{:?}", table.counts());
    }
    assert_eq!((table.counts().seen, table.counts().evicted), (200, 0));
    table.finish(&mut |_| handed_out += 1);
    assert_eq!((handed_out, table.counts().live), (200, 0));
}

#[test]
fn a_bound_evicts_the_silent_ones_and_counts_them() {
    let limits = Limits {
        memory_bytes: 1_000_000,
        ..Limits::default()
    };
    let mut table = Table::new(limits);
    let mut reports: Vec<FlowReport> = Vec::new();
    for n in 0..5000 {
        for segment in small(n, false) {
            table.take(&segment, &mut |report| reports.push(report));
            assert!(table.memory_bytes() <= limits.memory_bytes);
        }
        // The first one stays busy.
        table.take(&small(0, false)[2], &mut |report| reports.push(report));
    }
    let evicted = table.counts().evicted;
    assert!(evicted > 3000, "{evicted}");
    assert_eq!(reports.len() as u64, evicted);
    assert!(reports.iter().all(|report| report.ending == Ending::Evicted));
    assert!(
        reports.iter().all(|report| report.key != small(0, false)[0].key),
        "the busy one stays"
    );
    table.finish(&mut |report| reports.push(report));
    assert_eq!(reports.len(), 5000);
}

/// Wants sums only.
#[derive(Default)]
struct Sums(Brief);

impl Sink for Sums {
    fn wants(&self, _: &Extent) -> bool {
        false
    }

    fn whole(&mut self, _: FlowReport) {}

    fn brief(&mut self, flow: &Brief) {
        self.0.add(flow);
    }
}

/// Those that have ended linger in what memory is left, and nobody who goes on has to go for them.
#[test]
fn those_that_ended_leave_before_any_that_goes_on() {
    let limits = Limits {
        memory_bytes: 300_000,
        ..Limits::default()
    };
    let (mut table, mut sums) = (Table::new(limits), Sums::default());
    table.take_all(&small(0, false).into_iter().collect(), &mut sums);
    for n in 1..5_000 {
        table.take_all(&small(n, true).into_iter().collect(), &mut sums);
        assert!(table.memory_bytes() <= limits.memory_bytes, "{n}");
        assert_eq!(table.counts().evicted, 0, "{n}");
        // One leaves for each that comes, and not most of them at a time.
        assert!(
            table.counts().lingering >= u64::from(n.min(1_000)),
            "{n}: {:?}",
            table.counts()
        );
    }
    // Many that go on take back what those had.
    for n in 5_000..5_200 {
        table.take_all(&small(n, false).into_iter().collect(), &mut sums);
        assert!(table.memory_bytes() <= limits.memory_bytes, "{n}");
    }
    assert_eq!(table.counts().evicted, 0);
    table.finish_into(&mut sums);
    assert_eq!((sums.0.connections, table.counts().live), (5_200, 0));
}

#[test]
fn one_connection_is_followed_however_small_the_bound() {
    let mut table = Table::new(Limits {
        memory_bytes: 0,
        ..Limits::default()
    });
    let mut reports = Vec::new();
    for segment in small(1, true) {
        table.take(&segment, &mut |report| reports.push(report));
    }
    table.finish(&mut |report| reports.push(report));
    assert_eq!((reports.len(), reports[0].ending), (1, Ending::Closed));
}
