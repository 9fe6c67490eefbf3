//! Asks that the far end carries out by itself, towards the client.

use super::channel::{Channel, ChannelError};
use super::refusal::{fail, refuse};
use super::session_client::{Client, towards};
use crate::local::carry_out;
use crate::{LocalVantage, NetError, Progress, Watch};
use evidence::Payload;
use probe::session::{LocalAsk, ReflectorOffer, Refusal, ToClient, ToServer};
use std::time::Duration;
use tokio::sync::mpsc;

/// Probes per second of one ask at most: measuring must not become flooding.
const MAX_PROBE_RATE_PPS: u32 = 20_000;
/// Packets of one ask at most.
const MAX_PROBES: u64 = 5_000_000;

/// Carries out `ask` and reports, with progress meanwhile.
pub(super) async fn perform(
    channel: &mut Channel,
    client: &Client,
    ask: &LocalAsk,
    reflector: Option<ReflectorOffer>,
) -> Result<(), ChannelError> {
    if let Err(detail) = check(ask) {
        return refuse(channel, Refusal::Limits, &detail).await;
    }
    let (progress, mut reports) = mpsc::unbounded_channel::<Progress>();
    let cancel = client.watch.cancel.child_token();
    let _stops_with_us = cancel.clone().drop_guard();
    let watch = Watch::new(cancel.clone(), move |report| {
        let _ = progress.send(report);
    });
    let mut vantage = LocalVantage {
        target: towards(client, reflector),
        known_route: None,
    };
    let limit = Duration::from_millis(u64::from(client.hub.config.limits.max_duration_ms));
    let deadline = tokio::time::sleep(limit);
    tokio::pin!(deadline);
    let measuring = carry_out(ask, &mut vantage, &watch);
    tokio::pin!(measuring);
    let outcome = loop {
        tokio::select! {
            outcome = &mut measuring => break outcome,
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
    };
    report(channel, outcome).await
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

/// Keeps a client, or whoever took its token, from flooding the path with probes.
fn check(ask: &LocalAsk) -> Result<(), String> {
    match ask {
        LocalAsk::HopLoss {
            ttls,
            count,
            rate_pps,
        } => {
            if *rate_pps > MAX_PROBE_RATE_PPS || count.saturating_mul(ttls.len() as u64) > MAX_PROBES {
                return Err(format!(
                    "at most {MAX_PROBE_RATE_PPS} probes per second and {MAX_PROBES} in all are sent"
                ));
            }
            Ok(())
        }
        LocalAsk::Echo {
            sizes_bytes, count, ..
        } => {
            if u64::from(*count).saturating_mul(sizes_bytes.len() as u64) > MAX_PROBES / 30 {
                return Err("an echo measurement of that many probes is not carried out".to_owned());
            }
            Ok(())
        }
        LocalAsk::HostFacts | LocalAsk::Route { .. } | LocalAsk::PathMtu => Ok(()),
    }
}
