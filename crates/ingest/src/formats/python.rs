//! What Python prints of its values, as JSON: people show what libraries gave them (NAPALM, Genie, TextFSM, librouteros) by
//! `print` and `pprint`.

use memchr::memchr2;

/// The text as JSON, a line for each of its lines; `None` where it is none of Python's, or holds what JSON has no form for.
pub(crate) fn as_json(text: &str) -> Option<String> {
    // JSON has no other quotes than these.
    let first = memchr2(b'\'', b'"', text.as_bytes())?;
    (text.as_bytes().get(first) == Some(&b'\'')).then_some(())?;
    let (mut json, mut rest) = (String::with_capacity(text.len()), text);
    // Where a number begins that may be a key.
    let mut number = None;
    while let Some(sign) = rest.chars().next() {
        let behind = rest.get(sign.len_utf8()..)?;
        rest = match sign {
            '\'' | '"' => string(&mut json, behind, sign)?,
            '0'..='9' | '-' | '+' | '.' => {
                number = number.or(Some(json.len()));
                json.push(sign);
                rest = behind;
                continue;
            }
            // A whole number of Python 2 that is long.
            'L' if number.is_some() => behind,
            ':' => {
                if let Some(begin) = number {
                    json.insert(begin, '"');
                    json.push('"');
                }
                json.push(':');
                behind
            }
            '(' | '[' | '{' => {
                json.push(if sign == '(' { '[' } else { sign });
                behind
            }
            ')' | ']' | '}' => {
                // A comma stands behind the one value of a tuple.
                let end = json.trim_ascii_end();
                if let Some(end) = end.strip_suffix(',') {
                    json.truncate(end.len());
                }
                json.push(if sign == ')' { ']' } else { sign });
                behind
            }
            ',' | ' ' | '\t' | '\n' => {
                json.push(sign);
                behind
            }
            _ => word(&mut json, rest)?,
        };
        number = None;
    }
    Some(json)
}

/// Whether a text begins with a string that is a key of Python's, and none of JSON's.
pub(crate) fn is_key(text: &str) -> bool {
    let text = text.strip_prefix('u').unwrap_or(text);
    text.starts_with('\'') && text.contains("': ")
}

/// A word that stands for a value, or marks what kind of string comes; the text behind it.
fn word<'t>(json: &mut String, text: &'t str) -> Option<&'t str> {
    let end = text.bytes().position(|byte| !byte.is_ascii_alphabetic());
    let (word, behind) = text.split_at_checked(end.unwrap_or(text.len()))?;
    match word {
        "True" => json.push_str("true"),
        "False" => json.push_str("false"),
        "None" => json.push_str("null"),
        "u" | "b" if behind.starts_with(['\'', '"']) => {}
        _ => return None,
    }
    Some(behind)
}

/// A string up to its closing quote; the text behind that.
fn string<'t>(json: &mut String, text: &'t str, quote: char) -> Option<&'t str> {
    json.push('"');
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            _ if sign == quote => {
                json.push('"');
                return text.get(at + 1..);
            }
            '"' => json.push_str("\\\""),
            '\\' => match signs.next()?.1 {
                '\'' => json.push('\''),
                'x' => json.push_str("\\u00"),
                escaped @ ('"' | '\\' | 'n' | 'r' | 't' | 'u') => json.extend(['\\', escaped]),
                _ => return None,
            },
            _ if sign.is_control() => return None,
            _ => json.push(sign),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_python_are_those_of_json() {
        for (python, json) in [
            ("{'a': 1}", r#"{"a": 1}"#),
            ("{u'a': True, u'b': None}", r#"{"a": true, "b": null}"#),
            ("[{'a': -1.5e}]", ""),
            ("({'a': 7L,\n  'b': (1,)},)", "[{\"a\": 7,\n  \"b\": [1]}]"),
            ("{'a': {1: False}}", r#"{"a": {"1": false}}"#),
            (
                r#"{'a': "it's \"so\"", 'b': 'a "b" \xe9\\'}"#,
                r#"{"a": "it's \"so\"", "b": "a \"b\" \u00e9\\"}"#,
            ),
            ("{'a': open}", ""),
            ("{'a': 'cut", ""),
            ("{\"a\": 'b'}", ""),
        ] {
            assert_eq!(as_json(python).unwrap_or_default(), json, "{python}");
        }
    }
}
