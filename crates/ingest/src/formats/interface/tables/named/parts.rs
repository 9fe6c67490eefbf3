//! Words of headings, taken apart: `InUcastPkts`, `RX_OK`, `(pkts)`, `KPkts/s`, `TxPower` say what they say by their parts.

use crate::dictionary::Dictionary;
use std::sync::LazyLock;

/// What a part of a word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Port,
    In,
    Out,
    Bytes,
    Packets,
    Errors,
    Drops,
    /// A counter that means the same whatever else is said.
    Crc,
    Align,
    Runts,
    Giants,
    Overruns,
    Underruns,
    Pauses,
    Collisions,
    Late,
    /// Which of the packets: those to one, to a group, to all.
    Unicast,
    Multicast,
    Broadcast,
    /// Another counter, which keeps its name.
    Counter,
    /// Each second, in units of so many.
    BitRate(Scale),
    PacketRate(Scale),
    /// Behind a quantity: `pkts/sec`.
    PerSecond,
    /// Thousands or millions of bits.
    Bits(Scale),
    /// Thousands of packets.
    PacketsOf(Scale),
    Rate,
    Share,
    /// All together, which is what a word without it says too.
    Total,
    Up,
    Speed,
    Duplex,
    /// Speed and duplex in one, or how a port takes part in VLANs.
    Mode,
    Mtu,
    Description,
    Name,
    Temperature,
    Power,
    Dbm,
    Lane,
    /// What goes before the names of the row's counters.
    Label,
    /// What makes the column one of something else: a limit, a setting, an identity, a past peak.
    Other,
    /// A unit of what is of no use here, or a word without a meaning of its own.
    Idle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    One,
    Kilo,
    Mega,
    Giga,
}

impl Scale {
    pub(super) fn factor(self) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Kilo => 1e3,
            Self::Mega => 1e6,
            Self::Giga => 1e9,
        }
    }
}

use Part::{
    Align, BitRate, Bits, Broadcast, Bytes, Collisions, Counter, Crc, Dbm, Description, Drops, Duplex,
    Errors, Giants, Idle, In, Label, Lane, Late, Mode, Mtu, Multicast, Name, Other, Out, Overruns,
    PacketRate, Packets, PacketsOf, Pauses, PerSecond, Port, Power, Rate, Runts, Share, Speed, Temperature,
    Total, Underruns, Unicast, Up,
};
use Scale::{Giga, Kilo, Mega, One};

