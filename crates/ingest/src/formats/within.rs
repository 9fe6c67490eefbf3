//! Outputs that programs hand on as a string: what Ansible, Salt or a runner of tests keeps of a command (`"stdout": "PING …\n64 bytes …"`, lists of
//! lines), and a string that somebody printed as it is written in a program. What stands in it is read as any text is.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::importer::import;
use crate::json_kind::JsonKind;
use crate::scene::is_name;
use memchr::memmem;
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "outputs in JSON",
    reads: "strings and lists of lines that hold an output, as Ansible (`stdout`, `stdout_lines`, `msg`) and runners of tests keep them: all that is read as text",
    group: Group::Any,
    is: |value| !texts(value).is_empty(),
    read: |value, lines, context, findings| {
        let mut is_known = false;
        for text in &texts(value) {
            is_known |= take(text, lines, context, findings);
        }
        if !is_known {
            findings.complain_of(lines, "a JSON document of no kind that slowpath knows");
        }
    },
};

/// The last of all: what other formats begin with is theirs.
pub(crate) static FORMAT: Format = Format {
    name: "an output in a string",
    group: Group::Any,
    reads: "lines joined by `\\n`, as programs write a string: all that is read as text",
    first: "!-~",
    has_command: false,
    marks: Some(|| Marks::of([]).or(is_string)),
    starts: is_string,
    continues: |_, _| false,
    takes_in: None,
    read,
};

/// Fewer are in many a line of a program.
const LEAST_LINES: usize = 3;

/// Strings stand no deeper in documents.
const DEEPEST: usize = 12;

/// Whether a line holds a string of several lines, as Python writes it. In other quotes it may be of a cut document of JSON, whose
/// tool alone knows whose output it keeps.
fn is_string(line: &str) -> bool {
    let is_one = memmem::find_iter(line.as_bytes(), "\\n")
        .nth(LEAST_LINES - 1)
        .is_some();
    let is_quoted = || {
        line.as_bytes()
            .get(..begin_of_string(line))
            .is_some_and(|begin| begin.last() == Some(&b'\''))
    };
    is_one && is_quoted() && key(line).is_none_or(is_output)
}

/// The key before a string: the line is of a document that is cut.
fn key(line: &str) -> Option<&str> {
    let quoted = begin_of_string(line);
    let before = line.get(..quoted.saturating_sub(1))?.trim_ascii_end();
    let key = before
        .strip_suffix(':')?
        .trim_ascii_end()
        .strip_suffix(['"', '\''])?;
    key.rsplit(['"', '\'']).next()
}

/// Where the string of a line begins, behind its quote.
fn begin_of_string(line: &str) -> usize {
    let first = memmem::find(line.as_bytes(), b"\\n").unwrap_or_default();
    let begin = line.get(..first).unwrap_or_default();
    begin
        .rmatch_indices(['"', '\''])
        .find(|(at, _)| opens(begin, *at))
        .map_or(0, |(at, _)| at + 1)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let lines = (block.first_line, block.last_line());
    take(&unescaped(block.text()), lines, context, findings);
}

/// Reads a text that stands in these lines; whether it holds any output.
fn take(text: &str, lines: (u64, u64), context: &Context, findings: &mut Findings) -> bool {
    let (records, complaints) = import(text.as_bytes(), context);
    if records.is_empty() {
        return false;
    }
    for record in records {
        findings.record_of(lines, &record.tool, record.at, record.payload);
    }
    for complaint in complaints {
        findings.complain_of(lines, format!("of the text in it, {complaint}"));
    }
    true
}

