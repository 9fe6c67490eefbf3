//! The words of one command: up to a pipe, a redirection or the next command, without quotation marks.

/// They are those of a shell, or what a mail program or a page made of them.
const QUOTES: [char; 7] = ['\'', '"', '`', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];

/// The words that are left.
#[derive(Debug, Clone)]
pub(crate) struct Words<'l> {
    words: std::str::SplitAsciiWhitespace<'l>,
    /// The quotation mark that is open: what would end the command does not within it.
    open: Option<char>,
    is_over: bool,
}

impl<'l> Words<'l> {
    /// Those of a command, and of what stands behind it in a line.
    pub(super) fn of(command: &'l str) -> Self {
        Self {
            words: command.split_ascii_whitespace(),
            open: None,
            is_over: false,
        }
    }

    /// The next word.
    pub(crate) fn peek(&self) -> Option<&'l str> {
        self.clone().next()
    }

    fn is_quoted(&mut self, word: &str) -> bool {
        let was_open = self.open.is_some();
        match self.open {
            Some(mark) if word.trim_end_matches(';').ends_with(mark) => self.open = None,
            Some(_) => {}
            None => self.open = opened(word),
        }
        was_open && self.open.is_some()
    }
}

/// The quotation mark that a word opens and does not close.
fn opened(word: &str) -> Option<char> {
    let (at, mark) = word.char_indices().find(|(_, c)| matches!(c, '\'' | '"'))?;
    let behind = word.get(at + 1..).unwrap_or("");
    (!behind.contains(mark)).then_some(mark)
}

impl<'l> Iterator for Words<'l> {
    type Item = &'l str;

    fn next(&mut self) -> Option<&'l str> {
        if self.is_over {
            return None;
        }
        let written = self.words.next()?;
        if self.is_quoted(written) {
            return Some(written.trim_matches(QUOTES));
        }
        let whole = match self.open {
            Some(_) => written,
            None => written.trim_end_matches([';', '&']),
        };
        self.is_over = whole.len() < written.len() || is_end(whole);
        let is_word = !whole.is_empty() && !is_end(whole);
        is_word.then(|| whole.trim_matches(QUOTES))
    }
}

/// Whether the command ends before this word: `|`, `>file`, `2>&1`, `# a remark`.
fn is_end(word: &str) -> bool {
    let redirected = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    word.starts_with(['|', '#']) || redirected.starts_with(['>', '<'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_where_the_shell_says() {
        for (line, words) in [
            ("a -b c", vec!["a", "-b", "c"]),
            ("a b; c", vec!["a", "b"]),
            ("a b 2>&1 | tee c", vec!["a", "b"]),
            ("a b >c", vec!["a", "b"]),
            ("a b && c", vec!["a", "b"]),
            ("a b # c", vec!["a", "b"]),
            ("a 'b; c' | d", vec!["a", "b;", "c"]),
            (
                "a -e \"mirror -R x; quit\" d",
                vec!["a", "-e", "mirror", "-R", "x;", "quit", "d"],
            ),
            ("a 'b' \u{201c}c\u{201d}", vec!["a", "b", "c"]),
            ("", vec![]),
        ] {
            assert_eq!(Words::of(line).collect::<Vec<_>>(), words, "{line}");
        }
    }
}
