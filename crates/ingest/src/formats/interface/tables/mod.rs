//! What switches say in tables: counters, states, speeds and light of all ports, a line a port.
//!
//! A row means what the heading above it says, and a heading ends with the blank line or the rule behind its rows: rows
//! without one are never read by the heading of another table.

mod addressed;
mod addressed_rows;
mod bundles;
mod cell;
mod columns;
mod counters;
mod drops;
mod fixed;
mod fixed_columns;
mod fixed_lines;
mod fixed_tables;
mod gathered;
mod light;
mod listed;
mod named;
mod plugins;
mod port;
mod routeros;
mod routeros_cells;
mod routeros_entry;
mod row_shapes;
mod row_tables;
mod rows;
mod ruled;
mod status;
mod vocabulary;
mod vpp;

pub(crate) use addressed::FORMAT as ADDRESSED;
pub(crate) use bundles::FORMAT as BUNDLES;
pub(crate) use drops::FORMAT as DROPS;
pub(crate) use fixed::FORMAT as FIXED;
pub(crate) use named::FORMAT as NAMED;
pub(in crate::formats::interface) use named::state;
pub(crate) use plugins::FORMAT as PLUGINS;
pub(crate) use routeros::FORMAT as ROUTEROS;
pub(crate) use rows::FORMAT as ROWS;
pub(crate) use ruled::FORMAT as RULED;
pub(crate) use vpp::FORMAT as VPP;

use super::asked::{MOST_OPTIONS, is_of_number};
use super::section::device;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::prompt::command_line;
use gathered::Gathered;

pub(crate) static FORMAT: Format = Format {
    name: "show interfaces counters, status, transceiver",
    group: Group::Interfaces,
    reads: "tables of Cisco (IOS, IOS XE, NX-OS), Arista and SONiC: counters, errors, discards, rates, summary, status, \
            description, transceiver; Cisco's small switches with the errors of a port below",
    first: "PILONmA+*TRHBVC-",
    has_command: true,
    marks: Some(|| Marks::of(words()).or_at_prompt().or(may_begin)),
    starts: |line| {
        is_heading(line)
            || is_command(line)
            || light::is_legend(line)
            || is_summary_legend(line)
            || is_wide_rule(line)
            || light::is_first_heading(line)
    },
    continues,
    takes_in: None,
    read,
};

/// Whether the rows of a block tell by their words what they are, or stand below the only heading that such an output has: then they do
/// so below a mark that rows were left out as well. Of counters the heading of the next table may be among them.
pub(crate) fn tell_by_row(format: &Format, block: &Block) -> bool {
    let is = |other: &Format| std::ptr::eq(format, other);
    let is_worded = |line: &str| status::heading(line).is_some();
    if is(&FORMAT) {
        block.last_such(is_heading).is_some_and(is_worded)
    } else if is(&ROUTEROS) {
        routeros::is_table(block)
    } else {
        is(&ADDRESSED)
    }
}

/// Whether a line is the first one of a table of any of them.
pub(crate) fn begins(line: &str) -> bool {
    ruled::begins(line)
        || named::begins(line)
        || fixed::is_heading(line)
        || rows::begins(line)
        || vpp::is_heading(line)
}

/// What first lines hold that are no heading, no command and no rule.
fn words() -> impl Iterator<Item = &'static str> {
    LEGENDS.into_iter().chain(light::LEGENDS).chain(light::MODULES)
}

/// What marks do not tell: a heading by its first word, one of light by its indentation, a rule.
fn may_begin(line: &str) -> bool {
    let text = line.trim_ascii_start();
    let is_heading = || FIRST_OF_HEADING.iter().any(|first| text.starts_with(first));
    is_heading() || line.starts_with("   ") || line.starts_with("---")
}

const FIRST_OF_HEADING: [&str; 4] = ["Port ", "Interface ", "IFACE ", "Ch "];

/// Words behind `show interfaces` that ask for a table, each with the fewest letters that it is shortened to.
const ASKED: &[(&str, usize)] = &[
    ("counters", 3),
    ("description", 3),
    ("descriptions", 3),
    ("flowcontrol", 5),
    ("priority-flow-control", 4),
    ("status", 3),
    ("summary", 3),
    ("transceiver", 3),
];

/// Other words for one: FortiOS', and the programs that SONiC's `show` runs.
const PROGRAMS: [&str; 3] = ["get system interface transceiver", "intfstat", "portstat"];

