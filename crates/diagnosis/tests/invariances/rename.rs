//! Other names and addresses, consistently: who is whose neighbour, in whose domain, and named like whom stays.
//!
//! A name's letters are exchanged one by one (rot13), which keeps its labels, its numbers, and what two names have in common.
//! Of an address the middle bits are turned, which keeps all that two addresses share or differ in: a /30 stays one.

use evidence::{Case, Location, Observation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const TURNED_V4: u32 = 0x0019_2f00;
const TURNED_V6: u128 = 0x0000_0000_1a2b_0000_0000_0000_0000_0000;
/// In prose no shorter name is looked for.
const SHORTEST_IN_PROSE: usize = 3;

/// What is renamed in a case.
pub(crate) struct Renaming {
    /// All names, the longest first.
    names: Vec<String>,
}

impl Renaming {
    pub(crate) fn of(case: &Case) -> Self {
        let mut names = Vec::new();
        collect(&to_value(&case.complaint), &mut names);
        for observation in case.observations() {
            collect(&to_value(observation), &mut names);
        }
        names.retain(|name| name.len() >= SHORTEST_IN_PROSE && name.parse::<IpAddr>().is_err());
        names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        names.dedup();
        Self { names }
    }

    pub(crate) fn case(&self, case: &Case) -> Case {
        let mut renamed = Case::new(self.of_value(&case.complaint));
        renamed.journal = case.journal.iter().map(|entry| self.of_value(entry)).collect();
        for observation in case.observations() {
            let provenance = self.of_value(&observation.provenance);
            renamed.add(Observation::new(provenance, self.of_value(&observation.payload)));
        }
        renamed
    }

    pub(crate) fn place(&self, place: &Location) -> Location {
        match place {
            // Where a chain of counters ends, its last point is told in words of ours.
            Location::Segment { before, after } => Location::Segment {
                before: point(before),
                after: point(after),
            },
            other => self.of_value(other),
        }
    }

    fn of_value<T: Serialize + DeserializeOwned>(&self, what: &T) -> T {
        let mut value = to_value(what);
        self.walk(&mut value);
        serde_json::from_value(value).unwrap()
    }

    fn walk(&self, value: &mut Value) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|one| self.walk(one)),
            Value::Object(fields) => {
                let names_a_node = is_node(fields);
                for (key, field) in fields.iter_mut() {
                    let told = match (key.as_str(), &*field) {
                        ("name", Value::String(text)) if names_a_node => Some(name(text)),
                        (key, Value::String(text)) if is_name(key) => Some(name(text)),
                        (key, Value::String(text)) if is_prose(key) => Some(self.prose(text)),
                        _ => None,
                    };
                    match told {
                        Some(text) => *field = Value::String(text),
                        None if key == "remarks" => self.remarks(field),
                        None => self.walk(field),
                    }
                }
            }
            _ => {}
        }
    }

    fn remarks(&self, value: &mut Value) {
        for remark in value.as_array_mut().into_iter().flatten() {
            *remark = Value::String(self.prose(remark.as_str().unwrap_or_default()));
        }
    }

    /// Names within a sentence.
    fn prose(&self, text: &str) -> String {
        let mut told = String::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let starts_word = !told.ends_with(|c: char| c.is_alphanumeric());
            let is_here = |name: &&String| {
                let behind = rest.strip_prefix(name.as_str());
                behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric()))
            };
            let here = self.names.iter().find(is_here).filter(|_| starts_word);
            let length = here.map_or(next.len_utf8(), String::len);
            let (piece, behind) = rest.split_at(length);
            told += &here.map_or_else(|| piece.to_owned(), |known| name(known));
            rest = behind;
        }
        told
    }
}

fn to_value(what: &impl Serialize) -> Value {
    serde_json::to_value(what).unwrap()
}

/// A node, a party, a hop, or another host: nothing else has no other fields.
fn is_node(fields: &Map<String, Value>) -> bool {
    let of_node = |key: &String| matches!(key.as_str(), "name" | "address" | "ttl" | "kind");
    fields.contains_key("name") && fields.keys().all(of_node)
}

/// Fields that name a place and nothing else.
fn is_name(key: &str) -> bool {
    matches!(
        key,
        "address" | "local" | "peer" | "network" | "description" | "hostname" | "device" | "before" | "after"
    )
}

/// Fields in which names stand among other words.
fn is_prose(key: &str) -> bool {
    matches!(key, "text" | "note" | "label" | "subject" | "detail" | "what")
}

fn collect(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| collect(one, names)),
        Value::Object(fields) => {
            for (key, field) in fields {
                match field {
                    Value::String(text) if key == "name" && is_node(fields) => names.push(text.clone()),
                    Value::String(text) if matches!(key.as_str(), "network" | "hostname") => {
                        names.push(text.clone())
                    }
                    field => collect(field, names),
                }
            }
        }
        _ => {}
    }
}

fn point(text: &str) -> String {
    match text {
        "the sender" | "the receiver" => text.to_owned(),
        counter => name(counter),
    }
}

/// A name with its letters exchanged; addresses in it are turned.
fn name(text: &str) -> String {
    if let Ok(address) = text.parse() {
        return turned(address).to_string();
    }
    if let Ok(socket) = text.parse::<SocketAddr>() {
        return SocketAddr::new(turned(socket.ip()), socket.port()).to_string();
    }
    let mut told = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let digits = rest
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(rest.len());
        let run = rest.get(..digits).unwrap_or("").trim_end_matches('.');
        match run.parse::<Ipv4Addr>() {
            Ok(address) => {
                told += &turned(IpAddr::V4(address)).to_string();
                rest = &rest[run.len()..];
            }
            Err(_) => {
                told.push(exchanged(next));
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    told
}

fn exchanged(letter: char) -> char {
    let turn = |base: u8| char::from((letter as u8 - base + 13) % 26 + base);
    match letter {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

fn turned(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => IpAddr::V4(Ipv4Addr::from(u32::from(address) ^ TURNED_V4)),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from(u128::from(address) ^ TURNED_V6)),
    }
}
