//! The ends of the transfer as slowpath can use them: carries each ask out at the right one, and turns what goes
//! wrong into an observation of its own.

mod between;
mod named;
mod third;

pub(crate) use between::may_meet;
pub(crate) use named::name_ends;
pub(crate) use third::Third;

use crate::far::Far;
use evidence::{
    Ask, CASE_SCHEMA_VERSION, Complaint, EchoContext, End, Node, NotMeasured, NotMeasuredReason, Observation,
    Party, Payload, Provenance, Timestamp,
};
use net::far_end::Side;
use net::http::Http;
use net::iperf3::Iperf3;
use net::path::{self, EchoPlan, PathTarget, Sockets};
use net::{LocalVantage, NetError, Tuning, Watch, perform_local};
use std::net::IpAddr;
use std::sync::Arc;

/// Program and version, as every observation records it.
pub(crate) const TOOL: &str = concat!("slowpath ", env!("CARGO_PKG_VERSION"));

/// Pause between two probes of one hop while a transfer runs: ten rounds a second follow a queue as it fills.
const WATCH_INTERVAL_MS: u32 = 100;

/// The two ends.
pub(crate) struct Vantages {
    /// Whose ends they are.
    complaint: Complaint,
    local: LocalVantage,
    far: Option<Far>,
    /// The far end at our side of the transfer, where this host is neither of its ends.
    near: Option<Far>,
    /// Who takes part in transfers where there is no far end of ours.
    iperf3: Option<Iperf3>,
    http: Option<Arc<Http>>,
    /// Far ends elsewhere.
    thirds: Vec<Third>,
    /// Why there is no far end.
    why_single_ended: String,
    round: u32,
}

impl Vantages {
    /// This host and, where there is one, the far end; `why_single_ended` says why there is none.
    pub(crate) fn new(
        complaint: Complaint,
        destination: IpAddr,
        source: Option<IpAddr>,
        far: Result<Far, String>,
        round: u32,
    ) -> Self {
        let (far, why_single_ended) = match far {
            Ok(far) => (Some(far), String::new()),
            Err(why) => (None, why),
        };
        let reflector = far.as_ref().and_then(|far| far.end.reflector());
        let target = PathTarget {
            destination,
            source,
            reflector,
        };
        Self {
            complaint,
            local: LocalVantage {
                target,
                known_route: None,
            },
            far,
            near: None,
            iperf3: None,
            http: None,
            thirds: Vec::new(),
            why_single_ended,
            round,
        }
    }

    /// The same ends, with an iperf3 server for transfers. A far end of ours knows more, and is asked first.
    pub(crate) fn with_iperf3(self, iperf3: Option<Iperf3>) -> Self {
        Self { iperf3, ..self }
    }

    /// The same ends, for transfers over sockets that are like this here.
    pub(crate) fn tuned(self, tuning: Tuning) -> Self {
        Self {
            far: self.far.map(|far| far.tuned(tuning)),
            iperf3: self.iperf3.map(|iperf3| iperf3.tuned(tuning)),
            ..self
        }
    }

    /// The same ends, with a far end in place of this host.
    pub(crate) fn with_near(self, near: Option<Far>) -> Self {
        Self { near, ..self }
    }

    /// The same ends, with a web server for transfers.
    pub(crate) fn with_http(self, http: Option<Arc<Http>>) -> Self {
        Self { http, ..self }
    }

    /// The same ends, and far ends elsewhere.
    pub(crate) fn with_thirds(self, thirds: Vec<Third>) -> Self {
        Self { thirds, ..self }
    }

    /// The far ends elsewhere, as the case knows them: those that take no part as well.
    pub(crate) fn thirds(&self) -> Vec<Node> {
        self.thirds.iter().map(Third::node).collect()
    }

