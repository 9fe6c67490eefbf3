//! A case as other programs use it: joined with its copies, put under pseudonyms, mailed and unpacked.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use casefile::{
    Archive, CaseDir, CaseDirError, Key, MergeError, MergeRemark, REDACTED, Refusal, What, check_raw, merge,
    redact, unpack,
};
use evidence::{
    CASE_SCHEMA_VERSION, Case, Complaint, End, HostFacts, JournalEntry, Node, Observation, Party, Payload,
    Provenance, RateBps, Timestamp,
};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn never() -> bool {
    false
}

fn complaint(to: &str) -> Complaint {
    let party = |name: &str, address: &str| Party {
        name: name.to_owned(),
        address: address.parse().ok(),
    };
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party("a.example", "192.0.2.7"),
        to: party(to, "198.51.100.2"),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(1_624_000_000_000_000_000),
        utc_offset_s: None,
    }
}

fn observation(second: i64, raw_sha256: Option<&str>) -> Observation {
    let facts: HostFacts = serde_json::from_value(serde_json::json!({
        "hostname": "a.example", "kernel": null, "sysctls": {}, "congestion_control": null,
        "available_congestion_controls": [], "interface": null, "counters": {}, "cpu": null,
    }))
    .unwrap();
    let mut provenance = Provenance::measured(
        Node::named("a.example"),
        Timestamp(second * 1_000_000_000),
        1,
        "test",
    );
    provenance.raw_sha256 = raw_sha256.map(str::to_owned);
    Observation::new(provenance, Payload::HostFacts(facts))
}

fn entry(what: &str) -> JournalEntry {
    JournalEntry {
        at: Timestamp(5),
        who: "noc".into(),
        network: None,
        what: what.into(),
        before_round: None,
    }
}

/// A case with an observation for every second, each from a raw record of its own.
fn made(parent: &TempDir, name: &str, complaint: &Complaint, seconds: &[i64]) -> PathBuf {
    let path = parent.path().join(name);
    CaseDir::create(&path, complaint, &mut never).unwrap();
    let (mut dir, ..) = CaseDir::open(&path, &mut never).unwrap();
    for second in seconds {
        let mut raw = dir.raw_writer().unwrap();
        raw.write(format!("{second}\n").as_bytes()).unwrap();
        let raw = raw.finish();
        let name = raw.sha256.clone();
        raw.keep().unwrap();
        dir.append(&observation(*second, Some(&name))).unwrap();
    }
    path
}

