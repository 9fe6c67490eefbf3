//! Case directories as they are found in the wild: new, interrupted, mailed by a stranger, in use.

use super::*;
use evidence::{End, HostFacts, Node, Party, Payload, Provenance, Timestamp};
use tempfile::TempDir;

fn party(name: &str, address: &str) -> Party {
    Party {
        name: name.into(),
        address: address.parse().ok(),
    }
}

fn complaint() -> Complaint {
    Complaint {
        schema: evidence::CASE_SCHEMA_VERSION,
        from: party("a.example", "192.0.2.1"),
        to: party("b.example", "198.51.100.2"),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(1_624_000_000_000_000_000),
        utc_offset_s: None,
    }
}

fn observation(n: i64) -> Observation {
    let provenance = Provenance::measured(Node::named("a.example"), Timestamp(n), 1, "test");
    let facts = HostFacts {
        hostname: Some(format!("host {n}")),
        ..HostFacts::default()
    };
    Observation::new(provenance, Payload::HostFacts(facts))
}

fn entry(what: &str) -> JournalEntry {
    JournalEntry {
        at: Timestamp(5),
        who: "noc".into(),
        network: None,
        what: what.into(),
        before_round: Some(2),
    }
}

const NO_VERDICT: &str = "{\"schema\":1,\"rules\":\"1\",\"rounds\":[]}\n";

fn never() -> bool {
    false
}

/// A directory that does not exist yet, inside one that goes away with the test.
fn fresh() -> (TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("deep/x.case");
    (parent, path)
}

fn open(path: &Path) -> (CaseDir, Case, Vec<CaseComplaint>) {
    CaseDir::create_or_open(path, &complaint(), &mut never).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    let (_keep, path) = fresh();
    let (mut dir, case, complaints) = open(&path);
    assert!(case.observations().is_empty() && complaints.is_empty());
    dir.append(&observation(1)).unwrap();
    dir.append(&observation(2)).unwrap();
    dir.note(&entry("swapped the fibre")).unwrap();
    dir.write_derived(NO_VERDICT, "<!doctype html>").unwrap();
    drop(dir);

    let (_dir, case, complaints) = open(&path);
    assert_eq!(complaints, []);
    assert_eq!(case.complaint, complaint());
    assert_eq!(case.observations(), [observation(1), observation(2)]);
    assert_eq!(case.journal, [entry("swapped the fibre")]);
    assert_eq!(fs::read_to_string(path.join(REPORT)).unwrap(), "<!doctype html>");
    assert_eq!(fs::read_to_string(path.join(VERDICT)).unwrap(), NO_VERDICT);
    let mut names: Vec<_> = fs::read_dir(&path)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [CASE, JOURNAL, OBSERVATIONS, REPORT, VERDICT],
        "no temporary or lock file is left"
    );
}

#[test]
fn opening_again_rewrites_nothing() {
    let (_keep, path) = fresh();
    let (mut dir, ..) = open(&path);
    dir.append(&observation(1)).unwrap();
    drop(dir);
    let before = (
        fs::read(path.join(CASE)).unwrap(),
        fs::read(path.join(OBSERVATIONS)).unwrap(),
    );
    let later = Complaint {
        since: Some("Tuesday".into()),
        opened_at: Timestamp(0),
        utc_offset_s: None,
        ..complaint()
    };
    let (mut dir, case, _) = CaseDir::create_or_open(&path, &later, &mut never).unwrap();
    assert_eq!(case.complaint.since, None, "the first complaint stays");
    dir.append(&observation(2)).unwrap();
    assert_eq!(fs::read(path.join(CASE)).unwrap(), before.0);
    assert!(fs::read(path.join(OBSERVATIONS)).unwrap().starts_with(&before.1));
}

#[test]
fn an_interrupted_line_is_complained_about_and_the_next_one_is_whole() {
    let (_keep, path) = fresh();
    let (mut dir, ..) = open(&path);
    dir.append(&observation(1)).unwrap();
    dir.append(&observation(2)).unwrap();
    drop(dir);
    let whole = fs::read(path.join(OBSERVATIONS)).unwrap();
    fs::write(path.join(OBSERVATIONS), &whole[..whole.len() - 40]).unwrap();

    let (mut dir, case, complaints) = open(&path);
    assert_eq!(case.observations(), [observation(1)]);
    assert!(
        matches!(
            complaints.as_slice(),
            [CaseComplaint::Line {
                line: 2,
                file: OBSERVATIONS,
                ..
            }]
        ),
        "{complaints:?}"
    );
    dir.append(&observation(3)).unwrap();
    dir.append(&observation(4)).unwrap();
    drop(dir);
    let (case, complaints) = CaseDir::read(&path).unwrap();
    assert_eq!(
        case.observations(),
        [observation(1), observation(3), observation(4)]
    );
    assert_eq!(complaints.len(), 1);
}

