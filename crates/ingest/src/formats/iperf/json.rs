//! iperf3's JSON document, `--json`.

use crate::findings::Findings;
use crate::format::Group;
use crate::host::host;
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use crate::units::ns_of_seconds;
use crate::{Context, when};
use evidence::{Node, RateBps, Transfer, TransferInterval, Transport};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "iperf3 --json",
    reads: "a test, also one that ended with an error",
    group: Group::Transfers,
    is: |value| value.get("start").is_some_and(Value::is_object) && value.get("intervals").is_some(),
    read,
};

/// What people leave of it: `jq .end`.
pub(crate) static END: JsonKind = JsonKind {
    name: "iperf3 --json, its end",
    reads: "the sums of a test, without its ends and intervals",
    group: Group::Transfers,
    is: |value| {
        let is_end =
            value.get("sum_sent").is_some_and(Value::is_object) && value.get("sum_received").is_some();
        is_end || value.get("end").is_some_and(has_sum)
    },
    read: |value, lines, context, findings| {
        if value.get("end").is_some_and(has_sum) {
            return read(value, lines, context, findings);
        }
        let whole = serde_json::json!({ "end": value });
        read(&whole, lines, context, findings);
    },
};

/// Whether a document of which the rest was left out has a sum of iperf3's.
fn has_sum(end: &Value) -> bool {
    let sums = ["sum_sent", "sum_received", "sum"];
    sums.iter()
        .filter_map(|sum| end.get(*sum))
        .any(|sum| sum.get("bits_per_second").is_some() && sum.get("seconds").is_some())
}

/// Sender and receiver, as the command tells them of which `jq` left sums alone; nobody where both ways were measured.
pub(in crate::formats) fn ends_of(line: &str) -> Option<(Node, Node)> {
    let (is_iperf3, words) = super::command::of(line)?;
    let words: Vec<&str> = words.collect();
    let mut session = super::session::Session::default();
    super::command::apply(&mut session, is_iperf3, words.iter().copied());
    let named = session
        .named
        .as_deref()
        .filter(|_| is_iperf3 && !words.contains(&"--bidir"))?;
    let here = super::command::place(line)
        .as_deref()
        .map(host)
        .unwrap_or_default();
    let there = host(named);
    Some(if session.reverse {
        (there, here)
    } else {
        (here, there)
    })
}

/// Where the figures of one way stand.
struct Way {
    /// In a slice.
    slice: &'static str,
    /// In `end`.
    sent: &'static str,
    received: &'static str,
    /// Whether it is the way from the client to the server, unless reversed.
    forward: bool,
}

const WAYS: [Way; 2] = [
    Way {
        slice: "sum",
        sent: "/end/sum_sent",
        received: "/end/sum_received",
        forward: true,
    },
    Way {
        slice: "sum_bidir_reverse",
        sent: "/end/sum_sent_bidir_reverse",
        received: "/end/sum_received_bidir_reverse",
        forward: false,
    },
];

pub(super) fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    if let Some(error) = text_at(value, "/error") {
        findings.complain_of(lines, format!("iperf3 itself says: {error}"));
    }
    let ms = f64_at(value, "/start/timestamp/timemillisecs").map(|ms| ms / 1e3);
    let at = ms
        .or_else(|| f64_at(value, "/start/timestamp/timesecs"))
        .and_then(when::epoch)
        .or(context.at);
    let tool = text_at(value, "/start/version").map_or("iperf3".to_owned(), |version| {
        format!("iperf3 {}", version.trim_start_matches("iperf").trim_ascii())
    });
    for way in &WAYS {
        if let Some(record) = record(value, way, context) {
            if ![way.sent, way.received, "/end/sum"]
                .iter()
                .any(|sum| value_at(value, sum).is_some())
            {
                findings.complain_of(lines, "no total: the whole is what the intervals add up to");
            }
            findings.record_of(lines, &tool, at, record.into());
        }
    }
    if findings.is_empty() {
        findings.complain_of(lines, "iperf3 was started, but measured nothing");
    }
}

