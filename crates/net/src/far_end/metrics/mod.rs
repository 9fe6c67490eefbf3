//! Counts for whoever watches over many far ends: one page in the text format of Prometheus, on a socket of its own, which its
//! owner does not show to strangers.
//!
//! Labels are names that the owner gave and words of ours: nobody from outside makes a series more.

mod at;
mod page;

pub(crate) use at::Listening;
pub use at::MetricsAt;

use super::hub::Hub;
use at::Accepts;
use page::Page;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Semaphore;

/// Askers at a time, how long each may take, and how long a question may be: a scraper is one, and takes milliseconds.
const AT_ONCE: usize = 4;
const WITHIN: Duration = Duration::from_secs(2);
const LONGEST_QUESTION: usize = 4_096;
/// After an error of the listener: out of descriptors, mostly.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers until dropped.
pub(super) async fn serve(listening: Listening, hub: Arc<Hub>) -> io::Result<()> {
    match listening {
        Listening::Tcp(listener) => answer_all(tokio::net::TcpListener::from_std(listener)?, hub).await,
        Listening::Unix(listener, _) => answer_all(tokio::net::UnixListener::from_std(listener)?, hub).await,
    }
}

/// Who comes while all places are taken is closed at once.
async fn answer_all(listener: impl Accepts, hub: Arc<Hub>) -> ! {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok(stream) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = room.clone().try_acquire_owned() else {
            continue;
        };
        let hub = hub.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(WITHIN, answer(stream, &hub)).await;
            drop(place);
        });
    }
}

async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, hub: &Hub) -> io::Result<()> {
    let mut question = Vec::with_capacity(512);
    while !question.windows(4).any(|four| four == b"\r\n\r\n") {
        if question.len() >= LONGEST_QUESTION || stream.read_buf(&mut question).await? == 0 {
            return Ok(());
        }
    }
    let (status, body) = match question.strip_prefix(b"GET /metrics") {
        Some([b' ' | b'?', ..]) => ("200 OK", told(hub)),
        _ => ("404 Not Found", "the metrics are at /metrics\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

fn told(hub: &Hub) -> String {
    let counts = &hub.ledger.counts;
    let read = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let (is_running, waiting) = hub.bulk();
    let mut page = Page::default();
    let (came, left) = (read(&counts.came), read(&counts.left));
    page.counter("sessions_total", "Clients with a token that came in.", came);
    page.gauge(
        "sessions",
        "Clients with a token that are here.",
        came.saturating_sub(left),
    );
    page.labelled(
        (
            "turned_away_total",
            "counter",
            "Connections that were not let in.",
        ),
        "reason",
        [
            ("no_token", read(&counts.no_token)),
            ("made_room", read(&counts.made_room)),
            ("not_allowed", read(&counts.turned_away)),
        ],
    );
    let outcomes = super::Outcome::ALL.iter().zip(&counts.asked);
    page.labelled(
        (
            "tests_total",
            "counter",
            "What clients asked for, by what became of it.",
        ),
        "outcome",
        outcomes.map(|((_, name), count)| (*name, read(count))),
    );
    page.gauge(
        "transfer_running",
        "Whether a bulk transfer runs.",
        u64::from(is_running),
    );
    page.gauge(
        "transfers_waiting",
        "Bulk transfers that wait for their turn.",
        waiting as u64,
    );
    page.counter(
        "iperf3_bytes_total",
        "Bytes of tests of iperf3 clients, both directions together.",
        hub.iperf3.passed(),
    );
    let accounts = hub.accounts.all();
    page.labelled(
        (
            "holder_bytes_total",
            "counter",
            "Bytes of tests, both directions together, by holder of a token.",
        ),
        "holder",
        accounts
            .iter()
            .map(|account| (account.name.as_str(), account.budget.passed())),
    );
    let now_ns = crate::sys::thread_time::monotonic_ns();
    let left = accounts
        .iter()
        .filter_map(|account| Some((account.name.as_str(), account.budget.left_of_hour(now_ns)?)));
    page.labelled(
        (
            "holder_hour_bytes_left",
            "gauge",
            "Bytes that a holder of a token with such a limit may still move within the hour.",
        ),
        "holder",
        left,
    );
    page.text()
}
