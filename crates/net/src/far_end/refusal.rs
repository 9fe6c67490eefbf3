//! The answers of the server that give no measurement: what it refuses, what failed, what was stopped.

use super::channel::{Channel, ChannelError};
use super::ledger::{Outcome, Verdict};
use crate::NetError;
use evidence::NotMeasuredReason;
use probe::session::{Refusal, ToClient};

/// Says no.
pub(super) async fn refuse(channel: &mut Channel, why: Refusal, detail: &str) -> Result<(), ChannelError> {
    channel.noted(Verdict {
        outcome: Outcome::Refused,
        why: Some(detail.to_owned()),
    });
    channel
        .send(&ToClient::Refused {
            why,
            detail: detail.to_owned(),
        })
        .await
}

/// Says what went wrong.
pub(super) async fn fail(channel: &mut Channel, error: &NetError) -> Result<(), ChannelError> {
    channel.noted(Verdict {
        outcome: Outcome::Failed,
        why: Some(error.to_string()),
    });
    channel
        .send(&ToClient::Failed {
            reason: error.reason(),
            detail: error.to_string(),
        })
        .await
}

/// Says that the client stopped it before there was anything.
pub(super) async fn fail_cancelled(channel: &mut Channel) -> Result<(), ChannelError> {
    channel.noted(Verdict {
        outcome: Outcome::Stopped,
        why: None,
    });
    let detail = NetError::Cancelled.to_string();
    channel
        .send(&ToClient::Failed {
            reason: NotMeasuredReason::Cancelled,
            detail,
        })
        .await
}
