//! Outputs that stand in each other's lines: those of several hosts whose lines came in as they were printed, each with its host in
//! front, and those of panes side by side. Their lines are gathered, and each output is read by itself.

use super::Blocks;
use super::several::Given;
use crate::Event;
use crate::arrival::Dress;
use crate::format::{Format, Group};
use crate::formats::openings::Opening;
use crate::scene::host_before;
use crate::script::Script;

/// Outputs that are gathered have no more lines than this: what is longer is no copy of a terminal.
const MOST: usize = 4_000;

/// No screen is wider, bytes: each place of a line is tried that panes may meet at.
const WIDEST: usize = 1_000;

/// Lines that were gathered.
pub(super) struct Strands {
    kind: Kind,
    /// What stands before each line of those inside.
    dress: Dress,
    /// The command that each of many hosts ran, where a filter took the heads of what it printed.
    command: Option<(&'static Format, String)>,
    lines: Vec<Line>,
}

/// What tells lines of several outputs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The word in front of each, with a colon: of pdsh, dsh, `iperf3 -T`.
    Named,
    /// A bar between two panes, behind so many characters: that of tmux, or what somebody typed.
    Bar(char, usize),
    /// A tab: of paste(1).
    Tab,
    /// Blanks before the second column, which begins behind so many characters: of `pr -m`.
    Blanks(usize),
    /// Several commands and all that they print, in a quote or indented as a whole.
    Inside,
}

/// A line that was gathered.
pub(super) struct Line {
    pub(super) number: u64,
    /// So many further lines of the text are part of it.
    pub(super) further: u64,
    pub(super) text: String,
}

impl Line {
    pub(super) fn new(number: u64, text: &str) -> Self {
        Self {
            number,
            further: 0,
            text: text.to_owned(),
        }
    }
}

impl Strands {
    /// Lines of several hosts begin with this one: behind a name another output begins, or a command that runs on many hosts was typed.
    fn named(line: &str, dress: Option<&Dress>, is_of_many: bool) -> Option<Self> {
        let is_dressed = || dress.is_some_and(Dress::is_words);
        let is_such = host_before(line).is_some() && (is_of_many || is_dressed());
        is_such.then(|| Self::of(Kind::Named))
    }

    /// Panes begin with this line: an output begins in it, and another one behind a bar, a tab, or blanks.
    fn beside(opening: &Opening<'_>) -> Option<Self> {
        let line = opening.line();
        if line.len() > WIDEST {
            return None;
        }
        // Of nearly all lines that begin an output nothing stands beside it.
        let is_gap = |pair: &[u8]| matches!(pair, b"  " | [b'\t', _] | [_, b'\t']);
        if line.is_ascii() && !line.as_bytes().windows(2).any(is_gap) {
            return None;
        }
        let begins = |part: &str| {
            let format = opening.begins_with(part.trim_ascii_end());
            format.is_some_and(|format| format.group != Group::Tables)
        };
        let kind = cuts(line).find(|kind| {
            let halves = kind.halves(line);
            halves.is_some_and(|(left, right)| kind.may_divide(left, right) && begins(right) && begins(left))
        })?;
        Some(Self::of(kind))
    }

