//! A line of several commands, and how far what they print was seen: each output is told its own command.

use crate::command::{self, Step, prompted, said_words, steps};
use crate::format::Format;
use crate::formats::is_told_by_command;
use crate::formats::openings::Opening;
use crate::prompt::{CommandLine, command_line};
use crate::scene::is_name;

/// What was typed, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// What stands before each command.
    prompt: String,
    steps: Vec<Step>,
    /// The first part that was not seen yet.
    next: usize,
}

/// What a line says that is none of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said<'l> {
    /// Words of `echo`, or others that are of no use.
    Heading,
    /// The name of the host.
    Host(&'l str),
}

/// Without a prompt only a loop tells that it was typed.
const LOOP: &str = "for ";
/// Commands that print no output of their own, and may stand alone.
const ALONE: [&str; 4] = ["hostname", "hostname -f", "hostname -s", "whoami"];

impl Script {
    /// What a line has typed, and its parts, where these tell more than the line does.
    pub(crate) fn typed(line: &str) -> Option<(CommandLine<'_>, Self)> {
        // Asked of many lines.
        let text = line.trim_ascii_end();
        let may_be = memchr::memchr2(b';', b'&', line.as_bytes()).is_some()
            || ALONE.iter().any(|command| text.ends_with(command));
        let at_prompt = may_be.then(|| command_line(line).or_else(|| prompted(line)));
        let typed = at_prompt?.or_else(|| {
            (line.starts_with(LOOP) && line.contains("; do ")).then_some(CommandLine::on(None, text))
        })?;
        let steps = steps(typed.command)?;
        let prompt = text
            .strip_suffix(typed.command)
            .filter(|prompt| !prompt.is_empty());
        let script = Self {
            prompt: prompt.unwrap_or("$ ").to_owned(),
            steps,
            next: 0,
        };
        script.is_told_apart().then_some((typed, script))
    }

    /// Whether parts are told apart that the line alone does not: by headings, or as several of a format.
    fn is_told_apart(&self) -> bool {
        let formats: Vec<_> = self
            .steps
            .iter()
            .filter_map(|step| self.format_of(step))
            .collect();
        let is_again = |(place, format): (usize, &&Format)| {
            let mut before = formats.iter().take(place);
            !is_told_by_command(format) && before.any(|known| std::ptr::eq(*known, *format))
        };
        self.steps.iter().any(|step| !matches!(step, Step::Runs(_)))
            || formats.iter().enumerate().any(is_again)
    }

    fn command_of(&self, step: &Step) -> Option<String> {
        match step {
            Step::Runs(command) => Some(format!("{}{command}", self.prompt)),
            _ => None,
        }
    }

    /// The format that begins with the command of a part; none where that shows a file, which may hold anything.
    fn format_of(&self, step: &Step) -> Option<&'static Format> {
        let command = self.command_of(step)?;
        if matches!(step, Step::Runs(command) if command::shows_file(command)) {
            return None;
        }
        let format = Opening::new(&command).begins();
        format.filter(|format| format.has_command)
    }

    /// What a line says that one of the parts to come has said, and nothing else. A word alone may as well be a line of an output: it is
    /// heard where none was printed yet, and the name of a host where the command behind it runs there.
    pub(crate) fn hears<'l>(&self, line: &'l str) -> Option<(usize, Said<'l>)> {
        // Asked of every line.
        if self.next >= self.steps.len() {
            return None;
        }
        let text = line.trim_ascii();
        let coming = self.steps.iter().enumerate().skip(self.next);
        let mut said = coming
            .filter(|(_, step)| !matches!(step, Step::Runs(_)))
            .peekable();
        let (place, first) = said.peek()?;
        let is_above = || {
            !self
                .steps
                .iter()
                .take(*place)
                .any(|step| matches!(step, Step::Runs(_)))
        };
        match first {
            Step::Names if is_name(text) && (is_above() || self.is_behind(*place, text)) => {
                return Some((*place, Said::Host(text)));
            }
            Step::Word if !text.is_empty() && !text.contains(' ') && is_above() => {
                return Some((*place, Said::Heading));
            }
            _ => {}
        }
        let (place, _) =
            said.find(|(_, step)| matches!(step, Step::Says(words) if *words == said_words(text)))?;
        Some((place, Said::Heading))
    }

    /// Whether the first command behind a part runs on the host of this name.
    fn is_behind(&self, place: usize, name: &str) -> bool {
        let typed = self
            .steps
            .iter()
            .skip(place + 1)
            .find_map(|step| self.command_of(step));
        let host = typed
            .as_deref()
            .and_then(prompted)
            .and_then(|typed| command::place(&typed));
        let label = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        host.is_some_and(|host| label(host) == label(name))
    }

    /// The parts up to this one were seen.
    pub(crate) fn passes(&mut self, place: usize) {
        self.next = place + 1;
    }

    /// The parts up to the next heading.
    fn section(&self) -> impl Iterator<Item = (usize, &Step)> {
        let coming = self.steps.iter().enumerate().skip(self.next);
        coming.take_while(|(_, step)| matches!(step, Step::Runs(_)))
    }

    /// All the commands.
    pub(crate) fn all(&self) -> impl Iterator<Item = String> {
        self.steps.iter().filter_map(|step| self.command_of(step))
    }

    /// The commands up to the next heading.
    pub(crate) fn coming(&self) -> impl Iterator<Item = String> {
        self.section().filter_map(|(_, step)| self.command_of(step))
    }

    /// The command of all that is printed up to the next heading, and its format.
    pub(crate) fn alone(&mut self) -> Option<(&'static Format, String)> {
        let (place, format, command) = {
            let mut section = self.section();
            let (place, step) = section.next()?;
            if section.next().is_some() {
                return None;
            }
            (place, self.format_of(step)?, self.command_of(step)?)
        };
        self.passes(place);
        Some((format, command))
    }

    /// The command of an output that begins as this format does, and whether it alone can have printed it: else it is the next one,
    /// as each prints its own. What is filtered may print nothing, and a program of which nothing is known may print anything.
    pub(crate) fn command_for(&mut self, format: &'static Format) -> Option<(String, bool)> {
        let (place, command) = {
            let section = self.section();
            let mut known = section.map_while(|(place, step)| Some((place, step, self.format_of(step)?)));
            let (place, step, _) = known.find(|(_, _, found)| std::ptr::eq(*found, format))?;
            (place, self.command_of(step)?)
        };
        let is_only = !self.is_printed_otherwise(format, self.steps.get(place)?);
        let is_told = is_only || place == self.next && !command.contains(['|', '>']);
        is_told.then(|| {
            self.passes(place);
            (command, is_only)
        })
    }

    /// Whether another command than this one prints an output of a format between the headings around the next output.
    fn is_printed_otherwise(&self, format: &'static Format, known: &Step) -> bool {
        let is_run = |step: &&Step| matches!(step, Step::Runs(_));
        let (above, below) = self.steps.split_at_checked(self.next).unwrap_or_default();
        let above = above.iter().rev().take_while(is_run);
        let mut others = above
            .chain(below.iter().take_while(is_run))
            .filter(|step| *step != known);
        others.any(|step| self.prints(step, format))
    }

    fn prints(&self, step: &Step, format: &'static Format) -> bool {
        self.format_of(step)
            .is_some_and(|found| std::ptr::eq(found, format))
    }

    /// Whether a further output of the format is to come before the next heading.
    pub(crate) fn expects(&self, format: &'static Format) -> bool {
        let mut section = self.section();
        section.any(|(_, step)| {
            self.format_of(step)
                .is_some_and(|found| std::ptr::eq(found, format))
        })
    }
}
