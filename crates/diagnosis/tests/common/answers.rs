//! What the synthetic path answers to probes.

use super::{Manner, World};
use evidence::v1::{
    Echo, EchoContext, EchoMode, EchoSeries, End, FragmentationNeeded, HopReply, HostFacts, Interface,
    PathMtu, Payload, ProbeProtocol, ReplyKind, Route, RouteFlow, RouteHop, RttSummary, SizeCell,
    SizeProbeMode,
};
use std::collections::BTreeMap;

impl World {
    fn manner(&self, ttl: u8) -> Manner {
        self.manners[usize::from(ttl) - 1]
    }

    fn hop_rtt_ns(&self, ttl: u8) -> u64 {
        (self.rtt_ms * 1e6 * f64::from(ttl) / f64::from(self.last())) as u64
    }

    pub(super) fn host_facts(&self, at: End) -> Payload {
        let (mtu, rmem) = match at {
            End::From => (self.mtu.0, 64 << 20),
            End::To => (self.mtu.1, self.receive_buffer_max),
        };
        let sysctls = BTreeMap::from([
            ("net.ipv4.tcp_rmem".to_owned(), format!("4096\t131072\t{rmem}")),
            ("net.ipv4.tcp_window_scaling".to_owned(), "1".to_owned()),
        ]);
        Payload::HostFacts(HostFacts {
            hostname: None,
            kernel: None,
            sysctls,
            congestion_control: Some(self.control.into()),
            available_congestion_controls: vec![],
            interface: Some(Interface {
                name: "eth0".into(),
                mtu_bytes: Some(mtu),
                ..Interface::default()
            }),
            counters: BTreeMap::new(),
            cpu: None,
            ..HostFacts::default()
        })
    }

    /// From the receiver the same hops in the other order.
    pub(super) fn route(&self, from: End) -> Payload {
        let hop = |ttl: u8| {
            let seen = if from == End::From {
                ttl
            } else {
                (self.last() - ttl).max(1)
            };
            let destination = ttl == self.last();
            let address = match (destination, from) {
                (true, End::To) => self.source(),
                _ => self.names[usize::from(seen) - 1].1,
            };
            let answers = if self.manner(ttl) == Manner::Mute { 0 } else { 3 };
            let reply = HopReply {
                from: address,
                rtt_ns: self.hop_rtt_ns(ttl),
                reply_ttl: None,
                kind: if destination {
                    ReplyKind::PortUnreachable
                } else {
                    ReplyKind::TimeExceeded
                },
                mpls: vec![],
            };
            RouteHop {
                ttl,
                sent: 3,
                replies: vec![reply; answers],
            }
        };
        let named = self.names.iter().filter(|(name, _)| !name.is_empty());
        let (source, destination) = self.addresses(from);
        Payload::Route(Route {
            source,
            destination,
            protocol: ProbeProtocol::Udp,
            flows: vec![RouteFlow {
                source_port: 33_000,
                destination_port: 33_434,
                hops: (1..=self.last()).map(hop).collect(),
                reached_ttl: Some(self.last()),
            }],
            names: named
                .map(|(name, address)| (*address, (*name).to_owned()))
                .collect(),
            packets_sent: 36,
            elapsed_ns: 1_000_000_000,
        })
    }

    pub(super) fn path_mtu(&self, from: End) -> Payload {
        let mut cells = Vec::new();
        let interface = if from == End::From { self.mtu.0 } else { self.mtu.1 };
        let mut sizes = vec![64, 576, 1280, 1400, 1492, 1500, 1501, 4352, 9000];
        if let Some(hole) = self.hole {
            sizes.extend([hole.passes, hole.passes + 1]);
        }
        sizes.retain(|size| *size <= interface);
        sizes.sort_unstable();
        sizes.dedup();
        for size in &sizes {
            cells.push(self.size_cell(SizeProbeMode::DontFragment, None, *size, 3));
        }
        for ttl in 1..self.last() {
            for size in sizes
                .iter()
                .filter(|size| **size == 64 || Some(**size) == sizes.last().copied())
            {
                cells.push(self.size_cell(SizeProbeMode::DontFragment, Some(ttl), *size, 2));
            }
            if let Some(hole) = self.hole {
                cells.push(self.size_cell(SizeProbeMode::DontFragment, Some(ttl), hole.passes, 2));
                cells.push(self.size_cell(SizeProbeMode::DontFragment, Some(ttl), hole.passes + 1, 2));
            }
        }
        if let (Some(hole), false) = (self.hole, self.is_ipv6()) {
            for ttl in [Some(hole.after).filter(|ttl| *ttl < self.last()), None] {
                cells.push(self.size_cell(SizeProbeMode::MayFragment, ttl, hole.passes + 1, 3));
            }
        }
        Payload::PathMtu(PathMtu {
            source: self.source(),
            destination: self.destination(),
            protocol: ProbeProtocol::Udp,
            interface_mtu_bytes: interface,
            destination_ttl: Some(self.last()),
            packets_sent: cells.iter().map(|cell| u32::from(cell.sent)).sum(),
            cells,
            elapsed_ns: 1_800_000_000,
        })
    }

