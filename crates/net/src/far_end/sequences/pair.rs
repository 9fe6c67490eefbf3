//! The two ends of a channel over loopback.

use super::super::channel::Channel;
use super::super::handshake::{Knock, OpenedBy};
use crate::budget::Budget;
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

const KEY: [u8; 32] = [7; 32];

/// Two connected sockets: who connected, who accepted.
pub(super) async fn sockets(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let to = listener.local_addr().unwrap();
    let (near, far) = tokio::join!(TcpStream::connect(to), listener.accept());
    (near.unwrap(), far.unwrap().0)
}

/// The client's end and the server's.
pub(super) async fn channels(listener: &TcpListener) -> (Channel, Channel) {
    let (near, mut far) = sockets(listener).await;
    let server = async {
        far.read_exact(&mut [0; OpenedBy::Client.magic().len()])
            .await
            .unwrap();
        let message = Knock::message(&mut far).await.ok().unwrap();
        let knock = Knock::read(&message, OpenedBy::Client, &KEY).ok().unwrap();
        Channel::answer(far, knock, Arc::new(Budget::new(None, 0)))
            .await
            .unwrap()
    };
    let (client, server) = tokio::join!(Channel::initiate(near, &KEY), server);
    (client.unwrap(), server)
}

/// Runs a conversation to its end.
pub(super) fn run(conversation: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(conversation);
    // A thread that still measures is told to stop, and is not waited for.
    runtime.shutdown_background();
}
