//! Tables whose headings are always the same words: of SONiC, Cumulus, EXOS, Huawei, Comware, SR OS, F5, Cisco's QFP. A table is data
//! (`fixed_tables.rs`): its heading, a line or two, and what each column holds.

use super::fixed_columns::{Holds, OF_COMMAND, Table, WORDS};
use super::fixed_lines::{heading_of, is_beside, is_bundle, is_command, is_empty_row, is_slot};
use super::fixed_tables::TABLES;
use super::gathered::{About, Gathered, Said, Traffic};
use super::is_rule;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::preface::is_preface;
use crate::formats::interface::section::device;
use crate::formats::interface::value::rate;
use crate::prompt::command_line;
use crate::text::grouped;
use Holds::{Bits, Count, Kbits, Label, Mtu, Nothing, PerSecond, Rounded, Up};
use evidence::RateBps;

pub(crate) static FORMAT: Format = Format {
    name: "tables of ports",
    group: Group::Interfaces,
    reads: "SONiC queue, WRED and PFC counters, EOS `show interfaces counters queue`, VyOS `show interfaces counters`, NX-OS `show interface priority-flow-control`, Cumulus `net show counters`, Solaris `dladm show-link -s`, \
            EXOS `show ports statistics`, `congestion`, `txerrors`, `rxerrors`, Huawei `display interface brief`, IOS XR \
            `show interfaces brief`, SR OS `show port PORT statistics`, F5 `show net interface`, `trunk`, IOS XE `show platform hardware qfp active statistics drop`, Comware \
            `display counters inbound interface`, `outbound`, `display counters rate`",
    first: "CDEFMPQIKLNSGORTUX2=*^(>#n-",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "Counter/pkts",
            "Trim/pkts",
            "WredDrp/pkts",
            "Rx Packets",
            "(pps)",
            "queue counters",
            "queue wredcounters",
            " counters queue",
            "Egress Queue Counters",
            " LineP ",
            " (Kbps)",
            "PFC0",
            "RxPPP",
            "priority-flow-control",
            "RX_DRP",
            "Deferred",
            "Jabber",
            "InUti",
            "Link",
            "show queue counters",
            "show pfc counters",
            "net show counters",
            "nv show interface counters",
            "dladm show-link -",
            "IPACKETS",
            "show port",
            "display interface brief",
            "dis int brief",
            "display counters ",
            "dis counters ",
            "(pkts)",
            "Overflow: More than",
            "Usage: Bandwidth",
            "--: Not supported",
            "netstat -i",
            "show net interface",
            "show net trunk",
            "Net::Interface",
            "Net::Trunk",
            " Bits ",
            "show policer",
            "show firewall",
            "hardware qfp active ",
            " Stats  ",
            "In(bps)",
            "LACPDUs",
            "Pkts Err",
            "Platform Handle ",
            " stats are not enabled",
            "Quit='q'",
            "Next set='n'",
            "(General='g'",
            " drop stats are only",
            "the interface stats",
            "Drop Stats Summary",
            "NOTE: Clear lacp",
            "show lacp counters",
            "QFP drops statistics",
            " ago)",
            "Global Drop Stats",
            "Ingress",
            "Octets",
            "Tx Pkt",
            " Out ",
            "State ",
            "in Count indicates",
            "Packet",
            "Port Congestion Monitor",
            " INTERNAL ",
            "Port Ethernet Error",
            "MAC_RX",
            " Xtra",
            "Sub port ",
            "Down, Dn - Down",
            "Switched layer 2",
            "Match on Cos",
            "Ingress rewrite",
            "show ethernet tags",
            "Port Statistics",
            "Error Monitor",
            "Error monitor",
            "Error Statistics",
            "indicates Port Display Name",
            "Kernel Interface table",
            "in Port indicates",
            "Spacebar->",
            "Counters:",
            "For namespace",
            "Media: !-Unsupported",
            "Port State: D-",
            "Filter: ",
            "Policers:",
            "Bytes",
            "Mbits/s",
            "MB/s",
            "(rate is ",
            "Rate ",
            "counters brief",
            "Link State: A-Active",
            "PHY: Physical",
            "No. of pause frames",
            "down: ",
            "): ",
        ])
    }),
    starts: |line| heading_of(line).is_some() || is_command(line) || is_beside(line),
    continues,
    takes_in: None,
    read,
};

/// Whether the blank line at the end of a block stands right below the rule of a heading.
pub(super) fn is_below_rule(block: &Block) -> bool {
    let mut above = block.lines().rev();
    let is_blank = above.next().is_some_and(|last| last.trim_ascii().is_empty());
    is_blank && above.next().is_some_and(is_rule)
}

/// Whether a line is one of such a heading.
pub(super) fn is_heading(line: &str) -> bool {
    heading_of(line).is_some()
}

