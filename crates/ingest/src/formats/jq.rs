//! What `jq` leaves of a JSON document: `iperf3 -c dtn1 -J | jq .end.sum_sent`. Its filter tells where in the document that stood, so that it
//! is read as the document with nothing else in it. Of several filters with commas between (`jq '.end.sum_sent, .end.sum_received'`) each
//! leaves a value of its own, in their order: together they are of one document.

use crate::prompt::command_line;
use serde_json::{Map, Value};

/// Where in the document stood what `jq` printed, by the command above: `.end.sum_sent`, for each of its filters. `None` for any other
/// command, and for a filter that does more than to choose.
pub(super) fn paths(line: &str) -> Option<Vec<Vec<&str>>> {
    let command = command_line(line).map_or(line, |typed| typed.command);
    let (_, filter) = command.rsplit_once("| jq ")?;
    let mut filter = filter.trim_ascii();
    while let Some((option, rest)) = filter.split_once(' ')
        && matches!(option, "-r" | "-c" | "-C" | "-M" | "-S")
    {
        filter = rest.trim_ascii();
    }
    let filter = filter.trim_matches(['\'', '"']);
    filter.split(',').map(|one| path(one.trim_ascii())).collect()
}

/// The names on the way to what one filter chooses.
fn path(filter: &str) -> Option<Vec<&str>> {
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
    names.iter().all(|name| is_name(name)).then_some(names)
}

/// One document that holds what both hold.
pub(super) fn together(one: &mut Value, other: Value) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in other {
                together(one.entry(name).or_insert(Value::Null), value);
            }
        }
        (one, other) => *one = other,
    }
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
            assert_eq!(paths(line), names.map(|names| vec![names]), "{line}");
        }
        assert_eq!(
            paths("$ iperf3 -c dtn1 -J | jq -r '.end.sum_sent, .end.sum_received'"),
            Some(vec![vec!["end", "sum_sent"], vec!["end", "sum_received"]])
        );
        let mut both = serde_json::json!({"end": {"sum": 1}});
        together(&mut both, serde_json::json!({"end": {"other": 2}}));
        assert_eq!(both, serde_json::json!({"end": {"sum": 1, "other": 2}}));
        let document = whole(Value::from(1), &["end", "sum"]);
        assert_eq!(document, serde_json::json!({"end": {"sum": 1}}));
    }
}
