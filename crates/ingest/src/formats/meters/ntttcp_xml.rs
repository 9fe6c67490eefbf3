//! NTttcp's documents (`-xml` on Windows, `-x` on Linux): https://github.com/microsoft/ntttcp, https://github.com/microsoft/ntttcp-for-linux.
//!
//! The root tells which end wrote it. What a thread did stands in elements of its own; the totals stand below the root. A MB is 2^20 bytes
//! on Windows and 10^6 on Linux, the rate in `mbps` is of 10^6 bits on both.

use crate::Context;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::host;
use crate::prompt::CommandLine;
use crate::units::ns_of_seconds;
use crate::xml_kind::{Element, XmlKind};
use evidence::{Node, RateBps, Transfer, Transport};

const SENDER: &str = "ntttcps";
const RECEIVER: &str = "ntttcpr";

pub(crate) static KIND: XmlKind = XmlKind {
    name: "NTttcp -xml",
    reads: "the totals of the sender or of the receiver",
    group: Group::Transfers,
    roots: &[SENDER, RECEIVER],
    asked_by,
    is: |element| matches!(element.name, SENDER | RECEIVER),
    read,
};

fn asked_by(command: &CommandLine<'_>) -> bool {
    let run = Run::of(command.command, &["ntttcp", "NTttcp"]);
    run.is_some_and(|run| run.words().any(|word| matches!(word, "-xml" | "-x")))
}

/// The only total in this unit.
fn total(root: &Element<'_>, name: &str, metric: &str) -> Option<f64> {
    let mut all = root
        .all(name)
        .filter(|element| element.attribute("metric") == Some(metric));
    let (first, None) = (all.next()?, all.next()) else {
        return None;
    };
    let number: f64 = first.text.trim_ascii().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

fn read(root: &Element<'_>, _: Option<CommandLine<'_>>, context: &Context, findings: &mut Findings) {
    let sends = root.name == SENDER;
    let Some(rate) = total(root, "throughput", "mbps").map(|mbps| RateBps(mbps * 1e6)) else {
        return findings.complain_of(root.lines, "NTttcp's document has no total of its throughput");
    };
    let own = root.attribute("computername").map(host).unwrap_or_default();
    let (from, to) = if sends {
        (own, Node::default())
    } else {
        (Node::default(), own)
    };
    let protocol = match root.text_at("parameters/udp") {
        Some("True") => Some(Transport::Udp),
        Some("False") => Some(Transport::Tcp),
        _ => None,
    };
    let is_tcp = protocol == Some(Transport::Tcp);
    let record = Transfer {
        from: context.from_or(from),
        to: context.to_or(to),
        protocol,
        streams: root.text_at("conns_tested").and_then(|count| count.parse().ok()),
        duration_ns: total(root, "realtime", "s")
            .and_then(ns_of_seconds)
            .filter(|ns| *ns > 0),
        sent_bps: Some(rate).filter(|_| sends),
        received_bps: Some(rate).filter(|_| !sends),
        retransmits: root.u64_at("packets_retransmitted").filter(|_| sends && is_tcp),
        ..Transfer::default()
    };
    findings.record_of(root.lines, "NTttcp", context.at, record.into());
}
