//! Headings of sections, numbered or Markdown: `2.2.1 Test 1: …`, `### Test 4: UDP`.

/// The title of a numbered or Markdown heading; titles begin with a capital, which a line like `63 packets` does not.
pub(super) fn title(line: &str) -> Option<&str> {
    let marked = line.trim_start_matches('#');
    let text = marked.trim_ascii_start();
    let number = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let title = text.get(number..)?;
    let numbered = number > 0 && title.starts_with(' ');
    let title = title.trim_ascii();
    let capital = title.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    ((numbered || marked.len() < line.len()) && capital).then_some(title)
}

/// Whether a heading opens a test: `2.2.1 Test 1: 16:44 GMT, TCP, 10 parallel streams, 10s`
pub(super) fn is_of_test(line: &str) -> bool {
    title(line).is_some_and(|title| title.starts_with("Test ") && title.contains(':'))
}
