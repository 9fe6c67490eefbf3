//! What the other end says, for a person to read.

/// Longest text of the other end that a person is shown, letters.
const MAX_SHOWN: usize = 300;
/// Longest name of its program.
const MAX_NAME: usize = 40;

/// A few words, and nothing that a terminal would obey.
pub(super) fn plainly(text: &str) -> String {
    at_most(MAX_SHOWN, text)
}

/// The name of a program, as [`plainly`].
pub(super) fn program_name(text: &str) -> String {
    at_most(MAX_NAME, text)
}

fn at_most(letters: usize, text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(letters)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing() {
        assert_eq!(plainly("busy\u{1b}[2J\r\n, \u{9b}31mthen"), "busy[2J, 31mthen");
        assert_eq!(plainly(&"x".repeat(1_000)).len(), MAX_SHOWN);
        assert_eq!(program_name(&"ä".repeat(1_000)), "ä".repeat(MAX_NAME));
    }
}
