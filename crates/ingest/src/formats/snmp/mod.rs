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
use crate::arrival::is_fence;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use line::{Line, command, is_command, is_remark, line, may_be_wide, may_name_object, prints_objects, words};
use objects::Object;
use rows::{Device, FIRST_NAMED};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) static FORMAT: Format = Format {
    name: "snmpwalk",
    group: Group::Interfaces,
    reads: "`snmpwalk`, `snmpbulkwalk`, `snmpget` in any output form, with names or numbers: interfaces, Ethernet errors, \
            TCP, UDP, IP",
    first: ".0-9A-Za-z",
    has_command: true,
    marks: Some(|| Marks::of(words()).or(may_name_object)),
    starts: |text| line(text).is_some() || is_command(text) || is_remark(text),
    continues: |block, text| {
        line(text).is_some()
            || text.trim_ascii().is_empty()
            || is_command(text)
            || is_remark(text)
            || goes_on_in_quotes(block)
    },
    takes_in: Some(|block, text| is_rest_of_value(block, text) || is_intruder(block) && !is_fence(text)),
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
    if object.value.starts_with("Hex-STRING:") {
        return is_hexadecimal(text);
    }
    let is_description = object.object.is_some_and(|known| known.name == "sysDescr");
    is_description
        && (place + 1..block.len())
            .all(|place| block.get(place).is_some_and(|line| !line.trim_ascii().is_empty()))
}

/// Whether a line that is none of an answer may stand here: one does not end it, for what follows may be its rest.
fn is_intruder(block: &Block) -> bool {
    block.last().is_some_and(|last| line(last).is_some())
}

/// What systems say of themselves in several lines, and lines of a hexadecimal text.
fn is_of_description(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "opyright", "ompiled", "ersion", "oftware", "upport", "elease", "erial", "ROM", "uild", "http",
    ];
    WORDS.iter().any(|word| text.contains(word)) || is_hexadecimal(text)
}

/// Bytes as hexadecimal digits, or nothing.
fn is_hexadecimal(text: &str) -> bool {
    text.split_ascii_whitespace()
        .all(|word| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The tables of which wide counters stand behind each command, the lines above the first one first.
fn wide_tables(block: &Block) -> Vec<BTreeSet<&'static str>> {
    let mut tables = vec![BTreeSet::new()];
    for text in block.lines() {
        if is_command(text) {
            tables.push(BTreeSet::new());
        } else if may_be_wide(text)
            && let (Some(wide), Some(last)) = (
                line(text).and_then(|line| line.object?.is_wide()),
                tables.last_mut(),
            )
        {
            last.insert(wide);
        }
    }
    tables
}

/// Whether this is the name of an object.
pub(in crate::formats) fn is_object(name: &str) -> bool {
    objects::named(name).is_some()
}

/// Records what came from an agent by another way than a walk: values by `OBJECT INDEX`, and their lines.
pub(in crate::formats) fn record_objects(
    tool: &str,
    agent: Option<&str>,
    values: &BTreeMap<String, String>,
    lines: &BTreeMap<String, (u64, u64)>,
    context: &Context,
    findings: &mut Findings,
) {
    // An agent's index is a number; names stand in its place where nobody kept it.
    let mut numbers: BTreeMap<&str, String> = BTreeMap::new();
    for (_, index) in values.keys().filter_map(|name| name.split_once(' ')) {
        let next = FIRST_NAMED + numbers.len() as u64;
        let number = || {
            index
                .parse::<u64>()
                .map_or_else(|_| next.to_string(), |number| number.to_string())
        };
        numbers.entry(index).or_insert_with(number);
    }
    let mut device = Device::of(agent);
    for (full, value) in values {
        let Some((name, index)) = full.split_once(' ') else {
            continue;
        };
        let (first, last) = lines.get(full).copied().unwrap_or_default();
        if let (Some(object), Some(number)) = (objects::named(name), numbers.get(index)) {
            device.take(findings, first, object, number, value);
            if last != first {
                device.take(findings, last, object, number, value);
            }
        }
    }
    device.record(tool, context, findings);
}

/// What was read up to a line.
#[derive(Default)]
struct Reader<'a> {
    device: Device<'a>,
    /// Whether a walk was asked for, which goes up and never down.
    is_walk: bool,
    /// Whether a command stands between this answer and the one before.
    asked_anew: bool,
    last: Option<(&'static Object, &'a str)>,
    said: bool,
}

