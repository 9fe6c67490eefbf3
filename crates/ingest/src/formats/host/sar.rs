//! Tables of `sar -n` and `nicstat`: rates of interfaces and protocols, a row an interval. Where the tool prints averages,
//! they alone are taken; else each interval.

use super::processors::{behind_time, decimal, is_average};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, InterfaceLoad, Payload, RateBps};
use std::collections::BTreeMap;

/// Whose rates a table gives.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Table<'a> {
    /// Interfaces, a row each.
    Interfaces(Vec<&'a str>),
    /// The host.
    Host(Vec<&'a str>),
}

/// `17:02:31  IFACE   rxpck/s …`, `17:02:31  active/s passive/s …`, and nicstat's `Time  Int  rKB/s …`.
pub(super) fn head(line: &str) -> Option<Table<'_>> {
    let mut words = line.split_ascii_whitespace();
    if (words.next(), words.next()) == (Some("Time"), Some("Int")) && line.contains(" rKB/s") {
        return Some(Table::Interfaces(words.collect()));
    }
    let (_, words) = behind_time(line)?;
    let is_rate = |word: &&str| word.ends_with("/s") || word.starts_with('%');
    match words.split_first()? {
        (&"IFACE", rest) if !rest.is_empty() && rest.iter().all(is_rate) => {
            Some(Table::Interfaces(rest.to_vec()))
        }
        (&"CPU" | &"NODE", _) => None,
        (first, rest) if is_rate(first) && rest.len() > 1 && rest.iter().all(is_rate) => {
            Some(Table::Host(words))
        }
        (&"totsck", _) => Some(Table::Host(words)),
        _ => None,
    }
}

/// The columns of `-n DEV`, all of them, and those of `-n EDEV`: in this order since sysstat 10.1. Before, `%ifutil` was not there, and
/// long before, the third and the fourth counted bytes.
const TRAFFIC: [&str; 8] = [
    "rxpck/s", "txpck/s", "rxkB/s", "txkB/s", "rxcmp/s", "txcmp/s", "rxmcst/s", "%ifutil",
];
const ERRORS: [&str; 9] = [
    "rxerr/s", "txerr/s", "coll/s", "rxdrop/s", "txdrop/s", "txcarr/s", "rxfram/s", "rxfifo/s", "txfifo/s",
];

/// The table of a row of an interface whose head a filter took away.
pub(super) fn headless(line: &str) -> Option<Table<'static>> {
    let (_, name, figures) = row(line)?;
    let columns: &[&str] = match figures.len() {
        8 => &TRAFFIC,
        9 => &ERRORS,
        _ => return None,
    };
    name.map(|_| Table::Interfaces(columns.to_vec()))
}

/// The name of an interface and its figures, or the figures of the host.
pub(super) fn row(line: &str) -> Option<(&str, Option<&str>, Vec<f64>)> {
    let (time, words) = behind_time(line)?;
    let (name, figures) = match words.split_first()? {
        (first, rest) if decimal(first).is_none() => (Some(*first), rest),
        _ => (None, words.as_slice()),
    };
    let figures: Option<Vec<f64>> = figures.iter().map(|word| decimal(word)).collect();
    figures
        .filter(|figures| figures.len() > 2)
        .map(|figures| (time, name, figures))
}

/// By interface its rates; `None` where they contradict each other.
type Interfaces<'a> = BTreeMap<&'a str, Option<BTreeMap<&'a str, f64>>>;

/// What the tables of a block say.
#[derive(Default)]
pub(super) struct Rates<'a> {
    table: Option<Table<'a>>,
    /// Of the only interval, or of the averages: the interfaces with their columns, and the host's.
    interfaces: Interfaces<'a>,
    /// The same of intervals before, where there are no averages, each with its first and last line.
    before: Vec<((u64, u64), Interfaces<'a>)>,
    /// The lines of the interval.
    lines: (u64, u64),
    host: BTreeMap<&'a str, f64>,
    /// The time that the interfaces had last.
    of_interfaces: &'a str,
    /// Averages are printed: intervals are passed over.
    has_averages: bool,
    /// The interfaces of intervals that were, each with the line that told of it last.
    passed_over: BTreeMap<&'a str, u64>,
    /// Times that tables of the host had.
    of_host: Vec<&'a str>,
}

