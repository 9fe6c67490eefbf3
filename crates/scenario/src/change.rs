//! What can be set on one direction of a link or on a node, at the start or by the timeline.
//!
//! One type serves both: the starting values are a change applied to the defaults. So whatever a file can
//! configure, its timeline can change.

use serde::Deserialize;

use crate::units::{Delay, Rate};

/// Settings of one direction of a link; an absent field leaves the value as it is.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionChange {
    /// Serialisation rate, counting whole IP packets. Default: unlimited.
    pub rate: Option<Rate>,
    /// One-way delay of the link itself, without serialisation and queue. Default: 0.
    pub delay: Option<Delay>,
    /// Capacity of the drop-tail queue in front of the link, in bytes of IP packets. Only with `rate`.
    /// Default: 50 ms of `rate`, at least 64 kB.
    pub queue_bytes: Option<u64>,
    /// The far interface takes IP packets up to this size and drops larger ones without a word, after they have
    /// used their share of the link. Default: all.
    pub accept_bytes: Option<u32>,
    /// Which packets are lost on the wire. Default: none.
    pub loss: Option<Loss>,
    /// Which packets are overtaken by later ones. Default: none.
    pub reorder: Option<Reorder>,
    /// Share of packets that arrive twice, 0 to 1. Default: 0.
    pub duplicate: Option<f64>,
    /// Share of packets that arrive with one bit flipped behind the IP header, 0 to 1. Default: 0.
    pub corrupt: Option<f64>,
    /// A token bucket in front of the queue that drops what exceeds it. Default: none.
    pub policer: Option<Policer>,
}

/// Which packets are lost on the wire of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Loss {
    /// No packet.
    #[default]
    None,
    /// Each packet on its own with this probability, 0 to 1.
    Random(f64),
    /// Every n-th packet, n ≥ 1: the same long-run ratio as `Random(1/n)` without its scatter.
    Every(u64),
    /// Bursts after Gilbert and Elliott.
    GilbertElliott(GilbertElliott),
}

/// The two-state loss model (E. N. Gilbert 1960, E. O. Elliott 1963). The state changes before each packet.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability of going from the good to the bad state, per packet.
    pub enter_bad: f64,
    /// Probability of going from the bad to the good state, per packet; its inverse is the mean burst length.
    pub leave_bad: f64,
    /// Probability of loss in the good state. Default: 0 (Gilbert).
    #[serde(default)]
    pub loss_good: f64,
    /// Probability of loss in the bad state. Default: 1.
    #[serde(default = "one")]
    pub loss_bad: f64,
}

fn one() -> f64 {
    1.0
}

impl GilbertElliott {
    /// Long-run share of lost packets, 0 to 1.
    #[must_use]
    pub fn mean_loss_ratio(&self) -> f64 {
        let leaving = self.enter_bad + self.leave_bad;
        let in_bad = if leaving > 0.0 {
            self.enter_bad / leaving
        } else {
            0.0
        };
        (1.0 - in_bad) * self.loss_good + in_bad * self.loss_bad
    }
}

impl Loss {
    /// Long-run share of lost packets, 0 to 1.
    #[must_use]
    pub fn mean_loss_ratio(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Random(ratio) => *ratio,
            Self::Every(n) => 1.0 / (*n as f64),
            Self::GilbertElliott(model) => model.mean_loss_ratio(),
        }
    }
}

/// Packets that are held back so that later ones overtake them.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reorder {
    /// Share of packets held back, 0 to 1.
    pub ratio: f64,
    /// How much later than in order they arrive.
    pub by: Delay,
}

/// A token bucket that drops (does not queue) what exceeds it (RFC 2697's committed part).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policer {
    /// Rate at which tokens come in.
    pub rate: Rate,
    /// Depth of the bucket in bytes; it starts full.
    pub burst_bytes: u64,
}

/// Settings of a node; an absent field leaves the value as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsChange {
    /// Never says "time exceeded" (ICMP type 11, ICMPv6 type 3).
    pub no_time_exceeded: Option<bool>,
    /// Forwards, but says nothing at all itself: no ICMP, no answer to anything.
    pub mute: Option<bool>,
    /// ICMP errors a second that the node may send; "fragmentation needed" over IPv4 is exempt in Linux.
    /// Default: practically unlimited.
    pub icmp_rate_limit_per_s: Option<u32>,
    /// Ignores echo requests to itself whose IP packet is larger than this; forwards all.
    pub ignores_echo_over_bytes: Option<u32>,
    /// Never says "fragmentation needed" (ICMP type 3 code 4, ICMPv6 type 2).
    pub no_frag_needed: Option<bool>,
    /// Drops TCP and UDP that begin something: a stateful firewall, behind which only what it asked for arrives.
    pub firewalled: Option<bool>,
    /// Upper limit of TCP's receive buffer in bytes (`net.ipv4.tcp_rmem[2]`). Default: 64 MiB.
    pub tcp_rmem_max: Option<u32>,
    /// Upper limit of TCP's send buffer in bytes (`net.ipv4.tcp_wmem[2]`). Default: 64 MiB.
    pub tcp_wmem_max: Option<u32>,
    /// `cubic`, `reno` or `bbr`. Default: `cubic`.
    pub congestion_control: Option<String>,
    /// `net.ipv4.tcp_mtu_probing`: 0 off, 1 after a black hole was suspected, 2 always (RFC 4821). Default: 0.
    pub tcp_mtu_probing: Option<u8>,
    /// Of each `cpu_period`, the share in percent in which the node's programs run; for the rest they are stopped.
    /// 0 stops them for good, 100 lets them run. The node's kernel goes on: it acknowledges, answers and forwards.
    /// Default: 100.
    pub cpu_percent: Option<u8>,
    /// Length of one such turn. Default: 100 ms.
    pub cpu_period: Option<Delay>,
}
