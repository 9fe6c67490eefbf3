//! Nodes, and the places that can have a fault.

/// A host or router, whatever names and addresses it goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A place that can have a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

/// What kind of place it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// A link, in one direction. Its ends' interfaces belong to it.
    Link {
        /// The node that sends into it.
        from: NodeId,
        /// The node behind it.
        to: NodeId,
        /// Nodes between the two that never answered: with any, this is a stretch of several links.
        silent: u8,
    },
    /// A way of which no record tells the nodes.
    Stretch {
        /// Where it begins.
        from: NodeId,
        /// Where it ends.
        to: NodeId,
    },
    /// What lies between a host and the nearest place that two of its ways share, where no record tells the nodes: its
    /// cable, its switch, its provider.
    Access {
        /// The host.
        host: NodeId,
        /// Away from it, not towards it.
        outbound: bool,
    },
    /// A host with its programs and its interface.
    Host(NodeId),
    /// An interface of a device, of which counters tell, as the packets cross it that pass between the device and one of its
    /// neighbours. Which neighbour is on its link counters do not tell: each is an element of its own.
    Interface {
        /// The device.
        device: NodeId,
        /// The interface's name.
        name: String,
        /// The node before the device, or behind it; the device itself where no record shows one.
        neighbour: NodeId,
        /// Packets come in by it.
        input: bool,
    },
    /// What lies between two neighbouring counters of packets along a path.
    Segment {
        /// The counter before it, in the words of its record.
        before: String,
        /// The counter behind it.
        after: String,
    },
}

impl Element {
    /// Whether counters tell of it: it lies beside the links that traces show, on the same way.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::Interface { .. } | Self::Segment { .. })
    }

    /// The links that it may consist of: how much likelier than a single link it is to hold a fault.
    #[must_use]
    pub fn links(&self) -> f64 {
        match self {
            Self::Link { silent, .. } => 1.0 + f64::from(*silent),
            // An unknown way has some links; as many as a short traceroute shows.
            Self::Stretch { .. } => 4.0,
            Self::Access { .. } => 1.0,
            Self::Host(_) | Self::Interface { .. } | Self::Segment { .. } => 1.0,
        }
    }
}
