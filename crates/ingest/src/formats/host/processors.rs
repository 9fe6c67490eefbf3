//! What `mpstat` and `sar -u` say of processors: how busy they are together, and the busiest of them. One that serves all
//! interrupts of a card limits although the rest idles.

use super::command::{arguments, facts, is_noise, is_only};
use super::sar::{self, Rates};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{BusiestCpu, CpuFacts, HostFacts, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "mpstat",
    group: Group::Hosts,
    reads: "how busy the processors are, all and the busiest, and how much of that is interrupts; also `sar -u` (the counts \
            of `mpstat -I`, `sar -q` and `pidstat`, and the disks of `iostat`, are passed over), and the rates of `sar -n DEV,EDEV,TCP,ETCP` and `nicstat`",
    first: "LmnpsaiADT0-9",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            " CPU)", " rKB/s", "%idle", "%util", " tps ", "mpstat", "sar", "nicstat", "pidstat", "iostat",
        ])
        .or(|line| sar::head(line).is_some())
    }),
    starts: |line| is_banner(line) || is_opening(line) || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return is_banner(line)
                || line.trim_ascii().is_empty()
                || sar::head(line).is_some()
                || columns(line).is_some()
                || is_of_disks(line)
                || headless(block, line).is_some();
        }
        line.trim_ascii().is_empty()
            || columns(line).is_some()
            || is_aside(line)
            || is_of_disks(line)
            || is_disk(line)
            || row(line).is_some()
            || is_of_program(line)
            || sar::head(line).is_some()
            || sar::row(line).is_some()
    },
    // Within a table: without it an interval would be taken for all there is.
    takes_in: Some(|block, line| {
        let is_row =
            |last: &str| row(last).is_some() || sar::row(last).is_some() || sar::head(last).is_some();
        // Averages follow a blank line: until then a line of figures is one that was damaged, and words are somebody's.
        let is_awaited = !block.has(is_average);
        let has_figures = line.bytes().any(|byte| byte.is_ascii_digit());
        let above = match is_awaited && has_figures {
            true => block.last_written(),
            false => block.last(),
        };
        above.is_some_and(is_row) && is_noise(line)
    }),
    read,
};

/// Whether a table may begin with this head: one of averages stands below others, and opens a block in English alone.
fn is_opening(line: &str) -> bool {
    let is_head = sar::head(line).is_some() || columns(line).is_some() || is_of_disks(line);
    is_head && (line.starts_with("Average:") || !is_average(line))
}

/// `Linux 6.1.0 (dtn1)  11/23/26  _x86_64_ (2 CPU)`
fn is_banner(line: &str) -> bool {
    line.starts_with("Linux ") && online(line).is_some()
}

fn online(line: &str) -> Option<u32> {
    let (_, count) = line.trim_ascii_end().strip_suffix(" CPU)")?.rsplit_once('(')?;
    count.parse().ok().filter(|count| *count > 0)
}

/// The release and the host that the banner names.
fn named(line: &str) -> Option<(&str, &str)> {
    let (release, rest) = line.strip_prefix("Linux ")?.split_once(" (")?;
    let (name, _) = rest.split_once(')')?;
    // Where somebody took the name away, the number of processors is the first in brackets.
    (!name.contains(' ')).then_some((release, name))
}

fn is_command(line: &str) -> bool {
    arguments(line, "mpstat").is_some_and(|mut words| words.all(|word| word.len() < 8))
        || arguments(line, "sar").is_some_and(|mut words| {
            let first = words.next().unwrap_or_default();
            matches!(first, "-u" | "-P" | "-n" | "-q")
                || !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit())
        })
        || arguments(line, "pidstat").is_some()
        || arguments(line, "iostat").is_some_and(|mut words| words.all(|word| word.len() < 16))
        || arguments(line, "nicstat").is_some_and(|mut words| words.all(|word| word.len() < 16))
}

