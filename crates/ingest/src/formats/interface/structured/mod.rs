//! Interfaces in documents of devices and of those who poll them, JSON and XML alike: a schema tells an interface's element
//! by what is in it, wherever it stands, and its leaves by their names.

mod entry;
mod gnmic;
mod info;
mod junos_apart;
mod netconf;
mod schema;
mod schemas;
mod tree;
mod value;
mod vendor_words;
mod words;
mod yaml;

use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::json_kind::JsonKind;
use crate::prompt::{CommandLine, command_line};
use crate::text::split;
use crate::xml_kind::{Element, XmlKind};
use crate::{Context, when};
use entry::Entry;
use evidence::{Node, Payload};
pub(crate) use gnmic::KIND as GNMIC;
use schema::Schema;
use schemas::SCHEMAS;
use std::sync::LazyLock;
use tree::{Names, Tree};

pub(crate) static JSON: JsonKind = JsonKind {
    name: "interfaces as JSON",
    reads: "Arista EOS, NX-OS, Junos, IOS XE and OpenConfig (RESTCONF, gNMI), SR Linux, FRR, Cumulus, RouterOS, NAPALM, \
            pyATS, ntc-templates, Ansible, LibreNMS, telegraf: counters, states, optics",
    group: Group::Interfaces,
    is: |value| find(Tree::Json(value)),
    read: |value, lines, context, findings| read(Tree::Json(value), lines, None, context, findings),
};

pub(crate) static XML: XmlKind = XmlKind {
    name: "interfaces as XML",
    reads: "Junos (`| display xml`), NX-OS (`| xml`), NETCONF (IOS XE, IOS XR, OpenConfig), PAN-OS: counters, states",
    group: Group::Interfaces,
    roots: &[
        "rpc-reply",
        "interface-information",
        "interfaces",
        "data",
        "response",
    ],
    asked_by,
    is: |element| find(Tree::Xml(element)),
    read: read_xml,
};

/// Documents that are written as text whose lines are parts of each other.
pub(crate) static TREES: Format = Format {
    name: "interfaces as trees of lines",
    group: Group::Interfaces,
    reads: "SR Linux `info from state interface PORT`; YAML of Ansible's facts, of NAPALM, Genie, TTP, ntc-templates: counters, states",
    first: "a-z-",
    has_command: false,
    marks: Some(|| Marks::of(["interface "]).and(yaml::MARKS).or(yaml::is_item)),
    starts: |line| info::interface(line).is_some() || yaml::starts(line),
    continues: |block, line| match is_yaml(block) {
        true => yaml::continues(block, line),
        false => info::continues(block, line),
    },
    takes_in: None,
    read: |block, context, findings| match is_yaml(block) {
        true => yaml::read(block, context, findings),
        false => info::read(block, context, findings),
    },
};

fn is_yaml(block: &Block) -> bool {
    block.first().is_some_and(yaml::starts)
}

/// A command that asks for a document of this kind.
fn asked_by(command: &CommandLine<'_>) -> bool {
    asks_for(command.command, "xml")
}

/// `show interfaces | json`, `show interfaces | display json | no-more`.
fn asks_for(command: &str, form: &str) -> bool {
    let mut parts = command.split('|');
    let shows = parts.next().unwrap_or_default().trim_ascii_start();
    let shows = ["sh ", "sho", "show ", "run show ", "vtysh", "info "]
        .iter()
        .any(|verb| shows.starts_with(verb));
    let in_form = |part: &str| {
        let part = part.trim_ascii();
        let part = ["display ", "as "]
            .iter()
            .find_map(|verb| part.strip_prefix(verb))
            .unwrap_or(part);
        part.split(' ')
            .next()
            .is_some_and(|word| word == form || word.strip_suffix("-pretty") == Some(form))
    };
    shows && (parts.any(in_form) || command.split(' ').next_back() == Some(form))
}

/// The command, if a line is one that asks for JSON.
pub(crate) fn asking_json(line: &str) -> Option<CommandLine<'_>> {
    command_line(line).filter(|typed| asks_for(typed.command, "json"))
}

/// Elements of interfaces stand no deeper below the root.
const DEEPEST: usize = 16;

fn has(tree: Tree<'_>, names: Names, paths: &str) -> bool {
    split(paths, b'|').any(|path| {
        let mut parts = split(path, b'/');
        let first = parts.next().filter(|name| names.may_hold(name));
        first
            .and_then(|name| tree.first(name))
            .and_then(|tree| parts.try_fold(tree, |tree, name| tree.first(name)))
            .is_some()
    })
}

/// The schemas, and what the names of their elements look like that are all there.
static KNOWN: LazyLock<Vec<(&'static Schema, Vec<Names>)>> = LazyLock::new(|| {
    let looks = |schema: &Schema| schema.has.iter().map(|paths| Names::of_paths(paths)).collect();
    SCHEMAS.iter().map(|schema| (schema, looks(schema))).collect()
});

