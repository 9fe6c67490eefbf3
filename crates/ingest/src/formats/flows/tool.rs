//! Tools whose output is lines that stand for themselves, told as tables of patterns.

use super::moved::Moved;
use super::pattern::{Captures, first_of, fit};
pub(super) use super::row::*;
use super::typed::{Ends, Typed, Way, command, typed};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::Marks;
use crate::sieve::{Glance, Sieve, longest_word};
use crate::text::holds;
use crate::units::Kilo;
use evidence::EchoContext;
use memchr::{memchr, memmem};

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// What records call it.
    pub(super) name: &'static str,
    /// The names of its commands.
    pub(super) programs: &'static [&'static str],
    /// Whether a transfer names it as its application: not so tools that send from memory to memory to measure.
    pub(super) is_application: bool,
    /// What it means by a KB.
    pub(super) kilo: Kilo,
    /// What its command says of the ends.
    pub(super) ends: fn(&Typed<'_>) -> Ends,
    /// Of fewer bytes than these there is no rate: they are the tool's own talk.
    pub(super) least_bytes: u64,
    /// Without its command nobody knows whether the data go over a network.
    pub(super) needs_command: bool,
    /// It may sum up both ways: which of them a rate is of is told by the command or by a heading alone.
    pub(super) may_sum: bool,
    /// Each size of message has its own row of round trips, the smallest first: that one stands.
    pub(super) smallest_first: bool,
    /// It is over where the line above is such; elsewhere the same words tell how far it has come.
    pub(super) ends_below: Option<&'static str>,
    /// It speaks below the command of another: elsewhere its lines are of another format.
    pub(super) is_guest: bool,
    /// Lines that open a block hold this.
    pub(super) mark: &'static str,
    /// Lines without a figure are passed over: they are in the language of the user.
    pub(super) speaks: bool,
    /// It prints what was set before it measures: such lines alone are the top of an output that is cut.
    pub(super) measures: bool,
    /// The first that fits a line counts.
    pub(super) rows: &'static [Row],
}

/// What most of them are like.
pub(super) const PLAIN: Tool = Tool {
    name: "",
    programs: &[],
    is_application: true,
    kilo: Kilo::Thousand,
    ends: |_| Ends::default(),
    least_bytes: 1,
    needs_command: false,
    may_sum: false,
    smallest_first: false,
    ends_below: None,
    is_guest: false,
    mark: "",
    speaks: false,
    measures: false,
    rows: &[],
};

/// What of a line stands on the screen in the end: progress is written over itself, and a key that ended it is none of it.
pub(super) fn shown(line: &str) -> &str {
    let line = line.strip_suffix("^C").unwrap_or(line);
    if memchr(b'\r', line.as_bytes()).is_none() {
        return line;
    }
    let mut states = line.rsplit('\r').filter(|state| !state.trim_ascii().is_empty());
    states.next().unwrap_or(line)
}

