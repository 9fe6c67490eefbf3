//! A TCP transfer with an iperf3 server.

use super::{Connection, Measured, called};
use crate::far_end::Side;
use crate::transfer::progress::TcpProgress;
use crate::transfer::stop::Running;
use crate::transfer::{tcp_open, tcp_receive, tcp_send};
use crate::{NetError, Tuning, Watch};
use evidence::{RateBps, StopReason};
use probe::iperf3::{
    COOKIE_BYTES, Event, Results, StreamResult, join_tcp_received, join_tcp_sent, stream_id,
};
use probe::session::{TcpHalf, TcpParties, TcpPlan, TcpSlice};
use std::io;
use std::net::TcpStream;
use std::time::Duration;
use tokio::time::Instant;

/// For opening all streams, and for each of them: the server accepts one after the other.
const OPENING: Duration = Duration::from_secs(5);
const OPENING_EACH: Duration = Duration::from_millis(500);
/// A server that was told of the end, and goes on sending, is no longer listened to after this.
const LATE_MS: u32 = 30_000;

type Transferring = Running<TcpSlice, TcpHalf>;

/// What is known when the transfer is over.
#[derive(Default)]
struct Outcome {
    half: Option<TcpHalf>,
    told: Option<Results>,
    is_cancelled: bool,
    is_over: bool,
    broken: Option<NetError>,
}

impl Outcome {
    fn is_complete(&self) -> bool {
        self.half.is_some() && (self.is_over || self.is_cancelled || self.broken.is_some())
    }

    /// Why it ended, in one word.
    fn stop(&self) -> StopReason {
        match (self.is_cancelled, &self.broken, &self.half) {
            (true, ..) => StopReason::Cancelled,
            (false, Some(_), _) | (false, None, None) => StopReason::PeerGone,
            (false, None, Some(half)) => half.stop,
        }
    }
}

/// Carries the transfer out.
pub(super) async fn run(
    mut connection: Connection,
    sender: Side,
    (plan, tuning): (&TcpPlan, &Tuning),
    watch: &Watch,
) -> Result<Measured, NetError> {
    connection.expect(&Event::OpenStreams, watch).await?;
    let streams = match open_all(&connection, (plan, tuning), watch).await {
        Ok(streams) => streams,
        Err(error) => {
            connection.terminate().await;
            return Err(error);
        }
    };
    connection.expect(&Event::Run, watch).await?;
    // The streams stay open behind the transfer's back: a server that meets their end before it has heard of the test's takes
    // it for a failure, and tells of no results.
    let kept: io::Result<Vec<TcpStream>> = streams.iter().map(TcpStream::try_clone).collect();
    let started = kept.and_then(|kept| Ok((kept, start(streams, plan)?)));
    let (kept, transfer) = match started {
        Ok(started) => started,
        Err(error) => {
            connection.terminate().await;
            return Err(NetError::os("starting the transfer", error));
        }
    };
    let outcome = follow(&mut connection, transfer, plan, watch).await;
    connection.farewell().await;
    finish(outcome, parties(&connection, &kept, sender), plan)
}

async fn open_all(
    connection: &Connection,
    (plan, tuning): (&TcpPlan, &Tuning),
    watch: &Watch,
) -> Result<Vec<TcpStream>, NetError> {
    let (peer, local) = (connection.peer, connection.local);
    let opening = async {
        // One after the other: the server numbers them as they come.
        let mut streams = Vec::new();
        for stream in 0..plan.streams {
            streams.push(tcp_open::open_with(peer, (local, tuning), plan, stream, &connection.cookie).await?);
        }
        Ok(streams)
    };
    let within = OPENING + OPENING_EACH * u32::from(plan.streams);
    tokio::select! {
        streams = tokio::time::timeout(within, opening) => streams.unwrap_or_else(|_| {
            let doing = format!("opening the streams to {peer}");
            Err(NetError::os(doing, io::ErrorKind::TimedOut.into()))
        }),
        () = watch.cancel.cancelled() => Err(NetError::Cancelled),
    }
}

fn start(streams: Vec<TcpStream>, plan: &TcpPlan) -> io::Result<Transferring> {
    if plan.server_sends {
        let order = tcp_receive::ReceiveOrder {
            max_bytes: plan.max_bytes,
            max_time_ms: Some(plan.max_time_ms.saturating_add(LATE_MS)),
            stays_open: true,
            ..tcp_receive::ReceiveOrder::default()
        };
        tcp_receive::start(streams, order)
    } else {
        let order = tcp_send::SendOrder {
            max_time_ms: plan.max_time_ms,
            max_bytes: plan.max_bytes,
            max_rate_bps: plan.max_rate_bps,
            budget: None,
            stays_open: true,
        };
        tcp_send::start(streams, order)
    }
}

