//! Traces, pings, tables of sizes: what comes back from the hops of a path.

use crate::chance::Chance;
use crate::map::Network;
use crate::physics::{TcpRun, idle_delay_s, idle_loss, passes, too_big_said_by};
use crate::seen::{Cell, Hop, Probed, Row, Seen, Who};

/// Answers are small, whatever they answer, except to echo requests.
const ANSWER_BYTES: u32 = 576;

/// A transfer that runs while probes are sent: where its queue stands and how long it is.
pub(super) struct Load {
    /// Index in the way of the link with the queue.
    pub(super) at: usize,
    /// Its length, seconds.
    pub(super) wait_s: f64,
    /// Loss that small packets meet in it.
    pub(super) loss: f64,
}

impl Load {
    /// The load that a transfer is; `None` when it leaves every link room.
    pub(super) fn of(network: &Network, way: &[usize], run: &TcpRun) -> Option<Self> {
        let left = |link: usize| {
            let link = &network.links[link];
            link.capacity_bps * (1.0 - link.busy)
        };
        let at = (1..way.len()).min_by(|a, b| left(way[*a]).total_cmp(&left(way[*b])))?;
        if run.steady_bps < 0.8 * left(way[at]) {
            return None;
        }
        let count = run.slices.len().max(1) as f64;
        let wait_s = run.slices.iter().map(|slice| slice.rtt_s).sum::<f64>() / count - run.min_rtt_s;
        let loss = run.overflowed as f64 / run.segments.max(1.0);
        Some(Self {
            at,
            wait_s: wait_s.max(0.0),
            loss,
        })
    }
}

/// Which packets ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// UDP, as slowpath and traceroute send: expires at a hop, or finds no port at the destination.
    Datagram,
    /// An ICMP echo request for the node itself, as ping sends.
    Echo,
}

/// A way out of a host, hop by hop.
struct Probing<'a> {
    network: &'a Network,
    from: usize,
    way: Vec<usize>,
    to: usize,
}

impl Probing<'_> {
    fn of(network: &Network, from: usize, to: usize) -> Probing<'_> {
        Probing {
            network,
            from,
            way: network.way(from, to),
            to,
        }
    }

    fn who(&self, index: usize) -> Who {
        if index + 1 == self.way.len() {
            Who::Host(self.to)
        } else {
            Who::Behind(self.way[index])
        }
    }

    /// Probability that one probe to the node behind `way[index]` is answered.
    fn answered(
        &self,
        index: usize,
        size_bytes: u32,
        may_fragment: bool,
        asked: Asked,
        rate_pps: f64,
    ) -> f64 {
        let way = &self.way[..=index];
        let back = self.network.answer_way(&self.way, index, self.from);
        let node = &self.network.nodes[self.network.links[way[index]].to];
        if !passes(self.network, way, size_bytes, may_fragment) {
            return 0.0;
        }
        let is_last = index + 1 == self.way.len();
        let ignores = match asked {
            Asked::Echo => !node.manners.answers_large,
            Asked::Datagram => is_last && !node.manners.answers_large_datagrams,
        };
        if ignores && size_bytes > 1_000 {
            return 0.0;
        }
        // An echo reply is as large as its request; all other answers are small.
        if asked == Asked::Echo && !passes(self.network, &back, size_bytes, true) {
            return 0.0;
        }
        let limit = node
            .manners
            .limit_pps
            .map_or(1.0, |limit| (limit / rate_pps.max(0.1)).min(1.0));
        let alive = (1.0 - idle_loss(self.network, way)) * (1.0 - idle_loss(self.network, &back));
        alive * node.manners.answers * limit
    }

    fn rtt_s(&self, index: usize, size_bytes: u32, load: Option<&Load>, chance: &mut Chance) -> f64 {
        let back = self.network.answer_way(&self.way, index, self.from);
        let node = &self.network.nodes[self.network.links[self.way[index]].to];
        let out = idle_delay_s(self.network, &self.way[..=index], size_bytes, chance);
        let home = idle_delay_s(self.network, &back, size_bytes.min(ANSWER_BYTES), chance);
        let waits = load
            .filter(|load| load.at <= index)
            .map_or(0.0, |load| load.wait_s * chance.between(0.5, 1.2));
        out + home + waits + chance.waiting(node.manners.slow_s) + 0.000_03
    }
}

/// A trace with some probes per hop.
pub(super) fn trace(network: &Network, from: usize, to: usize, probes: u16, chance: &mut Chance) -> Seen {
    let probing = Probing::of(network, from, to);
    let mut hops = Vec::new();
    let mut reached = false;
    for index in 0..probing.way.len() {
        let answered = probing.answered(index, 60, false, Asked::Datagram, 3.0);
        let count = chance.binomial(u64::from(probes), answered);
        let rtts_s = (0..count)
            .map(|_| probing.rtt_s(index, 60, None, chance))
            .collect();
        reached |= index + 1 == probing.way.len() && count > 0;
        hops.push(Hop {
            ttl: index as u8 + 1,
            sent: probes,
            who: probing.who(index),
            rtts_s,
        });
    }
    Seen::Trace {
        from,
        to,
        hops,
        reached,
        path_mtu: None,
    }
}

