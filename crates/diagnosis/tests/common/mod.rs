//! A synthetic world that answers asks the way a path with known faults would, and cases made from it.
//!
//! Deterministic: losses are expectations rounded, so a test fails for a reason and never by chance.
#![allow(unreachable_pub, reason = "shared by several test binaries")]
#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "test support: a wrong world should fail loudly"
)]

mod answers;
pub mod chains;
pub mod connections;
pub mod losses;
pub mod recorded;
pub mod records;
pub mod scenarios;
pub mod slac;
mod transfers;

use diagnosis::Means;
use evidence::migrate::{self, back};
use evidence::v1::{
    Ask, CASE_SCHEMA_VERSION, Case, Complaint, End, NotMeasured, NotMeasuredReason, Observation, Party,
    Payload, Provenance, RateBps, Timestamp, Vantage, Verdict, VerdictFile,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The tests' cases are made of the shapes of format 1, which the rules still see: what is judged is what they become in
/// the present format, and back.
pub fn judge(case: &Case) -> VerdictFile {
    diagnosis::judge(&migrate::case(case.clone()))
}

/// As [`judge`], one round.
pub fn judge_round(case: &Case, round: u32) -> Verdict {
    diagnosis::judge_round(&migrate::case(case.clone()), round)
}

/// The planner's next ask, of an end of the complaint.
pub fn plan(case: &Case, round: u32, means: &Means) -> Option<Ask> {
    let ask = diagnosis::plan(&migrate::case(case.clone()), round, means)?;
    Some(back::ask(&ask, &case.complaint).expect("the planner asks one of the two ends"))
}

/// A link that swallows large packets.
#[derive(Debug, Clone, Copy)]
pub struct Hole {
    /// The TTL behind the link.
    pub after: u8,
    /// The largest packet that passes.
    pub passes: u32,
    /// The router before it fragments what may be fragmented.
    pub fragments: bool,
}

/// How a hop answers probes; it forwards all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Honest,
    Mute,
    /// Answers one probe in ten.
    Limited,
    IgnoresLargePings,
}

/// A path of known faults.
#[derive(Debug, Clone)]
pub struct World {
    pub names: Vec<(&'static str, IpAddr)>,
    pub manners: Vec<Manner>,
    pub rtt_ms: f64,
    pub mtu: (u32, u32),
    pub hole: Option<Hole>,
    /// A router that says "fragmentation needed": (its TTL, the MTU behind it).
    pub honest_mtu: Option<(u8, u32)>,
    /// (TTL behind the lossy link, loss ratio), with the data.
    pub loss: Option<(u8, f64)>,
    pub loss_back: f64,
    /// The receiver's window, bytes.
    pub window: u64,
    pub receive_buffer_max: u64,
    pub capacity: f64,
    /// The TTL behind the slowest link.
    pub bottleneck: u8,
    pub control: &'static str,
    /// Packets that the receiving socket drops of each stream.
    pub socket_drops: u64,
    /// A sending core's worth of rate.
    pub cpu_limit: f64,
    pub far_end: bool,
    pub raw_sockets: bool,
    pub local_end: End,
    pub expected: Option<f64>,
    /// The destination does not answer probes larger than this.
    pub destination_answers_up_to: u32,
    pub slow_reader: bool,
    pub host_facts: bool,
}

impl World {
    /// Six routers, 20 ms, 1 Gbit/s, MTU 1500, nothing wrong.
    pub fn healthy() -> Self {
        let names = vec![
            ("", IpAddr::V4(Ipv4Addr::new(10, 1, 0, 2))),
            ("", IpAddr::V4(Ipv4Addr::new(10, 2, 0, 2))),
            ("core.transit.example", IpAddr::V4(Ipv4Addr::new(10, 3, 0, 2))),
            ("", IpAddr::V4(Ipv4Addr::new(10, 4, 0, 2))),
            ("", IpAddr::V4(Ipv4Addr::new(10, 5, 0, 2))),
            ("edge.receiver.example", IpAddr::V4(Ipv4Addr::new(10, 6, 0, 2))),
            ("receiver.example", IpAddr::V4(Ipv4Addr::new(10, 7, 0, 2))),
        ];
        Self {
            manners: vec![Manner::Honest; names.len()],
            names,
            rtt_ms: 20.0,
            mtu: (1500, 1500),
            hole: None,
            honest_mtu: None,
            loss: None,
            loss_back: 0.0,
            window: 64 << 20,
            receive_buffer_max: 64 << 20,
            capacity: 1e9,
            bottleneck: 4,
            control: "cubic",
            socket_drops: 0,
            cpu_limit: f64::INFINITY,
            far_end: true,
            raw_sockets: true,
            local_end: End::From,
            expected: Some(800e6),
            destination_answers_up_to: u32::MAX,
            slow_reader: false,
            host_facts: true,
        }
    }

