//! Servers to attack, and addresses to attack them from.

use net::Watch;
use net::far_end::{Access, Holder, HolderLimits, Limits, Server, ServerConfig, Token, new_token};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use sha2::{Digest, Sha256};
use socket2::{Domain, Socket, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex as StdMutex};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Mutex, MutexGuard};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What the servers here have, as the program makes it.
const TOKEN: &str = "slowpath_0d9e7f3b52c8461ab90e6d17f42c83a5b1d6e094d088cc29";

/// Held by tests that measure, or keep the processors busy: one at a time.
static MEASURING: Mutex<()> = Mutex::const_new(());

/// Waits until nothing else is measured.
pub(crate) async fn undisturbed() -> MutexGuard<'static, ()> {
    MEASURING.lock().await
}

/// The token of [`serve`].
pub(crate) fn token() -> Token {
    Token::read(TOKEN).unwrap()
}

/// Its pre-shared key, as the protocol has it.
pub(crate) fn key() -> [u8; 32] {
    Sha256::digest(format!("slowpath far end token 1\0{TOKEN}")).into()
}

/// A far end on any free port of `address`.
pub(crate) fn server(address: IpAddr, limits: Limits) -> Server {
    let config = ServerConfig {
        limits,
        ..ServerConfig::new(vec![SocketAddr::new(address, 0)], token())
    };
    Server::bind(config).unwrap()
}

/// One on loopback for so many holders of tokens, of whom the last has [`token`].
pub(crate) fn server_for(holders: usize) -> Server {
    let holder = |number: usize| Holder {
        name: number.to_string(),
        token: match number {
            1 => token(),
            _ => Token::read(&new_token().unwrap()).unwrap(),
        },
        limits: HolderLimits::default(),
    };
    let access = Access::new((1..=holders).rev().map(holder).collect()).unwrap();
    let here = vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)];
    Server::bind(ServerConfig::on(here, access)).unwrap()
}

/// A far end that serves until dropped.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    log: Arc<StdMutex<Vec<String>>>,
    _cancel: DropGuard,
}

impl Serving {
    /// What it said of those that were not let in.
    pub(crate) fn turned_away(&self) -> Vec<String> {
        let log = self.log.lock().unwrap();
        let of_strangers = ["no valid token", "make room", "not let in"];
        let told = log
            .iter()
            .filter(|line| of_strangers.iter().any(|words| line.contains(words)));
        told.cloned().collect()
    }
}

/// Serves in this process, within the limits that an owner has who sets none.
pub(crate) fn serve() -> Serving {
    serve_on(Ipv4Addr::LOCALHOST.into(), Limits::default())
}

/// As [`serve`], within `limits`.
pub(crate) fn serve_within(limits: Limits) -> Serving {
    serve_on(Ipv4Addr::LOCALHOST.into(), limits)
}

/// As [`serve_within`], on `address`.
pub(crate) fn serve_on(address: IpAddr, limits: Limits) -> Serving {
    room_for_sockets();
    let server = server(address, limits);
    let address = server.addresses()[0];
    let cancel = CancellationToken::new();
    let log = Arc::new(StdMutex::new(Vec::new()));
    let lines = log.clone();
    let watch = Watch::new(cancel.clone(), move |said| lines.lock().unwrap().push(said.text));
    tokio::spawn(server.run(watch));
    Serving {
        address,
        log,
        _cancel: cancel.drop_guard(),
    }
}

/// Both ends of thousands of connections are in this process.
/// Gives how many files may be open.
pub(crate) fn room_for_sockets() -> u64 {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let raised = soft.max(hard.min(16_384));
    setrlimit(Resource::RLIMIT_NOFILE, raised, hard).unwrap();
    raised
}

/// The address of a number: all of 127.0.0.0/8 is this host.
pub(crate) fn source(network: u8, number: u32) -> IpAddr {
    let [_, _, high, low] = (number + 1).to_be_bytes();
    IpAddr::from([127, network, high, low])
}

/// A connection from `source`.
pub(crate) async fn connect_from(source: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(to), Type::STREAM, None)?;
    socket.bind(&SocketAddr::new(source, 0).into())?;
    socket.set_nonblocking(true)?;
    TcpSocket::from_std_stream(socket.into()).connect(to).await
}
