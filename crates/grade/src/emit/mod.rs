//! A world's evidence in the words of `evidence`: the only place of this crate that knows them.

mod own;
mod record;

use crate::chance::Chance;
use crate::map::{Network, RECEIVER, SENDER};
use crate::physics::{TcpRun, TcpSetup};
use crate::seen::{Origin, Record, Who};
use crate::world::{Former, World};
use evidence::{
    CASE_SCHEMA_VERSION, Case, Complaint, End, Node, Observation, Party, Payload, Provenance, RateBps,
    TcpAccount, Timestamp,
};
use std::net::{IpAddr, Ipv4Addr};

/// When every case is opened: worlds have no clock.
const OPENED_S: i64 = 1_700_000_000;

/// What records print of hosts and routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    Both,
    Addresses,
    /// Names, and addresses where there is no name, as tools print them.
    Names,
}

/// Turns records into observations.
struct Writer<'a> {
    world: &'a World,
    network: &'a Network,
    naming: Naming,
}

/// The case of a world: its complaint and its evidence.
#[must_use]
pub(crate) fn case(world: &World, records: &[Record]) -> Case {
    let mut chance = Chance::stream(world.seed, world.number.wrapping_mul(64) + 62);
    let naming = chance.pick(&[Naming::Both, Naming::Both, Naming::Addresses, Naming::Names]);
    let writer = Writer {
        world,
        network: &world.network,
        naming,
    };
    let mut case = Case::new(complaint(world, records));
    for record in records {
        for copy in 0..record.copies {
            let Some(payload) = writer.payload(record, &mut chance.clone()) else {
                continue;
            };
            case.add(Observation::new(writer.provenance(record, copy), payload));
        }
        // What chance does to the next record does not depend on copies of this one.
        chance = Chance::stream(world.seed, world.number ^ (record.at_s.to_bits() >> 3));
    }
    case
}

fn complaint(world: &World, records: &[Record]) -> Complaint {
    let own_from = records
        .iter()
        .find(|r| r.origin == Origin::Own)
        .map_or(SENDER, |r| r.vantage);
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party(&world.network, SENDER),
        to: party(&world.network, RECEIVER),
        local_end: if own_from == RECEIVER { End::To } else { End::From },
        expected_bps: world.expected_bps.map(RateBps),
        since: None,
        said_by: None,
        opened_at: Timestamp(OPENED_S * 1_000_000_000),
        utc_offset_s: None,
    }
}

impl Writer<'_> {
    fn payload(&self, record: &Record, chance: &mut Chance) -> Option<Payload> {
        match record.origin {
            Origin::Own => self.own(&record.seen, record.vantage),
            Origin::Tool(tool) => self.recorded(&record.seen, tool, chance),
        }
    }

    fn provenance(&self, record: &Record, copy: u32) -> Provenance {
        let at = Timestamp(OPENED_S * 1_000_000_000 + (record.at_s * 1e9) as i64);
        let tool = match record.origin {
            Origin::Own => "slowpath 0.1.0",
            Origin::Tool(tool) => tool,
        };
        let vantage = match other_end(record.vantage) {
            Some(_) => self.party(record.vantage),
            None => Node::read(&self.host_name(record.vantage)),
        };
        Provenance {
            // A copy was handed in by somebody else, out of another file.
            raw_lines: (copy > 0).then_some((u64::from(copy), u64::from(copy) + 1)),
            ..Provenance::measured(vantage, at, 1, tool)
        }
    }

    fn host_name(&self, host: usize) -> String {
        self.network.nodes[self.network.hosts[host].node]
            .name
            .clone()
            .unwrap_or_default()
    }

    fn address(&self, who: Who) -> Ipv4Addr {
        match who {
            Who::Host(host) => self.network.hosts[host].address,
            Who::Behind(link) => self.network.links[link].address,
            Who::Former(index) => Ipv4Addr::new(198, 19, 0, self.former_hop(index).map_or(10, |hop| hop.1)),
        }
    }

    fn name(&self, who: Who) -> Option<String> {
        match who {
            Who::Host(host) => Some(self.host_name(host)),
            Who::Behind(link) => self.network.name_behind(link),
            Who::Former(index) => self.former_hop(index).map(|hop| hop.0.clone()),
        }
    }

    fn former_hop(&self, index: usize) -> Option<&(String, u8)> {
        let former: &Former = self.world.former.as_ref()?;
        former.hops.get(index)
    }

    /// As a record prints it.
    fn node(&self, who: Who) -> Node {
        let (name, address) = (self.name(who), Some(IpAddr::V4(self.address(who))));
        match self.naming {
            Naming::Both => Node { name, address },
            Naming::Addresses => Node { name: None, address },
            Naming::Names if name.is_some() => Node { name, address: None },
            Naming::Names => Node { name: None, address },
        }
    }

    fn host(&self, host: usize) -> Node {
        self.node(Who::Host(host))
    }

    /// As who made the measurement himself knows it.
    fn party(&self, host: usize) -> Node {
        party(self.network, host).node()
    }

    /// As a packet names it.
    fn bare(&self, who: Who) -> Node {
        Node {
            name: None,
            address: Some(IpAddr::V4(self.address(who))),
        }
    }
}

/// A host by its name and address.
fn party(network: &Network, host: usize) -> Party {
    Party {
        name: network.nodes[network.hosts[host].node]
            .name
            .clone()
            .unwrap_or_default(),
        address: Some(IpAddr::V4(network.hosts[host].address)),
    }
}

/// The other end of the complaint, for a host that is one.
fn other_end(host: usize) -> Option<usize> {
    match host {
        SENDER => Some(RECEIVER),
        RECEIVER => Some(SENDER),
        _ => None,
    }
}

fn ns(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1e9) as u64
}

fn signed_ns(seconds: f64) -> i64 {
    (seconds.max(0.0) * 1e9) as i64
}

/// The kernel's account of one connection.
fn account(setup: &TcpSetup, run: &TcpRun) -> TcpAccount {
    let streams = u64::from(setup.streams.max(1));
    let us = |seconds: f64| (seconds * 1e6) as u64;
    TcpAccount {
        data_segments_out: Some((run.segments as u64 / streams) + 1),
        retransmitted_segments: Some(run.retransmits / streams),
        timeouts: Some(run.timeouts / streams),
        busy_us: Some(us(setup.seconds)),
        receive_window_limited_us: Some(us(run.window_limited_s)),
        send_buffer_limited_us: Some(us(run.send_limited_s)),
        send_mss_bytes: Some(run.mss),
        peer_window_bytes: Some(run.offered_window as u64),
        min_rtt_us: Some((run.min_rtt_s * 1e6) as u32),
        rtt_us: run.slices.last().map(|slice| (slice.rtt_s * 1e6) as u32),
        cwnd_segments: run
            .slices
            .last()
            .map(|slice| (slice.cwnd_bytes / f64::from(run.mss) / streams as f64) as u32),
        sack: Some(true),
        timestamps: Some(true),
        window_scale: Some((7, 7)),
        ..TcpAccount::default()
    }
}
