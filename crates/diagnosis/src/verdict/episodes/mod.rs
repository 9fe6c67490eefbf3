//! What came and went during the transfers, told with its times: beside the loss that it belongs to, as no cause where all
//! is fast, else in the summary. A far end that went away stands in the summary always: it is neither loss nor health.

mod found;

use crate::facts::Facts;
use crate::faults::words;
use crate::records::{Recorded, goes_between, or};
use evidence::{
    Argument, Complaint, Finding, Location, ObservationId, RedHerring, StopReason, Timestamp, Transfer,
    Transport, VerdictState,
};
use found::{Episode, What, episodes};

/// Told one by one; of more the number and the time.
const SHOWN: usize = 3;

/// The episodes of a round in words.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// A far end that went away.
    pub(super) gone: Vec<String>,
    /// All others.
    others: Vec<String>,
    /// The transfers of these.
    cites: Vec<ObservationId>,
}

impl Told {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut transfers: Vec<&Recorded<Transfer>> = facts.records.transfers.iter().collect();
        transfers.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
        let mut told = Self::default();
        let (mut more, mut more_ns) = (0_usize, 0_u64);
        for transfer in transfers {
            for episode in episodes(&transfer.what) {
                let text = text(transfer, &episode, &facts.complaint);
                let list = if episode.what == What::Gone {
                    &mut told.gone
                } else {
                    &mut told.others
                };
                if list.contains(&text) {
                    continue;
                }
                if list.len() < SHOWN {
                    list.push(text);
                } else {
                    more += 1;
                    more_ns += episode.to_ns - episode.from_ns;
                }
                if episode.what != What::Gone {
                    told.cites.push(transfer.id.clone());
                }
            }
        }
        if more > 0 {
            let seconds = more_ns as f64 / 1e9;
            told.others
                .push(format!("and {more} more times, {seconds:.1} s in all"));
        }
        told.cites.sort();
        told.cites.dedup();
        told
    }

    /// Puts them where they belong; what is left is for the summary.
    pub(super) fn place(
        self,
        state: VerdictState,
        findings: &mut [Finding],
        herrings: &mut Vec<RedHerring>,
    ) -> Vec<String> {
        let Self {
            mut gone,
            others,
            cites,
        } = self;
        if others.is_empty() {
            return gone;
        }
        let is_loss = |finding: &&mut Finding| finding.code.starts_with("LOSS");
        if let Some(loss) = findings.iter_mut().find(is_loss) {
            // The model has weighed the transfers already: the times add no weight.
            loss.supports.push(Argument {
                text: others.join("; "),
                weight: 0.0,
                cites,
            });
        } else if state == VerdictState::Ok {
            herrings.push(RedHerring {
                code: "came-and-went".into(),
                seen: others.join("; "),
                why_not: "it did not last, and the transfer is fast enough all the same; look again if it comes back"
                    .into(),
                location: Location::Path,
                cites,
            });
        } else {
            gone.extend(others);
        }
        gone
    }
}

/// Whether the transfer complained about lost its far end: it shows no healthy path, however fast it was.
pub(super) fn lost_its_far_end(facts: &Facts) -> bool {
    let complained = facts.records.complained(&facts.complaint);
    complained.is_some_and(|(record, _)| record.what.stop == Some(StopReason::PeerGone))
}

fn text(transfer: &Recorded<Transfer>, episode: &Episode, complaint: &Complaint) -> String {
    let seconds = |ns: u64| format!("{:.1} s", ns as f64 / 1e9);
    let subject = subject(transfer, complaint);
    let at = |ns: u64| {
        let at = transfer.at.unwrap_or(Timestamp(0));
        at.plus_ns(i64::try_from(ns).unwrap_or(i64::MAX))
    };
    let (from, to) = (at(episode.from_ns), at(episode.to_ns));
    let dated = transfer.at.is_some();
    if episode.what == What::Gone {
        let when = match dated {
            true => format!(", at {},", words::moment(from, complaint.utc_offset_s)),
            false => String::new(),
        };
        let into = seconds(episode.from_ns);
        return format!(
            "the far end fell silent {into} into {subject}{when} and never came back; what was measured until then counts"
        );
    }
    let last = transfer.what.intervals.last();
    let end = last.map_or(0, |slice| slice.start_ns.saturating_add(slice.length_ns));
    let end = end.max(transfer.what.duration_ns.unwrap_or(0));
    let until = match episode.to_the_end {
        true => format!("its end at {}", seconds(episode.to_ns)),
        false => format!("{} of {}", seconds(episode.to_ns), seconds(end)),
    };
    let mut span = format!("from {} to {until}", seconds(episode.from_ns));
    if dated {
        span += &format!(", in {}", words::moments(from, to, complaint.utc_offset_s));
    }
    let udp = transfer.what.protocol == Some(Transport::Udp);
    match episode.what {
        What::Silence | What::Gone => format!("in {subject}, nothing arrived {span}"),
        What::Loss { within, otherwise } => {
            let what = if udp {
                "of packets were lost"
            } else {
                "of segments were retransmitted"
            };
            format!(
                "in {subject}, {} {what} {span}; in the rest of it {}",
                words::loss(within),
                words::loss(otherwise)
            )
        }
        What::Rate { before, within } => {
            format!("the rate of {subject} fell from {before} to {within} {span}")
        }
    }
}

/// "the TCP transfer over 4 connections"; with its ends where they are not those complained about.
fn subject(transfer: &Recorded<Transfer>, complaint: &Complaint) -> String {
    let what = &transfer.what;
    let kind = match what.protocol {
        Some(Transport::Udp) => "UDP stream",
        Some(Transport::Tcp) => "TCP transfer",
        None => "transfer",
    };
    let several = what.streams.filter(|streams| *streams > 1);
    let several = several.map_or_else(String::new, |streams| format!(" over {streams} connections"));
    let from = or(&what.from, &transfer.vantage);
    let ends = match goes_between(from, &what.to, complaint) {
        true => String::new(),
        false => format!(" from {from} to {}", what.to),
    };
    format!("the {kind}{several}{ends}")
}
