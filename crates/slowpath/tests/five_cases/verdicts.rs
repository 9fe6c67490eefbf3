//! What each verdict must say. Findings and red herrings that are not in the table must not be there.

use crate::case;
use evidence::{Explains, Verdict, VerdictState};

/// One round of one case.
struct Expected {
    state: VerdictState,
    /// (code, where, does it explain the rate, at least this sure), the main cause first: exactly these.
    findings: &'static [(&'static str, &'static str, Explains, f64)],
    /// Codes of red herrings: exactly these.
    herrings: &'static [&'static str],
    /// Words that must stand in the verdict.
    says: &'static [&'static str],
}

/// Everything that a verdict says, as one text.
fn words(verdict: &Verdict) -> String {
    let mut text = vec![verdict.summary.clone()];
    for finding in &verdict.findings {
        text.extend([
            finding.claim.clone(),
            finding.location.to_string(),
            finding.remedy.clone(),
        ]);
        text.extend([
            finding.ask_whom.clone(),
            finding.cannot_tell_from.clone().unwrap_or_default(),
        ]);
        let arguments = finding.supports.iter().chain(&finding.contradicts);
        text.extend(arguments.map(|argument| argument.text.clone()));
    }
    let herrings = verdict.red_herrings.iter();
    text.extend(herrings.map(|h| format!("{}: {}; {}", h.code, h.seen, h.why_not)));
    text.extend(
        verdict
            .excluded
            .iter()
            .map(|e| format!("not {}: {}", e.code, e.why)),
    );
    text.join("\n")
}

#[track_caller]
fn check(name: &str, rounds: &[Expected]) {
    let verdicts = diagnosis::judge(&case(name)).rounds;
    assert_eq!(verdicts.len(), rounds.len(), "{name}");
    for (verdict, expected) in verdicts.iter().zip(rounds) {
        let text = words(verdict);
        let at = format!("{name}, round {}:\n{text}", verdict.round);
        assert_eq!(verdict.state, expected.state, "{at}");
        let found: Vec<_> = verdict
            .findings
            .iter()
            .map(|f| (f.code.as_str(), f.explains))
            .collect();
        let wanted: Vec<_> = expected
            .findings
            .iter()
            .map(|(code, _, explains, _)| (*code, *explains))
            .collect();
        assert_eq!(found, wanted, "{at}");
        for (finding, (code, place, _, sure)) in verdict.findings.iter().zip(expected.findings) {
            let there = finding.location.to_string();
            assert!(there.contains(place), "{code} at {there}, not {place}\n{at}");
            assert!(
                finding.confidence >= *sure,
                "{code}: {}\n{at}",
                finding.confidence
            );
        }
        let mut herrings: Vec<&str> = verdict.red_herrings.iter().map(|h| h.code.as_str()).collect();
        herrings.sort_unstable();
        herrings.dedup();
        assert_eq!(herrings, expected.herrings, "{at}");
        for phrase in expected.says {
            assert!(text.contains(phrase), "it does not say `{phrase}`\n{at}");
        }
    }
}
