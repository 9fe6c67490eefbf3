//! The server's side of a UDP stream.

use super::channel::{Channel, ChannelError};
use super::hub::{Registration, UdpArrival};
use super::key::random_key;
use super::partner::{Partner, told_to_go};
use super::refusal::{fail, fail_cancelled, refuse};
use super::session_client::Client;
use super::turn;
use crate::NetError;
use crate::budget::SetAside;
use crate::sys::thread_time::monotonic_ns;
use crate::transfer::stop::Running;
use crate::transfer::udp_open::{self, payload_bytes};
use crate::transfer::udp_send::UdpSlice;
use crate::transfer::{udp_receive, udp_send};
use evidence::StopReason;
use probe::SessionKey;
use probe::session::{Refusal, ToClient, ToServer, UdpHello, UdpPlan, UdpReceived, UdpSent};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Whoever joins repeats its hello ten times a second: none in this time means that UDP does not get through.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
const HELLO_INTERVAL: Duration = Duration::from_millis(100);

type Sending = Running<UdpSlice, io::Result<UdpSent>>;
type Receiving = Running<UdpSlice, UdpReceived>;

/// Prepares, runs and reports one stream.
pub(super) async fn run(
    channel: &mut Channel,
    client: &Client,
    plan: &UdpPlan,
    partner: Partner,
) -> Result<(), ChannelError> {
    if let Err(detail) = allowed(client, plan) {
        return refuse(channel, Refusal::Limits, &detail).await;
    }
    let Some(payload) = payload_bytes(plan.size_bytes, partner.address().is_ipv6()) else {
        return refuse(
            channel,
            Refusal::Limits,
            "the packets are too small for their headers",
        )
        .await;
    };
    let lasts = Duration::from_millis(u64::from(plan.duration_ms));
    let Some(only_one) = turn::take(channel, client, partner, lasts).await? else {
        return Ok(());
    };
    // Once more: others with the same token may have measured while it waited.
    let _set_aside = match allowed(client, plan) {
        Ok(set_aside) => set_aside,
        Err(detail) => return refuse(channel, Refusal::Limits, &detail).await,
    };
    let sends = partner.lets_us_send(plan.server_sends);
    let started = match partner.joined() {
        None => {
            let key = match random_key() {
                Ok(key) => key,
                Err(error) => return fail(channel, &error).await,
            };
            let arrival = match await_hello(channel, client, partner, key).await? {
                Ok(Some(arrival)) => arrival,
                Ok(None) => return fail_cancelled(channel).await,
                Err(error) => return fail(channel, &error).await,
            };
            // A socket of this stream's own on the port that the hello came to.
            let started = udp_open::open(arrival.to, arrival.from, true)
                .and_then(|socket| Stream::start(socket, plan, (key, payload), sends, client));
            if started.is_ok() {
                channel.send(&READY).await?;
            }
            started
        }
        Some(place) => match join(channel, client, (plan, payload, sends), place).await? {
            Ok(Some(stream)) => Ok(stream),
            Ok(None) => return fail_cancelled(channel).await,
            Err(error) => Err(error),
        },
    };
    match started {
        Ok(Stream::Sending(sending)) => follow_sending(channel, sending, only_one).await,
        Ok(Stream::Receiving(receiving, sent)) => follow_receiving(channel, receiving, &sent, only_one).await,
        Err(error) => fail(channel, &NetError::os("starting the UDP stream", error)).await,
    }
}

const READY: ToClient = ToClient::Ready {
    congestion_control: None,
};
/// Sets aside what it moves, if the owner allows it now.
fn allowed(client: &Client, plan: &UdpPlan) -> Result<SetAside, String> {
    client.may_now()?;
    plan.check(&client.limits())
        .map_err(|error| client.account.refusal(error.to_string()))?;
    let set_aside = client.account.set_aside(plan.bytes(), monotonic_ns());
    set_aside.map_err(|error| error.to_string())
}

enum Stream {
    Sending(Sending),
    Receiving(Receiving, Arc<AtomicU64>),
}

impl Stream {
    fn start(
        socket: UdpSocket,
        plan: &UdpPlan,
        (key, payload): (SessionKey, usize),
        sends: bool,
        client: &Client,
    ) -> io::Result<Self> {
        let budget = Some(client.budget.clone());
        if sends {
            udp_open::prepare_sender(&socket)?;
            let order = udp_send::SendOrder::of(plan, key, payload, budget);
            return udp_send::start(socket, order).map(Self::Sending);
        }
        udp_open::prepare_receiver(&socket, client.hub.config.udp_receive_buffer_bytes)?;
        let sent = Arc::new(AtomicU64::new(udp_receive::UNKNOWN));
        let order = udp_receive::ReceiveOrder {
            key,
            plan: *plan,
            budget,
            sent: sent.clone(),
            iperf3: None,
        };
        Ok(Self::Receiving(udp_receive::start(socket, order)?, sent))
    }
}

