//! Columns below a heading of one line or several: where each stands, and what the words above it say.
//!
//! A rule with a piece for each column tells where they are. Without one the words do, and there are two ways to take them: words with
//! a single blank between them are of one column, or each is of its own. The rows tell which it is.

use super::meaning::{Holds, Way, holds};
use super::parts::{Part, parts};
use super::spans::{Span, apart, is_frame, phrases, repeated, words};
use crate::formats::interface::tables::{is_half, is_rule};

/// A column: from a byte of the line to another, as its heading stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: String,
    pub(super) holds: Holds,
    /// A piece of the rule shows where it begins and ends.
    pub(super) is_ruled: bool,
}

/// Whether a line has nothing but words that headings have.
fn is_of_heading(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_alphabetic()) && words(line).all(|word| parts(word.text).is_some())
}

/// Whether a line is one that tables begin with: the word for ports stands first, and columns behind it.
pub(super) fn is_heading(line: &str) -> bool {
    let mut columns = words(line);
    let Some(first) = columns.next() else { return false };
    // Of what is separated by commas, other formats know more.
    if line.contains([',', '"']) || is_half(line) {
        return false;
    }
    let names_port = parts(first.text).is_some_and(|parts| parts.contains(&Part::Port));
    // "State  Name  Spd  MTU"
    let is_behind_state =
        || first.text == "State" && words(line).nth(1).is_some_and(|word| word.text == "Name");
    (names_port || is_behind_state()) && columns.nth(1).is_some() && is_of_heading(line)
}

/// Whether a line stands above such a one: over its columns, and not over that of the ports.
pub(super) fn is_above(line: &str) -> bool {
    let is_set_off = line.starts_with("      ") || line.starts_with("    ") && line.contains('|');
    // "RX:  bytes  packets" of Linux stands above figures alone.
    // What tells a way and what goes that way is no such line, but a heading of its own.
    let tells_all = |word: Span<'_>| {
        let parts = parts(word.text).unwrap_or_default();
        way_in(&parts).is_some()
            && parts
                .iter()
                .any(|part| matches!(part, Part::Bytes | Part::Packets))
    };
    is_set_off
        && !line.contains(':')
        && !is_half(line)
        && !words(line).any(tells_all)
        && words(line).next().is_some()
        && is_of_heading(line)
}

/// Whether a line goes on with a heading.
pub(super) fn goes_on(line: &str) -> bool {
    words(line).next().is_some() && is_of_heading(line)
}

/// The columns of a heading, each way that there is to take it.
pub(super) fn readings(lines: &[&str], rule: Option<&str>, way: Option<Way>) -> Vec<Vec<Column>> {
    let ruled = rule.and_then(|rule| named(lines, &pieces(rule), way, true));
    let phrased = named(lines, &overlaid(lines, phrases), way, false);
    let mixed = named(lines, &overlaid(lines, |line| apart(lines, line)), way, false);
    let worded = named(lines, &overlaid(lines, |line| words(line).collect()), way, false);
    let mut readings: Vec<Vec<Column>> = ruled
        .into_iter()
        .chain(phrased)
        .chain(mixed)
        .chain(worded)
        .collect();
    readings.dedup();
    readings
}

/// The pieces of a rule, where it has one for each column.
fn pieces(rule: &str) -> Vec<(usize, usize)> {
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in rule.bytes().enumerate() {
        if !matches!(byte, b'-' | b'=' | b'_') {
            continue;
        }
        match pieces.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => pieces.push((at, at + 1)),
        }
    }
    pieces.retain(|(start, end)| end - start > 1);
    pieces
}

/// Where the words of the lines stand: what stands above each other is of one column.
fn overlaid<'l>(lines: &[&'l str], split: impl Fn(&'l str) -> Vec<Span<'l>>) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        let grouped = groups(lines, line);
        let spans = split(line).into_iter().filter(|span| {
            !grouped
                .iter()
                .any(|(word, ..)| word.overlap(span.start, span.end) > 0)
        });
        all.extend(spans.map(|span| (span.start, span.end)));
    }
    all.sort_unstable();
    let mut columns: Vec<(usize, usize)> = Vec::new();
    for (start, end) in all {
        match columns.last_mut() {
            Some((_, before)) if start < *before => *before = end.max(*before),
            _ => columns.push((start, end)),
        }
    }
    columns
}

