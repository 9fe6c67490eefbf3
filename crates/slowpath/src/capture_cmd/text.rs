//! Connections in words.

use super::engine::Outcome;
use super::ranking::{Sums, bytes, main_half, main_way};
use super::reader::FileSaid;
use crate::intake;
use capture::causes::{Causes, Label};
use capture::decode::{Counts, Other};
use capture::flow::{Ending, FlowReport, HalfReport, Handshake, OptionsSeen};
use capture::{Way, measured};
use evidence::{Nanos, RateBps, Timestamp};
use std::fmt::Write as _;

/// What limited a sender, for people.
pub(crate) fn label(label: Label) -> &'static str {
    match label {
        Label::Application => "the sending program",
        Label::SendBuffer => "the send buffer",
        Label::ReceiverWindow => "the receiver's window",
        Label::Bottleneck => "the narrowest link",
        Label::LossRecovery => "recovery from loss",
        Label::SlowStart => "slow start",
        Label::PathMtuStall => "packets too large for the path",
        Label::Idle => "nothing to send",
        Label::Unknown => "not known",
    }
}

/// Bytes over a time, as a rate; "—" where no time passed.
fn rate(bytes: u64, ns: i64) -> String {
    let ns = u64::try_from(ns).unwrap_or(0);
    RateBps::of_bytes(bytes, ns).map_or_else(|| "—".to_owned(), |rate| rate.to_string())
}

fn time(ns: i64) -> String {
    Nanos(u64::try_from(ns).unwrap_or(0)).to_string()
}

/// From the first to the last data packet, nanoseconds.
pub(crate) fn data_time_ns(half: &HalfReport) -> i64 {
    half.data_ns.map_or(0, |(first, last)| last.saturating_sub(first))
}

