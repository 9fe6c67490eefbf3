//! Programs of different versions: whoever refuses, the person at the client reads both versions.

use super::acting::{greeted_with, heard_twice, token};
use super::channel::Channel;
use super::{Server, ServerConfig};
use crate::{NetError, Watch};
use probe::session::{Limits, OLDEST_VERSION, PROTOCOL_VERSION, Refusal, ToClient, ToServer, UdpPlan};
use tokio::net::TcpStream;

const OLDER: u32 = OLDEST_VERSION - 1;

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

fn refused_as_by(version: u32) -> ToClient {
    // As version 1 of the protocol puts it: it does not repeat what it was told.
    ToClient::Refused {
        why: Refusal::Version,
        detail: format!("this far end is slowpath 0.1.0 and speaks version {version} of the protocol only"),
    }
}

fn welcomed_as_by(version: u32) -> ToClient {
    ToClient::Welcome {
        version,
        program: "slowpath 0.1.0".to_owned(),
        machine: String::new(),
        reflector: [0; 16],
        limits: Limits::default(),
    }
}

fn said(hello: &ToServer) -> u32 {
    match hello {
        ToServer::Hello { version, .. } => *version,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_far_end_that_is_too_old_refuses_twice_and_both_versions_are_named() {
    let (refused, hellos) = heard_twice([refused_as_by(OLDER), refused_as_by(OLDER)]).await;
    let Err(NetError::Refused(text)) = refused else {
        panic!("it is in");
    };
    assert!(names_both(&text), "{text}");
    assert_eq!(
        hellos.map(|hello| said(&hello)),
        [PROTOCOL_VERSION, OLDEST_VERSION]
    );
}

#[tokio::test]
async fn a_far_end_of_the_oldest_version_is_greeted_once_more_in_its_own() {
    let answers = [refused_as_by(OLDEST_VERSION), welcomed_as_by(OLDEST_VERSION)];
    let (far_end, hellos) = heard_twice(answers).await;
    assert!(far_end.is_ok());
    assert_eq!(said(&hellos[1]), OLDEST_VERSION);
}

#[tokio::test]
async fn a_far_end_answers_in_the_version_of_the_greeting_or_not_at_all() {
    let (refused, ..) = greeted_with(welcomed_as_by(OLDEST_VERSION)).await;
    assert!(matches!(refused, Err(NetError::Refused(_))));
}

/// Where one program is older than the other, what it does not know is not said to it.
#[tokio::test]
async fn an_older_client_hears_that_it_is_busy_and_a_newer_one_waits() {
    let config = ServerConfig::new(vec!["127.0.0.1:0".parse().unwrap()], token());
    let server = Server::bind(config).unwrap();
    let address = server.addresses()[0];
    let watch = Watch::quiet();
    let serving = tokio::spawn(server.run(watch.clone()));
    let client = |version| async move {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut channel = Channel::initiate(stream, token().key()).await.unwrap();
        let program = "slowpath 0.1.0".to_owned();
        channel.send(&ToServer::Hello { version, program }).await.unwrap();
        let welcome: ToClient = channel.receive().await.unwrap();
        assert!(matches!(welcome, ToClient::Welcome { version: spoken, .. } if spoken == version));
        let plan = UdpPlan {
            server_sends: true,
            size_bytes: 1_000,
            rate_bps: 1e5,
            duration_ms: 100,
        };
        channel.send(&ToServer::Udp { plan }).await.unwrap();
        channel
    };
    let mut first = client(OLDEST_VERSION).await;
    let accepted: ToClient = first.receive().await.unwrap();
    assert!(matches!(accepted, ToClient::Accepted { .. }), "{accepted:?}");
    let busy: ToClient = client(OLDEST_VERSION).await.receive().await.unwrap();
    assert!(
        matches!(&busy, ToClient::Refused { why: Refusal::Busy, detail } if detail.contains("127.0.0.1")),
        "{busy:?}"
    );
    let mut waits = client(PROTOCOL_VERSION).await;
    let waiting: ToClient = waits.receive().await.unwrap();
    assert!(
        matches!(waiting, ToClient::Waiting { before: 0, .. }),
        "{waiting:?}"
    );
    let mut leaves = client(PROTOCOL_VERSION).await;
    let waiting: ToClient = leaves.receive().await.unwrap();
    assert!(
        matches!(waiting, ToClient::Waiting { before: 1, .. }),
        "{waiting:?}"
    );
    let stop = ToServer::Stop {
        cancelled: true,
        sent: None,
    };
    leaves.send(&stop).await.unwrap();
    let left: ToClient = leaves.receive().await.unwrap();
    assert!(matches!(left, ToClient::Failed { .. }), "{left:?}");
    // Its turn comes when the first one goes away.
    drop(first);
    loop {
        match waits.receive().await.unwrap() {
            ToClient::Waiting { before: 0, .. } => {}
            ToClient::Accepted { .. } => break,
            other => panic!("{other:?}"),
        }
    }
    watch.cancel.cancel();
    let _ = serving.await;
}

#[tokio::test]
async fn an_older_far_end_that_lets_us_in_is_left_alone() {
    let welcome = welcomed_as_by(OLDER);
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
