//! A case in one file: packed the same each time, unpacked without trust, and redacted without a name left in it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Desk, HISTORY, TRACE_FROM_A};
use serde_json::Value;
use std::io::{Read, Write};
use tar::EntryType;

/// A key, so that the pseudonyms of a test are the same in each run.
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";

fn packed(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        // By hand: the library itself refuses to write such names.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        if *kind != EntryType::Regular {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        archive.append(&header, *content).unwrap();
    }
    gzip(&archive.into_inner().unwrap())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(bytes)
        .read_to_end(&mut text)
        .unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

fn filled(desk: &Desk) {
    desk.new_case("x.case");
    desk.write("history.txt", HISTORY);
    desk.write("trace.txt", TRACE_FROM_A);
    let add = ["case", "add", "x.case", "history.txt", "trace.txt"];
    desk.run(&[&add[..], &["--from", "a.example", "--to", "b.example"]].concat())
        .exits(0);
    let note = [
        "case",
        "note",
        "x.case",
        "swapped the fibre",
        "--at",
        "2003-10-02",
        "--who",
        "noc",
    ];
    desk.run(&note).exits(0);
}

#[test]
fn a_case_comes_back_as_it_was() {
    let desk = Desk::new();
    filled(&desk);
    desk.run(&["case", "export", "x.case"])
        .exits(0)
        .out("x.case.tar.gz");
    desk.run(&["case", "export", "x.case", "-o", "again.tar.gz"])
        .exits(0);
    assert_eq!(
        desk.bytes("x.case.tar.gz"),
        desk.bytes("again.tar.gz"),
        "the same bytes each time"
    );
    desk.run(&["case", "export", "x.case"])
        .exits(2)
        .err("is there already");

    desk.run(&["case", "import", "x.case.tar.gz"])
        .exits(2)
        .err("x.case: is there already");
    desk.run(&["case", "import", "x.case.tar.gz", "y.case"])
        .exits(0)
        .out("y.case");
    for name in ["case.json", "observations.jsonl", "journal.jsonl"] {
        assert_eq!(
            desk.read(&format!("y.case/{name}")),
            desk.read(&format!("x.case/{name}"))
        );
    }
    assert_eq!(desk.names("y.case/raw"), desk.names("x.case/raw"));
    let show = |case: &str| {
        desk.run(&["case", "show", "--records", case])
            .exits(0)
            .stdout
            .clone()
    };
    assert_eq!(show("x.case"), show("y.case"));
    assert!(desk.exists("y.case/report.html"));
    desk.run(&["case", "merge", "x.case", "y.case"])
        .exits(0)
        .out("added 0 observations");
    assert_eq!(
        desk.hidden_names("."),
        Vec::<String>::new(),
        "nothing is left of the work"
    );
}

#[test]
fn the_name_in_the_archive_is_taken_when_it_is_harmless() {
    let desk = Desk::new();
    let header = r#"{"schema": 1, "from": {"name": "a", "address": null}, "to": {"name": "b", "address": null},
        "local_end": "from", "expected_bps": null, "since": null, "said_by": null, "opened_at": 0}"#;
    for (name, taken) in [
        ("n.case/case.json", Some("n.case")),
        ("./m.case/case.json", Some("m.case")),
        (".ssh/case.json", None),
        ("case.json", None),
    ] {
        desk.write_bytes(
            "a.tar.gz",
            &packed(&[(name, EntryType::Regular, header.as_bytes())]),
        );
        let run = desk.run(&["case", "import", "a.tar.gz"]);
        match taken {
            Some(dir) => assert!(desk.exists(&format!("{dir}/case.json")), "{}", run.stderr),
            None => {
                run.exits(2).err("name a directory");
                desk.run(&["case", "import", "a.tar.gz", "named.case"]).exits(0);
                std::fs::remove_dir_all(desk.path("named.case")).unwrap();
            }
        }
    }
    assert!(!desk.exists(".ssh"));
}

