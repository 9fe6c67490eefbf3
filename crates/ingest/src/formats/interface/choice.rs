//! Which dialect an interface is in: the one that understands most of its lines.

use super::asked::Asked;
use super::heads::dialects_of;
use super::line::Line;
use super::prepared::{PREPARED, Prepared, prepared_of};
use super::reader::{Reader, Reading};
use evidence::InterfaceCounters;

/// How good a reading is, the best first: lines that are not understood, complaints, and the place in the order of dialects.
type Rank = (usize, usize, usize);

/// What the dialect makes of an interface that understands most of it, of equals the one with the least to complain about: the one of
/// the interfaces before it before all others, for makers borrow from each other.
///
/// All read side by side, and the next line is read by the one that missed the fewest so far. So whoever misses more lines
/// than the best is given up as soon as that shows.
pub(super) fn best(
    asked: &Asked,
    first: Option<&'static Prepared>,
    lines: &[Line<'_>],
) -> Option<(&'static Prepared, Reading)> {
    let mut best: Option<(Rank, &'static Prepared, Reading)> = None;
    let mut open: Vec<(usize, Reader<'_>)> = Vec::new();
    let dialects = lines.first().map_or(0, |head| dialects_of(&head.text));
    let below = lines.get(1..).unwrap_or_default();
    // Who was tried first is not tried again.
    let others = prepared_of(dialects).filter(|other| first.is_none_or(|first| !std::ptr::eq(first, *other)));
    for (place, prepared) in first.into_iter().chain(others).enumerate() {
        if best
            .as_ref()
            .is_some_and(|((missed, ..), ..)| prepared.misses_more(below, *missed))
        {
            continue;
        }
        let Some(mut reader) = Reader::begin(prepared, asked, lines) else {
            continue;
        };
        if place == 0 && first.is_some() {
            while reader.step() {}
            keep_better(&mut best, place, reader);
            if best
                .as_ref()
                .is_some_and(|((missed, complaints, _), ..)| missed + complaints == 0)
            {
                // Who comes first is not beaten.
                break;
            }
        } else {
            open.push((place, reader));
        }
    }
    while let Some(next) = (0..open.len()).min_by_key(|at| open.get(*at).map(|(at, of)| rank(*at, of))) {
        let Some((place, reader)) = open.get_mut(next) else {
            break;
        };
        let before = rank(*place, reader);
        if best.as_ref().is_some_and(|(best, ..)| before > *best) {
            // What is missed stays missed: none of the others becomes better.
            break;
        }
        let mut is_open = true;
        while is_open && rank(*place, reader) == before {
            is_open = reader.step();
        }
        if !is_open {
            let (place, reader) = open.swap_remove(next);
            keep_better(&mut best, place, reader);
        }
    }
    best.map(|(_, prepared, reading)| (prepared, reading))
}

/// What lines without a head say, which a filter kept of this interface, or somebody copied of one without a name. No head tells the
/// dialect: several understand as much, and have to say the same. `None` where they do not, and where none understands a line.
pub(super) fn best_without_head(
    interface: &str,
    way: Option<&'static str>,
    lines: &[Line<'_>],
) -> Option<Reading> {
    let mut best: Option<((usize, usize), Reading)> = None;
    let mut is_sure = true;
    // A word is a name where people give them, and elsewhere an option that is not known.
    let is_numbered = interface.bytes().any(|byte| byte.is_ascii_digit());
    let is_any = interface.is_empty() || is_numbered;
    let naming = PREPARED
        .iter()
        .filter(|prepared| is_any || prepared.has_given_names());
    for prepared in naming {
        if best
            .as_ref()
            .is_some_and(|((missed, _), ..)| prepared.misses_more(lines, *missed))
        {
            continue;
        }
        let mut reader = Reader::begin_without_head(prepared, (interface, way), lines);
        while reader.step() {}
        let rank = (reader.missed(), reader.complaint_count());
        let reading = reader.finish();
        match &mut best {
            Some((known, ..)) if rank > *known => {}
            Some((known, first)) if rank == *known => {
                let (one, other) = (&mut first.interface, &reading.interface);
                is_sure &= one.counters == other.counters && one.load == other.load;
                keep_common(one, other);
            }
            _ => (best, is_sure) = (Some((rank, reading)), true),
        }
    }
    let (_, reading) = best.filter(|(_, reading)| is_sure && reading.understood > 0)?;
    Some(reading)
}

/// Keeps of what stands beside the counters what both dialects say.
fn keep_common(one: &mut InterfaceCounters, other: &InterfaceCounters) {
    fn keep<T: PartialEq>(one: &mut Option<T>, other: &Option<T>) {
        if one != other {
            *one = None;
        }
    }
    keep(&mut one.description, &other.description);
    keep(&mut one.up, &other.up);
    keep(&mut one.mtu_bytes, &other.mtu_bytes);
    keep(&mut one.bandwidth_bps, &other.bandwidth_bps);
    keep(&mut one.duplex, &other.duplex);
    keep(&mut one.counting_for_s, &other.counting_for_s);
    keep(&mut one.optics, &other.optics);
    one.other
        .retain(|name, value| other.other.get(name) == Some(value));
    one.settings
        .retain(|name, value| other.settings.get(name) == Some(value));
}

fn rank(place: usize, reader: &Reader<'_>) -> Rank {
    (reader.missed(), reader.complaint_count(), place)
}

fn keep_better(best: &mut Option<(Rank, &'static Prepared, Reading)>, place: usize, reader: Reader<'_>) {
    let rank = rank(place, &reader);
    if best.as_ref().is_none_or(|(best, ..)| rank < *best) {
        *best = Some((rank, reader.prepared, reader.finish()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [&str; 5] = [
        "Ethernet1/1 is up",
        "GigabitEthernet0/1 is up, line protocol is up (connected)",
        "GigabitEthernet0/0/1 current state : UP",
        "Physical interface: xe-0/0/0, Enabled, Physical link is Up",
        "Ethernet1/1",
    ];
    const TITLES: [&str; 6] = [
        "",
        "  RX",
        "Input:",
        "  Input errors:",
        "  Traffic statistics:",
        "Last 300 seconds input:",
    ];
    const LINES: [&str; 14] = [
        "",
        "...",
        "zorkmids",
        "  Beacon is turned off",
        "  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,",
        "    12 unicast packets  5 multicast packets  0 broadcast packets",
        "     3 input errors, 2 CRC, 0 frame, 0 overrun, 0 ignored",
        "    Errors: 0, Drops: 7, Framing errors: 0",
        "  CRC: 7",
        "  Input pkts 64 bytes = 3",
        "   In_Bytes 12 In_Packets 3",
        "  CRC errors                 7            0",
        "   Input  bytes  :                  345                   12 bps",
        "  - packets input, n/a bytes",
    ];

    /// A dialect that is not tried because of what shows at a glance would have missed as many lines.
    #[test]
    fn at_a_glance_no_line_is_missed_that_is_read() {
        let mut given_up = 0;
        for (head, title) in HEADS.iter().flat_map(|head| TITLES.map(|title| (head, title))) {
            for text in LINES {
                let lines = [(1, *head), (2, title), (3, text)].map(|(number, line)| Line::new(number, line));
                for prepared in PREPARED.iter() {
                    let Some(mut reader) = Reader::begin(prepared, &Asked::default(), &lines) else {
                        continue;
                    };
                    while reader.step() {}
                    let name = prepared.dialect.name;
                    assert!(
                        !prepared.misses_more(&lines[1..], reader.missed()),
                        "{name}: {head} {title} {text}"
                    );
                    given_up += usize::from(prepared.misses_more(&lines[1..], 0));
                }
            }
        }
        assert!(given_up > 100, "{given_up} are given up");
    }
}
