//! Transfers over time, whoever made them: for each what is known of rate, retransmissions, congestion window, round-trip
//! time, loss and delay. Runs of one protocol that took about as long share one time axis.

use super::chart::{Chart, Mark, number, x_of};
use super::links::links;
use super::values::{self, MOST_ROWS, Values};
use crate::observations;
use crate::subject::Subject;
use crate::views::transfer::{Slice, hosts_say, of, slices};
use crate::words;
use evidence::{End, Nanos, RateBps, Transfer, Transport, Verdict};
use maud::{Markup, html};

/// A transfer that took a smaller share of the longest has an axis of its own.
const SHORT: f64 = 0.25;

pub(super) fn figures(subject: &Subject, verdict: &Verdict) -> Markup {
    let transfers = of(subject, verdict.round);
    let drawn = transfers.iter().filter(|(_, t)| is_drawn(t));
    html! {
        @for (number, transfer) in drawn {
            h3 { (kind(transfer)) ", " (subject.names.pair(&transfer.from, &transfer.to)) " " (links(&[*number])) }
            p.soft.small { (observations::transfer_summary(transfer, &subject.names)) }
            @for line in hosts_say(transfer) { p.soft.small { (line) } }
            div.charted { (charts(subject, verdict, (*number, transfer), axis_s(transfer, &transfers))) }
        }
    }
}

fn kind(transfer: &Transfer) -> &'static str {
    match transfer.protocol {
        Some(Transport::Tcp) => "TCP",
        Some(Transport::Udp) => "UDP",
        None => "Transfer",
    }
}

fn is_drawn(transfer: &Transfer) -> bool {
    let delays = transfer.one_way_delay.as_ref();
    transfer.intervals.len() > 1 || delays.is_some_and(|delay| !delay.samples.is_empty())
}

fn length_s(transfer: &Transfer) -> f64 {
    let last = transfer.intervals.last();
    let slices = last.map(|i| i.start_ns.saturating_add(i.length_ns));
    transfer.duration_ns.max(slices).unwrap_or(0) as f64 / 1e9
}

/// The end of the time axis.
fn axis_s(transfer: &Transfer, all: &[(usize, &Transfer)]) -> f64 {
    let same = all
        .iter()
        .filter(|(_, t)| t.protocol == transfer.protocol && is_drawn(t));
    let longest = same.map(|(_, t)| length_s(t)).fold(0.0, f64::max);
    match length_s(transfer) {
        own if own < SHORT * longest => own,
        _ => longest,
    }
}

