//! Programs of different versions: whoever refuses, the person at the client reads both versions.

use super::acting::{greeted_with, token};
use super::channel::Channel;
use super::{Server, ServerConfig};
use crate::{NetError, Watch};
use probe::session::{Limits, PROTOCOL_VERSION, Refusal, ToClient, ToServer};
use tokio::net::TcpStream;

const OLDER: u32 = PROTOCOL_VERSION - 1;

/// Why we do not get in where the answer to our greeting is `answer`.
async fn refusal_after(answer: ToClient) -> String {
    let (refused, _channel, hello) = greeted_with(answer).await;
    assert!(matches!(
        hello,
        ToServer::Hello {
            version: PROTOCOL_VERSION,
            ..
        }
    ));
    match refused.err() {
        Some(NetError::Refused(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn names_both(text: &str) -> bool {
    text.contains(&format!("version {OLDER}")) && text.contains(&format!("version {PROTOCOL_VERSION}"))
}

#[tokio::test]
async fn an_older_far_end_refuses_and_both_versions_are_named() {
    // As version 1 of the protocol puts it: it does not repeat what it was told.
    let refused = ToClient::Refused {
        why: Refusal::Version,
        detail: format!("this far end is slowpath 0.1.0 and speaks version {OLDER} of the protocol only"),
    };
    let text = refusal_after(refused).await;
    assert!(names_both(&text), "{text}");
}

#[tokio::test]
async fn an_older_far_end_that_lets_us_in_is_left_alone() {
    let welcome = ToClient::Welcome {
        version: OLDER,
        program: "slowpath 0.1.0".to_owned(),
        machine: String::new(),
        reflector: [0; 16],
        limits: Limits::default(),
    };
    let text = refusal_after(welcome).await;
    assert!(names_both(&text), "{text}");
}

#[tokio::test]
async fn an_older_client_is_refused_and_both_versions_are_named() {
    let config = ServerConfig::new(vec!["127.0.0.1:0".parse().unwrap()], token());
    let server = Server::bind(config).unwrap();
    let address = server.addresses()[0];
    let watch = Watch::quiet();
    let serving = tokio::spawn(server.run(watch.clone()));
    let stream = TcpStream::connect(address).await.unwrap();
    let mut channel = Channel::initiate(stream, token().key()).await.unwrap();
    let hello = ToServer::Hello {
        version: OLDER,
        program: "slowpath 0.1.0".to_owned(),
    };
    channel.send(&hello).await.unwrap();
    let answer: ToClient = channel.receive().await.unwrap();
    let ToClient::Refused {
        why: Refusal::Version,
        detail,
    } = answer
    else {
        panic!("{answer:?}");
    };
    assert!(names_both(&detail), "{detail}");
    watch.cancel.cancel();
    let _ = serving.await;
}
