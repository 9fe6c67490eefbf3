//! LOSS-001: a link loses packets at random, at whatever load.

mod model;
mod place;
mod recorded;

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use crate::facts::Facts;
use crate::facts::loss::PathLoss;
use crate::facts::records::chain_segments::Segment;
use crate::facts::records::connections::SenderConnection;
use crate::facts::response::{CongestionControl, Connection};
use crate::facts::transfer::TcpRun;
use crate::judgement::{Outcome, Supported, Weighing};
use ::model::Kind;
use evidence::v1::{Direction, End, Explains, RateBps, RateRange};
use model::Model;

const PRIOR: f64 = -2.5;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-001",
    name: "random_loss",
    title: "random loss on a link",
    sections: Sections {
        what_it_is: "A link or a device loses single packets at any load: a dirty or damaged fibre, a failing optic, a \
            duplex mismatch, a faulty line card. It is not congestion: packets are lost although no queue is full.",
        why_it_hurts: "Loss-based TCP takes every loss for congestion and slows down. Its rate falls with the square \
            root of the loss ratio *and* with the round-trip time, as it needs that long to recover. A loss of 1 in \
            50,000 leaves about 70 Mbit/s at 128 ms and several Gbit/s at 1 ms: tests to a nearby host look clean, \
            which is why such links stay in service for months.",
        how_we_know: "- A paced UDP stream, well under what the path carries, loses packets; drops in the two hosts are \
            counted by their kernels and taken off.\n\
            - The response function of the congestion control in use (Mathis, PFTK, CUBIC of RFC 9438) predicts the \
            measured TCP rate within a factor of 2.\n\
            - Several connections together are faster in proportion.\n\
            - Streams of small packets that expire at chosen hops find the link: hops before it answer all, hops \
            behind it miss the same share.\n\
            - BBR does not follow these functions: under 2 % of loss it is not slowed, and then loss is not the cause.\n\
            - A series of loss that somebody's probes saw makes it likely where the loss begins as the rate falls and \
            allows about what is left; it never makes it sure, and tells no place.",
        what_looks_like_it: "- **A full queue** (CAP-001): also loses packets, but only under load and together with a \
            growing delay.\n\
            - **A hop that limits its answers**: misses replies at one hop while hops behind it miss none.\n\
            - **Host drops**: full socket buffers and overloaded processors lose packets after they arrived.\n\
            - **A policer**: loss that begins at a rate; slower streams are clean.\n\
            - **Loss on the way back**: costs answers to probes, hardly any throughput; the UDP stream in the other \
            direction shows it.",
        remedy: "Clean or replace the fibre and optics, check duplex and error counters on both ends of the link, move \
            traffic to another link meanwhile. Hosts can hide it at a price: BBR, several connections, larger segments.",
        whom_to_ask: "The operators of both ends of the link: input errors and CRC counters on the receiving interface, \
            optical power, and a soak test.",
        references: &[
            "Mathis, Semke, Mahdavi, Ott: The macroscopic behavior of the TCP congestion avoidance algorithm, CCR 1997",
            "Padhye, Firoiu, Towsley, Kurose: Modeling TCP throughput, SIGCOMM 1998",
            "RFC 9438 section 5.1: CUBIC's average window; RFC 5348 section 5: loss events",
            "RFC 2680: one-way loss; Clopper, Pearson: confidence limits, Biometrika 1934",
            "FNAL to DESY throughput, ESnet 2006: loss found by counting packets in five networks",
        ],
    },
    prior: PRIOR,
    judge: Some(judge),
    parameter: Some(Parameter {
        kind: Kind::LossRatio,
        prior: 0.10,
        claim: words::one_in,
        remedy: "check error counters, optical power, fibre and duplex at both ends of that stretch and repair what \
                 loses packets; until then BBR or several connections at the sender hide it",
    }),
};

/// Delay of our own queue that marks loss as congestion, relative to the idle round trip and absolute.
const QUEUE_SHARE: f64 = 0.2;
const QUEUE_NS: u64 = 3_000_000;

