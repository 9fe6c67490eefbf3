//! From the name that the user gave to the one address that is tested.

mod eyeballs;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs, UdpSocket};

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
    all(host, family).map(|(first, _)| first)
}

/// The address of `host` at which something listens on this TCP port: the first one of the system's order, or the first of the
/// other family where that one does not answer. Where neither does, the first.
pub(crate) fn serving(host: &str, family: FamilyArgs, port: u16) -> Result<IpAddr, ResolveError> {
    let (first, rest) = all(host, family)?;
    let Some(other) = rest.iter().find(|other| other.is_ipv4() != first.is_ipv4()) else {
        return Ok(first);
    };
    let candidates = [first, *other].map(|address| SocketAddr::new(address, port));
    let answers = eyeballs::first_to_answer(&candidates);
    Ok(answers.map_or(first, |answers| answers.ip()))
}

/// The addresses of `host` in the wanted family that can be tested, in the system's order: the first and the others.
fn all(host: &str, family: FamilyArgs) -> Result<(IpAddr, Vec<IpAddr>), ResolveError> {
    let found = (host, 0).to_socket_addrs();
    let found = found.map_err(|source| ResolveError::Unknown {
        host: host.to_owned(),
        source,
    })?;
    let mut found = found.map(|socket| socket.ip()).filter(|ip| family.admits(*ip));
    let first = found.next().ok_or_else(|| ResolveError::NoAddress {
        host: host.to_owned(),
        family: if family.ipv6 { 6 } else { 4 },
    })?;
    let tests = |address: &IpAddr| {
        let broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
        !(address.is_unspecified() || address.is_multicast() || broadcast)
    };
    match tests(&first) {
        true => Ok((first, found.filter(tests).collect())),
        false => Err(ResolveError::NotAHost(first)),
    }
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
