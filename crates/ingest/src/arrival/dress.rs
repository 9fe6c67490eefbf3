//! What stands before each line of an output, and is not part of it.

use super::stamp;
use crate::command::bare;
use crate::format::Format;
use crate::formats::openings::Opening;
use crate::prompt::command_line;

/// Marks of quotes, an indentation, a time stamp, and words that stand before each line (`dtn1: `, `app-1  | `, `[pod/a/b] `, `# `), from
/// the outside to the inside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Dress {
    quotes: usize,
    /// The blanks in front of the first mark of a quote.
    outside: String,
    /// No blank stands behind the marks of quotes: those there are belong to the lines.
    is_tight: bool,
    indentation: String,
    has_stamp: bool,
    words: String,
    /// Marks of a list, of emphasis or of code around a command: they stand around that line alone.
    is_marked: bool,
    /// A number stands before each line, as pages put it there: flush right, and a blank behind it.
    is_numbered: bool,
}

/// No words before each line are longer, bytes.
const LONGEST_WORDS: usize = 64;
/// What words before each line end with, and a blank; of `/` there are two. 0x82 is the end of `│`, of which frames are drawn.
const ENDS_OF_WORDS: [u8; 10] = [b':', b'|', b'#', b'$', b'%', b'>', b'*', b'/', b']', 0x82];

