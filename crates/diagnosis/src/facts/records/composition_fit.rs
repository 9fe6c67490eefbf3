//! What could make one path slow and leave its parts fast: one cause at a time is fitted to the rates of all pairs.
//!
//! Loss on a stretch allows each pair that passes it a rate inverse to its round-trip time (Mathis, Semke, Mahdavi and Ott
//! 1997); so does a window at one host for each pair of that host. All other pairs are expected to reach the best rate of
//! the matrix. A cause that misses a pair by more than a factor of two is out.

use super::composition::Pair;
use super::ends::is_same_host;
use evidence::Node;
use libm::{exp, log, pow};
use model::Control;
use model::forward::{Connection, window_bps};

/// What is fitted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cause {
    /// Loss on the part that the whole way shares with the first pair.
    LossOnHead,
    /// Loss on the part that it shares with the second.
    LossOnTail,
    /// A window of the sending host.
    WindowOfSender,
    /// A window of the receiving host.
    WindowOfReceiver,
}

/// A cause with the value that fits best.
#[derive(Debug, Clone)]
pub(crate) struct Hypothesis {
    pub(crate) cause: Cause,
    /// Loss ratio, or bytes of window of all connections of a transfer together.
    pub(crate) value: f64,
    /// Predicted rate of each pair, bit/s.
    pub(crate) predicted: Vec<f64>,
    /// The pair that fits worst, and by which factor.
    pub(crate) worst: (usize, f64),
}

/// The model and a measurement may differ by this factor.
pub(crate) const FACTOR: f64 = 2.0;

/// Segment size without a record of it, bytes.
const USUAL_MSS: f64 = 1_448.0;

impl Hypothesis {
    pub(crate) fn fits(&self) -> bool {
        self.worst.1 <= FACTOR
    }
}

/// Parallel connections of a pair: as recorded, else as the one number that others of the matrix tell, else one.
pub(crate) fn streams(pairs: &[Pair], pair: &Pair) -> u16 {
    let mut told: Vec<u16> = pairs.iter().filter_map(|pair| pair.streams).collect();
    told.dedup();
    match (pair.streams, told[..].first()) {
        (Some(streams), _) => streams,
        (None, Some(streams)) if told.iter().all(|other| other == streams) => *streams,
        _ => 1,
    }
}

/// All causes, fitted.
pub(super) fn hypotheses(pairs: &[Pair], whole: usize, head: &[Node], tail: &[Node]) -> Vec<Hypothesis> {
    let Some(slow) = pairs.get(whole) else {
        return Vec::new();
    };
    let passing = |stretch: &[Node]| -> Vec<bool> { pairs.iter().map(|pair| pair.passes(stretch)).collect() };
    let of_host = |host: fn(&Pair) -> &Node| -> Vec<bool> {
        pairs
            .iter()
            .map(|pair| is_same_host(host(pair), host(slow)))
            .collect()
    };
    let loss = |pair: &Pair, ratio: f64| allowed_bps(pairs, pair, ratio);
    let window = |pair: &Pair, bytes: f64| window_bps(bytes, pair.rtt_s);
    let mut all = Vec::new();
    for (cause, stretch) in [(Cause::LossOnHead, head), (Cause::LossOnTail, tail)] {
        if !stretch.is_empty() {
            all.extend(fit(pairs, cause, &passing(stretch), (1e-9, 0.1), &loss));
        }
    }
    let (sender, receiver) = (of_host(|pair| &pair.from), of_host(|pair| &pair.to));
    for (cause, touched) in [
        (Cause::WindowOfSender, sender),
        (Cause::WindowOfReceiver, receiver),
    ] {
        all.extend(fit(pairs, cause, &touched, (1e3, 1e10), &window));
    }
    all
}

/// What a loss ratio allows a pair.
pub(crate) fn allowed_bps(pairs: &[Pair], pair: &Pair, ratio: f64) -> f64 {
    allowed(pair, streams(pairs, pair), ratio)
}

fn allowed(pair: &Pair, streams: u16, ratio: f64) -> f64 {
    connection(pair).reno_bps(ratio) * f64::from(streams)
}

fn connection(pair: &Pair) -> Connection {
    Connection {
        control: Control::Reno,
        mss_bytes: USUAL_MSS,
        rtt_s: pair.rtt_s,
    }
}

/// The loss ratio at which a pair would have its rate: at most so much can be on its path, whatever else limits it.
pub(crate) fn loss_at_most(pairs: &[Pair], pair: &Pair) -> Option<f64> {
    let each = pair.rate_bps / f64::from(streams(pairs, pair));
    connection(pair).loss_allowing(each)
}

/// The value within `range` with the least squared error of the logarithm of the rate.
fn fit(
    pairs: &[Pair],
    cause: Cause,
    touched: &[bool],
    (low, high): (f64, f64),
    model: &dyn Fn(&Pair, f64) -> f64,
) -> Option<Hypothesis> {
    const STEPS: i32 = 2_000;
    let best = pairs.iter().map(|pair| pair.rate_bps).fold(0.0, f64::max);
    let predict = |value: f64| -> Vec<f64> {
        let free = |pair: &Pair| {
            let window = pair
                .window_bytes
                .map(|bytes| window_bps(bytes as f64, pair.rtt_s));
            let all = window.map_or(f64::INFINITY, |rate| rate * f64::from(streams(pairs, pair)));
            best.min(all)
        };
        let rate = |(pair, touched): (&Pair, &bool)| {
            if *touched {
                model(pair, value).min(free(pair))
            } else {
                free(pair)
            }
        };
        pairs.iter().zip(touched).map(rate).collect()
    };
    let miss = |predicted: &[f64]| -> Vec<f64> {
        let of = |(pair, rate): (&Pair, &f64)| log(pair.rate_bps / rate.max(1.0)).abs();
        pairs.iter().zip(predicted).map(of).collect()
    };
    let value = (0..=STEPS)
        .map(|step| low * pow(high / low, f64::from(step) / f64::from(STEPS)))
        .map(|value| {
            (
                miss(&predict(value)).iter().map(|miss| miss * miss).sum::<f64>(),
                value,
            )
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))?
        .1;
    let predicted = predict(value);
    let (index, worst) = miss(&predicted)
        .into_iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Hypothesis {
        cause,
        value,
        predicted,
        worst: (index, exp(worst)),
    })
}
