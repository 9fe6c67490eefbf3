//! A paced UDP stream, played in slices of 100 ms.

use super::idle::{passes, queue_wait_s};
use super::link::{FRAMING, left_bps, loss_at};
use crate::chance::Chance;
use crate::map::Network;

/// A slice of the play, seconds.
const SLICE_S: f64 = 0.1;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct UdpSetup {
    /// Sending host.
    pub sender: usize,
    /// Receiving host.
    pub receiver: usize,
    /// IP packet size, bytes.
    pub size_bytes: u32,
    /// Rate of IP packets, bit/s.
    pub rate_bps: f64,
    /// Length, seconds.
    pub seconds: f64,
}

/// A slice at the receiver.
#[derive(Debug, Clone, Copy, Default)]
pub struct UdpSlice {
    /// Packets received.
    pub packets: u64,
    /// Packets missed.
    pub lost: u64,
    /// One-way delay above that at rest, seconds.
    pub above_s: f64,
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub struct UdpRun {
    /// Packets sent.
    pub sent: u64,
    /// Packets received.
    pub received: u64,
    /// Packets that came late.
    pub reordered: u64,
    /// Packets that the receiving host dropped.
    pub host_drops: u64,
    /// The rate that left, bit/s.
    pub sent_bps: f64,
    /// Slices.
    pub slices: Vec<UdpSlice>,
    /// One-way delay at rest by the hosts' clocks, seconds.
    pub min_delay_s: f64,
    /// What was lost came in runs of about this length.
    pub run_length: f64,
    /// Packets counted behind each link of the way.
    pub counted: Vec<u64>,
}

/// Plays a stream.
#[must_use]
pub fn udp(network: &Network, setup: &UdpSetup, chance: &mut Chance) -> UdpRun {
    let way = network.way(setup.sender, setup.receiver);
    let (sender, receiver) = (
        &network.hosts[setup.sender].machine,
        &network.hosts[setup.receiver].machine,
    );
    let bits = f64::from(setup.size_bytes) * 8.0;
    // No host sends faster than its own interface.
    let interface = way
        .first()
        .map_or(f64::INFINITY, |l| network.links[*l].capacity_bps);
    let efficiency = f64::from(setup.size_bytes) / f64::from(setup.size_bytes + FRAMING);
    let rate = setup
        .rate_bps
        .min(sender.cpu_bps)
        .min(0.999 * efficiency * interface);
    let mut run = UdpRun {
        sent_bps: rate,
        min_delay_s: network.delay_s(&way) + receiver.clock.0 - sender.clock.0,
        run_length: 1.0,
        counted: vec![0; way.len()],
        ..UdpRun::default()
    };
    let whole = passes(network, &way, setup.size_bytes, true);
    let mut queues = vec![0.0; way.len()];
    let mut tokens: Vec<f64> = way
        .iter()
        .map(|l| network.links[*l].policer.map_or(0.0, |p| p.1))
        .collect();
    for _ in 0..((setup.seconds / SLICE_S).round() as usize).max(1) {
        let sent = (rate * SLICE_S / bits).round() as u64;
        let mut alive = if whole { sent } else { 0 };
        let mut above_s = 0.0;
        for (index, number) in way.iter().enumerate() {
            let link = &network.links[*number];
            let arriving = alive as f64 * bits / SLICE_S;
            let left = (left_bps(link, chance) * efficiency).min(link.flow_bps.unwrap_or(f64::INFINITY));
            let room = link.queue_s * link.capacity_bps;
            let standing = queues[index] + (arriving - left) * SLICE_S;
            let overflow = (standing - room).max(0.0);
            queues[index] = standing.clamp(0.0, room);
            above_s += queues[index] / left + queue_wait_s(link) * chance.unit();
            let mut lost = (overflow / bits).round() as u64;
            if lost > 0 {
                run.run_length = run.run_length.max(3.0);
            }
            lost += chance.binomial(alive, loss_at(link, arriving));
            if let Some((police, burst)) = link.policer {
                let available = tokens[index] + police * SLICE_S / 8.0;
                let bytes = alive as f64 * bits / 8.0;
                lost += ((bytes - available).max(0.0) * 8.0 / bits) as u64;
                tokens[index] = (available - bytes).clamp(0.0, burst);
            }
            alive -= lost.min(alive);
            run.reordered += chance.binomial(alive, link.reorders);
            run.counted[index] += alive;
        }
        let at_host = receiver_drops(network, setup, alive as f64 * bits / SLICE_S);
        let dropped = chance.binomial(alive, at_host);
        run.host_drops += dropped;
        let received = alive - dropped;
        run.sent += sent;
        run.received += received;
        run.slices.push(UdpSlice {
            packets: received,
            lost: sent - received,
            above_s,
        });
    }
    run
}

/// The share that the receiving host does not take.
fn receiver_drops(network: &Network, setup: &UdpSetup, arriving: f64) -> f64 {
    let machine = &network.hosts[setup.receiver].machine;
    let by_ring = machine
        .drops
        .filter(|(from, _)| arriving > *from)
        .map_or(0.0, |(_, ratio)| ratio);
    // A program that cannot keep up leaves the socket's buffer full.
    let takes = machine.cpu_bps.min(machine.reads_bps);
    let by_socket = if arriving > takes {
        1.0 - takes / arriving
    } else {
        0.0
    };
    1.0 - (1.0 - by_ring) * (1.0 - by_socket)
}
