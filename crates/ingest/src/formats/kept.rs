//! What a document keeps of commands: their outputs, as strings, as lists of lines, or as documents within it.

use crate::scene::is_name;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Outputs stand no deeper in documents.
const DEEPEST: usize = 12;

/// What a document tells of a command beside its output.
#[derive(Debug, Default, PartialEq)]
struct Told<'v> {
    /// The host that it ran on.
    host: Option<&'v str>,
    /// With a prompt before it.
    command: Option<String>,
}

/// An output that a document keeps.
#[derive(Debug, PartialEq)]
pub(super) struct Output {
    pub(super) host: Option<String>,
    /// Below its command, where that is told.
    pub(super) text: String,
}

/// The host that a document tells of the command whose output it keeps.
pub(super) fn host(value: &Value) -> Option<&str> {
    told(value.as_object()?).host
}

/// The strings of a document, and its lists of strings as lines; each once, as many keep one in both ways.
pub(super) fn outputs(value: &Value) -> Vec<Output> {
    let mut kept = Kept::default();
    kept.collect(value, 0, &Told::default());
    kept.outputs
}

#[derive(Default)]
struct Kept {
    outputs: Vec<Output>,
    known: BTreeSet<String>,
}

impl Kept {
    fn keep(&mut self, text: &str, told: &Told<'_>) {
        // What many hosts print alike is of each.
        let whose = told.host.unwrap_or_default();
        if self.known.insert(format!("{whose}\n{}", text.trim_ascii())) {
            let command = told.command.as_ref();
            let command = command.map_or(String::new(), |command| format!("{command}\n"));
            self.outputs.push(Output {
                host: told.host.map(str::to_owned),
                text: command + text,
            });
        }
    }

    fn collect(&mut self, value: &Value, depth: usize, told: &Told<'_>) {
        match value {
            Value::String(text) if has_lines(text) || told.command.is_some() && is_document(text) => {
                self.keep(text, told);
            }
            Value::Array(elements) if depth < DEEPEST => match lines_of(elements) {
                Some(lines) => self.keep(&lines.join("\n"), told),
                None => elements
                    .iter()
                    .for_each(|element| self.collect(element, depth + 1, told)),
            },
            Value::Object(fields) if depth < DEEPEST => self.collect_fields(fields, depth),
            _ => {}
        }
    }

    fn collect_fields(&mut self, fields: &Map<String, Value>, depth: usize) {
        let told = told(fields);
        for (key, field) in fields {
            let is_answer = told.command.is_some() && is_answer(key);
            if is_answer && field.is_object() {
                self.keep(&field.to_string(), &told);
            } else if is_answer || is_output(key) || !is_text(field) {
                self.collect(field, depth + 1, &told);
            }
        }
    }
}

/// What the fields of an object tell of a command. A script has several, whose outputs nobody told apart.
fn told(fields: &Map<String, Value>) -> Told<'_> {
    let field = |names: &[&str]| names.iter().find_map(|name| fields.get(*name));
    let command = match field(&["cmd", "command"]) {
        Some(Value::String(command)) => command.trim_ascii().to_owned(),
        Some(Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.unwrap_or_default().join(" ")
        }
        _ => String::new(),
    };
    if command.is_empty() || command.contains('\n') {
        return Told::default();
    }
    let host = field(&["hostname", "inventory_hostname"]).and_then(Value::as_str);
    // To whom a command measures is not where it ran.
    let host = host.filter(|host| is_name(host) && !command.contains(host));
    Told {
        command: Some(match host {
            Some(host) => format!("{host}# {command}"),
            None => format!("$ {command}"),
        }),
        host,
    }
}

/// Whether a text has several lines: one alone may be a line of a log, whose others stand in documents of their own.
fn has_lines(text: &str) -> bool {
    text.trim_ascii().contains('\n')
}

/// Whether a text is a document, which may come in one line.
fn is_document(text: &str) -> bool {
    text.trim_ascii_start().starts_with(['{', '[', '<'])
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
pub(super) fn is_output(key: &str) -> bool {
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

/// Whether what stands there beside a command is its output: names that say nothing where none stands.
fn is_answer(key: &str) -> bool {
    is_output(key) || ["data", "text", "content", "raw", "body", "results"].contains(&key)
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(value: &Value) -> Vec<String> {
        outputs(value).into_iter().map(|output| output.text).collect()
    }

    #[test]
    fn a_text_that_is_kept_twice_is_one() {
        let line = "a line of an output that is as long as such lines are";
        let text = format!("{line}\n{line}\n");
        let value = json!({"stdout": [text], "stdout_lines": [[line, line]], "row": ["a", "b"]});
        assert_eq!(texts(&value), [text]);
    }

    #[test]
    fn an_output_stands_below_its_command() {
        let of = |fields: Value| texts(&json!([fields]));
        let host = |fields: Value| outputs(&fields).pop().and_then(|output| output.host);
        let two = "a\nb\n";
        assert_eq!(
            of(json!({"cmd": "ip -s link", "hostname": "dtn1", "data": two})),
            ["dtn1# ip -s link\na\nb\n"]
        );
        assert_eq!(
            of(json!({"cmd": ["ping", "-c3", "a.example"], "hostname": "a.example", "stdout": two})),
            ["$ ping -c3 a.example\na\nb\n"]
        );
        assert_eq!(
            host(json!({"cmd": "ip -s link", "hostname": "dtn1", "data": two})).as_deref(),
            Some("dtn1")
        );
        assert_eq!(
            of(json!({"command": "show interface", "result": {"x": 1}})),
            ["$ show interface\n{\"x\":1}"]
        );
        assert_eq!(
            of(json!({"cmd": "show interface", "data": "{}"})),
            ["$ show interface\n{}"]
        );
        assert_eq!(of(json!({"cmd": "set -e\nls", "stdout": two})), [two]);
        assert!(of(json!({"data": two})).is_empty());
    }
}
