//! Real sockets that carry out asks: the only crate, with `lab`, that contains `unsafe`.
//!
//! `net` drives the machines of `probe` with kernel sockets and reads what the kernel knows. It must never know
//! rules: what an observation means is for `diagnosis` to say.

mod budget;
pub mod capture;
pub mod far_end;
pub mod host;
pub mod http;
pub mod iperf3;
mod local;
pub mod path;
pub mod rights;
pub mod stamp;
mod sys;
pub mod tcp_port;
pub mod transfer;
mod watch;

pub use local::{LocalVantage, perform_local};
pub use transfer::Tuning;
pub use watch::{Progress, Watch};

use evidence::NotMeasuredReason;
use probe::http::HttpError;
use std::io;

/// Why an ask could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The operating system refused for want of a privilege.
    #[error("{doing}: not permitted ({source}); {hint}")]
    Privilege {
        /// What was tried.
        doing: &'static str,
        /// What the user can do about it.
        hint: &'static str,
        /// The operating system's word.
        source: io::Error,
    },
    /// The operating system refused for another reason.
    #[error("{doing}: {source}")]
    Os {
        /// What was tried.
        doing: String,
        /// The operating system's word.
        source: io::Error,
    },
    /// There is no far end of ours at the other end.
    #[error("no far end answers at {0}: run `slowpath serve` there, or check the port and the firewall")]
    NoFarEnd(String),
    /// There is no iperf3 server there.
    #[error("no iperf3 server answers at {0}: start `iperf3 -s` there, or check the port and the firewall")]
    NoIperf3(String),
    /// There is no web server there.
    #[error("no web server answers at {0}: check the URL and its port, and the firewall")]
    NoWebServer(String),
    /// A web server answered, and what it said is not what was asked for.
    #[error(transparent)]
    Web(#[from] HttpError),
    /// The TLS handshake failed.
    #[error("{0}")]
    Tls(String),
    /// The other end was there, and then said nothing for too long.
    #[error("{0}")]
    Silent(String),
    /// The far end refused us, or we refuse it.
    #[error("the far end refused: {0}")]
    Refused(String),
    /// The far end has no room for us now.
    #[error("the far end has no room: {0}")]
    NoRoom(String),
    /// Our own token is of no use; what is wrong with it, and what to do.
    #[error("the token {0}")]
    Token(String),
    /// The far end went away.
    #[error("the far end went away: {0}")]
    PeerGone(String),
    /// The other end does not answer at all.
    #[error("{0} is unreachable: {1}")]
    Unreachable(String, String),
    /// This system or protocol has no such thing.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The peer said something that is not in the protocol.
    #[error("the far end broke the protocol: {0}")]
    Protocol(String),
    /// The user stopped it.
    #[error("stopped by the user")]
    Cancelled,
}

impl NetError {
    /// Wraps an operating system error with what was being done; permission errors become [`Self::Privilege`].
    pub(crate) fn os(doing: impl Into<String>, source: io::Error) -> Self {
        Self::Os {
            doing: doing.into(),
            source,
        }
    }

    /// The kind of obstacle, as a case records it.
    #[must_use]
    pub fn reason(&self) -> NotMeasuredReason {
        match self {
            Self::Privilege { .. } => NotMeasuredReason::Privilege,
            Self::Os { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                NotMeasuredReason::Privilege
            }
            Self::Os { .. } | Self::Protocol(_) => NotMeasuredReason::Failed,
            Self::NoFarEnd(_) | Self::NoIperf3(_) | Self::NoWebServer(_) => NotMeasuredReason::NoFarEnd,
            // No other transfer would be longer.
            Self::Web(HttpError::TooShort(_)) => NotMeasuredReason::Unsupported,
            Self::Web(_) | Self::Tls(_) | Self::Refused(_) | Self::NoRoom(_) | Self::Token(_) => {
                NotMeasuredReason::Refused
            }
            Self::PeerGone(_) | Self::Silent(_) => NotMeasuredReason::PeerGone,
            Self::Unreachable(..) => NotMeasuredReason::Unreachable,
            Self::Unsupported(_) => NotMeasuredReason::Unsupported,
            Self::Cancelled => NotMeasuredReason::Cancelled,
        }
    }
}