fn record(value: &Value, way: &Way, context: &Context) -> Option<Transfer> {
    let intervals = intervals(value, way);
    // Before 3.7 the sums of UDP stand in `sum` alone.
    let old_udp = value_at(value, "/end/sum").filter(|_| way.forward);
    let sent = value_at(value, way.sent).or(old_udp);
    let received = value_at(value, way.received);
    if intervals.is_empty() && sent.is_none() && received.is_none() {
        return None;
    }
    let interrupted = value.get("error").is_some();
    let rate = |sum: Option<&Value>| {
        let bps = f64_at(sum?, "/bits_per_second")?;
        (bps.is_finite() && bps >= 0.0).then_some(RateBps(bps))
    };
    let counts_losses = || {
        [sent, received]
            .iter()
            .flatten()
            .any(|sum| sum.get("lost_packets").is_some())
    };
    let udp = match text_at(value, "/start/test_start/protocol") {
        Some("UDP") => Some(true),
        Some("TCP") => Some(false),
        // SCTP, of which records know nothing.
        Some(_) => None,
        // The sums alone, as `jq .end` leaves them.
        None => counts_losses().then_some(true),
    };
    // Whom iperf3 could not ask any more has 0 in its sum.
    let moved = intervals
        .iter()
        .any(|slice| slice.rate_bps.is_some_and(|rate| rate.0 > 0.0));
    let was_asked = |sum: &&Value| {
        !moved
            || f64_at(sum, "/bytes").is_none_or(|bytes| bytes > 0.0)
            || u64_at(sum, "/packets").is_some_and(|n| n > 0)
    };
    let (sent, received) = (sent.filter(was_asked), received.filter(was_asked));
    let derived = match sent.or(received) {
        None => derived(&intervals),
        Some(_) => None,
    };
    let (from, to) = ends(value, way.forward);
    let positive = |pointer| u64_at(value, pointer).filter(|n| *n > 0);
    let of_udp = |name: &str| {
        let of = |sum: Option<&Value>| u64_at(sum?, name);
        of(received).or(of(old_udp))
    };
    let is_sender = slices_are_sent(value, way);
    Some(Transfer {
        from: context.from_or(from),
        to: context.to_or(to),
        protocol: udp.map(|udp| if udp { Transport::Udp } else { Transport::Tcp }),
        streams: u64_at(value, "/start/test_start/num_streams").and_then(|n| u16::try_from(n).ok()),
        window_bytes: positive("/start/sock_bufsize"),
        mss_bytes: positive("/start/tcp_mss").and_then(|n| u32::try_from(n).ok()),
        // With `--bidir` the figure is of the way from the client.
        congestion_control: text_at(value, "/end/sender_tcp_congestion")
            .filter(|_| way.forward)
            .map(str::to_owned),
        duration_ns: sent
            .or(received)
            .and_then(|sum| f64_at(sum, "/seconds"))
            .and_then(ns_of_seconds)
            .or(derived.map(|(ns, _)| ns)),
        // It is of each connection.
        target_bps: positive("/start/test_start/target_bitrate").map(|bps| {
            RateBps(bps as f64 * u64_at(value, "/start/test_start/num_streams").unwrap_or(1).max(1) as f64)
        }),
        sent_bps: rate(sent).or(derived.filter(|_| is_sender).map(|(_, rate)| rate)),
        received_bps: rate(received)
            .or(derived.filter(|_| !is_sender).map(|(_, rate)| rate))
            .filter(|rate| !(interrupted && rate.0 == 0.0)),
        retransmits: sent.and_then(|sum| u64_at(sum, "/retransmits")),
        packets_sent: of_udp("/packets")
            .or_else(|| u64_at(sent?, "/packets"))
            .filter(|_| udp == Some(true)),
        packets_lost: of_udp("/lost_packets").filter(|_| udp == Some(true)),
        reordered: reordered(value).filter(|_| udp == Some(true)),
        jitter_ns: received
            .or(old_udp)
            .and_then(|sum| f64_at(sum, "/jitter_ms"))
            .and_then(|ms| ns_of_seconds(ms / 1e3)),
        rtt_ns: sent.and_then(|sum| rtt_ns(value, sum)),
        intervals,
        ..Transfer::default()
    })
}

