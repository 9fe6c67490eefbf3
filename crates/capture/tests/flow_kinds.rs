//! What each packet of a conversation is: the kinds that fire, their near misses, and what is said without evidence.

mod script;

use script::{World, check, check_all};

const FLIGHT: &str = "
    21 > 0:1000 -> new
    21.1 > 1000:2000 -> new
    21.2 > 2000:3000 -> new
    21.3 > 3000:4000 -> new
    21.4 > 4000:5000 -> new
";

fn with_flight(rest: &str) -> String {
    format!("{FLIGHT}{rest}")
}

#[test]
fn a_transfer_without_loss_has_nothing_unusual() {
    let report = check(
        World::default(),
        &with_flight(
            "41.1 < ack=2000 -> rtt=20
             41.3 < ack=4000 -> rtt=20
             81.4 < ack=5000 -> rtt=60
             90 > fin 5000:5000 -> new
             110 < A ack=5001 -> rtt=20
             110 < fin 0:0 -> new
             110.1 > A ack=1 -> rtt=0.1",
        ),
    );
    let [up, down] = &report.halves;
    assert_eq!(
        (
            up.data_packets,
            up.unique_bytes,
            up.retransmitted_packets,
            up.acks
        ),
        (5, 5000, 0, 5)
    );
    assert_eq!(
        (up.lost_behind, up.lost_before, up.duplicate_acks, up.unseen_bytes),
        (0, 0, 0, 0)
    );
    assert_eq!((down.data_packets, down.causes.is_some()), (0, true));
    assert_eq!(up.largest_flight_bytes, 5000);
    let handshake = report.handshake.unwrap();
    assert_eq!(
        (handshake.syn_to_synack_ns, handshake.synack_to_ack_ns),
        (Some(20_000_000), Some(10_000))
    );
}

#[test]
fn three_duplicates_make_a_fast_retransmission() {
    let report = check(
        World::default(),
        &with_flight(
            "41 < ack=1000 -> rtt=20
             41.2 < A -> duplicate
             41.3 < A -> duplicate
             41.4 < A -> duplicate
             41.5 > 1000:2000 -> fast
             61.5 < ack=5000 -> ack",
        ),
    );
    assert_eq!(
        (
            report.halves[0].fast_retransmissions,
            report.halves[0].lost_behind
        ),
        (1, 1)
    );
}

#[test]
fn one_sack_above_is_evidence_enough() {
    check(
        World::default(),
        &with_flight(
            "41 < ack=1000 -> rtt=20
             41.2 < A sack=2000:5000 -> duplicate
             41.5 > 1000:2000 -> fast
             61.5 < ack=5000 -> ack",
        ),
    );
}

#[test]
fn two_duplicates_in_a_large_flight_are_none() {
    check(
        World::default(),
        &with_flight(
            "21.5 > 5000:6000 -> new
             21.6 > 6000:7000 -> new
             41 < ack=1000 -> rtt=20
             41.2 < A -> duplicate
             41.3 < A -> duplicate
             41.5 > 1000:2000 -> unexplained",
        ),
    );
}

#[test]
fn silence_of_a_timeout_names_the_timer_and_what_follows_it() {
    let report = check(
        World::default(),
        &with_flight(
            "245 > 0:1000 -> timeout
             265 < ack=1000 -> ack
             265.1 > 1000:2000 -> timeout
             265.2 > 2000:3000 -> timeout
             285 < ack=5000 -> ack
             285.1 > 5000:6000 -> new",
        ),
    );
    assert_eq!(report.halves[0].timeouts, 3);
}

#[test]
fn a_lone_segment_is_probed_for_before_the_timer_and_without_sack_is_not() {
    let script = |first: &str| {
        format!(
            "21 > 0:1000 -> new
             245 > 0:1000 -> {first}
             690 > 0:1000 -> timeout
             1580 > 0:1000 -> timeout"
        )
    };
    check(World::default(), &script("tail-probe"));
    check(
        World {
            has_sack: false,
            ..World::default()
        },
        &script("timeout"),
    );
}

#[test]
fn the_last_segment_after_two_round_trips_is_a_probe() {
    let report = check(
        World::default(),
        &with_flight(
            "41.3 < ack=3000 -> rtt=20.1
             83 > 4000:5000 -> tail-probe
             103 < A sack=4000:5000 -> duplicate
             103.1 > 3000:4000 -> fast
             123 < ack=5000 -> ack",
        ),
    );
    assert_eq!(
        (
            report.halves[0].tail_probes,
            report.halves[0].fast_retransmissions
        ),
        (1, 1)
    );
}

