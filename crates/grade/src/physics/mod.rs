//! What the network does to packets: written for the graded worlds alone, from first principles.
//!
//! Nothing here is shared with the forward model of the diagnosis, on purpose: where both had the same error, no table
//! would show it. Transfers are not computed by response functions but played in small steps of time.

mod idle;
mod link;
mod tcp;
mod udp;

pub use idle::{idle_delay_s, idle_loss, passes, queue_wait_s, too_big_said_by};
pub use tcp::{TcpRun, TcpSetup, TcpSlice, tcp};
pub use udp::{UdpRun, UdpSetup, UdpSlice, udp};
