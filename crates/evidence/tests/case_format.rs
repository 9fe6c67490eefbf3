//! What a case promises to two networks that pass it back and forth: an observation keeps its name, adding never
//! depends on order, and damage is seen, named and confined to its line.

use evidence::{
    Ask, CASE_SCHEMA_VERSION, Case, CaseComplaint, Complaint, CpuFacts, DelayStatistics, EchoContext,
    EchoMode, End, HostFacts, JournalEntry, Node, NotMeasured, NotMeasuredReason, Observation, Party,
    Payload, ProbeProtocol, ProbeRow, Probes, Provenance, RateBps, ReplyKind, Timestamp, Trace, TraceAnswer,
    TraceFlow, TraceHop, case_from_parts, complaint_from_json, complaint_to_json, journal_from_jsonl,
    to_json_line,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::net::IpAddr;

fn complaint() -> Complaint {
    let party = |name: &str| Party {
        name: name.to_owned(),
        address: None,
    };
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party("a.example"),
        to: party("b.example"),
        local_end: End::From,
        expected_bps: Some(RateBps(2e9)),
        since: None,
        said_by: None,
        opened_at: Timestamp(1_630_000_000_000_000_000),
        utc_offset_s: None,
    }
}

fn observations_from_jsonl(text: &str) -> (Vec<Observation>, Vec<CaseComplaint>) {
    evidence::observations_from_jsonl(text, &complaint())
}

fn provenance(round: u32, at: i64) -> Provenance {
    Provenance::measured(Node::named("a.example"), Timestamp(at), round, "slowpath 0.1.0")
}

/// An observation whose every field is written down here, floats and an ordered map among them.
fn fixed() -> Observation {
    let facts = HostFacts {
        hostname: Some("a.example".to_owned()),
        kernel: Some("Linux 6.1.0".to_owned()),
        sysctls: BTreeMap::from([("net.ipv4.tcp_rmem".to_owned(), "4096\t131072\t6291456".to_owned())]),
        congestion_control: Some("cubic".to_owned()),
        available_congestion_controls: vec!["reno".to_owned(), "cubic".to_owned()],
        interface: None,
        counters: BTreeMap::from([
            ("Tcp.RetransSegs".to_owned(), 38),
            ("Tcp.InErrs".to_owned(), u64::MAX),
        ]),
        cpu: Some(CpuFacts {
            online: 2,
            model: None,
            busy_ratio: Some(0.1 + 0.2),
            load_1min: Some(1e-7),
            ..CpuFacts::default()
        }),
        ..HostFacts::default()
    };
    Observation::new(
        provenance(1, 1_630_000_000_000_000_000),
        Payload::HostFacts(facts),
    )
}

/// Every finite number, those with the longest decimals included: their last digit is what a name hangs on.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("JSON knows finite numbers only", |number| number.is_finite()),
        (any::<u32>(), 1u32..).prop_map(|(a, b)| f64::from(a) / f64::from(b)),
        (0u64..1 << 54).prop_map(|integer| integer as f64),
    ]
}

fn host_facts() -> impl Strategy<Value = Payload> {
    let text = "\\PC{0,12}";
    let cpu = (
        any::<u32>(),
        option::of(text),
        option::of(number()),
        option::of(number()),
    );
    let cpu = cpu.prop_map(|(online, model, busy_ratio, load_1min)| CpuFacts {
        online,
        model,
        busy_ratio,
        load_1min,
        ..CpuFacts::default()
    });
    let maps = (btree_map(text, text, 0..4), btree_map(text, any::<u64>(), 0..4));
    (option::of(text), maps, option::of(cpu)).prop_map(|(hostname, (sysctls, counters), cpu)| {
        Payload::HostFacts(HostFacts {
            hostname,
            kernel: None,
            sysctls,
            congestion_control: None,
            available_congestion_controls: Vec::new(),
            interface: None,
            counters,
            cpu,
            ..HostFacts::default()
        })
    })
}