impl Dress {
    /// The format that begins behind what stands before this line, what that is, and the line without it.
    pub(crate) fn find<'l>(opening: &Opening<'l>) -> Option<(&'static Format, Self, &'l str)> {
        let mut dress = Self::default();
        let mut rest = opening.line();
        let begins = |text: &str| opening.begins_with(text);
        let (quotes, behind) = without_quotes(rest, usize::MAX);
        if quotes > 0 {
            dress.quotes = quotes;
            dress.outside = blanks_before(rest).to_owned();
            dress.is_tight = !behind.starts_with([' ', '\t']);
            rest = behind.strip_prefix(' ').unwrap_or(behind);
            if let Some(format) = begins(rest) {
                return Some((format, dress, rest));
            }
        }
        let behind = rest.trim_ascii_start();
        if behind.len() < rest.len() {
            dress.indentation = rest.get(..rest.len() - behind.len())?.to_owned();
            rest = behind;
            if let Some(format) = begins(rest) {
                return Some((format, dress, rest));
            }
        }
        if let Some(length) = stamp::length(rest) {
            dress.has_stamp = true;
            rest = rest.get(length..)?;
            if let Some(format) = begins(rest) {
                return Some((format, dress, rest));
            }
        }
        let behind_words = |words: &str| Self {
            words: words.to_owned(),
            ..dress.clone()
        };
        // Lines that a change adds (`+GigabitEthernet0/1 is up`). Behind a blank it is a shell's trace of its commands, and no table's frame.
        let added = || {
            let behind = rest.strip_prefix('+')?;
            let is_word = behind.starts_with(|first: char| first.is_ascii_alphanumeric())
                || command_line(behind).is_some() && !behind.starts_with(' ');
            let format = begins(behind).filter(|_| is_word)?;
            Some((format, behind_words("+"), behind))
        };
        let words = || {
            ends_of_words(rest)
                .into_iter()
                .chain([end_of_tag(rest)])
                .flatten()
                .find_map(|end| {
                    let (mut words, mut behind) = rest.split_at_checked(end)?;
                    // iperf3 puts two blanks behind its title.
                    if behind.starts_with(' ') {
                        behind = behind.trim_start_matches(' ');
                        words = rest.get(..rest.len() - behind.len())?;
                    }
                    // A prompt is no prefix of the lines below it.
                    if bare(behind).is_some() && command_line(rest).is_some() {
                        return None;
                    }
                    let format = begins(behind).filter(|format| !is_out_of_force(words, format))?;
                    Some((format, behind_words(words), behind))
                })
        };
        let marked = || {
            let command = marked_command(rest)?;
            let format = begins(command).filter(|format| format.has_command)?;
            let is_marked = true;
            Some((
                format,
                Self {
                    is_marked,
                    ..dress.clone()
                },
                command,
            ))
        };
        // The marks of a heading stand before that line alone.
        let in_words = match rest.starts_with("##") {
            true => marked().or_else(words),
            false => added().or_else(words).or_else(marked),
        };
        in_words.or_else(|| {
            // Figures behind a number are a row of something: of a crontab, and no hop of a trace.
            let is_worded = |behind: &&str| {
                !behind
                    .trim_ascii_start()
                    .starts_with(|c: char| c.is_ascii_digit())
            };
            let behind = numbered(rest).filter(|_| !dress.has_stamp).filter(is_worded)?;
            let format = begins(behind)?;
            let numbered = Self {
                quotes: dress.quotes,
                is_tight: dress.is_tight,
                is_numbered: true,
                ..Self::default()
            };
            Some((format, numbered, behind))
        })
    }

    /// The marks of quotes and the indentation of a line, where it has any, and the line without.
    pub(crate) fn around(line: &str) -> Option<(Self, &str)> {
        let (quotes, behind) = without_quotes(line, usize::MAX);
        let is_tight = quotes > 0 && !behind.starts_with([' ', '\t']);
        let behind = behind.strip_prefix(' ').filter(|_| quotes > 0).unwrap_or(behind);
        let text = behind.trim_ascii_start();
        let indentation = behind.get(..behind.len() - text.len())?.to_owned();
        let dress = Self {
            quotes,
            is_tight,
            indentation,
            ..Self::default()
        };
        (dress != Self::default()).then_some((dress, text))
    }

    /// Words that stand before each line, and nothing else.
    pub(crate) fn of_words(words: String) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// How many marks of quotes stand before each line.
    pub(crate) fn quotes(&self) -> usize {
        self.quotes
    }

    /// Where the mark of a quote was a prompt, and what Markdown sets in as a whole goes on below it: the blanks before that prompt, which
    /// stand before the line too, and the line without.
    pub(crate) fn below_prompt<'l>(&self, line: &'l str) -> Option<(Self, &'l str)> {
        let text = line.strip_prefix(&self.outside)?;
        let is_set_in = self.quotes == 1 && !self.outside.is_empty() && !text.trim_ascii().is_empty();
        is_set_in.then(|| {
            let indentation = self.outside.clone();
            let dress = Self {
                indentation,
                ..Self::default()
            };
            (dress, text)
        })
    }

    /// The words that stand before each line.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    /// What stands before the lines below as well; `None` for nothing.
    pub(crate) fn of_lines_below(mut self) -> Option<Self> {
        let was_marked = std::mem::take(&mut self.is_marked);
        (!was_marked || self != Self::default()).then_some(self)
    }

    /// Whether nothing but blanks stands before lines.
    pub(crate) fn is_indentation(&self) -> bool {
        self.quotes == 0 && !self.has_stamp && !self.is_numbered && self.words.is_empty()
    }

    /// As much of an indentation as another line has too, if it has any.
    pub(crate) fn shared_with(&self, line: &str) -> Option<Self> {
        let pairs = self.indentation.bytes().zip(line.bytes());
        let shared = pairs.take_while(|(one, other)| one == other).count();
        let indentation = self.indentation.get(..shared)?.to_owned();
        let is_one = self.is_indentation() && shared > 0 && !line.trim_ascii().is_empty();
        is_one.then_some(Self {
            indentation,
            ..Self::default()
        })
    }

    /// Whether nothing but words stands before lines.
    pub(crate) fn is_words(&self) -> bool {
        let is_bare = self.quotes == 0 && self.indentation.is_empty() && !self.has_stamp;
        is_bare && !self.words.is_empty()
    }

    /// Whether the line stands further out in the quotes of a mail: it is the words of who answers, between the lines quoted.
    pub(crate) fn is_outside(&self, line: &str) -> bool {
        without_quotes(line, self.quotes).0 < self.quotes
    }

    /// The line without what stands before it; `None` where that is missing. A blank line needs no indentation and no mark of a
    /// quote, which who answers within it puts around the answer, and ends early.
    pub(crate) fn off<'l>(&self, line: &'l str) -> Option<&'l str> {
        let (quotes, mut rest) = without_quotes(line, self.quotes);
        if quotes < self.quotes {
            return rest.trim_ascii().is_empty().then_some("");
        }
        if quotes > 0 && !self.is_tight {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        }
        if self.is_numbered {
            return numbered(rest).or_else(|| rest.trim_ascii().is_empty().then_some(""));
        }
        rest = match rest.strip_prefix(&self.indentation) {
            Some(rest) => rest,
            None if rest.trim_ascii().is_empty() => return Some(""),
            None => return None,
        };
        if self.has_stamp {
            rest = rest.get(stamp::length(rest)?..)?;
        }
        let is_end = || self.words.trim_ascii_end() == rest.trim_ascii_end();
        rest.strip_prefix(&self.words).or_else(|| is_end().then_some(""))
    }
}