/// Says hello to another far end, which waits for it, until the client says that it was heard. `Ok(None)`: the client changed
/// its mind.
async fn join(
    channel: &mut Channel,
    client: &Client,
    (plan, payload, sends): (&UdpPlan, usize, bool),
    (peer, key): (SocketAddr, SessionKey),
) -> Result<io::Result<Option<Stream>>, ChannelError> {
    let start = |socket| Stream::start(socket, plan, (key, payload), sends, client);
    // The other sends as soon as it heard us: who receives has to be there by then.
    let opened = udp_open::open(SocketAddr::new(client.local.ip(), 0), peer, false).and_then(|socket| {
        let early = (!sends).then(|| start(socket.try_clone()?)).transpose()?;
        Ok((socket, early))
    });
    let (socket, early) = match opened {
        Ok(opened) => opened,
        Err(error) => return Ok(Err(error)),
    };
    let hello = UdpHello { key }.to_bytes();
    let mut knocking = tokio::time::interval(HELLO_INTERVAL);
    let knock = async {
        loop {
            knocking.tick().await;
            // A refusal by ICMP is for an earlier hello.
            let _ = socket.send(&hello);
        }
    };
    channel.send(&READY).await?;
    let goes = tokio::select! {
        told = told_to_go(channel) => told?,
        () = knock => false,
    };
    Ok(match (goes, early) {
        (false, _) => Ok(None),
        (true, Some(stream)) => Ok(Some(stream)),
        (true, None) => start(socket).map(Some),
    })
}

/// Waits for the partner's hello on the UDP port. `Ok(None)`: the client changed its mind.
async fn await_hello(
    channel: &mut Channel,
    client: &Client,
    partner: Partner,
    key: SessionKey,
) -> Result<Result<Option<UdpArrival>, NetError>, ChannelError> {
    let (sender, mut hellos) = mpsc::channel(1);
    let _expecting = client.hub.expect_udp(key, partner.address(), sender);
    channel.send(&ToClient::Accepted { key, plan: None }).await?;
    tokio::select! {
        Some(arrival) = hellos.recv() => Ok(Ok(Some(arrival))),
        message = channel.receive() => match message? {
            ToServer::Stop { .. } => Ok(Ok(None)),
            _ => Err(ChannelError::Protocol("a second ask while one is carried out".to_owned())),
        },
        () = tokio::time::sleep(HELLO_TIMEOUT) => {
            let detail = "no UDP packet of the other end arrived: UDP to this port is filtered".to_owned();
            Ok(Err(NetError::Unreachable("the far end's UDP port".to_owned(), detail)))
        }
    }
}

/// The place is free before the report goes: who has heard of the end may ask again at once, or let another.
async fn follow_sending(
    channel: &mut Channel,
    mut sending: Sending,
    only_one: Registration,
) -> Result<(), ChannelError> {
    loop {
        tokio::select! {
            half = &mut sending.done => {
                drop(only_one);
                return report_sent(channel, half.ok()).await;
            }
            message = channel.receive() => match message? {
                ToServer::Stop { .. } => sending.stop(StopReason::Cancelled),
                ToServer::Go => {}
                _ => return Err(ChannelError::Protocol("a second ask during a stream".to_owned())),
            },
        }
    }
}

async fn report_sent(channel: &mut Channel, half: Option<io::Result<UdpSent>>) -> Result<(), ChannelError> {
    match half {
        Some(Ok(half)) => channel.send(&ToClient::UdpSent { half }).await,
        Some(Err(error)) => fail(channel, &NetError::os("sending UDP packets", error)).await,
        None => {
            fail(
                channel,
                &NetError::os("sending UDP packets", io::ErrorKind::Other.into()),
            )
            .await
        }
    }
}

async fn follow_receiving(
    channel: &mut Channel,
    mut receiving: Receiving,
    sent_in_all: &AtomicU64,
    only_one: Registration,
) -> Result<(), ChannelError> {
    loop {
        tokio::select! {
            half = &mut receiving.done => {
                drop(only_one);
                return match half {
                    Ok(half) => channel.send(&ToClient::UdpReceived { half }).await,
                    Err(_) => fail(channel, &NetError::os("receiving", io::ErrorKind::Other.into())).await,
                };
            }
            message = channel.receive() => match message? {
                ToServer::Stop { cancelled, sent } => {
                    sent_in_all.store(sent.unwrap_or(udp_receive::UNKNOWN), Ordering::Release);
                    receiving.stop(if cancelled { StopReason::Cancelled } else { StopReason::MaxTime });
                }
                ToServer::Go => {}
                _ => return Err(ChannelError::Protocol("a second ask during a stream".to_owned())),
            },
        }
    }
}
