//! What stands on the screen of nload: what an interface moves each way, now and on average.
//!
//! Its units are powers of 1024, whether bits or bytes (`src/statistics.cpp` of <https://github.com/rolandriegel/nload>). The average is over the
//! last five minutes, or over as long as it runs.

use super::command::{arguments, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, InterfaceLoad, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "nload",
    group: Group::Hosts,
    reads: "the average rates of interfaces each way, of one or of several (`-m`)",
    first: "Dn",
    has_command: true,
    marks: Some(|| Marks::of(["Device ", "nload"])),
    starts: |line| head(line).is_some() || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return line.trim_ascii().is_empty() || head(line).is_some();
        }
        line.trim_ascii().is_empty() && block.len() < LONGEST || head(line).is_none() && is_line(line)
    },
    takes_in: None,
    read,
};

/// A screen has no more lines.
const LONGEST: usize = 200;

fn is_command(line: &str) -> bool {
    arguments(line, "nload").is_some() && (line.contains('$') || line.contains('#') || line.contains(" -"))
}

/// `Device eth0 [192.0.2.10] (1/2):`
fn head(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("Device ")?;
    let (name, behind) = rest.trim_ascii_end().split_once(' ')?;
    let is_counted = behind.ends_with("):") && behind.contains('/');
    (is_counted && super::command::is_interface(name)).then_some(name)
}

/// Headings, rules, figures, and the graph before them.
fn is_line(line: &str) -> bool {
    let text = line.trim_ascii();
    let is_drawn = |byte: u8| matches!(byte, b'=' | b'#' | b'|' | b'.' | b' ');
    matches!(text, "Incoming:" | "Outgoing:")
        || text.starts_with("Incoming:") && text.ends_with("Outgoing:")
        || text.bytes().all(is_drawn)
        || ["Curr: ", "Avg: ", "Min: ", "Max: ", "Ttl: "].iter().any(|name| {
            let before = text.split_once(name).map(|(before, _)| before);
            before.is_some_and(|before| before.bytes().all(is_drawn))
        })
}

/// `398.10 MBit/s`
fn rate(text: &str) -> Option<RateBps> {
    let mut words = text.split_ascii_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    let unit = words.next()?.strip_suffix("/s")?;
    let (prefix, each) = match (unit.strip_suffix("Bit"), unit.strip_suffix("Byte")) {
        (Some(prefix), _) => (prefix, 1.0),
        (None, Some(prefix)) => (prefix, 8.0),
        (None, None) => return None,
    };
    let power = ["", "k", "M", "G"].iter().position(|known| *known == prefix)?;
    Some(RateBps(number * each * 1024_f64.powi(i32::try_from(power).ok()?)))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let Some(name) = block.lines().find_map(head) else {
        return;
    };
    // Each way has one average; where it has more the heading of the other one is missing.
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    // Of one interface the ways stand one above the other, of several side by side.
    let mut is_input = None;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        match text {
            "Incoming:" => is_input = Some(true),
            "Outgoing:" => is_input = Some(false),
            _ => {}
        }
        let mut averages = text.split("Avg: ").skip(1).map(rate);
        match (averages.next(), averages.next(), is_input) {
            (Some(first), Some(second), _) => {
                inputs.push(first);
                outputs.push(second);
            }
            (Some(average), None, Some(true)) => inputs.push(average),
            (Some(average), None, Some(false)) => outputs.push(average),
            (Some(_), None, None) => findings.unread(number, line),
            (None, ..) => {}
        }
    }
    let one = |averages: &[Option<RateBps>]| match averages {
        [one] => *one,
        _ => None,
    };
    let load = InterfaceLoad {
        input_bps: one(&inputs),
        output_bps: one(&outputs),
        ..InterfaceLoad::default()
    };
    if inputs.len() > 1 || outputs.len() > 1 {
        findings.complain(
            block.first_line,
            "more than one average of a way: they are not used",
        );
    }
    if load.input_bps.is_none() && load.output_bps.is_none() {
        return findings.complain(block.first_line, "an interface without its averages");
    }
    let counters = InterfaceCounters {
        device: device(block, context),
        interface: name.to_owned(),
        load: Some(load),
        ..InterfaceCounters::default()
    };
    findings.record(block, "nload", context.at, Payload::InterfaceCounters(counters));
}
