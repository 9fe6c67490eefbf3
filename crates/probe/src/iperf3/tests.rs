//! Conversations with servers, honest ones and others.

use super::*;
use crate::session::{TcpPlan, UdpPlan};
use proptest::prelude::*;

const SECOND_NS: u64 = 1_000_000_000;

fn plan(streams: u16) -> TcpPlan {
    TcpPlan {
        server_sends: false,
        streams,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 1_000,
        max_bytes: None,
        max_rate_bps: None,
        watch_hops: false,
    }
}

fn control(streams: u16) -> Control {
    Control::new(&cookie([7; 36]), Parameters::tcp(&plan(streams)), 0)
}

fn framed(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32).to_be_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn results(streams: u16) -> Results {
    let stream = |n| StreamResult {
        id: stream_id(n),
        bytes: 1_000_000_007 + u64::from(n),
        retransmits: Some(3),
        jitter_s: 0.25,
        lost: 2,
        packets: 100,
        length_s: Some(1.5),
        ..StreamResult::default()
    };
    Results {
        cpu_percent: Some(12.5),
        has_retransmits: true,
        congestion: Some("cubic".to_owned()),
        version: None,
        streams: (0..streams).map(stream).collect(),
    }
}

/// A control connection whose test runs.
fn running(streams: u16) -> Control {
    let mut control = control(streams);
    control.heard(&[9, 10, 1, 2], 0).unwrap();
    control.output();
    control
}

#[test]
fn a_test_from_its_cookie_to_its_end() {
    let mut control = control(2);
    let greeting = control.output();
    assert_eq!((greeting.len(), greeting.last()), (COOKIE_BYTES, Some(&0)));
    assert!(greeting[..36].iter().all(|letter| *letter == b'h'));
    assert_eq!(control.heard(&[9], 0).unwrap(), []);
    let parameters = control.output();
    assert_eq!(
        parameters.len(),
        4 + parameters[3] as usize + 256 * parameters[2] as usize
    );
    assert_eq!(control.heard(&[10], 0).unwrap(), [Event::OpenStreams]);
    assert_eq!(control.heard(&[1, 2], 0).unwrap(), [Event::Run]);
    assert_eq!(control.deadline_ns(), None);
    control.end(SECOND_NS);
    assert_eq!(
        (control.output(), control.deadline_ns()),
        (vec![4], Some(11 * SECOND_NS))
    );
    assert_eq!(control.heard(&[13], 0).unwrap(), [Event::Report]);
    control.report(&results(2), 0);
    assert!(control.output().len() > 4);
    let mut told = framed(&String::from_utf8(results(2).to_json()).unwrap());
    told.push(14);
    let (first, rest) = told.split_at(100);
    assert_eq!(control.heard(first, 0).unwrap(), []);
    assert_eq!(
        control.heard(rest, 0).unwrap(),
        [Event::Results(results(2)), Event::Over]
    );
    assert_eq!((control.output(), control.deadline_ns()), (vec![16], None));
}

#[test]
fn refusals_are_told_apart() {
    assert_eq!(control(1).heard(&[0xff], 0), Err(Iperf3Error::Busy));
    let error = |bytes: &[u8]| {
        let mut control = control(1);
        control.heard(&[9], 0).unwrap();
        control.heard(bytes, 0).err().unwrap_or_else(|| control.closed())
    };
    assert_eq!(error(&[0xfe, 0, 0, 0, 142]), Iperf3Error::Authentication);
    let (code, errno) = (141, Some(12));
    assert_eq!(
        error(&[0xfe, 0, 0, 0, 141, 0, 0, 0, 12]),
        Iperf3Error::Server { code, errno }
    );
    assert_eq!(
        error(&[0xfe, 0, 0, 0, 141]),
        Iperf3Error::Server { code, errno: None }
    );
    assert_eq!(error(&[0xfe, 0]), Iperf3Error::Closed("it told of an error"));
    assert_eq!(error(&[11]), Iperf3Error::Terminated);
    let ssh = control(1).heard(b"SSH-2.0-OpenSSH", 0).unwrap_err();
    assert!(matches!(ssh, Iperf3Error::OutOfPlace { byte: b'S', .. }));
    assert_eq!(
        control(1).expired(),
        Iperf3Error::Silent("it was asked for a test")
    );
}

