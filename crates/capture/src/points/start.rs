//! Before points can be compared: how their numbers belong together, and in which order they lie on the path.

use super::number::Numbering;
use super::running::{Running, Seat};
use super::{Comparison, Complaint, MOST_SAMPLED, OrderSource, Place, anchor, order};
use crate::Segment;

impl Comparison {
    pub(super) fn try_to_start(&mut self) {
        let is_ready = |place: &Place| place.is_ended || place.sample.len() >= self.sampled;
        if !self.places.iter().all(is_ready) {
            return;
        }
        self.anchor();
        let anchored = self
            .places
            .iter()
            .filter(|place| place.numbering.is_some())
            .count();
        let lacking = self
            .places
            .iter()
            .filter(|place| place.numbering.is_none() && !place.sample.is_empty())
            .count();
        if anchored >= 2 && lacking == 0 {
            self.start();
        } else if self.places.iter().all(|place| place.is_ended) {
            // `finish` starts with what there is
        } else if self.sampled < MOST_SAMPLED {
            self.sampled *= 2;
        } else if !self.skip_ahead() && anchored >= 2 {
            self.start();
        }
    }

    /// Finds each point's numbering from those that have one.
    pub(super) fn anchor(&mut self) {
        if let Some(first) = self.places.iter_mut().find(|place| !place.sample.is_empty())
            && first.numbering.is_none()
        {
            first.numbering = Some(Numbering::default());
        }
        loop {
            let mut found = None;
            for (place, theirs) in self
                .places
                .iter()
                .enumerate()
                .filter(|(_, place)| place.numbering.is_none())
            {
                let mut known = self
                    .places
                    .iter()
                    .filter_map(|known| Some((known.sample.as_slice(), known.numbering.as_ref()?)));
                found = known
                    .find_map(|known| anchor::find(known, &theirs.sample))
                    .map(|numbering| (place, numbering));
                if found.is_some() {
                    break;
                }
            }
            let Some((place, numbering)) = found else { return };
            if let Some(place) = self.places.get_mut(place) {
                place.numbering = Some(numbering);
            }
        }
    }

    /// The samples are full and not all points have packets in common: one capture began before another. Forgets what lies
    /// before; says whether one did.
    fn skip_ahead(&mut self) -> bool {
        let plain = Numbering::default();
        let count = self.places.len();
        let mut early = vec![false; count];
        for (place, theirs) in self
            .places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.numbering.is_none())
        {
            for (other, known) in self.places.iter().enumerate() {
                let Some(numbering) = &known.numbering else {
                    continue;
                };
                let (known, theirs) = (
                    (known.sample.as_slice(), numbering),
                    (theirs.sample.as_slice(), &plain),
                );
                if let Some(early) = early.get_mut(other) {
                    *early |= anchor::is_before(known, theirs);
                }
                if let Some(early) = early.get_mut(place) {
                    *early |= anchor::is_before(theirs, known);
                }
            }
        }
        for (place, is_early) in self.places.iter_mut().zip(&early) {
            if *is_early && !place.is_ended {
                place.forget(MOST_SAMPLED);
            }
        }
        let skipped = self
            .places
            .iter()
            .zip(&early)
            .any(|(place, is_early)| *is_early && !place.is_ended);
        if !skipped
            && self
                .places
                .iter()
                .filter(|place| place.numbering.is_some())
                .count()
                < 2
        {
            self.places
                .iter_mut()
                .filter(|place| !place.is_ended)
                .for_each(|place| place.forget(MOST_SAMPLED / 2));
        }
        skipped
    }

    /// Ranks the points and replays their samples.
    pub(super) fn start(&mut self) {
        let known: Vec<usize> = (0..self.places.len())
            .filter(|&place| self.places.get(place).is_some_and(Place::is_known))
            .collect();
        if known.len() < 2 {
            return;
        }
        let samples: Vec<order::Sample<'_>> = known
            .iter()
            .filter_map(|&place| self.places.get(place))
            .filter_map(Place::sampled)
            .collect();
        let is_stamped = samples.iter().all(|(sample, numbering)| {
            !numbering.stamps_differ
                && sample
                    .last()
                    .is_some_and(|segment| segment.options.timestamps.is_some())
        });
        let (ranked, order) = if self.settings.is_order_told {
            let (ranked, order, is_contradicted) = order::told(&samples);
            self.complaints
                .extend(is_contradicted.then_some(Complaint::OrderContradicted));
            (ranked, order)
        } else {
            order::inferred(&samples)
        };
        self.complaints
            .extend((order == OrderSource::Assumed).then_some(Complaint::OrderUnknown));
        self.order = order;
        self.path = ranked
            .iter()
            .filter_map(|&rank| known.get(rank).copied())
            .collect();
        let mut seats = Vec::new();
        for (rank, &place) in self.path.iter().enumerate() {
            let Some(place) = self.places.get_mut(place) else {
                continue;
            };
            place.rank = Some(rank);
            let mut seat = Seat::new(place.numbering.unwrap_or_default());
            (seat.began_ns, seat.ended_ns) = (place.began_ns, place.ended_ns);
            seats.push(seat);
        }
        self.running = Some(Running::new(
            seats,
            is_stamped,
            self.settings.window_packets,
            self.settings.most_losses,
        ));
        self.replay();
    }

    fn replay(&mut self) {
        let Some(running) = &mut self.running else { return };
        let mut samples: Vec<Vec<Segment>> = Vec::new();
        for &place in &self.path {
            samples.push(
                self.places
                    .get_mut(place)
                    .map(|place| std::mem::take(&mut place.sample))
                    .unwrap_or_default(),
            );
        }
        let mut next = vec![0_usize; samples.len()];
        loop {
            let has_more = |rank: usize| {
                samples
                    .get(rank)
                    .zip(next.get(rank))
                    .is_some_and(|(sample, &next)| next < sample.len())
            };
            let Some(rank) = running.behind(has_more) else {
                break;
            };
            let Some(next) = next.get_mut(rank) else { break };
            if let Some(segment) = samples.get(rank).and_then(|sample| sample.get(*next)) {
                running.take(rank, segment);
            }
            *next += 1;
        }
        for (rank, &place) in self.path.iter().enumerate() {
            if self.places.get(place).is_some_and(|place| place.is_ended) {
                running.table.end(rank);
            }
        }
    }
}
