//! Several holders of tokens at one far end: whose limits hold, what the refused are told, and what the owner reads.

use super::support::{nodes, perform, tcp, transfer_of, udp};
use evidence::{Ask, NotMeasuredReason, Payload};
use net::far_end::{
    Access, AuditEntry, AuditEvent, FarEnd, Holder, HolderLimits, LocalAsk, Outcome, Peer, Server,
    ServerConfig, Side, Token, connect, new_token, towards_peers,
};
use net::{NetError, Watch};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// A far end for these, until dropped.
struct Owned {
    address: SocketAddr,
    metrics: SocketAddr,
    holders: Vec<Holder>,
    control: net::far_end::AccessControl,
    audit: Arc<Mutex<Vec<AuditEntry>>>,
    cancel: CancellationToken,
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn holder(name: &str, limits: HolderLimits) -> Holder {
    Holder {
        name: name.to_owned(),
        token: Token::read(&new_token().unwrap()).unwrap(),
        limits,
    }
}

fn owned(holders: Vec<Holder>) -> Owned {
    let audit: Arc<Mutex<Vec<AuditEntry>>> = Arc::default();
    let lines = audit.clone();
    let here = vec!["127.0.0.1:0".parse().unwrap()];
    let server = Server::bind(ServerConfig {
        audit: Some(Arc::new(move |entry: &AuditEntry| {
            lines.lock().unwrap().push(entry.clone())
        })),
        metrics: "127.0.0.1:0".parse().ok(),
        ..ServerConfig::on(here, Access::new(holders.clone()).unwrap())
    })
    .unwrap();
    let (address, metrics) = (
        server.addresses()[0],
        *server.metrics_at().unwrap().address().unwrap(),
    );
    let (control, cancel) = (server.access(), CancellationToken::new());
    tokio::spawn(server.run(Watch::new(cancel.clone(), |_| {})));
    Owned {
        address,
        metrics,
        holders,
        control,
        audit,
        cancel,
    }
}

impl Owned {
    async fn client(&self, number: usize) -> Result<FarEnd, NetError> {
        let token = &self.holders[number].token;
        connect(
            self.address.ip(),
            self.address.port(),
            token,
            None,
            &Watch::quiet(),
        )
        .await
    }

    /// What the audit says of the asks of a holder.
    fn asked(&self, name: &str) -> Vec<(Outcome, Option<String>, u64)> {
        let audit = self.audit.lock().unwrap();
        let of_holder = audit.iter().filter(|entry| entry.holder == name);
        of_holder
            .filter_map(|entry| match &entry.event {
                AuditEvent::Asked {
                    outcome, why, bytes, ..
                } => Some((*outcome, why.clone(), *bytes)),
                _ => None,
            })
            .collect()
    }

