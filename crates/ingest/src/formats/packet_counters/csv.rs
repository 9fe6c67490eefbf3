//! Packet counters as comma-separated values, for people who have them from several networks in several mails.
//!
//! `test,network,description,packets`, a line a counter, in the order of the path. More columns, in any order, as far as
//! they are known: `from,to,protocol,streams,duration_s,packets_sent,reported_lost,reported_reordered,remark`. Lines
//! with the same test, from and to are one chain; of its own figures the first one told counts, remarks all count. An
//! empty `packets` is a missing counter.

use crate::Context;
use crate::block::Block;
use crate::csv_row::{fields, is_closed};
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::text::grouped;
use evidence::{CounterChain, CounterPoint, Node, Payload, Transport};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "packet counters (CSV)",
    group: Group::Tables,
    reads: "test,network,description,packets and optional columns, see docs/import.md",
    first: "t",
    has_command: false,
    marks: None,
    starts,
    // The mark of a remark looks like a prompt.
    continues: |_, line| line.starts_with('#'),
    takes_in: Some(|_, line| line.contains(',') && !starts(line)),
    read,
};

fn starts(line: &str) -> bool {
    line.starts_with("test,") && line.contains("packets") && line.contains("description")
}

/// A row, its fields found by the names of their columns.
struct Row<'a> {
    columns: &'a [String],
    fields: Vec<String>,
}

impl Row<'_> {
    /// The field of this column, unless it is empty.
    fn get(&self, column: &str) -> Option<&str> {
        let place = self.columns.iter().position(|name| name == column)?;
        self.fields
            .get(place)
            .map(String::as_str)
            .filter(|f| !f.is_empty())
    }

    /// The number in this column; `Err` says what stands there instead.
    fn number(&self, column: &str) -> Result<Option<u64>, String> {
        let read = |text: &str| grouped(text).ok_or_else(|| format!("`{text}` is no number of {column}"));
        self.get(column).map(read).transpose()
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let columns = block.first().map(fields).unwrap_or_default();
    let mut chains = Chains::default();
    let mut above = "";
    for (number, line) in block
        .numbered()
        .skip(1)
        .filter(|(_, line)| !line.starts_with('#'))
    {
        let row = Row {
            columns: &columns,
            fields: fields(line),
        };
        if row.fields.len() > columns.len() {
            findings.complain(number, "more fields than columns: text with commas needs quotes");
        } else if row.fields.len() < columns.len() {
            findings.complain(number, "fewer fields than columns: the row is not used");
        } else if !is_closed(line) {
            findings.complain(number, "a quote that is not closed: the row is not used");
        } else if std::mem::replace(&mut above, line) == line {
            findings.complain(number, "the same row twice: it counts once");
        } else if let Err(reason) = take(&row, chains.chain_of(&row, context)) {
            findings.complain(number, reason);
        }
    }
    for chain in chains.in_order() {
        findings.record(block, "packet counters", context.at, Payload::CounterChain(chain));
    }
}

/// The chains of a file, by test, sender and receiver, each with the place at which it was first told of.
#[derive(Default)]
struct Chains(BTreeMap<(String, Node, Node), (usize, CounterChain)>);

impl Chains {
    fn chain_of(&mut self, row: &Row, context: &Context) -> &mut CounterChain {
        let node = |column| row.get(column).map(Node::read).unwrap_or_default();
        let label = row.get("test").unwrap_or("").to_owned();
        let key = (label, context.from_or(node("from")), context.to_or(node("to")));
        let place = self.0.len();
        let (_, chain) = self.0.entry(key).or_insert_with_key(|(label, from, to)| {
            let chain = CounterChain {
                label: label.clone(),
                from: from.clone(),
                to: to.clone(),
                ..CounterChain::default()
            };
            (place, chain)
        });
        chain
    }

    fn in_order(self) -> impl Iterator<Item = CounterChain> {
        let mut chains: Vec<_> = self.0.into_values().collect();
        chains.sort_by_key(|(place, _)| *place);
        chains.into_iter().map(|(_, chain)| chain)
    }
}

fn take(row: &Row, chain: &mut CounterChain) -> Result<(), String> {
    let packets = row.number("packets");
    chain.points.push(CounterPoint {
        network: row.get("network").unwrap_or("").to_owned(),
        description: row.get("description").unwrap_or("").to_owned(),
        packets: packets.as_ref().ok().copied().flatten(),
    });
    chain.remarks.extend(row.get("remark").map(str::to_owned));
    if let Some(name) = row.get("protocol") {
        let protocol = transport(name).ok_or_else(|| format!("`{name}` is neither tcp nor udp"))?;
        chain.protocol.get_or_insert(protocol);
    }
    let streams = row.number("streams")?.and_then(|n| u16::try_from(n).ok());
    chain.streams = chain.streams.or(streams);
    let ns = row
        .number("duration_s")?
        .and_then(|s| s.checked_mul(1_000_000_000));
    chain.duration_ns = chain.duration_ns.or(ns);
    chain.packets_sent = chain.packets_sent.or(row.number("packets_sent")?);
    chain.reported_lost = chain.reported_lost.or(row.number("reported_lost")?);
    chain.reported_reordered = chain.reported_reordered.or(row.number("reported_reordered")?);
    packets.map(|_| ())
}

fn transport(name: &str) -> Option<Transport> {
    match name {
        "tcp" | "TCP" => Some(Transport::Tcp),
        "udp" | "UDP" => Some(Transport::Udp),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
test,network,description,packets,from,to,reported_lost,remark
Test 1,A,a -> b,100,h1,h2,7,
# the other network
Test 1,B,b -> c,\"1,000\",h1,h2,,\"0, not counted\"
Test 1,B,c -> b,,h2,h1,,
Test 1,B,b -> d,many,h1,h2,,
Test 1,B,b,c,h1,h2,,,,
";

    #[test]
    fn a_chain_for_each_direction() {
        let (records, complaints) = crate::import(TABLE.as_bytes(), &Context::default());
        let lines: Vec<u64> = complaints.iter().map(|c| c.first_line).collect();
        assert_eq!(lines, [6, 7], "{complaints:?}");
        let chains: Vec<&CounterChain> = records
            .iter()
            .filter_map(|record| match &record.payload {
                Payload::CounterChain(chain) => Some(chain),
                _ => None,
            })
            .collect();
        let [there, back] = chains.as_slice() else {
            panic!("{chains:?}")
        };
        let counts = |chain: &CounterChain| chain.points.iter().map(|p| p.packets).collect::<Vec<_>>();
        assert_eq!(counts(there), [Some(100), Some(1000), None]);
        assert_eq!(counts(back), [None]);
        assert_eq!(there.reported_lost, Some(7));
        assert_eq!(there.remarks, ["0, not counted"]);
        assert_eq!(back.from, Node::read("h2"));
    }
}
