//! The handshake of a control connection: Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s.
//!
//! The pre-shared key authenticates both ends and fresh keys per connection keep old recordings secret. The first message
//! is an ephemeral key and a tag under the pre-shared key: checking it costs a few hashes, and whoever can make one has
//! the token, or has recorded somebody who had it.

use snow::{Builder, HandshakeState, StatelessTransportState};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Who opened a control connection. What one of them says is of no use in the place of the other: what a client said can not be
/// played to a client that waits for its far end, nor the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenedBy {
    Client,
    FarEnd,
}

impl OpenedBy {
    /// Who begins a connection with these bytes.
    pub(super) fn announced(first: [u8; 4]) -> Option<Self> {
        let both = [Self::Client, Self::FarEnd];
        both.into_iter().find(|by| by.magic() == first)
    }

    pub(super) const fn magic(self) -> [u8; 4] {
        match self {
            Self::Client => *b"SPc1",
            Self::FarEnd => *b"SPf1",
        }
    }

    const fn prologue(self) -> &'static [u8] {
        match self {
            Self::Client => b"slowpath far end 1",
            Self::FarEnd => b"slowpath far end 1, which dialed",
        }
    }
}

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
const EPHEMERAL_BYTES: usize = 32;
/// Bytes by which a sealed message is longer than what it holds.
pub(super) const TAG_BYTES: usize = 16;
/// Each of the two messages is an ephemeral key and a tag, and carries nothing.
const MESSAGE_BYTES: usize = EPHEMERAL_BYTES + TAG_BYTES;

/// An ephemeral key and a tag under the pre-shared key.
pub(super) type FirstMessage = [u8; MESSAGE_BYTES];

/// Why there was no handshake.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    /// The connection ended or broke.
    #[error("{0}")]
    Gone(#[from] io::Error),
    /// The peer does not have our token, or is something else.
    #[error("the handshake failed")]
    Foreign,
}

impl From<snow::Error> for HandshakeError {
    fn from(_: snow::Error) -> Self {
        Self::Foreign
    }
}

/// The side of whoever opened the connection. The caller sets a time limit.
pub(super) async fn initiate(
    stream: &mut TcpStream,
    by: OpenedBy,
    key: &[u8; 32],
) -> Result<StatelessTransportState, HandshakeError> {
    let mut handshake = builder(by, key)?.build_initiator()?;
    // In one write: a far end that reads all of it and closes is told from one that resets.
    let mut opening = by.magic().to_vec();
    opening.extend(written(&mut handshake)?);
    stream.write_all(&opening).await?;
    handshake.read_message(&read(stream).await?, &mut [])?;
    Ok(handshake.into_stateless_transport_mode()?)
}

/// The other side: a first message that is good, as yet unanswered.
pub(super) struct Knock {
    handshake: HandshakeState,
    ephemeral: [u8; EPHEMERAL_BYTES],
}

impl Knock {
    /// Reads the first message, after the bytes that announce it.
    pub(super) async fn message(stream: &mut TcpStream) -> Result<FirstMessage, HandshakeError> {
        read(stream).await
    }

    /// Tries a key on the first message.
    pub(super) fn read(message: &FirstMessage, by: OpenedBy, key: &[u8; 32]) -> Result<Self, HandshakeError> {
        let mut handshake = builder(by, key)?.build_responder()?;
        handshake.read_message(message, &mut [])?;
        let mut ephemeral = [0; EPHEMERAL_BYTES];
        ephemeral.copy_from_slice(message.split_at(EPHEMERAL_BYTES).0);
        Ok(Self { handshake, ephemeral })
    }

    /// The peer's key of this connection, by which a replay is recognised.
    pub(super) fn ephemeral(&self) -> &[u8; EPHEMERAL_BYTES] {
        &self.ephemeral
    }

    /// Answers. The peer is not authenticated before a message under the fresh keys has arrived.
    pub(super) async fn answer(
        mut self,
        stream: &mut TcpStream,
    ) -> Result<StatelessTransportState, HandshakeError> {
        stream.write_all(&written(&mut self.handshake)?).await?;
        Ok(self.handshake.into_stateless_transport_mode()?)
    }
}

fn builder(by: OpenedBy, key: &[u8; 32]) -> Result<Builder<'_>, HandshakeError> {
    Ok(Builder::new(PATTERN.parse()?)
        .psk(0, key)?
        .prologue(by.prologue())?)
}

/// The next message with its length in front, as it goes on the wire.
fn written(handshake: &mut HandshakeState) -> Result<Vec<u8>, HandshakeError> {
    let mut message = [0; MESSAGE_BYTES];
    let length = handshake.write_message(&[], &mut message)?;
    let mut packet = (length as u16).to_be_bytes().to_vec();
    packet.extend_from_slice(message.get(..length).unwrap_or(&[]));
    Ok(packet)
}

async fn read(stream: &mut TcpStream) -> Result<[u8; MESSAGE_BYTES], HandshakeError> {
    if usize::from(stream.read_u16().await?) != MESSAGE_BYTES {
        return Err(HandshakeError::Foreign);
    }
    let mut message = [0; MESSAGE_BYTES];
    stream.read_exact(&mut message).await?;
    Ok(message)
}
