//! `netstat -w 1 -I ix0` of FreeBSD: what an interface counted in each interval, of which the command alone tells the length
//! (<https://man.freebsd.org/cgi/man.cgi?netstat(1)>).
//!
//! Each row is of its interval alone. So it is with FreeBSD, which has a column `idrops`; what the first row of other systems is of is not
//! known, and nothing of them is used.

use super::command::{arguments, is_gap};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, InterfaceLoad, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "netstat -w",
    group: Group::Hosts,
    reads: "rates and drops of an interface of FreeBSD in each interval, with the command above",
    first: "ni",
    has_command: true,
    marks: Some(|| Marks::of(["netstat", "input"])),
    starts: |line| title(line).is_some() || is_command(line),
    continues: |block, line| {
        is_gap(block, line, is_command)
            || title(line).is_some()
            || columns(line).is_some()
            || block.has(|line| columns(line).is_some()) && row(line).is_some()
            || line.trim_ascii() == "^C"
    },
    takes_in: None,
    read,
};

/// The seconds that each row is of, where the line runs `netstat -w`.
fn interval(line: &str) -> Option<u64> {
    let mut words = arguments(line, "netstat")?;
    while let Some(word) = words.next() {
        if let Some(behind) = word.strip_prefix("-w") {
            let seconds = if behind.is_empty() { words.next()? } else { behind };
            return seconds.parse().ok().filter(|seconds| *seconds > 0);
        }
    }
    None
}

pub(super) fn is_command(line: &str) -> bool {
    interval(line).is_some()
}

/// `            input            ix0           output`: the name of the interface.
fn title(line: &str) -> Option<&str> {
    let mut words = line.split_ascii_whitespace();
    let (first, name, last) = (words.next()?, words.next()?, words.next()?);
    let is_such = line.starts_with(' ') && first == "input" && last == "output" && words.next().is_none();
    is_such.then(|| name.trim_start_matches('(').trim_end_matches(')'))
}

/// `   packets  errs idrops      bytes    packets  errs      bytes colls drops`: what comes in stands before what goes out.
fn columns(line: &str) -> Option<Vec<&'static str>> {
    let mut columns = Vec::new();
    let mut ways = 0;
    for word in line.split_ascii_whitespace() {
        ways += usize::from(word == "packets");
        columns.push(match (ways, word) {
            (1, "packets") => "input packets",
            (1, "errs") => "input errs",
            (1, "idrops") => "input idrops",
            (1, "bytes") => "input bytes",
            (2, "packets") => "output packets",
            (2, "errs") => "output errs",
            (2, "bytes") => "output bytes",
            (2, "colls") => "output colls",
            (2, "drops") => "output drops",
            _ => return None,
        });
    }
    (ways == 2).then_some(columns)
}

fn row(line: &str) -> Option<Vec<u64>> {
    let figures: Option<Vec<u64>> = line
        .split_ascii_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    figures.filter(|figures| figures.len() >= 6)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let seconds = block.first().and_then(interval);
    let (mut name, mut heads) = (None, None);
    let mut is_used = false;
    for (number, line) in block.numbered() {
        if let Some(told) = title(line) {
            (name, heads) = (Some(told).filter(|name| *name != "Total"), None);
        } else if let Some(told) = columns(line) {
            heads = Some(told).filter(|heads| heads.contains(&"input idrops"));
        } else if let (Some(figures), Some(name), Some(heads), Some(seconds)) =
            (row(line), name, &heads, seconds)
            && heads.len() == figures.len()
        {
            let interface = counted(heads, &figures, seconds);
            let interface = InterfaceCounters {
                device: device(block, context),
                interface: name.to_owned(),
                ..interface
            };
            is_used = true;
            let payload = Payload::InterfaceCounters(interface);
            findings.record_of((number, number), "netstat -w", context.at, payload);
        } else if row(line).is_some() && !is_used {
            let reason = "counts of an interval of which the interface, the length or the system is not told: not used";
            return findings.complain_of((block.first_line, block.last_written_line()), reason);
        } else if !is_command(line) && !line.trim_ascii().is_empty() && line.trim_ascii() != "^C" {
            findings.unread(number, line);
        }
    }
}

/// Rates over the interval, and the counts that are no rates of traffic by the tool's names.
fn counted(heads: &[&str], figures: &[u64], seconds: u64) -> InterfaceCounters {
    let mut interface = InterfaceCounters::default();
    let mut load = InterfaceLoad {
        over_s: Some(seconds),
        ..InterfaceLoad::default()
    };
    for (head, figure) in heads.iter().zip(figures) {
        let rate = *figure as f64 / seconds as f64;
        match *head {
            "input packets" => load.input_pps = Some(rate),
            "input bytes" => load.input_bps = Some(RateBps(rate * 8.0)),
            "output packets" => load.output_pps = Some(rate),
            "output bytes" => load.output_bps = Some(RateBps(rate * 8.0)),
            other => drop(interface.other.insert(format!("{other} in {seconds} s"), *figure)),
        }
    }
    interface.load = Some(load);
    interface
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_stands_before_what_goes_out() {
        let heads = columns("packets  errs idrops  bytes  packets  errs  bytes colls drops").unwrap();
        assert_eq!(heads[2], "input idrops");
        assert_eq!(heads[6], "output bytes");
        assert_eq!(columns("packets bytes"), None);
        assert_eq!(title("      input          (en0)           output"), Some("en0"));
        assert_eq!(
            (interval("$ netstat -I ix0 -w1"), interval("$ netstat -w 5")),
            (Some(1), Some(5))
        );
        assert_eq!(interval("$ netstat -i"), None);
    }
}
