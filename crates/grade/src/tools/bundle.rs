//! Which evidence a case holds: what somebody happened to run, from where, with what.

use super::path::{Count, Load};
use super::{inside, path, spoil, told, transfer};
use crate::chance::Chance;
use crate::kind::Kind;
use crate::map::{Network, RECEIVER, SENDER};
use crate::physics::{TcpSetup, UdpSetup};
use crate::seen::{Figure, Level, Origin, Record, Seen};
use crate::world::{Place, World, plain};

/// A record that is wrong: one in fifty.
const WRONG: f64 = 0.02;
/// A record that was handed in more than once.
const REPEATED: f64 = 0.05;

/// The evidence of a world, drawn with its number.
#[must_use]
pub(crate) fn records(world: &World) -> Vec<Record> {
    let mut bundle = Bundle {
        world,
        network: &world.network,
        chance: Chance::stream(world.seed, world.number.wrapping_mul(64) + 63),
        records: Vec::new(),
        now_s: 0.0,
    };
    match bundle.chance.unit() {
        u if u < 0.35 => bundle.both_ends(),
        u if u < 0.48 => bundle.one_end(),
        u if u < 0.85 => bundle.other_tools(),
        _ => {
            bundle.one_end();
            bundle.other_tools();
        }
    }
    bundle.the_program();
    bundle.archives();
    bundle.records
}

struct Bundle<'a> {
    world: &'a World,
    network: &'a Network,
    chance: Chance,
    records: Vec<Record>,
    now_s: f64,
}