    fn size_cell(&self, mode: SizeProbeMode, ttl: Option<u8>, size_bytes: u32, sent: u16) -> SizeCell {
        let target = ttl.unwrap_or(self.last());
        let whole = mode == SizeProbeMode::DontFragment;
        let swallowed = |hole: &super::Hole| {
            hole.after <= target && size_bytes > hole.passes && (whole || !hole.fragments)
        };
        let vanishes = self.hole.as_ref().is_some_and(swallowed);
        let honest = self
            .honest_mtu
            .filter(|(ttl, mtu)| whole && *ttl < target && size_bytes > *mtu && !vanishes);
        let silent = match self.manner(target) {
            Manner::Mute => true,
            _ => target == self.last() && size_bytes > self.destination_answers_up_to,
        };
        let answered = if vanishes || honest.is_some() || silent {
            0
        } else {
            sent
        };
        let router = |(ttl, mtu): (u8, u32)| FragmentationNeeded {
            from: self.names[usize::from(ttl) - 1].1,
            mtu_bytes: Some(mtu),
        };
        SizeCell {
            mode,
            ttl,
            size_bytes,
            sent,
            answered,
            answered_by: if answered > 0 {
                vec![self.names[usize::from(target) - 1].1]
            } else {
                vec![]
            },
            fragmentation_needed: honest.map(router).into_iter().collect(),
            refused_locally_mtu_bytes: None,
        }
    }

    pub(super) fn echo(&self, from: End, sizes: &[u32], count: u32) -> Payload {
        let mut series = Vec::new();
        for ttl in 1..=self.last() {
            for size in sizes {
                let mode = if ttl == self.last() {
                    EchoMode::ToDestination
                } else {
                    EchoMode::Expiring
                };
                series.push(self.series(mode, ttl, *size, u64::from(count), 0));
                if ttl < self.last() {
                    series.push(self.series(EchoMode::Direct, ttl, *size, u64::from(count), 0));
                }
            }
        }
        let _ = from;
        self.echo_payload(EchoContext::Idle, series)
    }

    pub(super) fn echo_under_load(&self) -> Payload {
        let queue_ns = if self.fills_the_path() { 12_000_000 } else { 0 };
        let behind = |ttl: u8| if ttl >= self.bottleneck { queue_ns } else { 0 };
        let mode = |ttl: u8| {
            if ttl == self.last() {
                EchoMode::ToDestination
            } else {
                EchoMode::Expiring
            }
        };
        let series = (1..=self.last())
            .map(|ttl| self.series(mode(ttl), ttl, 64, 40, behind(ttl)))
            .collect();
        self.echo_payload(EchoContext::UnderLoad, series)
    }

    fn series(&self, mode: EchoMode, ttl: u8, size_bytes: u32, sent: u64, queue_ns: u64) -> EchoSeries {
        let swallowed = self
            .hole
            .is_some_and(|hole| hole.after <= ttl && size_bytes > hole.passes);
        let answered = match self.manner(ttl) {
            _ if swallowed => 0,
            Manner::Mute => 0,
            Manner::Limited => sent / 10,
            Manner::IgnoresLargePings if mode == EchoMode::Direct && size_bytes > 1500 => 0,
            _ => sent,
        };
        let rtt = self.hop_rtt_ns(ttl) + queue_ns;
        let mut samples: Vec<u64> = (0..answered.min(50)).map(|i| rtt + i * 2_000).collect();
        EchoSeries {
            mode,
            ttl,
            address: (answered > 0).then(|| self.names[usize::from(ttl) - 1].1),
            size_bytes,
            sent,
            answered,
            rtt: RttSummary::of(&mut samples),
            rate_pps: 33.0,
        }
    }

    pub(super) fn hop_loss(&self, ttls: &[u8], count: u64, rate_pps: u32) -> Payload {
        let one = |ttl: &u8| {
            let mut series = self.series(EchoMode::Expiring, *ttl, 64, count, 0);
            let ratio = self
                .loss
                .filter(|(link, _)| link <= ttl)
                .map_or(0.0, |(_, loss)| loss);
            let lost = (count as f64 * (ratio + self.loss_back)).round() as u64;
            series.answered = series.answered.saturating_sub(lost);
            series.rate_pps = f64::from(rate_pps);
            series
        };
        self.echo_payload(EchoContext::Idle, ttls.iter().map(one).collect())
    }

    fn echo_payload(&self, context: EchoContext, series: Vec<EchoSeries>) -> Payload {
        Payload::Echo(Echo {
            source: self.source(),
            destination: self.destination(),
            context,
            series,
            own_socket_drops: Some(0),
            elapsed_ns: 2_000_000_000,
        })
    }
}
