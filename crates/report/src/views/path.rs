//! The paths that a round knows: which routers stand between two hosts, and what was measured at each of them, from traces,
//! tables of probes, inferred capacities, counters and route histories of any origin.

use super::interfaces::{kind_words, share_of_packets};
use super::place::is_device;
use super::routes::route_name;
use crate::names::Names;
use crate::table::{Cell, Row, Table, Tone};
use crate::words;
use evidence::{
    CounterKind, DelayStatistics, EchoContext, EchoMode, End, InterfaceCounters, LinkCapacities, Nanos, Node,
    Observation, Payload, ProbeRow, Probes, RouteHistory, Trace, TraceHop, Way,
};
use std::collections::{BTreeMap, BTreeSet};

/// Longer routes are cut: no path has more hops (the TTL of common senders starts at 64).
pub(crate) const MOST_HOPS: usize = 64;
/// Of thousands of traces only the first ways can be held against each other.
const MOST_VIEWS: usize = 64;

/// Round-trip times as a bar shows them, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) min_ns: u64,
    /// The median; the mean where a tool tells no median.
    pub(crate) usual_ns: u64,
    /// The 90th percentile; the largest where a tool tells no percentiles.
    pub(crate) high_ns: u64,
}

impl Spread {
    fn of(delay: &DelayStatistics) -> Option<Self> {
        let ns = |ns: Option<i64>| u64::try_from(ns?).ok();
        let usual = ns(delay.p50_ns.or(delay.mean_ns).or(delay.min_ns))?;
        Some(Self {
            min_ns: ns(delay.min_ns).unwrap_or(usual),
            usual_ns: usual,
            high_ns: ns(delay.p90_ns.or(delay.max_ns)).unwrap_or(usual).max(usual),
        })
    }
}

/// One hop of the path.
#[derive(Debug, Default)]
pub(crate) struct HopView {
    /// Hop number from the vantage.
    pub(crate) ttl: u8,
    /// Who answered, with the name where one is known; several when the path is load balanced.
    pub(crate) routers: Vec<Node>,
    /// Smallest round-trip time of the trace's probes.
    pub(crate) rtt_ns: Option<u64>,
    /// Probes sent by traces.
    pub(crate) sent: u32,
    /// Those answered.
    pub(crate) answered: u32,
    /// The largest unfragmented packet that it was seen to answer; `None` also where none was tried.
    pub(crate) largest_bytes: Option<u32>,
    /// MPLS labels reported.
    pub(crate) mpls: BTreeSet<u32>,
    /// What else records say of the hop, in words.
    pub(crate) told: BTreeSet<String>,
    /// Round-trip times of other probes, no transfer of ours running.
    pub(crate) idle: Option<Spread>,
    /// Round-trip times while a transfer ran.
    pub(crate) loaded: Option<Spread>,
}

/// One way from one host to another. Traces that agree on it are laid over each other.
#[derive(Debug)]
pub(crate) struct PathView {
    /// Short numbers of the observations that show it.
    pub(crate) numbers: Vec<usize>,
    pub(crate) source: Node,
    pub(crate) destination: Node,
    /// What the two are called: `a → b`.
    pub(crate) pair: String,
    /// Which of several ways it is, where a record numbers them.
    pub(crate) note: Option<String>,
    /// The end of the complaint at which it starts.
    pub(crate) starts_at: Option<End>,
    /// Both hosts are those of the complaint.
    pub(crate) between_ends: bool,
    /// Hop number of the destination; `None` when it never answered, or the record does not tell.
    pub(crate) reached_ttl: Option<u8>,
    /// One entry per TTL, silent ones included.
    pub(crate) hops: Vec<HopView>,
    /// How many flows were traced.
    pub(crate) flows: usize,
}

/// The ways that observations show.
pub(crate) fn paths(seen: &[(usize, &Observation)], names: &Names) -> Vec<PathView> {
    let mut views: Vec<PathView> = Vec::new();
    for (number, o) in seen {
        match &o.payload {
            Payload::Trace(trace) => join(&mut views, traced(*number, trace, o, names)),
            Payload::RouteHistory(history) => last_way(*number, history, o, names)
                .into_iter()
                .for_each(|view| join(&mut views, view)),
            _ => {}
        }
    }
    for (number, o) in seen {
        if let Payload::Probes(probes) = &o.payload
            && let Some(view) = hops_of_table(*number, probes, o, names)
            && !views.iter().any(|other| other.pair == view.pair)
        {
            join(&mut views, view);
        }
    }
    if !views.is_empty() {
        seen.iter()
            .for_each(|(number, o)| add(&mut views, *number, o, names));
    }
    views
}

