//! What MTU-001 and MTU-002 share: the case that large packets vanish at all, what that does to TCP, and how the
//! probability is shared between the two. From outside both look the same but for a few signs.

use super::words;
use crate::facts::Facts;
use crate::facts::black_hole::{BlackHole, Fragmentable};
use crate::facts::sizes::Target;
use crate::facts::transfer::TcpRun;
use crate::judgement::{Outcome, Supported, Weighing, logistic, logit};
use evidence::{Direction, End, Explains, HopRef, ObservationId, RateRange};

/// Which of the two mechanisms a rule is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// The router before the link knows the smaller MTU; its message does not arrive (MTU-001).
    MessageLost,
    /// The router before the link believes in a larger MTU than the next interface takes (MTU-002).
    Mismatch,
}

/// Log-odds that a path under complaint has a black hole, before anything was measured: about 1 in 20.
const PRIOR: f64 = -3.0;
/// A size passes and the next larger one tried does not, both behind the same hop.
const THRESHOLD_SEEN: f64 = 2.0;
/// A hop answered a size that vanishes behind it: it is not the sender or its first link.
const NEAR_END_SEEN: f64 = 1.5;
/// Two or more hops behind the link agree.
const SEVERAL_SILENT: f64 = 1.0;
/// Each lost probe halves the chance that plain loss did it (at a loss ratio that leaves small probes answered).
const PER_TRY: f64 = 0.5;
const TRIES_AT_MOST: f64 = 3.0;
/// A transfer with small segments runs where the default one stalls: the same conclusion by other packets.
const COUNTERFACTUAL: f64 = 2.0;
/// Larger packets did arrive, in a transfer or a stream: what vanished were the probes.
const DISPROVED: f64 = -7.0;

/// Nothing but the destination is silent to large packets: hosts filter probes and limit their answers (Linux: one ICMP
/// error a second), so that silence says less than a router's.
const ONLY_THE_DESTINATION: f64 = -1.5;
/// And it leaves small probes unanswered as well.
const DESTINATION_UNRELIABLE: f64 = -2.0;

/// Less than this probability of a mechanism, and it is excluded instead of shared.
const EXCLUDE_BELOW: f64 = 0.1;

/// The outcomes of the rule for one mechanism.
pub(crate) fn judge(facts: &Facts, mechanism: Mechanism, prior: f64) -> Vec<Outcome> {
    let path = facts.data_path();
    if !path.sizes.was_probed() {
        return vec![Outcome::Inconclusive {
            missing: "which packet sizes reach which hop was not measured".into(),
        }];
    }
    match BlackHole::find(path) {
        Some(hole) => vec![weigh(facts, &hole, mechanism, prior)],
        None => vec![no_black_hole(facts)],
    }
}

/// The black hole that a transfer runs into, for the planner: packets of the size that TCP starts with vanish.
pub(crate) fn explaining_hole(facts: &Facts) -> Option<BlackHole> {
    let hole = BlackHole::find(facts.data_path())?;
    let bites = facts
        .initial_packet_bytes()
        .is_none_or(|bytes| bytes > hole.passes_bytes);
    (bites && larger_arrived(facts, &hole).is_none()).then_some(hole)
}

fn no_black_hole(facts: &Facts) -> Outcome {
    let sizes = &facts.data_path().sizes;
    let Some(bytes) = sizes.end_to_end_bytes() else {
        return Outcome::Inconclusive {
            missing: "the destination answered no probe of any size".into(),
        };
    };
    let limit = if sizes.interface_mtu_bytes.is_some_and(|mtu| bytes >= mtu) {
        "the own interface sends no larger ones"
    } else if sizes.honest_routers().is_empty() {
        "no larger ones were tried often enough to tell"
    } else {
        "larger ones draw a valid \"fragmentation needed\": path MTU discovery works"
    };
    Outcome::Contradicts {
        weight: -3.0,
        why: format!("packets up to {bytes} bytes arrive with \"don't fragment\" set; {limit}"),
        cites: sizes.cites.clone(),
    }
}

