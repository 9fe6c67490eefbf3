//! Transfers by slowpath, iperf3 and the users' own programs; one-way probes.

use crate::chance::Chance;
use crate::map::Network;
use crate::physics::{TcpSetup, UdpSetup, idle_delay_s, idle_loss, tcp, udp};
use crate::seen::Seen;

/// A TCP transfer; one in forty meets something that is not there at other times.
pub(super) fn transfer(
    network: &Network,
    setup: TcpSetup,
    program: &'static str,
    chance: &mut Chance,
) -> Seen {
    let mut run = tcp(network, &setup, chance);
    let test = if chance.happens(0.025) {
        chance.between(0.3, 0.9)
    } else {
        chance.spread(0.03).min(1.04)
    };
    for slice in &mut run.slices {
        slice.bytes *= test;
    }
    run.mean_bps *= test;
    run.steady_bps *= test;
    // A clock that runs fast makes rates look low.
    let drift = network.hosts[setup.receiver].machine.clock.1;
    run.mean_bps /= 1.0 + drift;
    run.steady_bps /= 1.0 + drift;
    Seen::Tcp { setup, run, program }
}

/// A UDP stream.
pub(super) fn stream(network: &Network, setup: UdpSetup, chance: &mut Chance) -> Seen {
    let run = udp(network, &setup, chance);
    Seen::Udp { setup, run }
}

/// owping: small packets, one way.
pub(super) fn one_way(network: &Network, from: usize, to: usize, sent: u64, chance: &mut Chance) -> Seen {
    let way = network.way(from, to);
    let reorders: f64 = way.iter().map(|l| network.links[*l].reorders).sum();
    let lost = chance.binomial(sent, idle_loss(network, &way));
    let clocks = (
        &network.hosts[from].machine.clock,
        &network.hosts[to].machine.clock,
    );
    let mut delays: Vec<f64> = (0..60)
        .map(|i| {
            let drift = (clocks.1.1 - clocks.0.1) * f64::from(i);
            idle_delay_s(network, &way, 64, chance) + clocks.1.0 - clocks.0.0 + drift
        })
        .collect();
    delays.sort_by(f64::total_cmp);
    Seen::OneWay {
        from,
        to,
        sent,
        lost,
        reordered: chance.binomial(sent - lost, reorders.min(1.0)),
        delays_s: [delays[0], delays[30], delays[59]],
    }
}
