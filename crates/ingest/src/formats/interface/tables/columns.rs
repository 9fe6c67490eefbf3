//! Headings of tables in columns: which words they have, and where each column begins and ends.

use super::vocabulary::VOCABULARY;
use super::{is_half, is_rule};
use crate::text::begin_of;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Port,
    /// Words for up and down.
    Up,
    Speed,
    Duplex,
    /// Both in one cell.
    SpeedAndDuplex,
    Mtu,
    Description,
    /// A counter, by its name.
    Count(&'static str),
    Nothing,
}

/// A column: from a byte of the line to another.
#[derive(Debug)]
pub(super) struct Column {
    start: usize,
    end: usize,
    pub(super) holds: Holds,
    /// One blank is all that is before it.
    is_close: bool,
    /// Where the column before it begins.
    before: Option<usize>,
    /// It counts something, and its name is none that is known.
    is_unknown_count: bool,
    /// NX-OS prints cells a place or two to the left or right of some of their headings.
    is_loose: bool,
}

impl Column {
    /// What stands in it; `None` where something reaches over its ends.
    pub(super) fn cell<'t>(&self, row: &'t str) -> Option<&'t str> {
        if row.len() <= self.start {
            return Some("");
        }
        let is_blank = |at: Option<usize>| {
            at.and_then(|at| row.as_bytes().get(at))
                .is_none_or(|byte| *byte == b' ')
        };
        // Words of people have single blanks: two stand in front, or they may have begun before.
        let is_set_off = || is_blank(self.start.checked_sub(2)) || self.is_close || self.is_behind_word(row);
        if self.holds == Holds::Description && !is_set_off() {
            return None;
        }
        let mut end = self.end.min(row.len());
        let reaches_over = |end: usize| !is_blank(Some(end)) && !is_blank(end.checked_sub(1));
        while self.is_loose && end < self.end.saturating_add(2) && reaches_over(end) {
            end += 1;
        }
        let is_apart = is_blank(self.start.checked_sub(1)) || self.is_loose && is_blank(Some(self.start));
        let is_ended = is_blank(Some(end)) || self.is_loose && is_blank(end.checked_sub(1));
        (is_apart && is_ended).then_some(())?;
        row.get(self.start..end).map(str::trim_ascii)
    }

    /// Words of people that do not stand in their column: behind an address that is shorter than its own, or cut at the width of
    /// the column, with the next one right behind them.
    pub(super) fn words_beside<'t>(&self, row: &'t str) -> Option<&'t str> {
        let behind_address = || {
            let (left, words) = row.get(..self.start)?.rsplit_once("  ")?;
            let word = left.trim_ascii_end().rsplit(' ').next()?;
            let words = row.get(self.start - words.len()..)?.trim_ascii();
            (is_address(word) || word == "--").then_some(words)
        };
        let cut = || {
            let cell = row.get(self.start..self.end.checked_add(1)?)?;
            (self.is_close || row.get(..self.start)?.ends_with(' ')).then_some(())?;
            (cell.trim_ascii() == cell).then_some(cell)
        };
        match self.end {
            usize::MAX => behind_address(),
            _ => cut(),
        }
    }

    /// Whether the column before it is filled from its beginning to the blank between them by one word, which is no person's.
    fn is_behind_word(&self, row: &str) -> bool {
        let word = self
            .before
            .zip(self.start.checked_sub(1))
            .and_then(|(start, end)| row.get(start..end));
        word.is_some_and(|word| word.len() > 1 && !word.contains(' '))
    }
}

/// An address, with or without the length of its prefix.
pub(super) fn is_address(word: &str) -> bool {
    let address = word.split('/').next().unwrap_or(word);
    address.parse::<std::net::IpAddr>().is_ok()
}

/// Whether a line has nothing but the rest of a list of VLANs, which the last column has no room for in the row above.
pub(super) fn is_rest(columns: &[Column], line: &str) -> bool {
    let is_listed = |byte: u8| byte.is_ascii_digit() || matches!(byte, b',' | b'-' | b'(' | b')');
    if !line.trim_ascii().bytes().all(is_listed) {
        return false;
    }
    let at = line.len() - line.trim_ascii_start().len();
    columns.last().is_some_and(|last| {
        last.holds == Holds::Nothing && last.start > 0 && at.saturating_add(2) >= last.start
    })
}

/// The words of a heading and where they stand; frames are blanks.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split([' ', '\t', '|', '+'])
        .filter(|word| !word.is_empty())
        .map(move |word| (begin_of(word, line), word))
}

