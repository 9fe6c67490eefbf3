//! What transfer tools print, as records: output of the tools themselves, and what the documents print of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{Node, Payload, Probes, Transfer, Transport};
use ingest::{Context, Event, ImportComplaint, Importer, Record, import};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transfers");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 40, "{} fixtures", paths.len());
    paths
}

fn shown(records: &[Record], complaints: &[ImportComplaint]) -> Value {
    let records: Vec<Value> = records
        .iter()
        .map(|record| {
            json!({
                "lines": record.lines,
                "at": record.at,
                "tool": record.tool,
                "payload": without_nulls(serde_json::to_value(&record.payload).unwrap()),
            })
        })
        .collect();
    let complaints: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    json!({ "records": records, "complaints": complaints })
}

/// Fields that are absent only make a snapshot long.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, field)| !field.is_null())
            .map(|(name, field)| (name, without_nulls(field)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[test]
fn fixtures_are_read() {
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        let (records, complaints) = import(&bytes, &Context::default());
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_suffix => name, omit_expression => true }, {
            insta::assert_json_snapshot!("fixture", shown(&records, &complaints));
        });
    }
}

fn read(name: &str) -> (Vec<Record>, Vec<ImportComplaint>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transfers");
    import(&std::fs::read(folder.join(name)).unwrap(), &Context::default())
}

/// The transfers of a fixture that holds nothing else.
fn transfers(name: &str) -> Vec<Transfer> {
    let (records, _) = read(name);
    records
        .into_iter()
        .map(|record| match record.payload {
            Payload::Transfer(transfer) => *transfer,
            other => panic!("{name}: {other:?}"),
        })
        .collect()
}

fn bps(rate: Option<evidence::RateBps>) -> Option<f64> {
    rate.map(|rate| rate.0)
}

#[test]
fn the_stall_and_the_slow_growth_of_the_document_are_there() {
    let both = transfers("pscheduler_seed_inward.txt");
    let [good, bad] = both.as_slice() else {
        panic!("{both:?}")
    };
    assert_eq!((&good.to, &bad.to), (&Node::named("UVA"), &Node::named("NRAO")));
    assert_eq!(
        (bps(good.received_bps), bps(bad.received_bps)),
        (Some(9.25e9), Some(10.29e6))
    );
    let rates: Vec<f64> = bad
        .intervals
        .iter()
        .map(|slice| slice.rate_bps.unwrap().0)
        .collect();
    assert_eq!(rates[1..5], [0.0; 4], "four seconds of nothing");
    assert_eq!(bad.intervals[4].retransmits, Some(67));
    assert_eq!(bad.intervals[3].cwnd_bytes, Some(3_070), "powers of ten");
    assert_eq!(bad.retransmits, Some(103));

    let both = transfers("pscheduler_seed_before_after.txt");
    let [before, after] = both.as_slice() else {
        panic!("{both:?}")
    };
    assert_eq!(
        before.to,
        Node::named("perfsonar-10.cv.nrao.edu"),
        "a wrapped command"
    );
    assert_eq!((&before.from, &before.to), (&after.from, &after.to));
    assert_eq!(
        (bps(before.sent_bps), bps(after.sent_bps)),
        (Some(380.37e3), Some(2.67e9))
    );
}

