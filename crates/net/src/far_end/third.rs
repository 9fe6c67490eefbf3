//! Probes towards third places: by a far end that its client asks, or by the client itself.
//!
//! Two owners have to agree before a probe leaves. The one that probes says with whom it may (`--allow-peers`); the one that is
//! probed answers to the key that its own client was given, and until such an answer came nothing but a few small
//! questions for it is sent. So a holder of our token can turn us against nobody else, and to those who agreed no more goes
//! than they answer.

use super::arrivals::NO_PROBE;
use super::channel::{Channel, ChannelError};
use super::key::random_key;
use super::refusal::refuse;
use super::session_client::Client;
use super::{answers, hub::Registration};
use crate::local::carry_out;
use crate::path::{PathTarget, Reflector};
use crate::{LocalVantage, NetError, Watch};
use evidence::Payload;
use futures::StreamExt;
use probe::session::{LocalAsk, MOST_PEERS, Peer, PeerOutcome, Refusal, ToClient};
use probe::{REFLECT_BYTES, ReflectReply, ReflectRequest, SessionKey};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// Questions whether a peer has agreed, and how long each waits for the answer. Of a path that loses half of them one in a
/// million still goes unanswered.
const QUESTIONS: u32 = 20;
const QUESTION_WAIT: Duration = Duration::from_millis(150);
/// Traces side by side: routers answer so many probes a second, and no more.
const TRACES_AT_ONCE: usize = 3;

/// Those whom a session has admitted, in the order in which they were named.
pub(super) type Admitted = Vec<Option<(SessionKey, Registration)>>;

/// Admits these addresses: the client's own always, others if the owner allows it.
pub(super) async fn admit(
    channel: &mut Channel,
    client: &Client,
    peers: &[IpAddr],
    admitted: &mut Admitted,
) -> Result<(), ChannelError> {
    // First, as they count towards what a server has room for.
    admitted.clear();
    if peers.len() > MOST_PEERS {
        return refuse(channel, Refusal::Limits, &too_many(peers.len())).await;
    }
    for peer in peers {
        let key = if client.allows_peer(*peer) {
            random_key().ok()
        } else {
            None
        };
        admitted.push(key.and_then(|key| Some((key, client.hub.admit(key, *peer, client.budget.clone())?))));
    }
    let keys = admitted
        .iter()
        .map(|one| one.as_ref().map(|(key, _)| *key))
        .collect();
    channel.send(&ToClient::Admitted { keys }).await
}

/// Tells which probes came of those who are admitted.
pub(super) async fn count(
    channel: &mut Channel,
    client: &Client,
    admitted: &Admitted,
) -> Result<(), ChannelError> {
    let arrivals = admitted
        .iter()
        .map(|one| one.as_ref().and_then(|(key, _)| client.hub.arrivals(key)))
        .collect();
    channel.send(&ToClient::Counted { arrivals }).await
}

/// Carries out `ask` towards each of `peers`.
pub(super) async fn perform(
    channel: &mut Channel,
    client: &Client,
    ask: &LocalAsk,
    peers: &[Peer],
) -> Result<(), ChannelError> {
    if peers.len() > MOST_PEERS {
        return refuse(channel, Refusal::Limits, &too_many(peers.len())).await;
    }
    let _set_aside = match answers::check(ask, client, peers.len() as u64) {
        Ok(set_aside) => set_aside,
        Err(detail) => return refuse(channel, Refusal::Limits, &detail).await,
    };
    let allows = |peer: IpAddr| client.allows_peer(peer);
    let measuring =
        |watch: Watch| async move { measure(ask, peers, Some(client.local.ip()), &allows, &watch).await };
    let measured = answers::attended(channel, client, measuring).await?;
    let outcome = |measured: Result<Payload, NetError>| match measured {
        Ok(payload) => PeerOutcome::Measured {
            payload: Box::new(payload),
        },
        Err(error) => PeerOutcome::Failed {
            reason: error.reason(),
            detail: error.to_string(),
        },
    };
    let outcomes = measured.into_iter().map(outcome).collect();
    channel.send(&ToClient::Reached { outcomes }).await
}