#[test]
fn a_probe_that_was_not_needed_is_told_by_dsack() {
    let report = check(
        World::default(),
        &with_flight(
            "41.3 < ack=3000
             83 > 4000:5000 -> tail-probe
             84 < ack=5000 -> ack
             103 < A sack=4000:5000 -> dsack",
        ),
    );
    let up = &report.halves[0];
    assert_eq!(
        (
            up.spurious_retransmissions,
            up.lost_behind,
            up.retransmitted_packets
        ),
        (1, 0, 1)
    );
}

#[test]
fn a_dsack_of_what_was_never_sent_again_makes_nothing_spurious() {
    let report = check(
        World::default(),
        &with_flight("41.3 < ack=5000\n 42 < A sack=1000:2000 -> dsack"),
    );
    assert_eq!(report.halves[0].spurious_retransmissions, 0);
}

#[test]
fn an_echo_older_than_the_copy_tells_that_it_was_not_needed() {
    let script = |echo: u32| {
        format!(
            "21 > 0:1000 ts=100,1 -> new
             21.1 > 1000:2000 ts=100,1 -> new
             245 > 0:1000 ts=324,1 -> timeout
             246 < ack=1000 ts=500,{echo}"
        )
    };
    let needless = check(World::default(), &script(100));
    assert_eq!(
        (
            needless.halves[0].spurious_retransmissions,
            needless.halves[0].lost_behind
        ),
        (1, 0)
    );
    let needed = check(World::default(), &script(324));
    assert_eq!(
        (
            needed.halves[0].spurious_retransmissions,
            needed.halves[0].lost_behind
        ),
        (0, 1)
    );
}

#[test]
fn a_gap_that_is_filled_a_round_trip_later_was_lost_before_this_point() {
    let report = check(
        World::default(),
        "21 > 0:1000 -> new
         21.2 > 2000:3000 -> behind-gap
         21.3 > 3000:4000 -> new
         21.4 > 4000:5000 -> new
         41 < ack=1000 -> rtt=20
         41.2 < A -> duplicate
         41.3 < A -> duplicate
         41.4 < A -> duplicate
         41.5 > 1000:2000 -> upstream-fast
         61.5 < ack=5000",
    );
    let up = &report.halves[0];
    assert_eq!(
        (
            up.lost_before,
            up.lost_behind,
            up.reordered,
            up.retransmitted_packets
        ),
        (1, 0, 0, 0)
    );
    assert_eq!((up.fast_retransmissions, up.unique_bytes), (1, 5000));
}

#[test]
fn a_gap_that_is_filled_at_once_was_reordering() {
    let report = check(
        World::default(),
        "21 > 0:1000 -> new
         21.2 > 2000:3000 -> behind-gap
         21.3 > 3000:4000 -> new
         21.5 > 1000:2000 -> overtaken
         41 < ack=4000",
    );
    let up = &report.halves[0];
    assert_eq!((up.reordered, up.reordering_extent, up.lost_before), (1, 2, 0));
}

#[test]
fn the_extent_counts_from_the_first_packet_behind_the_gap() {
    // RFC 4737 section 4.2.2: of 1 2 7 3 4 5 6 the last is late by four packets behind 7.
    let report = check(
        World::default(),
        "21 > 0:1000
         21.1 > 1000:2000
         21.2 > 6000:7000 -> behind-gap
         21.3 > 2000:3000 -> overtaken
         21.4 > 3000:4000 -> overtaken
         21.5 > 4000:5000 -> overtaken
         21.6 > 5000:6000 -> overtaken",
    );
    assert_eq!(
        (report.halves[0].reordered, report.halves[0].reordering_extent),
        (4, 4)
    );
}

#[test]
fn time_stamps_decide_between_late_and_again() {
    let late = |stamp: u32| {
        format!(
            "21 > 0:1000 ts=100,1
             23 > 2000:3000 ts=102,1 -> behind-gap
             41 < ack=1000 ts=5,100
             43 < A sack=2000:3000 ts=7,100
             44 > 1000:2000 ts={stamp},7 -> {}",
            if stamp < 102 { "overtaken" } else { "upstream-fast" }
        )
    };
    // Late by more than a round trip, and yet older; or sent again.
    check(World::default(), &late(101));
    check(World::default(), &late(123));
}