#[test]
fn two_writers_do_not_meet() {
    let (_keep, path) = fresh();
    let (dir, ..) = open(&path);
    assert!(matches!(
        CaseDir::create_or_open(&path, &complaint(), &mut never),
        Err(CaseDirError::Busy(_))
    ));
    assert!(CaseDir::read(&path).is_ok(), "reading needs no lock");
    drop(dir);
    assert!(CaseDir::create_or_open(&path, &complaint(), &mut never).is_ok());
}

#[test]
fn a_writer_waits_as_long_as_it_is_told_to() {
    let (_keep, path) = fresh();
    let (mut dir, ..) = open(&path);
    dir.append(&observation(1)).unwrap();
    let (mut asked, mut first) = (0, Some(dir));
    let (_dir, case, _) = CaseDir::open(&path, &mut || {
        asked += 1;
        if asked == 3 {
            let mut dir = first.take().unwrap();
            dir.append(&observation(2)).unwrap();
        }
        true
    })
    .unwrap();
    assert_eq!(asked, 3);
    assert_eq!(
        case.observations().len(),
        2,
        "what was written meanwhile is there"
    );
}

#[test]
fn copies_that_were_killed_are_removed_by_the_next_writer_and_by_no_reader() {
    let (_keep, path) = fresh();
    let (dir, ..) = open(&path);
    drop(dir.raw_writer().unwrap());
    drop(dir);
    let raw = path.join("raw");
    fs::write(raw.join(".incoming-killed"), "half of").unwrap();
    // A stranger's case may hold anything under such a name.
    fs::create_dir(raw.join(".incoming-directory")).unwrap();
    std::os::unix::fs::symlink(path.join(CASE), raw.join(".incoming-link")).unwrap();
    CaseDir::read(&path).unwrap();
    assert!(raw.join(".incoming-killed").exists());

    let (dir, ..) = CaseDir::open(&path, &mut never).unwrap();
    assert!(!raw.join(".incoming-killed").exists());
    assert!(raw.join(".incoming-directory").exists() && raw.join(".incoming-link").is_symlink());
    let mut writer = dir.raw_writer().unwrap();
    writer.write(b"whole").unwrap();
    let other = CaseDir::open(&path, &mut never);
    assert!(
        matches!(other, Err(CaseDirError::Busy(_))),
        "who has no lock removes nothing"
    );
    writer.finish().keep().unwrap();
}

