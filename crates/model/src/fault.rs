//! Which parameter of which element is away from normal, and how far.

use crate::ElementId;

/// One parameter of one element away from its normal value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// Which parameter.
    pub kind: Kind,
    /// Of which element.
    pub element: ElementId,
    /// Its value, in the unit that its kind tells.
    pub value: f64,
}

/// A parameter that can be away from normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Share of packets lost on a link at any load; normally 0.
    LossRatio,
    /// Share of packets lost on a link, but only while it carries much; normally 0.
    LossUnderLoad,
    /// Share of the time in which nothing passes a link; normally 0.
    Interruption,
    /// The same, in interruptions so far apart that probes of a few seconds fall between two of them.
    RareInterruption,
    /// Capacity of a link, bit/s; normally unknown and high.
    Capacity,
    /// What others leave of a link, bit/s; normally all of it.
    Share,
    /// Connections of others that compete for a link and give way, in number; normally 0.
    Rivals,
    /// Rate of a policer, bit/s; normally there is none.
    Policer,
    /// Rate that a shaper or policer allows each connection on its own, bit/s; normally there is none.
    FlowLimit,
    /// Share of the rate that a queue too short for the path leaves to one TCP connection; normally 1.
    ShortQueue,
    /// The largest packet that passes a link, bytes; larger ones vanish, and no router knows it. Normally all agree.
    SilentMtu,
    /// The largest packet that passes a link, bytes, as the router before it knows; its word for it never reaches the
    /// sender (RFC 2923 section 2.1). What may be fragmented passes.
    FilteredMtu,
    /// Share of fragments that do not pass a link; normally 0.
    Fragments,
    /// Receive window that a host advertises, bytes; normally more than the path needs.
    ReceiveWindow,
    /// Send buffer of a host, bytes.
    SendBuffer,
    /// Rate at which the receiving program reads, bit/s.
    ReaderRate,
    /// Rate at which the sending program writes, bit/s.
    WriterRate,
    /// Rate that a host's processor allows, bit/s.
    ProcessorRate,
    /// Rate that a host's network adapter, its driver or its power saving allows, bit/s.
    AdapterRate,
    /// Share of packets that the receiving host drops under load.
    ReceiveDrops,
    /// Share of packets that arrive after one sent later (RFC 4737); normally 0.
    Reordering,
    /// Something at this element loses packets in a way that no other kind describes.
    UnknownLoss,
    /// Something at this element lowers rates in a way that no other kind describes.
    Unknown,
}

impl Kind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [Self; 23] = [
        Self::LossRatio,
        Self::LossUnderLoad,
        Self::Interruption,
        Self::RareInterruption,
        Self::Capacity,
        Self::Share,
        Self::Rivals,
        Self::Policer,
        Self::FlowLimit,
        Self::ShortQueue,
        Self::SilentMtu,
        Self::FilteredMtu,
        Self::Fragments,
        Self::ReceiveWindow,
        Self::SendBuffer,
        Self::ReaderRate,
        Self::WriterRate,
        Self::ProcessorRate,
        Self::AdapterRate,
        Self::ReceiveDrops,
        Self::Reordering,
        Self::UnknownLoss,
        Self::Unknown,
    ];

    /// The family that it is said as where it cannot be told from its siblings.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            Self::LossRatio
            | Self::LossUnderLoad
            | Self::Interruption
            | Self::RareInterruption
            | Self::UnknownLoss => Family::Loss,
            Self::Capacity
            | Self::Share
            | Self::Rivals
            | Self::Policer
            | Self::FlowLimit
            | Self::ShortQueue => Family::Capacity,
            Self::SilentMtu | Self::FilteredMtu | Self::Fragments => Family::Mtu,
            Self::ReceiveWindow
            | Self::SendBuffer
            | Self::ReaderRate
            | Self::ProcessorRate
            | Self::AdapterRate
            | Self::ReceiveDrops => Family::Host,
            Self::Reordering => Family::Route,
            Self::WriterRate => Family::Application,
            Self::Unknown => Family::Unknown,
        }
    }

    /// Whether packets over its value vanish without a word to their sender.
    #[must_use]
    pub fn is_black_hole(self) -> bool {
        matches!(self, Self::SilentMtu | Self::FilteredMtu)
    }

    /// Whether nothing passes at times.
    #[must_use]
    pub fn is_interruption(self) -> bool {
        matches!(self, Self::Interruption | Self::RareInterruption)
    }

    /// Whether it is a property of a host; the others are of links.
    #[must_use]
    pub fn is_of_host(self) -> bool {
        matches!(self.family(), Family::Host | Family::Application)
    }
}

/// Kinds that evidence often cannot tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Packets are lost.
    Loss,
    /// A link, or what others leave of it, is the limit.
    Capacity,
    /// Large packets vanish.
    Mtu,
    /// A host is the limit.
    Host,
    /// The program is the limit.
    Application,
    /// The way that packets take.
    Route,
    /// None of the above.
    Unknown,
}