/// What a line says of several columns at once, with where these begin and end: it stands alone between two bars or brackets, which the
/// line below has too, or above words that are repeated there for each of those above them.
fn groups<'l>(lines: &[&str], line: &'l str) -> Vec<(Span<'l>, usize, usize)> {
    let Some(last) = lines.last().filter(|last| **last != line) else {
        return Vec::new();
    };
    let bars = bars(last);
    let bounds = bars.iter().copied().chain([usize::MAX]);
    let spans = bars.iter().copied().zip(bounds.skip(1)).chain(repeated(last));
    let said = phrases(line);
    let inside = |(start, end): (usize, usize)| {
        let mut inside = said
            .iter()
            .filter(|phrase| phrase.start >= start && phrase.end <= end);
        let only = inside.next().filter(|_| inside.next().is_none())?;
        let columns = words(last)
            .filter(|word| word.start >= start && word.end <= end)
            .count();
        (columns > 1).then_some((*only, start, end))
    };
    spans.filter_map(inside).collect()
}

/// Where the bars and brackets of a line stand.
fn bars(line: &str) -> Vec<usize> {
    let frames = line.bytes().enumerate().filter(|(_, byte)| is_frame(*byte));
    frames.map(|(at, _)| at).collect()
}

/// Whether the bars of a line stand elsewhere than those of the last one: its blanks were lost, and what it says stands above other columns.
fn is_shifted(lines: &[&str], line: &str) -> bool {
    let last = lines.last().map(|last| bars(last)).unwrap_or_default();
    !last.is_empty() && bars(line).iter().any(|bar| !last.contains(bar))
}

/// The columns with their names; `None` where a word stands above none of them.
fn named(lines: &[&str], spans: &[(usize, usize)], way: Option<Way>, is_ruled: bool) -> Option<Vec<Column>> {
    (spans.len() > 1 && !lines.iter().any(|line| is_shifted(lines, line))).then_some(())?;
    let above = words_above(lines, spans)?;
    // A piece of a rule with nothing above it: the heading is cut.
    if is_ruled && above.iter().any(Vec::is_empty) {
        return None;
    }
    // Where the word for ports stands in the first line, so does a word of every column: one of which there is none was cut off.
    let begins_first = |words: &Vec<(usize, &str)>| words.first().is_some_and(|(line, _)| *line == 0);
    let is_cut = |words: &Vec<(usize, &str)>| above.first().is_some_and(begins_first) && !begins_first(words);
    let mut before = None;
    let columns = spans.iter().zip(&above).map(|((start, end), words)| {
        let mut words_once: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
        let mut seen = Vec::new();
        words_once.retain(|word| !seen.contains(word) && (seen.push(*word), true).1);
        let said: Vec<Part> = words_once
            .iter()
            .filter_map(|word| parts(word))
            .flatten()
            .collect();
        let name = words_once.join(" ");
        // "Input packets   (pps)": a unit alone is of what stands before it.
        let own = way_in(&said);
        let is_unit = name.starts_with('(') && name.ends_with(')');
        let way = own.or(before.filter(|_| is_unit)).or(way);
        before = own;
        let holds = match holds(&said, &words_once, way) {
            // The name of the one that no other word changes.
            Holds::Mtu => Holds::Mtu,
            figure if figure.is_figure() && is_cut(words) => Holds::Untold,
            holds => holds,
        };
        Column {
            start: *start,
            end: *end,
            name,
            holds,
            is_ruled,
        }
    });
    let mut columns: Vec<Column> = columns.collect();
    settle(&mut columns);
    Some(columns)
}

