//! `slowpath mesh --json`: the matrix and the verdict for programs.

use crate::places::Reached;
use evidence::{Case, Pair, Verdict, Way, pairs};
use serde::Serialize;

/// Version of this form.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    name: &'a str,
    places: Vec<Place<'a>>,
    pairs: Vec<Cell>,
    verdict: &'a Verdict,
}

#[derive(Serialize)]
struct Place<'a> {
    name: &'a str,
    site: Option<&'a str>,
    /// Why it does not take part.
    absent: Option<&'a str>,
}

/// One way of a pair. What was not measured is `null`.
#[derive(Serialize)]
struct Cell {
    from: String,
    to: String,
    sent: Option<u64>,
    lost: Option<u64>,
    loss_ratio: Option<f64>,
    loss_ratio_low: Option<f64>,
    loss_ratio_high: Option<f64>,
    /// `one-way`, or `round-trip` where only answers were counted.
    loss_of: Option<Way>,
    rtt_min_ms: Option<f64>,
    rtt_median_ms: Option<f64>,
    rtt_p99_ms: Option<f64>,
    rate_bps: Option<f64>,
    probed_bps: Option<f64>,
    not_measured: Vec<String>,
}

/// The document, line feed at the end.
pub(super) fn text(case: &Case, verdict: &Verdict, places: &[Reached]) -> String {
    let document = Document {
        schema: SCHEMA,
        name: &case.complaint.from.name,
        places: places.iter().map(place).collect(),
        pairs: pairs(case.round(verdict.round)).into_iter().map(cell).collect(),
        verdict,
    };
    // Structs of plain fields with string keys cannot fail to serialise.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn place(place: &Reached) -> Place<'_> {
    Place {
        name: &place.name,
        site: place.site.as_deref(),
        absent: place.end.as_ref().err().map(String::as_str),
    }
}

fn cell(pair: Pair) -> Cell {
    let counted = pair.sent > 0;
    let (low, high) = stats::Ratio::new(pair.lost, pair.sent).interval();
    let ms = |ns: Option<i64>| ns.map(|ns| ns as f64 / 1e6);
    let rtt = pair.rtt.unwrap_or_default();
    Cell {
        from: pair.from.called(),
        to: pair.to.called(),
        sent: counted.then_some(pair.sent),
        lost: counted.then_some(pair.lost),
        loss_ratio: pair.loss(),
        loss_ratio_low: counted.then_some(low),
        loss_ratio_high: counted.then_some(high),
        loss_of: counted.then_some(pair.way),
        rtt_min_ms: ms(rtt.min_ns),
        rtt_median_ms: ms(rtt.p50_ns),
        rtt_p99_ms: ms(rtt.p99_ns),
        rate_bps: pair.rate_bps.map(|rate| rate.0),
        probed_bps: pair.probed_bps.map(|rate| rate.0),
        not_measured: pair.not_measured,
    }
}
