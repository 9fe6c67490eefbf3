//! Where what `curl -w` printed stands below its command, and which line of the format each line is. A page often has the command in one frame
//! and what came of it in the next one, with a few words between.

use super::curl_template::Template;
use super::curl_times::{NAMES, command, figure, is_repeated, of_line};
use crate::block::Block;

/// So many lines may stand between a command and what it printed: more are no words around it.
const MOST_BETWEEN: usize = 8;

/// No format that is printed once has more lines.
const MOST_LINES: usize = 64;

/// How the lines of an output are read.
pub(super) struct Layout {
    pub(super) template: Template,
    /// The place in the block of the first line of the output.
    pub(super) begins: usize,
    /// So many lines of the format stand above that one, or were left out there.
    pub(super) missing: usize,
    /// The line above it names the columns.
    pub(super) is_headed: bool,
    /// Whether it is printed more than once.
    pub(super) repeats: bool,
}

/// The layout of a block; `None` while nothing of it is printed, or its figures are named one by one.
pub(super) fn layout(block: &Block) -> Option<Layout> {
    let near = || block.lines().enumerate().take(MOST_BETWEEN + 2);
    if let Some((place, names)) = near().find_map(|(place, line)| Some((place, head(line)?))) {
        return Some(Layout {
            template: Template::of_names(&names),
            begins: place + 1,
            missing: 0,
            is_headed: true,
            repeats: true,
        });
    }
    let first = block.first()?;
    let template = asked(first)?;
    let repeats = is_repeated(first);
    let (begins, missing) = near()
        .skip(1)
        .find_map(|(place, line)| Some((place, line_of(&template, line, place)?)))?;
    Some(Layout {
        template,
        begins,
        missing,
        is_headed: false,
        repeats,
    })
}

/// The format that a command asks for.
fn asked(first: &str) -> Option<Template> {
    let template = command(first).and_then(|_| Template::of(first))?;
    // Where it comes once, pages drop its blank lines and put others in.
    Some(if is_repeated(first) {
        template
    } else {
        template.without_blank_lines()
    })
}

/// Which line of the format this one is: one with figures of curl, or the first right below the command.
fn line_of(template: &Template, line: &str, place: usize) -> Option<usize> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    (0..template.len()).find(|at| {
        template.read(*at, line).is_some_and(|values| {
            let mut of_curl = values.iter().filter(|(name, _)| NAMES.contains(name)).peekable();
            (of_curl.peek().is_some() || place == 1 && *at == 0)
                && of_curl.all(|(name, value)| figure(name, value).is_some())
        })
    })
}

/// Whether the command's own format has this line next, with figures where it has those of curl.
pub(super) fn is_next(block: &Block, line: &str) -> bool {
    let Some(layout) = layout(block) else {
        let is_first = |template: Template| line_of(&template, line, block.len()).is_some();
        let is_near = block.len() <= MOST_BETWEEN + 1;
        return is_near && block.first().and_then(asked).is_some_and(is_first)
            || is_near && block.first().and_then(command).is_some() && head(line).is_some();
    };
    let is_blank = line.trim_ascii().is_empty();
    let lines = || block.lines().skip(layout.begins);
    let below = match layout.repeats {
        true => block.len().saturating_sub(layout.begins),
        false => lines()
            .take(MOST_LINES)
            .filter(|line| !line.trim_ascii().is_empty())
            .count(),
    };
    let place = below + layout.missing;
    let is_again = place >= layout.template.len();
    if is_blank && !layout.repeats {
        return !is_again && block.last().is_some_and(|last| !last.trim_ascii().is_empty());
    }
    let values = place
        .checked_rem(layout.template.len())
        .filter(|_| !is_again || layout.repeats)
        .and_then(|place| layout.template.read(place, line));
    values.is_some_and(|values| {
        let mut of_curl = values.iter().filter(|(name, _)| NAMES.contains(name));
        of_curl.all(|(name, value)| figure(name, value).is_some())
    })
}

/// Whether the format is in a file: `curl -sw @curl-format.txt`. Its lines are told by the names of variables alone.
fn is_of_file(first: &str) -> bool {
    let is_file = |word: &&str| {
        let word = word.trim_start_matches("-w").trim_matches(['"', '\'']);
        word.starts_with('@')
    };
    first.contains('@') && command(first).is_some_and(|typed| typed.words.iter().any(is_file))
}

/// Whether a line may stand between the command and what it printed.
pub(super) fn is_between(block: &Block, line: &str) -> bool {
    // What stands right below a command may be the rest of it.
    let is_asked = |first: &str| asked(first).is_some() || block.len() > 1 && is_of_file(first);
    block.len() <= MOST_BETWEEN
        && head(line).is_none()
        && !block.has(|line| of_line(line).next().is_some())
        && block.first().is_some_and(is_asked)
        && layout(block).is_none()
}

/// `time_namelookup  time_connect  time_total`: names of variables and nothing else, above rows of their figures.
pub(super) fn head(line: &str) -> Option<Vec<&'static str>> {
    let words = line
        .split([' ', '\t', ',', ';', ':', '|'])
        .filter(|word| !word.is_empty());
    let names: Option<Vec<_>> = words
        .map(|word| NAMES.iter().copied().find(|name| *name == word))
        .collect();
    names.filter(|names| names.len() > 1)
}
