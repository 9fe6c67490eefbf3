//! Probes of the path from this host: route, path MTU, echo per hop.
use crate::{NetError, Watch};
use evidence::{Echo, PathMtu, ProbeProtocol, Route};
use probe::SessionKey;
use std::net::IpAddr;

/// The other end of a path, and how to probe it.
#[derive(Debug, Clone, Copy)]
pub struct PathTarget {
    /// Where the path leads.
    pub destination: IpAddr,
    /// The local address to probe from; `None` lets routing choose.
    pub source: Option<IpAddr>,
    /// The far end's UDP reflector, where there is one.
    pub reflector: Option<Reflector>,
}

/// A UDP reflector at the destination (see `probe`'s `ReflectRequest`).
#[derive(Debug, Clone, Copy)]
pub struct Reflector {
    /// UDP port.
    pub port: u16,
    /// The session that it answers.
    pub session: SessionKey,
}

/// What to send in an echo measurement.
#[derive(Debug, Clone)]
pub struct EchoPlan {
    /// IP packet sizes in bytes.
    pub sizes_bytes: Vec<u32>,
    /// Probes per hop and size.
    pub count: u32,
    /// Pause between probes to the same hop, milliseconds.
    pub interval_ms: u32,
}

/// (being written)
pub async fn route(_t: &PathTarget, _p: ProbeProtocol, _flows: u8, _w: &Watch) -> Result<Route, NetError> {
    Err(NetError::Unsupported("route".into()))
}
/// (being written)
pub async fn path_mtu(_t: &PathTarget, _r: Option<&Route>, _w: &Watch) -> Result<PathMtu, NetError> {
    Err(NetError::Unsupported("path MTU".into()))
}
/// (being written)
pub async fn echo(_t: &PathTarget, _r: Option<&Route>, _p: &EchoPlan, _w: &Watch) -> Result<Echo, NetError> {
    Err(NetError::Unsupported("echo".into()))
}
/// (being written)
pub async fn hop_loss(
    _t: &PathTarget,
    _ttls: &[u8],
    _n: u64,
    _pps: u32,
    _w: &Watch,
) -> Result<Echo, NetError> {
    Err(NetError::Unsupported("hop loss".into()))
}