/// Whether a line is one of a heading: nothing but words that headings have, two or more, and far apart.
pub(super) fn is_heading(line: &str) -> bool {
    if is_half(line) {
        return false;
    }
    let (mut count, mut is_spread, mut before) = (0, false, None);
    for (at, word) in words(line) {
        if VOCABULARY.binary_search(&word).is_err() {
            return false;
        }
        count += 1;
        is_spread |= before.is_some_and(|end| at > end + 2);
        before = Some(at + word.len());
    }
    let is_framed = line.starts_with('|');
    let is_short = || line.trim_ascii_end() == " Chas/";
    // A narrow column of bundles: `Po1` below it is shorter than the word.
    let is_narrow = || line.trim_ascii_end() == "Port  Description";
    is_framed && count > 0 || is_spread && count > 1 || is_short() || is_narrow()
}

/// Whether a line is the upper one of a heading with a word or more over columns to the right.
pub(super) fn is_above(line: &str) -> bool {
    line.starts_with("        ")
        && !is_half(line)
        && words(line).all(|(_, word)| VOCABULARY.binary_search(&word).is_ok())
}

/// So many columns stand before that of the ports at most.
const FARTHEST_PORT: usize = 3;

/// The pieces of a rule, by their ends.
fn pieces(rule: &str) -> Vec<(usize, usize)> {
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in rule.bytes().enumerate() {
        if !matches!(byte, b'-' | b'=') {
            continue;
        }
        match pieces.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => pieces.push((at, at + 1)),
        }
    }
    pieces
}

/// Columns below a rule with a piece for each of them.
pub(super) fn of_rule(heading: &[&str], rule: &str) -> Option<Vec<Column>> {
    let pieces = pieces(rule);
    if !is_rule(&rule.replace(['|', '+'], " ")) || pieces.len() < 2 {
        return None;
    }
    Some(named(heading, &pieces, true))
}

/// Columns below headings of one word each: a column goes from its heading to the next. Words of several lines that stand above
/// each other are one heading.
pub(super) fn of_words(heading: &[&str]) -> Option<Vec<Column>> {
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    for (at, word) in heading.iter().flat_map(|line| words(line)) {
        // "mac address"
        if word == "address" {
            continue;
        }
        pieces.push((at, at + word.len()));
    }
    pieces.sort_unstable();
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (start, end) in pieces {
        match starts.last_mut() {
            Some((_, before)) if start < *before => *before = end.max(*before),
            _ => starts.push((start, end)),
        }
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|(start, _)| start - 1)
        .chain([usize::MAX]);
    let spans: Vec<_> = starts
        .iter()
        .zip(ends)
        .map(|((start, _), end)| (*start, end))
        .collect();
    let columns = named(heading, &spans, false);
    (columns.len() > 2 || describes(&columns)).then_some(columns)
}

/// Ports with what people call them, and nothing else.
pub(super) fn describes(columns: &[Column]) -> bool {
    columns
        .iter()
        .map(|column| column.holds)
        .eq([Holds::Port, Holds::Description])
}

/// Columns with what they hold: two of the same are neither, unless the first is said to be what was found.
fn named(heading: &[&str], pieces: &[(usize, usize)], is_ruled: bool) -> Vec<Column> {
    let mut names = vec![String::new(); pieces.len()];
    let is_found_first = heading.iter().any(|line| line.contains("DETECTED"));
    for (at, word) in heading.iter().flat_map(|line| words(line)) {
        if word.starts_with("DETECTED") || word.starts_with("CONFIGURED") {
            continue;
        }
        let end = at + word.len();
        let overlap = |(start, stop): &(usize, usize)| end.min(*stop).saturating_sub(at.max(*start));
        let widest = pieces
            .iter()
            .enumerate()
            .max_by_key(|(place, piece)| (overlap(piece), usize::MAX - place));
        if let Some((place, piece)) = widest.filter(|(_, piece)| overlap(piece) > 0)
            && let Some(name) = names.get_mut(place)
        {
            let _ = piece;
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
        }
    }
    let last = pieces.len().saturating_sub(1);
    let is_loose = names.first().is_some_and(|name| LOOSE.contains(&name.as_str()));
    let mut columns: Vec<Column> = Vec::new();
    for (place, ((start, end), name)) in pieces.iter().zip(&names).enumerate() {
        let holds = match holds(name) {
            // What stands far behind is another's port: that of a bundle.
            Holds::Port if place > FARTHEST_PORT => Holds::Nothing,
            holds => holds,
        };
        let is_again = |column: &&mut Column| column.holds == holds && holds != Holds::Nothing;
        let mut column = Column {
            start: *start,
            // The last one may be longer than its rule: a description.
            end: if place == last { usize::MAX } else { *end },
            holds,
            is_close: place
                .checked_sub(1)
                .and_then(|before| pieces.get(before))
                .is_some_and(|(_, before)| is_ruled && before + 1 == *start),
            before: place
                .checked_sub(1)
                .and_then(|before| pieces.get(before))
                .map(|(start, _)| *start),
            is_unknown_count: holds == Holds::Nothing && counts(name),
            is_loose,
        };
        if let Some(before) = columns.iter_mut().find(is_again) {
            // Ports are named by the first; which group another is in is another's name.
            if !is_found_first && holds != Holds::Port {
                before.holds = Holds::Nothing;
            }
            column.holds = Holds::Nothing;
        }
        columns.push(column);
    }
    // SONiC's ports have an alias of their own, which nobody chose, and their state is that of operation.
    if names.iter().any(|name| name == "Lanes") {
        let is_said = names.iter().any(|name| name == "Oper");
        let told = columns.iter_mut().zip(&names);
        // Without the state nothing tells whether the speed is in use.
        let told = told.filter(|(_, name)| *name == "Alias" || *name == "Speed" && !is_said);
        told.for_each(|(column, _)| column.holds = Holds::Nothing);
    }
    // Where nothing else says so, the state is that of the port.
    let states = names.iter().filter(|name| *name == "State").count();
    if states == 1 && !columns.iter().any(|column| column.holds == Holds::Up) {
        let mut told = columns.iter_mut().zip(&names);
        if let Some((column, _)) = told.find(|(_, name)| *name == "State") {
            column.holds = Holds::Up;
        }
    }
    if names.iter().any(|name| name == "Oper") && !columns.iter().any(|column| column.holds == Holds::Up) {
        for (column, name) in columns.iter_mut().zip(&names) {
            column.holds = match name.as_str() {
                "Oper" => Holds::Up,
                "Alias" => Holds::Nothing,
                "Description" => Holds::Description,
                _ => column.holds,
            };
        }
    }
    // NX-OS's mode is one of access and trunk.
    if is_loose {
        for (column, name) in columns.iter_mut().zip(&names) {
            if name == "Mode" {
                column.holds = Holds::Nothing;
            }
        }
    }
    columns
}

