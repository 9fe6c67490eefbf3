//! Nodes, links, addresses and routes.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use toml::Spanned;

use super::context::{Checked, Context};
use super::ranges;
use crate::model::{Scenario, StaticRoute};
use crate::network::{Direction, End, Link, LinkId, Node, NodeId, Role, Settings};
use crate::prefix::{Family, Prefix};
use crate::raw;

const DEFAULT_MTU_BYTES: u32 = 1500;

pub(super) fn nodes(context: &mut Context<'_>, file: &raw::File, scenario: &mut Scenario) -> Checked<()> {
    let hosts = file.host.iter().map(|n| (Role::Host, n));
    for (role, raw) in hosts.chain(file.router.iter().map(|n| (Role::Router, n))) {
        let name = raw.name.get_ref();
        if !is_dns_name(name) {
            let reason = format!("`{name}` is not a DNS name: letters, digits, `-` and `.`, at most 253");
            return context.fail(&raw.name.span(), reason);
        }
        if context
            .names
            .insert(name.clone(), NodeId(scenario.nodes.len()))
            .is_some()
        {
            return context.fail(&raw.name.span(), format!("the name `{name}` is given twice"));
        }
        let mut settings = Settings::default();
        let change = raw.settings();
        ranges::settings(context, &raw.name.span(), &change)?;
        settings.apply(&change);
        let addresses = raw.addresses.iter().map(|a| *a.get_ref()).collect();
        scenario.nodes.push(Node {
            name: name.clone(),
            role,
            in_dns: raw.dns,
            addresses,
            settings,
        });
    }
    unique_addresses(context, file)
}

fn is_dns_name(name: &str) -> bool {
    let label = |l: &str| {
        (1..=63).contains(&l.len())
            && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !l.starts_with('-')
            && !l.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

fn unique_addresses(context: &Context<'_>, file: &raw::File) -> Checked<()> {
    let nodes = file.host.iter().chain(&file.router).flat_map(|n| &n.addresses);
    let ends = file
        .link
        .iter()
        .flat_map(|l| [&l.get_ref().a, &l.get_ref().b])
        .flat_map(|e| &e.addresses);
    let mut seen = BTreeMap::new();
    for address in nodes.chain(ends) {
        let ip = *address.get_ref();
        if ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() {
            return context.fail(
                &address.span(),
                format!("{ip} is not an address that a node can have"),
            );
        }
        if seen.insert(ip, ()).is_some() {
            return context.fail(&address.span(), format!("the address {ip} is given twice"));
        }
    }
    Ok(())
}

pub(super) fn links(context: &Context<'_>, file: &raw::File, scenario: &mut Scenario) -> Checked<()> {
    for spanned in &file.link {
        let raw = spanned.get_ref();
        let ends = [end(context, file, raw, &raw.a)?, end(context, file, raw, &raw.b)?];
        let [a, b] = [ends[0].node, ends[1].node];
        if a == b {
            let reason = format!("both ends of the link are `{}`", raw.a.node.get_ref());
            return context.fail(&raw.b.node.span(), reason);
        }
        if scenario.link_between(a, b).is_some() {
            let (a, b) = (raw.a.node.get_ref(), raw.b.node.get_ref());
            return context.fail(&raw.b.node.span(), format!("a second link joins `{a}` and `{b}`"));
        }
        let mut directions = [Direction::default(), Direction::default()];
        for (direction, own) in directions.iter_mut().zip([&raw.a_to_b, &raw.b_to_a]) {
            for change in [&raw.both, own].into_iter().flatten() {
                ranges::direction(context, change)?;
                direction.apply(change.get_ref());
            }
            ranges::queue_needs_rate(context, &spanned.span(), direction)?;
        }
        scenario.links.push(Link {
            ends,
            directions,
            offloads: raw.offloads,
            emulated: false,
        });
    }
    Ok(())
}

fn end(context: &Context<'_>, file: &raw::File, link: &raw::Link, end: &raw::End) -> Checked<End> {
    let node = context.node(&end.node)?;
    let raw_node = file.host.iter().chain(&file.router).nth(node.0);
    let mtu = end
        .mtu
        .as_ref()
        .or(link.mtu.as_ref())
        .or(raw_node.and_then(|n| n.mtu.as_ref()));
    let mtu_bytes = mtu.map_or(Ok(DEFAULT_MTU_BYTES), |m| ranges::mtu(context, m))?;
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in &end.addresses {
        let ip = *address.get_ref();
        if addresses.iter().any(|a| Family::of(*a) == Family::of(ip)) {
            return context.fail(
                &address.span(),
                "a link end has at most one address of each family",
            );
        }
        addresses.push(ip);
    }
    Ok(End {
        node,
        addresses,
        mtu_bytes,
    })
}

/// Link ends without an address of a family that the scenario speaks get one: from 198.18.0.0/15 (RFC 2544,
/// reserved for tests between networks) and 2001:db8::/32 (RFC 3849).
pub(super) fn assign_addresses(file: &raw::File, scenario: &mut Scenario) {
    for (index, link) in scenario.links.iter_mut().enumerate() {
        for (end, host) in link.ends.iter_mut().zip(1u8..) {
            let lacks = |end: &End, family| !end.addresses.iter().any(|a| Family::of(*a) == family);
            if file.ipv4 && lacks(end, Family::V4) {
                let base = Ipv4Addr::new(198, 18, 0, 0).to_bits();
                let address = base + (index as u32 % 32_768) * 4 + u32::from(host);
                end.addresses.push(Ipv4Addr::from_bits(address).into());
            }
            if file.ipv6 && lacks(end, Family::V6) {
                let address = Ipv6Addr::new(0x2001, 0xdb8, 0, index as u16, 0, 0, 0, u16::from(host));
                end.addresses.push(address.into());
            }
        }
    }
}

pub(super) fn routes(context: &Context<'_>, file: &raw::File, scenario: &mut Scenario) -> Checked<()> {
    for route in file.route.iter().map(Spanned::get_ref) {
        let node = context.node(&route.node)?;
        let links = next_links(context, scenario, route)?;
        let to = route.to.get_ref();
        let to = match (context.names.get(to), Prefix::parse(to)) {
            (Some(id), _) => scenario.addresses_of(*id).into_iter().map(Prefix::host).collect(),
            (None, Some(prefix)) => vec![prefix],
            (None, None) => {
                return context.fail(&route.to.span(), format!("`{to}` is neither a node nor a prefix"));
            }
        };
        scenario.routes.push(StaticRoute { node, to, links });
    }
    Ok(())
}

fn next_links(context: &Context<'_>, scenario: &Scenario, route: &raw::Route) -> Checked<Vec<LinkId>> {
    let span = route.via.span();
    let names = match route.via.get_ref() {
        raw::Via::One(name) => std::slice::from_ref(name),
        raw::Via::Several(names) => names,
    };
    if names.is_empty() {
        return context.fail(&span, "`via` names at least one neighbour");
    }
    let mut links = Vec::new();
    for name in names {
        let neighbour = Spanned::new(span.clone(), name.clone());
        let link = context.link(scenario, &route.node, &neighbour)?;
        if links.contains(&link) {
            return context.fail(&span, format!("`{name}` is named twice"));
        }
        links.push(link);
    }
    Ok(links)
}
