//! One line of a walk: which object of which index, and its value, in every output form of Net-SNMP (snmpcmd(1), `-O`).

use super::objects::{Object, named, numbered};
use crate::command::Run;
use memchr::memmem::Finder;
use memchr::{memchr_iter, memchr2};
use std::sync::LazyLock;

/// An object and its value as printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// `None` for one that says nothing here.
    pub(super) object: Option<&'static Object>,
    pub(super) index: &'a str,
    pub(super) value: &'a str,
}

/// Reads `IF-MIB::ifInOctets.1 = Counter32: 5` and what `-On`, `-Os`, `-Oq`, `-OQ`, `-OX`, `-Of` and `-Ou` make of it.
/// `None` for a line that names no object.
pub(super) fn line(text: &str) -> Option<Line<'_>> {
    let end = memchr2(b' ', b'\t', text.as_bytes()).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let first = *name.as_bytes().first()?;
    if !first.is_ascii_alphanumeric() && first != b'.' {
        return None;
    }
    let (object, index) = object(name)?;
    let rest = rest.trim_ascii_start();
    let value = match rest.strip_prefix('=') {
        Some(value) => value,
        // Without the sign (`-Oq`) only names that nothing else has are believed.
        None if (object.is_some() || is_qualified(name)) && !rest.is_empty() => rest,
        None if object.is_some() && text.len() > name.len() || is_qualified(name) => "",
        None => return None,
    };
    let known_shape = object.is_some() || typed(value.trim_ascii()).is_some() || is_qualified(name);
    known_shape.then_some(Line {
        object,
        index,
        value: value.trim_ascii(),
    })
}

/// Whether the name of an object carries its module or the whole path: nothing else looks like it.
fn is_qualified(name: &str) -> bool {
    name.contains("-MIB::")
        || name.contains("-SMI::")
        || name.contains("-TC::")
        || is_number(name)
        || name.starts_with(".iso.")
}

fn is_number(name: &str) -> bool {
    name.starts_with(".1.3.6.") || name.starts_with("iso.3.6.") || name.starts_with("1.3.6.1.")
}

/// Whether the line may be of a wide counter, as far as a glance tells: its name says so, or it has a number.
pub(super) fn may_be_wide(text: &str) -> bool {
    let [wide, numbered, ethernet] = &*MAY_BE_WIDE;
    let has = |what: &Finder<'_>| what.find(text.as_bytes()).is_some();
    is_number(text) || has(wide) || has(numbered) || has(ethernet)
}

static MAY_BE_WIDE: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["HC", "mib-2.", "transmission."].map(Finder::new));