fn probes() -> impl Strategy<Value = Payload> {
    let row = (
        any::<u8>(),
        any::<IpAddr>(),
        number(),
        any::<[i64; 5]>(),
        any::<u64>(),
    );
    let row = row.prop_map(
        |(ttl, address, rate_pps, [min, p50, p90, p99, max], sent)| ProbeRow {
            mode: Some(EchoMode::Expiring),
            ttl: Some(ttl),
            to: at(address),
            size_bytes: Some(1500),
            sent: Some(sent),
            received: Some(sent / 2),
            delay: Some(DelayStatistics {
                min_ns: Some(min),
                p50_ns: Some(p50),
                p90_ns: Some(p90),
                p99_ns: Some(p99),
                max_ns: Some(max),
                ..DelayStatistics::default()
            }),
            rate_pps: Some(rate_pps),
            ..ProbeRow::default()
        },
    );
    (any::<[IpAddr; 2]>(), vec(row, 0..4)).prop_map(|([source, destination], rows)| {
        Payload::Probes(Probes {
            from: at(source),
            destination: Some(at(destination)),
            context: Some(EchoContext::Idle),
            rows,
            ..Probes::default()
        })
    })
}

fn at(address: IpAddr) -> Node {
    Node {
        name: None,
        address: Some(address),
    }
}

fn trace() -> impl Strategy<Value = Payload> {
    let name = option::of("[a-z.]{1,12}");
    let answer = (
        any::<IpAddr>(),
        name,
        any::<u64>(),
        option::of(any::<u8>()),
        any::<u8>(),
    );
    let answer = answer.prop_map(|(address, name, rtt_ns, reply_ttl, code)| TraceAnswer {
        node: Node {
            name,
            address: Some(address),
        },
        rtt_ns: Some(rtt_ns),
        reply_ttl,
        kind: Some(ReplyKind::Unreachable { code }),
        ..TraceAnswer::default()
    });
    (any::<IpAddr>(), vec(answer, 0..3)).prop_map(|(address, answers)| {
        let hop = TraceHop {
            ttl: 1,
            answers,
            unanswered: 3,
        };
        Payload::Trace(Trace {
            from: at(address),
            to: at(address),
            protocol: Some(ProbeProtocol::Udp),
            flows: vec![TraceFlow::of(vec![hop])],
            packets_sent: Some(3),
            ..Trace::default()
        })
    })
}

fn not_measured() -> impl Strategy<Value = Payload> {
    (number(), "\\PC{0,20}").prop_map(|(rate, detail)| {
        let ask = Ask::UdpStream {
            from: Node::named("b.example"),
            to: Node::named("a.example"),
            size_bytes: 1500,
            rate_bps: RateBps(rate),
            duration_ms: 5,
        };
        Payload::NotMeasured(NotMeasured {
            ask,
            reason: NotMeasuredReason::Privilege,
            detail,
        })
    })
}

fn observation() -> impl Strategy<Value = Observation> {
    let payload = prop_oneof![host_facts(), probes(), trace(), not_measured()];
    // Few rounds and times, so that some are equal.
    (1u32..4, 0i64..3, payload)
        .prop_map(|(round, at, payload)| Observation::new(provenance(round, at), payload))
}

fn lines(observations: &[Observation]) -> String {
    observations.iter().map(to_json_line).collect()
}

#[test]
fn the_name_of_an_observation_never_changes() {
    // Cases on other people's disks are read by this name (checked against another JSON library and hash). If this fails, the format has changed: either undo what
    // changed it, or raise CASE_SCHEMA_VERSION and keep reading the old names.
    insta::assert_snapshot!(fixed().id.0, @"3608c7ebb719c2c8969d200be8ed6650e7a8f8d1fb23f423da51394f5c8fffaa");
}

#[test]
fn the_name_does_not_hang_on_the_order_in_which_fields_were_written() {
    let value: serde_json::Value = serde_json::from_str(&to_json_line(&fixed())).unwrap();
    let reversed = reverse_fields(value).to_string();
    assert_ne!(
        reversed,
        to_json_line(&fixed()).trim_end(),
        "the order is another"
    );
    assert_eq!(observations_from_jsonl(&reversed), (vec![fixed()], vec![]));
}

fn reverse_fields(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(map) => {
            let entries: Vec<_> = map
                .into_iter()
                .map(|(key, value)| (key, reverse_fields(value)))
                .collect();
            serde_json::Value::Object(entries.into_iter().rev().collect())
        }
        other => other,
    }
}

