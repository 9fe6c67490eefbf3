//! Judges the interface that leads to the other end: MTU, duplex, errors, rings, offloads, queueing. Pure.

use super::judgement::{Judgement, Level};
use super::settings::is_loopback;
use super::thresholds::{ESNET, FRAME_ERROR_RATIO, OFFLOADS};
use evidence::{HostFacts, Interface};

/// All judgements over the interface; empty when it is not known, or is the loopback interface.
pub(super) fn judge(facts: &HostFacts) -> Vec<Judgement> {
    let Some(interface) = facts.interface.as_ref().filter(|_| !is_loopback(facts)) else {
        return Vec::new();
    };
    let judgements = [
        mtu(interface),
        duplex(interface),
        damaged(interface),
        discarded(interface),
        ring(interface, "rx", interface.rx_ring),
        ring(interface, "tx", interface.tx_ring),
        offloads(interface),
        queueing(facts, interface),
    ];
    judgements.into_iter().flatten().collect()
}

fn mtu(interface: &Interface) -> Option<Judgement> {
    let mtu = interface.mtu_bytes?;
    let (level, text) = match mtu {
        0..1280 => (
            Level::Limits,
            "too small for IPv6, and many small packets cost rate",
        ),
        1280..1500 => (
            Level::Note,
            "less than Ethernet's 1500: a tunnel or an overlay network takes its share",
        ),
        1500 => (Level::Good, "passes everywhere"),
        _ => (
            Level::Good,
            "jumbo frames, which every link of the path has to carry, or say that it does not",
        ),
    };
    Some(Judgement {
        topic: "MTU",
        level,
        text: format!("{mtu} bytes: {text}"),
        command: None,
        source: Some("RFC 8200 section 5"),
    })
}

fn duplex(interface: &Interface) -> Option<Judgement> {
    (interface.duplex.as_deref() == Some("half")).then(|| Judgement {
        topic: "duplex",
        level: Level::Limits,
        text: "half: the other end of the cable most likely runs full duplex, and packets collide".to_owned(),
        command: Some(format!("sudo ethtool -s {} autoneg on", interface.name)),
        source: Some("IEEE 802.3 clause 28; Shalunov and Carlson, PAM 2005"),
    })
}

/// Frames that arrived damaged: cable, optics, or a duplex mismatch.
fn damaged(interface: &Interface) -> Option<Judgement> {
    let names = ["rx_crc_errors", "rx_frame_errors", "rx_length_errors"];
    let (total, which) = nonzero(interface, &names)?;
    let ratio = total as f64 / interface.counters.get("rx_packets").copied().unwrap_or(0).max(1) as f64;
    Some(Judgement {
        topic: "damaged frames",
        level: if ratio > FRAME_ERROR_RATIO {
            Level::Limits
        } else {
            Level::Note
        },
        text: format!(
            "{which} since boot, {ratio:.1e} of those received: look at cable, optics and the port opposite"
        ),
        command: None,
        source: Some("IEEE 802.3"),
    })
}

/// Frames that this host could not take or send.
fn discarded(interface: &Interface) -> Option<Judgement> {
    let names = [
        "rx_missed_errors",
        "rx_fifo_errors",
        "rx_over_errors",
        "rx_dropped",
        "tx_dropped",
        "tx_errors",
        "tx_fifo_errors",
        "tx_carrier_errors",
        "collisions",
    ];
    let (_, which) = nonzero(interface, &names)?;
    let hardware = nonzero(interface, &names[..3]).is_some();
    Some(Judgement {
        topic: "discards",
        // `rx_dropped` also counts frames of protocols that nobody here speaks.
        level: if hardware { Level::Limits } else { Level::Note },
        text: format!(
            "{which} since boot{}",
            if hardware {
                ": this host was too slow to take them"
            } else {
                ""
            }
        ),
        command: hardware
            .then_some(interface.rx_ring)
            .flatten()
            .filter(|(current, largest)| current < largest)
            .map(|(_, largest)| format!("sudo ethtool -G {} rx {largest}", interface.name)),
        source: Some(ESNET),
    })
}

/// The sum of some counters, and those that are not zero in words; `None` when all are zero or unknown.
fn nonzero(interface: &Interface, names: &[&str]) -> Option<(u64, String)> {
    let counted = names
        .iter()
        .filter_map(|name| Some((*name, *interface.counters.get(*name)?)));
    let counted: Vec<_> = counted.filter(|(_, count)| *count > 0).collect();
    let total = counted
        .iter()
        .map(|(_, count)| *count)
        .fold(0, u64::saturating_add);
    let words: Vec<String> = counted
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    (total > 0).then(|| (total, words.join(", ")))
}

fn ring(interface: &Interface, which: &str, ring: Option<(u32, u32)>) -> Option<Judgement> {
    let (current, largest) = ring.filter(|(current, largest)| current < largest)?;
    let topic = if which == "rx" {
        "receive ring"
    } else {
        "transmit ring"
    };
    Some(Judgement {
        topic,
        level: Level::Note,
        text: format!("{current} of {largest} descriptors: bursts overflow it sooner than need be"),
        command: Some(format!("sudo ethtool -G {} {which} {largest}", interface.name)),
        source: Some(ESNET),
    })
}

fn offloads(interface: &Interface) -> Option<Judgement> {
    let off: Vec<&str> = OFFLOADS
        .iter()
        .copied()
        .filter(|name| interface.offloads.get(*name) == Some(&false))
        .collect();
    (!off.is_empty()).then(|| Judgement {
        topic: "offloads",
        level: Level::Note,
        text: format!(
            "off, though the interface has them: {}; every packet costs a processor more",
            off.join(", ")
        ),
        command: Some({
            let on: Vec<String> = off.iter().map(|name| format!("{name} on")).collect();
            format!("sudo ethtool -K {} {}", interface.name, on.join(" "))
        }),
        source: Some(ESNET),
    })
}

/// TCP with pacing wants a queueing discipline that keeps to it; the kernel's own fallback (since 4.13) costs more
/// processor time. Only BBR depends on pacing.
fn queueing(facts: &HostFacts, interface: &Interface) -> Option<Judgement> {
    let qdisc = interface.qdisc.as_deref()?;
    let paces = facts.congestion_control.as_deref() == Some("bbr");
    (paces && qdisc == "pfifo_fast").then(|| Judgement {
        topic: "queueing",
        level: Level::Note,
        text: "pfifo_fast under bbr, which paces: fq does that with less processor time".to_owned(),
        command: Some(format!("sudo tc qdisc replace dev {} root fq", interface.name)),
        source: Some(ESNET),
    })
}
