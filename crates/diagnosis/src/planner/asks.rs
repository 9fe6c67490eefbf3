//! What could be asked, with figures that suit the path, and what each would see.

use super::suspicion::Suspicion;
use super::view::View;
use crate::adapters::Gathered;
use crate::engine::Posterior;
use evidence::{Ask, End, Node, Payload, ProbeProtocol, Transport};
use model::{Control, Measurement, NodeId, OPTIONS_BYTES, Program, Rate, Seen, Trust};

/// What an ask is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The plain transfer once more: of several equal routes it may take another.
    Again,
    /// Which sizes pass.
    Sizes,
    /// The counterfactual of a black hole: the same transfer with segments that fit.
    Fitting,
    /// Tells what limits each connection alone (window, loss) from what all share (link, processor).
    Parallel,
    /// More than TCP gets: does more arrive?
    Overload,
    /// A second or two of small packets: loss that matters much, or none.
    Glance,
    /// Small packets for as long as it takes to see the loss that would explain the rate, or to exclude it.
    Hunt,
    /// Every hop, three sizes: habits of the hops, and delays at rest.
    Survey,
    /// Small packets against the data: loss there would be taken for loss at every hop.
    Backward,
    /// Loss up to one hop.
    Hop,
    /// The way between two of whom one is a third place: what it shares with the path.
    Trace(NodeId, NodeId),
    /// What is measured over that way.
    Leg(NodeId, NodeId),
}

/// Something that could be asked after the opening.
pub(super) struct Idea {
    pub(super) purpose: Purpose,
    pub(super) ask: Ask,
    pub(super) done: bool,
    /// What has to be measured before, if it can be.
    pub(super) needs: Vec<Purpose>,
    /// What it would see, but for the results. Several where nobody knows yet over which way it would go: each is as likely.
    pub(super) sees: Vec<Vec<Measurement>>,
}

/// What every diagnosis begins with, and whether it was done.
pub(super) fn opening(view: &View<'_>, min_rtt_s: Option<f64>) -> Vec<(Ask, bool)> {
    let local = view.complaint.local_end;
    let settings = |end: End| (Ask::HostFacts { at: view.node(end) }, view.has_settings(end));
    let mut all = vec![settings(local)];
    if view.both_ends {
        all.push(settings(local.other()));
    }
    // Several flow identifiers: a fault on one of several parallel links hits only some flows.
    let route = Ask::Route {
        from: view.node(view.probe_from),
        to: view.node(view.probe_from.other()),
        protocol: ProbeProtocol::Udp,
        flows: 4,
    };
    all.push((route, view.has_route()));
    if view.both_ends {
        let done = view.plain().next().is_some();
        // The route has told by then how far it is.
        all.push((
            transfer(
                view.with_data(),
                1,
                None,
                patience_ms(milliseconds(min_rtt_s)),
                true,
            ),
            done,
        ));
    }
    // Whether they are there, and how their windows and buffers would limit a transfer with them.
    all.extend(view.third_places().map(|place| {
        let mut seen = view.seen_at(place);
        let done = seen.any(|payload| matches!(payload, Payload::HostFacts(_)));
        (Ask::HostFacts { at: place.clone() }, done)
    }));
    all
}

/// A round-trip time in milliseconds; a far one where it is not known.
fn milliseconds(rtt_s: Option<f64>) -> u64 {
    rtt_s.map_or(100, |s| (s * 1e3) as u64)
}

/// A transfer stops by itself as soon as it is stable; this is how long it may take. A loss-based sender on a long path
/// starts at line rate and comes down loss by loss, each many round trips after the last: with less time, small loss
/// looks fast.
pub(super) fn patience_ms(rtt_ms: u64) -> u64 {
    (3_000 + 220 * rtt_ms).clamp(5_000, 30_000)
}

pub(super) fn transfer(
    (from, to): (Node, Node),
    streams: u16,
    mss_bytes: Option<u32>,
    time_ms: u64,
    watch_hops: bool,
) -> Ask {
    Ask::TcpThroughput {
        from,
        to,
        streams,
        mss_bytes,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: u32::try_from(time_ms).unwrap_or(30_000),
        max_bytes: None,
        watch_hops,
    }
}

/// All that can be asked after the opening.
pub(super) fn ideas(view: &View<'_>, gathered: &mut Gathered, posterior: &Posterior) -> Vec<Idea> {
    let suspicion = Suspicion::of(gathered, posterior);
    let third = view.third_places().filter_map(|place| gathered.map.find(place));
    let mut planner = Ideas {
        view,
        rtt_ms: milliseconds(gathered.min_rtt_s()),
        hosts: [gathered.from, gathered.to].into_iter().chain(third).collect(),
        gathered,
        suspicion,
        all: Vec::new(),
    };
    if view.both_ends {
        planner.again();
        planner.fitting();
        planner.parallel();
        planner.overload();
        planner.streams();
    }
    planner.sizes();
    planner.survey();
    if view.both_ends {
        planner.hops();
    }
    planner.legs();
    planner.all
}

/// Gathers what can be asked.
pub(super) struct Ideas<'a, 'g> {
    pub(super) view: &'a View<'a>,
    pub(super) gathered: &'g mut Gathered,
    pub(super) rtt_ms: u64,
    /// The two ends, and the third places.
    hosts: Vec<NodeId>,
    pub(super) suspicion: Suspicion,
    pub(super) all: Vec<Idea>,
}

/// Plain transfers for each equal route, and in all: of two routes four tests miss one in an eighth of all cases, and nobody waits
/// for each of sixteen.
const TESTS_PER_ROUTE: usize = 2;
const MOST_TESTS: usize = 8;
/// IP and TCP headers of a segment without options, bytes.
const HEADERS_V4: f64 = 40.0;
const HEADERS_V6: f64 = 60.0;

