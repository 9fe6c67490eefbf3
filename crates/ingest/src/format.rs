//! What a format is: how its blocks are recognised and read.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;

/// What a format is about: the section of `docs/import.md` that lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// How much was moved in which time.
    Transfers,
    /// Hops, round-trip times, sizes that pass.
    Paths,
    /// What routers and switches say of their interfaces.
    Interfaces,
    /// What hosts say of themselves.
    Hosts,
    /// A quantity or counters over time, as monitoring keeps them.
    Histories,
    /// Tables that people write.
    Tables,
    /// Documents of which the kind is found inside.
    Any,
}

/// Longer lines are none that a tool prints, nor rows of what a program exports, bytes: what looks for each word of a line beside all others
/// takes the square of its length. A document may come in one line, however long.
const LONGEST_PRINTED: usize = 64 << 10;
const LONGEST_EXPORTED: usize = 256 << 10;

impl Group {
    /// Whether a line is no longer than those of such formats.
    pub(crate) const fn may_have(self, line: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Histories | Self::Tables => line.len() <= LONGEST_EXPORTED,
            Self::Transfers | Self::Paths | Self::Interfaces | Self::Hosts => line.len() <= LONGEST_PRINTED,
        }
    }
}

/// What tells at a glance that a line may begin a block: it holds one of some words, in letters of either case, or has a shape.
///
/// The words of all formats are looked for in one pass over a line, and a shape is asked of every line that has none of them: it
/// must decide in some ten nanoseconds.
pub(crate) struct Marks {
    pub(crate) words: Vec<&'static str>,
    /// Whether a prompt with any command does as well.
    pub(crate) at_prompt: bool,
    pub(crate) shape: Option<Shape>,
}

/// Whether a line has a shape.
pub(crate) type Shape = fn(&str) -> bool;

impl Marks {
    pub(crate) fn of(words: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            words: words.into_iter().collect(),
            at_prompt: false,
            shape: None,
        }
    }

    /// Further words.
    pub(crate) fn and(mut self, words: impl IntoIterator<Item = &'static str>) -> Self {
        self.words.extend(words);
        self
    }

    /// Commands of which no word tells, behind a prompt.
    pub(crate) fn or_at_prompt(mut self) -> Self {
        self.at_prompt = true;
        self
    }

    /// A shape that lines without any of the words may have.
    pub(crate) fn or(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }
}

/// A format: how its blocks are recognised and read.
///
/// `starts` is asked of the lines that belong to no block yet and begin as `first` and `has_command` say: it must decide in
/// well under a microsecond for a line that is not its own, without allocating.
pub(crate) struct Format {
    /// What people call it: `ping`.
    pub(crate) name: &'static str,
    /// Where `docs/import.md` lists it.
    pub(crate) group: Group,
    /// What it reads, for `slowpath import --formats` and `docs/import.md`.
    pub(crate) reads: &'static str,
    /// The bytes that first lines begin with, blanks aside, as a class: `|0-9`, with `-` itself at the end. `starts` is
    /// asked of no other line but a command line.
    pub(crate) first: &'static str,
    /// Whether the command that printed it begins a block too.
    pub(crate) has_command: bool,
    /// What every first line holds, where there is such: others are not asked about.
    pub(crate) marks: Option<fn() -> Marks>,
    /// Whether a block begins with this line.
    pub(crate) starts: fn(&str) -> bool,
    /// Whether this line goes on with the block. Blank lines are asked about too.
    pub(crate) continues: fn(&Block, &str) -> bool,
    /// Whether the block takes in a line that `continues` does not claim: what people write around figures looks like
    /// nothing in particular, so every other format that begins with the line comes first. `None` for what tools print.
    pub(crate) takes_in: Option<fn(&Block, &str) -> bool>,
    /// Reads a block. Never fails: what is not understood becomes a complaint.
    pub(crate) read: fn(&Block, &Context, &mut Findings),
}
