//! Tables of ports whose rows are told by their shape: bundles with their members, a row each, and others whose cells are left out, stand out
//! of their columns, or go on in the next line. A table is data (`row_tables.rs`): its heading, and patterns of its rows.
//!
//! What is in a bundle is said as everywhere: a setting of the bundle for each member.

use super::cell::speed_bps;
use super::gathered::{About, Gathered, Said};
use super::is_rule;
use super::named::state;
use super::row_shapes::{BESIDE, COMMANDS, TITLES};
use super::row_tables::{TABLES, Table};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::cut::figure;
use crate::formats::interface::pattern::{Captures, Pattern, SETTING, squeezed};
use crate::formats::interface::preface::is_preface;
use crate::formats::interface::section::device;
use crate::formats::interface::taken::kind;
use crate::formats::interface::value;
use crate::prompt::command_line;
use std::sync::LazyLock;

pub(crate) static FORMAT: Format = Format {
    name: "tables of ports, by their rows",
    group: Group::Interfaces,
    reads: "bundles with their members: SR OS `show lag`, `show lag port`, AOS `show linkagg`, `show linkagg port`, FastIron and NetIron \
            `show lag brief`, EXOS `show sharing`, Comware `display link-aggregation verbose`, `summary`, ProCurve `show trunks`; EXOS `show ports \
            information`, AireOS `show port summary`, `show stats port summary`, vEdge `show interface`, SONiC `show pfcwd stats`, `show ip interface` of Eltex and \
            Cisco's small switches",
    first: "A-Zn>*",
    has_command: true,
    marks: Some(|| {
        let longest = |heading: &&'static str| heading.split(' ').max_by_key(|word| word.len());
        let headings = TABLES.iter().flat_map(|table| table.heading);
        Marks::of(headings.filter_map(longest))
            .and(BESIDE)
            .and(TITLES)
            .and(COMMANDS)
    }),
    starts: |line| {
        let is_title = TITLES.iter().any(|title| line.starts_with(title));
        begins(line) || is_beside(line) || is_title || is_command(line)
    },
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "table of ports";

/// Above a heading stand a title and a legend, of so many lines at most.
const LONGEST_ABOVE: usize = 16;

fn is_words(line: &str, words: &str) -> bool {
    let line = line.trim_ascii_start();
    line.as_bytes().first() == words.as_bytes().first()
        && line
            .split_ascii_whitespace()
            .filter(|word| *word != "|")
            .eq(words.split(' '))
}

/// The table of which this is a line of the heading, of so many words that no other has it.
fn table_headed(line: &str) -> Option<usize> {
    const LEAST: usize = 3;
    // What stands between dashes is none by itself.
    let is_headed =
        |words: &str| is_words(line, words) && words.split(' ').count() >= LEAST && !words.starts_with('-');
    TABLES
        .iter()
        .position(|table| table.heading.iter().any(|words| is_headed(words)))
}

/// Whether a line is one that such a table begins with.
pub(super) fn begins(line: &str) -> bool {
    table_headed(line).is_some()
}

/// Whether this is any line of the heading.
fn is_of_heading(table: usize, line: &str) -> bool {
    TABLES
        .get(table)
        .is_some_and(|table| table.heading.iter().any(|words| is_words(line, words)))
}

fn is_beside(line: &str) -> bool {
    let line = line.trim_ascii_start();
    BESIDE.iter().any(|beside| line.starts_with(beside))
}

fn is_command(line: &str) -> bool {
    let is_asked = |typed: &str| {
        COMMANDS.iter().any(|asked| typed.starts_with(asked))
            && ![" qos ", " statistics"].iter().any(|other| typed.contains(other))
    };
    command_line(line).is_some_and(|typed| is_asked(typed.command))
}

/// `S -- Selected, U -- Unselected`, `a - Load Sharing Algorithm address-based`: what signs mean.
fn is_legend(line: &str) -> bool {
    let text = line.trim_ascii();
    let text = text
        .split_once(": ")
        .map_or(text, |(_, text)| text.trim_ascii_start());
    let text = text.trim_start_matches('(');
    let sign = |sign: &str| sign.len() < 8 && !sign.is_empty() && !sign.contains(' ');
    text.split_once([' ', ')']).is_some_and(|(mark, rest)| {
        sign(mark) && (rest.starts_with("- ") || rest.starts_with("-- ") || text.contains(") "))
    })
}

/// The table of a block, by its place.
fn table_of(block: &Block) -> Option<usize> {
    block.lines().take(LONGEST_ABOVE).find_map(table_headed)
}

fn continues(block: &Block, line: &str) -> bool {
    let is_preface = block.len() < LONGEST_ABOVE && is_preface(line);
    if line.trim_ascii().is_empty() || is_rule(line) || is_beside(line) || is_preface {
        return true;
    }
    if command_line(line).is_some() {
        return false;
    }
    let table = table_of(block);
    // Above a heading its own lines stand, and those of a legend, and the first bundle.
    match (table, table_headed(line)) {
        (Some(table), Some(next)) => return table == next,
        (None, Some(_)) => return true,
        (Some(table), None) if is_of_heading(table, line) || row(table, line).is_some() => return true,
        (None, None)
            if block.len() < LONGEST_ABOVE && (0..TABLES.len()).any(|table| is_above(table, line)) =>
        {
            return true;
        }
        _ => {}
    }
    is_legend(line) && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
}

/// Whether a line may stand above the heading: one of few words that belongs to it, or what names a bundle.
fn is_above(table: usize, line: &str) -> bool {
    is_of_heading(table, line)
        || TABLES.get(table).is_some_and(|table| table.has_titles) && row(table, line).is_some()
}

/// A pattern of a row, and whether such rows are set in.
struct Shape {
    is_set_in: bool,
    pattern: Pattern,
}

static SHAPES: LazyLock<Vec<Vec<Shape>>> = LazyLock::new(|| {
    let shape = |text: &&'static str| Shape {
        is_set_in: text.starts_with(' '),
        pattern: Pattern::new(text.trim_ascii_start()),
    };
    TABLES
        .iter()
        .map(|table| table.rows.iter().map(shape).collect())
        .collect()
});

