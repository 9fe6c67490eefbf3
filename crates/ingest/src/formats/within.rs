//! Outputs that programs hand on as a string: what Ansible, Salt or a runner of tests keeps of a command (`"stdout": "PING …\n64 bytes …"`, lists of
//! lines), and a string that somebody printed as it is written in a program. What stands in it is read as any text is.

use super::kept::{is_output, outputs};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::importer::import;
use crate::json_kind::JsonKind;
use evidence::Node;
use memchr::memmem;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "outputs in JSON",
    reads: "strings and lists of lines that hold an output, as Ansible (`stdout`, `stdout_lines`, `msg`) and runners of tests keep them, and what stands beside its command (`cmd`, `command`): all that is read as text",
    group: Group::Any,
    is: |value| !outputs(value).is_empty(),
    read: |value, lines, context, findings| {
        let mut is_known = false;
        for output in &outputs(value) {
            let from = output.host.as_deref().map(Node::named);
            let context = Context {
                from: context.from_or(from.unwrap_or_default()),
                ..context.clone()
            };
            is_known |= take(&output.text, lines, &context, findings);
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
}