/// What parts say, sorted.
#[rustfmt::skip]
const KNOWN: &[(&str, Part)] = &[
    ("%", Share), ("action", Other), ("active", Other), ("actor", Other), ("actual", Idle), ("ad", Other), ("address", Other),
    ("addresses", Other), ("adm", Other), ("admin", Other), ("administrative", Other), ("adv", Other), ("advertised", Other),
    ("age", Other), ("agg", Other), ("aggregate", Other), ("alarm", Other), ("alias", Name), ("align", Align), ("alignment", Align),
    ("allowed", Other), ("and", Other), ("auto", Other), ("autoneg", Other), ("autonego", Other), ("autonegotiation", Other),
    ("aux", Other), ("average", Idle), ("averages", Idle), ("avg", Idle), ("back", Other), ("bandwidth", Speed), ("bc", Broadcast),
    ("bcast", Broadcast), ("bias", Other), ("bit", Bits(One)), ("bits", Bits(One)), ("bndl", Other), ("bps", BitRate(One)),
    ("broadcast", Broadcast), ("broadcasts", Broadcast), ("bundle", Other), ("bw", Speed), ("byte", Bytes), ("bytes", Bytes), ("c", Idle),
    ("carri", Counter), ("carrier", Counter), ("celcius", Idle), ("celsius", Idle), ("cfg", Other), ("ch", Other), ("channel", Other),
    ("cntrl", Other), ("code", Counter), ("col", Collisions), ("coll", Collisions), ("collision", Collisions), ("collisions", Collisions),
    ("config", Other), ("configured", Other), ("cong", Counter), ("congestion", Counter), ("connector", Other), ("control", Other),
    ("count", Idle), ("counter", Idle), ("counters", Idle), ("crc", Crc), ("ctrl", Other), ("current", Other), ("dbm", Dbm),
    ("deferred", Counter), ("desc", Description), ("descr", Description), ("description", Description), ("disabled", Other),
    ("disc", Drops), ("discard", Drops), ("discards", Drops), ("display", Other), ("domain", Other), ("down", Other), ("dplx", Duplex), ("drop", Drops), ("dropped", Drops),
    ("drops", Drops), ("drp", Drops), ("dup", Duplex), ("duplex", Duplex), ("egress", Out), ("enabled", Other), ("encap", Other),
    ("encapsulation", Other), ("encp", Other), ("er", Errors), ("err", Errors), ("error", Errors), ("errors", Errors), ("errs", Errors),
    ("ethernet", Other), ("exces", Counter), ("excess", Counter), ("excessive", Counter), ("fault", Other), ("fcs", Crc), ("fec", Other), ("flags", Other),
    ("flap", Counter), ("flaps", Counter), ("flow", Other), ("flowcontrol", Other), ("flowctrl", Other), ("forwarding", Other), ("frag", Counter), ("fragment", Counter),
    ("fragments", Counter), ("frags", Counter), ("frame", Packets), ("frames", Packets), ("gbit", Bits(Giga)), ("gbits", Bits(Giga)),
    ("gbps", BitRate(Giga)), ("giant", Giants), ("giants", Giants), ("group", Other), ("high", Other), ("id", Idle), ("iface", Port),
    ("ifname", Port), ("in", In), ("inbound", In), ("index", Other), ("ingress", In), ("input", In), ("interface", Port),
    ("interval", Other), ("intf", Port), ("intvl", Other), ("ip", Other), ("jabber", Counter), ("jabbers", Counter), ("jumbo", Other),
    ("kbits", Bits(Kilo)), ("kbps", BitRate(Kilo)), ("kpkts", PacketsOf(Kilo)), ("kpps", PacketRate(Kilo)), ("l", Other), ("lacp", Other),
    ("lag", Other), ("lane", Lane), ("lanes", Other), ("last", Other), ("late", Late), ("limit", Other), ("line", Up), ("link", Up),
    ("lldp", Other), ("load", Other), ("lock", Other), ("los", Other), ("loss", Counter), ("lost", Counter), ("low", Other), ("ma", Other), ("mac", Other), ("management", Other),
    ("mask", Other), ("master", Other), ("max", Other), ("maximum", Other), ("mb", BitRate(Mega)), ("mbit", Bits(Mega)),
    ("mbits", Bits(Mega)), ("mbps", BitRate(Mega)), ("mcast", Multicast), ("mdix", Other), ("media", Other), ("medium", Other),
    ("member", Other), ("min", Other), ("missed", Counter), ("mode", Mode), ("mtu", Mtu), ("multi", Counter), ("multicast", Multicast),
    ("multicasts", Multicast), ("name", Name), ("native", Other), ("neg", Other), ("nego", Other), ("negotiation", Other), ("no", Idle), ("not", Other),
    ("num", Idle), ("number", Idle), ("octet", Bytes), ("octets", Bytes), ("ok", Packets), ("on", Other), ("oper", Up), ("operate", Up), ("operational", Up),
    ("opr", Up), ("optical", Idle), ("or", Idle), ("out", Out), ("outbound", Out), ("output", Out), ("over", Counter), ("overrun", Overruns),
    ("overruns", Overruns), ("oversize", Counter), ("ovr", Counter), ("packet", Packets), ("packets", Packets), ("parity", Counter),
    ("partner", Other), ("passed", Counter), ("pause", Pauses), ("pauses", Pauses), ("peak", Other), ("per", PerSecond), ("pfc", Counter),
    ("phy", Up), ("physical", Up), ("pkt", Packets), ("pkts", Packets), ("port", Port), ("portid", Port), ("portname", Port),
    ("power", Power), ("pps", PacketRate(One)), ("preference", Other), ("presence", Other), ("pressure", Other), ("pri", Other),
    ("priority", Other), ("proto", Up), ("protocol", Up), ("pruned", Other), ("pvid", Other), ("queue", Label), ("rate", Rate),
    ("rcv", In), ("reason", Other), ("receive", In), ("received", In), ("recv", In), ("red", Other), ("remote", Other), ("rmt", Other),
    ("router", Other), ("runt", Runts), ("runts", Runts), ("rx", In), ("s", PerSecond), ("sec", PerSecond), ("secondary", Other),
    ("send", Out), ("sensor", Other), ("sent", Out), ("serial", Other), ("sfp", Other), ("sharing", Other), ("single", Counter),
    ("slot", Idle), ("snr", Other), ("spanning", Other), ("spd", Speed), ("speed", Speed), ("state", Up), ("status", Up),
    ("stomped", Counter), ("stp", Other), ("string", Idle), ("sum", Other), ("summary", Other), ("supply", Other), ("switch", Other), ("symbol", Counter),
    ("sync", Other), ("tag", Other), ("tagged", Other), ("tagging", Other), ("temp", Temperature), ("temperature", Temperature),
    ("threshold", Other), ("throttles", Counter), ("timeout", Other), ("timestamp", Other), ("to", Idle), ("total", Total), ("tpid", Other),
    ("transceiver", Other), ("transmit", Out), ("transmitted", Out), ("trap", Other), ("tree", Other), ("trunk", Other), ("tx", Out),
    ("txmit", Out), ("type", Other), ("ucast", Unicast), ("under", Counter), ("underrun", Underruns), ("underruns", Underruns),
    ("undersize", Counter), ("unicast", Unicast), ("unicasts", Unicast), ("unknown", Counter), ("untagged", Other), ("up", Up),
    ("uptime", Other), ("usage", Share), ("utc", Other), ("uti", Share), ("util", Share), ("utilisation", Share), ("utilization", Share), ("v", Idle),
    ("value", Idle), ("vcc", Other), ("vendor", Other), ("virtual", Other), ("vlan", Other), ("vlans", Other), ("volt", Other), ("voltage", Other),
    ("volts", Other), ("voq", Label), ("vrf", Other), ("warn", Other), ("warning", Other), ("xmit", Out),
];

