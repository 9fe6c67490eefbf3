//! `ethtool --json`: what each option prints, by its keys. The documents do not say which option it was.

use super::ethtool::is_absent;
use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::json_kind::{JsonKind, text_at, u64_at};
use evidence::{HostFacts, Interface, InterfaceCounters, Payload, RateBps};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "ethtool --json",
    reads: "offloads, rings, coalescing, pause frames, channels, FEC; speed and duplex (6.10 and later)",
    group: Group::Hosts,
    is: |value| {
        const KEYS: [&str; 10] = [
            "rx-checksumming",
            "tx-checksumming",
            "rx-max",
            "tx-max",
            "adaptive-rx",
            "rx-usecs",
            "autonegotiate",
            "combined-max",
            "link-detected",
            "config",
        ];
        value.get("ifname").is_some()
            && value.get("ifindex").is_none()
            && KEYS.iter().any(|key| value.get(key).is_some())
    },
    read,
};

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let name = text_at(value, "/ifname").unwrap_or("").to_owned();
    if value.get("link-detected").is_some() {
        return read_settings(value, name, lines, context, findings);
    }
    let has = |key: &str| value.get(key).is_some();
    let begins = if has("autonegotiate") {
        "pause."
    } else if has("combined-max") || has("combined") {
        "channels."
    } else if has("rx-max") || has("tx-max") {
        "ring."
    } else if has("config") {
        "fec."
    } else {
        "coalesce."
    };
    let narrow = |key: &str| u64_at(value, key).and_then(|value| u32::try_from(value).ok());
    let mut interface = Interface {
        name,
        ..Interface::default()
    };
    if begins == "ring." {
        interface.rx_ring = narrow("/rx").zip(narrow("/rx-max"));
        interface.tx_ring = narrow("/tx").zip(narrow("/tx-max"));
    }
    for (key, field) in value.as_object().into_iter().flatten() {
        let in_place = begins == "ring." && matches!(key.as_str(), "rx" | "tx" | "rx-max" | "tx-max");
        if let Some(active) = field.get("active").and_then(Value::as_bool) {
            interface.offloads.insert(key.clone(), active);
        } else if key != "ifname" && !in_place {
            keep(&mut interface, &format!("{begins}{key}"), field);
        }
    }
    let facts = HostFacts {
        interface: Some(interface),
        ..HostFacts::default()
    };
    findings.record_of(lines, "ethtool", context.at, Payload::HostFacts(facts));
}

fn keep(interface: &mut Interface, name: &str, field: &Value) {
    let text = match field {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if !is_absent(text) => text.clone(),
        Value::Array(list) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            words.join(" ")
        }
        _ => return,
    };
    interface.other.insert(name.to_owned(), text);
}

fn read_settings(
    value: &Value,
    interface: String,
    lines: (u64, u64),
    context: &Context,
    findings: &mut Findings,
) {
    let mut counters = InterfaceCounters {
        device: context.from.clone(),
        interface,
        // In Mbit/s; the largest 32-bit number stands for "unknown".
        bandwidth_bps: u64_at(value, "/speed")
            .filter(|mbps| (1..u64::from(u32::MAX)).contains(mbps))
            .map(|mbps| RateBps(mbps as f64 * 1e6)),
        duplex: text_at(value, "/duplex")
            .filter(|duplex| matches!(*duplex, "Full" | "Half"))
            .map(str::to_ascii_lowercase),
        up: value.get("link-detected").and_then(Value::as_bool),
        ..InterfaceCounters::default()
    };
    if let Some(on) = value.get("auto-negotiation").and_then(Value::as_bool) {
        let text = if on { "on" } else { "off" };
        counters
            .settings
            .insert("auto-negotiation".to_owned(), text.to_owned());
    }
    if let Some(port) = text_at(value, "/port") {
        counters.settings.insert("port".to_owned(), port.to_owned());
    }
    findings.record_of(lines, "ethtool", context.at, Payload::InterfaceCounters(counters));
}
