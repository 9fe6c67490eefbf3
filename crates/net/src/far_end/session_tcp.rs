//! The server's side of a bulk TCP transfer.

use super::channel::{Channel, ChannelError};
use super::key::random_key;
use super::partner::{Partner, told_to_go};
use super::refusal::{fail, fail_cancelled, refuse};
use super::session_client::Client;
use super::turn;
use crate::budget::SetAside;
use crate::path::{self, EchoPlan, PathTarget};
use crate::sys::tcp_socket;
use crate::sys::thread_time::monotonic_ns;
use crate::transfer::stop::Running;
use crate::transfer::tcp_open::{self, apply_accepted, blocking};
use crate::transfer::{tcp_receive, tcp_send};
use crate::{NetError, Tuning, Watch};
use evidence::{EchoContext, Payload, Probes, StopReason};
use futures::future::try_join_all;
use probe::SessionKey;
use probe::session::{Limits, Refusal, TcpHalf, TcpPlan, TcpSlice, ToClient, ToServer};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Whoever joins opens its connections at once; more time than this means that they do not get through.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Two lost SYNs (RFC 6298, section 2.1: a second, then two) and a long path.
const JOIN_TIMEOUT: Duration = Duration::from_millis(3_500);
/// Beyond the agreed time before the server ends a transfer that the client should have ended.
const GRACE_MS: u32 = 3_000;
/// The probes that watch hops under load: small, ten rounds a second.
const WATCH_SIZE_BYTES: u32 = 64;
const WATCH_INTERVAL_MS: u32 = 100;

type Transfer = Running<TcpSlice, TcpHalf>;

/// Prepares, runs and reports one transfer.
pub(super) async fn run(
    channel: &mut Channel,
    client: &Client,
    asked: &TcpPlan,
    partner: Partner,
) -> Result<(), ChannelError> {
    let lasts = match allowed(client, asked) {
        Ok((plan, _)) => Duration::from_millis(u64::from(plan.max_time_ms)),
        Err(detail) => return refuse(channel, Refusal::Limits, &detail).await,
    };
    let Some(only_one) = turn::take(channel, client, partner, lasts).await? else {
        return Ok(());
    };
    // Once more: others with the same token may have measured while it waited.
    let (plan, _set_aside) = match allowed(client, asked) {
        Ok(allowed) => allowed,
        Err(detail) => return refuse(channel, Refusal::Limits, &detail).await,
    };
    let streams = match partner.joined() {
        None => gather(channel, client, &plan, partner).await?,
        Some(place) => join(channel, client, &plan, place).await?,
    };
    let streams = match streams {
        Ok(Some(streams)) => streams,
        Ok(None) => return fail_cancelled(channel).await,
        Err(error) => return fail(channel, &error).await,
    };
    let ready = ToClient::Ready {
        congestion_control: streams
            .first()
            .and_then(|stream| tcp_socket::congestion_control(stream.as_fd()).ok()),
    };
    let sends = partner.lets_us_send(plan.server_sends);
    let waits = sends && partner.joined().is_some();
    if waits {
        channel.send(&ready).await?;
        if !told_to_go(channel).await? {
            return fail_cancelled(channel).await;
        }
    }
    let transfer = match start(streams, &plan, sends, client) {
        Ok(transfer) => transfer,
        Err(error) => return fail(channel, &NetError::os("starting the transfer", error)).await,
    };
    if !waits {
        channel.send(&ready).await?;
    }
    let ended = CancellationToken::new();
    let watched = (sends && plan.watch_hops).then(|| partner.target(client));
    let (half, beside) = tokio::join!(
        follow(channel, transfer, sends, &ended),
        watch_hops(client, watched, &ended)
    );
    let Some(half) = half? else {
        let error = std::io::Error::other("its thread died");
        return fail(channel, &NetError::os("the transfer", error)).await;
    };
    // Who has heard of the end may ask again at once, or let another.
    drop(only_one);
    channel.send(&ToClient::TcpReport { half, beside }).await
}

/// What of it the owner allows now; and sets aside what that moves.
fn allowed(client: &Client, asked: &TcpPlan) -> Result<(TcpPlan, SetAside), String> {
    client.may_now()?;
    let limits = client.limits();
    let most = [asked.max_bytes, limits.max_bytes].into_iter().flatten().min();
    let share = client.account.share(most, monotonic_ns());
    let (max_bytes, set_aside) = share.map_err(|error| error.to_string())?;
    let plan = asked.within(&Limits { max_bytes, ..limits });
    let plan = plan.map_err(|error| client.account.refusal(error.to_string()))?;
    Ok((plan, set_aside))
}

type Gathered = Result<Result<Option<Vec<TcpStream>>, NetError>, ChannelError>;

