//! The streams of a TCP test.

use super::talk::Talk;
use super::test::{Failure, opening_deadline, share};
use crate::NetError;
use crate::budget::Budget;
use crate::far_end::hub::Hub;
use crate::transfer::stop::Running;
use crate::transfer::tcp_open::{apply_accepted, blocking};
use crate::transfer::{tcp_receive, tcp_send};
use evidence::StopReason;
use probe::iperf3::{COOKIE_BYTES, Request, Results, Senders, State, StreamResult, stream_id};
use probe::session::{Limits, TcpHalf, TcpPlan, TcpSlice};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Beyond its time a test is ended here, whatever the client says.
const GRACE_MS: u32 = 10_000;

/// Streams in one direction, and what they are to do.
struct OneWay {
    plan: TcpPlan,
    streams: Vec<TcpStream>,
}

/// The streams of a test.
pub(super) struct Streams {
    ways: Vec<OneWay>,
}

/// Asks for the streams, and waits for them: first those that the client sends over, then ours.
pub(super) async fn open(
    talk: &mut Talk,
    mut arriving: mpsc::Receiver<(u64, tokio::net::TcpStream)>,
    request: &Request,
    limits: &Limits,
) -> Result<Streams, Failure> {
    let ways: &[bool] = match request.senders {
        Senders::Client => &[false],
        Senders::Server => &[true],
        Senders::Both => &[false, true],
    };
    let plans: Result<Vec<TcpPlan>, _> = ways.iter().map(|sends| request.tcp(*sends, limits)).collect();
    let plans = plans?;
    talk.say(State::CreateStreams).await?;
    let deadline = opening_deadline();
    let wanted = plans.iter().map(|plan| usize::from(plan.streams)).sum();
    let mut arrived = Vec::new();
    while arrived.len() < wanted {
        tokio::select! {
            Some(stream) = arriving.recv() => arrived.push(stream),
            state = talk.state() => {
                state?;
                return Err(io::Error::other("its user stopped it").into());
            }
            () = tokio::time::sleep_until(deadline) => {
                return Err(io::Error::other("its streams did not come through").into());
            }
        }
    }
    arrived.sort_by_key(|(number, _)| *number);
    let mut arrived = arrived.into_iter().map(|(_, stream)| stream);
    let mut ways = Vec::new();
    for plan in plans {
        let streams = arrived.by_ref().take(usize::from(plan.streams));
        let streams: Result<Vec<TcpStream>, NetError> =
            streams.map(|stream| prepared(stream, &plan)).collect();
        ways.push(OneWay {
            streams: streams?,
            plan,
        });
    }
    Ok(Streams { ways })
}

fn prepared(stream: tokio::net::TcpStream, plan: &TcpPlan) -> Result<TcpStream, NetError> {
    let stream = blocking(stream).map_err(|error| NetError::os("preparing a stream", error))?;
    apply_accepted(&stream, plan)?;
    Ok(stream)
}

/// A test that goes on.
pub(super) struct Transfer {
    ways: Vec<(TcpPlan, Running<TcpSlice, TcpHalf>)>,
    omit_ns: u64,
    /// The streams stay open until the results are exchanged: a client that meets their end earlier calls it a failure.
    _kept: Vec<TcpStream>,
}

/// Sends, and receives.
pub(super) fn start(
    streams: Streams,
    request: &Request,
    (hub, budget): (&Hub, &Arc<Budget>),
) -> Result<Transfer, NetError> {
    let failed = |error| NetError::os("starting the transfer", error);
    let (mut ways, mut kept) = (Vec::new(), Vec::new());
    for OneWay { plan, streams } in streams.ways {
        let clones: io::Result<Vec<TcpStream>> = streams.iter().map(TcpStream::try_clone).collect();
        kept.extend(clones.map_err(failed)?);
        let budget = Some(budget.clone());
        let running = match plan.server_sends {
            true => tcp_send::start(
                streams,
                tcp_send::SendOrder {
                    max_time_ms: plan.max_time_ms.saturating_add(GRACE_MS),
                    max_bytes: plan.max_bytes,
                    max_rate_bps: plan.max_rate_bps,
                    budget,
                    stays_open: true,
                },
            ),
            false => tcp_receive::start(
                streams,
                tcp_receive::ReceiveOrder {
                    // What the client sends beyond its own amount counts for nobody; what the owner allows is another thing.
                    max_bytes: hub.config.limits.max_bytes,
                    max_rate_bps: hub.config.limits.max_rate_bps,
                    max_time_ms: Some(plan.max_time_ms.saturating_add(GRACE_MS)),
                    budget,
                    stays_open: true,
                    began_ns: 0,
                },
            ),
        };
        ways.push((plan, running.map_err(failed)?));
    }
    Ok(Transfer {
        ways,
        omit_ns: u64::from(request.omit_ms) * 1_000_000,
        _kept: kept,
    })
}

impl Transfer {
    /// Ends it, and tells what was seen here.
    pub(super) async fn results(mut self) -> Results {
        for (_, running) in &self.ways {
            running.stop(StopReason::MaxTime);
        }
        let mut results = Results::default();
        for (plan, running) in &mut self.ways {
            let half = (&mut running.done).await;
            let half = half.unwrap_or_else(|_| TcpHalf::nothing(StopReason::Cancelled));
            results.has_retransmits |= plan.server_sends;
            let control = Some(half.congestion_control.clone()).filter(|name| !name.is_empty());
            results.congestion = control.or(results.congestion);
            results.cpu_percent = Some(results.cpu_percent.unwrap_or(0.0) + half.cpu.unwrap_or(0.0) * 100.0);
            let first = results.streams.len() as u16;
            results.streams.extend(
                (0..plan.streams)
                    .map(|stream| of_stream(&half, plan, (stream, first + stream), self.omit_ns)),
            );
        }
        results
    }
}

fn of_stream(half: &TcpHalf, plan: &TcpPlan, (stream, number): (u16, u16), omit_ns: u64) -> StreamResult {
    let account = half.accounts.get(usize::from(stream));
    let counted = account.and_then(|account| match plan.server_sends {
        true => account.bytes_acked,
        // The cookie is no part of the transfer; of a single stream what was read is known exactly.
        false => account
            .bytes_received
            .map(|bytes| bytes.saturating_sub(COOKIE_BYTES as u64))
            .filter(|_| plan.streams > 1),
    });
    let bytes = counted.unwrap_or(half.bytes / u64::from(plan.streams.max(1)));
    // The slices are of all streams together: what counts for no mean is shared as the rest is.
    let early = |slice: &TcpSlice| slice.bytes as f64 * share(slice.start_ns, slice.length_ns, omit_ns);
    let left = 1.0 - half.slices.iter().map(early).sum::<f64>() / half.bytes.max(1) as f64;
    StreamResult {
        id: stream_id(number),
        bytes: match omit_ns {
            0 => bytes,
            _ => (bytes as f64 * left.max(0.0)) as u64,
        },
        retransmits: account
            .and_then(|account| account.retransmitted_segments)
            .filter(|_| plan.server_sends),
        length_s: Some(half.active_ns.saturating_sub(omit_ns) as f64 / 1e9),
        ..StreamResult::default()
    }
}
