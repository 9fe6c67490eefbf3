//! Diagnoses with third places: trees of routers that answer too little to be tested one by one, and one link at fault. The
//! planner is driven to its end, and what it found is judged.
//!
//! Deterministic: what is lost is the expectation, rounded.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/trees.rs"]
mod trees;

use diagnosis::{Means, Plan};
use evidence::{
    Ask, CASE_SCHEMA_VERSION, Case, Complaint, End, Explains, Finding, HostFacts, Location, Node,
    NotMeasured, NotMeasuredReason, Observation, Party, Payload, ProbeRow, Probes, Provenance, RateBps,
    Timestamp, Transfer, Transport, Verdict, VerdictState, Way,
};
use std::collections::BTreeMap;
use trees::{Link, Tree};

const LINE_BPS: f64 = 1e9;
const MSS_BYTES: f64 = 1448.0;

/// Routers 0 to 4 in a line with host 5 at its one end and host 6 at its other; hosts 7, 8 and 9 at routers 1, 2 and 3.
struct World {
    tree: Tree,
    lossy: BTreeMap<Link, f64>,
    /// Hosts where no far end runs.
    missing: Vec<usize>,
    /// Far ends that go away at their second transfer.
    dying: Vec<usize>,
    /// Hosts whose owners let nobody but their client measure.
    refusing: Vec<usize>,
    /// What whoever complains expects.
    expected_bps: Option<RateBps>,
}

const FROM: usize = 5;
const TO: usize = 6;
const THIRDS: [usize; 3] = [7, 8, 9];

impl World {
    fn line(lossy: &[(Link, f64)]) -> Self {
        let at = [0, 4, 1, 2, 3].map(Some);
        let parents = [None, Some(0), Some(1), Some(2), Some(3)];
        Self {
            tree: Tree {
                parents: parents.into_iter().chain(at).collect(),
                routers: 5,
            },
            lossy: lossy.iter().copied().collect(),
            missing: Vec::new(),
            dying: Vec::new(),
            refusing: Vec::new(),
            expected_bps: Some(RateBps(8e8)),
        }
    }

    /// The same with host 7 as the only third place, at the first router and so off the rest of the path.
    fn off_the_path(lossy: &[(Link, f64)]) -> Self {
        let mut world = Self::line(lossy);
        world.tree.parents[7] = Some(0);
        world
    }

    fn complaint(&self) -> Complaint {
        let party = |host: usize| Party {
            name: format!("h{host}"),
            address: Some(self.tree.address(host)),
        };
        Complaint {
            schema: CASE_SCHEMA_VERSION,
            from: party(FROM),
            to: party(TO),
            local_end: End::From,
            expected_bps: self.expected_bps,
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        }
    }

    fn host(&self, node: &Node) -> usize {
        let is_it = |host: &usize| self.tree.node(*host) == *node;
        self.tree.hosts().find(is_it).unwrap()
    }

    fn loss(&self, from: usize, to: usize) -> f64 {
        let path = self.tree.path(from, to);
        let passed = |two: &[usize]| 1.0 - self.lossy.get(&(two[0], two[1])).unwrap_or(&0.0);
        1.0 - path.windows(2).map(passed).product::<f64>()
    }

    fn rtt_s(&self, from: usize, to: usize) -> f64 {
        2e-3 * (self.tree.path(from, to).len() - 1) as f64
    }

    fn carry_out(&self, ask: &Ask, count: usize) -> Payload {
        let refuse = |reason, detail: &str| {
            Payload::NotMeasured(NotMeasured {
                ask: ask.clone(),
                reason,
                detail: detail.to_owned(),
            })
        };
        let named: Vec<usize> = [Some(ask.vantage()), ask.target()]
            .into_iter()
            .flatten()
            .map(|node| self.host(node))
            .collect();
        if named.iter().any(|host| self.missing.contains(host)) {
            return refuse(NotMeasuredReason::NoFarEnd, "nobody there");
        }
        if count > 12 && named.iter().any(|host| self.dying.contains(host)) {
            return refuse(NotMeasuredReason::PeerGone, "gone");
        }
        // The client is at the sender.
        if !named.contains(&FROM) && named.len() == 2 && named.iter().any(|host| self.refusing.contains(host))
        {
            return refuse(NotMeasuredReason::Refused, "its owner does not allow it");
        }
        let Some(target) = ask.target() else {
            return Payload::HostFacts(HostFacts {
                sysctls: BTreeMap::from([(
                    "net.ipv4.tcp_rmem".to_owned(),
                    "4096 131072 67108864".to_owned(),
                )]),
                ..HostFacts::default()
            });
        };
        let (from, to) = (self.host(ask.vantage()), self.host(target));
        match ask {
            Ask::Route { .. } => self.tree.trace(from, to),
            Ask::TcpThroughput { streams, .. } => self.tcp(from, to, *streams),
            Ask::UdpStream {
                size_bytes,
                rate_bps,
                duration_ms,
                ..
            } => self.udp((from, to), *size_bytes, rate_bps.0, f64::from(*duration_ms) / 1e3),
            Ask::Echo { count, .. } => self.survey(from, to, u64::from(*count)),
            _ => refuse(
                NotMeasuredReason::Unsupported,
                "the routers do not answer so much",
            ),
        }
    }

