//! The client's side of a UDP stream.

use super::channel::{Channel, ChannelError};
use super::conversation::{Answer, Deadline, abandon, answer_in_turn, silent, unwelcome};
use super::ends::{Ends, Side};
use crate::transfer::udp_open::{self, payload_bytes};
use crate::transfer::{plan, progress, udp_receive, udp_send};
use crate::{NetError, Watch};
use evidence::{Ask, Payload, StopReason};
use probe::SessionKey;
use probe::session::{ToClient, ToServer, UdpHello, UdpParties, UdpPlan, UdpReceived, UdpSent, join_udp};
use std::io;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const HELLO_INTERVAL: Duration = Duration::from_millis(100);
/// What is known of the transfer before it starts.
struct Setup<'a> {
    plan: &'a UdpPlan,
    parties: UdpParties,
    key: SessionKey,
    watch: &'a Watch,
    deadline: Deadline,
}

/// Carries out a `UdpStream` ask.
pub(super) async fn run(channel: &mut Channel, ends: Ends, ask: &Ask, watch: &Watch) -> Answer<Vec<Payload>> {
    let Some(plan) = plan::udp(ask, ends.sender == Side::There) else {
        return Ok(Err(NetError::Unsupported("not a UDP stream".to_owned())));
    };
    let Some(payload) = payload_bytes(plan.size_bytes, ends.peer.is_ipv6()) else {
        let detail = format!(
            "UDP packets of {} bytes: too small for their headers",
            plan.size_bytes
        );
        return Ok(Err(NetError::Unsupported(detail)));
    };
    watch.report("preparing the UDP stream", None);
    let limit = Duration::from_millis(u64::from(plan.duration_ms));
    channel.send(&ToServer::Udp { plan }).await?;
    let (answered, deadline) = answer_in_turn(channel, watch, limit).await?;
    let key = match answered {
        Ok(ToClient::Accepted { key, .. }) => key,
        Ok(other) => return Ok(Err(unwelcome(other))),
        Err(error) => return Ok(Err(error)),
    };
    let socket = match open(ends, &plan) {
        Ok(socket) => socket,
        Err(error) => return abandon(channel, error, deadline.set_up()).await,
    };
    if let Err(error) = knock(channel, &socket, key, (watch, deadline)).await? {
        return Ok(Err(error));
    }
    let (source, destination) = ends.source_and_destination();
    let parties = UdpParties {
        source,
        destination,
        same_clock: ends.same_machine,
    };
    let setup = Setup {
        plan: &plan,
        parties,
        key,
        watch,
        deadline,
    };
    if plan.server_sends {
        receive(channel, socket, &setup).await
    } else {
        send(channel, socket, payload, &setup).await
    }
}

fn open(ends: Ends, plan: &UdpPlan) -> Result<UdpSocket, NetError> {
    let failed = |error| NetError::os("opening a UDP socket", error);
    let source = ends.tuning.source(ends.local, 0);
    let socket = udp_open::open(source, ends.peer, false).map_err(failed)?;
    ends.tuning.mark(socket.as_fd(), ends.peer.is_ipv6())?;
    if plan.server_sends {
        udp_open::prepare_receiver(&socket, None).map_err(failed)?;
    } else {
        udp_open::prepare_sender(&socket).map_err(failed)?;
    }
    Ok(socket)
}

fn not_started(error: io::Error) -> NetError {
    NetError::os("starting the UDP stream", error)
}

/// Says hello on the UDP port until the far end has heard it.
async fn knock(
    channel: &mut Channel,
    socket: &UdpSocket,
    key: SessionKey,
    (watch, deadline): (&Watch, Deadline),
) -> Answer<()> {
    let hello = UdpHello { key }.to_bytes();
    let late = tokio::time::sleep_until(deadline.set_up());
    tokio::pin!(late);
    let mut knocking = tokio::time::interval(HELLO_INTERVAL);
    let mut is_cancelled = false;
    loop {
        tokio::select! {
            _ = knocking.tick() => {
                // A refusal by ICMP is for an earlier hello; the far end says on the channel what became of this.
                let _ = socket.send(&hello);
            }
            message = channel.receive() => return match message? {
                ToClient::Ready { .. } if is_cancelled => continue,
                ToClient::Ready { .. } => Ok(Ok(())),
                other => Ok(Err(unwelcome(other))),
            },
            () = watch.cancel.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                channel.send(&ToServer::Stop { cancelled: true, sent: None }).await?;
            }
            () = &mut late => return Err(silent()),
        }
    }
}

