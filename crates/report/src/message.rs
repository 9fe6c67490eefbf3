//! A message ready to send to the people who run the located link: what was seen, what to do, how to check it.
//!
//! A stranger in another network reads it without slowpath and without the case; so it says which way, which
//! addresses, when, and how sure, and it carries the ids by which the evidence can be found in the case.

mod figures;

use crate::clean::clean_document;
use crate::subject::{self, Subject};
use crate::text::range;
use crate::words::{self, one_line};
use evidence::{Case, Finding, Location, Verdict, VerdictFile};
use std::fmt::Write as _;

/// The message about the main finding of the newest round, plain text with a subject line and a line per paragraph; `None` unless the
/// verdict is that the transfer is slow and the fault lies on the path, where somebody else must act.
#[must_use]
pub fn operator_message(case: &Case, verdicts: &VerdictFile) -> Option<String> {
    let subject = Subject::new(case, verdicts);
    message_of(&subject, subject.latest()?)
}

/// The same about the main finding of any round: after a repair, what was sent, or could have been.
pub(crate) fn message_of(subject: &Subject, verdict: &Verdict) -> Option<String> {
    let finding = subject::cause(verdict)?;
    let somebody_elses = matches!(
        finding.location,
        Location::Link { .. } | Location::Hop { .. } | Location::Segment { .. } | Location::Interface { .. }
    );
    somebody_elses.then(|| clean_document(&compose(subject, verdict, finding)))
}

fn compose(subject: &Subject, verdict: &Verdict, finding: &Finding) -> String {
    let complaint = &subject.case.complaint;
    let mut out = format!(
        "Subject: {} at {}: {}\n\nHello,\n\n",
        finding.code,
        words::place(&finding.location),
        one_line(&finding.claim)
    );
    let (from, to) = (party(&complaint.from), party(&complaint.to));
    let _ = writeln!(
        out,
        "Transfers from {from} to {to} are slow ({}).",
        subject::rates(verdict)
    );
    let _ = writeln!(out, "{}\n", pointing_at(&finding.location));
    out.push_str(&named_place(&finding.location));
    for (name, hop) in hops(&finding.location) {
        let _ = writeln!(
            out,
            "  {name:<8}hop {}, {}",
            hop.ttl,
            one_line(&words::hop_who(hop))
        );
    }
    let _ = writeln!(
        out,
        "  affected: packets going {}\n",
        words::direction(finding.direction)
    );
    let _ = writeln!(
        out,
        "What is wrong ({} sure): {}.\n",
        words::percent(finding.confidence),
        one_line(&finding.claim)
    );
    evidence_lines(&mut out, subject, finding);
    out.push_str(&figures::of(subject, verdict, finding));
    if let Some(unsure) = &finding.cannot_tell_from {
        let _ = writeln!(out, "What we cannot see from outside: {}.\n", one_line(unsure));
    }
    if !finding.remedy.trim().is_empty() {
        let _ = writeln!(out, "What would help: {}.\n", one_line(&finding.remedy));
    }
    if let Some(after) = finding.after_fix_bps {
        let _ = writeln!(
            out,
            "We expect {} once this is repaired, and will test again when you tell us.\n",
            range(after)
        );
    }
    when_and_where(&mut out, subject, verdict);
    out
}

fn pointing_at(location: &Location) -> &'static str {
    match location {
        Location::Segment { .. } => {
            "Packet counters point at a stretch of the path that we believe is yours:"
        }
        Location::Interface { .. } => "Counters point at an interface that we believe is yours:",
        _ => "Our measurements point at a link or router that we believe is yours:",
    }
}

/// A place that has no hop numbers, in the words of the record.
fn named_place(location: &Location) -> String {
    match location {
        Location::Segment { before, after } => {
            format!(
                "  between   {}\n  and       {}\n",
                one_line(before),
                one_line(after)
            )
        }
        Location::Interface {
            device, interface, ..
        } => {
            format!(
                "  device     {}\n  interface  {}\n",
                one_line(device),
                one_line(interface)
            )
        }
        _ => String::new(),
    }
}

fn hops(location: &Location) -> Vec<(&'static str, &evidence::HopRef)> {
    match location {
        Location::Link { before, after } => vec![("before", before), ("behind", after)],
        Location::Hop { hop } => vec![("at", hop)],
        Location::Interface { hop, .. } => hop.iter().map(|hop| ("at", hop)).collect(),
        Location::Host { .. } | Location::OtherHost { .. } | Location::Segment { .. } | Location::Path => {
            Vec::new()
        }
    }
}

fn evidence_lines(out: &mut String, subject: &Subject, finding: &Finding) {
    let _ = writeln!(out, "What we saw:");
    for (against, arguments) in [("", &finding.supports), ("against it: ", &finding.contradicts)] {
        for argument in arguments {
            let cites = subject.cited(&argument.cites).unwrap_or_default();
            let line = format!("  - {against}{} {cites}", one_line(&argument.text));
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out.push('\n');
}

fn when_and_where(out: &mut String, subject: &Subject, verdict: &Verdict) {
    if let Some(at) = subject.began(verdict.round) {
        let place = verdict.findings.first().map(|finding| hops(&finding.location));
        let vantage = match place.is_none_or(|hops| hops.is_empty()) {
            true => "",
            false => " Hops are counted from the vantage of the measurement.",
        };
        let _ = writeln!(out, "Measured {}.{vantage}", words::when(at));
    }
    let _ = writeln!(
        out,
        "The numbers in brackets are observations in our slowpath case, which we send on request; it can be checked without trusting us."
    );
}

/// Lines of a length that mail readers show whole; what follows a list's dash stays behind it.
pub(crate) fn wrapped(text: &str) -> String {
    const WIDTH: usize = 76;
    let mut out = String::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let hanging = indent + if line.trim_start().starts_with("- ") { 2 } else { 0 };
        let mut used = 0;
        for word in line.split(' ').skip(indent) {
            let length = word.chars().count();
            if used > hanging && used + 1 + length > WIDTH && indent < 8 && !line.starts_with("Subject:") {
                out.push('\n');
                out.push_str(&" ".repeat(hanging));
                used = hanging;
            } else if used > 0 {
                out.push(' ');
                used += 1;
            } else {
                out.push_str(&" ".repeat(indent));
                used = indent;
            }
            out.push_str(word);
            used += length;
        }
        out.push('\n');
    }
    out
}

fn party(party: &evidence::Party) -> String {
    one_line(&crate::text::party(party))
}