/// Lays a way over one between the same hosts that it agrees with, or sets it beside the others.
fn join(views: &mut Vec<PathView>, view: PathView) {
    let fits = |other: &&mut PathView| {
        other.note == view.note && other.pair == view.pair && agree(&other.hops, &view.hops)
    };
    let room = views.len() < MOST_VIEWS;
    match views.iter_mut().find(fits) {
        Some(other) => lay_over(other, view),
        None if room => views.push(view),
        None => {}
    }
}

/// Whether two ways are one, seen twice: where routers answered in both, most are the same.
fn agree(a: &[HopView], b: &[HopView]) -> bool {
    let both = a
        .iter()
        .filter_map(|x| Some((x, b.iter().find(|y| y.ttl == x.ttl)?)));
    let both: Vec<_> = both
        .filter(|(x, y)| !x.routers.is_empty() && !y.routers.is_empty())
        .collect();
    let shared = |(x, y): &&(&HopView, &HopView)| x.routers.iter().any(|r| is_among(r, &y.routers));
    2 * both.iter().filter(shared).count() >= both.len()
}

fn is_among(router: &Node, others: &[Node]) -> bool {
    others.iter().any(|other| router.same_as(other) == Some(true))
}

fn lay_over(view: &mut PathView, other: PathView) {
    view.numbers.extend(other.numbers);
    view.flows += other.flows;
    view.reached_ttl = view.reached_ttl.into_iter().chain(other.reached_ttl).min();
    for hop in other.hops {
        match view.hops.iter_mut().find(|known| known.ttl == hop.ttl) {
            Some(known) => known.lay_over(hop),
            None => view.hops.push(hop),
        }
    }
    view.hops.sort_by_key(|hop| hop.ttl);
}

impl HopView {
    fn at(ttl: u8) -> Self {
        Self {
            ttl,
            ..Self::default()
        }
    }

    fn row(&self) -> Row {
        let routers: Vec<String> = self.routers.iter().map(Node::to_string).collect();
        let short = self
            .routers
            .iter()
            .map(|node| node.name.clone().unwrap_or_else(|| node.to_string()));
        let short: Vec<String> = short.collect();
        let who = match routers.is_empty() {
            true => Cell::toned(format!("{} silent", self.ttl), Tone::Soft),
            false => Cell::new(format!("{} {}", self.ttl, routers.join(" or "))).short(format!(
                "{} {}",
                self.ttl,
                short.join(" or ")
            )),
        };
        let labels: Vec<String> = self.mpls.iter().map(|label| format!("MPLS {label}")).collect();
        let labels = labels.join(", ");
        let told = self.told.iter().map(String::as_str);
        let told: Vec<&str> = [labels.as_str()]
            .into_iter()
            .chain(told)
            .filter(|t| !t.is_empty())
            .collect();
        let rtt = self.rtt_ns.or(self.idle.map(|idle| idle.usual_ns));
        let cells = [
            who,
            Cell::from(rtt.map(|ns| Nanos(ns).to_string())),
            Cell::from((self.sent > 0).then(|| format!("{}/{}", self.answered, self.sent))),
            Cell::from(self.largest_bytes.map(|size| format!("{size} B"))),
            Cell::new(told.join("; ")).short(labels.as_str()),
        ];
        Row::new(cells.into())
    }

    fn lay_over(&mut self, other: Self) {
        other.routers.iter().for_each(|router| self.meet(router));
        self.rtt_ns = self.rtt_ns.into_iter().chain(other.rtt_ns).min();
        self.sent += other.sent;
        self.answered += other.answered;
        self.largest_bytes = self.largest_bytes.max(other.largest_bytes);
        self.mpls.extend(other.mpls);
        self.told.extend(other.told);
    }