#[test]
fn another_question_is_another_case() {
    let (_keep, path) = fresh();
    drop(open(&path));
    let renumbered = Complaint {
        from: party("A.example", "192.0.2.77"),
        ..complaint()
    };
    assert!(
        CaseDir::create_or_open(&path, &renumbered, &mut never).is_ok(),
        "the same host with a new address"
    );
    let renamed = Complaint {
        to: party("198.51.100.2", "198.51.100.2"),
        ..complaint()
    };
    assert!(
        CaseDir::create_or_open(&path, &renamed, &mut never).is_ok(),
        "the same host by its address"
    );

    let reversed = Complaint {
        from: complaint().to,
        to: complaint().from,
        ..complaint()
    };
    let elsewhere = Complaint {
        to: party("c.example", "203.0.113.9"),
        ..complaint()
    };
    for other in [reversed, elsewhere] {
        let error = CaseDir::create_or_open(&path, &other, &mut never).unwrap_err();
        assert!(matches!(error, CaseDirError::OtherQuestion { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("is about a.example (192.0.2.1) -> b.example (198.51.100.2), not ")
        );
    }
}

#[test]
fn a_newer_case_is_refused_untouched() {
    let (_keep, path) = fresh();
    fs::create_dir_all(&path).unwrap();
    let newer = Complaint {
        schema: evidence::CASE_SCHEMA_VERSION + 1,
        ..complaint()
    };
    fs::write(path.join(CASE), complaint_to_json(&newer)).unwrap();
    let error = CaseDir::create_or_open(&path, &complaint(), &mut never).unwrap_err();
    assert!(error.to_string().contains("newer"), "{error}");
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
}

#[test]
fn a_case_is_not_put_among_other_files() {
    let parent = tempfile::tempdir().unwrap();
    fs::write(parent.path().join("thesis.tex"), "").unwrap();
    let error = CaseDir::create_or_open(parent.path(), &complaint(), &mut never).unwrap_err();
    assert!(matches!(error, CaseDirError::NotACase(_)), "{error}");
    assert!(matches!(
        CaseDir::read(parent.path()),
        Err(CaseDirError::NotACase(_))
    ));
    assert!(matches!(
        CaseDir::read(&parent.path().join("no")),
        Err(CaseDirError::NoSuchCase(_))
    ));
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
}

#[test]
fn a_creation_that_was_interrupted_is_taken_up() {
    let (_keep, path) = fresh();
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join(temporary_name(CASE)), "{\"sch").unwrap();
    let (_dir, case, complaints) = open(&path);
    assert_eq!((case.complaint, complaints), (complaint(), Vec::new()));
}

#[test]
fn links_out_of_a_case_are_not_followed() {
    let (keep, path) = fresh();
    drop(open(&path));
    let outside = keep.path().join("precious");
    fs::write(&outside, "precious").unwrap();
    std::os::unix::fs::symlink(&outside, path.join(REPORT)).unwrap();
    std::os::unix::fs::symlink(&outside, path.join(temporary_name(VERDICT))).unwrap();
    let (mut dir, ..) = open(&path);
    dir.write_derived(NO_VERDICT, "new").unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    assert_eq!(fs::read_to_string(path.join(REPORT)).unwrap(), "new");
    drop(dir);

    fs::remove_file(path.join(OBSERVATIONS)).unwrap();
    std::os::unix::fs::symlink(&outside, path.join(OBSERVATIONS)).unwrap();
    let error = CaseDir::create_or_open(&path, &complaint(), &mut never).unwrap_err();
    assert!(matches!(error, CaseDirError::NotAPlainFile(_)), "{error}");
}

#[test]
fn bytes_that_are_no_text_cost_their_line_only() {
    let (_keep, path) = fresh();
    let (mut dir, ..) = open(&path);
    dir.append(&observation(1)).unwrap();
    drop(dir);
    let mut bytes = fs::read(path.join(OBSERVATIONS)).unwrap();
    bytes.extend(b"\xff\xfe\x00garbage\n");
    fs::write(path.join(OBSERVATIONS), bytes).unwrap();
    let (case, complaints) = CaseDir::read(&path).unwrap();
    assert_eq!((case.observations().len(), complaints.len()), (1, 1));
}

#[test]
fn a_case_of_format_1_is_opened_added_to_and_keeps_what_it_has_as_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("old.case");
    let mut old = complaint();
    old.schema = 1;
    CaseDir::create(&path, &old, &mut never).unwrap();
    let facts = match observation(1).payload {
        Payload::HostFacts(facts) => facts,
        _ => unreachable!("the tests' observations are host facts"),
    };
    let measured = evidence::v1::Provenance::measured(End::From, Timestamp(1), 1, "slowpath 0.1.0");
    let line = to_json_line(&evidence::v1::Observation::new(
        measured,
        evidence::v1::Payload::HostFacts(facts.clone()),
    ));
    std::fs::write(path.join(OBSERVATIONS), &line).unwrap();
    let header = || std::fs::read_to_string(path.join(CASE)).unwrap();

    // Reading changes nothing.
    let before = header();
    let (case, complaints) = CaseDir::read(&path).unwrap();
    assert_eq!((complaints, header()), (vec![], before));
    let [read] = case.observations() else {
        panic!("{:?}", case.observations())
    };
    assert_eq!(read.payload, Payload::HostFacts(facts));
    assert_eq!(read.provenance.vantage, old.node(End::From));
    assert!(line.contains(&read.id.0), "it keeps its name");

    let (mut dir, _, _) = CaseDir::open(&path, &mut never).unwrap();
    dir.append(&observation(2)).unwrap();
    drop(dir);
    assert!(header().contains(&format!("\"schema\": {CASE_SCHEMA_VERSION}")));
    let written = std::fs::read_to_string(path.join(OBSERVATIONS)).unwrap();
    assert!(written.starts_with(&line), "the old line is there as it was");
    let (case, complaints) = CaseDir::read(&path).unwrap();
    assert_eq!((case.observations().len(), complaints), (2, vec![]));
}
