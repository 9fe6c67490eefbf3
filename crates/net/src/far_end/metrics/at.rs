//! Where metrics are shown: a TCP port, or a socket in the file system, which files' rights protect.

use crate::NetError;
use std::fmt;
use std::fs::{self, Permissions};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tokio::io::{AsyncRead, AsyncWrite};

/// Owner and group of the file: whoever may write to a socket may ask.
const MODE: u32 = 0o660;

/// Where metrics are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetricsAt {
    /// At `http://ADDR:PORT/metrics`.
    Tcp(SocketAddr),
    /// By HTTP on a Unix socket.
    Unix(PathBuf),
}

impl MetricsAt {
    /// Its address, where it is a port.
    #[must_use]
    pub fn address(&self) -> Option<&SocketAddr> {
        match self {
            Self::Tcp(address) => Some(address),
            Self::Unix(_) => None,
        }
    }
}

impl FromStr for MetricsAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.strip_prefix("unix:").unwrap_or(text);
        match text.parse() {
            Ok(address) => Ok(Self::Tcp(address)),
            Err(_) if path.starts_with('/') => Ok(Self::Unix(path.into())),
            Err(_) => Err(format!(
                "`{text}`: give an address and a port, or the whole path of a socket"
            )),
        }
    }
}

impl fmt::Display for MetricsAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "http://{address}/metrics"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A socket that is listened on.
pub(crate) enum Listening {
    Tcp(std::net::TcpListener),
    Unix(UnixListener, PathBuf),
}

impl Listening {
    /// Opens it. Before rights are given up: afterwards no file can be made.
    pub(crate) fn open(at: &MetricsAt) -> Result<Self, NetError> {
        let opened = match at {
            MetricsAt::Tcp(address) => std::net::TcpListener::bind(address).and_then(|listener| {
                listener.set_nonblocking(true)?;
                Ok(Self::Tcp(listener))
            }),
            MetricsAt::Unix(path) => listen_at(path).map(|listener| Self::Unix(listener, path.clone())),
        };
        opened.map_err(|error| NetError::os(format!("listening on {at} for metrics"), error))
    }

    /// Where, with the port that the system chose if none was named.
    pub(crate) fn at(&self) -> Option<MetricsAt> {
        Some(match self {
            Self::Tcp(listener) => MetricsAt::Tcp(listener.local_addr().ok()?),
            Self::Unix(_, path) => MetricsAt::Unix(path.clone()),
        })
    }
}

fn listen_at(path: &Path) -> io::Result<UnixListener> {
    let listener = match UnixListener::bind(path) {
        // What an earlier process left, which nobody answers; nothing else is removed.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_left(path) => {
            fs::remove_file(path)?;
            UnixListener::bind(path)?
        }
        bound => bound?,
    };
    fs::set_permissions(path, Permissions::from_mode(MODE))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn is_left(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    let refuses =
        || UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    is_socket && refuses()
}

/// A listener of either kind.
pub(super) trait Accepts: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Accepts for tokio::net::TcpListener {
    type Stream = tokio::net::TcpStream;

    async fn accept(&self) -> io::Result<Self::Stream> {
        Self::accept(self).await.map(|(stream, _)| stream)
    }
}

impl Accepts for tokio::net::UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn accept(&self) -> io::Result<Self::Stream> {
        Self::accept(self).await.map(|(stream, _)| stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_and_a_path_are_told_apart() {
        let read = |text: &str| text.parse::<MetricsAt>().map(|at| at.to_string());
        assert_eq!(read("127.0.0.1:9820").unwrap(), "http://127.0.0.1:9820/metrics");
        assert_eq!(read("[::1]:9820").unwrap(), "http://[::1]:9820/metrics");
        for path in ["/run/x.sock", "unix:/run/x.sock"] {
            assert_eq!(read(path).unwrap(), "unix:/run/x.sock");
        }
        for wrong in ["9820", "localhost", "run/x.sock", "unix:x", ""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_a_socket_that_nobody_answers_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metrics.sock");
        let held = listen_at(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
        assert_eq!(
            listen_at(&path).unwrap_err().kind(),
            io::ErrorKind::AddrInUse,
            "it is in use"
        );
        drop(held);
        listen_at(&path).unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "kept").unwrap();
        assert!(listen_at(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    }
}
