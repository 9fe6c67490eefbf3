//! Each observation in a line: what it saw, in figures, without a judgement.

use crate::path_view::{Reach, reached_sizes};
use crate::words::{self, count, plural};
use evidence::v1::{
    Echo, EchoContext, EchoMode, EchoSeries, HostFacts, Nanos, NotMeasured, PathMtu, Payload, Route,
    RouteFlow, SizeProbeMode, TcpThroughput, UdpStream,
};
use std::collections::BTreeSet;

/// What an observation or a record saw, in one line: in figures, without a judgement.
#[must_use]
pub(crate) fn payload_line(payload: &Payload) -> String {
    let text = format!("{}: {}", words::kind(payload), summary(payload));
    crate::clean(&text).into_owned()
}

/// What an observation saw, without its kind. Not yet cleaned.
pub(crate) fn summary(payload: &Payload) -> String {
    match payload {
        Payload::Route(route) => route_summary(route),
        Payload::PathMtu(sizes) => sizes_summary(sizes),
        Payload::Echo(echo) => echo_summary(echo),
        Payload::TcpThroughput(tcp) => tcp_summary(tcp),
        Payload::UdpStream(udp) => udp_summary(udp),
        Payload::HostFacts(host) => host_summary(host),
        Payload::NotMeasured(gap) => gap_summary(gap),
        record => crate::records::summary(record),
    }
}

fn route_summary(route: &Route) -> String {
    let mut parts = Vec::new();
    let Some(flow) = route.flows.first() else {
        return format!("to {}: no flow was traced", route.destination);
    };
    let hops = plural(flow.hops.len() as u64, "hop", "hops");
    parts.push(match flow.reached_ttl {
        Some(_) => format!("{hops} to {}", route.destination),
        None => format!("{hops} towards {}, which never answered", route.destination),
    });
    let silent: Vec<u8> = flow
        .hops
        .iter()
        .filter(|h| h.replies.is_empty())
        .map(|h| h.ttl)
        .collect();
    if !silent.is_empty() {
        let noun = if silent.len() == 1 { "hop" } else { "hops" };
        parts.push(format!("{noun} {} silent", words::ranges(&silent)));
    }
    let last = flow
        .hops
        .iter()
        .rev()
        .find_map(|h| h.replies.iter().map(|r| r.rtt_ns).min());
    parts.extend(last.map(|rtt| format!("RTT {}", Nanos(rtt))));
    let differing = differing_ttls(&route.flows);
    if !differing.is_empty() {
        parts.push(format!("flows differ at hop {}", words::ranges(&differing)));
    }
    let flows = plural(route.flows.len() as u64, "flow", "flows");
    let packets = plural(u64::from(route.packets_sent), "packet", "packets");
    parts.push(format!("{}, {flows}, {packets}", words::protocol(route.protocol)));
    parts.join("; ")
}

/// TTLs at which the flows of a route met different routers.
pub(crate) fn differing_ttls(flows: &[RouteFlow]) -> Vec<u8> {
    let ttls: BTreeSet<u8> = flows.iter().flat_map(|f| f.hops.iter().map(|h| h.ttl)).collect();
    let routers = |ttl: u8| -> BTreeSet<_> {
        let hops = flows
            .iter()
            .flat_map(|f| f.hops.iter().filter(move |h| h.ttl == ttl));
        hops.flat_map(|h| h.replies.iter().map(|r| r.from)).collect()
    };
    ttls.into_iter().filter(|ttl| routers(*ttl).len() > 1).collect()
}

fn sizes_summary(sizes: &PathMtu) -> String {
    let mut parts = Vec::new();
    for (mode, name) in [
        (SizeProbeMode::DontFragment, "don't fragment"),
        (SizeProbeMode::MayFragment, "may fragment"),
    ] {
        let words: Vec<String> = by_size(sizes, mode)
            .iter()
            .map(|group| size_words(group, sizes.interface_mtu_bytes))
            .collect();
        if !words.is_empty() {
            parts.push(format!("{name}: {}", words.join("; ")));
        }
    }
    parts.push(frag_needed(sizes));
    let own = sizes
        .cells
        .iter()
        .filter_map(|cell| cell.refused_locally_mtu_bytes)
        .min();
    parts.extend(own.map(|limit| format!("this host itself sends no more than {limit} bytes")));
    parts.push(plural(u64::from(sizes.packets_sent), "packet", "packets"));
    parts.join("; ")
}

/// Hops that answered up to the same size and failed from the same size on, nearest first; hops that answered no size
/// at all come last.
fn by_size(sizes: &PathMtu, mode: SizeProbeMode) -> Vec<(Reach, Vec<u8>)> {
    let mut groups: Vec<(Reach, Vec<u8>)> = Vec::new();
    for (ttl, reach) in reached_sizes(sizes, mode) {
        match groups.iter_mut().find(|(of, _)| *of == reach) {
            Some((_, ttls)) => ttls.push(ttl),
            None => groups.push((reach, vec![ttl])),
        }
    }
    groups.sort_by_key(|(reach, _)| reach.largest.is_none());
    groups
}

fn size_words((reach, ttls): &(Reach, Vec<u8>), interface_mtu: u32) -> String {
    let noun = if ttls.len() == 1 { "hop" } else { "hops" };
    let hops = words::ranges(ttls);
    match (reach.largest, reach.failed_above) {
        (Some(size), Some(failed)) => format!("{size} (not {failed}) bytes reach {noun} {hops}"),
        (Some(size), None) if size >= interface_mtu => format!("{size} bytes reach {noun} {hops}"),
        // No larger size was tried there: it may well pass.
        (Some(size), None) => format!("at least {size} bytes reach {noun} {hops}"),
        (None, _) => format!("no answer at any size from {noun} {hops}"),
    }
}

