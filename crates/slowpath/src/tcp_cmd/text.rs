//! What a server told, for people and for programs.

use crate::directions::{counted, counts, order};
use evidence::{Nanos, Observation};
use net::tcp_port::{Direction, End, Outcome, Reverse, Session};
use serde_json::json;
use std::fmt::Write as _;
use std::net::SocketAddr;

/// The summary that people read.
pub(super) fn summary(session: &Session, peer: SocketAddr) -> String {
    let mut text = format!("TCP to {peer}");
    if let Ok(outcome) = &session.loss {
        let _ = write!(
            text,
            ": {} probes of {} bytes in {}",
            words::count(outcome.round_trip.sent),
            outcome.size_bytes,
            Nanos(outcome.span_ns)
        );
    }
    text.push('\n');
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<12} {what}");
    };
    let handshakes = &session.handshakes;
    let times = handshakes
        .rtt()
        .map_or_else(String::new, |rtt| format!("; {}", order(&rtt)));
    line(
        "handshakes",
        format!(
            "{} of {} SYNs answered{times}",
            handshakes.answered, handshakes.syns
        ),
    );
    match &session.loss {
        Ok(outcome) => directions(outcome, &mut line),
        Err((_, why)) => line("loss", format!("not known: {why}")),
    }
    line("options", options(session));
    if session.is_cancelled {
        line("stopped", "before its end".to_owned());
    }
    text
}

fn directions(outcome: &Outcome, line: &mut impl FnMut(&str, String)) {
    match outcome.forward {
        Some(forward) => line("forward", counts(forward)),
        None => line("round trip", counts(outcome.round_trip)),
    }
    match outcome.reverse {
        Reverse::Counted(reverse) => line("reverse", counts(reverse)),
        Reverse::Joined => line(
            "reverse",
            format!(
                "not known: the server joins acknowledgements; of those that it has to send at once, {} (both directions)",
                counts(outcome.keep_alives)
            ),
        ),
        Reverse::Unnamed => line(
            "directions",
            "not known: the server does not say what arrived (no SACK)".to_owned(),
        ),
    }
    if outcome.forward.is_some() && outcome.lost_at_the_end > 0 {
        line(
            "at the end",
            format!(
                "{} not answered: nothing tells in which direction they were lost",
                outcome.lost_at_the_end
            ),
        );
    }
    if let Some(rtt) = outcome.rtt() {
        line("RTT", order(&rtt));
    }
    if let Some(what) = outcome.end.and_then(early) {
        let open = words::count(outcome.abandoned);
        line(
            "ended",
            format!("{what}; {open} probes were on their way and are not counted"),
        );
    }
}

/// What ended the last connection, where it was not this end.
fn early(end: End) -> Option<&'static str> {
    match end {
        End::Done | End::Stopped => None,
        End::Silent => Some("the next connection was not answered"),
        End::Refused => Some("the next connection was refused"),
        End::Reset {
            other_ttl: Some(true),
        } => Some(
            "something on the way reset the connection: the reset's TTL is not that of the server's answers",
        ),
        End::Reset { .. } => Some("the connection was reset"),
        End::Closed => Some("the server closed the connection"),
        End::Talks => Some("the server sends without being asked"),
    }
}

fn options(session: &Session) -> String {
    let account = &session.account;
    let offer = session.loss.as_ref().ok().and_then(|outcome| outcome.offer);
    let mut parts = Vec::new();
    match (offer.and_then(|offer| offer.mss_bytes), account.send_mss_bytes) {
        (Some(mss), _) => parts.push(format!("MSS {mss} bytes")),
        (None, Some(mss)) => parts.push(format!("segments of {mss} bytes")),
        (None, None) => {}
    }
    let flags = [
        ("SACK", account.sack),
        ("timestamps", account.timestamps),
        ("ECN", account.ecn),
    ];
    parts.extend(flags.iter().filter_map(|(name, has)| {
        has.map(|has| {
            if has {
                (*name).to_owned()
            } else {
                format!("no {name}")
            }
        })
    }));
    parts.push(match account.window_scale {
        Some((theirs, _)) => format!("window scale {theirs}"),
        None => "no window scale: windows of 64 kB at most".to_owned(),
    });
    parts.join(", ")
}

/// One document: what the summary says, and the observations.
pub(super) fn json(session: &Session, peer: SocketAddr, seen: &[Observation]) -> String {
    let outcome = session.loss.as_ref().ok();
    let reverse = outcome.and_then(|outcome| match outcome.reverse {
        Reverse::Counted(reverse) => Some(reverse),
        Reverse::Joined | Reverse::Unnamed => None,
    });
    let way = |seen: Option<Direction>| seen.map(counted);
    let document = json!({
        "schema": 1,
        "server": peer.to_string(),
        "local": session.local.to_string(),
        "handshakes": {
            "syns": session.handshakes.syns,
            "answered": session.handshakes.answered,
            "rtt": session.handshakes.rtt(),
        },
        "options": session.account,
        "offered_mss_bytes": outcome.and_then(|outcome| outcome.offer?.mss_bytes),
        "offered_window_bytes": outcome.and_then(|outcome| Some(outcome.offer?.window_bytes)),
        "forward": way(outcome.and_then(|outcome| outcome.forward)),
        "reverse": way(reverse),
        "joins_acknowledgements": outcome.map(|outcome| outcome.reverse == Reverse::Joined),
        "round_trip": way(outcome.map(|outcome| outcome.round_trip)),
        "keep_alives": way(outcome.map(|outcome| outcome.keep_alives)),
        "rtt": outcome.and_then(Outcome::rtt),
        "lost_at_the_end": outcome.map(|outcome| outcome.lost_at_the_end),
        "connections": outcome.map(|outcome| outcome.connections),
        "ended_early": outcome.and_then(|outcome| early(outcome.end?)),
        "not_measured": session.loss.as_ref().err().map(|(_, why)| why),
        "cancelled": session.is_cancelled,
        "observations": seen,
    });
    format!("{document}\n")
}
