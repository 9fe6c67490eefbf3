//! Each observation in a line: what it saw, in figures, without a judgement.

mod gaps;
mod paths;
mod rest;
mod sizes;
mod transfers;

pub(crate) use paths::is_to_target;
pub(crate) use transfers::{retransmits, transfer as transfer_summary};

use crate::names::Names;
use crate::words::{self, plural};
use evidence::{Complaint, HostFacts, Payload};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What an observation or a record saw, in one line: in figures, without a judgement. `complaint` says which hosts are its
/// ends; of a record by itself there is none.
#[must_use]
pub fn payload_line(payload: &Payload, complaint: Option<&Complaint>) -> String {
    static OF_NO_COMPLAINT: LazyLock<Names> = LazyLock::new(|| Names::without_case(None));
    let summary = match complaint {
        Some(_) => summary(payload, &Names::without_case(complaint)),
        None => summary(payload, &OF_NO_COMPLAINT),
    };
    let text = format!("{}: {summary}", words::kind(payload));
    match crate::clean(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(cleaned) => cleaned,
    }
}

/// What an observation saw, without its kind. Not yet cleaned.
pub(crate) fn summary(payload: &Payload, names: &Names) -> String {
    match payload {
        Payload::Trace(trace) => paths::trace(trace, names),
        Payload::Probes(probes) => paths::probes(probes, names),
        Payload::LinkCapacities(path) => paths::capacities(path, names),
        Payload::RouteHistory(history) => paths::history(history, names),
        Payload::Transfer(transfer) => transfers::transfer(transfer, names),
        Payload::Series(series) => transfers::series(series, names),
        Payload::Sockets(sockets) => transfers::sockets(sockets),
        Payload::HostFacts(host) => host_summary(host),
        Payload::InterfaceCounters(counters) => rest::interface(counters),
        Payload::CounterChain(chain) => rest::chain(chain, names),
        Payload::Statement(statement) => rest::statement(statement),
        Payload::NotMeasured(gap) => gaps::gap(gap, names),
    }
}

/// The first settings, or other facts in a tool's words, where nothing else was told.
fn settings(sysctls: &BTreeMap<String, String>) -> Option<String> {
    const SHOWN: usize = 3;
    let mut shown: Vec<String> = sysctls
        .iter()
        .take(SHOWN)
        .map(|(name, value)| {
            format!(
                "{name} {}",
                value.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    let left = sysctls.len().saturating_sub(SHOWN) as u64;
    if left > 0 {
        shown.push(plural(left, "other setting", "other settings"));
    }
    (!shown.is_empty()).then(|| shown.join("; "))
}

fn host_summary(host: &HostFacts) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(host.hostname.clone());
    parts.extend(host.kernel.clone());
    let names = parts.len();
    let counted = |counters: &BTreeMap<String, u64>| plural(counters.len() as u64, "counter", "counters");
    if let Some(interface) = &host.interface {
        let mtu = match interface.mtu_bytes {
            Some(mtu) => format!("MTU {mtu}"),
            None if !interface.counters.is_empty() => counted(&interface.counters),
            None => "MTU unknown".to_owned(),
        };
        let speed = interface
            .speed_mbps
            .map_or(String::new(), |s| format!(", {s} Mbit/s"));
        parts.push(format!("{} {mtu}{speed}", interface.name));
    }
    parts.extend(
        host.congestion_control
            .as_ref()
            .map(|cc| format!("congestion control {cc}")),
    );
    for name in ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"] {
        if let Some(value) = host.sysctls.get(name) {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            parts.push(format!("{name} {value}"));
        }
    }
    parts.extend(
        host.cpu
            .as_ref()
            .map(|cpu| plural(u64::from(cpu.online), "processor", "processors")),
    );
    for facts in [&host.sysctls, &host.other] {
        if parts.len() == names {
            parts.extend(settings(facts));
        }
    }
    if parts.len() == names && !host.counters.is_empty() {
        let of = |name: &str| host.counters.get(name);
        let segments = of("Tcp.RetransSegs").zip(of("Tcp.OutSegs")).map(|(again, out)| {
            format!(
                ", {} of {} TCP segments retransmitted",
                words::count(*again),
                words::count(*out)
            )
        });
        parts.push(counted(&host.counters) + &segments.unwrap_or_default());
    }
    match parts.is_empty() {
        true => "nothing could be read".to_owned(),
        false => parts.join("; "),
    }
}