/// A prompt with `show interfaces [PORT] counters errors`.
fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        if PROGRAMS.iter().any(|program| typed.command.starts_with(program)) {
            return true;
        }
        let typed = typed.command.split('|').next().unwrap_or_default();
        let mut words = typed.split_ascii_whitespace();
        let shortens = |word: &str, whole: &str, least: usize| word.len() >= least && whole.starts_with(word);
        words.next().is_some_and(|word| shortens(word, "show", 2))
            && words.next().is_some_and(|word| shortens(word, "interfaces", 3))
            && !(typed.contains(" transceiver detail") && is_of_number(typed))
            && words
                .take(MOST_OPTIONS)
                .any(|word| ASKED.iter().any(|(whole, least)| shortens(word, whole, *least)))
    }) && !line.contains("transceiver details")
        && !line.contains("transceiver eeprom")
        && !line.trim_ascii_end().ends_with(" transceiver dom")
        && !line.contains("transceiver diagnostics")
        && !line.contains("counters detailed")
        && !line.contains(" counters queue")
        && !line.contains("json")
        && !line.contains("xml")
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_ascii_start();
    FIRST_OF_HEADING.iter().any(|first| text.starts_with(first))
        && (counters::columns(line).is_some()
            || status::heading(line).is_some()
            || light::is_last_heading(line))
}

/// What SONiC says above and below them.
const LEGENDS: [&str; 14] = [
    "Command: portstat",
    "Collecting and processing interface statistics",
    "Polling Rate  ",
    "The rates are calculated within ",
    "Reminder: Please execute 'show interface counters",
    "Last cached time was ",
    "*: interface is up",
    "IHQ: pkts in input hold queue",
    "OHQ: pkts in output hold queue",
    "RXBS: rx rate (bits/sec)",
    "TXBS: tx rate (bits/sec)",
    "TRTL: throttle count",
    "NOTE:No separate counters are maintained for subinterfaces",
    "Hence Details of subinterface are not shown",
];

fn is_summary_legend(line: &str) -> bool {
    let line = line.trim_ascii_start();
    LEGENDS.iter().any(|legend| line.starts_with(legend))
}

/// What is printed around the tables.
fn is_beside(line: &str) -> bool {
    is_summary_legend(line) || light::is_legend(line) || light::is_of_module(line)
}

/// No heading has more lines than this: each is looked at beside all others.
const MOST_OF_HEADING: usize = 16;

/// A rule of dashes or equal signs, in one piece or one for each column.
fn is_rule(line: &str) -> bool {
    let line = line.trim_ascii();
    line.len() > 2
        && line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b' ' | b'+'))
        && (line.contains("---") || line.contains("==="))
}

/// A frame that is closed was opened: behind a bar within it half a table stands, and no output beside the one in front.
fn is_half(line: &str) -> bool {
    let text = line.trim_ascii();
    text.ends_with('|') && !text.starts_with('|')
}

/// NX-OS begins a table with a rule over the whole screen.
fn is_wide_rule(line: &str) -> bool {
    line.len() >= 76 && line.bytes().all(|byte| byte == b'-')
}

/// What the rows in hand belong to, found by going back to the heading: several lines at most, as rows follow rows.
fn continues(block: &Block, line: &str) -> bool {
    let is_known = line.trim_ascii().is_empty()
        || is_rule(line)
        || is_heading(line)
        || light::is_legend(line)
        || light::is_of_module(line)
            && block
                .last()
                .is_some_and(|last| light::is_module(last) || light::is_of_module(last))
        || light::is_heading(line)
        || is_summary_legend(line)
        || is_command(line)
        || counters::is_row(line)
        || listed::continues(block, line)
        || is_rest_of_state(block, line);
    // The rows of a state and of a description hold any words behind their port.
    is_known
        || is_worded_row(line)
            && block
                .lines()
                .rev()
                .take_while(|before| !before.trim_ascii().is_empty())
                .take(3)
                .any(|before| {
                    is_worded_row(before)
                        || is_heading(before)
                        || is_rule(before)
                        || asks_for_status(before)
                        || asks_for_description(before)
                })
}

/// The last cell of a state's row on a line of its own, which a screen of few columns broke at the blank before it: what medium the port has.
/// It says nothing that is read.
fn is_medium(line: &str) -> bool {
    let is_word = |text: &str| {
        !text.contains(' ') && text.to_ascii_lowercase().contains("base")
            || text.starts_with("10/100") && text.ends_with("-TX")
    };
    let text = line.trim_ascii_end();
    matches!(text, "Not Present" | "No Transceiver" | "No Gbic") || is_word(text)
}