    /// Takes in a router that answered; of two records of one router the fuller one is kept.
    fn meet(&mut self, router: &Node) {
        if router.is_unknown() {
            return;
        }
        match self
            .routers
            .iter_mut()
            .find(|known| known.same_as(router) == Some(true))
        {
            Some(known) => {
                known.name = known.name.take().or_else(|| router.name.clone());
                known.address = known.address.or(router.address);
            }
            None => self.routers.push(router.clone()),
        }
    }
}

pub(crate) fn traced(number: usize, trace: &Trace, o: &Observation, names: &Names) -> PathView {
    let mut hops: BTreeMap<u8, HopView> = BTreeMap::new();
    for hop in trace
        .flows
        .iter()
        .flat_map(|flow| flow.hops.iter().take(MOST_HOPS))
    {
        let view = hops.entry(hop.ttl).or_insert_with(|| HopView::at(hop.ttl));
        add_hop(view, hop, trace);
    }
    let hops: Vec<HopView> = hops.into_values().collect();
    let reached = trace.flows.iter().filter_map(|flow| flow.reached_ttl).min();
    let last = hops.last().filter(|hop| !hop.routers.is_empty());
    let by_record = match trace.reached {
        Some(true) => last.map(|hop| hop.ttl),
        // Without word of it, the last hop that answered is taken for the destination only where it is that.
        _ => hops
            .iter()
            .find(|hop| is_among(&trace.to, &hop.routers))
            .map(|hop| hop.ttl),
    };
    PathView {
        reached_ttl: reached.or(by_record),
        flows: trace.flows.len(),
        hops,
        ..empty(number, (&trace.from, &trace.to), o, names)
    }
}

fn add_hop(view: &mut HopView, hop: &TraceHop, trace: &Trace) {
    view.sent += u32::from(hop.sent());
    view.answered += hop.answers.len() as u32;
    for answer in &hop.answers {
        view.meet(&answer.node);
        view.rtt_ns = view.rtt_ns.into_iter().chain(answer.rtt_ns).min();
        view.mpls.extend(answer.mpls.iter().map(|label| label.label));
        let mtu = answer.mtu_bytes.map(|mtu| format!("says {mtu} bytes at most"));
        let asn = answer.asn.map(|asn| format!("AS{asn}"));
        let mark = answer.mark.as_ref().map(|mark| format!("marked {mark}"));
        view.told.extend([mtu, asn, mark].into_iter().flatten());
        if trace.dont_fragment == Some(true) && answer.mtu_bytes.is_none() {
            view.largest_bytes = view.largest_bytes.max(trace.size_bytes);
        }
    }
}

/// A way with its two hosts and no hops yet. A record that does not name its hosts is of the transfer complained about,
/// seen from where it was observed.
fn empty(number: usize, (from, to): (&Node, &Node), o: &Observation, names: &Names) -> PathView {
    let starts_at = match from.is_unknown() {
        true => names.end_of(&o.provenance.vantage),
        false => names.end_of(from),
    };
    let known = |node: &Node, end: Option<End>| match end {
        Some(end) if node.is_unknown() => Node::named(&names.end(end)),
        _ => node.clone(),
    };
    let other = starts_at.map(End::other);
    let (source, destination) = (known(from, starts_at), known(to, other));
    PathView {
        numbers: vec![number],
        pair: names.pair(&source, &destination),
        source,
        destination,
        note: None,
        starts_at,
        between_ends: starts_at.is_some() && (to.is_unknown() || names.end_of(to) == other),
        reached_ttl: None,
        hops: Vec::new(),
        flows: 0,
    }
}

/// The way of the last trace of a history.
fn last_way(number: usize, history: &RouteHistory, o: &Observation, names: &Names) -> Option<PathView> {
    let (at, index) = history.seen.iter().max_by_key(|(at, index)| (*at, *index))?;
    let index = usize::try_from(*index).ok()?;
    let route = history.routes.get(index)?;
    let hop = |(ttl, node): (u8, &Node)| {
        let mut hop = HopView::at(ttl);
        hop.meet(node);
        hop
    };
    let hops: Vec<HopView> = (1_u8..).zip(route.hops.iter().take(MOST_HOPS)).map(hop).collect();
    let reached = hops.last().filter(|hop| is_among(&history.to, &hop.routers));
    Some(PathView {
        note: Some(format!(
            "{} as last seen {} UTC",
            route_name(route, index),
            words::minute(*at)
        )),
        reached_ttl: reached.map(|hop| hop.ttl),
        flows: 1,
        hops,
        ..empty(number, (&history.from, &history.to), o, names)
    })
}

