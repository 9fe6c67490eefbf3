use super::*;
use evidence::Explains;

fn scenario() -> Scenario {
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
    let truth = "[run]\nfrom='a'\nto='b'\n[truth]\ncode='MTU-002'\nlink={from='r3',to='b'}\ndirection='forward'\nthreshold_bytes=1508\n";
    scenario::parse(&format!("title='t'\n{nodes}{links}{truth}")).unwrap()
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

fn graded(findings: Vec<Finding>) -> Grade {
    let scenario = scenario();
    let (run, truth) = (scenario.run.clone().unwrap(), scenario.truth.clone().unwrap());
    grade(&scenario, &run, &truth, &verdict(VerdictState::Slow, findings))
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
    let scenario = scenario();
    let map = Map {
        scenario: &scenario,
        run: scenario.run.as_ref().unwrap(),
    };
    assert!(map.stretch_is_as_short_as_can_be([2, 3], [1, 3]));
    assert!(!map.stretch_is_as_short_as_can_be([2, 3], [0, 3]));
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
    let truth = Truth {
        code: HEALTHY.to_owned(),
        location: None,
        direction: None,
        threshold_bytes: None,
        ..scenario.truth.clone().unwrap()
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
