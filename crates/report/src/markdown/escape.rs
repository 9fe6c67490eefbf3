//! Text of strangers in Markdown: it stays text.

use evidence::ObservationId;

/// The short form of an id, letters and digits only: a case's ids may come from anybody.
pub(super) fn id_digits(id: &ObservationId) -> String {
    id.to_string()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

/// Text on one line in which no character has a meaning to Markdown (CommonMark's escapable punctuation), to HTML,
/// or to a forge (a zero-effort mention `@name` or reference `#1` is broken up as well).
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for c in word.chars() {
            match c {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '@' => out.push_str("&#64;"),
                '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            }
        }
    }
    out
}

/// A code block whose fence is longer than any run of backticks inside.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}