    /// As TCP with selective acknowledgements fares (Mathis et al. 1997).
    fn tcp(&self, from: usize, to: usize, streams: u16) -> Payload {
        let loss = self.loss(from, to);
        let limit = 1.22 * MSS_BYTES * 8.0 / (self.rtt_s(from, to) * loss.sqrt()) * f64::from(streams);
        let bps = RateBps(limit.min(0.95 * LINE_BPS));
        Payload::from(Transfer {
            from: self.tree.node(from),
            to: self.tree.node(to),
            protocol: Some(Transport::Tcp),
            streams: Some(streams),
            received_bps: Some(bps),
            steady_bps: Some(bps),
            congestion_control: Some("reno".to_owned()),
            duration_ns: Some(5_000_000_000),
            bytes_received: Some((bps.0 / 8.0 * 5.0) as u64),
            rtt_ns: Some((self.rtt_s(from, to) * 1e9) as u64),
            ..Transfer::default()
        })
    }

    fn udp(&self, (from, to): (usize, usize), size_bytes: u32, bps: f64, seconds: f64) -> Payload {
        let sent = (bps.min(LINE_BPS) / 8.0 / f64::from(size_bytes) * seconds) as u64;
        let lost = (sent as f64 * self.loss(from, to)).round() as u64;
        Payload::from(Transfer {
            from: self.tree.node(from),
            to: self.tree.node(to),
            protocol: Some(Transport::Udp),
            packet_size_bytes: Some(size_bytes),
            target_bps: Some(RateBps(bps)),
            sent_bps: Some(RateBps(bps)),
            duration_ns: Some((seconds * 1e9) as u64),
            packets_sent: Some(sent),
            packets_received: Some(sent - lost),
            packets_lost: Some(lost),
            loss_runs: (0..lost.min(1_000))
                .map(|each| (each * (sent / lost), 1))
                .collect(),
            ..Transfer::default()
        })
    }

    /// Routers answer one probe in five.
    fn survey(&self, from: usize, to: usize, sent: u64) -> Payload {
        let path = self.tree.path(from, to);
        let row = |(ttl, node): (usize, &usize)| {
            let is_host = *node == to;
            ProbeRow {
                way: Way::RoundTrip,
                ttl: Some(ttl as u8),
                to: self.tree.node(*node),
                size_bytes: Some(64),
                sent: Some(sent),
                received: Some(if is_host { sent } else { sent / 5 }),
                rate_pps: Some(33.0),
                ..ProbeRow::default()
            }
        };
        Payload::Probes(Probes {
            from: self.tree.node(from),
            destination: Some(self.tree.node(to)),
            rows: path.iter().enumerate().skip(1).map(row).collect(),
            context: Some(evidence::EchoContext::Idle),
            ..Probes::default()
        })
    }

    fn diagnose(&self, thirds: &[usize]) -> Diagnosed {
        let mut case = Case::new(self.complaint());
        let means = Means {
            third_places: thirds.iter().map(|host| self.tree.node(*host)).collect(),
            budget_time_ms: u64::MAX,
            ..Means::default()
        };
        let mut asks = Vec::new();
        let plan = loop {
            let plan = diagnosis::explain_plan(&case, 1, &means);
            let Some(ask) = plan.next().cloned() else {
                break plan;
            };
            assert!(asks.len() < 60, "it comes to no end: {asks:#?}");
            // Where any loss at all may be the limit, counting more packets tells more.
            assert!(
                self.expected_bps.is_none() || !asks.contains(&ask),
                "asked twice: {ask:?}"
            );
            self.add(&mut case, &ask, asks.len());
            asks.push(ask);
        };
        let verdict = diagnosis::judge(&case).rounds.remove(0);
        Diagnosed { asks, verdict, plan }
    }

    fn add(&self, case: &mut Case, ask: &Ask, count: usize) {
        let at = Timestamp(1_000_000 * (count as i64 + 1));
        let provenance = Provenance::measured(ask.vantage().clone(), at, 1, "synthetic");
        case.add(Observation::new(provenance, self.carry_out(ask, count)));
    }

