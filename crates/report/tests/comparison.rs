//! Before and after an intervention: what changed by how much, and what nobody measured again.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cases;

use report::{Style, TextOptions, comparison, comparison_text};

fn text(case: &evidence::Case, before: u32, after: u32, verdicts: &evidence::VerdictFile) -> String {
    let options = TextOptions {
        width: 100,
        style: Style::Plain,
    };
    comparison_text(case, before, after, verdicts, options)
}

#[test]
fn an_interface_was_reset() {
    let (case, verdicts) = cases::records::stanford();
    insta::assert_snapshot!(text(&case, 1, 2, &verdicts));
}

#[test]
fn a_link_was_given_one_mtu() {
    let (case, verdicts) = cases::nrao_repaired();
    insta::assert_snapshot!(text(&case, 1, 2, &verdicts));
}

#[test]
fn only_like_is_compared_with_like() {
    let (case, verdicts) = cases::records::stanford();
    let compared = comparison(&case, 1, 2, &verdicts);
    // The put was not repeated: its rate must not stand in for the get's.
    assert_eq!(compared.rates.len(), 1);
    let change = &compared.rates[0];
    assert_eq!(change.what, "ftp.stanford.edu → flora01.slac.stanford.edu");
    assert!((change.factor.unwrap() - 18.4e6 / 19.2e3).abs() < 1e-6);
    assert!(
        compared
            .not_measured_again
            .iter()
            .any(|what| what == "rate flora01.slac.stanford.edu → ftp.stanford.edu")
    );
    assert!(compared.losses.is_empty() && compared.only_after.is_empty());
}

#[test]
fn a_round_that_does_not_exist_has_measured_nothing() {
    let (case, verdicts) = cases::records::stanford();
    let compared = comparison(&case, 2, 9, &verdicts);
    assert!(compared.rates.is_empty() && compared.verdict_after.is_none());
    assert_eq!(compared.not_measured_again.len(), 1);
    assert!(text(&case, 2, 9, &verdicts).contains("not judged"));
}

#[test]
fn the_order_of_observations_changes_nothing() {
    let (case, verdicts) = cases::records::stanford();
    let mut turned = evidence::Case::new(case.complaint.clone());
    case.observations()
        .iter()
        .rev()
        .for_each(|o| turned.add(o.clone()));
    turned.journal = case.journal.clone();
    assert_eq!(
        comparison(&case, 1, 2, &verdicts),
        comparison(&turned, 1, 2, &verdicts)
    );
    let json = serde_json::to_string(&comparison(&case, 1, 2, &verdicts)).unwrap();
    assert!(json.contains("\"factor\""));
}
