//! `conntrack -S`: what the connection tracking of each processor dropped, summed. A full table drops what opens a connection.

use super::command::{arguments, facts, is_noise};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "conntrack -S",
    group: Group::Hosts,
    reads: "what connection tracking dropped, found invalid or could not insert, summed over the processors",
    first: "c",
    has_command: true,
    marks: Some(|| Marks::of(["cpu=", "conntrack"])),
    starts: |line| row(line).is_some() || is_command(line),
    // Some versions print a blank line behind each processor.
    continues: |block, line| match row(line) {
        // The first processor once more is that of another output.
        Some((0, _)) if block.has(is_first) && block.last_written() != Some(line) => false,
        Some((cpu, _)) => cpu > 0 || block.last().is_none_or(|last| !last.trim_ascii().is_empty()),
        None => line.trim_ascii().is_empty(),
    },
    // Within the table: without it nobody would know that processors are missing.
    takes_in: Some(|block, line| {
        block.last().is_some_and(|last| row(last).is_some()) && row(line).is_none() && is_noise(line)
    }),
    read,
};

fn is_command(line: &str) -> bool {
    arguments(line, "conntrack").is_some_and(|mut words| matches!(words.next(), Some("-S" | "--stats")))
}

/// Whether a command may keep some lines only.
fn is_filtered(line: &str) -> bool {
    const WHOLE: [&str; 5] = ["cat", "less", "more", "sort", "tee"];
    let mut behind = line.split('|').skip(1);
    is_command(line)
        && behind.any(|filter| {
            let name = filter.split_ascii_whitespace().next();
            name.is_some_and(|name| !WHOLE.contains(&name))
        })
}

/// `cpu=0   found=12 invalid=3 insert=0 insert_failed=0 drop=0 early_drop=0 error=0 search_restart=7`: the processor and the rest.
fn row(line: &str) -> Option<(u32, impl Iterator<Item = (&str, &str)>)> {
    let mut words = line.split_ascii_whitespace();
    let cpu = words.next()?.strip_prefix("cpu=")?.parse().ok()?;
    let pairs = words.filter_map(|word| word.split_once('='));
    line.contains("found=").then_some((cpu, pairs))
}

fn is_first(line: &str) -> bool {
    row(line).is_some_and(|(cpu, _)| cpu == 0)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    if block.first().is_some_and(is_filtered) {
        return findings.complain_of(
            (block.first_line, block.last_written_line()),
            "the filter of the command may have hidden processors: nothing is summed",
        );
    }
    let mut by_cpu: BTreeMap<u32, Given<u64>> = BTreeMap::new();
    let mut damaged = Vec::new();
    let mut is_broken = false;
    for (number, line) in block.numbered() {
        let Some((cpu, pairs)) = row(line) else {
            if number != block.first_line && !line.trim_ascii().is_empty() {
                findings.complain(number, format!("no processor: {}", line.trim_ascii()));
                is_broken = true;
            }
            continue;
        };
        let counted = by_cpu.entry(cpu).or_default();
        for (name, figure) in pairs {
            match figure.parse() {
                Ok(value) => counted.put(findings, number, name, value),
                Err(_) => {
                    findings.complain(number, format!("no counter: {name}={figure}"));
                    damaged.push(name.to_owned());
                }
            }
        }
    }
    let cpus = by_cpu.len();
    // With a processor missing the sum would be too small.
    if is_broken
        || by_cpu
            .keys()
            .next_back()
            .is_some_and(|last| *last as usize + 1 != cpus)
    {
        return findings.complain_of(
            (block.first_line, block.last_line()),
            "a processor is missing: nothing is summed",
        );
    }
    let mut sums: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for (name, value) in by_cpu.into_values().flat_map(|counted| counted.into_values()) {
        let (sum, of) = sums.entry(name).or_default();
        *sum = sum.saturating_add(value);
        *of += 1;
    }
    let whole = sums
        .into_iter()
        .filter(|(name, (_, of))| *of == cpus && !damaged.contains(name));
    let counters: BTreeMap<String, u64> = whole
        .map(|(name, (sum, _))| (format!("Conntrack.{name}"), sum))
        .collect();
    if !counters.is_empty() {
        let facts = HostFacts {
            counters,
            ..facts(block)
        };
        findings.record(block, "conntrack", context.at, Payload::HostFacts(facts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_summed_when_all_are_there() {
        let text = "cpu=0   \tfound=1 invalid=2 drop=3 \ncpu=1   \tfound=4 invalid=5 drop=6 \n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        let Payload::HostFacts(read) = &records[0].payload else {
            panic!("{records:?}")
        };
        assert_eq!(
            (read.counters.get("Conntrack.drop"), complaints.len()),
            (Some(&9), 0)
        );
        let (records, complaints) =
            crate::import(text.replace("cpu=0", "cpu=2").as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints.len()), (0, 1));
    }
}
