//! What a session gave, for people and for programs.

use crate::directions::{counted, counts, order};
use evidence::{Nanos, Observation};
use net::stamp::{Answered, Counting, Direction, Outcome, Session, TlvKind};
use serde_json::json;
use std::fmt::Write as _;
use std::net::SocketAddr;

/// The summary that people read.
pub(super) fn summary(session: &Session, peer: SocketAddr) -> String {
    let outcome = &session.outcome;
    let round_trip = outcome.round_trip();
    let mut text = format!(
        "STAMP to {peer}: {} packets of {} bytes in {}\n",
        words::count(round_trip.sent),
        session.size_bytes,
        Nanos(outcome.span_ns)
    );
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<12} {what}");
    };
    match outcome.directions() {
        Some((there, back)) => {
            let (hops_there, hops_back) = outcome.hops();
            line("forward", way(there, outcome, Answered::forward_ns, hops_there));
            line("reverse", way(back, outcome, Answered::backward_ns, hops_back));
            if outcome.tail().lost > 0 {
                line(
                    "at the end",
                    format!(
                        "{} not answered: nothing tells in which direction they were lost",
                        outcome.tail().lost
                    ),
                );
            }
        }
        None => {
            line("round trip", counts(round_trip));
            line(
                "forward",
                format!("loss not known; {}", delays(outcome, Answered::forward_ns)),
            );
            line(
                "reverse",
                format!("loss not known; {}", delays(outcome, Answered::backward_ns)),
            );
        }
    }
    if let Some(rtt) = outcome.delays(Answered::rtt_ns) {
        line(
            "RTT",
            format!("{}, without the reflector's own time", order(&rtt)),
        );
    }
    line("reflector", reflector(outcome));
    if let Some(class) = outcome.class {
        let denied = match class.wish_denied {
            true => "; it does not let the sender choose the class of the reverse path",
            false => "",
        };
        line(
            "class",
            format!("arrived there with DSCP {}{denied}", class.arrived_dscp),
        );
    }
    if let Some(port) = outcome
        .source_port_there
        .filter(|port| *port != session.local.port())
    {
        line(
            "translated",
            format!(
                "port {} arrived as {port}: an address translator is in between",
                session.local.port()
            ),
        );
    }
    if session.refused_here > 0 {
        line(
            "not sent",
            format!("{}: this host had no room for them", session.refused_here),
        );
    }
    if session.is_cancelled {
        line("stopped", "before its end".to_owned());
    }
    text
}

fn way(seen: Direction, outcome: &Outcome, of: fn(&Answered) -> i64, hops: Option<u8>) -> String {
    let hops = hops.map_or_else(String::new, |hops| format!("; {hops} hops"));
    format!("{}; {}{hops}", counts(seen), delays(outcome, of))
}

/// The delay where the clocks agree, else how much it varies.
fn delays(outcome: &Outcome, of: fn(&Answered) -> i64) -> String {
    let known = outcome
        .clock_error_ns
        .and_then(|error| Some((error, outcome.delays(of)?)));
    match (known, outcome.variation(of)) {
        (Some((error, delay)), _) => format!("delay {} (clocks within {})", order(&delay), Nanos(error)),
        (None, Some(above)) => format!("delay above its least: {}", order(&above)),
        (None, None) => "no delay".to_owned(),
    }
}

fn reflector(outcome: &Outcome) -> String {
    let counting = match outcome.counting() {
        Counting::Stateful => "counts for itself (stateful)",
        Counting::Stateless => {
            "answers with our numbers (stateless): which way packets are lost, it cannot tell"
        }
        Counting::Unknown => "its numbers tell no count",
    };
    let names: Vec<&str> = outcome.understood.iter().map(|kind| kind.name()).collect();
    match names.is_empty() {
        true => format!("{counting}; understood no TLV"),
        false => format!("{counting}; understood {}", names.join(", ")),
    }
}

/// One document: what the summary says, and the observations.
pub(super) fn json(session: &Session, peer: SocketAddr, seen: &[Observation]) -> String {
    let outcome = &session.outcome;
    let directions = outcome.directions();
    let way = |seen: Option<Direction>, of: fn(&Answered) -> i64| {
        json!({
            "counts": seen.map(counted),
            "delay": outcome.delays(of),
            "delay_above_min": outcome.variation(of),
        })
    };
    let document = json!({
        "schema": 1,
        "reflector": peer.to_string(),
        "local": session.local.to_string(),
        "size_bytes": session.size_bytes,
        "span_ns": outcome.span_ns,
        "counting": match outcome.counting() {
            Counting::Stateful => "stateful",
            Counting::Stateless => "stateless",
            Counting::Unknown => "unknown",
        },
        "understood_tlvs": outcome.understood.iter().map(|kind: &TlvKind| kind.name()).collect::<Vec<_>>(),
        "round_trip": { "counts": counted(outcome.round_trip()), "rtt": outcome.delays(Answered::rtt_ns) },
        "forward": way(directions.map(|(there, _)| there), Answered::forward_ns),
        "reverse": way(directions.map(|(_, back)| back), Answered::backward_ns),
        "lost_at_the_end": outcome.tail().lost,
        "clock_error_ns": outcome.clock_error_ns,
        "arrived_dscp": outcome.class.map(|class| class.arrived_dscp),
        "source_port_there": outcome.source_port_there,
        "refused_here": session.refused_here,
        "cancelled": session.is_cancelled,
        "observations": seen,
    });
    format!("{document}\n")
}

/// A line for each packet that was answered. Times are nanoseconds since 1970 by the clock of the end that made them.
pub(super) fn csv(outcome: &Outcome) -> String {
    let mut text = "sequence,reflector_sequence,sent_ns,arrived_there_ns,answered_ns,returned_ns,rtt_ns,ttl_there,ttl_here\n".to_owned();
    for one in &outcome.samples {
        let ttl = |ttl: Option<u8>| ttl.map_or_else(String::new, |ttl| ttl.to_string());
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{}",
            one.sequence,
            one.reflector_sequence,
            one.sent_ns,
            one.arrived_ns,
            one.answered_ns,
            one.returned_ns,
            one.rtt_ns(),
            ttl(Some(one.ttl_there).filter(|ttl| *ttl > 0)),
            ttl(one.ttl_here)
        );
    }
    text
}
