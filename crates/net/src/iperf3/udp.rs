//! A UDP stream with an iperf3 server.

use super::{Connection, Measured, called};
use crate::far_end::Side;
use crate::transfer::{progress, udp_open, udp_receive, udp_send};
use crate::{NetError, Tuning, Watch};
use evidence::{StopReason, Transfer};
use probe::iperf3::{
    CONNECT_MESSAGE, Datagram, Event, Results, StreamResult, is_connect_reply, join_udp_received,
    join_udp_sent, stream_id,
};
use probe::session::{UdpParties, UdpPlan, UdpReceived, UdpSent};
use std::io;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// A message that opens the stream, or its answer, may be lost. A server counts one too many as a packet of the stream, so
/// there is time for the answer.
const KNOCKS: u32 = 3;
const KNOCK: Duration = Duration::from_millis(1_500);
/// Between the last packet and the end of the test: a server looks at its control connection first, and does not read what
/// still waits in its socket.
const DRAIN: Duration = Duration::from_millis(50);
/// A stream that was broken off by neither end is given up so long after its time.
const LATE: Duration = Duration::from_secs(30);

/// What is known of the stream before it starts.
struct Setup<'a> {
    plan: &'a UdpPlan,
    payload_bytes: usize,
    parties: UdpParties,
    watch: &'a Watch,
}

/// What the exchange of results gave.
#[derive(Default)]
struct Outcome {
    told: Option<Results>,
    is_cancelled: bool,
    broken: Option<NetError>,
}

impl Outcome {
    fn stop(&self, own: StopReason) -> StopReason {
        match (self.is_cancelled, &self.broken) {
            (true, _) => StopReason::Cancelled,
            (false, Some(_)) => StopReason::PeerGone,
            (false, None) => own,
        }
    }

    fn measured(&self, transfer: Transfer) -> Measured {
        Measured {
            payload: transfer.into(),
            far_end: called(self.told.as_ref().and_then(|told| told.version.as_deref())),
        }
    }
}

/// Carries the stream out.
pub(super) async fn run(
    mut connection: Connection,
    sender: Side,
    (plan, payload_bytes, tuning): (&UdpPlan, usize, &Tuning),
    watch: &Watch,
) -> Result<Measured, NetError> {
    connection.expect(&Event::OpenStreams, watch).await?;
    let opened = tokio::select! {
        opened = open(&connection, plan, tuning) => opened,
        () = watch.cancel.cancelled() => Err(NetError::Cancelled),
    };
    let socket = match opened {
        Ok(socket) => socket,
        Err(error) => {
            connection.terminate().await;
            return Err(error);
        }
    };
    connection.expect(&Event::Run, watch).await?;
    let (here, there) = (connection.local, connection.peer.ip());
    let (source, destination) = match sender {
        Side::Here => (here, there),
        Side::There => (there, here),
    };
    let setup = Setup {
        plan,
        payload_bytes,
        parties: UdpParties {
            source,
            destination,
            same_clock: false,
        },
        watch,
    };
    match sender {
        Side::Here => send(&mut connection, socket, &setup).await,
        Side::There => receive(&mut connection, socket, &setup).await,
    }
}

/// Opens the stream, and waits until the server knows it.
async fn open(connection: &Connection, plan: &UdpPlan, tuning: &Tuning) -> Result<UdpSocket, NetError> {
    let failed = |error: io::Error| NetError::os("opening a UDP socket", error);
    let local = tuning.source(connection.local, 0);
    let socket = udp_open::open(local, connection.peer, false).map_err(failed)?;
    tuning.mark(socket.as_fd(), connection.peer.is_ipv6())?;
    if plan.server_sends {
        udp_open::prepare_receiver(&socket, None).map_err(failed)?;
    } else {
        udp_open::prepare_sender(&socket).map_err(failed)?;
    }
    socket.set_nonblocking(true).map_err(failed)?;
    let socket = tokio::net::UdpSocket::from_std(socket).map_err(failed)?;
    for _ in 0..KNOCKS {
        // A refusal by ICMP is for an earlier message.
        let _ = socket.send(&CONNECT_MESSAGE).await;
        if tokio::time::timeout(KNOCK, reply(&socket)).await.is_ok() {
            let socket = socket.into_std().map_err(failed)?;
            socket.set_nonblocking(false).map_err(failed)?;
            return Ok(socket);
        }
    }
    Err(NetError::Unreachable(
        format!("UDP port {} of the iperf3 server", connection.peer.port()),
        "TCP reaches it and UDP does not, so a firewall lets only TCP through: open UDP to this port"
            .to_owned(),
    ))
}

