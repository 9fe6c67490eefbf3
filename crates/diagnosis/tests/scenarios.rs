//! Every scenario named in a fault's `scenarios.md`, judged: the findings listed there must appear, and no others.
//!
//! The expectations stand in those tables only; here stands how each scenario's world differs from a healthy one.

mod common;

use common::judge_round;
use common::recorded::folders;
use common::scenarios::ALL;
use evidence::v1::{Case, End, Explains, Finding, Location, Verdict, VerdictState};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One row of a table.
#[derive(Debug)]
struct Row {
    file: PathBuf,
    scenario: String,
    state: String,
    findings: BTreeSet<String>,
}

fn rows() -> Vec<Row> {
    folders().iter().flat_map(|folder| rows_of(folder)).collect()
}

fn rows_of(folder: &Path) -> Vec<Row> {
    let file = folder.join("scenarios.md");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [scenario, state, findings] = cells[..] else {
                panic!("{}: {line}", file.display())
            };
            let findings = findings
                .split(';')
                .map(|f| f.trim().to_owned())
                .filter(|f| f != "none")
                .collect();
            Row {
                file: file.clone(),
                scenario: scenario.trim_matches('`').into(),
                state: state.into(),
                findings,
            }
        })
        .collect()
}

/// A finding as the tables write it: `MTU-002 8-9 yes`.
fn short(finding: &Finding) -> String {
    let place = match &finding.location {
        Location::Link { before, after } => format!("{}-{}", before.ttl, after.ttl),
        Location::Hop { hop } => format!("hop:{}", hop.ttl),
        Location::Host { end: End::From } => "host:from".into(),
        Location::Host { end: End::To } => "host:to".into(),
        Location::Segment { before, after } => format!("segment:{before}=>{after}"),
        Location::Interface {
            device, interface, ..
        } => format!("interface:{device} {interface}"),
        Location::OtherHost { name } => format!("host:{name}"),
        Location::Path => "path".into(),
    };
    let explains = match finding.explains {
        Explains::Yes => "yes",
        Explains::No => "no",
        Explains::Unknown => "unknown",
    };
    format!("{} {place} {explains}", finding.code)
}

fn state(verdict: &Verdict) -> &'static str {
    match verdict.state {
        VerdictState::Ok => "ok",
        VerdictState::Slow => "slow",
        VerdictState::Inconclusive => "inconclusive",
        VerdictState::NotMeasured => "not-measured",
    }
}

/// A synthetic scenario, or a round of a recorded case: `recorded/NAME#ROUND`.
fn case(name: &str) -> (Case, u32) {
    if let Some((recorded, round)) = name
        .strip_prefix("recorded/")
        .and_then(|name| name.split_once('#'))
    {
        return (common::recorded::load(recorded), round.parse().unwrap_or(0));
    }
    let scenario = ALL
        .iter()
        .find(|s| s.name == name)
        .unwrap_or_else(|| panic!("no scenario is called {name}"));
    ((scenario.case)(), 1)
}

#[test]
fn every_scenario_gets_the_findings_of_its_table_and_no_others() {
    let mut wrong = String::new();
    for row in rows() {
        let (case, round) = case(&row.scenario);
        let verdict = judge_round(&case, round);
        let found: BTreeSet<String> = verdict.findings.iter().map(short).collect();
        if found != row.findings || state(&verdict) != row.state {
            wrong += &format!(
                "{}: {}\n  expected {} {:?}\n  found    {} {:?}\n  {}\n  {:#?}\n",
                row.file.display(),
                row.scenario,
                row.state,
                row.findings,
                state(&verdict),
                found,
                verdict.summary,
                verdict
                    .findings
                    .iter()
                    .map(|f| {
                        let weights: Vec<String> = f
                            .supports
                            .iter()
                            .chain(&f.contradicts)
                            .map(|a| format!("{:+.1} {}", a.weight, a.text))
                            .collect();
                        (f.code.clone(), f.confidence, weights)
                    })
                    .collect::<Vec<_>>()
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_scenario_is_listed_and_every_fault_has_all_kinds() {
    let listed: BTreeSet<String> = rows().into_iter().map(|row| row.scenario).collect();
    let unlisted: Vec<&str> = ALL
        .iter()
        .map(|s| s.name)
        .filter(|name| !listed.contains(*name))
        .collect();
    assert!(unlisted.is_empty(), "no scenarios.md lists {unlisted:?}");
    for recorded in common::recorded::names() {
        let prefix = format!("recorded/{recorded}#");
        assert!(
            listed.iter().any(|name| name.starts_with(&prefix)),
            "no scenarios.md lists {recorded}"
        );
    }
    for folder in folders() {
        let file = folder.join("scenarios.md");
        let text = std::fs::read_to_string(&file).unwrap();
        for section in [
            "## Fires",
            "## Near misses",
            "## Evidence missing",
            "## Known wrong answers",
        ] {
            assert!(text.contains(section), "{} lacks {section}", file.display());
        }
    }
}

/// The main cause's code comes first: the tables are sets, so the order is checked here.
#[test]
fn what_explains_the_rate_stands_first() {
    for scenario in ALL {
        let verdict = judge_round(&(scenario.case)(), 1);
        let ranks: Vec<Explains> = verdict.findings.iter().map(|f| f.explains).collect();
        let mut sorted = ranks.clone();
        sorted.sort_by_key(|explains| match explains {
            Explains::Yes => 0,
            Explains::Unknown => 1,
            Explains::No => 2,
        });
        let ok_last = verdict.state == VerdictState::Ok;
        assert!(ok_last || ranks == sorted, "{}: {ranks:?}", scenario.name);
    }
}

#[test]
fn verdicts_are_complete() {
    for scenario in ALL {
        let verdict = judge_round(&(scenario.case)(), 1);
        assert!(
            !verdict.summary.is_empty() && !verdict.summary.contains("  "),
            "{}",
            verdict.summary
        );
        for finding in &verdict.findings {
            assert!((0.0..=1.0).contains(&finding.confidence));
            assert!(!finding.claim.is_empty() && !finding.remedy.is_empty() && !finding.ask_whom.is_empty());
            assert!(
                finding.supports.iter().all(|a| a.weight >= 0.0),
                "{}: {finding:#?}",
                scenario.name
            );
            assert!(
                finding.contradicts.iter().all(|a| a.weight < 0.0),
                "{}: {finding:#?}",
                scenario.name
            );
            assert!(
                finding.supports.iter().any(|a| !a.cites.is_empty()),
                "{}",
                scenario.name
            );
        }
        let undecided = matches!(
            verdict.state,
            VerdictState::Inconclusive | VerdictState::NotMeasured
        );
        assert_eq!(
            verdict.next.is_some(),
            undecided,
            "{}: {:?}",
            scenario.name,
            verdict.next
        );
    }
}