impl<'a> Rates<'a> {
    pub(super) fn of(block: &Block) -> Self {
        Self {
            has_averages: block.lines().any(is_average),
            ..Self::default()
        }
    }

    pub(super) fn open(&mut self, table: Table<'a>) {
        self.table = Some(table);
    }

    /// The next table is not of rates.
    pub(super) fn leave(&mut self) {
        self.table = None;
    }

    pub(super) fn is_open(&self) -> bool {
        self.table.is_some()
    }

    pub(super) fn take(&mut self, findings: &mut Findings, number: u64, line: &'a str) {
        let Some((time, name, figures)) = row(line) else {
            return findings.unread(number, line);
        };
        if self.has_averages && !is_average(time) {
            self.passed_over.extend(name.map(|name| (name, number)));
            return;
        }
        match (&self.table, name) {
            (Some(Table::Interfaces(columns)), Some(name)) if columns.len() == figures.len() => {
                if time != self.of_interfaces {
                    let before = std::mem::take(&mut self.interfaces);
                    if !before.is_empty() {
                        self.before.push((self.lines, before));
                    }
                    (self.of_interfaces, self.lines.0) = (time, number);
                }
                self.lines.1 = number;
                let read: BTreeMap<&str, f64> = columns.iter().copied().zip(figures).collect();
                // A second table, of errors, has other columns.
                let known = self
                    .interfaces
                    .entry(name)
                    .or_insert_with(|| Some(BTreeMap::new()));
                let differs = |known: &BTreeMap<&str, f64>| {
                    read.iter()
                        .any(|(column, rate)| known.get(column).is_some_and(|other| other != rate))
                };
                if known.as_ref().is_some_and(differs) {
                    findings.complain(
                        number,
                        format!("interface {name} is given twice, with different rates"),
                    );
                    *known = None;
                } else if let Some(known) = known {
                    known.extend(read);
                }
            }
            (Some(Table::Host(columns)), None) if columns.len() == figures.len() => {
                if !self.of_host.contains(&time) {
                    self.of_host.push(time);
                }
                for (column, rate) in columns.iter().zip(figures) {
                    self.host.insert(column, rate);
                }
                // The average is the last row: what follows without a head is another table's.
                if is_average(time) {
                    self.leave();
                }
            }
            _ => findings.complain(number, "not as many figures as columns"),
        }
    }

    /// Of several intervals without averages each is told of interfaces. What the host has is one for all, and nobody knows which one is meant:
    /// the tool always ends with averages, so that the text is cut.
    ///
    /// Averages that are cut are not of every interface.
    pub(super) fn settle(&mut self, findings: &mut Findings, line: u64) {
        let missing = |(name, _): &(&&str, &u64)| !self.interfaces.contains_key(**name);
        for (name, number) in self.passed_over.iter().filter(missing) {
            findings.complain(
                *number,
                format!("no average of {name}: its intervals are not used"),
            );
        }
        if self.of_host.len() > 1 {
            findings.complain(line, "several intervals, and no averages");
            self.host.clear();
        }
    }

    /// The rates of the host that are not nothing, and errors of interfaces whose packets are not told, in the tool's words.
    pub(super) fn of_host(&self) -> BTreeMap<String, String> {
        let some = self.host.iter().filter(|(_, rate)| **rate > 0.0);
        let mut told: BTreeMap<String, String> = some
            .map(|(column, rate)| ((*column).to_owned(), rate.to_string()))
            .collect();
        if !self.before.is_empty() {
            return told;
        }
        for (name, rates) in &self.interfaces {
            let Some(rates) = rates.as_ref().filter(|rates| !has_load(rates)) else {
                continue;
            };
            for (column, rate) in rates.iter().filter(|(column, rate)| is_error(column, **rate)) {
                told.insert(format!("{name} {column}"), rate.to_string());
            }
        }
        told
    }

