//! `time,from,to,rate`: single transfers, as somebody timed them.

use super::{has_column, rows};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::text::grouped;
use crate::units::{Kilo, ns_of_seconds, rate_bps, split};
use evidence::{RateBps, Transfer, Transport};

pub(crate) static FORMAT: Format = Format {
    name: "transfers (CSV)",
    group: Group::Tables,
    reads: "time,from,to,rate and optional columns, see docs/import.md",
    first: "tf",
    has_command: false,
    marks: None,
    starts,
    continues: super::is_remark,
    takes_in: Some(super::is_row),
    read,
};

fn starts(line: &str) -> bool {
    let first = line.starts_with("time,") || line.starts_with("from,");
    first && has_column(line, "rate") && has_column(line, "from") && has_column(line, "to")
}

/// `2.4 kB/s` is bytes, `450 Mbit/s` bits; a bare number is in bit/s.
fn rate(text: &str) -> Option<RateBps> {
    let (number, unit) = split(text)?;
    rate_bps(number, unit, Kilo::Thousand)
}

fn protocol(text: &str) -> Option<Transport> {
    match text.to_ascii_lowercase().as_str() {
        "tcp" => Some(Transport::Tcp),
        "udp" => Some(Transport::Udp),
        _ => None,
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    rows(block, findings, |row, number, findings| {
        let Some(received) = row.read("rate", rate)? else {
            return Err("no rate".to_owned());
        };
        let narrow = |text: &str| grouped(text).and_then(|count| count.try_into().ok());
        let seconds = |scale: f64| {
            move |text: &str| {
                text.parse::<f64>()
                    .ok()
                    .and_then(|number| ns_of_seconds(number * scale))
            }
        };
        let record = Transfer {
            from: context.from_or(row.node("from")),
            to: context.to_or(row.node("to")),
            protocol: row.read("protocol", protocol)?,
            application: row.get("application").map(str::to_owned),
            streams: row.read("streams", |text| text.parse().ok())?,
            window_bytes: row.read("window_bytes", grouped)?,
            mss_bytes: row.read("mss_bytes", narrow)?,
            duration_ns: row.read("duration_s", seconds(1.0))?,
            target_bps: row.read("target_rate", rate)?,
            sent_bps: row.read("sent_rate", rate)?,
            received_bps: Some(received),
            retransmits: row.read("retransmits", grouped)?,
            packets_sent: row.read("packets_sent", grouped)?,
            packets_lost: row.read("packets_lost", grouped)?,
            reordered: row.read("packets_reordered", grouped)?,
            rtt_ns: row.read("rtt_ms", seconds(1e-3))?,
            note: row.get("note").map(str::to_owned),
            ..Transfer::default()
        };
        let at = row.time(context)?.or(context.at);
        findings.record_of((number, number), "transfers (CSV)", at, record.into());
        Ok(())
    });
}
