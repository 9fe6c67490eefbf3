//! The formats, a file each: how a block begins, how it goes on, and what it says.

mod capacities;
mod captures;
mod cut_json;
mod diff;
mod dublin;
mod flows;
mod folded;
mod globalping;
mod history;
mod host;
mod interface;
mod iperf;
mod jq;
mod json;
mod junos_paths;
mod kept;
mod meters;
mod mtr;
mod nstat;
mod nuttcp;
pub(crate) mod openings;
mod owping;
mod owstats;
mod packet_counters;
mod ping;
mod pinger;
mod pingroute;
mod pscheduler;
mod python;
mod responders;
mod ripe_atlas;
mod route_history;
mod routeros;
mod scamper;
mod scamper_lb;
mod scamper_text;
mod snmp;
mod sockets;
mod sting;
mod tables;
mod tracepath;
mod traceroute;
mod within;
mod words;
mod xml;

use crate::block::Block;
use crate::format::{Format, Group};
pub(crate) use interface::{headless, is_of_a_type};

/// Every format, in the order in which a line is offered to them: the more telling first line comes first.
static FORMATS: &[&Format] = &[
    &xml::FORMAT,
    &diff::FORMAT,
    &iperf::stream::FORMAT,
    &history::esmond::FORMAT,
    &json::FORMAT,
    &route_history::FORMAT,
    &packet_counters::FORMAT,
    &packet_counters::CSV,
    &interface::FIXED_TABLES,
    &interface::DROPS,
    &interface::VPP,
    &interface::TREES,
    &interface::PLUGINS,
    &interface::BUNDLES,
    &interface::HUAWEI_QUEUES,
    &interface::TRAFFIC,
    &interface::ADDRESSED,
    &interface::ROW_TABLES,
    &interface::INTERFACE_TABLES,
    &interface::RULED_TABLES,
    &interface::ROUTEROS,
    &interface::NAMED_TABLES,
    &interface::BOTH_WAYS,
    &interface::SHOW_INTERFACES,
    &interface::IP_LINK,
    &interface::OVS,
    &interface::ETHTOOL,
    &interface::ETHTOOL_STATISTICS,
    &host::ethtool::FORMAT,
    &host::optics::FORMAT,
    &host::routes::FORMAT,
    &host::tc::FORMAT,
    &host::files::FORMAT,
    &host::ifconfig::FORMAT,
    &host::netstat_w::FORMAT,
    &host::interface_table::FORMAT,
    &host::protocols::FORMAT,
    &host::processors::FORMAT,
    &host::vmstat::FORMAT,
    &host::ifstat::FORMAT,
    &host::dstat::FORMAT,
    &host::lspci::FORMAT,
    &host::cpus::FORMAT,
    &host::bonding::FORMAT,
    &host::connections::FORMAT,
    &host::conntrack::FORMAT,
    &host::windows_properties::FORMAT,
    &host::netsh_wlan::FORMAT,
    &host::windows::FORMAT,
    &host::windows_chosen::FORMAT,
    &host::wireless::FORMAT,
    &host::watched::FORMAT,
    &host::vnstat::FORMAT,
    &host::nload::FORMAT,
    &host::link_log::FORMAT,
    &host::esxcli::FORMAT,
    &host::said::FORMAT,
    &host::asides::FORMAT,
    &capacities::FORMAT,
    &pingroute::FORMAT,
    &pinger::FORMAT,
    &iperf::FORMAT,
    &iperf::csv::FORMAT,
    &pscheduler::FORMAT,
    &nuttcp::FORMAT,
    &meters::ethr::FORMAT,
    &meters::netperf::FORMAT,
    &meters::ntttcp::FORMAT,
    &meters::curl_times::FORMAT,
    &meters::gridftp::FORMAT,
    &owstats::FORMAT,
    &owping::FORMAT,
    &sting::FORMAT,
    &sockets::FORMAT,
    &nstat::FORMAT,
    &host::sysctl::FORMAT,
    &snmp::TABLE,
    &snmp::FORMAT,
    &flows::speed_csv::FORMAT,
    &tables::transfers::FORMAT,
    &tables::series::FORMAT,
    &tables::statements::FORMAT,
    &ping::ROUTEROS,
    &mtr::ROUTEROS,
    &ping::NET_CONNECTION,
    &ping::TEST_CONNECTION,
    &responders::IP_SLA,
    &responders::RPM,
    &responders::NQA,
    &ping::TCP,
    &ping::IRTT,
    &ripe_atlas::REPORT,
    &ping::FORMAT,
    &traceroute::FORMAT,
    &tracepath::FORMAT,
    &scamper_text::FORMAT,
    &mtr::REPORT,
    &mtr::CSV,
    &mtr::RAW,
    &mtr::trippy::FORMAT,
    &mtr::WINMTR,
    &mtr::PIPED,
    &traceroute::SIDE_BY_SIDE,
    &traceroute::TABLE,
    &history::prometheus::FORMAT,
    &history::rrd::INFO,
    &history::rrd::FORMAT,
    &history::mrtg::FORMAT,
    &history::smokeping_alert::FORMAT,
    &captures::tcptrace::FORMAT,
    &captures::zeek::FORMAT,
    &captures::nfdump::FORMAT,
    &captures::tshark::FORMAT,
    &captures::tcpdump::FORMAT,
    &captures::tcpdump::CAPINFOS,
    &history::influx::FORMAT,
    &history::influx_tables::FORMAT,
    &history::exports::FORMAT,
    &ping::FPING,
    &flows::web::FORMAT,
    &flows::grid::FORMAT,
    &flows::cloud::FORMAT,
    &flows::speed::FORMAT,
    &flows::bench::FORMAT,
    &flows::disk::FORMAT,
    &flows::copies::FORMAT,
    &within::FORMAT,
];

