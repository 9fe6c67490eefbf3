//! How a client comes in: connects, proves that it has the token, and tries again where the far end had no room.

use super::channel::{Channel, ChannelError, keep_segments_small, notice_death};
use super::client::FarEnd;
use super::conversation::unwelcome;
use super::plain_text::plainly;
use super::token::Token;
use super::version::{PROGRAM, is_spoken};
use crate::{NetError, Watch};
use probe::session::{OLDEST_VERSION, PROTOCOL_VERSION, Refusal, ToClient, ToServer};
use rand::TryRngCore;
use rand::rngs::OsRng;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout_at};

/// Time for all attempts together: for one, a SYN and two retransmissions of it after one and three seconds.
const WITHIN: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 6;
/// Before the second attempt, doubled before each of the next: 1.5 s in all.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Why an attempt did not bring us in.
pub(super) enum Setback {
    /// Another attempt would end as this one.
    Final(NetError),
    /// The connection was reset before it was let in: it had to make room for others, or came too late.
    Crowded,
    /// It knows our token and serves as many as it can.
    Full(String),
    /// It does not speak the version that we greeted with.
    Version(NetError),
}

impl Setback {
    /// How it is told after the last attempt.
    pub(super) fn told(self, attempts: u32) -> NetError {
        match self {
            Self::Final(error) | Self::Version(error) => error,
            Self::Crowded => NetError::NoRoom(format!(
                "it reset {attempts} connections before it had heard our greeting, as it does when strangers crowd \
                 its port: try again in a minute, or have its firewall let only your hosts through"
            )),
            Self::Full(detail) => NetError::NoRoom(format!("{detail}: try again when some of them are done")),
        }
    }
}

/// Connects to the far end at `address` and `port` and proves that we have `token`, from `source` if given. Takes five
/// seconds at most, and ends at once when `watch` is cancelled.
///
/// # Errors
/// [`NetError::NoFarEnd`] when nothing answers there, [`NetError::Refused`] when the token is wrong or the versions
/// differ, [`NetError::NoRoom`] when it has too many clients or strangers.
pub async fn connect(
    address: IpAddr,
    port: u16,
    token: &Token,
    source: Option<IpAddr>,
    watch: &Watch,
) -> Result<FarEnd, NetError> {
    let peer = SocketAddr::new(address, port);
    tokio::select! {
        connected = try_repeatedly(peer, token, source, watch) => connected,
        () = watch.cancel.cancelled() => Err(NetError::Cancelled),
    }
}

async fn try_repeatedly(
    peer: SocketAddr,
    token: &Token,
    source: Option<IpAddr>,
    watch: &Watch,
) -> Result<FarEnd, NetError> {
    let deadline = Instant::now() + WITHIN;
    watch.report(format!("connecting to {peer}"), None);
    let mut attempt = 1;
    let mut version = PROTOCOL_VERSION;
    let mut refused = None;
    loop {
        let setback = match try_once(peer, token, source, watch, (deadline, version)).await {
            Ok(far_end) => return Ok(far_end),
            // An older one may know what we knew once.
            Err(Setback::Version(error)) if version != OLDEST_VERSION => {
                version = OLDEST_VERSION;
                refused = Some(error);
                continue;
            }
            // What it said first tells more than what became of trying again.
            Err(Setback::Final(error) | Setback::Version(error)) => return Err(refused.unwrap_or(error)),
            Err(setback) => setback,
        };
        let pause = pause_after(attempt, chance());
        if attempt == ATTEMPTS || Instant::now() + pause >= deadline {
            return Err(refused.unwrap_or_else(|| setback.told(attempt)));
        }
        watch.report("no room there, trying again", None);
        sleep(pause).await;
        attempt += 1;
    }
}

/// Doubles with each attempt, and is between half and all of that by `chance` (0 to 1): clients that were turned away
/// together must not come back together.
fn pause_after(attempt: u32, chance: f64) -> Duration {
    let longest = FIRST_PAUSE * 2u32.saturating_pow(attempt.saturating_sub(1)).min(64);
    longest.mul_f64(0.5 + chance / 2.0)
}

