//! What can go wrong when a lab is built, in words that say what to do.

use std::io;

/// Why a lab could not be built or used.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The sandbox must be entered while the process has a single thread.
    #[error(
        "the sandbox must be entered before the first thread is started, and there are {threads} threads"
    )]
    Threads {
        /// How many there are.
        threads: usize,
    },
    /// The kernel refused the namespaces.
    #[error(
        "this system does not let this user create namespaces ({source}): run as root, or allow user namespaces \
         (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, \
         kernel.apparmor_restrict_unprivileged_userns)"
    )]
    Namespaces {
        /// The kernel's answer.
        source: io::Error,
    },
    /// `/dev/net/tun` is missing or closed to this user.
    #[error("/dev/net/tun cannot be opened ({source}): {advice}")]
    Tun {
        /// The kernel's answer.
        source: io::Error,
        /// What to do about it.
        advice: &'static str,
    },
    /// [`crate::Lab::up`] was called outside of the sandbox.
    #[error("a lab needs the sandbox: call `lab::enter_sandbox` first")]
    NotInSandbox,
    /// A second lab in the same sandbox.
    #[error("there is a lab in this process already; labs share the file of host names, so one at a time")]
    Occupied,
    /// A name that is not a node of the scenario.
    #[error("`{name}` is not a node of this scenario: it has {known}")]
    UnknownNode {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A step that the timeline does not have.
    #[error("the scenario's timeline has no step `{name}`")]
    UnknownStep {
        /// The name.
        name: String,
    },
    /// A host uses another congestion control than the scenario wants.
    #[error("`{host}` uses the congestion control `{used}` instead of `{wanted}`")]
    CongestionControl {
        /// The host.
        host: String,
        /// What it uses.
        used: String,
        /// What the scenario wants.
        wanted: String,
    },
    /// A scenario limits processor time, and the processes of the lab cannot be told apart.
    #[error(
        "a host's `cpu_percent` needs a /proc of the sandbox, and this system (a container with a masked /proc?) \
         refused to mount one"
    )]
    ForeignProc,
    /// Netlink said no.
    #[error("{doing}: netlink: {source}")]
    Netlink {
        /// What was being done.
        doing: String,
        /// The kernel's answer.
        source: Box<rtnetlink::Error>,
    },
    /// Anything else that the system said no to.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// The system's answer.
        source: io::Error,
    },
}

/// Puts "what was being done" to an error of the system.
pub(crate) fn while_doing<E: Into<io::Error>>(doing: impl Into<String>) -> impl FnOnce(E) -> LabError {
    let doing = doing.into();
    move |error| LabError::Io {
        doing,
        source: error.into(),
    }
}