    /// The links of the place of the first finding.
    fn place(&self, diagnosed: &Diagnosed) -> Option<Vec<Link>> {
        let finding = diagnosed.verdict.findings.first()?;
        let Location::Link { before, after } = &finding.location else {
            return None;
        };
        let path = self.tree.path(FROM, TO);
        let at = |address| {
            path.iter()
                .position(|node| Some(self.tree.address(*node)) == address)
        };
        let stretch = path.get(at(before.address)?..=at(after.address)?)?;
        Some(stretch.windows(2).map(|two| (two[0], two[1])).collect())
    }
}

struct Diagnosed {
    asks: Vec<Ask>,
    verdict: Verdict,
    plan: Plan,
}

impl Diagnosed {
    /// What was asked of third places, but for what they say of themselves.
    fn of_thirds(&self, world: &World) -> Vec<&Ask> {
        let is_third = |node: &Node| THIRDS.contains(&world.host(node));
        let concerns = |ask: &&Ask| {
            ask.target()
                .is_some_and(|to| is_third(to) || is_third(ask.vantage()))
        };
        self.asks.iter().filter(concerns).collect()
    }

    fn told(&self) -> String {
        format!("{:#?}\n{:#?}", self.asks, self.verdict)
    }
}

const LOSSY: f64 = 3e-3;

#[test]
fn a_link_between_routers_that_answer_too_little_is_found_from_third_places() {
    // Behind the last third place there are two links, which nobody can tell apart.
    for (link, as_far) in [
        ((1, 2), vec![(1, 2)]),
        ((2, 3), vec![(2, 3)]),
        ((3, 4), vec![(3, 4), (4, TO)]),
    ] {
        let world = World::line(&[(link, LOSSY)]);
        let alone = world.diagnose(&[]);
        let wide = world.place(&alone).unwrap_or_default();
        assert!(wide.is_empty() || wide.len() > as_far.len(), "{}", alone.told());
        let with = world.diagnose(&THIRDS);
        assert_eq!(with.verdict.state, VerdictState::Slow, "{}", with.told());
        assert_eq!(world.place(&with).unwrap(), as_far, "{}", with.told());
        assert!(
            with.verdict.findings[0].code.starts_with("LOSS"),
            "{}",
            with.told()
        );
    }
}

#[test]
fn the_path_is_halved_and_a_way_is_traced_before_more_is_asked_of_it() {
    let world = World::line(&[((2, 3), LOSSY)]);
    let with = world.diagnose(&THIRDS);
    let asked = with.of_thirds(&world);
    let ends = |ask: &Ask| (ask.vantage().clone(), ask.target().cloned());
    for (index, ask) in asked.iter().enumerate() {
        let traced = |other: &&Ask| matches!(other, Ask::Route { .. }) && ends(other) == ends(ask);
        let is_route = matches!(ask, Ask::Route { .. });
        assert!(is_route || asked[..index].iter().any(traced), "{ask:?}");
    }
    // Three places leave four stretches in question: two halvings find one, where each is read once or twice.
    let tests = asked
        .iter()
        .filter(|ask| !matches!(ask, Ask::Route { .. }))
        .count();
    assert!((1..=6).contains(&tests), "{}", with.told());
}

#[test]
fn a_sound_path_is_not_measured_from_elsewhere() {
    let world = World::line(&[]);
    let with = world.diagnose(&THIRDS);
    assert_eq!(with.verdict.state, VerdictState::Ok, "{}", with.told());
    assert!(with.of_thirds(&world).is_empty(), "{}", with.told());
    // They are there, and that is all that was asked.
    let settings = with.asks.iter().filter(|ask| ask.target().is_none()).count();
    assert_eq!(settings, 2 + THIRDS.len());
    assert!(with.plan.stopped.is_some());
}

/// Whatever is wrong there, nothing is said of the path that would not be said without that place. With a second fault beside the
/// first it may be less sure.
#[test]
fn a_place_off_the_path_or_with_a_bad_access_accuses_nobody() {
    let access = [((7, 0), 0.02), ((0, 7), 0.02)];
    for faults in [&access[..], &[]] {
        let healthy = World::off_the_path(faults);
        let with = healthy.diagnose(&[7]);
        assert_eq!(with.verdict.state, VerdictState::Ok, "{}", with.told());
        let mut faults = faults.to_vec();
        faults.push(((2, 3), LOSSY));
        let lossy = World::off_the_path(&faults);
        let (alone, with) = (lossy.diagnose(&[]), lossy.diagnose(&[7]));
        let codes = |diagnosed: &Diagnosed| -> Vec<String> {
            diagnosed
                .verdict
                .findings
                .iter()
                .map(|f| f.code.clone())
                .collect()
        };
        let known = codes(&alone);
        let stretch = lossy.place(&with);
        // From there it may become surer of what is wrong.
        let found = |code: &String| code.starts_with("LOSS") && stretch.is_some();
        assert!(
            codes(&with)
                .iter()
                .all(|code| found(code) || known.contains(code)),
            "{}",
            with.told()
        );
        assert!(
            stretch.is_none_or(|links| links.contains(&(2, 3))),
            "{}",
            with.told()
        );
    }
}