impl Ideas<'_, '_> {
    pub(super) fn add(&mut self, purpose: Purpose, ask: Ask, done: bool, sees: Vec<Measurement>) {
        self.add_open(purpose, ask, done, vec![sees]);
    }

    /// The same for something that may go over several ways.
    pub(super) fn add_open(&mut self, purpose: Purpose, ask: Ask, done: bool, sees: Vec<Vec<Measurement>>) {
        let needs = match purpose {
            Purpose::Hop => vec![Purpose::Survey, Purpose::Hunt],
            Purpose::Leg(from, to) => vec![Purpose::Trace(from, to)],
            _ => Vec::new(),
        };
        self.all.push(Idea {
            purpose,
            ask,
            done,
            needs,
            sees,
        });
    }

    pub(super) fn measured(&mut self, from: NodeId, to: NodeId, seen: Seen) -> Measurement {
        let mut way = |from: NodeId, to: NodeId| {
            let mut all = vec![self.gathered.map.host(from)];
            all.extend(self.gathered.map.path(from, to).ways);
            if self.hosts.contains(&to) {
                all.push(self.gathered.map.host(to));
            }
            all
        };
        let (mut out, back) = (way(from, to), way(to, from));
        let routes = self.gathered.map.open_routes(from, to, &mut out);
        Measurement {
            from,
            to,
            out,
            back,
            seen,
            trust: Trust::Measured,
            maybe: Vec::new(),
            routes,
            cites: Vec::new(),
        }
    }

    /// A transfer with the data as the plain one was, but for what is asked of it.
    fn tcp(&mut self, purpose: Purpose, ask: Ask, done: bool) {
        let ends = (self.gathered.from, self.gathered.to);
        self.tcp_between(ends, purpose, ask, done);
    }

    /// The same between any two.
    pub(super) fn tcp_between(
        &mut self,
        (from, to): (NodeId, NodeId),
        purpose: Purpose,
        ask: Ask,
        done: bool,
    ) {
        let Ask::TcpThroughput {
            streams, mss_bytes, ..
        } = &ask
        else {
            return;
        };
        let is_tcp = |rate: &&Rate| rate.transport == Transport::Tcp;
        let plain = self.gathered.complained().find_map(|m| m.rate().filter(is_tcp));
        let asked = mss_bytes.map(|mss| f64::from(mss) - OPTIONS_BYTES);
        let seen = Seen::Rate(Rate {
            streams: f64::from(*streams),
            mss_bytes: asked.or(plain.and_then(|rate| rate.mss_bytes)),
            control: plain.map_or(Control::Unknown, |rate| rate.control),
            ..Rate::bare(0.0, self.gathered.min_rtt_s(), Program::Test)
        });
        let one = self.measured(from, to, seen);
        let sees = self.over_ways(one);
        self.add_open(purpose, ask, done, sees);
    }

    fn again(&mut self) {
        let (from, to) = (self.gathered.from, self.gathered.to);
        let routes = self.gathered.map.routes(from, to).len();
        if routes < 2 {
            return;
        }
        let done = self.view.plain().count() >= MOST_TESTS.min(TESTS_PER_ROUTE * routes);
        let ask = transfer(self.view.with_data(), 1, None, patience_ms(self.rtt_ms), true);
        self.tcp(Purpose::Again, ask, done);
    }

    fn fitting(&mut self) {
        /// The least MTU of IPv4 hosts, 576 bytes (RFC 791), less headers: no path needs less.
        const LEAST_MSS: f64 = 500.0;
        /// One where a size is first suspected, one where it is known better. After those that brought nothing, the
        /// suspicion only moves on to the next smaller size.
        const MOST_FITTED: usize = 2;
        let Some(passes) = self.suspicion.passes_bytes else {
            return;
        };
        let v6 = self
            .view
            .node(End::To)
            .address
            .is_some_and(|address| address.is_ipv6());
        let headers = if v6 { HEADERS_V6 } else { HEADERS_V4 };
        let mss = (self.end_to_end_bytes().map_or(passes, |size| size.min(passes)) - headers).max(LEAST_MSS);
        let fitted = || self.view.tcp().filter_map(|t| t.mss_bytes);
        let done = fitted().count() >= MOST_FITTED || fitted().any(|asked| f64::from(asked) <= mss);
        let time_ms = (3_000 + 15 * self.rtt_ms).min(6_000);
        let ask = transfer(self.view.with_data(), 1, Some(mss as u32), time_ms, false);
        self.tcp(Purpose::Fitting, ask, done);
    }

    /// The largest packet that was seen to reach the receiver whole.
    pub(super) fn end_to_end_bytes(&self) -> Option<f64> {
        let to_receiver = self
            .gathered
            .measurements
            .iter()
            .filter(|m| m.to == self.gathered.to);
        let tried = to_receiver.filter_map(Measurement::delivery);
        let whole = tried.filter(|seen| seen.dont_fragment && seen.answered > 0.0);
        whole.map(|seen| seen.size_bytes).max_by(f64::total_cmp)
    }

    fn parallel(&mut self) {
        const STREAMS: u16 = 4;
        const LONGEST_MS: u64 = 12_000;
        let done = self
            .view
            .tcp()
            .any(|t| t.streams.is_some_and(|streams| streams > 1));
        let ask = transfer(
            self.view.with_data(),
            STREAMS,
            None,
            patience_ms(self.rtt_ms).min(LONGEST_MS),
            true,
        );
        self.tcp(Purpose::Parallel, ask, done);
    }
}
