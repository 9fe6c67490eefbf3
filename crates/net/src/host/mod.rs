//! Settings and counters of this host that bear on transfers.
use crate::NetError;
use evidence::HostFacts;
use std::net::IpAddr;

/// (being written)
pub async fn facts(_towards: IpAddr, _source: Option<IpAddr>) -> Result<HostFacts, NetError> {
    Err(NetError::Unsupported("host facts".into()))
}