/// Whether a heading says by any of its words that something is counted below it.
fn counts(name: &str) -> bool {
    const COUNTED: [&str; 4] = ["Bytes", "Drops", "Errors", "Frames"];
    name.split(' ').any(|word| COUNTED.contains(&word))
}

/// Whether some columns count what is not known: their headings do not stand above them, or say more than is known.
pub(super) fn has_unknown_counts(columns: &[Column]) -> bool {
    columns.iter().any(|column| column.is_unknown_count)
}

/// First headings of NX-OS's `show interface brief`.
const LOOSE: [&str; 2] = ["Ethernet Interface", "Port-channel Interface"];

fn holds(name: &str) -> Holds {
    match name {
        "Port" | "Interface" | "Slot/ Port" | "Chas/ Slot/ Port" | "Port Name" | "Port Id" | "Loopback"
        | "Oob" | "Ch" | "name" | "##" | "Port Channel" => Holds::Port,
        name if LOOSE.contains(&name) => Holds::Port,
        "Link" | "Link State" | "Link Status" | "Oper Status" | "Oper State" | "Status" | "Phy" | "S/L" => {
            Holds::Up
        }
        "Speed" | "Speed (Mbps)" | "Speed (Mb/s)" | "BW" => Holds::Speed,
        "Duplex" | "Dupl" | "Dplx" => Holds::Duplex,
        "Speed/Duplex"
        | "Physical Status"
        | "Speed/ Duplex"
        | "Mode"
        | "speed/duplex/state"
        | "speed/duplex/state/fec" => Holds::SpeedAndDuplex,
        "Oper MTU" | "MTU" | "MTU Size" => Holds::Mtu,
        "Description" | "Alias" | "Name" => Holds::Description,
        "Total Bytes" => Holds::Count("Total Bytes"),
        "Total Frames" => Holds::Count("Total Frames"),
        "Errors Rx" => Holds::Count("Errors Rx"),
        "Drops Tx" => Holds::Count("Drops Tx"),
        _ => Holds::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_rule() {
        let heading = ["                  Flow", "Port   Errors Rx  Ctrl"];
        let columns = of_rule(&heading, "------ ---------- ----").unwrap();
        let holds: Vec<Holds> = columns.iter().map(|column| column.holds).collect();
        assert_eq!(holds, [Holds::Port, Holds::Count("Errors Rx"), Holds::Nothing]);
        assert_eq!(columns[1].cell("A1     12         off"), Some("12"));
        assert_eq!(
            columns[1].cell("A1     12345678901off"),
            None,
            "it reaches into the next"
        );
    }

    #[test]
    fn headings() {
        assert!(VOCABULARY.is_sorted());
        for yes in [
            "  Port         Total Bytes    Total Frames   Errors Rx Drops Tx  Ctrl Limit",
            "Port    Link    State   Dupl Speed Trunk Tag Pvid Pri MAC             Name",
            "Port      Description",
        ] {
            assert!(is_heading(yes), "{yes}");
        }
        for no in [
            "Port Name",
            "Link is up",
            "Total",
            "Status and Counters",
            "Interface MTU",
            "Port Link Speed",
        ] {
            assert!(!is_heading(no), "{no}");
        }
    }
}