/// A table of hops is a trace as well, where no trace shows the way.
fn hops_of_table(number: usize, probes: &Probes, o: &Observation, names: &Names) -> Option<PathView> {
    let destination = probes.destination.as_ref()?;
    let mut hops: BTreeMap<u8, HopView> = BTreeMap::new();
    for row in probes.rows.iter().filter(|row| row.way == Way::RoundTrip) {
        if let Some(ttl) = ttl_of(row, probes) {
            let hop = hops.entry(ttl).or_insert_with(|| HopView::at(ttl));
            row.answered_by
                .iter()
                .chain([&row.to])
                .for_each(|node| hop.meet(node));
        }
    }
    (hops.len() > 1).then(|| PathView {
        reached_ttl: probes.destination_ttl,
        hops: hops.into_values().take(MOST_HOPS).collect(),
        ..empty(number, (&probes.from, destination), o, names)
    })
}

/// The hop number of a row: its own, or the destination's for probes with a full TTL.
pub(crate) fn ttl_of(row: &ProbeRow, probes: &Probes) -> Option<u8> {
    let at_end = row.mode != Some(EchoMode::Direct);
    row.ttl.or(probes.destination_ttl.filter(|_| at_end))
}

/// Adds what an observation measured at the hops of the ways that it is about.
fn add(views: &mut [PathView], number: usize, o: &Observation, names: &Names) {
    match &o.payload {
        Payload::Probes(probes) => {
            if let Some(to) = &probes.destination {
                let view = empty(number, (&probes.from, to), o, names);
                on_pair(views, number, &view.pair, |view| view.add_probes(probes));
            }
        }
        Payload::LinkCapacities(path) => {
            let pair = names.pair(&path.from, &path.to);
            on_pair(views, number, &pair, |view| view.add_capacities(path));
        }
        Payload::InterfaceCounters(counters) => {
            for view in views {
                if view.add_counters(counters) {
                    view.cite(number);
                }
            }
        }
        _ => {}
    }
}

fn on_pair(views: &mut [PathView], number: usize, pair: &str, add: impl Fn(&mut PathView)) {
    for view in views.iter_mut().filter(|view| view.pair == pair) {
        add(view);
        view.cite(number);
    }
}

fn error_words(kind: CounterKind, value: u64, share: f64) -> String {
    let (name, value) = (kind_words(kind), words::count(value));
    format!("{name} {value} ({})", words::share(share))
}

impl PathView {
    /// The way as traceroute's users know it, one line a hop, with what else is known of the hop beside it.
    pub(crate) fn table(&self) -> Table {
        let heads = ["hop", "RTT", "answered", "largest", ""];
        let flows = match self.flows {
            0 => String::new(),
            n => format!(", {}", words::plural(n as u64, "flow", "flows")),
        };
        let never = self.reached_ttl.is_none();
        Table {
            title: format!("{} -> {}{flows}", self.source, self.destination),
            cites: Vec::new(),
            head: heads.map(str::to_owned).to_vec(),
            rows: self.hops.iter().map(HopView::row).collect(),
            notes: never
                .then(|| format!("{} never answered.", self.destination))
                .into_iter()
                .collect(),
        }
    }

    fn cite(&mut self, number: usize) {
        if let Err(place) = self.numbers.binary_search(&number) {
            self.numbers.insert(place, number);
        }
    }

    fn hop_of(&mut self, row: &ProbeRow, probes: &Probes) -> Option<&mut HopView> {
        let ttl = ttl_of(row, probes);
        self.hops.iter_mut().find(|hop| match ttl {
            Some(ttl) => hop.ttl == ttl,
            None => is_among(&row.to, &hop.routers),
        })
    }

    fn add_capacities(&mut self, path: &LinkCapacities) {
        for link in &path.links {
            let hop = self.hops.iter_mut().find(|hop| hop.ttl == link.ttl);
            if let (Some(hop), Some(rate)) = (hop, link.capacity_bps) {
                hop.told.insert(format!("{rate} inferred for the link before it"));
            }
        }
    }