/// "the receiver's window 87 %, the narrowest link 10 %": the labels with at least one in a hundred of the time.
pub(crate) fn limits(causes: &Causes) -> String {
    let total: i64 = causes
        .shares
        .iter()
        .map(|share| share.time_ns.max(0))
        .fold(0, i64::saturating_add);
    let mut shares: Vec<_> = causes.shares.iter().filter(|share| share.time_ns > 0).collect();
    shares.sort_by_key(|share| (std::cmp::Reverse(share.time_ns), share.label));
    let told = shares.iter().filter_map(|share| {
        let ratio = share.time_ns as f64 / total as f64;
        (ratio >= 0.01).then(|| format!("{} {:.0} %", label(share.label), 100.0 * ratio))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// "413 of 6,180,000 packets retransmitted (6.7e-5)"
fn retransmitted(half: &HalfReport) -> String {
    // What the network doubled came twice as well.
    let doubled = half.duplicated.min(half.retransmitted_packets);
    let (again, all) = (half.retransmitted_packets - doubled, half.data_packets);
    let mut text = match again {
        0 => "nothing retransmitted".to_owned(),
        _ => format!(
            "{} of {} data packets retransmitted ({})",
            words::count(again),
            words::count(all),
            words::loss(again as f64 / all.max(1) as f64)
        ),
    };
    if doubled > 0 {
        let _ = write!(
            text,
            ", {} came twice",
            words::plural(doubled, "packet", "packets")
        );
    }
    text
}

/// The files, and what was in them that is no connection.
pub(crate) fn head(outcome: &Outcome, sums: &Sums) -> String {
    let mut text = String::new();
    let names: Vec<String> = outcome
        .files
        .iter()
        .map(|file| intake::shown(&file.path))
        .collect();
    let packets: u64 = outcome.files.iter().map(|file| file.packets).sum();
    let _ = write!(
        text,
        "{}: {}, {}",
        words::first_few(&names, 3),
        words::plural(packets, "packet", "packets"),
        words::plural(sums.flows, "TCP connection", "TCP connections"),
    );
    if let Some((first, last)) = outcome.span_ns {
        let _ = write!(
            text,
            ", {} from {}",
            time(last.saturating_sub(first)),
            words::when(Timestamp(first))
        );
    }
    text.push('\n');
    let others = others(&outcome.counts);
    if !others.is_empty() {
        let _ = writeln!(text, "not looked at: {others}");
    }
    if outcome.evicted > 0 {
        let _ = writeln!(
            text,
            "{} told in part only: more memory (--memory) keeps them whole",
            words::plural(outcome.evicted, "connection is", "connections are")
        );
    }
    for file in &outcome.files {
        text += &said(file);
    }
    if sums.all.unseen_bytes > 0 {
        let _ = writeln!(
            text,
            "the capture itself missed packets: {} were acknowledged and never captured",
            words::bytes(sums.all.unseen_bytes)
        );
    }
    text
}

/// What the capturing program counted as dropped, and what people wrote.
fn said(file: &FileSaid) -> String {
    let mut text = String::new();
    let counted = file
        .description
        .interfaces
        .iter()
        .filter_map(|one| one.statistics);
    let dropped: u64 = counted
        .flat_map(|counted| [counted.dropped_by_interface, counted.dropped_by_os])
        .flatten()
        .fold(0, u64::saturating_add);
    if dropped > 0 {
        let _ = writeln!(
            text,
            "{}: the capturing host says that it dropped {}",
            intake::shown(&file.path),
            words::plural(dropped, "packet", "packets")
        );
    }
    for comment in file.description.comments.iter().take(MOST_COMMENTS) {
        let _ = writeln!(text, "comment: {comment}");
    }
    text
}

/// More comments than these push the result off the screen; JSON of other tools has them all.
const MOST_COMMENTS: usize = 5;

/// Packets that belong to no connection, by what they are; nothing where there are none.
pub(crate) fn others(counts: &Counts) -> String {
    let told = Other::ALL.into_iter().filter_map(|other| {
        let count = counts.of(other);
        (count > 0).then(|| format!("{} {}", words::count(count), other_words(other)))
    });
    told.collect::<Vec<_>>().join(", ")
}

fn other_words(other: Other) -> &'static str {
    match other {
        Other::Udp => "UDP",
        Other::Icmp => "ICMP",
        Other::Arp => "ARP",
        Other::OtherIp => "of another IP protocol",
        Other::NotIp => "without IP",
        Other::Encrypted => "encrypted",
        Other::Fragment => "later fragments",
        Other::Cut => "cut before the end of the TCP header (snap length)",
        Other::Malformed => "malformed",
        Other::TooDeep => "in too many tunnels",
        Other::UnknownLink => "of a link that is not known",
    }
}

/// The largest connections, and what limited each.
pub(crate) fn summary(flows: &[FlowReport], sums: &Sums, shown: usize) -> String {
    let mut text = String::new();
    for (place, flow) in flows.iter().take(shown).enumerate() {
        let _ = write!(text, "\n{:>3}  {}", place + 1, connection(flow));
    }
    let told: u64 = flows.iter().take(shown).map(bytes).sum();
    let more = sums.flows.saturating_sub(flows.len().min(shown) as u64);
    if more > 0 {
        let _ = writeln!(
            text,
            "\n     and {} with {} in all (--flows lists them)",
            words::plural(more, "connection", "connections"),
            words::bytes(sums.all.unique_bytes.saturating_sub(told))
        );
    }
    if sums.flows > 1 {
        let _ = write!(text, "{}", in_all(sums));
    }
    text
}

/// Of all bytes, how many went under which limit.
fn in_all(sums: &Sums) -> String {
    let by_label = Label::ALL.into_iter().zip(sums.all.label_bytes);
    let total: u64 = by_label
        .clone()
        .fold(0, |all, (_, bytes)| all.saturating_add(bytes));
    if total == 0 {
        return String::new();
    }
    let mut labels: Vec<(Label, u64)> = by_label.collect();
    labels.sort_by_key(|(label, bytes)| (std::cmp::Reverse(*bytes), *label));
    let told = labels.into_iter().filter_map(|(of, bytes)| {
        let ratio = bytes as f64 / total as f64;
        (ratio >= 0.01).then(|| format!("{} {:.0} %", label(of), 100.0 * ratio))
    });
    let told: Vec<String> = told.collect();
    format!(
        "\n     of all {}: {}\n",
        words::bytes(sums.all.unique_bytes),
        told.join(", ")
    )
}

/// A connection in three lines.
fn connection(flow: &FlowReport) -> String {
    let (way, half) = (main_way(flow), main_half(flow));
    let ns = data_time_ns(half);
    let rtt = rtt_ns(flow).map_or_else(
        || "round trip not known".to_owned(),
        |ns| format!("round trip at least {}", time(ns)),
    );
    let mut text = format!(
        "{}\n     {} in {}: {}; {rtt}; {}\n",
        measured::title(&flow.key, way),
        words::bytes(half.unique_bytes),
        time(ns),
        rate(half.unique_bytes, ns),
        retransmitted(half),
    );
    if let Some(causes) = half.causes.as_ref().filter(|causes| !causes.shares.is_empty()) {
        let _ = writeln!(text, "     limited by {}", limits(causes));
        if let Some(explained) = explained(causes) {
            let _ = writeln!(text, "     {explained}");
        }
    }
    text
}

/// What the packets of one of our own tests tell, in a line.
pub(super) fn captured(flow: &FlowReport, sha256: &str, dropped: u64) -> String {
    let half = main_half(flow);
    let causes = half.causes.as_ref().filter(|causes| !causes.shares.is_empty());
    let limits = causes.map_or_else(
        || "too little to tell what limited it".to_owned(),
        |causes| format!("limited by {}", limits(causes)),
    );
    let dropped = if dropped > 0 {
        format!("; {} packets dropped by this host", words::count(dropped))
    } else {
        String::new()
    };
    format!(
        "its packets: {limits}; {}{dropped} (raw/{}…)",
        retransmitted(half),
        sha256.get(..8).unwrap_or(sha256)
    )
}

/// A limit explains a rate up to so many times as high: windows and losses are means over a transfer whose rate is not even.
const MOST_BEYOND: f64 = 3.0;

/// The smallest round trip from end to end, nanoseconds, of the direction that carried most.
pub(crate) fn rtt_ns(flow: &FlowReport) -> Option<i64> {
    let of_data = main_half(flow)
        .causes
        .as_ref()
        .and_then(|causes| causes.min_rtt_ns);
    of_data.or_else(|| measured::min_rtt_ns(flow))
}

/// What the main limit alone would allow, where that is known.
fn explained(causes: &Causes) -> Option<String> {
    let finding = causes.finding.as_ref()?;
    let bytes_per_s = finding.explained_bytes_per_s?;
    // What allows several times as much is not what made it slow.
    if bytes_per_s > MOST_BEYOND * finding.rate_bytes_per_s {
        return None;
    }
    let allows = RateBps(bytes_per_s * 8.0);
    let window = || words::buffer(causes.max_flight_bytes);
    let rtt = || {
        causes
            .min_rtt_ns
            .map_or_else(|| "the round trip".to_owned(), time)
    };
    Some(match finding.label {
        Label::ReceiverWindow => format!(
            "the receiver's window of {} allows {allows} over {}",
            window(),
            rtt()
        ),
        Label::SendBuffer => format!("{} on the way allow {allows} over {}", window(), rtt()),
        Label::Bottleneck => format!("the narrowest link lets about {allows} through"),
        Label::LossRecovery => format!(
            "{} of the packets lost allow about {allows} over {} (Mathis et al. 1997; CUBIC may get more)",
            words::loss(finding.loss_ratio),
            rtt()
        ),
        Label::Application => format!("the program wrote {allows} while it was the limit"),
        _ => return None,
    })
}

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
