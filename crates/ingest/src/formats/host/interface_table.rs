//! `netstat -i`: a table of interfaces. Linux has its own columns, the BSDs, macOS and Solaris share theirs: a row an
//! address, of which only the row of the link counts packets of the interface.

use super::command::{arguments, is_only};
use super::given::Given;
use super::netstat_w;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::counted::{Words, count};
use crate::formats::interface::section::device;
use evidence::{CounterKind, InterfaceCounters, Payload};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) static FORMAT: Format = Format {
    name: "netstat -i",
    group: Group::Hosts,
    reads: "counters and MTU of interfaces: Linux, FreeBSD, OpenBSD, macOS, Solaris",
    first: "KINn",
    has_command: true,
    marks: Some(|| Marks::of(["RX-OK", "Ipkts", "Kernel ", "netstat"])),
    starts: |line| is_head(line) || is_title(line) || is_command(line),
    continues: |block, line| {
        if !block.has(is_head) {
            return is_head(line)
                || is_title(line) && is_only(block, is_command)
                || block.first().is_some_and(is_command) && linux_columns(line).is_some();
        }
        row(line).is_some() || is_without(line)
    },
    takes_in: None,
    read,
};

fn is_title(line: &str) -> bool {
    // `column -t` puts more blanks between the words.
    line.starts_with("Kernel ") && line.split_ascii_whitespace().eq(["Kernel", "Interface", "table"])
}

/// `eth0:1  1500   0      - no statistics available -   BMRU`: an alias.
fn is_without(line: &str) -> bool {
    line.contains("- no statistics available -")
}

fn is_head(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match (words.next(), words.next()) {
        (Some("Iface"), Some("MTU")) => line.contains(" RX-OK"),
        (Some("Name"), Some("Mtu" | "MTU")) => line.contains(" Ipkts"),
        _ => false,
    }
}

fn is_command(line: &str) -> bool {
    !netstat_w::is_command(line)
        && arguments(line, "netstat").is_some_and(|mut words| {
            words.any(|word| {
                word.strip_prefix('-').is_some_and(|options| {
                    options.starts_with(['i', 'I']) || options.contains('i') && !options.contains(['s', 'r'])
                })
            })
        })
}

/// `eth0  1500  30315 …`: an interface and its MTU, and the words behind.
fn row(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [name, mtu, rest @ ..] = words.as_slice() else {
        return None;
    };
    let is_mtu = |word: &str| word.len() < 8 && word.bytes().all(|byte| byte.is_ascii_digit());
    let named = name.len() <= 32
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && !line.starts_with(' ');
    let figures = rest
        .iter()
        .filter(|word| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'));
    (named && (is_mtu(mtu) || *mtu == "-" || *mtu == "none") && figures.count() >= 3).then_some(words)
}

const COLUMNS: &Words = &[
    ("Coll", CounterKind::Collisions),
    ("Collis", CounterKind::Collisions),
    ("Colls", CounterKind::Collisions),
    ("Drop", CounterKind::OutputDrops),
    ("Ibytes", CounterKind::InputBytes),
    ("Idrop", CounterKind::InputDiscards),
    ("Ierrs", CounterKind::InputErrors),
    ("Ifail", CounterKind::InputErrors),
    ("Ipkts", CounterKind::InputPackets),
    ("Obytes", CounterKind::OutputBytes),
    ("Oerrs", CounterKind::OutputErrors),
    ("Ofail", CounterKind::OutputErrors),
    ("Opkts", CounterKind::OutputPackets),
    ("RX-DRP", CounterKind::InputDiscards),
    ("RX-ERR", CounterKind::InputErrors),
    ("RX-OK", CounterKind::InputPackets),
    ("RX-OVR", CounterKind::InputOverrun),
    ("TX-DRP", CounterKind::OutputDrops),
    ("TX-ERR", CounterKind::OutputErrors),
    ("TX-OK", CounterKind::OutputPackets),
    ("TX-OVR", CounterKind::OutputUnderruns),
];

/// What stands above the columns of Linux, which a filter took away: the order was the same in every version, but for `Met`, which
/// is 0 and went with net-tools 2.10.
const LINUX: [&str; 11] = [
    "Iface", "MTU", "RX-OK", "RX-ERR", "RX-DRP", "RX-OVR", "TX-OK", "TX-ERR", "TX-DRP", "TX-OVR", "Flg",
];

/// The columns of a row of Linux, which ends with its flags.
fn linux_columns(line: &str) -> Option<Vec<&'static str>> {
    let words = row(line)?;
    let (flags, figures) = words.split_last()?;
    let is_of_linux = flags.bytes().all(|byte| byte.is_ascii_uppercase())
        && figures
            .iter()
            .skip(1)
            .all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let mut columns = LINUX.to_vec();
    match words.len().checked_sub(columns.len()) {
        Some(0) => {}
        Some(1) => columns.insert(2, "Met"),
        _ => return None,
    }
    is_of_linux.then_some(columns)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let first_row = block.get(1).filter(|_| !block.has(is_head));
    let mut columns: Option<Vec<&str>> = first_row.and_then(linux_columns);
    let mut seen: Given<String> = Given::default();
    let mut rows = 0;
    let shared = shared_names(block);
    for (number, line) in block.numbered() {
        if is_head(line) {
            columns = Some(line.split_ascii_whitespace().collect());
        } else if is_without(line) {
        } else if let (Some(columns), Some(words)) = (&columns, row(line)) {
            rows += 1;
            let Some(figures) = figures(columns, &words) else {
                findings.complain(number, "not as many figures as columns");
                continue;
            };
            let (Some(name), Some(mtu)) = (words.first(), words.get(1)) else {
                continue;
            };
            if !is_of_link(columns, &words) {
                continue;
            }
            if shared.contains(*name) {
                findings.complain(
                    number,
                    format!("several interfaces go by {name}, as names are cut"),
                );
                continue;
            }
            if seen.get(name).is_some() {
                // Solaris and older BSDs give a row an address: the packets of the interface stand in the first.
                continue;
            }
            seen.put(findings, number, *name, String::new());
            let mut interface = InterfaceCounters {
                device: device(block, context),
                interface: name.trim_end_matches('*').to_owned(),
                // macOS prints 0 for what was never set up.
                mtu_bytes: mtu.parse().ok().filter(|mtu| *mtu > 0),
                up: up(name, figures.flags),
                ..InterfaceCounters::default()
            };
            for (column, figure) in figures.counted {
                match figure.parse() {
                    Ok(value) => count(&mut interface, COLUMNS, "", column, value),
                    Err(_) if figure == "-" => {}
                    Err(_) => findings.complain(number, format!("no counter: {column} {figure}")),
                }
            }
            findings.record_of(
                (number, number),
                "netstat -i",
                context.at,
                Payload::InterfaceCounters(interface),
            );
        } else if number != block.first_line {
            findings.unread(number, line);
        }
    }
    if columns.is_some() && rows == 0 {
        findings.nothing_to_say();
    }
}

