//! Numbers before lines, as `cat -n` and `nl` write them: flush right in some columns, and a tab. Formats have numbers before lines of
//! their own (hops, rows), but none so; and each is one more than that of the line above.

/// Takes numbers of lines off.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The last one, and how wide it stood.
    last: Option<(u64, usize)>,
}

impl Numbers {
    /// The line without its number, where it has one that follows that of the line above, or begins to count.
    pub(crate) fn off<'l>(&mut self, line: &'l str) -> &'l str {
        // Nearly all lines begin with something else.
        let may_be = matches!(line.as_bytes().first(), Some(b' ' | b'0'..=b'9'));
        let Some((number, width)) = may_be.then(|| numbered(line)).flatten() else {
            // `nl` counts no blank lines.
            self.last = self.last.filter(|_| line.trim_ascii().is_empty());
            return line;
        };
        let follows = || {
            self.last
                .and_then(|(last, width)| Some((last.checked_add(1)?, width)))
        };
        let is_padded = line.starts_with(' ');
        let is_one = is_padded && number == 1 || follows() == Some((number, width));
        // Cells of a table that begin with a number are not padded.
        self.last = (is_padded || is_one).then_some((number, width));
        line.get(width + 1..).filter(|_| is_one).unwrap_or(line)
    }

    /// Whether what the next line is does not depend on those above.
    pub(crate) fn is_idle(&self) -> bool {
        self.last.is_none()
    }
}

/// `    12\ttext`: the number, and where the tab is behind it.
fn numbered(line: &str) -> Option<(u64, usize)> {
    let begin = line.as_bytes();
    let begin = begin.get(..WIDEST).unwrap_or(begin);
    let width = begin
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'0'..=b'9'))?;
    let number = line.get(..width).filter(|_| begin.get(width) == Some(&b'\t'))?;
    Some((number.trim_start_matches(' ').parse().ok()?, width))
}

/// No numbers stand wider, with their tab.
const WIDEST: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_one_another_are_taken_off() {
        let mut numbers = Numbers::default();
        let lines = [
            "     1\tPING a",
            "     2\t",
            "",
            "     3\t 1  a",
            " 4  b",
            "     5\tc",
            "     6\td",
        ];
        let shown: Vec<&str> = lines.iter().map(|line| numbers.off(line)).collect();
        assert_eq!(shown, ["PING a", "", "", " 1  a", " 4  b", "     5\tc", "d"]);
        assert!(!numbers.is_idle());
        let mut numbers = Numbers::default();
        for line in [
            "     7\tx",
            "  1  a",
            "1\tx",
            "2\tx",
            "x",
            "     x\ty",
            "      \ty",
        ] {
            assert_eq!(numbers.off(line), line);
        }
        assert!(numbers.is_idle());
    }
}
