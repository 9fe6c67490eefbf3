//! `mtr -r`, `-w`, `-z`, `-b`: the table, with columns as its head names them.

use super::command::Command;
use super::run::{Hop, MOST_AT_ONE_HOP, Run, asn};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::folded::{self, Beginnings};
use crate::host::{host, leading_host, split_host};
use crate::mpls::entry;
use crate::stray::{Strays, is_stray};
use crate::when::{clock, iso8601, month, timestamp};
use evidence::{MplsLabel, Node, Timestamp};
use memchr::memchr;
use std::borrow::Cow;
use std::net::IpAddr;

pub(crate) static FORMAT: Format = Format {
    name: "mtr",
    group: Group::Paths,
    reads: "the report (-r, -w, -z, -b, -e), with the command line above it, and what stands on the screen while it runs",
    first: "0-9A-Za-z",
    has_command: true,
    marks: Some(|| {
        let words = ["Start: ", " Loss%", "My traceroute", "mtr", ".|-- "];
        Marks::of(words).or(|line| line.len() > 40 && names_ends(line))
    }),
    starts,
    continues,
    takes_in: Some(takes_in),
    read: read_all,
};

fn starts(line: &str) -> bool {
    match line.trim_ascii_start().as_bytes().first() {
        Some(b'S') if is_start(line) || line.starts_with("Start: ") && line.contains(FIRST_ROW) => true,
        Some(b'H' | b'L') if is_head(line) => true,
        Some(b'M') if is_title(line) => true,
        Some(b'0'..=b'9') if is_usual_row(line) => true,
        // Where the title was not copied the line below it begins the screen.
        Some(_) if line.len() > 40 && line.contains(" (") && !line.contains("):") => {
            ends(line).is_some() || old_ends(line).is_some() || Command::read(line).is_some()
        }
        Some(_) => Command::read(line).is_some(),
        None => false,
    }
}

/// Stands behind the other lines where a page lost the line breaks.
const FIRST_ROW: &str = " 1.|-- ";

fn is_start(line: &str) -> bool {
    start_time(line, Some(0)).is_some()
}

fn is_head(line: &str) -> bool {
    columns(line).is_some()
}

/// The columns that a head names behind the host: `HOST: a.example  Loss%  Snt …`, on the screen ` Host   Loss%  Snt …`.
fn columns(line: &str) -> Option<(&str, Vec<&str>)> {
    let text = line.trim_ascii_start();
    // The host that traces, and its heading, may have been taken out.
    if text.starts_with("Loss%") && text.contains(" Snt ") {
        return Some(("", text.split_ascii_whitespace().collect()));
    }
    // Asked of every line: few begin so.
    if !text.starts_with("Host ") && !text.starts_with("HOST: ") || !line.contains(" Loss%") {
        return None;
    }
    let (host, rest) = match text.strip_prefix("HOST: ") {
        // Somebody may have taken the host out.
        Some(rest) if rest.trim_ascii_start().starts_with("Loss%") => ("", rest),
        Some(rest) => rest.trim_ascii_start().split_once(' ')?,
        None => ("", text.strip_prefix("Host ")?),
    };
    Some((host, rest.split_ascii_whitespace().collect()))
}

/// `My traceroute  [v0.95]`, centred above the screen.
fn is_title(line: &str) -> bool {
    line.trim_ascii_start().starts_with("My traceroute  [v")
}

/// What stands on the screen between title and head: who traces whom, the keys, what the columns are about.
fn is_screen(text: &str) -> bool {
    text.starts_with("Keys: ") || text.starts_with("Packets ") && text.ends_with("Pings") || names_ends(text)
}

/// Whether the line tells who traces whom, or who traces.
fn names_ends(text: &str) -> bool {
    ends(text).is_some() || memchr(b'(', text.as_bytes()).is_some() && old_ends(text).is_some()
}

/// `a.example (192.0.2.1) -> b.example (192.0.2.2)    2026-11-21T11:11:52+0000`
fn ends(text: &str) -> Option<(Node, Node, &str)> {
    // Asked of every line: rows have no such sign.
    memchr(b'>', text.as_bytes())?;
    let (from, rest) = text.split_once(" -> ")?;
    let (to, time) = leading_host(rest);
    iso8601(time, Some(0)).map(|_| (leading_host(from).0, to, time.trim_ascii()))
}

