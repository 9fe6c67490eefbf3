//! One accepted connection, from its first byte until it is a session, a bulk connection, or closed.
//!
//! Who shows no token is closed at once and without a byte: in order after a first message that was read to its end, so
//! that a client knows its token to be wrong, and by a reset where the connection had to make room or came too late, so
//! that it tries again.

use super::access::Account;
use super::channel::{Channel, ChannelError, notice_death};
use super::door::{Place, Seat};
use super::handshake::{FirstMessage, HandshakeError, Knock, OpenedBy};
use super::hub::{Hub, plain};
use super::refusal::refuse;
use super::session;
use super::session_client::Client;
use super::strangers::TurnedAway;
use super::version::{WAITS_SINCE, version_mismatch};
use super::waiting::Dialed;
use crate::Watch;
use crate::budget::Budget;
use crate::sys::tcp_socket::{close_in_order, reset_on_close};
use crate::sys::thread_time::monotonic_ns;
use probe::session::{DATA_HELLO_BYTES, DataHello, Refusal, ToClient, ToServer};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// From the connection to the first word of a session. The longest path on Earth takes well under a second for it, and
/// two retransmissions of one packet three.
const ENTRY_TIMEOUT: Duration = Duration::from_secs(4);

/// What became of a connection at the door.
enum Entered {
    /// Its peer has the token, and said this.
    Session(Channel, ToServer, Seat, Arc<Account>),
    /// Belongs to a transfer.
    Bulk,
    /// A far end that its client waits for.
    Dialed,
    /// Its peer has the token, and was told why it cannot come in.
    Refused,
}

/// No token.
struct Stranger;

impl<E: Into<ChannelError>> From<E> for Stranger {
    fn from(_: E) -> Self {
        Self
    }
}

/// Serves a connection from its first byte to its end.
pub(super) async fn serve(stream: TcpStream, peer: SocketAddr, hub: Arc<Hub>, watch: Watch) {
    let address = peer.ip();
    let place = hub.door.admit(address, hub.expects_from(address));
    let evicted = place.evicted.clone();
    let entering = tokio::time::timeout(ENTRY_TIMEOUT, enter(stream, peer, &hub, place));
    let entered = tokio::select! {
        entered = entering => entered.unwrap_or(Err(Stranger)),
        () = evicted.cancelled() => {
            hub.ledger.stranger(TurnedAway::MadeRoom);
            return hub.door.turned_away(address, TurnedAway::MadeRoom, &watch);
        }
    };
    match entered {
        Ok(Entered::Session(channel, hello, _seat, account)) => {
            let Ok(local) = channel.local_address() else {
                return;
            };
            let budget = Budget::below(account.budget.clone(), monotonic_ns());
            let client = Client {
                hub,
                account,
                budget: Arc::new(budget),
                can_wait: matches!(&hello, ToServer::Hello { version, .. } if *version >= WAITS_SINCE),
                peer: address,
                local: plain(local),
                dialed: None,
                watch,
            };
            // Boxed: what a session needs is not set aside for every stranger.
            Box::pin(session::run(channel, hello, client)).await;
        }
        Ok(Entered::Bulk | Entered::Dialed | Entered::Refused) => {}
        Err(Stranger) => {
            hub.ledger.stranger(TurnedAway::NoToken);
            hub.door.turned_away(address, TurnedAway::NoToken, &watch);
        }
    }
}

async fn enter(
    mut stream: TcpStream,
    peer: SocketAddr,
    hub: &Hub,
    place: Place,
) -> Result<Entered, Stranger> {
    // Dropping the stream, as on eviction and when the time is over, resets it until something else is said.
    reset_on_close(stream.as_fd())?;
    match opening(&mut stream).await? {
        Opening::Data(hello) => {
            close_in_order(stream.as_fd())?;
            drop(place);
            hub.deliver_tcp(hello.key, peer.ip(), hello.stream, stream);
            Ok(Entered::Bulk)
        }
        Opening::Control(by) => {
            notice_death(&stream)?;
            let message = match Knock::message(&mut stream).await {
                Ok(message) => Some(message),
                Err(HandshakeError::Foreign) => None,
                Err(HandshakeError::Gone(_)) => return Err(Stranger),
            };
            if by == OpenedBy::FarEnd {
                return meet_far_end(stream, peer, message, hub, place).await;
            }
            let opened = message.and_then(|message| whose(&message, hub));
            let Some((knock, account)) = opened else {
                close_in_order(stream.as_fd())?;
                return Err(Stranger);
            };
            place.prove();
            let channel = Channel::answer(stream, knock, hub.budget.clone()).await?;
            greet(channel, peer, place, hub, account).await
        }
    }
}

