//! A session of iperf to records: one for each way in which data went, all its connections together.

use super::session::{Figures, Session, Stream, Way};
use crate::Context;
use crate::block::Findings;
use evidence::{Node, RateBps, Transfer, TransferInterval, Transport};

pub(super) fn report(session: &Session, context: &Context, findings: &mut Findings) {
    let mut any = false;
    for way in [Way::Out, Way::In] {
        let (streams, sums): (Vec<&Stream>, Vec<&Stream>) = (
            of_way(&session.streams, session, way),
            session.sums.iter().collect(),
        );
        // With `--sum-only` iperf 2 prints nothing but sums.
        let only_sums = session.streams.iter().all(|stream| !printed(stream));
        let used = match only_sums {
            true => of_way(&session.sums, session, way),
            false => streams,
        };
        if !used.is_empty() {
            any = true;
            let record = record(session, &used, &sums, way, context);
            let at = session.at.or(context.at);
            let tool = session
                .tool
                .as_deref()
                .unwrap_or(if session.is_iperf3 { "iperf3" } else { "iperf" });
            findings.record_of(session.lines, tool, at, record.into());
        }
    }
    if !any && !session.interrupted {
        findings.complain_of(session.lines, "iperf was started, but printed no figures");
    }
}

fn printed(stream: &Stream) -> bool {
    !stream.slices.is_empty() || stream.sent.is_some() || stream.received.is_some()
}

fn of_way<'s>(streams: &'s [Stream], session: &Session, way: Way) -> Vec<&'s Stream> {
    streams
        .iter()
        .filter(|stream| printed(stream) && session.way(stream) == way)
        .collect()
}

fn record(session: &Session, streams: &[&Stream], sums: &[&Stream], way: Way, context: &Context) -> Transfer {
    let first = streams.first();
    let own = first.map(|stream| stream.local.clone()).unwrap_or_default();
    let other = peer(
        session,
        first.map(|stream| stream.remote.clone()).unwrap_or_default(),
    );
    let (from, to) = match way {
        Way::Out => (own, other),
        Way::In => (other, own),
    };
    let sent = total(streams, sums, |stream| stream.sent);
    let received = total(streams, sums, |stream| stream.received)
        // Interrupted, iperf3 prints 0 bit/s for the receiver that it could not ask.
        .filter(|total| !(session.interrupted && total.rate_bps == 0.0));
    let udp = session.udp.unwrap_or_else(|| {
        let counts = |figures: &Figures| figures.datagrams.is_some() || figures.jitter_ns.is_some();
        [sent, received].iter().flatten().any(counts)
            || streams.iter().flat_map(|stream| &stream.slices).any(counts)
    });
    let lengths = [sent, received];
    let length = lengths
        .iter()
        .flatten()
        .map(|total| total.end_ns.saturating_sub(total.start_ns))
        .max();
    let lost = received
        .and_then(|total| total.lost)
        .or(sent.and_then(|t| t.lost));
    let datagrams = [sent, received].iter().flatten().find_map(|t| t.datagrams);
    Transfer {
        from: context.from_or(from),
        to: context.to_or(to),
        protocol: Some(if udp { Transport::Udp } else { Transport::Tcp }),
        streams: count(session, streams),
        window_bytes: session.window_bytes,
        mss_bytes: session
            .mss_bytes
            .or(first.and_then(|stream| stream.mss_bytes))
            .filter(|_| !udp),
        congestion_control: session.congestion_control.clone(),
        duration_ns: length,
        sent_bps: sent.map(|total| RateBps(total.rate_bps)),
        received_bps: received.map(|total| RateBps(total.rate_bps)),
        retransmits: sent.and_then(|total| total.retransmits),
        packets_sent: datagrams.or_else(|| all(streams, |stream| stream.datagrams_sent)),
        packets_lost: lost,
        reordered: streams
            .iter()
            .filter_map(|s| s.reordered)
            .reduce(u64::saturating_add),
        jitter_ns: received
            .and_then(|t| t.jitter_ns)
            .or(sent.and_then(|t| t.jitter_ns)),
        rtt_ns: sent
            .and_then(|total| total.rtt_ns)
            .or(first.and_then(|s| s.rtt_ns)),
        intervals: intervals(streams),
        ..Transfer::default()
    }
}

