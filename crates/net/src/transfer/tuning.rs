//! How this end's sockets of a transfer are to be, beyond what both ends agree on.

use crate::NetError;
use crate::sys::tcp_socket::set_u32;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::BorrowedFd;

/// What a user may ask of the sockets here. Nothing of it is asked of the other end but the rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tuning {
    /// Rate of a TCP transfer over all streams, bit/s, whoever sends.
    pub max_rate_bps: Option<f64>,
    /// Traffic class of what this host sends (RFC 2474): the DSCP in its upper six bits.
    pub traffic_class: Option<u8>,
    /// The port here; further streams take the ports after it.
    pub local_port: Option<u16>,
}

impl Tuning {
    /// Where the socket of this stream is bound.
    pub(crate) fn source(&self, address: IpAddr, stream: u16) -> SocketAddr {
        let port = self.local_port.map_or(0, |port| port.saturating_add(stream));
        SocketAddr::new(address, port)
    }

    /// Marks what a socket sends.
    pub(crate) fn mark(&self, socket: BorrowedFd<'_>, is_v6: bool) -> Result<(), NetError> {
        let Some(class) = self.traffic_class else {
            return Ok(());
        };
        let (level, name) = match is_v6 {
            true => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
            false => (libc::IPPROTO_IP, libc::IP_TOS),
        };
        set_u32(socket, level, name, u32::from(class))
            .map_err(|error| NetError::os("setting the traffic class", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_socket_sends_is_marked() {
        use socket2::{Domain, Socket, Type};
        use std::os::fd::AsFd;
        let tuning = Tuning {
            traffic_class: Some(0xb8),
            ..Tuning::default()
        };
        let v4 = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        tuning.mark(v4.as_fd(), false).unwrap();
        assert_eq!(v4.tos_v4().unwrap(), 0xb8);
        let v6 = Socket::new(Domain::IPV6, Type::DGRAM, None).unwrap();
        tuning.mark(v6.as_fd(), true).unwrap();
        assert_eq!(v6.tclass_v6().unwrap(), 0xb8);
    }

    #[test]
    fn streams_have_ports_of_their_own() {
        let here = IpAddr::from([127, 0, 0, 1]);
        let at = |local_port, stream| {
            let tuning = Tuning {
                local_port,
                ..Tuning::default()
            };
            tuning.source(here, stream).port()
        };
        assert_eq!(
            (at(None, 3), at(Some(6_000), 0), at(Some(6_000), 3)),
            (0, 6_000, 6_003)
        );
        assert_eq!(
            at(Some(u16::MAX), 3),
            u16::MAX,
            "the kernel says that it is taken"
        );
    }
}
