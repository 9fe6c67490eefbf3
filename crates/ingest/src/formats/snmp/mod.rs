//! What agents answer to SNMP, as Net-SNMP's tools print it: interfaces (IF-MIB, EtherLike-MIB) and the counters of the
//! device's protocols.
//!
//! A walk goes by column, so that an interface's objects stand far from each other: they are put together by index. An
//! agent gives each object once, so that a second one belongs to another answer, of another device or another time.

mod line;
mod objects;
mod rows;
mod table;

pub(crate) use table::FORMAT as TABLE;

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use line::{Line, command, is_command, is_remark, line};
use rows::Device;
use std::borrow::Cow;

pub(crate) static FORMAT: Format = Format {
    name: "snmpwalk",
    group: Group::Interfaces,
    reads: "`snmpwalk`, `snmpbulkwalk`, `snmpget` in any output form, with names or numbers: interfaces, Ethernet errors, \
            TCP, UDP, IP",
    first: ".0-9A-Za-z",
    has_command: true,
    starts: |text| line(text).is_some() || is_command(text) || is_remark(text),
    continues: |block, text| {
        line(text).is_some()
            || text.trim().is_empty()
            || is_command(text)
            || is_remark(text)
            || goes_on_in_quotes(block)
    },
    takes_in: Some(is_rest_of_value),
    read,
};

/// A text of several lines is no longer.
const MOST_LINES_OF_A_TEXT: usize = 12;

/// The lines from the last object on, that one first.
fn last_object(block: &Block) -> Option<(usize, Line<'_>)> {
    let last = block.len().checked_sub(1)?;
    (0..MOST_LINES_OF_A_TEXT.min(block.len())).find_map(|back| {
        let place = last.checked_sub(back)?;
        Some((place, line(block.get(place)?)?))
    })
}

/// Whether a text in quotes is still open: it may hold anything.
fn goes_on_in_quotes(block: &Block) -> bool {
    let Some((place, object)) = last_object(block) else {
        return false;
    };
    let quoted = object.value.strip_prefix("STRING: ").unwrap_or(object.value);
    let quotes = |text: &str| text.bytes().filter(|byte| *byte == b'"').count();
    quoted.starts_with('"')
        && (place + 1..block.len())
            .filter_map(|place| block.get(place))
            .map(quotes)
            .sum::<usize>()
            .saturating_add(quotes(quoted))
            % 2
            == 1
}

/// Whether a line is more of the description of the system, which is not in quotes when its MIB is loaded, or of a
/// hexadecimal text.
fn is_rest_of_value(block: &Block, text: &str) -> bool {
    let Some((place, object)) = last_object(block) else {
        return false;
    };
    let is_hexadecimal = text
        .split_ascii_whitespace()
        .all(|word| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if object.value.starts_with("Hex-STRING:") {
        return is_hexadecimal;
    }
    let is_description = object.object.is_some_and(|known| known.name == "sysDescr");
    is_description
        && (place + 1..block.len()).all(|place| block.get(place).is_some_and(|line| !line.trim().is_empty()))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut device = Device::default();
    let (mut said, mut objects, mut before) = (false, 0_u64, "");
    // Whether a command stands between this answer and the one before.
    let mut asked_anew = false;
    for (number, text) in block.numbered() {
        if let Some((_, agent)) = command(text) {
            asked_anew = true;
            if agent != device.asked {
                let next = Device::of(agent);
                said |= std::mem::replace(&mut device, next).record("snmpwalk", context, findings);
            }
        }
        let Some(Line { object, index, value }) = line(text) else {
            continue;
        };
        objects += 1;
        let Some(object) = object.filter(|_| text != before) else {
            continue;
        };
        before = text;
        if device.has(object, index) {
            // Another answer: of the same device only where a command says so.
            let next = if asked_anew && device.asked.is_some() {
                Device::knowing(device.asked, device.names())
            } else {
                Device::default()
            };
            said |= std::mem::replace(&mut device, next).record("snmpwalk", context, findings);
        }
        asked_anew = false;
        device.take(findings, number, object, index, value);
    }
    said |= device.record("snmpwalk", context, findings);
    if !said {
        let lines = (block.first_line, block.last_written_line());
        let reason: Cow<'_, str> = match objects {
            0 => "the agent gave no answer".into(),
            _ => "no object in it is an interface's or a protocol's".into(),
        };
        findings.complain_of(lines, reason);
    }
}
