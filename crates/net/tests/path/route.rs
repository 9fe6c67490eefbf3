use crate::network::{incident, links, measure, target, up};
use evidence::{ProbeProtocol, Trace, TraceHop};
use net::path::{PathTarget, Sockets, route, route_with};
use net::{NetError, Watch};
use std::net::IpAddr;
use tokio_util::sync::CancellationToken;

const DELAYED: &[(usize, &str)] = &[(3, "both = { delay = '5 ms' }")];

fn answering(hop: &TraceHop) -> Option<IpAddr> {
    let first = hop.answers.first()?.node.address;
    assert!(
        hop.answers.iter().all(|answer| answer.node.address == first),
        "one flow takes one path: {hop:?}"
    );
    first
}

pub(crate) fn seven_links_within_the_packets_of_traceroute() {
    let lab = up(&links(7, "", DELAYED));
    let to = target(&lab, "b", false);
    let found = measure(&lab, "a", |watch| async move {
        route(&to, ProbeProtocol::Udp, 1, &watch).await
    })
    .unwrap();
    let flow = &found.flows[0];
    assert_eq!((flow.reached_ttl, flow.hops.len()), (Some(7), 7));
    assert!(found.packets_sent.unwrap() <= 32, "{:?}", found.packets_sent);
    for hop in &flow.hops {
        assert_eq!((hop.sent(), hop.answers.len()), (3, 3), "{hop:?}");
        let least_ns = if hop.ttl >= 3 { 10_000_000 } else { 0 };
        assert!(
            hop.answers.iter().all(|answer| answer.rtt_ns >= Some(least_ns)),
            "{hop:?}"
        );
        assert_eq!(hop.answers[0].reply_ttl, Some(65 - hop.ttl), "{hop:?}");
    }
}

pub(crate) fn every_protocol_and_family_sees_the_same_hops() {
    let lab = up(&links(5, "", &[]));
    let trace = |v6: bool, protocol, sockets| -> Trace {
        let to = target(&lab, "b", v6);
        let work = |watch: Watch| async move { route_with(&to, protocol, 2, sockets, &watch).await };
        measure(&lab, "a", work).unwrap()
    };
    for v6 in [false, true] {
        let hops = |route: &Trace| -> Vec<Vec<Option<IpAddr>>> {
            route
                .flows
                .iter()
                .map(|flow| flow.hops.iter().map(answering).collect())
                .collect()
        };
        let first = trace(v6, ProbeProtocol::Udp, Sockets::Best);
        assert!(
            first.flows.iter().all(|flow| flow.reached_ttl == Some(5)),
            "{first:?}"
        );
        for (protocol, sockets) in [
            (ProbeProtocol::Udp, Sockets::Unprivileged),
            (ProbeProtocol::Icmp, Sockets::Best),
            (ProbeProtocol::TcpSyn, Sockets::Best),
        ] {
            let other = trace(v6, protocol, sockets);
            assert_eq!(
                hops(&other),
                hops(&first),
                "IPv6: {v6}, {protocol:?}, {sockets:?}"
            );
        }
    }
}

pub(crate) fn a_mute_hop_is_listed() {
    let lab = up(&links(4, "mute = true", &[]));
    let to = target(&lab, "b", false);
    let found = measure(&lab, "a", |watch| async move {
        route(&to, ProbeProtocol::Udp, 1, &watch).await
    })
    .unwrap();
    let hops: Vec<bool> = found.flows[0]
        .hops
        .iter()
        .map(|hop| answering(hop).is_some())
        .collect();
    assert_eq!(hops, [true, false, true, true]);
}

pub(crate) fn a_rate_limited_hop_is_not_mute() {
    let lab = up(&links(4, "icmp_rate_limit_per_s = 1", &[]));
    let to = target(&lab, "b", false);
    for _ in 0..3 {
        let work = |watch| async move { route(&to, ProbeProtocol::Udp, 1, &watch).await };
        let found = measure(&lab, "a", work).unwrap();
        assert!(answering(&found.flows[0].hops[1]).is_some(), "{found:?}");
    }
}

pub(crate) fn no_route_is_an_error() {
    let lab = up(&incident("healthy-red-herrings"));
    let nowhere = PathTarget {
        destination: "2001:db8::1".parse().unwrap(),
        source: None,
        reflector: None,
    };
    let work = |watch| async move { route(&nowhere, ProbeProtocol::Udp, 1, &watch).await };
    let error = measure(&lab, "sender.example", work).unwrap_err();
    assert!(matches!(error, NetError::Unreachable(..)), "{error:?}");
}

pub(crate) fn a_stopped_trace_says_so() {
    let lab = up(&links(2, "", &[]));
    let to = target(&lab, "b", false);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let watch = Watch::new(cancelled, |_| {});
    let work = |_| async move { route(&to, ProbeProtocol::Udp, 1, &watch).await };
    let ended = measure(&lab, "a", work);
    // What was sent before the first look at the token is kept; a route without a packet would be an invention.
    assert!(match ended {
        Ok(route) => route.packets_sent > Some(0),
        Err(error) => matches!(error, NetError::Cancelled),
    });
}