fn weigh(facts: &Facts, hole: &BlackHole, mechanism: Mechanism, prior: f64) -> Outcome {
    let cites = &facts.data_path().sizes.cites;
    let mut weighing = existence(facts, hole);
    let exists = logistic(PRIOR + weighing.sum());
    let separation = Separation::of(hole);
    let share = separation.share(mechanism);
    if exists * share < EXCLUDE_BELOW {
        let why = if exists < 0.5 {
            strongest(&weighing)
        } else {
            separation.text()
        };
        return Outcome::Contradicts {
            weight: logit(share),
            why,
            cites: cites.clone(),
        };
    }
    separation.weigh(&mut weighing, mechanism, cites);
    // The two exclude each other: together they cannot be surer than the black hole itself.
    let possible = exists * share;
    weighing.at_most = Some(possible);
    let excess = prior + weighing.sum() - logit(possible);
    if 1.0 - share > WORTH_SAYING && excess > 0.0 {
        weighing.add(-excess, separation.other_possible(mechanism), cites);
    }
    let effect = Effect::of(facts, hole);
    if let Some((text, id)) = &effect.transfers {
        weighing.add(0.0, text.clone(), id);
    }
    let (before, after) = (
        facts.data_path().hop_ref(hole.before),
        facts.data_path().hop_ref(hole.after),
    );
    Outcome::Supports(Box::new(Supported {
        claim: claim(hole, &before, &after),
        location: facts.data_path().link(hole.before, hole.after),
        direction: hole.direction,
        weighing,
        explains: effect.explains,
        allows_bps: effect.allows,
        after_fix_bps: effect.after_fix,
        remedy: remedy(facts, hole, mechanism, &before, &after),
        ask_whom: ask_whom(hole, &before, &after),
        cannot_tell_from: separation.undecided().then(|| cannot_tell(mechanism)),
    }))
}

fn claim(hole: &BlackHole, before: &HopRef, after: &HopRef) -> String {
    let threshold = if hole.vanishes_bytes - 1 == hole.passes_bytes {
        format!("packets over {} bytes vanish", hole.passes_bytes)
    } else {
        format!(
            "packets of {} bytes vanish, those of {} pass,",
            hole.vanishes_bytes, hole.passes_bytes
        )
    };
    format!(
        "{threshold} between {} and {}",
        words::hop(before),
        words::hop(after)
    )
}

/// The case for and against large packets vanishing.
fn existence(facts: &Facts, hole: &BlackHole) -> Weighing {
    let path = facts.data_path();
    let (cites, after) = (&path.sizes.cites, words::hop(&path.hop_ref(hole.after)));
    let mut weighing = Weighing::default();
    let (passes, vanishes) = (hole.passes_bytes, hole.vanishes_bytes);
    weighing.add(
        THRESHOLD_SEEN,
        format!("{passes} bytes reach {after}, {vanishes} do not"),
        cites,
    );
    if hole.near_end_seen {
        let before = words::hop(&path.hop_ref(hole.before));
        weighing.add(
            NEAR_END_SEEN,
            format!("{vanishes} bytes and more reach {before}"),
            cites,
        );
    }
    if hole.silent_targets >= 2 {
        let text = format!(
            "{} hops behind it answer small packets and none that large",
            hole.silent_targets
        );
        weighing.add(SEVERAL_SILENT, text, cites);
    }
    let tries = (hole.tries as f64 * PER_TRY).min(TRIES_AT_MOST);
    let silence = format!(
        "no valid \"fragmentation needed\" came back in {} tries",
        hole.tries
    );
    weighing.add(tries, silence, cites);
    weigh_destination(&mut weighing, facts, hole);
    if let Some((text, id)) = larger_arrived(facts, hole) {
        weighing.add(DISPROVED, text, &[id]);
    } else if let (Some(plain), Some(clamped)) = (facts.plain_run(), clamped_run(facts, hole)) {
        if plain.stalled && !clamped.stalled {
            let text = "TCP stalls with the segments it chooses and runs with ones that fit";
            weighing.add(COUNTERFACTUAL, text, &[plain.id.clone(), clamped.id.clone()]);
        }
    }
    weighing
}

fn weigh_destination(weighing: &mut Weighing, facts: &Facts, hole: &BlackHole) {
    let path = facts.data_path();
    if hole.silent_targets > 1 || path.destination_ttl != Some(hole.after) {
        return;
    }
    let text = "only the destination itself is silent to them, and hosts filter or limit what they answer";
    weighing.add(ONLY_THE_DESTINATION, text, &path.sizes.cites);
    let answered = path.sizes.small_answers(Target::Destination, hole.passes_bytes);
    if answered.estimate().is_some_and(|share| share < 0.7) {
        let text = format!(
            "it answers {} of {} smaller ones only",
            answered.events, answered.trials
        );
        weighing.add(DESTINATION_UNRELIABLE, text, &path.sizes.cites);
    }
}

