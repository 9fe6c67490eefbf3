//! Counters of single queues, as drivers name them, and their sums.
//!
//! Every driver has its own way to put the number of a queue into a name (`rx_queue_0_packets`, `rx-0.packets`,
//! `rx0_packets`, `queue_0_rx_cnt`, `[0]: rx_ucast_packets`, `rx_packets[0]`), and vmxnet3 prints a heading a queue with the
//! same names below each. What all of them have in common: the queues are numbered from 0 on.

use std::collections::{BTreeMap, BTreeSet};

/// What stands before and behind the number of a queue, and what begins the name without it. The longer beginning comes
/// first where one begins another.
const SHAPES: [(&str, &str, &str); 23] = [
    ("rx_queue_", "_", "rx_"),
    ("tx_queue_", "_", "tx_"),
    ("rx-", ".", "rx_"),
    ("tx-", ".", "tx_"),
    ("rxq_", "_", "rx_"),
    ("txq_", "_", "tx_"),
    ("rxq", ": ", "rx_"),
    ("txq", ": ", "tx_"),
    ("rxq", "_", "rx_"),
    ("txq", "_", "tx_"),
    ("rx_", "_", "rx_"),
    ("tx_", "_", "tx_"),
    ("rx", "_", "rx_"),
    ("tx", "_", "tx_"),
    ("queue_", "_", ""),
    ("Queue[", "] ", ""),
    ("rvec_", "_", ""),
    ("cpu", "_", "cpu_"),
    ("ch", "_", "ch_"),
    ("q", "_", ""),
    ("[", "]: ", ""),
    ("", ": ", ""),
    ("", "_", ""),
];

/// A shape, for which the number stands at the end: `rx_packets[0]`.
const AT_END: usize = SHAPES.len();

/// The counter of one queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OfQueue {
    /// Which queues are numbered together: those that are named or headed alike, a direction each.
    pub(super) set: String,
    /// The queue's number.
    pub(super) queue: u32,
    /// The counter's name without the queue.
    pub(super) name: String,
}

/// Takes the number of a queue out of a name; `None` for a name that holds none.
pub(super) fn of_queue(name: &str) -> Option<OfQueue> {
    let ended = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    if let Some((bare, number)) = ended
        && let Ok(queue) = number.parse()
    {
        return Some(numbered(AT_END, queue, bare.to_owned()));
    }
    SHAPES
        .iter()
        .enumerate()
        .find_map(|(place, (before, behind, begins))| {
            let rest = name.strip_prefix(before)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = rest.split_at_checked(digits)?;
            let bare = rest.strip_prefix(behind)?;
            // sfc says `rx-0.rx_packets` and means `rx_packets`; virtio's `tx0_tx_timeouts` is a `tx_tx_timeouts`.
            let doubled = *behind != "_" && bare.starts_with(begins) || bare.is_empty();
            let bare = if doubled {
                bare.to_owned()
            } else {
                format!("{begins}{bare}")
            };
            (!bare.is_empty()).then_some(numbered(place, number.parse().ok()?, bare))
        })
}

fn numbered(shape: usize, queue: u32, name: String) -> OfQueue {
    let way = if name.contains("rx") {
        "rx"
    } else if name.contains("tx") {
        "tx"
    } else {
        ""
    };
    OfQueue {
        set: format!("{shape}{way}"),
        queue,
        name,
    }
}

/// The figures of a counter, and their names as printed, by queue.
type Figures = BTreeMap<u32, (Option<u64>, String)>;

/// Counters by queue.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// By name and set, the queues with their values and their names as printed; `None` where two values were given.
    counted: BTreeMap<(String, String), Figures>,
    /// The queues of each set.
    queues: BTreeMap<String, BTreeSet<u32>>,
    /// Figures of a queue came without its number.
    has_lost: bool,
}

/// One counter of all queues of a set.
#[derive(Debug)]
pub(super) struct Counted {
    /// The counter's name.
    pub(super) name: String,
    /// Whether the numbers are those of queues: they begin with 0. Sizes of packets, `rx_64_bytes`, do not.
    pub(super) is_of_queues: bool,
    /// Whether other counters of the same queues show that none is missing.
    pub(super) is_checked: bool,
    /// The sum; `None` where a queue is missing, or it does not fit.
    pub(super) sum: Option<u64>,
    /// The figures by their names as printed, with the queue.
    pub(super) single: Vec<(String, u64)>,
}