/// What a name stands for: `Some((None, _))` for an object that is of no use here.
fn object(name: &str) -> Option<(Option<&'static Object>, &str)> {
    let below = |prefix: &str| {
        let number = name.strip_prefix(prefix)?.strip_prefix("3.6.1.2.1.")?;
        Some(numbered(number))
    };
    if is_number(name) {
        let found = [".1.", "iso.", "1."].into_iter().find_map(below).flatten();
        return Some(found.map_or((None, ""), |(object, index)| (Some(object), index)));
    }
    let mut colons = memchr_iter(b':', name.as_bytes());
    let label = colons.find_map(|at| name.get(at..)?.strip_prefix("::"));
    let (is_of_module, label) = (label.is_some(), label.unwrap_or(name));
    if let Some(number) = label.strip_prefix("mib-2.") {
        return Some(numbered(number).map_or((None, ""), |(object, index)| (Some(object), index)));
    }
    if let Some(number) = label.strip_prefix("transmission.7.") {
        // `transmission` is mib-2.10, and dot3 its 7.
        let found = name.find(number).and_then(|_| numbered_ethernet(number));
        return Some(found.map_or((None, ""), |(object, index)| (Some(object), index)));
    }
    named_part(label).or_else(|| {
        let indexed = label.contains(['.', '[']);
        (indexed && (is_of_module || label.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.')))
            .then_some((None, ""))
    })
}

fn numbered_ethernet(number: &str) -> Option<(&'static Object, &str)> {
    // The table has whole numbers only; the index is a part of what was given.
    let whole = format!("10.7.{number}");
    let (object, index) = numbered(&whole)?;
    let start = number.len().checked_sub(index.len())?;
    Some((object, number.get(start..)?))
}

/// The first part of a name that is an object: `-Of` and `-Ou` put the folders of the tree before it.
fn named_part(label: &str) -> Option<(Option<&'static Object>, &str)> {
    let mut rest = label;
    loop {
        let is_end = |byte: u8| matches!(byte, b'.' | b'[');
        let end = rest.bytes().position(is_end).unwrap_or(rest.len());
        let (part, behind) = rest.split_at_checked(end)?;
        if let Some(object) = named(part) {
            let opening = behind.bytes().take_while(|byte| is_end(*byte)).count();
            let index = behind.get(opening..)?.trim_end_matches(']');
            return (!index.is_empty() || object.name == "sysUpTimeInstance")
                .then_some((Some(object), if index.is_empty() { "0" } else { index }));
        }
        rest = behind.get(1..)?;
    }
}

fn is_type(name: &str) -> bool {
    matches!(
        name,
        "BITS"
            | "Counter32"
            | "Counter64"
            | "Gauge32"
            | "Hex-STRING"
            | "INTEGER"
            | "IpAddress"
            | "NULL"
            | "Network Address"
            | "OID"
            | "Opaque"
            | "STRING"
            | "Timeticks"
            | "UInteger32"
            | "Unsigned32"
    )
}

/// Of the name of a type, bytes.
const LONGEST_TYPE: usize = 15;

/// A value behind its type: `Counter32: 5`.
pub(super) fn typed(value: &str) -> Option<(&str, &str)> {
    // Most values have no type, and the others begin with it.
    let (kind, rest) = value.split_at_checked(
        value
            .bytes()
            .take(LONGEST_TYPE + 1)
            .position(|byte| byte == b':')?,
    )?;
    let rest = rest.get(1..)?;
    is_type(kind).then_some((kind, rest.trim_ascii()))
}

/// The value without its type. An agent that answers with another type than its MIB says is told of first.
fn bare(value: &str) -> &str {
    let value = match value.strip_prefix("Wrong Type (should be ") {
        Some(rest) => rest.split_once("): ").map_or(value, |(_, value)| value),
        None => value,
    };
    typed(value).map_or(value, |(_, value)| value)
}

/// What an agent says instead of a value.
pub(super) fn is_absent(value: &str) -> bool {
    let value = value.trim_ascii();
    value.is_empty()
        || value == "\"\""
        || value == "NULL"
        || value.starts_with("No Such ")
        || value.starts_with("No more variables")
}

/// A count.
pub(super) fn count(value: &str) -> Option<u64> {
    let value = bare(value);
    if let Ok(number) = value.parse() {
        return Some(number);
    }
    let mut words = value.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    // A unit of the MIB's may follow: `200 milliseconds`.
    words
        .all(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .then_some(number)
}

/// A text without its quotes; `None` for an empty one.
pub(super) fn text(value: &str) -> Option<&str> {
    let text = bare(value).trim_matches('"').trim_ascii();
    (!text.is_empty() && !is_absent(value)).then_some(text)
}

/// Net-SNMP writes so many bytes of a text in a line.
const BYTES_OF_LINE: usize = 16;

/// A text as people read it: one with letters beyond ASCII is written in hexadecimal digits. Nothing but a zero tells that it does not go on
/// in the next line. `None` for what may, and for what is no text.
pub(super) fn spelled(value: &str) -> Option<String> {
    written(value, |bytes| bytes.ends_with(&[0]))
}

/// A description, for which it is enough that the line is not full: one that was cut off makes nothing another's.
pub(super) fn described(value: &str) -> Option<String> {
    written(value, |bytes| {
        bytes.ends_with(&[0]) || bytes.len() < BYTES_OF_LINE
    })
}

fn written(value: &str, is_whole: fn(&[u8]) -> bool) -> Option<String> {
    let Some(digits) = value.trim_ascii_start().strip_prefix("Hex-STRING:") else {
        return text(value).map(str::to_owned);
    };
    let bytes = digits.split_ascii_whitespace();
    let bytes: Option<Vec<u8>> = bytes.map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    let mut bytes = bytes.filter(|bytes| is_whole(bytes))?;
    while bytes.pop_if(|last| *last == 0).is_some() {}
    let is_text = !bytes.is_empty() && bytes.iter().all(|byte| *byte >= b' ' && *byte != 0x7f);
    // Agents that do not write UTF-8 write Latin letters in a byte each.
    let latin = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect();
    is_text.then(|| String::from_utf8(bytes).unwrap_or_else(|no| latin(no.as_bytes())))
}

/// An enumeration as its number: `up(1)`, `1`, or its word as `words` has them from 1 on.
pub(super) fn choice(value: &str, words: &[&str]) -> Option<usize> {
    let value = bare(value);
    if let Ok(number) = value.parse() {
        return Some(number);
    }
    if let Some((_, number)) = value.strip_suffix(')').and_then(|v| v.split_once('(')) {
        return number.parse().ok();
    }
    words
        .iter()
        .position(|word| *word == value)
        .map(|place| place + 1)
}

/// Hundredths of a second: `Timeticks: (2780) 0:00:27.80`, `2780`, `0:0:00:27.80` (days first, `-Oq`).
pub(super) fn ticks(value: &str) -> Option<u64> {
    let value = bare(value);
    if let Some(rest) = value.strip_prefix('(') {
        return rest.split_once(')')?.0.parse().ok();
    }
    if let Ok(ticks) = value.parse() {
        return Some(ticks);
    }
    let (whole, hundredths) = value.split_once('.')?;
    let mut parts = whole.split(':').map(|part| part.parse::<u64>().ok());
    let seconds = [86_400, 3600, 60, 1].into_iter().try_fold(0_u64, |sum, unit| {
        sum.checked_add(parts.next()??.checked_mul(unit)?)
    })?;
    let hundredths: u64 = hundredths.parse().ok().filter(|_| hundredths.len() == 2)?;
    parts.next().is_none().then_some(())?;
    seconds.checked_mul(100)?.checked_add(hundredths)
}

const PROGRAMS: [&str; 5] = [
    "snmpwalk",
    "snmpbulkwalk",
    "snmpget",
    "snmpgetnext",
    "snmpbulkget",
];

static FAMILY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("snmp"));

/// Whether a line runs a program that prints objects, with a prompt before it or without.
pub(super) fn is_command(text: &str) -> bool {
    command(text).is_some_and(|(program, _)| prints_objects(program))
}

pub(super) fn prints_objects(program: &str) -> bool {
    PROGRAMS.contains(&program)
}

/// A command of the Net-SNMP family, and the agent that it asks.
pub(super) fn command(text: &str) -> Option<(&str, Option<&str>)> {
    // Asked of every line: what all the names begin with is looked for first.
    FAMILY.find(text.as_bytes())?;
    let run = Run::find(text, |name| PROGRAMS.contains(&name) || name == "snmptable")?;
    let (program, mut words) = (run.program, run.words());
    let (mut agent, mut options) = (None, 0);
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            // Each of its options takes a value, in the same word or the next one.
            Some(option) => {
                options += 1;
                if option.len() == 1 {
                    words.next();
                }
            }
            None => {
                agent = Some(word);
                break;
            }
        }
    }
    (options > 0).then_some((program, agent.map(host_of)))
}