#[test]
fn identifications_decide_where_they_count_up() {
    let world = World {
        counts_ids: true,
        ..World::default()
    };
    let script = |id: u16, expected: &str| {
        let before: String = (0..10)
            .map(|n| format!("{} > {}:{}\n", 21 + n, n * 1000, n * 1000 + 1000))
            .collect();
        format!(
            "{before}
             31 > 11000:12000 id=114 -> behind-gap
             51 < ack=10000
             51.1 < A -> duplicate
             51.2 > 10000:11000 id={id} -> {expected}"
        )
    };
    check(world, &script(113, "overtaken"));
    check(world, &script(116, "upstream-fast"));
}

#[test]
fn the_same_packet_twice_is_a_copy_and_no_loss() {
    let world = World {
        counts_ids: true,
        ..World::default()
    };
    let report = check(
        world,
        "21 > 0:1000 id=5000 -> new
         21.01 > 0:1000 id=5000 ttl=63 -> copy
         41 < ack=1000 id=900 -> rtt=20
         41.01 < A id=900",
    );
    let [up, down] = &report.halves;
    assert_eq!(
        (
            up.duplicated,
            up.lost_behind,
            up.retransmitted_packets,
            up.unexplained_retransmissions
        ),
        (1, 0, 1, 0)
    );
    assert_eq!((up.duplicate_acks, down.duplicated), (0, 1));
}

#[test]
fn another_identification_is_no_copy() {
    let world = World {
        counts_ids: true,
        ..World::default()
    };
    check(
        world,
        "21 > 0:1000 id=5000 -> new\n 245 > 0:1000 id=5001 -> tail-probe",
    );
}

#[test]
fn probes_of_a_closed_window_and_keep_alives() {
    let report = check(
        World::default(),
        "21 > 0:1000 -> new
         41 < ack=1000 win=0 -> rtt=20
         250 > seq=999 -> window-probe ack
         270 < A win=0 -> ack
         700 > 1000:1001 -> window-probe
         720 < A win=0 -> ack
         800 < A win=8000 -> ack
         801 > 1000:2000 -> new
         821 < ack=2000 -> rtt=20
         8000 > seq=1999 -> keep-alive ack
         8020 < A -> ack
         9000 > 1999:2000 -> keep-alive
         9020 < A -> ack",
    );
    let up = &report.halves[0];
    assert_eq!((up.window_probes, up.zero_windows, up.keep_alives), (2, 3, 2));
    assert_eq!(
        (
            up.unique_bytes,
            up.lost_behind,
            up.unexplained_retransmissions,
            up.duplicate_acks
        ),
        (2000, 0, 0, 0)
    );
}

#[test]
fn a_probe_that_the_receiver_took_counts_as_data() {
    let report = check(
        World::default(),
        "21 > 0:1000
         41 < ack=1000 win=0
         700 > 1000:1001 -> window-probe
         720 < ack=1001 win=8000 -> ack
         721 > 1001:2000 -> new",
    );
    assert_eq!(
        (report.halves[0].unique_bytes, report.halves[0].unseen_bytes),
        (2000, 0)
    );
}

#[test]
fn what_is_acknowledged_and_was_not_seen_is_a_drop_of_the_capture() {
    let report = check(
        World::default(),
        "21 > 0:1000 -> new
         21.2 > 2000:3000 -> behind-gap
         41 < ack=3000 -> unseen=1000
         42 > 4000:5000 -> behind-gap
         62 < ack=7000 -> unseen=3000",
    );
    let up = &report.halves[0];
    assert_eq!(
        (up.unseen_bytes, up.lost_before, up.lost_behind, up.unique_bytes),
        (4000, 0, 0, 3000)
    );
    assert!((up.unseen_ratio() - 4.0 / 7.0).abs() < 1e-9);
}

#[test]
fn data_behind_their_own_acknowledgement_were_captured_in_another_order() {
    let report = check(
        World::default(),
        "21 > 0:1000
         41 < ack=2000 -> unseen=1000
         41.01 > 1000:2000 -> overtaken",
    );
    let up = &report.halves[0];
    assert_eq!(
        (up.unseen_bytes, up.unique_bytes, up.retransmitted_packets),
        (0, 2000, 0)
    );
}

