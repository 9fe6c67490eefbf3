//! What the fields of a case's JSON hold, as far as it matters for what may be replaced in them.

use serde_json::Value;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// A word of the format itself (`throughput`, `from`): never replaced.
    Code,
    /// The name or address of a host, place, network or person.
    Name,
    /// A word of some program (`cubic`, `eth0`).
    Machine,
    /// Anything that people or tools wrote.
    Prose,
}

/// Fields that hold a word of the format.
const CODES: [&str; 14] = [
    "type",
    "way",
    "metric",
    "quantity",
    "protocol",
    "kind",
    "mode",
    "context",
    "reason",
    "stop",
    "direction",
    "local_end",
    "round",
    "schema",
];
/// Fields that hold a name.
const NAMES: [&str; 7] = ["name", "hostname", "place", "network", "who", "said_by", "names"];
/// Fields that hold a program's words, with all that is below them.
const MACHINES: [&str; 13] = [
    "interface",
    "sysctls",
    "counters",
    "other",
    "kernel",
    "cpu",
    "congestion_control",
    "available_congestion_controls",
    "tool",
    "mark",
    "duplex",
    "state",
    "application",
];

/// What the field `name` with this `value` holds, inside of something that holds `around`.
pub(super) fn of_field(name: &str, value: &Value, around: Field) -> Field {
    let text = value.as_str();
    // An end of the complaint, as `Ask` and `Vantage` write it; a host of that name would be an object.
    if matches!(name, "from" | "at" | "to") && matches!(text, Some("from" | "to")) {
        return Field::Code;
    }
    if around == Field::Machine {
        return Field::Machine;
    }
    match name {
        // The kind of an ask; a `NotMeasured` has the whole ask under this name.
        "ask" if value.is_string() => Field::Code,
        _ if CODES.contains(&name) => Field::Code,
        _ if NAMES.contains(&name) => Field::Name,
        // Host names by address.
        _ if around == Field::Name && text.is_some() => Field::Name,
        _ if MACHINES.contains(&name) => Field::Machine,
        _ => Field::Prose,
    }
}