/// The strings of a document, and its lists of strings as lines; each text once, as many keep one in both ways.
fn texts(value: &Value) -> Vec<String> {
    fn collect(value: &Value, depth: usize, texts: &mut Vec<String>, known: &mut BTreeSet<String>) {
        let mut keep = |text: &str| {
            if known.insert(text.trim_ascii().to_owned()) {
                texts.push(text.to_owned());
            }
        };
        match value {
            Value::String(text) if has_lines(text) => keep(text),
            Value::Array(elements) if depth < DEEPEST => match lines_of(elements) {
                Some(lines) => keep(&lines.join("\n")),
                None => elements
                    .iter()
                    .for_each(|element| collect(element, depth + 1, texts, known)),
            },
            Value::Object(fields) if depth < DEEPEST => {
                let command = COMMANDS.iter().find_map(|key| fields.get(*key)?.as_str());
                let host = fields.get("hostname").and_then(Value::as_str);
                let host = host.filter(|name| is_name(name)).unwrap_or_default();
                for (key, field) in fields {
                    match (command, field.as_str()) {
                        (Some(command), Some(text)) if key == "data" && !command.contains('\n') => {
                            let run = Value::String(format!("{host}# {command}\n{text}"));
                            collect(&run, depth + 1, texts, known);
                        }
                        _ if is_output(key) || !is_text(field) => collect(field, depth + 1, texts, known),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    collect(value, 0, &mut texts, &mut BTreeSet::new());
    texts
}

/// Where collectors keep what they ran, beside what it printed.
const COMMANDS: [&str; 2] = ["cmd", "command"];

/// Whether a text has several lines: one alone may be a line of a log, whose others stand in documents of their own.
fn has_lines(text: &str) -> bool {
    text.trim_ascii().contains('\n')
}

/// Whether a value is a string, or a list of strings and of such lists.
fn is_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(elements) => !elements.is_empty() && elements.iter().all(is_text),
        _ => false,
    }
}

/// Whether programs keep there what another printed: `stdout`, `result.stdout_lines`, `out.stdout[0]`. What a tool keeps of its
/// other end (`server_output_text`) is none of this end's.
fn is_output(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key);
    let name = name.split('[').next().unwrap_or(name);
    [
        "stdout",
        "stdout_lines",
        "msg",
        "output",
        "log",
        "response",
        "result",
    ]
    .contains(&name)
}

/// A list of fewer letters is a row of something.
const LEAST_LETTERS: usize = 60;

/// The lines of a text, if a list is one.
fn lines_of(elements: &[Value]) -> Option<Vec<&str>> {
    let lines: Option<Vec<&str>> = elements.iter().map(Value::as_str).collect();
    lines.filter(|lines| {
        let letters: usize = lines.iter().map(|line| line.len()).sum();
        lines.len() > 1 && letters >= LEAST_LETTERS && !lines.iter().any(|line| line.contains('\n'))
    })
}

/// Whether a quote begins a string: no letter stands before it but the mark of a kind of string, `b'`.
fn opens(text: &str, at: usize) -> bool {
    let mut before = text.get(..at).unwrap_or_default().chars().rev();
    match before.next() {
        Some('b' | 'u' | 'r' | 'f') => before.next().is_none_or(|sign| !sign.is_alphanumeric()),
        Some(sign) => !sign.is_alphanumeric() && sign != '\\',
        None => true,
    }
}

/// The string that a line holds, as it was before it was written: from the quote before its first line to the one behind its last.
fn unescaped(line: &str) -> String {
    let quoted = begin_of_string(line);
    let mut text = String::with_capacity(line.len());
    let mut signs = line.get(quoted..).unwrap_or_default().chars().peekable();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            text.push(sign);
            continue;
        }
        // A string that was written twice has two of them.
        while signs.next_if_eq(&'\\').is_some() {}
        match signs.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => {}
            Some(other) => text.push(other),
            None => {}
        }
    }
    let end = text.trim_ascii_end().trim_end_matches([',', ']', ')', '}']).len();
    let inner = text.get(..end).and_then(|text| text.strip_suffix(['"', '\'']));
    let end = inner.map_or(text.len(), str::len);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_what_it_was() {
        for (line, text) in [
            (r"out = 'a b\n c\td\r\n\n',", "a b\n c\td\n\n"),
            (r"b'it\'s\nso\n\n'", "it's\nso\n\n"),
            (r"x = 'Frames' Format\n a\nb\n'", "Frames' Format\n a\nb\n"),
            (r"'one\\ntwo\\nthree\\nfour'", "one\ntwo\nthree\nfour"),
        ] {
            assert!(is_string(line), "{line}");
            assert_eq!(unescaped(line), text);
        }
        assert!(!is_string(r"C:\new\nice"));
        assert!(is_string(r"'stdout': 'a\nb\nc\n',"));
        assert!(!is_string(r#""stdout": "a\nb\nc\n","#));
        assert!(!is_string(r"'server_output_text': 'a\nb\nc\n',"));
    }

    #[test]
    fn a_text_that_is_kept_twice_is_one() {
        let line = "a line of an output that is as long as such lines are";
        let text = format!("{line}\n{line}\n");
        let value = serde_json::json!({"stdout": [text], "stdout_lines": [[line, line]], "row": ["a", "b"]});
        assert_eq!(texts(&value), [text]);
    }
}
