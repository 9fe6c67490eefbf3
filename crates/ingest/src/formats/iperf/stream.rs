//! iperf3's `--json-stream`: an event a line, put together to the document that `--json` prints at once.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use serde_json::{Map, Value};

pub(crate) static FORMAT: Format = Format {
    name: "iperf3 --json-stream",
    group: Group::Transfers,
    reads: "events start, interval and end",
    first: "{",
    has_command: false,
    marks: None,
    starts: |line| line.starts_with("{\"event\""),
    continues,
    takes_in: None,
    read,
};

/// `{"event":"end",…}` is the last line of a test.
fn continues(block: &Block, line: &str) -> bool {
    let ended = block.last().is_some_and(|last| kind(last) == Some("end"));
    line.starts_with("{\"event\"") && !ended && kind(line) != Some("start")
}

/// The event's name, without parsing what it carries.
fn kind(line: &str) -> Option<&str> {
    let value = line
        .strip_prefix("{\"event\"")?
        .trim_ascii_start()
        .strip_prefix(':')?;
    value.trim_ascii_start().strip_prefix('"')?.split('"').next()
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut document = Map::new();
    let mut intervals = Vec::new();
    for (number, line) in block.numbered() {
        let Ok(Value::Object(mut event)) = serde_json::from_str(line) else {
            findings.complain(number, "an event of iperf3 that is no JSON");
            continue;
        };
        let data = event.remove("data").unwrap_or_default();
        match kind(line) {
            Some("interval") => intervals.push(data),
            Some(name) => {
                document.insert(name.to_owned(), data);
            }
            None => {}
        }
    }
    document.insert("intervals".to_owned(), Value::Array(intervals));
    let lines = (block.first_line, block.last_line());
    super::json::read(&Value::Object(document), lines, context, findings);
}
