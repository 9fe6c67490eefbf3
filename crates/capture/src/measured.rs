//! What a connection says in the vocabulary of cases: a capture becomes measurements like any other tool's.

use crate::causes::{Causes, ControlFamily, Label, WriteLevel};
use crate::flow::{FlowReport, HalfReport, Handshake, Slices};
use crate::{FlowKey, Way};
use evidence::{
    Node, Payload, Quantity, RateBps, Statement, StopReason, TcpAccount, Transfer, TransferInterval,
    TransferSide, Transport,
};

/// Less data than this has no rate of its own: it fits in a few windows, and the handshake took as long.
const LEAST_BYTES: u64 = 200_000;

/// What a case learns of a connection: a transfer for each direction that carried enough, and the rhythm of the program that
/// wrote it, where it has one.
#[must_use]
pub fn payloads(flow: &FlowReport) -> Vec<Payload> {
    let transfers = [Way::Up, Way::Down].into_iter().filter_map(|way| {
        let transfer = transfer(flow, way)?;
        let mut payloads = rhythm(flow, way, &transfer);
        payloads.insert(0, Payload::from(transfer));
        Some(payloads)
    });
    transfers.flatten().collect()
}

/// One direction of a connection as a transfer; `None` where it carried too little.
#[must_use]
pub fn transfer(flow: &FlowReport, way: Way) -> Option<Transfer> {
    let half = &flow.halves[way.index()];
    let (first_ns, last_ns) = half.data_ns.filter(|_| half.unique_bytes >= LEAST_BYTES)?;
    let duration_ns = u64::try_from(last_ns.saturating_sub(first_ns)).ok()?;
    let key = &flow.key;
    let acked_bytes = half.slices.acked_bytes();
    let causes = half.causes.as_ref();
    Some(Transfer {
        from: node(key, way),
        to: node(key, way.reversed()),
        protocol: Some(Transport::Tcp),
        application: causes
            .filter(|causes| !causes.rhythm.is_empty())
            .map(|_| program(flow)),
        streams: Some(1),
        congestion_control: causes.and_then(|causes| control(causes.control.family)),
        duration_ns: Some(duration_ns),
        // The capture counts data and not when a program read them: what was acknowledged has arrived.
        received_bps: RateBps::of_bytes(acked_bytes, duration_ns),
        steady_bps: steady(&half.slices),
        bytes_received: Some(acked_bytes),
        intervals: intervals(&half.slices),
        sender: Some(TransferSide {
            accounts: vec![account(flow, way)],
            cpu: None,
        }),
        stop: stop(half),
        ports: vec![(key.sender(way).port, key.receiver(way).port)],
        ..Transfer::default()
    })
}

/// Adds to what the ends told of a transfer what only its packets tell. What the ends told themselves stays: a kernel counts its
/// own time better than any capture.
pub fn complete(told: &mut Transfer, seen: &Transfer) {
    if told.intervals.is_empty() {
        told.intervals.clone_from(&seen.intervals);
    }
    if told.ports.is_empty() {
        told.ports.clone_from(&seen.ports);
    }
    told.congestion_control = told
        .congestion_control
        .take()
        .or_else(|| seen.congestion_control.clone());
    told.stop = told.stop.or(seen.stop);
    let has_account = told.sender.as_ref().is_some_and(|side| !side.accounts.is_empty());
    if let Some(seen) = seen.sender.as_ref().filter(|_| !has_account) {
        told.sender
            .get_or_insert_default()
            .accounts
            .clone_from(&seen.accounts);
    }
}

/// Who sends what goes this way.
pub(crate) fn node(key: &FlowKey, way: Way) -> Node {
    Node {
        name: None,
        address: Some(key.sender(way).address),
    }
}

/// A program goes by the port that it serves: packets tell no name.
fn program(flow: &FlowReport) -> String {
    let server = match flow.opened {
        Some(opened) => flow.key.receiver(opened),
        // Who asks takes a high port (RFC 6056).
        None => std::cmp::min_by_key(flow.key.low, flow.key.high, |end| end.port),
    };
    format!("port {}", server.port)
}

fn control(family: Option<ControlFamily>) -> Option<String> {
    // What does not react to loss may be one of several, and the model knows none of these by its packets alone.
    let name = match family? {
        ControlFamily::Reno => "reno",
        ControlFamily::Cubic => "cubic",
        ControlFamily::Unreactive => return None,
    };
    Some(name.to_owned())
}

