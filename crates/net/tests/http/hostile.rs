//! Servers that lie, stall and flood.

use crate::support::*;
use evidence::{StopReason, Transfer};
use net::NetError;
use probe::http::HttpError;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Answers each connection by `answer`, once its request has come; gives the URL.
fn server(answer: impl Fn(&mut TcpStream) + Send + Clone + 'static) -> String {
    let listener = TcpListener::bind((HERE, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), answer) = (stream, answer.clone()) else {
                return;
            };
            std::thread::spawn(move || {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                answer(&mut stream);
            });
        }
    });
    format!("http://{HERE}:{port}/f")
}

fn says(text: &'static str) -> String {
    server(move |stream| {
        let _ = stream.write_all(text.as_bytes());
    })
}

async fn got(url: &str) -> Result<Transfer, NetError> {
    let began = Instant::now();
    let outcome = download(url, &ask(1, 1_500, None)).await;
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    outcome
}

#[tokio::test]
async fn a_download_that_is_cut_off_is_partial() {
    let url = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        let _ = stream.write_all(&[7; 300_000]);
    });
    let seen = got(&url).await.unwrap();
    assert_eq!(
        (seen.stop, seen.bytes_received),
        (Some(StopReason::PeerGone), Some(300_000))
    );
    assert_eq!(seen.http.unwrap().content_bytes, Some(1_000_000));
    let nothing = got(&says("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")).await;
    assert!(matches!(nothing, Err(NetError::Silent(_))), "{nothing:?}");
}

#[tokio::test]
async fn bytes_behind_the_content_are_none_of_it() {
    let url = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        let _ = stream.write_all(&[7; 300_000]);
    });
    assert_eq!(got(&url).await.unwrap().bytes_received, Some(1_000));
}

#[tokio::test]
async fn a_body_without_an_end_ends_with_the_time() {
    let url = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while stream.write_all(&[7; 65_536]).is_ok() {}
    });
    let seen = got(&url).await.unwrap();
    assert_eq!(seen.stop, Some(StopReason::MaxTime));
}

#[tokio::test]
async fn a_server_that_sends_nothing_of_what_it_promised_is_measured() {
    let url = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        std::thread::sleep(Duration::from_secs(30));
    });
    let seen = got(&url).await.unwrap();
    assert_eq!(
        (seen.stop, seen.bytes_received),
        (Some(StopReason::MaxTime), Some(0))
    );
    assert!(seen.http.unwrap().longest_pause_ns.unwrap() > 1_000_000_000);
}

#[tokio::test]
async fn heads_are_bounded() {
    let endless = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream
            .write_all(b"X-Padding: 0123456789012345678901234567890123456789\r\n")
            .is_ok()
        {}
    });
    let long = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nServer: ");
        while stream.write_all(&[b'a'; 4096]).is_ok() {}
    });
    let again = server(|stream| while stream.write_all(b"HTTP/1.1 302 Found\r\n").is_ok() {});
    for url in [endless, long, again] {
        let error = got(&url).await.unwrap_err();
        assert!(matches!(error, NetError::Silent(_)), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_http_is_told() {
    for url in [says("220 mail.example ESMTP\r\n"), says("\0\0\0"), says("")] {
        let error = got(&url).await.unwrap_err();
        assert!(matches!(error, NetError::Silent(_)), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_compressed_all_the_same_is_refused() {
    let url = says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde");
    let error = got(&url).await.unwrap_err();
    assert!(
        matches!(error, NetError::Web(HttpError::Compressed { .. })),
        "{error}"
    );
}

#[tokio::test]
async fn evidence_is_of_the_server_that_was_named() {
    // Nobody is asked at the other address: it would have to be looked up first.
    let url = says("HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/f\r\nContent-Length: 0\r\n\r\n");
    let wishes = net::http::Wishes {
        is_evidence: true,
        ..wishes()
    };
    let server = http(&url, net::http::Trust::unchecked(), wishes);
    let error = perform(&server, &ask(1, 1_000, None), net::far_end::Side::There)
        .await
        .unwrap_err();
    assert!(
        matches!(error, NetError::Web(HttpError::OtherServer { .. })),
        "{error}"
    );
}
