//! Two fresh network namespaces joined by a veth pair, with a far end in the second one.

use net::Watch;
use net::far_end::{FarEnd, Server, ServerConfig, Token, connect};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use rtnetlink::packet_route::link::{InfoData, InfoVeth, LinkAttribute};
use rtnetlink::{Handle, LinkMessageBuilder, LinkUnspec, LinkVeth};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Child;
use std::sync::mpsc;
use std::thread::JoinHandle;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Our end.
pub(super) const ADDRESS_A: &str = "10.9.0.1";
/// The far end.
pub(super) const ADDRESS_B: &str = "10.9.0.2";
const TOKEN: &str = "slowpath_0d9e7f3b52c8461ab90e6d17f42c83a5b1d6e094d088cc29";

type Work = Box<dyn FnOnce() + Send>;

/// The main thread is in the first namespace, a thread of its own in the second.
pub(super) struct World {
    runtime: Runtime,
    far_end: Option<FarEnd>,
    cancel: CancellationToken,
    at_b: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl World {
    pub(super) fn new() -> io::Result<Self> {
        enter()?;
        let (at_b, work) = mpsc::channel::<Work>();
        let (sender, namespace) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let _ = sender.send(
                unshare(CloneFlags::CLONE_NEWNET)
                    .map_err(io::Error::from)
                    .and_then(|()| own_namespace()),
            );
            work.into_iter().for_each(|work| work());
        });
        let namespace = namespace.recv().map_err(io::Error::other)??;
        let mut world = Self {
            runtime: runtime()?,
            far_end: None,
            cancel: CancellationToken::new(),
            at_b: Some(at_b),
            thread: Some(thread),
        };
        world.runtime.block_on(async {
            let handle = netlink()?;
            add_veth(&handle, &namespace).await.map_err(io::Error::other)?;
            up(&handle, "a", ADDRESS_A).await.map_err(io::Error::other)
        })?;
        world.on_b(|| {
            let once = runtime()?;
            once.block_on(async { up(&netlink()?, "b", ADDRESS_B).await.map_err(io::Error::other) })
        })?;
        world.far_end = Some(world.serve()?);
        Ok(world)
    }

    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(super) fn far_end(&self) -> &FarEnd {
        self.far_end
            .as_ref()
            .expect("it is connected while the world stands")
    }

    /// Starts a program in the second namespace.
    pub(super) fn spawn_at_b(&self, start: impl FnOnce() -> io::Result<Child> + Send + 'static) -> Child {
        self.on_b(start)
            .expect("the program starts in the second namespace")
    }

    fn on_b<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let (sender, result) = mpsc::channel();
        let work: Work = Box::new(move || {
            let _ = sender.send(work());
        });
        self.at_b
            .as_ref()
            .expect("open until dropped")
            .send(work)
            .map_err(|_| gone())?;
        result.recv().map_err(|_| gone())?
    }

    /// A far end on a thread of its own in the second namespace, and the connection to it.
    fn serve(&self) -> io::Result<FarEnd> {
        let cancel = self.cancel.clone();
        let address = self.on_b(move || {
            let listen = format!("{ADDRESS_B}:0").parse().map_err(io::Error::other)?;
            let server = Server::bind(ServerConfig::new(vec![listen], token()?)).map_err(io::Error::other)?;
            let address = server
                .addresses()
                .first()
                .copied()
                .ok_or(io::ErrorKind::AddrNotAvailable)?;
            let serving = runtime()?;
            std::thread::spawn(move || serving.block_on(server.run(Watch::new(cancel, |_| {}))));
            Ok(address)
        })?;
        let (token, watch) = (token()?, Watch::quiet());
        let connecting = connect(address.ip(), address.port(), &token, None, &watch);
        self.runtime.block_on(connecting).map_err(io::Error::other)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.at_b = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn token() -> io::Result<Token> {
    Token::read(TOKEN).map_err(io::Error::other)
}

/// Puts this process, which has one thread still, into namespaces of its own.
fn enter() -> io::Result<()> {
    if geteuid().is_root() {
        return Ok(unshare(CloneFlags::CLONE_NEWNET)?);
    }
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)
        .map_err(|error| io::Error::other(format!("no root, and no user namespaces either: {error}")))?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

fn gone() -> io::Error {
    io::Error::other("the thread of the second namespace died")
}

fn own_namespace() -> io::Result<OwnedFd> {
    Ok(File::open("/proc/thread-self/ns/net")?.into())
}

/// Its threads are started by the calling thread, and so in its namespace.
fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
}

fn netlink() -> io::Result<Handle> {
    let (connection, handle, _) = rtnetlink::new_connection()?;
    tokio::spawn(connection);
    Ok(handle)
}

async fn add_veth(handle: &Handle, namespace_b: &OwnedFd) -> Result<(), rtnetlink::Error> {
    let peer = LinkMessageBuilder::<LinkUnspec>::new()
        .name("b".to_owned())
        .append_extra_attribute(LinkAttribute::NetNsFd(namespace_b.as_raw_fd()))
        .build();
    let pair = LinkVeth::new("a", "b")
        .set_info_data(InfoData::Veth(InfoVeth::Peer(peer)))
        .build();
    handle.link().add(pair).execute().await
}

/// Brings up loopback and `name`, which gets `address`.
async fn up(handle: &Handle, name: &str, address: &str) -> Result<(), rtnetlink::Error> {
    use futures::TryStreamExt;
    handle
        .link()
        .change(LinkUnspec::new_with_index(1).up().build())
        .execute()
        .await?;
    let mut found = handle.link().get().match_name(name.to_owned()).execute();
    let index = found.try_next().await?.map_or(0, |link| link.header.index);
    handle
        .address()
        .add(index, address.parse().expect("a constant"), 24)
        .execute()
        .await?;
    handle
        .link()
        .change(LinkUnspec::new_with_index(index).up().build())
        .execute()
        .await?;
    // The end that came up first gets its carrier from deferred work in the kernel.
    for _ in 0..1_000 {
        let mut found = handle.link().get().match_index(index).execute();
        let state = found
            .try_next()
            .await?
            .map(|link| link.attributes)
            .unwrap_or_default();
        let is_up = LinkAttribute::OperState(rtnetlink::packet_route::link::State::Up);
        if state.contains(&is_up) || name == "a" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    Ok(())
}