#[test]
fn a_test_that_is_broken_off_says_so_once() {
    let mut control = running(1);
    control.terminate();
    control.terminate();
    assert_eq!((control.output(), control.deadline_ns()), (vec![12], None));
    assert_eq!(control.heard(&[13, 14, 99], 0).unwrap(), []);
}

/// What results of one stream with this text are read as.
fn heard(text: &str) -> Result<Results, Iperf3Error> {
    Results::read(text.as_bytes(), 1)
}

#[test]
fn results_of_real_servers_are_read() {
    let text = r#"{"cpu_util_total":5.1,"cpu_util_user":1,"cpu_util_system":4,"sender_has_retransmits":-1,
        "congestion_used":"bbr","streams":[{"id":1,"bytes":123456789012,"retransmits":18446744073709551615,"jitter":0,
        "errors":0,"packets":0,"start_time":0,"end_time":1.000123}],
        "server_output_json":{"start":{"version":"iperf 3.12"}}}"#;
    let told = heard(text).unwrap();
    assert_eq!((told.bytes(), told.retransmits()), (123_456_789_012, None));
    assert_eq!(
        (told.version.as_deref(), told.congestion.as_deref()),
        (Some("3.12"), Some("bbr"))
    );
    assert_eq!(told.length_ns(), Some(1_000_123_000));
    // As 3.1 wrote it.
    let old = r#"{"cpu_util_total":5,"cpu_util_user":1,"cpu_util_system":4,"sender_has_retransmits":1,
        "streams":[{"id":1,"bytes":7,"retransmits":2,"jitter":0,"errors":-1,"packets":3}]}"#;
    let told = heard(old).unwrap();
    assert_eq!(
        (told.retransmits(), told.length_ns(), told.version),
        (Some(2), None, None)
    );
    assert_eq!(told.streams[0].lost, 0);
}

