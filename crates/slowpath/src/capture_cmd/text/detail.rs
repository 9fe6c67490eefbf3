//! One connection in words, with all that is known of it.

use super::{connection, data_time_ns, label, limits, rate, time};
use capture::causes::Causes;
use capture::flow::{Ending, FlowReport, HalfReport, Handshake, OptionsSeen};
use capture::{Way, measured};
use evidence::{RateBps, Timestamp};
use std::fmt::Write as _;

/// One connection with all that is known of it.
pub(crate) fn detail(flow: &FlowReport) -> String {
    let mut text = connection(flow);
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "     {name:<22} {value}");
    };
    line("began", words::when(Timestamp(flow.first_ns)));
    line("ended", ending(flow));
    if let Some(handshake) = &flow.handshake {
        line("handshake", shake(handshake));
        for way in [Way::Up, Way::Down] {
            if let Some(options) = &handshake.options[way.index()] {
                let who = flow.key.sender(way).address;
                line(&format!("offered by {who}"), offered(options));
            }
        }
    }
    for way in [Way::Up, Way::Down] {
        let half = &flow.halves[way.index()];
        if half.data_packets > 0 {
            let _ = writeln!(text, "     {}", measured::title(&flow.key, way));
            text += &half_detail(half);
        }
    }
    text
}

fn ending(flow: &FlowReport) -> String {
    let how = match flow.ending {
        Ending::Closed => "closed by both sides",
        Ending::Reset => "reset",
        Ending::Open => "still open when the capture ended",
        Ending::Evicted => "not followed to its end: its memory was needed",
    };
    format!("{}, {how}", words::when(Timestamp(flow.last_ns)))
}

fn shake(handshake: &Handshake) -> String {
    let part = |ns: Option<i64>| ns.map_or_else(|| "not captured".to_owned(), time);
    let mut text = format!(
        "SYN to SYN-ACK {}, SYN-ACK to ACK {}",
        part(handshake.syn_to_synack_ns),
        part(handshake.synack_to_ack_ns)
    );
    if handshake.syn_retransmissions > 0 {
        let again = u64::from(handshake.syn_retransmissions);
        let _ = write!(text, "; {} retransmitted", words::plural(again, "SYN", "SYNs"));
    }
    text
}

fn offered(options: &OptionsSeen) -> String {
    let mss = options.mss_bytes.map(|bytes| format!("MSS {bytes}"));
    let scale = options.window_scale.map(|scale| format!("window scale {scale}"));
    let flag = |is: bool, name: &str| is.then(|| name.to_owned());
    let parts = [
        mss,
        scale,
        flag(options.sack_permitted, "SACK"),
        flag(options.timestamps, "time stamps"),
        flag(options.ecn, "ECN"),
        flag(options.fast_open, "Fast Open"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "no options".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Lines of one direction; what did not happen is left out.
fn half_detail(half: &HalfReport) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "       {name:<24} {value}");
    };
    line(
        "data",
        format!(
            "{} in {}, {}",
            words::bytes(half.unique_bytes),
            words::plural(half.data_packets, "packet", "packets"),
            rate(half.unique_bytes, data_time_ns(half))
        ),
    );
    line("retransmitted", causes_of_retransmission(half));
    let mut counted = |name: &str, count: u64, one: &str, many: &str| {
        if count > 0 {
            line(name, words::plural(count, one, many));
        }
    };
    counted("lost behind this point", half.lost_behind, "packet", "packets");
    counted("lost before this point", half.lost_before, "packet", "packets");
    counted(
        "spurious",
        half.spurious_retransmissions,
        "retransmission",
        "retransmissions",
    );
    counted("overtaken", half.reordered, "packet", "packets");
    counted("duplicated", half.duplicated, "packet", "packets");
    counted("duplicate ACKs", half.duplicate_acks, "ACK", "ACKs");
    counted("window closed", half.zero_windows, "time", "times");
    counted("window probes", half.window_probes, "packet", "packets");
    counted("keep-alives", half.keep_alives, "packet", "packets");
    counted("congestion marks", half.ce_marks, "packet", "packets");
    counted("in IP fragments", half.fragmented_packets, "packet", "packets");
    counted(
        "larger than the MSS",
        half.offloaded_packets,
        "packet (offload)",
        "packets (offload)",
    );
    if half.unseen_bytes > 0 {
        line("missed by the capture", words::bytes(half.unseen_bytes));
    }
    if let Some((most, least)) = half.window_bytes {
        line(
            "receiver's window",
            format!("{} to {}", words::buffer(least), words::buffer(most)),
        );
    }
    line("most on the way", words::buffer(half.largest_flight_bytes));
    if let Some(rtt) = &half.rtt {
        line(
            "round trip from here",
            format!(
                "{} at least, {} in the middle, 95 % within {} ({})",
                time(rtt.min_ns),
                time(rtt.median_ns),
                time(rtt.p95_ns),
                words::plural(rtt.count, "sample", "samples")
            ),
        );
    }
    if let Some((mtu, times)) = half.too_big {
        line(
            "too big",
            format!(
                "a router told of {mtu} bytes, {}",
                words::plural(times, "time", "times")
            ),
        );
    }
    if let Some(causes) = &half.causes {
        text += &timeline(causes);
    }
    text
}