/// The cells of a row of this table.
fn row(table: usize, line: &str) -> Option<Vec<(&'static str, String)>> {
    let is_set_in = line.starts_with("    ");
    let text = squeezed(line);
    let shapes = SHAPES
        .get(table)?
        .iter()
        .filter(|shape| is_set_in || !shape.is_set_in);
    let found: Captures<'_> = shapes
        .into_iter()
        .find_map(|shape| shape.pattern.captures(&text))?;
    let owned = |(field, text): (&'static str, &str)| (field, text.trim_ascii().to_owned());
    Some(found.into_iter().map(owned).collect())
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, mut bundle, mut is_told) = (Gathered::default(), None, false);
    let table = table_of(block);
    for (number, line) in block.numbered() {
        if table_headed(line).is_some() {
            gathered.head(line);
            // A title is of one heading: that of the next may be lost.
            bundle = bundle.filter(|_| std::mem::take(&mut is_told));
        }
        let is_known = line.trim_ascii().is_empty() || is_rule(line) || is_beside(line);
        let is_preface = gathered.is_empty() && is_preface(line);
        if is_known || is_preface || is_command(line) || table.is_some_and(|table| is_of_heading(table, line))
        {
            continue;
        }
        match table.and_then(|table| Some((TABLES.get(table)?, row(table, line)?))) {
            Some((table, cells)) => {
                is_told |= cells.iter().any(|(field, _)| *field == "bundle");
                take(&mut gathered, findings, number, table, &mut bundle, &cells);
            }
            None if is_legend(line) => {}
            None => findings.unread(number, line),
        }
    }
    if gathered.is_empty() && findings.is_empty() {
        findings.nothing_to_say();
    }
    gathered.record(&[], &device(block, context), TOOL, context, findings);
}

