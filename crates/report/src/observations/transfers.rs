//! Transfers, connections and series, in a line.

use crate::names::Names;
use crate::views::series::value_words;
use crate::views::transfer::mean_rate;
use crate::words::{self, count, plural};
use evidence::{Nanos, Series, SocketState, Sockets, Transfer, Transport};
use stats::quantile;

/// Whose transfer, how fast, how much, in which manner, what was lost on the way, and why it ended: as far as known.
pub(crate) fn transfer(transfer: &Transfer, names: &Names) -> String {
    let application = transfer
        .application
        .as_deref()
        .map_or_else(String::new, |a| format!("{a}: "));
    let mut facts = vec![rate(transfer)];
    facts.extend(amount(transfer));
    facts.extend(manner(transfer));
    facts.extend(losses(transfer));
    facts.extend(transfer.rtt_ns.map(|rtt| format!("RTT {}", Nanos(rtt))));
    facts.extend(transfer.one_way_delay.as_ref().and_then(|delay| {
        let p99 = u64::try_from(delay.above_min.p99_ns?).ok()?;
        Some(format!("delay 99 % within {} of the smallest", Nanos(p99)))
    }));
    let first_byte = transfer.http.as_ref().and_then(|http| http.first_byte_ns);
    facts.extend(first_byte.map(|ns| format!("first byte after {}", Nanos(ns))));
    let stop = transfer
        .stop
        .map_or_else(String::new, |stop| format!("; {}", words::stop(stop)));
    format!(
        "{application}{} to {}: {}{stop}",
        names.of(&transfer.from),
        names.of(&transfer.to),
        facts.join(", ")
    )
}

/// A stream that is this share of what was asked for is as it was asked for.
const ABOUT_AS_ASKED: f64 = 0.99;

fn rate(transfer: &Transfer) -> String {
    let mean = mean_rate(transfer);
    match (mean, transfer.target_bps, transfer.steady_bps) {
        (Some(mean), Some(target), _) if transfer.protocol == Some(Transport::Udp) => {
            match transfer.sent_bps {
                Some(sent) if sent.0 < target.0 * ABOUT_AS_ASKED => {
                    format!("{mean} of {sent} sent, {target} asked for")
                }
                Some(sent) => format!("{mean} of {sent} sent"),
                None => format!("{mean}, {target} asked for"),
            }
        }
        (Some(mean), _, Some(steady)) => format!("{mean} mean, {steady} steady"),
        (Some(mean), _, None) => mean.to_string(),
        (None, ..) if transfer.bytes_received == Some(0) || transfer.packets_received == Some(0) => {
            "nothing arrived".to_owned()
        }
        (None, ..) => "rate not told".to_owned(),
    }
}

fn amount(transfer: &Transfer) -> Option<String> {
    let length = transfer.duration_ns.map(words::long);
    match (transfer.bytes_received, length) {
        (Some(bytes), Some(length)) => Some(format!("{} in {length}", words::bytes(bytes))),
        (Some(bytes), None) => Some(words::bytes(bytes)),
        (None, length) => length.map(|length| format!("in {length}")),
    }
}

fn manner(transfer: &Transfer) -> Vec<String> {
    let streams = transfer
        .streams
        .map(|n| plural(u64::from(n), "stream", "streams"));
    let window = transfer
        .window_bytes
        .map(|n| format!("window {}", words::bytes(n)));
    let mss = transfer.mss_bytes.map(|mss| format!("MSS {mss}"));
    let size = transfer
        .packet_size_bytes
        .map(|size| format!("packets of {size} bytes"));
    [streams, transfer.congestion_control.clone(), window, mss, size]
        .into_iter()
        .flatten()
        .collect()
}

/// Segments sent again of a TCP transfer, summed up or slice by slice; of a UDP stream the packets that the path lost, and
/// those that a host dropped.
fn losses(transfer: &Transfer) -> Vec<String> {
    let mut facts = Vec::new();
    let resent = retransmits(transfer).map(|n| plural(n, "retransmit", "retransmits"));
    facts.extend(resent);
    let lost = transfer.lost_on_path().zip(transfer.packets_sent);
    facts.extend(lost.map(|(lost, sent)| format!("{} packets lost", words::lost_of(lost, sent))));
    let own = transfer
        .host_drops
        .as_ref()
        .map_or(0, |drops| drops.known_total());
    for (n, what) in [
        (Some(own), "dropped in the hosts"),
        (transfer.reordered, "reordered"),
        (transfer.duplicates, "twice"),
    ] {
        let some = n.filter(|n| *n > 0);
        facts.extend(some.map(|n| format!("{} {what}", count(n))));
    }
    facts
}

/// Segments that a transfer sent again; `None` where nobody counted.
pub(crate) fn retransmits(transfer: &Transfer) -> Option<u64> {
    let slices = transfer.intervals.iter().filter_map(|slice| slice.retransmits);
    transfer
        .retransmits
        .or_else(|| slices.reduce(u64::saturating_add))
}

