//! The objects of the MIBs that bear on transfers: by name, by number, and what they mean.
//!
//! Numbers are those below `mib-2` (1.3.6.1.2.1): IF-MIB is RFC 2863, EtherLike-MIB RFC 3635, the protocols are RFC 4293,
//! 4022 and 4113.

use crate::dictionary::Dictionary;
use crate::text::split;
use evidence::CounterKind::{self, *};
use memchr::memchr_iter;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// What an object is of an interface or of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// A counter with a meaning across makers.
    Count(CounterKind),
    /// The same counter in 64 bits: it stands where both are there.
    Wide(CounterKind),
    /// A part of the packets of one way: those to one, to a group, to all.
    Part(Way, Cast),
    /// The same in 64 bits.
    WidePart(Way, Cast),
    /// A counter under its own name.
    Own,
    Name,
    Descr,
    Alias,
    Mtu,
    /// bit/s; all ones where it does not fit.
    Speed,
    /// Mbit/s.
    HighSpeed,
    Oper,
    Duplex,
    /// When the counters last lost their continuity, in the device's uptime; zero: not since it started.
    Discontinuity,
    SysName,
    SysDescr,
    UpTime,
    /// A counter of a protocol of the whole host, under the group that the kernel has it in.
    Host(&'static str),
    /// Known to say nothing of transfers.
    Nothing,
}

/// The way of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
}

/// To whom packets go. `Others` is to a group or to all, in one counter (RFC 1213).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cast {
    One,
    Group,
    All,
    Others,
}

/// One object.
#[derive(Debug)]
pub(super) struct Object {
    /// Its name in the MIB.
    pub(super) name: &'static str,
    /// Its number below `mib-2`.
    number: &'static str,
    pub(super) means: Means,
}

impl Object {
    /// Whether it says who the system is.
    pub(super) fn is_of_system(&self) -> bool {
        self.name.starts_with("sys")
    }

    /// Whether it comes before another one in a walk: by the numbers of objects, then by indices.
    pub(super) fn is_before(&self, index: &str, last: &Self, at: &str) -> bool {
        fn numbers(of: &str) -> impl Iterator<Item = u64> + '_ {
            split(of, b'.').map(|part| part.parse().unwrap_or(0))
        }
        // No number of an object begins with a zero: the longer part is the larger.
        fn parts(of: &str) -> impl Iterator<Item = (usize, &str)> {
            split(of, b'.').map(|part| (part.len(), part))
        }
        if self.is_of_system() && last.is_of_system() {
            return false;
        }
        // Most stand below one of the same column.
        let order = match std::ptr::eq(self, last) {
            true => Ordering::Equal,
            false => parts(self.number).cmp(parts(last.number)),
        };
        match order {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => numbers(index).lt(numbers(at)),
        }
    }

    /// The table of wide counters that this one is in.
    pub(super) fn is_wide(&self) -> Option<&'static str> {
        WIDE.iter()
            .find(|(wide, _, _)| self.name.starts_with(wide))
            .map(|(_, _, table)| *table)
    }

    /// The table of wide counters that has the same one, and the wide one itself.
    pub(super) fn wide(&self) -> Option<(&'static str, &'static Object)> {
        HAVE_WIDE.get(self.place()).copied().flatten()
    }

    /// Where it stands in the table of all, which is sorted by name.
    pub(super) fn place(&self) -> usize {
        let offset = std::ptr::from_ref(self)
            .addr()
            .wrapping_sub(OBJECTS.as_ptr().addr());
        offset / size_of::<Self>()
    }

    fn find_wide(&self) -> Option<(&'static str, &'static Object)> {
        WIDE.iter().find_map(|(wide, narrow, table)| {
            let rest = self.name.strip_prefix(narrow)?;
            let name = || wide.bytes().chain(rest.bytes());
            let place = OBJECTS.binary_search_by(|other| other.name.bytes().cmp(name()));
            Some((*table, OBJECTS.get(place.ok()?)?))
        })
    }
}