#[test]
fn what_a_document_stripped_stays_unknown() {
    let (records, _) = read("sting_seed.txt");
    let ways: Vec<&Probes> = records
        .iter()
        .map(|record| match &record.payload {
            Payload::Probes(way) => way,
            other => panic!("{other:?}"),
        })
        .collect();
    let [forward, reverse] = ways.as_slice() else {
        panic!("{ways:?}")
    };
    for way in [forward, reverse] {
        let row = &way.rows[0];
        assert_eq!((row.sent, row.received), (Some(100), Some(100)));
        assert!(way.from.is_unknown() && row.to.is_unknown());
    }

    let context = Context {
        from: Node::named("a"),
        to: Node::named("b"),
        ..Context::default()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transfers");
    let (records, _) = import(&std::fs::read(folder.join("sting_seed.txt")).unwrap(), &context);
    let ends = |record: &Record| match &record.payload {
        Payload::Probes(way) => (way.from.clone(), way.rows[0].to.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(ends(&records[0]), (Node::named("a"), Node::named("b")));
    assert_eq!(ends(&records[1]), (Node::named("b"), Node::named("a")));
}

#[test]
fn both_ways_are_two_records_and_parallel_connections_one() {
    for name in ["iperf3_bidir.txt", "iperf3_bidir.json", "iperf2_full.txt"] {
        assert_eq!(transfers(name).len(), 2, "{name}");
    }
    for name in ["iperf3_tcp_p2.txt", "iperf3_tcp_p2.json", "iperf2_p2.txt"] {
        let [all] = transfers(name).try_into().unwrap();
        let Transfer {
            streams, intervals, ..
        } = &all;
        assert_eq!(
            (*streams, intervals.len(), all.protocol),
            (Some(2), 2, Some(Transport::Tcp)),
            "{name}"
        );
    }
    let [all] = transfers("iperf2_p2.txt").try_into().unwrap();
    assert_eq!(bps(all.sent_bps), Some(44.2e9), "the tool's own sum: it agrees");
    assert_eq!(
        all.window_bytes,
        Some(256 * 1024),
        "what was asked for, not what it got"
    );
}

#[test]
fn the_stream_of_events_is_the_document() {
    let [document] = transfers("iperf3_reverse.json").try_into().unwrap();
    let [stream] = transfers("iperf3_stream.jsonl").try_into().unwrap();
    assert_eq!(document, stream);
    let text = transfers("iperf3_reverse_omit.txt");
    assert_eq!(text[0].intervals.len(), 2, "the omitted second is out");
    assert_eq!(
        text[0].intervals[0].retransmits, None,
        "the receiver does not know them"
    );
    assert_eq!(text[0].retransmits, Some(20), "the sender does");
}

#[test]
fn the_sender_of_the_data_is_from() {
    let seen = |text: &str| {
        let (records, complaints) = import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, [], "{text}");
        match &records[0].payload {
            Payload::Transfer(transfer) => (transfer.from.to_string(), bps(transfer.received_bps)),
            other => panic!("{other:?}"),
        }
    };
    let reverse = "Connecting to host b.example, port 5201\n\
        Reverse mode, remote host b.example is sending\n\
        [  5] local 192.0.2.1 port 45814 connected to 192.0.2.2 port 5201\n\
        [ ID] Interval           Transfer     Bitrate\n\
        [  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec                  \n\
        - - - - - - - - - - - - - - - - - - - - - - - - -\n\
        [ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-1.00   sec  1.30 MBytes  10.9 Mbits/sec    2             sender\n\
        [  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec                  receiver\n";
    assert_eq!(seen(reverse), ("b.example (192.0.2.2)".into(), Some(10.5e6)));
    let server = "Server listening on TCP port 5001\n\
        [  4] local 192.0.2.2 port 5001 connected with 192.0.2.1 port 45814\n\
        [ ID] Interval       Transfer     Bandwidth\n\
        [  4]  0.0-10.1 sec  1.25 MBytes  1.04 Mbits/sec\n";
    assert_eq!(seen(server), ("192.0.2.1".into(), Some(1.04e6)));
}

#[test]
fn an_interrupted_test_has_no_receiver_of_zero() {
    let text = "Connecting to host 192.0.2.2, port 5201\n\
        [  5] local 192.0.2.1 port 45814 connected to 192.0.2.2 port 5201\n\
        [ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n\
        [  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    0    895 KBytes       \n\
        - - - - - - - - - - - - - - - - - - - - - - - - -\n\
        [ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-1.40   sec  1.75 MBytes  10.4 Mbits/sec    0             sender\n\
        [  5]   0.00-1.40   sec  0.00 Bytes  0.00 bits/sec                  receiver\n\
        iperf3: interrupt - the client has terminated\n";
    let (records, complaints) = import(text.as_bytes(), &Context::default());
    let Payload::Transfer(transfer) = &records[0].payload else {
        panic!("{records:?}")
    };
    assert_eq!(
        (bps(transfer.sent_bps), transfer.received_bps),
        (Some(10.4e6), None)
    );
    assert_eq!(complaints.len(), 1, "{complaints:?}");
}

/// Fixtures with lines taken out, doubled, put elsewhere or damaged.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let fixtures: Vec<Vec<u8>> = fixtures()
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    let change = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0_u8..5,
        any::<u8>(),
    );
    (
        prop::sample::select(fixtures),
        prop::collection::vec(change, 0..12),
    )
        .prop_map(|(bytes, changes)| {
            let mut lines: Vec<Vec<u8>> = bytes
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            for (a, b, what, byte) in changes {
                if lines.is_empty() {
                    break;
                }
                let (a, b) = (a.index(lines.len()), b.index(lines.len()));
                match what {
                    0 => drop(lines.remove(a)),
                    1 => lines.swap(a, b),
                    2 => lines.insert(b, lines[a].clone()),
                    3 => {
                        let end = byte as usize % (lines[a].len() + 1);
                        lines[a].truncate(end);
                    }
                    _ => {
                        let place = b % lines[a].len().max(1);
                        if let Some(old) = lines[a].get_mut(place) {
                            *old = byte;
                        }
                    }
                }
            }
            lines.concat()
        })
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let (records, complaints) = import(bytes, &Context::default());
    let last = bytes
        .split_inclusive(|byte| matches!(byte, b'\n' | b'\r'))
        .count() as u64;
    let of_complaints = complaints
        .iter()
        .map(|complaint| (complaint.first_line, complaint.last_line));
    for (first, end) in records.iter().map(|record| record.lines).chain(of_complaints) {
        prop_assert!(
            1 <= first && first <= end && end <= last,
            "{first} to {end} of {last}"
        );
    }
    for record in &records {
        let written = serde_json::to_string(&record.payload).unwrap();
        let back: Payload = serde_json::from_str(&written).expect("no figure that JSON cannot hold");
        prop_assert_eq!(&back, &record.payload);
    }
    Ok(())
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        check(&bytes)?;
    }

    #[test]
    fn changed_fixtures_do_no_harm(bytes in mutated()) {
        check(&bytes)?;
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

/// A server that sends knows nothing of what arrived, and prints 0 lost all the same.
#[test]
fn what_a_sender_says_of_loss_is_nothing() {
    let transfer = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transfers");
        let (records, _) = import(&std::fs::read(path.join(name)).unwrap(), &Context::default());
        match &records[0].payload {
            Payload::Transfer(transfer) => (**transfer).clone(),
            other => panic!("{other:?}"),
        }
    };
    let alone = transfer("iperf3_udp_reverse_server.txt");
    assert_eq!(
        (alone.packets_sent, alone.count_lost(), alone.jitter_ns),
        (Some(216_232), None, None)
    );
    assert_eq!(alone.received_bps, None);
    let both = transfer("iperf3_udp.txt");
    assert_eq!((both.packets_sent, both.count_lost()), (Some(4165), Some(0)));
}

