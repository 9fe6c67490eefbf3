//! CAP-001: a link on the path carries no more.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use crate::facts::Facts;
use crate::facts::capacity::QueuePlace;
use crate::facts::records::load::Headroom;
use crate::facts::records::plateau::usual_link;
use crate::facts::transfer::TcpRun;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::v1::{Direction, End, Explains, HopRef, Location, Nanos, RateBps};
use model::Kind;

const PRIOR: f64 = -1.5;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-001",
    name: "link_capacity",
    title: "link capacity reached",
    sections: Sections {
        what_it_is: "The slowest link of the path is full. That is no defect of the link, but the path carries less than \
            was expected: a 100 Mbit/s segment in a path of gigabit links, a route that moved to a smaller link, a \
            port that negotiated a lower speed, a shaper.",
        why_it_hurts: "No sender, however tuned, gets more through than the slowest link carries; what comes faster \
            waits in the queue before it and is then dropped. Everybody who shares the link also shares the delay.",
        how_we_know: "- The rate is steady, and several connections together get no more than one.\n\
            - A UDP stream that is faster arrives at the same rate.\n\
            - Under load the round-trip time grows behind one hop and not before it: that is where the queue stands.\n\
            - The rate is that of a usual link less headers: 94 to 97 of 100 Mbit/s, 940 of 1000.\n\
            - Against it: the receiver's window or a processor limits, or a UDP stream gets more through.",
        what_looks_like_it: "- **A busy processor** at either end: also flat over several connections; the CPU shares \
            tell, and no queue grows on the path.\n\
            - **A policer**: drops above a rate without a queue.\n\
            - **Cross traffic**: the capacity is larger than what is left of it; the rate changes with time of day.\n\
            - **LOSS-001**: loses packets at any load; further connections add up.",
        remedy: "Check that the link is meant to be that slow: negotiated speed and duplex, shapers, and above all the \
            route: compare it with the one before the change. Otherwise the path needs a faster link, or the \
            expectation needs a correction.",
        whom_to_ask: "The operator of the router before the link, who sees its output queue and utilisation.",
        references: &[
            "RFC 5136: defining network capacity; RFC 8337: model-based metrics for bulk transport capacity",
            "RFC 2544 section 26.1; Ethernet carries 94.9 Mbit/s of TCP payload at 100 Mbit/s and MTU 1500",
            "Throughput from SLAC to Caltech, SLAC 2003: a route through a 100 Mbit/s Ethernet",
        ],
    },
    prior: PRIOR,
    judge: Some(judge),
    parameter: Some(Parameter {
        kind: Kind::Capacity,
        prior: 0.09,
        claim: |bps| format!("no more than about {} pass", words::about(bps)),
        remedy: "nothing is broken if the link is as fast as it was bought: take a faster link or another route; if it should \
                 be faster, check its negotiated speed and its shaping",
    }),
};

/// Expectations up to this much above the capacity count as met: headers and rounding.
const TOLERANCE: f64 = 1.0 / 0.9;

/// What speaks for the path being full, and at which rate.
pub(crate) struct Assessment {
    /// Goodput that the path carries.
    pub(crate) rate: RateBps,
    pub(crate) confidence: f64,
    pub(crate) location: Location,
    weighing: Weighing,
}

fn judge(facts: &Facts) -> Vec<Outcome> {
    let Some(found) = assess(facts) else {
        return vec![as_recorded(facts)];
    };
    // A full path that nobody expects more of is no fault: OK-001 names it as the limit.
    let above = facts
        .expected()
        .filter(|expected| expected.0 > found.rate.0 * TOLERANCE);
    let Some(expected) = above else { return Vec::new() };
    let measured = facts.plain_run().map_or(0.0, |run| run.rate.0);
    let explains = if measured >= 0.7 * found.rate.0 {
        Explains::Yes
    } else {
        Explains::No
    };
    let rate = found.rate.0;
    vec![Outcome::Supports(Box::new(Supported {
        claim: format!(
            "{} carries no more than about {}",
            place_words(&found.location),
            found.rate
        ),
        direction: Direction::Forward,
        weighing: found.weighing,
        explains,
        allows_bps: Some(words::range(0.85 * rate, rate, 1.1 * rate)),
        // What the next slowest link carries nobody has measured.
        after_fix_bps: None,
        remedy: format!(
            "find out whether {} is meant to carry {} only (negotiated speed, shaper, route); for {expected} it must be faster",
            place_words(&found.location),
            found.rate
        ),
        ask_whom: ask_whom(&found.location),
        location: found.location,
        cannot_tell_from: None,
    }))]
}

