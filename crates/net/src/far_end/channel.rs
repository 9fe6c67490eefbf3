//! An encrypted, mutually authenticated channel of messages over one TCP connection.
//!
//! The first handshake message could be a replay, so the server treats nobody as authenticated before a message under
//! the fresh keys has arrived.
//!
//! On the wire: the four bytes that announce a control connection, then packets of a big-endian u16 length and so
//! many bytes of ciphertext: the handshake's two, then chunks of `probe::session`, which messages are made of.

use super::handshake::{self, HandshakeError, Knock, OpenedBy, TAG_BYTES};
use super::ledger::Verdict;
use crate::budget::Budget;
use crate::sys::tcp_socket;
use crate::sys::thread_time::monotonic_ns;
use probe::session::{
    Assembler, MAX_CHUNK_BYTES, MAX_MESSAGE_BYTES, MAX_QUESTION_BYTES, chunks, decode, encode,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use snow::StatelessTransportState;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Longest time that a message may wait for room in the socket: the peer no longer reads, or is gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a message that the owner's budget does not allow yet waits in the socket.
const BUDGET_WAIT: Duration = Duration::from_millis(2);

/// What an end takes from its peer.
struct Appetite {
    max_message_bytes: usize,
    /// Messages read ahead of the session; then TCP's flow control holds the peer.
    read_ahead: usize,
}

/// The client reads reports, and slices while it is busy with a transfer.
const CLIENT: Appetite = Appetite {
    max_message_bytes: MAX_MESSAGE_BYTES,
    read_ahead: 16,
};
/// The server reads questions, one after the other, of many clients: 48 kB at most for each.
const SERVER: Appetite = Appetite {
    max_message_bytes: MAX_QUESTION_BYTES,
    read_ahead: 1,
};

/// Why a channel broke.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChannelError {
    /// The connection ended or broke.
    #[error("{0}")]
    Gone(#[from] io::Error),
    /// The peer does not have our token, or is something else.
    #[error("the handshake failed")]
    Handshake,
    /// What came was not sealed with the keys of this connection: nobody who has them sent it.
    #[error("a packet that does not decrypt")]
    Forged,
    /// The peer sent something that is not in the protocol.
    #[error("{0}")]
    Protocol(String),
}

impl From<HandshakeError> for ChannelError {
    fn from(error: HandshakeError) -> Self {
        match error {
            HandshakeError::Gone(error) => Self::Gone(error),
            HandshakeError::Foreign => Self::Handshake,
        }
    }
}

/// One end of a channel.
pub(super) struct Channel {
    incoming: mpsc::Receiver<Result<Vec<u8>, ChannelError>>,
    writer: OwnedWriteHalf,
    keys: Arc<StatelessTransportState>,
    sent: u64,
    reader: JoinHandle<()>,
    /// The last answer that was no measurement.
    verdict: Option<Verdict>,
}

impl Channel {
    /// The client's side of the handshake, with the key of the token. The caller sets a time limit.
    pub(super) async fn initiate(mut stream: TcpStream, key: &[u8; 32]) -> Result<Self, ChannelError> {
        let keys = handshake::initiate(&mut stream, OpenedBy::Client, key).await?;
        Ok(Self::start(stream, keys, CLIENT, None))
    }

    /// The side of a far end that connects to its client. What is read from then on draws on `budget`.
    pub(super) async fn dial(
        mut stream: TcpStream,
        key: &[u8; 32],
        budget: Arc<Budget>,
    ) -> Result<Self, ChannelError> {
        let keys = handshake::initiate(&mut stream, OpenedBy::FarEnd, key).await?;
        Ok(Self::start(stream, keys, SERVER, Some(budget)))
    }

    /// The side of a client that waited for its far end: answers a first message that was good.
    pub(super) async fn answer_far_end(mut stream: TcpStream, knock: Knock) -> Result<Self, ChannelError> {
        let keys = knock.answer(&mut stream).await?;
        Ok(Self::start(stream, keys, CLIENT, None))
    }

    /// The server's side: answers a first message that was good. What is read from then on draws on `budget`.
    pub(super) async fn answer(
        mut stream: TcpStream,
        knock: Knock,
        budget: Arc<Budget>,
    ) -> Result<Self, ChannelError> {
        let keys = knock.answer(&mut stream).await?;
        Ok(Self::start(stream, keys, SERVER, Some(budget)))
    }

    fn start(
        stream: TcpStream,
        keys: StatelessTransportState,
        appetite: Appetite,
        budget: Option<Arc<Budget>>,
    ) -> Self {
        let keys = Arc::new(keys);
        let (read_half, writer) = stream.into_split();
        let (sender, incoming) = mpsc::channel(appetite.read_ahead);
        let reading = Reading {
            stream: read_half,
            keys: keys.clone(),
            received: 0,
            budget,
            max_chunk_bytes: MAX_CHUNK_BYTES.min(appetite.max_message_bytes + 1),
        };
        let assembler = Assembler::of_at_most(appetite.max_message_bytes);
        let reader = tokio::spawn(read_messages(reading, assembler, sender));
        Self {
            incoming,
            writer,
            keys,
            sent: 0,
            reader,
            verdict: None,
        }
    }

    /// The socket, for its options.
    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.writer.as_ref().as_fd()
    }

    /// The address and port at this end.
    pub(super) fn local_address(&self) -> io::Result<SocketAddr> {
        self.writer.local_addr()
    }

    /// What is said next is no measurement.
    pub(super) fn noted(&mut self, verdict: Verdict) {
        self.verdict = Some(verdict);
    }

    /// The last answer that was no measurement, unless it was asked for already.
    pub(super) fn take_verdict(&mut self) -> Option<Verdict> {
        self.verdict.take()
    }

    /// Sends a message.
    pub(super) async fn send<M: Serialize>(&mut self, message: &M) -> Result<(), ChannelError> {
        let bytes = encode(message).map_err(|error| ChannelError::Protocol(error.to_string()))?;
        self.send_raw(&bytes).await
    }

    /// Sends bytes as a message.
    pub(super) async fn send_raw(&mut self, bytes: &[u8]) -> Result<(), ChannelError> {
        let chunks = chunks(bytes).map_err(|error| ChannelError::Protocol(error.to_string()))?;
        let mut packets = Vec::with_capacity(bytes.len() + chunks.len() * (3 + TAG_BYTES));
        for chunk in chunks {
            let mut sealed = vec![0; chunk.len() + TAG_BYTES];
            let length = self
                .keys
                .write_message(self.sent, &chunk, &mut sealed)
                .map_err(HandshakeError::from)?;
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

/// The receiving side of a channel.
struct Reading {
    stream: OwnedReadHalf,
    keys: Arc<StatelessTransportState>,
    received: u64,
    budget: Option<Arc<Budget>>,
    max_chunk_bytes: usize,
}

impl Reading {
    async fn chunk(&mut self) -> Result<Vec<u8>, ChannelError> {
        while self
            .budget
            .as_ref()
            .is_some_and(|budget| !budget.packet(0, monotonic_ns()))
        {
            tokio::time::sleep(BUDGET_WAIT).await;
        }
        let length = usize::from(self.stream.read_u16().await?);
        // The length is in the clear: anybody on the path could have written it.
        if length > self.max_chunk_bytes + TAG_BYTES {
            return Err(ChannelError::Forged);
        }
        let mut sealed = vec![0; length];
        self.stream.read_exact(&mut sealed).await?;
        let mut chunk = vec![0; length];
        let opened = self
            .keys
            .read_message(self.received, &sealed, &mut chunk)
            .map_err(|_| ChannelError::Forged)?;
        self.received += 1;
        if let Some(budget) = &self.budget {
            budget.has_passed(length as u64, monotonic_ns());
        }
        chunk.truncate(opened);
        Ok(chunk)
    }
}

/// Reads packets until the connection ends or breaks; the last word on the queue is then an error.
async fn read_messages(
    mut reading: Reading,
    mut assembler: Assembler,
    sender: mpsc::Sender<Result<Vec<u8>, ChannelError>>,
) {
    loop {
        let message = match reading.chunk().await {
            Ok(chunk) => assembler
                .push(&chunk)
                .map_err(|error| ChannelError::Protocol(error.to_string())),
            Err(error) => Err(error),
        };
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
        client_key: u8,
        server_key: u8,
    ) -> (Result<Channel, ChannelError>, Result<Channel, ChannelError>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut magic = [0; 4];
            stream.read_exact(&mut magic).await.unwrap();
            assert_eq!(magic, OpenedBy::Client.magic());
            let message = Knock::message(&mut stream).await?;
            let knock = Knock::read(&message, OpenedBy::Client, &[server_key; 32])?;
            Channel::answer(stream, knock, Arc::new(Budget::new(None, 0))).await
        };
        let client = async {
            let stream = TcpStream::connect(address).await.unwrap();
            Channel::initiate(stream, &[client_key; 32]).await
        };
        tokio::join!(client, server)
    }

    fn of_bytes(length: usize) -> ToServer {
        ToServer::Hello {
            version: 1,
            program: "x".repeat(length),
        }
    }

    #[tokio::test]
    async fn large_messages_pass_to_the_client_and_questions_to_the_server() {
        let (client, server) = pair(1, 1).await;
        let (mut client, mut server) = (client.unwrap(), server.unwrap());
        let (question, report) = (of_bytes(MAX_QUESTION_BYTES - 100), of_bytes(300_000));
        let (sent, received) = tokio::join!(client.send(&question), server.receive::<ToServer>());
        sent.unwrap();
        assert_eq!(received.unwrap(), question);
        let (sent, received) = tokio::join!(server.send(&report), client.receive::<ToServer>());
        sent.unwrap();
        assert_eq!(received.unwrap(), report);
        let (_, refused) = tokio::join!(client.send(&report), server.receive::<ToServer>());
        assert!(matches!(refused, Err(ChannelError::Forged)), "{refused:?}");
    }

    #[tokio::test]
    async fn another_token_opens_nothing() {
        let (client, server) = pair(1, 2).await;
        assert!(matches!(server.err(), Some(ChannelError::Handshake)));
        assert!(client.is_err());
    }

    #[tokio::test]
    async fn the_end_of_the_peer_is_an_error_and_stays_one() {
        let (client, server) = pair(1, 1).await;
        let mut server = server.unwrap();
        drop(client);
        assert!(server.receive::<ToServer>().await.is_err());
        assert!(server.receive::<ToServer>().await.is_err());
    }
}