/// The schema of an interface's element.
fn schema_of(tree: Tree<'_>) -> Option<&'static Schema> {
    if tree.is_leaf() {
        return None;
    }
    let names = tree.names();
    let likely = KNOWN
        .iter()
        .filter(|(_, looks)| looks.iter().all(|look| names.may_share(*look)));
    let mut likely = likely.map(|(schema, _)| *schema);
    likely.find(|schema| schema.has.iter().all(|paths| has(tree, names, paths)))
}

/// Whether an interface is in it.
fn find(tree: Tree<'_>) -> bool {
    fn below(tree: Tree<'_>, depth: usize) -> bool {
        if schema_of(tree).is_some() {
            return true;
        }
        let mut found = false;
        if depth < DEEPEST {
            tree.each(&mut |_, child| found = found || !child.is_leaf() && below(child, depth + 1));
        }
        found
    }
    below(tree, 0)
}

fn read_xml(
    element: &Element<'_>,
    command: Option<CommandLine<'_>>,
    context: &Context,
    findings: &mut Findings,
) {
    let device = command.and_then(|command| command.device());
    complain_of_mixed(element, findings);
    read(Tree::Xml(element), element.lines, device, context, findings);
}

/// Text beside elements, or of several lines in one, is none of a device's.
fn complain_of_mixed(element: &Element<'_>, findings: &mut Findings) {
    let is_mixed = !element.children.is_empty() || element.text.trim_ascii().contains('\n');
    if is_mixed && element.text.bytes().any(|byte| byte.is_ascii_digit()) {
        findings.complain_of(
            element.lines,
            format!("text beside elements: {}", element.text.trim_ascii()),
        );
    }
    for child in &element.children {
        complain_of_mixed(child, findings);
    }
}

fn read(tree: Tree<'_>, lines: (u64, u64), device: Option<&str>, context: &Context, findings: &mut Findings) {
    let device = context.from_or(device.map(Node::named).unwrap_or_default());
    walk(tree, "", 0, &mut |schema, key, tree| {
        take(schema, key, tree, lines, &device, context, findings);
    });
}

/// Visits every interface's element, with the name that it stands under.
fn walk<'t>(
    tree: Tree<'t>,
    key: &'t str,
    depth: usize,
    visit: &mut dyn FnMut(&'static Schema, &'t str, Tree<'t>),
) {
    let schema = schema_of(tree);
    if let Some(schema) = schema {
        visit(schema, key, tree);
    }
    if depth < DEEPEST {
        tree.each(&mut |name, child| {
            // In an interface only those upon it are interfaces of their own.
            let may_be = schema.is_none_or(|schema| schema.upon.contains(&tree::local(name)));
            if may_be && !child.is_leaf() {
                walk(child, name, depth + 1, visit);
            }
        });
    }
}

fn take(
    schema: &'static Schema,
    key: &str,
    tree: Tree<'_>,
    lines: (u64, u64),
    device: &Node,
    context: &Context,
    findings: &mut Findings,
) {
    let named = schema.names.iter().find_map(|path| {
        let name = tree.at(path)?.leaf()?;
        (!name.is_empty() && !name.contains('\n')).then(|| name.into_owned())
    });
    let name = if schema.names.is_empty() {
        is_name(key).then(|| key.to_owned())
    } else {
        named
    };
    let at = tree.lines().unwrap_or(lines);
    let Some(name) = name else {
        return findings.complain_of(at, "an interface without a name: none of it is used");
    };
    let told = (!schema.at.is_empty())
        .then(|| tree.at(schema.at)?.leaf()?.parse().ok())
        .flatten();
    // Another unit than seconds would be a time that is far off.
    let told = told
        .filter(|seconds: &f64| (0.0..1e11).contains(seconds))
        .and_then(when::epoch);
    if let Some(entry) = Entry::read(schema, &name, tree, lines, findings) {
        let lines = entry.lines();
        let mut interface = entry.interface;
        if interface.device.is_unknown() {
            interface.device = device.clone();
        }
        let payload = Payload::InterfaceCounters(interface);
        findings.record_of(lines, schema.tool, told.or(context.at), payload);
    }
}

/// Whether a key names an interface: with a figure, or short. Without the line of its name an interface stands in the place
/// of all of them.
fn is_name(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit()) || (1..=6).contains(&key.len())
}

/// Whether a document of JSON holds an interface of a device.
#[cfg(test)]
fn tool_of(value: &serde_json::Value) -> Option<&'static str> {
    schema_of(Tree::Json(value)).map(|schema| schema.tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_and_commands() {
        let value = serde_json::json!({"name": "eth0", "state": {"counters": {"in-octets": "5"}}});
        assert_eq!(tool_of(&value), Some("interfaces (OpenConfig)"));
        assert!(asking_json("sw1#show interfaces | json").is_some());
        assert!(asking_json("u@r> show interfaces extensive | display json | no-more").is_some());
        assert!(asking_json("sw1#show interfaces").is_none());
    }

    /// The interfaces of a document, with their bytes received.
    fn interfaces(text: &str) -> Vec<(String, Option<u64>)> {
        let (records, _) = crate::import(text.as_bytes(), &Context::default());
        let mut interfaces = Vec::new();
        for record in records {
            if let Payload::InterfaceCounters(read) = record.payload {
                let bytes = read.counters.get(&evidence::CounterKind::InputBytes).copied();
                interfaces.push((read.interface, bytes));
            }
        }
        interfaces
    }

    #[test]
    fn figures_stay_with_their_interface() {
        let counters = r#""inOctets": 5, "outOctets": 6, "inUcastPkts": 7"#;
        for (text, expected) in [
            (
                format!(r#"{{"interfaces": {{"Et1": {{{counters}}}}}}}"#),
                vec![("Et1".to_owned(), Some(5))],
            ),
            // The line of the name is lost.
            (format!(r#"{{"interfaces": {{{counters}}}}}"#), vec![]),
            // The line that ends the first is lost, and what begins the second is in it.
            (
                format!(
                    r#"{{"Et1": {{"outOctets": 1, "inUcastPkts": 2, "inOctets": 3, "Et2": {{{counters}}}}}}}"#
                ),
                vec![("Et1".to_owned(), Some(3))],
            ),
            (
                r#"{"name": "a", "state": {"counters": {"in-octets": "x5"}}}"#.to_owned(),
                vec![],
            ),
        ] {
            assert_eq!(interfaces(&text), expected, "{text}");
        }
    }
}