/// Proof that packets of a vanishing size do arrive.
fn larger_arrived(facts: &Facts, hole: &BlackHole) -> Option<(String, ObservationId)> {
    if hole.direction == Direction::Reverse {
        return None;
    }
    facts
        .tcp
        .iter()
        .filter(|run| run.sender == End::From && !run.stalled)
        .find_map(|run| {
            let packet = run.mss_bytes?.saturating_add(facts.header_bytes());
            // Resent segments may have been cut smaller; a transfer with hardly any was carried by full ones.
            let clean = run.retransmitted.is_some_and(|(again, sent)| again < sent / 20);
            (packet >= hole.vanishes_bytes && clean && run.rate.0 > 1e6).then(|| {
                let text = format!(
                    "TCP ran at {} with packets of {packet} bytes: these arrive",
                    run.rate
                );
                (text, run.id.clone())
            })
        })
}

/// The best transfer whose segments fit through.
pub(crate) fn clamped_run<'a>(facts: &'a Facts, hole: &BlackHole) -> Option<&'a TcpRun> {
    facts
        .tcp
        .iter()
        .filter(|run| run.sender == End::From && run.streams == 1)
        .filter(|run| {
            run.requested_mss_bytes
                .is_some_and(|mss| mss.saturating_add(facts.header_bytes()) <= hole.passes_bytes)
        })
        .max_by(|a, b| a.rate.0.total_cmp(&b.rate.0).then_with(|| b.id.cmp(&a.id)))
}

/// What the black hole does to TCP.
struct Effect {
    explains: Explains,
    allows: Option<RateRange>,
    after_fix: Option<RateRange>,
    transfers: Option<(String, Vec<ObservationId>)>,
}

/// A transfer through a black hole gets less than this of one with fitting segments: nothing until the sender falls
/// back (RFC 4821, off by default in Linux), and then a fresh start.
const BLACK_HOLE_SHARE: f64 = 0.5;

impl Effect {
    fn of(facts: &Facts, hole: &BlackHole) -> Self {
        let unknown = Self {
            explains: Explains::Unknown,
            allows: None,
            after_fix: None,
            transfers: None,
        };
        if hole.direction == Direction::Reverse {
            return unknown;
        }
        if facts
            .initial_packet_bytes()
            .is_some_and(|bytes| bytes <= hole.passes_bytes)
        {
            let text =
                "TCP never sends packets that large here: both ends' interfaces keep it below".to_owned();
            return Self {
                explains: Explains::No,
                transfers: Some((text, Vec::new())),
                ..unknown
            };
        }
        let (plain, clamped) = (facts.plain_run(), clamped_run(facts, hole));
        if let Some(text) = plain.and_then(|plain| already_known(facts, hole, plain)) {
            return Self {
                transfers: Some(text),
                ..unknown
            };
        }
        let after_fix = clamped
            .filter(|run| !run.stalled)
            .map(|run| after_fix(facts, run));
        let explains = match (plain, clamped) {
            (Some(plain), Some(fits)) if fits.stalled && plain.stalled => Explains::No,
            (Some(plain), Some(fits)) if plain.rate.0 <= BLACK_HOLE_SHARE * fits.rate.0 => Explains::Yes,
            (Some(_), Some(_)) => Explains::No,
            (Some(plain), None) if plain.stalled => Explains::Yes,
            _ => Explains::Unknown,
        };
        let ceiling = clamped.map_or(0.0, |run| BLACK_HOLE_SHARE * run.rate.0);
        Self {
            explains,
            allows: Some(words::range(0.0, 0.0, ceiling)),
            after_fix,
            transfers: compared(plain, clamped),
        }
    }
}

/// The sending kernel remembers a path MTU for ten minutes. If some router told it a smaller one before the transfer
/// (in answer to our probes, say), the transfer used that and did not meet the fault that a user meets.
fn already_known(facts: &Facts, hole: &BlackHole, plain: &TcpRun) -> Option<(String, Vec<ObservationId>)> {
    let packet = plain.mss_bytes?.saturating_add(facts.header_bytes());
    let initial = facts.initial_packet_bytes()?;
    let small_from_the_start = !plain.stalled && packet <= hole.passes_bytes && initial > hole.passes_bytes;
    small_from_the_start.then(|| {
        let text = format!(
            "TCP ran at {} with packets of {packet} bytes: the kernel knew a smaller path MTU already, so this transfer \
             did not meet the fault",
            plain.rate
        );
        (text, vec![plain.id.clone()])
    })
}