/// Whether such a line stands below the row of a port's state.
fn is_rest_of_state(block: &Block, line: &str) -> bool {
    let is_of_state = |line: &str| matches!(status::heading(line), Some(status::Heading::Status { .. }));
    is_medium(line)
        && block.last().is_some_and(is_worded_row)
        && block.last_such(is_heading).is_some_and(is_of_state)
}

/// A prompt that asks for the states alone, and filters the heading away.
fn asks_for_status(line: &str) -> bool {
    filtered(line).is_some_and(|asked| asked.ends_with(" status"))
}

/// The same for the descriptions.
fn asks_for_description(line: &str) -> bool {
    let last = filtered(line).and_then(|asked| asked.rsplit(' ').next());
    last.is_some_and(|word| word.len() > 2 && "descriptions".starts_with(word))
}

/// What a prompt asks for, and filters.
fn filtered(line: &str) -> Option<&str> {
    let typed = command_line(line).filter(|_| is_command(line))?;
    let (asked, _) = typed.command.split_once('|')?;
    Some(asked.trim_ascii_end())
}

fn is_worded_row(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next().is_some_and(cell::is_port) && words.nth(1).is_some() && !line.starts_with("  ")
}

/// The table in hand.
enum Table<'a> {
    None,
    Counters(Vec<&'a str>),
    Worded(status::Heading),
    /// The lines of a heading that is not ended yet.
    Light(Vec<&'a str>),
    LightRows(light::Heading),
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut gathered = Gathered::default();
    let mut table = Table::None;
    let mut device_of = device(block, context);
    // Whether rows were read since the heading: what comes behind them ends the table.
    let mut rows = false;
    for (number, line) in block.numbered() {
        if is_command(line) {
            if number > block.first_line {
                std::mem::take(&mut gathered).record(counters::WORDS, &device_of, TOOL, context, findings);
                let named = command_line(line).and_then(|typed| typed.device());
                device_of = context.from_or(named.map(evidence::Node::named).unwrap_or_default());
            }
            table = if asks_for_status(line) {
                Table::Worded(status::Heading::Status { status: None })
            } else if asks_for_description(line) {
                Table::Worded(status::Heading::Described)
            } else {
                Table::None
            };
        } else if line.trim_ascii().is_empty() || is_beside(line) {
            if rows || line.trim_ascii().is_empty() && !matches!(table, Table::Light(_)) {
                (table, rows) = (Table::None, false);
            }
        } else if let Some((about, said)) = listed::counter(line) {
            listed::take(&mut gathered, findings, number, about, said);
        } else if is_rule(line) {
            match &table {
                Table::Light(lines) => {
                    gathered.head(&lines.join(" "));
                    table = Table::LightRows(light::columns(lines, line));
                }
                _ if rows => (table, rows) = (Table::None, false),
                _ => {}
            }
        } else if light::is_heading(line) {
            match &mut table {
                Table::Light(lines) => lines.push(line),
                _ => table = Table::Light(vec![line]),
            }
            rows = false;
        } else if let Some(columns) = counters::columns(line) {
            gathered.head(line);
            (table, rows) = (Table::Counters(columns), false);
        } else if is_medium(line) && matches!(table, Table::Worded(status::Heading::Status { .. })) {
            // The rest of the row above.
        } else if let Some(heading) = status::heading(line) {
            gathered.head(line);
            (table, rows) = (Table::Worded(heading), false);
        } else {
            rows = true;
            take(&mut gathered, findings, number, &table, line);
        }
    }
    let says_nothing = |line: &str| line.trim_ascii().is_empty() || is_rule(line) || is_beside(line);
    if gathered.is_empty() && block.lines().all(says_nothing) {
        findings.nothing_to_say();
    } else if gathered.is_empty() && block.lines().any(is_beside) && block.lines().skip(1).all(says_nothing) {
        findings.above_another();
    }
    gathered.record(counters::WORDS, &device_of, TOOL, context, findings);
}

const TOOL: &str = "show interfaces";

fn take(gathered: &mut Gathered, findings: &mut Findings, number: u64, table: &Table<'_>, row: &str) {
    match table {
        Table::Counters(columns) => counters::take(gathered, findings, number, columns, row),
        Table::Worded(heading) => status::take(gathered, findings, number, *heading, row),
        Table::LightRows(heading) => light::take(gathered, findings, number, heading, row),
        // EOS sums the ports up below a rule.
        Table::None if row.starts_with("Total") => {}
        Table::None | Table::Light(_) => findings.complain(number, "a row below no heading"),
    }
}
