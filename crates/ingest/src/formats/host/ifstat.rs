//! `ifstat` of Gaël Roualland: rates of interfaces, over and over, in kilobytes of 1024 a second, or in kilobits with `-b` (ifstat(1)).

use super::command::{arguments, is_gap, is_interface, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, InterfaceLoad, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "ifstat",
    group: Group::Hosts,
    reads: "rates of interfaces, a record for each interval",
    first: "A-Za-z",
    has_command: true,
    marks: Some(|| Marks::of(["ifstat"])),
    starts: |line| is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return is_gap(block, line, is_command) || are_names(line);
        }
        units(line).is_some() || block.has(|line| units(line).is_some()) && is_row(line)
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    arguments(line, "ifstat").is_some_and(|mut words| words.all(|word| word.len() < 32))
}

/// The words behind the time that `-t` puts before each line: `Time`, `HH:MM:SS`, `16:53:04`.
fn behind_time(line: &str) -> impl Iterator<Item = &str> {
    let is_clock = |word: &str| {
        let parts = word.split(':');
        parts.clone().count() == 3 && parts.clone().all(|part| part.len() == 2)
    };
    let mut words = line.split_ascii_whitespace().peekable();
    words.next_if(|word| word.eq_ignore_ascii_case("time") || is_clock(word));
    words
}

/// `       eth0                eth1       `: names of interfaces, and nothing else. With `-T` the last is `Total`.
fn are_names(line: &str) -> bool {
    let mut words = behind_time(line).peekable();
    words.peek().is_some()
        && words.all(|word| is_interface(word) && word.parse::<f64>().is_err())
        && units(line).is_none()
}

/// ` KB/s in  KB/s out   KB/s in  KB/s out`: how many bits its figures count, and of how many interfaces.
fn units(line: &str) -> Option<(f64, usize)> {
    let words: Vec<&str> = behind_time(line).collect();
    let unit = *words.first()?;
    let bits = match unit {
        "KB/s" => 8.0 * 1024.0,
        "Kbps" => 1024.0,
        _ => return None,
    };
    let is_whole =
        words.len().is_multiple_of(4) && words.chunks(4).all(|four| four == [unit, "in", unit, "out"]);
    is_whole.then_some((bits, words.len() / 4))
}

fn is_row(line: &str) -> bool {
    let mut words = behind_time(line).peekable();
    words.peek().is_some() && words.all(|word| word == "n/a" || word.parse::<f64>().is_ok())
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let names: Vec<&str> = block
        .lines()
        .skip(1)
        .find(|line| are_names(line))
        .map(|line| behind_time(line).collect())
        .unwrap_or_default();
    let Some((bits, count)) = block.lines().find_map(units) else {
        return;
    };
    if count != names.len() {
        return findings.complain(block.first_line, "not as many figures as interfaces");
    }
    for (number, line) in block.numbered().filter(|(_, line)| is_row(line)) {
        let row: Vec<&str> = behind_time(line).collect();
        if row.len() != count * 2 {
            findings.unread(number, line);
            continue;
        }
        // The sum over all of them is no interface.
        let of_each = names
            .iter()
            .zip(row.chunks(2))
            .filter(|(name, _)| **name != "Total");
        for (name, both) in of_each {
            let rate = |way: usize| {
                both.get(way)?
                    .parse::<f64>()
                    .ok()
                    .map(|rate| RateBps(rate * bits))
            };
            let load = InterfaceLoad {
                input_bps: rate(0),
                output_bps: rate(1),
                ..InterfaceLoad::default()
            };
            if load == InterfaceLoad::default() {
                continue;
            }
            let interface = InterfaceCounters {
                device: device(block, context),
                interface: (*name).to_owned(),
                load: Some(load),
                ..InterfaceCounters::default()
            };
            let payload = Payload::InterfaceCounters(interface);
            findings.record_of((number, number), "ifstat", context.at, payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        assert_eq!(units(" KB/s in  KB/s out   KB/s in  KB/s out"), Some((8192.0, 2)));
        assert_eq!(units("KB/s in KB/s"), None);
        assert!(are_names("   eth0    wlan0.10") && !are_names("  11420.33    231.22"));
    }
}