/// Beyond this, what full-size segments gain is a guess.
const LARGER_SEGMENTS_AT_MOST: f64 = 2.0;

/// What was measured with fitting segments is the least that the repaired path gives; full-size segments may bring the
/// rate up by their ratio.
fn after_fix(facts: &Facts, clamped: &TcpRun) -> RateRange {
    let rate = clamped.rate.0;
    let fitting = clamped
        .requested_mss_bytes
        .unwrap_or(1_460)
        .saturating_add(facts.header_bytes());
    let larger = facts
        .initial_packet_bytes()
        .map_or(1.0, |bytes| f64::from(bytes) / f64::from(fitting));
    words::range(
        0.8 * rate,
        rate,
        rate * larger.clamp(1.1, LARGER_SEGMENTS_AT_MOST),
    )
}

fn compared(plain: Option<&TcpRun>, clamped: Option<&TcpRun>) -> Option<(String, Vec<ObservationId>)> {
    let (plain, clamped) = (plain?, clamped?);
    let mss = clamped.requested_mss_bytes?;
    let text = format!(
        "TCP: {} as it comes, {} with segments of {mss} bytes",
        plain.rate, clamped.rate
    );
    Some((text, vec![plain.id.clone(), clamped.id.clone()]))
}

/// The other mechanism is mentioned as long as it is more probable than this.
const WORTH_SAYING: f64 = 0.03;
/// Signs with less weight than this do not decide between the two.
const DECISIVE: f64 = 2.2;

/// Routers fragment what they know to be too large: if fragments arrive, the router knows.
const FRAGMENTS_PASS: f64 = 3.5;
/// Also the fragments' first hop is silent: nobody fragmented.
const FRAGMENTABLE_VANISH_AT_ROUTER: f64 = -3.5;
/// Only the destination was asked: many hosts' firewalls drop all fragments, which looks the same.
const FRAGMENTABLE_VANISH_AT_END: f64 = -1.8;
/// On the first link there is no router before it that could send a message.
const FIRST_LINK: f64 = -6.0;
/// 1504, 1508, 1518…: what is left of a frame limit, not an MTU that somebody configured for IP.
const UNUSUAL_MTU: f64 = -1.0;
/// Messages from routers further on come back over this very link, so nobody filters them there.
const MESSAGES_PASS: f64 = -0.6;

/// The signs that tell a lost message (positive weights) from a mismatch (negative ones), given a black hole.
struct Separation {
    signs: Vec<(f64, String)>,
}

impl Separation {
    fn of(hole: &BlackHole) -> Self {
        let mut signs: Vec<(f64, String)> = fragmentable_sign(hole).into_iter().collect();
        if hole.before == 0 {
            let text = "there is no router before the first link that could have sent a message";
            signs.push((FIRST_LINK, text.into()));
        }
        if !is_usual_mtu(hole.passes_bytes) {
            let text = format!(
                "{} is no usual IP MTU but what a frame limit leaves",
                hole.passes_bytes
            );
            signs.push((UNUSUAL_MTU, text));
        }
        if let Some(router) = honest_behind(hole) {
            let text = format!(
                "\"fragmentation needed\" from {} crosses this link and arrives",
                words::hop(router)
            );
            signs.push((MESSAGES_PASS, text));
        }
        Self { signs }
    }

    /// Log-odds of a lost message.
    fn odds(&self) -> f64 {
        self.signs.iter().map(|(weight, _)| weight).sum()
    }

    fn share(&self, mechanism: Mechanism) -> f64 {
        let message_lost = logistic(self.odds());
        match mechanism {
            Mechanism::MessageLost => message_lost,
            Mechanism::Mismatch => 1.0 - message_lost,
        }
    }

    fn undecided(&self) -> bool {
        self.odds().abs() < DECISIVE
    }

    fn text(&self) -> String {
        self.signs
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join("; ")
    }

    fn weigh(&self, weighing: &mut Weighing, mechanism: Mechanism, cites: &[ObservationId]) {
        let towards = if mechanism == Mechanism::MessageLost {
            1.0
        } else {
            -1.0
        };
        for (weight, text) in &self.signs {
            weighing.add(towards * weight, text.clone(), cites);
        }
    }

