//! What the black hole does to TCP, by the plain transfer and the one with segments that fit.

use super::recorded;
use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::facts::transfer::TcpRun;
use crate::faults::words;
use evidence::v1::{Direction, End, Explains, ObservationId, RateRange};

/// The best transfer whose segments fit through.
pub(super) fn clamped_run<'a>(facts: &'a Facts, hole: &BlackHole) -> Option<&'a TcpRun> {
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
pub(super) struct Effect {
    pub(super) explains: Explains,
    pub(super) allows: Option<RateRange>,
    pub(super) after_fix: Option<RateRange>,
    pub(super) transfers: Option<(String, Vec<ObservationId>)>,
}

/// A transfer through a black hole gets less than this of one with fitting segments: nothing until the sender falls
/// back (RFC 4821, off by default in Linux), and then a fresh start.
pub(super) const BLACK_HOLE_SHARE: f64 = 0.5;

impl Effect {
    pub(super) fn of(facts: &Facts, hole: &BlackHole) -> Self {
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
        if plain.is_none()
            && let Some(effect) = recorded::effect(facts)
        {
            return effect;
        }
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

/// Segments that fit the whole path: routers further on may have named a smaller MTU than the black hole's.
pub(crate) fn fitting_mss(facts: &Facts, hole: &BlackHole) -> u32 {
    /// The least MTU of IPv4 hosts, 576 bytes (RFC 791), less headers: no path needs less.
    const LEAST_MSS: u32 = 500;
    let end_to_end = facts
        .sized_path()
        .sizes
        .end_to_end_bytes()
        .unwrap_or(hole.passes_bytes);
    end_to_end
        .min(hole.passes_bytes)
        .saturating_sub(facts.header_bytes())
        .max(LEAST_MSS)
}