    /// NRAO to SARAO, 2021, as the incident's own traces show it: ESnet to NRAO, link 8 to 9 swallows what is over 1508
    /// bytes, hop 2 mute, the campus at 1500 bytes behind hop 11, which says so.
    pub fn nrao() -> Self {
        let v4 = |a, b, c, d| IpAddr::V4(Ipv4Addr::new(a, b, c, d));
        let names = vec![
            ("esneteastrt1-eastdcpt1.es.net", v4(198, 124, 238, 37)),
            ("newycr5-ip-a-esneteastrt1.es.net", v4(198, 124, 218, 17)),
            ("aofacr5-ip-a-newycr5.es.net", v4(134, 55, 37, 77)),
            (
                "et-2-1-5.197.rtsw.newy32aoa.net.internet2.edu",
                v4(64, 57, 28, 14),
            ),
            ("ae-3.4079.rtsw.wash.net.internet2.edu", v4(162, 252, 70, 138)),
            ("ae-0.4079.rtsw2.ashb.net.internet2.edu", v4(162, 252, 70, 137)),
            ("ae-2.4079.rtsw.ashb.net.internet2.edu", v4(162, 252, 70, 74)),
            ("", v4(192, 122, 175, 14)),
            ("br01-udc-et-1-0-0-20.net.virginia.edu", v4(192, 35, 48, 33)),
            ("cr01-udc-et-4-2-0.net.virginia.edu", v4(128, 143, 236, 6)),
            ("cr01-gil-et-7-0-0.net.virginia.edu", v4(128, 143, 236, 89)),
            ("perfsonar-10.cv.nrao.edu", v4(198, 51, 208, 55)),
        ];
        let mut manners = vec![Manner::Honest; names.len()];
        manners[1] = Manner::Mute;
        Self {
            names,
            manners,
            rtt_ms: 10.0,
            mtu: (9000, 9000),
            hole: Some(Hole {
                after: 9,
                passes: 1508,
                fragments: false,
            }),
            honest_mtu: Some((11, 1500)),
            capacity: 2.7e9,
            expected: Some(2e9),
            bottleneck: 4,
            ..Self::healthy()
        }
    }

