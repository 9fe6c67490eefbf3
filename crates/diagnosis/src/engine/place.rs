//! Where an answer is, in words that two networks agree on.

use super::level::Answer;
use super::posterior::Posterior;
use crate::adapters::Gathered;
use crate::faults::words;
use evidence::{Case, End, HopRef, Location};
use model::{Element, ElementId, NodeId, Path};

/// A place in a finding's terms.
pub(super) struct Located {
    pub(super) location: Location,
    /// To be put behind the claim.
    pub(super) words: String,
    pub(super) ask_whom: String,
}

/// The place of an answer.
pub(super) fn locate(
    case: &Case,
    gathered: &mut Gathered,
    posterior: &Posterior,
    answer: &Answer,
    beside: bool,
) -> Located {
    let mut located = in_order(case, gathered, answer);
    if !answer.other_way.is_empty() {
        located.words += ", on the forward or on the reverse path";
    }
    located.words += &among_routes(gathered, posterior, answer);
    if beside {
        located.words += ", beside the path";
    }
    located
}

/// Where packets may take several routes: on how many of them the place lies.
fn among_routes(gathered: &mut Gathered, posterior: &Posterior, answer: &Answer) -> String {
    let routes = gathered.map.routes(gathered.from, gathered.to);
    let crosses = |id: &ElementId| routes.iter().filter(|route| route.ways.contains(id)).count();
    let fewest = answer.place.iter().map(crosses).min().unwrap_or(0);
    let whole = |route: &&Path| answer.place.iter().all(|id| route.ways.contains(id));
    let mut worlds = posterior.worlds.iter().map(|(faults, _)| faults);
    let likeliest = worlds.find(|faults| faults.contains(&answer.likeliest));
    let others = likeliest
        .and_then(|faults| posterior.repeated(faults))
        .map_or(&[][..], |(_, others)| others);
    match routes.len() {
        all if fewest == 0 || fewest == all => String::new(),
        all if routes.iter().filter(whole).count() == 0 => {
            format!(", where {all} equal routes lie side by side")
        }
        _ if others.iter().any(|fault| crosses(&fault.element) > 0) => String::new(),
        all => format!(", on {fewest} of {all} equal routes"),
    }
}

fn in_order(case: &Case, gathered: &mut Gathered, answer: &Answer) -> Located {
    if let [only] = answer.place.as_slice()
        && let Some(located) = alone(case, gathered, *only)
    {
        return located;
    }
    let ends: Vec<(NodeId, NodeId)> = answer
        .place
        .iter()
        .filter_map(|id| link_ends(gathered.map.element(*id)))
        .collect();
    let (Some((first, _)), Some((_, last))) = (ends.first().copied(), ends.last().copied()) else {
        return beside_a_host(gathered, answer);
    };
    if (first, last) == (gathered.from, gathered.to) {
        return somewhere();
    }
    let (before, after) = (hop(gathered, first), hop(gathered, last));
    Located {
        words: format!(" between {} and {}", words::hop(&before), words::hop(&after)),
        ask_whom: operators(gathered, [first, last], [&before, &after]),
        location: Location::Link { before, after },
    }
}

/// Who runs a stretch: the network that both its routers belong to, else the operators of each.
fn operators(gathered: &Gathered, nodes: [NodeId; 2], hops: [&HopRef; 2]) -> String {
    let routers = hops.iter().all(|hop| hop.ttl > 0) && !nodes.contains(&gathered.to);
    let network = gathered
        .map
        .shared_network(nodes[0], nodes[1])
        .filter(|_| routers);
    let of = |hop: &HopRef| match hop.ttl {
        0 => format!("whoever runs {}", words::hop(hop)),
        _ => format!("the operators of {}", words::hop(hop)),
    };
    network.map_or_else(
        || hops.map(of).join(" and "),
        |network| format!("the operators of {network}"),
    )
}

