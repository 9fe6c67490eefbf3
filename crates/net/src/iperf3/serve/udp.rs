//! The streams of a UDP test.

use super::talk::Talk;
use super::test::{Failure, Place, opening_deadline, share};
use crate::NetError;
use crate::far_end::hub::plain;
use crate::transfer::stop::Running;
use crate::transfer::udp_send::UdpSlice;
use crate::transfer::{udp_open, udp_receive, udp_send};
use evidence::StopReason;
use probe::iperf3::{
    CONNECT_BYTES, CONNECT_REPLY, Datagram, Request, Results, Senders, State, StreamResult, stream_id,
};
use probe::session::{ReceivedSlice, UdpPlan, UdpReceived, UdpSent};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The streams of a test.
pub(super) struct Streams {
    plan: UdpPlan,
    datagram: Datagram,
    sockets: Vec<UdpSocket>,
}

/// Asks for the streams, and answers to the first datagram of each.
pub(super) async fn open(talk: &mut Talk, place: &Place<'_>, request: &Request) -> Result<Streams, Failure> {
    let sends = request.senders == Senders::Server;
    let (plan, datagram) = request.udp(sends, place.peer.is_ipv6(), &place.hub.config.limits)?;
    let here = talk.local_address()?;
    let failed = |error| NetError::os("opening a UDP socket", error);
    let door = listen(here).map_err(failed)?;
    talk.say(State::CreateStreams).await?;
    let deadline = opening_deadline();
    let mut sockets: Vec<UdpSocket> = Vec::new();
    let mut first = [0; 2 * CONNECT_BYTES];
    while sockets.len() < usize::from(request.streams) {
        let from = tokio::select! {
            came = door.recv_from(&mut first) => match came {
                // One datagram as long as ours answers it: nothing grows on the way back.
                Ok((CONNECT_BYTES, from)) if plain(from).ip() == place.peer.ip() => from,
                _ => continue,
            },
            state = talk.state() => {
                state?;
                return Err(io::Error::other("its user stopped it").into());
            }
            () = tokio::time::sleep_until(deadline) => {
                return Err(io::Error::other("no UDP packet of it came: UDP to this port is filtered").into());
            }
        };
        // Said again, as its answer was lost: it has its socket already.
        let known = sockets
            .iter()
            .find(|socket| socket.peer_addr().ok() == Some(from));
        if let Some(socket) = known {
            let _ = socket.send(&CONNECT_REPLY);
            continue;
        }
        sockets.push(answer(here, from, &plan, place).map_err(failed)?);
    }
    Ok(Streams {
        plan,
        datagram,
        sockets,
    })
}

/// Where first datagrams come to. The sockets of the streams stand beside it on the same port, each for one peer.
fn listen(here: SocketAddr) -> io::Result<tokio::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(here), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&here.into())?;
    tokio::net::UdpSocket::from_std(socket.into())
}

fn answer(here: SocketAddr, from: SocketAddr, plan: &UdpPlan, place: &Place<'_>) -> io::Result<UdpSocket> {
    let socket = udp_open::open(here, from, true)?;
    match plan.server_sends {
        true => udp_open::prepare_sender(&socket)?,
        false => udp_open::prepare_receiver(&socket, place.hub.config.udp_receive_buffer_bytes)?,
    }
    socket.send(&CONNECT_REPLY)?;
    Ok(socket)
}

enum Stream {
    Sending(Running<UdpSlice, io::Result<UdpSent>>),
    Receiving(Running<UdpSlice, UdpReceived>, Arc<AtomicU64>),
}

/// A test that goes on.
pub(super) struct Transfer {
    payload_bytes: u64,
    plan: UdpPlan,
    omit_ns: u64,
    streams: Vec<Stream>,
    /// A client that sends to a closed port is told so, and gives up.
    _kept: Vec<UdpSocket>,
}

