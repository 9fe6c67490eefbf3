//! MTU-003: fragments of packets are dropped on the way.

use crate::declaration::{Fault, Parameter, Sections};
use crate::facts::Facts;
use crate::facts::records::fragments::{LargePings, large_pings};
use crate::facts::records::goes_between;
use crate::faults::words;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::v1::{Direction, End, Explains, Location, ObservationId, Transport};
use model::Kind;

const PRIOR: f64 = -3.5;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-003",
    name: "fragments_dropped",
    title: "fragments are dropped",
    sections: Sections {
        what_it_is: "Packets over the MTU that are cut into fragments, by the sender or by a router, do not arrive \
            whole: a firewall or translator drops the pieces that carry no port numbers, a device drops the second of \
            two packets that come back to back, a path has two branches of which one loses.",
        why_it_hurts: "A packet is lost when any piece of it is. Applications that send large datagrams over UDP (NFS, \
            media, DNS with large answers, tunnels) get nothing through, while small packets pass and TCP, which \
            chooses segments that fit, is not touched.",
        how_we_know: "- Pings over 1500 bytes without the \"don't fragment\" flag fail to the end host; those that fit \
            into one packet pass.\n\
            - The far host says \"fragment reassembly time exceeded\": some pieces came, others did not.\n\
            - From another place the same host answers large pings: it is not the host that ignores them.\n\
            - The transfer that is slow is made of large datagrams. A TCP transfer is not slowed by this.",
        what_looks_like_it: "- **A host or router that does not answer large pings**: routers often forward what they \
            do not answer, so that hops on the way prove nothing.\n\
            - **Pings with \"don't fragment\"**, which some systems set on the pieces that they cut themselves: a \
            router with a smaller MTU may not cut them again (MTU-001).\n\
            - **LOSS-002**: an interface short of buffers drops the second piece of each ping, and many packets of a \
            transfer.",
        remedy: "Let fragments through the firewall or have it reassemble them; better, send datagrams that fit (RFC \
            8085 section 3.2), or use TCP.",
        whom_to_ask: "The operators of firewalls and translators on the path: how they treat fragments without ports.",
        references: &[
            "RFC 8900: IP fragmentation considered fragile",
            "RFC 792: time exceeded, code 1, fragment reassembly time exceeded",
            "RFC 8085 section 3.2: message size guidelines for UDP",
            "Stanford to SLAC file transfer problems, SLAC 2000: fragmented pings that were not the cause",
        ],
    },
    prior: PRIOR,
    judge: Some(judge),
    parameter: Some(Parameter {
        kind: Kind::Fragments,
        prior: 0.02,
        claim: |_| "fragments do not pass".to_owned(),
        remedy: "let fragments pass (stateful filters must reassemble them or know their flows), or let the program send \
                 datagrams that fit into a packet",
    }),
};

/// Fragmentable pings that fail where small ones pass; with many, chance is out.
const FRAGMENTS_LOST: f64 = 2.0;
const MANY_LOST: f64 = 1.0;
const MANY: u64 = 10;
/// The far end missed pieces, by its own word.
const REASSEMBLY: f64 = 2.0;
/// From other places the host does answer large pings.
const HOST_ANSWERS: f64 = 1.0;
/// Nobody got an answer to a large ping: the host may ignore them.
const HOST_MAY_IGNORE: f64 = -0.5;

/// As sure as it gets while nobody recorded what the slow transfer is made of: most are TCP.
const DATA_UNKNOWN: f64 = 0.7;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let all = large_pings(&facts.records, &facts.complaint);
    let shown = |pings: &&LargePings| {
        pings.may_fragment == Some(true) && pings.are_lost() || pings.reassembly_failed > 0 && !pings.pass()
    };
    let lost: Vec<&LargePings> = all.iter().filter(shown).collect();
    let Some(first) = lost.first() else {
        return Vec::new();
    };
    if let Some(record) = tcp_between_the_ends(facts) {
        let why = format!(
            "{} are lost, but the transfers between the ends are TCP: its segments fit into a packet and are never \
             fragmented",
            summed(&lost)
        );
        let cites = cites(&lost).into_iter().chain([record]).collect();
        return vec![Outcome::Contradicts {
            weight: -4.0,
            why,
            cites,
        }];
    }
    vec![weigh(facts, &all, &lost, first.to)]
}

