//! Interfaces as YAML, as Ansible shows facts, and as people show what parsers gave them: put together it is the document that the same
//! program gives as JSON.
//!
//! Nothing but the blanks before a line tells what it is a part of, so what stands at no place that a line before it opened, and a
//! key that comes twice, show that a line is missing: then nothing of the block is used.

use super::read as read_tree;
use super::tree::Tree;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use serde_json::{Map, Value};

/// What stands around interfaces, alone in its line.
const ROOTS: [&str; 6] = [
    "interfaces",
    "ansible_interfaces",
    "ansible_net_interfaces",
    "get_interfaces",
    "get_interfaces_counters",
    "parsed_sample",
];

/// The first key of an interface in a list: its name, or what comes first by the alphabet.
const FIRST_KEYS: [&str; 9] = [
    "abort",
    "address",
    "admin_state",
    "bandwidth",
    "bia",
    "crc",
    "encap_type",
    "interface",
    "port",
];

/// Elements stand no deeper in each other than what is read of a tree.
const DEEPEST: usize = 32;

/// Words that first lines hold which are no items.
pub(super) const MARKS: [&str; 2] = ["interfaces", "parsed_sample:"];

pub(super) fn starts(line: &str) -> bool {
    is_root(line) || is_item(line)
}

fn is_root(line: &str) -> bool {
    let key = line.trim_ascii().strip_suffix(':');
    key.is_some_and(|key| ROOTS.contains(&key) || key == "openconfig-interfaces:interfaces")
}

pub(super) fn is_item(line: &str) -> bool {
    let item = line.trim_ascii_start().strip_prefix("- ");
    item.and_then(|item| item.split_once(": "))
        .is_some_and(|(key, value)| {
            FIRST_KEYS.contains(&key)
                && !unquoted(value.trim_ascii_end())
                    .trim_end_matches(" Kbit")
                    .contains(' ')
        })
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// A key, and the value behind it where one stands in the line.
fn pair(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_end();
    let (key, value) = match text.strip_suffix(':') {
        // `key: a:` has its value in the line.
        Some(key) if !key.contains(": ") => (key, ""),
        _ => text.split_once(": ")?,
    };
    let key = unquoted(key);
    let is_key = !key.is_empty() && !key.starts_with(['-', '#', '{', '[']) && !key.contains(' ');
    is_key.then(|| (key, value.trim_ascii()))
}

fn unquoted(text: &str) -> &str {
    let within = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    within('\'').or_else(|| within('"')).unwrap_or(text)
}

pub(super) fn continues(block: &Block, line: &str) -> bool {
    let first = block.first().unwrap_or_default();
    if line.trim_ascii().is_empty() {
        return block.len() == 1 && is_root(first);
    }
    let text = line.trim_ascii();
    let item = text.strip_prefix("- ");
    let is_below = match indentation(line).cmp(&indentation(first)) {
        std::cmp::Ordering::Greater => true,
        // A list may stand as far in as its key.
        std::cmp::Ordering::Equal => item.is_some(),
        std::cmp::Ordering::Less => false,
    };
    is_below && (item.is_some() || pair(text).is_some())
}

pub(super) fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let all = (block.first_line, block.last_line());
    let mut lines = Lines {
        lines: block
            .lines()
            .filter(|line| !line.trim_ascii().is_empty())
            .map(|line| (indentation(line), line.trim_ascii()))
            .collect(),
        at: 0,
    };
    let tree = lines.value(0);
    if let Some((_, line)) = lines.next() {
        let blank = block.len() - lines.lines.len();
        let number = block.first_line + (lines.at + blank) as u64;
        let reason = "as if a line were missing above: none of it is used";
        return findings.complain(number, format!("not understood: {line}: {reason}"));
    }
    match tree.filter(|tree| super::find(Tree::Json(tree))) {
        Some(tree) => read_tree(Tree::Json(&tree), all, None, context, findings),
        None => findings.complain_of(all, "YAML without an interface that slowpath knows"),
    }
}

