//! Draws a network in which nothing is wrong: its length, its networks, manners, names, hosts.

use crate::chance::Chance;
use crate::map::{Control, Host, Link, Machine, Manners, Network, Node, WayBack};
use std::net::Ipv4Addr;

const SITES: [&str; 8] = [
    "campus-a.example",
    "region.example",
    "backbone.example",
    "transit.example",
    "exchange.example",
    "national.example",
    "metro.example",
    "campus-b.example",
];

/// A network as operators run it, faults apart.
#[must_use]
pub(crate) fn network(chance: &mut Chance) -> Network {
    let routers = chance.whole(1, 13);
    let mut network = Network {
        nodes: Vec::new(),
        links: Vec::new(),
        backbone: Vec::new(),
        forward: Vec::new(),
        way_back: None,
        hosts: Vec::new(),
    };
    nodes(&mut network, routers, chance);
    let mtu = if chance.happens(0.35) { 9_000 } else { 1_500 };
    let span_s = chance.log_between(0.000_6, 0.09);
    let shares: Vec<f64> = (0..=routers).map(|_| chance.waiting(1.0) + 0.02).collect();
    let sum: f64 = shares.iter().sum();
    for (position, share) in shares.iter().enumerate() {
        let (from, to) = (network.backbone[position], network.backbone[position + 1]);
        let delay_s = span_s * share / sum;
        let link = connect(&mut network, from, to, mtu, delay_s, chance);
        network.forward.push(link);
    }
    let nic_bps = chance.pick(&[1e9, 1e9, 10e9]);
    for (node, at) in [(0, 0), (routers + 1, routers + 1)] {
        let access = if at == 0 {
            network.forward[0]
        } else {
            network.forward[routers]
        };
        let inward = if at == 0 {
            network.links[access].mirror
        } else {
            access
        };
        network.links[access].capacity_bps = nic_bps;
        let mirror = network.links[access].mirror;
        network.links[mirror].capacity_bps = nic_bps;
        let address = network.links[inward].address;
        let host = Host {
            node: network.backbone[node],
            address,
            at,
            access: None,
            machine: machine(span_s, mtu, chance),
        };
        network.hosts.push(host);
    }
    quiet_hosts(&mut network);
    for number in 0..chance.pick(&[0, 0, 1, 2, 3]) {
        guest(&mut network, number, mtu, nic_bps, span_s, chance);
    }
    if routers >= 4 && chance.happens(0.3) {
        another_way_back(&mut network, mtu, chance);
    }
    network
}

/// No link of an end is shared with others: their own access is theirs.
fn quiet_hosts(network: &mut Network) {
    let last = network.forward.len() - 1;
    for position in [0, last] {
        let link = network.forward[position];
        let mirror = network.links[link].mirror;
        for end in [link, mirror] {
            network.links[end].busy = 0.0;
        }
    }
}

fn nodes(network: &mut Network, routers: usize, chance: &mut Chance) {
    let networks = chance.whole(1, (routers / 2).clamp(1, 5));
    let first = chance.whole(0, 1);
    let filtered: Vec<bool> = SITES.iter().map(|_| chance.happens(0.06)).collect();
    let named: Vec<bool> = SITES.iter().map(|_| chance.happens(0.7)).collect();
    for position in 0..routers + 2 {
        let is_host = position == 0 || position == routers + 1;
        let site = if position <= 1 {
            0
        } else if position >= routers && routers > 1 {
            SITES.len() - 1
        } else {
            (first + 1 + (position - 1) * networks / routers).min(SITES.len() - 2)
        };
        let name = match position {
            0 => Some(format!("alpha.{}", SITES[0])),
            _ if is_host => Some(format!("omega.{}", SITES[SITES.len() - 1])),
            _ => named[site].then(|| {
                format!(
                    "{}{position}.{}",
                    chance.pick(&["cr", "br", "gw", "edge"]),
                    SITES[site]
                )
            }),
        };
        let manners = if is_host {
            host_manners(chance)
        } else {
            manners(filtered[site], chance)
        };
        network.nodes.push(Node { name, site, manners });
        network.backbone.push(position);
    }
}

/// About one router in seven is silent, four in ten answer everything, the rest now and then or not too often.
fn manners(filtered: bool, chance: &mut Chance) -> Manners {
    let answers = if filtered || chance.happens(0.12) {
        0.0
    } else if chance.happens(0.55) {
        1.0
    } else {
        chance.between(0.4, 1.0)
    };
    Manners {
        answers,
        limit_pps: chance.happens(0.3).then(|| chance.log_between(3.0, 300.0)),
        answers_large: !chance.happens(0.12),
        answers_large_datagrams: true,
        slow_s: if chance.happens(0.15) {
            chance.log_between(0.001, 0.03)
        } else {
            0.000_1
        },
        says_too_big: true,
    }
}

fn host_manners(chance: &mut Chance) -> Manners {
    Manners {
        answers: if chance.happens(0.08) { 0.0 } else { 1.0 },
        limit_pps: chance.happens(0.1).then(|| chance.log_between(20.0, 300.0)),
        answers_large: !chance.happens(0.06),
        answers_large_datagrams: !chance.happens(0.03),
        slow_s: 0.000_05,
        says_too_big: true,
    }
}

