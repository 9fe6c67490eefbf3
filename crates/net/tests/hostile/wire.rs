//! The control channel as a hostile program speaks it: written from the protocol, not with the code under test.

use super::support::connect_from;
use probe::session::{Assembler, MAX_MESSAGE_BYTES, PROTOCOL_VERSION, ToClient, ToServer, decode, encode};
use snow::{Builder, HandshakeState, StatelessTransportState};
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Bytes of the first message with its announcement, and of the answer to it.
pub(crate) const GREETING_BYTES: usize = 4 + ANSWER_BYTES;
pub(crate) const ANSWER_BYTES: usize = 2 + 32 + 16;

/// How a connection begins: the bytes that announce it, and what its handshake is bound to.
pub(crate) type Opening = ([u8; 4], &'static [u8]);
/// By a client, and by a far end that dials.
pub(crate) const BY_CLIENT: Opening = (*b"SPc1", b"slowpath far end 1");
pub(crate) const BY_FAR_END: Opening = (*b"SPf1", b"slowpath far end 1, which dialed");

/// A client's first message under `key`, and what is needed to read the answer.
pub(crate) fn greeting(key: &[u8; 32]) -> (Vec<u8>, HandshakeState) {
    greeting_as(BY_CLIENT, key)
}

/// The same of whoever opens the connection.
pub(crate) fn greeting_as((magic, prologue): Opening, key: &[u8; 32]) -> (Vec<u8>, HandshakeState) {
    let builder = Builder::new("Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s".parse().unwrap());
    let builder = builder.psk(0, key).unwrap().prologue(prologue).unwrap();
    let mut handshake = builder.build_initiator().unwrap();
    let mut message = [0; 96];
    let length = handshake.write_message(&[], &mut message).unwrap();
    let mut bytes = magic.to_vec();
    bytes.extend(packet(&message[..length]));
    (bytes, handshake)
}

/// As it goes on the wire.
pub(crate) fn packet(sealed: &[u8]) -> Vec<u8> {
    let mut bytes = u16::try_from(sealed.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend_from_slice(sealed);
    bytes
}

/// A connection whose handshake is done.
pub(crate) struct Holder {
    pub(crate) stream: TcpStream,
    keys: StatelessTransportState,
    sent: u64,
    received: u64,
    assembler: Assembler,
}

impl Holder {
    /// Shakes hands with the far end at `to`.
    pub(crate) async fn open(source: IpAddr, to: SocketAddr, key: &[u8; 32]) -> io::Result<Self> {
        let mut stream = connect_from(source, to).await?;
        let (bytes, mut handshake) = greeting(key);
        stream.write_all(&bytes).await?;
        let mut answer = [0; ANSWER_BYTES];
        stream.read_exact(&mut answer).await?;
        handshake
            .read_message(&answer[2..], &mut [])
            .map_err(io::Error::other)?;
        Ok(Self {
            stream,
            keys: handshake.into_stateless_transport_mode().unwrap(),
            sent: 0,
            received: 0,
            assembler: Assembler::of_at_most(MAX_MESSAGE_BYTES),
        })
    }

    /// Sends a part of a message.
    pub(crate) async fn send(&mut self, part: &[u8], is_last: bool) -> io::Result<()> {
        let mut chunk = vec![u8::from(!is_last)];
        chunk.extend_from_slice(part);
        let mut sealed = vec![0; chunk.len() + 16];
        let length = self.keys.write_message(self.sent, &chunk, &mut sealed).unwrap();
        self.sent += 1;
        self.stream.write_all(&packet(&sealed[..length])).await
    }

    /// Says who we are, and hears that we are welcome.
    pub(crate) async fn hello(&mut self) -> io::Result<()> {
        let hello = ToServer::Hello {
            version: PROTOCOL_VERSION,
            program: "hostile".to_owned(),
        };
        self.say(&hello).await?;
        self.hear().await.map(drop)
    }

    /// Says anything.
    pub(crate) async fn say(&mut self, message: &ToServer) -> io::Result<()> {
        self.send(&encode(message).unwrap(), true).await
    }

    /// The next message of the far end.
    pub(crate) async fn hear(&mut self) -> io::Result<ToClient> {
        loop {
            let length = usize::from(self.stream.read_u16().await?);
            let mut sealed = vec![0; length];
            self.stream.read_exact(&mut sealed).await?;
            let mut chunk = vec![0; length];
            let opened = self
                .keys
                .read_message(self.received, &sealed, &mut chunk)
                .unwrap();
            self.received += 1;
            if let Some(message) = self.assembler.push(&chunk[..opened]).unwrap() {
                return Ok(decode(&message).unwrap());
            }
        }
    }
}
