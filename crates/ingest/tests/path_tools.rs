//! Records of path tools: what the fixtures, all of them printed by the tools themselves, must give, and that nothing
//! else does harm.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{Node, Payload, ProbeRow, Trace};
use ingest::{Context, Event, ImportComplaint, Importer, Record, import};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/path");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn read(name: &str) -> (Vec<Record>, Vec<ImportComplaint>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/path");
    import(&fs::read(folder.join(name)).unwrap(), &Context::default())
}

fn as_json(records: &[Record], complaints: &[ImportComplaint]) -> String {
    let records: Vec<serde_json::Value> = records
        .iter()
        .map(|record| {
            serde_json::json!({
                "tool": record.tool,
                "lines": record.lines,
                "at": record.at,
                "payload": record.payload,
            })
        })
        .collect();
    let complaints: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    serde_json::to_string_pretty(&serde_json::json!({ "records": records, "complaints": complaints }))
        .unwrap()
}

#[test]
fn every_fixture_gives_its_records() {
    let files = fixtures();
    assert!(files.len() >= 40, "{} fixtures", files.len());
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let (records, complaints) = read(name);
        assert!(!records.is_empty(), "{name}");
        insta::assert_snapshot!(name.replace('.', "-"), as_json(&records, &complaints));
    }
}

fn trace(record: &Record) -> &Trace {
    match &record.payload {
        Payload::Trace(trace) => trace,
        other => panic!("{other:?}"),
    }
}

fn row(record: &Record) -> &ProbeRow {
    match &record.payload {
        Payload::Probes(pings) => pings.rows.first().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Who is seen at a TTL.
fn at(trace: &Trace, ttl: u8) -> Vec<String> {
    let hop = trace.hops().find(|hop| hop.ttl == ttl);
    hop.into_iter()
        .flat_map(|hop| &hop.answers)
        .map(|answer| answer.node.to_string())
        .collect()
}

#[test]
fn packets_of_1509_bytes_end_before_the_hop_that_1508_pass() {
    let small = read("tracepath-esnet-nrao-1508.txt").0;
    let large = read("tracepath-esnet-nrao-1509.txt").0;
    let (small, large) = (trace(&small[0]), trace(&large[0]));
    assert_eq!((small.size_bytes, large.size_bytes), (Some(1508), Some(1509)));
    assert_eq!(at(small, 9)[0], "br01-udc-et-1-0-0-20.net.virginia.edu");
    assert_eq!(at(large, 8), ["192.122.175.14"]);
    assert_eq!(at(large, 9), Vec::<String>::new());
    assert_eq!((small.path_mtu_bytes, large.path_mtu_bytes), (Some(1500), None));
    assert_eq!(large.reached, Some(false));
}

#[test]
fn a_packet_that_may_be_fragmented_passes_where_the_other_is_refused() {
    let (records, complaints) = read("ping-nrao.txt");
    assert_eq!(complaints, []);
    let (refused, passed) = (row(&records[0]), row(&records[1]));
    assert_eq!(
        (refused.dont_fragment, passed.dont_fragment),
        (Some(true), Some(false))
    );
    assert_eq!((refused.size_bytes, passed.size_bytes), (Some(9000), Some(9000)));
    assert_eq!((refused.received, passed.received), (Some(0), Some(4)));
    let router = refused.errors.iter().find(|error| error.from.is_some()).unwrap();
    assert_eq!((router.mtu_bytes, router.count), (Some(1500), 1));
    assert_eq!(refused.delay, None);
}

#[test]
fn what_a_document_lost_stays_unknown() {
    for name in [
        "traceroute-slac-stanford.txt",
        "traceroute-pingroute-stanford.txt",
        "ping-solaris-fragments.txt",
    ] {
        for record in read(name).0 {
            let written = serde_json::to_string(&record.payload).unwrap();
            assert!(!written.contains("\"address\""), "{name}: {written}");
            assert!(!written.contains("\"name\":\"w.x.y.z\""), "{name}: {written}");
        }
    }
    let slac = read("traceroute-slac-stanford.txt").0;
    let answer = &trace(&slac[0]).flows[0].hops[2].answers[0];
    assert_eq!(answer.node.name.as_deref(), Some("RTR-DMZ.SLAC.Stanford.EDU"));
    assert_eq!((answer.asn, answer.reply_ttl), (Some(3671), Some(253)));
}

#[test]
fn a_column_that_goes_on_behind_a_page_break_is_one_trace() {
    let (records, complaints) = read("table-esnet-dfn.md");
    assert_eq!(complaints, []);
    let hops: Vec<(String, usize)> = records
        .iter()
        .map(|record| (trace(record).from.to_string(), trace(record).hops().count()))
        .collect();
    let expected = [("SWITCH", 6), ("ESnet", 8), ("ESnet", 10)].map(|(from, n)| (from.to_owned(), n));
    assert_eq!(hops, expected);
    assert_eq!(
        at(trace(&records[2]), 7),
        ["so-7-2-0.rtl.fra.de.geant2.net (62.40.112.22)"]
    );
}

#[test]
fn a_context_fills_in_only_what_the_record_does_not_say() {
    let context = Context {
        from: Node::named("here.example"),
        to: Node::named("there.example"),
        ..Context::default()
    };
    let text = b"elaine41:~> traceroute\ntraceroute to (w.x.y.z     ): 1-30 hops, 38 byte packets\n 1  a (  1.26 ms\n";
    let (records, _) = import(text, &context);
    let trace = trace(&records[0]);
    assert_eq!(trace.from, Node::named("elaine41"));
    assert_eq!(trace.to, Node::named("there.example"));
}

/// Bytes in which lines of the fixtures are cut, swapped and changed.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let all: Vec<Vec<u8>> = fixtures().iter().map(|file| fs::read(file).unwrap()).collect();
    let lines: Vec<Vec<u8>> = all
        .iter()
        .flat_map(|text| text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec))
        .collect();
    let line = (
        prop::sample::select(lines),
        prop::option::weighted(0.3, (any::<prop::sample::Index>(), any::<u8>())),
        any::<bool>(),
    );
    let changed = line.prop_map(|(mut line, change, cut)| {
        if let Some((at, byte)) = change {
            let at = at.index(line.len());
            line[at] = byte;
            if cut {
                line.truncate(at);
            }
        }
        line
    });
    prop::collection::vec(changed, 0..40).prop_map(|lines| lines.concat())
}