/// Whether a format joins the lines that a screen broke itself: in one whose lines hold nothing but figures and their names, only
/// the names tell where a figure was broken, and in one of samples a stump of a figure reads like a figure.
pub(crate) fn joins_lines(format: &Format) -> bool {
    std::ptr::eq(format, &interface::SHOW_INTERFACES) || std::ptr::eq(format, &history::prometheus::FORMAT)
}

/// Whether each line says by itself what it is about: what was left out between two of them (`[...]`) makes none of them another's.
/// Elsewhere the heading of what stands below may be among it, and no format but those that look out for it reads on there.
fn tells_by_line(format: &Format) -> bool {
    [
        &snmp::FORMAT,
        &nstat::FORMAT,
        &host::sysctl::FORMAT,
        &host::conntrack::FORMAT,
        &host::windows_properties::FORMAT,
        &history::prometheus::FORMAT,
        &history::influx::FORMAT,
    ]
    .iter()
    .any(|by_line| std::ptr::eq(format, *by_line))
}

/// Whether the block goes on behind a mark that lines were left out: whatever these were, what stands below tells what it is.
pub(crate) fn goes_on_behind_mark(format: &Format, block: &Block) -> bool {
    tells_by_line(format) || interface::tell_by_row(format, block)
}

/// Whether a program prints this while it runs, line by line: of two that run at the same time the lines stand in each other's.
pub(crate) fn prints_as_it_runs(format: &Format) -> bool {
    [
        &iperf::FORMAT,
        &nuttcp::FORMAT,
        &ping::FORMAT,
        &ping::TCP,
        &ping::FPING,
    ]
    .iter()
    .any(|running| std::ptr::eq(format, *running))
}

/// Whether nothing but the command tells what the figures are: what a loop prints again and again is one block below it.
pub(crate) fn is_told_by_command(format: &Format) -> bool {
    std::ptr::eq(format, &meters::curl_times::FORMAT)
}

/// Whether a kernel shows a line on the console that another program prints to.
pub(crate) fn is_of_console(line: &str) -> bool {
    (host::link_log::FORMAT.starts)(line)
}

/// Whether a device prints this of its own ports alone: the prompt above it names the device, though the command be none that the
/// format knows.
pub(crate) fn is_of_its_device(format: &Format) -> bool {
    let tables = [
        &interface::FIXED_TABLES,
        &interface::HUAWEI_QUEUES,
        &interface::NAMED_TABLES,
        &interface::DROPS,
        &interface::VPP,
        &interface::TREES,
        &interface::BUNDLES,
        &interface::ROW_TABLES,
        &interface::ROUTEROS,
        &interface::RULED_TABLES,
        &interface::ADDRESSED,
        &interface::INTERFACE_TABLES,
    ];
    format.group == Group::Hosts || tables.iter().any(|of_ports| std::ptr::eq(format, *of_ports))
}

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
    let of_xml = xml::kinds().map(|kind| FormatInfo {
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
    of_text.chain(of_json).chain(of_xml).chain(of_dialects)
}
