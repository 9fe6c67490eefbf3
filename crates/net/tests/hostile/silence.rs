//! Not one byte without the token: what is recorded, altered or invented draws nothing.

use super::support::{Serving, connect_from, key, serve, source, token};
use super::wire::{ANSWER_BYTES, GREETING_BYTES, Holder, greeting, packet};
use net::Watch;
use net::far_end::connect;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// What `bytes` draw before the connection ends. No more follow where the sender `is_done`; else it waits.
pub(crate) async fn drawn_by(bytes: &[u8], is_done: bool, to: SocketAddr) -> usize {
    let mut stream = connect_from(source(20, 0), to).await.unwrap();
    let _ = stream.write_all(bytes).await;
    if is_done {
        let _ = stream.shutdown().await;
    }
    let (mut answer, mut buffer) = (0, [0; 4_096]);
    // The far end gives up after four seconds at the latest.
    let reading = async {
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            answer += count;
        }
    };
    tokio::time::timeout(Duration::from_secs(8), reading)
        .await
        .unwrap();
    answer
}

/// What a genuine client sent, as somebody on the path has recorded it.
async fn recorded(serving: &Serving) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, to) = (listener.local_addr().unwrap(), serving.address);
    let record = Arc::new(Mutex::new(Vec::new()));
    let recording = record.clone();
    let proxy = tokio::spawn(async move {
        let (near, _) = listener.accept().await.unwrap();
        let far = connect_from(source(20, 1), to).await.unwrap();
        let ((mut near_read, mut near_write), (mut far_read, mut far_write)) =
            (near.into_split(), far.into_split());
        let back = tokio::spawn(async move { tokio::io::copy(&mut far_read, &mut near_write).await });
        let mut buffer = [0; 4_096];
        while let Ok(count @ 1..) = near_read.read(&mut buffer).await {
            recording.lock().unwrap().extend_from_slice(&buffer[..count]);
            far_write.write_all(&buffer[..count]).await.unwrap();
        }
        back.abort();
    });
    let client = connect(address.ip(), address.port(), &token(), None, &Watch::quiet()).await;
    drop(client.unwrap());
    proxy.await.unwrap();
    let record = record.lock().unwrap().clone();
    assert!(record.len() > GREETING_BYTES + 2, "{} bytes", record.len());
    record
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_greeting_draws_nothing() {
    let serving = serve();
    let record = recorded(&serving).await;
    let (first, rest) = record.split_at(GREETING_BYTES);
    let with = |more: &[u8]| [first, more].concat();
    let mut altered = record.clone();
    altered[20] ^= 1;
    let attempts = [
        record.clone(),
        first.to_vec(),
        first[..GREETING_BYTES - 1].to_vec(),
        with(&[0; 64]),
        with(&packet(&[7; 32])),
        with(&u16::MAX.to_be_bytes()),
        with(&[rest, rest].concat()),
        altered,
    ];
    for (number, bytes) in attempts.iter().enumerate() {
        for is_done in [true, false] {
            assert_eq!(
                drawn_by(bytes, is_done, serving.address).await,
                0,
                "attempt {number}, done: {is_done}"
            );
        }
    }
}

/// Who has the token, or holds up somebody's first message and uses it himself, draws the handshake's answer. Without the
/// fresh keys that is all there is to be had.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_sealed_after_a_good_greeting_draws_no_more_than_its_answer() {
    let serving = serve();
    let garbage: [&[u8]; 5] = [
        &[],
        &packet(&[7; 32]),
        &packet(&[]),
        &u16::MAX.to_be_bytes(),
        &[0xff; 3_000],
    ];
    for (number, more) in garbage.iter().enumerate() {
        let (mut bytes, _) = greeting(&key());
        bytes.extend_from_slice(more);
        let drawn = drawn_by(&bytes, more.is_empty(), serving.address).await;
        assert!(drawn <= ANSWER_BYTES, "attempt {number}: {drawn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_first_word_that_nobody_knows_is_answered_with_the_version() {
    let serving = serve();
    let mut holder = Holder::open(source(20, 2), serving.address, &key())
        .await
        .unwrap();
    holder
        .send(b"{\"say\":\"greetings-from-version-99\"}", true)
        .await
        .unwrap();
    let mut answer = Vec::new();
    holder.stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.len() > 50, "{} bytes", answer.len());
}