/// Sends, or receives.
pub(super) fn start(streams: Streams, place: &Place<'_>, request: &Request) -> Result<Transfer, NetError> {
    let Streams {
        plan,
        datagram,
        sockets,
    } = streams;
    let failed = |error| NetError::os("starting the UDP streams", error);
    let budget = || Some(place.budget.clone());
    let kept: io::Result<Vec<UdpSocket>> = sockets.iter().map(UdpSocket::try_clone).collect();
    let start = |socket| {
        if plan.server_sends {
            let order = udp_send::SendOrder {
                iperf3: Some(datagram),
                ..udp_send::SendOrder::of(&plan, [0; 16], request.block_bytes as usize, budget())
            };
            return udp_send::start(socket, order).map(Stream::Sending);
        }
        let jitter_ns = Arc::new(AtomicU64::new(udp_receive::UNKNOWN));
        let order = udp_receive::ReceiveOrder {
            key: [0; 16],
            plan,
            budget: budget(),
            sent: Arc::new(AtomicU64::new(udp_receive::UNKNOWN)),
            iperf3: Some(udp_receive::Heads {
                datagram,
                jitter_ns: jitter_ns.clone(),
            }),
        };
        udp_receive::start(socket, order).map(|running| Stream::Receiving(running, jitter_ns))
    };
    let streams: io::Result<Vec<Stream>> = sockets.into_iter().map(start).collect();
    Ok(Transfer {
        payload_bytes: u64::from(request.block_bytes),
        plan,
        omit_ns: u64::from(request.omit_ms) * 1_000_000,
        streams: streams.map_err(failed)?,
        _kept: kept.map_err(failed)?,
    })
}

impl Transfer {
    /// Ends it, and tells what was seen here.
    pub(super) async fn results(self) -> Results {
        let (plan, omit_ns) = (self.plan, self.omit_ns);
        let of = |told: StreamResult| StreamResult {
            bytes: (told.packets - told.lost)
                .saturating_sub(told.omitted_packets.saturating_sub(told.omitted_lost))
                .saturating_mul(self.payload_bytes),
            length_s: told
                .length_s
                .map(|length| (length - omit_ns as f64 / 1e9).max(0.0)),
            ..told
        };
        let mut results = Results::default();
        for stream in &self.streams {
            match stream {
                Stream::Sending(running) => running.stop(StopReason::MaxTime),
                Stream::Receiving(running, _) => running.stop(StopReason::MaxTime),
            }
        }
        for (number, stream) in self.streams.into_iter().enumerate() {
            let (cpu, told) = match stream {
                Stream::Sending(mut running) => match (&mut running.done).await {
                    Ok(Ok(half)) => (half.cpu, of(sent(&half, &plan, omit_ns))),
                    _ => (None, StreamResult::default()),
                },
                Stream::Receiving(mut running, jitter_ns) => match (&mut running.done).await {
                    Ok(half) => (half.cpu, of(received(&half, &jitter_ns, omit_ns))),
                    Err(_) => (None, StreamResult::default()),
                },
            };
            results.cpu_percent = Some(results.cpu_percent.unwrap_or(0.0) + cpu.unwrap_or(0.0) * 100.0);
            results.streams.push(StreamResult {
                id: stream_id(number as u16),
                ..told
            });
        }
        results
    }
}

fn sent(half: &UdpSent, plan: &UdpPlan, omit_ns: u64) -> StreamResult {
    // They leave at even distances.
    let omitted = (omit_ns as f64 / plan.spacing_ns()) as u64;
    StreamResult {
        omitted_packets: omitted.min(half.packets),
        packets: half.packets,
        length_s: Some(half.active_ns as f64 / 1e9),
        ..StreamResult::default()
    }
}

fn received(half: &UdpReceived, jitter_ns: &AtomicU64, omit_ns: u64) -> StreamResult {
    let lost: u64 = half.loss_runs.iter().map(|run| run.1).sum();
    let early = |of: fn(&ReceivedSlice) -> f64| {
        let slices = half.slices.iter();
        let counted = slices.map(|slice| of(slice) * share(slice.start_ns, slice.length_ns, omit_ns));
        counted.sum::<f64>().max(0.0) as u64
    };
    let omitted_lost = early(|slice| slice.lost as f64).min(lost);
    let jitter_ns = Some(jitter_ns.load(Ordering::Acquire)).filter(|ns| *ns != udp_receive::UNKNOWN);
    StreamResult {
        packets: half.packets.saturating_add(lost),
        lost,
        omitted_packets: early(|slice| slice.packets as f64) + omitted_lost,
        omitted_lost,
        jitter_s: jitter_ns.unwrap_or(0) as f64 / 1e9,
        length_s: Some(half.active_ns as f64 / 1e9),
        ..StreamResult::default()
    }
}
