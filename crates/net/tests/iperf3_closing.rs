//! A server as iperf3 may be on a busy host: it ends its streams as soon as it hears of the end of a test, and only then says so on the
//! control connection.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail here")]

use evidence::{Ask, Node, Payload, StopReason};
use net::Watch;
use net::far_end::Side;
use net::iperf3::Iperf3;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const COOKIE_BYTES: usize = 37;
/// States of a test, as iperf3 numbers them (`iperf_api.h`).
const PARAM_EXCHANGE: u8 = 9;
const CREATE_STREAMS: u8 = 10;
const TEST_START: u8 = 1;
const TEST_RUNNING: u8 = 2;
const TEST_END: u8 = 4;
const EXCHANGE_RESULTS: u8 = 13;
const DISPLAY_RESULTS: u8 = 14;
/// Much longer than the client needs to see that the streams have ended.
const PAUSE: Duration = Duration::from_millis(300);

fn read<const N: usize>(stream: &mut TcpStream) -> [u8; N] {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

/// JSON with its length before it.
fn read_json(stream: &mut TcpStream) -> Vec<u8> {
    let mut text = vec![0; u32::from_be_bytes(read(stream)) as usize];
    stream.read_exact(&mut text).unwrap();
    text
}

/// Serves one reversed test over one stream; gives the bytes that the kernel took.
fn serve(listener: &TcpListener) -> u64 {
    let (mut control, _) = listener.accept().unwrap();
    let cookie = read::<COOKIE_BYTES>(&mut control);
    control.write_all(&[PARAM_EXCHANGE]).unwrap();
    read_json(&mut control);
    control.write_all(&[CREATE_STREAMS]).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    assert_eq!(read::<COOKIE_BYTES>(&mut stream), cookie);
    control.write_all(&[TEST_START, TEST_RUNNING]).unwrap();
    let mut sent = 0;
    control.set_nonblocking(true).unwrap();
    let mut state = [0];
    while control.read(&mut state).is_err() {
        stream.write_all(&[0; 8_192]).unwrap();
        sent += 8_192;
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(state, [TEST_END]);
    drop(stream);
    std::thread::sleep(PAUSE);
    control.set_nonblocking(false).unwrap();
    control.write_all(&[EXCHANGE_RESULTS]).unwrap();
    read_json(&mut control);
    let results = format!(
        r#"{{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":1,"streams":[{{"id":1,"bytes":{sent},"retransmits":0,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}}]}}"#
    );
    control.write_all(&(results.len() as u32).to_be_bytes()).unwrap();
    control.write_all(results.as_bytes()).unwrap();
    control.write_all(&[DISPLAY_RESULTS]).unwrap();
    let _ = control.read(&mut state);
    sent
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_end_after_the_time_ended_with_the_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || serve(&listener));
    let ask = Ask::TcpThroughput {
        from: Node::named("b"),
        to: Node::named("a"),
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 400,
        max_bytes: None,
        watch_hops: false,
    };
    let client = Iperf3::new(at.ip(), at.port(), None);
    let measured = client.perform(&ask, Side::There, &Watch::quiet()).await.unwrap();
    let Payload::Transfer(transfer) = measured.payload else {
        panic!("{:?}", measured.payload);
    };
    assert_eq!(transfer.stop, Some(StopReason::MaxTime));
    assert_eq!(transfer.bytes_received, Some(server.join().unwrap()));
}