    /// Whether this host is neither of the two ends.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.near.is_some()
    }

    /// Whether somebody at the other end takes part in transfers.
    pub(crate) fn is_two_ended(&self) -> bool {
        self.far.is_some() || self.iperf3.is_some() || self.http.is_some()
    }

    /// Whether the path can be measured from the other end as well.
    pub(crate) fn probes_there(&self) -> bool {
        self.far.is_some()
    }

    /// Carries out `ask`: at least one observation, and [`Payload::NotMeasured`] when it could not be done.
    pub(crate) async fn perform(&mut self, ask: &Ask, watch: &Watch) -> Vec<Observation> {
        let at = now();
        let mut tool = TOOL.to_owned();
        let payloads = match self.payloads(ask, &mut tool, watch).await {
            Ok(payloads) => payloads,
            Err((reason, detail)) => vec![not_measured(ask, reason, detail)],
        };
        payloads
            .into_iter()
            .map(|payload| self.observation(ask, (at, &tool), payload))
            .collect()
    }

    fn observation(&self, ask: &Ask, (at, tool): (Timestamp, &str), payload: Payload) -> Observation {
        let provenance = Provenance::measured(ask.vantage().clone(), at, self.round, tool);
        Observation::new(provenance, payload)
    }

    /// The measurements, or what was in their way. `net` knows the two ends by address: what comes back gets their names
    /// here.
    async fn payloads(
        &mut self,
        ask: &Ask,
        tool: &mut String,
        watch: &Watch,
    ) -> Result<Vec<Payload>, (NotMeasuredReason, String)> {
        if self.is_of_third(ask) {
            return self.of_third(ask, watch).await;
        }
        let Some(vantage) = self.complaint.end_of(ask.vantage()) else {
            let detail = format!("{} is neither of the two ends", ask.vantage());
            return Err((NotMeasuredReason::Unsupported, detail));
        };
        let failed = |error: NetError| (error.reason(), error.to_string());
        let side = match vantage == self.complaint.local_end {
            true => Side::Here,
            false => Side::There,
        };
        let mut seen = if let (Some(near), Some(far)) = (&self.near, &self.far) {
            let (at, other) = match side {
                Side::Here => (near, far),
                Side::There => (far, near),
            };
            between::perform(ask, &at.end, &other.end, watch)
                .await
                .map_err(failed)?
        } else if side == Side::Here && !ask.needs_both_ends() {
            let payload = perform_local(ask, &mut self.local, watch).await;
            vec![payload.map_err(failed)?]
        } else if let Some(far) = &self.far {
            let measuring = far.perform(ask, side, watch);
            self.watching_hops(ask, side, watch, measuring)
                .await
                .map_err(failed)?
        } else if let Some(iperf3) = self.iperf3.clone().filter(|_| Iperf3::can(ask)) {
            let transfer = async {
                let measured = iperf3.perform(ask, side, watch).await?;
                *tool = format!("{TOOL} with {}", measured.far_end);
                Ok(vec![measured.payload])
            };
            self.watching_hops(ask, side, watch, transfer)
                .await
                .map_err(failed)?
        } else if let Some(http) = self.http.as_ref().filter(|http| http.can(ask, side)) {
            let transfer = async {
                let measured = http.perform(ask, side, watch).await?;
                *tool = format!("{TOOL} with {}", measured.far_end);
                Ok(vec![measured.payload])
            };
            self.watching_hops(ask, side, watch, transfer)
                .await
                .map_err(failed)?
        } else {
            // What a foreign server cannot do is no word on what it can.
            let reason = match self.is_two_ended() {
                true => NotMeasuredReason::Unsupported,
                false => NotMeasuredReason::NoFarEnd,
            };
            return Err((reason, self.why_single_ended.clone()));
        };
        let (from, to) = (
            self.complaint.party(vantage),
            self.complaint.party(vantage.other()),
        );
        seen.iter_mut()
            .for_each(|payload| named::name_ends(payload, from, to));
        Ok(seen)
    }

    /// Carries out a transfer, and watches the hops meanwhile where the ask wants it.
    async fn watching_hops(
        &self,
        ask: &Ask,
        vantage: Side,
        watch: &Watch,
        transfer: impl Future<Output = Result<Vec<Payload>, NetError>>,
    ) -> Result<Vec<Payload>, NetError> {
        if !(vantage == Side::Here && wants_hops_watched(ask)) {
            return transfer.await;
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
            let outcome = transfer.await;
            done.cancel();
            outcome
        };
        let (transfer, hops) = tokio::join!(transfer, hops);
        let mut payloads = transfer?;
        // Watching is a by-product: when it fails the transfer still counts, and no verdict misses what it never saw.
        payloads.extend(hops.ok().map(Payload::Probes));
        Ok(payloads)
    }
}

/// A transfer from this host to `name`, for commands that measure without a case.
pub(crate) fn from_here(name: &str, destination: IpAddr, source: Option<IpAddr>) -> Complaint {
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: Party {
            name: net::host::name().unwrap_or_else(|| "here".to_owned()),
            address: source.or_else(|| crate::resolve::source_towards(destination)),
        },
        to: Party {
            name: name.to_owned(),
            address: Some(destination),
        },
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: now(),
        utc_offset_s: None,
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
