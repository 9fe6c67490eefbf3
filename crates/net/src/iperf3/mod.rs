//! A stock iperf3 server as the far end of a transfer: its own control connection and its own way to open streams; the bytes
//! are moved, and the kernel is asked, as with a far end of ours.
//!
//! The server runs one test at a time and each has a control connection of its own, so that nothing is kept between two.

mod connection;
mod login;
pub(crate) mod serve;
mod tcp;
mod udp;

use crate::far_end::Side;
use crate::transfer::plan;
use crate::{NetError, Tuning, Watch};
use connection::Connection;
use evidence::{Ask, Payload};
use login::Padding;
pub use login::{Login, LoginError};
pub use probe::iperf3::DEFAULT_PORT;
use probe::iperf3::Parameters;
use probe::session::{Limits, PlanError, TcpPlan};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The longest test that a client may ask for, milliseconds.
const LONGEST_MS: u32 = 3_600_000;

/// How long a server that has refused somebody is given to open its port again, in such pauses.
const REOPENING: Duration = Duration::from_millis(100);
const REOPENS_WITHIN: u32 = 10;

/// An iperf3 server that may be asked for tests.
#[derive(Debug, Clone)]
pub struct Iperf3 {
    peer: SocketAddr,
    source: Option<IpAddr>,
    tuning: Tuning,
    login: Option<Arc<Login>>,
}

/// What a test gave.
#[derive(Debug)]
pub struct Measured {
    /// The transfer. It tells the two ends by address.
    pub payload: Payload,
    /// `iperf3`, with its version where the server told it.
    pub far_end: String,
}

impl Iperf3 {
    /// The server at `address` and `port`; nothing is sent yet. `source`: the local address to test from.
    #[must_use]
    pub fn new(address: IpAddr, port: u16, source: Option<IpAddr>) -> Self {
        Self {
            peer: SocketAddr::new(address, port),
            source,
            tuning: Tuning::default(),
            login: None,
        }
    }

    /// The same server, for transfers over sockets that are like this here.
    #[must_use]
    pub fn tuned(self, tuning: Tuning) -> Self {
        Self { tuning, ..self }
    }

    /// The same server, for somebody who logs in.
    #[must_use]
    pub fn by(self, login: Option<Login>) -> Self {
        Self {
            login: login.map(Arc::new),
            ..self
        }
    }

    /// Its address and port.
    #[must_use]
    pub fn peer_address(&self) -> SocketAddr {
        self.peer
    }

    /// Whether it can take part in `ask`.
    #[must_use]
    pub fn can(ask: &Ask) -> bool {
        matches!(ask, Ask::TcpThroughput { .. } | Ask::UdpStream { .. })
    }

    /// Carries out a transfer of which `sender` sends.
    ///
    /// # Errors
    /// [`NetError::NoIperf3`] where nothing answers, [`NetError::NoRoom`] where the server is busy,
    /// [`NetError::Refused`] where it wants another user or password, or cannot do what was asked for. A transfer that broke off midway is
    /// no error but a measurement with [`evidence::StopReason::PeerGone`] or [`evidence::StopReason::Cancelled`].
    pub async fn perform(&self, ask: &Ask, sender: Side, watch: &Watch) -> Result<Measured, NetError> {
        let Some(login) = &self.login else {
            return self.attempt(ask, sender, watch, None).await;
        };
        let mut refused = None;
        for padding in Padding::ALL {
            // A server that has refused closes its port for a moment, and resets who connects just then.
            let mut pauses = refused.as_ref().map_or(0, |_| REOPENS_WITHIN);
            loop {
                let token = login.token(padding, SystemTime::now());
                let token = token.map_err(|error| NetError::Unsupported(error.to_string()))?;
                match self.attempt(ask, sender, watch, Some(&token)).await {
                    Err(NetError::Refused(why)) => {
                        refused = Some(why);
                        break;
                    }
                    Err(NetError::PeerGone(_) | NetError::NoIperf3(_)) if pauses > 0 => {
                        pauses -= 1;
                        tokio::time::sleep(REOPENING).await;
                    }
                    outcome => return outcome,
                }
            }
        }
        Err(NetError::Refused(refused.unwrap_or_default()))
    }

    async fn attempt(
        &self,
        ask: &Ask,
        sender: Side,
        watch: &Watch,
        token: Option<&str>,
    ) -> Result<Measured, NetError> {
        watch.report(format!("connecting to iperf3 at {}", self.peer), None);
        let limits = Limits {
            max_duration_ms: LONGEST_MS,
            ..Limits::default()
        };
        let by = |parameters: Parameters| match token {
            Some(token) => parameters.by(token),
            None => parameters,
        };
        let impossible = |error: PlanError| NetError::Unsupported(error.to_string());
        if let Some(plan) = plan::tcp(ask, sender == Side::There) {
            let plan = TcpPlan {
                max_rate_bps: self.tuning.max_rate_bps,
                ..plan
            };
            let plan = plan.within(&limits).map_err(impossible)?;
            let connection = self.connect(by(Parameters::tcp(&plan)), watch).await?;
            return tcp::run(connection, sender, (&plan, &self.tuning), watch).await;
        }
        let Some(plan) = plan::udp(ask, sender == Side::There) else {
            let what = "an iperf3 server takes part in transfers alone";
            return Err(NetError::Unsupported(what.to_owned()));
        };
        plan.check(&limits).map_err(impossible)?;
        let payload = crate::transfer::udp_open::payload_bytes(plan.size_bytes, self.peer.is_ipv6());
        let payload = payload.ok_or_else(|| impossible(PlanError::Size(plan.size_bytes)))?;
        let connection = self.connect(by(Parameters::udp(&plan, payload)), watch).await?;
        udp::run(connection, sender, (&plan, payload, &self.tuning), watch).await
    }

    async fn connect(&self, parameters: Parameters, watch: &Watch) -> Result<Connection, NetError> {
        tokio::select! {
            connection = Connection::open(self.peer, self.source, parameters) => connection,
            () = watch.cancel.cancelled() => Err(NetError::Cancelled),
        }
    }
}

/// As the observation names the far end.
fn called(version: Option<&str>) -> String {
    version.map_or_else(|| "iperf3".to_owned(), |version| format!("iperf3 {version}"))
}
