//! What rounds gave, as text, JSON and CSV. The fields are described in docs/path.md.

use super::columns::{columns, fit};
use super::hops::HopStatistics;
use super::route::{Changed, Route, Row};
use super::view::Display;
use anstyle::{AnsiColor, Style};
use evidence::ProbeProtocol;
use net::path::Asn;
use serde::Serialize;
use std::net::IpAddr;
use std::time::Duration;

/// What a table is headed by.
pub(super) struct Heading<'a> {
    /// Where the probes started.
    pub(super) from: String,
    /// The destination as it was asked for.
    pub(super) to: &'a str,
    pub(super) interval: Duration,
}

pub(super) fn protocol_name(protocol: ProbeProtocol) -> &'static str {
    match protocol {
        ProbeProtocol::Udp => "UDP",
        ProbeProtocol::Icmp => "ICMP",
        ProbeProtocol::TcpSyn => "TCP SYN",
    }
}

/// For people: a table for each flow. Colours are taken out where nobody wants them (see `output`).
pub(super) fn text(flows: &[Route], heading: &Heading<'_>, width: usize) -> String {
    let of = |(place, route): (usize, &Route)| {
        let which = match flows.len() {
            1 => String::new(),
            count => format!("Flow {place} of {count}: "),
        };
        which + &text_of(route, heading, width)
    };
    let tables: Vec<String> = (1_usize..).zip(flows).map(of).collect();
    tables.join("\n")
}

fn text_of(route: &Route, heading: &Heading<'_>, width: usize) -> String {
    let rows = route.rows();
    let hosts: Vec<String> = rows.iter().map(host).collect();
    let longest = hosts.iter().map(|host| host.chars().count()).max().unwrap_or(0);
    let columns = columns(width, longest, Display::Numbers, true);
    let mut text = format!(
        "{} -> {} ({}): {}{}, every {} s\n\n",
        report::clean(&heading.from),
        report::clean(heading.to),
        route.destination(),
        route
            .protocol()
            .map_or_else(String::new, |protocol| format!("{}, ", protocol_name(protocol))),
        words::plural(route.rounds(), "round", "rounds"),
        heading.interval.as_secs_f64(),
    );
    text += &format!("{:>3} {:<host$}", "Hop", "Host", host = columns.host);
    for column in &columns.figures {
        text += &format!("{:>width$}", column.heading(), width = column.width());
    }
    text += "\n";
    for (row, host) in rows.iter().zip(&hosts) {
        let style = style(row);
        let ttl = row.ttl.map_or("?".to_owned(), |ttl| ttl.to_string());
        text += &format!(
            "{style}{ttl:>3} {:<host$}",
            fit(host, columns.host),
            host = columns.host
        );
        for column in &columns.figures {
            text += &format!("{:>width$}", column.text(row.hop), width = column.width());
        }
        text += &format!("{style:#}\n");
        if let Some(mark) = row.mark {
            text += &format!("    {style}^ {}{style:#}\n", mark.words());
        }
    }
    text += "\nTimes are round trips in ms; jitter as in RFC 3550.\n";
    for change in route.changes() {
        text += &format!(
            "After {:.0} s: {}\n",
            change.at.as_secs_f64(),
            change.what.words()
        );
    }
    if route.refused() > 0 {
        text += &format!(
            "This host refused to send {}.\n",
            words::plural(route.refused(), "probe", "probes")
        );
    }
    text
}

fn style(row: &Row<'_>) -> Style {
    match row.mark {
        Some(mark) if mark.is_loss() => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        _ => Style::new(),
    }
}

fn host(row: &Row<'_>) -> String {
    let system = row
        .system
        .map_or_else(String::new, |system| format!("AS{system} "));
    match (row.name, row.address) {
        (Some(name), Some(address)) => format!("{system}{} ({address})", report::clean(name)),
        (None, Some(address)) => format!("{system}{address}"),
        (_, None) => "(no answer)".to_owned(),
    }
}

/// Version of the JSON: raised when a field changes its meaning or goes.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    from: &'a str,
    to: &'a str,
    destination: IpAddr,
    protocol: Option<&'static str>,
    interval_ms: f64,
    rounds: u64,
    /// Probes that this host refused to send.
    refused: u64,
    hops: Vec<Hop<'a>>,
    route_changes: Vec<RouteChange>,
}

#[derive(Serialize)]
struct Hop<'a> {
    hop: Option<u8>,
    is_destination: bool,
    address: Option<IpAddr>,
    name: Option<&'a str>,
    addresses: &'a [IpAddr],
    /// The number of its autonomous system, where it was asked for and is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    asn: Option<Asn>,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Serialize)]