impl<'a> Reader<'a> {
    /// Ends an answer.
    fn close(&mut self, mut next: Device<'a>, context: &Context, findings: &mut Findings) {
        self.last = None;
        next.wide.clone_from(&self.device.wide);
        self.said |= std::mem::replace(&mut self.device, next).record("snmpwalk", context, findings);
    }

    fn command(
        &mut self,
        (program, agent): (&str, Option<&'a str>),
        context: &Context,
        findings: &mut Findings,
    ) {
        self.asked_anew = true;
        self.last = None;
        self.is_walk = program.ends_with("walk");
        if agent != self.device.asked {
            self.close(Device::of(agent), context, findings);
        }
    }

    /// A text in hexadecimal digits has further lines: a lost one of them would go unnoticed, so that none of it is used.
    fn goes_on(&mut self, number: u64, findings: &mut Findings) {
        if let Some((object, index)) = self.last
            && self.device.forget_text(object, index)
        {
            findings.complain(
                number,
                format!(
                    "{}.{index} has several lines of hexadecimal digits: not used",
                    object.name
                ),
            );
        }
    }

    /// Begins another answer where this object cannot be of the one in hand: of the same device only where a command says so.
    fn divide(
        &mut self,
        object: &'static Object,
        index: &'a str,
        context: &Context,
        findings: &mut Findings,
    ) {
        let goes_back = self
            .last
            .is_some_and(|(last, at)| object.is_before(index, last, at));
        let is_walk = self.is_walk || self.device.asked.is_none();
        let is_known = self.device.asked.is_some() || self.device.is_named() || object.is_of_system();
        if self.device.has(object, index) {
            let next = if self.asked_anew && self.device.asked.is_some() {
                Device::knowing(self.device.asked, self.device.names())
            } else {
                Device::default()
            };
            self.close(next, context, findings);
        } else if goes_back && is_walk && is_known {
            self.close(Device::default(), context, findings);
        }
        self.last = Some((object, index));
        self.asked_anew = false;
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut reader = Reader::default();
    let mut wide = wide_tables(block).into_iter();
    reader.device.wide = wide.next().unwrap_or_default();
    let (mut objects, mut before) = (0_u64, "");
    let mut others = Others::default();
    for (number, text) in block.numbered() {
        let typed = command(text);
        if let Some(typed) = typed {
            reader.command(typed, context, findings);
        }
        let is_command = typed.is_some_and(|(program, _)| prints_objects(program));
        if is_command {
            reader.device.wide = wide.next().unwrap_or_default();
        }
        let Some(Line { object, index, value }) = line(text) else {
            if !text.trim_ascii().is_empty() && is_hexadecimal(text) {
                reader.goes_on(number, findings);
            }
            if !text.trim_ascii().is_empty() && !is_command && !is_remark(text) && !is_of_description(text) {
                findings.complain(number, format!("not understood: {}", text.trim_ascii()));
                reader.close(Device::default(), context, findings);
            }
            continue;
        };
        objects += 1;
        let Some(object) = object else {
            others.count(number, text);
            continue;
        };
        if text == before {
            continue;
        }
        before = text;
        reader.divide(object, index, context, findings);
        reader.device.take(findings, number, object, index, value);
    }
    reader.close(Device::default(), context, findings);
    if !reader.said {
        let lines = (block.first_line, block.last_written_line());
        let reason: Cow<'_, str> = match objects {
            0 => "snmpwalk itself says that the agent gave no answer".into(),
            _ => "no object in it is an interface's or a protocol's".into(),
        };
        findings.complain_of(lines, reason);
    } else {
        others.complain(findings);
    }
}

/// Objects of other modules than those of interfaces and protocols: a walk of a whole device has thousands, and one complaint counts
/// them.
#[derive(Default)]
struct Others<'a> {
    counted: u64,
    first: &'a str,
    lines: (u64, u64),
}

