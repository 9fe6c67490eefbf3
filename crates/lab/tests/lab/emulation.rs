//! Links do what the file says.

use std::time::Duration;

use lab::DropReason;

use crate::probe::{address, answers, echo, learned_mtu, udp};
use crate::{two_hosts, two_routers, two_v4_hosts, up};

pub(crate) fn delay_is_in_both_directions() {
    let lab = up(&two_hosts(
        "a_to_b = { delay = '10 ms' }\nb_to_a = { delay = '30 ms' }",
    ));
    let echoes = echo(&lab, "a", address(&lab, "b", false), 84, 10);
    assert_eq!(answers(&echoes), 10);
    let fastest = echoes.into_iter().flatten().min().unwrap();
    assert!(
        fastest >= Duration::from_millis(40) && fastest < Duration::from_millis(45),
        "{fastest:?}"
    );
}

pub(crate) fn every_nth_packet_is_lost() {
    let lab = up(&two_v4_hosts("a_to_b = { loss = { every = 4 } }"));
    let before = lab.counters()[0].counters;
    let arrived = udp(&lab, ("a", "b"), 100, 200, Duration::ZERO);
    let after = lab.counters()[0].counters;
    assert_eq!(after.packets_in - before.packets_in, 200);
    assert_eq!(
        after.dropped(DropReason::Loss) - before.dropped(DropReason::Loss),
        50
    );
    assert_eq!(arrived, 150);
}

pub(crate) fn an_oversized_packet_vanishes_without_a_word() {
    let lab = up(&two_routers("", "mtu = 9000\na_to_b = { accept_bytes = 1508 }"));
    let to = address(&lab, "b", false);
    assert_eq!(answers(&echo(&lab, "a", to, 1508, 3)), 3);
    assert_eq!(answers(&echo(&lab, "a", to, 1509, 3)), 0);
    assert_eq!(
        learned_mtu(&lab, "a", to, 9000),
        9000,
        "nobody may have told the sender"
    );
    let refused = lab
        .counters()
        .iter()
        .map(|d| d.counters.dropped(DropReason::TooLarge))
        .sum::<u64>();
    assert_eq!(refused, 4);
}

pub(crate) fn duplicates_arrive_twice() {
    let lab = up(&two_hosts("a_to_b = { duplicate = 1.0 }"));
    assert_eq!(udp(&lab, ("a", "b"), 200, 50, Duration::ZERO), 100);
}

pub(crate) fn corrupted_packets_fail_their_checksum() {
    let lab = up(&two_hosts("a_to_b = { corrupt = 1.0 }"));
    let arrived = udp(&lab, ("a", "b"), 1000, 50, Duration::ZERO);
    // A flipped bit in the destination port goes to nobody, every other one breaks the checksum.
    assert_eq!(arrived, 0);
    assert!(lab.counters()[0].counters.corrupted >= 50);
}

pub(crate) fn a_policer_drops_what_exceeds_it() {
    let lab = up(&two_hosts(
        "a_to_b = { policer = { rate = '8 kbit/s', burst_bytes = 10000 } }",
    ));
    let arrived = udp(&lab, ("a", "b"), 1000, 40, Duration::ZERO);
    assert!((9..=10).contains(&arrived), "{arrived}");
}

pub(crate) fn the_rate_holds() {
    // 50 packets of 1,000 bytes at 4 Mbit/s take 100 ms, however fast they are sent.
    let lab = up(&two_hosts("a_to_b = { rate = '4 Mbit/s', queue_bytes = 100000 }"));
    let begun = std::time::Instant::now();
    let arrived = udp(&lab, ("a", "b"), 1000, 50, Duration::ZERO);
    // The receiver waits 300 ms for a 51st.
    assert_eq!(arrived, 50);
    let elapsed = begun.elapsed();
    assert!(elapsed >= Duration::from_millis(400), "{elapsed:?}");
}

pub(crate) fn validity_is_reported() {
    let lab = up(&two_hosts("both = { rate = '10 Mbit/s', delay = '5 ms' }"));
    echo(&lab, "a", address(&lab, "b", false), 84, 3);
    let validity = lab.validity();
    assert_eq!(validity.directions.len(), 2);
    assert!(validity.is_valid(), "{validity}");
    assert!(validity.worst_lateness_ns() > 0);
}
