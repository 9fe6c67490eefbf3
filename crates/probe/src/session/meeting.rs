//! A transfer between two far ends, of which neither is the client.
//!
//! One of them waits for the other, as it waits for its client in a transfer with that; the other joins it. The client has a session
//! with each, hands the key of the one to the other, says when both are ready, and puts the two reports together. Who
//! joins first asks whether the other agrees, as before probes (see [`super::Peer`]), so that nobody can be filled with
//! data that no client of its own asked for.

use super::{Peer, TcpPlan, UdpPlan};
use crate::SessionKey;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// How a far end meets the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Meeting {
    /// It waits: the connections, or the UDP hello, come from this address.
    Await {
        /// Of the other far end.
        peer: IpAddr,
    },
    /// It opens the connections, or says the UDP hello.
    Join {
        /// The other far end, which has admitted this one.
        peer: Peer,
        /// What opens the transfer there.
        key: SessionKey,
    },
}

/// A transfer; in its plan the far end that waits is "the server".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BulkPlan {
    /// Over TCP.
    Tcp {
        /// What it is to do.
        plan: TcpPlan,
    },
    /// Over UDP.
    Udp {
        /// What it is to do.
        plan: UdpPlan,
    },
}
