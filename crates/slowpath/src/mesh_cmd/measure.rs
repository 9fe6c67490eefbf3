//! Measures between any two places: routes, then probes of all pairs side by side, then full rates where they are wanted.
//!
//! The places measure by themselves; this host says who probes whom, and carries the keys with which they answer each other.

use super::gentle::Gentle;
use crate::console::Console;
use crate::far::{Far, TURNED};
use crate::places::{End, Reached};
use crate::vantages::{TOOL, name_ends, now};
use evidence::{
    Ask, EchoContext, EchoMode, Node, NotMeasured, NotMeasuredReason, Observation, Party, Payload,
    ProbeProtocol, ProbeRow, Probes, Provenance, Way,
};
use futures::StreamExt;
use futures::future::join_all;
use net::far_end::{Arrivals, LocalAsk, Peer, Side, between, towards_peers};
use net::{NetError, Watch};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Who traces at the same time: all of them at once would meet in the routers between them, which answer so much and no more.
const TRACING_AT_ONCE: usize = 4;
/// What tracing one place may take.
const TRACE_TIME: Duration = Duration::from_secs(8);
/// TTL of probes that go all the way, as hosts send them.
const FULL_TTL: u8 = 64;
/// Of a full transfer.
const FULL_TIME_MS: u32 = 5_000;

/// From one place to another, by their numbers.
type Way2 = (usize, usize);
/// For each probing place and target what the target answers to.
type Keys = BTreeMap<Way2, Peer>;

/// The places of a mesh, and the round that they measure for.
pub(super) struct Mesh<'a> {
    pub(super) places: &'a [Reached],
    pub(super) parties: Vec<Party>,
    pub(super) round: u32,
    pub(super) console: &'a Console,
}

impl<'a> Mesh<'a> {
    pub(super) fn new(places: &'a [Reached], round: u32, console: &'a Console) -> Self {
        let any = places.iter().find_map(Reached::far);
        Self {
            places,
            parties: places.iter().map(|place| place.party(any)).collect(),
            round,
            console,
        }
    }

    fn quiet(&self) -> Watch {
        Watch::new(self.console.cancel.clone(), |_| {})
    }

    /// All ways between two places that both take part.
    fn ways(&self) -> Vec<Way2> {
        let takes_part = |index: &usize| self.places[*index].end.is_ok();
        let all: Vec<usize> = (0..self.places.len()).filter(takes_part).collect();
        let from = |from: &usize| {
            let from = *from;
            all.iter()
                .copied()
                .filter(move |to| *to != from)
                .map(move |to| (from, to))
        };
        all.iter().flat_map(from).collect()
    }

    fn observed(&self, vantage: usize, payload: Payload) -> Observation {
        let vantage = self.parties[vantage].node();
        Observation::new(Provenance::measured(vantage, now(), self.round, TOOL), payload)
    }

    fn node(&self, place: usize) -> Node {
        self.parties[place].node()
    }

    fn not_measured(&self, ask: Ask, from: usize, reason: NotMeasuredReason, detail: String) -> Observation {
        let payload = Payload::NotMeasured(NotMeasured { ask, reason, detail });
        self.observed(from, payload)
    }

    /// The ways from or to places that do not take part, and why.
    pub(super) fn absent(&self, gentle: Gentle) -> Vec<Observation> {
        let mut absent = Vec::new();
        for from in 0..self.places.len() {
            for to in (0..self.places.len()).filter(|to| *to != from) {
                let missing = [from, to].into_iter().find_map(|at| {
                    let why = self.places[at].end.as_ref().err()?;
                    Some(format!("{}: {why}", self.places[at].name))
                });
                absent.extend(missing.map(|why| {
                    self.not_measured(
                        self.probing((from, to), gentle),
                        from,
                        NotMeasuredReason::NoFarEnd,
                        why,
                    )
                }));
            }
        }
        absent
    }

    fn probing(&self, (from, to): Way2, gentle: Gentle) -> Ask {
        Ask::HopLoss {
            from: self.node(from),
            to: self.node(to),
            ttls: vec![FULL_TTL],
            count: gentle.count,
            rate_pps: gentle.pps,
        }
    }

