//! The client's side of a bulk TCP transfer.

use super::channel::{Channel, ChannelError};
use super::conversation::{Answer, Deadline, abandon, answer, answer_in_turn, unwelcome};
use super::ends::{Ends, Side};
use crate::transfer::progress::TcpProgress;
use crate::transfer::stop::Running;
use crate::transfer::{plan, tcp_open, tcp_receive, tcp_send};
use crate::{NetError, Watch};
use evidence::{Ask, NotMeasured, NotMeasuredReason, Payload, RateBps, StopReason, Transfer};
use probe::SessionKey;
use probe::session::{TcpHalf, TcpParties, TcpPlan, TcpSlice, ToClient, ToServer, join_tcp};
use std::io;
use std::net::TcpStream;
use std::time::Duration;
use tokio::time::Instant;

/// How long it may take when the user waits to get away.
pub(super) const CANCELLED_REPORT_TIMEOUT: Duration = Duration::from_secs(1);
/// What a far end sent within the time may arrive so much later, out of a long queue.
const LATE_MS: u32 = 4_000;
/// A sending far end tells of itself ten times a second; silence for this long means that it is gone, even under the
/// retransmission timeouts that its own load may cause.
const SILENCE: Duration = Duration::from_secs(8);

/// Slices of a far end's sending that are kept: an hour of them. There are ten a second.
pub(super) const MOST_SLICES: usize = 36_000;
/// Share of the owner's limit from which the limit, and not the path, is taken to have set the rate. Pacing counts
/// headers, which goodput does not.
const HELD_BACK_FROM: f64 = 0.85;

type Transferring = Running<TcpSlice, TcpHalf>;

/// What the two ends saw, as far as they could tell.
#[derive(Default)]
struct Halves {
    local: Option<TcpHalf>,
    remote: Option<TcpHalf>,
    /// The far end's sending, slice by slice: all there is when it goes away.
    remote_slices: Vec<TcpSlice>,
    beside: Vec<Payload>,
    broken: Option<ChannelError>,
    is_cancelled: bool,
}

impl Halves {
    fn hear(&mut self, slice: TcpSlice) {
        if self.remote_slices.len() < MOST_SLICES {
            self.remote_slices.push(slice);
        }
    }
}

/// Carries out a `TcpThroughput` ask.
pub(super) async fn run(channel: &mut Channel, ends: Ends, ask: &Ask, watch: &Watch) -> Answer<Vec<Payload>> {
    let Some(mut plan) = plan::tcp(ask, ends.sender == Side::There) else {
        return Ok(Err(NetError::Unsupported("not a TCP transfer".to_owned())));
    };
    plan.max_rate_bps = ends.tuning.max_rate_bps;
    watch.report("preparing the transfer", None);
    let limit = Duration::from_millis(u64::from(plan.max_time_ms));
    channel.send(&ToServer::Tcp { plan: plan.clone() }).await?;
    let (answered, deadline) = answer_in_turn(channel, watch, limit).await?;
    let (key, plan) = match answered {
        Ok(ToClient::Accepted {
            key,
            plan: Some(accepted),
        }) if accepted.is_no_more_than(&plan) => (key, accepted),
        // Nothing more is asked of a far end that wants more than its client does.
        Ok(ToClient::Accepted { .. }) => {
            let what = "it answered with another transfer than the one that was asked for";
            return Err(ChannelError::Protocol(what.to_owned()));
        }
        Ok(other) => return Ok(Err(unwelcome(other))),
        Err(error) => return Ok(Err(error)),
    };
    let streams = match open_all(ends, &plan, key, (watch, deadline)).await {
        Ok(streams) => streams,
        Err(error) => return abandon(channel, error, deadline.set_up()).await,
    };
    let ports = streams
        .iter()
        .filter_map(|stream| ports_of(stream, ends.sender))
        .collect();
    let control = match ready(channel, watch, deadline).await? {
        Ok(control) => control,
        Err(error) => return Ok(Err(error)),
    };
    let transfer = match start(streams, &plan) {
        Ok(transfer) => transfer,
        Err(error) => {
            return abandon(
                channel,
                NetError::os("starting the transfer", error),
                deadline.set_up(),
            )
            .await;
        }
    };
    let halves = follow(channel, transfer, &plan, (watch, deadline)).await;
    let (source, destination) = ends.source_and_destination();
    let parties = TcpParties {
        source,
        destination,
        ports,
    };
    finish(halves, parties, &plan, (control, ends.tuning.max_rate_bps), ask)
}