fn judge(facts: &Facts) -> Vec<Outcome> {
    // Loss that networks counted on a stretch of the path is LOSS-003's, which names the stretch.
    if facts.chains.lossy(Direction::Forward).any(Segment::is_inside) {
        return Vec::new();
    }
    let Some(loss) = facts.loss_from(End::From) else {
        let unmeasured = || Outcome::Inconclusive {
            missing: missing(facts),
        };
        return vec![recorded::judge(facts).unwrap_or_else(unmeasured)];
    };
    let model = Model::of(facts, &loss);
    if let Some(why) = model.harmless(facts, &loss) {
        return vec![Outcome::Contradicts {
            weight: -4.0,
            why,
            cites: loss.cites,
        }];
    }
    if loss.packets.events == 0 {
        let why = format!(
            "no loss in {} packets, which bounds it at {} only: too few to exclude it as the cause",
            words::thousands(loss.packets.trials),
            words::loss(loss.packets.upper_bound())
        );
        return vec![Outcome::Inconclusive { missing: why }];
    }
    vec![weigh(facts, &loss, &model)]
}

fn missing(facts: &Facts) -> String {
    let own = facts.plain_run().and_then(|run| run.retransmitted);
    let listed = || {
        let account = SenderConnection::of(&facts.records, &facts.complaint)?.account;
        account.retransmitted_segments.zip(account.data_segments_out)
    };
    match own.or_else(listed).filter(|(again, _)| *again > 0) {
        Some((again, sent)) => format!(
            "TCP sent {} of {} segments again; whether the path or the own queue lost them takes a paced UDP stream",
            words::thousands(again),
            words::thousands(sent)
        ),
        None => "no paced UDP stream with the data was measured".into(),
    }
}

fn weigh(facts: &Facts, loss: &PathLoss, model: &Model<'_>) -> Outcome {
    let mut weighing = Weighing::default();
    weigh_count(&mut weighing, loss);
    let explains = weigh_model(&mut weighing, model, loss);
    weigh_congestion(&mut weighing, facts, model.run);
    weigh_scaling(&mut weighing, facts);
    let place = place::find(facts, loss);
    weighing.supports.extend(place.argument);
    weighing.at_most = place.probability;
    Outcome::Supports(Box::new(Supported {
        claim: format!(
            "{} {}{}",
            words::one_in(loss.packets.estimate().unwrap_or(0.0)),
            place.words,
            near_host(model, loss)
        ),
        location: place.location,
        direction: Direction::Forward,
        weighing,
        explains,
        allows_bps: model.allowed,
        after_fix_bps: after_fix(facts, model),
        remedy: "check error counters, optical power, fibre and duplex at both ends of that stretch and repair what \
                 loses packets; until then BBR or several connections at the sender hide it"
            .into(),
        ask_whom: place.ask_whom,
        cannot_tell_from: None,
    }))
}

fn weigh_count(weighing: &mut Weighing, loss: &PathLoss) {
    let events = loss.events.events;
    let weight = match events {
        0..=1 => 0.5,
        2..=4 => 1.5,
        _ => 2.5,
    };
    let (low, high) = loss.packets.interval();
    let text = format!(
        "{} of {} UDP packets lost, far below the path's capacity: {} to {} (95 %)",
        words::thousands(loss.packets.events),
        words::thousands(loss.packets.trials),
        words::loss(low),
        words::loss(high)
    );
    weighing.add(weight, text, &loss.cites);
    if !loss.hosts_accounted {
        weighing.add(
            -1.5,
            "the receiver's own drops could not be counted: some of it may be its loss",
            &loss.cites,
        );
    } else if loss.host_drops > 0 {
        let text = format!(
            "{} packets dropped by the hosts themselves are not counted",
            words::thousands(loss.host_drops)
        );
        weighing.add(-0.5, text, &loss.cites);
    }
    if let Some(run) = loss.mean_run().filter(|run| *run > 3.0) {
        weighing.add(
            -1.0,
            format!("losses come in runs of {run:.1}: bursts, not single errors"),
            &loss.cites,
        );
    }
}

