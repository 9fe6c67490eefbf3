//! Loss end to end, per direction: from paced UDP streams, less what the hosts themselves dropped.

use super::Facts;
use super::ratio::Ratio;
use evidence::v1::{End, Observation, ObservationId, Payload, RateBps, UdpStream};

/// One paced UDP stream.
#[derive(Debug, Clone)]
pub(crate) struct UdpRun {
    pub(crate) id: ObservationId,
    pub(crate) sender: End,
    pub(crate) target: RateBps,
    pub(crate) sent: Option<RateBps>,
    pub(crate) received: Option<RateBps>,
    /// Lost on the path of sent.
    pub(crate) lost: Ratio,
    /// Runs of losses: several packets lost in a row are one event to a TCP sender (RFC 5348 section 5.2).
    pub(crate) loss_events: u64,
    /// All host counters were readable: the loss is the path's, not an upper bound.
    pub(crate) hosts_accounted: bool,
    /// Packets that the hosts themselves dropped.
    pub(crate) host_drops: u64,
    /// Of them, dropped by the receiver's interface; `None` where its counters could not be read.
    pub(crate) receiver_interface_drops: Option<u64>,
}

/// A stream that lost more than this, at a rate above what arrived, may have filled the path itself.
const OVERLOADED: f64 = 0.02;

impl UdpRun {
    pub(crate) fn derive(observation: &Observation) -> Option<Self> {
        let Payload::UdpStream(test) = &observation.payload else {
            return None;
        };
        let lost = Ratio::new(test.lost_on_path(), test.packets_sent);
        Some(Self {
            id: observation.id.clone(),
            sender: test.sender,
            target: test.target_bps,
            sent: test.sent_bps,
            received: test.received_bps,
            lost,
            loss_events: loss_events(test, lost.events),
            hosts_accounted: test.host_drops.receiver_socket.is_some(),
            host_drops: test.host_drops.known_total(),
            receiver_interface_drops: test.host_drops.receiver_interface,
        })
    }

    /// The path could not carry what was sent: its loss is our own doing, and what arrived is the path's capacity.
    pub(crate) fn overloaded(&self) -> bool {
        let less = match (self.sent, self.received) {
            (Some(sent), Some(received)) => received.0 < sent.0 * (1.0 - OVERLOADED),
            _ => false,
        };
        less && self.lost.estimate().is_some_and(|loss| loss > OVERLOADED)
    }
}

/// The number of events that the packets lost on the path make up.
///
/// The runs hold what the hosts dropped as well, and a full socket buffer drops hundreds in a row: the shortest runs that
/// add up to the path's loss are taken for the path's. Runs are recorded for the first 1,000 only; beyond them each loss
/// counts as in the recorded part.
fn loss_events(test: &UdpStream, lost: u64) -> u64 {
    let mut lengths: Vec<u64> = test
        .loss_runs
        .iter()
        .map(|(_, length)| *length)
        .filter(|length| *length > 0)
        .collect();
    lengths.sort_unstable();
    let (mut runs, mut packets) = (0_u64, 0_u64);
    for length in lengths {
        if packets >= lost {
            break;
        }
        runs += 1;
        packets = packets.saturating_add(length);
    }
    match packets {
        0 => lost,
        _ if packets >= lost => runs.min(lost),
        _ => ((runs as f64 * lost as f64 / packets as f64).round() as u64).min(lost),
    }
}

/// Loss in one direction over all streams that did not fill the path themselves.
#[derive(Debug, Clone)]
pub(crate) struct PathLoss {
    pub(crate) packets: Ratio,
    /// Loss events of packets sent: what a TCP sender reacts to.
    pub(crate) events: Ratio,
    pub(crate) hosts_accounted: bool,
    pub(crate) host_drops: u64,
    pub(crate) cites: Vec<ObservationId>,
}

impl PathLoss {
    /// Losses per event: near 1 for random loss, large for bursts and full queues.
    pub(crate) fn mean_run(&self) -> Option<f64> {
        (self.events.events > 0).then(|| self.packets.events as f64 / self.events.events as f64)
    }
}

impl Facts {
    /// Loss on the way from `sender`; `None` when no stream tells.
    ///
    /// Streams near the path's capacity are left out: what a full queue drops is congestion, and ours.
    pub(crate) fn loss_from(&self, sender: End) -> Option<PathLoss> {
        let gentle: Vec<&UdpRun> = self
            .udp
            .iter()
            .filter(|run| run.sender == sender && self.is_gentle(run) && run.lost.trials > 0)
            .collect();
        let mut cites: Vec<ObservationId> = gentle.iter().map(|run| run.id.clone()).collect();
        cites.sort();
        let none = Ratio::default();
        (!gentle.is_empty()).then(|| PathLoss {
            packets: gentle.iter().fold(none, |sum, run| sum.plus(run.lost)),
            events: gentle.iter().fold(none, |sum, run| {
                sum.plus(Ratio::new(run.loss_events, run.lost.trials))
            }),
            hosts_accounted: gentle.iter().all(|run| run.hosts_accounted),
            host_drops: gentle
                .iter()
                .fold(0, |sum, run| run.host_drops.saturating_add(sum)),
            cites,
        })
    }

    /// A stream is gentle when it stays at or under three quarters of what that direction has proved to carry; with
    /// nothing to compare, when it was not overloaded.
    fn is_gentle(&self, run: &UdpRun) -> bool {
        if run.overloaded() {
            return self
                .carried_without(run)
                .is_some_and(|carried| run.target.0 <= 0.75 * carried);
        }
        match self.measured_capacity(run.sender) {
            Some(capacity) => run.target.0 <= 0.75 * capacity.0,
            None => true,
        }
    }

    /// What an overloaded stream shows the direction to carry.
    pub(crate) fn measured_capacity(&self, sender: End) -> Option<RateBps> {
        self.udp
            .iter()
            .filter(|run| run.sender == sender && run.overloaded())
            .filter(|run| {
                self.carried_without(run)
                    .is_none_or(|carried| run.target.0 > 0.75 * carried)
            })
            .filter_map(|run| run.received)
            .map(|rate| rate.0)
            .max_by(f64::total_cmp)
            .map(RateBps)
    }

    /// The best rate that other tests in the same direction carried.
    fn carried_without(&self, run: &UdpRun) -> Option<f64> {
        let udp = self
            .udp
            .iter()
            .filter(|o| o.sender == run.sender && o.id != run.id)
            .filter_map(|o| Some(o.received?.0));
        let tcp = self
            .tcp
            .iter()
            .filter(|o| o.sender == run.sender)
            .map(|o| o.rate.0);
        udp.chain(tcp).max_by(f64::total_cmp)
    }
}
