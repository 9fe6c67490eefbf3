//! `mtr -x`.

use super::run::{Hop, Run, asn};
use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::host;
use crate::prompt::CommandLine;
use crate::xml_kind::{Element, XmlKind};

pub(crate) static KIND: XmlKind = XmlKind {
    name: "mtr --xml",
    reads: "the report",
    group: Group::Paths,
    roots: &["MTR"],
    asked_by,
    is: |element| element.name == "MTR",
    read,
};

fn asked_by(command: &CommandLine<'_>) -> bool {
    let is_asked = |word: &str| match word.strip_prefix("--") {
        Some(long) => long == "xml",
        None => word.starts_with('-') && word.contains('x'),
    };
    crate::command::Run::of(command.command, &["mtr"]).is_some_and(|run| run.words().any(is_asked))
}

fn read(root: &Element<'_>, _: Option<CommandLine<'_>>, context: &Context, findings: &mut Findings) {
    let text = |name| root.attribute(name).unwrap_or("");
    let run = Run {
        from: host(text("SRC")),
        to: host(text("DST")),
        // A random size is printed as `rand(28-1500)`.
        size_bytes: text("PSIZE").parse().ok(),
        hops: root.all("HUB").filter_map(hop).collect(),
        ..Run::default()
    };
    run.into_findings(root.lines, context, findings);
}

fn hop(hub: &Element<'_>) -> Option<Hop> {
    let mut hop = Hop {
        ttl: hub
            .attribute("COUNT")?
            .trim_ascii()
            .parse()
            .ok()
            .filter(|ttl| *ttl > 0)?,
        ..Hop::default()
    };
    for child in &hub.children {
        // Old versions write `<Loss%>`.
        let column = if child.name == "Loss" { "Loss%" } else { child.name };
        hop.figure(column, child.text.trim_ascii());
    }
    let system = hub.attribute("ASN").or_else(|| hub.text_at("ASN")).and_then(asn);
    if let Some(host) = hub.attribute("HOST") {
        hop.node(host, system);
    }
    Some(hop)
}