fn weigh_model(weighing: &mut Weighing, model: &Model<'_>, loss: &PathLoss) -> Explains {
    let Some(run) = model.run else {
        return Explains::Unknown;
    };
    let cites = [loss.cites.clone(), vec![run.id.clone()]].concat();
    let Some(allowed) = model.allowed else {
        if run.control() == CongestionControl::Bbr {
            let text = format!("{} is not slowed by so little loss", run.control_name);
            weighing.add(0.0, text, &cites);
            return Explains::No;
        }
        return Explains::Unknown;
    };
    let figures = format!(
        "such loss allows {} about {}, measured {}",
        run.control_name, allowed.best, run.rate
    );
    if (allowed.low.0..=allowed.high.0).contains(&run.rate.0) {
        weighing.add(2.5, figures, &cites);
        // With other segments than the user's programs send, it is what limits next.
        if run.is_plain() {
            Explains::Yes
        } else {
            Explains::No
        }
    } else {
        weighing.add(0.0, format!("{figures}: that does not match"), &cites);
        Explains::No
    }
}

fn weigh_congestion(weighing: &mut Weighing, facts: &Facts, run: Option<&TcpRun>) {
    let (Some(run), Some(base)) = (run, &facts.base_rtt) else {
        return;
    };
    let Some(queue_ns) = run.own_queue_ns(Some(base.ns)) else {
        return;
    };
    let cites = std::slice::from_ref(&run.id);
    let delay = evidence::v1::Nanos(queue_ns);
    if queue_ns > QUEUE_NS.max((QUEUE_SHARE * base.ns as f64) as u64) {
        weighing.add(
            -2.0,
            format!("TCP filled a queue of {delay}: its losses may be its own doing"),
            cites,
        );
    } else {
        let text = format!("under load the round trip took {delay} longer: no queue was full");
        weighing.add(0.5, text, cites);
    }
}

fn weigh_scaling(weighing: &mut Weighing, facts: &Facts) {
    let (Some(scaling), Some(parallel)) = (facts.scaling(), facts.parallel_run()) else {
        return;
    };
    let cites = [parallel.id.clone()];
    let figures = format!(
        "{} connections together reach {}",
        scaling.streams, scaling.parallel
    );
    if scaling.is_flat() {
        weighing.add(-2.0, format!("{figures}, no more than one"), &cites);
    } else if scaling.factor() > 1.5 {
        weighing.add(1.0, format!("{figures}: each is limited alone"), &cites);
    }
}

/// The same loss next door: why nobody noticed.
fn near_host(model: &Model<'_>, loss: &PathLoss) -> String {
    const NEAR_RTT_S: f64 = 0.001;
    const FAR_RTT_S: f64 = 0.02;
    let near = model
        .connection
        .filter(|far| far.rtt_s >= FAR_RTT_S)
        .and_then(|far| {
            Connection {
                rtt_s: NEAR_RTT_S,
                ..far
            }
            .allowed(loss.events.estimate()?)
        });
    near.map_or_else(String::new, |rate| {
        format!("; over 1 ms the same loss would allow {rate}, so tests to a nearby host look clean")
    })
}

/// Without the loss, what else is known to limit: the path's capacity, the interfaces, the user's expectation.
fn after_fix(facts: &Facts, model: &Model<'_>) -> Option<RateRange> {
    let measured = model.run?.rate.0;
    let shown = facts.proven_rate().map_or(measured, |rate| rate.0);
    let ceiling = facts
        .measured_capacity(End::From)
        .or(facts.interface_limit().map(|(_, rate)| rate));
    let best = facts
        .expected()
        .or(ceiling)
        .unwrap_or(RateBps(shown))
        .0
        .max(shown);
    let best = ceiling.map_or(best, |rate| best.min(rate.0.max(shown)));
    (best > 1.2 * measured).then(|| words::range(shown, best, ceiling.map_or(best, |rate| rate.0)))
}