    /// Has every far end admit all others. Who is not admitted has no key, and why is told.
    async fn admissions(&self) -> (Keys, BTreeMap<Way2, NetError>) {
        let quiet = &self.quiet();
        let admit = |(target, far): (usize, &'a Far)| async move {
            let others: Vec<usize> = self
                .ways()
                .into_iter()
                .filter(|(_, to)| *to == target)
                .map(|(from, _)| from)
                .collect();
            // We come to each far end from the address that it knows us by.
            let address = |other: &usize| match self.places[*other].far() {
                Some(_) => self.parties[*other]
                    .address
                    .unwrap_or_else(|| far.end.local_address()),
                None => far.end.local_address(),
            };
            let addresses: Vec<_> = others.iter().map(address).collect();
            let admitted = far.end.admit(&addresses, quiet).await;
            (target, others, admitted, far.has_dialed())
        };
        let (mut keys, mut refused) = (Keys::new(), BTreeMap::new());
        for (target, others, admitted, has_dialed) in join_all(self.fars().map(admit)).await {
            match admitted {
                Ok(admitted) => {
                    for (other, peer) in others.into_iter().zip(admitted) {
                        let address = self.parties[other].address;
                        match peer {
                            // What a firewall drops of probes is no loss.
                            Some(_) if has_dialed => {
                                let at = self.places[target].name.clone();
                                let why = NetError::Unreachable(at, TURNED.to_owned());
                                drop(refused.insert((other, target), why));
                            }
                            Some(peer) => drop(keys.insert((other, target), peer)),
                            None => drop(refused.insert((other, target), self.not_allowed(target, address))),
                        }
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    let each = others
                        .into_iter()
                        .map(|other| ((other, target), NetError::PeerGone(text.clone())));
                    refused.extend(each);
                }
            }
        }
        (keys, refused)
    }

    fn not_allowed(&self, at: usize, peer: Option<std::net::IpAddr>) -> NetError {
        let peer = peer.map_or_else(|| "PREFIX".to_owned(), |peer| peer.to_string());
        NetError::Refused(format!(
            "{}: its owner does not allow tests with {peer}: start `slowpath serve` there with --allow-peers {peer}, or with the \
             prefix of your hosts",
            self.places[at].name
        ))
    }

    fn fars(&self) -> impl Iterator<Item = (usize, &'a Far)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(index, place)| Some((index, place.far()?)))
    }

    /// The routes from each place to each other one. `note` gets them as they come.
    pub(super) async fn routes(&self, mut note: impl FnMut(Observation)) {
        let (keys, _) = self.admissions().await;
        let ways = self.ways();
        let watch = self.console.begin("tracing between all places");
        let tracing: Vec<_> = (0..self.places.len())
            .map(|from| {
                let targets: Vec<usize> = ways.iter().filter(|way| way.0 == from).map(|way| way.1).collect();
                self.routes_from(from, targets, &keys)
            })
            .collect();
        let (mut done, all) = (0usize, ways.len());
        let mut traced = futures::stream::iter(tracing).buffer_unordered(TRACING_AT_ONCE);
        while let Some(routes) = traced.next().await {
            done += routes.len();
            watch.report(
                format!("{done} of {all} routes traced"),
                Some(done as f32 / all.max(1) as f32),
            );
            routes.into_iter().for_each(&mut note);
        }
    }

    async fn routes_from(&self, from: usize, targets: Vec<usize>, keys: &Keys) -> Vec<Observation> {
        let quiet = self.quiet();
        let route = LocalAsk::Route {
            protocol: ProbeProtocol::Udp,
            flows: 1,
        };
        let towards: Vec<(usize, Peer)> = targets
            .iter()
            .filter_map(|to| Some((*to, *keys.get(&(from, *to))?)))
            .collect();
        let peers: Vec<Peer> = towards.iter().map(|(_, peer)| *peer).collect();
        let ask = |to: usize| Ask::Route {
            from: self.node(from),
            to: self.node(to),
            protocol: ProbeProtocol::Udp,
            flows: 1,
        };
        let outcomes = match &self.places[from].end {
            Ok(End::Here(source)) => towards_peers(&route, &peers, *source, &quiet).await,
            Ok(End::There(far)) => {
                let within = TRACE_TIME * u32::try_from(peers.len()).unwrap_or(u32::MAX);
                each(far.end.towards(&route, &peers, within, &quiet).await, peers.len())
            }
            Err(_) => return Vec::new(),
        };
        let mut routes: Vec<Observation> = Vec::new();
        let mut put = |to: usize, outcome: Result<Payload, NetError>| {
            routes.push(match outcome {
                Ok(mut payload) => {
                    name_ends(&mut payload, &self.parties[from], &self.parties[to]);
                    self.observed(from, payload)
                }
                Err(error) => self.not_measured(ask(to), from, error.reason(), error.to_string()),
            });
        };
        towards
            .iter()
            .zip(outcomes)
            .for_each(|((to, _), outcome)| put(*to, outcome));
        // Towards us a far end needs no key: this is what a session is for.
        let here = targets
            .iter()
            .find(|to| matches!(self.places[**to].end, Ok(End::Here(_))));
        if let (Some(here), Some(far)) = (here, self.places[from].far()) {
            let traced = far.perform(&ask(*here), Side::There, &quiet).await;
            put(
                *here,
                traced.and_then(|payloads| payloads.into_iter().next().ok_or_else(silent)),
            );
        }
        routes
    }

    /// Loss and delay of all pairs, at the same time.
    pub(super) async fn losses(&self, gentle: Gentle) -> Vec<Observation> {
        let (keys, refused) = self.admissions().await;
        let ask = LocalAsk::HopLoss {
            ttls: vec![FULL_TTL],
            count: gentle.count,
            rate_pps: gentle.pps,
        };
        let time = Duration::from_secs(gentle.count / u64::from(gentle.pps.max(1)));
        let shared: BTreeMap<usize, Vec<(usize, Peer)>> = self.share(&keys);
        let (ask, shared) = (&ask, &shared);
        let measuring = join_all(shared.iter().map(|(from, towards)| async move {
            let peers: Vec<Peer> = towards.iter().map(|(_, peer)| *peer).collect();
            let quiet = self.quiet();
            let outcomes = match &self.places[*from].end {
                Ok(End::Here(source)) => towards_peers(ask, &peers, *source, &quiet).await,
                Ok(End::There(far)) => each(far.end.towards(ask, &peers, time, &quiet).await, peers.len()),
                Err(_) => Vec::new(),
            };
            let tos = towards.iter().map(|(to, _)| *to);
            tos.zip(outcomes)
                .map(|(to, outcome)| ((*from, to), outcome))
                .collect::<Vec<_>>()
        }));
        let pairs: usize = shared.values().map(Vec::len).sum();
        let outcomes = self
            .shown(&format!("probing {pairs} pairs"), time, measuring)
            .await;
        let arrived = self.arrivals().await;
        let mut observed = Vec::new();
        for (way, outcome) in outcomes.into_iter().flatten() {
            let counted = outcome.and_then(|payload| self.counted(way, &payload, arrived.get(&way)));
            match counted {
                Ok(both) => observed.extend(both),
                Err(error) => observed.extend(self.failed(way, gentle, &error)),
            }
        }
        for ((from, to), error) in &refused {
            // Of a pair that was probed the other way round both ways are known.
            let is_known = |way: &Way2| {
                shared
                    .get(&way.0)
                    .is_some_and(|known| known.iter().any(|one| one.0 == way.1))
            };
            if !is_known(&(*from, *to)) && !is_known(&(*to, *from)) {
                let ask = self.probing((*from, *to), gentle);
                observed.push(self.not_measured(ask, *from, error.reason(), error.to_string()));
            }
        }
        observed
    }

    /// Who probes whom: each pair once, we wherever we are one of the two, and else as many by one as by the other.
    fn share(&self, keys: &Keys) -> BTreeMap<usize, Vec<(usize, Peer)>> {
        let is_here = |at: usize| matches!(self.places[at].end, Ok(End::Here(_)));
        let mut shared: BTreeMap<usize, Vec<(usize, Peer)>> = BTreeMap::new();
        for (a, b) in self.ways().into_iter().filter(|(a, b)| a < b) {
            let first = is_here(a) || !is_here(b) && (a + b) % 2 == 0;
            let orders = if first { [(a, b), (b, a)] } else { [(b, a), (a, b)] };
            // We answer nobody but to a session of ours.
            let mut possible = orders.into_iter().filter(|(_, to)| !is_here(*to));
            if let Some(((from, to), peer)) = possible.find_map(|way| Some((way, *keys.get(&way)?))) {
                shared.entry(from).or_default().push((to, peer));
            }
        }
        shared
    }

    /// Waits for what takes so long, and shows how far it is.
    async fn shown<T>(&self, what: &str, time: Duration, measuring: impl Future<Output = T>) -> T {
        let watch = self.console.begin(what);
        let began = Instant::now();
        tokio::pin!(measuring);
        loop {
            tokio::select! {
                done = &mut measuring => return done,
                () = tokio::time::sleep(Duration::from_millis(250)) => {
                    let share = began.elapsed().as_secs_f32() / time.as_secs_f32().max(1.0);
                    watch.report("counting lost packets", Some(share.min(1.0)));
                }
            }
        }
    }

    /// Which probes came, for each way on which some were sent.
    async fn arrivals(&self) -> BTreeMap<Way2, Arrivals> {
        // What was measured before Ctrl-C counts as well, and is only asked for here.
        let uncancelled = &Watch::quiet();
        let count =
            |(target, far): (usize, &'a Far)| async move { (target, far.end.arrivals(uncancelled).await) };
        let mut arrived = BTreeMap::new();
        for (target, counts) in join_all(self.fars().map(count)).await {
            let others = self.ways().into_iter().filter(|(_, to)| *to == target);
            for (way, count) in others.zip(counts.unwrap_or_default()) {
                arrived.extend(count.map(|count| (way, count)));
            }
        }
        arrived
    }

    /// Both ways of a pair, from what the prober saw and what came to the other.
    fn counted(
        &self,
        (from, to): Way2,
        payload: &Payload,
        arrived: Option<&Arrivals>,
    ) -> Result<[Observation; 2], NetError> {
        let Payload::Probes(Probes {
            rows,
            own_socket_drops,
            elapsed_ns,
            ..
        }) = payload
        else {
            return Err(silent());
        };
        let (Some(row), Some(arrived)) = (rows.first(), arrived) else {
            return Err(silent());
        };
        let (sent, answers) = (row.sent.unwrap_or(0), row.received.unwrap_or(0));
        let one_way = |to: usize, sent: u64, received: u64| ProbeRow {
            way: Way::OneWay,
            to: self.node(to),
            size_bytes: row.size_bytes,
            sent: Some(sent),
            received: Some(received.min(sent)),
            rate_pps: row.rate_pps,
            ..ProbeRow::default()
        };
        let there = ProbeRow {
            duplicates: Some(arrived.duplicates),
            reordered: Some(arrived.reordered),
            ..one_way(to, sent, arrived.received)
        };
        // What is lost of a round trip is told by the two ways: here the delays alone count.
        let both = ProbeRow {
            way: Way::RoundTrip,
            mode: Some(EchoMode::ToDestination),
            to: self.node(to),
            size_bytes: row.size_bytes,
            received: Some(answers),
            delay: row.delay,
            ..ProbeRow::default()
        };
        let back = one_way(from, arrived.answered, answers);
        let table = |from: usize, to: usize, rows: Vec<ProbeRow>| {
            Payload::Probes(Probes {
                from: self.node(from),
                destination: Some(self.node(to)),
                protocol: Some(ProbeProtocol::Udp),
                context: Some(EchoContext::Idle),
                own_socket_drops: *own_socket_drops,
                elapsed_ns: *elapsed_ns,
                rows,
                ..Probes::default()
            })
        };
        Ok([
            self.observed(from, table(from, to, vec![there, both])),
            self.observed(from, table(to, from, vec![back])),
        ])
    }

    /// A pair that gave nothing: neither way was measured.
    fn failed(&self, (from, to): Way2, gentle: Gentle, error: &NetError) -> [Observation; 2] {
        [(from, to), (to, from)]
            .map(|way| self.not_measured(self.probing(way, gentle), from, error.reason(), error.to_string()))
    }

    /// Full rates between any two places, one after the other.
    pub(super) async fn rates(&self, mut note: impl FnMut(Observation)) {
        for (from, to) in self.ways() {
            let ask = Ask::TcpThroughput {
                from: self.node(from),
                to: self.node(to),
                streams: 1,
                mss_bytes: None,
                socket_buffer_bytes: None,
                congestion_control: None,
                max_time_ms: FULL_TIME_MS,
                max_bytes: None,
                watch_hops: false,
            };
            if self.console.cancel.is_cancelled() {
                return;
            }
            let title = format!(
                "transfer from {} to {}",
                self.places[from].name, self.places[to].name
            );
            let watch = self.console.begin(&title);
            let measured = match (self.places[from].far(), self.places[to].far()) {
                (None, Some(far)) => far.perform(&ask, Side::Here, &watch).await,
                (Some(far), None) => far.perform(&ask, Side::There, &watch).await,
                (Some(sender), Some(receiver)) => between(&ask, &sender.end, &receiver.end, &watch).await,
                (None, None) => continue,
            };
            match measured {
                Ok(payloads) => payloads.into_iter().for_each(|mut payload| {
                    name_ends(&mut payload, &self.parties[from], &self.parties[to]);
                    note(self.observed(from, payload));
                }),
                Err(error) => note(self.not_measured(ask, from, error.reason(), error.to_string())),
            }
        }
    }
}

/// An answer for each peer, where the far end gave one answer for all: that it does not.
fn each(
    outcomes: Result<Vec<Result<Payload, NetError>>, NetError>,
    peers: usize,
) -> Vec<Result<Payload, NetError>> {
    outcomes.unwrap_or_else(|error| {
        let text = error.to_string();
        (0..peers)
            .map(|_| Err(NetError::PeerGone(text.clone())))
            .collect()
    })
}

fn silent() -> NetError {
    NetError::Protocol("it answered without what it was asked for".to_owned())
}