/// A transfer between the two ends, either way, that is not known to be made of datagrams.
fn tcp_between_the_ends(facts: &Facts) -> Option<ObservationId> {
    transfers(facts, |protocol| protocol != Some(Transport::Udp))
}

fn datagrams_between_the_ends(facts: &Facts) -> Option<ObservationId> {
    transfers(facts, |protocol| protocol == Some(Transport::Udp))
}

fn transfers(facts: &Facts, over: impl Fn(Option<Transport>) -> bool) -> Option<ObservationId> {
    let between =
        |from, to| goes_between(from, to, &facts.complaint) || goes_between(to, from, &facts.complaint);
    facts
        .records
        .transfers
        .iter()
        .filter(|transfer| between(&transfer.what.from, &transfer.what.to) && over(transfer.what.protocol))
        .map(|transfer| transfer.id.clone())
        .min()
}

fn cites(pings: &[&LargePings]) -> Vec<ObservationId> {
    let mut cites: Vec<ObservationId> = pings.iter().map(|pings| pings.id.clone()).collect();
    cites.sort();
    cites.dedup();
    cites
}

/// "1,027 of 1,029 pings of 1501 to 1700 bytes"
fn summed(lost: &[&LargePings]) -> String {
    let sum = |count: fn(&LargePings) -> u64| lost.iter().fold(0_u64, |sum, p| sum.saturating_add(count(p)));
    let (sent, received) = (sum(|p| p.sent), sum(|p| p.received));
    let sizes = lost.iter().map(|p| p.size_bytes);
    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    let size = if least == most {
        format!("{least}")
    } else {
        format!("{least} to {most}")
    };
    format!(
        "{} of {} pings of {size} bytes",
        words::thousands(sent.saturating_sub(received)),
        words::thousands(sent)
    )
}

fn weigh(facts: &Facts, all: &[LargePings], lost: &[&LargePings], to: End) -> Outcome {
    let mut weighing = Weighing::default();
    let fragmentable: Vec<&LargePings> = lost
        .iter()
        .copied()
        .filter(|p| p.may_fragment == Some(true))
        .collect();
    if !fragmentable.is_empty() {
        let small = fragmentable
            .iter()
            .filter_map(|p| p.small_bytes)
            .max()
            .unwrap_or(0);
        let many = fragmentable.iter().any(|p| p.sent >= MANY);
        let weight = FRAGMENTS_LOST + if many { MANY_LOST } else { 0.0 };
        let text = format!(
            "{} that may be fragmented are lost, those of {small} bytes pass",
            summed(&fragmentable)
        );
        weighing.add(weight, text, &cites(&fragmentable));
    }
    let failed = lost
        .iter()
        .fold(0_u64, |sum, p| p.reassembly_failed.saturating_add(sum));
    if failed > 0 {
        let text = format!(
            "\"fragment reassembly time exceeded\" came back {} times",
            words::thousands(failed)
        );
        weighing.add(REASSEMBLY, text, &cites(lost));
    }
    match all.iter().find(|p| p.to == to && p.pass()) {
        Some(other) => {
            let text = format!(
                "from {} large pings are answered: the host does not ignore them",
                other.from
            );
            weighing.add(HOST_ANSWERS, text, std::slice::from_ref(&other.id));
        }
        None if failed == 0 => {
            weighing.add(
                HOST_MAY_IGNORE,
                "nobody got an answer to a large ping: the host may ignore them",
                &cites(lost),
            );
        }
        None => {}
    }
    if datagrams_between_the_ends(facts).is_none() {
        weighing.at_most = Some(DATA_UNKNOWN);
    }
    Outcome::Supports(Box::new(Supported {
        claim: format!(
            "fragments are dropped towards {}: {} are lost",
            facts.name(to),
            summed(lost)
        ),
        location: Location::Path,
        // An answer is as large as the ping: either may be what is lost.
        direction: Direction::Both,
        weighing,
        explains: Explains::Unknown,
        allows_bps: None,
        after_fix_bps: None,
        remedy: "let fragments through, or send datagrams that fit into a packet".into(),
        ask_whom:
            "the operators of firewalls and translators on the path: what becomes of fragments without ports"
                .into(),
        cannot_tell_from: None,
    }))
}
