//! Capacities of links that tools infer from delay over packet size: pathchar and pchar.

mod path;
mod pathchar;
mod pchar;

use crate::block::Block;
use crate::format::{Format, Group, Marks};

pub(crate) static FORMAT: Format = Format {
    name: "pathchar, pchar",
    group: Group::Paths,
    reads: "capacity, latency and round-trip time of each link",
    first: "p",
    has_command: true,
    marks: Some(|| Marks::of(["pathchar", "pchar"])),
    starts: |line| pathchar::starts(line) || pchar::starts(line),
    continues: |block, line| match is_pathchar(block) {
        true => pathchar::continues(block, line),
        false => pchar::continues(block, line),
    },
    takes_in: None,
    read: |block, context, findings| match is_pathchar(block) {
        true => pathchar::read(block, context, findings),
        false => pchar::read(block, context, findings),
    },
};

fn is_pathchar(block: &Block) -> bool {
    block.first().is_some_and(pathchar::starts)
}