/// Title, mark, a value for each time, and how a value is written.
type Panel = (&'static str, Mark, Vec<Option<f64>>, fn(f64) -> String);

/// Charts over the same times, seconds.
struct Panels {
    times: Vec<f64>,
    panels: Vec<Panel>,
}

/// What is known of each slice of a transfer.
fn by_slice(transfer: &Transfer) -> Panels {
    let slices = slices(transfer, MOST_ROWS);
    let over = |value: &dyn Fn(&Slice) -> Option<f64>| slices.iter().map(value).collect();
    let panels: [Panel; 5] = [
        ("Rate", Mark::Curve, over(&|s| s.rate_bps), rate_label),
        (
            "Retransmitted segments",
            Mark::Bars,
            over(&|s| Some(s.retransmits? as f64)),
            number,
        ),
        (
            "Congestion window",
            Mark::Curve,
            over(&|s| Some(s.cwnd_bytes? as f64)),
            bytes_label,
        ),
        (
            "Round-trip time, smoothed",
            Mark::Curve,
            over(&|s| Some(s.rtt_ns? as f64)),
            time_label,
        ),
        (
            "Packets lost",
            Mark::Bars,
            over(&|s| Some((s.lost? as f64).max(0.0))),
            number,
        ),
    ];
    let is_known = |panel: &Panel| panel.2.iter().any(Option::is_some);
    Panels {
        times: slices.iter().map(|s| (s.from_s + s.until_s) / 2.0).collect(),
        panels: panels.into_iter().filter(is_known).collect(),
    }
}

/// One-way delays over the time at which each packet was due, as the stream is paced evenly.
fn by_packet(transfer: &Transfer) -> Option<Panels> {
    let delay = transfer.one_way_delay.as_ref()?;
    let per_packet_s = transfer.duration_ns? as f64 / 1e9 / transfer.packets_sent?.max(1) as f64;
    let above = |ns: i64| Some(ns.saturating_sub(delay.min_ns).max(0) as f64);
    let values: Vec<_> = delay.samples.iter().map(|s| above(s.delay_ns)).collect();
    let times = delay.samples.iter().map(|s| s.sequence as f64 * per_packet_s);
    (!values.is_empty()).then(|| Panels {
        times: times.collect(),
        panels: vec![("One-way delay above the smallest", Mark::Dots, values, time_label)],
    })
}

impl Panels {
    fn behind(&self, until_s: f64) -> Values<'_> {
        let every = self.times.len().div_ceil(MOST_ROWS).max(1);
        let written = |(title, _, values, show): &'_ Panel| {
            let value = |value: &Option<f64>| value.map(show);
            (*title, values.iter().step_by(every).map(value).collect())
        };
        let times = self.times.iter().step_by(every);
        Values {
            time: "Seconds",
            rows: times
                .map(|s| (x_of(*s, until_s), format!("{} s", number(*s))))
                .collect(),
            columns: self.panels.iter().map(written).collect(),
        }
    }
}

fn charts(
    subject: &Subject,
    verdict: &Verdict,
    (number, transfer): (usize, &Transfer),
    until_s: f64,
) -> Markup {
    let groups: Vec<Panels> = [Some(by_slice(transfer)), by_packet(transfer)]
        .into_iter()
        .flatten()
        .filter(|group| !group.panels.is_empty())
        .collect();
    let rate = level(subject, verdict, transfer);
    let chart = |table: usize, column: usize, times: &[f64], (title, mark, values, show): &Panel| {
        let known = times
            .iter()
            .zip(values)
            .filter_map(|(s, value)| Some((*s, (*value)?)));
        let rule = rate.clone().filter(|_| *title == "Rate");
        Chart {
            title,
            mark: *mark,
            points: known.collect(),
            until_s,
            at_least: if *mark == Mark::Bars { 4.0 } else { 0.0 },
            rule,
            show: *show,
            behind: (table, column + 1),
        }
        .draw()
    };
    let tables: Vec<Values> = groups.iter().map(|group| group.behind(until_s)).collect();
    html! {
        div.panels {
            @for (table, group) in groups.iter().enumerate() {
                @for (column, panel) in group.panels.iter().enumerate() { (chart(table, column, &group.times, panel)) }
            }
        }
        (values::behind(&format!("{} o{number}", kind(transfer)), &tables))
    }
}

/// What the rate is to be compared with: what was sent, or what is expected of the transfer complained about.
fn level(subject: &Subject, verdict: &Verdict, transfer: &Transfer) -> Option<(f64, String)> {
    if transfer.protocol == Some(Transport::Udp) {
        return transfer.target_bps.map(|rate| (rate.0, format!("{rate} sent")));
    }
    let ends = [&transfer.from, &transfer.to].map(|node| subject.names.end_of(node));
    let expected = verdict
        .expected_bps
        .filter(|_| ends == [Some(End::From), Some(End::To)]);
    expected.map(|rate| (rate.0, format!("{rate} expected")))
}

fn rate_label(bps: f64) -> String {
    RateBps(bps).to_string()
}

fn bytes_label(bytes: f64) -> String {
    words::bytes(bytes as u64)
        .replace(".0 ", " ")
        .replace(".00 ", " ")
}

fn time_label(ns: f64) -> String {
    Nanos(ns as u64).to_string()
}