/// The words above each column, with the lines that they stand in; `None` where a word stands above none.
fn words_above<'l>(lines: &[&'l str], spans: &[(usize, usize)]) -> Option<Vec<Vec<(usize, &'l str)>>> {
    let mut above: Vec<Vec<(usize, &str)>> = vec![Vec::new(); spans.len()];
    for (number, line) in lines.iter().enumerate() {
        let grouped = groups(lines, line);
        for (phrase, start, end) in &grouped {
            let below = spans.iter().zip(&mut above);
            let below = below.filter(|((from, to), _)| from >= start && to <= end);
            below.for_each(|(_, words)| words.extend(phrase.text.split(' ').map(|word| (number, word))));
        }
        for word in words(line) {
            if grouped
                .iter()
                .any(|(group, ..)| group.overlap(word.start, word.end) > 0)
            {
                continue;
            }
            let widest = spans.iter().zip(&mut above);
            let widest = widest.max_by_key(|((start, end), _)| word.overlap(*start, *end));
            let ((start, end), words) = widest?;
            (word.overlap(*start, *end) > 0).then_some(())?;
            words.push((number, word.text));
        }
    }
    Some(above)
}

fn way_in(parts: &[Part]) -> Option<Way> {
    match (parts.contains(&Part::In), parts.contains(&Part::Out)) {
        (true, false) => Some(Way::In),
        (false, true) => Some(Way::Out),
        _ => None,
    }
}

/// Of columns that hold the same none is used: nothing tells which is meant. Ports are named by the first of theirs.
fn settle(columns: &mut [Column]) {
    let is_port = |column: &Column| column.holds == Holds::Port;
    if !columns.iter().any(is_port) {
        // "State Name Spd MTU"
        let name = columns
            .iter_mut()
            .find(|column| column.name.eq_ignore_ascii_case("name"));
        name.into_iter().for_each(|column| column.holds = Holds::Port);
    }
    let (mut ports, far) = (0, 2);
    // Numbers of other ports stand in the rows as well.
    for column in columns.iter_mut().skip(far).filter(|column| is_port(column)) {
        column.holds = Holds::Nothing;
    }
    for column in columns.iter_mut().filter(|column| is_port(column)) {
        ports += 1;
        if ports > 1 {
            column.holds = Holds::Nothing;
        }
    }
    let kept: Vec<Holds> = columns.iter().map(|column| column.holds.clone()).collect();
    let is_twice = |holds: &Holds| kept.iter().filter(|other| *other == holds).count() > 1;
    for column in columns {
        // Several words for the state are read together.
        let is_alone = matches!(
            column.holds,
            Holds::Up | Holds::Nothing | Holds::Untold | Holds::Port
        );
        if !is_alone && is_twice(&column.holds) {
            column.holds = if column.holds.is_figure() {
                Holds::Untold
            } else {
                Holds::Nothing
            };
        }
        // The rate itself is more than its share of the speed.
        let is_told = |way: Way| {
            kept.iter().any(|other| match other {
                Holds::Load(traffic, _) => *traffic == way.traffic(true),
                Holds::Rate(of) => *of == way,
                _ => false,
            })
        };
        if matches!(column.holds, Holds::Share(way) if is_told(way)) {
            column.holds = Holds::Nothing;
        }
    }
}

/// Whether a line is a rule, of whatever signs.
pub(super) fn is_ruled(line: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'_' | b' ' | b'|');
    is_rule(line)
        || line.contains("___") && line.bytes().all(is_plain)
        || line.contains('-') && is_rule(&line.replace('|', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        for yes in [
            "Port     Link    Link   Rx              Peak Rx         Tx              Peak Tx",
            "Interface         RX Bytes       RX Packets         TX Bytes       TX Packets",
            " Interface               Total      Unicast    Multicast   Broadcast",
        ] {
            assert!(is_heading(yes), "{yes}");
        }
        for no in [
            "Port 1 is up",
            "Interface Total",
            "Link state and speed",
            "Interface eth0 in use",
        ] {
            assert!(!is_heading(no), "{no}");
        }
    }

    #[test]
    fn a_word_between_bars_is_of_all_columns_there() {
        let lines = [
            "                 |           RX              |            TX",
            "Interface        |  Mbits/s    KPkts/s  Util%|  Mbits/s   KPkts/s",
        ];
        let columns = readings(&lines, None, None).remove(0);
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "Interface",
                "RX Mbits/s",
                "RX KPkts/s",
                "RX Util%",
                "TX Mbits/s",
                "TX KPkts/s"
            ]
        );
        let shifted = [lines[0].trim_start(), lines[1]];
        assert_eq!(readings(&shifted, None, None), Vec::<Vec<Column>>::new());
    }
}
