//! What the lines that tools print do: the rows of their tables.

use super::typed::Way;
use evidence::EchoContext;

/// What a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A transfer begins: what stood before is not of it.
    Begins,
    /// Says something of it.
    Sets,
    /// Says how far it is; a later line stands instead.
    Progress,
    /// Says how it went: it is over.
    Ends,
    /// The same, of what went over a network only if a line above named another host.
    EndsAfar,
    /// The same, unless a line above told it already.
    EndsUntold,
    /// Says how one of several went that are told together.
    Tells,
    /// Says how one of several files went: each is a transfer, unless a sum of them all follows.
    Part,
    /// The same, where a name stands above each: without one it is the same sum once more.
    NamedPart,
    /// Says how both ways went.
    TellsBoth,
    /// Says how long probes took to the other end and back, or how many were lost: while nothing else was sent, under the load of the
    /// transfer, or nobody knows.
    Probed(Option<EchoContext>),
    /// Says how much went one way, of which a line above told how fast.
    Adds,
    /// Says a part of what its probes found out: several lines are one account of them.
    Gathers,
    /// Is known, and says nothing that is of use.
    Passes,
    /// The tool complains.
    Fails,
    /// Says that nothing of it was done.
    Voids,
}

/// A line that a tool prints.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) pattern: &'static str,
    pub(super) kind: Kind,
    /// Whether it tells the tool by itself, so that output without the command above begins with it.
    pub(super) opens: bool,
    /// Which way the data go, where the line says so.
    pub(super) way: Option<Way>,
    /// Whether it begins a test of which nothing was said before, hosts neither.
    pub(super) is_first: bool,
    /// Whether the times beside the rate are of probes under its load.
    pub(super) has_probes: bool,
}

const fn row(pattern: &'static str, kind: Kind) -> Row {
    Row {
        pattern,
        kind,
        opens: false,
        way: None,
        is_first: false,
        has_probes: false,
    }
}

impl Row {
    pub(super) const fn first(mut self) -> Self {
        self.is_first = true;
        self
    }

    pub(super) const fn opening(mut self) -> Self {
        self.opens = true;
        self
    }

    pub(super) const fn sent(mut self) -> Self {
        self.way = Some(Way::Sent);
        self
    }

    pub(super) const fn with_probes(mut self) -> Self {
        self.has_probes = true;
        self
    }

    pub(super) const fn fetched(mut self) -> Self {
        self.way = Some(Way::Fetched);
        self
    }
}

pub(super) const fn begins(pattern: &'static str) -> Row {
    row(pattern, Kind::Begins).opening()
}
pub(super) const fn sets(pattern: &'static str) -> Row {
    row(pattern, Kind::Sets)
}
pub(super) const fn progress(pattern: &'static str) -> Row {
    row(pattern, Kind::Progress)
}
pub(super) const fn ends(pattern: &'static str) -> Row {
    row(pattern, Kind::Ends)
}
pub(super) const fn ends_afar(pattern: &'static str) -> Row {
    row(pattern, Kind::EndsAfar)
}
pub(super) const fn ends_untold(pattern: &'static str) -> Row {
    row(pattern, Kind::EndsUntold)
}
pub(super) const fn tells(pattern: &'static str) -> Row {
    row(pattern, Kind::Tells)
}
pub(super) const fn adds(pattern: &'static str) -> Row {
    row(pattern, Kind::Adds)
}
pub(super) const fn part(pattern: &'static str) -> Row {
    row(pattern, Kind::Part)
}
pub(super) const fn named_part(pattern: &'static str) -> Row {
    row(pattern, Kind::NamedPart)
}
pub(super) const fn tells_both(pattern: &'static str) -> Row {
    row(pattern, Kind::TellsBoth)
}
pub(super) const fn probed(pattern: &'static str) -> Row {
    row(pattern, Kind::Probed(None))
}
pub(super) const fn probed_idle(pattern: &'static str) -> Row {
    row(pattern, Kind::Probed(Some(EchoContext::Idle)))
}
pub(super) const fn probed_under_load(pattern: &'static str) -> Row {
    row(pattern, Kind::Probed(Some(EchoContext::UnderLoad)))
}
pub(super) const fn gathers(pattern: &'static str) -> Row {
    row(pattern, Kind::Gathers)
}
pub(super) const fn passes(pattern: &'static str) -> Row {
    row(pattern, Kind::Passes)
}
pub(super) const fn fails(pattern: &'static str) -> Row {
    row(pattern, Kind::Fails)
}
pub(super) const fn voids(pattern: &'static str) -> Row {
    row(pattern, Kind::Voids)
}
