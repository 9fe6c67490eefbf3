//! Putting a figure where it belongs.

use evidence::{CounterKind, InterfaceCounters};

/// A maker's words for counters.
pub(in crate::formats) type Words = [(&'static str, CounterKind)];

/// Puts a figure under the kind that `words` (sorted by name) has for it, else under its own name, with `way` before it
/// where a maker has the same names for both.
pub(in crate::formats) fn count(
    interface: &mut InterfaceCounters,
    words: &Words,
    way: &str,
    name: &str,
    value: u64,
) {
    match kind_of(words, name) {
        Some(kind) => count_as(interface, kind, value),
        None => {
            interface.other.insert(format!("{way}{name}"), value);
        }
    }
}

/// The kind that `words` (sorted by name) has for a name.
pub(in crate::formats) fn kind_of(words: &Words, name: &str) -> Option<CounterKind> {
    let place = words.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    words.get(place).map(|(_, kind)| *kind)
}

/// Puts a figure under a kind. Several names of one maker can mean the same (`rx_fifo_errors` and `rx_over_errors` are
/// used for each other, says linux/if_link.h): the larger one stands, for a sum would count twice.
pub(in crate::formats) fn count_as(interface: &mut InterfaceCounters, kind: CounterKind, value: u64) {
    let counted = interface.counters.entry(kind).or_insert(value);
    *counted = (*counted).max(value);
}

/// Whether the names are in the order that [`count`] needs.
#[cfg(test)]
pub(in crate::formats) fn is_sorted(words: &Words) -> bool {
    words.is_sorted_by(|(a, _), (b, _)| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_same_thing_are_not_summed() {
        const WORDS: &Words = &[
            ("a_fifo", CounterKind::InputOverrun),
            ("b_over", CounterKind::InputOverrun),
        ];
        let mut interface = InterfaceCounters::default();
        count(&mut interface, WORDS, "", "a_fifo", 7);
        count(&mut interface, WORDS, "", "b_over", 5);
        count(&mut interface, WORDS, "", "mine", 1);
        assert_eq!(interface.counters.get(&CounterKind::InputOverrun), Some(&7));
        assert_eq!(interface.other.get("mine"), Some(&1));
    }
}
