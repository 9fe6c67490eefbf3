//! With whom a session transfers: its client, or another far end that both owners allow.

use super::answers::attended;
use super::channel::{Channel, ChannelError};
use super::refusal::{fail, refuse};
use super::session_client::{Client, towards};
use super::third::{agreed, not_allowed};
use super::{session_tcp, session_udp};
use crate::path::{PathTarget, Reflector};
use probe::SessionKey;
use probe::session::{BulkPlan, Meeting, Peer, Refusal, ToServer};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// How long the other far end may take to be ready.
const GO_TIMEOUT: Duration = Duration::from_secs(10);

/// The other end of a transfer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Partner {
    /// The client of the session, which comes to us.
    Client(IpAddr),
    /// Another far end, which comes to us.
    Awaited(IpAddr),
    /// Another far end, which waits for us.
    Joined(Peer, SessionKey),
}

impl Partner {
    fn of(with: Meeting) -> Self {
        match with {
            Meeting::Await { peer } => Self::Awaited(peer),
            Meeting::Join { peer, key } => Self::Joined(peer, key),
        }
    }

    pub(super) fn address(&self) -> IpAddr {
        match self {
            Self::Client(address) | Self::Awaited(address) => *address,
            Self::Joined(peer, _) => peer.address,
        }
    }

    /// Where it waits for us, and what opens the transfer there, if it waits.
    pub(super) fn joined(&self) -> Option<(SocketAddr, SessionKey)> {
        match self {
            Self::Joined(peer, key) => Some((SocketAddr::new(peer.address, peer.port), *key)),
            Self::Client(_) | Self::Awaited(_) => None,
        }
    }

    /// Whether we send, in a plan where the one that waits is the server.
    pub(super) fn lets_us_send(&self, server_sends: bool) -> bool {
        server_sends != matches!(self, Self::Joined(..))
    }

    /// It as the target of our probes.
    pub(super) fn target(&self, client: &Client) -> PathTarget {
        let reflector = match self {
            Self::Joined(peer, _) => Some(Reflector {
                port: peer.port,
                session: peer.session,
            }),
            Self::Client(_) | Self::Awaited(_) => None,
        };
        PathTarget {
            destination: self.address(),
            reflector,
            ..towards(client, None)
        }
    }
}

/// Prepares, runs and reports a transfer with another far end.
pub(super) async fn meet(
    channel: &mut Channel,
    client: &Client,
    with: Meeting,
    bulk: &BulkPlan,
) -> Result<(), ChannelError> {
    let partner = Partner::of(with);
    let address = partner.address();
    if !client.allows_peer(address) {
        return refuse(channel, Refusal::Limits, &not_allowed(address)).await;
    }
    // Who is behind the port that we dialed has shown that it has the token there.
    let is_dialed = |peer: &Peer| client.dialed == Some(SocketAddr::new(peer.address, peer.port));
    if let Partner::Joined(peer, _) = partner
        && !(is_dialed(&peer) && matches!(bulk, BulkPlan::Tcp { .. }))
    {
        let source = Some(client.local.ip());
        let asking = |watch| async move { agreed(&peer, source, &watch).await };
        if let Err(error) = attended(channel, client, asking).await? {
            return fail(channel, &error).await;
        }
    }
    match bulk {
        BulkPlan::Tcp { plan } => session_tcp::run(channel, client, plan, partner).await,
        BulkPlan::Udp { plan } => session_udp::run(channel, client, plan, partner).await,
    }
}

/// Waits until the client says that the other far end is ready. `false`: it changed its mind, or is silent for too long.
pub(super) async fn told_to_go(channel: &mut Channel) -> Result<bool, ChannelError> {
    match tokio::time::timeout(GO_TIMEOUT, channel.receive()).await {
        Ok(message) => match message? {
            ToServer::Go => Ok(true),
            ToServer::Stop { .. } => Ok(false),
            _ => Err(ChannelError::Protocol(
                "a second ask while one is carried out".to_owned(),
            )),
        },
        Err(_) => Ok(false),
    }
}
