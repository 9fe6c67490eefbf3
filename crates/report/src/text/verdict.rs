//! The verdict: first how slow, why, where, how sure and what to do; then what speaks for it, with the evidence beside each claim; then
//! what was excluded and what was not tested.

use super::paper::{Item, NO_BREAK, Paper, Role, Span};
use crate::subject::{self, Part, Subject};
use crate::words;
use evidence::{
    Argument, Excluded, Explains, Finding, Location, ObservationId, RedHerring, Verdict, VerdictState,
};

/// Where the text of labelled lines starts.
const INDENT: usize = 7;
/// Where the text of "for", "against" starts.
const ARGUMENT_INDENT: usize = 16;

pub(super) fn write(paper: &mut Paper, subject: &Subject) {
    summary(paper, subject);
    let Some(verdict) = subject.latest() else {
        return;
    };
    paper.blank();
    rounds(paper, subject, verdict);
    findings(paper, subject, verdict);
    not_tested(paper, verdict);
    advice(paper, verdict);
}

/// What a person reads who reads no more: how slow, why, where, how sure, and what to do.
pub(super) fn summary(paper: &mut Paper, subject: &Subject) {
    let Some(verdict) = subject.latest() else {
        line(
            paper,
            label(Role::Unsure, "NOT MEASURED"),
            plain("no measurement is in this case yet"),
        );
        return;
    };
    headline(paper, subject, verdict);
    if let Some(found) = verdict.findings.first() {
        claim(
            paper,
            found,
            (
                part_role(verdict, 0),
                subject::part(verdict, 0).name().to_uppercase(),
            ),
        );
        if found.location != Location::Path {
            line(paper, label(Role::Label, "WHERE"), plain(&place(found)));
        }
        let (fix, ask) = subject::advice(verdict, 0);
        for (name, text) in [("FIX", fix), ("ASK", ask)]
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
        {
            line(paper, label(Role::Label, name), plain(text));
        }
    }
    line(paper, label(Role::Label, "NEXT"), plain(subject::next(verdict)));
}

/// The verdict of a round that others followed: what it found. What it would have asked for next has been done.
pub(super) fn write_earlier(paper: &mut Paper, subject: &Subject, verdict: &Verdict) {
    headline(paper, subject, verdict);
    for (index, found) in verdict.findings.iter().enumerate() {
        named(paper, verdict, index, found);
        reasons(paper, subject, verdict, found);
    }
    exclusions(paper, subject, verdict);
}

fn findings(paper: &mut Paper, subject: &Subject, verdict: &Verdict) {
    for (index, found) in verdict.findings.iter().enumerate() {
        // The first was named above: what follows speaks for it.
        match index {
            0 => line(paper, label(Role::Label, "EVIDENCE"), Vec::new()),
            _ => named(paper, verdict, index, found),
        }
        reasons(paper, subject, verdict, found);
    }
    exclusions(paper, subject, verdict);
}

fn headline(paper: &mut Paper, subject: &Subject, verdict: &Verdict) {
    let is_of_all = subject.case.complaint.is_of_all();
    let role = state_role(verdict.state);
    let rates = match verdict.state {
        VerdictState::NotMeasured => Vec::new(),
        // Of all pairs there is no one rate.
        _ if is_of_all => Vec::new(),
        _ => vec![(Role::Strong, subject::rates(verdict))],
    };
    line(paper, label(role, words::state(verdict.state)), rates);
    // A slow verdict says it all in its CAUSE; the others may have nothing else that says why.
    let said = verdict
        .findings
        .iter()
        .any(|finding| finding.claim == verdict.summary);
    if is_of_all || verdict.findings.is_empty() || (verdict.state != VerdictState::Slow && !said) {
        line(paper, label(Role::Plain, ""), plain(&verdict.summary));
    }
}

pub(super) fn state_role(state: VerdictState) -> Role {
    match state {
        VerdictState::Ok => Role::Good,
        VerdictState::Slow => Role::Bad,
        VerdictState::Inconclusive | VerdictState::NotMeasured => Role::Unsure,
    }
}

/// What earlier rounds said, and what people did since.
fn rounds(paper: &mut Paper, subject: &Subject, verdict: &Verdict) {
    let mut earlier = subject.earlier().iter().peekable();
    while let Some(before) = earlier.next() {
        let mut text = format!("round {}", before.round);
        if let Some(at) = subject.began(before.round) {
            text += &format!(" ({})", words::when(at));
        }
        text += &format!(": {}", subject::outcome(before));
        let next = earlier.peek().map_or(verdict, |next| *next);
        if let Some(change) = subject::change(before, next) {
            text += &format!("; round {} is {change}", next.round);
        }
        line(paper, label(Role::Label, "BEFORE"), plain(&text));
        for entry in subject.interventions(before.round, next.round) {
            argument_line(paper, "then", plain(&words::journal_line(entry)));
        }
    }
}

fn part_role(verdict: &Verdict, index: usize) -> Role {
    match subject::part(verdict, index) {
        Part::Cause => Role::Bad,
        Part::Why => Role::Good,
        Part::Maybe => Role::Unsure,
        Part::Also => Role::Label,
    }
}

/// What is claimed, and how sure it is.
fn claim(paper: &mut Paper, found: &Finding, label: Span) {
    let confidence = words::percent(found.confidence).replace(' ', &NO_BREAK.to_string());
    paper.item(&Item {
        offset: 0,
        label,
        indent: INDENT,
        spans: vec![
            (Role::Strong, found.code.clone()),
            (Role::Plain, found.claim.clone()),
        ],
        right: Some((Role::Strong, confidence)),
    });
}