/// Without a transfer of our own: excluded where records show room for many such transfers.
fn as_recorded(facts: &Facts) -> Outcome {
    /// With less than this share of what is free, a transfer is not what fills the path.
    const SMALL_SHARE: f64 = 0.1;
    let recorded = facts
        .records
        .complained(&facts.complaint)
        .zip(Headroom::of(facts));
    let Some(((record, rate), room)) =
        recorded.filter(|((_, rate), room)| rate.0 < SMALL_SHARE * room.free.0)
    else {
        let missing = "the plain TCP transfer did not run, or was not measured: nothing to compare";
        return Outcome::Inconclusive {
            missing: missing.into(),
        };
    };
    Outcome::Contradicts {
        weight: -4.0,
        why: format!("{rate} measured, and {}", room.figures.join("; ")),
        cites: crate::judgement::join_cites([&vec![record.id.clone()], &room.cites]),
    }
}

/// Weighs whether the path is full at the rate measured. `None` without a running transfer.
pub(crate) fn assess(facts: &Facts) -> Option<Assessment> {
    let run = facts.plain_run().filter(|run| !run.stalled && run.rate.0 > 0.0)?;
    let best = facts
        .parallel_run()
        .map_or(run.rate.0, |parallel| parallel.rate.0.max(run.rate.0));
    let rate = RateBps(best);
    let mut weighing = Weighing::default();
    weigh_scaling(&mut weighing, facts, run);
    weigh_streams(&mut weighing, facts, best);
    let queue = QueuePlace::find(facts.path(Direction::Forward));
    weigh_queue(&mut weighing, facts, run, queue.as_ref());
    weigh_steadiness(&mut weighing, run, best);
    weigh_other_limits(&mut weighing, facts, run);
    let interface = facts
        .interface_limit()
        .filter(|(_, limit)| best >= 0.93 * limit.0);
    if let Some((end, limit)) = interface {
        let cites = facts.host(end).map(|host| host.cites.clone()).unwrap_or_default();
        weighing.add(
            2.0,
            format!("the interface of {} ends at about {limit}", facts.name(end)),
            &cites,
        );
    }
    let location = match (queue, interface) {
        (Some(queue), _) => facts.forward.link(queue.before, queue.after),
        (None, Some((end, _))) => Location::Host { end },
        (None, None) => Location::Path,
    };
    Some(Assessment {
        rate,
        confidence: weighing.confidence(PRIOR),
        location,
        weighing,
    })
}

fn weigh_scaling(weighing: &mut Weighing, facts: &Facts, run: &TcpRun) {
    let (Some(scaling), Some(parallel)) = (facts.scaling(), facts.parallel_run()) else {
        return;
    };
    let cites = [run.id.clone(), parallel.id.clone()];
    let figures = format!(
        "one connection {}, {} together {}",
        scaling.single, scaling.streams, scaling.parallel
    );
    if scaling.is_flat() {
        weighing.add(2.0, figures, &cites);
    } else if scaling.factor() >= 1.5 {
        weighing.add(
            -4.0,
            format!("{figures}: one alone does not fill the path"),
            &cites,
        );
    }
}

