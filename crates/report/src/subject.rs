//! What a report is about: a case, its verdicts, and the short numbers by which observations are cited.

use crate::names::Names;
use crate::words;
use evidence::{
    Case, Explains, Finding, JournalEntry, Observation, ObservationId, Payload, Timestamp, Verdict,
    VerdictFile, VerdictState,
};
use std::collections::BTreeMap;

/// A case with its verdicts.
pub(crate) struct Subject<'a> {
    pub(crate) case: &'a Case,
    pub(crate) verdicts: &'a VerdictFile,
    pub(crate) names: Names,
    numbers: BTreeMap<&'a ObservationId, usize>,
}

/// One citation: the short number, or for an observation that the case does not hold the start of its id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Citation {
    Number(usize),
    Unknown(String),
}

impl<'a> Subject<'a> {
    pub(crate) fn new(case: &'a Case, verdicts: &'a VerdictFile) -> Self {
        Self {
            case,
            verdicts,
            names: Names::new(case),
            numbers: case.short_numbers(),
        }
    }

    /// The verdict of the newest round, if any round was judged.
    pub(crate) fn latest(&self) -> Option<&'a Verdict> {
        self.verdicts.rounds.last()
    }

    /// The verdicts before the newest.
    pub(crate) fn earlier(&self) -> &'a [Verdict] {
        let rounds = &self.verdicts.rounds;
        rounds.get(..rounds.len().saturating_sub(1)).unwrap_or_default()
    }

    /// Citations in the order of the observations, without repetition.
    pub(crate) fn citations(&self, cites: &[ObservationId]) -> Vec<Citation> {
        let mut found: Vec<Citation> = cites
            .iter()
            .map(|id| match self.numbers.get(id) {
                Some(number) => Citation::Number(*number),
                None => Citation::Unknown(id.to_string()),
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// `[o17 o18]`, or nothing when nothing is cited. An observation that is not in the case is marked.
    pub(crate) fn cited(&self, cites: &[ObservationId]) -> Option<String> {
        let citations = self.citations(cites);
        let texts: Vec<String> = citations
            .iter()
            .map(|citation| match citation {
                Citation::Number(n) => format!("o{n}"),
                Citation::Unknown(id) => format!("{id}?"),
            })
            .collect();
        (!texts.is_empty()).then(|| format!("[{}]", texts.join(" ")))
    }

    /// Observations with their short numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &'a Observation)> {
        self.case
            .observations()
            .iter()
            .enumerate()
            .map(|(index, o)| (index + 1, o))
    }

    /// The observations of a round with their short numbers.
    pub(crate) fn of_round(&self, round: u32) -> Vec<(usize, &'a Observation)> {
        let of_round = self.numbered().filter(|(_, o)| o.provenance.round == round);
        of_round.collect()
    }

    /// When a round began, as far as its records tell when they were made.
    pub(crate) fn began(&self, round: u32) -> Option<Timestamp> {
        let dated = self.case.round(round).filter(|o| !o.provenance.at_is_import_time);
        dated.map(|o| o.provenance.at).min()
    }

    /// Journal entries known to lie after round `after` and not after round `upto`.
    pub(crate) fn interventions(&self, after: u32, upto: u32) -> impl Iterator<Item = &'a JournalEntry> {
        self.case.journal.iter().filter(move |entry| {
            entry
                .before_round
                .is_some_and(|round| round > after && round <= upto)
        })
    }

    /// The question as the user would put it.
    pub(crate) fn question(&self) -> String {
        let complaint = &self.case.complaint;
        if complaint.is_of_all() {
            return format!(
                "Where are packets lost between the places of {}?",
                complaint.from.name
            );
        }
        format!(
            "Why is the transfer from {} to {} slow?",
            complaint.from.name, complaint.to.name
        )
    }
}

/// What part a finding plays in its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The main cause of a slow transfer.
    Cause,
    /// What sets the rate of a transfer that is as fast as it should be: no fault.
    Why,
    /// A cause that the evidence does not suffice for.
    Maybe,
    /// True, and not what limits.
    Also,
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cause => "Cause",
            Self::Why => "Why",
            Self::Maybe => "Maybe",
            Self::Also => "Also",
        }
    }
}

