//! `mtr -C`: a head, and a row a hop. Several runs follow one another in files that are appended to.

use super::run::{Hop, Run, asn};
use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::host::host;
use evidence::Timestamp;

pub(crate) static FORMAT: Format = Format {
    name: "mtr CSV",
    group: Group::Paths,
    reads: "mtr -C, also several runs in one file",
    first: "M",
    has_command: false,
    marks: None,
    starts: |line| line.starts_with("Mtr_Version,"),
    continues: |_, line| line.starts_with("MTR.") || line.starts_with("Mtr_Version,"),
    takes_in: None,
    read,
};

/// The run that is being read, and what tells it from the next.
#[derive(Default)]
struct Open<'a> {
    run: Run,
    lines: (u64, u64),
    start_time: &'a str,
    destination: &'a str,
}

impl Open<'_> {
    fn goes_on_with(&self, start_time: &str, destination: &str, hop: &Hop) -> bool {
        self.start_time == start_time
            && self.destination == destination
            && self.run.hops.last().is_some_and(|last| last.ttl < hop.ttl)
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut columns: Vec<&str> = Vec::new();
    let mut open = Open::default();
    for (number, line) in block.numbered() {
        if line.starts_with("Mtr_Version,") {
            columns = line.split(',').collect();
            continue;
        }
        let value = |name: &str| {
            let at = columns.iter().position(|column| *column == name)?;
            line.split(',').nth(at)
        };
        let (start_time, destination) = (value("Start_Time").unwrap_or(""), value("Host").unwrap_or(""));
        let Some(hop) = hop(line, &columns) else {
            findings.complain(number, "no hop of mtr's CSV");
            continue;
        };
        if !open.goes_on_with(start_time, destination, &hop) {
            open.run.into_findings(open.lines, context, findings);
            open = Open {
                run: begun(start_time, destination),
                lines: (number, number),
                start_time,
                destination,
            };
        }
        open.run.hops.push(hop);
        open.lines.1 = number;
    }
    open.run.into_findings(open.lines, context, findings);
}

fn begun(start_time: &str, destination: &str) -> Run {
    let seconds: Option<i64> = start_time.parse().ok();
    Run {
        at: seconds.and_then(|s| s.checked_mul(1_000_000_000)).map(Timestamp),
        to: host(destination),
        ..Run::default()
    }
}

fn hop(line: &str, columns: &[&str]) -> Option<Hop> {
    let mut hop = Hop::default();
    let mut system = None;
    let mut name = "";
    for (column, value) in columns.iter().zip(line.split(',')) {
        match *column {
            "Hop" => hop.ttl = value.parse().ok()?,
            "Ip" => name = value,
            "Asn" => system = asn(value),
            _ => drop(hop.figure(column, value)),
        }
    }
    hop.node(name, system);
    (hop.ttl > 0).then_some(hop)
}
