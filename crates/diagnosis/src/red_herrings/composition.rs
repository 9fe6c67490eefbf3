//! A to B is fast, B to C is fast, A to C is slow over the same links: why that is no contradiction, what it can tell and
//! what not.

use crate::facts::Facts;
use crate::facts::records::composition::{Composition, Pair};
use crate::facts::records::composition_fit::{Cause, FACTOR, Hypothesis, loss_at_most, streams};
use crate::faults::words;
use evidence::{Direction, Location, Nanos, Node, ObservationId, RateBps, RedHerring};
use libm::{log10, pow};

pub(super) fn find(facts: &Facts) -> Option<RedHerring> {
    let found = Composition::find(&facts.records)?;
    let (first, second, whole) = found.three()?;
    let shorter = if first.rtt_s <= second.rtt_s {
        first
    } else {
        second
    };
    let (hops, covered) = found.hops;
    let seen = format!(
        "{} and {}, but {}, though {covered} of the {hops} hops that answer on its way are on theirs",
        rated(first),
        rated(second),
        rated(whole)
    );
    let parts = [
        causes(&found),
        excluded(&found),
        next(&found),
    ];
    let why_not: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let cites: Vec<ObservationId> = crate::judgement::join_cites([&first.cites, &second.cites, &whole.cites]);
    Some(RedHerring {
        code: "composition-contradiction".into(),
        seen,
        why_not: format!(
            "no contradiction: what limits bytes per round trip costs more over {} than over {}. {}",
            rtt(whole),
            rtt(shorter),
            why_not.join(". ")
        ),
        location: Location::Path,
        cites,
    })
}

/// The measurement that would tell the causes apart that fit, in words.
pub(crate) fn next_measurement(facts: &Facts) -> Option<String> {
    Some(next(&Composition::find(&facts.records)?)).filter(|text| !text.is_empty())
}

fn name(node: &Node) -> String {
    node.name.clone().unwrap_or_else(|| node.to_string())
}

fn rated(pair: &Pair) -> String {
    format!(
        "{} to {} {}",
        name(&pair.from),
        name(&pair.to),
        RateBps(pair.rate_bps)
    )
}

fn rtt(pair: &Pair) -> String {
    Nanos((pair.rtt_s * 1e9) as u64).to_string()
}

fn fitting(found: &Composition) -> impl Iterator<Item = &Hypothesis> {
    found.hypotheses.iter().filter(|hypothesis| hypothesis.fits())
}

/// Each cause that fits, with what it predicts for the three.
fn causes(found: &Composition) -> String {
    let fitting: Vec<String> = fitting(found)
        .map(|hypothesis| {
            format!(
                "{} predicts {}, measured {} (all pairs within a factor of {:.2})",
                cause_words(found, hypothesis),
                three(found, |index| hypothesis.predicted.get(index).copied()),
                three(found, |index| Some(found.pairs.get(index)?.rate_bps)),
                hypothesis.worst.1
            )
        })
        .collect();
    match fitting.as_slice() {
        [] => format!(
            "Yet neither one loss ratio nor one window predicts all rates within a factor of {FACTOR:.0}: the transfers \
             differ in something that the records do not tell"
        ),
        [one] => format!("This fits: {one}"),
        several => format!("Each of these fits alone: {}", several.join("; ")),
    }
}

fn three(found: &Composition, value: impl Fn(usize) -> Option<f64>) -> String {
    let rates = [found.head, found.tail, found.whole].map(|index| value(index).unwrap_or(0.0));
    rates.map(|rate| RateBps(rate).to_string()).join(", ")
}