/// Where nobody said what is expected, even a sound path is looked at from third places. Each has its own trouble here.
#[test]
fn what_third_places_lose_on_their_own_way_in_is_told_beside_the_path() {
    let mut world = World::line(&[7, 8].map(|host| ((host, host - 6), 0.02)));
    world.expected_bps = None;
    let with = world.diagnose(&THIRDS[..2]);
    assert!(!with.of_thirds(&world).is_empty(), "{}", with.told());
    assert_ne!(with.verdict.state, VerdictState::Slow, "{}", with.told());
    assert!(!with.verdict.summary.contains("packets lost"), "{}", with.told());
    let mut case = Case::new(world.complaint());
    let node = |host: usize| world.tree.node(host);
    let both = |from: usize, to: usize| {
        let (from, to) = (node(from), node(to));
        [
            Ask::Route {
                from: from.clone(),
                to: to.clone(),
                protocol: evidence::ProbeProtocol::Udp,
                flows: 1,
            },
            Ask::UdpStream {
                from,
                to,
                size_bytes: 200,
                rate_bps: RateBps(48e6),
                duration_ms: 1500,
            },
        ]
    };
    let beside = [(7, TO), (8, TO), (7, FROM), (8, FROM)]
        .into_iter()
        .flat_map(|(from, to)| both(from, to));
    for (count, ask) in with.asks.iter().cloned().chain(beside).enumerate() {
        world.add(&mut case, &ask, count);
    }
    let verdict = diagnosis::judge(&case).rounds.remove(0);
    assert!(!verdict.summary.contains("packets lost"), "{verdict:#?}");
    let lossy = |finding: &&Finding| finding.code.starts_with("LOSS");
    let findings: Vec<&Finding> = verdict.findings.iter().filter(lossy).collect();
    assert_eq!(findings.len(), 2, "{verdict:#?}");
    for finding in findings {
        assert!(finding.claim.ends_with("beside the path"), "{verdict:#?}");
        assert_eq!(finding.explains, Explains::No);
        let Location::Link { before, after } = &finding.location else {
            panic!("{verdict:#?}");
        };
        // A host beside the path is no hop of it.
        assert!(before.ttl == 0 && after.ttl > 0, "{verdict:#?}");
    }
}

#[test]
fn a_third_place_behind_a_lossy_access_does_not_move_the_fault() {
    let mut faults = vec![((2, 3), LOSSY)];
    faults.extend([((8, 2), 0.02), ((2, 8), 0.02)]);
    let world = World::line(&faults);
    let with = world.diagnose(&THIRDS);
    let first = &with.verdict.findings[0];
    assert!(first.code.starts_with("LOSS"), "{}", with.told());
    let links = world.place(&with).unwrap_or_else(|| panic!("{}", with.told()));
    assert!(links.contains(&(2, 3)), "{}", with.told());
}

#[test]
fn places_that_are_missing_refuse_or_go_away_are_told_and_the_rest_goes_on() {
    let sound = |world: &World| {
        let with = world.diagnose(&THIRDS);
        let links = world.place(&with).unwrap_or_else(|| panic!("{}", with.told()));
        assert!(links.contains(&(2, 3)), "{}", with.told());
        with
    };
    let told = |with: &Diagnosed, what: &str| {
        let gaps = &with.verdict.not_tested;
        assert!(gaps.iter().any(|gap| gap.why.contains(what)), "{}", with.told());
    };
    let missing = World {
        missing: vec![8],
        ..World::line(&[((2, 3), LOSSY)])
    };
    let with = sound(&missing);
    told(&with, "nobody there");
    assert!(
        with.verdict.not_tested.iter().any(|gap| gap.what.contains("h8")),
        "{}",
        with.told()
    );
    let asked = with.of_thirds(&missing).into_iter();
    assert!(
        asked
            .clone()
            .all(|ask| ![ask.vantage(), ask.target().unwrap()].contains(&&missing.tree.node(8)))
    );
    let dying = World {
        dying: vec![8],
        ..World::line(&[((2, 3), LOSSY)])
    };
    sound(&dying);
    let refusing = World {
        refusing: vec![7, 8, 9],
        ..World::line(&[((2, 3), LOSSY)])
    };
    told(&sound(&refusing), "its owner does not allow it");
}