/// The other host: its address from the connection, its name from the command.
fn peer(session: &Session, remote: Node) -> Node {
    match session.named.as_deref().map(Node::read) {
        Some(named) if named.name.is_some() => Node {
            name: named.name,
            address: remote.address,
        },
        Some(named) if remote.is_unknown() => named,
        _ => remote,
    }
}

fn count(session: &Session, streams: &[&Stream]) -> Option<u16> {
    let sums_alone = streams.iter().any(|stream| stream.id.starts_with("SUM"));
    let announced = session.streams.len();
    let count = match sums_alone {
        true if announced == 0 => return None,
        true => announced,
        false => streams.len(),
    };
    u16::try_from(count).ok()
}

/// Sum over the streams where every one of them has the figure.
fn all(streams: &[&Stream], of: impl Fn(&Stream) -> Option<u64>) -> Option<u64> {
    let mut sum = None;
    for stream in streams {
        sum = Some(of(stream)?.saturating_add(sum.unwrap_or(0)));
    }
    sum
}

/// Sum over the streams; the tool's own sum where it agrees, as it was rounded once only. A server's sum over tests
/// that were not made together does not agree.
fn total(streams: &[&Stream], sums: &[&Stream], of: impl Fn(&Stream) -> Option<Figures>) -> Option<Figures> {
    let parts: Vec<Figures> = streams.iter().filter_map(|stream| of(stream)).collect();
    let own = add(&parts).filter(|_| parts.len() == streams.len())?;
    let agrees = |sum: &Figures| (sum.rate_bps - own.rate_bps).abs() <= 0.03 * own.rate_bps;
    let rate_bps = sums
        .iter()
        .filter_map(|sum| of(sum))
        .find(agrees)
        .map_or(own.rate_bps, |sum| sum.rate_bps);
    Some(Figures { rate_bps, ..own })
}

/// Figures of connections at the same time, added; the largest jitter and the mean round-trip time.
fn add(parts: &[Figures]) -> Option<Figures> {
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
        retransmits: sum(|part| part.retransmits),
        cwnd_bytes: sum(|part| part.cwnd_bytes),
        rtt_ns: sum(|part| part.rtt_ns).map(|total| total / parts.len() as u64),
        jitter_ns: max(|part| part.jitter_ns),
        lost: sum(|part| part.lost),
        datagrams: sum(|part| part.datagrams),
    })
}

/// Slices of all streams that begin together, within half a slice.
fn intervals(streams: &[&Stream]) -> Vec<TransferInterval> {
    let mut slices: Vec<Figures> = streams
        .iter()
        .flat_map(|stream| stream.slices.iter().copied())
        .collect();
    slices.sort_by_key(|slice| (slice.start_ns, slice.end_ns));
    let together = |a: &Figures, b: &Figures| {
        let half = a.end_ns.saturating_sub(a.start_ns) / 2;
        b.start_ns.saturating_sub(a.start_ns) < half.max(1)
    };
    let groups: Vec<&[Figures]> = match streams.len() {
        1 => slices.chunks(1).collect(),
        _ => slices.chunk_by(together).collect(),
    };
    groups
        .into_iter()
        .filter_map(add)
        .map(|slice| TransferInterval {
            start_ns: slice.start_ns,
            length_ns: slice.end_ns.saturating_sub(slice.start_ns),
            rate_bps: Some(RateBps(slice.rate_bps)),
            retransmits: slice.retransmits,
            cwnd_bytes: slice.cwnd_bytes,
            packets_lost: slice.lost.and_then(|lost| lost.try_into().ok()),
            ..TransferInterval::default()
        })
        .collect()
}