/// The MTU that tracepath would end with: the smallest that a router names, or that the own interface has.
pub(super) fn tracepath(network: &Network, from: usize, to: usize, chance: &mut Chance) -> Seen {
    let mut size = network.hosts[from].machine.mtu;
    let way = network.way(from, to);
    while let Some((_, mtu)) = too_big_said_by(network, &way, size) {
        size = mtu;
    }
    let seen = trace(network, from, to, 1, chance);
    let Seen::Trace {
        from,
        to,
        hops,
        reached,
        ..
    } = seen
    else {
        return seen;
    };
    let fits = passes(network, &way, size, false);
    Seen::Trace {
        from,
        to,
        hops,
        reached: reached && fits,
        path_mtu: fits.then_some(size),
    }
}

/// Sizes tried to the destination and to the hops, as far as a search goes: usual ones, and the edge.
pub(super) fn sizes(network: &Network, from: usize, to: usize, chance: &mut Chance) -> Seen {
    let probing = Probing::of(network, from, to);
    let interface_mtu = network.hosts[from].machine.mtu;
    let last = probing.way.len() - 1;
    let edge = edge(network, &probing.way, interface_mtu);
    let mut tried: Vec<u32> = vec![64, 576, 1_280, 1_400, 1_492, 1_500, 4_352, 9_000];
    tried.extend(edge.into_iter().flat_map(|edge| [edge, edge + 1]));
    tried.retain(|size| *size <= interface_mtu);
    tried.sort_unstable();
    tried.dedup();
    let mut cells = Vec::new();
    let cell = |index: usize,
                ttl: Option<u8>,
                size_bytes: u32,
                may_fragment: bool,
                sent: u16,
                chance: &mut Chance| {
        let answered = probing.answered(index, size_bytes, may_fragment, Asked::Datagram, 20.0);
        let too_big = (!may_fragment)
            .then(|| too_big_said_by(network, &probing.way[..=index], size_bytes))
            .flatten()
            .map(|(at, mtu)| (probing.who(at - 1), mtu));
        Cell {
            ttl,
            who: probing.who(index),
            size_bytes,
            may_fragment,
            sent,
            answered: if too_big.is_some() {
                0
            } else {
                chance.binomial(u64::from(sent), answered) as u16
            },
            too_big,
        }
    };
    for size in &tried {
        cells.push(cell(last, None, *size, false, 3, chance));
    }
    let largest = tried.last().copied().unwrap_or(1_500);
    for index in 0..last {
        for size in tried
            .iter()
            .filter(|s| **s == 64 || **s == largest || edge.is_some_and(|e| **s == e || **s == e + 1))
        {
            cells.push(cell(index, Some(index as u8 + 1), *size, false, 2, chance));
        }
    }
    if let Some(edge) = edge {
        for index in (last.saturating_sub(3)..=last).rev() {
            let ttl = (index < last).then_some(index as u8 + 1);
            cells.push(cell(index, ttl, edge + 1, true, 3, chance));
        }
    }
    let destination_ttl = cells
        .iter()
        .any(|c| c.ttl.is_none() && c.answered > 0)
        .then_some(last as u8 + 1);
    Seen::Sizes {
        from,
        to,
        interface_mtu,
        destination_ttl,
        cells,
    }
}

/// The largest size that passes whole, where a larger one that leaves the host does not.
fn edge(network: &Network, way: &[usize], interface_mtu: u32) -> Option<u32> {
    let limit = way
        .iter()
        .map(|l| network.links[*l].mtu.min(network.links[*l].believed_mtu))
        .min()?;
    (limit < interface_mtu).then_some(limit)
}

/// How many, how large, how fast.
pub(super) struct Count {
    pub(super) size_bytes: u32,
    pub(super) may_fragment: bool,
    pub(super) sent: u64,
    pub(super) rate_pps: f64,
}