/// The wide counters that objects have, and their tables, by their places: each value of a walk is asked for its own.
static HAVE_WIDE: LazyLock<Vec<Option<(&'static str, &'static Object)>>> =
    LazyLock::new(|| OBJECTS.iter().map(Object::find_wide).collect());

/// What wide counters begin with, their narrow ones, and their table.
const WIDE: [(&str, &str, &str); 5] = [
    ("ifHCIn", "ifIn", "ifXTable"),
    ("ifHCOut", "ifOut", "ifXTable"),
    ("dot3HCStats", "dot3Stats", "dot3HCStatsTable"),
    ("dot3HCInPause", "dot3InPause", "dot3PauseTable"),
    ("dot3HCOutPause", "dot3OutPause", "dot3PauseTable"),
];

const fn object(name: &'static str, number: &'static str, means: Means) -> Object {
    Object { name, number, means }
}

use Cast::{All, Group, One, Others};
use Means::{Count, Host, Nothing, Own, Part, Wide, WidePart};
use Way::{In, Out};

/// Sorted by name.
static OBJECTS: &[Object] = &[
    object("dot3HCInPauseFrames", "10.7.10.1.5", Wide(InputPauses)),
    object("dot3HCOutPauseFrames", "10.7.10.1.6", Wide(OutputPauses)),
    object("dot3HCStatsAlignmentErrors", "10.7.11.1.1", Wide(InputFraming)),
    object("dot3HCStatsFCSErrors", "10.7.11.1.2", Wide(InputCrc)),
    object("dot3HCStatsFrameTooLongs", "10.7.11.1.4", Wide(InputGiants)),
    object("dot3HCStatsInternalMacReceiveErrors", "10.7.11.1.5", Own),
    object("dot3HCStatsInternalMacTransmitErrors", "10.7.11.1.3", Own),
    object("dot3HCStatsSymbolErrors", "10.7.11.1.6", Own),
    object("dot3InPauseFrames", "10.7.10.1.3", Count(InputPauses)),
    object("dot3OutPauseFrames", "10.7.10.1.4", Count(OutputPauses)),
    object("dot3StatsAlignmentErrors", "10.7.2.1.2", Count(InputFraming)),
    object("dot3StatsCarrierSenseErrors", "10.7.2.1.11", Own),
    object("dot3StatsDeferredTransmissions", "10.7.2.1.7", Own),
    object("dot3StatsDuplexStatus", "10.7.2.1.19", Means::Duplex),
    object("dot3StatsExcessiveCollisions", "10.7.2.1.9", Own),
    object("dot3StatsFCSErrors", "10.7.2.1.3", Count(InputCrc)),
    object("dot3StatsFrameTooLongs", "10.7.2.1.13", Count(InputGiants)),
    object("dot3StatsIndex", "10.7.2.1.1", Nothing),
    object("dot3StatsInternalMacReceiveErrors", "10.7.2.1.16", Own),
    object("dot3StatsInternalMacTransmitErrors", "10.7.2.1.10", Own),
    object("dot3StatsLateCollisions", "10.7.2.1.8", Count(LateCollisions)),
    object("dot3StatsMultipleCollisionFrames", "10.7.2.1.5", Own),
    object("dot3StatsSQETestErrors", "10.7.2.1.6", Own),
    object("dot3StatsSingleCollisionFrames", "10.7.2.1.4", Own),
    object("dot3StatsSymbolErrors", "10.7.2.1.18", Own),
    object("icmpInErrors", "5.2", Host("Icmp.InErrors")),
    object("icmpInMsgs", "5.1", Host("Icmp.InMsgs")),
    object("icmpOutErrors", "5.15", Host("Icmp.OutErrors")),
    object("icmpOutMsgs", "5.14", Host("Icmp.OutMsgs")),
    object("ifAdminStatus", "2.2.1.7", Nothing),
    object("ifAlias", "31.1.1.1.18", Means::Alias),
    object("ifConnectorPresent", "31.1.1.1.17", Nothing),
    object("ifCounterDiscontinuityTime", "31.1.1.1.19", Means::Discontinuity),
    object("ifDescr", "2.2.1.2", Means::Descr),
    object("ifHCInBroadcastPkts", "31.1.1.1.9", WidePart(In, All)),
    object("ifHCInMulticastPkts", "31.1.1.1.8", WidePart(In, Group)),
    object("ifHCInOctets", "31.1.1.1.6", Wide(InputBytes)),
    object("ifHCInUcastPkts", "31.1.1.1.7", WidePart(In, One)),
    object("ifHCOutBroadcastPkts", "31.1.1.1.13", WidePart(Out, All)),
    object("ifHCOutMulticastPkts", "31.1.1.1.12", WidePart(Out, Group)),
    object("ifHCOutOctets", "31.1.1.1.10", Wide(OutputBytes)),
    object("ifHCOutUcastPkts", "31.1.1.1.11", WidePart(Out, One)),
    object("ifHighSpeed", "31.1.1.1.15", Means::HighSpeed),
    object("ifInBroadcastPkts", "31.1.1.1.3", Part(In, All)),
    object("ifInDiscards", "2.2.1.13", Count(InputDiscards)),
    object("ifInErrors", "2.2.1.14", Count(InputErrors)),
    object("ifInMulticastPkts", "31.1.1.1.2", Part(In, Group)),
    object("ifInNUcastPkts", "2.2.1.12", Part(In, Others)),
    object("ifInOctets", "2.2.1.10", Count(InputBytes)),
    object("ifInUcastPkts", "2.2.1.11", Part(In, One)),
    object("ifInUnknownProtos", "2.2.1.15", Own),
    object("ifIndex", "2.2.1.1", Nothing),
    object("ifLastChange", "2.2.1.9", Nothing),
    object("ifLinkUpDownTrapEnable", "31.1.1.1.14", Nothing),
    object("ifMtu", "2.2.1.4", Means::Mtu),
    object("ifName", "31.1.1.1.1", Means::Name),
    object("ifNumber", "2.1", Nothing),
    object("ifOperStatus", "2.2.1.8", Means::Oper),
    object("ifOutBroadcastPkts", "31.1.1.1.5", Part(Out, All)),
    object("ifOutDiscards", "2.2.1.19", Count(OutputDrops)),
    object("ifOutErrors", "2.2.1.20", Count(OutputErrors)),
    object("ifOutMulticastPkts", "31.1.1.1.4", Part(Out, Group)),
    object("ifOutNUcastPkts", "2.2.1.18", Part(Out, Others)),
    object("ifOutOctets", "2.2.1.16", Count(OutputBytes)),
    object("ifOutQLen", "2.2.1.21", Nothing),
    object("ifOutUcastPkts", "2.2.1.17", Part(Out, One)),
    object("ifPhysAddress", "2.2.1.6", Nothing),
    object("ifPromiscuousMode", "31.1.1.1.16", Nothing),
    object("ifSpecific", "2.2.1.22", Nothing),
    object("ifSpeed", "2.2.1.5", Means::Speed),
    object("ifType", "2.2.1.3", Nothing),
    object("ipForwDatagrams", "4.6", Host("Ip.ForwDatagrams")),
    object("ipFragCreates", "4.19", Host("Ip.FragCreates")),
    object("ipFragFails", "4.18", Host("Ip.FragFails")),
    object("ipFragOKs", "4.17", Host("Ip.FragOKs")),
    object("ipInAddrErrors", "4.5", Host("Ip.InAddrErrors")),
    object("ipInDelivers", "4.9", Host("Ip.InDelivers")),
    object("ipInDiscards", "4.8", Host("Ip.InDiscards")),
    object("ipInHdrErrors", "4.4", Host("Ip.InHdrErrors")),
    object("ipInReceives", "4.3", Host("Ip.InReceives")),
    object("ipInUnknownProtos", "4.7", Host("Ip.InUnknownProtos")),
    object("ipOutDiscards", "4.11", Host("Ip.OutDiscards")),
    object("ipOutNoRoutes", "4.12", Host("Ip.OutNoRoutes")),
    object("ipOutRequests", "4.10", Host("Ip.OutRequests")),
    object("ipReasmFails", "4.16", Host("Ip.ReasmFails")),
    object("ipReasmOKs", "4.15", Host("Ip.ReasmOKs")),
    object("ipReasmReqds", "4.14", Host("Ip.ReasmReqds")),
    object("sysContact", "1.4", Nothing),
    object("sysDescr", "1.1", Means::SysDescr),
    object("sysLocation", "1.6", Nothing),
    object("sysName", "1.5", Means::SysName),
    object("sysObjectID", "1.2", Nothing),
    object("sysServices", "1.7", Nothing),
    object("sysUpTime", "1.3", Means::UpTime),
    object("sysUpTimeInstance", "1.3", Means::UpTime),
    object("tcpActiveOpens", "6.5", Host("Tcp.ActiveOpens")),
    object("tcpAttemptFails", "6.7", Host("Tcp.AttemptFails")),
    object("tcpCurrEstab", "6.9", Host("Tcp.CurrEstab")),
    object("tcpEstabResets", "6.8", Host("Tcp.EstabResets")),
    object("tcpInErrs", "6.14", Host("Tcp.InErrs")),
    object("tcpInSegs", "6.10", Host("Tcp.InSegs")),
    object("tcpOutRsts", "6.15", Host("Tcp.OutRsts")),
    object("tcpOutSegs", "6.11", Host("Tcp.OutSegs")),
    object("tcpPassiveOpens", "6.6", Host("Tcp.PassiveOpens")),
    object("tcpRetransSegs", "6.12", Host("Tcp.RetransSegs")),
    object("udpInDatagrams", "7.1", Host("Udp.InDatagrams")),
    object("udpInErrors", "7.3", Host("Udp.InErrors")),
    object("udpNoPorts", "7.2", Host("Udp.NoPorts")),
    object("udpOutDatagrams", "7.4", Host("Udp.OutDatagrams")),
];