#[test]
fn hostile_archives_are_refused_whole() {
    let desk = Desk::new();
    filled(&desk);
    let header = desk.bytes("x.case/case.json");
    let good = ("e.case/case.json", EntryType::Regular, header.as_slice());
    let file = EntryType::Regular;
    let zeros = vec![0; 64 << 20];
    let bomb = packed(&[good, ("e.case/observations.jsonl", file, &zeros)]);
    let mut cut = packed(&[good]);
    cut.truncate(cut.len() / 2);
    let archives: Vec<(Vec<u8>, &str)> = vec![
        (
            packed(&[good, ("e.case/../../x", file, b"owned")]),
            "leads out of the case",
        ),
        (packed(&[good, ("../x", file, b"owned")]), "leads out of the case"),
        (
            packed(&[good, ("/tmp/slowpath-owned", file, b"owned")]),
            "leads out of the case",
        ),
        (
            packed(&[good, ("e.case/journal.jsonl", EntryType::Symlink, b"")]),
            "is a link or a device",
        ),
        (
            packed(&[good, ("e.case/raw", EntryType::Symlink, b"")]),
            "is a link or a device",
        ),
        (
            packed(&[good, ("e.case/journal.jsonl", EntryType::Link, b"")]),
            "is a link or a device",
        ),
        (
            packed(&[good, ("e.case/x", EntryType::Char, b"")]),
            "is a link or a device",
        ),
        (packed(&[good, good]), "twice"),
        (
            packed(&[good, ("f.case/journal.jsonl", file, b"")]),
            "more than one directory",
        ),
        (packed(&[("e.case/journal.jsonl", file, b"")]), "holds no case"),
        (
            packed(&[("e.case/case.json", file, b"{\"schema\": 999}")]),
            "newer",
        ),
        (packed(&[("e.case/case.json", file, b"not JSON")]), "case.json"),
        (bomb, "times its size"),
        (cut, "a.tar.gz"),
        (b"no archive at all".to_vec(), "a.tar.gz"),
    ];
    let before = desk.tree(".");
    for (archive, named) in archives {
        desk.write_bytes("a.tar.gz", &archive);
        desk.run(&["case", "import", "a.tar.gz"]).exits(2).err(named);
        desk.remove("a.tar.gz");
        assert_eq!(desk.tree("."), before, "{named}");
        assert_eq!(desk.hidden_names("."), Vec::<String>::new(), "{named}");
    }
    desk.run(&["case", "import", "absent.tar.gz"])
        .exits(2)
        .err("absent.tar.gz");
}

#[test]
fn what_is_no_part_of_a_case_is_left_out_and_damage_is_named() {
    let desk = Desk::new();
    filled(&desk);
    let header = desk.bytes("x.case/case.json");
    let file = EntryType::Regular;
    let raw = format!("e.case/raw/{}", "0".repeat(64));
    let archive = packed(&[
        ("e.case/case.json", file, &header),
        ("e.case/setup.sh", file, b"rm -rf /"),
        ("e.case/raw/notes.txt", file, b"x"),
        (&raw, file, b"altered"),
        ("e.case/report.html", file, b"<script>steal()</script>"),
        ("e.case/observations.jsonl", file, b"{\"half\": "),
    ]);
    desk.write_bytes("a.tar.gz", &archive);
    desk.run(&["case", "import", "a.tar.gz"])
        .exits(0)
        .err("e.case/setup.sh: no part of a case; left out")
        .err("e.case/raw/notes.txt: no part of a case")
        .err("content does not match its name")
        .err("observations.jsonl, line 1");
    assert!(!desk.exists("e.case/setup.sh"));
    assert_eq!(desk.names("e.case/raw"), ["0".repeat(64)]);
    assert!(
        !desk.read("e.case/report.html").contains("steal"),
        "made here, not taken"
    );
}

#[test]
fn an_archive_made_by_hand_is_read_too() {
    let desk = Desk::new();
    filled(&desk);
    // So long that tar needs an entry of its own for each name of a raw record.
    let name = format!("{}.case", "long-".repeat(20));
    std::fs::rename(desk.path("x.case"), desk.path(&name)).unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    archive.append_dir_all(&name, desk.path(&name)).unwrap();
    desk.write_bytes("a.tar.gz", &gzip(&archive.into_inner().unwrap()));
    desk.run(&["case", "import", "a.tar.gz", "y.case"]).exits(0);
    assert_eq!(desk.names("y.case/raw"), desk.names(&format!("{name}/raw")));
    assert_eq!(desk.names("y.case/raw").len(), 2);
}