fn frag_needed(sizes: &PathMtu) -> String {
    let said: BTreeSet<_> = sizes
        .cells
        .iter()
        .flat_map(|cell| cell.fragmentation_needed.iter().map(|f| (f.mtu_bytes, f.from)))
        .collect();
    if said.is_empty() {
        return "no \"fragmentation needed\" came back".to_owned();
    }
    let texts: Vec<String> = said
        .into_iter()
        .map(|(mtu, from)| match mtu {
            Some(mtu) => format!("{from} says {mtu} bytes at most"),
            None => format!("{from} says too big, without a limit"),
        })
        .collect();
    texts.join(", ")
}

fn echo_summary(echo: &Echo) -> String {
    let context = match echo.context {
        EchoContext::Idle => "idle",
        EchoContext::UnderLoad => "while a transfer ran",
    };
    let (sent, answered) = echo.series.iter().fold((0_u64, 0_u64), |(s, a), x| {
        (s.saturating_add(x.sent), a.saturating_add(x.answered))
    });
    let ttls: BTreeSet<u8> = echo.series.iter().map(|s| s.ttl).collect();
    let hops = plural(ttls.len() as u64, "hop", "hops");
    let mut parts = vec![format!(
        "{context}: {hops}, {} of {} probes answered",
        count(answered),
        count(sent)
    )];
    let end = echo.series.iter().filter(|s| s.mode == EchoMode::ToDestination);
    parts.extend(end.map(destination_words));
    if let Some(drops) = echo.own_socket_drops.filter(|drops| *drops > 0) {
        parts.push(format!("{} answers lost in our own socket", count(drops)));
    }
    parts.join("; ")
}

fn destination_words(series: &EchoSeries) -> String {
    let lost = words::lost_of(series.sent.saturating_sub(series.answered), series.sent);
    let rtt = series.rtt.map_or(String::new(), |rtt| {
        format!(", RTT {} (90 % under {})", Nanos(rtt.p50_ns), Nanos(rtt.p90_ns))
    });
    format!("destination at {} bytes: {lost} lost{rtt}", series.size_bytes)
}

fn tcp_summary(tcp: &TcpThroughput) -> String {
    let rate = match (tcp.mean_bps, tcp.steady_bps) {
        (Some(mean), Some(steady)) => format!("{mean} mean, {steady} steady"),
        (Some(mean), None) => format!("{mean} mean"),
        (None, _) => "nothing arrived".to_owned(),
    };
    let retransmits: u64 = tcp.intervals.iter().map(|i| u64::from(i.retransmits)).sum();
    let streams = plural(u64::from(tcp.streams), "stream", "streams");
    let mss = tcp
        .requested_mss_bytes
        .map_or(String::new(), |mss| format!(", MSS {mss} asked"));
    let buffer = tcp.requested_socket_buffer_bytes.map_or(String::new(), |b| {
        format!(", socket buffer {} asked", words::bytes(u64::from(b)))
    });
    format!(
        "{} sends, {streams}, {}{mss}{buffer}: {rate}, {} in {}, {}; {}",
        words::end(tcp.sender),
        tcp.congestion_control,
        words::bytes(tcp.bytes_received),
        Nanos(tcp.duration_ns),
        plural(retransmits, "retransmit", "retransmits"),
        words::stop(tcp.stop)
    )
}

fn udp_summary(udp: &UdpStream) -> String {
    let lost = words::lost_of(udp.lost_on_path(), udp.packets_sent);
    let mut text = format!(
        "{} sends {}-byte packets at {}: {lost} lost on the path",
        words::end(udp.sender),
        udp.size_bytes,
        udp.target_bps
    );
    let own = udp.host_drops.known_total();
    if own > 0 {
        text += &format!(", {} dropped in the hosts", count(own));
    }
    for (n, what) in [(udp.reordered, "reordered"), (udp.duplicates, "twice")] {
        if n > 0 {
            text += &format!(", {} {what}", count(n));
        }
    }
    if let Some(delay) = &udp.one_way_delay {
        text += &format!(
            "; delay 99 % within {} of the smallest",
            Nanos(delay.above_min.p99_ns)
        );
    }
    text + "; " + words::stop(udp.stop)
}

fn host_summary(host: &HostFacts) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(host.hostname.clone());
    parts.extend(host.kernel.clone());
    if let Some(interface) = &host.interface {
        let mtu = interface
            .mtu_bytes
            .map_or("MTU unknown".to_owned(), |mtu| format!("MTU {mtu}"));
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
    if parts.is_empty() {
        "nothing could be read".to_owned()
    } else {
        parts.join("; ")
    }
}

fn gap_summary(gap: &NotMeasured) -> String {
    format!(
        "{}: {} ({})",
        words::ask(&gap.ask),
        words::obstacle(gap.reason),
        gap.detail
    )
}

/// The first few of several values of one kind.
pub(crate) fn few(values: &[String]) -> String {
    const FEW: usize = 3;
    let shown = values.iter().take(FEW).cloned().collect::<Vec<_>>().join("; ");
    match values.len().saturating_sub(FEW) {
        0 => shown,
        rest => format!("{shown}; and {rest} more"),
    }
}
