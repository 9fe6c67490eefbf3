//! The formats, a file each: how a block begins, how it goes on, and what it says.

mod capacities;
mod interface;
mod iperf;
mod json;
mod mtr;
mod nstat;
mod nuttcp;
pub(crate) mod openings;
mod owping;
mod packet_counters;
mod ping;
mod pinger;
mod pingroute;
mod pscheduler;
mod ripe_atlas;
mod route_history;
mod scamper;
mod snmp;
mod sockets;
mod sting;
mod tables;
mod tracepath;
mod traceroute;

use crate::block::{Format, Group};

/// Every format, in the order in which a line is offered to them: the more telling first line comes first.
static FORMATS: &[&Format] = &[
    &route_history::FORMAT,
    &packet_counters::FORMAT,
    &packet_counters::CSV,
    &interface::INTERFACE_TABLES,
    &interface::SHOW_INTERFACES,
    &interface::IP_LINK,
    &interface::ETHTOOL,
    &interface::ETHTOOL_STATISTICS,
    &capacities::PATHCHAR,
    &capacities::PCHAR,
    &pingroute::FORMAT,
    &pinger::FORMAT,
    &iperf::FORMAT,
    &pscheduler::FORMAT,
    &nuttcp::FORMAT,
    &owping::FORMAT,
    &sting::FORMAT,
    &sockets::FORMAT,
    &nstat::FORMAT,
    &snmp::TABLE,
    &snmp::FORMAT,
    &tables::transfers::FORMAT,
    &tables::series::FORMAT,
    &tables::statements::FORMAT,
    &iperf::stream::FORMAT,
    &json::FORMAT,
    &ping::FORMAT,
    &traceroute::FORMAT,
    &tracepath::FORMAT,
    &mtr::REPORT,
    &mtr::CSV,
    &mtr::RAW,
    &traceroute::SIDE_BY_SIDE,
    &traceroute::TABLE,
];

/// A format that the importer knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// What people call it.
    pub name: &'static str,
    /// What is read of it.
    pub reads: &'static str,
    /// What it is about.
    pub group: Group,
}

/// Every format that the importer knows.
pub fn known_formats() -> impl Iterator<Item = FormatInfo> {
    let of_text = FORMATS.iter().map(|format| FormatInfo {
        name: format.name,
        reads: format.reads,
        group: format.group,
    });
    let of_json = json::kinds().map(|kind| FormatInfo {
        name: kind.name,
        reads: kind.reads,
        group: kind.group,
    });
    // One format, a table of patterns for each maker.
    let of_dialects = interface::show_interfaces_dialects().map(|(name, reads)| FormatInfo {
        name,
        reads,
        group: Group::Interfaces,
    });
    of_text.chain(of_json).chain(of_dialects)
}
