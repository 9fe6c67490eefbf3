//! MRTG's log of a target: the counters as they were read last, then rows of time, average in and out, largest in and out,
//! the newest first (mrtg-logfile(1)). Rates are bytes per second.

use super::column::{Column, Way, What};
use super::rows::{Figure, Rows};
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::{Context, when};
use evidence::{CounterKind, InterfaceCounters, Payload, Timestamp};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "MRTG log",
    group: Group::Histories,
    reads: "bytes in and out of an interface, counters and averages, with the path of the log above it",
    first: "0-9ch",
    has_command: true,
    marks: Some(|| Marks::of([".log"]).or(|line| numbers(line).is_some())),
    starts: |line| numbers(line).is_some_and(|(_, numbers)| numbers.len() == 2) || path(line).is_some(),
    // A row that was cut is a row, and not the beginning of another log.
    continues: |_, line| numbers(line).is_some(),
    takes_in: None,
    read,
};

/// A time, and counts behind it.
fn numbers(line: &str) -> Option<(Timestamp, Vec<u64>)> {
    let mut words = line.split(' ');
    let time = words.next()?;
    let is_time = (9..=10).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    let at = time.parse().ok().filter(|_| is_time).and_then(when::epoch)?;
    let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    Some((at, numbers.filter(|numbers| (1..=4).contains(&numbers.len()))?))
}

/// `$ cat /var/www/mrtg/rtr1_3.log`
fn path(line: &str) -> Option<&str> {
    if !line.contains(".log") {
        return None;
    }
    let mut words = ["cat", "head"]
        .iter()
        .find_map(|program| arguments(line, program))?;
    words.find(|word| word.ends_with(".log") && word.contains("mrtg"))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let path = block.first().and_then(path);
    let mut rows = Rows::of("MRTG");
    let name = path.map(|path| path.rsplit('/').next().unwrap_or(path));
    name.unwrap_or_default()
        .trim_end_matches(".log")
        .clone_into(&mut rows.interface);
    let column = |what| {
        Some(Column {
            what,
            scale: Some(8.0),
            name: String::new(),
        })
    };
    rows.columns = vec![column(What::Traffic(Way::In)), column(What::Traffic(Way::Out))];
    let mut counters = None;
    for (number, line) in block.numbered().skip(usize::from(path.is_some())) {
        let Some((at, numbers)) = numbers(line) else {
            continue;
        };
        match numbers.as_slice() {
            [input, output] if counters.is_none() && rows.is_empty() => {
                counters = Some((number, at, *input, *output))
            }
            [input, output, most_in, most_out] if most_in >= input && most_out >= output => {
                let figures = [*input, *output].map(|rate| Some(Figure::Bare(rate as f64)));
                rows.push((number, number), Some(at), figures.into(), findings);
            }
            _ => findings.complain(number, format!("no row of a log: {line}")),
        }
    }
    // Three numbers alone may be anything.
    if rows.is_empty() {
        return;
    }
    if let Some((number, at, input, output)) = counters {
        let counted = InterfaceCounters {
            device: context.from.clone(),
            interface: rows.interface.clone(),
            counters: BTreeMap::from([
                (CounterKind::InputBytes, input),
                (CounterKind::OutputBytes, output),
            ]),
            ..InterfaceCounters::default()
        };
        findings.record_of(
            (number, number),
            "MRTG",
            Some(at),
            Payload::InterfaceCounters(counted),
        );
    }
    rows.record(context, findings);
    findings.nothing_to_say();
}
