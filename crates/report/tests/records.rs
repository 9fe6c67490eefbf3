//! Cases made of other people's records, as text and Markdown.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cases;

use evidence::{Case, VerdictFile};
use report::{Detail, Style, TextOptions, case_text, html, markdown};

fn text((case, verdicts): &(Case, VerdictFile), width: usize) -> String {
    let options = TextOptions {
        width,
        style: Style::Plain,
    };
    case_text(case, verdicts, Detail::Records, options)
}

#[test]
fn counters_of_interfaces_and_pings_by_size() {
    insta::assert_snapshot!(text(&cases::records::stanford(), 110));
}

#[test]
fn a_series_with_its_routes() {
    insta::assert_snapshot!(text(&cases::records::caltech(), 132));
}

#[test]
fn counter_chains_and_a_composition() {
    insta::assert_snapshot!(text(&cases::records::desy(), 132));
}

#[test]
fn a_transfer_in_slices() {
    insta::assert_snapshot!(text(&cases::records::oak_ridge(), 100));
}

#[test]
fn tickets() {
    for (name, (case, verdicts)) in [
        ("ticket_stanford", cases::records::stanford()),
        ("ticket_desy", cases::records::desy()),
    ] {
        insta::assert_snapshot!(name, markdown(&case, &verdicts));
    }
}

#[test]
fn lines_keep_to_the_width() {
    for case in [
        cases::records::stanford(),
        cases::records::caltech(),
        cases::records::desy(),
        cases::records::oak_ridge(),
    ] {
        for width in [40, 60, 80, 132] {
            for line in text(&case, width).lines() {
                assert!(line.chars().count() <= width, "{width}: {line:?}");
            }
        }
    }
}

#[test]
fn counters_that_contradict_each_other_are_marked() {
    let shown = text(&cases::records::desy(), 200);
    assert!(
        shown.contains("5,076,088 (+1,361 more than before, -223 in all)"),
        "{shown}"
    );
    assert!(
        shown.contains("5,074,727 (-1,584, contradicted behind)"),
        "{shown}"
    );
    // What is missing behind the last counter of test 4 is what the host's own count says.
    assert!(shown.contains("4,978,276 (-97,812, 1.9 %)"), "{shown}");
}

#[test]
fn a_long_history_stays_a_small_report() {
    let case = cases::records::long_series(200_000, 20_000);
    let verdicts = VerdictFile {
        schema: evidence::VERDICT_SCHEMA_VERSION,
        rules: "1".into(),
        rounds: Vec::new(),
    };
    let page = html(&case, &verdicts);
    assert!(page.len() < 400_000, "{} bytes", page.len());
    assert!(markdown(&case, &verdicts).len() < 100_000);
    assert!(text(&(case, verdicts), 100).lines().count() < 400);
}

#[test]
fn nothing_in_a_record_makes_a_report_fail() {
    for name in ["", "x", "|<b>`*_[a](b)", &"long ".repeat(200)] {
        let (case, verdicts) = cases::records::hostile(name);
        for width in [0, 40, 100] {
            assert!(!text(&(case.clone(), verdicts.clone()), width).is_empty());
        }
        // Between fences nothing is markup.
        let ticket = markdown(&case, &verdicts);
        let outside = ticket
            .split_once("```")
            .map_or(ticket.as_str(), |(before, _)| before);
        assert!(!outside.contains("<b>"));
        assert!(!html(&case, &verdicts).contains("<b>`"));
    }
}
