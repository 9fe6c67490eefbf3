//! What may be spent, and what was refused already.

use evidence::{Ask, Complaint, Node, NotMeasured, NotMeasuredReason, Observation, Payload, Privilege};

/// What the planner may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Means {
    /// Somebody at the other end takes part in transfers.
    pub far_end: bool,
    /// It measures the path from there as well: a far end of ours. An iperf3 or web server does not.
    pub far_end_probes: bool,
    /// Far ends of ours elsewhere, as the case knows them. Each is asked by its settings first, and may be missing.
    pub third_places: Vec<Node>,
    /// This host may open raw sockets.
    pub raw_sockets_here: bool,
    /// Wall time allowed for all measurements of the round, milliseconds.
    pub budget_time_ms: u64,
    /// Wall time used up by now, milliseconds.
    pub spent_time_ms: u64,
    /// Bytes that may be sent in the round; `None` is no limit.
    pub budget_bytes: Option<u64>,
    /// Bytes sent by now.
    pub spent_bytes: u64,
}

impl Default for Means {
    /// A far end, no raw sockets, two minutes, no limit on bytes.
    fn default() -> Self {
        Self {
            far_end: true,
            far_end_probes: true,
            third_places: Vec::new(),
            raw_sockets_here: false,
            budget_time_ms: 120_000,
            spent_time_ms: 0,
            budget_bytes: None,
            spent_bytes: 0,
        }
    }
}

impl Means {
    fn bytes_left(&self) -> Option<u64> {
        self.budget_bytes
            .map(|budget| budget.saturating_sub(self.spent_bytes))
    }
}

/// Transfers bounded by time alone get the bytes that are left as their limit. `None` when too little is left to learn
/// anything from a transfer.
pub(super) fn within_bytes(mut ask: Ask, means: &Means) -> Option<Ask> {
    const LEAST_TRANSFER_BYTES: u64 = 1_000_000;
    if let (Ask::TcpThroughput { max_bytes, .. }, Some(left)) = (&mut ask, means.bytes_left()) {
        if left < LEAST_TRANSFER_BYTES {
            return None;
        }
        *max_bytes = Some(max_bytes.map_or(left, |bytes| bytes.min(left)));
    }
    Some(ask)
}

/// Whether time, bytes and privileges suffice.
pub(super) fn affordable(ask: &Ask, means: &Means) -> bool {
    let cost = ask.cost();
    let time = means.spent_time_ms.saturating_add(cost.time_ms) <= means.budget_time_ms;
    let bytes = match (means.bytes_left(), cost.bytes) {
        (Some(left), Some(bytes)) => bytes <= left,
        _ => true,
    };
    time && bytes
}

/// An ask that needs raw sockets where we know that there are none is not worth trying. What the far end may do is for
/// the far end to say.
pub(super) fn permitted(ask: &Ask, means: &Means, complaint: &Complaint) -> bool {
    let here = complaint.end_of(ask.vantage()) == Some(complaint.local_end);
    ask.cost().privilege == Privilege::None || !here || means.raw_sockets_here
}

fn refusals<'a>(observations: &'a [&Observation]) -> impl Iterator<Item = &'a NotMeasured> {
    observations
        .iter()
        .filter_map(|observation| match &observation.payload {
            Payload::NotMeasured(refusal) => Some(refusal),
            _ => None,
        })
}

/// The same kind of ask at the same place came back without a measurement.
pub(super) fn refused(observations: &[&Observation], ask: &Ask) -> bool {
    refusals(observations).any(|refusal| {
        let for_good = matches!(
            refusal.reason,
            NotMeasuredReason::Privilege | NotMeasuredReason::Unsupported
        );
        let same_form = std::mem::discriminant(&refusal.ask) == std::mem::discriminant(ask);
        same_kind(&refusal.ask, ask) || for_good && same_form && same_place(&refusal.ask, ask)
    })
}

/// The places that are missing, or went away meanwhile: for each ask that found nobody those which it named.
fn lost<'a>(observations: &'a [&Observation]) -> impl Iterator<Item = [Option<&'a Node>; 2]> {
    let gone = |refusal: &&NotMeasured| {
        matches!(
            refusal.reason,
            NotMeasuredReason::NoFarEnd | NotMeasuredReason::PeerGone
        )
    };
    let named = |refusal: &'a NotMeasured| [Some(refusal.ask.vantage()), refusal.ask.target()];
    refusals(observations).filter(gone).map(named)
}

/// Without a far end nothing that takes both ends is worth asking.
pub(super) fn far_end_lost(observations: &[&Observation], complaint: &Complaint) -> bool {
    let is_end = |node: &Node| complaint.end_of(node).is_some();
    lost(observations).any(|named| named.into_iter().flatten().all(is_end))
}

/// A third place that did not take part in what it was asked for once is asked for nothing more.
pub(super) fn place_lost(observations: &[&Observation], place: &Node) -> bool {
    let is_it = |node: &Node| node.same_as(place) == Some(true);
    lost(observations).any(|named| named.into_iter().flatten().any(is_it))
}

fn same_place(a: &Ask, b: &Ask) -> bool {
    a.vantage().same_as(b.vantage()) == Some(true)
}

fn same_target(a: &Ask, b: &Ask) -> bool {
    match (a.target(), b.target()) {
        (Some(a), Some(b)) => a.same_as(b) == Some(true),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Asks that would meet the same obstacle: figures may differ, what is asked, from where and towards whom may not.
fn same_kind(a: &Ask, b: &Ask) -> bool {
    let same_form = match (a, b) {
        (
            Ask::TcpThroughput {
                streams, mss_bytes, ..
            },
            Ask::TcpThroughput {
                streams: s,
                mss_bytes: m,
                ..
            },
        ) => (streams == s) && (mss_bytes.is_some() == m.is_some()),
        (Ask::HopLoss { ttls, .. }, Ask::HopLoss { ttls: others, .. }) => ttls == others,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    same_form && same_place(a, b) && same_target(a, b)
}