async fn open_all(
    ends: Ends,
    plan: &TcpPlan,
    key: SessionKey,
    (watch, deadline): (&Watch, Deadline),
) -> Result<Vec<TcpStream>, NetError> {
    let opening = (0..plan.streams)
        .map(|stream| tcp_open::open(ends.peer, (ends.local, &ends.tuning), plan, key, stream));
    tokio::select! {
        streams = tokio::time::timeout_at(deadline.set_up(), futures::future::try_join_all(opening)) => {
            let late = |_| NetError::os(format!("opening bulk connections to {}", ends.peer), io::ErrorKind::TimedOut.into());
            streams.unwrap_or_else(|elapsed| Err(late(elapsed)))
        }
        () = watch.cancel.cancelled() => Err(NetError::Cancelled),
    }
}

/// (sender's port, receiver's port).
fn ports_of(stream: &TcpStream, sender: Side) -> Option<(u16, u16)> {
    let (local, peer) = (stream.local_addr().ok()?.port(), stream.peer_addr().ok()?.port());
    Some(match sender {
        Side::Here => (local, peer),
        Side::There => (peer, local),
    })
}

/// Waits until the far end has all connections; gives its congestion control.
async fn ready(channel: &mut Channel, watch: &Watch, deadline: Deadline) -> Answer<Option<String>> {
    Ok(match answer(channel, watch, deadline.set_up()).await? {
        Ok(ToClient::Ready { congestion_control }) => Ok(congestion_control),
        Ok(other) => Err(unwelcome(other)),
        Err(error) => Err(error),
    })
}

fn start(streams: Vec<TcpStream>, plan: &TcpPlan) -> io::Result<Transferring> {
    if plan.server_sends {
        // The far end keeps these as well; whether it does is not left to it.
        let order = tcp_receive::ReceiveOrder {
            max_bytes: plan.max_bytes,
            max_time_ms: Some(plan.max_time_ms.saturating_add(LATE_MS)),
            ..tcp_receive::ReceiveOrder::default()
        };
        tcp_receive::start(streams, order)
    } else {
        let order = tcp_send::SendOrder {
            max_time_ms: plan.max_time_ms,
            max_bytes: plan.max_bytes,
            max_rate_bps: plan.max_rate_bps,
            budget: None,
            stays_open: false,
        };
        tcp_send::start(streams, order)
    }
}

/// Follows the transfer to its end and collects both halves.
async fn follow(
    channel: &mut Channel,
    mut transfer: Transferring,
    plan: &TcpPlan,
    (watch, deadline): (&Watch, Deadline),
) -> Halves {
    let mut halves = Halves::default();
    let mut progress = TcpProgress::new(plan, true);
    let mut heard = Instant::now();
    let mut is_late = false;
    while halves.local.is_none() {
        let silence = tokio::time::sleep_until(heard + SILENCE);
        tokio::select! {
            half = &mut transfer.done => halves.local = Some(half.unwrap_or_else(|_| TcpHalf::nothing(StopReason::Cancelled))),
            Some(slice) = transfer.slices.recv(), if !plan.server_sends => progress.tell(&slice, watch),
            message = channel.receive(), if halves.broken.is_none() && halves.remote.is_none() => {
                heard = Instant::now();
                match message {
                    Ok(ToClient::Slice { slice }) => {
                        progress.tell(&slice, watch);
                        halves.hear(slice);
                    }
                    Ok(ToClient::TcpReport { half, beside }) => {
                        transfer.stop(half.stop);
                        halves.remote = Some(half);
                        halves.beside = beside;
                    }
                    Ok(_) => break_off(&mut halves, &transfer, ChannelError::Protocol("out of place".to_owned())),
                    Err(error) => break_off(&mut halves, &transfer, error),
                }
            }
            () = silence, if plan.server_sends && halves.broken.is_none() => {
                break_off(&mut halves, &transfer, ChannelError::Gone(io::ErrorKind::TimedOut.into()));
            }
            () = watch.cancel.cancelled(), if !halves.is_cancelled => {
                halves.is_cancelled = true;
                transfer.stop(StopReason::Cancelled);
            }
            // What still comes would come for ever.
            () = tokio::time::sleep_until(deadline.transferred()), if !is_late => {
                is_late = true;
                transfer.stop(StopReason::MaxTime);
            }
        }
    }
    collect_report(channel, &mut halves, deadline).await;
    if halves.broken.is_some() {
        channel.give_up();
    }
    halves
}