impl Bundle<'_> {
    fn keep(&mut self, origin: Origin, vantage: usize, mut seen: Seen) {
        self.now_s += self.chance.between(2.0, 60.0);
        let is_wrong =
            origin != Origin::Own && self.chance.happens(WRONG) && spoil::spoil(&mut seen, &mut self.chance);
        let copies = if origin != Origin::Own && self.chance.happens(REPEATED) {
            self.chance.whole(2, 5) as u32
        } else {
            1
        };
        self.records.push(Record {
            seen,
            origin,
            vantage,
            at_s: self.now_s,
            copies,
            is_wrong,
        });
    }

    fn own(&mut self, vantage: usize, seen: Seen) {
        self.keep(Origin::Own, vantage, seen);
    }

    fn tcp(&mut self, setup: TcpSetup, program: &'static str) -> Seen {
        transfer::transfer(self.network, setup, program, &mut self.chance)
    }

    /// Slowpath at both ends: most of what it asks for, in its order.
    fn both_ends(&mut self) {
        for host in [SENDER, RECEIVER] {
            if self.chance.happens(0.9) {
                let seen = inside::settings(self.network, host, self.world.rate_bps, &mut self.chance);
                self.own(host, seen);
            }
        }
        let probes_from = SENDER;
        if self.chance.happens(0.95) {
            let seen = path::trace(self.network, probes_from, RECEIVER, 3, &mut self.chance);
            self.own(probes_from, seen);
        }
        let seconds = self.chance.between(5.0, 15.0);
        let setup = TcpSetup {
            seconds,
            ..plain(false)
        };
        let single = self.tcp(setup.clone(), "slowpath");
        let watched = self.watched(&setup, &single);
        self.own(SENDER, single.clone());
        if let Some(seen) = watched {
            self.own(SENDER, seen);
        }
        if self.chance.happens(0.85) {
            let seen = path::sizes(self.network, SENDER, RECEIVER, &mut self.chance);
            self.own(SENDER, seen);
        }
        let rate = rate_of(&single);
        if rate < 1e3 && self.chance.happens(0.8) {
            let fitting = TcpSetup {
                mss: Some(1_228),
                ..setup.clone()
            };
            let seen = self.tcp(fitting, "slowpath");
            self.own(SENDER, seen);
        }
        let mut best = rate;
        if rate >= 1e3 && self.chance.happens(0.7) {
            let parallel = TcpSetup { streams: 4, ..setup };
            let seen = self.tcp(parallel.clone(), "slowpath");
            best = best.max(rate_of(&seen));
            let watched = self.watched(&parallel, &seen);
            self.own(SENDER, seen);
            if let Some(seen) = watched {
                self.own(SENDER, seen);
            }
        }
        self.streams(best);
        if self.chance.happens(0.6) {
            let seen = path::survey(self.network, SENDER, RECEIVER, None, &mut self.chance);
            self.own(SENDER, seen);
        }
        if self.chance.happens(0.45) {
            let sent = self.chance.log_between(1_000.0, 30_000.0) as u64;
            let seen = path::hop_loss(self.network, SENDER, RECEIVER, sent, &mut self.chance);
            self.own(SENDER, seen);
        }
        if self.chance.happens(0.35) {
            let seen = path::trace(self.network, RECEIVER, SENDER, 3, &mut self.chance);
            self.own(RECEIVER, seen);
        }
        if self.chance.happens(0.3) {
            let back = TcpSetup {
                sender: RECEIVER,
                receiver: SENDER,
                ..plain(false)
            };
            let seen = self.tcp(back, "slowpath");
            self.own(RECEIVER, seen);
        }
    }

    /// UDP: gently, with many small packets; then more than TCP got.
    fn streams(&mut self, best: f64) {
        for (sender, receiver, probability) in [(SENDER, RECEIVER, 0.75), (RECEIVER, SENDER, 0.4)] {
            if self.chance.happens(probability) {
                let rate_bps = (best * 0.1).clamp(0.5e6, 20e6);
                let setup = UdpSetup {
                    sender,
                    receiver,
                    size_bytes: 200,
                    rate_bps,
                    seconds: self.chance.between(2.0, 20.0),
                };
                let seen = transfer::stream(self.network, setup, &mut self.chance);
                self.own(sender, seen);
            }
        }
        if self.chance.happens(0.55) {
            let size_bytes = 1_400.min(edge_of(self.network));
            let rate_bps = (best * 1.3).clamp(1e6, 9e9);
            let setup = UdpSetup {
                sender: SENDER,
                receiver: RECEIVER,
                size_bytes,
                rate_bps,
                seconds: 2.0,
            };
            let seen = transfer::stream(self.network, setup, &mut self.chance);
            self.own(SENDER, seen);
        }
    }

    /// The hops, probed while a transfer runs.
    fn watched(&mut self, setup: &TcpSetup, seen: &Seen) -> Option<Seen> {
        let Seen::Tcp { run, .. } = seen else { return None };
        if !self.chance.happens(0.7) {
            return None;
        }
        let way = self.network.way(setup.sender, setup.receiver);
        let idle = Load {
            at: way.len(),
            wait_s: 0.0,
            loss: 0.0,
        };
        let load = Load::of(self.network, &way, run).unwrap_or(idle);
        Some(path::survey(
            self.network,
            setup.sender,
            setup.receiver,
            Some(&load),
            &mut self.chance,
        ))
    }

    /// Slowpath at one end, without a far end.
    fn one_end(&mut self) {
        let here = if self.chance.happens(0.7) {
            SENDER
        } else {
            RECEIVER
        };
        let there = 1 - here;
        let seen = inside::settings(self.network, here, 0.0, &mut self.chance);
        self.own(here, seen);
        let seen = path::trace(self.network, here, there, 3, &mut self.chance);
        self.own(here, seen);
        self.own(here, Seen::Refused { no_far_end: true });
        if self.chance.happens(0.9) {
            let seen = path::sizes(self.network, here, there, &mut self.chance);
            self.own(here, seen);
        }
        if self.chance.happens(0.85) {
            let seen = path::survey(self.network, here, there, None, &mut self.chance);
            self.own(here, seen);
        }
        if self.chance.happens(0.6) {
            let sent = self.chance.log_between(1_000.0, 20_000.0) as u64;
            let seen = path::hop_loss(self.network, here, there, sent, &mut self.chance);
            self.own(here, seen);
        }
    }

    /// What people ran by hand, between the ends and from other hosts.
    fn other_tools(&mut self) {
        let hosts = self.network.hosts.len();
        let mut pairs = vec![(SENDER, RECEIVER)];
        if self.chance.happens(0.5) {
            pairs.push((RECEIVER, SENDER));
        }
        for guest in 2..hosts {
            for pair in [(guest, RECEIVER), (SENDER, guest), (guest, SENDER)] {
                if self.chance.happens(0.5) {
                    pairs.push(pair);
                }
            }
        }
        for (from, to) in pairs {
            self.between(from, to);
        }
        self.insiders();
        for (what, probability) in [
            (Figure::Rtt, 0.25),
            (Figure::Rate, 0.3),
            (Figure::LossRatio, 0.1),
            (Figure::ReceiveWindow, 0.08),
            (Figure::LinkCapacity, 0.08),
            (Figure::Utilisation, 0.08),
        ] {
            if self.chance.happens(probability) {
                self.say(what);
            }
        }
    }

    fn between(&mut self, from: usize, to: usize) {
        let is_main = from == SENDER && to == RECEIVER;
        if self.chance.happens(if is_main { 0.85 } else { 0.5 }) {
            let (seen, tool) = if self.chance.happens(0.2) {
                (
                    path::tracepath(self.network, from, to, &mut self.chance),
                    "tracepath",
                )
            } else {
                (
                    path::trace(self.network, from, to, 3, &mut self.chance),
                    "traceroute",
                )
            };
            self.keep(Origin::Tool(tool), from, seen);
        }
        for _ in 0..self.chance.pick(&[0, 1, 1, 2]) {
            let size_bytes = self.chance.pick(&[84, 84, 1_500, 9_000, 2_028]);
            let count = Count {
                size_bytes,
                may_fragment: size_bytes > self.network.hosts[from].machine.mtu || self.chance.happens(0.5),
                sent: self.chance.pick(&[4, 10, 20, 100, 1_000]),
                rate_pps: 1.0,
            };
            let seen = path::ping(self.network, from, to, &count, &mut self.chance);
            self.keep(Origin::Tool("ping"), from, seen);
        }
        if self.chance.happens(0.35) {
            let sent = self.chance.pick(&[10, 50, 100, 300]);
            let seen = path::mtr(self.network, from, to, sent, &mut self.chance);
            self.keep(Origin::Tool("mtr"), from, seen);
        }
        self.iperf(from, to, is_main);
        if self.chance.happens(0.25) {
            let sent = self.chance.pick(&[100, 600, 10_000]);
            let seen = transfer::one_way(self.network, from, to, sent, &mut self.chance);
            self.keep(Origin::Tool("owping"), from, seen);
        }
        if self.chance.happens(0.08) {
            let seen = path::capacities(self.network, from, to, &mut self.chance);
            self.keep(Origin::Tool("pathchar"), from, seen);
        }
    }

    fn iperf(&mut self, sender: usize, receiver: usize, is_main: bool) {
        let between = TcpSetup {
            sender,
            receiver,
            ..plain(false)
        };
        let mut best = 0_f64;
        if self.chance.happens(if is_main { 0.85 } else { 0.55 }) {
            let window = self
                .chance
                .happens(0.12)
                .then(|| self.chance.pick(&[65_536.0, 262_144.0, 4e6]));
            let seconds = self.chance.pick(&[10.0, 10.0, 30.0]);
            let seen = self.tcp(
                TcpSetup {
                    window,
                    seconds,
                    ..between.clone()
                },
                "iperf3",
            );
            best = best.max(rate_of(&seen));
            self.keep(Origin::Tool("iperf3"), sender, seen);
        }
        if self.chance.happens(0.3) {
            let streams = self.chance.pick(&[4, 8]);
            let seen = self.tcp(
                TcpSetup {
                    streams,
                    ..between.clone()
                },
                "iperf3",
            );
            best = best.max(rate_of(&seen));
            self.keep(Origin::Tool("iperf3"), sender, seen);
        }
        if self.chance.happens(0.3) {
            let usual = self.chance.pick(&[1e6, 10e6, 100e6, 500e6]);
            let rate_bps = if self.chance.happens(0.4) {
                best.max(1e6) * self.chance.pick(&[0.5, 1.3, 2.0])
            } else {
                usual
            };
            let size_bytes = 1_498.min(edge_of(self.network));
            let setup = UdpSetup {
                sender,
                receiver,
                size_bytes,
                rate_bps: rate_bps.min(9e9),
                seconds: 10.0,
            };
            let seen = transfer::stream(self.network, setup, &mut self.chance);
            self.keep(Origin::Tool("iperf3"), sender, seen);
        }
        if is_main && self.chance.happens(0.15) {
            let seen = inside::sockets(self.network, between, &mut self.chance);
            self.keep(Origin::Tool("ss"), sender, seen);
        }
    }

    /// Operators look at some interfaces; at the faulty one more often than not.
    fn insiders(&mut self) {
        let way = self.network.way(SENDER, RECEIVER);
        let back = self.network.way(RECEIVER, SENDER);
        if self.chance.happens(0.45) {
            let faulty = match &self.world.place {
                Place::Links { links } => links.clone(),
                _ => Vec::new(),
            };
            for link in way.iter().chain(&back).copied() {
                let probability = if faulty.contains(&link) { 0.55 } else { 0.2 };
                if self.chance.happens(probability) {
                    let seen = inside::counters(self.network, link, &mut self.chance);
                    self.keep(Origin::Tool("show interface"), SENDER, seen);
                }
            }
        }
        if way.len() > 3 && self.chance.happens(0.1) {
            for _ in 0..self.chance.whole(1, 3) {
                let rate_bps = self.world.rate_bps.max(1e6) * self.chance.pick(&[0.3, 1.0]);
                let setup = UdpSetup {
                    sender: SENDER,
                    receiver: RECEIVER,
                    size_bytes: 1_400.min(edge_of(self.network)),
                    rate_bps,
                    seconds: 10.0,
                };
                let seen = inside::chain(self.network, setup, &mut self.chance);
                self.keep(Origin::Tool("packet counters"), SENDER, seen);
            }
        }
    }

    fn say(&mut self, what: Figure) {
        if let Some(seen) = told::figure(self.world, what, &mut self.chance) {
            self.keep(Origin::Tool("statements"), SENDER, seen);
        }
    }

    /// What the complaint is about, where it is not what a test from memory to memory would show.
    fn the_program(&mut self) {
        let differs = matches!(
            self.world.kind,
            Kind::Rhythm | Kind::Disk | Kind::SlowStart | Kind::FragmentsDropped
        );
        if !differs && !self.chance.happens(0.2) {
            return;
        }
        if self.world.kind == Kind::FragmentsDropped {
            self.say(Figure::Rate);
            let count = Count {
                size_bytes: 8_220,
                may_fragment: true,
                sent: 20,
                rate_pps: 1.0,
            };
            let seen = path::ping(self.network, SENDER, RECEIVER, &count, &mut self.chance);
            self.keep(Origin::Tool("ping"), SENDER, seen);
            return;
        }
        let program = self.chance.pick(&["scp", "rsync", "ftp put"]);
        let seen = self.tcp(plain(true), program);
        self.keep(Origin::Tool("transfers"), SENDER, seen);
        if self.world.kind == Kind::Rhythm && self.chance.happens(0.7) {
            for what in [Figure::WriteBytes, Figure::WritePause, Figure::WriteRate] {
                self.say(what);
            }
        }
    }

    fn archives(&mut self) {
        let always = self.world.kind == Kind::RouteChange || self.world.former.is_some();
        if !self.chance.happens(if always { 0.9 } else { 0.1 }) {
            return;
        }
        let archive = told::Archive::draw(&mut self.chance);
        for (level, probability) in [(Level::Rate, 0.9), (Level::Rtt, 0.4), (Level::Loss, 0.3)] {
            if self.chance.happens(probability) {
                let seen = archive.series(self.world, level, &mut self.chance);
                self.keep(Origin::Tool("series"), SENDER, seen);
            }
        }
        if self.world.former.is_some() && self.chance.happens(0.85) {
            let seen = archive.routes(&mut self.chance);
            self.keep(Origin::Tool("route history"), SENDER, seen);
        }
    }
}

fn rate_of(seen: &Seen) -> f64 {
    match seen {
        Seen::Tcp { run, .. } => run.steady_bps,
        _ => 0.0,
    }
}

/// The largest packet that the way of the data carries whole.
fn edge_of(network: &Network) -> u32 {
    let way = network.way(SENDER, RECEIVER);
    way.iter()
        .map(|l| network.links[*l].mtu.min(network.links[*l].believed_mtu))
        .min()
        .unwrap_or(1_500)
}