/// The table that a row is of which a filter left without its head.
fn headless(block: &Block, line: &str) -> Option<sar::Table<'static>> {
    let mut words = block.first().and_then(|first| arguments(first, "sar"))?;
    let asks = words.any(|word| word == "-n") && words.next().is_some_and(|what| what.contains("DEV"));
    asks.then(|| sar::headless(line)).flatten()
}

/// `Average:` in the languages in which sysstat says it in a word (its folder nls/).
const AVERAGES: [&str; 7] = [
    "Average:",
    "Durchschn.:",
    "Media:",
    "M\u{e9}dia:",
    "\u{5e73}\u{5747}\u{65f6}\u{95f4}:",
    "\u{5e73}\u{5747}\u{5024}:",
    "\u{421}\u{440}\u{435}\u{434}\u{43d}\u{435}\u{435}:",
];

/// Whether a row is of averages, by its first word.
pub(super) fn is_average(line: &str) -> bool {
    let first = line.split_ascii_whitespace().next();
    first.is_some_and(|first| AVERAGES.contains(&first))
}

/// `17:02:31`, `08\u{65f6}35\u{5206}39\u{79d2}`
fn is_clock(word: &str) -> bool {
    let mut parts = word.split([':', '\u{65f6}', '\u{5206}', '\u{79d2}', '\u{6642}']);
    let is_part = |part: Option<&str>| part.is_some_and(|part| part.len() == 2 && part.parse::<u8>().is_ok());
    is_part(parts.next()) && is_part(parts.next()) && is_part(parts.next()) && parts.all(str::is_empty)
}

/// The words behind the time: `17:02:31`, `05:02:31 PM`, `Average:`.
pub(super) fn behind_time(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_ascii_whitespace().peekable();
    let time = words.next()?;
    let is_clock = is_clock(time);
    words.next_if(|word| is_clock && matches!(*word, "AM" | "PM"));
    (is_clock || AVERAGES.contains(&time)).then(|| (time, words.collect()))
}

/// A figure, with a comma for a point where the language has it so.
pub(super) fn decimal(word: &str) -> Option<f64> {
    let is_plain = word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    let figure: f64 = match is_plain {
        true => word
            .parse()
            .or_else(|_| word.replacen(',', ".", 1).parse())
            .ok()?,
        false => return None,
    };
    figure.is_finite().then_some(figure)
}

/// The columns of a table that is passed over: shares by node, interrupts by processor, what waits to run, what programs take
/// (`pidstat`).
fn is_aside(line: &str) -> bool {
    behind_time(line).is_some_and(|(_, words)| match words.split_first() {
        Some((&"NODE" | &"runq-sz" | &"UID", _)) => true,
        Some((&"CPU", rest)) => rest.first().is_some_and(|word| word.ends_with("/s")),
        _ => false,
    })
}

/// The columns of `iostat` for disks.
fn is_of_disks(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    matches!(words.next(), Some("Device" | "Device:")) && words.any(|word| matches!(word, "tps" | "%util"))
}

/// A disk and its figures.
fn is_disk(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().skip(1);
    words.clone().count() >= 5 && words.all(|word| decimal(word).is_some())
}

/// A row of `pidstat`: whose the program is, its number, figures, the processor or none, its name.
fn is_of_program(line: &str) -> bool {
    behind_time(line).is_some_and(|(_, words)| match words.as_slice() {
        [user, number, figures @ .., _, _] => {
            let are_whole = [user, number].iter().all(|word| word.parse::<u32>().is_ok());
            are_whole && !figures.is_empty() && figures.iter().all(|word| decimal(word).is_some())
        }
        _ => false,
    })
}

/// What `iostat` has before its shares, which are of all processors together.
const OF_ALL: &str = "avg-cpu:";

/// The columns of shares: `CPU    %usr   %nice …`.
fn columns(line: &str) -> Option<Vec<&str>> {
    if let Some(shares) = line.strip_prefix(OF_ALL) {
        return Some(
            ["CPU"]
                .into_iter()
                .chain(shares.split_ascii_whitespace())
                .collect(),
        );
    }
    let (_, words) = behind_time(line)?;
    let shares = words.first() == Some(&"CPU") && words.iter().skip(1).all(|word| word.starts_with('%'));
    (shares && words.contains(&"%idle")).then_some(words)
}