/// Carries out `ask` towards each of `peers` from here, side by side, as far as they agree. In their order.
pub async fn towards_peers(
    ask: &LocalAsk,
    peers: &[Peer],
    source: Option<IpAddr>,
    watch: &Watch,
) -> Vec<Result<Payload, NetError>> {
    measure(ask, peers, source, &|_| true, watch).await
}

async fn measure(
    ask: &LocalAsk,
    peers: &[Peer],
    source: Option<IpAddr>,
    allows: &(dyn Fn(IpAddr) -> bool + Send + Sync),
    watch: &Watch,
) -> Vec<Result<Payload, NetError>> {
    let at_once = match ask {
        LocalAsk::Route { .. } | LocalAsk::PathMtu | LocalAsk::Echo { .. } => TRACES_AT_ONCE,
        LocalAsk::HopLoss { .. } | LocalAsk::HostFacts => MOST_PEERS,
    };
    let one = |peer: &Peer| {
        let peer = *peer;
        async move {
            if !allows(peer.address) {
                return Err(NetError::Refused(not_allowed(peer.address)));
            }
            agreed(&peer, source, watch).await?;
            let mut vantage = LocalVantage {
                target: PathTarget {
                    destination: peer.address,
                    source: source.filter(|source| source.is_ipv4() == peer.address.is_ipv4()),
                    reflector: Some(Reflector {
                        port: peer.port,
                        session: peer.session,
                    }),
                },
                known_route: None,
            };
            carry_out(ask, &mut vantage, watch).await
        }
    };
    let measuring: Vec<_> = peers.iter().map(one).collect();
    futures::stream::iter(measuring).buffered(at_once).collect().await
}

/// Waits until a peer answers to the key, which it does only where a client of its own asked it to.
pub(super) async fn agreed(peer: &Peer, source: Option<IpAddr>, watch: &Watch) -> Result<(), NetError> {
    let address = SocketAddr::new(peer.address, peer.port);
    let context = |error| NetError::os(format!("asking {address} whether it agrees"), error);
    let any = || match peer.address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let source = source
        .filter(|source| source.is_ipv4() == peer.address.is_ipv4())
        .unwrap_or_else(any);
    let socket = UdpSocket::bind((source, 0)).await.map_err(context)?;
    socket.connect(address).await.map_err(context)?;
    let mut question = [0; REFLECT_BYTES];
    let mut answer = [0; 2 * REFLECT_BYTES];
    let request = ReflectRequest {
        session: peer.session,
        sequence: NO_PROBE,
    };
    // Always fits: it has that length.
    let _ = request.write(&mut question);
    for _ in 0..QUESTIONS {
        // A refusal that ICMP brought for the question before is answered by asking again.
        let _ = socket.send(&question).await;
        let receiving = async {
            loop {
                let length = socket.recv(&mut answer).await.unwrap_or(0);
                let reply = ReflectReply::read(answer.get(..length).unwrap_or(&[]));
                if reply.is_some_and(|reply| reply.session == peer.session) {
                    return;
                }
                if length == 0 {
                    tokio::time::sleep(QUESTION_WAIT / 2).await;
                }
            }
        };
        tokio::select! {
            answered = timeout(QUESTION_WAIT, receiving) => if answered.is_ok() {
                return Ok(());
            },
            () = watch.cancel.cancelled() => return Err(NetError::Cancelled),
        }
    }
    let silence = format!("{QUESTIONS} probes to its UDP port went unanswered: a firewall, or no way there");
    Err(NetError::Unreachable(address.to_string(), silence))
}

fn too_many(count: usize) -> String {
    format!("at most {MOST_PEERS} third places can be named at once, not {count}")
}

pub(super) fn not_allowed(peer: IpAddr) -> String {
    format!(
        "its owner does not allow tests with {peer}: start `slowpath serve` there with --allow-peers {peer}, or with the prefix \
         of your hosts"
    )
}