/// The tools of a format, ready to read lines.
pub(super) struct Toolbox {
    tools: Vec<Prepared>,
    /// Their opening rows, with the tools' places.
    openings: (Sieve, Vec<(usize, &'static Row)>),
    /// Those without a word that tells much.
    wordless: Vec<Wordless>,
    /// Programs with names that are in many words.
    short: Vec<&'static str>,
}

struct Prepared {
    tool: &'static Tool,
    rows: Sieve,
}

impl Toolbox {
    pub(super) fn new(tools: &[&'static Tool]) -> Self {
        let numbered = tools.iter().enumerate().filter(|(_, tool)| !tool.is_guest);
        let openings = numbered.flat_map(|(place, tool)| tool.rows.iter().map(move |row| (place, row)));
        let openings: Vec<_> = openings.filter(|(_, row)| row.opens).collect();
        let is_wordless = |(place, row): &&(usize, &Row)| {
            tools
                .get(*place)
                .is_some_and(|tool| tool.mark_of(row).len() < LEAST_MARK)
        };
        let wordless = openings
            .iter()
            .filter(is_wordless)
            .map(|(_, row)| Wordless::new(row.pattern));
        let wordless = wordless.collect();
        let programs = tools.iter().flat_map(|tool| tool.programs).copied();
        let short = programs.filter(|program| is_short(program)).collect();
        let prepared = tools.iter().map(|tool| Prepared {
            tool,
            rows: Sieve::new(tool.rows.iter().map(|row| row.pattern), first_of),
        });
        Self {
            tools: prepared.collect(),
            openings: (
                Sieve::new(openings.iter().map(|(_, row)| row.pattern), first_of),
                openings,
            ),
            wordless,
            short,
        }
    }

    fn tool(&self, place: usize) -> Option<&'static Tool> {
        self.tools.get(place).map(|prepared| prepared.tool)
    }

    /// The place of the tool that a line opens a block of: by its command, or by what it prints.
    fn opened(&self, line: &str) -> Option<usize> {
        let of_program = |program: &str| {
            let has = |prepared: &Prepared| prepared.tool.programs.contains(&program);
            self.tools.iter().position(has)
        };
        let commanded = command(line, |program| of_program(program).is_some());
        // `cat` alone shows any file: in a pipeline alone it moves one.
        let moves = |program: &str| program != "cat" || holds(line, "|");
        let commanded =
            commanded.and_then(|command| of_program(command.program).filter(|_| moves(command.program)));
        let shown = shown(line);
        let (sieve, openings) = &self.openings;
        let glance = Glance::at(shown);
        let likely = sieve.places(&glance).filter_map(|place| openings.get(place));
        let begins = line
            .trim_ascii_start()
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii);
        let may_begin = |row: &Row| begins || row.pattern.starts_with(|first: char| !first.is_ascii());
        let printed = likely.filter(|(_, row)| may_begin(row)).find(|(place, row)| {
            let has_mark = |tool: &Tool| line.contains(tool.mark);
            self.tool(*place).is_some_and(has_mark) && fit(row.pattern, shown).is_some()
        });
        let printed = printed.map(|(place, _)| *place);
        commanded.into_iter().chain(printed).min()
    }

    /// The tool of a block.
    fn of(&self, block: &Block) -> Option<&Prepared> {
        let below = || block.lines().skip(1).find(|line| !line.trim_ascii().is_empty());
        let place = block.memo.get();
        let place = place.or_else(|| self.piped(block.first()?, below()?));
        let place = place.or_else(|| self.opened(block.first()?))?;
        block.memo.set(Some(place));
        self.tools.get(place)
    }

    /// The place of the tool that prints the first line below the command of a pipeline: any program in it may be the one that speaks.
    fn piped(&self, command: &str, line: &str) -> Option<usize> {
        memchr(b'|', command.as_bytes())?;
        self.tools.iter().position(|prepared| {
            let tool = prepared.tool;
            typed(command, tool.programs).is_some_and(|typed| typed.runs(tool.name))
                && prepared.row_of(line).is_some()
        })
    }

    /// Words of which every opening line holds one that does not look like a row without words: the program's name in a command, the
    /// tool's mark or the longest word of a row.
    pub(super) fn marks(&self, is_wordless: fn(&str) -> bool) -> Marks {
        let programs = self.tools.iter().flat_map(|prepared| prepared.tool.programs);
        let rows = self
            .openings
            .1
            .iter()
            .filter_map(|(place, row)| Some(self.tool(*place)?.mark_of(row)));
        let marks = Marks::of(programs.copied().filter(|program| !is_short(program)))
            .and(rows.filter(|mark| mark.len() >= LEAST_MARK));
        match (self.short.is_empty(), self.wordless.is_empty()) {
            (true, true) => marks,
            (true, false) => marks.or(is_wordless),
            (false, _) => marks.or_at_prompt().or(is_wordless),
        }
    }

    /// Whether a line looks like a row without words, or like a command without a prompt whose name is in many words.
    pub(super) fn may_be_wordless(&self, line: &str) -> bool {
        if !self.short.is_empty() && self.runs_short(line) {
            return true;
        }
        let text = shown(line).trim_ascii();
        self.wordless.iter().any(|row| row.may_be(text))
    }

    /// Whether a line runs a program whose name is in many words: without a prompt, or behind one with a blank in it (`anna@mac ~ % scp …`,
    /// `PS C:\> scp …`).
    fn runs_short(&self, line: &str) -> bool {
        let is_run =
            |name: &str| name.ends_with(".exe") || self.short.iter().any(|short| name.ends_with(short));
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.find(|word| *word != "sudo") else {
            return false;
        };
        let is_sign = |word: &str| matches!(word, "%" | "$" | "#") || word.ends_with('>');
        is_run(first)
            || (first == "PS" || memchr(b'@', first.as_bytes()).is_some())
                && words.by_ref().take(MOST_IN_PROMPT).any(is_sign)
                && words
                    .find(|word| !matches!(*word, "sudo" | "time"))
                    .is_some_and(is_run)
    }

    pub(super) fn starts(&self, line: &str) -> bool {
        self.opened(line).is_some()
    }

    pub(super) fn continues(&self, block: &Block, line: &str) -> bool {
        let is_first_below = block.last_written() == block.first() && !line.trim_ascii().is_empty();
        if is_first_below && let Some(place) = block.first().and_then(|command| self.piped(command, line)) {
            block.memo.set(Some(place));
            return true;
        }
        self.of(block).is_some_and(|tool| tool.continues(block, line))
    }

    pub(super) fn takes_in(&self, block: &Block, line: &str) -> bool {
        // What another of these tools begins with is no word of this one.
        self.opened(line).is_none() && self.of(block).is_some_and(|tool| tool.takes_in(block, line))
    }

    pub(super) fn read(&self, block: &Block, context: &Context, findings: &mut Findings) {
        if let Some(tool) = self.of(block) {
            tool.read(block, context, findings);
        }
    }
}

/// A shorter word tells too little: it is in every other line.
const LEAST_MARK: usize = 3;

/// No more words stand between the host in a prompt and the sign behind it.
const MOST_IN_PROMPT: usize = 3;

/// Whether the name of a program is in many words: `cat`, `tar`.
fn is_short(program: &str) -> bool {
    program.len() <= LEAST_MARK
}

impl Tool {
    /// What every line of a row that opens a block holds: the longer one of the tool's mark and the longest word of the row.
    fn mark_of(&self, row: &Row) -> &'static str {
        let word = longest_word(row.pattern);
        if self.mark.len() > word.len() {
            self.mark
        } else {
            word
        }
    }
}

