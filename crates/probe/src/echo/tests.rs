use super::*;
use crate::simulated_path::{MS, SimPath, address, destination};
use evidence::ProbeError;
use proptest::prelude::*;

fn plan(mode: EchoMode, ttl: u8, send_ttl: Option<u8>, size_bytes: u32) -> SeriesPlan {
    SeriesPlan {
        mode,
        flow: 0,
        send_ttl,
        ttl,
        address: None,
        size_bytes,
    }
}

fn config(series: Vec<SeriesPlan>, count: u64, interval_ns: u64) -> EchoConfig {
    EchoConfig {
        series,
        count,
        interval_ns,
        granularity_ns: 0,
        last_wait_ns: 500 * MS,
        first_sequence: 65_000,
    }
}

fn run(path: &mut SimPath, config: EchoConfig) -> Probes {
    let mut machine = EchoMachine::new(config);
    path.run(&mut machine);
    machine.into_observation(address(0, 0), destination(), EchoContext::Idle, None)
}

#[test]
fn hops_and_destination_are_counted_apart() {
    let mut path = SimPath::new(4, 1);
    path.hops[1].mute = true;
    path.hops[2].limit = Some((2, 1_000 * MS));
    let series = (1..=4)
        .map(|ttl| plan(EchoMode::Expiring, ttl, Some(ttl), 64))
        .collect();
    let echo = run(&mut path, config(series, 20, 50 * MS));
    let counts: Vec<_> = echo
        .rows
        .iter()
        .map(|row| {
            (
                row.mode.unwrap(),
                row.to.address,
                row.sent.unwrap(),
                row.received.unwrap(),
            )
        })
        .collect();
    use EchoMode::{Expiring, ToDestination};
    assert_eq!(
        counts,
        [
            (Expiring, Some(address(1, 0)), 20, 20),
            (Expiring, None, 20, 0),
            (Expiring, Some(address(3, 0)), 20, 2),
            (ToDestination, Some(destination()), 20, 20),
        ]
    );
    let rtt = echo.rows[3].delay.unwrap();
    assert_eq!((rtt.min_ns, rtt.max_ns), (Some(4_000_000), Some(4_000_000)));
    assert!(
        (echo.rows[0].rate_pps.unwrap() - 20.0).abs() < 0.5,
        "{:?}",
        echo.rows[0].rate_pps
    );
}

#[test]
fn a_router_that_refuses_a_size_is_on_record_with_its_mtu() {
    let mut path = SimPath::new(4, 1);
    path.hops[1].next_mtu_bytes = 1500;
    let series = vec![
        plan(EchoMode::Expiring, 4, Some(4), 9000),
        plan(EchoMode::Expiring, 4, Some(4), 1500),
    ];
    let echo = run(&mut path, config(series, 20, 50 * MS));
    let refused = ProbeError {
        from: Some(address(2, 0).into()),
        text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
        mtu_bytes: Some(1500),
        count: 20,
    };
    assert_eq!(
        (echo.rows[0].received, &echo.rows[0].errors),
        (Some(0), &vec![refused])
    );
    assert_eq!((echo.rows[1].received, &echo.rows[1].errors), (Some(20), &vec![]));
}

#[test]
fn the_rate_is_kept_and_the_loss_counted_over_many_probes() {
    let mut path = SimPath::new(3, 5);
    path.loss = 0.02;
    let series = vec![plan(EchoMode::Expiring, 3, Some(3), 64)];
    let fast = EchoConfig {
        granularity_ns: MS / 4,
        ..config(series, 200_000, 1_000_000_000 / 30_000)
    };
    let echo = run(&mut path, fast);
    let row = &echo.rows[0];
    assert_eq!(
        (row.sent, row.mode),
        (Some(200_000), Some(EchoMode::ToDestination))
    );
    assert!(
        (29_000.0..31_000.0).contains(&row.rate_pps.unwrap()),
        "{:?}",
        row.rate_pps
    );
    // Three hops forward and one answer, each with a third of 2 %.
    let loss = row.loss().unwrap();
    assert!((0.024..0.029).contains(&loss), "{loss}");
}

#[test]
fn late_answers_count_and_duplicates_do_not() {
    let mut machine = EchoMachine::new(config(vec![plan(EchoMode::ToDestination, 3, None, 64)], 3, MS));
    let mut sent = Vec::new();
    for now in [1, 1 + MS, 1 + 2 * MS] {
        sent.push(machine.poll_transmit(now).unwrap().sequence);
    }
    let reply = |sequence, kind| Reply {
        identity: Identity::Sequence(sequence),
        flow: 0,
        from: destination(),
        answer: Answer::Reached(kind),
        reply_ttl: None,
        mpls: Vec::new(),
    };
    machine.handle_reply(400 * MS, &reply(sent[0], ReplyKind::Reflected));
    machine.handle_reply(401 * MS, &reply(sent[0], ReplyKind::Reflected));
    machine.handle_reply(402 * MS, &reply(sent[1], ReplyKind::TimeExceeded));
    machine.handle_reply(403 * MS, &reply(sent[2].wrapping_add(1), ReplyKind::Reflected));
    let echo = machine.into_observation(address(0, 0), destination(), EchoContext::Idle, Some(0));
    assert_eq!((echo.rows[0].sent, echo.rows[0].received), (Some(3), Some(1)));
}

#[test]
fn sizes_that_do_not_leave_are_not_reported() {
    let series = vec![
        plan(EchoMode::ToDestination, 3, None, 64),
        plan(EchoMode::ToDestination, 3, None, 9000),
    ];
    let mut machine = EchoMachine::new(config(series, 5, MS));
    let mut now = 1;
    while !machine.is_finished() {
        while let Some(probe) = machine.poll_transmit(now) {
            if probe.size_bytes == 9000 {
                machine.handle_refused(
                    probe.sequence,
                    Refusal::TooBig {
                        mtu_bytes: Some(1500),
                    },
                    now,
                );
            }
        }
        now = machine.poll_timeout().unwrap_or(now).max(now);
        machine.handle_timeout(now);
    }
    let echo = machine.into_observation(address(0, 0), destination(), EchoContext::Idle, None);
    assert_eq!(
        echo.rows
            .iter()
            .map(|row| (row.size_bytes, row.sent))
            .collect::<Vec<_>>(),
        [(Some(64), Some(5))]
    );
}

proptest! {
    /// Sixteen quoted bits find the probe among the last 65,535.
    #[test]
    fn short_quotes_find_their_probe(first: u32, count in 1usize..400, which in 0usize..400) {
        let series = vec![plan(EchoMode::Expiring, 2, Some(2), 64)];
        let mut machine = EchoMachine::new(EchoConfig { first_sequence: first, ..config(series, 400, 1) });
        let mut sent = Vec::new();
        let mut now = 1;
        while sent.len() < count {
            now += 1000;
            sent.extend(machine.poll_transmit(now).map(|probe| probe.sequence));
        }
        let chosen = sent[which % count];
        let reply = Reply {
            identity: Identity::Low16(chosen as u16),
            flow: 0,
            from: address(2, 0),
            answer: Answer::Reached(ReplyKind::TimeExceeded),
            reply_ttl: None,
            mpls: Vec::new(),
        };
        prop_assert!(sent.iter().all(|sequence| *sequence as u16 != 0));
        prop_assert_eq!(machine.find(&reply, now), Some(machine.index(chosen)));
    }
}