#[test]
fn figures_that_no_test_has_are_refused() {
    let with = |field: &str, value: &str| {
        let mut text = r#"{"id":1,"bytes":7,"jitter":0,"errors":0,"packets":3}"#.to_owned();
        let from = text.find(field).unwrap() + field.len() + 2;
        text.replace_range(from..=from, value);
        heard(&format!(r#"{{"streams":[{text}]}}"#))
    };
    assert!(with("bytes", "7").is_ok());
    for (field, value) in [
        ("bytes", "-7"),
        ("bytes", "1e300"),
        ("bytes", "\"7\""),
        ("packets", "-1"),
        ("jitter", "1e9"),
        ("jitter", "-0.1"),
        ("id", "null"),
    ] {
        assert!(with(field, value).is_err(), "{field} {value}");
    }
    assert!(heard("{}").is_err() && heard("[]").is_err() && heard("{\"streams\":[]}").is_err());
    let escapes = r#"{"congestion_used":"\u001b[2J","streams":[{"id":1,"bytes":7,"jitter":0,"errors":0,"packets":3}],
        "server_output_text":"iperf 3.\u001b[2J"}"#;
    let told = heard(escapes).unwrap();
    assert_eq!((told.congestion, told.version), (None, None));
}

#[test]
fn results_that_are_too_long_are_not_waited_for() {
    let mut control = running(1);
    control.end(0);
    control.heard(&[13], 0).unwrap();
    control.report(&results(1), 0);
    let error = control.heard(&[0x7f, 0, 0, 0], 0);
    assert_eq!(error, Err(Iperf3Error::TooLong(0x7f00_0000)));
}

#[test]
fn streams_are_numbered_as_iperf3_does() {
    assert_eq!([0, 1, 2, 127].map(stream_id), [1, 3, 4, 129]);
}

#[test]
fn answers_of_old_and_new_servers_open_a_stream() {
    for reply in [0x3938_3736_u32, 987_654_321] {
        assert!(is_connect_reply(&reply.to_le_bytes()) && is_connect_reply(&reply.to_be_bytes()));
    }
    // A datagram of the stream that overtook the answer is none.
    assert!(!is_connect_reply(&[0; 4]) && !is_connect_reply(&[0; 16]));
}

fn udp(packets_per_second: u32) -> UdpPlan {
    UdpPlan {
        server_sends: true,
        size_bytes: 1_000,
        rate_bps: f64::from(packets_per_second) * 8_000.0,
        duration_ms: 1_000,
    }
}

#[test]
fn datagrams_beyond_the_stream_are_strangers() {
    let kind = Datagram::of(&udp(1_000));
    let mut payload = [0; 16];
    kind.write(&mut payload, kind.most_packets, 0).unwrap();
    assert_eq!(kind.read(&payload), None);
    kind.write(&mut payload, 0, 1_234_567_890_123).unwrap();
    assert_eq!(payload[..12], [0, 0, 4, 210, 0, 8, 170, 82, 0, 0, 0, 1]);
    assert_eq!(kind.read(&payload), Some((0, 1_234_567_890_000)));
    assert_eq!((kind.read(&payload[..11]), kind.read(&[0; 16])), (None, None));
}

#[test]
fn delay_variation_is_that_of_rfc_3550() {
    let mut jitter = Jitter::default();
    assert_eq!(jitter.ns(), None);
    jitter.arrive(0, 5_000);
    assert_eq!(jitter.ns(), Some(0));
    jitter.arrive(1_000, 7_600);
    assert_eq!(jitter.ns(), Some(100));
    jitter.arrive(2_000, 8_600);
    assert_eq!(jitter.ns(), Some(93));
}

proptest! {
    #[test]
    fn no_server_makes_it_fail_in_another_way(chunks in prop::collection::vec(
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            prop::sample::select(vec![vec![9], vec![10], vec![1, 2], vec![13], vec![14], vec![0xfe], vec![0xff]]),
        ], 0..12)) {
        let mut control = control(1);
        for chunk in chunks {
            let Ok(events) = control.heard(&chunk, 0) else { break };
            for event in events {
                match event {
                    Event::Run => control.end(0),
                    Event::Report => control.report(&results(1), 0),
                    _ => {}
                }
            }
        }
        prop_assert!(control.output().len() < 4_096);
    }

    #[test]
    fn results_survive_the_wire(streams in 1u16..=128, bytes in 0u64..1 << 53, lost in 0u64..1 << 40) {
        let mut told = results(streams);
        told.streams[0].bytes = bytes;
        told.streams[0].lost = lost;
        let text = told.to_json();
        prop_assert!(text.len() < 64 << 10);
        prop_assert_eq!(Results::read(&text, streams), Ok(told));
    }

    #[test]
    fn foreign_results_do_no_harm(text in "[\\[\\]{}\",:a-z0-9.eE-]{0,200}") {
        let _ = Results::read(text.as_bytes(), 1);
    }

    #[test]
    fn numbers_and_times_survive_the_wire(sequence in 0u64..1_000_000, now_ns in 0u64..1 << 61, rate in 1_000_000u32..2_000_000) {
        let mut payload = [0; 16];
        for plan in [udp(rate), UdpPlan { duration_ms: 3_600_000, ..udp(rate) }] {
            let kind = Datagram::of(&plan);
            kind.write(&mut payload, sequence, now_ns).unwrap();
            let seconds = (now_ns / SECOND_NS) as u32;
            let expected = u64::from(seconds) * SECOND_NS + now_ns % SECOND_NS / 1_000 * 1_000;
            prop_assert_eq!(kind.read(&payload), Some((sequence, expected)));
        }
    }
}
