//! A far end of which a test speaks every word.

use super::channel::Channel;
use super::handshake::{Knock, OpenedBy};
use super::{FarEnd, Token, connect};
use crate::budget::Budget;
use crate::{NetError, Watch};
use probe::session::{ToClient, ToServer};
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

/// A token as the program makes them.
pub(super) fn token() -> Token {
    Token::read("slowpath_4f6d1c0b8a2e59d37b1f0a6c9e8d24735b60aa1e795625fc").unwrap()
}

/// What a client makes of this answer to its greeting; the conversation as the test goes on with it, and the greeting.
pub(super) async fn greeted_with(answer: ToClient) -> (Result<FarEnd, NetError>, Channel, ToServer) {
    let (client, channel, hello, _) = listened_to(answer).await;
    (client, channel, hello)
}

/// The same, and where the client's bulk connections arrive.
pub(super) async fn listened_to(
    answer: ToClient,
) -> (Result<FarEnd, NetError>, Channel, ToServer, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let far_end = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut magic = [0; OpenedBy::Client.magic().len()];
        stream.read_exact(&mut magic).await.unwrap();
        let message = Knock::message(&mut stream).await.ok().unwrap();
        let knock = Knock::read(&message, OpenedBy::Client, token().key())
            .ok()
            .unwrap();
        let mut channel = Channel::answer(stream, knock, Arc::new(Budget::new(None, 0)))
            .await
            .unwrap();
        let hello: ToServer = channel.receive().await.unwrap();
        channel.send(&answer).await.unwrap();
        (channel, hello)
    };
    let (token, watch) = (token(), Watch::quiet());
    let client = connect(address.ip(), address.port(), &token, None, &watch);
    let (client, (channel, hello)) = tokio::join!(client, far_end);
    (client, channel, hello, listener)
}

/// What a client makes of the answers to its two greetings, and the greetings.
pub(super) async fn heard_twice(answers: [ToClient; 2]) -> (Result<FarEnd, NetError>, [ToServer; 2]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let far_end = async {
        let mut hellos = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut magic = [0; OpenedBy::Client.magic().len()];
            stream.read_exact(&mut magic).await.unwrap();
            let message = Knock::message(&mut stream).await.ok().unwrap();
            let knock = Knock::read(&message, OpenedBy::Client, token().key())
                .ok()
                .unwrap();
            let budget = Arc::new(Budget::new(None, 0));
            let mut channel = Channel::answer(stream, knock, budget).await.unwrap();
            hellos.push(channel.receive::<ToServer>().await.unwrap());
            channel.send(&answer).await.unwrap();
        }
        hellos.try_into().unwrap()
    };
    let (token, watch) = (token(), Watch::quiet());
    let client = connect(address.ip(), address.port(), &token, None, &watch);
    tokio::join!(client, far_end)
}