async fn reply(socket: &tokio::net::UdpSocket) {
    let mut buffer = [0; 64];
    loop {
        match socket.recv(&mut buffer).await {
            Ok(count) if is_connect_reply(buffer.get(..count).unwrap_or_default()) => return,
            Ok(_) => {}
            // An ICMP error, once taken, is gone; without a pause a stream of them would keep a processor busy.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn send(
    connection: &mut Connection,
    socket: UdpSocket,
    setup: &Setup<'_>,
) -> Result<Measured, NetError> {
    let order = udp_send::SendOrder {
        iperf3: Some(Datagram::of(setup.plan)),
        ..udp_send::SendOrder::of(setup.plan, [0; 16], setup.payload_bytes, None)
    };
    // Kept until the results are there: a server that sends to a closed port is told so, and gives up.
    let _kept = socket.try_clone();
    let mut sending =
        udp_send::start(socket, order).map_err(|error| NetError::os("starting the UDP stream", error))?;
    let mut outcome = Outcome::default();
    let half = loop {
        tokio::select! {
            half = &mut sending.done => break half.unwrap_or_else(|_| Err(io::ErrorKind::Other.into())),
            Some(slice) = sending.slices.recv() => progress::udp(&slice, setup.plan, "sent", setup.watch),
            event = connection.event(), if outcome.broken.is_none() && !outcome.is_cancelled => {
                outcome.broken = event.err();
                if outcome.broken.is_some() {
                    sending.stop(StopReason::PeerGone);
                }
            }
            () = setup.watch.cancel.cancelled(), if !outcome.is_cancelled => {
                outcome.is_cancelled = true;
                sending.stop(StopReason::Cancelled);
                connection.terminate().await;
            }
        }
    };
    let half = match half {
        Ok(half) => half,
        Err(error) => {
            connection.terminate().await;
            return Err(udp_send::failed(error, setup.plan));
        }
    };
    if outcome.broken.is_none() && !outcome.is_cancelled {
        tokio::time::sleep(DRAIN).await;
        connection.end();
        exchange(connection, &sent_results(&half, setup), &mut outcome, setup.watch).await;
    }
    match (half.packets, outcome.broken.take()) {
        (0, Some(error)) => return Err(error),
        (_, broken) => outcome.broken = broken,
    }
    let stop = outcome.stop(half.stop);
    let joined = join_udp_sent(setup.parties, setup.plan, &half, outcome.told.as_ref(), stop);
    Ok(outcome.measured(joined))
}

/// Tells the server of this end when it asks, and hears of its own.
async fn exchange(connection: &mut Connection, own: &Results, outcome: &mut Outcome, watch: &Watch) {
    loop {
        tokio::select! {
            event = connection.event() => match event {
                Ok(Event::Report) => connection.report(own),
                Ok(Event::Results(results)) => outcome.told = Some(results),
                Ok(Event::Over) => return connection.farewell().await,
                Ok(Event::OpenStreams | Event::Run) => {}
                Err(error) => {
                    outcome.broken = Some(error);
                    return;
                }
            },
            () = watch.cancel.cancelled() => {
                outcome.is_cancelled = true;
                return connection.terminate().await;
            }
        }
    }
}

async fn receive(
    connection: &mut Connection,
    socket: UdpSocket,
    setup: &Setup<'_>,
) -> Result<Measured, NetError> {
    let jitter_ns = Arc::new(AtomicU64::new(udp_receive::UNKNOWN));
    let order = udp_receive::ReceiveOrder {
        key: [0; 16],
        plan: *setup.plan,
        budget: None,
        sent: Arc::new(AtomicU64::new(udp_receive::UNKNOWN)),
        iperf3: Some(udp_receive::Heads {
            datagram: Datagram::of(setup.plan),
            jitter_ns: jitter_ns.clone(),
        }),
    };
    let _kept = socket.try_clone();
    let mut receiving =
        udp_receive::start(socket, order).map_err(|error| NetError::os("starting the UDP stream", error))?;
    let mut outcome = Outcome::default();
    let end = Instant::now() + Duration::from_millis(u64::from(setup.plan.duration_ms));
    let (mut is_ended, mut is_asked) = (false, false);
    let half = loop {
        tokio::select! {
            half = &mut receiving.done => match half {
                Ok(half) => break half,
                Err(_) => return Err(NetError::os("receiving UDP packets", io::ErrorKind::Other.into())),
            },
            Some(slice) = receiving.slices.recv() => progress::udp(&slice, setup.plan, "received", setup.watch),
            event = connection.event(), if !is_asked && outcome.broken.is_none() && !outcome.is_cancelled => {
                is_asked = matches!(event, Ok(Event::Report));
                outcome.broken = event.err();
                receiving.stop(if is_asked { StopReason::MaxTime } else { StopReason::PeerGone });
            }
            () = tokio::time::sleep_until(end), if !is_ended => {
                is_ended = true;
                connection.end();
            }
            () = tokio::time::sleep_until(end + LATE) => receiving.stop(StopReason::PeerGone),
            () = setup.watch.cancel.cancelled(), if !outcome.is_cancelled => {
                outcome.is_cancelled = true;
                receiving.stop(StopReason::Cancelled);
                connection.terminate().await;
            }
        }
    };
    if outcome.broken.is_none() && !outcome.is_cancelled {
        let own = received_results(&half, jitter(&jitter_ns), setup);
        connection.end();
        if is_asked {
            connection.report(&own);
        }
        exchange(connection, &own, &mut outcome, setup.watch).await;
    }
    match (half.packets, outcome.broken.take()) {
        (0, Some(error)) => return Err(error),
        (_, broken) => outcome.broken = broken,
    }
    let stop = outcome.stop(StopReason::MaxTime);
    let seen = (&half, jitter(&jitter_ns));
    let joined = join_udp_received(setup.parties, setup.plan, seen, outcome.told.as_ref(), stop);
    Ok(outcome.measured(joined))
}

fn jitter(ns: &AtomicU64) -> Option<u64> {
    Some(ns.load(Ordering::Acquire)).filter(|ns| *ns != udp_receive::UNKNOWN)
}

fn sent_results(half: &UdpSent, setup: &Setup<'_>) -> Results {
    results(
        half.cpu,
        StreamResult {
            packets: half.packets,
            bytes: half.packets.saturating_mul(setup.payload_bytes as u64),
            length_s: Some(half.active_ns as f64 / 1e9),
            ..StreamResult::default()
        },
    )
}

fn received_results(half: &UdpReceived, jitter_ns: Option<u64>, setup: &Setup<'_>) -> Results {
    let lost: u64 = half.loss_runs.iter().map(|run| run.1).sum();
    results(
        half.cpu,
        StreamResult {
            packets: half.packets.saturating_add(lost),
            lost,
            bytes: half.packets.saturating_mul(setup.payload_bytes as u64),
            jitter_s: jitter_ns.unwrap_or(0) as f64 / 1e9,
            length_s: Some(half.active_ns as f64 / 1e9),
            ..StreamResult::default()
        },
    )
}

fn results(cpu: Option<f64>, stream: StreamResult) -> Results {
    Results {
        cpu_percent: cpu.map(|cpu| cpu * 100.0),
        streams: vec![StreamResult {
            id: stream_id(0),
            ..stream
        }],
        ..Results::default()
    }
}