    /// The addresses moved to IPv6, where routers never fragment.
    pub fn over_ipv6(mut self) -> Self {
        for (index, (_, address)) in self.names.iter_mut().enumerate() {
            *address = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, index as u16 + 1));
        }
        self
    }

    pub fn last(&self) -> u8 {
        self.names.len() as u8
    }

    pub fn is_ipv6(&self) -> bool {
        self.names[0].1.is_ipv6()
    }

    pub fn source(&self) -> IpAddr {
        if self.is_ipv6() {
            IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 1))
        } else {
            IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1))
        }
    }

    pub fn destination(&self) -> IpAddr {
        self.names.last().unwrap().1
    }

    /// The addresses of what goes from `sender`: its own, and the other end's.
    pub fn addresses(&self, sender: End) -> (IpAddr, IpAddr) {
        match sender {
            End::From => (self.source(), self.destination()),
            End::To => (self.destination(), self.source()),
        }
    }

    pub fn complaint(&self) -> Complaint {
        let party = |name: &str, address| Party {
            name: name.into(),
            address: Some(address),
        };
        Complaint {
            schema: CASE_SCHEMA_VERSION,
            from: party("sender.example", self.source()),
            to: party(self.names.last().unwrap().0, self.destination()),
            local_end: self.local_end,
            expected_bps: self.expected.map(RateBps),
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        }
    }

    pub fn means(&self) -> Means {
        Means {
            far_end: self.far_end,
            raw_sockets_here: self.raw_sockets,
            budget_time_ms: 180_000,
            ..Means::default()
        }
    }

    /// Carries out an ask.
    pub fn answer(&self, ask: &Ask) -> Vec<Payload> {
        let refuse = |reason, detail: &str| {
            vec![Payload::NotMeasured(NotMeasured {
                ask: ask.clone(),
                reason,
                detail: detail.into(),
            })]
        };
        if !self.far_end && (ask.needs_both_ends() || ask.vantage() != self.local_end) {
            return refuse(NotMeasuredReason::NoFarEnd, "no far end answers");
        }
        match ask {
            Ask::HostFacts { .. } if !self.host_facts => {
                refuse(NotMeasuredReason::Unsupported, "no such thing here")
            }
            Ask::HostFacts { at } => vec![self.host_facts(*at)],
            Ask::Route { from, .. } => vec![self.route(*from)],
            Ask::PathMtu { from } => vec![self.path_mtu(*from)],
            Ask::Echo {
                from,
                sizes_bytes,
                count,
                ..
            } => vec![self.echo(*from, sizes_bytes, *count)],
            Ask::HopLoss {
                ttls,
                count,
                rate_pps,
                ..
            } => vec![self.hop_loss(ttls, *count, *rate_pps)],
            Ask::TcpThroughput {
                sender,
                streams,
                mss_bytes,
                watch_hops,
                max_time_ms,
                ..
            } => {
                let mut seen = vec![self.tcp(*sender, *streams, *mss_bytes, *max_time_ms)];
                seen.extend(watch_hops.then(|| self.echo_under_load()));
                seen
            }
            Ask::UdpStream {
                sender,
                size_bytes,
                rate_bps,
                duration_ms,
            } => {
                vec![self.udp(*sender, *size_bytes, rate_bps.0, *duration_ms)]
            }
        }
    }

    /// Drives the planner until it is content. Gives the case, the asks, and their cost in milliseconds.
    pub fn diagnose(&self) -> Run {
        self.diagnose_with(self.means())
    }

    pub fn diagnose_with(&self, mut means: Means) -> Run {
        let mut run = Run {
            case: Case::new(self.complaint()),
            asks: Vec::new(),
            time_ms: 0,
        };
        while let Some(ask) = plan(&run.case, 1, &means) {
            assert!(
                run.asks.len() < 40,
                "the planner does not come to an end: {:#?}",
                run.asks
            );
            means.spent_time_ms += ask.cost().time_ms;
            run.time_ms += ask.cost().time_ms;
            for payload in self.answer(&ask) {
                add(&mut run.case, ask.vantage(), payload);
            }
            run.asks.push(ask);
        }
        run
    }
}

/// What a diagnosis of a synthetic world did.
pub struct Run {
    pub case: Case,
    pub asks: Vec<Ask>,
    /// Sum of the asks' costs: an upper bound.
    pub time_ms: u64,
}

impl Run {
    /// The kinds of the asks in order.
    pub fn kinds(&self) -> Vec<String> {
        self.asks.iter().map(kind).collect()
    }
}

/// An ask in one short word, with what sets it apart.
pub fn kind(ask: &Ask) -> String {
    let end = |end: &End| if *end == End::From { "from" } else { "to" };
    match ask {
        Ask::HostFacts { at } => format!("host:{}", end(at)),
        Ask::Route { from, .. } => format!("route:{}", end(from)),
        Ask::PathMtu { from } => format!("pmtu:{}", end(from)),
        Ask::Echo { from, .. } => format!("echo:{}", end(from)),
        Ask::HopLoss { ttls, .. } => format!("hop-loss:{ttls:?}"),
        Ask::TcpThroughput {
            streams,
            mss_bytes: Some(mss),
            ..
        } => format!("tcp:{streams}:mss{mss}"),
        Ask::TcpThroughput { streams, .. } => format!("tcp:{streams}"),
        Ask::UdpStream { sender, .. } => format!("udp:{}", end(sender)),
    }
}

/// A complaint about hosts of which only the names are known.
pub fn complaint_between(from: &str, to: &str) -> Complaint {
    let party = |name: &str| Party {
        name: name.into(),
        address: None,
    };
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party(from),
        to: party(to),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    }
}

/// Adds an observation, later than all before it.
pub fn add(case: &mut Case, vantage: impl Into<Vantage>, payload: Payload) {
    let at = Timestamp(1_000_000 * (case.observations().len() as i64 + 1));
    let provenance = Provenance {
        vantage: vantage.into(),
        ..Provenance::measured(End::From, at, 1, "synthetic")
    };
    case.add(Observation::new(provenance, payload));
}

/// The same case without the observations for which `drop` says so.
pub fn without(case: &Case, drop: impl Fn(&Observation) -> bool) -> Case {
    let mut rest = Case::new(case.complaint.clone());
    case.observations()
        .iter()
        .filter(|o| !drop(o))
        .for_each(|o| rest.add(o.clone()));
    rest
}
