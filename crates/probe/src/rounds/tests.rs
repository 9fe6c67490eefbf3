use super::*;
use crate::simulated_path::{MS, SimPath, address, destination};
use evidence::ReplyKind;
use std::collections::BTreeMap;

fn config(destination_ttl: Option<u8>, last_ttl: u8, rounds: u64) -> RoundsConfig {
    RoundsConfig {
        destination_ttl,
        last_ttl,
        size_bytes: 64,
        interval_ns: 100 * MS,
        rounds: Some(rounds),
        answer_wait_ns: 300 * MS,
        first_sequence: 65_000,
    }
}

fn run(path: &mut SimPath, config: RoundsConfig) -> Vec<RoundEvent> {
    let mut events = Vec::new();
    let mut machine = RoundsMachine::new(config, |event| events.push(event));
    path.run(&mut machine);
    drop(machine);
    events
}

/// Sent and answered, by who was asked.
fn counts(events: &[RoundEvent]) -> BTreeMap<Asked, (u64, u64)> {
    let mut counts = BTreeMap::<Asked, (u64, u64)>::new();
    for event in events {
        if let RoundEvent::Outcome { asked, answer, .. } = event {
            let (sent, answered) = counts.entry(*asked).or_default();
            *sent += 1;
            *answered += u64::from(answer.is_some());
        }
    }
    counts
}

fn moves(events: &[RoundEvent]) -> Vec<Option<u8>> {
    let moves = events.iter().filter_map(|event| match event {
        RoundEvent::DestinationAt(ttl) => Some(*ttl),
        _ => None,
    });
    moves.collect()
}

#[test]
fn each_hop_and_the_destination_are_asked_once_a_round() {
    let mut path = SimPath::new(4, 1);
    path.hops[1].mute = true;
    let events = run(&mut path, config(Some(4), 3, 20));
    let expected = [
        (Asked::Hop(1), (20, 20)),
        (Asked::Hop(2), (20, 0)),
        (Asked::Hop(3), (20, 20)),
        (Asked::Destination, (20, 20)),
    ];
    assert_eq!(counts(&events), BTreeMap::from(expected));
    assert!(moves(&events).is_empty());
    assert_eq!(path.sent.len(), 80);
    let round_trips = events.iter().filter_map(|event| match event {
        RoundEvent::Outcome {
            asked: Asked::Hop(3),
            answer: Some(answer),
            ..
        } => Some((answer.from, answer.rtt_ns)),
        _ => None,
    });
    assert!(round_trips.clone().all(|seen| seen == (address(3, 0), 3 * MS)));
}

#[test]
fn probes_of_a_round_are_spread_over_the_interval() {
    let mut path = SimPath::new(4, 1);
    run(&mut path, config(Some(4), 3, 5));
    let times: Vec<u64> = path.sent.iter().map(|(at, _)| *at).collect();
    assert!(
        times.windows(2).all(|pair| pair[1] - pair[0] == 25 * MS),
        "{times:?}"
    );
}

#[test]
fn a_path_that_is_longer_than_thought_is_walked_to_its_end() {
    for (thought, last) in [(Some(3), 2), (None, 0), (None, 4)] {
        let mut path = SimPath::new(8, 1);
        let events = run(&mut path, config(thought, last, 40));
        assert_eq!(moves(&events).last(), Some(&Some(8)), "{thought:?}");
        let counts = counts(&events);
        assert!(
            counts[&Asked::Hop(7)].1 > 25,
            "{thought:?} {last}: {counts:?} {:?}",
            moves(&events)
        );
        assert_eq!(counts.keys().filter(|asked| **asked == Asked::Hop(8)).count(), 0);
        // No probe to a TTL that was only tried counts as lost.
        assert!(
            counts.values().all(|(sent, answered)| sent == answered),
            "{counts:?}"
        );
    }
}

#[test]
fn a_path_that_became_shorter_is_noticed_in_one_round() {
    let mut path = SimPath::new(3, 1);
    let events = run(&mut path, config(Some(6), 5, 10));
    assert_eq!(moves(&events), [Some(3)]);
    let counts = counts(&events);
    assert!(
        counts
            .keys()
            .all(|asked| *asked <= Asked::Hop(2) || *asked == Asked::Destination)
    );
    assert!(counts[&Asked::Destination].0 >= 9);
}

#[test]
fn a_destination_that_never_answers_is_lost_and_no_hop() {
    let mut path = SimPath::new(4, 1);
    path.destination_answer = None;
    let events = run(&mut path, config(None, 3, 20));
    let counts = counts(&events);
    assert_eq!(counts[&Asked::Destination], (20, 0));
    assert_eq!(counts[&Asked::Hop(3)], (20, 20));
    assert_eq!(counts.len(), 4);
}

/// Every probe that left has one outcome or was a try, whatever is lost.
#[test]
fn nothing_is_counted_twice_under_loss() {
    for seed in 0..20 {
        let mut path = SimPath::new(6, seed);
        path.loss = 0.5;
        let events = run(&mut path, config(Some(6), 5, 50));
        let counts = counts(&events);
        for ttl in 1..=5 {
            assert_eq!(counts[&Asked::Hop(ttl)].0, 50, "{seed}: {counts:?}");
        }
        assert_eq!(counts[&Asked::Destination].0, 50);
        assert!(counts[&Asked::Destination].1 < 50);
    }
}

#[test]
fn answers_that_name_no_probe_count_where_one_alone_fits() {
    let reply = |from, kind| Reply {
        identity: crate::Identity::Unknown,
        flow: 0,
        from,
        answer: Answer::Reached(kind),
        reply_ttl: None,
        mpls: Vec::new(),
    };
    let mut events = Vec::new();
    let mut machine = RoundsMachine::new(config(Some(2), 1, 1), |event| events.push(event));
    let probe = machine.poll_transmit(1).unwrap();
    // Nobody was seen at hop 1 before: whose answer this is, nobody can tell.
    machine.handle_reply(5, &reply(address(1, 0), ReplyKind::TimeExceeded));
    let named = Reply {
        identity: crate::Identity::Low16(probe.sequence as u16),
        ..reply(address(1, 0), ReplyKind::TimeExceeded)
    };
    machine.handle_reply(7, &named);
    machine.handle_reply(9, &named);
    machine.handle_reply(9, &reply(destination(), ReplyKind::Unreachable { code: 1 }));
    drop(machine);
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn a_sender_that_was_held_up_makes_nothing_good() {
    let mut machine = RoundsMachine::new(config(Some(1), 0, 10), |_| {});
    assert!(machine.poll_transmit(1).is_some());
    let late = 5_000 * MS;
    assert!(machine.poll_transmit(late).is_some());
    assert!(machine.poll_transmit(late).is_none());
    assert!(machine.poll_transmit(late + 99 * MS).is_none());
    assert!(machine.poll_transmit(late + 100 * MS).is_some());
}
