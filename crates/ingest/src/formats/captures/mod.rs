//! Summaries of captured packets and of flows: tcptrace, tshark, tcpdump, Zeek, nfdump.
//!
//! They are made where the packets were seen, which is at neither end: bytes are those on the wire unless the tool counts
//! those of the application, and the rate of a flow is bytes by time.

mod flow;
pub(super) mod nfdump;
pub(super) mod tcpdump;
pub(super) mod tcptrace;
pub(super) mod tshark;
pub(super) mod zeek;
