//! What watches an interface and prints rates of it: iftop's text mode, `vnstat -tr`.
//!
//! iftop prints over and over how it was in the last 2, 10 and 40 s, and in the end once more: the last ten seconds of the last time stand.
//! Its units are powers of 1024. Which pair of hosts sent how much is known, and not recorded: who else was there it does not print.

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::units::{Kilo, rate_bps, split};
use evidence::{InterfaceCounters, InterfaceLoad, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "iftop, vnstat",
    group: Group::Hosts,
    reads: "rates of an interface: the totals of `iftop -t`, `vnstat -tr`, `vnstat -l`",
    first: "A-Za-z",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "iftop",
            "vnstat",
            "interface: ",
            "# Host name (port/service",
            "Total send rate:",
            "Traffic average for ",
            "seconds average)",
            TITLE,
            "Monitoring ",
        ])
    }),
    starts: |line| {
        let text = line.trim_ascii();
        let begins = |list: &[&str]| list.iter().any(|begin| text.starts_with(begin));
        begins(&[
            "# Host name (port/service",
            "Total send rate:",
            "Traffic average for ",
        ]) || text.starts_with("Sampling ") && text.contains(" seconds average)")
            || titled(text).is_some()
            || is_watching(text)
            || is_command(line)
    },
    continues: |block, line| {
        let text = line.trim_ascii();
        text.is_empty()
            || command_line(line).is_none() && (is_line(text) || block.len() < 3 && is_settling(text))
    },
    takes_in: None,
    read,
};

/// Above what `vnstat -l` sums up in the end.
const TITLE: &str = "/  traffic statistics";

/// ` eth0  /  traffic statistics`
fn titled(text: &str) -> Option<&str> {
    let name = text.strip_suffix(TITLE)?.trim_ascii();
    (!name.is_empty() && !name.contains(' ')).then_some(name)
}

/// `Monitoring eth0...    (press CTRL-C to stop)`
fn is_watching(text: &str) -> bool {
    text.starts_with("Monitoring ") && text.contains("CTRL-C to stop")
}

/// A line of that sum, or the rates while it ran: a name, and both ways.
fn is_summed(text: &str) -> bool {
    let name = text.split_ascii_whitespace().next().unwrap_or("");
    let is_row = matches!(name, "bytes" | "packets" | "max" | "average" | "min" | "rx") && text.contains('|');
    is_row
        || name == "time" && text.split_ascii_whitespace().count() <= 4
        || name == "rx:" && text.contains(" tx: ")
        || text.len() > 20 && text.bytes().all(|byte| matches!(byte, b'-' | b'+'))
}

/// `average  94.29 Mbit/s  |  2.19 Mbit/s`: both ways.
fn average(text: &str) -> Option<(RateBps, RateBps)> {
    let (received, sent) = text.strip_prefix("average ")?.split_once('|')?;
    let rate = |text: &str| {
        let (number, unit) = text.trim_ascii().split_once(' ')?;
        rate_bps(number.parse().ok()?, unit.trim_ascii(), Kilo::Thousand)
    };
    Some((rate(received)?, rate(sent)?))
}

fn is_command(line: &str) -> bool {
    let run = Run::of(line, &["iftop", "vnstat"]);
    run.is_some_and(|run| {
        let has = |letter| {
            run.words()
                .any(|word| word.starts_with('-') && word.contains(letter))
        };
        let is_summed = match run.program {
            "iftop" => has('t'),
            _ => has('r') || has('l'),
        };
        run.is_typed() && is_summed
    })
}

/// What iftop says before it begins.
fn is_settling(text: &str) -> bool {
    text.starts_with("interface: ")
}

fn is_line(text: &str) -> bool {
    const BEGINNINGS: [&str; 14] = [
        "interface: ",
        "IP address is: ",
        "IPv6 address is: ",
        "MAC address is: ",
        "Listening on ",
        "# Host name (port/service",
        "Total send rate:",
        "Total receive rate:",
        "Total send and receive rate:",
        "Peak rate (sent/received/total):",
        "Cumulative (sent/received/total):",
        "Sampling ",
        "Traffic average for ",
        "error getting hostname",
    ];
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || text.len() > 20 && text.bytes().all(|byte| matches!(byte, b'-' | b'='))
        || is_pair(text)
        || sampled(text).is_some()
        || titled(text).is_some()
        || is_watching(text)
        || is_summed(text)
}

/// `   1 192.0.2.10  =>  93.1Mb  92.8Mb  92.8Mb  116MB`, and the way back below it.
fn is_pair(text: &str) -> bool {
    let behind = text.split_once(" => ").or(text.split_once(" <= "));
    behind.is_some_and(|(_, figures)| {
        let figures: Vec<_> = figures.split_ascii_whitespace().map(size).collect();
        figures.len() == 4 && figures.iter().all(Option::is_some)
    })
}