impl Queues {
    /// Takes the figure of one queue; `None`: there was one that is not to be trusted. False for a queue that already has
    /// another figure of that name: neither stands.
    pub(super) fn put(&mut self, of: OfQueue, printed: String, value: Option<u64>) -> bool {
        self.queues.entry(of.set.clone()).or_default().insert(of.queue);
        let known = self.counted.entry((of.name, of.set)).or_default();
        let entry = known.entry(of.queue).or_insert((value, printed));
        let agrees = entry.0 == value;
        if !agrees {
            entry.0 = None;
        }
        agrees
    }

    /// A queue of a set is not known by its number: the set has no sums. `None`: nobody knows of which set.
    pub(super) fn lose(&mut self, set: Option<&str>) {
        match set {
            Some(set) => {
                self.queues.entry(set.to_owned()).or_default().insert(u32::MAX);
            }
            None => self.has_lost = true,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }

    /// Every counter, summed over its queues.
    pub(super) fn counted(self) -> impl Iterator<Item = Counted> {
        let Self {
            counted,
            queues,
            has_lost,
        } = self;
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (_, set) in counted.keys() {
            *names.entry(set.clone()).or_default() += 1;
        }
        counted.into_iter().map(move |((name, set), figures)| {
            let of_set = queues.get(&set);
            // As many queues as the set has, numbered without a gap: with one missing the sum would be too small.
            let is_whole = of_set.is_some_and(|queues| {
                figures.len() == queues.len()
                    && queues
                        .last()
                        .is_some_and(|last| *last as usize + 1 == queues.len() && !has_lost)
            });
            let add = |sum: u64, (value, _): &(Option<u64>, String)| sum.checked_add((*value)?);
            let sum = figures.values().try_fold(0_u64, add);
            let printed = |(value, printed): (Option<u64>, String)| Some((printed, value?));
            Counted {
                name,
                is_checked: names.get(&set).is_some_and(|names| *names > 1),
                is_of_queues: of_set.is_some_and(|queues| queues.contains(&0)),
                sum: sum.filter(|_| is_whole),
                single: figures.into_values().filter_map(printed).collect(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_queues_are_found_in_names() {
        for (name, queue, bare) in [
            ("rx_queue_3_packets", 3, "rx_packets"),
            ("tx-11.bytes", 11, "tx_bytes"),
            ("rx-0.rx_packets", 0, "rx_packets"),
            ("rx0_packets", 0, "rx_packets"),
            ("queue_7_tx_cnt", 7, "tx_cnt"),
            ("[2]: rx_ucast_packets", 2, "rx_ucast_packets"),
            ("0: rcv_pkts", 0, "rcv_pkts"),
            ("rxq4: rx_bytes", 4, "rx_bytes"),
            ("rxq4_bytes", 4, "rx_bytes"),
            ("Queue[1] InPackets", 1, "InPackets"),
            ("rx_packets[6]", 6, "rx_packets"),
            ("cpu2_rx_packets", 2, "cpu_rx_packets"),
        ] {
            let of = of_queue(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((of.queue, of.name.as_str()), (queue, bare), "{name}");
        }
        for name in [
            "rx_packets",
            "rx_prio0_packets",
            "rx_",
            "port.rx_size_64",
            "",
            "[x]: y",
        ] {
            assert_eq!(of_queue(name), None, "{name}");
        }
    }

    #[test]
    fn sizes_are_no_queues_and_a_gap_has_no_sum() {
        let counted = |names: &[&str]| {
            let mut queues = Queues::default();
            for name in names {
                assert!(queues.put(of_queue(name).unwrap(), (*name).to_owned(), Some(5)));
            }
            queues
                .counted()
                .map(|all| (all.is_of_queues, all.sum))
                .collect::<Vec<_>>()
        };
        assert!(!counted(&["rx_64_bytes"])[0].0, "no queue 0: a size of packets");
        assert_eq!(counted(&["rx0_bytes", "rx1_bytes"]), [(true, Some(10))]);
        assert_eq!(counted(&["rx0_bytes", "rx2_bytes"]), [(true, None)]);
        assert_eq!(
            counted(&["rx0_bytes", "rx1_bytes", "rx1_drops", "rx0_drops"]),
            [(true, Some(10)); 2]
        );
        assert_eq!(
            counted(&["rx0_bytes", "rx1_bytes", "rx0_drops"]),
            [(true, Some(10)), (true, None)]
        );
    }
}
