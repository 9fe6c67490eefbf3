//! What `diff` prints: lines of two texts, the one before and the one after. A line of it looks like one of an output and is none:
//! nothing says which of the two stands.

use crate::Context;
use crate::findings::Findings;
use crate::format::{Format, Group};

pub(crate) static FORMAT: Format = Format {
    name: "diff",
    group: Group::Hosts,
    reads: "known, and nothing is recorded: what differs between two texts is no setting and no counter",
    first: "@0-9",
    has_command: false,
    marks: None,
    starts: is_place,
    continues: |block, line| {
        let marks: &[char] = if block.has(is_place_of_unified) {
            &[' ', '+', '-', '\\']
        } else {
            &['<', '>', '\\']
        };
        let is_between = line == "---" && !block.has(is_place_of_unified);
        is_place(line) || is_between || line.starts_with(marks)
    },
    takes_in: None,
    read: |block, _: &Context, findings: &mut Findings| {
        findings.complain_of(
            (block.first_line, block.last_line()),
            "lines of a diff, which say what differs and not what is: none is used",
        );
    },
};

/// Where lines differ.
fn is_place(line: &str) -> bool {
    is_place_of_unified(line) || is_place_of_plain(line)
}

/// `@@ -1,3 +1,3 @@`
fn is_place_of_unified(line: &str) -> bool {
    let places = line
        .strip_prefix("@@ -")
        .and_then(|rest| rest.split_once(" @@"))
        .and_then(|(places, _)| places.split_once(" +"));
    places.is_some_and(|(before, after)| is_span(before) && is_span(after))
}

/// `3,4c3,4`, `7d6`
fn is_place_of_plain(line: &str) -> bool {
    let mut spans = line.trim_ascii_end().split(['a', 'c', 'd']);
    let (Some(before), Some(after), None) = (spans.next(), spans.next(), spans.next()) else {
        return false;
    };
    is_span(before) && is_span(after)
}

fn is_span(text: &str) -> bool {
    let is_number =
        |text: &str| (1..8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once(',') {
        Some((first, last)) => is_number(first) && is_number(last),
        None => is_number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_diff_is_a_setting() {
        for text in [
            "@@ -1,2 +1,2 @@\n net.ipv4.tcp_sack = 1\n-net.core.rmem_max = 7\n+net.core.rmem_max = 9\n",
            "3c3\n< net.core.rmem_max = 7\n---\n> net.core.rmem_max = 9\n",
        ] {
            let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
            assert_eq!((records.len(), complaints.len()), (0, 1), "{text}");
        }
        for no in ["@@ -1 @@", "12", "5c", "abc", "1a2b3", "7f3", "12345678c1"] {
            assert!(!is_place(no), "{no}");
        }
    }
}
