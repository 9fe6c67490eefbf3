//! ip, ethtool, nstat.

use crate::network::{RECEIVER, SENDER, are_installed, imported, node, own, printed, up};
use evidence::{Ask, HostFacts, Interface, InterfaceCounters, Payload};
use lab::Lab;
use std::collections::BTreeMap;

/// A network over which something went, and is quiet now.
fn used() -> Lab {
    let lab = up("both = { delay = '5 ms' }\na_to_b = { loss = { every = 10 } }");
    let probes = Ask::HopLoss {
        from: node(SENDER),
        to: node(RECEIVER),
        ttls: vec![4],
        count: 50,
        rate_pps: 500,
    };
    own(&lab, &probes);
    lab
}

fn own_facts(lab: &Lab) -> HostFacts {
    match own(lab, &Ask::HostFacts { at: node(SENDER) }) {
        Payload::HostFacts(facts) => facts,
        other => panic!("facts were expected: {other:?}"),
    }
}

fn own_interface(lab: &Lab) -> Interface {
    own_facts(lab).interface.unwrap()
}

fn counters(mut records: Vec<Payload>) -> InterfaceCounters {
    match (records.pop(), records.pop()) {
        (Some(Payload::InterfaceCounters(counters)), None) => counters,
        other => panic!("counters of one interface were expected: {other:?}"),
    }
}

pub(crate) fn interfaces_have_the_same_counters() {
    use evidence::CounterKind::{
        InputBytes, InputErrors, InputPackets, OutputBytes, OutputErrors, OutputPackets,
    };
    let lab = used();
    let ours = own_interface(&lab);
    for (program, command) in [
        ("ip", "ip -s link show NAME"),
        ("ip", "ip -s -s link show NAME"),
        ("ip", "ip -j -s link show NAME"),
    ] {
        if !are_installed(&[program]) {
            continue;
        }
        let command = command.replace("NAME", &ours.name);
        let theirs = counters(imported(&lab, SENDER, &command));
        assert_eq!(
            theirs.interface.split('@').next(),
            Some(ours.name.as_str()),
            "{command}"
        );
        assert_eq!(theirs.mtu_bytes, ours.mtu_bytes, "{command}");
        for (kind, name) in [
            (InputPackets, "rx_packets"),
            (InputBytes, "rx_bytes"),
            (InputErrors, "rx_errors"),
            (OutputPackets, "tx_packets"),
            (OutputBytes, "tx_bytes"),
            (OutputErrors, "tx_errors"),
        ] {
            assert_eq!(
                theirs.counters.get(&kind),
                ours.counters.get(name),
                "{command}: {name}, {theirs:?}"
            );
        }
        assert!(theirs.counters[&OutputPackets] >= 50);
    }
}

/// What both tell has to agree; returns how much that is.
#[track_caller]
fn agree<V: PartialEq + std::fmt::Debug>(theirs: &BTreeMap<String, V>, ours: &BTreeMap<String, V>) -> usize {
    let both: Vec<_> = theirs
        .iter()
        .filter_map(|(name, value)| Some((name, value, ours.get(name)?)))
        .collect();
    for (name, theirs, ours) in &both {
        assert_eq!(theirs, ours, "{name}");
    }
    both.len()
}

pub(crate) fn protocols_have_the_same_counters() {
    if !are_installed(&["nstat"]) {
        return;
    }
    let lab = used();
    let ours = own_facts(&lab);
    for command in ["nstat -az", "nstat -asz"] {
        match imported(&lab, SENDER, command).as_slice() {
            [Payload::HostFacts(theirs)] => {
                assert!(agree(&theirs.counters, &ours.counters) > 50, "{theirs:?}");
                assert!(theirs.counters["Icmp.InMsgs"] >= 45, "{theirs:?}");
            }
            other => panic!("facts were expected: {other:?}"),
        }
    }
}

pub(crate) fn the_card_has_the_same_settings() {
    if !are_installed(&["ethtool"]) {
        return;
    }
    let lab = used();
    let ours = own_interface(&lab);
    let theirs = |options: &str| -> Interface {
        let records = imported(&lab, SENDER, &format!("ethtool {options} {}", ours.name));
        let interface = records.into_iter().find_map(|record| match record {
            Payload::HostFacts(facts) => facts.interface,
            _ => None,
        });
        interface.unwrap_or_else(|| {
            panic!(
                "{}",
                printed(&lab, SENDER, &format!("ethtool {options} {}", ours.name))
            )
        })
    };
    assert_eq!(theirs("-i").driver, ours.driver);
    assert!(ours.driver.is_some());
    assert!(agree(&theirs("-k").offloads, &ours.offloads) > 20);
}
