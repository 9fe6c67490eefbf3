//! Speed tests as rows of CSV: `speedtest-cli --csv`, in bit/s, and Ookla's `speedtest -f csv`, in bytes a second. The heading tells which
//! is which; without one a row of speedtest-cli shows itself by its time and its ten fields.

use crate::Context;
use crate::block::Block;
use crate::csv_row::{fields, is_closed};
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::units::ns_of_seconds;
use crate::when;
use evidence::{DelayStatistics, EchoContext, Node, Payload, ProbeRow, Probes, RateBps, Timestamp, Transfer};

pub(crate) static FORMAT: Format = Format {
    name: "speed tests as CSV",
    group: Group::Transfers,
    reads: "rows of `speedtest-cli --csv`, and of `speedtest -f csv` below their heading",
    first: "S0-9\"",
    has_command: false,
    marks: Some(|| Marks::of(["Server ID,Sponsor", "\"server name\",\"server id\""]).or(is_bare_row)),
    starts: |line| heading(line).is_some() || is_bare_row(line),
    continues: |block, line| {
        let known = block.first().and_then(heading).unwrap_or(SIVEL);
        !line.trim_ascii().is_empty()
            && is_closed(line)
            && fields(line).len() >= known.least_fields
            && heading(line).is_none()
    },
    takes_in: None,
    read,
};

const TOOL: &str = "speedtest";

/// Where a program has what, by the names of its columns.
#[derive(Clone, Copy)]
struct Columns {
    least_fields: usize,
    begins: &'static str,
    server: &'static str,
    time: &'static str,
    delay_ms: &'static str,
    lost_percent: &'static str,
    download: &'static str,
    upload: &'static str,
    /// Bits in the unit of its rates.
    bits: f64,
}

const SIVEL_HEADING: &str =
    "Server ID,Sponsor,Server Name,Timestamp,Distance,Ping,Download,Upload,Share,IP Address";

const SIVEL: Columns = Columns {
    least_fields: 10,
    begins: "Server ID,Sponsor,Server Name,Timestamp,",
    server: "Server Name",
    time: "Timestamp",
    delay_ms: "Ping",
    lost_percent: "",
    download: "Download",
    upload: "Upload",
    bits: 1.0,
};

const OOKLA: Columns = Columns {
    least_fields: 8,
    begins: "\"server name\",\"server id\",",
    server: "server name",
    time: "",
    delay_ms: "idle latency",
    lost_percent: "packet loss",
    download: "download",
    upload: "upload",
    bits: 8.0,
};

fn heading(line: &str) -> Option<Columns> {
    [SIVEL, OOKLA]
        .into_iter()
        .find(|columns| line.starts_with(columns.begins))
}

/// A row of speedtest-cli without its heading.
fn is_bare_row(line: &str) -> bool {
    if !line.starts_with(|first: char| first.is_ascii_digit())
        || line.matches(',').count() < 9
        || !is_closed(line)
    {
        return false;
    }
    let row = fields(line);
    let field = |place: usize| row.get(place).map_or("", String::as_str);
    let is_figure = |place: usize| field(place).parse::<f64>().is_ok();
    row.len() == 10
        && field(0).parse::<u64>().is_ok()
        && field(3).contains('T')
        && field(3).ends_with('Z')
        && (4..8).all(is_figure)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let told = block.first().and_then(heading);
    let columns = told.unwrap_or(SIVEL);
    let names = match told {
        Some(_) => fields(block.first().unwrap_or_default()),
        None => fields(SIVEL_HEADING),
    };
    if told.is_some() && block.len() == 1 {
        return findings.nothing_to_say();
    }
    for (number, line) in block.numbered().skip(usize::from(told.is_some())) {
        let row = fields(line);
        if row.len() != names.len() {
            findings.complain(
                number,
                format!(
                    "{} fields below {} headings: none is used",
                    row.len(),
                    names.len()
                ),
            );
            continue;
        }
        let field = |name: &str| {
            let place = names.iter().position(|known| known == name)?;
            row.get(place)
                .map(String::as_str)
                .filter(|value| !value.is_empty())
        };
        take(&columns, field, number, context, findings);
    }
}

/// Adds what a row says: both ways, and the round trip.
fn take<'t>(
    columns: &Columns,
    field: impl Fn(&str) -> Option<&'t str>,
    number: u64,
    context: &Context,
    findings: &mut Findings,
) {
    let figure = |name: &str| {
        field(name)?
            .parse::<f64>()
            .ok()
            .filter(|figure| figure.is_finite())
    };
    let at: Option<Timestamp> = field(columns.time).and_then(|at| when::iso8601(at, context.utc_offset_s));
    let at = at.or(context.at);
    let server = field(columns.server).map(Node::named).unwrap_or_default();
    let local = context.from.clone();
    let delay = figure(columns.delay_ms)
        .and_then(|ms| ns_of_seconds(ms / 1e3))
        .and_then(|ns| i64::try_from(ns).ok());
    let answered = ProbeRow {
        to: context.to_or(server.clone()),
        loss_ratio: figure(columns.lost_percent).map(|percent| percent / 100.0),
        delay: delay.map(|ns| DelayStatistics {
            mean_ns: Some(ns),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    };
    if answered.delay.is_some() || answered.loss_ratio.is_some() {
        let probes = Probes {
            from: local.clone(),
            context: answered.loss_ratio.is_none().then_some(EchoContext::Idle),
            rows: vec![answered],
            ..Probes::default()
        };
        findings.record_of((number, number), TOOL, at, Payload::Probes(probes));
    }
    let server = context.to_or(server);
    let rate = |name: &str| {
        figure(name)
            .filter(|figure| *figure > 0.0)
            .map(|figure| RateBps(figure * columns.bits))
    };
    if let Some(rate) = rate(columns.download) {
        let fetched = Transfer {
            from: server.clone(),
            to: local.clone(),
            received_bps: Some(rate),
            ..Transfer::default()
        };
        findings.record_of((number, number), TOOL, at, fetched.into());
    }
    if let Some(rate) = rate(columns.upload) {
        let sent = Transfer {
            from: local,
            to: server,
            sent_bps: Some(rate),
            ..Transfer::default()
        };
        findings.record_of((number, number), TOOL, at, sent.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_show_themselves() {
        let row =
            "12345,South Net,Oslo,2026-11-24T10:22:33.456789Z,3.21,5.123,93120000.12,11340000.5,,192.0.2.77";
        assert!(is_bare_row(row) && !is_bare_row("1,2,3,4,5,6,7,8,9,10"));
        assert_eq!(fields(SIVEL_HEADING).len(), SIVEL.least_fields);
        assert!(heading(SIVEL_HEADING).is_some());
    }
}
