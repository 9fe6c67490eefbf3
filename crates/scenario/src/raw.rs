//! The file as written. Spans are kept where a later check may have to point at the line.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;
use toml::Spanned;

use crate::change::{DirectionChange, SettingsChange};
use crate::traffic::TrafficKind;
use crate::truth::{FaultFamily, PathDirection, RedHerringKind};
use crate::units::{Delay, Rate};

pub(crate) type Name = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default = "yes")]
    pub(crate) ipv4: bool,
    #[serde(default)]
    pub(crate) ipv6: bool,
    #[serde(default)]
    pub(crate) host: Vec<Node>,
    #[serde(default)]
    pub(crate) router: Vec<Node>,
    #[serde(default)]
    pub(crate) link: Vec<Spanned<Link>>,
    #[serde(default)]
    pub(crate) route: Vec<Spanned<Route>>,
    #[serde(default)]
    pub(crate) traffic: Vec<Spanned<Traffic>>,
    #[serde(default)]
    pub(crate) timeline: Vec<Spanned<Event>>,
    pub(crate) run: Option<Spanned<Run>>,
    pub(crate) truth: Option<Spanned<Truth>>,
}

fn yes() -> bool {
    true
}

/// A node's own fields and its settings side by side: serde cannot both flatten and deny unknown fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    pub(crate) name: Name,
    #[serde(default = "yes")]
    pub(crate) dns: bool,
    #[serde(default)]
    pub(crate) addresses: Vec<Spanned<IpAddr>>,
    pub(crate) mtu: Option<Spanned<u32>>,
    no_time_exceeded: Option<bool>,
    mute: Option<bool>,
    icmp_rate_limit_per_s: Option<u32>,
    ignores_echo_over_bytes: Option<u32>,
    no_frag_needed: Option<bool>,
    firewalled: Option<bool>,
    tcp_rmem_max: Option<u32>,
    tcp_wmem_max: Option<u32>,
    congestion_control: Option<String>,
    tcp_mtu_probing: Option<u8>,
    cpu_percent: Option<u8>,
    cpu_period: Option<Delay>,
}

impl Node {
    pub(crate) fn settings(&self) -> SettingsChange {
        SettingsChange {
            no_time_exceeded: self.no_time_exceeded,
            mute: self.mute,
            icmp_rate_limit_per_s: self.icmp_rate_limit_per_s,
            ignores_echo_over_bytes: self.ignores_echo_over_bytes,
            no_frag_needed: self.no_frag_needed,
            firewalled: self.firewalled,
            tcp_rmem_max: self.tcp_rmem_max,
            tcp_wmem_max: self.tcp_wmem_max,
            congestion_control: self.congestion_control.clone(),
            tcp_mtu_probing: self.tcp_mtu_probing,
            cpu_percent: self.cpu_percent,
            cpu_period: self.cpu_period,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Link {
    pub(crate) a: End,
    pub(crate) b: End,
    pub(crate) mtu: Option<Spanned<u32>>,
    #[serde(default)]
    pub(crate) offloads: bool,
    pub(crate) both: Option<Spanned<DirectionChange>>,
    pub(crate) a_to_b: Option<Spanned<DirectionChange>>,
    pub(crate) b_to_a: Option<Spanned<DirectionChange>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct End {
    pub(crate) node: Name,
    #[serde(default)]
    pub(crate) addresses: Vec<Spanned<IpAddr>>,
    pub(crate) mtu: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Route {
    pub(crate) node: Name,
    pub(crate) to: Name,
    pub(crate) via: Spanned<Via>,
}

/// One neighbour, or several that share the packets.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a neighbour's name or a list of them")]
pub(crate) enum Via {
    One(String),
    Several(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Traffic {
    pub(crate) from: Name,
    pub(crate) to: Name,
    pub(crate) kind: TrafficKind,
    pub(crate) rate: Option<Rate>,
    pub(crate) packet_bytes: Option<Spanned<u32>>,
    pub(crate) streams: Option<Spanned<u32>>,
    #[serde(default)]
    pub(crate) start: f64,
    pub(crate) end: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    pub(crate) at: Option<f64>,
    pub(crate) every: Option<f64>,
    pub(crate) step: Option<String>,
    pub(crate) from: Option<Name>,
    pub(crate) to: Option<Name>,
    pub(crate) set: Option<Spanned<DirectionChange>>,
    pub(crate) mtu: Option<Spanned<u32>>,
    pub(crate) node: Option<Name>,
    pub(crate) settings: Option<Spanned<SettingsChange>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) from: Name,
    pub(crate) to: Name,
    pub(crate) expect: Option<Rate>,
    #[serde(default = "yes")]
    pub(crate) far_end: bool,
    #[serde(default)]
    pub(crate) diagnose_args: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Truth {
    pub(crate) code: Spanned<String>,
    #[serde(default)]
    pub(crate) also_accept: Vec<Spanned<String>>,
    pub(crate) family: Option<FaultFamily>,
    pub(crate) link: Option<TruthLink>,
    pub(crate) host: Option<Name>,
    pub(crate) direction: Option<PathDirection>,
    pub(crate) threshold_bytes: Option<u32>,
    #[serde(default)]
    pub(crate) further: Vec<Fault>,
    #[serde(default)]
    pub(crate) red_herring: Vec<RedHerring>,
    #[serde(default)]
    pub(crate) after: BTreeMap<Spanned<String>, Spanned<Truth>>,
}

/// A fault beside the main one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    pub(crate) code: Spanned<String>,
    #[serde(default)]
    pub(crate) also_accept: Vec<Spanned<String>>,
    pub(crate) family: Option<FaultFamily>,
    pub(crate) link: Option<TruthLink>,
    pub(crate) host: Option<Name>,
    pub(crate) direction: Option<PathDirection>,
    pub(crate) threshold_bytes: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TruthLink {
    pub(crate) from: Name,
    pub(crate) to: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedHerring {
    pub(crate) node: Name,
    pub(crate) kind: RedHerringKind,
}