/// A row that has signs and figures, and no word.
struct Wordless {
    begins_with_figure: bool,
    /// The sign that it begins with, where it does.
    start: &'static str,
    /// What stands between its fields, in this order.
    signs: Vec<&'static str>,
}

impl Wordless {
    fn new(pattern: &'static str) -> Self {
        let first = pattern
            .strip_prefix('{')
            .and_then(|field| field.split('}').next());
        let kind = first.map(|field| field.split_once(':').map_or(field, |(_, kind)| kind));
        let outside = pattern.split('}').filter_map(|part| part.split('{').next());
        let signs = outside.flat_map(|literal| literal.split([' ', '~']));
        Self {
            begins_with_figure: matches!(
                kind,
                Some("B" | "n" | "s" | "f" | "pct" | "size" | "rate" | "dur")
            ),
            start: pattern.split(['{', ' ', '~']).next().unwrap_or_default(),
            signs: signs.filter(|sign| !sign.is_empty()).collect(),
        }
    }

    fn may_be(&self, text: &str) -> bool {
        let is_figure = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-' | b'+');
        let begins = !self.begins_with_figure || text.bytes().next().is_some_and(is_figure);
        let mut rest = text.as_bytes();
        begins
            && text.starts_with(self.start)
            && self.signs.iter().all(|sign| {
                let found = match sign.as_bytes() {
                    [byte] => memchr(*byte, rest),
                    sign => memmem::find(rest, sign),
                };
                let behind = found.and_then(|at| rest.get(at + sign.len()..));
                rest = behind.unwrap_or_default();
                behind.is_some()
            })
    }
}