fn causes_of_retransmission(half: &HalfReport) -> String {
    let parts = [
        (half.fast_retransmissions, "fast"),
        (half.timeouts, "after a timeout"),
        (half.tail_probes, "as tail probes"),
        (
            half.unexplained_retransmissions,
            "for a reason that the packets do not tell",
        ),
    ];
    let told: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, how)| format!("{} {how}", words::count(count)))
        .collect();
    if told.is_empty() {
        "nothing".to_owned()
    } else {
        format!("{} ({})", told.join(", "), words::bytes(half.retransmitted_bytes))
    }
}

/// What was seen beside the limits; nothing where nothing was.
fn patterns(causes: &Causes) -> String {
    let rate = |bytes_per_s: f64| RateBps(bytes_per_s * 8.0).to_string();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "       {name:<24} {value}");
    };
    for level in &causes.rhythm {
        line(
            "the program writes",
            format!(
                "{} in a block, {} between blocks ({})",
                words::buffer(level.block_bytes),
                time(level.pause_ns),
                words::plural(level.count, "block", "blocks")
            ),
        );
    }
    if let Some(bytes_per_s) = causes.bottleneck_bytes_per_s {
        line("narrowest link", format!("{} of payload", rate(bytes_per_s)));
    }
    if let Some(policing) = &causes.policing {
        let after = match policing.burst_bytes {
            0 => String::new(),
            burst => format!("; the first drop came after {} at once", words::buffer(burst)),
        };
        let rate = rate(policing.rate_bytes_per_s);
        line(
            "policer",
            format!("drops packets while no queue stands; about {rate} passed between drops{after}"),
        );
    }
    if let Some(shaping) = &causes.shaping {
        line(
            "shaper",
            format!(
                "{} in the long run, {} in bursts",
                rate(shaping.rate_bytes_per_s),
                rate(shaping.burst_bytes_per_s)
            ),
        );
    }
    if let Some(stalls) = &causes.path_mtu {
        let moved = stalls.moved_on_bytes.map_or_else(
            || "it never moved on".to_owned(),
            |bytes| format!("it moved on with {bytes} bytes"),
        );
        line(
            "path MTU",
            format!("segments of {} bytes vanished, and {moved}", stalls.stalled_bytes),
        );
    }
    let receiver = &causes.receiver;
    if receiver.delayed_ack_stalls > 0 {
        line(
            "delayed ACKs",
            format!(
                "{} of {} in all",
                words::plural(receiver.delayed_ack_stalls, "wait", "waits"),
                time(receiver.delayed_ack_ns)
            ),
        );
    }
    text
}

/// The longest stretches of a transfer with their reasons, in the order of time.
fn timeline(causes: &Causes) -> String {
    const SHOWN: usize = 20;
    let mut longest: Vec<_> = causes.intervals.iter().collect();
    longest.sort_by_key(|interval| std::cmp::Reverse(interval.to_ns.saturating_sub(interval.from_ns)));
    longest.truncate(SHOWN);
    longest.sort_by_key(|interval| interval.from_ns);
    let Some(start) = causes.intervals.first().map(|first| first.from_ns) else {
        return String::new();
    };
    let mut text = format!("       limited by {}\n{}", limits(causes), patterns(causes));
    for interval in longest {
        let length = interval.to_ns.saturating_sub(interval.from_ns);
        let _ = writeln!(
            text,
            "         at {:>9}  {:>9}  {:>12}  {}",
            time(interval.from_ns.saturating_sub(start)),
            time(length),
            rate(interval.bytes, length),
            label(interval.label)
        );
    }
    if causes.intervals.len() > SHOWN {
        let more = causes.intervals.len() - SHOWN;
        let _ = writeln!(
            text,
            "         and {} shorter",
            words::plural(more as u64, "stretch", "stretches")
        );
    }
    text
}