/// Whose token the first message was made with, if anybody's and if it is no replay.
fn whose(message: &FirstMessage, hub: &Hub) -> Option<(Knock, Arc<Account>)> {
    let accounts = hub.accounts.all();
    let opened = accounts.into_iter().find_map(|account| {
        Some((
            Knock::read(message, OpenedBy::Client, account.key()).ok()?,
            account,
        ))
    });
    opened.filter(|(knock, _)| hub.door.is_first(knock.ephemeral()))
}

/// Lets in a far end that a client of this process waits for, by the same rules: nothing is said to who does not show the
/// token, and no more than the answer to a first message before a message under the fresh keys has arrived.
async fn meet_far_end(
    stream: TcpStream,
    peer: SocketAddr,
    message: Option<FirstMessage>,
    hub: &Hub,
    place: Place,
) -> Result<Entered, Stranger> {
    let opened = hub.dialers.as_ref().zip(message).and_then(|(dialers, message)| {
        let knock = Knock::read(&message, OpenedBy::FarEnd, dialers.token.key()).ok()?;
        hub.door.is_first(knock.ephemeral()).then_some((dialers, knock))
    });
    let Some((dialers, knock)) = opened else {
        close_in_order(stream.as_fd())?;
        return Err(Stranger);
    };
    place.prove();
    let mut channel = Channel::answer_far_end(stream, knock).await?;
    let ToClient::Dialed { at } = channel.receive().await? else {
        return Err(Stranger);
    };
    let local = plain(channel.local_address()?);
    // Who comes while another is served is closed, and comes again.
    let _ = dialers.sender.try_send(Dialed {
        channel,
        peer,
        local,
        at,
    });
    Ok(Entered::Dialed)
}

/// Hears the first message under the fresh keys, which proves that the handshake was no replay. Before it nothing is
/// said, whatever came.
async fn greet(
    mut channel: Channel,
    peer: SocketAddr,
    place: Place,
    hub: &Hub,
    account: Arc<Account>,
) -> Result<Entered, Stranger> {
    let hello = match channel.receive().await {
        Ok(hello) => Ok(hello),
        // It has the token, but its first word is not known here: a newer program.
        Err(ChannelError::Protocol(_)) => Err((Refusal::Version, version_mismatch(None))),
        Err(_) => return Err(Stranger),
    };
    close_in_order(channel.socket())?;
    let seated = hello.and_then(|hello| {
        let allowed = account.comes_from(peer.ip());
        allowed.map_err(|why| (Refusal::Limits, why.to_string()))?;
        match place.take_seat(peer.ip()) {
            Ok(seat) => Ok((hello, seat)),
            Err(full) => Err((Refusal::Full, full.to_string())),
        }
    });
    match seated {
        Ok((hello, seat)) => Ok(Entered::Session(channel, hello, seat, account)),
        Err((why, detail)) => {
            hub.ledger.turned_away(&account.name, peer.ip(), &detail);
            refuse(&mut channel, why, &detail).await?;
            Ok(Entered::Refused)
        }
    }
}

enum Opening {
    Control(OpenedBy),
    Data(DataHello),
}

async fn opening(stream: &mut TcpStream) -> io::Result<Opening> {
    let mut bytes = [0u8; DATA_HELLO_BYTES];
    let (magic, rest) = bytes.split_at_mut(4);
    stream.read_exact(magic).await?;
    let first_four: [u8; 4] = (&*magic).try_into().unwrap_or_default();
    if let Some(by) = OpenedBy::announced(first_four) {
        return Ok(Opening::Control(by));
    }
    if !DataHello::announces(first_four) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    stream.read_exact(rest).await?;
    DataHello::read(&bytes)
        .map(Opening::Data)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}