/// The words of a row. A figure and its share of the speed are one: `9000/  0%`.
fn words_of(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mut is_above = false;
    words.retain(|word| !std::mem::replace(&mut is_above, word.ends_with('/')));
    words
}

/// A cell without what was counted since the last time, or the share of the speed: `26250/60`.
fn whole_of(cell: &str) -> &str {
    cell.split('/')
        .next()
        .filter(|whole| !whole.is_empty())
        .unwrap_or(cell)
}

/// `9000/`, `41.2G/`
fn bits(cell: &str) -> Option<RateBps> {
    rate(&format!("{}bps", whole_of(cell)))
}

/// The cells of a row of this table.
fn cells<'t>(table: &Table, line: &'t str) -> Option<(&'t str, Vec<&'t str>)> {
    cells_of(table, &words_of(line))
}

/// Whether a line is a row of one of the tables.
fn is_row(line: &str) -> bool {
    let words = words_of(line);
    TABLES.iter().any(|table| cells_of(table, &words).is_some())
}

/// The cells of a row of this table, of the words of the line: each of many tables is held against them.
fn cells_of<'t>(table: &Table, words: &[&'t str]) -> Option<(&'t str, Vec<&'t str>)> {
    let (port, cells) = match table.is_port_last {
        true => words.split_last()?,
        false => words.split_first()?,
    };
    let port = without_speed(port);
    if cells.len() < table.columns.len() {
        return None;
    }
    let mut cells = cells.to_vec();
    if cells.len() > table.columns.len() {
        // What stands in brackets behind a word is of the same cell: `On (8)`.
        cells.retain(|cell| !(cell.starts_with('(') && cell.ends_with(')')));
    }
    let is_name =
        port.bytes().any(|byte| byte.is_ascii_alphanumeric()) && !matches!(port, "Total" | "Totals");
    let holds = |(cell, holds): (&&str, &Holds)| match holds {
        Count(_) => {
            let whole = whole_of(cell);
            grouped(whole).is_some() || matches!(*cell, "N/A" | "--" | "-" | "Overflow") || is_rounded(whole)
        }
        Bits(_) => bits(cell).is_some(),
        Label => cell.bytes().any(|byte| byte.is_ascii_digit()),
        Mtu | Kbits | PerSecond => grouped(cell).is_some(),
        Rounded(..) => cell.parse::<f64>().is_ok(),
        Up(_) | Nothing => true,
    };
    let fits = cells.len() == table.columns.len() && cells.iter().zip(table.columns).all(holds);
    (is_name && fits).then_some((port, cells))
}

/// Huawei says behind a name what the port is capable of, where the name does not: `GigabitEthernet1/0/0(10G)`.
pub(super) fn without_speed(port: &str) -> &str {
    let split = port.strip_suffix(')').and_then(|port| port.split_once('('));
    match split {
        Some((name, speed)) if super::cell::speed_bps(speed).is_some() && speed.ends_with(['G', 'M']) => name,
        _ => port,
    }
}

/// `1.2T`, which no counter is exactly, and what did not fit its column, with a mark for what is missing, `>91827364`: both stay in the
/// device's words.
fn is_rounded(cell: &str) -> bool {
    let is_figure = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    cell.strip_suffix(['K', 'M', 'G', 'T', 'P'])
        .is_some_and(is_figure)
        || cell.strip_prefix('>').is_some_and(is_figure)
}

