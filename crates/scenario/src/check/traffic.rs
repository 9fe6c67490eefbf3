//! Traffic of others.

use super::context::{Checked, Context};
use super::{ends, timeline};
use crate::model::Scenario;
use crate::raw;
use crate::traffic::{Traffic, TrafficKind};

/// Room for an IPv6 and a UDP header.
const MIN_PACKET_BYTES: u32 = 64;
const MAX_PACKET_BYTES: u32 = 9_000;
const DEFAULT_PACKET_BYTES: u32 = 1_200;
/// Each stream is a thread at either end.
const MAX_STREAMS: u32 = 64;

pub(super) fn traffic(context: &Context<'_>, file: &raw::File, scenario: &Scenario) -> Checked<Vec<Traffic>> {
    file.traffic
        .iter()
        .map(|raw| one(context, raw, scenario))
        .collect()
}

fn one(
    context: &Context<'_>,
    spanned: &toml::Spanned<raw::Traffic>,
    scenario: &Scenario,
) -> Checked<Traffic> {
    let raw = spanned.get_ref();
    let [from, to] = ends::two_hosts(context, (&raw.from, &raw.to), scenario, "traffic")?;
    ends::reachable(context, (&raw.from, &raw.to), scenario)?;
    if raw.kind == TrafficKind::Udp && raw.rate.is_none() {
        return context.fail(
            &spanned.span(),
            "UDP traffic needs a `rate`: it knows no other limit",
        );
    }
    if let (TrafficKind::Tcp, Some(size)) = (raw.kind, &raw.packet_bytes) {
        return context.fail(
            &size.span(),
            "TCP makes its own packets: `packet_bytes` is for UDP",
        );
    }
    let start_ns = timeline::instant(context, &spanned.span(), "start", raw.start)?;
    let end_ns = match raw.end {
        Some(end) => Some(timeline::instant(context, &spanned.span(), "end", end)?),
        None => None,
    };
    if end_ns.is_some_and(|end_ns| end_ns <= start_ns) {
        return context.fail(&spanned.span(), "traffic ends after its start");
    }
    let number = |given: &Option<toml::Spanned<u32>>, name: &str, range: [u32; 3]| -> Checked<u32> {
        let [low, default, high] = range;
        let Some(given) = given else { return Ok(default) };
        if (low..=high).contains(given.get_ref()) {
            return Ok(*given.get_ref());
        }
        context.fail(&given.span(), format!("{name} is out of range: {low} to {high}"))
    };
    Ok(Traffic {
        from,
        to,
        kind: raw.kind,
        rate_bps: raw.rate.map(|r| r.bps),
        packet_bytes: number(
            &raw.packet_bytes,
            "packet_bytes",
            [MIN_PACKET_BYTES, DEFAULT_PACKET_BYTES, MAX_PACKET_BYTES],
        )?,
        streams: number(&raw.streams, "streams", [1, 1, MAX_STREAMS])?,
        start_ns,
        end_ns,
    })
}