/// At a host or on what leads to it, where no record tells what that is.
fn beside_a_host(gathered: &Gathered, answer: &Answer) -> Located {
    let host = answer
        .place
        .iter()
        .find_map(|id| match gathered.map.element(*id) {
            Element::Access { host, .. } => Some(*host),
            _ => None,
        });
    let Some(host) = host else { return somewhere() };
    let name = gathered.map.node(host).to_string();
    Located {
        words: format!(" at {name} or on the links next to it"),
        ask_whom: format!("whoever runs {name} and the network that it stands in"),
        location: Location::Path,
    }
}

fn link_ends(element: &Element) -> Option<(NodeId, NodeId)> {
    match element {
        Element::Link { from, to, .. } | Element::Stretch { from, to } => Some((*from, *to)),
        Element::Access { .. } | Element::Host(_) | Element::Interface { .. } | Element::Segment { .. } => {
            None
        }
    }
}

/// A single host or interface.
fn alone(case: &Case, gathered: &mut Gathered, id: ElementId) -> Option<Located> {
    match gathered.map.element(id) {
        Element::Host(node) => {
            let end = [(gathered.from, End::From), (gathered.to, End::To)]
                .into_iter()
                .find(|(n, _)| n == node);
            let name = gathered.map.node(*node).to_string();
            let (location, words) = match end {
                Some((_, end @ End::From)) => (Location::Host { end }, " at the sending host".to_owned()),
                Some((_, end @ End::To)) => (Location::Host { end }, " at the receiving host".to_owned()),
                None => (Location::OtherHost { name: name.clone() }, format!(" at {name}")),
            };
            let party = end.map_or(name, |(_, end)| case.complaint.party(end).name.clone());
            Some(Located {
                location,
                words,
                ask_whom: format!("whoever runs {party}"),
            })
        }
        Element::Interface { device, name, .. } => {
            let (device, name) = (*device, name.clone());
            let node = gathered.map.node(device);
            let device_name = node.called();
            let hop = Some(hop(gathered, device)).filter(|hop| hop.ttl > 0);
            Some(Located {
                words: format!(" at interface {name} of {device_name}"),
                ask_whom: format!(
                    "the operators of {device_name}: the counters of {name} before and after a transfer, and after clearing it"
                ),
                location: Location::Interface {
                    device: device_name,
                    interface: name,
                    hop,
                },
            })
        }
        Element::Segment { before, after } => Some(Located {
            words: format!(" between the counters “{before}” and “{after}”"),
            ask_whom: format!(
                "the operators of both counters, {before} and {after}: framing and checksum errors of the interfaces between \
                 them, in this direction"
            ),
            location: Location::Segment {
                before: before.clone(),
                after: after.clone(),
            },
        }),
        Element::Link { .. } | Element::Stretch { .. } | Element::Access { .. } => None,
    }
}

fn somewhere() -> Located {
    Located {
        location: Location::Path,
        words: " somewhere on the path".to_owned(),
        ask_whom: "the operators of the networks on the path".to_owned(),
    }
}

/// A node as a hop of the way complained about; a router elsewhere keeps the number that its own trace gives it, and a host
/// has none.
fn hop(gathered: &mut Gathered, node: NodeId) -> HopRef {
    let known = gathered.map.node(node);
    let way = gathered.map.path(gathered.from, gathered.to);
    let at = |path: &Path| path.hops.iter().find(|hop| hop.node == node).map(|hop| hop.ttl);
    let measures = gathered.measurements.iter().any(|m| m.from == node);
    let elsewhere = || gathered.map.paths().iter().filter_map(at).min();
    let ttl = match at(&way) {
        _ if node == gathered.from => 0,
        Some(ttl) if way.traced => ttl,
        None if way.traced && measures => 0,
        guessed => elsewhere().or(guessed).unwrap_or(0),
    };
    HopRef {
        ttl,
        address: known.address,
        name: known.name,
    }
}