impl<'a> Others<'a> {
    fn count(&mut self, number: u64, text: &'a str) {
        let name = text.split_ascii_whitespace().next().unwrap_or(text);
        if is_of_read_module(name) {
            return;
        }
        if self.counted == 0 {
            self.first = name;
            self.lines.0 = number;
        }
        self.lines.1 = number;
        self.counted += 1;
    }

    fn complain(&self, findings: &mut Findings) {
        if self.counted > 0 {
            let reason = format!(
                "objects that are not read: {}, from {} on",
                self.counted, self.first
            );
            findings.complain_of(self.lines, reason);
        }
    }
}

/// Whether an object is of a module of which others are read. Makers' modules use the same beginnings of names (`sysInterfaceStatDropsIn` of
/// F5, `ifIn1SecRate` of Juniper): the module tells where it is printed, else the number, and only without both the name.
fn is_of_read_module(name: &str) -> bool {
    const MODULES: [&str; 9] = [
        "DISMAN-EVENT-MIB",
        "EtherLike-MIB",
        "IF-MIB",
        "IP-FORWARD-MIB",
        "IP-MIB",
        "RFC1213-MIB",
        "SNMPv2-MIB",
        "TCP-MIB",
        "UDP-MIB",
    ];
    const BEGINNINGS: [&str; 8] = ["sys", "if", "ip", "icmp", "tcp", "udp", "dot3", "snmp"];
    const GROUPS: [&str; 9] = ["1", "2", "4", "5", "6", "7", "10", "11", "31"];
    let group = ["3.6.1.2.1.", "mib-2."]
        .iter()
        .find_map(|tree| name.split_once(tree)?.1.split('.').next());
    if let Some(group) = group.filter(|group| group.bytes().all(|byte| byte.is_ascii_digit())) {
        return GROUPS.contains(&group);
    }
    if let Some((module, _)) = name.split_once("::") {
        return MODULES.contains(&module);
    }
    let begins = |part: &str| {
        let behind = BEGINNINGS.iter().find_map(|word| part.strip_prefix(word));
        behind.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
    };
    !name.contains("enterprises.") && name.split('.').any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_objects_are_of_no_module_that_is_read() {
        for read in [
            "IF-MIB::ifType.3",
            "IP-FORWARD-MIB::ipCidrRouteType.0.0.0.0",
            "DISMAN-EVENT-MIB::sysUpTimeInstance",
            "ifType.3",
            ".1.3.6.1.2.1.2.2.1.3.3",
            "iso.3.6.1.2.1.31.1.1.1.14.1",
            "SNMPv2-SMI::mib-2.2.2.1.3.3",
            ".iso.org.dod.internet.mgmt.mib-2.interfaces.ifTable.ifEntry.ifType.3",
        ] {
            assert!(is_of_read_module(read), "{read}");
        }
        for other in [
            "F5-BIGIP-SYSTEM-MIB::sysInterfaceStatDropsIn.\"1.1\"",
            "JUNIPER-IF-MIB::ifIn1SecRate.513",
            ".iso.org.dod.internet.private.enterprises.juniperMIB.jnxMibs.ifJnx.ifJnxTable.ifJnxEntry.ifIn1SecRate.513",
            "SNMPv2-SMI::enterprises.9.2.2.1.1.6.1",
            ".1.3.6.1.4.1.9.2.2.1.1.6.1",
            "iso.3.6.1.2.1.99.1.1.1.4.1",
            "SNMPv2-SMI::mib-2.99.1.1.1.4.1",
            "ENTITY-SENSOR-MIB::entPhySensorValue.1",
            "entPhySensorValue.1",
        ] {
            assert!(!is_of_read_module(other), "{other}");
        }
    }
}
