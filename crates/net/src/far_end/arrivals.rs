//! Which probes of an admitted peer came, as its reflector saw them.

use probe::session::{Arrival, Arrivals, SequenceAccount};

/// Probes may be numbered from anywhere, and those sent before the first that comes may come late.
const BEFORE_THE_FIRST: u32 = 1 << 12;
/// Numbers of one account: more than the probes of any ask.
const MOST_NUMBERS: u64 = 1 << 24;

/// The number of a question whether somebody agrees: no probe has it (`probe::Probe::sequence`).
pub(super) const NO_PROBE: u32 = 0;

/// The account of one admitted peer.
#[derive(Debug)]
pub(super) struct Account {
    /// The number that counts as zero, once a probe came.
    zero: Option<u32>,
    sequence: SequenceAccount,
    told: Arrivals,
}

impl Account {
    pub(super) fn new() -> Self {
        Self {
            zero: None,
            sequence: SequenceAccount::new(MOST_NUMBERS),
            told: Arrivals::default(),
        }
    }

    /// A probe with this number came, and is answered or not.
    pub(super) fn arrive(&mut self, number: u32, is_answered: bool) {
        if number == NO_PROBE {
            return;
        }
        let zero = *self
            .zero
            .get_or_insert_with(|| number.wrapping_sub(BEFORE_THE_FIRST));
        let is_first = match self.sequence.arrive(u64::from(number.wrapping_sub(zero))) {
            Arrival::New { .. } => true,
            Arrival::Late => {
                self.told.reordered += 1;
                true
            }
            Arrival::Duplicate => {
                self.told.duplicates += 1;
                false
            }
            Arrival::Strange => false,
        };
        self.told.received += u64::from(is_first);
        self.told.answered += u64::from(is_first && is_answered);
    }

    pub(super) fn told(&self) -> Arrivals {
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_probe_counts_once_wherever_the_numbers_begin() {
        for first in [7u32, 1 << 31, u32::MAX - 1] {
            let mut account = Account::new();
            account.arrive(NO_PROBE, true);
            for (offset, is_answered) in [
                (0, true),
                (3, true),
                (1, true),
                (3, true),
                (5, false),
                (u32::MAX, true),
            ] {
                account.arrive(first.wrapping_add(offset), is_answered);
            }
            let told = Arrivals {
                received: 5,
                answered: 4,
                duplicates: 1,
                reordered: 2,
            };
            assert_eq!(account.told(), told, "from {first}");
        }
    }
}
