//! A task of the Globus service as JSON: `globus task show -F json`, and what its API answers. Collections have names of their
//! own, which stand in the place of hosts.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at};
use crate::when;
use evidence::{Node, RateBps, Transfer};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "Globus task",
    reads: "`globus task show -F json`, also lists of tasks: bytes, effective rate, when it was asked for",
    group: Group::Transfers,
    is: |value| is_task(value) || tasks(value).is_some(),
    read: |value, lines, context, findings| match tasks(value) {
        Some(tasks) => tasks.iter().for_each(|task| tell(task, lines, context, findings)),
        None => tell(value, lines, context, findings),
    },
};

fn is_task(value: &Value) -> bool {
    value.get("task_id").is_some() && value.get("effective_bytes_per_second").is_some()
}

/// The tasks of a list of them.
fn tasks(value: &Value) -> Option<&Vec<Value>> {
    let tasks = value.get("DATA")?.as_array()?;
    tasks.first().is_some_and(is_task).then_some(tasks)
}

fn tell(task: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    if text_at(task, "/status") == Some("FAILED") {
        findings.complain_of(lines, "globus itself says: FAILED");
    }
    let bytes = u64_at(task, "/bytes_transferred").filter(|bytes| *bytes > 0);
    let rate = f64_at(task, "/effective_bytes_per_second").filter(|rate| *rate > 0.0);
    // Deletions, and tasks that wait, have moved nothing.
    let (Some(bytes), Some(rate)) = (bytes, rate) else {
        return findings.nothing_to_say();
    };
    let at = text_at(task, "/request_time").and_then(|at| when::iso8601(at, context.utc_offset_s));
    let named = |path: &str| text_at(task, path).map(Node::named).unwrap_or_default();
    let transfer = Transfer {
        from: context.from_or(named("/source_endpoint_display_name")),
        to: context.to_or(named("/destination_endpoint_display_name")),
        application: Some("globus".to_owned()),
        bytes_received: Some(bytes),
        received_bps: Some(RateBps(rate * 8.0)),
        ..Transfer::default()
    };
    findings.record_of(lines, "globus", at.or(context.at), transfer.into());
}
