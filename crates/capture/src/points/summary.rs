//! The report of a comparison.

use super::changes::of_syn;
use super::clock::Line;
use super::report::{
    Change, ChangeKind, ComparisonReport, Complaint, DirectionReport, PointReport, Relation, StretchReport,
};
use super::running::{Running, Seat};
use super::stretch::Stretch;
use super::{Comparison, Place, Way};

/// Fewer acknowledgements out of nowhere may be chance: captures miss some.
const FEW_ANSWERS: u64 = 16;

pub(super) fn report(comparison: Comparison) -> ComparisonReport {
    let Comparison {
        places,
        mut running,
        path,
        order,
        mut complaints,
        ..
    } = comparison;
    let points = places
        .iter()
        .map(|place| point(place, &places, running.as_ref()))
        .collect();
    for (point, place) in places
        .iter()
        .enumerate()
        .filter(|(_, place)| place.before_common > 0)
    {
        complaints.push(Complaint::BeforeCommon {
            point,
            packets: place.before_common,
        });
    }
    let mut report = ComparisonReport {
        points,
        path,
        order,
        stretches: Vec::new(),
        clocks: Vec::new(),
        changes: Vec::new(),
        complaints,
    };
    let Some(running) = &mut running else {
        return report;
    };
    if running.table.hurried > 0 {
        report.complaints.push(Complaint::WindowTooSmall {
            packets: running.table.hurried,
        });
    }
    let ranks: Vec<(usize, usize)> = report
        .path
        .iter()
        .copied()
        .zip(report.path.iter().copied().skip(1))
        .collect();
    let clocks = std::mem::take(&mut running.clocks);
    let stretches = std::mem::take(&mut running.stretches);
    for (gap, ((ways, clock), &(from, to))) in stretches.into_iter().zip(clocks).zip(&ranks).enumerate() {
        let (lines, clock) = clock.judged(from, to);
        report.clocks.push(clock);
        let (Some(near), Some(far)) = (running.seats.get(gap), running.seats.get(gap + 1)) else {
            continue;
        };
        let keys = (
            places.get(from).and_then(|place| place.key),
            places.get(to).and_then(|place| place.key),
        );
        let [up, down] = ways;
        for (stretch, before, behind) in [(&up, near, far), (&down, far, near)] {
            complain(&mut report.complaints, gap, stretch);
            report.changes.extend(of_numbering(
                from,
                to,
                stretch.way,
                before,
                behind,
                keys.0 != keys.1,
            ));
        }
        let up = direction(up, (from, to), &lines, (near, far), &mut report.changes);
        let down = direction(down, (to, from), &lines, (far, near), &mut report.changes);
        report.stretches.push(StretchReport {
            from,
            to,
            directions: [up, down],
        });
    }
    report
}

fn point(place: &Place, places: &[Place], running: Option<&Running>) -> PointReport {
    let seat = place.rank.and_then(|rank| running?.seats.get(rank));
    PointReport {
        name: place.name.clone(),
        key: place.key,
        relation: relation(place, places),
        packets: seat.map_or(0, Seat::packets),
        missed_packets: seat.map_or(0, |seat| seat.missed_packets),
        repeated_records: seat.map_or(0, |seat| seat.repeated_records),
        dont_fragment_packets: seat.map_or([0; 2], |seat| seat.dont_fragment_packets),
        fragmented_packets: seat.map_or([0; 2], |seat| seat.fragmented_packets),
        offloaded_packets: seat.map_or([0; 2], Seat::offloaded_packets),
        seen_ns: place.seen_ns,
    }
}

fn relation(place: &Place, places: &[Place]) -> Relation {
    if place.packets == 0 {
        return Relation::Empty;
    }
    if let Some(numbering) = place.numbering {
        return if numbering.seq_shift == [0; 2] {
            Relation::Same
        } else {
            Relation::Shifted {
                by: numbering.seq_shift,
            }
        };
    }
    let [up, down] = place.extents();
    let is_copy = places
        .iter()
        .filter(|other| other.numbering.is_some())
        .any(|other| {
            let theirs = other.extents();
            // two SYNs and two FINs are as long in every connection
            up.max(down) > 2 && (theirs == [up, down] || theirs == [down, up])
        });
    if is_copy {
        Relation::Proxied
    } else {
        Relation::Unrelated
    }
}

fn complain(complaints: &mut Vec<Complaint>, gap: usize, stretch: &Stretch) {
    if stretch.unlisted > 0 {
        complaints.push(Complaint::LossesNotListed {
            stretch: gap,
            losses: stretch.unlisted,
        });
    }
    if stretch.bare_from_nowhere >= FEW_ANSWERS && stretch.bare_from_nowhere > stretch.bare.arrived {
        complaints.push(Complaint::AnsweredBetween {
            stretch: gap,
            way: stretch.way,
            packets: stretch.bare_from_nowhere,
        });
    }
}

/// What the numbering, the key and the SYNs tell of one direction of a stretch.
fn of_numbering(
    near: usize,
    far: usize,
    way: Way,
    before: &Seat,
    behind: &Seat,
    is_translated: bool,
) -> Vec<Change> {
    let (from, to) = if way == Way::Up { (near, far) } else { (far, near) };
    let place = way.index();
    let mut kinds = Vec::new();
    if is_translated {
        kinds.push(ChangeKind::AddressesTranslated);
    }
    let by = behind.numbering.seq_shift[place].wrapping_sub(before.numbering.seq_shift[place]);
    if by != 0 {
        kinds.push(ChangeKind::SequenceShifted { by });
    }
    if before.numbering.stamp_shift[place] != behind.numbering.stamp_shift[place]
        || before.numbering.stamps_differ != behind.numbering.stamps_differ
    {
        kinds.push(ChangeKind::TimestampsRewritten);
    }
    let all = before.packets().min(behind.packets());
    let changes = kinds.into_iter().map(|what| Change {
        from,
        to,
        way,
        what,
        packets: all,
        of_packets: all,
    });
    let syns = before.syn[place].as_ref().zip(behind.syn[place].as_ref());
    let of_syns = syns
        .map(|(before, behind)| of_syn(before, behind))
        .unwrap_or_default();
    let of_syns = of_syns.into_iter().map(|what| Change {
        from,
        to,
        way,
        what,
        packets: 1,
        of_packets: 1,
    });
    changes.chain(of_syns).collect()
}

fn direction(
    mut stretch: Stretch,
    (from, to): (usize, usize),
    lines: &[Line],
    (before, behind): (&Seat, &Seat),
    changes: &mut Vec<Change>,
) -> DirectionReport {
    let way = stretch.way;
    let other = way.reversed().index();
    let is_shifted = before.numbering.seq_shift[other] != behind.numbering.seq_shift[other];
    let bursts = stretch.bursts();
    let sizes = stretch.sizes();
    changes.extend(stretch.changes.finish(from, to, way, is_shifted));
    DirectionReport {
        from,
        to,
        way,
        data: stretch.data,
        bare: stretch.bare,
        bursts,
        sizes,
        losses: stretch.losses,
        largest_passed_bytes: stretch.largest_passed_bytes,
        smallest_lost_bytes: stretch.smallest_lost_bytes,
        reordering: stretch.order.finish(),
        delay: stretch.delays.report(lines, way == Way::Up),
    }
}