/// Names and addresses of a real incident, in every place that a case has for them.
fn telling(desk: &Desk) -> Vec<&'static str> {
    let trace = "\
traceroute to perfsonar-10.cv.nrao.edu (192.33.115.10), 30 hops max, 60 byte packets
 1  newycr5-cr5.es.net (134.55.38.37)  0.310 ms  0.305 ms  0.301 ms
 2  * * *
 3  192.122.175.14 (192.122.175.14)  4.120 ms  4.118 ms  4.101 ms
 4  br01-udc-et-1-0-0-20.net.virginia.edu (192.35.48.33)  9.912 ms  9.902 ms  9.899 ms
";
    let ends = [
        "--from",
        "lindy.stanford.edu=171.64.1.213",
        "--to",
        "perfsonar-10.cv.nrao.edu=192.33.115.10",
    ];
    let said = [
        "--said-by",
        "Les Cottrell",
        "--since",
        "since lindy moved to 171.64.1.214",
        "--opened",
        "2021-06-01",
    ];
    desk.run(&[&["case", "new", "lindy.case"][..], &ends, &said].concat())
        .exits(0);
    desk.write("trace.txt", trace);
    desk.write("history.txt", HISTORY);
    let add = [
        "case",
        "add",
        "lindy.case",
        "trace.txt",
        "history.txt",
        "--from",
        "lindy.stanford.edu",
    ];
    desk.run(&add).exits(0);
    let text = "Cottrell mailed noc-staff@geant.net: Lindy.Stanford.EDU -> [2001:db8:7::14]:443 and 192.35.48.33:5201 \
                of the Stanford side; CENIC-Stanford; 10.1.2.0/24; perfsonar-10.cv.nrao.edu. works";
    let note = [
        "case",
        "note",
        "lindy.case",
        text,
        "--at",
        "2021-06-02",
        "--who",
        "Les Cottrell",
        "--network",
        "CENIC",
    ];
    desk.run(&[&note[..], &["--intervention"]].concat()).exits(0);
    let transfer = "lindy.stanford.edu";
    for (round, rate) in [(1, 17e6), (2, 1.9e9)] {
        let record = evidence::Transfer {
            from: evidence::Node::named(transfer),
            to: evidence::Node::read("192.33.115.10"),
            received_bps: Some(evidence::RateBps(rate)),
            ..Default::default()
        };
        let at = evidence::Timestamp(1_622_500_000_000_000_000 + i64::from(round));
        let provenance =
            evidence::Provenance::measured(evidence::Node::named(transfer), at, round, "iperf3 3.12");
        let payload = record.into();
        let line = evidence::to_json_line(&evidence::Observation::new(provenance, payload));
        desk.append("lindy.case/observations.jsonl", &line);
    }
    vec![
        "lindy",
        "stanford",
        "nrao",
        "virginia",
        "perfsonar",
        "newycr5",
        "es.net",
        "cottrell",
        "noc-staff",
        "geant",
        "cenic",
        "br01",
        "171.64.1.213",
        "171.64.1.214",
        "192.33.115.10",
        "134.55.38.37",
        "192.122.175.14",
        "192.35.48.33",
        "2001:db8:7::14",
        "10.1.2.0",
        "134.79.243.1",
        "134.79.135.15",
        "137.164.22.84",
    ]
}

