//! What a mesh says of networks of which the truth is known.

use crate::far_ends::{Places, up};
use lab::Lab;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// All links' addresses in the lab.
const LAB: &str = "198.18.0.0/15";

/// Exit code and document. Where the machine was too busy to emulate links nothing was tested: then it is made again.
fn mesh(lab: &Lab, places: &Places) -> (Option<i32>, Value, f64) {
    let began = Instant::now();
    let output = places.mesh(lab, &["--json"]).output().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{told}"));
    (output.status.code(), document, seconds)
}

fn pairs(document: &Value) -> &Vec<Value> {
    document["pairs"].as_array().unwrap()
}

fn findings(document: &Value) -> &Vec<Value> {
    document["verdict"]["findings"].as_array().unwrap()
}

pub(crate) fn a_lossy_link_is_named_from_gentle_tests_alone() {
    let lab = up("mesh-lossy-link");
    let places = Places::serve(&lab, 12, &[], Some(LAB));
    let (code, document, seconds) = mesh(&lab, &places);
    println!("{:.1} s; {}", seconds, document["verdict"]["summary"]);
    assert_eq!(pairs(&document).len(), 132);
    for pair in pairs(&document) {
        assert!(pair["sent"].as_u64().unwrap() > 500, "{pair}");
        assert!(pair["rtt_min_ms"].is_f64(), "{pair}");
        // 36 pairs at most cross one link of the 100 Mbit/s that the file does not tell.
        assert!(36.0 * pair["probed_bps"].as_f64().unwrap() <= 1e6, "{pair}");
    }
    assert_eq!(code, Some(1), "{:#}", document["verdict"]);
    let [found] = findings(&document).as_slice() else {
        panic!("{:#}", document["verdict"]);
    };
    assert_eq!(found["code"], "LOSS-001");
    assert_eq!(found["location"]["before"]["name"], "s5.example", "{found:#}");
    assert_eq!(found["location"]["after"]["name"], "c3.example", "{found:#}");
    assert!(found["confidence"].as_f64().unwrap() >= 0.8);
    let html = std::fs::read_to_string(places.case().join("report.html")).unwrap();
    assert!(html.contains("Between all places"));
}

pub(crate) fn between_sound_links_nothing_is_named() {
    let lab = up("mesh-healthy");
    let places = Places::serve(&lab, 12, &[], Some(LAB));
    let (code, document, _) = mesh(&lab, &places);
    assert_eq!(findings(&document).len(), 0, "{:#}", document["verdict"]);
    if lab.validity().is_valid() {
        assert_eq!(code, Some(0), "{:#}", document["verdict"]);
    }
}

pub(crate) fn a_place_that_does_not_answer_is_told_and_not_zero() {
    let lab = up("mesh-healthy");
    let places = Places::serve(&lab, 4, &[3], Some(LAB));
    let (code, document, _) = mesh(&lab, &places);
    assert_eq!(code, Some(3), "{:#}", document["verdict"]);
    assert_eq!(findings(&document).len(), 0);
    for pair in pairs(&document) {
        let is_absent = pair["from"] == "h3" || pair["to"] == "h3";
        assert_eq!(pair["sent"].is_null(), is_absent, "{pair}");
        let why = pair["not_measured"].as_array().unwrap();
        assert_eq!(why.len(), usize::from(is_absent), "{pair}");
        assert!(
            why.iter().all(|why| why.as_str().unwrap().contains("no far end")),
            "{pair}"
        );
    }
    assert_eq!(document["verdict"]["not_tested"].as_array().unwrap().len(), 6);
}

pub(crate) fn who_does_not_allow_it_is_not_probed() {
    let lab = up("mesh-healthy");
    let places = Places::serve(&lab, 3, &[], None);
    let (code, document, _) = mesh(&lab, &places);
    assert_eq!(code, Some(3), "{:#}", document["verdict"]);
    for pair in pairs(&document) {
        let with_us = pair["from"] == "h1" || pair["to"] == "h1";
        assert_eq!(pair["sent"].is_u64(), with_us, "{pair}");
        let why = pair["not_measured"].to_string();
        assert_eq!(why.contains("--allow-peers"), !with_us, "{pair}");
    }
}

pub(crate) fn an_interrupted_mesh_leaves_its_case() {
    let lab = up("mesh-healthy");
    let places = Places::serve(&lab, 3, &[], Some(LAB));
    let mut running = places
        .mesh(&lab, &["--json", "--seconds", "600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let observations = places.case().join("observations.jsonl");
    let began = Instant::now();
    let traced = || std::fs::read_to_string(&observations).map_or(0, |text| text.lines().count());
    while traced() < 6 {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing was traced");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(2));
    kill(Pid::from_raw(running.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    let status = running.wait().unwrap();
    assert!(status.code().is_some(), "{status}");
    let (case, complaints) = casefile::CaseDir::read(&places.case()).unwrap();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(case.observations().len() > 6);
    assert!(places.case().join("verdict.json").exists());
}
