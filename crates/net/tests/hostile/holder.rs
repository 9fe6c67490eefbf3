//! A holder of the token that keeps to nothing but the wire's form: a test speaks every word of it.

use net::Watch;
use net::far_end::{Limits, Server, ServerConfig};
use probe::SessionKey;
use probe::session::{Assembler, DataHello, PROTOCOL_VERSION, ToClient, ToServer, chunks, decode, encode};
use sha2::{Digest, Sha256};
use snow::{Builder, TransportState};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef01234567";

/// A far end on loopback that runs until it is dropped.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    watch: Watch,
}

impl Target {
    pub(super) fn with(limits: Limits) -> Self {
        let config = ServerConfig {
            limits,
            ..ServerConfig::new(vec!["127.0.0.1:0".parse().unwrap()], TOKEN)
        };
        let server = Server::bind(config).unwrap();
        let (address, watch) = (server.addresses()[0], Watch::quiet());
        let stops = watch.clone();
        std::thread::spawn(move || {
            tokio::runtime::Runtime::new()
                .unwrap()
                .block_on(server.run(stops))
                .unwrap()
        });
        Self { address, watch }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.watch.cancel.cancel();
    }
}

/// The control channel of one session.
pub(super) struct Holder {
    stream: TcpStream,
    keys: TransportState,
    assembler: Assembler,
    target: SocketAddr,
}

impl Holder {
    /// Greets the far end and is welcome.
    pub(super) fn enter(target: &Target) -> Self {
        let mut stream = TcpStream::connect(target.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let key: [u8; 32] = Sha256::new()
            .chain_update(b"slowpath far end token 1\0")
            .chain_update(TOKEN)
            .finalize()
            .into();
        let pattern = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s".parse().unwrap();
        let builder = Builder::new(pattern).psk(0, &key).unwrap();
        let mut handshake = builder
            .prologue(b"slowpath far end 1")
            .unwrap()
            .build_initiator()
            .unwrap();
        let mut bytes = [0; 96];
        let length = handshake.write_message(&[], &mut bytes).unwrap();
        stream.write_all(b"SPc1").unwrap();
        write_packet(&mut stream, &bytes[..length]);
        let answer = read_packet(&mut stream);
        handshake.read_message(&answer, &mut bytes).unwrap();
        let mut holder = Self {
            stream,
            keys: handshake.into_transport_mode().unwrap(),
            assembler: Assembler::default(),
            target: target.address,
        };
        holder.say(&ToServer::Hello {
            version: PROTOCOL_VERSION,
            program: "a test".to_owned(),
        });
        assert!(matches!(holder.hear(), ToClient::Welcome { .. }));
        holder
    }

    pub(super) fn say(&mut self, message: &ToServer) {
        for chunk in chunks(&encode(message).unwrap()).unwrap() {
            let mut sealed = vec![0; chunk.len() + 16];
            let length = self.keys.write_message(&chunk, &mut sealed).unwrap();
            write_packet(&mut self.stream, &sealed[..length]);
        }
    }

    pub(super) fn hear(&mut self) -> ToClient {
        loop {
            let sealed = read_packet(&mut self.stream);
            let mut chunk = vec![0; sealed.len()];
            let length = self.keys.read_message(&sealed, &mut chunk).unwrap();
            if let Some(message) = self.assembler.push(&chunk[..length]).unwrap() {
                return decode(&message).unwrap();
            }
        }
    }

    /// One of the bulk connections of the transfer with `key`.
    pub(super) fn bulk(&self, key: SessionKey, stream: u16) -> TcpStream {
        let mut connection = TcpStream::connect(self.target).unwrap();
        connection
            .write_all(&DataHello { key, stream }.to_bytes())
            .unwrap();
        connection
    }
}

fn write_packet(stream: &mut TcpStream, bytes: &[u8]) {
    stream
        .write_all(&u16::try_from(bytes.len()).unwrap().to_be_bytes())
        .unwrap();
    stream.write_all(bytes).unwrap();
}

fn read_packet(stream: &mut TcpStream) -> Vec<u8> {
    let mut length = [0; 2];
    stream.read_exact(&mut length).unwrap();
    let mut bytes = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

/// Writes until the far end ends the connection, or `most` is over: bytes that it acknowledged, and when it ended.
pub(super) fn flood(mut stream: TcpStream, most: Duration) -> (u64, Duration) {
    let begun = Instant::now();
    let block = vec![7; 1 << 16];
    stream.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
    let is_waiting = |kind| matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut);
    while begun.elapsed() < most {
        if stream.write(&block).is_err_and(|error| !is_waiting(error.kind())) {
            break;
        }
    }
    (acknowledged(&stream), begun.elapsed())
}

/// `tcpi_bytes_acked` of `TCP_INFO` (`linux/tcp.h`), which counts the SYN as well.
fn acknowledged(stream: &TcpStream) -> u64 {
    let mut info = [0u8; 256];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `info`, which is that long.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    assert!(result == 0 && length >= 128, "TCP_INFO of {length} bytes");
    u64::from_ne_bytes(info[120..128].try_into().unwrap())
}
