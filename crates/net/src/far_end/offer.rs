//! The client's own reflector, for probes that the far end sends towards it: without one they would be answered by
//! "port unreachable", of which a Linux host sends about one a second.

use super::hub::UdpArrival;
use super::key::random_key;
use super::reflector::{self, Audience};
use crate::NetError;
use probe::SessionKey;
use probe::session::{ReflectorOffer, UdpHello};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A reflector that answers one peer, as long as it is held.
pub(super) struct Offered {
    pub(super) offer: ReflectorOffer,
    task: JoinHandle<()>,
}

struct OnePeer {
    key: SessionKey,
    peer: IpAddr,
}

impl Audience for OnePeer {
    fn answers(&self, key: &SessionKey, peer: IpAddr) -> bool {
        *key == self.key && peer == self.peer
    }

    fn allows(&self, _: &SessionKey, _: usize, _: u64) -> bool {
        true
    }

    fn hello(&self, _: UdpHello, _: UdpArrival) {}
}

/// Opens a reflector on `local` for `peer`.
pub(super) fn reflector(local: IpAddr, peer: IpAddr) -> Result<Offered, NetError> {
    let context = |error| NetError::os("opening a reflector", error);
    let session = random_key()?;
    let socket = reflector::open(SocketAddr::new(local, 0)).map_err(context)?;
    let port = socket.local_addr().map_err(context)?.port();
    let task = tokio::spawn(reflector::serve(socket, Arc::new(OnePeer { key: session, peer })));
    Ok(Offered {
        offer: ReflectorOffer { port, session },
        task,
    })
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.task.abort();
    }
}
