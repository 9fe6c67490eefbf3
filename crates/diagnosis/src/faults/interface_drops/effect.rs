//! What the drops do to a transfer: loss of several per cent, where TCP lives from one timeout to the next.

use super::drops::Drops;
use crate::facts::Facts;
use crate::facts::records::direction::BothWays;
use crate::faults::words;
use crate::judgement::Weighing;
use evidence::{Direction, Explains, Nanos, RateBps, RateRange};
use model::Control;
use model::forward::{Connection, STANDARD_TIMEOUT_S};

/// The model and the measurement may differ by this factor.
const MODEL_FACTOR: f64 = 2.0;
/// Drops of a full buffer come in bursts, which take the retransmissions with them, so that the sender backs off further
/// than a model of one loss a window says.
const BURST_FACTOR: f64 = 4.0;
/// Segments of an Ethernet host where no record tells.
const USUAL_MSS_BYTES: u32 = 1_460;
/// The prediction holds, with a range of loss from days or from the time of the transfer.
const MATCHES: f64 = 1.5;
/// A transfer with the data is faster than such loss allows: it does not lose so much.
const TOO_FAST: f64 = -6.0;

pub(super) struct Effect {
    pub(super) explains: Explains,
    pub(super) allows: Option<RateRange>,
    pub(super) after_fix: Option<RateRange>,
}

impl Effect {
    /// What they do, with the comparison entered.
    pub(super) fn of(
        weighing: &mut Weighing,
        facts: &Facts,
        drops: &Drops<'_>,
        pair: Option<&BothWays>,
    ) -> Self {
        let mut effect = Self {
            explains: Explains::Unknown,
            allows: None,
            after_fix: None,
        };
        let Some(rtt) = &facts.base_rtt else { return effect };
        let recorded = facts.records.complained(&facts.complaint);
        let mss_bytes = recorded
            .and_then(|(record, _)| record.what.mss_bytes)
            .unwrap_or(USUAL_MSS_BYTES);
        let connection = Connection {
            // With so much loss all that are not BBR live from timeouts, and those are alike.
            control: Control::Reno,
            mss_bytes: f64::from(mss_bytes),
            rtt_s: rtt.seconds(),
        };
        let allows = allowed(&connection, drops.under_load);
        effect.allows = Some(allows);
        let Some((record, rate)) = recorded else {
            return effect;
        };
        let cites = crate::judgement::join_cites([&drops.cites(), &rtt.cites, &vec![record.id.clone()]]);
        let (explains, weight, remark) = compare(drops, allows, rate);
        let (low, high) = drops.under_load;
        let text = format!(
            "loss of {} to {} over a round trip of {} allows {} to {}, with timeouts of 0.2 to 1 s; {rate} measured{remark}",
            words::loss(low),
            words::loss(high),
            Nanos(rtt.ns),
            allows.low,
            allows.high
        );
        weighing.add(weight, text, &cites);
        effect.explains = explains;
        if explains == Explains::Yes {
            effect.after_fix = after_fix(facts, rate, pair);
        }
        effect
    }
}

fn compare(drops: &Drops<'_>, allows: RateRange, rate: RateBps) -> (Explains, f64, &'static str) {
    if rate.0 > allows.high.0 {
        let remark = ": it does not lose that much, whatever was counted before";
        (Explains::No, TOO_FAST, remark)
    } else if rate.0 < allows.low.0 {
        (Explains::No, 0.0, ": something else makes it slower still")
    } else if drops.is_current() {
        (Explains::Yes, MATCHES, "")
    } else {
        (Explains::Yes, 0.5 * MATCHES, "")
    }
}

/// From most loss with the longest timeout to least with the shortest. The best estimate lies between on a logarithmic
/// scale: what the host's least timeout is, and how bursty the drops are, nobody recorded.
fn allowed(connection: &Connection, (least, most): (f64, f64)) -> RateRange {
    let low = connection.pftk_bps(most, connection.rtt_s.max(STANDARD_TIMEOUT_S)) / BURST_FACTOR;
    let high = connection.reno_bps(least) * MODEL_FACTOR;
    words::range(low, (low * high).sqrt(), high)
}

/// What the other direction gets over the same links, or what is expected.
fn after_fix(facts: &Facts, rate: RateBps, pair: Option<&BothWays>) -> Option<RateRange> {
    let forward = |pair: &&BothWays| pair.slow.direction(&facts.complaint) == Some(Direction::Forward);
    let other_way = pair.filter(forward).map(|pair| pair.fast.rate.0);
    let best = [other_way, facts.expected().map(|rate| rate.0)]
        .into_iter()
        .flatten()
        .max_by(f64::total_cmp)
        .filter(|best| *best > MODEL_FACTOR * rate.0)?;
    Some(words::range(best / MODEL_FACTOR, best, best * MODEL_FACTOR))
}
