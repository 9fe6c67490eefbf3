//! One connection with a web server: our own socket, TLS over it, HTTP over that. It lives on a small runtime of its own, which
//! goes with it to the thread that moves the bytes: a transfer shares its thread with nothing else.

use super::feed::Feed;
use crate::NetError;
use crate::sys::thread_time::monotonic_ns;
use crate::transfer::tcp_open::prepared;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use probe::http::Target;
use probe::session::TcpPlan;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ProtocolVersion};
use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

/// Time for connecting: a SYN, and retransmissions of it after one, three and seven seconds.
const CONNECT: Duration = Duration::from_secs(10);
/// Time for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Longest head of an answer, with all its fields.
const MOST_HEAD_BYTES: u32 = 64 << 10;
/// The buffer that HTTP/1.1 reads into: a system call brings so much.
const READ_BYTES: usize = 512 << 10;
/// The window of HTTP/2, of each stream and of the connection: larger than any path's, so that TCP's own windows limit, which are
/// what is measured (RFC 9113 section 6.9). What has come is read at once, so that it does not pile up.
const WINDOW_BYTES: u32 = 1 << 30;

/// Where a connection goes, and with which options.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) target: Target,
    pub(super) address: IpAddr,
    pub(super) source: Option<IpAddr>,
    pub(super) plan: TcpPlan,
    pub(super) tls: Option<Arc<ClientConfig>>,
    pub(super) cancel: CancellationToken,
}

impl Way {
    fn peer(&self) -> SocketAddr {
        SocketAddr::new(self.address, self.target.port())
    }
}

/// The answer to a request that was sent.
pub(super) type Answer = Pin<Box<dyn Future<Output = hyper::Result<Response<Incoming>>> + Send>>;

enum Sender {
    One(http1::SendRequest<Feed>),
    Two(http2::SendRequest<Feed>),
}

/// An open connection.
pub(super) struct Link {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    sender: Sender,
    cancel: CancellationToken,
    /// The same socket, to ask the kernel.
    pub(super) socket: TcpStream,
    /// Where it goes: of a connection that was reset the kernel no longer tells.
    peer: SocketAddr,
    pub(super) is_http2: bool,
    pub(super) tls: Option<String>,
    pub(super) connect_ns: u64,
    pub(super) tls_ns: Option<u64>,
}

impl Link {
    /// Connects. Blocks the calling thread, which must be none of a runtime.
    pub(super) fn open(way: &Way) -> Result<Self, NetError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| NetError::os("starting a runtime", error))?;
        let opened = runtime.block_on(async {
            tokio::select! {
                opened = Opened::open(way) => opened,
                () = way.cancel.cancelled() => Err(NetError::Cancelled),
            }
        })?;
        Ok(Self {
            runtime: Some(runtime),
            cancel: way.cancel.clone(),
            sender: opened.sender,
            socket: opened.socket,
            peer: way.peer(),
            is_http2: opened.is_http2,
            tls: opened.tls,
            connect_ns: opened.connect_ns,
            tls_ns: opened.tls_ns,
        })
    }

    /// The local end and the server's. The socket knows, whatever the URL says.
    pub(super) fn ends(&self) -> Result<(SocketAddr, SocketAddr), NetError> {
        let local = self.socket.local_addr();
        let failed = |error| NetError::os("looking up the address of a connection", error);
        Ok((local.map_err(failed)?, self.peer))
    }

    /// Hands a request over, to be sent as the answer is waited for.
    pub(super) fn send(&mut self, request: Request<Feed>) -> Answer {
        match &mut self.sender {
            Sender::One(sender) => Box::pin(sender.send_request(request)),
            Sender::Two(sender) => Box::pin(sender.send_request(request)),
        }
    }

    /// Drives the connection until `future` is done, for `limit` at most. `None`: it took longer.
    pub(super) fn drive<T>(
        &self,
        limit: Duration,
        future: impl Future<Output = T>,
    ) -> Result<Option<T>, NetError> {
        let Some(runtime) = &self.runtime else {
            return Err(NetError::Cancelled);
        };
        runtime.block_on(async {
            tokio::select! {
                done = tokio::time::timeout(limit, future) => Ok(done.ok()),
                () = self.cancel.cancelled() => Err(NetError::Cancelled),
            }
        })
    }

    /// `HTTP/1.1` or `HTTP/2`.
    pub(super) fn version(&self) -> &'static str {
        match self.is_http2 {
            true => "HTTP/2",
            false => "HTTP/1.1",
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // An asynchronous caller may not wait for the end of a runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What [`Link`] is made of, while the runtime is being driven.
struct Opened {
    sender: Sender,
    socket: TcpStream,
    is_http2: bool,
    tls: Option<String>,
    connect_ns: u64,
    tls_ns: Option<u64>,
}

impl Opened {
    async fn open(way: &Way) -> Result<Self, NetError> {
        let began_ns = monotonic_ns();
        let stream = connect(way).await?;
        let connect_ns = monotonic_ns() - began_ns;
        let socket = stream.as_fd().try_clone_to_owned();
        let socket = TcpStream::from(socket.map_err(|error| NetError::os("copying a socket", error))?);
        let mut opened = match &way.tls {
            None => Self::plain(TokioIo::new(stream), socket).await?,
            Some(config) => {
                let began_ns = monotonic_ns();
                let stream = handshake(way, config, stream).await?;
                let tls_ns = monotonic_ns() - began_ns;
                let (_, session) = stream.get_ref();
                let tls = describe(session);
                let opened = match session.alpn_protocol() {
                    Some(b"h2") => Self::multiplexed(TokioIo::new(stream), socket).await?,
                    _ => Self::plain(TokioIo::new(stream), socket).await?,
                };
                Self {
                    tls,
                    tls_ns: Some(tls_ns),
                    ..opened
                }
            }
        };
        opened.connect_ns = connect_ns;
        Ok(opened)
    }

    async fn plain<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        io: TokioIo<S>,
        socket: TcpStream,
    ) -> Result<Self, NetError> {
        let mut builder = http1::Builder::new();
        builder
            .max_buf_size(READ_BYTES)
            .max_header_size(MOST_HEAD_BYTES as usize);
        let (sender, connection) = builder.handshake(io).await.map_err(|error| told(&error))?;
        tokio::spawn(connection);
        Ok(Self::of(Sender::One(sender), socket))
    }

    async fn multiplexed<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        io: TokioIo<S>,
        socket: TcpStream,
    ) -> Result<Self, NetError> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .max_header_list_size(MOST_HEAD_BYTES);
        let (sender, connection) = builder.handshake(io).await.map_err(|error| told(&error))?;
        tokio::spawn(connection);
        Ok(Self::of(Sender::Two(sender), socket))
    }

    fn of(sender: Sender, socket: TcpStream) -> Self {
        Self {
            is_http2: matches!(sender, Sender::Two(_)),
            sender,
            socket,
            tls: None,
            connect_ns: 0,
            tls_ns: None,
        }
    }
}

