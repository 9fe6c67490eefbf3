//! What counters count and people state, in a line.

use crate::names::Names;
use crate::views::interfaces::{counted, kind_words};
use crate::words::{self, count, plural};
use evidence::{CounterChain, InterfaceCounters, Statement};

pub(super) fn interface(interface: &InterfaceCounters) -> String {
    let mut text = format!("{} of {}: ", interface.interface, interface.device);
    for (place, (kind, value)) in counted(interface).enumerate() {
        let between = if place > 0 { ", " } else { "" };
        [between, &kind_words(kind), " ", &value]
            .iter()
            .for_each(|piece| text.push_str(piece));
    }
    text
}

pub(super) fn chain(chain: &CounterChain, names: &Names) -> String {
    let counted: Vec<u64> = chain
        .points
        .iter()
        .filter_map(|p| p.packets)
        .filter(|n| *n > 0)
        .collect();
    let figures = match (counted.first(), counted.last()) {
        (Some(first), Some(last)) if last > first => {
            format!(
                ": {} at the first, {} at the last, which is more",
                count(*first),
                count(*last)
            )
        }
        (Some(first), Some(last)) => {
            format!(": {} missing at the last", words::lost_of(first - last, *first))
        }
        _ => String::new(),
    };
    let reported = chain.reported_lost.map_or(String::new(), |n| {
        format!("; {} lost, says the receiver", count(n))
    });
    format!(
        "{}: {} from {} to {}{figures}{reported}",
        chain.label,
        plural(chain.points.len() as u64, "point", "points"),
        names.of(&chain.from),
        names.of(&chain.to)
    )
}

pub(super) fn statement(statement: &Statement) -> String {
    let about = statement
        .subject
        .as_deref()
        .map_or_else(String::new, |s| format!("{s}: "));
    format!("{about}{}", statement.text)
}
