//! The two ends of a session, as the client sees them.

use crate::Tuning;
use std::net::{IpAddr, SocketAddr};

/// One of the two ends of a session, as the client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The client's.
    Here,
    /// The far end's.
    There,
}

/// What both ends need to know of each other for a transfer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) peer: SocketAddr,
    pub(super) local: IpAddr,
    /// Who sends.
    pub(super) sender: Side,
    pub(super) same_machine: bool,
    /// Of the sockets here.
    pub(super) tuning: Tuning,
}

impl Ends {
    /// (sender's address, receiver's address).
    pub(super) fn source_and_destination(&self) -> (IpAddr, IpAddr) {
        match self.sender {
            Side::Here => (self.local, self.peer.ip()),
            Side::There => (self.peer.ip(), self.local),
        }
    }
}
