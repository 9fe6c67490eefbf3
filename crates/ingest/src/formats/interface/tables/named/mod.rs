//! Tables of ports of any maker whose headings say what they hold: the words above a column tell what it is, and which way.
//!
//! The formats beside it know their tables by heart. Here a heading is one where the word for ports stands first and every other word is
//! one that such headings are made of. What a column says by words that contradict each other, or that another column says
//! too, is not used.

mod heading;
mod meaning;
mod parts;
mod rows;
mod spans;
mod table;
mod values;

use super::gathered::Gathered;
use super::port::is_port_cell;
use super::{counters, ruled};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use heading::{goes_on, is_above, is_heading, is_ruled};
use meaning::Way;
use table::Table;
pub(super) use table::take;
use values::TOOL;
pub(in crate::formats::interface) use values::up as state;

pub(crate) static FORMAT: Format = Format {
    name: "tables of ports, by their words",
    group: Group::Interfaces,
    reads: "tables of any maker with a heading that names the ports first, and counters, rates, utilisation, states, speeds or light behind \
            them: Aruba AOS-CX `show interface statistics`, `error-statistics`, `utilization`, Huawei `display counters`, `display interface \
            counters`, `display interface ethernet brief`, EXOS `show ports utilization bandwidth`, Netgear, TP-Link, Zyxel, SR OS `show lag \
            statistics`, Junos `monitor interface traffic`, FastIron `show statistics`, and their like",
    first: " |(%A-Za-z[",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "nterface",
            "INTERFACE",
            "Port",
            "port",
            "Intf",
            "IFACE",
            "Iface",
            "Name",
        ])
        .and(TITLES)
        .and(BESIDE)
        .or_at_prompt()
        .or(is_above)
    }),
    starts: |line| begins(line) && !ruled::begins(line) || is_title(line) || is_command(line),
    continues,
    takes_in: Some(takes_in),
    read,
};

/// What tables of ports are asked for with, each with the fewest letters that it is shortened to.
const ASKED: [(&str, usize); 13] = [
    ("brief", 2),
    ("configuration", 4),
    ("counters", 3),
    ("error-statistics", 5),
    ("physical", 4),
    ("port-utilization", 6),
    ("rate", 4),
    ("statistics", 4),
    ("status", 4),
    ("summary", 3),
    ("traffic", 4),
    ("transceiver", 4),
    ("utilization", 4),
];

/// A prompt with a command that asks for a table of ports.
fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed.command.split_ascii_whitespace();
        let asks = words
            .next()
            .is_some_and(|verb| matches!(verb, "show" | "sh" | "display" | "dis" | "monitor"));
        let is_port = |word: &str| {
            ["interfaces", "ports", "counters", "lag"]
                .iter()
                .any(|of| word.len() > 2 && of.starts_with(word))
        };
        let shortens = |word: &str| {
            ASKED
                .iter()
                .any(|(whole, least)| word.len() >= *least && whole.starts_with(word))
        };
        let of = words.next().filter(|word| is_port(word));
        let is_of_ports = of.is_some_and(|of| of.starts_with("int"));
        // Some print paragraphs, and where it is a table its heading tells.
        let is_option =
            |word: &str| word.len() > 1 && ["brief", "statistics"].iter().any(|of| of.starts_with(word));
        // Of one interface, and in detail, the output is no table.
        let is_of_one = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
        let is_of_all = || !is_of_ports || !typed.command.split(' ').any(is_of_one);
        asks && of.is_some()
            && words.any(|word| shortens(word) && !(is_of_ports && is_option(word)))
            && is_of_all()
            && !typed.command.contains('|')
            && !typed.command.contains(" detail")
    })
}

/// Whether a line is the first one of a heading.
pub(super) fn begins(line: &str) -> bool {
    is_heading(line) || is_above_many(line)
}

/// A line above a heading that tells enough to begin a table: several words, set off.
fn is_above_many(line: &str) -> bool {
    is_above(line) && spans::phrases(line).len() > 1
}

/// Titles of tables that are all of figures.
const TITLES: [&str; 3] = [
    "Status and Counters - Port Utilization",
    "Link Utilization Averages",
    "QoS Monitor Req Summary",
];

/// What others print below their tables.
const BESIDE: [&str; 10] = [
    "N/A indicates the parameter is not applicable",
    "Port Summary",
    "Total Entries:",
    "N.A. indicates the parameter is not applicable",
    "Port Configuration Monitor",
    "Bytes=b, Clear=c, Delta=d",
    "Switch Fabric Percentage Utilization",
    "Switch Receive Bandwidth Percentage",
    "Switch Transmit Bandwidth Percentage",
    "Total Ports :",
];

fn is_title(line: &str) -> bool {
    let text = line.trim_ascii();
    TITLES.iter().chain(&BESIDE).any(|title| text.starts_with(title))
}

/// Whether a line is one of those between a command and the heading of its table: a title, a date.
fn takes_in(block: &Block, line: &str) -> bool {
    const LONGEST: usize = 8;
    let has_figures = line.bytes().any(|byte| byte.is_ascii_digit());
    let is_titled =
        block.len() < LONGEST && block.first().is_some_and(is_command) && !block.lines().any(is_of_heading);
    is_titled && command_line(line).is_none() && !has_figures
}

/// What is said of all that stands below: `Inbound`, `Output:`.
fn way_of(text: &str) -> Option<Way> {
    let text = text.trim_ascii().trim_end_matches(':');
    match text.to_ascii_lowercase().as_str() {
        "inbound" | "input" | "rx" | "receive" | "ingress" => Some(Way::In),
        "outbound" | "output" | "tx" | "transmit" | "egress" => Some(Way::Out),
        _ => None,
    }
}

