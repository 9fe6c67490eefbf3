//! What stands around the rows of the tables of `fixed.rs`: commands, headings, legends, and what is said between them.

use super::fixed_columns::Table;
use super::fixed_tables::TABLES;
use crate::prompt::command_line;
use crate::text::parted;

const COMMANDS: &[&str] = &[
    "show interface priority-flow-control",
    "show queue counters",
    "show queue wredcounters",
    "show pfc counters",
    "net show counters",
    "nv show interface counters",
    "dladm show-link -s",
    "dladm show-link -i",
    "display interface brief",
    "dis int brief",
    "display counters inbound interface",
    "display counters outbound interface",
    "display counters rate inbound interface",
    "display counters rate outbound interface",
    "dis counters inbound int",
    "dis counters outbound int",
    "netstat -i",
    "show net interface",
    "tmsh show net interface",
    "show net trunk",
    "tmsh show net trunk",
    "show platform hardware qfp active statistics drop",
    "show platform hardware qfp active interface",
    "show lacp counters",
    "show interface counters brief",
    "show ethernet tags",
    "show policer",
    "show firewall",
];

/// What `show port PORTS …` is asked for. A single word tells: ports stand before it, and options behind.
const OF_PORTS: [&str; 4] = ["statistics", "congestion", "txerrors", "rxerrors"];

pub(super) fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed.command.split_ascii_whitespace();
        let is_of_ports = words.next() == Some("show") && matches!(words.next(), Some("port" | "ports"));
        // EOS: `show interfaces Et1-2 counters queue`.
        let is_of_queues =
            || typed.command.starts_with("show int") && typed.command.contains(" counters queue");
        COMMANDS.iter().any(|command| typed.command.starts_with(command))
            || is_of_queues()
            || is_of_ports && words.any(|word| OF_PORTS.contains(&word))
    })
}

/// What is printed around them.
pub(super) fn is_beside(line: &str) -> bool {
    const BESIDE: [&str; 55] = [
        "Port Ethernet Error",
        "St:    AD - ",
        "Ly:    L2 - ",
        "Xtra   C - ",
        "-,+:   Ingress ",
        "RxPause: No. of pause frames",
        "TxPause: No. of pause frames",
        "Counters:",
        "Filter: ",
        "For namespace",
        "Media: !-Unsupported",
        "Policers:",
        "Port State: D-Disabled",
        "> indicates Port Display Name",
        "Spacebar->",
        "Egress Queue Counters",
        "Usage: Bandwidth utilization",
        "Overflow: More than",
        "--: Not supported",
        "Port Tx Error Monitor",
        "Port Rx Error Monitor",
        "Port Tx Error monitor",
        "Port Rx Error monitor",
        "Port Congestion Monitor",
        "Port Statistics",
        "> in Count indicates",
        "Net::Interface",
        "Net::Trunk",
        "Last clearing of QFP drops statistics",
        "The Global drop stats were all zero",
        "Port Tx Error Statistics",
        "Port Rx Error Statistics",
        "Kernel Interface table",
        "> in Port indicates",
        "Link State: A-Active",
        "PHY: Physical",
        "*down: administratively",
        "^down: standby",
        "(l): loopback",
        "(s): spoofing",
        "InUti/OutUti: input",
        "(b): BFD down",
        "Platform Handle ",
        "Ingress Drop stats are not enabled",
        "Egress Drop stats are not enabled",
        "The Ingress Drop stats are not enabled",
        "The Egress Drop stats are not enabled",
        "Drop Stats Summary:",
        "NOTE: Clear lacp counters",
        "note: 1) these drop stats",
        "reads the interface stats.",
        "2) the interface stats include",
        "Quit='q', ",
        "Next set='n', ",
        "(General='g', ",
    ];
    let line = line.trim_ascii_start();
    // How long ago the drops of a QFP were cleared, on a line of its own.
    let is_since = || line.starts_with('(') && line.trim_ascii_end().ends_with(" ago)") && line.len() < 40;
    if is_legend(line) || is_since() {
        return true;
    }
    BESIDE.iter().any(|beside| line.starts_with(beside)) || is_above_rates(line)
}

/// What stands above columns of rates and totals, for each direction.
fn is_above_rates(line: &str) -> bool {
    line.starts_with("Interface ") && line.contains("(rate is ")
        || line.starts_with("Rate ")
            && line
                .split_ascii_whitespace()
                .eq(["Rate", "Total", "Rate", "Total"])
}

/// `(E): E-Trunk down`, `#down: LBDT down`
fn is_legend(line: &str) -> bool {
    let mark =
        |mark: &str| matches!(mark.len(), 1 | 2) && mark.bytes().all(|byte| byte.is_ascii_alphabetic());
    let bracketed = line.strip_prefix('(').and_then(|rest| parted(rest, "): "));
    bracketed.is_some_and(|(inner, _)| mark(inner))
        || matches!(parted(line, "down: "), Some(("*" | "^" | "#" | "-", _)))
}

fn is_words(line: &str, words: &'static str) -> bool {
    // "Usage (%)" and "Usage(%)" are one.
    let letters = |text: &'static str| text.bytes().filter(|byte| *byte != b' ');
    let blank = |byte: &u8| !byte.is_ascii_whitespace();
    line.bytes().filter(blank).eq(letters(words))
}

/// The table of which this line is in the heading, and which of its lines it is.
pub(super) fn heading_of(line: &str) -> Option<(&'static Table, usize)> {
    // There are many, and of nearly all the first byte tells.
    let first = line.trim_ascii_start().bytes().next();
    TABLES.iter().find_map(|table| {
        let mut headings = table.heading.iter();
        let place = headings.position(|words| words.bytes().next() == first && is_words(line, words))?;
        Some((table, place))
    })
}

/// `slot  1`: which of several line cards the ports below are of, as their names tell too.
pub(super) fn is_slot(line: &str) -> bool {
    let number = line.strip_prefix("slot ").map(str::trim_ascii);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A bundle of which the ports below are, where the heading above is theirs too.
pub(super) fn is_bundle(line: &str) -> bool {
    let line = line.trim_ascii();
    let number = line
        .strip_prefix("Channel group: ")
        .or_else(|| line.strip_prefix("port-channel"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A port of which there is nothing in the table.
pub(super) fn is_empty_row(line: &str) -> bool {
    line.contains("(statistics not available)")
}
