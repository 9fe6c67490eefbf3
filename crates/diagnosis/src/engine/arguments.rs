//! What speaks for an answer and against it: each group of measurements by how much likelier it is in the answer's best
//! world than in the best world without it.

use super::counted::{self, counter, name};
use super::groups::Group;
use super::level::{Answer, Level};
use super::posterior::Posterior;
use crate::adapters::Gathered;
use crate::faults::words;
use evidence::{Argument, Nanos, RateBps, Transport};
use model::forward::{self, LEAST_QUEUE_S};
use model::{Bound, Counted, Fault, Kind, Measurement, Rate, Seen, Setting, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// Log-odds below which a group says nothing worth reading: odds of two to one.
const WORTH_READING: f64 = 0.7;
/// So many arguments are read to the end.
const MOST: usize = 6;

/// (for, against), the heaviest first.
pub(super) fn arguments(
    gathered: &Gathered,
    groups: &[Group<'_>],
    posterior: &Posterior,
    answer: &Answer,
) -> (Vec<Argument>, Vec<Argument>) {
    let nothing: &[Fault] = &[];
    let matches = |faults: &[Fault]| faults.iter().any(|fault| is_it(fault, answer));
    let best = posterior
        .worlds
        .iter()
        .find(|(faults, _)| matches(faults))
        .map_or(nothing, |(faults, _)| faults);
    // Its siblings share what speaks for it; a detour's rivals are faults of any kind elsewhere.
    let family = answer.likeliest.kind.family();
    let sibling = |fault: &Fault| answer.level != Level::Detour && fault.kind.family() == family;
    let rival = posterior
        .worlds
        .iter()
        .find(|(faults, _)| !matches(faults) && !faults.iter().any(sibling))
        .map_or(nothing, |(faults, _)| faults);
    // A rival that predicts the same leaves nothing to tell: then what is told is what speaks against a sound path.
    let (mut supports, mut contradicts) = against(gathered, groups, best, rival);
    if supports.is_empty() {
        (supports, contradicts) = against(gathered, groups, best, nothing);
    }
    supports.truncate(MOST);
    contradicts.truncate(MOST);
    (supports, contradicts)
}

/// What each group gains over a rival: what speaks for the best world, and what against it.
fn against(
    gathered: &Gathered,
    groups: &[Group<'_>],
    best: &[Fault],
    rival: &[Fault],
) -> (Vec<Argument>, Vec<Argument>) {
    let mut all: Vec<Argument> = groups
        .iter()
        .filter_map(|group| {
            let weight = group.ln_likelihood(best) - group.ln_likelihood(rival);
            (weight.abs() >= WORTH_READING).then(|| Argument {
                text: told(gathered, group),
                // A verdict is compared byte for byte: a weight carries three digits.
                weight: (weight * 1e3).round() / 1e3,
                cites: cites(group),
            })
        })
        .filter(|argument| !argument.text.is_empty())
        .collect();
    all.sort_by(|a, b| {
        b.weight
            .abs()
            .total_cmp(&a.weight.abs())
            .then_with(|| a.text.cmp(&b.text))
    });
    all.into_iter().partition(|argument| argument.weight > 0.0)
}

fn is_it(fault: &Fault, answer: &Answer) -> bool {
    answer.means(fault.kind) && answer.place.contains(&fault.element)
}

pub(super) fn cites(group: &Group<'_>) -> Vec<evidence::ObservationId> {
    let mut all: Vec<_> = group
        .members
        .iter()
        .flat_map(|member| member.cites.iter().cloned())
        .collect();
    all.sort();
    all.dedup();
    all
}

/// A group in words: each kind of measurement once, with its figures.
pub(super) fn told(gathered: &Gathered, group: &Group<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let members = group.members.iter().copied();
    let sizes: Vec<&Measurement> = members.filter(|m| m.delivery().is_some()).collect();
    parts.extend(sizes_told(gathered, &sizes));
    parts.extend(counts_told(gathered, &group.members));
    for member in &group.members {
        let part = match &member.seen {
            Seen::Rate(rate) => rate_told(gathered, member, rate),
            Seen::Loss(loss) => {
                let (from, to) = (name(gathered, member.from), name(gathered, member.to));
                let rate = loss
                    .offered_bps
                    .map_or_else(String::new, |bps| format!(" at {}", RateBps(bps)));
                let what = if loss.round_trip {
                    "probes without an answer"
                } else {
                    "packets lost"
                };
                let load = if loss.under_load { " under load" } else { "" };
                if member.trust == Trust::Stated {
                    let ratio = words::loss(loss.lost / loss.sent.max(1.0));
                    parts.push(format!(
                        "{ratio} of packets lost{load}, {from} to {to}, as stated"
                    ));
                    continue;
                }
                format!(
                    "{} of {} {what}{rate}{load}, {from} to {to}",
                    count(loss.lost),
                    count(loss.sent)
                )
            }
            Seen::Queue(queue) if queue.above_min_s >= LEAST_QUEUE_S => {
                let delay = Nanos((queue.above_min_s * 1e9) as u64);
                format!(
                    "under load the delay to {} grows by {delay}",
                    name(gathered, member.to)
                )
            }
            Seen::Queue(_) => format!(
                "under load the delay to {} does not grow",
                name(gathered, member.to)
            ),
            Seen::Rest(seen) if seen.above_min_s >= LEAST_QUEUE_S => format!(
                "at rest the delay to {} varies by {}",
                name(gathered, member.to),
                Nanos((seen.above_min_s * 1e9) as u64)
            ),
            Seen::Rest(_) => format!("at rest the delay to {} hardly varies", name(gathered, member.to)),
            Seen::Setting(setting) => setting_told(gathered, member, setting),
            Seen::Delivery(_) | Seen::Count(_) => continue,
        };
        parts.push(part);
    }
    parts.dedup();
    parts.truncate(4);
    parts.join("; ")
}

/// Sizes that reach a node and sizes that do not, as one sentence.
fn sizes_told(gathered: &Gathered, sizes: &[&Measurement]) -> Option<String> {
    let to = name(gathered, sizes.first()?.to);
    let seen = || sizes.iter().filter_map(|m| m.delivery());
    let of = |passed: bool| {
        let of = seen().filter(move |delivery| (delivery.answered > 0.0) == passed);
        of.map(|delivery| delivery.size_bytes as u64)
    };
    Some(match (of(true).max(), of(false).min()) {
        (Some(most), Some(least)) if least > most => {
            let word = if seen().all(|delivery| !delivery.told) {
                ", and no \"fragmentation needed\" came back"
            } else {
                ""
            };
            format!("{most} bytes reach {to}, {least} do not{word}")
        }
        (Some(most), None) => format!("{most} bytes reach {to}"),
        (None, Some(least)) => format!("{least} bytes and more draw no answer from {to}"),
        _ => format!("some sizes reach {to} and some do not"),
    })
}

/// What was counted at one place, each class of it as one sentence.
fn counts_told(gathered: &Gathered, members: &[&Measurement]) -> Vec<String> {
    let mut told: BTreeMap<Counted, BTreeSet<(&str, String)>> = BTreeMap::new();
    for member in members {
        if let Seen::Count(seen) = &member.seen {
            let text = (seen.label.as_str(), counted::told(member, seen));
            told.entry(seen.what).or_default().insert(text);
        }
    }
    let Some(member) = members.first() else {
        return Vec::new();
    };
    let place = counter(gathered, member);
    let sentence = |(what, each): (Counted, BTreeSet<(&str, String)>)| {
        let each: Vec<String> = each.into_iter().map(|(_, text)| text).collect();
        let what = match what {
            Counted::Damaged => "counts damaged packets",
            Counted::Dropped => "drops packets on input",
            Counted::Overflowed => "drops packets on output",
            Counted::Missing => "packets are missing",
        };
        format!("{place} {what}: {}", each.join(", "))
    };
    told.into_iter().map(sentence).collect()
}

fn setting_told(gathered: &Gathered, member: &Measurement, setting: &Setting) -> String {
    let size = words::buffer(setting.value as u64);
    let (what, host) = match setting.kind {
        Kind::SendBuffer => ("a send buffer", member.from),
        _ => ("a window", member.to),
    };
    let told = format!("{what} of at most {size} at {}", name(gathered, host));
    let Some(rtt_s) = setting.min_rtt_s else {
        return told;
    };
    let rate = RateBps(forward::window_bps(setting.value, rtt_s));
    format!(
        "{told}: {size} a round trip of {} are {rate}",
        Nanos((rtt_s * 1e9) as u64)
    )
}

fn rate_told(gathered: &Gathered, member: &Measurement, rate: &Rate) -> String {
    let kind = match (rate.transport, rate.streams as u64) {
        (Transport::Udp, _) => "UDP".to_owned(),
        (Transport::Tcp, 1) => "TCP".to_owned(),
        (Transport::Tcp, streams) => format!("TCP over {streams} connections"),
    };
    let bound = match rate.bound {
        Bound::Exact => "",
        Bound::AtLeast => "at least ",
        Bound::AtMost => "at most ",
    };
    let (from, to) = (name(gathered, member.from), name(gathered, member.to));
    let mut text = format!("{kind} from {from} to {to}: {bound}{}", RateBps(rate.bps));
    let share = |share: f64| format!("{:.0} %", share * 100.0);
    if let Some(waited) = rate.waits.receive_window.filter(|s| *s >= 0.2) {
        text += &format!(
            ", waiting for the receiver's window {} of its time",
            share(waited)
        );
    }
    if let Some(waited) = rate.waits.send_buffer.filter(|s| *s >= 0.2) {
        text += &format!(", waiting for its send buffer {} of its time", share(waited));
    }
    if let Some((again, sent)) = rate.waits.retransmitted.filter(|(again, _)| *again >= 1.0) {
        text += &format!(", {} of {} segments retransmitted", count(again), count(sent));
    }
    if rate.waits.stalled == Some(true) {
        text += ", standing still for seconds";
        if let Some(mss) = rate.mss_bytes.filter(|mss| *mss > 1460.0) {
            text += &format!(" with segments of {mss:.0} bytes");
        }
    }
    text
}

fn count(value: f64) -> String {
    words::count(value.round() as u64)
}
