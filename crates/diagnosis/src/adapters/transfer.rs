//! Transfers: their rate with all that went with it, and what a UDP stream lost.

use super::intake::Intake;
use super::programs::is_test_program;
use super::segments::{accounts, mss, segments};
use crate::records::{rate_until_gone, silent, stalled};
use evidence::{Observation, RateBps, StopReason, TcpAccount, Transfer, TransferSide, Transport};
use model::{Bound, Control, Kind, Loss, NodeId, Program, Rate, Seen, Setting, Trust, Waits};

/// Calls `note` with the smallest round-trip time that the sender's TCP saw, nanoseconds.
pub(super) fn rtts(transfer: &Transfer, mut note: impl FnMut(f64)) {
    let accounts = accounts(transfer.sender.as_ref());
    let least = accounts
        .iter()
        .filter_map(|a| a.min_rtt_us)
        .filter(|us| *us > 0)
        .min();
    least.iter().for_each(|us| note(f64::from(*us) * 1e3));
    transfer.rtt_ns.iter().for_each(|ns| note(*ns as f64));
}

pub(super) fn measure(intake: &mut Intake, transfer: &Transfer, observation: &Observation) {
    let vantage = &observation.provenance.vantage;
    let Some((from, to)) = intake.ends(&transfer.from, &transfer.to, vantage) else {
        return;
    };
    let udp = transfer.protocol == Some(Transport::Udp);
    if let Some(rate) = rate(intake, transfer, from, to) {
        let window = rate
            .waits
            .receive_window
            .filter(|share| *share >= 0.2 && transfer.window_bytes.is_none())
            .and_then(|_| peer_window(transfer));
        intake.put(from, to, Seen::Rate(rate), Trust::Measured, &observation.id);
        if let Some(value) = window {
            let seen = Setting {
                kind: Kind::ReceiveWindow,
                value,
                // As it happened to be when somebody looked.
                min_rtt_s: None,
            };
            intake.put(from, to, Seen::Setting(seen), Trust::Measured, &observation.id);
        }
    }
    if udp && let Some(loss) = loss(transfer) {
        intake.put(from, to, Seen::Loss(loss), Trust::Measured, &observation.id);
    }
}

fn rate(intake: &Intake, transfer: &Transfer, from: NodeId, to: NodeId) -> Option<Rate> {
    let udp = transfer.protocol == Some(Transport::Udp);
    let stalled = stalled(transfer);
    let arrived = if stalled == Some(true) {
        None
    } else {
        transfer.steady_bps
    };
    // Nothing that arrived is a rate as well.
    let nothing = (transfer.bytes_received == Some(0) || stalled == Some(true)).then_some(RateBps(0.0));
    let bps = rate_until_gone(transfer)
        .or(arrived)
        .or(transfer.received_bps)
        .or(nothing)
        .or(transfer.sent_bps)?
        .0;
    let partial = matches!(transfer.stop, Some(StopReason::PeerGone | StopReason::Cancelled));
    let paced = !udp && transfer.target_bps.is_some_and(|target| bps > 0.9 * target.0);
    // A stream of which less arrived than was to be sent, and nobody counted packets: something limits it to that.
    let short =
        udp && loss(transfer).is_none() && transfer.target_bps.is_some_and(|target| bps < 0.8 * target.0);
    // What limits another application than the slow one may be that program: the path carries at least so much.
    let slow = intake.slowest.get(&(from, to));
    let other = transfer
        .application
        .as_ref()
        .filter(|name| !is_test_program(Some(name)));
    let other = other.zip(slow).is_some_and(|(name, slow)| name != slow);
    Some(Rate {
        bps: if bps.is_finite() {
            bps.max(0.0)
        } else {
            return None;
        },
        // What arrives of a stream shows what the path can carry at least; what it cannot, its loss shows.
        bound: if (udp && !short) || partial || paced || other {
            Bound::AtLeast
        } else {
            Bound::Exact
        },
        transport: transfer.protocol.unwrap_or(Transport::Tcp),
        streams: f64::from(transfer.streams.unwrap_or(1).max(1)),
        window_bytes: transfer
            .window_bytes
            .filter(|bytes| *bytes > 0)
            .map(|bytes| bytes as f64),
        mss_bytes: segments(intake, transfer, (from, to), stalled == Some(true)),
        control: control(transfer.congestion_control.as_deref()),
        min_rtt_s: intake.rtts.between(from, to),
        // What the slow application suffers from itself, another one does not.
        program: if other || is_test_program(transfer.application.as_deref()) {
            Program::Test
        } else {
            Program::Named
        },
        waits: if udp {
            Waits::default()
        } else {
            waits(transfer, stalled, intake.rtts.between(from, to))
        },
    })
}

