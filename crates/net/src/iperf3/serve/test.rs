//! One test of a stock client, from its parameters to its results.

use super::talk::Talk;
use super::{tcp, udp};
use crate::NetError;
use crate::budget::Budget;
use crate::far_end::Outcome;
use crate::far_end::hub::Hub;
use crate::far_end::ledger::{Test, Verdict};
use evidence::RateBps;
use probe::iperf3::{Request, RequestError, Results, Senders, State};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How long the streams may take to come, all together.
const OPENING: Duration = Duration::from_secs(10);
/// A client ends its test by its own clock, after its data has gone through a long queue perhaps.
const GRACE: Duration = Duration::from_secs(10);

/// Where a test takes place.
pub(super) struct Place<'a> {
    pub(super) hub: &'a Hub,
    /// What it may bring and send: it draws on that of all such clients.
    pub(super) budget: &'a Arc<Budget>,
    pub(super) peer: SocketAddr,
    /// TCP connections that belong to it, numbered as they came.
    pub(super) streams: mpsc::Receiver<(u64, TcpStream)>,
}

/// Why a test came to nothing.
pub(super) enum Failure {
    /// The client is told iperf3's number of it.
    Request(RequestError),
    /// The client went away, or speaks another protocol.
    Gone(io::Error),
    /// Something failed here.
    Here(NetError),
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        Self::Here(error)
    }
}

/// iperf3's "unable to create a new stream" and "test could not be set up".
const NO_STREAM: i32 = 110;

/// How much of a slice lies before `end_ns`, 0 to 1: what a client leaves out of its means.
pub(super) fn share(start_ns: u64, length_ns: u64, end_ns: u64) -> f64 {
    (end_ns.saturating_sub(start_ns) as f64 / length_ns.max(1) as f64).min(1.0)
}

/// Carries a test out, has `account` know of it, and tells in a few words what it was.
pub(super) async fn run(talk: &mut Talk, place: Place<'_>, mut account: Test<'_>) -> String {
    let (what, outcome) = match carry_out(talk, place, &mut account).await {
        Ok(what) => {
            account.end(None);
            return what;
        }
        Err(Failure::Request(error)) => {
            let _ = talk.fail(error.code()).await;
            (format!("an iperf3 client was refused: {error}"), Outcome::Refused)
        }
        Err(Failure::Gone(error)) => (format!("a test of iperf3 broke off: {error}"), Outcome::Stopped),
        Err(Failure::Here(error)) => {
            let _ = talk.fail(NO_STREAM).await;
            (format!("a test of iperf3 failed: {error}"), Outcome::Failed)
        }
    };
    account.end(Some(Verdict {
        outcome,
        why: Some(what.clone()),
    }));
    what
}

async fn carry_out(talk: &mut Talk, place: Place<'_>, account: &mut Test<'_>) -> Result<String, Failure> {
    talk.say(State::ParameterExchange).await?;
    let request = Request::read(&talk.json().await?)?;
    account.asks(asked(&request));
    let longest = Duration::from_millis(u64::from(request.longest_ms(&place.hub.config.limits)?));
    let own = match request.is_udp {
        true => {
            let streams = udp::open(talk, &place, &request).await?;
            begin(talk).await?;
            let running = udp::start(streams, &place, &request)?;
            ended(talk, longest).await?;
            running.results().await
        }
        false => {
            let streams = tcp::open(talk, place.streams, &request, &place.hub.config.limits).await?;
            begin(talk).await?;
            let running = tcp::start(streams, &request, (place.hub, place.budget))?;
            ended(talk, longest).await?;
            running.results().await
        }
    };
    talk.say(State::ExchangeResults).await?;
    let streams = match request.senders {
        Senders::Both => request.streams.saturating_mul(2),
        Senders::Client | Senders::Server => request.streams,
    };
    // Whoever received knows how much came through.
    let theirs = Results::read(&talk.json().await?, streams).ok();
    talk.say_json(&own.to_json()).await?;
    talk.say(State::DisplayResults).await?;
    let counted = match request.senders {
        Senders::Server => theirs.as_ref().unwrap_or(&own),
        Senders::Client | Senders::Both => &own,
    };
    Ok(summary(&request, counted))
}

async fn begin(talk: &mut Talk) -> io::Result<()> {
    talk.say(State::TestStart).await?;
    talk.say(State::TestRunning).await
}

/// Waits until the client ends the test.
async fn ended(talk: &mut Talk, longest: Duration) -> io::Result<()> {
    let state = tokio::time::timeout_at(Instant::now() + longest + GRACE, talk.state()).await;
    match state.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))? {
        State::TestEnd => Ok(()),
        State::ClientTerminate => Err(io::Error::other("its user stopped it")),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Within which all streams have to be there.
pub(super) fn opening_deadline() -> Instant {
    Instant::now() + OPENING
}

/// What a test is, for the audit.
fn asked(request: &Request) -> Value {
    json!({
        "test": if request.is_udp { "udp" } else { "tcp" },
        "client": request.client.as_ref().map_or("iperf3".to_owned(), |version| format!("iperf3 {version}")),
        "far_end_sends": request.senders != Senders::Client,
        "client_sends": request.senders != Senders::Server,
        "streams": request.streams, "rate_bps": request.payload_bps,
        "max_time_ms": request.time_ms, "max_bytes": request.max_bytes,
    })
}

fn summary(request: &Request, counted: &Results) -> String {
    let mut text = match &request.client {
        Some(version) => format!("iperf3 {version}"),
        None => "iperf3".to_owned(),
    };
    let protocol = if request.is_udp { "UDP" } else { "TCP" };
    let way = match request.senders {
        Senders::Client => "received here",
        Senders::Server => "sent from here",
        Senders::Both => "in both directions",
    };
    let streams = if request.streams == 1 { "stream" } else { "streams" };
    let _ = write!(text, ", {protocol}, {} {streams}", request.streams);
    let rate = counted
        .length_ns()
        .and_then(|length| RateBps::of_bytes(counted.bytes(), length));
    let _ = match rate {
        Some(rate) => write!(text, ", {rate} {way}"),
        None => write!(text, ", {} bytes {way}", counted.bytes()),
    };
    text
}