/// Words that are written together with a direction: `RxPkts`, `inErrors`, `TxPower`.
const WAYS: [(&str, Part); 4] = [("rx", In), ("tx", Out), ("in", In), ("out", Out)];

fn known(part: &str) -> Option<Part> {
    static PARTS: LazyLock<Dictionary<Part>> = LazyLock::new(|| Dictionary::new(KNOWN.iter().copied()));
    PARTS.get(part)
}

/// What the parts of a word say, in their order; `None` where one of them is not known.
pub(super) fn parts(word: &str) -> Option<Vec<Part>> {
    // State and link, of VyOS.
    if word == "S/L" {
        return Some(vec![Up]);
    }
    let mut parts = Vec::new();
    for piece in word.split(|c: char| !c.is_ascii_alphanumeric() && c != '%') {
        let mut rest = piece;
        // Units have capitals inside: `mA`, `dBm`.
        if let Some(whole) = known(&piece.to_ascii_lowercase()) {
            parts.push(whole);
            continue;
        }
        while !rest.is_empty() {
            let end = hump(rest);
            let (part, behind) = rest.split_at_checked(end)?;
            let part = part.to_ascii_lowercase();
            match known(&part) {
                Some(known) => parts.push(known),
                None if is_numbered(&part) => parts.push(Counter),
                None if part.trim_end_matches(|c: char| c.is_ascii_digit()) == "aux" => parts.push(Other),
                None => {
                    let (way, said) = WAYS
                        .iter()
                        .find_map(|(way, said)| Some((part.strip_prefix(way)?, *said)))?;
                    parts.extend([said, known(way)?]);
                }
            }
            rest = behind;
        }
    }
    (!parts.is_empty() || word.bytes().all(|byte| b"-/|#".contains(&byte))).then_some(parts)
}

/// Which of several queues or priorities: `QP1`, `PFC7`.
fn is_numbered(part: &str) -> bool {
    let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
    name.len() < part.len() && matches!(name, "qp" | "pfc" | "q" | "queue" | "cos" | "tc")
}

/// Where a part ends: before a capital behind a small letter, and before and behind a sign of percent.
fn hump(text: &str) -> usize {
    if text.starts_with('%') {
        return 1;
    }
    let bytes = text.as_bytes();
    let ends = |at: usize| match (bytes.get(at - 1), bytes.get(at)) {
        (Some(before), Some(byte)) => {
            before.is_ascii_lowercase() && byte.is_ascii_uppercase() || *byte == b'%'
        }
        _ => true,
    };
    (1..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart() {
        assert!(KNOWN.is_sorted_by(|(a, _), (b, _)| a < b));
        for (word, said) in [
            ("InUcastPkts", vec![In, Unicast, Packets]),
            ("RX_OK", vec![In, Packets]),
            ("inErrors", vec![In, Errors]),
            ("TxPower", vec![Out, Power]),
            ("rxbytes", vec![In, Bytes]),
            ("(pkts)", vec![Packets]),
            ("KPkts/s", vec![PacketsOf(Kilo), PerSecond]),
            ("Usage(%)", vec![Share, Share]),
            ("OutUti", vec![Out, Share]),
            ("Port-id", vec![Port, Idle]),
        ] {
            assert_eq!(parts(word), Some(said), "{word}");
        }
        assert_eq!((parts("weather"), parts("(cm)")), (None, None));
    }
}