/// Two directed links; gives the first.
fn connect(
    network: &mut Network,
    from: usize,
    to: usize,
    mtu: u32,
    delay_s: f64,
    chance: &mut Chance,
) -> usize {
    let number = network.links.len();
    let capacity_bps = chance.pick(&[10e9, 10e9, 40e9, 100e9]);
    let subnet = number as u8;
    let (busy, queue_s) = (chance.between(0.0, 0.35), chance.log_between(0.015, 0.2));
    let make = |from, to, mirror, last, interface: String, busy: f64| Link {
        from,
        to,
        mirror,
        address: Ipv4Addr::new(198, 18, subnet, last),
        interface,
        capacity_bps,
        busy,
        swings: 0.15,
        queue_s,
        delay_s,
        loss: 0.0,
        load_loss: None,
        policer: None,
        flow_bps: None,
        mtu,
        believed_mtu: mtu,
        fragments_pass: true,
        reorders: 0.0,
        sleeps_s: 0.0,
        awake: 1.0,
        counts_errors: false,
        old_errors: 0,
    };
    let name = |chance: &mut Chance| {
        format!(
            "{}{}/{}",
            chance.pick(&["xe-0/", "et-1/", "te0/", "ge-2/"]),
            chance.whole(0, 3),
            chance.whole(0, 9)
        )
    };
    let (near, far) = (name(chance), name(chance));
    let back = busy * chance.between(0.3, 1.7);
    network.links.push(make(from, to, number + 1, 2, far, busy));
    network.links.push(make(to, from, number, 1, near, back.min(0.5)));
    number
}

fn machine(span_s: f64, mtu: u32, chance: &mut Chance) -> Machine {
    // Tuned hosts: twice the product of 10 Gbit/s and the round-trip time, and never less than Linux' defaults.
    let product = 10e9 / 8.0 * 2.0 * span_s;
    let window_bytes = (2.0 * product * chance.between(1.0, 2.0)).max(6e6);
    Machine {
        window_bytes,
        send_buffer_bytes: (2.0 * product * chance.between(1.0, 2.0)).max(4e6),
        reads_bps: 40e9,
        cpu_bps: chance.log_between(12e9, 40e9),
        rhythm: None,
        control: chance.pick(&[
            Control::Cubic,
            Control::Cubic,
            Control::Cubic,
            Control::Reno,
            Control::Bbr,
        ]),
        mtu,
        drops: None,
        probes_mtu: chance.happens(0.15),
        disk_bps: f64::INFINITY,
        start_s: 0.0,
        clock: (chance.normal() * 0.000_5, 0.0),
    }
}

/// Another host, near a router of the backbone.
fn guest(network: &mut Network, number: usize, mtu: u32, nic_bps: f64, span_s: f64, chance: &mut Chance) {
    let at = chance.whole(1, network.backbone.len() - 2);
    let router = network.backbone[at];
    let site = network.nodes[router].site;
    let node = network.nodes.len();
    let name = Some(format!(
        "{}.{}",
        ["probe-one", "probe-two", "probe-three"][number % 3],
        SITES[site]
    ));
    network.nodes.push(Node {
        name,
        site,
        manners: host_manners(chance),
    });
    let up = connect(
        network,
        node,
        router,
        mtu,
        chance.log_between(0.000_05, 0.002),
        chance,
    );
    let down = network.links[up].mirror;
    for link in [up, down] {
        network.links[link].busy = 0.0;
        network.links[link].capacity_bps = nic_bps.max(10e9);
    }
    let address = network.links[down].address;
    let host = Host {
        node,
        address,
        at,
        access: Some((up, down)),
        machine: machine(span_s, mtu, chance),
    };
    network.hosts.push(host);
}

fn another_way_back(network: &mut Network, mtu: u32, chance: &mut Chance) {
    let last = network.backbone.len() - 1;
    let join = chance.whole(1, last - 3);
    let leave = chance.whole(join + 2, last - 1);
    let between = chance.whole(1, 3);
    let along: f64 = network.forward[join..leave]
        .iter()
        .map(|l| network.links[*l].delay_s)
        .sum();
    let delay_s = along * chance.between(0.8, 1.8) / (between + 1) as f64;
    let mut from = network.backbone[leave];
    let mut links = Vec::new();
    for index in 0..=between {
        let to = if index == between {
            network.backbone[join]
        } else {
            let site = chance.whole(1, SITES.len() - 2);
            let name = chance.happens(0.6).then(|| format!("alt{index}.{}", SITES[site]));
            network.nodes.push(Node {
                name,
                site,
                manners: manners(false, chance),
            });
            network.nodes.len() - 1
        };
        links.push(connect(network, from, to, mtu, delay_s, chance));
        from = to;
    }
    network.way_back = Some(WayBack { join, leave, links });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{RECEIVER, SENDER};

    #[test]
    fn ways_are_connected_from_end_to_end() {
        for seed in 0..300 {
            let network = network(&mut Chance::seeded(seed));
            for from in 0..network.hosts.len() {
                for to in (0..network.hosts.len()).filter(|to| *to != from) {
                    let way = network.way(from, to);
                    let mut node = network.hosts[from].node;
                    for (index, link) in way.iter().enumerate() {
                        assert_eq!(network.links[*link].from, node, "seed {seed}");
                        node = network.links[*link].to;
                        let back = network.answer_way(&way, index, from);
                        assert_eq!(network.links[back[0]].from, node, "seed {seed}");
                        assert_eq!(
                            network.links[back[back.len() - 1]].to,
                            network.hosts[from].node,
                            "seed {seed}"
                        );
                    }
                    assert_eq!(node, network.hosts[to].node, "seed {seed}");
                }
            }
            assert!(network.rtt_s(SENDER, RECEIVER) < 0.3);
        }
    }
}
