//! A JSON document of which the end is missing: what stands of it, with its brackets closed.

use std::collections::BTreeMap;

/// The document up to the last value that is whole, with its brackets closed; `None` where a bracket may be missing in the middle of it:
/// keys that stand below each other are not in one object.
pub(super) fn completed(text: &str) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    // How far keys are indented that stand so deep.
    let mut indentations = BTreeMap::new();
    // Where a value ended last, and how many brackets were open there.
    let mut whole = (0, 0);
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let indentation = line.len() - line.trim_ascii_start().len();
        let mut bytes = line.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    let is_first = at == indentation && begin > 0;
                    if is_first && *indentations.entry(indentation).or_insert(open.len()) != open.len() {
                        return None;
                    }
                    skip_string(&mut bytes);
                }
                b'{' => open.push(b'}'),
                b'[' => open.push(b']'),
                b'}' | b']' => {
                    open.pop().filter(|closes| *closes == byte)?;
                    whole = (begin + at + 1, open.len());
                }
                // Of a list of plain values, such as flags, those that are missing say something too.
                b',' if is_behind_element(line, at) || open.last() == Some(&b'}') => {
                    whole = (begin + at, open.len());
                }
                _ => {}
            }
        }
        begin += line.len();
    }
    let mut completed = text.get(..whole.0).filter(|text| !text.is_empty())?.to_owned();
    open.truncate(whole.1);
    completed.extend(open.iter().rev().map(|closes| char::from(*closes)));
    Some(completed)
}

fn skip_string(bytes: &mut impl Iterator<Item = (usize, u8)>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

/// Whether a bracket closes right before this place of the line.
fn is_behind_element(line: &str, at: usize) -> bool {
    let before = line.get(..at).unwrap_or_default();
    before.trim_ascii_end().ends_with(['}', ']'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_document_ends_with_its_last_whole_value() {
        for (cut, whole) in [
            (r#"{"a": 1, "b": 2"#, r#"{"a": 1}"#),
            (r#"{"a": 1, "b": ["UP", "LOWER_UP"#, r#"{"a": 1}"#),
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