/// A finding that was not named yet.
fn named(paper: &mut Paper, verdict: &Verdict, index: usize, found: &Finding) {
    claim(
        paper,
        found,
        (
            part_role(verdict, index),
            subject::part(verdict, index).name().to_uppercase(),
        ),
    );
    // The claim usually names the place; where it does not, the reader must not have to guess.
    if found.location != Location::Path {
        argument_line(paper, "where", plain(&place(found)));
    }
}

fn place(found: &Finding) -> String {
    format!("{}; {}", found.location, words::direction(found.direction))
}

fn reasons(paper: &mut Paper, subject: &Subject, verdict: &Verdict, found: &Finding) {
    argument_line(paper, "rate", plain(&rate_account(verdict, found)));
    arguments(paper, subject, "for", &found.supports);
    arguments(paper, subject, "against", &found.contradicts);
    if let Some(text) = &found.cannot_tell_from {
        argument_line(paper, "unsure", plain(text));
    }
}

/// Whether the finding accounts for the measured rate and what its removal would give.
pub(crate) fn rate_account(verdict: &Verdict, found: &Finding) -> String {
    if verdict.state == VerdictState::Ok && found.explains == Explains::Yes {
        let allows = found
            .allows_bps
            .map_or(String::new(), |allows| format!(": {}", range(allows)));
        return format!("this is what sets the rate{allows}");
    }
    let mut text = match found.explains {
        Explains::Yes => "explains the rate: yes".to_owned(),
        Explains::No => "explains the rate: no, something else limits it".to_owned(),
        Explains::Unknown => "explains the rate: not known".to_owned(),
    };
    if let Some(allows) = found.allows_bps {
        text += &format!("; it alone allows {}", range(allows));
    }
    if let Some(after) = found.after_fix_bps {
        match verdict.measured_bps {
            Some(now) => text += &format!("; fixing this: {now} -> {}", range(after)),
            None => text += &format!("; fixing this gives {}", range(after)),
        }
    }
    text
}

/// A predicted rate; the spread only where it says something.
pub(crate) fn range(range: evidence::RateRange) -> String {
    if range.low.0 >= 0.9 * range.best.0 && range.high.0 <= 1.1 * range.best.0 {
        range.best.to_string()
    } else {
        format!("{} ({} to {})", range.best, range.low, range.high)
    }
}

fn arguments(paper: &mut Paper, subject: &Subject, name: &str, arguments: &[Argument]) {
    if arguments.is_empty() {
        argument_line(paper, name, plain("nothing"));
    }
    for argument in arguments {
        argument_line(paper, name, cited(subject, &argument.text, &argument.cites));
    }
}

/// What is not the cause: explained anomalies first, for they are what people run after.
fn exclusions(paper: &mut Paper, subject: &Subject, verdict: &Verdict) {
    let herrings = verdict.red_herrings.iter().map(
        |RedHerring {
             seen, why_not, cites, ..
         }| {
            let text = format!("{}: {}", seen.trim_end_matches('.'), why_not);
            cited(subject, &text, cites)
        },
    );
    let excluded = verdict.excluded.iter().map(|Excluded { code, why, cites }| {
        let mut spans = vec![(Role::Strong, format!("{code}:"))];
        spans.extend(cited(subject, why, cites));
        spans
    });
    group(paper, "NOT", herrings.chain(excluded));
}

fn not_tested(paper: &mut Paper, verdict: &Verdict) {
    if verdict.not_tested.is_empty() {
        return;
    }
    line(paper, label(Role::Unsure, "NOT TESTED"), Vec::new());
    for gap in &verdict.not_tested {
        line(
            paper,
            label(Role::Plain, ""),
            plain(&format!("{}: {}", gap.what, gap.why)),
        );
    }
}

/// What to do about the findings below the first, each with its code.
fn advice(paper: &mut Paper, verdict: &Verdict) {
    let numbers = 1..verdict.findings.len();
    for (name, which) in [("FIX", 0), ("ASK", 1)] {
        let advice = |n: usize| {
            let (fix, ask) = subject::advice(verdict, n);
            let text = if which == 0 { fix } else { ask };
            let code = format!("{}:", verdict.findings.get(n)?.code);
            (!text.is_empty()).then(|| vec![(Role::Strong, code), (Role::Plain, text.to_owned())])
        };
        group(paper, name, numbers.clone().filter_map(advice));
    }
}

/// Several lines under one label, which stands on the first.
fn group(paper: &mut Paper, name: &str, lines: impl Iterator<Item = Vec<Span>>) {
    for (index, spans) in lines.enumerate() {
        line(
            paper,
            label(Role::Label, if index == 0 { name } else { "" }),
            spans,
        );
    }
}

fn cited(subject: &Subject, text: &str, cites: &[ObservationId]) -> Vec<Span> {
    let mut spans = plain(text);
    spans.extend(subject.cited(cites).map(|cites| (Role::Faint, cites)));
    spans
}

fn line(paper: &mut Paper, (role, label): Span, spans: Vec<Span>) {
    paper.line(0, (role, &label), INDENT, spans);
}

fn argument_line(paper: &mut Paper, name: &str, spans: Vec<Span>) {
    paper.line(INDENT, (Role::Faint, name), ARGUMENT_INDENT, spans);
}

fn label(role: Role, text: &str) -> Span {
    (role, text.to_owned())
}

fn plain(text: &str) -> Vec<Span> {
    vec![(Role::Plain, text.to_owned())]
}