/// `a.example (0.0.0.0)        Sat Nov 21 11:11:52 2026`, of old versions
fn old_ends(text: &str) -> Option<(Node, &str)> {
    memchr(b'(', text.as_bytes())?;
    let (name, address, time) = split_host(text);
    let time = time.trim_ascii();
    // Asked of many lines: the host is made of it only where a time follows.
    if name.is_empty() || address.is_empty() || time_of_screen(time, Some(0)).is_none() {
        return None;
    }
    Some((leading_host(text).0, time))
}

/// `a.example (0.0.0.0)` alone, right below the title: who copied a screen that was too narrow, or took the time out.
fn timeless_end(text: &str) -> Option<Node> {
    memchr(b'(', text.as_bytes())?;
    let (name, address, rest) = split_host(text);
    let is_alone = !name.is_empty() && !address.is_empty() && rest.trim_ascii().is_empty();
    is_alone.then(|| leading_host(text).0)
}

/// `2026-11-21T11:11:52+0000`, `Sat Nov 21 11:11:52 2026`
fn time_of_screen(text: &str, local_s: Option<i32>) -> Option<Timestamp> {
    match text.as_bytes().first()? {
        b'0'..=b'9' => iso8601(text, local_s),
        _ => civil(text, local_s),
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let above = || !block.has(|line| !is_above(line));
    let text = line.trim_ascii();
    if text.is_empty() {
        return above();
    }
    if is_head(line) {
        return above();
    }
    if is_start(line) || is_title(line) {
        return above() && !block.has(|line| is_start(line) || is_title(line));
    }
    let is_below_title = || block.last_written().is_some_and(is_title);
    if is_screen(text) || is_below_title() && timeless_end(text).is_some() {
        return above();
    }
    row(line).is_some()
        || is_addition(text)
        || is_further(block, line)
        || block.last_written().is_some_and(|last| row(last).is_none())
            && unnumbered_hop(block, line).is_some()
}

/// A hop whose number was lost on the way, as a page makes a list of what begins with numbers: all figures stand below a head.
fn unnumbered_hop(block: &Block, line: &str) -> Option<Hop> {
    let (host, columns) = block
        .first_such(|line| columns(line).is_some())
        .and_then(columns)?;
    let words = line.trim_ascii_start();
    let words = words.strip_prefix("|-- ").unwrap_or(words);
    let (hop, is_whole) = hop(1, words.trim_ascii(), &columns, host.is_empty())?;
    let is_told = hop.is_silent || hop.sent.is_some() && hop.nodes.len() == 1;
    (is_whole && is_told).then_some(hop)
}

/// What may stand above the rows.
fn is_above(line: &str) -> bool {
    let text = line.trim_ascii();
    let is_told = is_start(line) || is_title(line) || is_screen(text) || Command::read(line).is_some();
    text.is_empty() || is_told || timeless_end(text).is_some()
}

/// On the screen a further router of a hop stands below it, indented as the host is. In a report, where it has a mark before it, one
/// that has lost the mark is told by its address.
fn is_further(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    let is_word = !text.contains(' ') && text.contains(['.', ':']) && !text.ends_with(['.', ':']);
    line.starts_with("   ")
        && is_word
        && (block.has(|line| is_title(line) || line.trim_ascii_start().starts_with("Host "))
            || text.parse::<IpAddr>().is_ok())
        && block.has(|line| row(line).is_some())
}

fn takes_in(block: &Block, line: &str) -> bool {
    !starts(line)
        && block.has(is_head)
        && is_stray(block, line, |line| {
            is_head(line) || row(line).is_some() || is_addition(line.trim_ascii())
        })
}

/// Further routers of the hop above, and their labels.
fn is_addition(text: &str) -> bool {
    text.starts_with("|  ")
        || text.starts_with("`|--")
        || text.starts_with("[MPLS: ")
        || text.starts_with("+-- [MPLS: ")
}

/// `  1.|-- host 0.0% …`, `  1. AS32 host 0.0% …`: the number, and the words behind it.
fn row(line: &str) -> Option<(u8, &str)> {
    let (number, rest) = line.trim_ascii_start().split_once('.')?;
    let ttl = number.parse().ok().filter(|ttl| *ttl > 0)?;
    let words = rest
        .strip_prefix("|--")
        .or_else(|| rest.strip_prefix(' ').map(|_| rest))?;
    words.starts_with(' ').then(|| (ttl, words.trim_ascii()))
}

/// The columns of a report of which nobody asked for others.
const USUAL: [&str; 7] = ["Loss%", "Snt", "Last", "Avg", "Best", "Wrst", "StDev"];

/// The times of a row that can only have the usual columns: a share, a count, and the mean between the extremes.
fn usual_times(line: &str) -> Option<[f64; 4]> {
    let (_, words) = row(line).filter(|_| line.contains(".|-- "))?;
    let words: Vec<&str> = words.split_ascii_whitespace().collect();
    let figures = words.get(words.len().checked_sub(USUAL.len())?..)?;
    let [loss, sent, times @ ..] = figures else {
        return None;
    };
    let lost = loss.strip_suffix('%').unwrap_or(loss);
    let is_share = loss.contains('.')
        && lost
            .parse::<f64>()
            .is_ok_and(|share| (0.0..=100.0).contains(&share));
    let is_count = sent.bytes().all(|byte| byte.is_ascii_digit());
    let is_named = words.len() > USUAL.len();
    let of = |place: usize| -> Option<f64> {
        let time: &&str = times.get(place)?;
        time.contains('.').then(|| time.parse().ok())?
    };
    let (last, mean, best, worst, spread) = (of(0)?, of(1)?, of(2)?, of(3)?, of(4)?);
    let is_ordered = best <= mean && mean <= worst && best <= last && last <= worst && spread <= worst;
    (is_share && is_count && is_named && is_ordered).then_some([last, mean, best, worst])
}

fn is_usual_row(line: &str) -> bool {
    usual_times(line).is_some()
}

/// Whether a report without its head can only have the usual columns: all its rows fit them, and some show which is the least and which
/// the largest.
fn is_usual(block: &Block) -> bool {
    let mut rows = block.lines().filter(|line| row(line).is_some());
    let is_telling =
        |line: &str| usual_times(line).is_some_and(|[_, mean, best, worst]| best < mean && mean < worst);
    !block.lines().any(is_head) && block.lines().any(is_telling) && rows.all(is_usual_row)
}

/// `Start: 2026-11-21T11:11:52+0000`, and as old versions print it, `Start: Wed Feb  5 15:03:35 2014`, without a zone.
fn start_time(line: &str, local_s: Option<i32>) -> Option<Timestamp> {
    let text = line.strip_prefix("Start: ")?.trim_ascii();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return iso8601(text, local_s);
    }
    civil(text, local_s)
}

