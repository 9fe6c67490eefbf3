//! The path as `slowpath path` prints it: one line a hop, as traceroute's users know it, with what else is known of
//! the hop beside and below it.

use super::paper::{Item, Paper, Role, Style};
use crate::clean::{clean, clean_document};
use crate::observations;
use crate::path_view::{self, HopView, PathView};
use crate::words::{self, plural};
use evidence::v1::{EchoMode, EchoSeries, Nanos, Node, Observation, Payload};
use std::fmt::Write as _;

/// What probes of a path saw, without a case around it.
#[must_use]
pub(crate) fn path_table(seen: &[Observation]) -> String {
    let mut out = String::new();
    for view in path_view::paths_of(seen.iter()) {
        path_lines(&mut out, &view, seen);
    }
    let mut paper = Paper::new(100, Style::Plain);
    for observation in seen.iter().filter(|o| !matches!(o.payload, Payload::Route(_))) {
        paper.item(&Item {
            offset: 0,
            label: (Role::Label, words::kind(&observation.payload).to_owned()),
            indent: 5,
            spans: vec![(Role::Plain, observations::summary(&observation.payload))],
            right: None,
        });
    }
    clean_document(&out) + &paper.finish()
}

fn path_lines(out: &mut String, view: &PathView, seen: &[Observation]) {
    let flows = plural(view.flows as u64, "flow", "flows");
    let _ = writeln!(out, "{} -> {}, {flows}", view.source, view.destination);
    let names = view
        .hops
        .iter()
        .flat_map(|hop| hop.routers.iter().map(|r| router(r).chars().count()));
    let widest = names.max().unwrap_or(0).min(72);
    for hop in &view.hops {
        let mut routers = hop.routers.iter().map(router);
        let silent = format!("no answer to {}", plural(u64::from(hop.sent), "probe", "probes"));
        let first = routers.next().unwrap_or(silent);
        let line = format!("{:>3}  {first:<widest$}  {}", hop.ttl, figures(hop));
        let _ = writeln!(out, "{}", line.trim_end());
        for other in routers {
            let _ = writeln!(out, "     {other}");
        }
        for series in series_at(seen, view, hop.ttl) {
            let _ = writeln!(out, "       {}", series_words(series));
        }
    }
    if view.reached_ttl.is_none() {
        let _ = writeln!(out, "     {} never answered", view.destination);
    }
}

fn router(router: &Node) -> String {
    clean(&router.to_string()).into_owned()
}

/// Round-trip time, answers, the largest packet that got there unfragmented, labels.
fn figures(hop: &HopView) -> String {
    let rtt = hop.rtt_ns.map(|rtt| Nanos(rtt).to_string()).unwrap_or_default();
    let answered = if hop.answered == 0 {
        String::new()
    } else {
        format!("{}/{}", hop.answered, hop.sent)
    };
    let largest = hop
        .largest_bytes
        .map(|size| format!("{size} B"))
        .unwrap_or_default();
    let mut text = format!("{rtt:>8}  {answered:>5}  {largest:>7}");
    if !hop.mpls.is_empty() {
        let labels: Vec<String> = hop.mpls.iter().map(u32::to_string).collect();
        text += &format!("  MPLS {}", labels.join(" "));
    }
    text
}

fn series_at<'a>(
    seen: &'a [Observation],
    view: &'a PathView,
    ttl: u8,
) -> impl Iterator<Item = &'a EchoSeries> {
    let vantage = &view.vantage;
    let echoes = seen
        .iter()
        .filter(move |o| o.provenance.vantage == *vantage)
        .filter_map(|o| match &o.payload {
            Payload::Echo(echo) => Some(echo),
            _ => None,
        });
    echoes.flat_map(move |echo| echo.series.iter().filter(move |series| series.ttl == ttl))
}

fn series_words(series: &EchoSeries) -> String {
    let mode = match series.mode {
        EchoMode::Expiring => "forwarded as data",
        EchoMode::Direct => "pinged itself",
        EchoMode::ToDestination => "destination",
    };
    let rtt = series.rtt.map_or_else(String::new, |rtt| {
        format!(
            ", RTT {} / {} / {}",
            Nanos(rtt.min_ns),
            Nanos(rtt.p50_ns),
            Nanos(rtt.max_ns)
        )
    });
    let (answered, sent) = (words::count(series.answered), words::count(series.sent));
    format!(
        "{:>5} B {mode}: {answered} of {sent} answered{rtt}",
        series.size_bytes
    )
}