/// `93.1Mb` a second, `11.6MB`: the letter tells bits from bytes, and both come in powers of 1024.
fn size(word: &str) -> Option<RateBps> {
    let (number, unit) = split(word)?;
    let (prefix, each) = match (unit.strip_suffix('b'), unit.strip_suffix('B')) {
        (Some(prefix), _) => (prefix, 1.0),
        (None, Some(prefix)) => (prefix, 8.0),
        (None, None) => return None,
    };
    let power = ["", "K", "M", "G", "T"]
        .iter()
        .position(|known| *known == prefix)?;
    Some(RateBps(number * each * 1024_f64.powi(power as i32)))
}

/// `Total send rate:  93.1Mb  92.8Mb  92.8Mb`: over the last ten seconds.
fn over_ten_seconds(text: &str, name: &str) -> Option<RateBps> {
    let figures = text.strip_prefix(name)?;
    let figures: Option<Vec<RateBps>> = figures.split_ascii_whitespace().map(size).collect();
    match figures?.as_slice() {
        [_, ten, _] => Some(*ten),
        _ => None,
    }
}

/// `rx  812.40 Mbit/s  70211 packets/s`: whether it came in, and what.
fn sampled(text: &str) -> Option<(bool, RateBps, f64)> {
    let mut words = text.split_ascii_whitespace();
    let is_input = match words.next()? {
        "rx" => true,
        "tx" => false,
        _ => return None,
    };
    let (number, unit, packets) = (words.next()?, words.next()?, words.next()?);
    let is_whole = words.eq(["packets/s"]);
    let bps = rate_bps(number.parse().ok()?, unit, Kilo::Thousand)?;
    is_whole.then_some((is_input, bps, packets.parse().ok()?))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut interface = String::new();
    let mut load = InterfaceLoad::default();
    let mut is_vnstat = false;
    for (_, line) in block.numbered() {
        let text = line.trim_ascii();
        let named = ["interface: ", "Listening on ", "Traffic average for "];
        if let Some(name) = titled(text) {
            name.clone_into(&mut interface);
            is_vnstat = true;
        } else if let Some((received, sent)) = average(text) {
            (load.input_bps, load.output_bps) = (Some(received), Some(sent));
        } else if let (true, Some(length)) = (is_vnstat, text.strip_prefix("time ")) {
            let seconds = length.trim_ascii().strip_suffix(" seconds");
            load.over_s = seconds.and_then(|seconds| seconds.parse().ok());
        } else if let Some(name) = named.iter().find_map(|begin| text.strip_prefix(begin)) {
            name.trim_ascii().clone_into(&mut interface);
        } else if let Some(seconds) = text
            .strip_prefix("Sampling ")
            .and_then(|rest| rest.split_once(" ("))
        {
            load.over_s = seconds
                .1
                .split(' ')
                .next()
                .and_then(|seconds| seconds.parse().ok());
        } else if let Some(sent) = over_ten_seconds(text, "Total send rate:") {
            // Another time begins.
            (load.output_bps, load.input_bps, load.over_s) = (Some(sent), None, Some(10));
        } else if let Some(received) = over_ten_seconds(text, "Total receive rate:") {
            (load.input_bps, load.over_s) = (Some(received), Some(10));
        } else if let Some((is_input, bps, pps)) = sampled(text) {
            if is_input {
                (load.input_bps, load.input_pps) = (Some(bps), Some(pps));
            } else {
                (load.output_bps, load.output_pps) = (Some(bps), Some(pps));
            }
        }
    }
    if load.input_bps.is_none() && load.output_bps.is_none() {
        return findings.nothing_to_say();
    }
    if interface.is_empty() {
        return findings.complain(block.first_line, "rates of an interface without its name");
    }
    let counters = InterfaceCounters {
        device: device(block, context),
        interface,
        load: Some(load),
        ..InterfaceCounters::default()
    };
    let lines = (block.first_line, block.last_written_line());
    let tool = if is_vnstat || load.input_pps.is_some() {
        "vnstat"
    } else {
        "iftop"
    };
    findings.record_of(lines, tool, context.at, Payload::InterfaceCounters(counters));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_iftop_are_powers_of_1024() {
        assert_eq!(size("1.00Kb"), Some(RateBps(1024.0)));
        assert_eq!(size("2.00MB"), Some(RateBps(2.0 * 8.0 * 1024.0 * 1024.0)));
        assert_eq!(size("820b"), Some(RateBps(820.0)));
        assert_eq!((size("820"), size("8Mbit")), (None, None));
        assert!(is_pair("1 192.0.2.10  =>  93.1Mb  92.8Mb  92.8Mb  116MB"));
        assert!(!is_pair("1 192.0.2.10  =>  93.1Mb  92.8Mb  92.8Mb"));
    }
}
