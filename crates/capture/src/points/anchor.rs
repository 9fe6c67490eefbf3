//! How the numbers of two captures of one connection belong together.
//!
//! Mostly they are the same. Address translation changes the key (and with it which end is `low`); some firewalls shift the
//! sequence numbers of each direction by a random number, a few the time stamps as well. What is shifted is found from the SYNs,
//! or from packets with the same time stamps and lengths, and it is believed only where packets match under it.

use super::number::Numbering;
use crate::{Flags, Segment};
use std::collections::BTreeMap;

/// With numbers that are not shifted, a single packet that matches in 32 bits of sequence number and 32 of time stamp is proof;
/// between different keys, or without time stamps, several are asked for.
const FEW: usize = 3;

/// What two samples have in common under some numbering: places of the packet in each.
pub(super) type Shared = Vec<(usize, usize)>;

/// What identifies a packet: way, sequence number, acknowledgement (of a bare one), time stamp, whether it is bare.
type Name = (usize, u32, u32, Option<u32>, bool);

fn name(segment: &Segment, numbering: &Numbering) -> Name {
    let way = numbering.way(segment);
    let is_bare = segment.sequence_length() == 0;
    let ack = if is_bare {
        numbering.ack(way, segment.ack)
    } else {
        0
    };
    (
        way.index(),
        numbering.seq(way, segment.seq),
        ack,
        numbering.stamp(way, segment),
        is_bare,
    )
}

/// Packets that both samples have. Of packets with the same name the first of each.
pub(super) fn shared(one: (&[Segment], &Numbering), other: (&[Segment], &Numbering)) -> Shared {
    let mut names: BTreeMap<Name, usize> = BTreeMap::new();
    for (place, segment) in one.0.iter().enumerate() {
        names.entry(name(segment, one.1)).or_insert(place);
    }
    let mut shared = Shared::new();
    for (place, segment) in other.0.iter().enumerate() {
        if let Some(found) = names.remove(&name(segment, other.1)) {
            shared.push((found, place));
        }
    }
    shared
}

/// The numbering of `theirs`, when `known` and its numbering are of the same connection.
pub(super) fn find(known: (&[Segment], &Numbering), theirs: &[Segment]) -> Option<Numbering> {
    let same_key = known.0.first()?.key == theirs.first()?.key && !known.1.flipped;
    let flips: &[bool] = if same_key { &[false] } else { &[false, true] };
    let mut best: Option<(usize, Numbering)> = None;
    for &flipped in flips {
        for candidate in candidates(known, theirs, flipped) {
            let shared = shared(known, (theirs, &candidate));
            if is_proof(&shared, known, theirs, &candidate, same_key)
                && best.is_none_or(|(most, _)| shared.len() > most)
            {
                best = Some((shared.len(), candidate));
            }
        }
    }
    best.map(|(_, numbering)| numbering)
}

fn candidates(known: (&[Segment], &Numbering), theirs: &[Segment], flipped: bool) -> Vec<Numbering> {
    let plain = Numbering {
        flipped,
        ..Numbering::default()
    };
    let mut all = vec![plain];
    all.extend(by_syn(known, theirs, flipped));
    all.extend(by_stamps(known, theirs, plain));
    let unstamped: Vec<Numbering> = all
        .iter()
        .map(|&numbering| Numbering {
            stamps_differ: true,
            ..numbering
        })
        .collect();
    all.extend(unstamped);
    all
}

/// Whether the packets that match show that it is one connection.
fn is_proof(
    shared: &Shared,
    known: (&[Segment], &Numbering),
    theirs: &[Segment],
    numbering: &Numbering,
    same_key: bool,
) -> bool {
    let is_shifted = numbering.seq_shift != [0; 2];
    // whoever shifts both makes as good a case for one connection as a proxy whose two connections run alike
    let is_stamp_proof = !(is_shifted && numbering.stamp_shift != [0; 2]);
    let few = FEW.min(known.0.len()).min(theirs.len());
    let pairs = || {
        shared
            .iter()
            .filter_map(|&(one, other)| Some((known.0.get(one)?, theirs.get(other)?)))
    };
    let stamped = pairs().filter(|(one, other)| {
        !numbering.stamps_differ && one.options.timestamps.is_some() && other.options.timestamps.is_some()
    });
    let stamped = stamped.count();
    if is_stamp_proof && stamped >= if same_key && !is_shifted { 1 } else { few } {
        return true;
    }
    if !is_shifted {
        return shared.len() >= few.max(1);
    }
    // a proxy of equal segment sizes would match as well, but it numbers its own packets
    let same_id = pairs()
        .filter(|(one, other)| one.ip_id == other.ip_id && one.ip_id.is_some_and(|id| id != 0))
        .count();
    same_id >= FEW && same_id * 2 >= shared.len()
}