/// Probes to one hop.
fn row(
    probing: &Probing<'_>,
    index: usize,
    (probed, asked): (Probed, Asked),
    count: &Count,
    load: Option<&Load>,
    chance: &mut Chance,
) -> Row {
    let answered = probing.answered(index, count.size_bytes, count.may_fragment, asked, count.rate_pps);
    let meets = load
        .filter(|load| load.at <= index)
        .map_or(1.0, |load| 1.0 - load.loss);
    let answered = chance.binomial(count.sent, answered * meets);
    let samples = answered.min(60);
    let too_big = (!count.may_fragment)
        .then(|| too_big_said_by(probing.network, &probing.way[..=index], count.size_bytes))
        .flatten();
    Row {
        probed,
        ttl: index as u8 + 1,
        who: probing.who(index),
        size_bytes: count.size_bytes,
        whole: Some(!count.may_fragment),
        sent: count.sent,
        answered,
        rtts_s: (0..samples)
            .map(|_| probing.rtt_s(index, count.size_bytes, load, chance))
            .collect(),
        rate_pps: count.rate_pps,
        too_big: too_big.map(|(at, mtu)| (probing.who(at - 1), mtu)),
    }
}

/// Every hop in several sizes, expiring and directly, as `slowpath` surveys a path.
pub(super) fn survey(
    network: &Network,
    from: usize,
    to: usize,
    load: Option<&Load>,
    chance: &mut Chance,
) -> Seen {
    let probing = Probing::of(network, from, to);
    let interface_mtu = network.hosts[from].machine.mtu;
    let mut sizes = vec![64];
    if load.is_none() {
        sizes.extend(
            [1_400, interface_mtu]
                .into_iter()
                .filter(|size| *size <= interface_mtu),
        );
    }
    let last = probing.way.len() - 1;
    let mut rows = Vec::new();
    for index in 0..=last {
        for size_bytes in &sizes {
            let count = Count {
                size_bytes: *size_bytes,
                may_fragment: false,
                sent: if load.is_some() { 40 } else { 50 },
                rate_pps: 33.0,
            };
            let probed = if index == last {
                Probed::Destination
            } else {
                Probed::Expiring
            };
            rows.push(row(
                &probing,
                index,
                (probed, Asked::Datagram),
                &count,
                load,
                chance,
            ));
            if index < last && load.is_none() {
                rows.push(row(
                    &probing,
                    index,
                    (Probed::Direct, Asked::Echo),
                    &count,
                    load,
                    chance,
                ));
            }
        }
    }
    Seen::Rows {
        from,
        to,
        loaded: load.is_some(),
        rows,
    }
}

/// Many small packets to some hops, to find small loss.
pub(super) fn hop_loss(network: &Network, from: usize, to: usize, sent: u64, chance: &mut Chance) -> Seen {
    let probing = Probing::of(network, from, to);
    let last = probing.way.len() - 1;
    let mut rows = Vec::new();
    for index in 0..=last {
        if index != last && chance.happens(0.4) {
            continue;
        }
        let count = Count {
            size_bytes: 64,
            may_fragment: false,
            sent,
            rate_pps: 400.0,
        };
        let probed = if index == last {
            Probed::Destination
        } else {
            Probed::Expiring
        };
        rows.push(row(
            &probing,
            index,
            (probed, Asked::Datagram),
            &count,
            None,
            chance,
        ));
    }
    Seen::Rows {
        from,
        to,
        loaded: false,
        rows,
    }
}

/// ping of one host.
pub(super) fn ping(network: &Network, from: usize, to: usize, count: &Count, chance: &mut Chance) -> Seen {
    let probing = Probing::of(network, from, to);
    let last = probing.way.len() - 1;
    let row = row(
        &probing,
        last,
        (Probed::Destination, Asked::Echo),
        count,
        None,
        chance,
    );
    Seen::Rows {
        from,
        to,
        loaded: false,
        rows: vec![row],
    }
}

/// mtr: every hop, once a second.
pub(super) fn mtr(network: &Network, from: usize, to: usize, sent: u64, chance: &mut Chance) -> Seen {
    let probing = Probing::of(network, from, to);
    let last = probing.way.len() - 1;
    let count = Count {
        size_bytes: 64,
        may_fragment: false,
        sent,
        rate_pps: 1.0,
    };
    let rows = (0..=last).map(|index| {
        let probed = if index == last {
            Probed::Destination
        } else {
            Probed::Expiring
        };
        Row {
            whole: None,
            ..row(&probing, index, (probed, Asked::Datagram), &count, None, chance)
        }
    });
    Seen::Rows {
        from,
        to,
        loaded: false,
        rows: rows.collect(),
    }
}

/// Capacities as the delay of sizes tells them, wrong by half at times and blind above a gigabit.
pub(super) fn capacities(network: &Network, from: usize, to: usize, chance: &mut Chance) -> Seen {
    let probing = Probing::of(network, from, to);
    let mut rows = Vec::new();
    for index in 0..probing.way.len() {
        let link = &network.links[probing.way[index]];
        if chance.happens(probing.answered(index, 1_400, false, Asked::Datagram, 3.0)) {
            let seen = link.capacity_bps.min(chance.between(0.6e9, 2e9)) * chance.spread(0.35);
            rows.push((index, seen, probing.rtt_s(index, 64, None, chance)));
        }
    }
    Seen::Capacities { from, to, rows }
}