/// 0 to 1. Without randomness the pauses are the longest: nothing worse.
pub(super) fn chance() -> f64 {
    OsRng
        .try_next_u32()
        .map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

async fn try_once(
    peer: SocketAddr,
    token: &Token,
    source: Option<IpAddr>,
    watch: &Watch,
    (deadline, version): (Instant, u32),
) -> Result<FarEnd, Setback> {
    let stream = open(peer, source, deadline).await?;
    let local = stream
        .local_addr()
        .map_err(|error| Setback::Final(NetError::os("reading the local address", error)))?;
    watch.report("authenticating", None);
    match timeout_at(deadline, greet(stream, token, peer, version)).await {
        Ok(Ok((channel, answer))) => admitted(peer, local, channel, (answer, version)),
        Ok(Err(setback)) => Err(setback),
        Err(_) => Err(Setback::Final(NetError::Refused(format!(
            "something at {peer} takes connections and says nothing within {} s: it is overloaded, or not `slowpath serve`",
            WITHIN.as_secs()
        )))),
    }
}

pub(super) async fn open(
    peer: SocketAddr,
    source: Option<IpAddr>,
    deadline: Instant,
) -> Result<TcpStream, Setback> {
    let context = |error| Setback::Final(NetError::os(format!("connecting to {peer}"), error));
    let socket =
        Socket::new(Domain::for_address(peer), Type::STREAM, Some(Protocol::TCP)).map_err(context)?;
    if let Some(source) = source {
        socket.bind(&SocketAddr::new(source, 0).into()).map_err(context)?;
    }
    keep_segments_small(socket.as_fd(), peer.is_ipv6()).map_err(context)?;
    socket.set_nonblocking(true).map_err(context)?;
    let connecting = TcpSocket::from_std_stream(socket.into()).connect(peer);
    let nobody = || Setback::Final(NetError::NoFarEnd(peer.to_string()));
    match timeout_at(deadline, connecting).await {
        Ok(Ok(stream)) => {
            notice_death(&stream).map_err(context)?;
            Ok(stream)
        }
        Ok(Err(error)) => Err(match error.raw_os_error() {
            Some(libc::ECONNREFUSED | libc::ETIMEDOUT) => nobody(),
            Some(libc::ECONNRESET) => Setback::Crowded,
            Some(libc::EHOSTUNREACH | libc::ENETUNREACH) => {
                Setback::Final(NetError::Unreachable(peer.to_string(), error.to_string()))
            }
            _ => context(error),
        }),
        Err(_) => Err(nobody()),
    }
}

async fn greet(
    stream: TcpStream,
    token: &Token,
    peer: SocketAddr,
    version: u32,
) -> Result<(Channel, ToClient), Setback> {
    let mut channel = Channel::initiate(stream, token.key())
        .await
        .map_err(|error| not_let_in(error, peer))?;
    let hello = ToServer::Hello {
        version,
        program: PROGRAM.to_owned(),
    };
    let answered = async {
        channel.send(&hello).await?;
        channel.receive().await
    };
    match answered.await {
        Ok(answer) => Ok((channel, answer)),
        Err(ChannelError::Gone(error)) if is_reset(&error) => Err(Setback::Crowded),
        // It has shown that it has our token: what it says now is to be taken as such.
        Err(error) => Err(Setback::Final(error.into())),
    }
}

/// What a handshake that came to nothing tells.
fn not_let_in(error: ChannelError, peer: SocketAddr) -> Setback {
    let refused = |why: &str| Setback::Final(NetError::Refused(format!("the token is wrong, or {why}")));
    match error {
        ChannelError::Gone(error) if is_reset(&error) => Setback::Crowded,
        ChannelError::Gone(_) => refused(&format!(
            "what listens at {peer} is not a `slowpath serve` of this version: it read our greeting and closed. Copy the \
             token of the far end once more"
        )),
        _ => refused(&format!(
            "what listens at {peer} is not `slowpath serve`: its answer is not sealed with our token"
        )),
    }
}

fn is_reset(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

pub(super) fn admitted(
    peer: SocketAddr,
    local: SocketAddr,
    channel: Channel,
    (answer, said): (ToClient, u32),
) -> Result<FarEnd, Setback> {
    match answer {
        ToClient::Welcome {
            version,
            program,
            machine,
            reflector,
            limits,
        } if version == said && is_spoken(version) => Ok(FarEnd::new(
            peer, local, channel, reflector, limits, &program, &machine,
        )),
        ToClient::Refused {
            why: Refusal::Full,
            detail,
        } => Err(Setback::Full(plainly(&detail))),
        refused @ ToClient::Refused {
            why: Refusal::Version,
            ..
        } => Err(Setback::Version(unwelcome(refused))),
        other => Err(Setback::Final(unwelcome(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_all_of_them_fit() {
        let longest: Vec<Duration> = (1..ATTEMPTS).map(|attempt| pause_after(attempt, 1.0)).collect();
        assert!(longest.windows(2).all(|two| two[1] == two[0] * 2), "{longest:?}");
        assert!(longest.iter().sum::<Duration>() < WITHIN / 2);
        assert_eq!(pause_after(1, 0.0), FIRST_PAUSE / 2);
        assert_eq!(pause_after(u32::MAX, 1.0), FIRST_PAUSE * 64);
    }
}
