//! What counters count and people state, in a line.

use crate::names::Names;
use crate::views::interfaces::{counted, kind_words};
use crate::words::{self, count, plural};
use evidence::{CounterChain, InterfaceCounters, Statement};

pub(super) fn interface(interface: &InterfaceCounters) -> String {
    let counted = counted(interface).map(|(kind, value)| format!("{} {value}", kind_words(kind)));
    let mut said: Vec<String> = counted.collect();
    if said.is_empty() {
        said = uncounted(interface);
    }
    format!(
        "{} of {}: {}",
        match interface.interface.as_str() {
            "" => "unnamed interface",
            name => name,
        },
        interface.device,
        said.join(", ")
    )
}

/// What an interface says of itself that counted nothing, or of which no counter was read.
fn uncounted(interface: &InterfaceCounters) -> Vec<String> {
    let mut said = Vec::new();
    let state = interface.up.map(|up| if up { "up" } else { "down" });
    said.extend(state.map(str::to_owned));
    said.extend(interface.bandwidth_bps.map(|speed| speed.to_string()));
    said.extend(interface.duplex.as_ref().map(|duplex| format!("{duplex} duplex")));
    said.extend(interface.mtu_bytes.map(|mtu| format!("MTU {mtu}")));
    let optics = interface.optics.iter();
    let light = optics.flat_map(|optics| [("received", &optics.received_dbm), ("sent", &optics.sent_dbm)]);
    said.extend(light.filter(|(_, lanes)| !lanes.is_empty()).map(|(way, lanes)| {
        let lanes: Vec<String> = lanes.iter().map(|dbm| format!("{dbm:.1}")).collect();
        format!("light {way} {} dBm", lanes.join(" / "))
    }));
    let kinds = [
        (interface.counters.len(), "counter at 0", "counters at 0"),
        (interface.other.len(), "other counter", "other counters"),
        (interface.settings.len(), "setting", "settings"),
    ];
    let several = kinds.into_iter().filter(|(length, ..)| *length > 0);
    said.extend(several.map(|(length, one, many)| plural(length as u64, one, many)));
    said
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

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{CounterKind, Node, Optics, RateBps};

    #[test]
    fn an_interface_that_counted_nothing_says_what_is_known_of_it() {
        let mut eth0 = InterfaceCounters {
            device: Node::named("dtn1"),
            interface: "eth0".to_owned(),
            up: Some(true),
            bandwidth_bps: Some(RateBps(1e9)),
            duplex: Some("full".to_owned()),
            optics: Some(Optics {
                received_dbm: vec![-8.21, -0.4],
                ..Optics::default()
            }),
            ..InterfaceCounters::default()
        };
        let state = "up, 1 Gbit/s, full duplex, light received -8.2 / -0.4 dBm";
        assert_eq!(interface(&eth0), format!("eth0 of dtn1: {state}"));
        eth0.counters.insert(CounterKind::InputCrc, 0);
        assert_eq!(interface(&eth0), format!("eth0 of dtn1: {state}, 1 counter at 0"));
        eth0.counters.insert(CounterKind::InputErrors, 7);
        assert_eq!(interface(&eth0), "eth0 of dtn1: input errors 7");
    }
}