pub(super) fn series(series: &Series, names: &Names) -> String {
    let span = match (series.points.first(), series.points.last()) {
        (Some((first, _)), Some((last, _))) => {
            format!(", {} to {}", words::when(*first), words::when(*last))
        }
        _ => String::new(),
    };
    let mut values: Vec<f64> = series
        .points
        .iter()
        .map(|(_, value)| *value)
        .filter(|v| v.is_finite())
        .collect();
    let median = quantile(&mut values, 0.5);
    let show = |value: f64| value_words(series.metric, value);
    let figures = match (median, values.first(), values.last()) {
        (Some(median), Some(low), Some(high)) => {
            format!("; median {}, {} to {}", show(median), show(*low), show(*high))
        }
        _ => String::new(),
    };
    format!(
        "{} of {} from {} to {}{span}{figures}",
        plural(series.points.len() as u64, "value", "values"),
        words::metric(series.metric),
        names.of(&series.from),
        names.of(&series.to)
    )
}

pub(super) fn sockets(sockets: &Sockets) -> String {
    let count = sockets.connections.len() as u64;
    let all_are = |is_such: fn(&SocketState) -> bool| sockets.connections.iter().all(is_such);
    // Rows of `ss -u` without their command tell no protocol, and `ss` lists no socket of TCP as UNCONN.
    let connections = if all_are(|one| one.protocol.is_none() && one.state.as_deref() != Some("UNCONN")) {
        plural(count, "TCP connection", "TCP connections")
    } else if all_are(|one| one.protocol.as_deref() == Some("udp")) {
        plural(count, "UDP socket", "UDP sockets")
    } else {
        plural(count, "socket", "sockets")
    };
    let shown: Vec<String> = sockets.connections.iter().map(connection_summary).collect();
    match shown.is_empty() {
        true => connections,
        false => format!("{connections}: {}", words::few(&shown)),
    }
}

/// The figures that tell why a connection is as fast as it is; what the kernel did not print is left out.
fn connection_summary(connection: &SocketState) -> String {
    let account = &connection.account;
    let busy = account.busy_us.filter(|busy| *busy > 0);
    let share = |limited: Option<u64>| Some((limited.filter(|us| *us > 0)? as f64, busy? as f64));
    let limited = |limited: Option<u64>, by: &str| {
        let (limited, busy) = share(limited)?;
        Some(format!("{} of it {by}", words::share(limited / busy)))
    };
    let parts = [
        connection.congestion_control.clone(),
        account
            .rtt_us
            .map(|us| format!("RTT {}", Nanos(u64::from(us) * 1_000))),
        account
            .cwnd_segments
            .map(|segments| format!("cwnd {}", plural(u64::from(segments), "segment", "segments"))),
        busy.map(|us| format!("busy {}", Nanos(us.saturating_mul(1_000)))),
        limited(
            account.receive_window_limited_us,
            "limited by the receiver's window",
        ),
        limited(account.send_buffer_limited_us, "limited by its own buffer"),
        account
            .retransmitted_segments
            .filter(|segments| *segments > 0)
            .map(|segments| plural(segments, "retransmit", "retransmits")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let ends = format!("{} to {}", connection.local, connection.peer);
    match parts.is_empty() {
        true => ends,
        false => format!("{ends} ({})", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::RateBps;

    #[test]
    fn sockets_are_called_by_their_protocol() {
        let socket = |protocol: Option<&str>, state: Option<&str>| SocketState {
            protocol: protocol.map(str::to_owned),
            state: state.map(str::to_owned),
            ..SocketState::default()
        };
        let told = |connections: Vec<SocketState>| super::sockets(&Sockets { connections });
        for (first, second, words) in [
            (
                socket(None, Some("ESTAB")),
                socket(None, None),
                "2 TCP connections",
            ),
            (
                socket(Some("udp"), None),
                socket(Some("udp"), Some("UNCONN")),
                "2 UDP sockets",
            ),
            (
                socket(Some("udp"), None),
                socket(None, Some("ESTAB")),
                "2 sockets",
            ),
            (
                socket(None, Some("UNCONN")),
                socket(None, Some("ESTAB")),
                "2 sockets",
            ),
        ] {
            assert!(told(vec![first, second]).starts_with(words), "{words}");
        }
    }

    #[test]
    fn what_was_sent_is_not_what_was_asked_for() {
        let stream = |sent: Option<f64>| Transfer {
            protocol: Some(Transport::Udp),
            target_bps: Some(RateBps(48e6)),
            sent_bps: sent.map(RateBps),
            received_bps: Some(RateBps(33.9e6)),
            ..Transfer::default()
        };
        for (sent, told) in [
            (Some(34e6), "33.9 Mbit/s of 34 Mbit/s sent, 48 Mbit/s asked for"),
            (Some(47.9e6), "33.9 Mbit/s of 47.9 Mbit/s sent"),
            (None, "33.9 Mbit/s, 48 Mbit/s asked for"),
        ] {
            assert_eq!(rate(&stream(sent)), told);
        }
    }
}