/// Names that stand in rows of different links: macOS cuts names to five letters, and `vmnet1` and `vmnet8` look alike.
fn shared_names(block: &Block) -> BTreeSet<&str> {
    let mut links: BTreeMap<&str, &str> = BTreeMap::new();
    let mut shared = BTreeSet::new();
    for words in block.lines().filter_map(row) {
        if let [name, _, link, ..] = words.as_slice()
            && link.starts_with("<Link")
            && links.insert(name, link).is_some_and(|known| known != *link)
        {
            shared.insert(*name);
        }
    }
    shared
}

/// A star behind a name says that the interface is down (BSD); Linux has a letter a flag.
fn up(name: &str, flags: Option<&str>) -> Option<bool> {
    if name.ends_with('*') {
        return Some(false);
    }
    flags.map(|flags| flags.contains('U') && flags.contains('R'))
}

struct Figures<'a> {
    /// Columns with their figures.
    counted: Vec<(&'a str, &'a str)>,
    flags: Option<&'a str>,
}

/// The figures of a row by their columns; `None` where there are not as many.
fn figures<'a>(columns: &[&'a str], words: &[&'a str]) -> Option<Figures<'a>> {
    if columns.first() == Some(&"Iface") {
        let whole = columns.len() == words.len() && columns.last() == Some(&"Flg");
        let flags = words.last().copied();
        // `Met` of old versions is no counter.
        let pairs = columns.iter().copied().zip(words.iter().copied());
        let counted = pairs.filter(|(column, _)| column.contains('X'));
        return whole.then(|| Figures {
            counted: counted.collect(),
            flags,
        });
    }
    // The address of a link may be left out.
    let counted_from = columns.iter().position(|column| *column == "Ipkts")?;
    let mut from = counted_from;
    if words
        .get(3)
        .is_some_and(|word| counted_from == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
    {
        from = 3;
    }
    let (mut columns, figures) = (columns.get(counted_from..)?, words.get(from..)?);
    // macOS leaves the last column blank where it does not count: `Drop` of an interface without a queue.
    if columns.last() == Some(&"Drop") && columns.len() == figures.len() + 1 {
        columns = columns.split_last()?.1;
    }
    (columns.len() == figures.len()).then(|| Figures {
        counted: columns.iter().copied().zip(figures.iter().copied()).collect(),
        flags: None,
    })
}

/// Whether a row counts what the interface did: BSD marks it; Solaris has no other rows.
fn is_of_link(columns: &[&str], words: &[&str]) -> bool {
    let is_bsd = columns.get(2) == Some(&"Network");
    !is_bsd
        || words
            .get(2)
            .is_some_and(|network| network.starts_with("<Link") || network.starts_with("link#"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::interface::counted::is_sorted;

    #[test]
    fn words_are_found() {
        assert!(is_sorted(COLUMNS));
    }

    #[test]
    fn names_that_are_cut_name_nobody() {
        let text = "Name  Mtu   Network       Address            Ipkts Ierrs    Opkts Oerrs  Coll\n\
                    vmnet 1500  <Link#19>   02:00:5e:00:55:02      120     0      881     0     0\n\
                    vmnet 1500  <Link#20>   02:00:5e:00:55:03     1853     0        7     0     0\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints.len()), (0, 2));
    }

    #[test]
    fn the_address_of_a_link_may_be_missing() {
        let columns = [
            "Name", "Mtu", "Network", "Address", "Ipkts", "Ierrs", "Opkts", "Oerrs", "Coll",
        ];
        let with = [
            "em0",
            "1500",
            "<Link#1>",
            "02:00:00:00:00:01",
            "7",
            "0",
            "8",
            "0",
            "0",
        ];
        let without = ["lo0", "16384", "<Link#2>", "7", "0", "8", "0", "0"];
        for words in [&with[..], &without[..]] {
            assert_eq!(figures(&columns, words).unwrap().counted[0], ("Ipkts", "7"));
        }
        assert!(figures(&columns, &with[..8]).is_none() && figures(&columns[..8], &with).is_none());
    }
}
