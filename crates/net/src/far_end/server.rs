//! Listens, tells control from bulk connections, and lets nobody in without the token.

use super::channel::{CONTROL_MAGIC, Channel, ChannelError, notice_death};
use super::config::ServerConfig;
use super::hub::{Hub, plain};
use super::refusal::refuse;
use super::session_client::Client;
use super::version::version_mismatch;
use super::{session, token};
use crate::{NetError, Watch};
use probe::session::{DATA_HELLO_BYTES, DataHello, Refusal};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A client answers at once; the longest path on Earth takes well under a second.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(4);
/// A wrong token is answered by closing, but not at once: guessing must not be quick.
const WRONG_TOKEN_DELAY: Duration = Duration::from_secs(1);
const BACKLOG: i32 = 256;

/// A far end with its sockets open.
pub struct Server {
    config: ServerConfig,
    sockets: Vec<(std::net::TcpListener, std::net::UdpSocket)>,
}

impl Server {
    /// Opens the sockets. What needs privileges is done after this, so that the caller can drop the others.
    ///
    /// # Errors
    /// A token that could be guessed, or an address that cannot be listened on.
    pub fn bind(config: ServerConfig) -> Result<Self, NetError> {
        token::check_length(&config.token).map_err(|why| NetError::Refused(format!("the token {why}")))?;
        let sockets = config
            .listen
            .iter()
            .map(|address| listen(*address))
            .collect::<Result<_, _>>()?;
        Ok(Self { config, sockets })
    }

    /// The addresses listened on.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets
            .iter()
            .filter_map(|(tcp, _)| tcp.local_addr().ok())
            .collect()
    }

    /// Serves until cancelled. What goes on is reported to `watch`, a line each.
    ///
    /// # Errors
    /// The runtime cannot take the sockets.
    pub async fn run(self, watch: Watch) -> Result<(), NetError> {
        let hub = Hub::new(self.config);
        let mut tasks = JoinSet::new();
        for (tcp, udp) in self.sockets {
            let tcp = TcpListener::from_std(tcp).map_err(|error| NetError::os("listening", error))?;
            tasks.spawn(accept_all(tcp, hub.clone(), watch.clone()));
            tasks.spawn(super::reflector::serve(udp, hub.clone()));
        }
        watch.cancel.cancelled().await;
        // Dropping the set ends the listeners; the sessions end with the token that they watch.
        Ok(())
    }
}

fn listen(address: SocketAddr) -> Result<(std::net::TcpListener, std::net::UdpSocket), NetError> {
    let context = |error| NetError::os(format!("listening on {address}"), error);
    let tcp = socket(address, Type::STREAM, Protocol::TCP).map_err(context)?;
    tcp.set_reuse_address(true).map_err(context)?;
    tcp.bind(&address.into()).map_err(context)?;
    tcp.listen(BACKLOG).map_err(context)?;
    let tcp = std::net::TcpListener::from(tcp);
    let address = tcp.local_addr().map_err(context)?;
    let udp = super::reflector::open(address).map_err(context)?;
    Ok((tcp, udp))
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
                    connections.spawn(connection(stream, plain(peer), hub.clone(), watch.clone()));
                }
                // Out of descriptors, or a connection that died in the queue: others may still work.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// One accepted connection, from its first byte to its end.
async fn connection(mut stream: TcpStream, peer: SocketAddr, hub: Arc<Hub>, watch: Watch) {
    let Some(attempt) = hub
        .guard
        .admit(peer.ip(), hub.expects_from(peer.ip()), Instant::now())
    else {
        return;
    };
    let opening = tokio::time::timeout(HANDSHAKE_TIMEOUT, opening(&mut stream));
    match opening.await {
        Ok(Ok(Opening::Data(hello))) => {
            drop(attempt);
            hub.deliver_tcp(hello.key, peer.ip(), hello.stream, stream);
        }
        Ok(Ok(Opening::Control)) => {
            let Ok(local) = stream.local_addr().map(plain) else {
                return;
            };
            if notice_death(&stream).is_err() {
                return;
            }
            let begun = tokio::time::timeout(HANDSHAKE_TIMEOUT, begin(stream, &hub)).await;
            let Ok(Some((channel, hello))) = begun else {
                attempt.failed(Instant::now());
                watch.report(format!("{peer}: no valid token"), None);
                tokio::time::sleep(WRONG_TOKEN_DELAY).await;
                return;
            };
            attempt.succeeded();
            drop(attempt);
            session::run(
                channel,
                hello,
                Client {
                    hub,
                    peer: peer.ip(),
                    local,
                    watch,
                },
            )
            .await;
        }
        _ => attempt.failed(Instant::now()),
    }
}

enum Opening {
    Control,
    Data(DataHello),
}

async fn opening(stream: &mut TcpStream) -> io::Result<Opening> {
    let mut bytes = [0u8; DATA_HELLO_BYTES];
    let (magic, rest) = bytes.split_at_mut(4);
    stream.read_exact(magic).await?;
    let first_four: [u8; 4] = (&*magic).try_into().unwrap_or_default();
    if first_four == CONTROL_MAGIC {
        return Ok(Opening::Control);
    }
    if !DataHello::announces(first_four) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    stream.read_exact(rest).await?;
    DataHello::read(&bytes)
        .map(Opening::Data)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The handshake and the first message, which proves that the handshake was no replay.
async fn begin(stream: TcpStream, hub: &Hub) -> Option<(Channel, probe::session::ToServer)> {
    let mut channel = Channel::accept(stream, &hub.key).await.ok()?;
    match channel.receive().await {
        Ok(hello) => Some((channel, hello)),
        // It has the token, but its first word is not known here: a newer program.
        Err(ChannelError::Protocol(_)) => {
            let _ = refuse(&mut channel, Refusal::Version, &version_mismatch(None)).await;
            None
        }
        Err(_) => None,
    }
}
