//! The two ends of a transfer, without a socket: what they say to each other, when to stop, and how the halves that
//! each of them saw become one observation.
//!
//! The control channel is authenticated and encrypted before any of these messages are read (`net` does that), yet
//! every decoder here treats its input as hostile: a holder of the token may still be broken.

mod delay;
mod frame;
mod join;
mod local_ask;
mod meeting;
mod message;
mod pace;
mod plan;
mod report;
mod sequence;
mod steady;
mod third;
mod wire;

pub use delay::join_delays;
pub use frame::{Assembler, FrameError, MAX_CHUNK_BYTES, MAX_MESSAGE_BYTES, MAX_QUESTION_BYTES, chunks};
pub use join::{TcpParties, UdpParties, join_tcp, join_udp};
pub use local_ask::{LocalAsk, MOST_PROBE_PPS};
pub use meeting::{BulkPlan, Meeting};
pub use message::{
    MessageError, OLDEST_VERSION, PROTOCOL_VERSION, ReflectorOffer, Refusal, ToClient, ToServer, decode,
    encode,
};
pub use pace::{Pace, Pacer};
pub use plan::{Limits, PlanError, TcpPlan, UdpPlan};
pub use report::{ReceivedSlice, Stamp, TcpHalf, TcpSlice, UdpReceived, UdpSent};
pub use sequence::{Arrival, MAX_LOSS_RUNS, SequenceAccount, SequenceTotals};
pub use steady::{Sample, StopRule};
pub use third::{Arrivals, MOST_PEERS, Peer, PeerOutcome};
pub use wire::{
    DATA_HELLO_BYTES, DataHello, UDP_HEADER_BYTES, UDP_HELLO_BYTES, UdpHeader, UdpHello, UdpKind,
};