    /// Errors that an interface of a hop counts; `false` where the device is not on the way, or counts none.
    fn add_counters(&mut self, counters: &InterfaceCounters) -> bool {
        let device = counters.device.to_string();
        let at = |hop: &&mut HopView| hop.routers.iter().any(|router| is_device(&device, None, router));
        let errors = counters.counters.iter().filter(|(_, value)| **value > 0);
        let told: Vec<String> = errors
            .filter_map(|(kind, value)| Some(error_words(*kind, *value, share_of_packets(counters, *kind)?)))
            .collect();
        let hop = self.hops.iter_mut().find(at).filter(|_| !told.is_empty());
        let found = hop.is_some();
        hop.into_iter().for_each(|hop| {
            hop.told
                .insert(format!("{} counts {}", counters.interface, told.join(", ")));
        });
        found
    }

    /// Adds round-trip times at the smallest size tried (queues and serialisation of large packets are another matter),
    /// sizes that got there, and loss. What a hop answers for itself says nothing of what it forwards.
    fn add_probes(&mut self, probes: &Probes) {
        let mut smallest: BTreeMap<u8, u32> = BTreeMap::new();
        let rows = probes.rows.iter().filter(|row| row.way == Way::RoundTrip);
        for row in rows.filter(|row| row.mode != Some(EchoMode::Direct)) {
            let Some(hop) = self.hop_of(row, probes) else {
                continue;
            };
            row.answered_by.iter().for_each(|node| hop.meet(node));
            let answered = row.received.is_some_and(|received| received > 0);
            if row.dont_fragment == Some(true) && answered {
                hop.largest_bytes = hop.largest_bytes.max(row.size_bytes);
            }
            let loaded = probes.context == Some(EchoContext::UnderLoad);
            hop.told.extend(loss_words(row, loaded));
            let size = row.size_bytes.unwrap_or(0);
            let spread = row.delay.as_ref().and_then(Spread::of);
            if let Some(spread) = spread.filter(|_| smallest.get(&hop.ttl).is_none_or(|least| size < *least))
            {
                smallest.insert(hop.ttl, size);
                *(if loaded { &mut hop.loaded } else { &mut hop.idle }) = Some(spread);
            }
        }
    }
}

/// Loss that is neither nothing nor everything: a hop that answers no probe of a size says nothing of loss.
fn loss_words(row: &ProbeRow, loaded: bool) -> Option<String> {
    let (lost, sent) = row.count_lost().zip(row.sent)?;
    let size = row
        .size_bytes
        .map_or_else(String::new, |size| format!(" of {size} bytes"));
    let when = if loaded { " under load" } else { "" };
    (0 < lost && lost < sent).then(|| format!("{} probes{size} lost{when}", words::lost_of(lost, sent)))
}

/// Which sizes reach a hop.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The largest size answered; `None` when it was tried and answered at no size.
    pub(crate) largest: Option<u32>,
    /// The smallest size above it that was tried in vain; `None` when none was tried.
    pub(crate) failed_above: Option<u32>,
}

/// Which sizes each hop answered, asked with or without leave to fragment; the destination's own probes count for its TTL.
pub(crate) fn reached_sizes(probes: &Probes, dont_fragment: Option<bool>) -> Vec<(u8, Reach)> {
    let mut rows: BTreeMap<u8, BTreeMap<u32, bool>> = BTreeMap::new();
    let asked = probes.rows.iter().filter(|row| {
        row.way == Way::RoundTrip && row.dont_fragment == dont_fragment && row.mode != Some(EchoMode::Direct)
    });
    for row in asked.filter(|row| row.sent.is_none_or(|sent| sent > 0)) {
        let answered = match row.received {
            Some(received) => received > 0,
            None => row.loss().is_some_and(|loss| loss < 1.0),
        };
        if let Some((ttl, size)) = ttl_of(row, probes).zip(row.size_bytes) {
            *rows.entry(ttl).or_default().entry(size).or_default() |= answered;
        }
    }
    rows.into_iter().map(|(ttl, row)| (ttl, reach(&row))).collect()
}

fn reach(row: &BTreeMap<u32, bool>) -> Reach {
    let answered = row.iter().rev().find(|(_, answered)| **answered);
    let largest = answered.map(|(size, _)| *size);
    let above = row
        .iter()
        .find(|(size, answered)| !**answered && Some(**size) > largest);
    Reach {
        largest,
        failed_above: above.map(|(size, _)| *size),
    }
}
