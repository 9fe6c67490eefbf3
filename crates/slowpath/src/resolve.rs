//! From the name that the user gave to the one address that is tested.

use std::net::{IpAddr, ToSocketAddrs, UdpSocket};

/// Which address family the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
#[group(multiple = false)]
pub(crate) struct FamilyArgs {
    /// Use IPv4 only
    #[arg(short = '4', long)]
    pub ipv4: bool,
    /// Use IPv6 only
    #[arg(short = '6', long)]
    pub ipv6: bool,
}

impl FamilyArgs {
    pub(crate) fn admits(self, address: IpAddr) -> bool {
        !(self.ipv4 && address.is_ipv6() || self.ipv6 && address.is_ipv4())
    }
}

/// Why a host cannot be tested.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("unknown host `{host}` ({source}): check the spelling, or give its address")]
    Unknown { host: String, source: std::io::Error },
    #[error("`{host}` has no IPv{family} address: leave out -{family}, or give another host")]
    NoAddress { host: String, family: u8 },
    #[error("`{0}` is no address that can be tested: name one host")]
    NotAHost(IpAddr),
}

/// The first address of `host` in the wanted family, in the system's order of preference (RFC 6724).
pub(crate) fn host(host: &str, family: FamilyArgs) -> Result<IpAddr, ResolveError> {
    let found = (host, 0).to_socket_addrs();
    let mut found = found.map_err(|source| ResolveError::Unknown {
        host: host.to_owned(),
        source,
    })?;
    let address = found
        .find(|socket| family.admits(socket.ip()))
        .map(|socket| socket.ip())
        .ok_or_else(|| ResolveError::NoAddress {
            host: host.to_owned(),
            family: if family.ipv6 { 6 } else { 4 },
        })?;
    let broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    if address.is_unspecified() || address.is_multicast() || broadcast {
        return Err(ResolveError::NotAHost(address));
    }
    Ok(address)
}

/// Whether `address` belongs to this host: only such an address can be bound.
pub(crate) fn is_local(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

/// The local address that packets to `destination` leave from, by the routing table; nothing is sent.
pub(crate) fn source_towards(destination: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = if destination.is_ipv4() {
        [0, 0, 0, 0].into()
    } else {
        [0u16; 8].into()
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    // Connecting a UDP socket only chooses a route. The port is of no account; 9 is "discard".
    socket.connect((destination, 9)).ok()?;
    socket.local_addr().ok().map(|local| local.ip())
}