/// What is to be done about a finding, and who is to be asked. What sets the rate of a healthy transfer is nothing to
/// repair, and nobody's fault.
pub(crate) fn advice(verdict: &Verdict, index: usize) -> (&str, &str) {
    match verdict.findings.get(index) {
        Some(finding) if part(verdict, index) != Part::Why => {
            (finding.remedy.trim(), finding.ask_whom.trim())
        }
        _ => ("", ""),
    }
}

/// What to do next, in words.
pub(crate) fn next(verdict: &Verdict) -> &str {
    match (&verdict.next, verdict.state) {
        (Some(next), _) => &next.text,
        (None, VerdictState::Ok | VerdictState::Slow) => "none needed",
        (None, _) => "slowpath knows no further measurement that would tell",
    }
}

/// The part that the finding at `index` plays.
pub(crate) fn part(verdict: &Verdict, index: usize) -> Part {
    let explains = verdict.findings.get(index).map(|finding| finding.explains);
    match verdict.state {
        VerdictState::Slow if index == 0 => Part::Cause,
        VerdictState::Ok if explains == Some(Explains::Yes) => Part::Why,
        VerdictState::Inconclusive => Part::Maybe,
        _ => Part::Also,
    }
}

/// The main cause; `None` where none was found.
pub(crate) fn cause(verdict: &Verdict) -> Option<&Finding> {
    verdict
        .findings
        .first()
        .filter(|_| verdict.state == VerdictState::Slow)
}

/// Measured and expected rate, in one phrase.
pub(crate) fn rates(verdict: &Verdict) -> String {
    let measured = match verdict.measured_bps {
        Some(rate) => format!("{rate} measured"),
        None => "no transfer rate measured".to_owned(),
    };
    match verdict.expected_bps {
        Some(rate) => format!("{measured}, {rate} expected"),
        None => measured,
    }
}

/// The outcome of a round in one phrase: `SLOW, 17.4 Mbit/s, MTU-002 hop 8 -> hop 9`.
pub(crate) fn outcome(verdict: &Verdict) -> String {
    let mut parts = vec![words::state(verdict.state).to_owned()];
    parts.extend(verdict.measured_bps.map(|rate| rate.to_string()));
    if let Some(finding) = cause(verdict) {
        parts.push(format!("{} {}", finding.code, words::place(&finding.location)));
    }
    parts.join(", ")
}

/// How the rate changed between two rounds: `153 times faster than round 1`; `None` without two rates or a change.
pub(crate) fn change(before: &Verdict, now: &Verdict) -> Option<String> {
    let round = before.round;
    let (before, now) = (before.measured_bps?.0, now.measured_bps?.0);
    if before <= 0.0 || now <= 0.0 {
        return (before <= 0.0 && now > 0.0).then(|| "no longer at a standstill".to_owned());
    }
    match now / before {
        r if r >= 1.1 => Some(format!("{} times faster than round {round}", words::factor(r))),
        r if r <= 1.0 / 1.1 => Some(format!(
            "{} times slower than round {round}",
            words::factor(1.0 / r)
        )),
        _ => None,
    }
}

/// What an observation's measurement took, nanoseconds; `None` where it took no time worth showing.
pub(crate) fn took_ns(payload: &Payload) -> Option<u64> {
    match payload {
        Payload::Trace(trace) => trace.elapsed_ns,
        Payload::Probes(probes) => probes.elapsed_ns,
        Payload::Transfer(transfer) => transfer.duration_ns,
        Payload::CounterChain(chain) => chain.duration_ns,
        Payload::Series(series) => span_ns(series.points.first()?.0, series.points.last()?.0),
        Payload::RouteHistory(history) => span_ns(history.seen.first()?.0, history.seen.last()?.0),
        _ => None,
    }
}

fn span_ns(from: Timestamp, until: Timestamp) -> Option<u64> {
    u64::try_from(until.since_ns(from)).ok()
}
