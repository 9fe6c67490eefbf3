//! An encrypted, mutually authenticated channel of messages over one TCP connection.
//!
//! Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s: the pre-shared key authenticates both ends and fresh keys per connection
//! keep old recordings secret. The first handshake message could be a replay, so the server treats nobody as
//! authenticated before a message under the fresh keys has arrived.
//!
//! On the wire: the four bytes that announce a control connection, then packets of a big-endian u16 length and so
//! many bytes of ciphertext. Messages are chunks of `probe::session`.

use super::token::pre_shared_key;
use crate::sys::tcp_socket;
use probe::session::{Assembler, chunks, decode, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use snow::{Builder, HandshakeState, StatelessTransportState};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The first bytes of a control connection.
pub(super) const CONTROL_MAGIC: [u8; 4] = *b"SPc1";

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
const PROLOGUE: &[u8] = b"slowpath far end 1";
/// A handshake message is an ephemeral key and a tag.
const MAX_HANDSHAKE_BYTES: usize = 96;
const TAG_BYTES: usize = 16;
/// Longest time that a message may wait for room in the socket: the peer no longer reads, or is gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Messages read ahead of the session; then TCP's flow control holds the peer.
const READ_AHEAD: usize = 16;

/// Why a channel broke.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChannelError {
    /// The connection ended or broke.
    #[error("{0}")]
    Gone(#[from] io::Error),
    /// The peer does not have our token, or is something else.
    #[error("the handshake failed")]
    Handshake,
    /// The peer sent something that is not in the protocol.
    #[error("{0}")]
    Protocol(String),
}

/// One end of a channel.
pub(super) struct Channel {
    incoming: mpsc::Receiver<Result<Vec<u8>, ChannelError>>,
    writer: OwnedWriteHalf,
    keys: Arc<StatelessTransportState>,
    sent: u64,
    reader: JoinHandle<()>,
}

impl Channel {
    /// The client's side of the handshake. The caller sets a time limit.
    pub(super) async fn initiate(mut stream: TcpStream, token: &str) -> Result<Self, ChannelError> {
        let mut handshake = builder(&pre_shared_key(token))?
            .build_initiator()
            .map_err(noise)?;
        stream.write_all(&CONTROL_MAGIC).await?;
        write_handshake(&mut stream, &mut handshake).await?;
        read_handshake(&mut stream, &mut handshake).await?;
        Self::start(stream, handshake)
    }

    /// The server's side, after [`CONTROL_MAGIC`] was read. Writes nothing to a peer without the token.
    pub(super) async fn accept(mut stream: TcpStream, key: &[u8; 32]) -> Result<Self, ChannelError> {
        let mut handshake = builder(key)?.build_responder().map_err(noise)?;
        read_handshake(&mut stream, &mut handshake).await?;
        write_handshake(&mut stream, &mut handshake).await?;
        Self::start(stream, handshake)
    }

    fn start(stream: TcpStream, handshake: HandshakeState) -> Result<Self, ChannelError> {
        let keys = Arc::new(handshake.into_stateless_transport_mode().map_err(noise)?);
        let (read_half, writer) = stream.into_split();
        let (sender, incoming) = mpsc::channel(READ_AHEAD);
        let reader = tokio::spawn(read_messages(read_half, keys.clone(), sender));
        Ok(Self {
            incoming,
            writer,
            keys,
            sent: 0,
            reader,
        })
    }

    /// Sends a message.
    pub(super) async fn send<M: Serialize>(&mut self, message: &M) -> Result<(), ChannelError> {
        let bytes = encode(message).map_err(|error| ChannelError::Protocol(error.to_string()))?;
        let chunks = chunks(&bytes).map_err(|error| ChannelError::Protocol(error.to_string()))?;
        let mut packets = Vec::with_capacity(bytes.len() + chunks.len() * (3 + TAG_BYTES));
        for chunk in chunks {
            let mut sealed = vec![0; chunk.len() + TAG_BYTES];
            let length = self
                .keys
                .write_message(self.sent, &chunk, &mut sealed)
                .map_err(noise)?;
            self.sent += 1;
            packets.extend_from_slice(&(length as u16).to_be_bytes());
            packets.extend_from_slice(sealed.get(..length).unwrap_or(&[]));
        }
        let written = tokio::time::timeout(SEND_TIMEOUT, self.writer.write_all(&packets)).await;
        Ok(written.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??)
    }

    /// The next message. May be cancelled without losing one.
    pub(super) async fn receive<M: DeserializeOwned>(&mut self) -> Result<M, ChannelError> {
        match self.incoming.recv().await {
            Some(Ok(bytes)) => decode(&bytes).map_err(|error| ChannelError::Protocol(error.to_string())),
            Some(Err(error)) => Err(error),
            None => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

impl Channel {
    /// Ends the conversation at this end: an answer that is late must not be taken for the answer to something else.
    pub(super) fn give_up(&mut self) {
        self.reader.abort();
        self.incoming.close();
        while self.incoming.try_recv().is_ok() {}
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

fn builder(key: &[u8; 32]) -> Result<Builder<'_>, ChannelError> {
    let pattern = PATTERN.parse().map_err(noise)?;
    Builder::new(pattern)
        .psk(0, key)
        .and_then(|builder| builder.prologue(PROLOGUE))
        .map_err(noise)
}

fn noise(_: snow::Error) -> ChannelError {
    ChannelError::Handshake
}

async fn write_handshake(stream: &mut TcpStream, handshake: &mut HandshakeState) -> Result<(), ChannelError> {
    let mut message = [0u8; MAX_HANDSHAKE_BYTES];
    let length = handshake.write_message(&[], &mut message).map_err(noise)?;
    let mut packet = (length as u16).to_be_bytes().to_vec();
    packet.extend_from_slice(message.get(..length).unwrap_or(&[]));
    Ok(stream.write_all(&packet).await?)
}

async fn read_handshake(stream: &mut TcpStream, handshake: &mut HandshakeState) -> Result<(), ChannelError> {
    let length = usize::from(stream.read_u16().await?);
    let mut message = [0u8; MAX_HANDSHAKE_BYTES];
    let message = message.get_mut(..length).ok_or(ChannelError::Handshake)?;
    stream.read_exact(message).await?;
    let mut payload = [0u8; MAX_HANDSHAKE_BYTES];
    handshake.read_message(message, &mut payload).map_err(noise)?;
    Ok(())
}

/// Reads packets until the connection ends or breaks; the last word on the queue is then an error.
async fn read_messages(
    mut stream: OwnedReadHalf,
    keys: Arc<StatelessTransportState>,
    sender: mpsc::Sender<Result<Vec<u8>, ChannelError>>,
) {
    let mut assembler = Assembler::default();
    let mut received = 0;
    loop {
        let message = match read_chunk(&mut stream, &keys, received).await {
            Ok(chunk) => assembler
                .push(&chunk)
                .map_err(|error| ChannelError::Protocol(error.to_string())),
            Err(error) => Err(error),
        };
        received += 1;
        let broken = message.is_err();
        let delivered = match message.transpose() {
            Some(message) => sender.send(message).await.is_ok(),
            None => true,
        };
        if broken || !delivered {
            return;
        }
    }
}

async fn read_chunk(
    stream: &mut OwnedReadHalf,
    keys: &StatelessTransportState,
    nonce: u64,
) -> Result<Vec<u8>, ChannelError> {
    let length = usize::from(stream.read_u16().await?);
    let mut sealed = vec![0; length];
    stream.read_exact(&mut sealed).await?;
    let mut chunk = vec![0; length];
    let opened = keys
        .read_message(nonce, &sealed, &mut chunk)
        .map_err(|_| ChannelError::Protocol("a packet that does not decrypt".to_owned()))?;
    chunk.truncate(opened);
    Ok(chunk)
}

/// Segments so small that they pass any path that carries anything: a control channel must not fall into the black
/// hole that it is to report. 1,200 bytes is what QUIC (RFC 9000, 14) relies on.
pub(super) fn keep_segments_small(socket: BorrowedFd<'_>, is_v6: bool) -> io::Result<()> {
    let mss = if is_v6 { 1_140 } else { 1_160 };
    tcp_socket::set_u32(socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, mss)
}

/// Makes a dead peer known within about seven seconds, whether or not anything waits for an acknowledgement.
pub(super) fn notice_death(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = stream.as_fd();
    let tcp = [
        (libc::TCP_KEEPIDLE, 3),
        (libc::TCP_KEEPINTVL, 1),
        (libc::TCP_KEEPCNT, 4),
        (libc::TCP_USER_TIMEOUT, 7_000),
    ];
    tcp_socket::set_u32(socket, libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
    tcp.iter()
        .try_for_each(|(name, value)| tcp_socket::set_u32(socket, libc::IPPROTO_TCP, *name, *value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probe::session::ToServer;
    use tokio::net::TcpListener;

    async fn pair(
        client_token: &str,
        server_token: &str,
    ) -> (Result<Channel, ChannelError>, Result<Channel, ChannelError>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let key = pre_shared_key(server_token);
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut magic = [0; 4];
            stream.read_exact(&mut magic).await.unwrap();
            assert_eq!(magic, CONTROL_MAGIC);
            Channel::accept(stream, &key).await
        };
        let client =
            async { Channel::initiate(TcpStream::connect(address).await.unwrap(), client_token).await };
        tokio::join!(client, server)
    }

    #[tokio::test]
    async fn large_messages_pass_both_ways() {
        let (client, server) = pair("token", "token").await;
        let (mut client, mut server) = (client.unwrap(), server.unwrap());
        let long = ToServer::Hello {
            version: 1,
            program: "x".repeat(300_000),
        };
        let (sent, received) = tokio::join!(client.send(&long), server.receive::<ToServer>());
        sent.unwrap();
        assert_eq!(received.unwrap(), long);
        let (sent, received) = tokio::join!(server.send(&long), client.receive::<ToServer>());
        sent.unwrap();
        assert_eq!(received.unwrap(), long);
    }

    #[tokio::test]
    async fn another_token_opens_nothing() {
        let (client, server) = pair("token", "another").await;
        assert!(matches!(server.err(), Some(ChannelError::Handshake)));
        assert!(client.is_err());
    }

    #[tokio::test]
    async fn the_end_of_the_peer_is_an_error_and_stays_one() {
        let (client, server) = pair("token", "token").await;
        let mut server = server.unwrap();
        drop(client);
        assert!(server.receive::<ToServer>().await.is_err());
        assert!(server.receive::<ToServer>().await.is_err());
    }
}
