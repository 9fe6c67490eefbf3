//! What `gnmic get` and `gnmic subscribe` print of interfaces: updates, each with a path that names the interface, and what stands below it;
//! with `--format event` a message of leaves by their paths, and the interface among its tags. Put together again they are the document
//! that the device has.
//! <https://gnmic.openconfig.net/user_guide/event_processors/intro/>

use super::read;
use super::tree::Tree;
use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::json_kind::{JsonKind, text_at, u64_at, value_at};
use evidence::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "gnmic",
    reads: "`gnmic get` and `subscribe`, as JSON or as events: counters and states of interfaces by their paths",
    group: Group::Interfaces,
    is: |value| interfaces(value).next().is_some(),
    read: read_updates,
};

/// The keys of paths, and the tags of events, that name an interface.
const KEYS: [&str; 3] = ["name", "interface-name", "port-id"];
const TAGS: [&str; 3] = ["interface_name", "interface-name", "name"];

/// The elements of a path: `interfaces/interface[name=Ethernet1/1]/state`. A key may hold a stroke.
fn elements(path: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = path.split(|sign: char| {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == '/' && depth == 0
    });
    let parts = parts.map(|part| {
        part.rsplit_once(':')
            .map_or(part, |(prefix, name)| unprefixed(part, prefix, name))
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// `srl_nokia-interfaces:interface` is an interface; the colon of a key, `[name=Ethernet1:2]`, is none of a prefix.
fn unprefixed<'p>(part: &'p str, prefix: &str, name: &'p str) -> &'p str {
    if prefix.contains('[') { part } else { name }
}

/// What an element is, and the value of the key that names it.
fn keyed(element: &str) -> (&str, Option<&str>) {
    let Some((name, keys)) = element.split_once('[') else {
        return (element, None);
    };
    let mut keys = keys.trim_end_matches(']').split("][");
    let key = keys.find_map(|key| key.split_once('=').filter(|(key, _)| KEYS.contains(key)));
    (name, key.map(|(_, value)| value))
}

/// The interface that a path names, and the elements below it.
fn below(path: &str) -> Option<(&str, Vec<&str>)> {
    let elements = elements(path);
    let place = elements
        .iter()
        .position(|element| matches!(keyed(element).0, "interface" | "port"))?;
    let (_, name) = keyed(elements.get(place)?);
    let rest = elements.get(place + 1..)?.iter().map(|element| keyed(element).0);
    Some((name.unwrap_or_default(), rest.collect()))
}

/// Every update of a document: which interface it is of, where below it, and what.
fn interfaces(value: &Value) -> impl Iterator<Item = (&str, Vec<&str>, &Value)> {
    let updates = value_at(value, "/updates").and_then(Value::as_array);
    let updates = updates.into_iter().flatten().filter_map(|update| {
        let (name, path) = below(text_at(update, "/Path")?)?;
        let values = value_at(update, "/values")?.as_object()?;
        // Below a whole interface its own document stands, which says its name itself.
        let one = values.values().next().filter(|_| values.len() == 1)?;
        (!name.is_empty() && !path.is_empty()).then_some((name, path, one))
    });
    let tag = TAGS
        .iter()
        .find_map(|tag| value_at(value, "/tags")?.get(*tag)?.as_str());
    let values = value_at(value, "/values").and_then(Value::as_object);
    let leaves = values.into_iter().flatten().filter_map(move |(path, leaf)| {
        let (_, path) = below(path)?;
        (!path.is_empty()).then_some((tag?, path, leaf))
    });
    updates.chain(leaves)
}

/// Puts a value where its path leads.
fn put(into: &mut Map<String, Value>, path: &[&str], value: &Value) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let mut at = into;
    for name in above {
        let next = at.entry(*name).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(next) = next else {
            return;
        };
        at = next;
    }
    match (at.get_mut(*last), value) {
        (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
        _ => {
            at.insert((*last).to_owned(), value.clone());
        }
    }
}

fn read_updates(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let mut documents: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for (name, path, update) in interfaces(value) {
        put(documents.entry(name).or_default(), &path, update);
    }
    let source = text_at(value, "/source").or_else(|| text_at(value, "/tags/source"));
    // `192.0.2.1:57400`, `[2001:db8::1]:57400`
    let device = source.map(|source| source.rsplit_once(':').map_or(source, |(host, _)| host));
    let device = device.map(|device| device.trim_matches(['[', ']']));
    let told = u64_at(value, "/timestamp").and_then(|ns| i64::try_from(ns).ok());
    let context = &Context {
        at: told.map(Timestamp).or(context.at),
        ..context.clone()
    };
    for (name, mut document) in documents {
        document.insert("name".to_owned(), json!(name));
        let before = findings.is_empty();
        read(
            Tree::Json(&Value::Object(document)),
            lines,
            device,
            context,
            findings,
        );
        if before && findings.is_empty() {
            findings.nothing_to_say();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_interfaces() {
        let path = "openconfig-interfaces:interfaces/interface[name=Ethernet1/1]/state/counters";
        assert_eq!(below(path), Some(("Ethernet1/1", vec!["state", "counters"])));
        assert_eq!(
            below("/srl_nokia-interfaces:interface/statistics/in-octets").map(|(_, path)| path.len()),
            Some(2)
        );
        assert_eq!(below("system/name"), None);
    }
}
