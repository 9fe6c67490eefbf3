//! What a column holds, by the parts of the words above it.

use super::parts::{Part, Scale, parts};
use crate::formats::interface::tables::gathered::Traffic;
use Part::{
    BitRate, Bits, Bytes, Collisions, Counter, Crc, Dbm, Drops, Errors, Idle, In, Label, Lane, Late, Mtu,
    Other, Out, PacketRate, Packets, PacketsOf, Pauses, PerSecond, Port, Power, Rate, Share, Speed,
    Temperature, Total, Up,
};
use evidence::CounterKind;

/// Which way something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
}

impl Way {
    /// A name with the direction in front.
    pub(super) fn before(self, name: &str) -> String {
        let way = if self == Self::In { "input" } else { "output" };
        format!("{way} {name}")
    }

    pub(super) fn traffic(self, is_bits: bool) -> Traffic {
        match (self, is_bits) {
            (Self::In, true) => Traffic::InBps,
            (Self::In, false) => Traffic::InPps,
            (Self::Out, true) => Traffic::OutBps,
            (Self::Out, false) => Traffic::OutPps,
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Holds {
    Port,
    Up,
    /// In units of so many bit/s, where the heading says so.
    Speed(Option<Scale>),
    Duplex,
    Mtu,
    Description,
    /// A counter that means the same whatever the maker.
    Kind(CounterKind),
    /// Another counter, by the name that it gets.
    Named(String),
    /// So many bits or packets a second.
    Load(Traffic, f64),
    /// A rate with its unit in the cell.
    Rate(Way),
    /// Percent of the speed.
    Share(Way),
    Received,
    Sent,
    Temperature,
    Lane,
    Label,
    /// Speed and duplex in one, or something of VLANs.
    Mode,
    /// A figure of which nothing tells the direction, or of which two columns say that they have it.
    Untold,
    Nothing,
}

impl Holds {
    /// Whether its cells are figures.
    pub(super) fn is_figure(&self) -> bool {
        !matches!(
            self,
            Self::Port
                | Self::Up
                | Self::Speed(_)
                | Self::Duplex
                | Self::Mode
                | Self::Description
                | Self::Label
                | Self::Untold
                | Self::Nothing
        )
    }
}

/// What a column holds; `words` stand above it, `way` is what is told of all the table.
pub(super) fn holds(parts: &[Part], words: &[&str], way: Option<Way>) -> Holds {
    let has = |part: Part| parts.contains(&part);
    let only = |known: &[Part]| !parts.is_empty() && parts.iter().all(|part| known.contains(part));
    let own = match (has(In), has(Out)) {
        (true, false) => Some(Way::In),
        (false, true) => Some(Way::Out),
        (true, true) => return Holds::Nothing,
        (false, false) => None,
    };
    if only(&[Port, Part::Name, Idle, Up]) && has(Port) && !has(Up) || parts == [Up, Port] {
        return Holds::Port;
    }
    // That of a reason describes no port.
    if has(Part::Description) && !has(Other) {
        return Holds::Description;
    }
    if has(Other) {
        return Holds::Nothing;
    }
    if has(Part::Mode) {
        return if parts.len() == 1 {
            Holds::Mode
        } else {
            Holds::Nothing
        };
    }
    if has(Speed) && has(Part::Duplex) {
        return Holds::Mode;
    }
    if only(&[Label, Port, Idle]) && has(Label) || parts == [Out, Label] {
        return Holds::Label;
    }
    if only(&[Lane, Port, Idle]) && has(Lane) {
        return Holds::Lane;
    }
    if only(&[Up, Port, Idle]) && has(Up) {
        return Holds::Up;
    }
    if only(&[Part::Duplex, Up, Idle]) && has(Part::Duplex) {
        return Holds::Duplex;
    }
    if only(&[Mtu, Up, Port, Bytes]) && has(Mtu) {
        return Holds::Mtu;
    }
    if has(Temperature) {
        return Holds::Temperature;
    }
    if let (true, Some(way)) = (has(Power), own) {
        return if way == Way::In {
            Holds::Received
        } else {
            Holds::Sent
        };
    }
    if has(Power) || has(Dbm) {
        return Holds::Nothing;
    }
    let way = own.or(way);
    if has(Share) {
        return way.map_or(Holds::Untold, Holds::Share);
    }
    if has(Speed) && own.is_none() {
        let scale = parts.iter().find_map(|part| match part {
            BitRate(scale) | Bits(scale) => Some(*scale),
            _ => None,
        });
        return Holds::Speed(scale);
    }
    if let Some(rate) = rate(parts, way) {
        return rate;
    }
    counter(parts, words, way)
}

/// A rate in the unit that the words tell.
fn rate(parts: &[Part], way: Option<Way>) -> Option<Holds> {
    let has = |part: Part| parts.contains(&part);
    let is_each_second = has(PerSecond) || has(Rate);
    let told = parts.iter().find_map(|part| match part {
        BitRate(scale) => Some((true, scale.factor())),
        PacketRate(scale) => Some((false, scale.factor())),
        Bits(scale) if is_each_second => Some((true, scale.factor())),
        PacketsOf(scale) if is_each_second => Some((false, scale.factor())),
        Packets if has(PerSecond) => Some((false, 1.0)),
        Bytes if has(PerSecond) => Some((true, 8.0)),
        _ => None,
    });
    if told.is_none() && !is_each_second {
        return None;
    }
    let Some(way) = way else {
        return Some(Holds::Untold);
    };
    Some(match told {
        Some((is_bits, factor)) => Holds::Load(way.traffic(is_bits), factor),
        None => Holds::Rate(way),
    })
}

/// A counter, by what it counts and which way.
fn counter(parts: &[Part], words: &[&str], way: Option<Way>) -> Holds {
    let has = |part: Part| parts.contains(&part);
    let named = || Holds::Named(name(words, way));
    let cast = [
        (Part::Unicast, "Ucast"),
        (Part::Multicast, "Mcast"),
        (Part::Broadcast, "Bcast"),
    ];
    let mut casts = cast.iter().filter(|(part, _)| has(*part));
    match (casts.next(), casts.next()) {
        (Some((_, cast)), None) if !has(Errors) && !has(Drops) && !has(Bytes) => {
            return match way {
                Some(Way::In) => Holds::Named(format!("In{cast}Pkts")),
                Some(Way::Out) => Holds::Named(format!("Out{cast}Pkts")),
                None => Holds::Untold,
            };
        }
        (Some(_), _) => return named(),
        (None, _) => {}
    }
    let is_counter = |part: &Part| {
        matches!(
            part,
            Bytes | Packets | Errors | Drops | Crc | Pauses | Collisions | Late | Counter | Total
        ) || matches!(
            part,
            Part::Align | Part::Runts | Part::Giants | Part::Overruns | Part::Underruns
        )
    };
    if !parts.iter().any(is_counter) {
        return Holds::Nothing;
    }
    let mut quantities: Vec<Part> = parts
        .iter()
        .copied()
        .filter(|part| !matches!(part, In | Out | Idle | Total))
        .collect();
    let needs_way = |part: &Part| matches!(part, Packets | Bytes | Errors | Drops | Pauses);
    // "QP1 Pkt" without what was counted of it.
    let is_which = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    if words.iter().any(is_which)
        && quantities.iter().filter(|part| **part == Counter).count() < 2
        && !has(Drops)
    {
        return Holds::Untold;
    }
    quantities.dedup();
    // Of a sum alone nothing tells what is summed up.
    if quantities.is_empty() || way.is_none() && quantities.iter().all(needs_way) {
        return Holds::Untold;
    }
    kind(&quantities, way).map_or_else(named, Holds::Kind)
}

/// What a counter without a kind is called, in whichever order and lines its words stand: by those that say more than that packets
/// are counted, and which way.
fn name(words: &[&str], way: Option<Way>) -> String {
    let says_more = |word: &&&str| {
        let parts = parts(word).unwrap_or_default();
        parts
            .iter()
            .any(|part| !matches!(part, In | Out | Packets | Idle | Total))
    };
    let mut kept: Vec<&str> = words.iter().filter(says_more).copied().collect();
    let is_which = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    kept.sort_by_key(|word| (!is_which(word), *word));
    let name = kept.join(" ");
    let is_told = kept
        .iter()
        .any(|word| parts(word).is_some_and(|parts| parts.contains(&In) || parts.contains(&Out)));
    match way.filter(|_| !is_told) {
        Some(way) => way.before(&name),
        None => name,
    }
}

/// The kind that words for a quantity say, less what tells the direction.
fn kind(quantities: &[Part], way: Option<Way>) -> Option<CounterKind> {
    let is_in = way != Some(Way::Out);
    let told = |input: CounterKind, output: CounterKind| match way {
        Some(Way::In) => Some(input),
        Some(Way::Out) => Some(output),
        None => None,
    };
    match quantities {
        [Packets] => told(CounterKind::InputPackets, CounterKind::OutputPackets),
        [Bytes] => told(CounterKind::InputBytes, CounterKind::OutputBytes),
        [Errors] | [Errors, Packets] | [Packets, Errors] => {
            told(CounterKind::InputErrors, CounterKind::OutputErrors)
        }
        [Drops] | [Drops, Packets] | [Packets, Drops] => {
            told(CounterKind::InputDiscards, CounterKind::OutputDrops)
        }
        [Crc] | [Crc, Errors] if is_in => Some(CounterKind::InputCrc),
        [Part::Align] | [Part::Align, Errors] if is_in => Some(CounterKind::InputFraming),
        [Part::Runts] if is_in => Some(CounterKind::InputRunts),
        [Part::Giants] if is_in => Some(CounterKind::InputGiants),
        [Part::Overruns] if is_in => Some(CounterKind::InputOverrun),
        [Part::Underruns] if way != Some(Way::In) => Some(CounterKind::OutputUnderruns),
        [Pauses] | [Pauses, Packets] => told(CounterKind::InputPauses, CounterKind::OutputPauses),
        [Collisions] if way != Some(Way::In) => Some(CounterKind::Collisions),
        [Late, Collisions] if way != Some(Way::In) => Some(CounterKind::LateCollisions),
        _ => None,
    }
}
