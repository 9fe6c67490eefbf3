//! The kinds of worlds: what is wrong in them, if anything, and what a verdict may call it.

use serde::Serialize;

/// What is wrong with a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Nothing: the transfer is as fast as the path and its user can expect.
    Healthy,
    /// Nothing, and many things look wrong.
    RedHerrings,
    /// A link loses packets at any load.
    RandomLoss,
    /// The same, and its interface counts the errors.
    ErroredInterface,
    /// A link loses packets when it is used (as with a duplex mismatch).
    LossUnderLoad,
    /// A queue before a slower link is too short for bursts.
    QueueOverflow,
    /// A link is slower than thought.
    Capacity,
    /// Others use most of a link.
    CrossTraffic,
    /// A policer drops what is over its rate.
    Policer,
    /// A link swallows large packets, whatever may be done with them.
    MtuSilent,
    /// A router fragments, but its word that a packet is too big is lost.
    MtuFiltered,
    /// Fragments are dropped, and the application sends large datagrams.
    FragmentsDropped,
    /// The receiver's window is too small for the round-trip time.
    ReceiveWindow,
    /// The sender's buffer is.
    SendBuffer,
    /// The receiving program reads slowly.
    SlowReader,
    /// A processor is busy.
    Cpu,
    /// The receiving host drops what arrived.
    ReceiverDrops,
    /// The application writes and pauses.
    Rhythm,
    /// The route moved to a slower way.
    RouteChange,
    /// Packets overtake each other.
    Reordering,
    /// Unknown to the diagnosis: the transfer waits before it begins (name service, authentication).
    SlowStart,
    /// Unknown: the disk is slow.
    Disk,
    /// An interface sleeps to save power.
    PowerSaving,
    /// Each flow is shaped on its own.
    FlowShaper,
    /// Unknown: a host's clock is wrong, and nothing else.
    Clock,
}

/// What kinds have in common, and what a verdict says when it cannot tell which of them it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Packets are lost.
    Loss,
    /// A link gives no more: its capacity, others, a policer, a short queue.
    Capacity,
    /// Large packets or fragments do not pass.
    Mtu,
    /// A host: windows, buffers, reader, processor, drops.
    Host,
    /// The program.
    Application,
    /// The way that packets take.
    Route,
    /// Nothing is wrong.
    Ok,
    /// Something that has no name.
    Unknown,
}

impl Family {
    /// Of a finding's code, by what stands before its number.
    #[must_use]
    pub fn of_code(code: &str) -> Self {
        match code.split('-').next().unwrap_or(code) {
            "LOSS" => Self::Loss,
            "CAP" => Self::Capacity,
            "MTU" => Self::Mtu,
            "HOST" => Self::Host,
            "APP" => Self::Application,
            "ROUTE" => Self::Route,
            "OK" => Self::Ok,
            _ => Self::Unknown,
        }
    }
}

/// One row of what is known of a kind.
struct Row {
    kind: Kind,
    name: &'static str,
    family: Family,
    /// Codes that are exactly right.
    codes: &'static [&'static str],
    /// A family that is right as well: its mechanism is partly this one.
    near: Option<Family>,
    /// How often it is drawn, relative to the others.
    weight: f64,
}

const fn row(
    kind: Kind,
    name: &'static str,
    family: Family,
    codes: &'static [&'static str],
    near: Option<Family>,
    weight: f64,
) -> Row {
    Row {
        kind,
        name,
        family,
        codes,
        near,
        weight,
    }
}