/// Notes what a row says.
fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    table: &Table,
    bundle: &mut Option<String>,
    cells: &[(&'static str, String)],
) {
    let find = |wanted: &[&str]| {
        cells
            .iter()
            .find(|(field, _)| wanted.contains(field))
            .map(|(_, text)| text.as_str())
    };
    let named = find(&["bundle"]).map(|name| format!("{}{name}", table.bundle));
    let port = find(&["if", "port"]).map(|port| port.trim_matches('*').to_owned());
    if let (Some(port), Some(state)) = (&port, find(&["set member"])) {
        let state = Said::Text(state.to_owned());
        // Of a row that does not name its bundle the one that does may be lost.
        match named.as_ref().or(bundle.as_ref().filter(|_| table.has_titles)) {
            Some(bundle) => {
                gathered.say(
                    findings,
                    number,
                    bundle,
                    About::Setting(format!("member {port}")),
                    state,
                );
            }
            None if table.has_titles => {
                findings.complain(number, "a port below no bundle: which one it is in is not known");
            }
            None => gathered.say(
                findings,
                number,
                port,
                About::Setting("state in the bundle".to_owned()),
                state,
            ),
        }
    }
    *bundle = named.clone().or(bundle.take());
    let port = port.or_else(|| find(&["name"]).filter(|_| table.is_of_names).map(str::to_owned));
    let counted = find(&["name", "words"]).zip(find(&["count"]).and_then(figure));
    let of_title = bundle.as_ref().filter(|_| counted.is_some());
    let Some(subject) = port
        .or(named)
        .or(of_title.cloned())
        .or(table.of.map(str::to_owned))
    else {
        if counted.is_some() {
            findings.complain(number, "a row below no title: what it is of is not known");
        }
        return;
    };
    let counted = counted.map(|(name, count)| (About::Counter(name.to_owned()), Said::Count(count)));
    // What counters of a queue are called begins with it.
    let of_queue = |(about, said): (About, Said)| match (find(&["label"]), about) {
        (Some(queue), About::Counter(name)) => (About::Counter(format!("queue {queue} {name}")), said),
        (_, about) => (about, said),
    };
    let told = cells
        .iter()
        .filter_map(|(field, text)| said(field, text))
        .map(of_queue);
    let told: Vec<(About, Said)> = told.chain(counted).collect();
    let is_down = told.contains(&(About::Up, Said::Flag(false)));
    for (about, said) in told {
        // What a port could negotiate says nothing while it is down.
        if !is_down || !matches!(about, About::Speed | About::Duplex) {
            gathered.say(findings, number, &subject, about, said);
        }
    }
}

/// What a cell says.
fn said(field: &'static str, text: &str) -> Option<(About, Said)> {
    Some(match field {
        "*" | "w" | "n" | "if" | "port" | "member" | "bundle" | "set member" | "name" | "words" | "count"
        | "label" => {
            return None;
        }
        "up" => (About::Up, Said::Flag(state(text)??)),
        "mtu" => (About::Mtu, Said::Count(figure(text)?)),
        "rx-dbm" => (About::Received(0), Said::Number(text.parse().ok()?)),
        "tx-dbm" => (About::Sent(0), Said::Number(text.parse().ok()?)),
        "duplex" => (About::Duplex, Said::Text(value::duplex(text)?.to_owned())),
        "speed" => (About::Speed, Said::Number(speed_bps(text)?)),
        field => match (field.strip_prefix(SETTING), kind(field)) {
            (Some(name), _) => (About::Setting(name.to_owned()), Said::Text(text.to_owned())),
            (None, Some(kind)) => (About::Kind(kind), Said::Count(figure(text)?)),
            (None, None) => (About::Counter(field.to_owned()), Said::Count(figure(text)?)),
        },
    })
}
