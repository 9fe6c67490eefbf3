//! Rows of Markdown tables.

/// The cells of a row, trimmed; nothing for a line that is none.
pub(crate) fn cells(line: &str) -> impl Iterator<Item = &str> {
    let row = line.trim_ascii();
    let inner = row.strip_prefix('|').unwrap_or("");
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner
        .split('|')
        .map(str::trim_ascii)
        .take_while(move |_| row.starts_with('|'))
}

/// Whether the row only separates the head from the body, or is empty as the head of a table without one is.
pub(crate) fn is_rule(line: &str) -> bool {
    cells(line).all(|cell| cell.bytes().all(|byte| matches!(byte, b'-' | b':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let row: Vec<&str> = cells("| | a -> b | 7 ^{*1} |").collect();
        assert_eq!(row, ["", "a -> b", "7 ^{*1}"]);
        assert_eq!(cells("prose | with a bar").count(), 0);
        assert_eq!(cells("").count(), 0);
        assert!(is_rule("|---|:--|") && is_rule("| | |") && !is_rule("| a | |"));
    }
}
