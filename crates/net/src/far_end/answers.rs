//! Asks that the far end carries out by itself, towards the client.

use super::channel::{Channel, ChannelError};
use super::refusal::{fail, refuse};
use super::session_client::{Client, towards};
use crate::budget::SetAside;
use crate::local::carry_out;
use crate::sys::thread_time::monotonic_ns;
use crate::{LocalVantage, NetError, Progress, Watch};
use evidence::Payload;
use probe::session::{Limits, LocalAsk, MOST_PROBE_PPS, ReflectorOffer, Refusal, ToClient, ToServer};
use std::time::Duration;
use tokio::sync::mpsc;

/// Packets of one ask at most.
const MAX_PROBES: u64 = 5_000_000;
/// Hops of any path, for what an ask may take of the owner's bytes.
const MOST_HOPS: u64 = 30;
const SMALL_PROBE_BYTES: u64 = 64;
/// What a trace takes at most, three small probes a hop, and a search for packet sizes of up to 9,000 bytes.
const ROUTE_BYTES: u64 = MOST_HOPS * 3 * SMALL_PROBE_BYTES;
const PATH_MTU_BYTES: u64 = 500_000;

/// Carries out `ask` and reports, with progress meanwhile.
pub(super) async fn perform(
    channel: &mut Channel,
    client: &Client,
    ask: &LocalAsk,
    reflector: Option<ReflectorOffer>,
) -> Result<(), ChannelError> {
    let _set_aside = match check(ask, client, 1) {
        Ok(set_aside) => set_aside,
        Err(detail) => return refuse(channel, Refusal::Limits, &detail).await,
    };
    let mut vantage = LocalVantage {
        target: towards(client, reflector),
        known_route: None,
    };
    let measuring = |watch: Watch| async move { carry_out(ask, &mut vantage, &watch).await };
    let outcome = attended(channel, client, measuring).await?;
    report(channel, outcome).await
}

/// Measures while the client is told of progress and may stop it, for as long as the owner allows.
pub(super) async fn attended<T, F: Future<Output = T>>(
    channel: &mut Channel,
    client: &Client,
    measure: impl FnOnce(Watch) -> F,
) -> Result<T, ChannelError> {
    let (progress, mut reports) = mpsc::unbounded_channel::<Progress>();
    let cancel = client.watch.cancel.child_token();
    let _stops_with_us = cancel.clone().drop_guard();
    let watch = Watch::new(cancel.clone(), move |report| {
        let _ = progress.send(report);
    })
    .within(client.budget.clone());
    let limit = Duration::from_millis(u64::from(client.limits().max_duration_ms));
    let deadline = tokio::time::sleep(limit);
    tokio::pin!(deadline);
    let measuring = measure(watch);
    tokio::pin!(measuring);
    loop {
        tokio::select! {
            outcome = &mut measuring => return Ok(outcome),
            Some(report) = reports.recv() => {
                let report = ToClient::Progress { text: report.text, fraction: report.fraction };
                channel.send(&report).await?;
            }
            message = channel.receive() => match message? {
                ToServer::Stop { .. } => cancel.cancel(),
                _ => return Err(ChannelError::Protocol("a second ask while one is carried out".to_owned())),
            },
            () = &mut deadline, if !cancel.is_cancelled() => cancel.cancel(),
        }
    }
}

async fn report(channel: &mut Channel, outcome: Result<Payload, NetError>) -> Result<(), ChannelError> {
    match outcome {
        Ok(payload) => {
            channel
                .send(&ToClient::Performed {
                    payloads: vec![payload],
                })
                .await
        }
        Err(error) => fail(channel, &error).await,
    }
}

/// Sets aside what this ask may take towards so many peers, if the owner allows it now.
pub(super) fn check(ask: &LocalAsk, client: &Client, peers: u64) -> Result<SetAside, String> {
    client.may_now()?;
    let bytes = worth(ask, &client.limits(), peers).map_err(|what| client.account.refusal(what))?;
    // Small enough for every limit of a test, and yet not nothing.
    let small = match ask {
        LocalAsk::Route { flows, .. } => u64::from(*flows) * ROUTE_BYTES,
        LocalAsk::PathMtu => PATH_MTU_BYTES,
        LocalAsk::HostFacts | LocalAsk::HopLoss { .. } | LocalAsk::Echo { .. } => 0,
    };
    let bytes = bytes.max(small.saturating_mul(peers));
    let set_aside = client.account.set_aside(bytes, monotonic_ns());
    set_aside.map_err(|error| error.to_string())
}

/// Keeps a client, or whoever took its token, from flooding the paths towards so many peers with probes. Gives the bytes that
/// they may take.
fn worth(ask: &LocalAsk, limits: &Limits, peers: u64) -> Result<u64, String> {
    let (probes, bytes, rate_pps) = match ask {
        LocalAsk::HopLoss {
            ttls,
            count,
            rate_pps,
        } => {
            let probes = count.saturating_mul(ttls.len() as u64);
            (
                probes,
                probes.saturating_mul(SMALL_PROBE_BYTES),
                u64::from(*rate_pps),
            )
        }
        LocalAsk::Echo {
            sizes_bytes, count, ..
        } => {
            let rounds = u64::from(*count).saturating_mul(MOST_HOPS);
            let sizes = sizes_bytes.iter().map(|size| u64::from(*size));
            let round_bytes = sizes.fold(0, u64::saturating_add);
            (
                rounds.saturating_mul(sizes_bytes.len() as u64),
                rounds.saturating_mul(round_bytes),
                0,
            )
        }
        LocalAsk::HostFacts | LocalAsk::Route { .. } | LocalAsk::PathMtu => (0, 0, 0),
    };
    let (probes, bytes) = (probes.saturating_mul(peers), bytes.saturating_mul(peers));
    let rate_pps = rate_pps.saturating_mul(peers);
    if rate_pps > u64::from(MOST_PROBE_PPS) || probes > MAX_PROBES {
        return Err(format!(
            "at most {MOST_PROBE_PPS} probes per second and {MAX_PROBES} in all are sent, not {rate_pps} and {probes}"
        ));
    }
    match limits.max_bytes.filter(|most| bytes > *most) {
        Some(most) => Err(format!(
            "that measurement may take {bytes} bytes of probes, and the far end's owner allows {most}"
        )),
        None => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_are_refused_however_their_numbers_are_chosen() {
        let small = Limits {
            max_bytes: Some(1_000_000),
            ..Limits::default()
        };
        let hops = |count, rate_pps| LocalAsk::HopLoss {
            ttls: vec![3; 10],
            count,
            rate_pps,
        };
        let echo = |size: u32, count| LocalAsk::Echo {
            sizes_bytes: vec![size, 64],
            count,
            interval_ms: 10,
        };
        assert!(worth(&hops(100_000, 20_000), &Limits::default(), 1).is_ok());
        assert!(worth(&echo(9_000, 50), &Limits::default(), 1).is_ok());
        assert!(worth(&hops(1_000, 20_000), &small, 1).is_ok());
        assert!(
            worth(&hops(1_000, 2_000), &small, 11).is_err(),
            "eleven peers together"
        );
        for ask in [hops(10, 20_001), hops(u64::MAX, 1), echo(u32::MAX, u32::MAX)] {
            assert!(worth(&ask, &Limits::default(), 1).is_err(), "{ask:?}");
        }
        for ask in [hops(10_000, 1), echo(9_000, 50)] {
            assert!(worth(&ask, &small, 1).is_err(), "{ask:?}");
        }
    }
}