    async fn page(&self, question: &str) -> String {
        let mut stream = TcpStream::connect(self.metrics).await.unwrap();
        stream.write_all(question.as_bytes()).await.unwrap();
        let mut page = String::new();
        // Closed with some of the question unread, it is reset.
        let _ = stream.read_to_string(&mut page).await;
        page
    }
}

fn refused(outcome: Result<Vec<Payload>, NetError>) -> String {
    let error = outcome.map(|_| ()).unwrap_err();
    // So a case records it: not tested, and this is why.
    assert_eq!(error.reason(), NotMeasuredReason::Refused, "{error}");
    error.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_keeps_to_its_limits_and_another_is_not_held_by_them() {
    let slow = HolderLimits {
        max_rate_bps: Some(20e6),
        max_duration_ms: Some(500),
        ..HolderLimits::default()
    };
    let owned = owned(vec![
        holder("slow", slow),
        holder("free", HolderLimits::default()),
    ]);
    let (slow, free) = (owned.client(0).await.unwrap(), owned.client(1).await.unwrap());
    assert_eq!(slow.limits().max_rate_bps, Some(20e6));
    assert_eq!(free.limits().max_rate_bps, None);

    let quiet = Watch::quiet();
    let fast = refused(perform(&slow, &udp(Side::There, 1_000, 21e6, 200), &quiet).await);
    assert!(fast.contains("`slow`") && fast.contains("20 Mbit/s"), "{fast}");
    let long = refused(perform(&slow, &udp(Side::There, 1_000, 1e6, 501), &quiet).await);
    assert!(long.contains("500 ms"), "{long}");
    // Near misses.
    assert!(
        perform(&slow, &udp(Side::There, 1_000, 20e6, 500), &quiet)
            .await
            .is_ok()
    );
    assert!(
        perform(&free, &udp(Side::There, 1_000, 21e6, 600), &quiet)
            .await
            .is_ok()
    );

    let tcp = transfer_of(&slow, &tcp(Side::There, 2_000)).await;
    let bytes = tcp.bytes_received.unwrap();
    assert!(bytes < 20_000_000 / 8, "{bytes} bytes in half a second and a bit");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_hour_that_is_used_up_is_told_with_the_time_to_come_again() {
    let small = HolderLimits {
        max_bytes_per_hour: Some(3_000_000),
        ..HolderLimits::default()
    };
    let owned = owned(vec![
        holder("small", small),
        holder("other", HolderLimits::default()),
    ]);
    let (far, other) = (owned.client(0).await.unwrap(), owned.client(1).await.unwrap());
    let stream = |bytes: u64| udp(Side::There, 1_000, bytes as f64 * 8.0, 1_000);
    let more_than_all = refused(perform(&far, &stream(3_100_000), &Watch::quiet()).await);
    assert!(more_than_all.contains("shorter or slower"), "{more_than_all}");
    assert!(perform(&far, &stream(2_900_000), &Watch::quiet()).await.is_ok());
    for ask in [stream(500_000), tcp(Side::Here, 100), tcp(Side::There, 100)] {
        let used = refused(perform(&far, &ask, &Watch::quiet()).await);
        assert!(
            used.contains("`small`") && used.contains("3.0 MB in an hour") && used.contains("try again in 6"),
            "{used}"
        );
    }
    assert!(perform(&other, &stream(500_000), &Watch::quiet()).await.is_ok());
    // A probe that is not answered would be taken for a loss of the path: answers are counted, and not withheld.
    let reflector = far.reflector().unwrap();
    let peer = Peer {
        address: owned.address.ip(),
        port: reflector.port,
        session: reflector.session,
    };
    let probes = LocalAsk::HopLoss {
        ttls: vec![64],
        count: 40,
        rate_pps: 200,
    };
    let seen = towards_peers(&probes, &[peer], None, &Watch::quiet()).await;
    let [Ok(Payload::Probes(seen))] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!((seen.rows[0].sent, seen.rows[0].received), (Some(40), Some(40)));
    drop((far, other));

    let asked = owned.asked("small");
    let outcomes: Vec<Outcome> = asked.iter().map(|(outcome, ..)| *outcome).collect();
    use Outcome::{Granted, Refused};
    assert_eq!(outcomes, [Refused, Granted, Refused, Refused, Refused]);
    assert!((2_500_000..3_300_000).contains(&asked[1].2), "{asked:?}");
    assert!(
        asked[2].1.as_ref().is_some_and(|why| why.contains("try again")),
        "{asked:?}"
    );
    assert_eq!(owned.asked("other").len(), 1);

    let page = owned.page("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").await;
    for line in [
        "slowpath_tests_total{outcome=\"refused\"} 4\n",
        "slowpath_tests_total{outcome=\"granted\"} 2\n",
        "slowpath_sessions_total 2\n",
        "slowpath_transfer_running 0\n",
        "slowpath_holder_hour_bytes_left{holder=\"small\"} ",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(
        owned
            .page("POST /metrics HTTP/1.1\r\n\r\n")
            .await
            .contains(" 404 ")
    );
    assert_eq!(owned.page(&"x".repeat(5_000)).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_from_elsewhere_or_at_another_hour_is_told_so() {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    // Two hours from now, for one hour; and the twelve hours around now.
    let hours = |from: u64, to: u64| {
        let time = |hours: u64| format!("{:02}:00", (since / 3_600 + hours) % 24);
        format!("{}-{}", time(from), time(to)).parse().ok()
    };
    let from = |prefix: &str| vec![prefix.parse().unwrap()];
    let owned = owned(vec![
        holder(
            "elsewhere",
            HolderLimits {
                from: from("192.0.2.0/24"),
                ..HolderLimits::default()
            },
        ),
        holder(
            "here",
            HolderLimits {
                from: from("127.0.0.0/8"),
                ..HolderLimits::default()
            },
        ),
        holder(
            "later",
            HolderLimits {
                hours: hours(2, 3),
                ..HolderLimits::default()
            },
        ),
        holder(
            "now",
            HolderLimits {
                hours: hours(18, 6),
                ..HolderLimits::default()
            },
        ),
    ]);
    let error = owned.client(0).await.err().unwrap();
    assert!(
        matches!(&error, NetError::Refused(text) if text.contains("127.0.0.1") && text.contains("192.0.2.0/24 only")),
        "{error}"
    );
    assert!(owned.client(1).await.is_ok());
    let (at, _) = nodes(Side::There);
    for ask in [
        udp(Side::There, 1_000, 1e6, 100),
        tcp(Side::Here, 100),
        Ask::HostFacts { at: at.clone() },
    ] {
        let later = refused(perform(&owned.client(2).await.unwrap(), &ask, &Watch::quiet()).await);
        assert!(later.contains("UTC only: try again in"), "{later}");
        assert!(
            perform(&owned.client(3).await.unwrap(), &ask, &Watch::quiet())
                .await
                .is_ok()
        );
    }
    let audit = owned.audit.lock().unwrap();
    let turned_away = |entry: &&AuditEntry| matches!(entry.event, AuditEvent::TurnedAway { .. });
    let away: Vec<&AuditEntry> = audit.iter().filter(turned_away).collect();
    assert_eq!(away.len(), 1);
    assert_eq!(
        (away[0].holder.as_str(), away[0].from),
        ("elsewhere", IpAddr::from([127, 0, 0, 1]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_taken_back_ends_its_test_and_no_other() {
    let owned = owned(vec![
        holder("stays", HolderLimits::default()),
        holder("goes", HolderLimits::default()),
    ]);
    let (stays, goes) = (owned.client(0).await.unwrap(), owned.client(1).await.unwrap());
    let (began, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let watch = Watch::new(CancellationToken::new(), move |progress| {
        if progress.fraction.is_some() {
            let _ = began.send(());
        }
    });
    let start = std::time::Instant::now();
    let long = tcp(Side::There, 20_000);
    let (ended, ()) = tokio::join!(perform(&goes, &long, &watch), async {
        begins.recv().await;
        let stay = Access::new(owned.holders[..1].to_vec()).unwrap();
        assert_eq!(owned.control.replace(&stay).removed, ["goes"]);
    });
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // What was seen until then is kept, as of any far end that goes away.
    assert!(ended.is_ok(), "{ended:?}");
    assert!(matches!(owned.client(1).await.err(), Some(NetError::Refused(_))));
    assert!(
        perform(&stays, &tcp(Side::There, 100), &Watch::quiet())
            .await
            .is_ok()
    );
    assert_eq!(owned.asked("goes")[0].0, Outcome::Ended);
}
