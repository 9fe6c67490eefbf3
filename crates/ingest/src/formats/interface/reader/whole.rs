//! Counting points that are whole by themselves: where a section counts what passed the port, in parts, the bytes and packets
//! that others counted elsewhere are not of the same traffic.

use super::tally::Taken;
use super::{Reader, Target};
use crate::formats::interface::dialect::Way;
use crate::formats::interface::names::Name;
use crate::formats::interface::taken::own_name;
use evidence::CounterKind;

/// What a section must not take from another: errors over packets, and bytes over packets, are of one place.
const TRAFFIC: [CounterKind; 4] = [
    CounterKind::InputBytes,
    CounterKind::InputPackets,
    CounterKind::OutputBytes,
    CounterKind::OutputPackets,
];

impl Reader<'_> {
    /// Adds up the parts of such a section, and leaves the traffic of other sections under the maker's own names.
    pub(super) fn make_whole(&mut self) {
        let sections = self.prepared.dialect.sections.iter().enumerate();
        for (place, section) in sections.filter(|(_, section)| !section.sums.is_empty()) {
            if !self.taken.iter().any(|taken| taken.key.0 == place) {
                continue;
            }
            self.disown(place);
            for (kind, parts) in section.sums {
                // With one of them missing the sum would be too small.
                let counts: Option<Vec<u64>> = parts.iter().map(|part| self.taken_as(place, part)).collect();
                let sum = counts.and_then(|counts| counts.into_iter().try_fold(0_u64, u64::checked_add));
                if let Some(value) = sum {
                    let key = (place, Way::Unsaid as u8, Name::Made(format!("{kind:?}").into()));
                    let target = Target::Kind(*kind);
                    // Nothing of this name is printed.
                    let _ = self.taken.put(Taken { key, value, target });
                }
            }
        }
    }

    fn taken_as(&self, section: usize, name: &str) -> Option<u64> {
        let is_named = |taken: &&Taken<'_>| taken.key.0 == section && taken.key.2.shown() == name;
        self.taken.iter().find(is_named).map(|taken| taken.value)
    }

    fn disown(&mut self, whole: usize) {
        let sections = self.prepared.dialect.sections;
        for taken in self.taken.iter_mut() {
            let (of, _, name) = &taken.key;
            let is_traffic = matches!(&taken.target, Target::Kind(kind) if TRAFFIC.contains(kind));
            if *of != whole && is_traffic {
                taken.target = Target::Own(own_name(sections.get(*of), Way::Unsaid, &name.shown()));
            }
        }
    }
}