/// Random loss and an errored link are one thing seen from outside and from inside: either is right for both.
const ROWS: [Row; 25] = {
    use Family as F;
    use Kind as K;
    [
        row(K::Healthy, "healthy", F::Ok, &["OK-001"], None, 3.0),
        row(K::RedHerrings, "red-herrings", F::Ok, &["OK-001"], None, 3.0),
        row(
            K::RandomLoss,
            "random-loss",
            F::Loss,
            &["LOSS-001", "LOSS-003"],
            None,
            1.0,
        ),
        row(
            K::ErroredInterface,
            "errored-interface",
            F::Loss,
            &["LOSS-003", "LOSS-001"],
            None,
            1.0,
        ),
        row(
            K::LossUnderLoad,
            "loss-under-load",
            F::Loss,
            &["LOSS-006"],
            Some(F::Capacity),
            1.0,
        ),
        row(
            K::QueueOverflow,
            "queue-overflow",
            F::Capacity,
            &["LOSS-004", "LOSS-007"],
            Some(F::Loss),
            1.0,
        ),
        row(K::Capacity, "capacity", F::Capacity, &["CAP-001"], None, 1.0),
        row(
            K::CrossTraffic,
            "cross-traffic",
            F::Capacity,
            &["CAP-002"],
            None,
            1.0,
        ),
        row(K::Policer, "policer", F::Capacity, &["CAP-003"], None, 1.0),
        row(K::MtuSilent, "mtu-silent", F::Mtu, &["MTU-002"], None, 1.0),
        row(K::MtuFiltered, "mtu-filtered", F::Mtu, &["MTU-001"], None, 1.0),
        row(
            K::FragmentsDropped,
            "fragments-dropped",
            F::Mtu,
            &["MTU-003"],
            None,
            1.0,
        ),
        row(
            K::ReceiveWindow,
            "receive-window",
            F::Host,
            &["HOST-001"],
            None,
            1.0,
        ),
        row(K::SendBuffer, "send-buffer", F::Host, &["HOST-003"], None, 1.0),
        row(
            K::SlowReader,
            "slow-reader",
            F::Host,
            &["HOST-004"],
            Some(F::Application),
            1.0,
        ),
        row(K::Cpu, "cpu", F::Host, &["HOST-005"], None, 1.0),
        row(
            K::ReceiverDrops,
            "receiver-drops",
            F::Host,
            &["HOST-002"],
            None,
            1.0,
        ),
        row(
            K::Rhythm,
            "rhythm",
            F::Application,
            &["APP-001", "APP-002"],
            None,
            1.0,
        ),
        row(
            K::RouteChange,
            "route-change",
            F::Route,
            &["ROUTE-001"],
            Some(F::Capacity),
            1.0,
        ),
        row(
            K::Reordering,
            "reordering",
            F::Route,
            &["ROUTE-003"],
            Some(F::Loss),
            1.0,
        ),
        row(
            K::SlowStart,
            "slow-start",
            F::Unknown,
            &[],
            Some(F::Application),
            1.0,
        ),
        row(K::Disk, "disk", F::Unknown, &[], Some(F::Application), 1.0),
        row(K::PowerSaving, "power-saving", F::Host, &["HOST-006"], None, 1.0),
        row(K::FlowShaper, "flow-shaper", F::Capacity, &["CAP-004"], None, 1.0),
        row(K::Clock, "clock", F::Unknown, &[], None, 1.0),
    ]
};

impl Kind {
    /// All kinds, in the order of the tables.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.kind)
    }

    fn row(self) -> &'static Row {
        // The table holds every kind once: a test says so.
        ROWS.iter().find(|row| row.kind == self).unwrap_or(&ROWS[0])
    }

    /// The name in tables and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Reads a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    /// The family.
    #[must_use]
    pub fn family(self) -> Family {
        self.row().family
    }

    /// Whether a code names exactly this.
    #[must_use]
    pub fn is_code(self, code: &str) -> bool {
        self.row().codes.contains(&code)
    }

    /// Whether it is right to name this family, and no mechanism.
    #[must_use]
    pub fn is_family(self, family: Family) -> bool {
        self.family() == family || self.row().near == Some(family)
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_healthy(self) -> bool {
        self.family() == Family::Ok
    }

    /// Whether the diagnosis has no name for it.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        self.family() == Family::Unknown
    }

    /// How often it is drawn, relative to the others.
    #[must_use]
    pub fn weight(self) -> f64 {
        self.row().weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_row_and_a_name_that_reads_back() {
        for (index, row) in ROWS.iter().enumerate() {
            assert_eq!(row.kind as usize, index, "{}", row.name);
            assert_eq!(Kind::named(row.name), Some(row.kind));
            assert!(
                row.codes
                    .iter()
                    .all(|code| row.kind.is_family(Family::of_code(code))),
                "{}",
                row.name
            );
        }
        assert_eq!(Family::of_code("LOSS"), Family::Loss);
        assert_eq!(Family::of_code("LOSS-001"), Family::Loss);
        assert_eq!(Family::of_code("UNKNOWN"), Family::Unknown);
    }
}