#[test]
fn fields_that_a_newer_version_added_are_neither_understood_nor_called_an_alteration() {
    // What the newer version wrote: its own field is part of the content that it named.
    let newer = r#"{"provenance":{"vantage":{"name":"a.example"},"at":5,"round":1,"tool":"slowpath 9","moon":"full"},
        "payload":{"type":"not-measured","ask":{"ask":"path-mtu","from":{"name":"a.example"},"to":{},"depth":3},
        "reason":"budget","detail":"","cost":1.5}}"#;
    let mut newer: serde_json::Value = serde_json::from_str(newer).unwrap();
    newer["id"] = sha256_of_sorted(&newer).into();
    let (understood, complaints) = observations_from_jsonl(&newer.to_string());
    assert_eq!(complaints, vec![]);
    assert_eq!(
        understood[0].payload,
        Payload::NotMeasured(NotMeasured {
            ask: Ask::PathMtu {
                from: Node::named("a.example"),
                to: Node::default(),
            },
            reason: NotMeasuredReason::Budget,
            detail: String::new(),
        })
    );
    newer["payload"]["cost"] = 1.6.into();
    let (understood, complaints) = observations_from_jsonl(&newer.to_string());
    assert!(understood.is_empty());
    assert!(
        matches!(complaints[..], [CaseComplaint::Altered { line: 1, .. }]),
        "{complaints:?}"
    );
}

/// The name as the format defines it, computed here a second time: SHA-256 of the JSON without white space, the
/// fields of every object in the order of their names.
fn sha256_of_sorted(content: &serde_json::Value) -> String {
    use sha2::{Digest, Sha256};
    fn sorted(value: &serde_json::Value) -> String {
        match value {
            serde_json::Value::Object(map) => {
                let map: BTreeMap<_, _> = map.iter().collect();
                let fields: Vec<_> = map
                    .into_iter()
                    .map(|(key, value)| {
                        format!("{}:{}", serde_json::Value::from(key.as_str()), sorted(value))
                    })
                    .collect();
                format!("{{{}}}", fields.join(","))
            }
            serde_json::Value::Array(items) => {
                format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(","))
            }
            plain => plain.to_string(),
        }
    }
    Sha256::digest(sorted(content))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn a_record_of_an_unknown_type_is_a_complaint_about_its_line() {
    let line = r#"{"id":"00","provenance":{"vantage":{},"at":5,"round":1,"tool":"slowpath 9"},"payload":{"type":"moon"}}"#;
    let text = format!("{}\n{line}\n{}", lines(&[fixed()]), lines(&[fixed()]));
    let (understood, complaints) = observations_from_jsonl(&text);
    assert_eq!(understood.len(), 2);
    let [CaseComplaint::Line { line: 3, reason, .. }] = &complaints[..] else {
        panic!("{complaints:?}");
    };
    assert!(reason.contains("moon"), "{reason}");
}

#[test]
fn a_newer_case_is_refused_with_its_number() {
    let mut newer = complaint();
    newer.schema = CASE_SCHEMA_VERSION + 6;
    let refused = complaint_from_json(&complaint_to_json(&newer))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains(&(CASE_SCHEMA_VERSION + 6).to_string()),
        "{refused}"
    );
    assert!(refused.contains("update slowpath"), "{refused}");
    // Also when nothing else in it can be understood any more.
    let refused = complaint_from_json(r#"{"schema": 4000000000000, "who": 1}"#)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("4000000000000"), "{refused}");
}

#[test]
fn a_header_without_a_version_or_of_another_shape_is_refused() {
    for text in [
        "",
        "[]",
        "{}",
        "{\"schema\":-1}",
        "{\"schema\":\"1\"}",
        "null",
        "{\"schema\":1}",
    ] {
        assert!(
            matches!(complaint_from_json(text), Err(CaseComplaint::Header(_))),
            "{text}"
        );
    }
    let with_more = complaint_to_json(&complaint()).replacen('{', "{\"moon\": [1],", 1);
    assert_eq!(
        complaint_from_json(&with_more),
        Ok(complaint()),
        "unknown fields are tolerated"
    );
}