/// Whether a line can be a row: a port's name, and cells set off from it or figures.
fn is_row(line: &str) -> bool {
    let mut words = spans::words(line);
    let Some(first) = words.next() else { return false };
    let is_figure = |text: &str| rows::is_nothing(text) || rows::measure(text).is_some();
    let names = is_port_cell(first.text) || matches!(first.text, "Total" | "Totals" | "UP" | "DN" | "ADMDN");
    let mut rest = words.peekable();
    names
        && rest.peek().is_some()
        && (line.trim_ascii().contains("  ") || line.contains('\t') || rest.all(|word| is_figure(word.text)))
}

/// Whether a line has the rest of a row: below other columns than that of the ports.
fn is_rest(line: &str) -> bool {
    line.starts_with("     ") && spans::words(line).count() < 4
}

/// What is said of the cells above: `        Normal      Normal`.
fn is_remark(line: &str) -> bool {
    line.starts_with("     ")
        && !line.bytes().any(|byte| byte.is_ascii_digit())
        && line.trim_ascii().contains("  ")
}

/// Whether a line is the rows' or stands in front of them.
fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() || is_ruled(line) || way_of(line).is_some() || is_title(line) {
        return true;
    }
    // A table that is known by heart, below the command.
    if block
        .last()
        .is_some_and(|last| is_command(last) || last.trim_ascii().is_empty())
        && super::rows::begins(line)
    {
        return false;
    }
    // "#  String" of EXOS goes on with a heading, and is no prompt.
    let is_typed = command_line(line).is_some_and(|typed| !goes_on(typed.command));
    if is_typed {
        return false;
    }
    if is_legend(block, line) {
        return true;
    }
    let last = block.last_such(|line| !is_ruled(line));
    let above = last.filter(|last| !last.trim_ascii().is_empty());
    // SONiC's headings are of one line: a second one is what a screen broke off the first.
    let is_open = |above: &str| {
        is_of_heading(above)
            && !above
                .trim_ascii_start()
                .to_ascii_lowercase()
                .starts_with("iface ")
    };
    if is_heading(line) || is_above(line) || above.is_some_and(|above| is_open(above) && goes_on(line)) {
        return true;
    }
    // Some print a blank line between a heading and its rows.
    let headed = || {
        block
            .last_such(|line| !line.trim_ascii().is_empty() && !is_ruled(line))
            .is_some_and(is_of_heading)
    };
    (above.is_some_and(|above| !is_command(above)) || headed())
        && (is_row(line) || above.is_some_and(is_row) && (is_rest(line) || is_remark(line)))
}

/// What the signs in the rows mean, below them, on several lines.
fn is_legend(block: &Block, line: &str) -> bool {
    let begins = |line: &str| line.trim_ascii_start().starts_with("Flags: ");
    let is_rest = || line.starts_with("       ") && line.contains('(') && block.last().is_some_and(begins);
    begins(line) || is_rest()
}

/// A row that sums others up.
fn is_sum(line: &str) -> bool {
    matches!(
        spans::words(line).next().map(|word| word.text),
        Some("Total" | "Totals")
    )
}

fn is_of_heading(line: &str) -> bool {
    is_heading(line) || is_above(line) || goes_on(line)
}

/// The tables of a block, one behind the other.
#[derive(Default)]
struct Tables<'b> {
    table: Table<'b>,
    gathered: Gathered,
    /// The direction that the command asks for.
    asked: Option<Way>,
    /// What a title tells is of the table below it alone: that of the next one may be lost.
    told: Option<Way>,
    /// There was one that is known to have nothing to say.
    has_table: bool,
}

impl<'b> Tables<'b> {
    fn take(&mut self, block: &Block, number: u64, line: &'b str, findings: &mut Findings) {
        let has_rows = !self.table.rows.is_empty();
        if number == block.first_line && is_command(line) {
            self.asked = line.split_ascii_whitespace().find_map(way_of);
        } else if let Some(way) = way_of(line) {
            self.end(findings);
            self.told = Some(way);
        } else if is_title(line) || self.table.heading.is_empty() && !is_of_heading(line) && !is_row(line) {
            if !is_title(line) && !is_legend(block, line) {
                findings.unread(number, line);
            }
            self.end(findings);
        } else if is_ruled(line) && !has_rows {
            self.table.rule = Some(line).filter(|_| !self.table.heading.is_empty());
        } else if is_ruled(line) || line.trim_ascii().is_empty() {
            if has_rows {
                self.end(findings);
            }
        } else if is_of_heading(line) && !is_row(line) {
            if has_rows {
                self.end(findings);
            }
            if self.table.heading.is_empty() {
                self.table.first = number;
            }
            self.table.heading.push(line);
        } else if is_row(line) && !(self.table.heading.is_empty() && is_sum(line)) {
            self.table.rows.push((number, line));
        } else if !is_row(line) {
            findings.unread(number, line);
        }
    }

    /// The table that was gathered is whole.
    fn end(&mut self, findings: &mut Findings) {
        let way = self.told.take().or(self.asked);
        let table = std::mem::take(&mut self.table);
        self.has_table |= table.read(way, &mut self.gathered, findings);
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut tables, device_of) = (Tables::default(), device(block, context));
    for (number, line) in block.numbered() {
        tables.take(block, number, line, findings);
    }
    tables.end(findings);
    let says_nothing = || {
        let is_bare = |line: &str| line.trim_ascii().is_empty() || is_title(line);
        tables.has_table
            || block.lines().all(is_bare)
            || block.first().is_some_and(is_command) && block.len() == 1
    };
    if tables.gathered.is_empty() && findings.is_empty() && says_nothing() {
        findings.nothing_to_say();
    }
    tables
        .gathered
        .record(counters::WORDS, &device_of, TOOL, context, findings);
}
