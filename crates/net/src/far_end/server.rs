//! Opens the port and accepts what comes to it.

use super::access::AccessControl;
use super::config::ServerConfig;
use super::entrance;
use super::hub::{Hub, plain};
use super::metrics::{Listening, MetricsAt};
use super::waiting::Dialers;
use crate::sys::tcp_socket;
use crate::{NetError, Watch};
use probe::session::Limits;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Connections that the kernel holds until they are accepted: as many as come while the runtime is busy elsewhere. Beyond
/// it a client sends its SYN once more, a second later.
const BACKLOG: i32 = 1_024;

/// A far end with its sockets open.
pub struct Server {
    hub: Arc<Hub>,
    sockets: Vec<(std::net::TcpListener, std::net::UdpSocket)>,
    /// Where stock iperf3 clients come to.
    iperf3: Vec<std::net::TcpListener>,
    metrics: Option<Listening>,
}

impl Server {
    /// Opens the sockets. What needs rights is done after this, so that the caller can give them up
    /// ([`crate::rights::restrict_server`]).
    ///
    /// # Errors
    /// An address that cannot be listened on.
    pub fn bind(config: ServerConfig) -> Result<Self, NetError> {
        Self::with_dialers(config, None)
    }

    /// [`Server::bind`] for a client that waits for its far end as well.
    pub(super) fn with_dialers(config: ServerConfig, dialers: Option<Dialers>) -> Result<Self, NetError> {
        let sockets = config
            .listen
            .iter()
            .map(|address| listen(*address, &config.limits))
            .collect::<Result<_, _>>()?;
        let port = config.iperf3.as_ref().map(|clients| clients.port);
        let listen =
            |address: &SocketAddr| Some(listen_tcp(SocketAddr::new(address.ip(), port?), &config.limits));
        let iperf3 = config
            .listen
            .iter()
            .filter_map(listen)
            .collect::<Result<_, _>>()?;
        let metrics = config.metrics.as_ref().map(Listening::open).transpose()?;
        let hub = Hub::new(config, dialers);
        Ok(Self {
            hub,
            sockets,
            iperf3,
            metrics,
        })
    }

    /// The addresses listened on.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets
            .iter()
            .filter_map(|(tcp, _)| tcp.local_addr().ok())
            .collect()
    }

    /// The addresses where stock iperf3 clients are served.
    #[must_use]
    pub fn iperf3_addresses(&self) -> Vec<SocketAddr> {
        let addresses = self.iperf3.iter().map(std::net::TcpListener::local_addr);
        addresses.filter_map(Result::ok).collect()
    }

    /// Whether its owner allows tests with other far ends.
    #[must_use]
    pub fn meets_others(&self) -> bool {
        !self.hub.config.allow_peers.is_empty() || self.hub.accounts.meet_others()
    }

    /// Where metrics are shown.
    #[must_use]
    pub fn metrics_at(&self) -> Option<MetricsAt> {
        self.metrics.as_ref()?.at()
    }

    /// What is listened on, TCP and UDP.
    #[must_use]
    pub fn sockets(&self) -> Vec<BorrowedFd<'_>> {
        self.sockets
            .iter()
            .flat_map(|(tcp, udp)| [tcp.as_fd(), udp.as_fd()])
            .chain(self.iperf3.iter().map(AsFd::as_fd))
            .collect()
    }

    /// What its sessions share.
    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// With which its owner changes who may measure, while it runs.
    #[must_use]
    pub fn access(&self) -> AccessControl {
        self.hub.access()
    }

    /// Serves until cancelled. What goes on is reported to `watch`, a line each.
    ///
    /// # Errors
    /// The runtime cannot take the sockets.
    pub async fn run(self, watch: Watch) -> Result<(), NetError> {
        let hub = self.hub;
        let iperf3_clients = hub.config.iperf3.clone();
        let mut tasks = JoinSet::new();
        for (tcp, clients) in self.iperf3.into_iter().zip(iperf3_clients.iter().cycle()) {
            let tcp = TcpListener::from_std(tcp).map_err(|error| NetError::os("listening", error))?;
            let allow = clients.allow.clone();
            tasks.spawn(crate::iperf3::serve::serve(
                tcp,
                allow,
                hub.clone(),
                watch.clone(),
            ));
        }
        for (tcp, udp) in self.sockets {
            let tcp = TcpListener::from_std(tcp).map_err(|error| NetError::os("listening", error))?;
            tasks.spawn(accept_all(tcp, hub.clone(), watch.clone()));
            tasks.spawn(super::reflector::serve(udp, hub.clone()));
        }
        if let Some(metrics) = self.metrics {
            let (hub, watch) = (hub.clone(), watch.clone());
            tasks.spawn(async move {
                if let Err(error) = super::metrics::serve(metrics, hub).await {
                    watch.report(format!("no metrics are shown: {error}"), None);
                }
            });
        }
        tasks.spawn(hub.door.clone().keep_the_log(watch.clone()));
        watch.cancel.cancelled().await;
        // Dropping the set ends the listeners; the sessions end with the token that they watch.
        Ok(())
    }
}

fn listen(
    address: SocketAddr,
    limits: &Limits,
) -> Result<(std::net::TcpListener, std::net::UdpSocket), NetError> {
    let tcp = listen_tcp(address, limits)?;
    let context = |error| NetError::os(format!("listening on {address}"), error);
    let address = tcp.local_addr().map_err(context)?;
    let udp = super::reflector::open(address).map_err(context)?;
    Ok((tcp, udp))
}

fn listen_tcp(address: SocketAddr, limits: &Limits) -> Result<std::net::TcpListener, NetError> {
    let context = |error| NetError::os(format!("listening on {address}"), error);
    let tcp = socket(address, Type::STREAM, Protocol::TCP).map_err(context)?;
    tcp.set_reuse_address(true).map_err(context)?;
    tcp.bind(&address.into()).map_err(context)?;
    if let Some(window) = limits.first_window_bytes() {
        // Connections inherit it; it is made larger by nobody.
        tcp_socket::set_u32(tcp.as_fd(), libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, window)
            .map_err(context)?;
    }
    tcp.listen(BACKLOG).map_err(context)?;
    Ok(tcp.into())
}

fn socket(address: SocketAddr, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    if address.is_ipv6() {
        // Each family has a socket of its own: else the port could be had only once.
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}

async fn accept_all(listener: TcpListener, hub: Arc<Hub>, watch: Watch) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(entrance::serve(stream, plain(peer), hub.clone(), watch.clone()));
                }
                // Out of descriptors, or a connection that died in the queue: others may still work.
                Err(_) => {
                    hub.door.make_room();
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
