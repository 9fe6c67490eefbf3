//! The names of the two ends in what was measured between them.

use evidence::{Node, Party, Payload};
use probe::http::Target;

/// Names the hosts of a measurement that was made at `from`, towards `to`, each at the address that was used. The case
/// knows them by the user's names; sockets, and a far end that nobody told, know addresses alone.
pub(crate) fn name_ends(payload: &mut Payload, from: &Party, to: &Party) {
    match payload {
        Payload::Trace(trace) => {
            trace.from = named(from, &trace.from);
            trace.to = named(to, &trace.to);
        }
        Payload::Probes(table) => {
            table.from = named(from, &table.from);
            if let Some(destination) = &mut table.destination {
                let measured = std::mem::replace(destination, named(to, destination));
                // A row with a TTL tells who is there, which is an address whoever it belongs to.
                for row in table.rows.iter_mut().filter(|row| row.ttl.is_none()) {
                    if row.to == measured {
                        row.to = destination.clone();
                    }
                }
            }
        }
        Payload::Transfer(transfer) => {
            transfer.from = named(from, &transfer.from);
            transfer.to = named(to, &transfer.to);
            // Only downloads follow redirects.
            if let Some(http) = &transfer.http
                && !http.redirects.is_empty()
                && transfer.from.address != from.address
            {
                transfer.from.name = led_to(&http.url);
            }
        }
        // They name no end, or with names already.
        Payload::HostFacts(_)
        | Payload::Sockets(_)
        | Payload::LinkCapacities(_)
        | Payload::Series(_)
        | Payload::RouteHistory(_)
        | Payload::InterfaceCounters(_)
        | Payload::CounterChain(_)
        | Payload::Statement(_)
        | Payload::NotMeasured(_) => {}
    }
}

/// The host that a redirect led to; `None` where it has an address alone.
fn led_to(url: &str) -> Option<String> {
    let target = Target::parse(url).ok()?;
    target.address().is_none().then(|| target.host())
}

/// The party at the address that `measured` tells; names that a far end may give count for nothing.
fn named(party: &Party, measured: &Node) -> Node {
    measured
        .address
        .map_or_else(|| party.node(), |address| party.node_at(address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{ProbeRow, Probes, Trace, Transfer};

    fn party(name: &str, address: &str) -> Party {
        Party {
            name: name.to_owned(),
            address: address.parse().ok(),
        }
    }

    fn ends() -> (Party, Party) {
        (party("a.example", "10.0.0.1"), party("b.example", "10.0.0.9"))
    }

    fn node(name: Option<&str>, address: &str) -> Node {
        Node {
            name: name.map(str::to_owned),
            address: address.parse().ok(),
        }
    }

    fn after(payload: impl Into<Payload>) -> Payload {
        let (from, to) = ends();
        let mut payload = payload.into();
        name_ends(&mut payload, &from, &to);
        payload
    }

    #[test]
    fn the_ends_get_their_names_at_the_addresses_that_were_used() {
        // The sender is behind a translator: its packets left with another address than the user knows.
        let transfer = Transfer {
            from: node(None, "192.168.0.7"),
            to: node(None, "10.0.0.9"),
            ..Transfer::default()
        };
        let Payload::Transfer(named) = after(transfer) else {
            panic!("another kind");
        };
        assert_eq!(named.from, node(Some("a.example"), "192.168.0.7"));
        assert_eq!(named.to, node(Some("b.example"), "10.0.0.9"));
    }

    #[test]
    fn the_host_that_a_redirect_led_to_has_its_own_name() {
        let download = |url: &str, redirects: &[&str], address| Transfer {
            from: node(None, address),
            to: node(None, "10.0.0.9"),
            http: Some(evidence::HttpExchange {
                url: url.to_owned(),
                redirects: redirects.iter().map(|url| (*url).to_owned()).collect(),
                ..evidence::HttpExchange::default()
            }),
            ..Transfer::default()
        };
        let sender = |transfer: Transfer| match after(transfer) {
            Payload::Transfer(named) => named.from,
            _ => panic!("another kind"),
        };
        let led = download("https://c.example/f", &["https://a.example/f"], "192.0.2.7");
        assert_eq!(sender(led), node(Some("c.example"), "192.0.2.7"));
        let to_address = download("https://192.0.2.7/f", &["https://a.example/f"], "192.0.2.7");
        assert_eq!(sender(to_address), node(None, "192.0.2.7"));
        // The same server by another name, and one behind a translator.
        let same = download("https://www.a.example/f", &["https://a.example/f"], "10.0.0.1");
        assert_eq!(sender(same), node(Some("a.example"), "10.0.0.1"));
        let plain = download("https://a.example/f", &[], "192.0.2.7");
        assert_eq!(sender(plain), node(Some("a.example"), "192.0.2.7"));
    }

    #[test]
    fn names_that_a_far_end_gives_are_not_believed() {
        let forged = Trace {
            from: node(Some("somebody.example"), "10.0.0.1"),
            to: node(Some("else.example"), ""),
            ..Trace::default()
        };
        let Payload::Trace(named) = after(Payload::Trace(forged)) else {
            panic!("another kind");
        };
        assert_eq!(named.from, node(Some("a.example"), "10.0.0.1"));
        assert_eq!(named.to, node(Some("b.example"), "10.0.0.9"));
    }

    #[test]
    fn rows_of_the_destination_have_its_name_and_rows_of_hops_tell_addresses() {
        let row = |ttl, address| ProbeRow {
            ttl,
            to: node(None, address),
            ..ProbeRow::default()
        };
        let table = Probes {
            from: node(None, "10.0.0.1"),
            destination: Some(node(None, "10.0.0.9")),
            rows: vec![
                row(None, "10.0.0.9"),
                row(Some(9), "10.0.0.9"),
                row(None, "10.0.0.5"),
            ],
            ..Probes::default()
        };
        let Payload::Probes(named) = after(Payload::Probes(table)) else {
            panic!("another kind");
        };
        let destination = node(Some("b.example"), "10.0.0.9");
        assert_eq!(named.from, node(Some("a.example"), "10.0.0.1"));
        assert_eq!(named.destination.as_ref(), Some(&destination));
        let to: Vec<Node> = named.rows.into_iter().map(|row| row.to).collect();
        assert_eq!(to, [destination, node(None, "10.0.0.9"), node(None, "10.0.0.5")]);
    }
}