/// Opens the connections to another far end, which waits for them. `Ok(None)`: the client changed its mind.
async fn join(
    channel: &mut Channel,
    client: &Client,
    plan: &TcpPlan,
    (peer, key): (SocketAddr, SessionKey),
) -> Gathered {
    let plainly = Tuning::default();
    let local = client.local.ip();
    let opening = try_join_all(
        (0..plan.streams).map(|stream| tcp_open::open(peer, (local, &plainly), plan, key, stream)),
    );
    tokio::select! {
        opened = tokio::time::timeout(JOIN_TIMEOUT, opening) => Ok(match opened {
            Ok(opened) => opened.map(Some),
            Err(_) => {
                let detail = "it answers on UDP, and its TCP port does not: a firewall".to_owned();
                Err(NetError::Unreachable(peer.to_string(), detail))
            }
        }),
        message = channel.receive() => match message? {
            ToServer::Stop { .. } => Ok(Ok(None)),
            _ => Err(second_ask()),
        },
    }
}

fn second_ask() -> ChannelError {
    ChannelError::Protocol("a second ask while one is carried out".to_owned())
}

/// Collects the partner's bulk connections. `Ok(None)`: the client changed its mind.
async fn gather(channel: &mut Channel, client: &Client, plan: &TcpPlan, partner: Partner) -> Gathered {
    let key = match random_key() {
        Ok(key) => key,
        Err(error) => return Ok(Err(error)),
    };
    let (sender, mut arriving) = mpsc::channel(usize::from(plan.streams));
    let _expecting = client.hub.expect_tcp(key, partner.address(), sender);
    channel
        .send(&ToClient::Accepted {
            key,
            plan: Some(plan.clone()),
        })
        .await?;
    let deadline = tokio::time::sleep(CONNECT_TIMEOUT);
    tokio::pin!(deadline);
    let mut streams = Vec::new();
    while streams.len() < usize::from(plan.streams) {
        tokio::select! {
            Some((_, stream)) = arriving.recv() => {
                let prepared = blocking(stream)
                    .map_err(|error| NetError::os("preparing a bulk connection", error))
                    .and_then(|stream| apply_accepted(&stream, plan).map(|()| stream));
                match prepared {
                    Ok(stream) => streams.push(stream),
                    Err(error) => return Ok(Err(error)),
                }
            }
            message = channel.receive() => match message? {
                ToServer::Stop { .. } => return Ok(Ok(None)),
                _ => return Err(second_ask()),
            },
            () = &mut deadline => {
                let seen = streams.len();
                let detail = format!("only {seen} of {} bulk connections arrived in time", plan.streams);
                return Ok(Err(NetError::Unreachable("the far end".to_owned(), detail)));
            }
        }
    }
    Ok(Ok(Some(streams)))
}

fn start(streams: Vec<TcpStream>, plan: &TcpPlan, sends: bool, client: &Client) -> std::io::Result<Transfer> {
    let budget = Some(client.budget.clone());
    if sends {
        let order = tcp_send::SendOrder {
            max_time_ms: plan.max_time_ms,
            max_bytes: plan.max_bytes,
            max_rate_bps: plan.max_rate_bps,
            budget,
            stays_open: false,
        };
        tcp_send::start(streams, order)
    } else {
        let order = tcp_receive::ReceiveOrder {
            max_bytes: plan.max_bytes,
            max_rate_bps: plan.max_rate_bps,
            max_time_ms: Some(plan.max_time_ms.saturating_add(GRACE_MS)),
            budget,
            ..tcp_receive::ReceiveOrder::default()
        };
        tcp_receive::start(streams, order)
    }
}

/// Follows the transfer to its end. A client that goes away ends it, by the handle being dropped.
async fn follow(
    channel: &mut Channel,
    mut transfer: Transfer,
    sends: bool,
    ended: &CancellationToken,
) -> Result<Option<TcpHalf>, ChannelError> {
    let _ended = ended.clone().drop_guard();
    loop {
        tokio::select! {
            half = &mut transfer.done => return Ok(half.ok()),
            Some(slice) = transfer.slices.recv(), if sends => channel.send(&ToClient::Slice { slice }).await?,
            message = channel.receive() => match message? {
                ToServer::Stop { cancelled: true, .. } => transfer.stop(StopReason::Cancelled),
                ToServer::Stop { cancelled: false, .. } => transfer.stop(StopReason::MaxBytes),
                ToServer::Go => {}
                _ => return Err(ChannelError::Protocol("a second ask during a transfer".to_owned())),
            },
        }
    }
}

/// Probes the hops towards `target` while this end sends, if asked to.
async fn watch_hops(client: &Client, target: Option<PathTarget>, ended: &CancellationToken) -> Vec<Payload> {
    let Some(target) = target else {
        return Vec::new();
    };
    let watch = Watch::new(ended.clone(), |_| {}).within(client.budget.clone());
    let echo = EchoPlan {
        sizes_bytes: vec![WATCH_SIZE_BYTES],
        count: u32::MAX,
        interval_ms: WATCH_INTERVAL_MS,
    };
    let hops = path::echo(&target, None, &echo, &watch).await;
    let under_load = |hops| Probes {
        context: Some(EchoContext::UnderLoad),
        ..hops
    };
    let hops = hops.ok().map(under_load).map(Payload::Probes);
    hops.into_iter().collect()
}
