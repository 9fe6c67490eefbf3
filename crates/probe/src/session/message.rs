//! What the client and the far end say to each other: JSON, one value a message.
//!
//! JSON and not a binary form: a report is a few hundred kilobytes at most, and observations are JSON wherever they
//! stand, so one format serves the wire and the case.

use super::{
    Arrivals, BulkPlan, Limits, LocalAsk, Meeting, Peer, PeerOutcome, TcpHalf, TcpPlan, TcpSlice, UdpPlan,
    UdpReceived, UdpSent,
};
use crate::SessionKey;
use evidence::{NotMeasuredReason, Payload};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};

/// Raised when the two ends could misunderstand each other. `Hello`, `Welcome` and `Refused` keep their shapes: they are
/// how two programs of different versions tell each other.
///
/// 3: as first published. 4: a far end may say [`ToClient::Waiting`] where it said that it is busy, and meets other far ends.
pub const PROTOCOL_VERSION: u32 = 4;

/// The oldest version that is still spoken: a far end answers it as it did, and a client says it to a far end that knows no newer one.
pub const OLDEST_VERSION: u32 = 3;

/// What the client says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToServer {
    /// First word.
    Hello {
        /// [`PROTOCOL_VERSION`].
        version: u32,
        /// Program and version, for the log.
        program: String,
    },
    /// Carry out `ask` from there, towards the client.
    Perform {
        /// The ask.
        ask: LocalAsk,
        /// Where the client answers probes meanwhile.
        reflector: Option<ReflectorOffer>,
    },
    /// Prepare a TCP transfer.
    Tcp {
        /// What it is to do.
        plan: TcpPlan,
    },
    /// Prepare a UDP stream.
    Udp {
        /// What it is to do.
        plan: UdpPlan,
    },
    /// Answer probes of these addresses as well, in place of those that were admitted before: third places, or the client.
    Admit {
        /// Whose.
        peers: Vec<IpAddr>,
    },
    /// Which probes came of those who are admitted?
    Count,
    /// Carry out `ask` from there towards each of these, side by side.
    Towards {
        /// The ask: a route, or probes.
        ask: LocalAsk,
        /// Far ends that have admitted this one.
        peers: Vec<Peer>,
    },
    /// Prepare a transfer with another far end.
    Meet {
        /// Which, and who waits for whom.
        with: Meeting,
        /// What it is to do; boxed, as it is larger than all other messages.
        bulk: Box<BulkPlan>,
    },
    /// To the far end that joined another: that one is ready.
    Go,
    /// End what is going on, and report.
    Stop {
        /// The user wants no more of it; else the client has sent all.
        cancelled: bool,
        /// UDP: how many sequence numbers the client used.
        sent: Option<u64>,
    },
}

/// Where the client answers probes of an ask that the far end carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReflectorOffer {
    /// UDP port.
    pub port: u16,
    /// Session that it answers.
    pub session: SessionKey,
}

/// Why the far end does not do what it was asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// It speaks another protocol version.
    Version,
    /// Another transfer is running.
    Busy,
    /// It serves as many clients as it can.
    Full,
    /// More than its owner allows, or impossible.
    Limits,
    /// Out of place in the conversation.
    Unexpected,
}

