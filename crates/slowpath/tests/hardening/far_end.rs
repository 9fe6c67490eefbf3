//! A far end, and a client, of which the test speaks every word: what they say cannot lie on the other's terminal.

use crate::common::Desk;
use crate::text::{LYING, is_honest};
use evidence::NotMeasuredReason;
use probe::session::{Limits, PROTOCOL_VERSION, Refusal, ToClient, ToServer, chunks, decode, encode};
use serde::Serialize;
use sha2::{Digest, Sha256};
use snow::{Builder, StatelessTransportState};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const TOKEN: &str = "slowpath_0d9e7f3b52c8461ab90e6d17f42c83a5b1d6e094d088cc29";

/// The test's end of a conversation.
struct Voice {
    stream: TcpStream,
    keys: StatelessTransportState,
    sent: u64,
    heard: u64,
}

fn read_packet(stream: &mut TcpStream) -> Vec<u8> {
    let mut length = [0; 2];
    stream.read_exact(&mut length).unwrap();
    let mut packet = vec![0; u16::from_be_bytes(length).into()];
    stream.read_exact(&mut packet).unwrap();
    packet
}

fn write_packet(stream: &mut TcpStream, packet: &[u8]) {
    let length = u16::try_from(packet.len()).unwrap().to_be_bytes();
    stream.write_all(&[&length, packet].concat()).unwrap();
}

impl Voice {
    /// Shakes hands as `net::far_end` does, as the one end or the other.
    fn over(mut stream: TcpStream, is_client: bool) -> Self {
        let key: [u8; 32] = Sha256::digest([b"slowpath far end token 1\0", TOKEN.as_bytes()].concat()).into();
        let pattern = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s".parse().unwrap();
        let builder = Builder::new(pattern).psk(0, &key).unwrap();
        let builder = builder.prologue(b"slowpath far end 1").unwrap();
        let (mut message, mut payload) = ([0; 96], [0; 96]);
        let mut handshake = if is_client {
            stream.write_all(b"SPc1").unwrap();
            builder.build_initiator().unwrap()
        } else {
            stream.read_exact(&mut [0; 4]).unwrap();
            builder.build_responder().unwrap()
        };
        for writes in [is_client, !is_client] {
            if writes {
                let length = handshake.write_message(&[], &mut message).unwrap();
                write_packet(&mut stream, &message[..length]);
            } else {
                let packet = read_packet(&mut stream);
                handshake.read_message(&packet, &mut payload).unwrap();
            }
        }
        let keys = handshake.into_stateless_transport_mode().unwrap();
        Self {
            stream,
            keys,
            sent: 0,
            heard: 0,
        }
    }

    fn say(&mut self, message: &impl Serialize) {
        for chunk in chunks(&encode(message).unwrap()).unwrap() {
            let mut sealed = vec![0; chunk.len() + 16];
            self.keys.write_message(self.sent, &chunk, &mut sealed).unwrap();
            self.sent += 1;
            write_packet(&mut self.stream, &sealed);
        }
    }

    /// A message of one chunk.
    fn hear(&mut self) -> Vec<u8> {
        let sealed = read_packet(&mut self.stream);
        let mut chunk = vec![0; sealed.len()];
        let length = self.keys.read_message(self.heard, &sealed, &mut chunk).unwrap();
        self.heard += 1;
        chunk[1..length].to_vec()
    }
}

fn with_token(desk: &Desk) {
    desk.write("token", TOKEN);
    fs::set_permissions(desk.path("token"), fs::Permissions::from_mode(0o600)).unwrap();
}

/// What `slowpath throughput` prints where the far end gives these answers, one to each question.
fn answered_with(answers: Vec<ToClient>, options: &[&str]) -> String {
    let desk = Desk::new();
    with_token(&desk);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let far_end = std::thread::spawn(move || {
        let mut voice = Voice::over(listener.accept().unwrap().0, false);
        for answer in answers {
            let _: ToServer = decode(&voice.hear()).unwrap();
            voice.say(&answer);
        }
        voice
    });
    let command = [
        "throughput",
        "127.0.0.1",
        "--port",
        &port,
        "--token-file",
        "token",
    ];
    let run = desk.run(&[&command, options].concat());
    far_end.join().unwrap();
    run.stdout + &run.stderr
}

#[test]
fn a_refusal_cannot_lie_on_the_terminal() {
    let detail = format!("begin{LYING}\nslowpath: all is well\r\nend");
    let welcome = || ToClient::Welcome {
        version: PROTOCOL_VERSION,
        program: detail.clone(),
        machine: detail.clone(),
        reflector: [0; 16],
        limits: Limits::default(),
    };
    let refused = |why| ToClient::Refused {
        why,
        detail: detail.clone(),
    };
    let failed = |reason| ToClient::Failed {
        reason,
        detail: detail.clone(),
    };
    for answers in [
        vec![refused(Refusal::Version)],
        vec![refused(Refusal::Busy)],
        vec![welcome(), refused(Refusal::Limits)],
        vec![welcome(), failed(NotMeasuredReason::Failed)],
        vec![welcome(), failed(NotMeasuredReason::Unsupported)],
    ] {
        for options in [&[][..], &["--json"]] {
            let printed = answered_with(answers.clone(), options);
            assert!(
                printed.contains("begin") && printed.contains("end"),
                "{answers:?}: {printed}"
            );
            is_honest(&printed);
            let forged = printed
                .lines()
                .any(|line| line.starts_with("slowpath: all is well"));
            assert!(!forged, "{printed}");
        }
    }
}

#[test]
fn a_clients_name_cannot_lie_in_the_log() {
    for json in [&[][..], &["--json"]] {
        let desk = Desk::new();
        with_token(&desk);
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = format!("127.0.0.1:{port}");
        let mut server = Command::new(env!("CARGO_BIN_EXE_slowpath"))
            .args(["serve", "--listen", &address, "--token-file"])
            .arg(desk.path("token"))
            .args(json)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(server.stdout.take().unwrap());
        let mut ready = String::new();
        while !ready.contains("listening") {
            ready.clear();
            assert!(
                out.read_line(&mut ready).unwrap() > 0,
                "the far end did not start"
            );
        }
        let mut voice = Voice::over(TcpStream::connect(&address).unwrap(), true);
        let program = format!("\u{202e}\u{2066}\u{200b}\u{feff}\u{9b}\u{2028}caller{LYING}");
        voice.say(&ToServer::Hello {
            version: PROTOCOL_VERSION,
            program,
        });
        let _: ToClient = decode(&voice.hear()).unwrap();
        drop(voice);
        server.kill().unwrap();
        let mut log = String::new();
        out.read_to_string(&mut log).unwrap();
        server.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        server.wait().unwrap();
        assert!(log.contains("caller"), "{log:?}");
        is_honest(&log);
    }
}
