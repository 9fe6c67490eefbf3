//! A JSON document of which the end is missing: what stands of it, with its brackets closed.

/// A bracket that is open: what closes it, and how far the line is indented on which it was opened.
struct Open {
    closes: u8,
    line: usize,
    indentation: usize,
}

/// The document up to the last value that is whole, with its brackets closed; `None` where a bracket may be missing in the middle of it: one
/// that closes is not below the line that opened it.
pub(super) fn completed(text: &str) -> Option<String> {
    let mut open: Vec<Open> = Vec::new();
    // Where a value ended last, and how many brackets were open there.
    let mut whole = (0, 0);
    let mut begin = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let indentation = line.len() - line.trim_ascii_start().len();
        let mut bytes = line.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    while bytes.next().is_some_and(|(_, byte)| match byte {
                        b'\\' => bytes.next().is_some(),
                        byte => byte != b'"',
                    }) {}
                }
                b'{' | b'[' => open.push(Open {
                    closes: if byte == b'{' { b'}' } else { b']' },
                    line: number,
                    indentation,
                }),
                b'}' | b']' => {
                    let opened = open.pop().filter(|opened| opened.closes == byte)?;
                    let is_below = at == indentation && opened.indentation == indentation;
                    if opened.line != number && !is_below {
                        return None;
                    }
                    whole = (begin + at + 1, open.len());
                }
                b',' => whole = (begin + at, open.len()),
                _ => {}
            }
        }
        begin += line.len();
    }
    // A bracket that was open where the last value ended may be closed since: not behind it.
    let mut completed = text.get(..whole.0)?.to_owned();
    open.truncate(whole.1);
    completed.extend(open.iter().rev().map(|open| char::from(open.closes)));
    (whole.0 > 0 && open.len() == whole.1).then_some(completed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_document_ends_with_its_last_whole_value() {
        for (cut, whole) in [
            (r#"{"a": 1, "b": 2"#, r#"{"a": 1}"#),
            (
                r#"{"a": [1, 2], "b": {"c": "x,y", "d": [3, {"e": 4}, {"f": 5"#,
                r#"{"a": [1, 2], "b": {"c": "x,y", "d": [3, {"e": 4}]}}"#,
            ),
            (
                "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": {\n    \"d\": 2,\n    \"e",
                "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": {\n    \"d\": 2}}",
            ),
        ] {
            assert_eq!(completed(cut).as_deref(), Some(whole), "{cut}");
            assert!(serde_json::from_str::<serde_json::Value>(whole).is_ok());
        }
    }

    #[test]
    fn a_bracket_that_is_missing_in_the_middle_is_no_end() {
        let whole = "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": {\n    \"d\": 2\n  }\n}\n";
        let lost = whole.replacen("  },\n", "", 1);
        assert_eq!(completed(&lost), None, "{lost}");
        assert_eq!(completed("{"), None);
    }
}
