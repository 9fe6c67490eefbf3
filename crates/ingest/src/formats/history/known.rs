//! What the names of exporters and agents mean.
//!
//! node_exporter: `collector/netdev_common.go`, `netclass_linux.go`; Telegraf: the READMEs of its plugins `net`, `ping`,
//! `nstat`.

use evidence::CounterKind::{self, *};

/// What a figure is of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// A counter with a meaning across makers.
    Count(CounterKind),
    /// A counter under its own name.
    Own,
    Mtu,
    /// So many bit/s each; zero or less is "not known".
    Speed(u32),
    /// Whether it is up: 1 or 0.
    Up,
    /// Known to say nothing of transfers.
    Nothing,
}

/// Sorted by name.
type Fields = [(&'static str, Field)];

fn find(fields: &Fields, name: &str) -> Option<Field> {
    let place = fields.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    fields.get(place).map(|(_, field)| *field)
}

use Field::{Count, Mtu, Nothing, Own, Speed, Up};

/// `node_network_…`, without the `_total` that old versions do not have. With detailed metrics the errors have names of
/// their own. `carrier` is packets lost for want of one, `carrier_changes` how often it came or went.
const NODE: &Fields = &[
    ("address_assign_type", Nothing),
    ("carrier", Nothing),
    ("carrier_changes", Count(CarrierTransitions)),
    ("carrier_down_changes", Nothing),
    ("carrier_up_changes", Nothing),
    ("collisions", Count(Collisions)),
    ("device_id", Nothing),
    ("dormant", Nothing),
    ("flags", Nothing),
    ("iface_id", Nothing),
    ("iface_link", Nothing),
    ("iface_link_mode", Nothing),
    ("mtu_bytes", Mtu),
    ("multicast", Own),
    ("name_assign_type", Nothing),
    ("net_dev_group", Nothing),
    ("protocol_type", Nothing),
    ("receive_bytes", Count(InputBytes)),
    ("receive_crc_errors", Count(InputCrc)),
    ("receive_drop", Count(InputDiscards)),
    ("receive_dropped", Count(InputDiscards)),
    ("receive_errors", Count(InputErrors)),
    ("receive_errs", Count(InputErrors)),
    ("receive_fifo", Count(InputOverrun)),
    ("receive_fifo_errors", Count(InputOverrun)),
    ("receive_frame", Count(InputFraming)),
    ("receive_frame_errors", Count(InputFraming)),
    ("receive_missed_errors", Count(InputNoBuffer)),
    ("receive_over_errors", Count(InputOverrun)),
    ("receive_packets", Count(InputPackets)),
    ("speed_bytes", Speed(8)),
    ("transmit_bytes", Count(OutputBytes)),
    ("transmit_colls", Count(Collisions)),
    ("transmit_drop", Count(OutputDrops)),
    ("transmit_dropped", Count(OutputDrops)),
    ("transmit_errors", Count(OutputErrors)),
    ("transmit_errs", Count(OutputErrors)),
    ("transmit_fifo", Count(OutputUnderruns)),
    ("transmit_fifo_errors", Count(OutputUnderruns)),
    ("transmit_packets", Count(OutputPackets)),
    ("transmit_queue_length", Nothing),
    ("transmit_window_errors", Count(LateCollisions)),
    ("up", Up),
];

/// Exporters that ask many devices for their interfaces: what the names of their metrics begin with, without `_total`, and what those mean.
/// The interface is the label `name`.
const OF_DEVICES: [(&str, &Fields); 5] = [
    ("cisco_interface_", JUNOS),
    ("fortigate_interface_", JUNOS),
    ("junos_interface_", JUNOS),
    ("mktxp_interface_", MKTXP),
    (OF_YANG, YANG),
];

/// What stands before the counters of an interface in a model of YANG, whatever those who ask for them call the measurement.
pub(super) const OF_YANG: &str = "yang.interface.";

/// Whether a path of a model is that of the counters of an interface: `openconfig-interfaces:/interfaces/interface/state/counters`,
/// `ietf-interfaces:interfaces-state/interface/statistics`.
pub(super) fn is_of_yang(path: &str) -> bool {
    path.contains("interfaces")
        && ["/interface/state/counters", "/interface/statistics"]
            .iter()
            .any(|end| path.ends_with(end))
}

/// Whether a metric is of such an exporter.
pub(super) fn is_of_devices(name: &str) -> bool {
    OF_DEVICES.iter().any(|(begin, _)| name.starts_with(begin))
}

/// OpenConfig's and the IETF's models.
const YANG: &Fields = &[
    ("carrier-transitions", Count(CarrierTransitions)),
    ("in-broadcast-pkts", Own),
    ("in-discards", Count(InputDiscards)),
    ("in-errors", Count(InputErrors)),
    ("in-fcs-errors", Count(InputCrc)),
    ("in-multicast-pkts", Own),
    ("in-octets", Count(InputBytes)),
    ("in-pkts", Count(InputPackets)),
    ("in-unicast-pkts", Own),
    ("in-unknown-protos", Own),
    ("out-broadcast-pkts", Own),
    ("out-discards", Count(OutputDrops)),
    ("out-errors", Count(OutputErrors)),
    ("out-multicast-pkts", Own),
    ("out-octets", Count(OutputBytes)),
    ("out-pkts", Count(OutputPackets)),
    ("out-unicast-pkts", Own),
];

/// `mktxp_interface_…`
const MKTXP: &Fields = &[
    ("link_downs", Own),
    ("rx_byte", Count(InputBytes)),
    ("rx_drop", Count(InputDiscards)),
    ("rx_error", Count(InputErrors)),
    ("rx_packet", Count(InputPackets)),
    ("tx_byte", Count(OutputBytes)),
    ("tx_drop", Count(OutputDrops)),
    ("tx_error", Count(OutputErrors)),
    ("tx_packet", Count(OutputPackets)),
];

/// `junos_interface_…` of junos_exporter and its like, beside what has the names of [`NODE`].
const JUNOS: &Fields = &[
    ("admin_up", Nothing),
    ("description", Nothing),
    ("error_status", Nothing),
    ("last_flapped_seconds", Nothing),
    ("link_up", Up),
    ("receive_broadcasts", Own),
    ("receive_drops", Count(InputDiscards)),
    ("receive_errors_crc", Count(InputCrc)),
    ("receive_multicasts", Own),
    ("receive_unicasts", Own),
    ("speed", Speed(1)),
    ("speed_bps", Speed(1)),
    ("transmit_broadcasts", Own),
    ("transmit_drops", Count(OutputDrops)),
    ("transmit_errors_crc", Own),
    ("transmit_multicasts", Own),
    ("transmit_unicasts", Own),
];

/// `windows_net_…` of windows_exporter, without `_total`. Its bandwidth was in bit/s before it was in bytes.
const WINDOWS: &Fields = &[
    ("bytes_received", Count(InputBytes)),
    ("bytes_sent", Count(OutputBytes)),
    ("current_bandwidth", Speed(1)),
    ("current_bandwidth_bytes", Speed(8)),
    ("packets_outbound_discarded", Count(OutputDrops)),
    ("packets_outbound_errors", Count(OutputErrors)),
    ("packets_received", Count(InputPackets)),
    ("packets_received_discarded", Count(InputDiscards)),
    ("packets_received_errors", Count(InputErrors)),
    ("packets_sent", Count(OutputPackets)),
];

/// Telegraf's `net`.
const NET: &Fields = &[
    ("bytes_recv", Count(InputBytes)),
    ("bytes_sent", Count(OutputBytes)),
    ("drop_in", Count(InputDiscards)),
    ("drop_out", Count(OutputDrops)),
    ("err_in", Count(InputErrors)),
    ("err_out", Count(OutputErrors)),
    ("packets_recv", Count(InputPackets)),
    ("packets_sent", Count(OutputPackets)),
    ("speed", Speed(1_000_000)),
];

/// What a metric is of an interface, and the name that it is kept under.
pub(super) fn of_interface(name: &str, is_counter: impl Fn() -> bool) -> Option<(Field, &str)> {
    if let Some(rest) = name.strip_prefix("node_network_") {
        let rest = rest.strip_suffix("_total").unwrap_or(rest);
        // A counter that a later version adds is kept by its name.
        return find(NODE, rest)
            .or_else(|| is_counter().then_some(Own))
            .map(|field| (field, rest));
    }
    if let Some(rest) = name.strip_prefix("node_ethtool_") {
        let rest = rest.strip_suffix("_total").unwrap_or(rest);
        return is_counter().then_some((Own, rest));
    }
    let of_devices = OF_DEVICES
        .iter()
        .find_map(|(begin, fields)| Some((*fields, name.strip_prefix(begin)?)));
    if let Some((fields, rest)) = of_devices {
        let rest = rest.strip_suffix("_total").unwrap_or(rest);
        let known = find(fields, rest).or_else(|| find(NODE, rest));
        return known.map(|field| (field, rest));
    }
    if let Some(rest) = name.strip_prefix("windows_net_") {
        let rest = rest.strip_suffix("_total").unwrap_or(rest);
        return find(WINDOWS, rest).map(|field| (field, rest));
    }
    if let Some(rest) = name.strip_prefix("ethtool.") {
        let is_word = matches!(rest, "interface_up" | "link" | "speed" | "duplex" | "autoneg");
        return (!is_word).then_some((Own, rest));
    }
    let rest = name.strip_prefix("net.")?;
    find(NET, rest).map(|field| (field, rest))
}

/// What a figure is of a host that was pinged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Echo {
    /// Whether one probe was answered.
    Answered,
    /// The round-trip time of one probe, seconds.
    One,
    Sent,
    Received,
    Duplicates,
    LossRatio,
    LossPercent,
    /// All round-trip times together, seconds.
    Sum,
    Min,
    Mean,
    Median,
    Max,
    Deviation,
}

/// Names, what they mean, and seconds in one of their unit.
const ECHO: [(&str, Echo, f64); 23] = [
    ("probe_success", Echo::Answered, 1.0),
    ("smokeping_requests_total", Echo::Sent, 1.0),
    ("smokeping_response_duplicates_total", Echo::Duplicates, 1.0),
    ("smokeping_response_duration_seconds_count", Echo::Received, 1.0),
    ("smokeping_response_duration_seconds_sum", Echo::Sum, 1.0),
    ("ping_loss_ratio", Echo::LossRatio, 1.0),
    ("ping_rtt_best_seconds", Echo::Min, 1.0),
    ("ping_rtt_mean_seconds", Echo::Mean, 1.0),
    ("ping_rtt_worst_seconds", Echo::Max, 1.0),
    ("ping_rtt_std_deviation_seconds", Echo::Deviation, 1.0),
    ("ping.packets_transmitted", Echo::Sent, 1.0),
    ("ping.packets_received", Echo::Received, 1.0),
    ("ping.percent_packet_loss", Echo::LossPercent, 1.0),
    ("ping.minimum_response_ms", Echo::Min, 1e-3),
    ("ping.average_response_ms", Echo::Mean, 1e-3),
    ("ping.percentile50_ms", Echo::Median, 1e-3),
    ("ping.maximum_response_ms", Echo::Max, 1e-3),
    ("ping.standard_deviation_ms", Echo::Deviation, 1e-3),
    // Its `type` or `phase` says what it is: see `of_echo`.
    ("ping_rtt_ms best", Echo::Min, 1e-3),
    ("ping_rtt_ms mean", Echo::Mean, 1e-3),
    ("ping_rtt_ms worst", Echo::Max, 1e-3),
    ("ping_rtt_ms std_dev", Echo::Deviation, 1e-3),
    ("probe_icmp_duration_seconds rtt", Echo::One, 1.0),
];

/// What a metric is of a host that was pinged, and seconds in one of its unit.
pub(super) fn of_echo(name: &str, part: Option<&str>) -> Option<(Echo, f64)> {
    let found = ECHO.iter().find(|(known, ..)| match known.split_once(' ') {
        Some((metric, of)) => name == metric && part == Some(of),
        None => *known == name,
    });
    found.map(|(_, echo, scale)| (*echo, *scale))
}

/// What Telegraf's `net` has of the whole host without its capitals.
const WHOLE_HOST: [(&str, &str); 18] = [
    ("ip_fragfails", "Ip.FragFails"),
    ("ip_indelivers", "Ip.InDelivers"),
    ("ip_indiscards", "Ip.InDiscards"),
    ("ip_inreceives", "Ip.InReceives"),
    ("ip_outdiscards", "Ip.OutDiscards"),
    ("ip_outrequests", "Ip.OutRequests"),
    ("ip_reasmfails", "Ip.ReasmFails"),
    ("tcp_attemptfails", "Tcp.AttemptFails"),
    ("tcp_inerrs", "Tcp.InErrs"),
    ("tcp_insegs", "Tcp.InSegs"),
    ("tcp_outrsts", "Tcp.OutRsts"),
    ("tcp_outsegs", "Tcp.OutSegs"),
    ("tcp_retranssegs", "Tcp.RetransSegs"),
    ("udp_indatagrams", "Udp.InDatagrams"),
    ("udp_inerrors", "Udp.InErrors"),
    ("udp_outdatagrams", "Udp.OutDatagrams"),
    ("udp_rcvbuferrors", "Udp.RcvbufErrors"),
    ("udp_sndbuferrors", "Udp.SndbufErrors"),
];

/// The counter of a host that a metric is, by the kernel's name for it.
pub(super) fn of_host(name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("node_netstat_") {
        let (group, counter) = rest.split_once('_')?;
        return Some(format!("{group}.{counter}"));
    }
    if let Some(rest) = name.strip_prefix("node_sockstat_") {
        let (protocol, figure) = rest.split_once('_')?;
        return Some(format!("Sockstat.{protocol}.{figure}"));
    }
    if let Some(rest) = name.strip_prefix("net.all.") {
        let (_, counter) = WHOLE_HOST.iter().find(|(known, _)| *known == rest)?;
        return Some((*counter).to_owned());
    }
    let of_nstat = name.strip_prefix("nstat.")?;
    crate::formats::host::counters::divided(of_nstat)
        .and_then(|(group, name)| Some(format!("{}.{name}", group?)))
}

/// The sum over a host's processors that a metric is a part of.
pub(super) fn of_processor(name: &str) -> Option<&'static str> {
    match name {
        "node_softnet_dropped_total" => Some("Softnet.Dropped"),
        "node_softnet_times_squeezed_total" => Some("Softnet.TimeSqueezed"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        for fields in [NODE, JUNOS, WINDOWS, NET] {
            assert!(fields.is_sorted_by(|(a, _), (b, _)| a < b));
        }
        let of = |name| of_interface(name, || true).map(|(field, _)| field);
        assert_eq!(of("node_network_receive_bytes"), Some(Count(InputBytes)));
        assert_eq!(of("node_network_receive_bytes_total"), Some(Count(InputBytes)));
        assert_eq!(of("node_network_receive_new_total"), Some(Own));
        assert_eq!(of("go_goroutines"), None);
        assert_eq!(of_echo("probe_icmp_duration_seconds", Some("setup")), None);
        assert_eq!(
            of_host("node_netstat_TcpExt_TCPTimeouts").as_deref(),
            Some("TcpExt.TCPTimeouts")
        );
    }
}
