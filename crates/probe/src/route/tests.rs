use super::*;
use crate::simulated_path::{SimHop, SimPath, address, destination};
use evidence::{ReplyKind, TraceHop};

fn trace(path: &mut SimPath, flows: u16) -> Trace {
    let mut machine = RouteMachine::new(RouteConfig {
        destination: destination(),
        flows,
        first_sequence: 65_530,
        size_bytes: 64,
        samples: 3,
    });
    path.run(&mut machine);
    let ports = vec![(40_000, 33_434); usize::from(flows)];
    machine.into_observation(address(0, 0), ProbeProtocol::Udp, &ports, &BTreeMap::new())
}

fn froms(hop: &TraceHop) -> Vec<IpAddr> {
    hop.answers
        .iter()
        .filter_map(|answer| answer.node.address)
        .collect()
}

#[test]
fn seven_links_take_no_more_packets_than_traceroute_and_one_and_a_half_round_trips() {
    let mut path = SimPath::new(7, 1);
    let route = trace(&mut path, 1);
    let hops = &route.flows[0].hops;
    assert_eq!((hops.len(), route.flows[0].reached_ttl), (7, Some(7)));
    for (index, hop) in hops.iter().enumerate() {
        let from = if index == 6 {
            destination()
        } else {
            address(index + 1, 0)
        };
        assert_eq!(froms(hop), vec![from; 3]);
        assert!(
            hop.answers
                .iter()
                .all(|answer| answer.rtt_ns == Some((index as u64 + 1) * MS)),
            "{hop:?}"
        );
    }
    assert!(route.packets_sent.unwrap() <= 32, "{:?}", route.packets_sent);
    assert!(
        route.elapsed_ns.unwrap() <= 7 * MS * 3 / 2,
        "{:?}",
        route.elapsed_ns
    );
}

#[test]
fn a_long_first_link_costs_no_second_round_trip() {
    let mut path = SimPath::new(7, 1);
    path.hops[0].delay_ns = 10 * MS;
    let route = trace(&mut path, 1);
    let hops = &route.flows[0].hops;
    assert!(hops.len() == 7 && hops.iter().all(|hop| hop.answers.len() == 3));
    let rtt_ns = 26 * MS;
    assert!(
        route.elapsed_ns.unwrap() <= rtt_ns * 3 / 2,
        "{:?}",
        route.elapsed_ns
    );
    assert!(route.packets_sent.unwrap() <= 32, "{:?}", route.packets_sent);
}

#[test]
fn a_mute_hop_costs_one_timeout_and_is_listed() {
    let mut path = SimPath::new(7, 1);
    path.hops[1].mute = true;
    let route = trace(&mut path, 1);
    let hops = &route.flows[0].hops;
    assert_eq!((hops[1].sent(), froms(&hops[1])), (4, Vec::new()));
    assert_eq!(froms(&hops[2]), vec![address(3, 0); 3]);
    assert!(route.elapsed_ns.unwrap() < 1_300 * MS, "{:?}", route.elapsed_ns);
    assert!(route.packets_sent.unwrap() <= 32);
}

#[test]
fn a_drained_rate_limiter_is_not_a_mute_hop() {
    let mut path = SimPath::new(7, 1);
    path.hops[3].limit = Some((1, 1_000 * MS));
    path.drain_limiters(MS);
    let route = trace(&mut path, 1);
    assert_eq!(froms(&route.flows[0].hops[3]), vec![address(4, 0)]);
}

#[test]
fn a_silent_destination_behind_answering_routers_ends_the_search() {
    let mut path = SimPath::new(9, 1);
    path.destination_answer = None;
    let route = trace(&mut path, 1);
    let flow = &route.flows[0];
    assert_eq!(flow.reached_ttl, None);
    assert_eq!(flow.hops.len(), 30);
    assert_eq!(froms(&flow.hops[7]).len(), 3);
    assert!(flow.hops[8..].iter().all(|hop| hop.answers.is_empty()));
    assert!(route.packets_sent.unwrap() < 70, "{:?}", route.packets_sent);
    assert!(route.elapsed_ns.unwrap() < 2_500 * MS, "{:?}", route.elapsed_ns);
}

#[test]
fn a_destination_beyond_many_mute_hops_is_found() {
    let mut path = SimPath::new(24, 1);
    for hop in &mut path.hops[2..23] {
        hop.mute = true;
    }
    let route = trace(&mut path, 1);
    assert_eq!(route.flows[0].reached_ttl, Some(24));
}

#[test]
fn a_router_that_refuses_ends_the_trace_there() {
    let mut path = SimPath::new(5, 1);
    path.destination_answer = Some(ReplyKind::Unreachable { code: 13 });
    let route = trace(&mut path, 1);
    assert_eq!(route.flows[0].hops.len(), 5);
}

#[test]
fn flows_show_load_balancing() {
    let mut path = SimPath::new(6, 1);
    path.hops[2].balanced = true;
    let route = trace(&mut path, 4);
    let third: Vec<IpAddr> = route
        .flows
        .iter()
        .filter_map(|flow| flow.hops[2].answers[0].node.address)
        .collect();
    assert_eq!(third, (0..4).map(|branch| address(3, branch)).collect::<Vec<_>>());
}

#[test]
fn hops_that_quote_too_little_are_asked_one_at_a_time() {
    let mut path = SimPath::new(5, 1);
    path.hops = vec![
        SimHop {
            quotes_little: true,
            ..SimHop::default()
        };
        5
    ];
    let route = trace(&mut path, 1);
    let flow = &route.flows[0];
    for ttl in 1..5 {
        let seen = froms(&flow.hops[ttl - 1]);
        assert!(
            !seen.is_empty() && seen.iter().all(|from| *from == address(ttl, 0)),
            "TTL {ttl}: {seen:?}"
        );
    }
    assert_eq!(flow.reached_ttl, Some(5));
}

#[test]
fn random_loss_never_makes_a_wrong_hop() {
    for seed in 0..200 {
        let mut path = SimPath::new(12, seed);
        path.loss = 0.05;
        let route = trace(&mut path, 1);
        for (index, hop) in route.flows[0].hops.iter().enumerate() {
            let right = if index == 11 {
                destination()
            } else {
                address(index + 1, 0)
            };
            assert!(froms(hop).iter().all(|from| *from == right), "seed {seed}");
            assert!(
                !hop.answers.is_empty(),
                "seed {seed}: TTL {} lost three of three",
                hop.ttl
            );
        }
    }
}

#[test]
fn answers_to_probes_never_sent_are_ignored() {
    let mut machine = RouteMachine::new(RouteConfig {
        destination: destination(),
        flows: 1,
        first_sequence: 77,
        size_bytes: 64,
        samples: 3,
    });
    let probe = machine.poll_transmit(1).unwrap();
    let mut forged = Reply {
        identity: crate::Identity::Sequence(probe.sequence.wrapping_sub(1)),
        flow: 0,
        from: address(9, 9),
        answer: Answer::Reached(ReplyKind::TimeExceeded),
        reply_ttl: None,
        mpls: Vec::new(),
    };
    machine.handle_reply(2, &forged);
    forged.identity = crate::Identity::Sequence(probe.sequence);
    forged.flow = 7;
    machine.handle_reply(3, &forged);
    assert_eq!(machine.addresses().count(), 0);
}
