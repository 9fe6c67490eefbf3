//! A diagnosis between two hosts, of which neither is the one that it is asked for at.

use crate::far_ends::{Places, up};
use lab::Lab;
use serde_json::Value;

const LAB: &str = "198.18.0.0/15";

fn diagnose(lab: &Lab, places: &Places, from: &str, to: &str) -> (Option<i32>, Value, String) {
    let output = places.diagnose(lab, from, to).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    let verdict = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{told}"));
    (output.status.code(), verdict, told)
}

fn findings(verdict: &Value) -> &Vec<Value> {
    verdict["rounds"][0]["findings"].as_array().unwrap()
}

/// h9 stands behind the router that loses on its way to the core, h4 elsewhere; h1 has no part in the path.
pub(crate) fn a_fault_between_two_others_is_named() {
    let lab = up("mesh-lossy-link");
    let places = Places::serve(&lab, 12, &[], Some(LAB));
    let (code, verdict, _) = diagnose(&lab, &places, "h9.example", "h4.example");
    let [found] = findings(&verdict).as_slice() else {
        panic!("{verdict:#}");
    };
    assert_eq!(code, Some(1), "{verdict:#}");
    // Which kind of loss it is may stay open where this machine is busy.
    assert!(found["code"].as_str().unwrap().starts_with("LOSS"), "{found:#}");
    // Few probes go to each hop: the stretch may be longer than the link from hop 1 to hop 2, and has to hold it.
    let hop = |end: &str| found["location"][end]["ttl"].as_u64().unwrap();
    assert!(hop("before") <= 1 && hop("after") >= 2, "{found:#}");
}

pub(crate) fn between_two_sound_others_nothing_is_named() {
    let lab = up("mesh-healthy");
    let places = Places::serve(&lab, 4, &[], Some(LAB));
    let (code, verdict, _) = diagnose(&lab, &places, "h3.example", "h4.example");
    // That this is what the path can do is no fault.
    let is_ok = |finding: &Value| finding["code"].as_str().unwrap().starts_with("OK-");
    assert!(findings(&verdict).iter().all(is_ok), "{verdict:#}");
    // The links have no limit: what sets the rate is this machine, and that is told by no measurement.
    assert!(matches!(code, Some(0 | 3)), "{verdict:#}");
    assert!(
        verdict["rounds"][0]["measured_bps"].as_f64().unwrap() > 1e7,
        "{verdict:#}"
    );
}

pub(crate) fn two_others_who_may_not_meet_are_told_why() {
    let lab = up("mesh-healthy");
    let places = Places::serve(&lab, 4, &[], None);
    let output = places
        .diagnose(&lab, "h3.example", "h4.example")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("--allow-peers"), "{told}");
}