/// `udp:192.0.2.1:161`, `rtr1.example:161`, `udp6:[2001:db8::1]:161`: the host in it.
fn host_of(agent: &str) -> &str {
    let agent = [
        "udp:", "udp6:", "tcp:", "tcp6:", "udpv6:", "tcpv6:", "dtlsudp:", "tlstcp:",
    ]
    .iter()
    .find_map(|transport| agent.strip_prefix(transport))
    .unwrap_or(agent);
    if let Some((address, _)) = agent.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address;
    }
    match agent.split_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => agent,
    }
}

/// Whether the first word may name an object, as far as a glance tells: all but one stand before an index or in a tree.
pub(super) fn may_name_object(text: &str) -> bool {
    let mut name = text.bytes().take_while(|byte| !matches!(byte, b' ' | b'\t'));
    name.any(|byte| matches!(byte, b'.' | b'['))
}

/// Words of which other lines than those of objects hold one: commands, remarks, and the object that needs no index.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let others = ["snmp", "sysUpTimeInstance", UNKNOWN_OBJECT];
    REMARKS.into_iter().chain(others)
}

const UNKNOWN_OBJECT: &str = ": Unknown Object Identifier";

const REMARKS: [&str; 9] = [
    "Timeout: No Response from",
    "No more variables left in this MIB View",
    "MIB search path:",
    "Cannot find module (",
    "Did not find '",
    "Unlinked OID in ",
    "Undefined identifier: ",
    "Cannot adopt OID in ",
    "Created directory: /var/lib/snmp",
];

