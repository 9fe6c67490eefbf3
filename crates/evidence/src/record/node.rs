//! Who: hosts and routers as records name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;

/// What registries of countries divide their names into: `ac.uk`, `ad.jp`, `edu.au`, `gob.mx`, `or.kr`.
const KINDS: [&str; 22] = [
    "ac", "ad", "co", "com", "ed", "edu", "gc", "go", "gob", "gouv", "gov", "govt", "gub", "gv", "mil",
    "mod", "ne", "net", "nic", "or", "org", "re",
];

/// A host or router by whatever a record tells of it. Both unknown: the record did not say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Its name as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its address; `None` where it was not printed or was stripped from the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
}

impl Node {
    /// Reads what a tool prints in the place of a host: an address, or a name.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        match text.parse::<IpAddr>() {
            Ok(address) => address.into(),
            Err(_) => Self {
                name: (!text.is_empty()).then(|| text.to_owned()),
                address: None,
            },
        }
    }

    /// A node of which the name is known.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: Some(name.to_owned()),
            address: None,
        }
    }

    /// The network that its name belongs to: the part that somebody registered, as `es.net` of `chi-pt1.es.net` or
    /// `dur.ac.uk` of `gridpp.dur.ac.uk`; `None` for a bare name.
    ///
    /// Of the Public Suffix List this knows what names of routers and hosts end in: a country's registry with its
    /// [`KINDS`]. The whole list would be a thirtieth of the program, for suffixes that web sites share.
    #[must_use]
    pub fn domain(&self) -> Option<String> {
        let name = self.name.as_deref()?.trim_end_matches('.').to_ascii_lowercase();
        let labels: Vec<&str> = name.split('.').collect();
        let suffix = match labels.as_slice() {
            [.., kind, country] if country.len() == 2 && KINDS.contains(kind) => 2,
            _ => 1,
        };
        let own = labels.len().checked_sub(suffix + 1)?;
        (!labels[own].is_empty()).then(|| labels[own..].join("."))
    }

    /// Its name, else its address.
    #[must_use]
    pub fn called(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.to_string())
    }

    /// Whether the record said nothing of it.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.name.is_none() && self.address.is_none()
    }

    /// Whether two records mean the same node: by address where both have one, else by name, without regard to the
    /// case of letters and a final dot. `None` when they have nothing in common to compare.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> Option<bool> {
        match (self.address, other.address) {
            (Some(a), Some(b)) if a == b => return Some(true),
            _ => {}
        }
        match (&self.name, &other.name) {
            (Some(a), Some(b)) if same_name(a, b) => Some(true),
            // One name can have several addresses, and one address several names: only both differing decides.
            (Some(_), Some(_)) => Some(false),
            _ => match (self.address, other.address) {
                (Some(_), Some(_)) => Some(false),
                _ => None,
            },
        }
    }

    /// Whether this is the party: [`Node::same_as`], with "cannot tell" as no.
    #[must_use]
    pub fn is(&self, party: &Party) -> bool {
        let party = Self {
            name: Some(party.name.clone()),
            // The name that the user gave may be the address itself.
            address: party.address.or_else(|| party.name.parse().ok()),
        };
        self.same_as(&party) == Some(true)
    }
}

/// One end of the transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Party {
    /// The name the user gave.
    pub name: String,
    /// The address used; `None` as long as unknown.
    pub address: Option<IpAddr>,
}

impl Party {
    /// It as a node. A name that is an address is no name, unless another address is used.
    #[must_use]
    pub fn node(&self) -> Node {
        match self.address {
            Some(address) => self.node_at(address),
            None => Node::read(&self.name),
        }
    }

    /// It as a node, seen at an address of its own: behind a translator that is another than the user's.
    #[must_use]
    pub fn node_at(&self, address: IpAddr) -> Node {
        let is_address = self.name.parse() == Ok(address);
        Node {
            name: (!is_address && !self.name.is_empty()).then(|| self.name.clone()),
            address: Some(address),
        }
    }
}

fn same_name(a: &str, b: &str) -> bool {
    let bare = |name: &str| name.trim_end_matches('.').to_ascii_lowercase();
    bare(a) == bare(b)
}

/// A node of which the address alone is known.
impl From<IpAddr> for Node {
    fn from(address: IpAddr) -> Self {
        Self {
            name: None,
            address: Some(address),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.address) {
            (Some(name), Some(address)) => write!(f, "{name} ({address})"),
            (Some(name), None) => f.write_str(name),
            (None, Some(address)) => write!(f, "{address}"),
            (None, None) => f.write_str("an unnamed host"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_what_somebody_registered() {
        for (name, domain) in [
            ("chi-pt1.es.net", Some("es.net")),
            ("GridPP.dur.ac.uk.", Some("dur.ac.uk")),
            ("xe-0.tokyo-dc-rm-ae1.sinet.ad.jp", Some("sinet.ad.jp")),
            ("cr-fra2.x-win.dfn.de", Some("dfn.de")),
            ("r1.lab", Some("r1.lab")),
            ("r1", None),
            ("co.uk", None),
            (".net", None),
            ("", None),
        ] {
            assert_eq!(Node::named(name).domain().as_deref(), domain, "{name}");
        }
    }

    #[test]
    fn nodes_are_compared_by_what_both_have() {
        let node = |name: &str, address: &str| Node {
            name: (!name.is_empty()).then(|| name.to_owned()),
            address: address.parse().ok(),
        };
        for (a, b, same) in [
            (node("A.example", ""), node("a.example.", ""), Some(true)),
            (node("a", "240.0.0.1"), node("b", "240.0.0.1"), Some(true)),
            (node("a", "240.0.0.1"), node("a", "240.0.0.2"), Some(true)),
            (node("a", "240.0.0.1"), node("b", "240.0.0.2"), Some(false)),
            (node("", "240.0.0.1"), node("", "240.0.0.2"), Some(false)),
            (node("a", ""), node("", "240.0.0.2"), None),
            (node("", ""), node("", ""), None),
        ] {
            assert_eq!(a.same_as(&b), same, "{a} {b}");
            assert_eq!(b.same_as(&a), same, "{b} {a}");
        }
    }
}