/// The second half of the time, where slow start is over (as our own transfers tell it).
fn steady(slices: &Slices) -> Option<RateBps> {
    const LEAST_SLICES: usize = 10;
    let all = slices.slices.get(..slices.slices.len().saturating_sub(1))?;
    let half = all.get(all.len() / 2..).filter(|_| all.len() >= LEAST_SLICES)?;
    let bytes = half
        .iter()
        .map(|slice| slice.acked_bytes)
        .fold(0, u64::saturating_add);
    let width_ns = u64::try_from(slices.width_ns).ok()?;
    RateBps::of_bytes(bytes, width_ns.saturating_mul(half.len() as u64))
}

/// The rhythm of the writing program, as figures about it: its blocks and pauses, the finest and the next.
fn rhythm(flow: &FlowReport, way: Way, transfer: &Transfer) -> Vec<Payload> {
    let half = &flow.halves[way.index()];
    let Some(causes) = &half.causes else {
        return Vec::new();
    };
    let Some(finest) = causes.rhythm.first() else {
        return Vec::new();
    };
    let state = |quantity, value: f64, what: &str| {
        Payload::Statement(Statement {
            quantity,
            from: node(&flow.key, way),
            to: node(&flow.key, way.reversed()),
            subject: transfer.application.clone(),
            value,
            range: None,
            text: format!("{what}, measured between the packets of a capture"),
        })
    };
    let seconds = |ns: i64| ns as f64 / 1e9;
    let mut said = vec![
        state(
            Quantity::WriteBytes,
            finest.block_bytes as f64,
            "bytes of a block",
        ),
        state(
            Quantity::WritePause,
            seconds(finest.pause_ns),
            "pause between two blocks",
        ),
    ];
    if let Some(rate) = write_bps(causes, finest) {
        said.push(state(Quantity::WriteRate, rate, "rate within a block"));
    }
    if let Some(coarser) = causes.rhythm.get(1) {
        said.push(state(
            Quantity::BlockBytes,
            coarser.block_bytes as f64,
            "bytes between two longer pauses",
        ));
        // The longer pause replaces a short one, and the model adds it.
        let beyond = coarser.pause_ns.saturating_sub(finest.pause_ns).max(0);
        said.push(state(
            Quantity::BlockPause,
            seconds(beyond),
            "the longer pause beyond the short one",
        ));
    }
    said
}

/// What is left of the time of the blocks when their pauses are taken off, as a rate.
fn write_bps(causes: &Causes, finest: &WriteLevel) -> Option<f64> {
    let finding = causes.finding.as_ref()?;
    let block = finest.block_bytes as f64;
    let longer = causes.rhythm.get(1).map_or(0.0, |coarser| {
        let pauses = (coarser.pause_ns - finest.pause_ns).max(0) as f64 / 1e9;
        pauses * block / (coarser.block_bytes as f64).max(block)
    });
    let cycle_s = block / finding.rate_bytes_per_s;
    let write_s = cycle_s - finest.pause_ns as f64 / 1e9 - longer;
    (write_s > 0.0 && write_s.is_finite()).then(|| block * 8.0 / write_s)
}

/// Data that nobody acknowledges to the end of the capture, though they were retransmitted: the transfer stands still.
fn stop(half: &HalfReport) -> Option<StopReason> {
    let is_still = half.slices.acked_bytes() == 0 && half.timeouts > 0;
    is_still.then_some(StopReason::Stalled)
}

fn intervals(slices: &Slices) -> Vec<TransferInterval> {
    let length_ns = u64::try_from(slices.width_ns).unwrap_or(0);
    let one = |(place, slice): (usize, &crate::flow::Slice)| TransferInterval {
        start_ns: length_ns.saturating_mul(place as u64),
        length_ns,
        bytes_acked: Some(slice.acked_bytes),
        retransmits: Some(u64::from(slice.retransmitted)),
        rtt_ns: slice.rtt_ns().and_then(|ns| u64::try_from(ns).ok()),
        ..TransferInterval::default()
    };
    // The last slice is cut where the data end: as a whole one it would look slow.
    let whole = slices.slices.len().saturating_sub(1).max(1);
    slices.slices.iter().take(whole).enumerate().map(one).collect()
}

