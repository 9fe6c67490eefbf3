//! Equal routes: routers spread connections over ways that lie side by side, by a hash of addresses and ports (RFC 2992), and
//! a trace of several flows sees some of them (Augustin et al., "Avoiding traceroute anomalies with Paris traceroute", 2006).

use super::{ElementId, Map, NodeId, Path};

/// So many equal routes are told apart: routers spread over as many, and a file may claim any number.
const MOST_ROUTES: usize = 16;

impl Map {
    /// The equal routes that packets may take from one node to another: the one that [`Map::path`] gives first. Flows of one
    /// trace show them; traces of different times may differ because the route changed.
    pub fn routes(&mut self, from: NodeId, to: NodeId) -> Vec<Path> {
        let mut routes = vec![self.path(from, to)];
        let parts = self
            .side_by_side
            .iter()
            .filter_map(|path| path.as_far_as(from, to));
        for other in parts {
            if routes.len() < MOST_ROUTES && routes.iter().all(|known| differ(known, &other)) {
                routes.push(other);
            }
        }
        routes
    }

    /// Of each of the equal routes the elements that some other of them does not cross; nothing where there is one route. They
    /// are put into `out`, the elements that packets cross behind their sender.
    pub fn open_routes(&mut self, from: NodeId, to: NodeId, out: &mut Vec<ElementId>) -> Vec<Vec<ElementId>> {
        let routes = self.routes(from, to);
        if routes.len() < 2 {
            return Vec::new();
        }
        let shared = |id: &ElementId| routes.iter().all(|route| route.ways.contains(id));
        let own = |route: &Path| route.ways.iter().copied().filter(|id| !shared(id)).collect();
        let own: Vec<Vec<ElementId>> = routes.iter().map(own).collect();
        for id in own.iter().flatten() {
            if !out.contains(id) {
                out.insert(1.min(out.len()), *id);
            }
        }
        own
    }
}

/// Two ways differ where different nodes answered at one hop. Silence is no difference.
fn differ(a: &Path, b: &Path) -> bool {
    let other = |ttl: u8| b.hops.iter().find(|hop| hop.ttl == ttl);
    a.hops
        .iter()
        .any(|hop| other(hop.ttl).is_some_and(|there| there.node != hop.node))
}

/// Of the flows of one trace those that went different ways, the fullest first; none where all went one way.
pub(super) fn distinct(mut flows: Vec<Path>) -> Vec<Path> {
    flows.sort_by(|a, b| (b.hops.len().cmp(&a.hops.len())).then_with(|| a.ways.cmp(&b.ways)));
    let mut kept: Vec<Path> = Vec::new();
    for flow in flows {
        if kept.len() < MOST_ROUTES && kept.iter().all(|other| differ(other, &flow)) {
            kept.push(flow);
        }
    }
    if kept.len() < 2 {
        kept.clear();
    }
    kept
}

#[cfg(test)]
mod tests {
    use crate::map::{Hops, MapBuilder};
    use evidence::Node;

    fn flow(hops: &str) -> (Hops, bool) {
        let nodes = hops.split(' ').map(|hop| (hop != "*").then(|| Node::read(hop)));
        ((1..).zip(nodes).collect(), hops.ends_with('z'))
    }

    fn routes(flows: &[&str]) -> usize {
        let mut builder = MapBuilder::default();
        let [a, z] = ["a", "z"].map(Node::read);
        builder.flows(&a, &z, flows.iter().map(|hops| flow(hops)).collect());
        let mut map = builder.build();
        let [a, z] = [a, z].map(|node| map.find(&node).unwrap());
        let routes = map.routes(a, z);
        let mut out = routes[0].ways.clone();
        let own = map.open_routes(a, z, &mut out);
        assert!(own.iter().all(|own| !own.is_empty()));
        let every = routes.iter().flat_map(|route| &route.ways);
        assert!(own.is_empty() || every.into_iter().all(|id| out.contains(id)));
        routes.len()
    }

    #[test]
    fn flows_over_different_routers_are_different_routes() {
        assert_eq!(routes(&["r1 m1 r3 z", "r1 m2 r3 z", "r1 m1 r3 z"]), 2);
        assert_eq!(routes(&["r1 m1 r3 n1 z", "r1 m2 r3 n2 z", "r1 m1 r3 n2 z"]), 3);
    }

    #[test]
    fn silence_is_no_other_route() {
        assert_eq!(routes(&["r1 m1 r3 z", "r1 * r3 z", "r1 m1 * z"]), 1);
        assert_eq!(routes(&["r1 m1 n1 z", "r1 * * z"]), 1);
    }

    #[test]
    fn a_later_trace_is_no_other_route() {
        let mut builder = MapBuilder::default();
        let [a, z] = ["a", "z"].map(Node::read);
        for hops in ["r1 m1 r3 z", "r1 m2 r3 z"] {
            builder.flows(&a, &z, vec![flow(hops)]);
        }
        let mut map = builder.build();
        let [a, z] = [a, z].map(|node| map.find(&node).unwrap());
        assert_eq!(map.routes(a, z).len(), 1);
    }
}
