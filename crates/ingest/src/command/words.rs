//! The words of one command: up to a pipe, a redirection or the next command, without quotation marks.

/// They are those of a shell, or what a mail program or a page made of them.
const QUOTES: [char; 3] = ['\'', '"', '`'];

/// The words that are left.
#[derive(Debug, Clone)]
pub(crate) struct Words<'l> {
    words: std::str::SplitAsciiWhitespace<'l>,
    /// The quotation mark that is open: what would end the command does not within it.
    open: Option<char>,
    /// The quotation mark around the whole command, which is what `ssh host "…"` and `sh -c '…'` run.
    around: Option<char>,
    is_over: bool,
}

impl<'l> Words<'l> {
    /// Those of a command, and of what stands behind it in a line.
    pub(super) fn of(command: &'l str) -> Self {
        Self {
            words: command.split_ascii_whitespace(),
            open: None,
            around: None,
            is_over: false,
        }
    }

    /// The words behind the name of a program, of which the quotation mark that is open goes around all.
    pub(super) fn within(mut self) -> Self {
        self.around = self.open.take();
        self
    }

    /// The words, of what stands in quotation marks the first alone: `"StrictHostKeyChecking no"` is one value.
    pub(super) fn apart(mut self) -> impl Iterator<Item = &'l str> {
        let mut is_inside = false;
        std::iter::from_fn(move || {
            loop {
                let word = self.next()?;
                if !std::mem::replace(&mut is_inside, self.open.is_some()) {
                    return Some(word);
                }
            }
        })
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
        let mut written = self.words.next()?;
        if self.open.is_none() && self.around.is_none() && is_plain(written) {
            return Some(written);
        }
        if let Some((inner, _)) = self.around.and_then(|mark| written.split_once(mark)) {
            self.is_over = true;
            if inner.is_empty() {
                return None;
            }
            written = inner;
        }
        let was_open = self.open;
        if self.is_quoted(written) {
            return Some(written.trim_matches(QUOTES));
        }
        // Up to the mark that closes, a sign is none of the shell.
        let closed = was_open.and_then(|mark| Some(written.rfind(mark)? + mark.len_utf8()));
        let (_, behind) = written
            .split_at_checked(closed.unwrap_or(0))
            .unwrap_or(("", written));
        let whole = match self.open {
            Some(_) => written,
            None => {
                let end = written.len() - behind.len() + before_sign(behind).len();
                written.get(..end).unwrap_or(written)
            }
        };
        self.is_over |= whole.len() < written.len() || is_end(whole);
        let is_word = !whole.is_empty() && !is_end(whole);
        is_word.then(|| known(whole.trim_matches(QUOTES)))
    }
}

/// Whether a word has no sign that says anything to a shell, as nearly all have none.
fn is_plain(word: &str) -> bool {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'/' | b'_' | b':' | b'=' | b',')
    };
    word.bytes().all(is_plain)
}

/// What stands before the first sign of the shell that ends a word, outside of quotation marks: `eth0|grep`, `eth0;`, `eth0>file`, `eth0)`.
fn before_sign(word: &str) -> &str {
    let mut open = None;
    let mut depth = 0_u32;
    let end = word.char_indices().find(|(at, c)| {
        match (open, c) {
            (Some(mark), c) if *c == mark => open = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => open = Some(*c),
            (None, '(') => depth += 1,
            (None, ')') if depth > 0 => depth -= 1,
            (None, ';' | '|' | ')') => return true,
            (None, '>' | '<') => return word.get(..*at).is_some_and(may_be_redirected),
            (None, '&') => {
                return word
                    .get(*at..)
                    .is_some_and(|behind| behind == "&" || behind.starts_with("&&"));
            }
            _ => {}
        }
        false
    });
    end.and_then(|(at, _)| word.get(..at)).unwrap_or(word)
}

/// Whether a sign of redirection behind this is one of the shell: in `->` and `=>` it is none, and a word of its own is seen to elsewhere.
fn may_be_redirected(before: &str) -> bool {
    let is_number = before.bytes().all(|byte| byte.is_ascii_digit() || byte == b'&');
    !is_number && !before.ends_with(['-', '='])
}

/// A word as it was typed; nothing where it is what a shell puts another in the place of: `$i`, `$(hostname)`.
fn known(word: &str) -> &str {
    if word.starts_with('$') && word.len() > 1 {
        ""
    } else {
        word
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
            ("a 'b' \"c\"", vec!["a", "b", "c"]),
            ("a b|c", vec!["a", "b"]),
            ("a b;c", vec!["a", "b"]),
            ("a b>c", vec!["a", "b"]),
            ("a b&&c", vec!["a", "b"]),
            ("a b)", vec!["a", "b"]),
            ("a $b c", vec!["a", "", "c"]),
            (
                "a 'b|c' http://d/?e=1&f=2 g->h",
                vec!["a", "b|c", "http://d/?e=1&f=2", "g->h"],
            ),
            ("", vec![]),
        ] {
            assert_eq!(Words::of(line).collect::<Vec<_>>(), words, "{line}");
        }
    }
}