fn control(name: Option<&str>) -> Control {
    match name.map(str::to_ascii_lowercase).as_deref() {
        Some("reno" | "newreno") => Control::Reno,
        Some("cubic") => Control::Cubic,
        Some(name) if name.starts_with("bbr") => Control::Bbr,
        _ => Control::Unknown,
    }
}

fn peer_window(transfer: &Transfer) -> Option<f64> {
    let most = accounts(transfer.sender.as_ref())
        .iter()
        .filter_map(|a| a.peer_window_bytes)
        .max();
    most.filter(|bytes| *bytes > 0).map(|bytes| bytes as f64)
}

fn waits(transfer: &Transfer, stalled: Option<bool>, min_rtt_s: Option<f64>) -> Waits {
    let accounts = accounts(transfer.sender.as_ref());
    let sum = |field: fn(&TcpAccount) -> Option<u64>| -> Option<f64> {
        let all: Option<Vec<u64>> = accounts.iter().map(field).collect();
        all.filter(|all| !all.is_empty())
            .map(|all| all.iter().map(|v| *v as f64).sum())
    };
    let busy = sum(|a| a.busy_us).filter(|busy| *busy > 0.0);
    let share = |of: Option<f64>| Some((of? / busy?).min(1.0));
    let cpu = |side: &Option<TransferSide>| side.as_ref().and_then(|side| side.cpu);
    // A program that keeps its socket filled makes its connections busy all the time.
    let idle = || {
        let length = transfer.duration_ns? as f64 / 1e3 * accounts.len() as f64;
        (length > 0.0).then_some((1.0 - busy? / length).clamp(0.0, 1.0))
    };
    Waits {
        receive_window: share(sum(|a| a.receive_window_limited_us)),
        send_buffer: share(sum(|a| a.send_buffer_limited_us)),
        application: idle(),
        retransmitted: retransmitted(transfer),
        rtt_growth: growth(transfer, min_rtt_s),
        stalled,
        silent: silent(transfer),
        processor: (cpu(&transfer.sender), cpu(&transfer.receiver)),
    }
}

/// Segments retransmitted of segments sent, less those that D-SACK proves needless; of foreign tools as they print it.
fn retransmitted(transfer: &Transfer) -> Option<(f64, f64)> {
    let accounts = accounts(transfer.sender.as_ref());
    let mut total = (0.0, 0.0);
    for account in accounts {
        let needless = account.dsack_duplicates.unwrap_or(0);
        total.0 += account.retransmitted_segments?.saturating_sub(needless) as f64;
        total.1 += account.data_segments_out? as f64;
    }
    if total.1 > 0.0 {
        return Some(total);
    }
    let again = transfer.retransmits? as f64;
    let bytes = match transfer.bytes_received {
        Some(bytes) => bytes as f64,
        None => transfer.sent_bps.or(transfer.received_bps)?.0 / 8.0 * transfer.duration_ns? as f64 / 1e9,
    };
    let sent = bytes / f64::from(mss(transfer).unwrap_or(1448)) + again;
    (sent >= 1.0).then_some((again.min(sent), sent))
}

