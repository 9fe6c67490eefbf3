//! What tests ask the network: echoes, packets with a short life, counted packets.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use lab::Lab;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};

/// A busy machine stands still for a third of a second now and then; what comes at all comes within this.
const PATIENCE: Duration = Duration::from_secs(1);

/// The node's first address of the family.
pub(crate) fn address(lab: &Lab, node: &str, v6: bool) -> IpAddr {
    let scenario = lab.scenario();
    let id = scenario.node_id(node).unwrap();
    scenario
        .addresses_of(id)
        .into_iter()
        .find(|a| a.is_ipv6() == v6)
        .unwrap()
}

/// Does something in a host and hands out its result; anything that fails there fails the test.
pub(crate) fn inside<T: Send>(lab: &Lab, host: &str, work: impl FnOnce() -> io::Result<T> + Send) -> T {
    let named = |source| lab::LabError::Io {
        doing: "probing".to_owned(),
        source,
    };
    lab.inside(host, || work().map_err(named))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Round-trip times of echo requests whose IP packet has this size; `None` for those without an answer. They carry
/// the don't-fragment flag unless the host's `ip_no_pmtu_disc` says otherwise.
pub(crate) fn echo(lab: &Lab, from: &str, to: IpAddr, ip_bytes: usize, count: u16) -> Vec<Option<Duration>> {
    inside(lab, from, || {
        let (domain, protocol, kind, headers) = match to {
            IpAddr::V4(_) => (Domain::IPV4, Protocol::ICMPV4, 8, 20),
            IpAddr::V6(_) => (Domain::IPV6, Protocol::ICMPV6, 128, 40),
        };
        let socket = Socket::new(domain, Type::DGRAM, Some(protocol))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let one = |sequence: u16| {
            let [high, low] = sequence.to_be_bytes();
            let mut request = vec![kind, 0, 0, 0, 0, 0, high, low];
            request.resize(ip_bytes - headers, 0);
            let begun = Instant::now();
            // A send can fail with what earlier packets learned: then there is no answer either.
            socket.send_to(&request, &SocketAddr::new(to, 0).into()).ok()?;
            socket.recv(&mut [MaybeUninit::uninit(); 9216]).ok()?;
            Some(begun.elapsed())
        };
        Ok((0..count).map(one).collect())
    })
}

pub(crate) fn answers(echoes: &[Option<Duration>]) -> usize {
    echoes.iter().flatten().count()
}

/// Who says "time exceeded" to each of `count` UDP packets with this TTL, sent at once.
pub(crate) fn expire(lab: &Lab, from: &str, to: IpAddr, ttl: u8, count: usize) -> Vec<IpAddr> {
    inside(lab, from, || {
        let socket = UdpSocket::bind(SocketAddr::new(any_like(to), 0))?;
        if to.is_ipv4() {
            setsockopt(&socket, sockopt::Ipv4RecvErr, &true)?;
            setsockopt(&socket, sockopt::Ipv4Ttl, &i32::from(ttl))?;
        } else {
            setsockopt(&socket, sockopt::Ipv6RecvErr, &true)?;
            setsockopt(&socket, sockopt::Ipv6Ttl, &i32::from(ttl))?;
        }
        for port in (33_434..).take(count) {
            // An answer to an earlier packet makes a send fail once; the packet itself was not sent then.
            while socket.send_to(b"probe", (to, port)).is_err() {}
        }
        let begun = Instant::now();
        let mut offenders = Vec::new();
        while offenders.len() < count && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
            offenders.extend(std::iter::from_fn(|| next_offender(&socket)));
        }
        Ok(offenders)
    })
}

fn any_like(address: IpAddr) -> IpAddr {
    if address.is_ipv4() {
        Ipv4Addr::UNSPECIFIED.into()
    } else {
        Ipv6Addr::UNSPECIFIED.into()
    }
}

fn next_offender(socket: &UdpSocket) -> Option<IpAddr> {
    let mut packet = [0; 512];
    let mut packet = [IoSliceMut::new(&mut packet)];
    let mut control = vec![0; 512];
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let message =
        recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut packet, Some(&mut control), flags).ok()?;
    message.cmsgs().ok()?.find_map(|c| match c {
        ControlMessageOwned::Ipv4RecvErr(_, Some(from)) => {
            Some(Ipv4Addr::from_bits(u32::from_be(from.sin_addr.s_addr)).into())
        }
        ControlMessageOwned::Ipv6RecvErr(_, Some(from)) => {
            Some(Ipv6Addr::from(from.sin6_addr.s6_addr).into())
        }
        _ => None,
    })
}

/// Sends UDP packets of this IP size from `from` to `to`, `gap` apart, and says how many arrive with a correct
/// checksum.
pub(crate) fn udp(
    lab: &Lab,
    (from, to): (&str, &str),
    ip_bytes: usize,
    count: usize,
    gap: Duration,
) -> usize {
    let address = address(lab, to, false);
    let receiver = inside(lab, to, || UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 7777)));
    inside(lab, from, || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let payload = vec![0x55; ip_bytes - 28];
        for _ in 0..count {
            socket.send_to(&payload, (address, 7777))?;
            if !gap.is_zero() {
                std::thread::sleep(gap);
            }
        }
        Ok(())
    });
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut buffer = [0; 9216];
    std::iter::from_fn(|| receiver.recv(&mut buffer).ok()).count()
}

/// The path MTU that a host believes in after it has sent a large packet.
pub(crate) fn learned_mtu(lab: &Lab, from: &str, to: IpAddr, ip_bytes: usize) -> i32 {
    inside(lab, from, || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.connect((to, 7777))?;
        socket.send(&vec![0; ip_bytes - 28])?;
        std::thread::sleep(PATIENCE);
        Ok(nix::sys::socket::getsockopt(&socket, sockopt::IpMtu)?)
    })
}

/// Writes a kernel setting of a host.
pub(crate) fn sysctl(lab: &Lab, host: &str, path: &str, value: &str) {
    inside(lab, host, || {
        std::fs::write(format!("/proc/sys/net/{path}"), value)
    });
}
