//! Two ends of which neither is this host: far ends of ours at both.

use evidence::{Ask, Payload};
use net::far_end::{FarEnd, LocalAsk, Peer, Side, between};
use net::{NetError, Watch};
use std::time::Duration;

/// What is measured there may take so many times what it is reckoned to cost, a millisecond of that each.
const PATIENCE: Duration = Duration::from_millis(3);

/// Carries out `ask` at one of them, with or towards the other.
pub(super) async fn perform(
    ask: &Ask,
    at: &FarEnd,
    other: &FarEnd,
    watch: &Watch,
) -> Result<Vec<Payload>, NetError> {
    let Some(local) = LocalAsk::of(ask).map(LocalAsk::for_a_far_end) else {
        return between(ask, at, other, watch).await;
    };
    let towards = async {
        let peer = admitted(at, other, watch).await?;
        let within = PATIENCE * u32::try_from(ask.cost().time_ms).unwrap_or(u32::MAX);
        let mut outcomes = at.towards(&local, &[peer], within, watch).await?;
        outcomes
            .pop()
            .unwrap_or_else(|| Err(NetError::Protocol("it answered without a measurement".to_owned())))
    };
    match towards.await {
        Ok(payload) => Ok(vec![payload]),
        // What a host is set to needs nobody else.
        Err(NetError::Unreachable(..)) if local == LocalAsk::HostFacts => {
            at.perform(ask, Side::There, watch).await
        }
        Err(error) => Err(error),
    }
}

/// Whether the owners of both far ends allow that they meet.
///
/// # Errors
/// One of them does not; the text says what to do.
pub(crate) async fn may_meet(one: &FarEnd, other: &FarEnd, watch: &Watch) -> Result<(), NetError> {
    let (there, back) = tokio::join!(admitted(one, other, watch), admitted(other, one, watch));
    there.and(back).map(drop)
}

async fn admitted(at: &FarEnd, other: &FarEnd, watch: &Watch) -> Result<Peer, NetError> {
    let address = at.peer_address().ip();
    let admitted = other.admit(&[address], watch).await?.pop().flatten();
    admitted.ok_or_else(|| {
        NetError::Refused(format!(
            "the owner of the one at {} does not allow tests with {address}: start `slowpath serve` there with --allow-peers \
             {address}",
            other.peer_address().ip()
        ))
    })
}