    pub(super) fn record(&self, block: &Block, context: &Context, findings: &mut Findings) {
        if self.before.is_empty() {
            let lines = (block.first_line, block.last_written_line());
            return record_of(lines, &self.interfaces, block, context, findings);
        }
        for (lines, interfaces) in &self.before {
            record_of(*lines, interfaces, block, context, findings);
        }
        record_of(self.lines, &self.interfaces, block, context, findings);
    }
}

/// Gives the interfaces of an interval.
fn record_of(
    lines: (u64, u64),
    interfaces: &Interfaces<'_>,
    block: &Block,
    context: &Context,
    findings: &mut Findings,
) {
    for (name, rates) in interfaces {
        let Some(rates) = rates.as_ref().filter(|rates| has_load(rates)) else {
            findings.nothing_to_say();
            continue;
        };
        let mut interface = InterfaceCounters {
            device: device(block, context),
            interface: (*name).to_owned(),
            ..InterfaceCounters::default()
        };
        let mut load = InterfaceLoad::default();
        for (column, rate) in rates {
            // A kB is 1024 bytes for both tools.
            let bps = |bytes: f64| Some(RateBps(rate * bytes * 8.0));
            match *column {
                "rxpck/s" | "rPk/s" => load.input_pps = Some(*rate),
                "txpck/s" | "wPk/s" => load.output_pps = Some(*rate),
                "rxkB/s" | "rKB/s" => load.input_bps = bps(1024.0),
                "txkB/s" | "wKB/s" => load.output_bps = bps(1024.0),
                "rxbyt/s" => load.input_bps = bps(1.0),
                "txbyt/s" => load.output_bps = bps(1.0),
                // Errors and drops, where there are any.
                _ if is_error(column, *rate) => {
                    interface.settings.insert((*column).to_owned(), format!("{rate}"));
                }
                _ => {}
            }
        }
        interface.load = Some(load);
        findings.record_of(lines, "sar", context.at, Payload::InterfaceCounters(interface));
    }
}

/// Whether packets or bytes are among the rates.
fn has_load(rates: &BTreeMap<&str, f64>) -> bool {
    ["rxpck/s", "rPk/s", "rxkB/s", "rKB/s", "rxbyt/s"]
        .iter()
        .any(|column| rates.contains_key(column))
}

/// Whether a column counts errors or drops, and there are some.
fn is_error(column: &str, rate: f64) -> bool {
    const PACKETS: [&str; 11] = [
        "rxpck/s", "txpck/s", "rxkB/s", "txkB/s", "rxbyt/s", "txbyt/s", "rxcmp/s", "txcmp/s", "rxmcst/s",
        "rPk/s", "wPk/s",
    ];
    rate > 0.0 && column.ends_with("/s") && !column.ends_with("KB/s") && !PACKETS.contains(&column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_rows() {
        assert_eq!(
            head("12:00:01 AM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   %ifutil"),
            Some(Table::Interfaces(vec![
                "rxpck/s", "txpck/s", "rxkB/s", "txkB/s", "%ifutil"
            ]))
        );
        assert_eq!(
            head("Average:     active/s passive/s    iseg/s    oseg/s"),
            Some(Table::Host(vec!["active/s", "passive/s", "iseg/s", "oseg/s"]))
        );
        assert_eq!(
            row("Average: eth0 1,5 2 3"),
            Some(("Average:", Some("eth0"), vec![1.5, 2.0, 3.0]))
        );
        assert_eq!(head("12:00:01 CPU intr/s"), None);
        assert_eq!(head("rates: a/s b/s c/s"), None);
    }
}
