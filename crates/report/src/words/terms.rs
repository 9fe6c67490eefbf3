//! What the things of a case are called: ends, directions, kinds of measurements, obstacles, places.

use evidence::{
    Direction, End, HopRef, Location, NotMeasuredReason, Payload, ProbeProtocol, Probes, SeriesMetric,
    StopReason, Transport, VerdictState, Way,
};

/// What a series holds.
pub(crate) fn metric(metric: SeriesMetric) -> &'static str {
    match metric {
        SeriesMetric::Throughput => "throughput",
        SeriesMetric::LossRatio => "loss",
        SeriesMetric::Rtt => "round-trip time",
        SeriesMetric::Utilisation => "utilisation",
    }
}

pub(crate) fn state(state: VerdictState) -> &'static str {
    match state {
        VerdictState::Ok => "OK",
        VerdictState::Slow => "SLOW",
        VerdictState::Inconclusive => "INCONCLUSIVE",
        VerdictState::NotMeasured => "NOT MEASURED",
    }
}

pub(crate) fn end(end: End) -> &'static str {
    match end {
        End::From => "sender",
        End::To => "receiver",
    }
}

pub(crate) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "with the data (sender to receiver)",
        Direction::Reverse => "against the data (receiver to sender)",
        Direction::Both => "both directions",
        Direction::Either => "one direction or the other",
    }
}

pub(crate) fn protocol(protocol: ProbeProtocol) -> &'static str {
    match protocol {
        ProbeProtocol::Udp => "UDP",
        ProbeProtocol::Icmp => "ICMP",
        ProbeProtocol::TcpSyn => "TCP SYN",
    }
}

pub(crate) fn stop(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Stable => "ended when the rate was stable",
        StopReason::Stalled => "stalled: nothing was acknowledged any more",
        StopReason::MaxTime => "ended at the time limit",
        StopReason::MaxBytes => "ended at the byte limit",
        StopReason::PeerGone => "partial: the far end went away",
        StopReason::Cancelled => "partial: stopped by the user",
    }
}

pub(crate) fn obstacle(reason: NotMeasuredReason) -> &'static str {
    match reason {
        NotMeasuredReason::Privilege => "a privilege is missing",
        NotMeasuredReason::NoFarEnd => "no far end of slowpath there",
        NotMeasuredReason::Refused => "the far end refused",
        NotMeasuredReason::PeerGone => "the far end went away",
        NotMeasuredReason::Unreachable => "the other end does not answer",
        NotMeasuredReason::Unsupported => "not supported here",
        NotMeasuredReason::Budget => "the budget was used up",
        NotMeasuredReason::Cancelled => "stopped by the user",
        NotMeasuredReason::Failed => "failed",
    }
}

/// What an observation is of, as a noun.
pub(crate) fn kind(payload: &Payload) -> &'static str {
    match payload {
        Payload::Trace(_) => "trace",
        Payload::Probes(probes) => kind_of_probes(probes),
        Payload::Transfer(transfer) => match transfer.protocol {
            Some(Transport::Tcp) => "TCP",
            Some(Transport::Udp) => "UDP",
            None => "transfer",
        },
        Payload::HostFacts(_) => "host",
        Payload::LinkCapacities(_) => "link capacities",
        Payload::Series(_) => "series",
        Payload::RouteHistory(_) => "route history",
        Payload::InterfaceCounters(_) => "interface",
        Payload::CounterChain(_) => "packet counters",
        Payload::Sockets(_) => "connections",
        Payload::Statement(_) => "statement",
        Payload::NotMeasured(_) => "not measured",
    }
}

/// What asks for delays is a ping, whatever sizes it tries; a search for the path MTU asks for nothing but sizes.
fn kind_of_probes(probes: &Probes) -> &'static str {
    let mut rows = probes.rows.iter();
    if !probes.rows.is_empty() && rows.all(|row| row.way == Way::OneWay) {
        return "one way";
    }
    let first = probes.rows.first().and_then(|row| row.size_bytes);
    let sizes = probes.rows.iter().any(|row| row.size_bytes != first);
    match sizes && probes.rows.iter().all(|row| row.delay.is_none()) {
        true => "packet sizes",
        false => "ping",
    }
}

/// A hop without its number: `br01.example (192.0.2.1)`, `192.0.2.1`, `silent`.
pub(crate) fn hop_who(hop: &HopRef) -> String {
    match (&hop.name, hop.address) {
        (Some(name), Some(address)) => format!("{name} ({address})"),
        (None, Some(address)) => address.to_string(),
        (Some(name), None) => name.clone(),
        (None, None) => "silent".to_owned(),
    }
}

/// A location in few words: `hop 8 -> hop 9`.
pub(crate) fn place(location: &Location) -> String {
    match location {
        Location::Host { end: e } => format!("the {}", end(*e)),
        Location::Hop { hop } => format!("hop {}", hop.ttl),
        Location::Link { before, after } => format!("hop {} -> hop {}", before.ttl, after.ttl),
        Location::Segment { before, after } => format!("{before} | {after}"),
        Location::Interface {
            device, interface, ..
        } => format!("{device} {interface}"),
        Location::OtherHost { name } => name.clone(),
        Location::Path => "somewhere on the path".to_owned(),
    }
}