/// What the far end says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToClient {
    /// First word of a far end that has connected to its client: the client greets only then. Nobody who played a recorded
    /// handshake again could seal it.
    Dialed {
        /// Where it found the client.
        at: SocketAddr,
    },
    /// Answer to `Hello`.
    Welcome {
        /// [`PROTOCOL_VERSION`].
        version: u32,
        /// Program and version.
        program: String,
        /// Fingerprint of the running kernel: equal to the client's own when both share one clock.
        machine: String,
        /// What its UDP reflector answers to as long as this connection stands.
        reflector: SessionKey,
        /// What its owner allows.
        limits: Limits,
    },
    /// No.
    Refused {
        /// Which kind of no.
        why: Refusal,
        /// For a person.
        detail: String,
    },
    /// Another transfer is running, and this one's turn will come (since version 4). Said again every second; a stop leaves the queue.
    Waiting {
        /// Those that will run before it, without the one that runs.
        before: u32,
        /// How long that will take at most, as far as is known.
        about_ms: u64,
    },
    /// What is going on.
    Progress {
        /// In a few words.
        text: String,
        /// Share done, 0 to 1.
        fraction: Option<f32>,
    },
    /// What an ask gave.
    Performed {
        /// The measurements.
        payloads: Vec<Payload>,
    },
    /// What an ask did not give.
    Failed {
        /// The kind of obstacle.
        reason: NotMeasuredReason,
        /// For a person.
        detail: String,
    },
    /// Who is admitted.
    Admitted {
        /// For each address that was named the key that its probes are answered by; `None` where the owner does not allow
        /// tests with it.
        keys: Vec<Option<SessionKey>>,
    },
    /// Which probes came.
    Counted {
        /// For each address that was named when they were admitted; `None` for those that were not.
        arrivals: Vec<Option<Arrivals>>,
    },
    /// What an ask gave towards each of the peers that were named.
    Reached {
        /// In their order.
        outcomes: Vec<PeerOutcome>,
    },
    /// The transfer may be set up.
    Accepted {
        /// Opens its bulk connections, or its UDP hello.
        key: SessionKey,
        /// The plan within the far end's limits (TCP).
        plan: Option<TcpPlan>,
    },
    /// All connections are there (TCP), or the hello came (UDP).
    Ready {
        /// Congestion control in use at the far end (TCP).
        congestion_control: Option<String>,
    },
    /// A slice of the far end's sending (TCP), while it goes on.
    Slice {
        /// The slice.
        slice: TcpSlice,
    },
    /// The far end's half of a TCP transfer.
    TcpReport {
        /// The half.
        half: TcpHalf,
        /// What was measured beside it.
        beside: Vec<Payload>,
    },
    /// The far end has sent its UDP stream.
    UdpSent {
        /// Its half.
        half: UdpSent,
    },
    /// The far end has received a UDP stream.
    UdpReceived {
        /// Its half.
        half: UdpReceived,
    },
}

/// Why a message could not be read.
#[derive(Debug, thiserror::Error)]
#[error("not a message: {0}")]
pub struct MessageError(#[from] serde_json::Error);

/// `message` as bytes.
///
/// # Errors
/// A number that JSON cannot carry (not finite).
pub fn encode<M: Serialize>(message: &M) -> Result<Vec<u8>, MessageError> {
    Ok(serde_json::to_vec(message)?)
}

/// Reads a message of [`ToServer`] or [`ToClient`].
///
/// # Errors
/// Anything else, trailing bytes and unknown fields included.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, MessageError> {
    Ok(serde_json::from_slice(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn survives_to_server(message: &ToServer) {
        let read: ToServer = decode(&encode(message).unwrap()).unwrap();
        assert_eq!(&read, message);
    }

    #[test]
    fn messages_survive_the_wire() {
        survives_to_server(&ToServer::Perform {
            ask: LocalAsk::PathMtu,
            reflector: Some(ReflectorOffer {
                port: 9,
                session: [7; 16],
            }),
        });
        let plan = UdpPlan {
            server_sends: true,
            size_bytes: 1500,
            rate_bps: 1e9,
            duration_ms: 10,
        };
        survives_to_server(&ToServer::Udp { plan });
        let peer = Peer {
            address: IpAddr::from([10, 0, 0, 1]),
            port: 9,
            session: [7; 16],
        };
        survives_to_server(&ToServer::Meet {
            with: Meeting::Join { peer, key: [8; 16] },
            bulk: Box::new(BulkPlan::Udp { plan }),
        });
        let refused = ToClient::Refused {
            why: Refusal::Busy,
            detail: "10.0.0.1".to_owned(),
        };
        assert_eq!(decode::<ToClient>(&encode(&refused).unwrap()).unwrap(), refused);
    }

    #[test]
    fn what_is_not_in_the_protocol_is_refused() {
        for text in [
            "",
            "{}",
            r#"{"say":"hello"}"#,
            r#"{"say":"stop","cancelled":true,"sent":null} trailing"#,
            r#"{"say":"stop","cancelled":true,"sent":1,"extra":1}"#,
            r#"{"say":"udp","plan":{"server_sends":true,"size_bytes":1500,"rate_bps":1e999,"duration_ms":1}}"#,
        ] {
            assert!(decode::<ToServer>(text.as_bytes()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
            let _ = decode::<ToServer>(&bytes);
            let _ = decode::<ToClient>(&bytes);
        }
    }
}
