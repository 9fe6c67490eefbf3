//! The tables that `vnstat` keeps: what an interface moved in each hour, day or month.
//!
//! Beside what came in and what went out stands the mean rate of both together, over the time that was counted. The period that still
//! runs is shorter than its name, so that the rate alone tells how long it is. When it was is not used: vnstat names no zone.

use super::command::arguments;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::units::{Kilo, rate_bps, size_bytes};
use evidence::{InterfaceCounters, InterfaceLoad, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "vnstat",
    group: Group::Hosts,
    reads: "what an interface moved in each hour, day, month or year: the mean rate of each way",
    first: "DA-Za-z0-9",
    has_command: true,
    marks: Some(|| Marks::of(["vnstat", "  /  ", " since ", "Database updated: "])),
    starts: |line| named(line).is_some() || line.starts_with(UPDATED) || arguments(line, "vnstat").is_some(),
    continues: |_, line| is_line(line.trim_ascii()),
    takes_in: None,
    read,
};

const UPDATED: &str = "Database updated: ";

/// What tables are called, above them.
const TABLES: [&str; 7] = [
    "5 minute", "hourly", "daily", "weekly", "monthly", "yearly", "top ",
];

/// The interface above tables, and how many of them are its own: one of ` eth0  /  hourly`, months and days of
/// `   eth0 since 2026-01-04`.
fn named(line: &str) -> Option<(&str, usize)> {
    let text = line.trim_ascii();
    let titled = || {
        let (name, table) = text.split_once("  /  ")?;
        let is_known = TABLES.iter().any(|known| table.starts_with(known));
        is_known.then_some((name, 1))
    };
    let since = || {
        let (name, date) = text.split_once(" since ")?;
        is_date(date).then_some((name, 2))
    };
    titled()
        .or_else(since)
        .filter(|(name, _)| super::command::is_interface(name))
}

/// `         hour        rx      |     tx      |    total    |   avg. rate`
fn is_head(text: &str) -> bool {
    text.ends_with("avg. rate")
}

fn is_date(text: &str) -> bool {
    text.len() >= 8
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b'.'))
}

/// Two words that are a number and its unit, at the end of a cell.
fn amount(cell: &str) -> Option<(f64, &str)> {
    let mut words = cell.split_ascii_whitespace().rev();
    let (unit, number) = (words.next()?, words.next()?);
    Some((number.parse().ok()?, unit))
}

/// `18:00   48.90 GiB |  2.98 GiB |  51.88 GiB |  123.79 Mbit/s`: both ways, and over how many seconds.
fn load(text: &str) -> Option<InterfaceLoad> {
    let cells: Vec<_> = text.split('|').map(amount).collect::<Option<_>>()?;
    let [received, sent, _, (rate, unit)] = cells.as_slice() else {
        return None;
    };
    let bytes = |(number, unit): &(f64, &str)| size_bytes(*number, unit, Kilo::Thousand);
    let (received, sent) = (bytes(received)? as f64, bytes(sent)? as f64);
    let both = rate_bps(*rate, unit, Kilo::Thousand)?.0;
    // Where nothing was moved both are 0.
    let share = |bytes: f64| Some(RateBps(both * bytes / (received + sent).max(1.0)));
    Some(InterfaceLoad {
        input_bps: share(received),
        output_bps: share(sent),
        over_s: crate::units::whole(8.0 * (received + sent) / both).filter(|seconds| *seconds > 0),
        ..InterfaceLoad::default()
    })
}

fn is_line(text: &str) -> bool {
    text.is_empty()
        || load(text).is_some()
        || named(text).is_some()
        || text.starts_with(UPDATED)
        || is_date(text)
        || TABLES.contains(&text)
        || is_head(text)
        // What the period will come to in the end, if it goes on so.
        || text.starts_with("estimated ")
        || text.starts_with("rx: ") && text.contains(" total: ")
        || text.len() > 20 && text.bytes().all(|byte| matches!(byte, b'-' | b'+'))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut named_above = None;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        named_above = named(text).or(named_above);
        if is_head(text) {
            // The name of one table too many was lost.
            named_above = named_above.and_then(|(name, left)| Some((name, left.checked_sub(1)?)));
        }
        let Some(load) = load(text) else { continue };
        let Some((interface, _)) = named_above else {
            findings.complain(number, "rates of an interface without its name");
            continue;
        };
        let counters = InterfaceCounters {
            device: device(block, context),
            interface: interface.to_owned(),
            load: Some(load),
            ..InterfaceCounters::default()
        };
        findings.record_of(
            (number, number),
            "vnstat",
            context.at,
            Payload::InterfaceCounters(counters),
        );
    }
    // Not where nothing but the command is known.
    if block.has(|line| named(line).is_some()) {
        findings.nothing_to_say();
    }
}
