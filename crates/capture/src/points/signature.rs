//! Which connection of one capture is which of another, where translation changed the key.

use super::recent::mixed;
use crate::{Flags, Segment};
use std::collections::BTreeMap;

/// Prints that are kept of a flow: the least of all (a bottom-k sketch), so that captures of different length have some of them
/// in common as long as they overlap by much.
const PRINTS: usize = 16;

/// Flows are one connection when so many prints are the same. Each holds two 32-bit numbers; parallel connections of hosts with one
/// time-stamp clock share one or two.
const FEW_PRINTS: usize = 3;

/// What stays the same of a connection when addresses are translated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlowSignature {
    /// Initial sequence numbers: of the SYN, of the SYN-ACK.
    isn: [Option<u32>; 2],
    /// Time stamp of the SYN.
    syn_stamp: Option<u32>,
    prints: Vec<u64>,
}

/// What two flows are compared by.
type Names<'a> = &'a dyn Fn(&FlowSignature) -> Option<Vec<u64>>;

/// What made two flows one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Both initial sequence numbers are the same.
    SequenceNumbers,
    /// The time stamps of many packets are the same, or, in connections without, their sequence numbers.
    Packets,
    /// The SYN's time stamp is the same.
    SynStamp,
}

impl FlowSignature {
    /// Takes a segment of the flow.
    pub fn add(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::SYN) {
            let is_answer = segment.flags.has(Flags::ACK);
            if let Some(isn) = self.isn.get_mut(usize::from(is_answer)) {
                isn.get_or_insert(segment.seq);
            }
            if !is_answer && self.syn_stamp.is_none() {
                self.syn_stamp = segment
                    .options
                    .timestamps
                    .map(|(value, _)| value)
                    .filter(|&value| value != 0);
            }
        }
        let print = match segment.options.timestamps {
            Some((value, echo)) => mixed(1, u64::from(value) << 32 | u64::from(echo)),
            None if segment.payload_bytes > 0 => {
                mixed(2, u64::from(segment.seq) << 32 | u64::from(segment.ack))
            }
            None => return,
        };
        if self.prints.len() >= PRINTS && self.prints.last().is_some_and(|&last| print >= last) {
            return;
        }
        if let Err(place) = self.prints.binary_search(&print) {
            self.prints.insert(place, print);
            self.prints.truncate(PRINTS);
        }
    }
}

/// Flows of two captures that are one connection: places in each, and why. What is not sure (two flows of one capture fit the same
/// of the other) is left out.
#[must_use]
pub fn pair_flows(ours: &[FlowSignature], theirs: &[FlowSignature]) -> Vec<(usize, usize, Likeness)> {
    let mut pairs = Vec::new();
    let (mut taken, mut given) = (vec![false; ours.len()], vec![false; theirs.len()]);
    let isn = |flow: &FlowSignature| Some(vec![u64::from(flow.isn[0]?) << 32 | u64::from(flow.isn[1]?)]);
    let packets = |flow: &FlowSignature| Some(flow.prints.clone());
    let stamp = |flow: &FlowSignature| Some(vec![u64::from(flow.syn_stamp?)]);
    let rounds: [(Likeness, usize, Names<'_>); 3] = [
        (Likeness::SequenceNumbers, 1, &isn),
        (Likeness::Packets, FEW_PRINTS, &packets),
        (Likeness::SynStamp, 1, &stamp),
    ];
    for (likeness, few, names) in rounds {
        for (one, other) in alike(ours, theirs, &taken, &given, few, names) {
            if let (Some(taken), Some(given)) = (taken.get_mut(one), given.get_mut(other)) {
                (*taken, *given) = (true, true);
                pairs.push((one, other, likeness));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs that have enough names in common, each the best of both.
fn alike(
    ours: &[FlowSignature],
    theirs: &[FlowSignature],
    taken: &[bool],
    given: &[bool],
    few: usize,
    names: Names<'_>,
) -> Vec<(usize, usize)> {
    let mut holders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let free = |flows: &[bool], place: usize| flows.get(place).is_some_and(|is_used| !is_used);
    for (place, flow) in ours.iter().enumerate().filter(|(place, _)| free(taken, *place)) {
        for name in names(flow).unwrap_or_default() {
            holders.entry(name).or_default().push(place);
        }
    }
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, flow) in theirs.iter().enumerate().filter(|(place, _)| free(given, *place)) {
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for name in names(flow).unwrap_or_default() {
            // a name of very many flows tells nothing, and would cost their square
            for &one in holders.get(&name).into_iter().flatten().take(PRINTS) {
                *common.entry(one).or_default() += 1;
            }
        }
        let most = common.values().copied().max().unwrap_or(0);
        let mut best = common.iter().filter(|&(_, &count)| count == most && count >= few);
        if let (Some((&one, _)), None) = (best.next(), best.next()) {
            found.entry(one).or_default().push(place);
        }
    }
    let single = found.into_iter().filter_map(|(one, all)| match all.as_slice() {
        [other] => Some((one, *other)),
        _ => None,
    });
    single.collect()
}