fn weigh_streams(weighing: &mut Weighing, facts: &Facts, best: f64) {
    if let Some(capacity) = facts.measured_capacity(End::From) {
        let cites: Vec<_> = facts
            .udp
            .iter()
            .filter(|run| run.sender == End::From && run.overloaded())
            .map(|run| run.id.clone())
            .collect();
        let figures = format!("of a faster UDP stream {capacity} arrive");
        // UDP counts IP packets, TCP payload: 3 to 4 % apart at MTU 1500.
        if (0.8..1.25).contains(&(best / capacity.0)) {
            weighing.add(3.0, format!("{figures}, as much as of TCP"), &cites);
        } else if capacity.0 > best {
            weighing.add(-4.0, format!("{figures}, more than of TCP"), &cites);
        }
    }
    let faster = facts
        .udp
        .iter()
        .filter(|run| run.sender == End::From && !run.overloaded())
        .find_map(|run| {
            let received = run.received.filter(|received| received.0 > 1.3 * best)?;
            Some((received, run.id.clone()))
        });
    if let Some((received, id)) = faster {
        weighing.add(-4.0, format!("a UDP stream got {received} through"), &[id]);
    }
}

fn weigh_queue(weighing: &mut Weighing, facts: &Facts, run: &TcpRun, queue: Option<&QueuePlace>) {
    if let Some(queue) = queue {
        let (before, after) = (
            facts.forward.hop_ref(queue.before),
            facts.forward.hop_ref(queue.after),
        );
        let text = format!(
            "under load {} of delay appear between {} and {}, none before",
            Nanos(queue.delay_ns),
            words::hop(&before),
            words::hop(&after)
        );
        weighing.add(2.5, text, &queue.cites);
        return;
    }
    let base = facts.base_rtt.as_ref().map(|rtt| rtt.ns);
    if let Some(delay) = run
        .own_queue_ns(base)
        .filter(|ns| *ns >= 2_000_000 && *ns as f64 >= 0.1 * base.unwrap_or(0) as f64)
    {
        let text = format!("the transfer built up a queue of {}", Nanos(delay));
        weighing.add(1.0, text, std::slice::from_ref(&run.id));
    }
}

fn weigh_steadiness(weighing: &mut Weighing, run: &TcpRun, best: f64) {
    if let Some(spread) = run.unsteadiness.filter(|spread| *spread < 0.25) {
        let text = format!("the rate is steady within {:.0} %", spread * 100.0);
        weighing.add(0.5, text, std::slice::from_ref(&run.id));
    }
    if let Some(link) = usual_link(best) {
        let text = format!("{} is what a link of {} carries", RateBps(best), RateBps(link));
        weighing.add(0.5, text, std::slice::from_ref(&run.id));
    }
}

fn weigh_other_limits(weighing: &mut Weighing, facts: &Facts, run: &TcpRun) {
    if let Some(share) = run.receive_window_share.filter(|share| *share >= 0.5) {
        let text = format!(
            "the receiver's window limited for {:.0} % of the time",
            share * 100.0
        );
        weighing.add(-3.5, text, std::slice::from_ref(&run.id));
    }
    if let Some(end) = run.out_of_cpu() {
        let text = format!("{} had no processor time left", facts.name(end));
        weighing.add(-3.0, text, std::slice::from_ref(&run.id));
    }
}

fn place_words(location: &Location) -> String {
    match location {
        Location::Link { before, after } if after.ttl == before.ttl + 1 => {
            format!(
                "the link between {} and {}",
                words::hop(before),
                words::hop(after)
            )
        }
        Location::Link { before, after } => {
            format!("a link between {} and {}", words::hop(before), words::hop(after))
        }
        Location::Host { end: End::From } => "the sender's interface".into(),
        Location::Host { end: End::To } => "the receiver's interface".into(),
        Location::Hop { .. }
        | Location::Segment { .. }
        | Location::Interface { .. }
        | Location::OtherHost { .. }
        | Location::Path => "a link on the path".into(),
    }
}

fn ask_whom(location: &Location) -> String {
    let router = |hop: &HopRef| match hop.ttl {
        0 => format!("whoever runs {}", words::hop(hop)),
        _ => format!("the operator of {}", words::hop(hop)),
    };
    match location {
        Location::Link { before, .. } => format!(
            "{}: speed, utilisation and drops of the interface towards the next hop",
            router(before)
        ),
        Location::Host { .. } => "the administrator of that host and of the switch it is plugged into".into(),
        _ => "the networks on the path: which link is that slow?".into(),
    }
}
