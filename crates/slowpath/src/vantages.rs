//! The ends of the transfer as slowpath can use them: carries each ask out at the right one, and turns what goes
//! wrong into an observation of its own.

use evidence::{
    Ask, EchoContext, End, NotMeasured, NotMeasuredReason, Observation, Payload, Provenance, Timestamp,
};
use net::far_end::FarEnd;
use net::path::{self, EchoPlan, PathTarget, Sockets};
use net::{LocalVantage, NetError, Watch, perform_local};
use std::net::IpAddr;

/// Program and version, as every observation records it.
pub(crate) const TOOL: &str = concat!("slowpath ", env!("CARGO_PKG_VERSION"));

/// Pause between two probes of one hop while a transfer runs: ten rounds a second follow a queue as it fills.
const WATCH_INTERVAL_MS: u32 = 100;

/// The two ends.
pub(crate) struct Vantages {
    /// Which end of the transfer this host is.
    pub local_end: End,
    local: LocalVantage,
    far: Option<Box<FarEnd>>,
    /// Why there is no far end.
    why_single_ended: String,
    round: u32,
}

impl Vantages {
    /// This host and, where there is one, the far end; `why_single_ended` says why there is none.
    pub(crate) fn new(
        local_end: End,
        destination: IpAddr,
        source: Option<IpAddr>,
        far: Result<Box<FarEnd>, String>,
        round: u32,
    ) -> Self {
        let (far, why_single_ended) = match far {
            Ok(far) => (Some(far), String::new()),
            Err(why) => (None, why),
        };
        let reflector = far.as_ref().map(|far| far.reflector());
        let target = PathTarget {
            destination,
            source,
            reflector,
        };
        Self {
            local_end,
            local: LocalVantage {
                target,
                known_route: None,
            },
            far,
            why_single_ended,
            round,
        }
    }

    /// Whether both ends can be used.
    pub(crate) fn is_two_ended(&self) -> bool {
        self.far.is_some()
    }

    /// Carries out `ask`: at least one observation, and [`Payload::NotMeasured`] when it could not be done.
    pub(crate) async fn perform(&mut self, ask: &Ask, watch: &Watch) -> Vec<Observation> {
        let at = now();
        let payloads = match self.payloads(ask, watch).await {
            Ok(payloads) => payloads,
            Err(error) => vec![not_measured(ask, error.reason(), error.to_string())],
        };
        payloads
            .into_iter()
            .map(|payload| self.observation(ask, at, payload))
            .collect()
    }

    fn observation(&self, ask: &Ask, at: Timestamp, payload: Payload) -> Observation {
        let provenance = Provenance::measured(ask.vantage(), at, self.round, TOOL);
        Observation::new(provenance, payload)
    }

    async fn payloads(&mut self, ask: &Ask, watch: &Watch) -> Result<Vec<Payload>, NetError> {
        let here = ask.vantage() == self.local_end;
        if here && !ask.needs_both_ends() {
            return Ok(vec![perform_local(ask, &mut self.local, watch).await?]);
        }
        let Some(far) = self.far.as_mut() else {
            return Ok(vec![not_measured(
                ask,
                NotMeasuredReason::NoFarEnd,
                self.why_single_ended.clone(),
            )]);
        };
        if !(here && wants_hops_watched(ask)) {
            return far.perform(ask, self.local_end, watch).await;
        }
        // The hops are watched from the sending side for as long as the transfer runs.
        let done = watch.cancel.child_token();
        let silent = Watch::new(done.clone(), |_| {});
        let plan = EchoPlan {
            sizes_bytes: vec![WATCH_SIZE_BYTES],
            count: u32::MAX,
            interval_ms: WATCH_INTERVAL_MS,
        };
        let route = self.local.known_route.as_ref();
        let (target, context) = (&self.local.target, EchoContext::UnderLoad);
        let hops = path::echo_with(target, route, &plan, context, Sockets::Best, &silent);
        let transfer = async {
            let outcome = far.perform(ask, self.local_end, watch).await;
            done.cancel();
            outcome
        };
        let (transfer, hops) = tokio::join!(transfer, hops);
        let mut payloads = transfer?;
        // Watching is a by-product: when it fails the transfer still counts, and no verdict misses what it never saw.
        payloads.extend(hops.ok().map(Payload::Echo));
        Ok(payloads)
    }
}

/// Size of the packets that watch hops under load: small ones, which add nothing to the load.
const WATCH_SIZE_BYTES: u32 = 64;

fn wants_hops_watched(ask: &Ask) -> bool {
    matches!(ask, Ask::TcpThroughput { watch_hops: true, .. })
}

fn not_measured(ask: &Ask, reason: NotMeasuredReason, detail: String) -> Payload {
    Payload::NotMeasured(NotMeasured {
        ask: ask.clone(),
        reason,
        detail,
    })
}

/// The wall clock: read here and in no other crate that reasons.
pub(crate) fn now() -> Timestamp {
    let since_epoch = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX))
}
