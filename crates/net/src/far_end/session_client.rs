//! The client as the sessions of the server see it.

use super::hub::Hub;
use crate::Watch;
use crate::path::{PathTarget, Reflector};
use probe::session::ReflectorOffer;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The client of a session, and what the session may use.
pub(super) struct Client {
    pub(super) hub: Arc<Hub>,
    /// The only address that this session sends anything to.
    pub(super) peer: IpAddr,
    /// Our own address and port, as the client reached us.
    pub(super) local: SocketAddr,
    pub(super) watch: Watch,
}

/// The client's address as the target of probes from here.
pub(super) fn towards(client: &Client, reflector: Option<ReflectorOffer>) -> PathTarget {
    PathTarget {
        destination: client.peer,
        source: Some(client.local.ip()),
        reflector: reflector.map(|offer| Reflector {
            port: offer.port,
            session: offer.session,
        }),
    }
}
