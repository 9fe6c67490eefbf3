//! What SR Linux prints of its tree, `info from state interface ethernet-1/1`: elements in braces, a leaf in each line. Put together it
//! is the document that the same command prints `| as json`.

use super::read as read_tree;
use super::tree::Tree;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use serde_json::{Map, Value, json};

/// The name in `interface ethernet-1/1 {`.
pub(super) fn interface(line: &str) -> Option<&str> {
    let name = line.trim_ascii().strip_prefix("interface ")?.strip_suffix(" {")?;
    (!name.contains(' ')).then_some(name)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_ascii_start().len()
}

/// Whether a line closes an interface that begins as far in as this.
fn is_end(first: &str, line: &str) -> bool {
    line.trim_ascii() == "}" && indentation(first) == indentation(line)
}

/// All of an interface stands further in, but for the brace that closes it. The next one follows at once.
pub(super) fn continues(block: &Block, line: &str) -> bool {
    let first = block.first().unwrap_or_default();
    let is_closed = block.last().is_some_and(|last| is_end(first, last));
    match is_closed {
        true => interface(line).is_some() && indentation(first) == indentation(line),
        false => is_end(first, line) || indentation(line) > indentation(first),
    }
}

/// Elements of SR Linux stand half as deep in each other; what is read of a tree, and let go of it, goes as deep as the tree does.
const DEEPEST: usize = 32;

/// An element that is not closed yet, and the name of its own.
type Open<'t> = (&'t str, Map<String, Value>);

pub(super) fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let first = block.first().unwrap_or_default();
    let mut of_one: Vec<(u64, &str)> = Vec::new();
    for (number, line) in block.numbered() {
        of_one.push((number, line));
        if is_end(first, line) {
            read_one(&of_one, context, findings);
            of_one.clear();
        }
    }
    if let (Some((begin, _)), Some((end, _))) = (of_one.first(), of_one.last()) {
        findings.complain_of((*begin, *end), "the tree is cut: its braces are not closed");
        read_one(&of_one, context, findings);
    }
}

fn read_one(lines: &[(u64, &str)], context: &Context, findings: &mut Findings) {
    let mut open: Vec<Open<'_>> = Vec::new();
    let first = lines.first().map_or("", |(_, line)| *line);
    for (place, (number, text)) in lines.iter().enumerate() {
        let line = text.trim_ascii();
        let is_last = place + 1 == lines.len();
        // Two lines in one are told by what set the second in, and a brace that is missing by those behind it.
        let is_joined = line.split('"').step_by(2).any(|bare| bare.contains("  "));
        let is_closing = matches!(line, "}" | "]");
        let is_unbalanced = is_closing && (open.len() == 1) != (is_last && is_end(first, text));
        if is_joined || is_unbalanced {
            let why = match is_joined {
                true => format!("not understood: {line}: none of the interface is used"),
                false => "a brace is missing: none of the interface is used".to_owned(),
            };
            return findings.complain(*number, why);
        }
        if is_closing {
            close(&mut open);
        } else if let Some(element) = line.strip_suffix(['{', '[']) {
            let (name, key) = element
                .trim_ascii()
                .split_once(' ')
                .unwrap_or((element.trim_ascii(), ""));
            let mut inner = Map::new();
            if !key.is_empty() {
                // One within an interface has a name of its own beside its number.
                let of_key = if open.is_empty() { "name" } else { "index" };
                inner.insert(of_key.to_owned(), json!(key.trim_matches('"')));
            }
            if open.len() == DEEPEST {
                return findings.complain(
                    *number,
                    "elements too deep in each other: none of the interface is used",
                );
            }
            open.push((name, inner));
        } else if let Some((_, inner)) = open.last_mut() {
            // What has no value is one of a list.
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            // Values of several words are quoted.
            if !value.starts_with('"') && value.contains(' ') {
                findings.complain(*number, format!("not understood: {line}"));
                continue;
            }
            let value = json!(value.trim_matches('"'));
            let before = inner.insert(name.to_owned(), value.clone());
            if before.is_some_and(|before| before != value) {
                let why = format!("{name} is given twice, as if a brace were missing: none of it is used");
                return findings.complain(*number, why);
            }
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    let (Some((_, interface)), Some((begin, _)), Some((end, _))) = (open.pop(), lines.first(), lines.last())
    else {
        return;
    };
    let before = findings.is_empty();
    let tree = Value::Object(interface);
    read_tree(Tree::Json(&tree), (*begin, *end), None, context, findings);
    if before && findings.is_empty() {
        findings.nothing_to_say();
    }
}

/// Puts the innermost element into the one around it, behind others of its name. The outermost stays.
fn close(open: &mut Vec<Open<'_>>) {
    if open.len() < 2 {
        return;
    }
    if let Some(((name, inner), (_, outer))) = open.pop().zip(open.last_mut()) {
        let inner = Value::Object(inner);
        match outer.get_mut(name) {
            Some(Value::Array(others)) => others.push(inner),
            Some(other) => {
                let first = other.take();
                *other = Value::Array(vec![first, inner]);
            }
            None => {
                outer.insert(name.to_owned(), inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_never_ends_in_itself_is_told() {
        let text = format!(
            "interface ethernet-1/1 {{\n{}",
            "    statistics {\n".repeat(500_000)
        );
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert!(records.is_empty());
        assert!(
            complaints
                .iter()
                .any(|complaint| complaint.reason.contains("too deep")),
            "{complaints:?}"
        );
    }
}