#[test]
fn nothing_that_tells_is_left_in_a_redacted_case() {
    let desk = Desk::new();
    let telling = telling(&desk);
    desk.write("key", KEY);
    let export = [
        "case",
        "export",
        "lindy.case",
        "--redact",
        "addresses,names",
        "--key-file",
        "key",
    ];
    desk.run(&export)
        .exits(0)
        .out("redacted.case.tar.gz")
        .err("raw records are left out");
    let text = unpacked(&desk.bytes("redacted.case.tar.gz")).to_lowercase();
    for name in telling {
        assert!(!text.contains(name), "{name} is left");
    }
    assert!(text.contains("exported with pseudonyms"), "the reader is told");
    assert!(!text.contains("raw/"), "no raw records");
    assert!(
        text.contains("iperf3 3.12") && text.contains("mailed"),
        "the rest stays"
    );

    desk.run(&["case", "import", "redacted.case.tar.gz"]).exits(0);
    let show = desk.run(&["case", "show", "--records", "redacted.case"]);
    show.exits(0).not_err("redacted.case:");
    assert_eq!(
        shape(&desk, "lindy.case"),
        shape(&desk, "redacted.case"),
        "the verdict is the same"
    );
    assert_eq!(
        desk.observations("redacted.case").len(),
        desk.observations("lindy.case").len()
    );
}

/// What a verdict says, without names and addresses.
fn shape(desk: &Desk, case: &str) -> Vec<Value> {
    let shown = desk.run(&["case", "show", case, "--json"]);
    let verdicts: Value = serde_json::from_str(&shown.exits(0).stdout).unwrap();
    let pick = |list: &Value, fields: &[&str]| -> Vec<Vec<Value>> {
        let of = |item: &Value| {
            fields
                .iter()
                .map(|field| item.pointer(field).cloned().unwrap_or_default())
                .collect()
        };
        list.as_array().unwrap().iter().map(of).collect()
    };
    let ttls = [
        "/location/before/ttl",
        "/location/after/ttl",
        "/location/hop/ttl",
        "/location/kind",
    ];
    let finding = [
        &["/code", "/confidence", "/explains", "/direction", "/allows_bps"][..],
        &ttls,
    ]
    .concat();
    let rounds = verdicts["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 2);
    rounds
        .iter()
        .map(|round| {
            serde_json::json!([
                round["state"],
                round["measured_bps"],
                pick(&round["findings"], &finding),
                pick(&round["red_herrings"], &[&["/code"][..], &ttls].concat()),
                pick(&round["excluded"], &["/code"]),
            ])
        })
        .collect()
}

#[test]
fn one_kind_can_be_redacted_alone() {
    let desk = Desk::new();
    telling(&desk);
    desk.write("key", KEY);
    let export = |what: &str, file: &str| {
        let args = [
            "case",
            "export",
            "lindy.case",
            "--key-file",
            "key",
            "--redact",
            what,
            "-o",
            file,
        ];
        desk.run(&args).exits(0);
        unpacked(&desk.bytes(file))
    };
    let no_addresses = export("addresses", "a.tar.gz");
    assert!(no_addresses.contains("lindy.stanford.edu") && !no_addresses.contains("192.35.48.33"));
    let no_names = export("names", "n.tar.gz");
    assert!(!no_names.contains("stanford") && no_names.contains("192.35.48.33"));
}

#[test]
fn pseudonyms_follow_the_key() {
    let desk = Desk::new();
    telling(&desk);
    let export = |file: &str, key: &[&str]| {
        let args = [
            "case",
            "export",
            "lindy.case",
            "--redact",
            "addresses,names",
            "-o",
            file,
        ];
        desk.run(&[&args[..], key].concat()).exits(0);
        unpacked(&desk.bytes(file))
    };
    let first = export("1.tar.gz", &["--key-file", "made"]);
    assert_eq!(
        first,
        export("2.tar.gz", &["--key-file", "made"]),
        "the key was kept"
    );
    assert_ne!(first, export("3.tar.gz", &[]), "another key each time");
    desk.write("short", "abcdef\n");
    desk.run(&[
        "case",
        "export",
        "lindy.case",
        "--redact",
        "names",
        "--key-file",
        "short",
    ])
    .exits(2)
    .err("64 hexadecimal digits");
    desk.run(&["case", "export", "lindy.case", "--redact", "everything"])
        .exits(2);
    desk.run(&["case", "export", "lindy.case", "--key-file", "made"])
        .exits(2)
        .err("--redact");
}