/// Sender and receiver. The document is the client's where it says what it connected to.
fn ends(value: &Value, forward: bool) -> (Node, Node) {
    let node = |pointer| text_at(value, pointer).map(Node::read).unwrap_or_default();
    let own = node("/start/connected/0/local_host");
    let mut other = node("/start/connected/0/remote_host");
    let named = node("/start/connecting_to/host");
    let is_client = !named.is_unknown();
    // Neither the client nor the server says so: which of the two sends is not known.
    if !is_client && value_at(value, "/start/accepted_connection").is_none() {
        return (Node::default(), Node::default());
    }
    if named.name.is_some() {
        other.name = named.name;
    } else if other.is_unknown() {
        other = named;
    }
    let reverse = u64_at(value, "/start/test_start/reverse").unwrap_or(0) != 0;
    if is_client == (forward != reverse) {
        (own, other)
    } else {
        (other, own)
    }
}

/// Length and rate of what the slices add up to.
fn derived(slices: &[TransferInterval]) -> Option<(u64, RateBps)> {
    let (first, last) = (slices.first()?, slices.last()?);
    let covered = slices
        .iter()
        .map(|slice| slice.length_ns)
        .fold(0, u64::saturating_add);
    let bits: f64 = slices
        .iter()
        .map(|slice| slice.rate_bps.map_or(0.0, |rate| rate.0) * slice.length_ns as f64)
        .sum();
    let end = last.start_ns.saturating_add(last.length_ns);
    let length = end.checked_sub(first.start_ns).filter(|ns| *ns > 0)?;
    Some((length, RateBps(bits / covered.max(1) as f64)))
}

/// Whether the slices are of what the host that printed sent.
fn slices_are_sent(value: &Value, way: &Way) -> bool {
    let slices = value.get("intervals").and_then(Value::as_array);
    let sums = slices
        .into_iter()
        .flatten()
        .filter_map(|slice| slice.get(way.slice));
    let told = sums.filter_map(|sum| sum.get("sender")?.as_bool()).next();
    told.unwrap_or(way.forward)
}

fn intervals(value: &Value, way: &Way) -> Vec<TransferInterval> {
    let slices = value.get("intervals").and_then(Value::as_array);
    slices
        .into_iter()
        .flatten()
        .filter_map(|slice| interval(slice, slice.get(way.slice)?))
        .collect()
}

fn interval(slice: &Value, sum: &Value) -> Option<TransferInterval> {
    if sum.get("omitted").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let (start, end) = (f64_at(sum, "/start")?, f64_at(sum, "/end")?);
    let bps = f64_at(sum, "/bits_per_second")?;
    let sender = sum.get("sender");
    let windows = slice
        .get("streams")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|stream| stream.get("sender") == sender)
        .map(|stream| u64_at(stream, "/snd_cwnd"));
    let cwnd = windows.reduce(|sum, window| Some(sum?.saturating_add(window?)));
    Some(TransferInterval {
        start_ns: ns_of_seconds(start)?,
        length_ns: ns_of_seconds(end - start)?,
        rate_bps: Some((bps.is_finite() && bps >= 0.0).then_some(RateBps(bps))?),
        retransmits: u64_at(sum, "/retransmits"),
        cwnd_bytes: cwnd.flatten(),
        packets_lost: u64_at(sum, "/lost_packets").and_then(|lost| lost.try_into().ok()),
        ..TransferInterval::default()
    })
}

fn streams(value: &Value) -> impl Iterator<Item = &Value> {
    value_at(value, "/end/streams")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn reordered(value: &Value) -> Option<u64> {
    streams(value)
        .filter_map(|stream| u64_at(stream, "/udp/out_of_order"))
        .reduce(u64::saturating_add)
}

/// Mean over the connections of what the sender's kernel saw, which it prints in microseconds; 0 stands for unknown.
fn rtt_ns(value: &Value, sum: &Value) -> Option<u64> {
    let us: Option<Vec<u64>> = streams(value)
        .filter(|stream| value_at(stream, "/sender/sender") == sum.get("sender"))
        .map(|stream| u64_at(stream, "/sender/mean_rtt").filter(|us| *us > 0))
        .collect();
    let us = us?;
    let sum = us.iter().copied().reduce(u64::saturating_add)?;
    (sum / us.len() as u64).checked_mul(1_000)
}