fn break_off(halves: &mut Halves, transfer: &Transferring, error: ChannelError) {
    transfer.stop(StopReason::PeerGone);
    halves.broken = Some(error);
}

/// Asks for the far end's half, unless it has come already or cannot come any more.
async fn collect_report(channel: &mut Channel, halves: &mut Halves, deadline: Deadline) {
    if halves.remote.is_some() || halves.broken.is_some() {
        return;
    }
    let until = if halves.is_cancelled {
        Instant::now() + CANCELLED_REPORT_TIMEOUT
    } else {
        deadline.report()
    };
    let cancelled = halves.is_cancelled;
    let asking = async {
        channel
            .send(&ToServer::Stop {
                cancelled,
                sent: None,
            })
            .await?;
        loop {
            match channel.receive().await? {
                ToClient::TcpReport { half, beside } => return Ok((half, beside)),
                ToClient::Slice { slice } => halves.hear(slice),
                _ => return Err(ChannelError::Protocol("no report after a transfer".to_owned())),
            }
        }
    };
    match tokio::time::timeout_at(until, asking).await {
        Ok(Ok((half, beside))) => {
            halves.remote = Some(half);
            halves.beside = beside;
        }
        Ok(Err(error)) => halves.broken = Some(error),
        Err(_) => halves.broken = Some(ChannelError::Gone(io::ErrorKind::TimedOut.into())),
    }
}

/// Joins the halves. A channel that broke makes the observation partial, not void.
fn finish(
    halves: Halves,
    parties: TcpParties,
    plan: &TcpPlan,
    (remote_control, wished_bps): (Option<String>, Option<f64>),
    ask: &Ask,
) -> Answer<Vec<Payload>> {
    let Halves {
        local,
        remote,
        remote_slices,
        beside,
        broken,
        is_cancelled,
    } = halves;
    let local = local.unwrap_or_else(|| TcpHalf::nothing(StopReason::Cancelled));
    let (sent, received) = if plan.server_sends {
        let sent = remote.unwrap_or_else(|| pieced_together(remote_slices, remote_control, &local));
        (sent, Some(local))
    } else {
        (local, remote)
    };
    let stop = match (is_cancelled, &broken) {
        (true, _) => StopReason::Cancelled,
        (false, Some(_)) => StopReason::PeerGone,
        (false, None) => sent.stop,
    };
    let mut joined = join_tcp(parties, plan, &sent, received.as_ref(), stop);
    // A wish, unlike what an owner allows, is a condition of the test.
    joined.target_bps = wished_bps
        .map(RateBps)
        .filter(|wish| plan.max_rate_bps == Some(wish.0));
    let held_back = match joined.target_bps {
        Some(_) => None,
        None => held_back(&joined, plan, ask),
    };
    let mut payloads = vec![Payload::from(joined)];
    payloads.extend(held_back);
    payloads.extend(beside);
    Ok(Ok(payloads))
}

/// A transfer that ran into the rate which the far end's owner allows says nothing of the path beyond it. The
/// measurement cannot carry that, so this stands beside it.
pub(super) fn held_back(tcp: &Transfer, plan: &TcpPlan, ask: &Ask) -> Option<Payload> {
    let limit = plan.max_rate_bps?;
    let reached = tcp.steady_bps.or(tcp.received_bps)?.0 >= limit * HELD_BACK_FROM;
    reached.then(|| {
        Payload::NotMeasured(NotMeasured {
            ask: ask.clone(),
            reason: NotMeasuredReason::Refused,
            detail: format!(
                "the far end's owner allows {} at most: what the path could do beyond that was not measured",
                RateBps(limit)
            ),
        })
    })
}

/// The sending half of a far end that went away before its report: what it told meanwhile.
pub(super) fn pieced_together(slices: Vec<TcpSlice>, control: Option<String>, received: &TcpHalf) -> TcpHalf {
    TcpHalf {
        congestion_control: control.unwrap_or_default(),
        bytes: slices
            .iter()
            .fold(0, |sum, slice| slice.bytes.saturating_add(sum)),
        active_ns: slices.last().map_or(received.active_ns, TcpSlice::end_ns),
        slices,
        ..TcpHalf::nothing(StopReason::PeerGone)
    }
}