fn blanks_before(line: &str) -> &str {
    let text = line.trim_ascii_start();
    line.strip_suffix(text).unwrap_or_default()
}

/// Whether a setting of a file stands behind the mark of the file's remarks: nobody has set it.
fn is_out_of_force(words: &str, format: &Format) -> bool {
    words.trim_ascii() == "#" && format.name == "sysctl"
}

/// A command without what a text puts around it: `` 1. `ethtool -S eth0`: ``, `**ping -c 5 a.example**`, `<b>mtr -rn a.example</b>`,
/// `### ethtool -S eth0`.
fn marked_command(line: &str) -> Option<&str> {
    let line = line.trim_ascii();
    if let Some(command) = announced(line) {
        return Some(command);
    }
    let mut text = without_number(without_level(line));
    let mut is_framed = false;
    loop {
        let bare = text.trim_end_matches([':', ',', '.']);
        let Some(inner) = FRAMES.iter().find_map(|(open, close)| framed(bare, open, close)) else {
            break;
        };
        (text, is_framed) = (inner, true);
    }
    let is_command =
        text.starts_with(|c: char| c.is_ascii_alphabetic()) && (is_framed || text.contains(" -"));
    (text.len() < line.len() && is_command).then_some(text)
}

/// The command that a sentence ends with, before the colon that announces what it printed: `` this is what `ethtool -S eth0` says: `` has
/// none there, `` The card (`ethtool -i eth0`): `` has. Of several commands in a sentence nothing tells which one printed.
fn announced(line: &str) -> Option<&str> {
    let sentence = line.strip_suffix([':', '\u{ff1a}'])?;
    let sentence = sentence.trim_end_matches([')', '*', '_']).strip_suffix('`')?;
    let (said, command) = sentence.rsplit_once('`')?;
    (!said.contains('`') && !said.is_empty() && !command.is_empty()).then_some(command)
}

/// Without the marks that Markdown begins a heading with, but for the one of the first level, which is root's prompt as well.
fn without_level(line: &str) -> &str {
    let behind = line.trim_start_matches('#');
    let is_heading = line.starts_with("##") && behind.starts_with(' ');
    if is_heading {
        behind.trim_ascii_start()
    } else {
        line
    }
}

/// What a text frames a command with.
static FRAMES: [(&str, &str); 9] = [
    ("`", "`"),
    ("*", "*"),
    ("_", "_"),
    ("\"", "\""),
    ("'", "'"),
    ("\u{201c}", "\u{201d}"),
    ("\u{2018}", "\u{2019}"),
    ("<b>", "</b>"),
    ("<code>", "</code>"),
];

fn framed<'l>(text: &'l str, open: &str, close: &str) -> Option<&'l str> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?.trim_ascii();
    (!inner.is_empty()).then_some(inner)
}

/// The line behind its number: `12 text`.
fn numbered(line: &str) -> Option<&str> {
    const MOST_DIGITS: usize = 4;
    let text = line.trim_ascii_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let behind = text
        .get(digits..)
        .filter(|_| (1..=MOST_DIGITS).contains(&digits))?;
    behind
        .strip_prefix([' ', '\t'])
        .or_else(|| behind.is_empty().then_some(""))
}

/// Without the mark of a list: `1. `, `2) `, `- `, `* `.
fn without_number(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let behind = match digits {
        0 => text.strip_prefix(['-', '*', '+', '\u{2022}']),
        1..=3 => text.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')'])),
        _ => None,
    };
    let behind = behind.and_then(|rest| rest.strip_prefix(' '));
    behind.map_or(text, str::trim_ascii_start)
}

