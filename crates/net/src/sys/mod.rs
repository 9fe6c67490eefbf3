//! System calls that have no safe wrapper: every `unsafe` of this crate is in here.

pub(crate) mod attempts;
mod control;
pub(crate) mod ethtool;
pub(crate) mod fork;
pub(crate) mod message;
pub(crate) mod packet_ring;
pub(crate) mod rights;
pub(crate) mod tcp_info;
pub(crate) mod tcp_socket;
pub(crate) mod thread_time;
pub(crate) mod udp_bulk;
pub(crate) mod udp_datagram;
