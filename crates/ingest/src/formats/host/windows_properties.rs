//! `Get-NetAdapterAdvancedProperty` of PowerShell: what a driver is set to, a row a setting.
//!
//! <https://learn.microsoft.com/powershell/module/netadapter/get-netadapteradvancedproperty>

use super::command::{facts, is_only};
use super::given::Given;
use super::windows::typed_words;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Interface, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "Get-NetAdapterAdvancedProperty",
    group: Group::Hosts,
    reads: "what the driver of a Windows host's interface is set to: buffers, jumbo packets, offloads, flow control",
    first: "NPGg",
    has_command: true,
    marks: Some(|| Marks::of(["DisplayName", "get-netadapteradvancedproperty"])),
    starts: |line| columns(line).is_some() || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return line.trim_ascii().is_empty() && block.len() == 1
                || columns(line).is_some()
                || is_short_head(line) && block.first().is_some_and(|first| named(first).is_some());
        }
        if block.has(is_short_head) {
            return is_ruler(line) || short_row(block, line).is_some();
        }
        block
            .first_such(|line| columns(line).is_some())
            .and_then(columns)
            .is_some_and(|columns| is_ruler(line) || row(&columns, line).is_some())
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    typed_words(line)
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("get-netadapteradvancedproperty"))
}

/// `DisplayName   DisplayValue`: the columns that people choose where they ask for one interface.
fn is_short_head(line: &str) -> bool {
    line.split_ascii_whitespace().eq(["DisplayName", "DisplayValue"])
}

/// The one interface that a command names: `-Name "Ethernet 2"`.
fn named(line: &str) -> Option<&str> {
    let at = line.to_ascii_lowercase().find(" -name ")?;
    let text = line.get(at + " -name ".len()..)?.trim_ascii_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let name = match quote {
        Some(quote) => text.get(1..)?.split(quote).next()?,
        None => text.split([' ', '|']).next()?,
    };
    (!name.is_empty() && !name.contains(['*', '?', ',', '$'])).then_some(name)
}

/// A setting and its value below such a head; the second column begins where its head does.
fn short_row<'l>(block: &Block, line: &'l str) -> Option<(&'l str, &'l str)> {
    let second = block.first_such(is_short_head)?.find("DisplayValue")?;
    let (setting, value) = line.split_at_checked(second)?;
    let is_apart = setting.ends_with(' ') && !value.starts_with(' ') && !value.trim_ascii().is_empty();
    let setting = setting.trim_ascii();
    (is_apart && !setting.is_empty() && !is_ruler(line) && !is_short_head(line))
        .then(|| (setting, value.trim_ascii()))
}

/// Where the columns of name, setting and value begin, and where the last of these ends.
type Columns = [usize; 4];

fn columns(line: &str) -> Option<Columns> {
    let mut words = line.split_ascii_whitespace();
    let is_head = words.next() == Some("Name")
        && words.next() == Some("DisplayName")
        && words.next() == Some("DisplayValue")
        && words.next() == Some("RegistryKeyword");
    is_head.then_some(())?;
    Some([
        line.find("Name")?,
        line.find("DisplayName")?,
        line.find("DisplayValue")?,
        line.find("RegistryKeyword")?,
    ])
}

fn is_ruler(line: &str) -> bool {
    !line.trim_ascii().is_empty() && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// The interface, the setting and its value. Each column begins behind a blank.
fn row<'l>(columns: &Columns, line: &'l str) -> Option<[&'l str; 3]> {
    let cell = |from: usize, to: usize| {
        let text = line.get(from..to)?;
        let is_apart = text.ends_with(' ') && !text.starts_with(' ');
        Some(text.trim_ascii_end()).filter(|_| is_apart)
    };
    let [name, setting, value, keyword] = *columns;
    let behind = line.get(keyword..)?;
    if behind.starts_with(' ') || behind.is_empty() {
        return None;
    }
    Some([cell(name, setting)?, cell(setting, value)?, cell(value, keyword)?])
}

/// PowerShell shortens what does not fit, and then it is no name and no value any more.
fn is_whole(text: &str) -> bool {
    !text.is_empty() && !text.ends_with("...") && !text.ends_with('\u{2026}')
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut open = None;
    let mut interfaces: BTreeMap<&str, Given<String>> = BTreeMap::new();
    let one = block.first().and_then(named).unwrap_or_default();
    for (number, line) in block.numbered() {
        if let Some((setting, value)) = short_row(block, line).filter(|_| number != block.first_line) {
            if is_whole(setting) && is_whole(value) {
                let given = interfaces.entry(one).or_default();
                given.put(findings, number, setting, value.to_owned());
            } else {
                findings.complain(number, "shortened to fit: not used");
            }
        } else if is_short_head(line) {
        } else if let Some(found) = columns(line) {
            open = Some(found);
        } else if is_ruler(line) || line.trim_ascii().is_empty() || number == block.first_line {
        } else {
            match open.and_then(|columns| row(&columns, line)) {
                Some([name, setting, value]) if is_whole(name) && is_whole(setting) && is_whole(value) => {
                    let given = interfaces.entry(name).or_default();
                    given.put(findings, number, setting, value.to_owned());
                }
                Some(_) => findings.complain(number, "shortened to fit: not used"),
                None => findings.unread(number, line),
            }
        }
    }
    for (name, given) in interfaces.into_iter().filter(|(_, given)| !given.is_empty()) {
        let values = given.into_values().into_iter();
        let interface = Interface {
            name: name.to_owned(),
            other: values
                .map(|(setting, value)| (format!("advanced.{setting}"), value))
                .collect(),
            ..Interface::default()
        };
        let facts = HostFacts {
            interface: Some(interface),
            ..facts(block)
        };
        findings.record(
            block,
            "Get-NetAdapterAdvancedProperty",
            context.at,
            Payload::HostFacts(facts),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_their_columns() {
        let head = "Name      DisplayName     DisplayValue     RegistryKeyword RegistryValue";
        let columns = columns(head).unwrap();
        let line = "SAN A     Jumbo Packet    9014 Bytes       *JumboPacket    {9014}";
        assert_eq!(row(&columns, line), Some(["SAN A", "Jumbo Packet", "9014 Bytes"]));
        assert_eq!(
            row(&columns, "SAN A  Jumbo Packet  9014 Bytes  *JumboPacket {9014}"),
            None
        );
        assert!(!is_whole("Interrupt Mo..."));
    }
}
