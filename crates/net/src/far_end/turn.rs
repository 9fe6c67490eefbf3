//! Waiting for the place of the one bulk transfer.

use super::channel::{Channel, ChannelError};
use super::hub::{Hub, Registration};
use super::partner::Partner;
use super::queue::{Standing, Who};
use super::refusal::{fail_cancelled, refuse};
use super::session_client::Client;
use probe::session::{Refusal, ToClient, ToServer};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How often a client is told how it stands: often enough that silence means that the far end is gone.
const TELLS_EVERY: Duration = Duration::from_secs(1);

/// A place in the queue; dropped when its client goes away, or when it is its turn.
pub(super) struct Ticket {
    pub(super) hub: Arc<Hub>,
    pub(super) number: u64,
}

/// Waits until a transfer of the client's may run, for `lasts` at most. `None`: it will not, and the client was told why.
pub(super) async fn take(
    channel: &mut Channel,
    client: &Client,
    partner: Partner,
    lasts: Duration,
) -> Result<Option<Registration>, ChannelError> {
    // Another far end that waits for this one has its own place taken already: two pairs could wait for each other for ever.
    if !client.can_wait || partner.joined().is_some() {
        return match client.hub.begin_bulk(partner.address()) {
            Ok(place) => Ok(Some(place)),
            Err(detail) => refuse(channel, Refusal::Busy, &detail).await.map(|()| None),
        };
    }
    let who = Who::new(&client.account.name, client.peer);
    let ticket = match client.hub.queue(who, partner.address(), lasts) {
        Ok(ticket) => ticket,
        Err(full) => {
            return refuse(channel, Refusal::Busy, &full.to_string())
                .await
                .map(|()| None);
        }
    };
    let mut told: Option<(Instant, usize)> = None;
    loop {
        // Before looking: what changes after that is heard.
        let changed = client.hub.turns.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let standing = match ticket.begin() {
            Ok(place) => return Ok(Some(place)),
            Err(standing) => standing,
        };
        let now = Instant::now();
        let due = told.map_or(now, |(at, _)| at + TELLS_EVERY);
        if due <= now || told.is_some_and(|(_, before)| before != standing.before) {
            channel.send(&waiting(standing)).await?;
            told = Some((now, standing.before));
        }
        let due = told.map_or(now, |(at, _)| at + TELLS_EVERY);
        tokio::select! {
            () = changed => {}
            () = sleep_until(due) => {}
            message = channel.receive() => match message? {
                ToServer::Stop { .. } => return fail_cancelled(channel).await.map(|()| None),
                _ => return Err(ChannelError::Protocol("a second ask while one waits for its turn".to_owned())),
            },
        }
    }
}

fn waiting(standing: Standing) -> ToClient {
    ToClient::Waiting {
        before: u32::try_from(standing.before).unwrap_or(u32::MAX),
        about_ms: u64::try_from(standing.about.as_millis()).unwrap_or(u64::MAX),
    }
}
