//! Local ports that nobody answers for.

use super::Plan;
use crate::NetError;
use crate::path::domain_of;
use crate::sys::packet_ring::attach;
use socket2::{Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};

/// Ports of this host whose segments the kernel takes and throws away: each is a listening socket with a filter that lets nothing
/// through. A raw socket gets its copy before. As soon as one is dropped, the kernel answers with resets as it does for any port that
/// is not used: also after a kill, so that a server is never left with a connection that nobody speaks for.
#[derive(Debug)]
pub struct Ports {
    sockets: Vec<Socket>,
}

impl Ports {
    /// The ports that `plan` needs. Before rights are given up, as filters cannot be set afterwards; needs no privilege.
    ///
    /// # Errors
    /// No source address, or the system refuses.
    pub fn open(plan: &Plan) -> Result<Self, NetError> {
        let source = plan.source()?;
        let open = |_| silent_port(source);
        let sockets = (0..plan.connections()).map(open).collect::<io::Result<_>>();
        let sockets =
            sockets.map_err(|error| NetError::os(format!("reserving TCP ports of {source}"), error))?;
        Ok(Self { sockets })
    }

    /// The next one, and its address.
    pub(super) fn take(&mut self) -> Option<(Socket, SocketAddr)> {
        let socket = self.sockets.pop()?;
        let address = socket.local_addr().ok()?.as_socket()?;
        Some((socket, address))
    }
}

fn silent_port(source: IpAddr) -> io::Result<Socket> {
    /// `return 0`: nothing of the packet is kept, so it is dropped (socket(7), `SO_ATTACH_FILTER`).
    const NOTHING: [libc::sock_filter; 1] = [libc::sock_filter {
        code: (libc::BPF_RET | libc::BPF_K) as u16,
        jt: 0,
        jf: 0,
        k: 0,
    }];
    let socket = Socket::new(domain_of(source), Type::STREAM.cloexec(), Some(Protocol::TCP))?;
    attach(&socket, &NOTHING)?;
    socket.bind(&SocketAddr::new(source, 0).into())?;
    socket.listen(1)?;
    Ok(socket)
}