/// Where words before a line may end: behind the first of each of these signs with a blank, and the second colon behind a word alone, as in
/// `probe: stdout: `.
fn ends_of_words(line: &str) -> [Option<usize>; ENDS_OF_WORDS.len() + 1] {
    let mut ends = [None; ENDS_OF_WORDS.len() + 1];
    let (mut count, mut seen) = (0, [0_u8; ENDS_OF_WORDS.len()]);
    let bytes = line.as_bytes();
    let bytes = bytes.get(..=LONGEST_WORDS).unwrap_or(bytes);
    for at in memchr::memchr_iter(b' ', bytes).filter_map(|blank| blank.checked_sub(1)) {
        let known = ENDS_OF_WORDS
            .iter()
            .position(|known| bytes.get(at) == Some(known));
        // `//`: one is a date or a folder.
        let is_folder = || {
            bytes.get(at) == Some(&b'/')
                && at
                    .checked_sub(1)
                    .and_then(|before| bytes.get(before))
                    .is_none_or(|before| *before != b'/')
        };
        let Some(seen) = known
            .filter(|_| !is_folder())
            .and_then(|known| seen.get_mut(known))
        else {
            continue;
        };
        *seen = seen.saturating_add(1);
        let is_second_word = || {
            let mut words = line.get(..at).unwrap_or_default().split(": ");
            bytes.get(at) == Some(&b':') && words.all(|word| !word.contains(' '))
        };
        if (*seen == 1 || *seen == 2 && is_second_word())
            && let Some(end) = ends.get_mut(count)
        {
            *end = Some(at + 2);
            count += 1;
        }
    }
    ends
}

/// Where the word that `parallel --tag` puts before each line ends: behind a tab; of `mpirun --tag-output`, behind `[1,0]<stdout>:`.
fn end_of_tag(line: &str) -> Option<usize> {
    if line.starts_with('[')
        && let Some((rank, _)) = line.split_once("<stdout>:")
        && rank.len() < LONGEST_WORDS
    {
        return Some(rank.len() + "<stdout>:".len());
    }
    let begin = line.as_bytes();
    let begin = begin.get(..LONGEST_WORDS).unwrap_or(begin);
    let (at, sign) = begin
        .iter()
        .enumerate()
        .find(|(_, byte)| matches!(byte, b' ' | b'\t'))?;
    let has_letter = || {
        line.get(..at)
            .is_some_and(|tag| tag.bytes().any(|byte| byte.is_ascii_alphabetic()))
    };
    (*sign == b'\t' && has_letter()).then_some(at + 1)
}

/// Takes up to so many marks of quotes off; how many there were.
fn without_quotes(line: &str, most: usize) -> (usize, &str) {
    let (mut count, mut rest) = (0, line);
    while count < most
        && let Some(behind) = rest.trim_start_matches(' ').strip_prefix('>')
    {
        count += 1;
        rest = behind;
    }
    (count, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "PING a.example (192.0.2.1) 56(84) bytes of data.";

    #[test]
    fn what_stands_before_lines_is_found_and_taken_off() {
        for (before, blank) in [
            ("> ", ">"),
            (">> ", ">>"),
            ("> > ", "> >"),
            ("    ", ""),
            ("\t", ""),
            (">     ", ">"),
            ("2024-01-02T03:04:05Z ", "2024-01-02T03:04:06Z "),
            ("dtn1: ", "dtn1:"),
            ("app-1  | ", "app-1  |"),
            ("[pod/probe-7c9/ping] ", "[pod/probe-7c9/ping]"),
            ("# ", "#"),
            ("run-1:  ", "run-1:"),
            ("b.example\t", "b.example\t"),
            ("[1,0]<stdout>:", "[1,0]<stdout>:"),
            ("> 12:00:01 ", "> 12:00:02"),
            ("+", "+"),
        ] {
            let line = format!("{before}{HEAD}");
            let found = Dress::find(&Opening::new(&line));
            let (format, dress, rest) = found.unwrap_or_else(|| panic!("{before:?}"));
            assert_eq!((format.name, rest), ("ping", HEAD), "{before:?}");
            assert_eq!(dress.off(blank), Some(""), "{before:?}");
            assert_eq!(
                dress.off(&format!("{before}64 bytes")),
                Some("64 bytes"),
                "{before:?}"
            );
            assert_eq!(dress.off("On Monday Ann wrote"), None, "{before:?}");
            assert_eq!(
                dress.is_outside("On Monday"),
                before.starts_with('>'),
                "{before:?}"
            );
        }
        assert!(Dress::find(&Opening::new("we saw a lot of loss: 5 % of all")).is_none());
    }
}