fn cause_words(found: &Composition, hypothesis: &Hypothesis) -> String {
    let Some((_, _, whole)) = found.three() else {
        return String::new();
    };
    let connections = match (streams(&found.pairs, whole), whole.streams) {
        (1, Some(_)) => "one connection".to_owned(),
        (1, None) => "one connection, as no record tells more".to_owned(),
        (n, Some(_)) => format!("{n} connections"),
        (n, None) => format!("{n} connections, which only another pair's record tells"),
    };
    let loss = words::loss(hypothesis.value);
    let (from, to) = match hypothesis.cause {
        Cause::LossOnTail => (
            found
                .joining
                .as_ref()
                .map_or_else(|| "the meeting point".into(), name),
            name(&whole.to),
        ),
        _ => (name(&whole.from), "where the two parts meet".into()),
    };
    match hypothesis.cause {
        Cause::LossOnHead | Cause::LossOnTail => {
            format!(
                "a loss of {loss} from {from} to {to} ({connections}; n times as many bear n² times as much)"
            )
        }
        Cause::WindowOfSender => window(hypothesis, "sending", &whole.from),
        Cause::WindowOfReceiver => window(hypothesis, "receiving", &whole.to),
    }
}

fn window(hypothesis: &Hypothesis, doing: &str, host: &Node) -> String {
    format!(
        "a window of {} bytes in all at the {doing} host {}",
        words::thousands(two_digits(hypothesis.value)),
        name(host)
    )
}

fn two_digits(value: f64) -> u64 {
    let scale = pow(10.0, log10(value.max(1.0)).floor() - 1.0);
    ((value / scale).round() * scale) as u64
}

/// What a fast part over a long way bounds: loss on it would have slowed that as well.
fn excluded(found: &Composition) -> String {
    let Some((first, second, _)) = found.three() else {
        return String::new();
    };
    let hop = |node: &Option<Node>| node.as_ref().map_or_else(|| "there".into(), name);
    let parts = [
        (
            Cause::LossOnHead,
            first,
            format!("as far as {}", hop(&found.parting)),
        ),
        (
            Cause::LossOnTail,
            second,
            format!("from {} on", hop(&found.joining)),
        ),
    ];
    let bounds = parts
        .into_iter()
        .filter_map(|(cause, part, place)| bound(found, cause, part, &place));
    bounds.collect::<Vec<_>>().join(". ")
}

fn bound(found: &Composition, cause: Cause, part: &Pair, place: &str) -> Option<String> {
    let (_, _, whole) = found.three()?;
    let out = found
        .hypotheses
        .iter()
        .any(|hypothesis| hypothesis.cause == cause && !hypothesis.fits());
    let (most, needed) = (
        loss_at_most(&found.pairs, part)?,
        loss_at_most(&found.pairs, whole)?,
    );
    (out && most < needed).then(|| {
        format!(
            "Loss in this direction {place} is out: with as many connections, {} over {} leaves room for {} at most, and {} \
             would be needed",
            rated(part),
            rtt(part),
            words::loss(most),
            words::loss(needed)
        )
    })
}

/// What would tell the fitting causes apart.
fn next(found: &Composition) -> String {
    let Some((first, _, whole)) = found.three() else {
        return String::new();
    };
    let fitting: Vec<&Hypothesis> = fitting(found).collect();
    if fitting.is_empty() {
        return format!(
            "What would tell: the same number of connections and the same window for all pairs, noted; then packet \
             counters or a paced UDP stream from {} to {}",
            name(&whole.from),
            name(&whole.to)
        );
    }
    let lossy = fitting
        .iter()
        .find(|h| matches!(h.cause, Cause::LossOnHead | Cause::LossOnTail));
    let stream = lossy.map_or_else(String::new, |hypothesis| {
        let (from, to) = match hypothesis.cause {
            Cause::LossOnTail => (&first.to, &whole.to),
            _ => (&whole.from, &first.to),
        };
        format!(
            "; packet counters, or a paced UDP stream of {} packets from {} to {}, where TCP over {} hardly feels such a \
             loss",
            words::thousands(two_digits(10.0 / hypothesis.value.max(1e-12))),
            name(from),
            name(to),
            rtt(first)
        )
    });
    format!(
        "What would tell them apart: {} to {} again with the window doubled (twice the rate if it is the window, no more if \
         it is loss){stream}",
        name(&whole.from),
        name(&whole.to)
    )
}