/// What the tools say beside objects.
pub(super) fn is_remark(text: &str) -> bool {
    REMARKS.iter().any(|remark| text.starts_with(remark))
        || text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.')
            && text.trim_ascii_end().ends_with(UNKNOWN_OBJECT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_of_a_wide_counter_is_missed() {
        for text in [
            "IF-MIB::ifHCInOctets.7 = Counter64: 5",
            ".1.3.6.1.2.1.31.1.1.1.6.7 = Counter64: 5",
            "iso.3.6.1.2.1.31.1.1.1.6.7 = Counter64: 5",
            "1.3.6.1.2.1.31.1.1.1.6.7 5",
            "SNMPv2-SMI::mib-2.31.1.1.1.6.7 = Counter64: 5",
            "mib-2.31.1.1.1.6.7 = Counter64: 5",
            "ifHCInOctets.7 5",
            ".iso.org.dod.internet.mgmt.mib-2.ifMIB.ifMIBObjects.ifXTable.ifXEntry.ifHCInOctets.7 = Counter64: 5",
            "EtherLike-MIB::dot3HCStatsFCSErrors.7 = Counter64: 5",
            "SNMPv2-SMI::transmission.7.11.1.3.7 = Counter64: 5",
        ] {
            let is_wide = line(text).and_then(|line| line.object?.is_wide()).is_some();
            assert!(is_wide && may_be_wide(text), "{text}");
        }
        assert!(!may_be_wide("IF-MIB::ifInOctets.7 = Counter32: 5"));
    }

    #[test]
    fn every_form_names_the_same_object() {
        for text in [
            "IF-MIB::ifInOctets.7 = Counter32: 5",
            "RFC1213-MIB::ifInOctets.7 = Counter32: 5",
            ".1.3.6.1.2.1.2.2.1.10.7 = Counter32: 5",
            "iso.3.6.1.2.1.2.2.1.10.7 = Counter32: 5",
            "SNMPv2-SMI::mib-2.2.2.1.10.7 = Counter32: 5",
            "mib-2.2.2.1.10.7 = Counter32: 5",
            "ifInOctets.7 = Counter32: 5",
            "ifInOctets.7 5",
            "IF-MIB::ifInOctets.7 = 5",
            "IF-MIB::ifInOctets[7] = Counter32: 5",
            ".iso.org.dod.internet.mgmt.mib-2.interfaces.ifTable.ifEntry.ifInOctets.7 = Counter32: 5",
            "interfaces.ifTable.ifEntry.ifInOctets.7 = Counter32: 5",
            "IF-MIB::ifInOctets.7 = Wrong Type (should be Counter32): Gauge32: 5",
        ] {
            let read = line(text).unwrap();
            let name = read.object.map(|object| object.name);
            assert_eq!(
                (name, read.index, count(read.value)),
                (Some("ifInOctets"), "7", Some(5)),
                "{text}"
            );
        }
        let ethernet = line("SNMPv2-SMI::transmission.7.2.1.3.4 = Counter32: 9").unwrap();
        assert_eq!(
            (ethernet.object.unwrap().name, ethernet.index),
            ("dot3StatsFCSErrors", "4")
        );
        for prose in [
            "the.end = 5",
            "ifInOctets grows",
            "see IF-MIB::ifInOctets",
            "eth0.100 = 5",
            "a = b",
            "",
        ] {
            assert!(line(prose).is_none(), "{prose}");
        }
    }

    #[test]
    fn values() {
        assert_eq!(ticks("Timeticks: (123456) 0:20:34.56"), Some(123_456));
        assert_eq!(ticks("1:2:03:04.05"), Some(9_378_405));
        assert_eq!(
            (count("Counter64: x1"), count("INTEGER: 200 milliseconds")),
            (None, Some(200))
        );
        assert_eq!(count("Counter32: -1"), None);
        assert_eq!(text("STRING: \"Gi0/1\""), Some("Gi0/1"));
        assert_eq!(choice("INTEGER: down(2)", &["up", "down"]), Some(2));
        assert_eq!(choice("down", &["up", "down"]), Some(2));
        assert!(is_absent("No Such Instance currently exists at this OID"));
    }

    #[test]
    fn the_agent_of_a_command() {
        for (text, agent) in [
            ("$ snmpwalk -v2c -c public 192.0.2.1 ifTable", Some("192.0.2.1")),
            (
                "ops@nms:~$ snmpbulkwalk -v 2c -c public -Os udp6:[2001:db8::1]:161 ifXTable",
                Some("2001:db8::1"),
            ),
            (
                "snmpget -v3 -l authPriv -u ops rtr1.example:1161 sysName.0",
                Some("rtr1.example"),
            ),
        ] {
            assert_eq!(command(text).unwrap().1, agent, "{text}");
        }
        assert!(command("snmpwalk is a tool").is_none() && !is_command("$ snmptable -v2c x"));
    }
}
