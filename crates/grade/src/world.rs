//! A world: a network, what is wrong with it, and what its user says.

use crate::chance::Chance;
use crate::draw;
use crate::kind::Kind;
use crate::map::{Control, Network, RECEIVER, SENDER};
use crate::physics::{TcpSetup, tcp};
use serde::Serialize;

/// A fault limits when it takes at least this share of the rate.
const TAKES: f64 = 0.45;
/// Networks tried until one has room for the fault.
const TRIES: u64 = 40;

/// Where the fault is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Place {
    /// Nowhere.
    Nowhere,
    /// A host: index into [`Network::hosts`].
    Host {
        /// The index.
        host: usize,
    },
    /// On these links, one or a stretch: indices into [`Network::links`].
    Links {
        /// The indices, in the order of the way.
        links: Vec<usize>,
    },
}

/// A route that was used before.
#[derive(Debug, Clone)]
pub struct Former {
    /// Positions of the backbone between which it was another.
    pub between: (usize, usize),
    /// Nodes that it had there, as (name, last two bytes of the address).
    pub hops: Vec<(String, u8)>,
    /// Round-trip time over it, seconds.
    pub rtt_s: f64,
}

/// A network with its truth.
#[derive(Debug, Clone)]
pub struct World {
    /// Its number under its seed.
    pub number: u64,
    /// The seed.
    pub seed: u64,
    /// What is wrong.
    pub kind: Kind,
    /// Where.
    pub place: Place,
    /// The network as it is now.
    pub network: Network,
    /// What a transfer reaches without the fault, bit/s.
    pub healthy_bps: f64,
    /// What the transfer complained about reaches, bit/s.
    pub rate_bps: f64,
    /// What the user expects, bit/s.
    pub expected_bps: Option<f64>,
    /// The route before the last change.
    pub former: Option<Former>,
    /// The value of the fault, in words.
    pub fault: String,
    /// What is true as well: another code, at its place.
    pub also: Vec<(&'static str, Place)>,
}

/// World `number` of `seed`; of `kind`, or of any.
#[must_use]
pub fn world(seed: u64, number: u64, kind: Option<Kind>) -> World {
    let mut chance = Chance::stream(seed, number.wrapping_mul(64));
    let kind = kind.unwrap_or_else(|| any_kind(&mut chance));
    let mut last = None;
    for attempt in 0..TRIES {
        let mut chance = Chance::stream(seed, number.wrapping_mul(64) + 1 + attempt);
        let drawn = drawn(seed, number, kind, &mut chance);
        if limits_as_it_should(&drawn) {
            return drawn;
        }
        last = Some(drawn);
    }
    // Forty networks without room for a fault: it is drawn all the same, and a test says that this does not happen.
    last.unwrap_or_else(|| drawn(seed, number, kind, &mut chance))
}

fn any_kind(chance: &mut Chance) -> Kind {
    let total: f64 = Kind::all().map(Kind::weight).sum();
    let mut left = chance.unit() * total;
    for kind in Kind::all() {
        left -= kind.weight();
        if left < 0.0 {
            return kind;
        }
    }
    Kind::Healthy
}

/// Whether a fault is felt, and a healthy world is not slow.
#[must_use]
pub fn limits_as_it_should(world: &World) -> bool {
    if world.kind.is_healthy() || world.kind == Kind::Clock {
        return world.rate_bps > 0.75 * world.healthy_bps;
    }
    world.rate_bps < (1.0 - TAKES) * world.healthy_bps
}

/// The transfer that its user complains about.
#[must_use]
pub(crate) fn plain(is_application: bool) -> TcpSetup {
    TcpSetup {
        sender: SENDER,
        receiver: RECEIVER,
        streams: 1,
        mss: None,
        window: None,
        seconds: 10.0,
        is_application,
    }
}

fn drawn(seed: u64, number: u64, kind: Kind, chance: &mut Chance) -> World {
    let network = draw::network(chance);
    let healthy_bps = tcp(&network, &plain(false), chance).steady_bps;
    let mut world = World {
        number,
        seed,
        kind,
        place: Place::Nowhere,
        network,
        healthy_bps,
        rate_bps: 0.0,
        expected_bps: None,
        former: None,
        fault: String::new(),
        also: Vec::new(),
    };
    faulted(&mut world, chance);
    let run = tcp(&world.network, &plain(true), chance);
    world.rate_bps = match kind {
        // Large datagrams in pieces that never all arrive: what gets through is what is small.
        Kind::FragmentsDropped => chance.log_between(1e4, 1e6),
        Kind::SlowStart => run.mean_bps,
        _ => run.steady_bps,
    };
    let expects = if world.kind.is_healthy() || kind == Kind::Clock {
        world.rate_bps * chance.between(0.5, 0.95)
    } else {
        (healthy_bps * chance.between(0.6, 1.0)).max(1.4 * world.rate_bps)
    };
    world.expected_bps = chance.happens(0.7).then(|| rounded(expects));
    world
}

/// As people say figures: one or two digits.
fn rounded(bps: f64) -> f64 {
    let scale = 10_f64.powi(libm::log10(bps.max(1.0)).floor() as i32 - 1);
    (bps / scale).floor().max(1.0) * scale
}

/// A link in the middle where there is one; also the last and the first now and then.
fn any_link(network: &Network, chance: &mut Chance) -> usize {
    network.forward[chance.whole(0, network.forward.len() - 1)]
}

fn lossy_control(world: &mut World, chance: &mut Chance) {
    let machine = &mut world.network.hosts[SENDER].machine;
    if machine.control == Control::Bbr {
        machine.control = chance.pick(&[Control::Cubic, Control::Reno]);
    }
}

fn on(link: usize) -> Place {
    Place::Links { links: vec![link] }
}

fn at_either(chance: &mut Chance) -> usize {
    chance.pick(&[SENDER, RECEIVER])
}

/// Breaks the world in the way that its kind says.
fn faulted(world: &mut World, chance: &mut Chance) {
    let link = any_link(&world.network, chance);
    let healthy = world.healthy_bps;
    let rtt_s = world.network.rtt_s(SENDER, RECEIVER);
    let slow = healthy * chance.log_between(0.02, 0.5);
    match world.kind {
        Kind::Healthy => {}
        Kind::RedHerrings => red_herrings(world, chance),
        Kind::RandomLoss | Kind::ErroredInterface => {
            lossy_control(world, chance);
            let ratio = chance.log_between(2e-5, 5e-2);
            world.network.links[link].loss = ratio;
            world.network.links[link].counts_errors = world.kind == Kind::ErroredInterface;
            (world.place, world.fault) = (on(link), format!("loss ratio {ratio:.1e}"));
        }
        Kind::LossUnderLoad => {
            lossy_control(world, chance);
            let (from, ratio) = (slow * chance.between(0.05, 0.5), chance.log_between(0.005, 0.2));
            world.network.links[link].load_loss = Some((from, ratio));
            (world.place, world.fault) = (
                on(link),
                format!(
                    "loses above {:.2} Mbit/s, {ratio:.3} at ten times that",
                    from / 1e6
                ),
            );
        }
        Kind::QueueOverflow => {
            lossy_control(world, chance);
            let link = world.network.forward[chance.whole(1, world.network.forward.len() - 1)];
            let capacity = healthy * chance.between(0.5, 1.2);
            let room_bytes = chance.log_between(3e3, 4e4);
            let l = &mut world.network.links[link];
            (l.capacity_bps, l.queue_s, l.busy) = (capacity, room_bytes * 8.0 / capacity, l.busy.min(0.2));
            (world.place, world.fault) = (
                on(link),
                format!(
                    "{:.0} Mbit/s behind {room_bytes:.0} bytes of queue",
                    capacity / 1e6
                ),
            );
        }
        Kind::Capacity => {
            let usual = [1e9, 622e6, 155e6, 100e6, 45e6, 10e6, 2e6];
            let fits: Vec<f64> = usual.into_iter().filter(|c| *c < 0.55 * healthy).collect();
            let capacity = if fits.is_empty() || chance.happens(0.25) {
                slow
            } else {
                chance.pick(&fits)
            };
            let mirror = world.network.links[link].mirror;
            let both = chance.happens(0.7);
            for number in [Some(link), both.then_some(mirror)].into_iter().flatten() {
                let l = &mut world.network.links[number];
                (l.capacity_bps, l.busy) = (capacity, l.busy.min(0.1));
                l.queue_s = l.queue_s.max(20_000.0 * 8.0 / capacity);
            }
            (world.place, world.fault) = (on(link), format!("{:.1} Mbit/s", capacity / 1e6));
        }
        Kind::CrossTraffic => {
            let busy = chance.between(0.55, 0.97);
            let l = &mut world.network.links[link];
            l.capacity_bps = l.capacity_bps.min(healthy * chance.between(1.0, 3.0));
            (l.busy, l.swings) = (busy, chance.between(0.02, 0.12));
            (world.place, world.fault) = (
                on(link),
                format!("others use {busy:.2} of {:.0} Mbit/s", l.capacity_bps / 1e6),
            );
        }
        Kind::Policer => {
            let burst = chance.log_between(2e4, 5e5);
            world.network.links[link].policer = Some((slow, burst));
            (world.place, world.fault) = (
                on(link),
                format!("{:.1} Mbit/s, burst {burst:.0} bytes", slow / 1e6),
            );
        }
        Kind::MtuSilent | Kind::MtuFiltered | Kind::FragmentsDropped => mtu_fault(world, chance),
        Kind::ReceiveWindow => {
            let window = (slow * rtt_s / 8.0).max(8_000.0);
            world.network.hosts[RECEIVER].machine.window_bytes = window;
            (world.place, world.fault) = (
                Place::Host { host: RECEIVER },
                format!("{window:.0} bytes over {:.1} ms", rtt_s * 1e3),
            );
        }
        Kind::SendBuffer => {
            let buffer = (slow * rtt_s / 8.0).max(8_000.0);
            world.network.hosts[SENDER].machine.send_buffer_bytes = buffer;
            (world.place, world.fault) = (
                Place::Host { host: SENDER },
                format!("{buffer:.0} bytes over {:.1} ms", rtt_s * 1e3),
            );
        }
        Kind::SlowReader => {
            world.network.hosts[RECEIVER].machine.reads_bps = slow;
            (world.place, world.fault) = (
                Place::Host { host: RECEIVER },
                format!("{:.1} Mbit/s", slow / 1e6),
            );
        }
        Kind::Cpu => {
            let host = at_either(chance);
            world.network.hosts[host].machine.cpu_bps = slow;
            (world.place, world.fault) = (Place::Host { host }, format!("{:.1} Mbit/s", slow / 1e6));
        }
        Kind::ReceiverDrops => {
            lossy_control(world, chance);
            let (from, ratio) = (slow * chance.between(0.0, 0.5), chance.log_between(3e-4, 0.05));
            world.network.hosts[RECEIVER].machine.drops = Some((from, ratio));
            (world.place, world.fault) = (
                Place::Host { host: RECEIVER },
                format!("{ratio:.1e} above {:.1} Mbit/s", from / 1e6),
            );
        }
        Kind::Rhythm => {
            let bytes = chance.pick(&[8_192.0, 16_384.0, 32_768.0, 65_536.0, 262_144.0]);
            let pause_s = bytes * 8.0 / slow;
            world.network.hosts[SENDER].machine.rhythm = Some((bytes, pause_s));
            (world.place, world.fault) = (
                Place::Host { host: SENDER },
                format!("{bytes:.0} bytes, pauses of {:.2} ms", pause_s * 1e3),
            );
        }
        Kind::RouteChange => route_change(world, slow, chance),
        _ => unknown(world, link, slow, chance),
    }
}

fn mtu_fault(world: &mut World, chance: &mut Chance) {
    let network = &mut world.network;
    if world.kind == Kind::FragmentsDropped {
        // Eight kilobytes are cut up where packets of 1500 bytes are the largest.
        network
            .links
            .iter_mut()
            .for_each(|l| (l.mtu, l.believed_mtu) = (1_500, 1_500));
        network.hosts.iter_mut().for_each(|h| h.machine.mtu = 1_500);
    }
    let position = chance.whole(1.min(network.forward.len() - 1), network.forward.len() - 1);
    let link = network.forward[position];
    let large = network.links[link].believed_mtu > 1_500;
    let passes = if large {
        chance.pick(&[1_500, 1_504, 1_508, 4_470, 1_480, 8_192])
    } else {
        chance.pick(&[1_400, 1_420, 1_440, 1_476, 1_480, 1_492])
    };
    match world.kind {
        Kind::MtuSilent => network.links[link].mtu = passes,
        Kind::MtuFiltered => {
            let l = &mut network.links[link];
            (l.mtu, l.believed_mtu) = (passes, passes);
            let router = l.from;
            network.nodes[router].manners.says_too_big = false;
        }
        _ => network.links[link].fragments_pass = false,
    }
    if world.kind != Kind::FragmentsDropped {
        network.hosts[SENDER].machine.probes_mtu &= chance.happens(0.3);
    }
    world.place = on(link);
    world.fault = if world.kind == Kind::FragmentsDropped {
        "no fragments pass".to_owned()
    } else {
        format!("{passes} bytes pass")
    };
}

/// The way between two routers is another since some days: slower, or so much longer that the window does not fill it.
fn route_change(world: &mut World, slow: f64, chance: &mut Chance) {
    let network = &mut world.network;
    let last = network.backbone.len() - 1;
    let start = chance.whole(0, last.saturating_sub(2));
    let end = chance.whole((start + 2).min(last), last);
    let rtt_s = network.rtt_s(SENDER, RECEIVER);
    let links: Vec<usize> = network.forward[start..end].to_vec();
    let narrow = links[chance.whole(0, links.len() - 1)];
    let hops = (0..chance.whole(1, 4))
        .map(|i| (format!("old{i}.former.example"), 11 + i as u8))
        .collect();
    world.former = Some(Former {
        between: (start, end),
        hops,
        rtt_s,
    });
    if chance.happens(0.7) {
        let l = &mut network.links[narrow];
        (l.capacity_bps, l.busy) = (slow, l.busy.min(0.3));
        l.queue_s = l.queue_s.max(20_000.0 * 8.0 / slow);
        world.fault = format!("a way with {:.1} Mbit/s", slow / 1e6);
        world.also.push(("CAP-001", on(narrow)));
    } else {
        let more_s = chance.between(0.03, 0.15);
        let mirror = network.links[narrow].mirror;
        for number in [narrow, mirror] {
            network.links[number].delay_s += more_s / 2.0;
        }
        // A window that was enough.
        let window = world.healthy_bps * rtt_s / 8.0 * chance.between(1.2, 2.0);
        let machine = &mut network.hosts[RECEIVER].machine;
        machine.window_bytes = machine.window_bytes.min(window.max(200_000.0));
        world.fault = format!("a way longer by {:.0} ms", more_s * 1e3);
        // The way is longer, or the window too small for it: both are so.
        world.also.push(("HOST-001", Place::Host { host: RECEIVER }));
    }
    world.place = Place::Links { links };
}

fn unknown(world: &mut World, link: usize, slow: f64, chance: &mut Chance) {
    match world.kind {
        Kind::Reordering => {
            lossy_control(world, chance);
            let ratio = chance.log_between(0.002, 0.1);
            world.network.links[link].reorders = ratio;
            (world.place, world.fault) = (on(link), format!("{ratio:.3} come late"));
        }
        Kind::SlowStart => {
            let host = at_either(chance);
            let wait = chance.between(8.0, 60.0);
            world.network.hosts[SENDER].machine.start_s = wait;
            (world.place, world.fault) = (Place::Host { host }, format!("{wait:.1} s before the first byte"));
        }
        Kind::Disk => {
            world.network.hosts[SENDER].machine.disk_bps = slow;
            (world.place, world.fault) = (
                Place::Host { host: SENDER },
                format!("disk of {:.1} Mbit/s", slow / 1e6),
            );
        }
        Kind::PowerSaving => {
            let host = at_either(chance);
            let position = if host == SENDER {
                0
            } else {
                world.network.forward.len() - 1
            };
            let forward = world.network.forward[position];
            let mirror = world.network.links[forward].mirror;
            let (sleeps_s, awake) = (chance.log_between(0.005, 0.15), chance.between(0.05, 0.5));
            for number in [forward, mirror] {
                let l = &mut world.network.links[number];
                (l.sleeps_s, l.swings) = (sleeps_s, 0.5);
                l.awake = awake * (world.healthy_bps / l.capacity_bps).min(1.0);
            }
            (world.place, world.fault) = (
                Place::Host { host },
                format!("sleeps {:.0} ms, awake {awake:.2}", sleeps_s * 1e3),
            );
        }
        Kind::FlowShaper => {
            world.network.links[link].flow_bps = Some(slow);
            (world.place, world.fault) = (on(link), format!("{:.1} Mbit/s for each flow", slow / 1e6));
        }
        _ => {
            let host = at_either(chance);
            let drift = chance.pick(&[-1.0, 1.0]) * chance.log_between(1e-4, 3e-2);
            world.network.hosts[host].machine.clock = (
                chance.pick(&[-1.0, 1.0]) * chance.log_between(0.05, 1_000.0),
                drift,
            );
            (world.place, world.fault) = (Place::Host { host }, format!("clock off, {drift:.1e} s/s"));
        }
    }
}

/// What looks wrong and is not: loss on the way back, old errors, small loss that a short path does not feel, busy links
/// with room, windows that suffice, a route that changed without effect.
fn red_herrings(world: &mut World, chance: &mut Chance) {
    let mut said = Vec::new();
    let way: Vec<usize> = world.network.way(SENDER, RECEIVER);
    let back: Vec<usize> = world.network.way(RECEIVER, SENDER);
    let any = |links: &[usize], chance: &mut Chance| links[chance.whole(0, links.len() - 1)];
    if chance.happens(0.35) {
        let ratio = chance.log_between(1e-4, 0.02);
        world.network.links[any(&back, chance)].loss = ratio;
        said.push(format!("{ratio:.1e} lost on the way back"));
    }
    if chance.happens(0.5) {
        for _ in 0..chance.whole(1, 3) {
            world.network.links[any(&way, chance)].old_errors = chance.log_between(10.0, 5e6) as u64;
        }
        said.push("old errors".into());
    }
    if chance.happens(0.25) {
        world.network.links[any(&way, chance)].loss = chance.log_between(1e-8, 1e-6);
        said.push("traces of loss".into());
    }
    if chance.happens(0.3) && way.len() > 2 {
        let inner = way[chance.whole(1, way.len() - 2)];
        world.network.links[inner].busy = chance.between(0.35, 0.6);
        said.push("a busy link with room".into());
    }
    if chance.happens(0.25) {
        let rtt_s = world.network.rtt_s(SENDER, RECEIVER);
        world.network.hosts[RECEIVER].machine.window_bytes =
            world.healthy_bps * rtt_s / 8.0 * chance.between(1.1, 1.5) + 100_000.0;
        said.push("a window that just suffices".into());
    }
    if chance.happens(0.4) {
        let hosts: Vec<usize> = world.network.hosts.iter().map(|host| host.node).collect();
        for (index, node) in world.network.nodes.iter_mut().enumerate() {
            if chance.happens(0.4) {
                // A router's processor is busy; a host answers pings, or its firewall takes them all.
                let kept = chance.pick(&[0.0, 0.3, 0.7]);
                let is_host = hosts.contains(&index);
                node.manners.answers *= if is_host && kept > 0.0 { 1.0 } else { kept };
                node.manners.slow_s += chance.log_between(0.001, 0.05);
            }
        }
        said.push("bad manners".into());
    }
    if world.network.backbone.len() > 4 && chance.happens(0.25) {
        let end = chance.whole(3, world.network.backbone.len() - 1);
        let hops = vec![
            ("old0.former.example".to_owned(), 11),
            ("old1.former.example".to_owned(), 12),
        ];
        let rtt_s = world.network.rtt_s(SENDER, RECEIVER) * chance.between(0.97, 1.03);
        world.former = Some(Former {
            between: (1, end),
            hops,
            rtt_s,
        });
        said.push("a route that changed without effect".into());
    }
    world.fault = said.join(", ");
}