    /// Several commands are typed in this line of a quote, or of what is indented: what they print stands there too.
    pub(super) fn inside(line: &str) -> Option<Self> {
        let (dress, text) = Dress::around(line)?;
        Script::typed(text)?;
        Some(Self {
            dress,
            ..Self::of(Kind::Inside)
        })
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            dress: Dress::default(),
            command: None,
            lines: Vec::new(),
        }
    }

    /// Takes a line of these outputs.
    pub(super) fn takes(&mut self, number: u64, line: &str) -> bool {
        let is_blank = line.trim_ascii().is_empty();
        let is_such = match self.kind {
            Kind::Named => host_before(line).is_some(),
            Kind::Inside => self.dress.off(line).is_some(),
            kind => is_blank || kind.halves(line).is_some_and(|(_, right)| self.may_go_on(right)),
        };
        let takes = is_such && self.lines.len() < MOST;
        if takes {
            self.lines.push(Line::new(number, line));
        }
        takes
    }

    /// Whether a line with this in its second column is of the panes: behind blanks alone, a paragraph in the first column may be anything.
    fn may_go_on(&self, right: &str) -> bool {
        let is_behind_blank = || {
            self.lines
                .last()
                .is_some_and(|last| last.text.trim_ascii().is_empty())
        };
        !(matches!(self.kind, Kind::Blanks(_)) && right.is_empty() && is_behind_blank())
    }

    /// The lines of each output; of panes those of the first column last, as what is below them goes on with that.
    fn apart(&self) -> Vec<Vec<(&Line, &str)>> {
        if self.kind == Kind::Inside {
            let lines = self.lines.iter();
            let off = |text| self.dress.off(text).unwrap_or_default();
            return vec![lines.map(|line| (line, off(line.text.as_str()))).collect()];
        }
        if self.kind != Kind::Named {
            let half = |is_left: bool| {
                let lines = self.lines.iter();
                let halves = lines.map(|line| (line, self.kind.halves(&line.text).unwrap_or_default()));
                halves
                    .map(|(line, (left, right))| (line, if is_left { left.trim_ascii_end() } else { right }))
                    .collect()
            };
            return vec![half(false), half(true)];
        }
        let mut names = Vec::new();
        let mut apart: Vec<Vec<_>> = Vec::new();
        for line in &self.lines {
            let name = host_before(&line.text);
            let place = names.iter().position(|known| *known == name);
            match place.and_then(|place| apart.get_mut(place)) {
                Some(lines) => lines.push((line, line.text.as_str())),
                None => {
                    names.push(name);
                    apart.push(vec![(line, line.text.as_str())]);
                }
            }
        }
        apart
    }

    /// Whether each output stands by itself as it is.
    fn are_apart(&self) -> bool {
        let is_new = |pair: &[Line]| {
            let [above, below] = pair else { return false };
            host_before(&above.text) != host_before(&below.text)
        };
        if self.kind == Kind::Inside {
            // The mark was that of a prompt.
            return self.lines.len() == 1;
        }
        self.kind == Kind::Named
            && self.lines.windows(2).filter(|pair| is_new(pair)).count() < self.apart().len()
    }
}

impl Kind {
    /// Whether it may stand between two outputs. Blanks and tabs also stand between the headings of one table: with nothing but those
    /// between them, both begin with the same word.
    fn may_divide<'l>(self, left: &'l str, right: &'l str) -> bool {
        let first = |half: &'l str| {
            let word = half.split_ascii_whitespace().next().unwrap_or_default();
            word.bytes().filter(|byte| !byte.is_ascii_digit())
        };
        matches!(self, Self::Bar(..)) || first(left).eq(first(right))
    }

    /// What stands on both sides of it.
    fn halves(self, line: &str) -> Option<(&str, &str)> {
        match self {
            Self::Named | Self::Inside => None,
            Self::Tab => line.split_once('\t'),
            Self::Bar(bar, place) => {
                let (at, _) = line.char_indices().nth(place).filter(|(_, sign)| *sign == bar)?;
                let behind = line.get(at + bar.len_utf8()..)?;
                Some((line.get(..at)?, behind.strip_prefix(' ').unwrap_or(behind)))
            }
            Self::Blanks(place) => {
                let Some((at, _)) = line.char_indices().nth(place) else {
                    return Some((line, ""));
                };
                let (left, right) = line.split_at_checked(at)?;
                left.ends_with(' ').then_some((left, right))
            }
        }
    }
}

/// Where a line may be cut in two.
fn cuts(line: &str) -> impl Iterator<Item = Kind> {
    let mut blanks = 0;
    line.chars().enumerate().filter_map(move |(place, sign)| {
        let before = blanks;
        blanks = if sign == ' ' { blanks + 1 } else { 0 };
        match sign {
            '\t' => Some(Kind::Tab),
            '\u{2502}' => Some(Kind::Bar(sign, place)),
            '|' if before > 1 => Some(Kind::Bar(sign, place)),
            ' ' => None,
            _ => (before > 1 && before < place).then_some(Kind::Blanks(place)),
        }
    })
}

