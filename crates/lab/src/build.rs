//! From a scenario to namespaces, devices, routes and running emulators.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use nix::sys::socket::{getsockopt, sockopt};
use scenario::{NodeId, Role, Scenario, Side};

use crate::emulator::{DirectionControl, Wiring, spawn};
use crate::error::{LabError, while_doing};
use crate::shared::Shared;
use crate::wiring::{self, Interface, Station};
use crate::{namespace, nft, sys, sysctl};

pub(crate) struct Built {
    pub(crate) namespaces: Vec<OwnedFd>,
    pub(crate) controls: Vec<Option<[Arc<DirectionControl>; 2]>>,
    pub(crate) threads: Vec<std::thread::JoinHandle<()>>,
}

/// The TUN devices of a link, by side.
type Tuns = [Option<OwnedFd>; 2];

pub(crate) fn build(scenario: &Scenario, seed: u64) -> Result<Built, LabError> {
    let (namespaces, tuns) = namespace::on_own_thread(|| namespace::block_on(build_namespaces(scenario)))?;
    let mut built = Built {
        namespaces,
        controls: Vec::new(),
        threads: Vec::new(),
    };
    for (link, tuns) in tuns.into_iter().enumerate() {
        let controls = match tuns {
            [Some(a), Some(b)] => Some(start_link(scenario, link, [a, b], seed, &mut built.threads)?),
            _ => None,
        };
        built.controls.push(controls);
    }
    Ok(built)
}

/// Runs on a thread of its own, which wanders from namespace to namespace.
async fn build_namespaces(scenario: &Scenario) -> Result<(Vec<OwnedFd>, Vec<Tuns>), LabError> {
    let mut tuns: Vec<Tuns> = scenario.links.iter().map(|_| [None, None]).collect();
    let mut stations = Vec::new();
    for (index, node) in scenario.nodes.iter().enumerate() {
        let namespace = namespace::unshare_here()?;
        let speaks_v6 = scenario.addresses_of(NodeId(index)).iter().any(IpAddr::is_ipv6);
        sysctl::initial(node.role, &node.settings, speaks_v6)?;
        for Interface { link, side, .. } in emulated_interfaces(scenario, NodeId(index)) {
            if let Some(interface) = wiring::interface_at(scenario, link, side) {
                tuns[link][side.index()] = Some(sys::open_tun(&interface.name(), interface.index())?);
                sysctl::no_link_local_address(&interface.name())?;
            }
        }
        nft::apply(&node.settings)?;
        stations.push(Station {
            handle: wiring::connect()?,
            namespace,
        });
    }
    wiring::wire(scenario, &stations).await?;
    for (index, station) in stations.iter().enumerate() {
        namespace::enter(&station.namespace)?;
        switch_offloads_off(scenario, NodeId(index))?;
    }
    Ok((stations.into_iter().map(|s| s.namespace).collect(), tuns))
}

fn emulated_interfaces(scenario: &Scenario, node: NodeId) -> impl Iterator<Item = Interface> {
    wiring::interfaces_of(scenario, node)
        .into_iter()
        .filter(|i| scenario.links[i.link].emulated)
}

/// With segmentation offload a veth carries "packets" of 64 kB, which counters and captures then show. TUN
/// devices as we open them have none to begin with.
fn switch_offloads_off(scenario: &Scenario, node: NodeId) -> Result<(), LabError> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").map_err(while_doing("opening a socket"))?;
    for interface in wiring::interfaces_of(scenario, node) {
        let link = &scenario.links[interface.link];
        if !link.emulated && !link.offloads {
            let name = interface.name();
            let doing = format!("switching the offloads of {name} off");
            sys::switch_offloads_off(&socket, &name).map_err(while_doing(doing))?;
        }
    }
    Ok(())
}

fn start_link(
    scenario: &Scenario,
    link: usize,
    tuns: [OwnedFd; 2],
    seed: u64,
    threads: &mut Vec<std::thread::JoinHandle<()>>,
) -> Result<[Arc<DirectionControl>; 2], LabError> {
    let control = |side: Side| {
        let direction = scenario.links[link].from_side(side).clone();
        DirectionControl::new(direction)
            .map(Arc::new)
            .map_err(while_doing("making an event descriptor"))
    };
    let controls = [control(Side::A)?, control(Side::B)?];
    let tuns = tuns.map(Arc::new);
    for side in Side::BOTH {
        let number = link as u64 * 2 + side.index() as u64;
        threads.push(spawn(Wiring {
            name: format!("link{}{}", link + 1, ["ab", "ba"][side.index()]),
            from: Arc::clone(&tuns[side.index()]),
            to: Arc::clone(&tuns[side.other().index()]),
            control: Arc::clone(&controls[side.index()]),
            // Neighbouring seeds must not give related streams: SmallRng's seeding mixes, the multiplier spreads.
            seed: seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        })?);
    }
    Ok(controls)
}

/// Makes sure that connections of every host in the complaint really use the wanted congestion control: the
/// route's attribute takes effect when a connection is begun, so one is begun, to a port of the neighbour where
/// nobody listens.
pub(crate) fn assert_congestion_control(shared: &Shared, scenario: &Scenario) -> Result<(), LabError> {
    let tables = scenario.routing_tables();
    let hosts = scenario
        .nodes
        .iter()
        .zip(&tables)
        .filter(|(n, _)| n.role == Role::Host);
    for (node, table) in hosts {
        let Some(neighbour) = table.iter().find(|e| e.is_direct()).map(|e| e.to.address) else {
            continue;
        };
        let used = shared.inside(&node.name, || {
            begin_connection((neighbour, 9).into()).map_err(while_doing("asking for the congestion control"))
        })?;
        let wanted = &node.settings.congestion_control;
        if used != *wanted {
            return Err(LabError::CongestionControl {
                host: node.name.clone(),
                used,
                wanted: wanted.clone(),
            });
        }
    }
    Ok(())
}

/// No packet of ours may still be under way when somebody begins to count. A link that loses everything must not keep
/// the lab from coming up.
fn wait_for_refusal(stream: &TcpStream) -> io::Result<()> {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    const PATIENCE_MS: u16 = 1_000;
    let mut waiting = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
    match poll(&mut waiting, PollTimeout::from(PATIENCE_MS)) {
        Ok(_) | Err(nix::Error::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn begin_connection(to: SocketAddr) -> io::Result<String> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, connect, socket};
    use std::os::fd::AsRawFd;
    let family = if to.is_ipv4() {
        AddressFamily::Inet
    } else {
        AddressFamily::Inet6
    };
    let socket = socket(
        family,
        SockType::Stream,
        SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    match connect(socket.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(nix::Error::EINPROGRESS | nix::Error::ECONNREFUSED) => {}
        Err(error) => return Err(error.into()),
    }
    let stream = TcpStream::from(socket);
    let used = getsockopt(&stream, sockopt::TcpCongestion)?;
    wait_for_refusal(&stream)?;
    Ok(used.to_string_lossy().trim_end_matches('\0').to_owned())
}