/// A processor and its figures; those of `iostat` stand alone.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let is_share = |word: &str| word.contains(['.', ',']) && decimal(word).is_some();
    if line.starts_with(' ') && line.split_ascii_whitespace().all(is_share) {
        let words: Vec<&str> = ["all"].into_iter().chain(line.split_ascii_whitespace()).collect();
        return (words.len() > 5).then_some((OF_ALL, words));
    }
    let (time, words) = behind_time(line)?;
    let is_cpu = |word: &&str| *word == "all" || word.parse::<u32>().is_ok();
    (words.first().is_some_and(is_cpu) && words.iter().skip(1).all(|word| decimal(word).is_some()))
        .then_some((time, words))
}

/// Shares of a processor's time, 0 to 1: not idle, and serving interrupts.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shares {
    busy: f64,
    interrupts: Option<f64>,
}

/// `None` where the shares are no shares of one whole.
fn shares(columns: &[&str], words: &[&str]) -> Option<Shares> {
    if columns.len() != words.len() {
        return None;
    }
    let share = |name: &str| {
        let place = columns.iter().position(|column| *column == name)?;
        let percent = decimal(words.get(place)?)?;
        (0.0..=100.0).contains(&percent).then_some(percent)
    };
    let idle = share("%idle")? + share("%iowait").unwrap_or(0.0);
    let interrupts = share("%irq")
        .zip(share("%soft"))
        .map(|(hard, soft)| (hard + soft) / 100.0);
    let rounded = |ratio: f64| (ratio * 1e6).round() / 1e6;
    (idle <= 100.5).then(|| Shares {
        busy: rounded((1.0 - idle / 100.0).max(0.0)),
        interrupts: interrupts.map(rounded),
    })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut heads: Option<Vec<&str>> = None;
    // By time, the shares of each processor; a later table stands for an earlier one, averages for all.
    let mut table: BTreeMap<&str, Option<Shares>> = BTreeMap::new();
    let mut rates = Rates::of(block);
    let mut is_passed_over = false;
    let banner = block.lines().take(3).find(|line| is_banner(line));
    let online = banner.and_then(online);
    let mut of = "";
    if let Some(table) = block.get(1).and_then(|line| headless(block, line)) {
        rates.open(table);
    }
    for (number, line) in block.numbered() {
        if let Some(found) = columns(line) {
            (heads, is_passed_over) = (Some(found), false);
            rates.leave();
            // Each table of `iostat` is of another time, the first of all since the host came up.
            if line.starts_with(OF_ALL) && !table.is_empty() {
                record(block, context, findings, (online, &table), BTreeMap::new());
                table.clear();
            }
        } else if is_aside(line) || is_of_disks(line) {
            is_passed_over = true;
            rates.leave();
        } else if let Some(found) = sar::head(line) {
            is_passed_over = false;
            rates.open(found);
        } else if line.trim_ascii().is_empty() || is_banner(line) || number == block.first_line {
        } else if rates.is_open() {
            rates.take(findings, number, line);
        } else if is_passed_over && (row(line).is_some() || is_of_program(line) || is_disk(line)) {
        } else if let (Some(heads), Some((time, words))) = (&heads, row(line)) {
            if time != of {
                table.clear();
                of = time;
            }
            let read = shares(heads, &words);
            if read.is_none() {
                findings.complain(number, "no shares of a processor's time");
            }
            let cpu = words.first().copied().unwrap_or("");
            let known = table.insert(cpu, read);
            if known.is_some_and(|known| known != read) {
                findings.complain(
                    number,
                    format!("processor {cpu} is given twice, with different shares"),
                );
                table.insert(cpu, None);
            }
        } else {
            findings.unread(number, line);
        }
    }
    rates.settle(findings, block.first_line);
    rates.record(block, context, findings);
    record(block, context, findings, (online, &table), rates.of_host());
}

