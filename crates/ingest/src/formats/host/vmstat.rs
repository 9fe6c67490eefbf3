//! `vmstat`, of Linux and of the BSDs: how busy all processors are, and how many programs wait for one.
//!
//! The first row is the mean since the host was started, the others are of an interval each (vmstat(8)). How many processors there are it
//! does not say.

use super::command::{arguments, facts, is_gap, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "vmstat",
    group: Group::Hosts,
    reads: "how busy the processors of a Linux or BSD host are, and what waits for them: the mean of the intervals",
    first: "pvr0-9",
    has_command: true,
    marks: Some(|| Marks::of(["vmstat", "procs ", "swpd", "avm"])),
    starts: |line| is_groups(line) || columns(line).is_some() || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return is_gap(block, line, is_command) || is_groups(line) || columns(line).is_some();
        }
        is_groups(line)
            || columns(line).is_some()
            || block.has(|line| columns(line).is_some()) && is_row(line)
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    // Sums and disks are asked for by other letters.
    let is_option = |word: &str| word.bytes().all(|byte| b"-antwSkKmMHI0123456789".contains(&byte));
    arguments(line, "vmstat").is_some_and(|mut words| words.all(|word| is_option(word) && word.len() < 10))
}

/// `procs -----------memory---------- ---swap-- …`
fn is_groups(line: &str) -> bool {
    line.trim_ascii_start().starts_with("procs ") && line.contains("memory") && line.contains("cpu")
}

/// The columns that are kept, and where each is. Of the BSDs' two that are called `sy` the later one is of processors.
fn columns(line: &str) -> Option<Vec<(&'static str, usize)>> {
    const KEPT: [&str; 7] = ["r", "b", "us", "sy", "id", "wa", "st"];
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_head = words.first() == Some(&"r")
        && words.windows(3).any(|three| three == ["us", "sy", "id"])
        && words.iter().any(|word| matches!(*word, "swpd" | "avm"));
    let place = |name: &&'static str| Some((*name, words.iter().rposition(|word| word == name)?));
    is_head.then(|| KEPT.iter().filter_map(place).collect())
}

fn is_row(line: &str) -> bool {
    let is_figure = |word: &str| word.parse::<f64>().is_ok() || word.ends_with(['K', 'M', 'G', 'B']);
    let mut words = line.split_ascii_whitespace();
    line.split_ascii_whitespace().count() > 10 && words.by_ref().take(10).all(is_figure)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut heads: Option<Vec<(&'static str, usize)>> = None;
    let mut rows: Vec<BTreeMap<&'static str, f64>> = Vec::new();
    for (number, line) in block.numbered() {
        if let Some(found) = columns(line) {
            heads = Some(found);
        } else if is_groups(line) || line.trim_ascii().is_empty() || number == block.first_line {
        } else if let Some(row) = heads.as_ref().and_then(|heads| row(heads, line)) {
            rows.push(row);
        } else {
            findings.unread(number, line);
        }
    }
    // The first is of all the time before.
    let (of, told) = match rows.as_slice() {
        [] => return,
        [since_start] => ("since start", std::slice::from_ref(since_start)),
        [_, intervals @ ..] => ("", intervals),
    };
    let mut facts = HostFacts { ..facts(block) };
    for name in told.first().into_iter().flat_map(BTreeMap::keys) {
        let values: Vec<f64> = told.iter().filter_map(|row| row.get(name)).copied().collect();
        let mean = (values.iter().sum::<f64>() / values.len().max(1) as f64 * 10.0).round() / 10.0;
        let key = format!("vmstat {name} {of}");
        facts
            .other
            .insert(key.trim_ascii_end().to_owned(), mean.to_string());
    }
    findings.record(block, "vmstat", context.at, Payload::HostFacts(facts));
}

/// The figures of a row; `None` where its shares are none of one whole.
fn row(heads: &[(&'static str, usize)], line: &str) -> Option<BTreeMap<&'static str, f64>> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let figure =
        |(name, place): &(&'static str, usize)| Some((*name, words.get(*place)?.parse::<f64>().ok()?));
    let row: Option<BTreeMap<&'static str, f64>> = heads.iter().map(figure).collect();
    let shares = |row: &BTreeMap<&str, f64>| -> f64 {
        let of = |name| row.get(name).copied().unwrap_or(0.0);
        ["us", "sy", "id", "wa", "st"].into_iter().map(of).sum()
    };
    // Each is rounded.
    row.filter(|row| (96.0..=104.0).contains(&shares(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_rows() {
        let linux = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st";
        let heads = columns(linux).unwrap();
        let line = " 5  1      0 811020  20144 12401244    0    0     0   128 48211 30412  4 31 63  2  0";
        let read = row(&heads, line).unwrap();
        assert_eq!((read["r"], read["sy"], read["id"]), (5.0, 31.0, 63.0));
        assert_eq!(
            row(
                &heads,
                " 5 1 0 811020 20144 12401244 0 0 0 128 48211 30412 4 31 3 2 0"
            ),
            None
        );
        let bsd = " r b w     avm     fre  flt  re  pi  po    fr   sr da0   in    sy    cs us sy id";
        let read = row(
            &columns(bsd).unwrap(),
            " 1 0 0 812M 1.1G 310 0 0 0 400 12 0 812 9120 4011 3 9 88",
        );
        assert_eq!(read.unwrap()["sy"], 9.0);
        assert!(columns("r b us").is_none() && !is_command("vmstat -s"));
    }
}