async fn send(
    channel: &mut Channel,
    socket: UdpSocket,
    payload: usize,
    setup: &Setup<'_>,
) -> Answer<Vec<Payload>> {
    let order = udp_send::SendOrder::of(setup.plan, setup.key, payload, None);
    let mut sending = match udp_send::start(socket, order) {
        Ok(sending) => sending,
        Err(error) => return abandon(channel, not_started(error), setup.deadline.set_up()).await,
    };
    let late = tokio::time::sleep_until(setup.deadline.transferred());
    tokio::pin!(late);
    let mut is_cancelled = false;
    let half = loop {
        tokio::select! {
            half = &mut sending.done => break half.unwrap_or_else(|_| Err(io::ErrorKind::Other.into())),
            Some(slice) = sending.slices.recv() => progress::udp(&slice, setup.plan, "sent", setup.watch),
            message = channel.receive::<ToClient>() => return match message {
                Ok(ToClient::UdpReceived { .. }) | Err(_) => Err(gone()),
                Ok(other) => Ok(Err(unwelcome(other))),
            },
            () = setup.watch.cancel.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                sending.stop(StopReason::Cancelled);
            }
            () = &mut late, if !late.is_elapsed() => sending.stop(StopReason::MaxTime),
        }
    };
    let sent = half.as_ref().ok().map(|half| half.sequences);
    channel
        .send(&ToServer::Stop {
            cancelled: is_cancelled,
            sent,
        })
        .await?;
    let answer = match tokio::time::timeout_at(setup.deadline.report(), channel.receive()).await {
        Ok(answer) => answer?,
        Err(_) => return Err(gone()),
    };
    match (half, answer) {
        (Ok(sent), ToClient::UdpReceived { half }) => {
            let stop = sent.stop;
            Ok(Ok(vec![joined(setup, &sent, &half, stop)]))
        }
        (Err(error), _) => Ok(Err(udp_send::failed(error, setup.plan))),
        (Ok(_), other) => Ok(Err(unwelcome(other))),
    }
}

async fn receive(channel: &mut Channel, socket: UdpSocket, setup: &Setup<'_>) -> Answer<Vec<Payload>> {
    let sent_in_all = Arc::new(AtomicU64::new(udp_receive::UNKNOWN));
    let order = udp_receive::ReceiveOrder {
        key: setup.key,
        plan: *setup.plan,
        budget: None,
        sent: sent_in_all.clone(),
        iperf3: None,
    };
    let mut receiving = match udp_receive::start(socket, order) {
        Ok(receiving) => receiving,
        Err(error) => return abandon(channel, not_started(error), setup.deadline.set_up()).await,
    };
    let late = tokio::time::sleep_until(setup.deadline.transferred());
    tokio::pin!(late);
    let mut heard = None;
    let mut is_cancelled = false;
    let received = loop {
        tokio::select! {
            half = &mut receiving.done => match half {
                Ok(half) => break half,
                Err(_) => return Err(gone()),
            },
            Some(slice) = receiving.slices.recv() => progress::udp(&slice, setup.plan, "received", setup.watch),
            message = channel.receive(), if heard.is_none() => {
                if let Ok(ToClient::UdpSent { half }) = &message {
                    sent_in_all.store(half.sequences, Ordering::Release);
                }
                receiving.stop(StopReason::MaxTime);
                heard = Some(message);
            }
            () = setup.watch.cancel.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                channel.send(&ToServer::Stop { cancelled: true, sent: None }).await?;
            }
            () = &mut late, if heard.is_none() => {
                heard = Some(Err(gone()));
                receiving.stop(StopReason::PeerGone);
            }
        }
    };
    match heard {
        Some(Ok(ToClient::UdpSent { half })) => {
            let stop = if is_cancelled {
                StopReason::Cancelled
            } else {
                half.stop
            };
            Ok(Ok(vec![joined(setup, &half, &received, stop)]))
        }
        Some(Ok(other)) => Ok(Err(unwelcome(other))),
        Some(Err(_)) | None if received.packets > 0 => {
            channel.give_up();
            let sent = as_far_as_seen(&received);
            Ok(Ok(vec![joined(setup, &sent, &received, StopReason::PeerGone)]))
        }
        Some(Err(error)) => Err(error),
        None => Err(gone()),
    }
}

/// What a sender that went away must have sent for this to arrive: up to the last packet that came.
fn as_far_as_seen(received: &UdpReceived) -> UdpSent {
    let lost: u64 = received.loss_runs.iter().map(|run| run.1).sum();
    UdpSent {
        sequences: received.packets + lost,
        packets: received.packets + lost,
        refused: 0,
        interface_drops: None,
        stamps: Vec::new(),
        active_ns: received.active_ns,
        stop: StopReason::PeerGone,
        cpu: None,
    }
}

fn joined(setup: &Setup<'_>, sent: &UdpSent, received: &UdpReceived, stop: StopReason) -> Payload {
    join_udp(setup.parties, setup.plan, sent, received, stop).into()
}

fn gone() -> ChannelError {
    ChannelError::Gone(io::Error::new(io::ErrorKind::TimedOut, "it does not report"))
}
