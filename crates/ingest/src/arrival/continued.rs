//! A command that was typed over several lines, each but the last ended by a backslash.

use crate::command::prompted;
use crate::formats::openings::Opening;

/// Nobody types a command over more lines.
const MOST_LINES: u64 = 40;

/// What was typed so far.
#[derive(Debug, Default)]
pub(crate) struct Continued {
    command: String,
    /// On how many lines it stands.
    lines: u64,
    is_whole: bool,
}

impl Continued {
    /// Takes a line of such a command; `false` for any other.
    pub(crate) fn takes(&mut self, line: &str) -> bool {
        let text = line.trim_ascii_end();
        // Asked of every line.
        if self.lines == 0 && (!text.ends_with('\\') || !is_command(text)) {
            return false;
        }
        // Behind the shell's second prompt it goes on.
        let text = text.strip_prefix("> ").filter(|_| self.lines > 0).unwrap_or(text);
        let part = text.strip_suffix('\\');
        self.command.push_str(part.unwrap_or(text));
        self.lines += 1;
        self.is_whole = part.is_none() || self.lines == MOST_LINES;
        true
    }

    /// The command, and on how many lines it stands, once that is whole.
    pub(crate) fn take_whole(&mut self) -> Option<(String, u64)> {
        self.is_whole.then(|| self.take())?
    }

    /// What was typed, be it all or not.
    pub(crate) fn take(&mut self) -> Option<(String, u64)> {
        let Self { command, lines, .. } = std::mem::take(self);
        (lines > 0).then_some((command, lines))
    }
}

fn is_command(line: &str) -> bool {
    prompted(line).is_some()
        || Opening::new(line)
            .begins()
            .is_some_and(|format| format.has_command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_command_are_one() {
        for (lines, command) in [
            (
                &["$ ping -c 3 \\", "  -s 1472 \\", "  gw"][..],
                "$ ping -c 3   -s 1472   gw",
            ),
            (&["$ ping 192.0.\\", "> 2.1"], "$ ping 192.0.2.1"),
        ] {
            let mut continued = Continued::default();
            for line in lines {
                assert_eq!(continued.take_whole(), None);
                assert!(continued.takes(line), "{line}");
            }
            assert_eq!(
                continued.take_whole(),
                Some((command.to_owned(), lines.len() as u64))
            );
        }
        for line in ["C:\\", "$ ping gw", "words \\"] {
            assert!(!Continued::default().takes(line), "{line}");
        }
    }
}