impl Prepared {
    /// The row that a line fits, and its fields.
    fn row_of<'l>(&self, line: &'l str) -> Option<(&'static Row, Captures<'static, 'l>)> {
        let line = shown(line);
        let rows = self.tool.rows;
        let glance = Glance::at(line);
        let mut likely = self.rows.places(&glance).filter_map(|place| rows.get(place));
        likely.find_map(|row| Some((row, fit(row.pattern, line)?)))
    }

    /// Whether the last line of the block ended a transfer.
    fn has_ended(&self, block: &Block) -> bool {
        block
            .last_written()
            .and_then(|line| self.row_of(line))
            .is_some_and(|(row, _)| matches!(row.kind, Kind::Ends | Kind::EndsAfar | Kind::Voids))
    }

    fn continues(&self, block: &Block, line: &str) -> bool {
        if line.trim_ascii().is_empty() {
            // Below a blank line that was taken nothing has ended.
            return block.len() < 10_000 && (block.blank_count() > 0 || !self.has_ended(block));
        }
        if typed(line, self.tool.programs).is_some() {
            return false;
        }
        match self.row_of(line) {
            Some((row, _)) if row.kind == Kind::Begins => !self.has_ended(block),
            Some(_) => true,
            None => false,
        }
    }

    fn takes_in(&self, block: &Block, line: &str) -> bool {
        // Words behind a blank line are somebody's.
        let is_near = block.last().is_some_and(|last| !last.trim_ascii().is_empty());
        self.tool.speaks && is_near && !line.bytes().any(|b| b.is_ascii_digit()) && !self.has_ended(block)
    }

    fn read(&self, block: &Block, context: &Context, findings: &mut Findings) {
        let tool = self.tool;
        let command = block.first().and_then(|line| typed(line, tool.programs));
        let nobody_knows = Ends {
            stays: tool.needs_command,
            ..Ends::default()
        };
        let ends = command.as_ref().map_or(nobody_knows, tool.ends);
        let mut moved = Moved::new(tool, &ends);
        moved.may_be_of_both = tool.may_sum && command.is_none();
        let (mut last_end, mut is_closed) = ("", false);
        for (number, line) in block.numbered().skip(usize::from(command.is_some())) {
            let Some((row, captures)) = self.row_of(line) else {
                continue;
            };
            if row.is_first {
                moved.tell(context, findings);
                moved.forget();
            }
            let is_closing = tool
                .ends_below
                .is_some_and(|above| fit(above, shown(line)).is_some());
            let is_under_way = tool.ends_below.is_some() && !std::mem::replace(&mut is_closed, is_closing);
            match row.kind {
                Kind::Passes => moved.pass(),
                Kind::Adds if moved.add(row, &captures, findings) => {}
                Kind::Adds => findings.complain(number, "says how much was moved, and no line how fast"),
                Kind::Fails => findings.complain(
                    number,
                    format!("{} itself says: {}", tool.name, shown(line).trim_ascii()),
                ),
                Kind::Voids => {
                    let said = shown(line).trim_ascii();
                    findings.complain(
                        number,
                        format!("{} itself says that it moved nothing: {said}", tool.name),
                    );
                    moved.clear();
                }
                Kind::Begins => {
                    moved.tell(context, findings);
                    moved.tell_gathered(context, findings);
                    moved.tell_parts(findings);
                    moved.clear();
                    moved.take(number, row, &captures);
                }
                Kind::Part | Kind::NamedPart => {
                    moved.take(number, row, &captures);
                    moved.keep_part(row.kind == Kind::NamedPart, context, findings);
                }
                Kind::Sets | Kind::Progress => moved.take(number, row, &captures),
                Kind::Gathers => moved.gather(number, &captures),
                Kind::Probed(_) if tool.smallest_first && moved.has_probed => moved.pass(),
                Kind::Probed(load) => {
                    moved.tell_probes(number, row, &captures, load, context, findings);
                }
                Kind::TellsBoth => {
                    for way in [Way::Fetched, Way::Sent] {
                        moved.take_one_way(number, row, &captures, way);
                        moved.tell(context, findings);
                    }
                    // Who measures both asks for the round trip first.
                    if row.has_probes {
                        let load = Some(EchoContext::Idle);
                        moved.tell_probes(number, row, &captures, load, context, findings);
                        moved.clear();
                    }
                }
                Kind::Ends if is_under_way => moved.take_progress(number, row, &captures),
                // A copy has it twice.
                Kind::Ends if line == last_end => {}
                Kind::EndsAfar if !moved.has_way() && ends.way.is_none() => moved.clear(),
                Kind::EndsUntold if !last_end.is_empty() => {}
                Kind::Ends if ends.is_told_by_both => {
                    moved.take(number, row, &captures);
                    moved.keep_end(context, findings);
                    last_end = line;
                }
                Kind::Ends | Kind::EndsAfar | Kind::EndsUntold | Kind::Tells => {
                    moved.take(number, row, &captures);
                    moved.forget_parts();
                    moved.tell(context, findings);
                    if row.has_probes {
                        let load = Some(EchoContext::UnderLoad);
                        moved.tell_probes(number, row, &captures, load, context, findings);
                        moved.clear();
                    }
                    last_end = line;
                }
            }
        }
        moved.tell(context, findings);
        moved.tell_gathered(context, findings);
        moved.tell_parts(findings);
        if moved.seen {
            findings.nothing_to_say();
        }
    }
}

/// A format of tools that are told as tables.
macro_rules! format_of {
    ($tools:expr, name: $name:literal, reads: $reads:literal, first: $first:literal) => {{
        static TOOLBOX: std::sync::LazyLock<$crate::formats::flows::tool::Toolbox> =
            std::sync::LazyLock::new(|| $crate::formats::flows::tool::Toolbox::new($tools));
        $crate::format::Format {
            name: $name,
            group: $crate::format::Group::Transfers,
            reads: $reads,
            first: $first,
            has_command: true,
            marks: Some(|| TOOLBOX.marks(|line| TOOLBOX.may_be_wordless(line))),
            starts: |line| TOOLBOX.starts(line),
            continues: |block, line| TOOLBOX.continues(block, line),
            takes_in: Some(|block, line| TOOLBOX.takes_in(block, line)),
            read: |block, context, findings| TOOLBOX.read(block, context, findings),
        }
    }};
}
pub(super) use format_of;