fn check_lines(bytes: &[u8]) -> Result<(), TestCaseError> {
    let (records, complaints) = import(bytes, &Context::default());
    let last = bytes
        .split_inclusive(|byte| matches!(byte, b'\n' | b'\r'))
        .count() as u64;
    let spans = records.iter().map(|record| record.lines);
    for (first, end) in spans.chain(complaints.iter().map(|c| (c.first_line, c.last_line))) {
        prop_assert!(1 <= first && first <= end && end <= last, "{first} {end} {last}");
    }
    for record in &records {
        if let Payload::Trace(trace) = &record.payload {
            prop_assert!(trace.hops().next().is_some());
            prop_assert!(trace.hops().all(|hop| hop.sent() > 0));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        check_lines(&bytes)?;
    }

    #[test]
    fn changed_lines_do_no_harm(bytes in mutated()) {
        check_lines(&bytes)?;
    }

    #[test]
    fn pieces_of_any_size_give_the_same(bytes in mutated(), size in 1_usize..200) {
        let context = Context::default();
        let (mut records, mut complaints) = (Vec::new(), Vec::new());
        let mut sink = |event| match event {
            Event::Record(record) => records.push(*record),
            Event::Complaint(complaint) => complaints.push(complaint),
        };
        let mut importer = Importer::new(&context);
        for piece in bytes.chunks(size) {
            importer.feed(piece, &mut sink);
        }
        importer.finish(&mut sink);
        prop_assert_eq!((records, complaints), import(&bytes, &context));
    }
}
