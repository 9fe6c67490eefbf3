//! A web server as the far end of transfers: a file is downloaded from it (GET), or made-up bytes are uploaded to it (PUT), and
//! thrown away as they come. The sockets are our own, so that the kernel is asked as with a far end of ours; of the
//! server's kernel nothing is known.
//!
//! Every step before the content has a time limit; the content has those of the ask. Nothing is kept between two transfers.

mod arrive;
mod download;
mod feed;
mod link;
mod trust;
mod upload;

pub use trust::Trust;

use crate::far_end::Side;
use crate::iperf3::Measured;
use crate::transfer::plan;
use crate::transfer::progress::TcpProgress;
use crate::transfer::stop::Running;
use crate::{NetError, Watch};
use evidence::{Ask, StopReason};
use probe::http::Target;
use probe::session::{Limits, PlanError, TcpHalf, TcpSlice};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The longest transfer that may be asked for, milliseconds.
const LONGEST_MS: u32 = 3_600_000;

/// What a user may wish for.
#[derive(Debug, Clone)]
pub struct Wishes {
    /// Send to the server (PUT), where data would come from it otherwise.
    pub uploads: bool,
    /// HTTP/1.1 even where the server speaks HTTP/2.
    pub http1_only: bool,
    /// The local address to test from.
    pub source: Option<IpAddr>,
    /// Which addresses a redirect may lead to.
    pub admits: fn(&IpAddr) -> bool,
    /// The transfer is evidence about the path to this one server: another server, and too little content, are refused.
    pub is_evidence: bool,
}

/// A file on a web server.
#[derive(Debug, Clone)]
pub struct Http {
    target: Target,
    address: IpAddr,
    lookup: Option<Duration>,
    trust: Trust,
    wishes: Wishes,
}

impl Http {
    /// What is named by `target` at `address`, which it took so long to look up; nothing is sent yet.
    #[must_use]
    pub fn new(
        target: Target,
        (address, lookup): (IpAddr, Option<Duration>),
        trust: Trust,
        wishes: Wishes,
    ) -> Self {
        Self {
            target,
            address,
            lookup,
            trust,
            wishes,
        }
    }

    /// What it names.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether it can take part in `ask`, in which `sender` sends.
    #[must_use]
    pub fn can(&self, ask: &Ask, sender: Side) -> bool {
        matches!(ask, Ask::TcpThroughput { .. }) && self.wishes.uploads == (sender == Side::Here)
    }

    /// Asks for the file, and goes away: whether it can be had at all. What it is, in words.
    ///
    /// # Errors
    /// As [`Self::perform`].
    pub async fn look(self: &Arc<Self>, watch: &Watch) -> Result<String, NetError> {
        download::look(self, watch).await
    }

    /// Carries out a transfer of which `sender` sends.
    ///
    /// # Errors
    /// [`NetError::NoWebServer`] where nothing answers, [`NetError::Tls`] where nobody is to be trusted, [`NetError::Web`] where
    /// the answer is no such file. A transfer that broke off midway is no error but a measurement with
    /// [`evidence::StopReason::PeerGone`] or [`evidence::StopReason::Cancelled`].
    pub async fn perform(
        self: &Arc<Self>,
        ask: &Ask,
        sender: Side,
        watch: &Watch,
    ) -> Result<Measured, NetError> {
        let unsupported = |what: &str| NetError::Unsupported(what.to_owned());
        let plan = plan::tcp(ask, sender == Side::There)
            .ok_or_else(|| unsupported("a web server takes part in TCP transfers alone"))?;
        if !self.can(ask, sender) {
            return Err(unsupported(match self.wishes.uploads {
                true => "with --upload data go to the web server alone",
                false => "a web server takes no data without --upload",
            }));
        }
        let limits = Limits {
            max_duration_ms: LONGEST_MS,
            ..Limits::default()
        };
        let plan = plan
            .within(&limits)
            .map_err(|error: PlanError| NetError::Unsupported(error.to_string()))?;
        match (self.wishes.uploads, plan.streams, &plan.congestion_control) {
            (false, _, Some(_)) => Err(unsupported(
                "the sender chooses its congestion control, and that is the web server",
            )),
            (false, ..) => download::run(self, &plan, watch).await,
            (true, 1, _) => upload::run(self, &plan, watch).await,
            (true, ..) => Err(unsupported("an upload to one place has one stream")),
        }
    }
}

/// Tells of a transfer until it is over, or the user ends it.
async fn to_its_end(
    mut transfer: Running<TcpSlice, TcpHalf>,
    mut progress: TcpProgress<'_>,
    watch: &Watch,
) -> TcpHalf {
    let mut is_cancelled = false;
    loop {
        tokio::select! {
            half = &mut transfer.done => return half.unwrap_or_else(|_| TcpHalf::nothing(StopReason::Cancelled)),
            Some(slice) = transfer.slices.recv() => progress.tell(&slice, watch),
            () = watch.cancel.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                transfer.stop(StopReason::Cancelled);
            }
        }
    }
}