fn continues(block: &Block, line: &str) -> bool {
    line.trim_ascii().is_empty()
        || is_rule(line)
        || heading_of(line).is_some()
        || is_beside(line)
        || is_preface(line)
        || is_command(line)
        || is_slot(line)
        || is_bundle(line)
        || is_empty_row(line)
        || is_row(line)
            && command_line(line).is_none()
            && (is_below_rule(block)
                || block.last().is_some_and(|last| {
                    !last.trim_ascii().is_empty() && !is_command(last) && !is_beside(last)
                }))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, mut device_of) = (Gathered::default(), device(block, context));
    let mut above: Option<(&'static Table, usize)> = None;
    let mut of_bundles = None;
    let mut is_ruled = false;
    let (mut told, mut way, mut asked) = (None, "", None);
    for (number, line) in block.numbered() {
        let is_below_rule = std::mem::replace(&mut is_ruled, is_rule(line));
        if is_command(line) {
            if number > block.first_line {
                std::mem::take(&mut gathered).record(WORDS, &device_of, TOOL, context, findings);
                let named = command_line(line).and_then(|typed| typed.device());
                device_of = context.from_or(named.map(evidence::Node::named).unwrap_or_default());
            }
            (above, told, asked) = (None, way_of(line), asked_for(line));
        } else if let Some((table, place)) = heading_of(line) {
            let follows = above.is_some_and(|(before, at)| std::ptr::eq(before, table) && at + 1 == place);
            above = (place == 0 || follows).then_some((table, place));
            of_bundles = above;
            if place == 0 {
                // A command tells of one table: below a second heading its own is missing.
                way = told.take().unwrap_or_default();
                gathered.head(&format!("{way} {line}"));
            }
        } else if is_bundle(line) {
            above = of_bundles;
        } else if line.trim_ascii().is_empty() && is_below_rule || is_empty_row(line) {
        } else if line.trim_ascii().is_empty()
            || is_beside(line)
            || is_preface(line) && !is_rule(line)
            || is_slot(line)
        {
            above = None;
        } else if !is_rule(line) {
            let whole = above.filter(|(table, at)| at + 1 == table.heading.len());
            match whole.and_then(|(table, _)| Some((table, cells(table, line)?))) {
                Some((table, _)) if table.is_of_way && way.is_empty() => {
                    findings.complain(
                        number,
                        "the command that tells the direction is missing: the row is not used",
                    );
                }
                Some((table, _)) if table.of == Some(OF_COMMAND) && asked.is_none() => {
                    findings.complain(
                        number,
                        "the command that names the port is missing: the row is not used",
                    );
                }
                Some((table, (port, cells))) => {
                    let way = if table.is_of_way { way } else { "" };
                    let of = table.of.map(|of| match of {
                        OF_COMMAND => asked.as_deref().unwrap_or_default(),
                        of => of,
                    });
                    let (port, label) = of.map_or((port, way), |of| (of, port));
                    take(&mut gathered, findings, number, table, (port, way, label), &cells);
                }
                None => findings.complain(number, "the row does not stand below its heading: it is not used"),
            }
        }
    }
    if gathered.is_empty() {
        findings.nothing_to_say();
    }
    gathered.record(WORDS, &device_of, TOOL, context, findings);
}

/// The direction that a command asks for.
fn way_of(command: &str) -> Option<&'static str> {
    let asks = |way: &str| command.split_ascii_whitespace().any(|word| word == way);
    ["inbound", "outbound"].into_iter().find(|way| asks(way))
}

/// The port behind `if-name` in a command.
fn asked_for(command: &str) -> Option<String> {
    let mut words = command
        .split_ascii_whitespace()
        .skip_while(|word| *word != "if-name")
        .skip(1)
        .peekable();
    let Some(kind) = words.next() else {
        return command
            .contains("qfp active interface all ")
            .then(|| "QFP".to_owned());
    };
    // `gigabitEthernet 0/0/0`
    let number = words.next_if(|number| number.starts_with(|sign: char| sign.is_ascii_digit()));
    Some([kind, number.unwrap_or_default()].concat())
}

const TOOL: &str = "table of ports";

fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    table: &Table,
    (port, way, mut label): (&str, &str, &str),
    cells: &[&str],
) {
    let traffic = match way {
        "outbound" => Traffic::OutPps,
        _ => Traffic::InPps,
    };
    for (holds, cell) in table.columns.iter().zip(cells) {
        match holds {
            Label => label = cell,
            Up(words) => gathered.say(
                findings,
                number,
                port,
                About::Up,
                Said::Flag(words.contains(cell)),
            ),
            Count(name) => {
                let name = if label.is_empty() {
                    (*name).to_owned()
                } else {
                    format!("{label} {name}")
                };
                let whole = whole_of(cell);
                if let Some(value) = grouped(whole) {
                    gathered.say(findings, number, port, About::Counter(name), Said::Count(value));
                } else if is_rounded(whole) {
                    let said = Said::Text(whole.to_owned());
                    gathered.say(findings, number, port, About::Setting(name), said);
                }
            }
            Mtu => {
                if let Some(bytes) = grouped(cell) {
                    gathered.say(findings, number, port, About::Mtu, Said::Count(bytes));
                }
            }
            Kbits => {
                if let Some(kbits) = grouped(cell).filter(|kbits| *kbits > 0) {
                    let bps = kbits as f64 * 1e3;
                    gathered.say(findings, number, port, About::Speed, Said::Number(bps));
                }
            }
            Bits(traffic) => {
                if let Some(RateBps(bits)) = bits(cell) {
                    let said = Said::Number(bits);
                    gathered.say(findings, number, port, About::Load(*traffic), said);
                }
            }
            PerSecond => {
                if let Some(packets) = grouped(cell) {
                    let said = Said::Number(packets as f64);
                    gathered.say(findings, number, port, About::Load(traffic), said);
                }
            }
            Rounded(name, unit) => {
                let said = Said::Text(format!("{cell} {unit}"));
                gathered.say(findings, number, port, About::Setting((*name).to_owned()), said);
            }
            Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_whole() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        for table in TABLES {
            let last = table.heading.last().unwrap();
            assert!(!table.columns.is_empty() && !last.is_empty());
        }
    }
}