fn record(
    block: &Block,
    context: &Context,
    findings: &mut Findings,
    (online, table): (Option<u32>, &BTreeMap<&str, Option<Shares>>),
    mut other: BTreeMap<String, String>,
) {
    let each = || {
        table
            .iter()
            .filter_map(|(cpu, shares)| Some((cpu.parse::<u32>().ok()?, (*shares)?)))
    };
    // With one missing the busiest may be the one that is.
    let is_whole = online.is_some_and(|online| each().count() == online as usize);
    let busiest = each()
        .max_by(|(_, a), (_, b)| a.busy.total_cmp(&b.busy))
        .filter(|_| is_whole);
    if !is_whole && each().next().is_some() && !table.contains_key("all") {
        findings.complain(
            block.first_line,
            "of some processors alone: how busy all are, and which of them is the busiest, is not told",
        );
    }
    let (kernel, hostname) = block.lines().take(3).find_map(named).unwrap_or_default();
    // Without the banner nobody knows how many there are.
    let cpu = online.filter(|_| !table.is_empty()).map(|online| CpuFacts {
        online,
        busy_ratio: table.get("all").copied().flatten().map(|all| all.busy),
        busiest: busiest.map(|(number, shares)| BusiestCpu {
            number,
            busy_ratio: shares.busy,
            interrupts_ratio: shares.interrupts,
        }),
        ..CpuFacts::default()
    });
    if let Some(all) = table.get("all").copied().flatten() {
        other.extend(together(all));
    }
    if cpu.is_none() && each().next().is_some() {
        findings.complain(
            block.first_line,
            "how many processors there are is not told, and so not which of them is the busiest",
        );
    }
    if cpu.is_none() && other.is_empty() {
        // Interrupts alone (`mpstat -I`): how busy they keep a processor they do not tell.
        if table.is_empty() && block.has(|line| is_aside(line) || is_of_disks(line)) {
            findings.nothing_to_say();
        }
        return;
    }
    let mut facts = HostFacts {
        cpu,
        other,
        ..facts(block)
    };
    // Without the banner it is the prompt alone that tells the place.
    if kernel.is_empty() && !table.is_empty() {
        facts.hostname = None;
    }
    facts.kernel = (!kernel.is_empty()).then(|| format!("Linux {kernel}"));
    // More of it than a prompt shows.
    if !hostname.is_empty() {
        facts.hostname = Some(hostname.to_owned());
    }
    let tool = match table.is_empty() {
        true => "sar",
        false if block.has(|line| line.starts_with(OF_ALL)) => "iostat",
        false => "mpstat",
    };
    findings.record(block, tool, context.at, Payload::HostFacts(facts));
}

/// How busy all processors are together, in words: that is told without their number as well.
fn together(all: Shares) -> BTreeMap<String, String> {
    let percent = |ratio: f64| format!("{} %", (ratio * 1e4).round() / 1e2);
    let busy = [("cpu all busy".to_owned(), percent(all.busy))];
    let interrupts = all
        .interrupts
        .map(|ratio| ("cpu all interrupts".to_owned(), percent(ratio)));
    busy.into_iter().chain(interrupts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns() {
        let heads = columns("05:02:31 PM  CPU    %usr   %soft    %irq %iowait   %idle").unwrap();
        let (_, words) = row("05:02:32 PM    3    1.00   80.00    2.00    4.00   10.00").unwrap();
        assert_eq!(
            shares(&heads, &words),
            Some(Shares {
                busy: 0.86,
                interrupts: Some(0.82)
            })
        );
        assert_eq!(shares(&heads, &words[..5]), None);
        assert_eq!(
            online("Linux 6.1.0 (dtn1) \t11/23/26 \t_x86_64_\t(64 CPU)"),
            Some(64)
        );
        assert!(row("17:02:32 zorkmids 4711").is_none() && columns("17:02:32 CPU total/s").is_none());
    }
}