impl Blocks<'_> {
    /// Takes a line of outputs that stand in each other's lines; those that end above it are read.
    pub(super) fn gathers(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        let is_open = self.strands.is_some();
        // What was read of longer outputs goes on.
        let is_within = self.open.is_some() && self.block.len() > 1;
        if !is_open && !is_within && self.scene.is_of_many() {
            self.strands = Strands::named(line, None, true);
        }
        let Some(strands) = &mut self.strands else {
            return false;
        };
        let takes = strands.takes(self.line, line);
        if takes && !is_open {
            if let Some(command) = self.headless_command(line) {
                if let Some(strands) = &mut self.strands {
                    strands.command = Some(command);
                }
                self.open = None;
                return true;
            }
            if self.open.is_some() {
                self.undress_first();
            }
            self.close_all(sink);
        } else if !takes {
            self.line -= 1;
            self.read_strands(sink);
            self.line += 1;
        }
        takes
    }

    /// Whether outputs that stand in each other's lines begin with this one, which is taken if they do.
    pub(super) fn gathers_from(&mut self, opening: &Opening<'_>, dress: Option<&Dress>) -> bool {
        let begun = match opening.begins() {
            Some(_) => Strands::beside(opening),
            None => Strands::named(opening.line(), dress, false),
        };
        self.strands = begun.filter(|_| !self.is_again && !self.is_gathered);
        let number = self.line;
        self.strands
            .as_mut()
            .is_some_and(|strands| strands.takes(number, opening.line()))
    }

    /// So many further lines of the text are part of the last one that was gathered.
    pub(super) fn skips_gathered(&mut self, count: u64) -> bool {
        let last = self.strands.as_mut().and_then(|strands| strands.lines.last_mut());
        last.map(|last| last.further += count).is_some()
    }

    /// Reads what was gathered.
    pub(super) fn read_strands(&mut self, sink: &mut dyn FnMut(Event)) {
        let Some(strands) = self.strands.take() else {
            return;
        };
        let line = self.line;
        let was_gathered = std::mem::replace(&mut self.is_gathered, true);
        if strands.command.is_none() && strands.are_apart() {
            // Of what was taken before, no part of a text begins here.
            let beginnings = self.beginnings.take();
            for Line {
                number,
                further,
                text,
            } in &strands.lines
            {
                self.line = number - 1;
                self.take_line(text, sink);
                self.skip(*further, true);
            }
            self.beginnings = beginnings;
        } else {
            self.read_apart(&strands, sink);
        }
        self.is_gathered = was_gathered;
        self.line = line;
    }

    fn read_apart(&mut self, strands: &Strands, sink: &mut dyn FnMut(Event)) {
        let was_again = std::mem::replace(&mut self.is_again, true);
        let scene = self.scene.clone();
        let mut events = Vec::new();
        for (place, lines) in strands.apart().into_iter().enumerate() {
            let mut note = |event| events.push(event);
            if place > 0 {
                self.close_all(&mut note);
                self.complain_about_command(&mut note);
                self.complain_about_unknown(&mut note);
            }
            self.scene = scene.again(&self.scene);
            if let Some((format, command)) = &strands.command
                && let Some((line, text)) = lines.first()
            {
                self.begin_given(format, command, line.number - 1);
                self.given = Given::Above;
                let words = host_before(text)
                    .map(|name| format!("{name}: "))
                    .unwrap_or_default();
                self.scene.prefixed(&words);
                self.dress = Some(Dress::of_words(words));
            }
            let mut numbers = lines.iter().skip(1).map(|(line, _)| line.number);
            for (line, text) in &lines {
                self.line = line.number - 1;
                self.take_line(text, &mut note);
                // The lines of the others stand between.
                let next = numbers.next().unwrap_or(line.number + line.further + 1);
                if self.open.is_some() {
                    self.skip(next.saturating_sub(line.number + 1), false);
                }
            }
        }
        if strands.kind == Kind::Inside {
            let mut note = |event| events.push(event);
            self.close_all(&mut note);
            self.settle(None, &mut note);
            self.complain_about_command(&mut note);
            self.complain_about_unknown(&mut note);
            self.scene.end();
        }
        self.is_again = was_again;
        events.sort_by_key(Event::first_line);
        events.into_iter().for_each(sink);
    }
}
