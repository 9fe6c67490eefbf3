//! `rounds`: every hop and the destination once an interval, for as long as somebody looks.

use super::clock::Clock;
use super::drive::drive;
use super::endpoint::{Endpoint, Sockets};
use super::flow::flow_spec;
use super::known::KnownHops;
use super::names::{NameAnswers, Names, names};
use super::pause::{Pausable, Pause};
use super::secret::secret_number;
use super::systems::{Asker, Systems};
use super::target::{PathTarget, source_for};
use super::trace::nothing_sent;
use crate::{NetError, Watch};
use evidence::{ProbeProtocol, Trace};
use probe::asn::Asn;
use probe::wire::least_size_bytes;
use probe::{RoundEvent, RoundsConfig, RoundsMachine};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Ping's: small enough for every link, large enough for every mark.
const SIZE_BYTES: u32 = 64;
/// Answers later than this count as lost. A satellite and a full queue stay below it.
const ANSWER_WAIT: Duration = Duration::from_secs(2);

/// Addresses whose system nobody has asked for yet.
const MOST_WAITING: usize = 256;

/// How often to ask, and with what.
#[derive(Debug, Clone)]
pub struct RoundsPlan {
    /// Which packets to send; UDP where the system does not let this user send them.
    pub protocol: ProbeProtocol,
    /// From one round to the next.
    pub interval: Duration,
    /// How many rounds; `None`: until the watch is cancelled.
    pub rounds: Option<u64>,
    /// Who tells the autonomous systems of hops; `None`: nobody is asked.
    pub systems: Option<Systems>,
}

/// What is told while rounds run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathEvent {
    /// Which packets are sent.
    Protocol(ProbeProtocol),
    /// What became of a probe.
    Round(RoundEvent),
    /// The name of an address, from the reverse DNS.
    Name(IpAddr, String),
    /// The autonomous system of an address.
    System(IpAddr, Asn),
}

type Tell = Arc<dyn Fn(PathEvent) + Send + Sync>;

/// Asks the hops of `known` and the destination in one flow, and tells what becomes of each probe. The path may change
/// meanwhile: its length and its hops are those that answer.
///
/// # Errors
/// When sockets cannot be opened or this host has no route; silence of the network is not an error.
pub async fn rounds(
    target: &PathTarget,
    known: &Trace,
    plan: RoundsPlan,
    pause: &Pause,
    tell: impl Fn(PathEvent) + Send + Sync + 'static,
    watch: &Watch,
) -> Result<(), NetError> {
    let source = source_for(target)?;
    let (endpoint, protocol) = open(target, source, plan.protocol)?;
    let tell: Tell = Arc::new(tell);
    tell(PathEvent::Protocol(protocol));
    let (asker, answers) = names();
    let hops = KnownHops::of(known);
    let config = RoundsConfig {
        destination_ttl: hops.destination_ttl,
        last_ttl: hops.last_ttl,
        size_bytes: SIZE_BYTES.max(least_size_bytes(
            target.destination,
            protocol,
            target.reflector.is_some(),
        )),
        interval_ns: u64::try_from(plan.interval.as_nanos()).unwrap_or(u64::MAX / 4),
        rounds: plan.rounds,
        answer_wait_ns: ANSWER_WAIT.as_nanos() as u64,
        first_sequence: secret_number(),
    };
    let (seen, addresses) = mpsc::channel(MOST_WAITING);
    let machine = RoundsMachine::new(config, listener(tell.clone(), asker, seen));
    let machine = Pausable::new(machine, pause.clone());
    let probing = drive(machine, endpoint, watch, "probing every hop", |_| {});
    tokio::select! {
        done = probing => match done?.0.into_inner().packets_sent() {
            0 => Err(nothing_sent(target, watch)),
            _ => Ok(()),
        },
        () = tell_names(answers, tell.clone()) => Ok(()),
        () = tell_systems(plan.systems, addresses, tell) => Ok(()),
    }
}

fn open(
    target: &PathTarget,
    source: IpAddr,
    protocol: ProbeProtocol,
) -> Result<(Endpoint, ProbeProtocol), NetError> {
    let open = |protocol| {
        let specs = [flow_spec(target, protocol)];
        let endpoint = Endpoint::open(source, &specs, Sockets::Best, Clock::start())?;
        Ok((endpoint, protocol))
    };
    match open(protocol) {
        Err(NetError::Privilege { .. }) if protocol != ProbeProtocol::Udp => open(ProbeProtocol::Udp),
        opened => opened,
    }
}

/// Tells each event on, and asks for the name of whoever answers.
fn listener(tell: Tell, mut asker: Names, seen: mpsc::Sender<IpAddr>) -> impl FnMut(RoundEvent) + Send {
    move |event| {
        if let RoundEvent::Outcome {
            answer: Some(answer), ..
        } = event
        {
            asker.ask(answer.from);
            // Where nobody has time for it now, it is told of again in the next round.
            let _ = seen.try_send(answer.from);
        }
        tell(PathEvent::Round(event));
    }
}

/// Ends never, as the next.
async fn tell_systems(systems: Option<Systems>, mut addresses: mpsc::Receiver<IpAddr>, tell: Tell) {
    if let Some(systems) = systems {
        let mut asker = Asker::new(systems);
        while let Some(address) = addresses.recv().await {
            if let Some(system) = asker.ask(address).await {
                tell(PathEvent::System(address, system));
            }
        }
    }
    std::future::pending().await
}

/// Ends never, as nobody knows whether another hop will answer.
async fn tell_names(mut answers: NameAnswers, tell: Tell) {
    while let Some((address, name)) = answers.next().await {
        if let Some(name) = name {
            tell(PathEvent::Name(address, name));
        }
    }
    std::future::pending().await
}