/// Round-trip time under the transfer's own load over the smallest, less 1.
fn growth(transfer: &Transfer, min_rtt_s: Option<f64>) -> Option<f64> {
    let half = transfer.intervals.len() / 2;
    let mut rtts: Vec<u64> = transfer.intervals[half..]
        .iter()
        .filter_map(|slice| slice.rtt_ns)
        .filter(|ns| *ns > 0)
        .collect();
    rtts.sort_unstable();
    let loaded = *rtts.get(rtts.len().checked_sub(1)? / 2)? as f64 / 1e9;
    let least = min_rtt_s?;
    // Some milliseconds are the scheduler's and no queue.
    Some(if loaded - least < 0.002 {
        0.0
    } else {
        loaded / least - 1.0
    })
}

fn loss(transfer: &Transfer) -> Option<Loss> {
    let counted_by_host = transfer
        .host_drops
        .as_ref()
        .filter(|drops| drops.receiver_socket.is_some());
    let host_dropped = counted_by_host.map(|drops| drops.known_total() as f64);
    let gone = transfer.stop == Some(StopReason::PeerGone);
    let counted = transfer.packets_sent.zip(transfer.lost_on_path());
    let (sent, lost) = match counted {
        _ if gone => counted_until_gone(transfer)?,
        Some((sent, lost)) => (sent as f64, lost as f64),
        None => uncounted(transfer)?,
    };
    let mean_run = mean_run(transfer).filter(|_| !gone);
    let pps = transfer
        .duration_ns
        .filter(|ns| *ns > 0)
        .map(|ns| sent * 1e9 / ns as f64);
    (sent > 0.0).then(|| Loss {
        sent,
        lost: lost.min(sent),
        offered_bps: transfer
            .sent_bps
            .or(transfer.target_bps)
            .map(|rate| rate.0 * with_headers(transfer)),
        size_bytes: transfer.packet_size_bytes.map(f64::from),
        host_dropped,
        reordered: transfer.reordered.map(|late| late as f64),
        mean_run,
        run_s: mean_run.zip(pps).map(|(run, pps)| run / pps),
        pps,
        queued_s: super::rest::one_way_scatter_s(transfer),
        ..Loss::default()
    })
}

/// What was sent to a far end that had gone is not lost on the path: as far as its slices counted.
fn counted_until_gone(transfer: &Transfer) -> Option<(f64, f64)> {
    let counts: Option<Vec<(f64, f64)>> = transfer
        .intervals
        .iter()
        .map(|slice| Some((slice.packets_received? as f64, slice.packets_lost?.max(0) as f64)))
        .collect();
    let counts = counts.filter(|counts| !counts.is_empty())?;
    let received: f64 = counts.iter().map(|(received, _)| received).sum();
    let lost: f64 = counts.iter().map(|(_, lost)| lost).sum();
    Some((received + lost, lost))
}

/// IP packets over their payload: what a link carries of a stream of small packets is much more than their data.
fn with_headers(transfer: &Transfer) -> f64 {
    const HEADERS: f64 = 28.0;
    let size = transfer
        .packet_size_bytes
        .map(f64::from)
        .filter(|size| *size > 2.0 * HEADERS);
    size.map_or(1.0, |size| size / (size - HEADERS))
}

/// Where nobody counted packets, the rates tell what share did not arrive; so exactly as a thousand packets would.
fn uncounted(transfer: &Transfer) -> Option<(f64, f64)> {
    let offered = transfer.sent_bps?.0;
    let arrived = transfer.received_bps?.0;
    (offered > 0.0).then(|| {
        (
            1000.0,
            (1000.0 * (1.0 - arrived / offered)).clamp(0.0, 1000.0).round(),
        )
    })
}

/// Packets lost in a row, mean; a full socket buffer drops hundreds in a row, so only where the hosts dropped none.
fn mean_run(transfer: &Transfer) -> Option<f64> {
    let clean = transfer
        .host_drops
        .as_ref()
        .is_none_or(|drops| drops.known_total() == 0);
    let runs = transfer.loss_runs.len() as f64;
    let lost: u64 = transfer.loss_runs.iter().map(|(_, length)| length).sum();
    (clean && runs >= 1.0).then(|| lost as f64 / runs)
}
