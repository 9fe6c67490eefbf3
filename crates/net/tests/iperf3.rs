//! Transfers with the real `iperf3 -s` over loopback: what it says of its end agrees with what we record.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail here")]

use evidence::{Ask, Node, Payload, RateBps, StopReason, Transfer};
use net::far_end::Side;
use net::iperf3::{Iperf3, Login, Measured};
use net::{NetError, Watch};
use rsa::Generate;
use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use serde_json::Value;
use sha2::Digest;
use std::net::{IpAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const TIME_MS: u32 = 1_000;

/// A server for one test, with its output as JSON.
struct Server {
    child: Option<Child>,
    address: IpAddr,
    port: u16,
}

impl Server {
    /// `None`, loudly, where iperf3 is missing.
    fn start(test: &str, address: &str) -> Option<Self> {
        Self::start_with(test, address, &[])
    }

    fn start_with(test: &str, address: &str, more: &[&str]) -> Option<Self> {
        let port = TcpListener::bind((address, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let started = Command::new("iperf3")
            .args(["-s", "-1", "-J", "-B", address, "-p", &port.to_string()])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = started else {
            println!("SKIPPED {test}: iperf3 is not installed");
            return None;
        };
        Some(Self {
            child: Some(child),
            address: address.parse().unwrap(),
            port,
        })
    }

    fn client(&self) -> Iperf3 {
        Iperf3::new(self.address, self.port, None)
    }

    /// Puts an ask, again while the server is still starting.
    async fn perform(&self, ask: &Ask, sender: Side, watch: &Watch) -> Result<Measured, NetError> {
        for _ in 0..100 {
            match self.client().perform(ask, sender, watch).await {
                Err(NetError::NoIperf3(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
                outcome => return outcome,
            }
        }
        panic!("iperf3 does not listen")
    }

    /// What it printed.
    fn printed(mut self) -> Value {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What differs from a plain transfer over one connection.
struct Plan {
    streams: u16,
    buffer: Option<u32>,
    control: Option<&'static str>,
    time_ms: u32,
    max_bytes: Option<u64>,
}

fn changed(change: impl FnOnce(&mut Plan)) -> Ask {
    let mut plan = Plan {
        streams: 1,
        buffer: None,
        control: None,
        time_ms: TIME_MS,
        max_bytes: None,
    };
    change(&mut plan);
    Ask::TcpThroughput {
        from: Node::named("a"),
        to: Node::named("b"),
        streams: plan.streams,
        mss_bytes: None,
        socket_buffer_bytes: plan.buffer,
        congestion_control: plan.control.map(str::to_owned),
        max_time_ms: plan.time_ms,
        max_bytes: plan.max_bytes,
        watch_hops: false,
    }
}

fn tcp(streams: u16, max_bytes: Option<u64>) -> Ask {
    changed(|plan| {
        plan.streams = streams;
        plan.max_bytes = max_bytes;
    })
}

fn udp(rate_bps: f64) -> Ask {
    Ask::UdpStream {
        from: Node::named("a"),
        to: Node::named("b"),
        size_bytes: 1_400,
        rate_bps: RateBps(rate_bps),
        duration_ms: TIME_MS,
    }
}

fn transfer(measured: Measured) -> Transfer {
    assert!(measured.far_end.starts_with("iperf3 3."), "{}", measured.far_end);
    match measured.payload {
        Payload::Transfer(transfer) => *transfer,
        other => panic!("{other:?}"),
    }
}

/// A transfer with a server of its own, and what that printed.
async fn tried(test: &str, address: &str, ask: &Ask, sender: Side) -> Option<(Transfer, Value)> {
    let server = Server::start(test, address)?;
    let measured = server.perform(ask, sender, &Watch::quiet()).await.unwrap();
    Some((transfer(measured), server.printed()))
}

fn number(printed: &Value, path: &str) -> f64 {
    let found = printed.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} in {printed}"))
}

/// The most that the kernel gives a socket for one direction when it tunes by itself.
fn largest_buffer_bytes() -> f64 {
    let largest = |name: &str| -> f64 {
        let setting = std::fs::read_to_string(format!("/proc/sys/net/ipv4/{name}")).unwrap();
        setting.split_whitespace().last().unwrap().parse().unwrap()
    };
    largest("tcp_rmem").max(largest("tcp_wmem"))
}

#[tokio::test(flavor = "multi_thread")]
async fn tcp_to_the_server() {
    for (address, streams) in [("127.0.0.1", 1), ("127.0.0.1", 8), ("::1", 1)] {
        let Some((seen, printed)) =
            tried("tcp_to_the_server", address, &tcp(streams, None), Side::Here).await
        else {
            return;
        };
        assert_eq!(
            seen.bytes_received,
            Some(number(&printed, "/end/sum_received/bytes") as u64)
        );
        assert_eq!(
            (seen.stop, seen.streams),
            (Some(StopReason::MaxTime), Some(streams))
        );
        let accounts = seen.sender.unwrap().accounts;
        assert_eq!(
            (accounts.len(), seen.ports.len()),
            (streams.into(), streams.into())
        );
        assert!(accounts.iter().all(|account| account.busy_us > Some(0)));
        assert!(seen.intervals.iter().any(|slice| slice.cwnd_bytes > Some(0)));
        assert!(seen.steady_bps.is_some() && seen.receiver.unwrap().cpu.is_some());
        let (ours, theirs) = (
            seen.received_bps.unwrap().0,
            number(&printed, "/end/sum_received/bits_per_second"),
        );
        // The server's clock runs on until it hears of the end, which takes longer on a busy machine.
        assert!((ours / theirs - 1.0).abs() < 0.3, "{ours} {theirs}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tcp_from_the_server() {
    for (address, streams) in [("127.0.0.1", 1), ("127.0.0.1", 8), ("::1", 1)] {
        let Some((seen, printed)) =
            tried("tcp_from_the_server", address, &tcp(streams, None), Side::There).await
        else {
            return;
        };
        let received = seen.bytes_received.unwrap() as f64;
        let sent = number(&printed, "/end/sum_sent/bytes");
        // The rest was still in the kernels' buffers when the test was over.
        let buffers = f64::from(streams) * 2.0 * largest_buffer_bytes();
        assert!(
            received > 0.0 && received <= sent && received + buffers >= sent,
            "{received} of {sent}"
        );
        assert_eq!(seen.stop, Some(StopReason::MaxTime));
        assert!(seen.retransmits.is_some() && seen.congestion_control.is_some());
        assert_eq!(seen.receiver.unwrap().accounts.len(), usize::from(streams));
        assert!(seen.sender.unwrap().accounts.is_empty());
        let parts: u64 = seen
            .intervals
            .iter()
            .filter_map(|slice| slice.bytes_received)
            .sum();
        assert_eq!(Some(parts), seen.bytes_received);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_limit_ends_a_transfer() {
    const BYTES: u64 = 20_000_000;
    for sender in [Side::Here, Side::There] {
        let ask = tcp(1, Some(BYTES));
        let Some((seen, _)) = tried("a_byte_limit_ends_a_transfer", "127.0.0.1", &ask, sender).await else {
            return;
        };
        assert_eq!(seen.stop, Some(StopReason::MaxBytes), "{sender:?}");
        let bytes = seen.bytes_received.unwrap();
        assert!(
            (BYTES / 2..=BYTES + 200_000).contains(&bytes),
            "{sender:?}: {bytes}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn udp_to_the_server() {
    for address in ["127.0.0.1", "::1"] {
        let Some((seen, printed)) = tried("udp_to_the_server", address, &udp(2e7), Side::Here).await else {
            return;
        };
        let (packets, lost) = (
            number(&printed, "/end/sum/packets") as u64,
            number(&printed, "/end/sum/lost_packets") as u64,
        );
        assert_eq!(seen.packets_received, Some(packets - lost), "{printed}");
        // On a busy machine fewer are sent in the time, and never more.
        assert!((500..=1_790).contains(&seen.packets_sent.unwrap()), "{seen:?}");
        assert_eq!((seen.duplicates, seen.reordered), (None, None));
        assert!(seen.jitter_ns.is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn udp_from_the_server() {
    for address in ["127.0.0.1", "::1"] {
        let Some((seen, printed)) = tried("udp_from_the_server", address, &udp(2e7), Side::There).await
        else {
            return;
        };
        let sent = number(&printed, "/end/sum/packets") as u64;
        assert_eq!(seen.packets_sent, Some(sent), "{printed}");
        let lost: u64 = seen.loss_runs.iter().map(|run| run.1).sum();
        assert_eq!(seen.packets_received, Some(sent - lost));
        assert!((500..=2_000).contains(&sent) && seen.jitter_ns.is_some());
        assert!(seen.intervals.len() >= 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_name_their_cause() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let nobody = Iperf3::new([127, 0, 0, 1].into(), port, None);
    let refused = nobody.perform(&tcp(1, None), Side::Here, &Watch::quiet()).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("start `iperf3 -s` there")
    );
    let Some(server) = Server::start("refusals_name_their_cause", "127.0.0.1") else {
        return;
    };
    let large = changed(|plan| plan.buffer = Some(1 << 30));
    let refused = server
        .perform(&large, Side::There, &Watch::quiet())
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("give a smaller --buffer"),
        "{refused}"
    );
}

/// The server that is installed tells which padding it takes: it is found out.
#[tokio::test(flavor = "multi_thread")]
async fn who_logs_in_is_let_in_and_nobody_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let private = rsa::PrivateKey::generate();
    std::fs::write(
        path("private.pem"),
        private.to_pkcs8_pem(LineEnding::LF).unwrap().as_bytes(),
    )
    .unwrap();
    let public = private.to_public_key().to_public_key_pem(LineEnding::LF).unwrap();
    // As iperf3's manual says: the user, and the SHA-256 of {user}password.
    let hash = sha2::Sha256::digest("{kirsten}correct-horse");
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(path("users.csv"), format!("kirsten,{hash}\n")).unwrap();
    let (key, users) = (path("private.pem"), path("users.csv"));
    let guarded = ["--rsa-private-key-path", &key, "--authorized-users-path", &users];
    let by = |password: &str| Login::new("kirsten".to_owned(), password.to_owned().into(), &public).unwrap();
    for (login, let_in) in [
        (Some(by("correct-horse")), true),
        (Some(by("wrong")), false),
        (None, false),
    ] {
        let Some(server) = Server::start_with("who_logs_in_is_let_in_and_nobody_else", "127.0.0.1", &guarded)
        else {
            return;
        };
        let client = server.client().by(login);
        let mut outcome = Err(NetError::NoIperf3(String::new()));
        for _ in 0..100 {
            outcome = client.perform(&tcp(1, None), Side::Here, &Watch::quiet()).await;
            match &outcome {
                Err(NetError::NoIperf3(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
                _ => break,
            }
        }
        match outcome {
            Ok(measured) => assert!(let_in && transfer(measured).received_bps.is_some()),
            Err(error) => assert!(!let_in && error.to_string().contains("--username"), "{error}"),
        }
    }
}

#[test]
fn what_is_no_key_of_a_server_is_told_so() {
    let login = |pem: &str| {
        Login::new("a".to_owned(), "b".to_owned().into(), pem)
            .unwrap_err()
            .to_string()
    };
    assert!(login("ssh-rsa AAAA").contains("PUBLIC KEY"));
    assert!(login("").contains("PUBLIC KEY"));
    let blank = Login::new("a".to_owned(), "b c".to_owned().into(), "");
    assert!(blank.unwrap_err().to_string().contains("blanks"));
}

/// iperf3 goes on without the congestion control that was asked for: what it used instead is what counts.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_did_is_recorded_not_what_was_asked() {
    let ask = changed(|plan| plan.control = Some("nosuch"));
    let tried = tried("what_the_server_did_is_recorded", "127.0.0.1", &ask, Side::There).await;
    let Some((seen, _)) = tried else {
        return;
    };
    assert!(seen.congestion_control.is_some_and(|name| name != "nosuch"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server_says_so() {
    let Some(server) = Server::start("a_busy_server_says_so", "127.0.0.1") else {
        return;
    };
    let first = async { server.perform(&tcp(1, None), Side::Here, &Watch::quiet()).await };
    let second = async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        server
            .client()
            .perform(&tcp(1, None), Side::Here, &Watch::quiet())
            .await
    };
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_ok(), "{first:?}");
    assert!(
        matches!(&second, Err(NetError::NoRoom(text)) if text.contains("busy")),
        "{second:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_is_stopped_ends_at_the_server_as_well() {
    for sender in [Side::Here, Side::There] {
        let Some(server) = Server::start("a_test_that_is_stopped", "127.0.0.1") else {
            return;
        };
        // Once bytes were seen to pass: before that there is no test that could be stopped at both ends.
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let watch = Watch::new(cancel, move |progress| {
            if progress.fraction.is_some() {
                stop.cancel();
            }
        });
        let long = changed(|plan| plan.time_ms = 30_000);
        let measured = server.perform(&long, sender, &watch).await;
        let Payload::Transfer(seen) = measured.unwrap().payload else {
            panic!("another kind");
        };
        assert_eq!(seen.stop, Some(StopReason::Cancelled));
        let printed = server.printed();
        assert!(
            printed["error"]
                .as_str()
                .unwrap_or_default()
                .contains("client has terminated"),
            "{printed}"
        );
    }
}

/// What becomes of a client whose server says this, and closes when the client has spoken.
async fn lied_to(says: &'static [u8]) -> NetError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _): (TcpStream, _) = listener.accept().unwrap();
        let _ = stream.write_all(says);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let client = Iperf3::new(address.ip(), address.port(), None);
    client
        .perform(&tcp(1, None), Side::Here, &Watch::quiet())
        .await
        .unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_none_are_told_so() {
    let error = lied_to(b"SSH-2.0-OpenSSH_9.2\r\n").await;
    assert!(
        error.to_string().contains("does not speak iperf3's protocol"),
        "{error}"
    );
    let error = lied_to(b"").await;
    assert!(
        error
            .to_string()
            .contains("is what listens there an iperf3 server?"),
        "{error}"
    );
    let error = lied_to(&[9, 0xfe, 0, 0, 0, 142]).await;
    assert!(
        matches!(&error, NetError::Refused(text) if text.contains("password")),
        "{error}"
    );
}
