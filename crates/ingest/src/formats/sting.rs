//! sting: loss in each direction, measured by the TCP of an unsuspecting server.

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::host;
use crate::one_way::OneWay;
use evidence::Node;

pub(crate) static FORMAT: Format = Format {
    name: "sting",
    group: Group::Transfers,
    reads: "loss forward and back",
    first: "Cs",
    has_command: true,
    marks: Some(|| Marks::of(["Connection setup took ", "src = ", "sting"])),
    starts,
    continues: |_, line| line.trim_ascii().is_empty() || is_line(line),
    takes_in: None,
    read,
};

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'C') => line.starts_with("Connection setup took "),
        Some(b's') if line.starts_with("src = ") => true,
        Some(b'[' | b'$' | b'%' | b'#' | b'a'..=b'z') => {
            Run::of(line, &["sting"]).is_some_and(|run| run.is_prompted)
        }
        _ => false,
    }
}

fn is_line(line: &str) -> bool {
    const OPENINGS: [&str; 7] = [
        "Connection setup took ",
        "src = ",
        "dst = ",
        "dataSent = ",
        "acksSent = ",
        "Forward drop rate = ",
        "Reverse drop rate = ",
    ];
    OPENINGS.iter().any(|opening| line.starts_with(opening))
        || line.ends_with(" packets received by filter")
        || line.ends_with(" packets dropped by kernel")
}

/// `w.x.y.z     :11005 (2919847614)`: the address before the port; the rest is a sequence number.
fn end(text: &str) -> Node {
    let address = text.split_once('(').map_or(text, |(address, _)| address);
    address
        .rsplit_once(':')
        .map_or(Node::default(), |(address, _)| host(address))
}

/// `100, dataReceived = 97`: sent, and lost.
fn counts(text: &str) -> Option<(u64, u64)> {
    let (sent, rest) = text.split_once(',')?;
    let (_, received) = rest.split_once('=')?;
    let sent: u64 = sent.trim_ascii().parse().ok()?;
    Some((sent, sent.checked_sub(received.trim_ascii().parse().ok()?)?))
}

fn ratio(text: &str) -> Option<f64> {
    text.trim_ascii()
        .parse()
        .ok()
        .filter(|ratio| (0.0..=1.0).contains(ratio))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut forward, mut reverse) = (OneWay::default(), OneWay::default());
    let (mut src, mut dst) = (Node::default(), Node::default());
    for line in block.lines() {
        let Some((name, value)) = line.split_once(" = ") else {
            continue;
        };
        match name {
            "src" => src = end(value),
            "dst" => dst = end(value),
            "dataSent" => (forward.sent, forward.lost) = counts(value).unzip(),
            "acksSent" => (reverse.sent, reverse.lost) = counts(value).unzip(),
            "Forward drop rate" => forward.loss_ratio = ratio(value),
            "Reverse drop rate" => reverse.loss_ratio = ratio(value),
            _ => {}
        }
    }
    let (src, dst) = (context.from_or(src), context.to_or(dst));
    for (mut way, from, to) in [(forward, src.clone(), dst.clone()), (reverse, dst, src)] {
        if way.sent.is_some() || way.loss_ratio.is_some() {
            (way.from, way.to) = (from, to);
            findings.record(block, "sting", context.at, way.into_payload());
        }
    }
}
