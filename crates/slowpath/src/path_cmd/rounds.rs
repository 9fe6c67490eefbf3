//! What the live view and the report share: a trace, and then rounds without a pause between them.

use evidence::{ProbeProtocol, Trace};
use net::path::{self, PathEvent, PathTarget, Pause, RoundsPlan, Systems};
use net::{NetError, Watch};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// What comes from the network.
pub(super) enum News {
    /// The trace that comes first.
    Trace(Trace),
    /// What became of a probe of a flow, names, and autonomous systems.
    Event(usize, PathEvent),
}

/// What to measure.
#[derive(Clone)]
pub(super) struct Rounds {
    pub(super) target: PathTarget,
    pub(super) protocol: ProbeProtocol,
    pub(super) interval: Duration,
    /// `None`: until it is cancelled.
    pub(super) count: Option<u64>,
    /// Flows, each with rounds of its own, one after the other: routers are asked no more often than by one.
    pub(super) flows: usize,
    pub(super) systems: Option<Systems>,
}

impl Rounds {
    /// Measures until the count is reached or the watch is cancelled.
    pub(super) async fn run(
        &self,
        pause: &Pause,
        news: UnboundedSender<News>,
        watch: &Watch,
    ) -> Result<(), NetError> {
        let trace = self.trace(watch).await?;
        if watch.cancel.is_cancelled() {
            return Ok(());
        }
        // Whoever listens no longer has enough.
        let _ = news.send(News::Trace(trace.clone()));
        let flows = (0..self.flows).map(|flow| self.flow(flow, &trace, pause, news.clone(), watch));
        futures::future::try_join_all(flows).await.map(drop)
    }

    /// From one round of a flow to its next.
    pub(super) fn interval_of_each(&self) -> Duration {
        self.interval.saturating_mul(self.flows as u32)
    }

    async fn flow(
        &self,
        flow: usize,
        trace: &Trace,
        pause: &Pause,
        news: UnboundedSender<News>,
        watch: &Watch,
    ) -> Result<(), NetError> {
        let turn = self.interval.saturating_mul(flow as u32);
        tokio::select! {
            () = tokio::time::sleep(turn) => {}
            () = watch.cancel.cancelled() => return Ok(()),
        }
        let plan = RoundsPlan {
            protocol: self.protocol,
            interval: self.interval_of_each(),
            rounds: self.count,
            systems: self.systems.clone(),
        };
        let tell = move |event| {
            let _ = news.send(News::Event(flow, event));
        };
        path::rounds(&self.target, trace, plan, pause, tell, watch).await
    }

    /// With the packets that the rounds are made of, where this user may send them.
    async fn trace(&self, watch: &Watch) -> Result<Trace, NetError> {
        match path::route(&self.target, self.protocol, 1, watch).await {
            Err(NetError::Privilege { .. }) => path::route(&self.target, ProbeProtocol::Udp, 1, watch).await,
            traced => traced,
        }
    }
}
