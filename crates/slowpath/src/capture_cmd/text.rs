//! Connections in words.

mod detail;
mod files;

pub(crate) use detail::detail;
pub(crate) use files::{head, others};

use super::ranking::{Sums, bytes, main_half, main_way};
use capture::causes::{Causes, Label};
use capture::flow::{FlowReport, HalfReport};
use capture::measured;
use evidence::{Nanos, RateBps};
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