/// What the sender's kernel would say of itself (`struct tcp_info`), as far as packets tell.
fn account(flow: &FlowReport, way: Way) -> TcpAccount {
    let half = &flow.halves[way.index()];
    let mss = mss_bytes(flow);
    let retransmitted =
        half.fast_retransmissions + half.timeouts + half.tail_probes + half.unexplained_retransmissions;
    let limits = half.causes.as_ref().map(limits_us);
    let handshake = flow.handshake.as_ref();
    let offered = |way: Way| handshake.and_then(|seen| seen.options[way.index()].as_ref());
    let both = [way, way.reversed()].map(offered);
    let both_have = |has: fn(&crate::flow::OptionsSeen) -> bool| match both {
        [Some(one), Some(other)] => Some(has(one) && has(other)),
        _ => None,
    };
    TcpAccount {
        data_segments_out: Some(segments(half, mss)),
        retransmitted_segments: Some(retransmitted),
        retransmitted_bytes: Some(half.retransmitted_bytes),
        bytes_acked: Some(half.slices.acked_bytes()),
        dsack_duplicates: Some(half.spurious_retransmissions),
        timeouts: Some(half.timeouts),
        busy_us: limits.map(|limits| limits.busy),
        receive_window_limited_us: limits.map(|limits| limits.receive_window),
        send_buffer_limited_us: limits.map(|limits| limits.send_buffer),
        send_mss_bytes: mss,
        peer_window_bytes: half.window_bytes.map(|(largest, _)| largest),
        min_rtt_us: min_rtt_ns(flow).and_then(|ns| u32::try_from(ns / 1_000).ok()),
        sack: both_have(|options| options.sack_permitted),
        timestamps: both_have(|options| options.timestamps),
        window_scale: match both {
            [Some(own), Some(peer)] => own.window_scale.zip(peer.window_scale),
            _ => None,
        },
        ecn: both_have(|options| options.ecn),
        ..TcpAccount::default()
    }
}

/// Packets with data. A packet that was captured above segmentation offload is several on the wire.
fn segments(half: &HalfReport, mss: Option<u32>) -> u64 {
    match mss.filter(|mss| half.offloaded_packets > 0 && *mss > 0) {
        Some(mss) => half.data_packets.max(half.payload_bytes.div_ceil(u64::from(mss))),
        None => half.data_packets,
    }
}

/// The largest segment that both ends allow, bytes of payload (RFC 6691: the options of each segment come off).
fn mss_bytes(flow: &FlowReport) -> Option<u32> {
    const TIMESTAMPS_BYTES: u32 = 12;
    let Handshake { options, .. } = flow.handshake.as_ref()?;
    let [one, other] = [options[0].as_ref()?, options[1].as_ref()?];
    let mss = u32::from(one.mss_bytes?.min(other.mss_bytes?));
    let stamps = if one.timestamps && other.timestamps {
        TIMESTAMPS_BYTES
    } else {
        0
    };
    Some(mss.saturating_sub(stamps))
}

/// The smallest round trip from end to end, nanoseconds: the capture point cuts it in two, and each half is measured by
/// itself. The half of which nothing but the handshake tells is the handshake's.
#[must_use]
pub fn min_rtt_ns(flow: &FlowReport) -> Option<i64> {
    let handshake = flow.handshake.as_ref();
    let opened = flow.opened;
    let part = |way: Way| {
        let measured = flow.halves[way.index()].rtt.map(|rtt| rtt.min_ns);
        let shaken = handshake.and_then(|seen| match opened {
            Some(opener) if opener == way => seen.syn_to_synack_ns,
            Some(_) => seen.synack_to_ack_ns,
            None => None,
        });
        [measured, shaken].into_iter().flatten().min()
    };
    Some(part(Way::Up)?.saturating_add(part(Way::Down)?))
}

#[derive(Clone, Copy)]
struct Limits {
    busy: u64,
    receive_window: u64,
    send_buffer: u64,
}

/// Microseconds under each limit, as the kernel's counters have them: busy is while data were on the way, and includes the
/// two others (`tcp_info`, Linux `tcp_chrono`).
fn limits_us(causes: &Causes) -> Limits {
    let us = |ns: i64| u64::try_from(ns / 1_000).unwrap_or(0);
    let send_buffer = causes
        .shares
        .iter()
        .filter(|share| share.label == Label::SendBuffer);
    Limits {
        busy: us(causes.busy_ns),
        receive_window: us(causes.window_limited_ns),
        send_buffer: us(send_buffer
            .map(|share| share.time_ns)
            .fold(0, i64::saturating_add)),
    }
}

/// `192.0.2.1:5001 to 198.51.100.7:40000`.
#[must_use]
pub fn title(key: &FlowKey, way: Way) -> String {
    let (from, to) = (key.sender(way), key.receiver(way));
    format!(
        "{} to {}",
        std::net::SocketAddr::new(from.address, from.port),
        std::net::SocketAddr::new(to.address, to.port)
    )
}