fn files(case: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(case).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Merges and returns what was added (observations, journal entries, raw records), the case and the remarks.
fn merged(into: &Path, others: &[PathBuf]) -> ((usize, usize, usize), Case, Vec<String>) {
    let (mut dir, case, _) = CaseDir::open(into, &mut never).unwrap();
    let mut remarks = Vec::new();
    let mut remark = |_: &Path, said: &MergeRemark| remarks.push(said.to_string());
    let (merged, case) = merge(&mut dir, &case, others, &mut remark).unwrap();
    let added = (
        merged.observations_added,
        merged.journal_entries_added,
        merged.raw_records_added,
    );
    (added, case, remarks)
}

#[test]
fn a_merge_adds_what_is_missing_and_once() {
    let parent = tempfile::tempdir().unwrap();
    let ours = made(&parent, "ours.case", &complaint("b.example"), &[1, 2]);
    let theirs = made(&parent, "theirs.case", &complaint("b.example"), &[2, 3]);
    let (mut dir, ..) = CaseDir::open(&theirs, &mut never).unwrap();
    dir.note(&entry("swapped the fibre")).unwrap();
    drop(dir);
    let untouched = files(&theirs);

    let others = [theirs.clone(), theirs.clone()];
    let (added, case, remarks) = merged(&ours, &others);
    assert_eq!((added, remarks), ((1, 1, 1), Vec::new()));
    assert_eq!((case.observations().len(), case.journal.len()), (3, 1));
    assert_eq!(check_raw(&ours, case.observations(), &mut |_| ()), []);
    let (added, ..) = merged(&ours, &others);
    assert_eq!(added, (0, 0, 0), "what is there is not added again");
    assert_eq!(files(&theirs), untouched);
}

#[test]
fn what_a_copy_says_otherwise_is_remarked() {
    let parent = tempfile::tempdir().unwrap();
    let expecting = |bps: f64| Complaint {
        expected_bps: Some(RateBps(bps)),
        ..complaint("b.example")
    };
    let ours = made(&parent, "ours.case", &expecting(1e9), &[]);
    let theirs = made(&parent, "theirs.case", &expecting(2e9), &[1]);
    let raw = fs::read_dir(theirs.join("raw")).unwrap().next().unwrap().unwrap();
    fs::remove_file(raw.path()).unwrap();
    fs::write(raw.path(), "altered").unwrap();

    let (added, case, remarks) = merged(&ours, &[theirs]);
    assert_eq!(added, (1, 0, 0));
    assert_eq!(case.complaint.expected_bps, Some(RateBps(1e9)));
    assert!(remarks[0].contains("expects"), "{remarks:?}");
    assert!(
        remarks[1].contains("does not match its name; not copied"),
        "{remarks:?}"
    );
}

#[test]
fn another_question_is_not_merged_and_nothing_is_written() {
    let parent = tempfile::tempdir().unwrap();
    let ours = made(&parent, "ours.case", &complaint("b.example"), &[1]);
    let same = made(&parent, "same.case", &complaint("b.example"), &[2]);
    let mut elsewhere = complaint("c.example");
    elsewhere.to.address = None;
    let other = made(&parent, "other.case", &elsewhere, &[3]);
    let (mut dir, case, _) = CaseDir::open(&ours, &mut never).unwrap();
    let before = files(&ours);
    let error = merge(&mut dir, &case, &[same, other], &mut |_, _| ()).unwrap_err();
    assert!(matches!(error, MergeError::DifferentQuestions { .. }), "{error}");
    let error = merge(&mut dir, &case, &[parent.path().join("no")], &mut |_, _| ()).unwrap_err();
    assert!(
        matches!(error, MergeError::Unusable(CaseDirError::NoSuchCase(_))),
        "{error}"
    );
    assert_eq!(files(&ours), before);
}

#[test]
fn a_mailed_case_arrives_as_it_was() {
    let parent = tempfile::tempdir().unwrap();
    let case = made(&parent, "x.case", &complaint("b.example"), &[1, 2]);
    let mut archive = Archive::of_directory(&case).unwrap();
    archive.put_derived("{}\n".to_owned(), "<!doctype html>".to_owned());
    let mailed = [parent.path().join("1.tar.gz"), parent.path().join("2.tar.gz")];
    for file in &mailed {
        archive.write(file, &mut |_| ()).unwrap();
    }
    assert_eq!(fs::read(&mailed[0]).unwrap(), fs::read(&mailed[1]).unwrap());
    assert!(
        archive.write(&mailed[0], &mut |_| ()).is_err(),
        "nothing is overwritten"
    );

    let there = tempfile::tempdir().unwrap();
    let unpacked = unpack(&mailed[0], there.path(), &mut |_| ()).unwrap();
    assert_eq!(unpacked.proposed_name(), Some("x.case"));
    let target = there.path().join("x.case");
    let settled = unpacked.settle(&target).unwrap();
    assert!(settled.had_derived && settled.complaints.is_empty() && settled.left_out.is_empty());
    let contents = |case: &Path| -> Vec<_> { files(case).into_iter().map(|(_, bytes)| bytes).collect() };
    assert_eq!(
        contents(&target),
        contents(&case),
        "what is derived was not unpacked"
    );
    assert_eq!(fs::read_dir(there.path()).unwrap().count(), 1);
}

#[test]
fn a_redacted_case_holds_no_name_and_no_raw_record() {
    let parent = tempfile::tempdir().unwrap();
    let path = made(&parent, "x.case", &complaint("b.example"), &[1]);
    let (case, _) = CaseDir::read(&path).unwrap();
    let key = Key::random().unwrap();
    let hidden = redact(&case, &[What::Addresses, What::Names], &key).unwrap();
    let file = parent.path().join("out.tar.gz");
    Archive::of_case(REDACTED, &hidden)
        .write(&file, &mut |_| ())
        .unwrap();
    let target = parent.path().join("there.case");
    unpack(&file, parent.path(), &mut |_| ())
        .unwrap()
        .settle(&target)
        .unwrap();
    for (path, bytes) in files(&target) {
        let text = String::from_utf8(bytes).unwrap();
        for name in ["a.example", "b.example", "192.0.2.7", "198.51.100.2"] {
            assert!(!text.contains(name), "{}: {text}", path.display());
        }
    }
    assert!(!target.join("raw").exists());
    assert_eq!(
        redact(&case, &[What::Names], &key)
            .unwrap()
            .complaint
            .from
            .address,
        case.complaint.from.address
    );
}

#[test]
fn what_is_no_archive_of_a_case_leaves_nothing_behind() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("x.tar.gz");
    fs::write(&file, "no archive at all").unwrap();
    let error = unpack(&file, parent.path(), &mut |_| ()).unwrap_err();
    assert!(matches!(error.reason, Refusal::Io(_)), "{error}");

    let broken = parent.path().join("broken.case");
    CaseDir::create(&broken, &complaint("b.example"), &mut never).unwrap();
    fs::write(broken.join("case.json"), "{").unwrap();
    let file = parent.path().join("broken.tar.gz");
    Archive::of_directory(&broken)
        .unwrap()
        .write(&file, &mut |_| ())
        .unwrap();
    let target = parent.path().join("there.case");
    let unpacked = unpack(&file, parent.path(), &mut |_| ()).unwrap();
    let error = unpacked.settle(&target).unwrap_err().to_string();
    assert!(
        error.starts_with(&target.display().to_string()),
        "said of the place that the user knows: {error}"
    );
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3);
}