/// Rates of the transfers that a text tells, and its complaints.
fn rates(text: &str) -> (Vec<f64>, usize) {
    let (records, complaints) = import(text.as_bytes(), &Context::default());
    let rates = records.into_iter().filter_map(|record| match record.payload {
        evidence::Payload::Transfer(transfer) => bps(transfer.received_bps.or(transfer.sent_bps)),
        _ => None,
    });
    (rates.collect(), complaints.len())
}

#[test]
fn a_test_at_the_next_prompt_is_another() {
    let text = "[root@a ~]# nuttcp -T10 -i1 192.0.2.5\n  112.1875 MB /   1.00 sec =  940.9884 Mbps     0 retrans\n\
                1122.5625 MB /  10.01 sec =  940.9884 Mbps 2 %TX 22 %RX 3 retrans 0.35 msRTT\n\
                [root@a ~]# nuttcp -r -u -R500m -T5 192.0.2.5\n\
                285.0000 MB /   5.01 sec =  477.1234 Mbps 99 %TX 12 %RX 1500 / 293340 drop/pkt 0.51 %loss\n";
    assert_eq!(rates(text), (vec![940_988_400.0, 477_123_400.0], 0));
}

/// `iperf -d` without what stands above: both may go the same way, or one each way.
#[test]
fn connections_that_nothing_binds_together_are_not_summed() {
    let head = "[ ID] Interval       Transfer     Bandwidth\n";
    let (one, other) = (
        "[  5]  0.0-10.0 sec   894 MBytes   750 Mbits/sec\n",
        "[  4]  0.0-10.0 sec   715 MBytes   599 Mbits/sec\n",
    );
    assert_eq!(rates(&[head, one, other].concat()), (vec![], 1));
    let sum = "[SUM]  0.0-10.0 sec  1.57 GBytes  1.35 Gbits/sec\n";
    assert_eq!(rates(&[head, one, other, sum].concat()).0, [1_350_000_000.0]);
}

/// `-b` of perftest sends both ways, and its rates are the sums: none of them is that of one way.
#[test]
fn sums_of_both_ways_are_of_neither() {
    let text = "                    RDMA_Write Bidirectional BW Test\n \
        Dual-port       : OFF\t\tDevice         : mlx5_2\n\
        ---------------------------------------------------------------------------------------\n \
        #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n \
        65536      5000             22201.44            22190.05\t\t   0.355041\n";
    for text in [
        text.to_owned(),
        format!("north# ib_write_bw -b -d mlx5_2 10.7.0.2\n{text}"),
    ] {
        let (records, complaints) = ingest::import(text.as_bytes(), &ingest::Context::default());
        assert!(records.is_empty(), "{records:?}");
        assert!(
            complaints
                .iter()
                .any(|complaint| complaint.reason.contains("both ways")),
            "{complaints:?}"
        );
    }
}