type Index = Dictionary<&'static Object>;

static BY_NAME: LazyLock<Index> = LazyLock::new(|| index(|object| object.name));
static BY_NUMBER: LazyLock<Index> = LazyLock::new(|| index(|object| object.number));

fn index(text: fn(&Object) -> &'static str) -> Index {
    Dictionary::new(OBJECTS.iter().map(|object| (text(object), object)))
}

/// The object of this name.
pub(super) fn named(name: &str) -> Option<&'static Object> {
    BY_NAME.get(name)
}

/// No object's number has more parts.
const MOST_PARTS: usize = 8;

/// The object that a number below `mib-2` begins with, and the index behind it: `2.2.1.10.436207616`.
pub(super) fn numbered(number: &str) -> Option<(&'static Object, &str)> {
    // No number here begins another one, but for the second name of the uptime.
    let mut ends = memchr_iter(b'.', number.as_bytes()).take(MOST_PARTS);
    ends.find_map(|end| Some((BY_NUMBER.get(number.get(..end)?)?, number.get(end + 1..)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found() {
        assert!(OBJECTS.is_sorted_by(|a, b| a.name < b.name));
        let (object, index) = numbered("31.1.1.1.10.436207616").unwrap();
        assert_eq!((object.name, index), ("ifHCOutOctets", "436207616"));
        assert_eq!(numbered("2.2.1.1.7").unwrap().0.name, "ifIndex");
        assert!(numbered("2.2.1.10").is_none() && numbered("25.1.1.0").is_none());
        for (place, object) in OBJECTS.iter().enumerate() {
            let found = numbered(&format!("{}.1", object.number)).unwrap().0;
            assert!(
                found.name == object.name || object.name == "sysUpTimeInstance",
                "{place}: {object:?}"
            );
        }
    }
}
