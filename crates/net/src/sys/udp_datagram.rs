//! Single datagrams with what the kernel knows of them: to which of our addresses they came, and when.

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

/// Receives one datagram into `buffer`, without waiting.
pub(crate) fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Datagram> {
    let mut parts = [IoSliceMut::new(buffer)];
    let mut control = nix::cmsg_space!(libc::in_pktinfo, libc::in6_pktinfo, libc::timespec);
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
    let to = SockaddrStorage::from(datagram.from);
    let parts = [IoSlice::new(payload)];
    let sent = match datagram.info {
        Some(PacketInfo::V4(info)) => {
            // Only the source address is fixed; the interface is for routing to choose.
            let source = libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: info.ipi_addr,
                ipi_addr: libc::in_addr { s_addr: 0 },
            };
            let control = [ControlMessage::Ipv4PacketInfo(&source)];
            sendmsg(
                socket.as_raw_fd(),
                &parts,
                &control,
                MsgFlags::MSG_DONTWAIT,
                Some(&to),
            )
        }
        Some(PacketInfo::V6(info)) => {
            let control = [ControlMessage::Ipv6PacketInfo(&info)];
            sendmsg(
                socket.as_raw_fd(),
                &parts,
                &control,
                MsgFlags::MSG_DONTWAIT,
                Some(&to),
            )
        }
        None => sendmsg(socket.as_raw_fd(), &parts, &[], MsgFlags::MSG_DONTWAIT, Some(&to)),
    };
    sent?;
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
