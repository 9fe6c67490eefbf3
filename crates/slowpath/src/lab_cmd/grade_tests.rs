use super::*;
use evidence::{Explains, HopRef, Location};

/// `a` - `r1` - `r2` (silent) - `r3` - `b`.
fn with_truth(truth: &str) -> Scenario {
    let nodes = "[[host]]\nname='a'\n[[router]]\nname='r1'\n[[router]]\nname='r2'\nmute=true\n[[router]]\nname='r3'\n[[host]]\nname='b'\n";
    let link = |x: &str, y: &str, n: u8| {
        format!(
            "[[link]]\na={{node='{x}',addresses=['192.0.2.{n}']}}\nb={{node='{y}',addresses=['192.0.2.{}']}}\n",
            n + 1
        )
    };
    let links = [
        link("a", "r1", 1),
        link("r1", "r2", 3),
        link("r2", "r3", 5),
        link("r3", "b", 7),
    ]
    .concat();
    let head =
        "[run]\nfrom='a'\nto='b'\n[truth]\ncode='MTU-002'\ndirection='forward'\nthreshold_bytes=1508\n";
    scenario::parse(&format!("title='t'\n{nodes}{links}{head}{truth}\n")).unwrap()
}

fn scenario() -> Scenario {
    with_truth("link={from='r3',to='b'}")
}

fn hop(ttl: u8, address: &str) -> HopRef {
    HopRef {
        ttl,
        address: address.parse().ok(),
        name: None,
    }
}

fn finding(code: &str, before: HopRef, after: HopRef) -> Finding {
    Finding {
        code: code.to_owned(),
        claim: "packets over 1,508 bytes vanish".to_owned(),
        location: Location::Link { before, after },
        direction: Direction::Forward,
        confidence: 0.97,
        explains: Explains::Yes,
        allows_bps: None,
        after_fix_bps: None,
        supports: vec![],
        contradicts: vec![],
        remedy: String::new(),
        ask_whom: String::new(),
        cannot_tell_from: None,
    }
}

fn verdict(state: VerdictState, findings: Vec<Finding>) -> Verdict {
    Verdict {
        round: 1,
        state,
        summary: String::new(),
        measured_bps: None,
        expected_bps: None,
        findings,
        red_herrings: vec![],
        excluded: vec![],
        not_tested: vec![],
        next: None,
    }
}

fn graded_for(scenario: &Scenario, findings: Vec<Finding>) -> Grade {
    let (run, truth) = (scenario.run.clone().unwrap(), scenario.truth.clone().unwrap());
    grade(scenario, &run, &truth, &verdict(VerdictState::Slow, findings))
}

fn graded(findings: Vec<Finding>) -> Grade {
    graded_for(&scenario(), findings)
}

/// The right place, with another code and confidence.
fn on_the_link(code: &str, confidence: f64) -> Finding {
    Finding {
        confidence,
        ..finding(code, hop(3, "192.0.2.6"), hop(4, "192.0.2.8"))
    }
}

#[test]
fn what_is_wrong_is_graded_by_how_sure_it_is() {
    assert_eq!(graded(vec![on_the_link("MTU-002", 0.5)]).outcome, Outcome::Exact);
    assert_eq!(
        graded(vec![on_the_link("LOSS-001", 0.79)]).outcome,
        Outcome::Wrong
    );
    assert_eq!(
        graded(vec![on_the_link("LOSS-001", 0.8)]).outcome,
        Outcome::ConfidentlyWrong
    );
    let beside = vec![on_the_link("MTU-002", 0.97), on_the_link("LOSS-001", 0.9)];
    assert_eq!(graded(beside).outcome, Outcome::ConfidentlyWrong);
    assert_eq!(graded(vec![]).outcome, Outcome::Silent);
}

#[test]
fn a_leading_guess_of_an_inconclusive_verdict_is_no_claim() {
    let scenario = scenario();
    let (run, truth) = (scenario.run.clone().unwrap(), scenario.truth.clone().unwrap());
    let outcome = |confidence| {
        let findings = vec![on_the_link("LOSS-001", confidence)];
        grade(
            &scenario,
            &run,
            &truth,
            &verdict(VerdictState::Inconclusive, findings),
        )
        .outcome
    };
    assert_eq!(outcome(0.4), Outcome::Silent);
    assert_eq!(outcome(0.6), Outcome::Wrong);
}

#[test]
fn all_is_well_is_a_claim_where_it_is_not() {
    let scenario = scenario();
    let (run, truth) = (scenario.run.clone().unwrap(), scenario.truth.clone().unwrap());
    let outcome = |confidence| {
        let findings = vec![on_the_link(HEALTHY, confidence)];
        grade(&scenario, &run, &truth, &verdict(VerdictState::Ok, findings)).outcome
    };
    assert_eq!(outcome(0.95), Outcome::ConfidentlyWrong);
    assert_eq!(outcome(0.6), Outcome::Wrong);
    let elusive = with_truth("link={from='r3',to='b'}\nalso_accept=['OK-001']");
    let truth = elusive.truth.clone().unwrap();
    let grade = grade(&elusive, &run, &truth, &verdict(VerdictState::Ok, vec![]));
    assert_eq!((grade.agrees(), grade.outcome), (false, Outcome::Wider));
}

