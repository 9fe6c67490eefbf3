//! Marks on figures, and the remarks that they lead to: `183,781 ^{*2.2.1.1}`, `98,035 packets lost*^{2.2.4.1}`,
//! `*^{2.2.1.2} Due to misconfiguration, …`.

/// A footnote, with the mark that leads to it.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) mark: String,
    /// As printed.
    pub(super) text: String,
    /// No figure has its mark.
    pub(super) is_orphan: bool,
}

/// Whether a line is a remark: it begins with a mark.
pub(super) fn starts(text: &str) -> bool {
    text.trim_start_matches(['*', ' ']).starts_with("^{")
}

/// What stands between the braces of the next mark, and the text behind it.
fn next(text: &str) -> Option<(&str, &str)> {
    let (_, behind) = text.split_once("^{")?;
    let (mark, rest) = behind.split_once('}')?;
    Some((mark.trim_matches(['*', ' ']), rest))
}

/// The marks within a text, in their order.
pub(super) fn marks(text: &str) -> Vec<String> {
    let mut marks = Vec::new();
    let mut rest = text;
    while let Some((mark, behind)) = next(rest) {
        marks.push(mark.to_owned());
        rest = behind;
    }
    marks
}

/// The text before its first mark.
pub(super) fn without_marks(text: &str) -> &str {
    let end = text.find(['^', '*']).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_print_a_mark() {
        for (text, bare, mark) in [
            ("183,781 ^{*2.2.1.1}", "183,781", "2.2.1.1"),
            ("2,498,543* ^{2.2.2.1}", "2,498,543", "2.2.2.1"),
            (
                "10,352 packets lost*^{2.2.3.1} (as",
                "10,352 packets lost",
                "2.2.3.1",
            ),
        ] {
            assert_eq!(without_marks(text), bare);
            assert_eq!(marks(text), [mark]);
            assert!(!starts(text));
        }
        assert!(starts("^{*2.2.1.1} 2 packets") && starts("*^{2.2.2.1} 46 packets"));
        assert_eq!(marks("a^{1} b^{2} c^{"), ["1", "2"]);
        assert_eq!(without_marks("7"), "7");
    }
}