async fn connect(way: &Way) -> Result<tokio::net::TcpStream, NetError> {
    let peer = way.peer();
    let source = way.source.unwrap_or(match peer {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    });
    let socket = prepared(peer, SocketAddr::new(source, 0), &way.plan)?;
    let nobody = |why: String| NetError::NoWebServer(format!("{} ({peer}: {why})", way.target));
    match tokio::time::timeout(CONNECT, socket.connect(peer)).await {
        Ok(Ok(stream)) => {
            // Requests are small, and nothing comes behind them.
            let _ = stream.set_nodelay(true);
            Ok(stream)
        }
        Ok(Err(error)) => Err(nobody(error.to_string())),
        Err(_) => Err(nobody(format!("no answer in {} seconds", CONNECT.as_secs()))),
    }
}

async fn handshake(
    way: &Way,
    config: &Arc<ClientConfig>,
    stream: tokio::net::TcpStream,
) -> Result<tokio_rustls::client::TlsStream<tokio::net::TcpStream>, NetError> {
    let host = way.target.host();
    let name = ServerName::try_from(host.clone())
        .map_err(|_| NetError::Tls(format!("`{host}` is no name that a certificate can have")))?;
    let connector = TlsConnector::from(config.clone());
    match tokio::time::timeout(HANDSHAKE, connector.connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) => Err(distrusted(&way.target, &error)),
        Err(_) => Err(NetError::Silent(format!(
            "{} took the connection, and then did not finish the TLS handshake in {} seconds: either it is overloaded, or its large packets are lost",
            way.target,
            HANDSHAKE.as_secs()
        ))),
    }
}

fn distrusted(target: &Target, error: &io::Error) -> NetError {
    let tls = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    NetError::Tls(match tls {
        Some(rustls::Error::InvalidCertificate(why)) => format!(
            "the certificate of {target} is not to be trusted ({}): name its authority with --ca-file, or measure all the same with --insecure",
            doubt(why)
        ),
        Some(rustls::Error::InvalidMessage(_)) => {
            format!("{target} does not speak TLS ({error}): is it http:// there?")
        }
        _ => format!("the TLS handshake with {target} failed: {error}"),
    })
}

/// Why a certificate is not believed, in words where it is a usual reason.
fn doubt(why: &CertificateError) -> String {
    match why {
        CertificateError::UnknownIssuer => "no authority that is believed here issued it".to_owned(),
        // A server shows an authority's certificate as its own: what `openssl req -x509` makes.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "it is that of an authority, and not of a server".to_owned()
        }
        _ => why.to_string(),
    }
}

/// `TLS 1.3, AES_128_GCM_SHA256`.
fn describe(session: &rustls::ClientConnection) -> Option<String> {
    let version = match session.protocol_version()? {
        ProtocolVersion::TLSv1_2 => "TLS 1.2".to_owned(),
        ProtocolVersion::TLSv1_3 => "TLS 1.3".to_owned(),
        other => format!("{other:?}"),
    };
    let suite = session.negotiated_cipher_suite()?.suite();
    let suite = format!("{suite:?}");
    let suite = suite.trim_start_matches("TLS13_").trim_start_matches("TLS_");
    Some(format!("{version}, {suite}"))
}

/// What the library says, with its reasons.
pub(super) fn told(error: &hyper::Error) -> NetError {
    let mut text = error.to_string();
    let mut inner = error.source();
    while let Some(reason) = inner {
        text = format!("{text}: {reason}");
        inner = reason.source();
    }
    NetError::Silent(format!("the web server broke off: {text}"))
}
