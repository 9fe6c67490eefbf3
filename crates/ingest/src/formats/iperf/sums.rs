//! Figures of connections that were made together, and what is told of them.

use super::session::{Figures, Session, Stream};
use evidence::{Node, RateBps, TransferInterval};

pub(super) fn together(a: &Figures, b: &Figures) -> bool {
    let half = a.length_ns() / 2;
    a.start_ns.abs_diff(b.start_ns) < half.max(1)
}

pub(super) fn rate(total: Figures) -> Option<RateBps> {
    Some(RateBps(total.rate_bps))
}

/// The other host: its address from the connection, its name from the command.
pub(super) fn peer(session: &Session, remote: Node) -> Node {
    match session.named.as_deref().map(Node::read) {
        Some(named) if named.name.is_some() && !session.serves => Node {
            name: named.name,
            address: remote.address,
        },
        Some(named) if remote.is_unknown() => named,
        _ => remote,
    }
}

/// Sum over the streams where every one of them has the figure.
pub(super) fn all(streams: &[&Stream], of: impl Fn(&Stream) -> Option<u64>) -> Option<u64> {
    let mut sum = None;
    for stream in streams {
        sum = Some(of(stream)?.saturating_add(sum.unwrap_or(0)));
    }
    sum
}

/// Figures of connections at the same time, added; the largest jitter and the mean round-trip time.
pub(super) fn add(parts: &[Figures]) -> Option<Figures> {
    let first = parts.first()?;
    let sum = |of: fn(&Figures) -> Option<u64>| {
        parts
            .iter()
            .try_fold(0_u64, |sum, part| Some(sum.saturating_add(of(part)?)))
    };
    let max = |of: fn(&Figures) -> Option<u64>| parts.iter().filter_map(of).max();
    Some(Figures {
        start_ns: parts
            .iter()
            .map(|part| part.start_ns)
            .min()
            .unwrap_or(first.start_ns),
        end_ns: max(|part| Some(part.end_ns)).unwrap_or(first.end_ns),
        rate_bps: parts.iter().map(|part| part.rate_bps).sum(),
        shape: first.shape,
        retransmits: sum(|part| part.retransmits),
        cwnd_bytes: sum(|part| part.cwnd_bytes),
        rtt_ns: sum(|part| part.rtt_ns).map(|total| total / parts.len() as u64),
        jitter_ns: max(|part| part.jitter_ns),
        lost: sum(|part| part.lost),
        datagrams: sum(|part| part.datagrams),
    })
}

pub(super) fn interval(slice: &Figures) -> TransferInterval {
    TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns(),
        rate_bps: Some(RateBps(slice.rate_bps)),
        retransmits: slice.retransmits,
        cwnd_bytes: slice.cwnd_bytes,
        packets_lost: slice.lost.and_then(|lost| lost.try_into().ok()),
        ..TransferInterval::default()
    }
}