#[test]
fn sacked_bytes_that_never_passed_are_drops_of_the_capture() {
    let report = check(
        World::default(),
        "21 > 0:1000
         21.3 > 3000:4000 -> behind-gap
         41 < ack=1000 sack=2000:4000 -> unseen=1000
         42 > 1000:2000 -> upstream-fast
         62 < ack=4000",
    );
    let up = &report.halves[0];
    assert_eq!(
        (up.unseen_bytes, up.lost_before, up.unique_bytes),
        (1000, 1, 3000)
    );
}

#[test]
fn a_retransmission_cut_anew_counts_the_old_bytes_only() {
    let report = check(
        World::default(),
        &with_flight(
            "245 > 0:1000 -> timeout
             246 < ack=3000
             247 > 3500:5500 -> timeout",
        ),
    );
    let up = &report.halves[0];
    assert_eq!(
        (up.retransmitted_bytes, up.unique_bytes, up.retransmitted_packets),
        (2500, 5500, 2)
    );
}

#[test]
fn segments_above_offload_count_as_the_packets_that_they_become() {
    let report = check(
        World::default(),
        "21 > 0:64000 -> new
         41 < ack=32000 -> rtt=20
         41.1 < A sack=33000:64000 -> duplicate
         41.2 > 32000:33000 -> fast",
    );
    let up = &report.halves[0];
    assert_eq!(
        (
            up.data_packets,
            up.wire_data_packets,
            up.offloaded_packets,
            up.lost_behind
        ),
        (2, 65, 1, 1)
    );
}

#[test]
fn with_one_direction_alone_nothing_is_said_that_needs_the_other() {
    let report = check_all(
        World::default(),
        "0 > 0:1000 -> new ack
         1 > 1000:2000 -> new
         1.5 > 3000:4000 -> behind-gap
         1.6 > 2000:3000 -> overtaken
         40 > 1000:2000 -> unexplained
         400 > 3000:4000 -> timeout",
    )
    .remove(0);
    let up = &report.halves[0];
    assert_eq!((up.unique_bytes, up.unseen_bytes, up.rtt), (4000, 0, None));
    assert_eq!(report.opened, None);
}

#[test]
fn acknowledgements_alone_make_no_losses() {
    let report = check_all(World::default(), "0 < ack=1000\n 1 < ack=5000\n 2 < ack=9000").remove(0);
    let up = &report.halves[0];
    assert_eq!((up.unseen_bytes, up.data_packets, up.lost_before), (8000, 0, 0));
}

#[test]
fn scales_are_of_both_or_of_none_and_never_of_a_syn() {
    let edges = |world: World, script: &str| {
        let lines = world.read(script);
        let segments: Vec<_> = lines.iter().map(|line| line.segment).collect();
        let (events, reports) = script::run(&segments);
        let edge = events.iter().flatten().filter_map(|(_, event)| match event {
            capture::flow::HalfEvent::Sent(sent) => Some(sent.window_edge),
            capture::flow::HalfEvent::Acked(_) => None,
        });
        (edge.collect::<Vec<_>>(), reports[0].halves[0].window_bytes)
    };
    let script = "0 > S\n 1 < SA win=1000\n 1 > A ack=0\n 2 > 0:500\n 3 < ack=500 win=1000\n 4 > 500:600";
    let scaled = edges(
        World {
            scale: Some(14),
            ..World::default()
        },
        script,
    );
    assert_eq!(
        scaled,
        (
            vec![Some(1000), Some(500 + (1000 << 14))],
            Some((1000 << 14, 1000 << 14))
        )
    );
    let unscaled = edges(
        World {
            scale: None,
            ..World::default()
        },
        script,
    );
    assert_eq!(unscaled.0, [Some(1000), Some(1500)]);
    let without_beginning = edges(World::default(), "2 > 0:500\n 3 < ack=500 win=1000\n 4 > 500:600");
    assert_eq!(without_beginning, (vec![None, None], None));
}

#[test]
fn a_segment_from_elsewhere_does_not_spoil_the_rest() {
    let report = check(
        World::default(),
        "21 > 0:1000 -> new
         22 > 2000000000:2000001000
         23 > 1000:2000 -> new
         43 < ack=2000 -> rtt=20",
    );
    let up = &report.halves[0];
    assert_eq!(
        (
            up.misplaced_packets,
            up.unique_bytes,
            up.lost_before,
            up.unseen_bytes
        ),
        (1, 2000, 0, 0)
    );
}