/// `Wed Feb  5 15:03:35 2014`
fn civil(text: &str, local_s: Option<i32>) -> Option<Timestamp> {
    let mut words = text.split_ascii_whitespace().skip(1);
    let (month_name, day, time, year) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let date = (year.parse().ok()?, month(month_name)?, day.parse().ok()?);
    timestamp(date, clock(time)?, local_s?)
}

/// How its lines begin.
const FOLDS: Beginnings = &[
    "{next:n}.|-- {*}",
    "{next:n}. {_:w} {_:f} {_:n} {*}",
    "{next:n}. {_:w} {_:pct} {_:n} {*}",
    "Start: {*}",
    "HOST: {*}",
    "Host Loss% {*}",
    "Keys: {*}",
    "Packets Pings{*}",
    "My traceroute [{*}",
];

fn read_all(block: &Block, context: &Context, findings: &mut Findings) {
    folded::read(&FORMAT, FOLDS, (block, context, findings), read);
}

pub(super) fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut run = Run {
        is_screen: block
            .lines()
            .any(|line| is_title(line) || columns(line).is_some_and(|(host, _)| host.is_empty())),
        ..Run::default()
    };
    let mut head: Vec<&str> = if is_usual(block) {
        USUAL.to_vec()
    } else {
        Vec::new()
    };
    let mut headless = 0_u64;
    // Labels and further routers below a row that was not understood are not the hop's above.
    let mut is_open = false;
    // How many routers and labels the last row told itself.
    let mut own = (0, 0);
    let mut strays = Strays::default();
    // Hops without numbers are counted as they come, so that none may be missing between them.
    let ends_in_figure = |words: &str| {
        let last = words.rsplit(' ').next().unwrap_or_default();
        last.bytes()
            .next_back()
            .is_some_and(|end| end.is_ascii_digit() || end == b'?')
    };
    let mut rows = block.lines().filter_map(row);
    let is_numbered = rows.any(|(_, words)| ends_in_figure(words));
    let mut unread = false;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some((from, columns)) = columns(line) {
            let from = host(from);
            if !from.is_unknown() {
                run.from = from;
            }
            head = columns;
        } else if line.starts_with("Start: ") {
            run.at = start_time(line, context.utc_offset_s);
        } else if let Some(mut hop) = (!is_numbered).then(|| unnumbered_hop(block, line)).flatten() {
            let last = run.hops.last();
            let is_same = last.is_some_and(|last| !last.nodes.is_empty() && last.nodes == hop.nodes);
            hop.ttl = last.map_or(1, |last| last.ttl.saturating_add(1));
            // What was not understood before it may have been a hop.
            if is_same || unread {
                strays.tell(block, findings);
                return findings.complain(
                    number,
                    "the hops of mtr have no numbers, and one is not understood: none is used",
                );
            }
            own = (hop.nodes.len(), 0);
            is_open = !hop.is_silent;
            run.hops.push(hop);
        } else if let Some((ttl, words)) = row(line) {
            is_open = false;
            if head.is_empty() {
                headless += 1;
                continue;
            }
            if let Some(last) = run
                .hops
                .last_mut()
                .filter(|last| last.ttl.checked_add(1) != Some(ttl))
                && (last.nodes.len() > own.0 || last.mpls.len() > own.1)
            {
                last.nodes.truncate(own.0);
                last.mpls.truncate(own.1);
                findings.complain(
                    number,
                    "the lines above this hop may belong to one that is missing",
                );
            }
            match hop(ttl, words, &head, run.is_screen) {
                Some((hop, is_whole)) => {
                    own = (hop.nodes.len(), hop.mpls.len());
                    run.hops.push(hop);
                    is_open = true;
                    if !is_whole {
                        findings.complain(number, format!("not all figures of a hop: {text}"));
                    }
                }
                None => findings.complain(number, format!("no row of mtr's table: {text}")),
            }
        } else if is_addition(text) || is_further(block, line) {
            match run.hops.last_mut().filter(|hop| is_open && !hop.is_silent) {
                Some(hop) => addition(hop, text),
                None => findings.complain(number, format!("of a hop that is missing: {text}")),
            }
        } else if let Some((from, to, time)) = ends(text) {
            (run.from, run.to) = (from, to);
            run.at = iso8601(time, context.utc_offset_s);
        } else if let Some((from, time)) = old_ends(text) {
            run.from = from;
            run.at = time_of_screen(time, context.utc_offset_s);
        } else if let Some(from) = timeless_end(text).filter(|_| run.hops.is_empty()) {
            run.from = from;
        } else if let Some(command) = Command::read(line) {
            run.take_command(command);
        } else if !is_title(line) && !is_screen(text) {
            unread |= !run.hops.is_empty() && !text.is_empty();
            strays.push(number, line);
        }
    }
    strays.tell(block, findings);
    // `a.example (0.0.0.0)` is bound to no address.
    if run.from.address.is_some_and(|address| address.is_unspecified()) {
        run.from.address = None;
    }
    let lines = (block.first_line, block.last_written_line());
    if headless > 0 {
        findings.complain_of(
            lines,
            format!("{headless} hops without the head that names their columns"),
        );
    }
    run.into_findings(lines, context, findings);
}