/// Lines with the blanks before them, and the one that comes next.
struct Lines<'l> {
    lines: Vec<(usize, &'l str)>,
    at: usize,
}

impl<'l> Lines<'l> {
    fn next(&self) -> Option<(usize, &'l str)> {
        self.lines.get(self.at).copied()
    }

    /// What begins with the next line and stands as far in. `None`, at the line that it is about, for what is no YAML.
    fn value(&mut self, depth: usize) -> Option<Value> {
        let (indent, first) = self.next().filter(|_| depth < DEEPEST)?;
        if first.starts_with("- ") {
            let mut items = Vec::new();
            while let Some(item) = self
                .next()
                .filter(|(at, _)| *at == indent)
                .and_then(|(_, line)| line.strip_prefix("- "))
            {
                let inner = item.trim_ascii_start();
                if pair(inner).is_some() {
                    // The rest of the line is the first of what the item holds, as far in as it stands.
                    let place = self.lines.get_mut(self.at)?;
                    *place = (indent + 2 + (item.len() - inner.len()), inner);
                    items.push(self.value(depth + 1)?);
                } else {
                    items.push(scalar(inner));
                    self.at += 1;
                }
            }
            // Behind a list that stands as far in as its key the next key follows.
            let ends = self.next().is_none_or(|(at, _)| at <= indent);
            return ends.then_some(Value::Array(items));
        }
        let mut fields = Map::new();
        while let Some((key, value)) = self
            .next()
            .filter(|(at, _)| *at == indent)
            .and_then(|(_, line)| pair(line))
        {
            if fields.contains_key(key) {
                return None;
            }
            self.at += 1;
            let below = self
                .next()
                .filter(|(at, line)| *at > indent || *at == indent && line.starts_with("- "));
            let value = match below {
                Some(_) if value.is_empty() => self.value(depth + 1)?,
                // Below a value nothing stands.
                Some((at, _)) if at > indent => return None,
                _ => scalar(value),
            };
            fields.insert(key.to_owned(), value);
        }
        let ends = self.next().is_none_or(|(at, _)| at < indent);
        ends.then_some(Value::Object(fields))
    }
}

fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        _ => Value::String(unquoted(text).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        let mut lines = Lines {
            lines: text
                .lines()
                .map(|line| (indentation(line), line.trim_ascii()))
                .collect(),
            at: 0,
        };
        let value = lines.value(0)?;
        (lines.at == lines.lines.len()).then(|| value.to_string())
    }

    #[test]
    fn lines_are_parts_of_what_stands_less_far_in() {
        for (text, expected) in [
            (
                "a:\n  b: 5\n  'c':\n    - x\n    - y",
                r#"{"a":{"b":"5","c":["x","y"]}}"#,
            ),
            (
                "a:\n- b: 1\n  c: ~\n- b: 2\n",
                r#"{"a":[{"b":"1","c":null},{"b":"2"}]}"#,
            ),
            ("- a: 'x: y'\n  b: fe80::1\n", r#"[{"a":"x: y","b":"fe80::1"}]"#),
            // Lines are missing.
            ("a:\n  b: 5\n    c: 6\n", ""),
            ("a:\n    b: 5\n  c: 6\n", ""),
            ("- a: 1\n  b: 2\n  a: 3\n", ""),
        ] {
            assert_eq!(json(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn what_begins_a_block() {
        for line in [
            "interfaces:",
            "    ansible_net_interfaces:",
            "- interface: Gi0/1",
            "  - bandwidth: 1000000",
        ] {
            assert!(is_root(line) || is_item(line), "{line}");
        }
        for line in [
            "- interface: the one that drops packets",
            "interfaces: 5",
            "- name: eth0",
            "The interfaces:",
        ] {
            assert!(!is_root(line) && !is_item(line), "{line}");
        }
    }
}