#[test]
fn the_journal_is_put_in_order_of_time_and_its_damaged_lines_are_named() {
    let entry = |at, what: &str| JournalEntry {
        at: Timestamp(at),
        who: "noc".to_owned(),
        network: None,
        what: what.to_owned(),
        before_round: None,
    };
    let text = to_json_line(&entry(9, "swapped fibre")) + "{\"at\":\n" + &to_json_line(&entry(3, "mailed"));
    let (case, complaints) = case_from_parts(&complaint_to_json(&complaint()), "", &text).unwrap();
    assert_eq!(case.journal, [entry(3, "mailed"), entry(9, "swapped fibre")]);
    assert!(
        matches!(
            complaints[..],
            [CaseComplaint::Line {
                file: "journal.jsonl",
                line: 2,
                ..
            }]
        ),
        "{complaints:?}"
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(observations in vec(observation(), 0..8)) {
        let (read, complaints) = observations_from_jsonl(&lines(&observations));
        prop_assert_eq!(complaints, vec![]);
        prop_assert_eq!(read, observations);
    }

    #[test]
    fn names_differ_when_contents_differ(a in observation(), b in observation()) {
        let same_content = a.provenance == b.provenance && a.payload == b.payload;
        prop_assert_eq!(a.id == b.id, same_content);
    }

    #[test]
    fn adding_in_any_order_and_more_than_once_gives_the_same_case(
        (observations, shuffled) in vec(observation(), 0..8)
            .prop_flat_map(|all| (Just(all.clone()), Just([all.clone(), all].concat()).prop_shuffle()))
    ) {
        let gather = |observations: Vec<Observation>| {
            let mut case = Case::new(complaint());
            observations.into_iter().for_each(|observation| case.add(observation));
            case
        };
        let (once, twice) = (gather(observations), gather(shuffled));
        prop_assert_eq!(&once, &twice);
        prop_assert!(once.rounds().is_sorted_by(|a, b| a < b), "{:?}", once.rounds());
        let by_round: usize = once.rounds().into_iter().map(|round| once.round(round).count()).sum();
        prop_assert_eq!(by_round, once.observations().len());
    }

    #[test]
    fn an_altered_digit_is_detected_and_the_other_lines_are_kept(
        before in observation(), altered in observation(), after in observation(), place in any::<prop::sample::Index>()
    ) {
        let mut line = to_json_line(&altered).into_bytes();
        let digits: Vec<usize> = (0..line.len()).filter(|at| line[*at].is_ascii_digit()).collect();
        let at = *place.get(&digits);
        line[at] = if line[at] == b'1' { b'2' } else { b'1' };
        let line = String::from_utf8(line).unwrap();
        // Digits that no number distinguishes (1e-300 with its 20th decimal) leave the content as it is.
        let same = serde_json::from_str::<serde_json::Value>(&line).ok()
            == serde_json::from_str(&to_json_line(&altered)).ok();
        prop_assume!(!same);
        let text = to_json_line(&before) + &line + &to_json_line(&after);
        let (read, complaints) = observations_from_jsonl(&text);
        prop_assert_eq!(read, vec![before, after]);
        prop_assert_eq!(complaints.len(), 1);
        let named = matches!(
            complaints[0],
            CaseComplaint::Altered { line: 2, .. } | CaseComplaint::Line { line: 2, .. }
        );
        prop_assert!(named, "{:?}", complaints);
    }

    #[test]
    fn a_line_cut_short_is_named_and_the_rest_is_kept(
        kept in vec(observation(), 0..4), torn in observation(), place in any::<prop::sample::Index>()
    ) {
        let line = to_json_line(&torn);
        let boundaries: Vec<usize> = (1..line.len() - 1).filter(|at| line.is_char_boundary(*at)).collect();
        let text = lines(&kept) + &line[..*place.get(&boundaries)];
        let (read, complaints) = observations_from_jsonl(&text);
        prop_assert_eq!(complaints.len(), 1);
        let named = matches!(complaints[0], CaseComplaint::Line { line, .. } if line == kept.len() + 1);
        prop_assert!(named, "{:?}", complaints);
        prop_assert_eq!(read, kept);
    }

    #[test]
    fn no_text_breaks_reading(text in prop_oneof![any::<String>(), "[\\[\\]{}\":,0-9a-z\n ]{0,80}"]) {
        let (understood, complaints) = observations_from_jsonl(&text);
        let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
        prop_assert_eq!(understood.len() + complaints.len(), filled, "each line is one or the other");
        let _ = journal_from_jsonl(&text);
        let _ = complaint_from_json(&text);
        let _ = case_from_parts(&text, &text, &text);
    }
}
