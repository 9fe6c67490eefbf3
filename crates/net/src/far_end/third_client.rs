//! The client's side of measurements between two far ends.

use super::FarEnd;
use super::conversation::{unreachable_from_there, unwelcome};
use super::plain_text::plainly;
use crate::{NetError, Watch};
use evidence::{NotMeasuredReason, Payload};
use probe::session::{Arrivals, LocalAsk, Peer, PeerOutcome, ToClient, ToServer};
use std::io;
use std::net::IpAddr;
use std::time::Duration;

impl FarEnd {
    /// Has the far end answer probes of these addresses, instead of those admitted before, for as long as this session
    /// stands. Gives for each what to probe it with; `None` where its owner does not allow tests with that address.
    ///
    /// # Errors
    /// The far end is gone, or refuses.
    pub async fn admit(&self, peers: &[IpAddr], watch: &Watch) -> Result<Vec<Option<Peer>>, NetError> {
        let question = ToServer::Admit {
            peers: peers.to_vec(),
        };
        let place = self.peer_address();
        match self.ask(&question, Duration::ZERO, watch).await? {
            ToClient::Admitted { keys } if keys.len() == peers.len() => {
                let peer = |session| Peer {
                    address: place.ip(),
                    port: place.port(),
                    session,
                };
                Ok(keys.into_iter().map(|key| key.map(peer)).collect())
            }
            other => Err(unwelcome(other)),
        }
    }

    /// What came of the probes of those who were admitted last, in their order.
    ///
    /// # Errors
    /// The far end is gone, or refuses.
    pub async fn arrivals(&self, watch: &Watch) -> Result<Vec<Option<Arrivals>>, NetError> {
        match self.ask(&ToServer::Count, Duration::ZERO, watch).await? {
            ToClient::Counted { arrivals } => Ok(arrivals),
            other => Err(unwelcome(other)),
        }
    }

    /// Has the far end carry out `ask` towards each of these peers, which takes at most `within`. In their order.
    ///
    /// # Errors
    /// The far end is gone, or refuses all of it.
    pub async fn towards(
        &self,
        ask: &LocalAsk,
        peers: &[Peer],
        within: Duration,
        watch: &Watch,
    ) -> Result<Vec<Result<Payload, NetError>>, NetError> {
        let question = ToServer::Towards {
            ask: ask.clone(),
            peers: peers.to_vec(),
        };
        match self.ask(&question, within, watch).await? {
            ToClient::Reached { outcomes } if outcomes.len() == peers.len() => {
                Ok(outcomes.into_iter().map(outcome).collect())
            }
            other => Err(unwelcome(other)),
        }
    }
}

fn outcome(outcome: PeerOutcome) -> Result<Payload, NetError> {
    match outcome {
        PeerOutcome::Measured { payload } => Ok(*payload),
        PeerOutcome::Failed { reason, detail } => {
            let detail = plainly(&detail);
            Err(match reason {
                NotMeasuredReason::Cancelled => NetError::Cancelled,
                NotMeasuredReason::Refused => NetError::Refused(detail),
                NotMeasuredReason::Unreachable => unreachable_from_there(&detail),
                _ => NetError::os("at the far end", io::Error::other(detail)),
            })
        }
    }
}