    fn other_possible(&self, mechanism: Mechanism) -> String {
        let (other, name) = match mechanism {
            Mechanism::MessageLost => ("MTU-002, a mismatch,", Mechanism::Mismatch),
            Mechanism::Mismatch => ("MTU-001, a lost message,", Mechanism::MessageLost),
        };
        format!(
            "{other} looks the same from here and is {:.0} % probable",
            self.share(name) * 100.0
        )
    }
}

fn fragmentable_sign(hole: &BlackHole) -> Option<(f64, String)> {
    let size = hole.vanishes_bytes;
    match hole.fragmentable {
        Fragmentable::Pass { answered, sent } => Some((
            FRAGMENTS_PASS,
            format!(
                "fragmentable packets of {size} bytes pass ({answered} of {sent}): the router before the link knows the \
                 smaller MTU and fragments"
            ),
        )),
        Fragmentable::Vanish {
            sent,
            seen_at_a_router: true,
        } => Some((
            FRAGMENTABLE_VANISH_AT_ROUTER,
            format!(
                "fragmentable packets of {size} bytes vanish as well (all of {sent}): the router before the link sends \
                 them whole"
            ),
        )),
        Fragmentable::Vanish {
            sent,
            seen_at_a_router: false,
        } => Some((
            FRAGMENTABLE_VANISH_AT_END,
            format!(
                "fragmentable packets of {size} bytes do not arrive either (none of {sent}), unless the destination \
                 drops fragments"
            ),
        )),
        Fragmentable::NotTried => None,
    }
}

fn honest_behind(hole: &BlackHole) -> Option<&HopRef> {
    hole.honest_elsewhere
        .iter()
        .map(|(hop, _)| hop)
        .find(|hop| hop.ttl >= hole.after)
}

/// MTUs that people configure: IPv6's least, tunnels over Ethernet, PPPoE, Ethernet, FDDI, POS, jumbo frames.
fn is_usual_mtu(bytes: u32) -> bool {
    matches!(bytes, 576 | 1_006 | 1_280 | 1_300..=1_480 | 1_492 | 1_500 | 2_002 | 4_352 | 4_464 | 4_470 | 8_000 | 8_192 | 8_500 | 8_900..=9_000)
        || matches!(
            bytes,
            9_100 | 9_150 | 9_174 | 9_178 | 9_180 | 9_192 | 9_198 | 9_200 | 9_202 | 9_212 | 9_214 | 9_216
        )
}

fn cannot_tell(mechanism: Mechanism) -> String {
    let other = match mechanism {
        Mechanism::MessageLost => "MTU-002 (the far interface drops larger frames silently)",
        Mechanism::Mismatch => "MTU-001 (the router's \"fragmentation needed\" is filtered or not sent)",
    };
    format!(
        "{other}: what tells is whether fragmentable IPv4 packets of that size pass, the MTUs configured on both \
         interfaces of the link, or its input error counters (giants) while large packets are sent"
    )
}

fn remedy(facts: &Facts, hole: &BlackHole, mechanism: Mechanism, before: &HopRef, after: &HopRef) -> String {
    let meanwhile = format!(
        "until then: limit TCP segments on a host, e.g. `ip route … advmss {}`, or set net.ipv4.tcp_mtu_probing=1 at the sender",
        hole.passes_bytes.saturating_sub(facts.header_bytes())
    );
    let fix = match mechanism {
        Mechanism::MessageLost => format!(
            "let ICMP type 3 code 4 (IPv6: type 2) from {} through to the sender, and let that router send it",
            words::hop(before)
        ),
        Mechanism::Mismatch => format!(
            "configure the same MTU at both ends of the link: {} sends packets that {} does not take over {} bytes",
            words::hop(before),
            words::hop(after),
            hole.passes_bytes
        ),
    };
    format!("{fix}; {meanwhile}")
}

fn ask_whom(hole: &BlackHole, before: &HopRef, after: &HopRef) -> String {
    format!(
        "{}; show them that {} bytes pass and {} do not, with \"don't fragment\" set and no answer",
        words::operators(before, after),
        hole.passes_bytes,
        hole.vanishes_bytes
    )
}

fn strongest(weighing: &Weighing) -> String {
    let strongest = weighing
        .contradicts
        .iter()
        .min_by(|a, b| a.weight.total_cmp(&b.weight));
    strongest.map_or_else(
        || "too few probes to tell from plain loss".into(),
        |argument| argument.text.clone(),
    )
}
