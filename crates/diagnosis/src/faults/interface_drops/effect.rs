//! What the drops do to a transfer: loss of several per cent, where TCP lives from one timeout to the next.

use super::drops::Drops;
use crate::facts::Facts;
use crate::facts::records::direction::BothWays;
use crate::facts::response::{CongestionControl, Connection, STANDARD_TIMEOUT_S};
use crate::faults::words;
use evidence::{Argument, Direction, Explains, Nanos, ObservationId, RateBps, RateRange};

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
    pub(super) for_it: Vec<Argument>,
    pub(super) against: Vec<Argument>,
}

impl Effect {
    pub(super) fn of(facts: &Facts, drops: &Drops<'_>, pair: Option<&BothWays>) -> Self {
        let mut effect = Self {
            explains: Explains::Unknown,
            allows: None,
            after_fix: None,
            for_it: Vec::new(),
            against: Vec::new(),
        };
        let Some(rtt) = &facts.base_rtt else { return effect };
        let recorded = facts.records.complained(&facts.complaint);
        let mss_bytes = recorded
            .and_then(|(record, _)| record.what.mss_bytes)
            .unwrap_or(USUAL_MSS_BYTES);
        let connection = Connection {
            // With so much loss all that are not BBR live from timeouts, and those are alike.
            control: CongestionControl::Reno,
            mss_bytes,
            rtt_s: rtt.seconds(),
        };
        let allows = allowed(&connection, drops.under_load);
        effect.allows = Some(allows);
        let Some((record, rate)) = recorded else {
            return effect;
        };
        let cites = crate::judgement::join_cites([&drops.cites(), &rtt.cites, &vec![record.id.clone()]]);
        effect.compare(drops, (allows, Nanos(rtt.ns)), rate, cites);
        if effect.explains == Explains::Yes {
            effect.after_fix = after_fix(facts, rate, pair);
        }
        effect
    }

    fn compare(
        &mut self,
        drops: &Drops<'_>,
        (allows, rtt): (RateRange, Nanos),
        rate: RateBps,
        cites: Vec<ObservationId>,
    ) {
        let (low, high) = drops.under_load;
        let figures = format!(
            "loss of {} to {} over a round trip of {rtt} allows {} to {}, with timeouts of 0.2 to 1 s; {rate} measured",
            words::loss(low),
            words::loss(high),
            allows.low,
            allows.high
        );
        let argument = |weight, text| Argument { text, weight, cites };
        if rate.0 > allows.high.0 {
            self.explains = Explains::No;
            let text = format!("{figures}: it does not lose that much, whatever was counted before");
            self.against.push(argument(TOO_FAST, text));
        } else if rate.0 >= allows.low.0 {
            self.explains = Explains::Yes;
            let weight = if drops.is_current() {
                MATCHES
            } else {
                0.5 * MATCHES
            };
            self.for_it.push(argument(weight, figures));
        } else {
            self.explains = Explains::No;
            self.for_it.push(argument(
                0.0,
                format!("{figures}: something else makes it slower still"),
            ));
        }
    }
}

/// From most loss with the longest timeout to least with the shortest. The best estimate lies between on a logarithmic
/// scale: what the host's least timeout is, and how bursty the drops are, nobody recorded.
fn allowed(connection: &Connection, (least, most): (f64, f64)) -> RateRange {
    let low = connection.pftk_with_timeout_bps(most, connection.rtt_s.max(STANDARD_TIMEOUT_S)) / BURST_FACTOR;
    let high = connection.pftk_bps(least) * MODEL_FACTOR;
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
