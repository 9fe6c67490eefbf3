//! Diagnoses with third places, between hosts of which the truth is known.

use crate::far_ends::{Places, up};
use lab::Lab;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

const LAB: &str = "198.18.0.0/15";

/// A diagnosis from h1 to h2, with these third places. Where the machine was too busy to emulate links nothing was tested.
fn diagnose(lab: &Lab, places: &Places, args: &[&str]) -> (Option<i32>, Value, String) {
    let output = places
        .diagnose_from_here(lab, "h2.example")
        .args(args)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    let verdict = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{told}"));
    (output.status.code(), verdict, told)
}

fn findings(verdict: &Value) -> &Vec<Value> {
    verdict["rounds"][0]["findings"].as_array().unwrap()
}

/// The findings that say something of the path. That third places lose packets on their own way in may be told beside it.
fn faults(verdict: &Value) -> Vec<&Value> {
    let is_fault = |finding: &&Value| {
        let beside = finding["claim"].as_str().unwrap().ends_with("beside the path");
        assert!(!beside || finding["explains"] == "no", "{finding:#}");
        !beside && !finding["code"].as_str().unwrap().starts_with("OK-")
    };
    findings(verdict).iter().filter(is_fault).collect()
}

fn stretch(finding: &Value) -> (u64, u64) {
    let hop = |end: &str| {
        finding["location"][end]["ttl"]
            .as_u64()
            .unwrap_or_else(|| panic!("{finding:#}"))
    };
    (hop("before"), hop("after"))
}

const VIA: [&str; 6] = [
    "--via",
    "h3.example",
    "--via",
    "h4.example",
    "--via",
    "h5.example",
];

pub(crate) fn a_link_that_hops_do_not_show_is_named_from_third_places() {
    let lab = up("via-line");
    let places = Places::serve(&lab, 5, &[], Some(LAB));
    let (code, alone, _) = diagnose(&lab, &places, &[]);
    // The routers tell too little of themselves: the link from hop 3 to hop 4 is somewhere in what is told.
    if let [found] = faults(&alone).as_slice() {
        if found["location"]["kind"] == "link" {
            assert_ne!(stretch(found), (3, 4), "{alone:#}");
        }
    } else {
        assert_eq!(code, Some(3), "{alone:#}");
    }
    std::fs::remove_dir_all(places.case()).unwrap();
    let (code, with, told) = diagnose(&lab, &places, &[&VIA[..], &["--explain-plan"]].concat());
    let [found] = faults(&with)[..] else {
        panic!("{with:#}");
    };
    assert_eq!(code, Some(1), "{with:#}");
    assert!(found["code"].as_str().unwrap().starts_with("LOSS"), "{found:#}");
    assert_eq!(stretch(found), (3, 4), "{found:#}");
    assert!(
        told.contains("route, from h1 to h4") || told.contains("h4.example"),
        "{told}"
    );
    let (case, complaints) = casefile::CaseDir::read(&places.case()).unwrap();
    assert!(complaints.is_empty(), "{complaints:?}");
    // What is measured at a third place says so.
    let elsewhere = |o: &&evidence::Observation| case.complaint.end_of(&o.provenance.vantage).is_none();
    assert!(case.observations().iter().filter(elsewhere).count() >= 3);
}

pub(crate) fn a_sound_path_is_called_sound_whatever_a_third_place_has() {
    let lab = up("via-bad-access");
    let places = Places::serve(&lab, 4, &[], Some(LAB));
    let (code, verdict, _) = diagnose(&lab, &places, &["--via", "h3.example", "--via", "h4.example"]);
    assert!(faults(&verdict).is_empty(), "{verdict:#}");
    let summary = verdict["rounds"][0]["summary"].as_str().unwrap();
    assert!(!summary.contains("packets lost"), "{summary}");
    if lab.validity().is_valid() {
        assert!(matches!(code, Some(0 | 3)), "{verdict:#}");
    }
}

pub(crate) fn a_bad_access_of_a_third_place_is_not_the_fault_of_the_path() {
    let lab = up("via-bad-access");
    lab.step("break").unwrap();
    let places = Places::serve(&lab, 4, &[], Some(LAB));
    let (_, verdict, _) = diagnose(&lab, &places, &["--via", "h3.example", "--via", "h4.example"]);
    for found in faults(&verdict) {
        assert!(found["code"].as_str().unwrap().starts_with("LOSS"), "{found:#}");
        // From hop 2 to hop 3 it is, and never beside the third places.
        if found["location"]["kind"] == "link" {
            let (before, after) = stretch(found);
            assert!(before <= 2 && after >= 3, "{found:#}");
        }
    }
}

pub(crate) fn third_places_that_are_missing_or_refuse_are_told() {
    let lab = up("via-line");
    let places = Places::serve(&lab, 5, &[4], None);
    let (_, verdict, told) = diagnose(&lab, &places, &VIA);
    let gaps = verdict["rounds"][0]["not_tested"].to_string();
    assert!(told.contains("h4.example takes no part"), "{told}");
    assert!(gaps.contains("h4.example"), "{verdict:#}");
    assert!(gaps.contains("--allow-peers"), "{verdict:#}");
    // From here to the others needs nobody's leave, and so the fault is no wider than that leaves it.
    for found in faults(&verdict) {
        if found["location"]["kind"] == "link" {
            let (before, after) = stretch(found);
            assert!(before <= 3 && after >= 4, "{found:#}");
        }
    }
}

pub(crate) fn a_third_place_that_dies_leaves_the_rest() {
    let lab = up("via-line");
    let mut places = Places::serve(&lab, 5, &[], Some(LAB));
    let mut running = places
        .diagnose_from_here(&lab, "h2.example")
        .args(VIA)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    places.await_observations(&mut running, 7);
    places.end("h4.example");
    let output = running.wait_with_output().unwrap();
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    for found in faults(&verdict) {
        if found["location"]["kind"] == "link" {
            let (before, after) = stretch(found);
            assert!(before <= 3 && after >= 4, "{found:#}");
        }
    }
    assert!(matches!(output.status.code(), Some(1 | 3)), "{verdict:#}");
}

pub(crate) fn an_interrupted_diagnosis_with_third_places_leaves_its_case() {
    let lab = up("via-line");
    let places = Places::serve(&lab, 5, &[], Some(LAB));
    let mut running = places
        .diagnose_from_here(&lab, "h2.example")
        .args(VIA)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    places.await_observations(&mut running, 8);
    kill(Pid::from_raw(running.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    let began = Instant::now();
    let status = running.wait().unwrap();
    assert!(status.code().is_some(), "{status}");
    assert!(began.elapsed() < Duration::from_secs(60));
    let (case, complaints) = casefile::CaseDir::read(&places.case()).unwrap();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(case.observations().len() >= 8);
    assert!(places.case().join("verdict.json").exists());
}
