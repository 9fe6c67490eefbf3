//! What people state, and what archives hold: figures, series over weeks, histories of routes.

use crate::chance::Chance;
use crate::kind::Kind;
use crate::map::{RECEIVER, SENDER};
use crate::seen::{Figure, Level, Seen};
use crate::world::{Place, World};

/// Figures as people remember them.
pub(super) fn figure(world: &World, figure: Figure, chance: &mut Chance) -> Option<Seen> {
    let network = &world.network;
    let machine = &network.hosts[SENDER].machine;
    let one_link = |place: &Place| match place {
        Place::Links { links } => links.first().copied(),
        _ => None,
    };
    let (value, subject, text) = match figure {
        Figure::Rtt => {
            let rtt = network.rtt_s(SENDER, RECEIVER) * chance.spread(0.05);
            (
                rtt,
                None,
                format!("the round-trip time is about {:.1} ms", rtt * 1e3),
            )
        }
        Figure::Rate => {
            let rate = world.rate_bps.max(1.0) * chance.spread(0.08);
            (rate, None, format!("we get {:.1} Mbit/s", rate / 1e6))
        }
        Figure::LinkCapacity => {
            let link = one_link(&world.place).unwrap_or(network.forward[0]);
            let capacity = network.links[link].capacity_bps;
            (
                capacity,
                network.name_behind(link),
                format!("that link has {:.0} Mbit/s", capacity / 1e6),
            )
        }
        Figure::Utilisation => {
            let link = one_link(&world.place).unwrap_or(network.forward[0]);
            let busy = (network.links[link].busy * chance.spread(0.1)).min(1.0);
            (
                busy,
                network.name_behind(link),
                format!("it is used to {:.0} %", busy * 100.0),
            )
        }
        Figure::LossRatio => {
            let ratio =
                crate::physics::idle_loss(network, &network.way(SENDER, RECEIVER)) * chance.spread(0.3);
            if ratio < 1e-6 {
                return None;
            }
            (
                ratio,
                None,
                format!("{:.3} % of the packets are lost", ratio * 100.0),
            )
        }
        Figure::ReceiveWindow => {
            let window = network.hosts[RECEIVER].machine.window_bytes;
            (
                window,
                None,
                format!("the receiver's window is {:.0} KiB", window / 1024.0),
            )
        }
        Figure::WriteBytes => {
            let (bytes, _) = machine.rhythm?;
            (
                bytes,
                Some("mover".to_owned()),
                format!("it writes {bytes:.0} bytes at a time"),
            )
        }
        Figure::WritePause => {
            let pause = machine.rhythm?.1 * chance.spread(0.05);
            (
                pause,
                Some("mover".to_owned()),
                format!("and pauses for {:.2} ms", pause * 1e3),
            )
        }
        Figure::WriteRate => {
            machine.rhythm?;
            let rate = world.healthy_bps * chance.spread(0.05);
            (
                rate,
                Some("mover".to_owned()),
                format!("within a write it has {:.0} Mbit/s", rate / 1e6),
            )
        }
    };
    Some(Seen::Said {
        from: SENDER,
        to: RECEIVER,
        figure,
        value,
        subject,
        text,
    })
}

/// When things were looked at, in days, and when the change came.
pub(super) struct Archive {
    days: Vec<f64>,
    changed: f64,
    /// The route went back for a while.
    back: Option<(f64, f64)>,
}

impl Archive {
    pub(super) fn draw(chance: &mut Chance) -> Self {
        let length = chance.between(10.0, 60.0);
        let a_day = chance.between(1.0, 8.0);
        let days = (0..(length * a_day) as usize)
            .map(|i| (i as f64 + 0.3 * chance.unit()) / a_day)
            .collect();
        let changed = length * chance.between(0.3, 0.75);
        let start = changed + (length - changed) * chance.between(0.2, 0.5);
        let back = chance
            .happens(0.3)
            .then(|| (start, start + (length - start) * chance.between(0.2, 0.6)));
        Self { days, changed, back }
    }

    fn is_former(&self, day: f64) -> bool {
        day < self.changed || self.back.is_some_and(|(from, to)| day >= from && day < to)
    }

    /// A level before and after.
    pub(super) fn series(&self, world: &World, level: Level, chance: &mut Chance) -> Seen {
        // Only what changed with the route steps; everything else was always so.
        let stepped = world.kind == Kind::RouteChange;
        let now_rtt = world.network.rtt_s(SENDER, RECEIVER);
        let former_rtt = world.former.as_ref().map_or(now_rtt, |former| former.rtt_s);
        let loss = crate::physics::idle_loss(&world.network, &world.network.way(SENDER, RECEIVER));
        let noise = chance.between(0.03, 0.25);
        let mut points = Vec::new();
        for day in &self.days {
            if chance.happens(0.05) {
                continue;
            }
            let former = self.is_former(*day);
            let value = match level {
                Level::Rate => {
                    let outlier = if chance.happens(0.02) {
                        chance.between(0.1, 0.7)
                    } else {
                        1.0
                    };
                    let rate = if stepped && former {
                        world.healthy_bps
                    } else {
                        world.rate_bps
                    };
                    rate * outlier * chance.spread(noise)
                }
                Level::Rtt => (if former { former_rtt } else { now_rtt }) * chance.spread(0.01),
                Level::Loss => {
                    chance.binomial(1_000, if stepped && former { 0.0 } else { loss }) as f64 / 1_000.0
                }
            };
            points.push((*day, value));
        }
        Seen::Series {
            from: SENDER,
            to: RECEIVER,
            level,
            points,
        }
    }

    /// Which route was seen when.
    pub(super) fn routes(&self, chance: &mut Chance) -> Seen {
        let look = |day: &f64| (*day + 0.01, self.is_former(*day));
        Seen::Routes {
            seen: self
                .days
                .iter()
                .filter(|_| chance.happens(0.8))
                .map(look)
                .collect(),
        }
    }
}
