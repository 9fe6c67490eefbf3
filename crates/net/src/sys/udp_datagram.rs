//! Single datagrams with what the kernel knows of them: to which of our addresses they came, and when.

use super::tcp_socket::set_u32;
use super::thread_time::wall_ns;
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, sendmsg, setsockopt, sockopt,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, BorrowedFd};

/// A datagram that was received.
#[derive(Debug, Clone)]
pub(crate) struct Datagram {
    /// Who sent it.
    pub(crate) from: SocketAddr,
    /// Our address that it was sent to; `None` where the kernel does not say.
    pub(crate) to: Option<IpAddr>,
    /// Payload bytes.
    pub(crate) length: usize,
    /// TTL or hop limit, where [`prepare_marks`] asked for it.
    pub(crate) ttl: Option<u8>,
    /// DSCP and ECN, likewise.
    pub(crate) tos: Option<u8>,
    /// When the kernel received it, nanoseconds since the Unix epoch; when we read it, without a kernel stamp.
    pub(crate) at_ns: i64,
    info: Option<PacketInfo>,
}

#[derive(Debug, Clone, Copy)]
enum PacketInfo {
    V4(libc::in_pktinfo),
    V6(libc::in6_pktinfo),
}

/// Asks the kernel for addresses and receive stamps.
pub(crate) fn prepare(socket: BorrowedFd<'_>, is_v6: bool) -> io::Result<()> {
    if is_v6 {
        setsockopt(&socket, sockopt::Ipv6RecvPacketInfo, &true)?;
    } else {
        setsockopt(&socket, sockopt::Ipv4PacketInfo, &true)?;
    }
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
    Ok(())
}

/// Asks the kernel for the TTL (hop limit) and the TOS byte (traffic class) of what comes, and sends with the largest TTL.
pub(crate) fn prepare_marks(socket: BorrowedFd<'_>, is_v6: bool, ttl: u8) -> io::Result<()> {
    let (level, options) = match is_v6 {
        true => (
            libc::IPPROTO_IPV6,
            [
                libc::IPV6_RECVHOPLIMIT,
                libc::IPV6_RECVTCLASS,
                libc::IPV6_UNICAST_HOPS,
            ],
        ),
        false => (
            libc::IPPROTO_IP,
            [libc::IP_RECVTTL, libc::IP_RECVTOS, libc::IP_TTL],
        ),
    };
    for (option, value) in options.into_iter().zip([1, 1, u32::from(ttl)]) {
        set_u32(socket, level, option, value)?;
    }
    Ok(())
}

/// Receives one datagram into `buffer`, without waiting.
pub(crate) fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Datagram> {
    let mut parts = [IoSliceMut::new(buffer)];
    let mut control = nix::cmsg_space!(
        libc::in_pktinfo,
        libc::in6_pktinfo,
        libc::timespec,
        libc::c_int,
        libc::c_int
    );
    let message = recvmsg::<SockaddrStorage>(
        socket.as_raw_fd(),
        &mut parts,
        Some(&mut control),
        MsgFlags::MSG_DONTWAIT,
    )?;
    let from = message
        .address
        .and_then(|address| socket_address(&address))
        .ok_or(io::ErrorKind::InvalidData)?;
    let mut datagram = Datagram {
        from,
        to: None,
        length: message.bytes,
        ttl: None,
        tos: None,
        at_ns: 0,
        info: None,
    };
    for control in message.cmsgs()? {
        match control {
            ControlMessageOwned::Ipv4PacketInfo(info) => {
                datagram.to = Some(Ipv4Addr::from(u32::from_be(info.ipi_addr.s_addr)).into());
                datagram.info = Some(PacketInfo::V4(info));
            }
            ControlMessageOwned::Ipv6PacketInfo(info) => {
                datagram.to = Some(Ipv6Addr::from(info.ipi6_addr.s6_addr).into());
                datagram.info = Some(PacketInfo::V6(info));
            }
            ControlMessageOwned::Ipv4Ttl(ttl) | ControlMessageOwned::Ipv6HopLimit(ttl) => {
                datagram.ttl = u8::try_from(ttl).ok();
            }
            ControlMessageOwned::Ipv4Tos(tos) => datagram.tos = Some(tos),
            ControlMessageOwned::Ipv6TClass(class) => datagram.tos = u8::try_from(class).ok(),
            ControlMessageOwned::ScmTimestampns(stamp) => {
                datagram.at_ns = stamp
                    .tv_sec()
                    .saturating_mul(1_000_000_000)
                    .saturating_add(stamp.tv_nsec());
            }
            _ => {}
        }
    }
    if datagram.at_ns == 0 {
        datagram.at_ns = wall_ns();
    }
    Ok(datagram)
}

