//! Chains of routers, and probes run inside their ends.

use lab::Lab;
use net::path::{PathTarget, Reflector};
use net::{NetError, Watch};
use probe::{ReflectReply, ReflectRequest};
use scenario::Scenario;
use std::fmt::Write;
use std::future::Future;
use std::net::{IpAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// `a` - `r1` - … - `b` with `count` links of MTU 9000, IPv4 and IPv6; router 2 has the settings given, and the links
/// named (from 1) these properties.
pub(crate) fn links(count: usize, r2: &str, properties: &[(usize, &str)]) -> Scenario {
    let name = |at: usize| match at {
        0 => "a".to_owned(),
        at if at == count => "b".to_owned(),
        at => format!("r{at}"),
    };
    let mut text = "title = 't'\nipv6 = true\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n".to_owned();
    for at in 1..count {
        writeln!(
            text,
            "[[router]]\nname = 'r{at}'\n{}",
            if at == 2 { r2 } else { "" }
        )
        .unwrap();
    }
    for at in 1..=count {
        let set = properties
            .iter()
            .filter(|(link, _)| *link == at)
            .map(|(_, set)| *set)
            .collect::<Vec<_>>();
        let (a, b) = (name(at - 1), name(at));
        let ends = format!("a = {{ node = '{a}' }}\nb = {{ node = '{b}' }}\nmtu = 9000");
        writeln!(text, "[[link]]\n{ends}\n{}", set.join("\n")).unwrap();
    }
    scenario::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn incident(file: &str) -> Scenario {
    let path = format!("{}/../../scenarios/{file}.toml", env!("CARGO_MANIFEST_DIR"));
    scenario::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn up(scenario: &Scenario) -> Lab {
    Lab::up(scenario, 1).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn address_of(lab: &Lab, node: &str, v6: bool) -> IpAddr {
    let scenario = lab.scenario();
    let addresses = scenario.addresses_of(scenario.node_id(node).unwrap());
    addresses
        .into_iter()
        .find(|address| address.is_ipv6() == v6)
        .unwrap()
}

pub(crate) fn target(lab: &Lab, node: &str, v6: bool) -> PathTarget {
    PathTarget {
        destination: address_of(lab, node, v6),
        source: None,
        reflector: None,
    }
}

/// Runs a measurement inside `node`.
pub(crate) fn measure<T, F>(
    lab: &Lab,
    node: &str,
    work: impl FnOnce(Watch) -> F + Send,
) -> Result<T, NetError>
where
    T: Send,
    F: Future<Output = Result<T, NetError>>,
{
    lab.inside(node, move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        Ok(runtime.block_on(work(Watch::quiet())))
    })
    .unwrap()
}

/// A reflector in `node`, as the far end has one; ends when dropped.
pub(crate) struct RunningReflector {
    pub(crate) reflector: Reflector,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl RunningReflector {
    pub(crate) fn start(lab: &Lab, node: &str, address: IpAddr) -> Self {
        let socket = lab
            .inside(node, || Ok(UdpSocket::bind((address, 0)).unwrap()))
            .unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        // A reflector that loses requests would be counted as a path that does.
        nix::sys::socket::setsockopt(&socket, nix::sys::socket::sockopt::RcvBufForce, &(16 << 20)).unwrap();
        let reflector = Reflector {
            port: socket.local_addr().unwrap().port(),
            session: *b"a session's key.",
        };
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || reflect(&socket, reflector, &stopped));
        Self {
            reflector,
            stop,
            thread: Some(thread),
        }
    }
}

fn reflect(socket: &UdpSocket, reflector: Reflector, stopped: &AtomicBool) {
    let mut buffer = vec![0; 0x1_0000];
    while !stopped.load(Ordering::Relaxed) {
        let Ok((length, from)) = socket.recv_from(&mut buffer) else {
            continue;
        };
        let request = ReflectRequest::read(&buffer[..length]).filter(|r| r.session == reflector.session);
        if let Some(ReflectRequest { session, sequence }) = request {
            let reply = ReflectReply {
                session,
                sequence,
                received_bytes: length as u32,
                received_at_ns: 0,
            };
            let _ = socket.send_to(&reply.to_bytes(), from);
        }
    }
}

impl Drop for RunningReflector {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map(std::thread::JoinHandle::join);
    }
}
