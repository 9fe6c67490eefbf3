//! Carries out, from this host, the asks that need no second end: both `diagnose` and the far end call it.

use crate::path::{self, PathTarget};
use crate::{NetError, Watch, host};
use evidence::{Ask, Payload, Trace};
use probe::session::LocalAsk;

/// This host as a vantage, and the path it is asked about.
#[derive(Debug, Clone)]
pub struct LocalVantage {
    /// The other end, and how to reach it.
    pub target: PathTarget,
    /// The hop count and addresses already known, so that later asks need not trace again; empty at first.
    pub known_route: Option<Trace>,
}

/// Carries out `ask` from here. Remembers the route in `vantage` for the asks that follow. What comes back tells the two
/// ends by address: their names are the caller's.
///
/// # Errors
/// [`NetError::Unsupported`] for asks that need both ends; otherwise what stopped the measurement.
pub async fn perform_local(
    ask: &Ask,
    vantage: &mut LocalVantage,
    watch: &Watch,
) -> Result<Payload, NetError> {
    let needs_both = || NetError::Unsupported("a transfer needs a far end".to_owned());
    let ask = LocalAsk::of(ask).ok_or_else(needs_both)?;
    carry_out(&ask, vantage, watch).await
}

/// [`perform_local`] for an ask that names no hosts.
pub(crate) async fn carry_out(
    ask: &LocalAsk,
    vantage: &mut LocalVantage,
    watch: &Watch,
) -> Result<Payload, NetError> {
    let target = &vantage.target;
    match ask {
        LocalAsk::HostFacts => host::facts(target.destination, target.source)
            .await
            .map(Payload::HostFacts),
        LocalAsk::Route { protocol, flows } => {
            let route = path::route(target, *protocol, *flows, watch).await?;
            vantage.known_route = Some(route.clone());
            Ok(Payload::Trace(route))
        }
        LocalAsk::PathMtu => path::path_mtu(target, vantage.known_route.as_ref(), watch)
            .await
            .map(Payload::Probes),
        LocalAsk::Echo {
            sizes_bytes,
            count,
            interval_ms,
        } => {
            let plan = path::EchoPlan {
                sizes_bytes: sizes_bytes.clone(),
                count: *count,
                interval_ms: *interval_ms,
            };
            path::echo(target, vantage.known_route.as_ref(), &plan, watch)
                .await
                .map(Payload::Probes)
        }
        LocalAsk::HopLoss {
            ttls,
            count,
            rate_pps,
        } => path::hop_loss(target, ttls, *count, *rate_pps, watch)
            .await
            .map(Payload::Probes),
    }
}
