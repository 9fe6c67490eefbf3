//! Hosts, their connections, and packets counted along a path.

use super::{Gate, MOST, is_ratio};
use crate::host::NO_NAME;
use crate::masked::is_masked;
use evidence::{CounterChain, HostFacts, Node, Sockets, TcpAccount};
use std::collections::BTreeMap;

/// Linux counts the times of a connection in jiffies, of 10 ms at most, and `ss` rounds them once more.
const JIFFIES_US: f64 = 20_000.0;
/// The segments that open a connection are sent again too, and are no data segments.
const OPENING_SEGMENTS: u64 = 16;

/// Whether a table shortened the name, as PowerShell does with what is wider than its column.
pub(super) fn is_cut(name: &str) -> bool {
    name.ends_with(['\u{2026}']) || name.ends_with("...")
}

impl Gate {
    /// A word that is no name of a host: a variable of a shell, a bound of a time, what a line was cut into.
    pub(super) fn node(&mut self, node: &mut Node) {
        // An address beside it tells as much.
        node.name.take_if(|name| node.address.is_some() && is_cut(name));
        self.name(&mut node.name);
    }

    pub(super) fn name(&mut self, name: &mut Option<String>) {
        // Somebody hid it, which contradicts nothing.
        name.take_if(|name| is_masked(name));
        if let Some(word) = name.take_if(|name| name.contains(NO_NAME)) {
            self.say(format!("{word} is no name of a host"));
        }
        if let Some(word) = name.take_if(|name| is_cut(name)) {
            self.say(format!("the name of a host is cut: {word}"));
        }
    }

    /// Counters that wrapped below zero.
    pub(super) fn counters<K: Ord + std::fmt::Debug>(&mut self, counters: &mut BTreeMap<K, u64>) {
        // To walk them for what goes is dear, and of nearly all none does.
        if counters.values().all(|count| *count < MOST) {
            return;
        }
        counters.retain(|name, count| {
            let is_possible = *count < MOST;
            if !is_possible {
                self.say(format!("{name:?} {count} cannot be"));
            }
            is_possible
        });
    }

    pub(super) fn host(&mut self, facts: &mut HostFacts) -> bool {
        self.name(&mut facts.hostname);
        self.counters(&mut facts.counters);
        if let Some(interface) = &mut facts.interface {
            self.counters(&mut interface.counters);
            self.check(&mut interface.mtu_bytes, "an MTU of", |bytes| bytes > 0);
            // Drivers that do not know print -1.
            self.check(&mut interface.speed_mbps, "a speed in Mbit/s of", |mbps| {
                mbps > 0 && mbps < u32::MAX
            });
        }
        if let Some(cpu) = &mut facts.cpu {
            self.check(&mut cpu.busy_ratio, "a share of busy processors of", is_ratio);
            self.check(&mut cpu.load_1min, "a load of", |load| (0.0..1e6).contains(&load));
        }
        self.reasons.is_empty() || *facts != HostFacts::default()
    }

    pub(super) fn sockets(&mut self, sockets: &mut Sockets) -> bool {
        for connection in &mut sockets.connections {
            self.rate(&mut connection.delivery_rate_bps, "a delivery rate");
            self.rate(&mut connection.pacing_rate_bps, "a pacing rate");
            self.account(&mut connection.account);
        }
        true
    }

    pub(super) fn account(&mut self, account: &mut TcpAccount) {
        for (field, name) in [
            (&mut account.data_segments_out, "segments sent:"),
            (&mut account.retransmitted_segments, "retransmits:"),
            (&mut account.retransmitted_bytes, "bytes sent again:"),
            (&mut account.bytes_acked, "bytes acknowledged:"),
            (&mut account.bytes_received, "bytes received:"),
            (&mut account.timeouts, "timeouts:"),
            (&mut account.busy_us, "a busy time in microseconds of"),
            (&mut account.receive_window_limited_us, "a limited time of"),
            (&mut account.send_buffer_limited_us, "a limited time of"),
        ] {
            self.count(field, name);
        }
        self.check(&mut account.send_mss_bytes, "an MSS of", |bytes| bytes > 0);
        self.check(&mut account.path_mtu_bytes, "a path MTU of", |bytes| bytes > 0);
        for field in [&mut account.rtt_us, &mut account.min_rtt_us] {
            self.check(field, "a round-trip time in microseconds of", |us| {
                us <= 3_600_000_000
            });
        }
        self.contradict(
            &mut account.retransmitted_segments,
            &mut account.data_segments_out,
            |again, sent| again <= sent.saturating_add(OPENING_SEGMENTS),
            |again, sent| format!("{again} segments sent again of {sent} sent cannot be"),
        );
        for limited in [
            &mut account.receive_window_limited_us,
            &mut account.send_buffer_limited_us,
        ] {
            self.contradict(
                limited,
                &mut account.busy_us,
                |limited, busy| limited as f64 <= busy as f64 * 1.01 + JIFFIES_US,
                |limited, busy| format!("limited for {limited} us of {busy} us busy cannot be"),
            );
        }
    }

    pub(super) fn chain(&mut self, chain: &mut CounterChain) -> bool {
        self.rate(&mut chain.sent_bps, "a rate at the sender");
        self.rate(&mut chain.received_bps, "a rate at the receiver");
        self.count(&mut chain.packets_sent, "packets sent:");
        self.count(&mut chain.reported_lost, "packets lost:");
        self.count(&mut chain.reported_reordered, "packets out of order:");
        self.contradict(
            &mut chain.reported_lost,
            &mut chain.packets_sent,
            |lost, sent| lost <= sent,
            |lost, sent| format!("{lost} packets lost of {sent} sent cannot be"),
        );
        true
    }
}