fn socket_address(address: &SockaddrStorage) -> Option<SocketAddr> {
    if let Some(v4) = address.as_sockaddr_in() {
        return Some(SocketAddr::new(v4.ip().into(), v4.port()));
    }
    // The scope stays: an answer to a link-local address needs it.
    address.as_sockaddr_in6().map(|v6| SocketAddr::V6((*v6).into()))
}

/// Sends `payload` back to where `datagram` came from, from the address that it was sent to.
pub(crate) fn answer(socket: BorrowedFd<'_>, payload: &[u8], datagram: &Datagram) -> io::Result<()> {
    answer_marked(socket, payload, datagram, None)
}

/// The same, with this TOS byte (traffic class).
pub(crate) fn answer_marked(
    socket: BorrowedFd<'_>,
    payload: &[u8],
    datagram: &Datagram,
    tos: Option<u8>,
) -> io::Result<()> {
    let to = SockaddrStorage::from(datagram.from);
    // Only the source address is fixed; the interface is for routing to choose.
    let source = match datagram.info {
        Some(PacketInfo::V4(info)) => Some(libc::in_pktinfo {
            ipi_ifindex: 0,
            ipi_spec_dst: info.ipi_addr,
            ipi_addr: libc::in_addr { s_addr: 0 },
        }),
        _ => None,
    };
    let class = tos.map(i32::from);
    let mut control = Vec::with_capacity(2);
    match &datagram.info {
        Some(PacketInfo::V6(info)) => control.push(ControlMessage::Ipv6PacketInfo(info)),
        _ => control.extend(source.as_ref().map(ControlMessage::Ipv4PacketInfo)),
    }
    match datagram.from.is_ipv6() {
        true => control.extend(class.as_ref().map(ControlMessage::Ipv6TClass)),
        false => control.extend(tos.as_ref().map(ControlMessage::Ipv4Tos)),
    }
    let parts = [IoSlice::new(payload)];
    sendmsg(
        socket.as_raw_fd(),
        &parts,
        &control,
        MsgFlags::MSG_DONTWAIT,
        Some(&to),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;
    use std::os::fd::AsFd;

    #[test]
    fn answers_come_from_the_address_that_was_asked() {
        for (any, loopback) in [("0.0.0.0:0", "127.0.0.2"), ("[::]:0", "::1")] {
            let server = UdpSocket::bind(any).unwrap();
            prepare(server.as_fd(), any.starts_with('[')).unwrap();
            let loopback: IpAddr = loopback.parse().unwrap();
            let client = UdpSocket::bind((loopback, 0)).unwrap();
            client
                .connect((loopback, server.local_addr().unwrap().port()))
                .unwrap();
            client.send(b"question").unwrap();
            let mut buffer = [0; 64];
            let mut received = receive(server.as_fd(), &mut buffer);
            while received
                .as_ref()
                .is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
            {
                received = receive(server.as_fd(), &mut buffer);
            }
            let datagram = received.unwrap();
            assert_eq!((datagram.to, datagram.length), (Some(loopback), 8));
            assert!((wall_ns() - datagram.at_ns).abs() < 5_000_000_000);
            answer(server.as_fd(), b"answer", &datagram).unwrap();
            // A connected socket takes packets from the address that it is connected to only.
            assert_eq!(client.recv(&mut buffer).unwrap(), 6);
        }
    }
}