#[test]
fn a_family_is_a_wider_answer() {
    let link = "link={from='r3',to='b'}";
    assert_eq!(graded(vec![on_the_link("MTU", 0.97)]).outcome, Outcome::Wider);
    assert_eq!(
        graded(vec![on_the_link("LOSS", 0.97)]).outcome,
        Outcome::ConfidentlyWrong
    );
    let sibling = vec![on_the_link("MTU-001", 0.97)];
    assert_eq!(graded(sibling.clone()).outcome, Outcome::ConfidentlyWrong);
    let with_family = with_truth(&format!("{link}\nfamily='mtu'"));
    assert_eq!(graded_for(&with_family, sibling).outcome, Outcome::Wider);
    let anywhere = Finding {
        location: Location::Path,
        ..on_the_link("MTU-002", 0.97)
    };
    let grade = graded(vec![anywhere]);
    assert_eq!((grade.agrees(), grade.outcome), (false, Outcome::Wider));
}

#[test]
fn a_further_fault_may_be_named_first_or_later() {
    let further = "link={from='r3',to='b'}\n[[truth.further]]\ncode='LOSS-001'\nlink={from='a',to='r1'}\n";
    let scenario = with_truth(further);
    let loss = Finding {
        confidence: 0.9,
        ..finding("LOSS-001", hop(0, "192.0.2.1"), hop(1, "192.0.2.2"))
    };
    let main = on_the_link("MTU-002", 0.9);
    for findings in [
        vec![main.clone(), loss.clone()],
        vec![loss.clone(), main.clone()],
        vec![loss.clone()],
    ] {
        let grade = graded_for(&scenario, findings);
        assert!(grade.agrees() && grade.outcome == Outcome::Exact, "{grade:?}");
    }
    let misplaced = Finding {
        location: main.location,
        ..loss
    };
    assert_eq!(
        graded_for(&scenario, vec![misplaced]).outcome,
        Outcome::ConfidentlyWrong
    );
}

#[test]
fn the_right_answer_agrees() {
    let grade = graded(vec![finding("MTU-002", hop(3, "192.0.2.6"), hop(4, "192.0.2.8"))]);
    assert!(grade.agrees(), "{grade:?}");
    assert!(grade.cause_right && grade.location_right && grade.direction_right);
}

#[test]
fn another_link_is_not_the_place() {
    let grade = graded(vec![finding("MTU-002", hop(1, "192.0.2.2"), hop(3, "192.0.2.6"))]);
    assert!(grade.cause_right && !grade.location_right, "{grade:?}");
}

#[test]
fn a_longer_stretch_is_right_only_across_silent_hops() {
    // r3 answers, so a stretch that begins at r1 could have been shorter.
    let grade = graded(vec![finding("MTU-002", hop(1, "192.0.2.2"), hop(4, "192.0.2.8"))]);
    assert!(!grade.location_right);
    assert_eq!(grade.outcome, Outcome::Wider);
    let link = "link={from='r2',to='r3'}";
    let across_silence = [finding("MTU-002", hop(1, "192.0.2.2"), hop(3, "192.0.2.6"))];
    let grade = graded_for(&with_truth(link), across_silence.to_vec());
    assert!(grade.agrees(), "{grade:?}");
    let from_the_sender = [finding("MTU-002", hop(0, "192.0.2.1"), hop(3, "192.0.2.6"))];
    let grade = graded_for(&with_truth(link), from_the_sender.to_vec());
    assert_eq!((grade.location_right, grade.outcome), (false, Outcome::Wider));
}

#[test]
fn a_second_claim_is_a_false_alarm() {
    let right = finding("MTU-002", hop(3, "192.0.2.6"), hop(4, "192.0.2.8"));
    let grade = graded(vec![
        right.clone(),
        Finding {
            code: "LOSS-001".to_owned(),
            ..right.clone()
        },
    ]);
    assert!(!grade.cause_right);
    let doubtful = Finding {
        code: "LOSS-001".to_owned(),
        confidence: 0.2,
        ..right.clone()
    };
    assert!(graded(vec![right, doubtful]).agrees());
}

#[test]
fn the_wrong_threshold_is_seen() {
    let claim = "packets over 15080 bytes vanish".to_owned();
    let wrong = Finding {
        claim,
        ..finding("MTU-002", hop(3, "192.0.2.6"), hop(4, "192.0.2.8"))
    };
    assert!(!graded(vec![wrong]).agrees());
}

#[test]
fn on_a_healthy_path_any_claim_is_wrong() {
    let scenario = scenario();
    let run = scenario.run.clone().unwrap();
    let mut truth = scenario.truth.clone().unwrap();
    truth.fault = TrueFault {
        code: HEALTHY.to_owned(),
        location: None,
        direction: None,
        threshold_bytes: None,
        ..truth.fault
    };
    assert!(grade(&scenario, &run, &truth, &verdict(VerdictState::Ok, vec![])).agrees());
    let false_alarm = finding("CAP-001", hop(3, "192.0.2.6"), hop(4, "192.0.2.8"));
    let alarmed = grade(
        &scenario,
        &run,
        &truth,
        &verdict(VerdictState::Ok, vec![false_alarm]),
    );
    assert!(!alarmed.cause_right && !alarmed.agrees());
    assert!(
        !grade(
            &scenario,
            &run,
            &truth,
            &verdict(VerdictState::Inconclusive, vec![])
        )
        .agrees()
    );
}