struct Figures {
    sent: u64,
    answered: u64,
    loss_ratio: Option<f64>,
    loss_ratio_low: Option<f64>,
    loss_ratio_high: Option<f64>,
    last_ms: Option<f64>,
    mean_ms: Option<f64>,
    best_ms: Option<f64>,
    worst_ms: Option<f64>,
    jitter_ms: Option<f64>,
    deviation_ms: Option<f64>,
    mark: Option<&'static str>,
}

impl Figures {
    fn of(row: &Row<'_>) -> Self {
        let hop: &HopStatistics = row.hop;
        let loss = hop.loss();
        let interval = (loss.trials > 0).then(|| loss.interval());
        let ms = |ns: Option<u64>| ns.map(|ns| rounded(ns as f64 / 1e6, 1e3));
        let ratio = |ratio: f64| rounded(ratio, 1e6);
        Self {
            sent: hop.sent(),
            answered: hop.answered(),
            loss_ratio: loss.estimate().map(ratio),
            loss_ratio_low: interval.map(|(low, _)| ratio(low)),
            loss_ratio_high: interval.map(|(_, high)| ratio(high)),
            last_ms: ms(hop.last_ns()),
            mean_ms: ms(hop.mean_ns()),
            best_ms: ms(hop.best_ns()),
            worst_ms: ms(hop.worst_ns()),
            jitter_ms: ms(hop.jitter_ns()),
            deviation_ms: ms(hop.deviation_ns()),
            mark: row.mark.map(super::marks::Mark::code),
        }
    }
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

#[derive(Serialize)]
struct RouteChange {
    after_s: f64,
    #[serde(flatten)]
    what: What,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum What {
    Hop { hop: u8, was: IpAddr, is: IpAddr },
    Length { was_hops: u8, is_hops: u8 },
}

/// One object; of several flows a list of them.
pub(super) fn json(flows: &[Route], heading: &Heading<'_>) -> String {
    let all: Vec<Report<'_>> = flows.iter().map(|route| report_of(route, heading)).collect();
    // Nothing of it can fail to be written: no map with other keys than text.
    let text = match all.as_slice() {
        [only] => serde_json::to_string_pretty(only),
        several => serde_json::to_string_pretty(several),
    };
    text.unwrap_or_default() + "\n"
}

fn report_of<'a>(route: &'a Route, heading: &'a Heading<'_>) -> Report<'a> {
    let rows = route.rows();
    let hops = rows.iter().map(|row| Hop {
        hop: row.ttl,
        is_destination: row.is_destination,
        address: row.address,
        name: row.name,
        addresses: row.hop.addresses(),
        asn: row.system,
        figures: Figures::of(row),
    });
    let route_changes = route.changes().map(|change| RouteChange {
        after_s: rounded(change.at.as_secs_f64(), 1e3),
        what: match change.what {
            Changed::Hop { ttl, was, is } => What::Hop { hop: ttl, was, is },
            Changed::Length { was, is } => What::Length {
                was_hops: was,
                is_hops: is,
            },
        },
    });
    Report {
        schema: SCHEMA,
        from: &heading.from,
        to: heading.to,
        destination: route.destination(),
        protocol: route.protocol().map(protocol_name),
        interval_ms: heading.interval.as_secs_f64() * 1e3,
        rounds: route.rounds(),
        refused: route.refused(),
        hops: hops.collect(),
        route_changes: route_changes.collect(),
    }
}

/// A line for each hop of each flow.
pub(super) fn csv(flows: &[Route]) -> String {
    let mut text =
        "hop,is_destination,address,name,sent,answered,loss_ratio,loss_ratio_low,loss_ratio_high,last_ms,\
                    mean_ms,best_ms,worst_ms,jitter_ms,deviation_ms,mark,asn,flow\n"
            .to_owned();
    let numbered = (1_usize..).zip(flows);
    for (flow, row) in numbered.flat_map(|(flow, route)| route.rows().into_iter().map(move |row| (flow, row)))
    {
        let figures = Figures::of(&row);
        let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
        let cells = [
            row.ttl.map_or_else(String::new, |ttl| ttl.to_string()),
            row.is_destination.to_string(),
            row.address
                .map_or_else(String::new, |address| address.to_string()),
            row.name.map_or_else(String::new, quoted),
            figures.sent.to_string(),
            figures.answered.to_string(),
            number(figures.loss_ratio),
            number(figures.loss_ratio_low),
            number(figures.loss_ratio_high),
            number(figures.last_ms),
            number(figures.mean_ms),
            number(figures.best_ms),
            number(figures.worst_ms),
            number(figures.jitter_ms),
            number(figures.deviation_ms),
            figures.mark.unwrap_or("").to_owned(),
            row.system.map_or_else(String::new, |system| system.to_string()),
            flow.to_string(),
        ];
        text += &cells.join(",");
        text += "\n";
    }
    text
}

/// RFC 4180, 2.
fn quoted(name: &str) -> String {
    let name = report::clean(name);
    if name.contains([',', '"']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into_owned()
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
