//! Strangers, wrong tokens, and one transfer at a time.

use super::support::*;
use evidence::{Ask, NotMeasuredReason};
use net::far_end::{Server, ServerConfig, Side, Token, connect, new_token};
use net::{NetError, Watch};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_refused_and_a_right_one_works_afterwards() {
    let serving = serve();
    let (address, port) = (serving.address.ip(), serving.address.port());
    let another = Token::read(&new_token().unwrap()).unwrap();
    let start = Instant::now();
    let wrong = connect(address, port, &another, None, &Watch::quiet()).await;
    let error = wrong.err().unwrap();
    assert!(
        matches!(&error, NetError::Refused(text) if text.contains("token is wrong")),
        "{error}"
    );
    assert_eq!(error.reason(), NotMeasuredReason::Refused);
    assert!(start.elapsed() < Duration::from_secs(3), "it was tried again");
    serving.client().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_far_end_says_so_at_once() {
    let start = Instant::now();
    let unused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let error = connect(unused.ip(), unused.port(), &token(), None, &Watch::quiet())
        .await
        .err()
        .unwrap();
    assert!(matches!(error, NetError::NoFarEnd(_)), "{error}");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_service_is_not_taken_for_a_far_end() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    });
    let error = connect(address.ip(), address.port(), &token(), None, &Watch::quiet())
        .await
        .err()
        .unwrap();
    assert!(matches!(error, NetError::Refused(_)), "{error}");
}

/// What a stranger who writes `bytes` gets back before the connection ends.
async fn answer_to(serving: &Serving, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(8), stream.read_to_end(&mut answer))
        .await
        .unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_get_not_one_byte() {
    let serving = serve();
    let oversize = [b"SPc1".as_slice(), &u16::MAX.to_be_bytes(), &[0; 70_000]].concat();
    let no_token = [b"SPc1".as_slice(), &48u16.to_be_bytes(), &[7; 48]].concat();
    let forged_data = [b"SPd1".as_slice(), &[0; 18]].concat();
    let strangers = [
        b"GET / HTTP/1.1\r\n\r\n".as_slice(),
        b"",
        b"SP",
        &oversize,
        &no_token,
        &forged_data,
    ];
    let answers = futures::future::join_all(strangers.map(|bytes| answer_to(&serving, bytes))).await;
    assert!(answers.iter().all(Vec::is_empty), "{answers:?}");
    serving.client().await;
}

fn host_facts(vantage: Side) -> Ask {
    Ask::HostFacts { at: nodes(vantage).0 }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_transfer_at_a_time_and_others_wait_for_their_turn() {
    let serving = serve();
    let (first, second) = (serving.client().await, serving.client().await);
    let third = serving.client().await;
    let cancel = CancellationToken::new();
    let (began, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let watch = Watch::new(cancel.clone(), move |progress| {
        if progress.fraction.is_some() {
            let _ = began.send(());
        }
    });
    let (told, mut tells) = tokio::sync::mpsc::unbounded_channel();
    let waits = Watch::new(CancellationToken::new(), move |progress| {
        let _ = told.send(progress.text);
    });
    let (ask, short) = (tcp(Side::Here, 20_000), tcp(Side::Here, 100));
    let running = perform(&first, &ask, &watch);
    let waiting = async {
        begins.recv().await;
        perform(&second, &short, &waits).await
    };
    let looking_on = async {
        let text = loop {
            let text = tells.recv().await.unwrap();
            if text.contains("waiting for the far end") {
                break text;
            }
        };
        // What needs no bulk transfer works meanwhile.
        let facts = perform(&third, &host_facts(Side::There), &Watch::quiet()).await;
        assert!(facts.is_ok(), "{facts:?}");
        // Who leaves leaves the queue.
        let leaves = CancellationToken::new();
        let leaving = Watch::new(leaves.clone(), |_| {});
        let (left, ()) = tokio::join!(perform(&third, &short, &leaving), async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            leaves.cancel();
        });
        assert!(matches!(left, Err(NetError::Cancelled)), "{left:?}");
        cancel.cancel();
        text
    };
    let (long, waited, text) = tokio::join!(running, waiting, looking_on);
    assert!(long.is_ok() && waited.is_ok(), "{long:?} {waited:?}");
    assert!(
        text.contains("about 2") && text.contains("you are next"),
        "{text}"
    );
    assert!(transfer_of(&second, &tcp(Side::Here, 100)).await.bytes_received > Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_transfer_is_refused_in_words() {
    let serving = serve();
    let far = serving.client().await;
    let mut ask = tcp(Side::Here, 100);
    if let Ask::TcpThroughput { streams, .. } = &mut ask {
        *streams = 0;
    }
    let refused = perform(&far, &ask, &Watch::quiet()).await.unwrap_err();
    assert!(refused.to_string().contains("0 streams"), "{refused}");
    let here = perform(&far, &host_facts(Side::Here), &Watch::quiet())
        .await
        .unwrap_err();
    assert!(matches!(here, NetError::Unsupported(_)), "{here}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_wants_a_free_port() {
    let serving = serve();
    let taken = Server::bind(ServerConfig::new(vec![serving.address], token()))
        .err()
        .unwrap();
    assert!(matches!(taken, NetError::Os { .. }), "{taken}");
}
