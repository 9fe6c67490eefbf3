//! `slowpath path` as text: one line per hop, with what is known of it side by side.

use crate::safe::printable;
use evidence::{
    Echo, EchoMode, Nanos, Observation, PathMtu, Payload, Route, RouteFlow, RouteHop, RttSummary, SizeProbeMode,
};
use std::fmt::Write as _;
use std::net::IpAddr;

/// The path that `seen` shows: the newest route, with the packet sizes and echoes measured beside it.
#[must_use]
pub fn path_table(seen: &[Observation]) -> String {
    let Some(route) = seen.iter().rev().find_map(|o| if let Payload::Route(route) = &o.payload { Some(route) } else { None })
    else {
        return String::new();
    };
    let sizes = seen.iter().rev().find_map(|o| if let Payload::PathMtu(sizes) = &o.payload { Some(sizes) } else { None });
    let echo = seen.iter().rev().find_map(|o| if let Payload::Echo(echo) = &o.payload { Some(echo) } else { None });
    let mut text = headline(route);
    for (number, flow) in route.flows.iter().enumerate() {
        if number > 0 && same_hops(flow, &route.flows[0]) {
            continue;
        }
        if number > 0 {
            let _ = writeln!(text, "\nflow {} (source port {}) differs:", number + 1, flow.source_port);
        }
        for hop in &flow.hops {
            text.push_str(&hop_lines(route, hop, sizes, echo.filter(|_| number == 0)));
        }
    }
    if let Some(sizes) = sizes {
        text.push_str(&size_summary(sizes));
    }
    text
}

fn headline(route: &Route) -> String {
    let name = route.names.get(&route.destination).map(|name| format!("{} ", printable(name))).unwrap_or_default();
    let flows = if route.flows.len() == 1 { String::new() } else { format!(", {} flows", route.flows.len()) };
    let reached = match route.flows.iter().find_map(|flow| flow.reached_ttl) {
        Some(ttl) => format!("reached at hop {ttl}"),
        None => "the destination did not answer".to_owned(),
    };
    format!(
        "path to {name}({}){flows}: {reached}; {} packets, {}\n",
        route.destination,
        route.packets_sent,
        Nanos(route.elapsed_ns)
    )
}

fn same_hops(a: &RouteFlow, b: &RouteFlow) -> bool {
    let addresses = |flow: &RouteFlow| -> Vec<Option<IpAddr>> {
        flow.hops.iter().map(|hop| hop.replies.first().map(|reply| reply.from)).collect()
    };
    addresses(a) == addresses(b)
}

fn hop_lines(route: &Route, hop: &RouteHop, sizes: Option<&PathMtu>, echo: Option<&Echo>) -> String {
    let mut text = String::new();
    let mut addresses: Vec<IpAddr> = hop.replies.iter().map(|reply| reply.from).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let Some((first, more)) = addresses.split_first() else {
        let _ = writeln!(text, "{:>3}  silent ({} probes unanswered)", hop.ttl, hop.sent);
        return text;
    };
    let mut rtts: Vec<u64> = hop.replies.iter().map(|reply| reply.rtt_ns).collect();
    let rtt = RttSummary::of(&mut rtts).map(|rtt| Nanos(rtt.min_ns).to_string()).unwrap_or_default();
    let answered = format!("{}/{}", hop.replies.len().min(hop.sent.into()), hop.sent);
    let largest = sizes.and_then(|sizes| largest_through(sizes, hop.ttl)).map(|size| format!("{size} B")).unwrap_or_default();
    let _ = write!(text, "{:>3}  {:<58} {rtt:>9}  {answered:>5}  {largest:>7}", hop.ttl, who(route, *first));
    for label in hop.replies.first().map(|reply| reply.mpls.as_slice()).unwrap_or_default() {
        let _ = write!(text, "  MPLS {}", label.label);
    }
    trim_end(&mut text);
    for address in more {
        let _ = writeln!(text, "     {}", who(route, *address));
    }
    for series in echo.map(|echo| echo.series.as_slice()).unwrap_or_default() {
        if series.ttl == hop.ttl {
            let mode = match series.mode {
                EchoMode::Expiring => "forwarded as data",
                EchoMode::Direct => "pinged itself",
                EchoMode::ToDestination => "destination",
            };
            let rtt = series
                .rtt
                .map_or_else(String::new, |rtt| format!(", RTT {} / {} / {}", Nanos(rtt.min_ns), Nanos(rtt.p50_ns), Nanos(rtt.max_ns)));
            let _ = writeln!(text, "       {:>5} B {mode}: {} of {} answered{rtt}", series.size_bytes, series.answered, series.sent);
        }
    }
    text
}

fn trim_end(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}

fn who(route: &Route, address: IpAddr) -> String {
    match route.names.get(&address) {
        Some(name) => format!("{} ({address})", printable(name)),
        None => address.to_string(),
    }
}

/// The largest unfragmented packet that this hop was seen to receive.
fn largest_through(sizes: &PathMtu, ttl: u8) -> Option<u32> {
    let here = |cell: &&evidence::SizeCell| {
        cell.ttl == Some(ttl) || cell.ttl.is_none() && sizes.destination_ttl == Some(ttl)
    };
    let passed = |cell: &&evidence::SizeCell| cell.answered > 0 && cell.mode == SizeProbeMode::DontFragment;
    sizes.cells.iter().filter(here).filter(passed).map(|cell| cell.size_bytes).max()
}

fn size_summary(sizes: &PathMtu) -> String {
    let to_end = |answered: bool| {
        let cells = sizes.cells.iter().filter(|cell| cell.ttl.is_none() && cell.mode == SizeProbeMode::DontFragment);
        cells.filter(move |cell| (cell.answered > 0) == answered).map(|cell| cell.size_bytes)
    };
    let mut text = match (to_end(true).max(), to_end(false).min()) {
        (None, _) => "no size reached the destination, or it does not answer\n".to_owned(),
        (Some(passed), None) => format!("{passed} bytes reach the destination unfragmented; nothing larger can leave this host\n"),
        (Some(passed), Some(lost)) => format!("{passed} bytes reach the destination unfragmented, {lost} do not\n"),
    };
    let mut told: Vec<_> = sizes.cells.iter().flat_map(|cell| &cell.fragmentation_needed).collect();
    told.sort_by_key(|said| (said.from, said.mtu_bytes));
    told.dedup();
    for said in told {
        let mtu = said.mtu_bytes.map_or_else(|| "no size".to_owned(), |mtu| format!("MTU {mtu}"));
        let _ = writeln!(text, "{} said \"fragmentation needed\", {mtu}", said.from);
    }
    text
}