fn syn(segments: &[Segment], has_ack: bool) -> Option<&Segment> {
    segments
        .iter()
        .find(|segment| segment.flags.has(Flags::SYN) && segment.flags.has(Flags::ACK) == has_ack)
}

/// Shifts as the SYNs tell them.
fn by_syn(known: (&[Segment], &Numbering), theirs: &[Segment], flipped: bool) -> Option<Numbering> {
    let mut numbering = Numbering {
        flipped,
        ..Numbering::default()
    };
    for has_ack in [false, true] {
        let (one, other) = (syn(known.0, has_ack)?, syn(theirs, has_ack)?);
        let way = known.1.way(one);
        if numbering.way(other) != way {
            return None;
        }
        numbering.seq_shift[way.index()] = other.seq.wrapping_sub(known.1.seq(way, one.seq));
        if let (Some(first), Some((second, _))) = (known.1.stamp(way, one), other.options.timestamps) {
            numbering.stamp_shift[way.index()] = second.wrapping_sub(first);
        }
    }
    Some(numbering)
}

/// Shifts as packets with equal time stamps and lengths tell them: the most frequent difference of each direction.
fn by_stamps(known: (&[Segment], &Numbering), theirs: &[Segment], plain: Numbering) -> Option<Numbering> {
    let mut names: BTreeMap<(usize, u32, u32, u32), u32> = BTreeMap::new();
    for segment in known.0 {
        let way = known.1.way(segment);
        if let (Some(stamp), Some((_, echo))) = (known.1.stamp(way, segment), segment.options.timestamps) {
            names
                .entry((way.index(), stamp, echo, segment.payload_bytes))
                .or_insert(known.1.seq(way, segment.seq));
        }
    }
    let mut shifts: [BTreeMap<u32, usize>; 2] = Default::default();
    for segment in theirs {
        let way = plain.way(segment);
        let Some((stamp, echo)) = segment.options.timestamps else {
            continue;
        };
        if let Some(seq) = names.get(&(way.index(), stamp, echo, segment.payload_bytes)) {
            *shifts[way.index()]
                .entry(segment.seq.wrapping_sub(*seq))
                .or_default() += 1;
        }
    }
    let most = |way: usize| {
        shifts
            .get(way)
            .and_then(|all| all.iter().max_by_key(|(_, count)| **count))
            .map(|(shift, _)| *shift)
    };
    Some(Numbering {
        seq_shift: [most(0)?, most(1)?],
        ..plain
    })
}

/// Whether all of `first` was sent before any of `second`, as time stamps tell, or sequence numbers where there are none.
pub(super) fn is_before(first: (&[Segment], &Numbering), second: (&[Segment], &Numbering)) -> bool {
    let number = |segment: &Segment, numbering: &Numbering| {
        let way = numbering.way(segment);
        (
            way,
            numbering
                .stamp(way, segment)
                .unwrap_or_else(|| numbering.seq(way, segment.seq)),
        )
    };
    let ways = [crate::Way::Up, crate::Way::Down];
    ways.iter().any(|&way| {
        let last = first
            .0
            .iter()
            .rev()
            .map(|segment| number(segment, first.1))
            .find(|(of, _)| *of == way);
        let next = second
            .0
            .iter()
            .map(|segment| number(segment, second.1))
            .find(|(of, _)| *of == way);
        matches!((last, next), (Some((_, last)), Some((_, next))) if (next.wrapping_sub(last) as i32) > 0)
    })
}
