//! `mtr -C`: a head, and a row a hop. Several runs follow one another in files that are appended to.

use super::run::{Hop, Run, asn};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
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
    /// Takes the next row, and gives it back where it is the first of another run.
    fn take(&mut self, start_time: &str, destination: &str, hop: Hop) -> Option<Hop> {
        let is_same_run = self.start_time == start_time && self.destination == destination;
        match self.run.hops.last_mut().filter(|_| is_same_run) {
            Some(last) if last.ttl < hop.ttl => self.run.hops.push(hop),
            // Each router that answered at a hop has a row, with the figures of all of them.
            Some(last) if last.has_figures_of(&hop) => last.add_nodes(hop),
            _ => return Some(hop),
        }
        None
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut columns: Vec<&str> = Vec::new();
    let mut open = Open::default();
    for (number, line) in block.numbered() {
        if line.starts_with("Mtr_Version,") {
            columns = line.split(',').map(str::trim_ascii).collect();
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
        if let Some(first) = open.take(start_time, destination, hop) {
            open.run.into_findings(open.lines, context, findings);
            open = Open {
                run: begun(start_time, destination),
                lines: (number, number),
                start_time,
                destination,
            };
            open.run.hops.push(first);
        }
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

#[cfg(test)]
mod tests {
    use crate::Context;
    use evidence::Payload;

    #[test]
    fn several_routers_at_a_hop_are_one_hop() {
        let text = "Mtr_Version,Start_Time,Status,Host,Hop,Ip,Loss%,Snt, ,Last,Avg,Best,Wrst,StDev,\n\
                    MTR.0.94,1639463558,OK,a.example,1,240.0.0.1,0.00,5,0,0.70,0.98,0.70,1.75,0.45\n\
                    MTR.0.94,1639463558,OK,a.example,2,240.0.0.2,0.00,5,0,18.66,16.32,12.97,18.66,2.49\n\
                    MTR.0.94,1639463558,OK,a.example,2,240.0.0.3,0.00,5,0,18.66,16.32,12.97,18.66,2.49\n\
                    MTR.0.94,1639463558,OK,a.example,3,240.0.0.9,0.00,5,0,15.27,15.71,15.10,17.34,0.92\n\
                    MTR.0.94,1639463558,OK,a.example,1,240.0.0.1,0.00,5,0,0.70,0.98,0.70,1.75,0.45\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let traces: Vec<Vec<usize>> = records
            .iter()
            .filter_map(|record| match &record.payload {
                Payload::Trace(trace) => {
                    Some(trace.flows[0].hops.iter().map(|hop| hop.answers.len()).collect())
                }
                _ => None,
            })
            .collect();
        assert_eq!(traces, [vec![1, 2, 1], vec![1]]);
    }
}
