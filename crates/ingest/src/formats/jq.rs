//! What `jq` leaves of a JSON document: `iperf3 -c dtn1 -J | jq .end.sum_sent`. Its filter tells where in the document that stood, so that it
//! is read as the document with nothing else in it.

use crate::prompt::command_line;
use serde_json::{Map, Value};

/// Where in the document stood what `jq` printed, by the command above: `.end.sum_sent`. `None` for any other command, and for a filter that
/// does more than to choose.
pub(super) fn path(line: &str) -> Option<Vec<&str>> {
    let command = command_line(line).map_or(line, |typed| typed.command);
    let (_, filter) = command.rsplit_once("| jq ")?;
    let mut words = filter
        .split_ascii_whitespace()
        .filter(|word| !matches!(*word, "-r" | "-c" | "-C" | "-M" | "-S"));
    let filter = words.next()?.trim_matches(['\'', '"']);
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let names: Vec<&str> = match filter.strip_prefix('.')? {
        "" => Vec::new(),
        names => names.split('.').collect(),
    };
    (words.next().is_none() && names.iter().all(|name| is_name(name))).then_some(names)
}

/// A document that holds this value at its place, and nothing else.
pub(super) fn whole(value: Value, path: &[&str]) -> Value {
    path.iter().rev().fold(value, |value, name| {
        Value::Object(Map::from_iter([((*name).to_owned(), value)]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_chooses_tells_the_place() {
        for (line, names) in [
            (
                "$ iperf3 -c dtn1 -J | jq .end.sum_sent",
                Some(vec!["end", "sum_sent"]),
            ),
            ("[a@b ~]# iperf3 -c dtn1 -J | jq -r '.end'", Some(vec!["end"])),
            ("$ iperf3 -c dtn1 -J | jq .", Some(vec![])),
            ("$ iperf3 -c dtn1 -J | jq '.end.sum_sent | {bytes}'", None),
            ("$ iperf3 -c dtn1 -J | jq '.intervals[0].sum'", None),
            ("$ iperf3 -c dtn1 -J", None),
        ] {
            assert_eq!(path(line), names, "{line}");
        }
        let document = whole(Value::from(1), &["end", "sum"]);
        assert_eq!(document, serde_json::json!({"end": {"sum": 1}}));
    }
}
