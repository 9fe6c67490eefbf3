//! The plan as a person reads it: what could be measured next, what each is expected to gain, and what it costs.

use crate::asks;
use diagnosis::{Candidate, Plan};
use evidence::Complaint;
use std::fmt::Write as _;

/// So many that are not worth it are shown.
const MOST_IDLE: usize = 12;

/// A table of the candidates, the next one first, and why measuring ends where it does.
pub(crate) fn table(plan: &Plan, complaint: &Complaint) -> String {
    let mut text = format!(
        "{:<46} {:>9} {:>8} {:>10} {:>7}  {}\n",
        "could be measured next", "gain", "time", "data", "bit/s", "standing"
    );
    let (open, idle): (Vec<&Candidate>, Vec<&Candidate>) = plan
        .candidates
        .iter()
        .partition(|candidate| candidate.standing.is_open());
    let left_out = idle.len().saturating_sub(MOST_IDLE);
    for candidate in open.into_iter().chain(idle.into_iter().take(MOST_IDLE)) {
        text += &row(candidate, complaint);
    }
    if left_out > 0 {
        let _ = writeln!(text, "and {left_out} more that are not asked");
    }
    if let Some(stopped) = &plan.stopped {
        let _ = writeln!(text, "measuring ends: {stopped}");
    }
    text
}

fn row(candidate: &Candidate, complaint: &Complaint) -> String {
    let figure = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let data = candidate.cost.bytes.map_or_else(
        || "by time".to_owned(),
        |bytes| format!("{:.1} MB", bytes as f64 / 1e6),
    );
    let gain = candidate.gain_bits.map(|bits| format!("{bits:.2} bit"));
    format!(
        "{:<46} {:>9} {:>6.1} s {:>10} {:>7}  {}\n",
        asks::title(&candidate.ask, complaint),
        gain.as_deref().unwrap_or("-"),
        candidate.cost.time_ms as f64 / 1e3,
        data,
        figure(candidate.bits_per_s(), 3),
        candidate.standing,
    )
}

/// The same for programs.
pub(crate) fn json(plan: &Plan) -> serde_json::Value {
    let candidate = |candidate: &Candidate| {
        serde_json::json!({
            "ask": candidate.ask,
            "gain_bits": candidate.gain_bits,
            "bits_per_s": candidate.bits_per_s(),
            "cost": candidate.cost,
            "asked": candidate.standing.is_open(),
            "standing": candidate.standing.to_string(),
        })
    };
    serde_json::json!({
        "next": plan.next(),
        "stopped": plan.stopped.map(|stopped| stopped.to_string()),
        "candidates": plan.candidates.iter().map(candidate).collect::<Vec<_>>(),
    })
}