/// The last words are the figures, as many as there are columns; what stands before them names the router. `false`: some figure
/// could not be read.
fn hop(ttl: u8, text: &str, columns: &[&str], is_screen: bool) -> Option<(Hop, bool)> {
    let mut hop = Hop {
        ttl,
        ..Hop::default()
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let bare = text
        .trim_ascii()
        .strip_prefix("AS??? ")
        .unwrap_or(text)
        .trim_ascii();
    if is_screen && (bare == "???" || bare == "(waiting for reply)") {
        // On the screen nothing else stands in the row of a hop that is silent.
        hop.node(bare, None);
        return Some((hop, true));
    }
    let names = words
        .len()
        .checked_sub(columns.len())
        .filter(|names| *names > 0)?;
    let (names, figures) = words.split_at_checked(names)?;
    // More figures than the head has columns: it is cut, and nobody knows which these are.
    let is_figure = |word: &&str| word.trim_end_matches('%').parse::<f64>().is_ok();
    if names.iter().skip(1).any(is_figure) {
        return None;
    }
    // The share lost shows whether figures stand below their columns: `0.0%`, of old versions `100.0`.
    let loss = columns.iter().position(|column| *column == "Loss%")?;
    let figures: Vec<_> = figures.iter().map(|figure| with_point(figure)).collect();
    let loss = figures.get(loss)?;
    let is_loss = loss.ends_with('%') || loss.contains('.');
    if !is_loss || loss.trim_end_matches('%').parse::<f64>().is_err() {
        return None;
    }
    let mut is_whole = true;
    for (column, figure) in columns.iter().zip(figures) {
        is_whole &= hop.figure(column, &figure);
    }
    let system = names.first().and_then(|word| asn(word));
    let is_system = names.len() > 1 && names.first().is_some_and(|word| word.starts_with("AS"));
    let names = if is_system { names.get(1..)? } else { names };
    match names {
        [name] => hop.node(name, system),
        _ => hop.node(&names.join(" "), system),
    }
    if let (None, Some(received), Some(dropped)) = (hop.sent, hop.received, hop.dropped) {
        hop.sent = received.checked_add(dropped);
    }
    Some((hop, is_whole))
}

/// The figure with a decimal point, where mtr speaks the language of its user: `0,3`.
fn with_point(figure: &str) -> Cow<'_, str> {
    match figure.split_once(',') {
        Some((whole, rest)) if !rest.contains([',', '.']) => format!("{whole}.{rest}").into(),
        _ => figure.into(),
    }
}