fn parties(connection: &Connection, streams: &[TcpStream], sender: Side) -> TcpParties {
    let (local, peer) = (connection.local, connection.peer);
    let ports = streams.iter().filter_map(|stream| {
        let here = stream.local_addr().ok()?.port();
        Some(match sender {
            Side::Here => (here, peer.port()),
            Side::There => (peer.port(), here),
        })
    });
    let (source, destination) = match sender {
        Side::Here => (local, peer.ip()),
        Side::There => (peer.ip(), local),
    };
    TcpParties {
        source,
        destination,
        ports: ports.collect(),
    }
}

/// Follows the transfer to its end, and exchanges results.
async fn follow(
    connection: &mut Connection,
    mut transfer: Transferring,
    plan: &TcpPlan,
    watch: &Watch,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut is_asked = false;
    let mut is_ended = false;
    let mut progress = TcpProgress::new(plan, !plan.server_sends);
    let end = Instant::now() + Duration::from_millis(u64::from(plan.max_time_ms));
    while !outcome.is_complete() {
        tokio::select! {
            half = &mut transfer.done, if outcome.half.is_none() => {
                let mut half = half.unwrap_or_else(|_| TcpHalf::nothing(StopReason::Cancelled));
                // A server that hears of the end may close the streams before it says so: they ended with the time, not with the bytes.
                if is_ended && half.stop == StopReason::MaxBytes {
                    half.stop = StopReason::MaxTime;
                }
                outcome.half = Some(half);
                connection.end();
            }
            Some(slice) = transfer.slices.recv() => progress.tell(&slice, watch),
            event = connection.event(), if !outcome.is_over && outcome.broken.is_none() && !outcome.is_cancelled => match event {
                Ok(Event::Report) => {
                    is_asked = true;
                    // What a sending server had on its way has come by now, or stands behind its word.
                    transfer.stop(StopReason::MaxTime);
                }
                Ok(Event::Results(results)) => outcome.told = Some(results),
                Ok(Event::Over) => outcome.is_over = true,
                Ok(Event::OpenStreams | Event::Run) => {}
                Err(error) => {
                    transfer.stop(StopReason::PeerGone);
                    outcome.broken = Some(error);
                }
            },
            // A server that sends goes on until it is told.
            () = tokio::time::sleep_until(end), if plan.server_sends && !is_ended => {
                is_ended = true;
                connection.end();
            }
            () = watch.cancel.cancelled(), if !outcome.is_cancelled => {
                outcome.is_cancelled = true;
                transfer.stop(StopReason::Cancelled);
                connection.terminate().await;
            }
        }
        if let (true, Some(half)) = (is_asked, &outcome.half) {
            is_asked = false;
            connection.report(&results_of(half, plan));
        }
    }
    outcome
}

/// What the server is told of this end, for its own summary.
fn results_of(half: &TcpHalf, plan: &TcpPlan) -> Results {
    let each = half.bytes / u64::from(plan.streams.max(1));
    let streams = (0..plan.streams).map(|stream| {
        let account = half.accounts.get(usize::from(stream));
        let bytes = account.and_then(|account| match plan.server_sends {
            // The kernel counts the end of a stream as a byte.
            true => account.bytes_received.filter(|_| plan.streams > 1),
            // The cookie is no part of the transfer.
            false => account
                .bytes_acked
                .map(|bytes| bytes.saturating_sub(COOKIE_BYTES as u64)),
        });
        StreamResult {
            id: stream_id(stream),
            bytes: bytes.unwrap_or(each),
            retransmits: account
                .and_then(|account| account.retransmitted_segments)
                .filter(|_| !plan.server_sends),
            length_s: Some(half.active_ns as f64 / 1e9),
            ..StreamResult::default()
        }
    });
    Results {
        cpu_percent: half.cpu.map(|cpu| cpu * 100.0),
        has_retransmits: !plan.server_sends,
        congestion: Some(half.congestion_control.clone()).filter(|name| !name.is_empty()),
        version: None,
        streams: streams.collect(),
    }
}

/// Joins what both ends saw. A server that broke off makes the measurement partial, not void, once bytes have moved.
fn finish(outcome: Outcome, parties: TcpParties, plan: &TcpPlan) -> Result<Measured, NetError> {
    let stop = outcome.stop();
    let half = outcome
        .half
        .unwrap_or_else(|| TcpHalf::nothing(StopReason::Cancelled));
    if let (0, Some(error)) = (half.bytes, outcome.broken) {
        return Err(error);
    }
    let told = outcome.told.as_ref();
    let mut joined = match plan.server_sends {
        true => join_tcp_received(parties, plan, &half, told, stop),
        false => join_tcp_sent(parties, plan, &half, told, stop),
    };
    joined.target_bps = plan.max_rate_bps.map(RateBps);
    Ok(Measured {
        payload: joined.into(),
        far_end: called(told.and_then(|told| told.version.as_deref())),
    })
}
