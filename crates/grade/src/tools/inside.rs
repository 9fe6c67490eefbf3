//! What only insiders see: counters of interfaces, packets counted along the path, sockets, settings.

use crate::chance::Chance;
use crate::map::Network;
use crate::physics::{TcpSetup, UdpSetup, tcp, udp};
use crate::seen::{Counted, Seen, Settings};

/// Counters of the interface that receives from `link`.
pub(super) fn counters(network: &Network, link: usize, chance: &mut Chance) -> Seen {
    let l = &network.links[link];
    let back = &network.links[l.mirror];
    let age_s = chance.log_between(3_600.0, 3e7);
    let used_bps = l.capacity_bps * l.busy.max(0.02) * chance.spread(0.3);
    let packets = (used_bps * age_s / 8.0 / 800.0) as u64;
    // The fault began some time within the counters' life.
    let since = chance.between(0.2, 1.0);
    let crc = if l.counts_errors {
        chance.poisson(packets as f64 * l.loss * since)
    } else {
        0
    };
    // Queues of healthy routers overflow now and then as well.
    let drops = packets as f64 * chance.log_between(1e-9, 1e-6)
        + if back.busy > 0.85 {
            packets as f64 * (back.busy - 0.85) * 0.02
        } else {
            0.0
        };
    let half_duplex = l.load_loss.is_some() && chance.happens(0.4);
    let at_host = network
        .host_at(l.to)
        .and_then(|host| network.hosts[host].machine.drops);
    let no_buffer = at_host.map_or(0, |(_, ratio)| chance.poisson(packets as f64 * ratio * 0.1));
    Seen::Counters(Counted {
        link,
        packets,
        crc: crc + l.old_errors,
        no_buffer,
        output_drops: chance.poisson(drops),
        counting_for_s: chance.happens(0.6).then_some(age_s as u64),
        bandwidth_bps: chance.happens(0.8).then_some(l.capacity_bps),
        input_bps: chance
            .happens(0.5)
            .then_some(l.capacity_bps * l.busy * chance.spread(0.2)),
        half_duplex,
    })
}

/// A stream whose packets several networks count, some of them wrongly by a few.
pub(super) fn chain(network: &Network, setup: UdpSetup, chance: &mut Chance) -> Seen {
    let run = udp(network, &setup, chance);
    let mut points = Vec::new();
    for (index, packets) in run.counted.iter().enumerate() {
        let is_last = index + 1 == run.counted.len();
        if !is_last && chance.happens(0.55) {
            let slip = if chance.happens(0.08) {
                chance.whole(0, 60) as u64
            } else {
                0
            };
            points.push((index, packets + slip));
        }
    }
    Seen::Chain { setup, run, points }
}

/// ss -ti at the sender while a transfer runs.
pub(super) fn sockets(network: &Network, setup: TcpSetup, chance: &mut Chance) -> Seen {
    let run = tcp(network, &setup, chance);
    Seen::Sockets { setup, run }
}

/// Settings of a host as its kernel tells them.
pub(super) fn settings(network: &Network, host: usize, rate_bps: f64, chance: &mut Chance) -> Seen {
    let h = &network.hosts[host];
    let cores = chance.pick(&[4, 8, 16, 32]);
    let packets = chance.log_between(1e6, 1e10);
    let load = (rate_bps / h.machine.cpu_bps).min(1.0) / f64::from(cores);
    let dropped = h.machine.drops.map_or(1e-8, |(_, ratio)| ratio * 0.05);
    let inward = network
        .links
        .iter()
        .find(|link| link.to == h.node)
        .map_or(1e9, |link| link.capacity_bps);
    Seen::Settings(Settings {
        host,
        // Linux offers about half of a buffer as window.
        receive_buffer_max: (h.machine.window_bytes * 2.0) as u64,
        send_buffer_max: h.machine.send_buffer_bytes as u64,
        mtu: h.machine.mtu,
        speed_mbps: chance.happens(0.8).then_some((inward / 1e6) as u32),
        control: h.machine.control.name(),
        busy: (load + chance.between(0.0, 0.3)).min(1.0),
        cores,
        missed: chance.poisson(packets * dropped),
        packets: packets as u64,
    })
}
