//! `dstat` and `pcp dstat`: what the processors do and what interfaces move, side by side, a row an interval.
//!
//! The first row is the mean since the host was started (dstat(1)). Bytes come in powers of 1024, with a letter behind: `118M`.

use super::command::{arguments, facts, is_gap, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "dstat",
    group: Group::Hosts,
    reads: "how busy the processors are, and what interfaces move, also of `pcp dstat`: the mean of the intervals",
    first: "-A-Za-z",
    has_command: true,
    marks: Some(|| Marks::of(["dstat", "-net/", "cpu-usage", "total-usage"])),
    starts: |line| groups(line).is_some() || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            let is_said = line.starts_with("You did not select any stats");
            return is_gap(block, line, is_command) || is_said || groups(line).is_some();
        }
        groups(line).is_some()
            || !block.has(|line| groups(line).is_some()) && block.len() < 4 && line.trim_ascii().is_empty()
            || block
                .last_such(|line| groups(line).is_some())
                .is_some_and(|head| is_below(head, line))
    },
    takes_in: None,
    read,
};

/// What counts bits instead of bytes, or writes something else than the table.
fn is_command(line: &str) -> bool {
    let is_such = |program| {
        arguments(line, program).is_some_and(|mut words| {
            words.all(|word| word.len() < 32 && !matches!(word, "--bits" | "--output" | "--list"))
        })
    };
    line.contains("dstat") && is_such("dstat")
}

/// `----total-usage---- -dsk/total- -net/eth0-`: what the groups of columns are of.
fn groups(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line
        .split_ascii_whitespace()
        .map(|word| word.trim_matches('-'))
        .collect();
    let is_group = |word: &&str| word.starts_with("net/") || word.contains("usage");
    let is_head = line.starts_with('-') && line.split_ascii_whitespace().all(|word| word.starts_with('-'));
    (is_head && words.iter().any(is_group)).then_some(words)
}

/// The cells of a line, one for each group: bars stand between them, and colons that are none of a clock.
fn cells(line: &str) -> Vec<Vec<&str>> {
    let line = line.trim_ascii_end().trim_end_matches("^C");
    let (bytes, mut begin, mut cells) = (line.as_bytes(), 0, Vec::new());
    let is_bar = |at: usize| match bytes.get(at) {
        Some(b'|') => true,
        Some(b':') => !at
            .checked_sub(1)
            .and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit),
        _ => at == bytes.len(),
    };
    for end in (0..=bytes.len()).filter(|at| is_bar(*at)) {
        cells.push(
            line.get(begin..end)
                .unwrap_or_default()
                .split_ascii_whitespace()
                .collect(),
        );
        begin = end + 1;
    }
    cells
}

/// Whether a line is one of names or of figures below a head: as many cells as there are groups.
fn is_below(head: &str, line: &str) -> bool {
    let is_one = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'))
    };
    groups(head).is_some_and(|groups| {
        let cells = cells(line);
        groups.len() == cells.len()
            && cells
                .iter()
                .all(|cell| !cell.is_empty() && cell.iter().all(is_one))
    })
}

/// `118M`, `2011k`, `812B`, `0`: with its letter, or a share.
fn figure(word: &str) -> Option<f64> {
    let number = word.trim_end_matches(['B', 'k', 'M', 'G']);
    let power = match word.get(number.len()..)? {
        "" | "B" => 0,
        "k" => 1,
        "M" => 2,
        "G" => 3,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * 1024_f64.powi(power))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut heads, mut names): (Vec<&str>, Option<Vec<Vec<&str>>>) = (Vec::new(), None);
    let mut is_begun = false;
    let mut sums: BTreeMap<String, (f64, u32)> = BTreeMap::new();
    for (number, line) in block.numbered() {
        if let Some(found) = groups(line) {
            (heads, names) = (found, None);
            continue;
        }
        let below = cells(line);
        if heads.is_empty() || below.len() != heads.len() {
            continue;
        }
        if below
            .iter()
            .flatten()
            .all(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            names = Some(below);
            continue;
        }
        let Some(names) = &names else {
            return findings.complain(number, "figures without the names of their columns");
        };
        let is_whole = names
            .iter()
            .zip(&below)
            .all(|(names, figures)| names.len() == figures.len() || names.as_slice() == ["time"]);
        if !is_whole {
            findings.unread(number, line);
        } else if std::mem::replace(&mut is_begun, true) {
            for ((head, names), figures) in heads.iter().zip(names).zip(&below) {
                let figures: Vec<Option<f64>> = figures.iter().map(|word| figure(word)).collect();
                add(&mut sums, head, names, &figures);
            }
        }
    }
    let mut facts = HostFacts { ..facts(block) };
    for (name, (sum, count)) in sums {
        let mean = (sum / f64::from(count.max(1)) * 10.0).round() / 10.0;
        facts.other.insert(format!("dstat {name}"), mean.to_string());
    }
    if facts.other.is_empty() {
        return findings.nothing_to_say();
    }
    findings.record(block, "dstat", context.at, Payload::HostFacts(facts));
}

/// Shares of the processors' time, and what interfaces moved, in Mbit/s: what else there is bears on nothing here.
fn add(sums: &mut BTreeMap<String, (f64, u32)>, head: &str, names: &[&str], figures: &[Option<f64>]) {
    for (name, figure) in names.iter().zip(figures) {
        let Some(figure) = figure else { continue };
        let (name, figure) = match *name {
            "recv" | "send" if head.starts_with("net/") => {
                (format!("{head} {name} Mbit/s"), figure * 8.0 / 1e6)
            }
            "usr" | "sys" | "idl" | "wai" | "stl" | "hiq" | "siq" if head.contains("usage") => {
                (format!("{name} %"), *figure)
            }
            _ => continue,
        };
        let sum = sums.entry(name).or_insert((0.0, 0));
        *sum = (sum.0 + figure, sum.1 + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_figures() {
        let head = "----total-usage---- -net/total- --net/eth0-";
        let named = ["total-usage", "net/total", "net/eth0"];
        assert_eq!(groups(head), Some(named.to_vec()));
        assert!(is_below(head, "  4  31  64   1   0| 118M 1204k|   0     0 ^C"));
        assert!(!is_below(head, "  4  31  64   1   0| 118M 1204k"));
        assert_eq!(cells("20-11 10:11:12|  0     0 : 1k 2k").len(), 3);
        assert_eq!(
            (figure("118M"), figure("12B")),
            (Some(118.0 * 1_048_576.0), Some(12.0))
        );
        assert_eq!((figure("-"), figure("118Mb")), (None, None));
        assert!(groups("-- what it used --").is_none() && !is_command("$ dstat --bits"));
    }
}