fn addition(hop: &mut Hop, text: &str) {
    if let Some((_, label)) = text.split_once("[MPLS: ") {
        hop.mpls
            .extend(label_of(label).filter(|_| hop.mpls.len() < MOST_AT_ONE_HOP));
    } else {
        let text = text.trim_start_matches(['|', ' ', '`']).trim_start_matches("-- ");
        hop.node(text, None);
    }
}

/// `Lbl 24001 TC 0 S 1 TTL 1]`; older versions print `Exp` and `S u`.
fn label_of(text: &str) -> Option<MplsLabel> {
    let words: Vec<&str> = text.trim_end_matches(']').split_ascii_whitespace().collect();
    let [_, label, _, class, _, bottom, _, ttl] = words.as_slice() else {
        return None;
    };
    let number = |text: &&str| text.parse().ok();
    entry(
        number(label),
        number(class),
        Some(u64::from(*bottom == "1")),
        number(ttl),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_from_prose() {
        for yes in ["  1.|-- a 0.0% 3", " 12. AS32 a 0.0%", "  3.|-- ???  100.0 2"] {
            assert!(row(yes).is_some(), "{yes}");
        }
        for no in ["", "1.2.3.4 answered", "300.|-- a", "0.|-- a", "  1.5 seconds"] {
            assert!(row(no).is_none(), "{no}");
        }
    }

    #[test]
    fn figures_of_other_languages() {
        let columns = ["Loss%", "Snt", "Last", "Avg", "Best", "Wrst", "StDev"];
        let (hop, is_whole) = hop(2, "192.0.2.1 10,0% 10 11,3 11,4 11,2 19,9 0,9", &columns, false).unwrap();
        let rtt = hop.rtt;
        assert_eq!(
            (hop.loss_ratio, rtt.mean_ns, is_whole),
            (Some(0.1), Some(11_400_000), true)
        );
    }

    #[test]
    fn below_a_head_that_is_cut_nobody_knows_which_figures_are_which() {
        let row = "router.example 0.0% 10 0.8 0.6 0.5 0.8 0.0";
        assert!(hop(2, row, &["Loss%", "Snt", "Last"], false).is_none());
    }

    #[test]
    fn further_routers_and_labels() {
        let text = "HOST: a  Loss%   Snt\n  1.|-- 240.0.0.1  10.0%  10\n    |  `|-- 240.0.0.2\n    |  +-- [MPLS: Lbl 24001 TC 0 S u TTL 1]\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let evidence::Payload::Trace(trace) = &records[0].payload else {
            panic!()
        };
        let hop = &trace.flows[0].hops[0];
        assert_eq!(
            (hop.answers.len(), hop.unanswered, hop.answers[0].mpls[0].label),
            (2, 1, 24_001)
        );
    }
}
