//! Linux `ethtool IFACE` and `ethtool -S IFACE`. The statistics do not name their interface: only the command line
//! above them does.

use super::counted::{Words, count, name_first};
use super::section::device;
use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;
use evidence::{CounterKind, InterfaceCounters, Payload, RateBps};

pub(crate) static SETTINGS: Format = Format {
    name: "ethtool",
    group: Group::Hosts,
    reads: "speed, duplex and link of a Linux host's interface",
    first: "S",
    has_command: false,
    starts: |line| line.starts_with(SETTINGS_FOR),
    continues: |_, line| line.starts_with(['\t', ' ']),
    takes_in: None,
    read: read_settings,
};

pub(crate) static STATISTICS: Format = Format {
    name: "ethtool -S",
    group: Group::Hosts,
    reads: "a driver's counters; those that drivers name alike are understood, the others kept by name",
    first: "N",
    has_command: true,
    starts: |line| line.starts_with(HEAD) || is_command(line),
    continues: |block, line| {
        let (first, length) = (block.first(), block.len());
        line.starts_with([' ', '\t'])
            || (length == 1 && line.starts_with(HEAD) && first.is_some_and(is_command))
    },
    takes_in: None,
    read: read_statistics,
};

const SETTINGS_FOR: &str = "Settings for ";
const HEAD: &str = "NIC statistics:";

/// Names that several drivers share (e1000e, igb, ixgbe, i40e, ice, mlx4, mlx5, bnxt, tg3), sorted. Names of single
/// queues are left to `other`: their sum is among these.
const WORDS: &Words = &[
    ("alloc_rx_buff_failed", CounterKind::InputNoBuffer),
    ("collisions", CounterKind::Collisions),
    ("port.crc_errors", CounterKind::InputCrc),
    ("port.link_xoff_rx", CounterKind::InputPauses),
    ("port.link_xoff_tx", CounterKind::OutputPauses),
    ("port.rx_dropped", CounterKind::InputNoBuffer),
    ("port.rx_oversize", CounterKind::InputGiants),
    ("port.rx_undersize", CounterKind::InputRunts),
    ("port.tx_dropped_link_down", CounterKind::OutputDrops),
    ("rx_align_errors", CounterKind::InputFraming),
    ("rx_bytes", CounterKind::InputBytes),
    ("rx_crc_errors", CounterKind::InputCrc),
    ("rx_crc_errors_phy", CounterKind::InputCrc),
    ("rx_discards_phy", CounterKind::InputNoBuffer),
    ("rx_dropped", CounterKind::InputDiscards),
    ("rx_errors", CounterKind::InputErrors),
    ("rx_fcs_errors", CounterKind::InputCrc),
    ("rx_fifo_errors", CounterKind::InputOverrun),
    ("rx_flow_control_xoff", CounterKind::InputPauses),
    ("rx_frame_errors", CounterKind::InputFraming),
    ("rx_long_length_errors", CounterKind::InputGiants),
    ("rx_missed_errors", CounterKind::InputNoBuffer),
    ("rx_no_buffer_count", CounterKind::InputNoBuffer),
    ("rx_no_dma_resources", CounterKind::InputNoBuffer),
    ("rx_out_of_buffer", CounterKind::InputNoBuffer),
    ("rx_over_errors", CounterKind::InputOverrun),
    ("rx_oversize_pkts_phy", CounterKind::InputGiants),
    ("rx_packets", CounterKind::InputPackets),
    ("rx_pause", CounterKind::InputPauses),
    ("rx_pause_ctrl_phy", CounterKind::InputPauses),
    ("rx_pause_frames", CounterKind::InputPauses),
    ("rx_short_length_errors", CounterKind::InputRunts),
    ("rx_undersize_pkts_phy", CounterKind::InputRunts),
    ("rx_xoff_pkts", CounterKind::InputPauses),
    ("tx_abort_late_coll", CounterKind::LateCollisions),
    ("tx_bytes", CounterKind::OutputBytes),
    ("tx_dropped", CounterKind::OutputDrops),
    ("tx_errors", CounterKind::OutputErrors),
    ("tx_fifo_errors", CounterKind::OutputUnderruns),
    ("tx_flow_control_xoff", CounterKind::OutputPauses),
    ("tx_packets", CounterKind::OutputPackets),
    ("tx_pause", CounterKind::OutputPauses),
    ("tx_pause_ctrl_phy", CounterKind::OutputPauses),
    ("tx_pause_frames", CounterKind::OutputPauses),
    ("tx_window_errors", CounterKind::LateCollisions),
    ("tx_xoff_pkts", CounterKind::OutputPauses),
];

/// `$ ethtool -S eth0`: the command line that the statistics follow.
fn is_command(line: &str) -> bool {
    interface_of(line).is_some()
}

fn interface_of(line: &str) -> Option<&str> {
    let mut arguments = command_line(line)?.arguments_of("ethtool")?;
    let wanted = matches!(arguments.next()?, "-S" | "--statistics");
    arguments.next().filter(|_| wanted)
}

fn read_settings(block: &Block, context: &Context, findings: &mut Findings) {
    let first = block.first().unwrap_or_default();
    let name = first
        .strip_prefix(SETTINGS_FOR)
        .unwrap_or("")
        .trim_end_matches([':', ' ']);
    let mut interface = InterfaceCounters {
        device: context.from.clone(),
        interface: name.to_owned(),
        ..InterfaceCounters::default()
    };
    let mut understood = false;
    for line in block.lines().skip(1) {
        let Some((key, value)) = line.trim().split_once(':') else {
            continue;
        };
        let value = value.trim();
        understood = true;
        match key {
            // "Unknown!" is no rate, and stays unknown.
            "Speed" => interface.bandwidth_bps = value.parse::<RateBps>().ok(),
            "Duplex" if value == "Full" || value == "Half" => {
                interface.duplex = Some(value.to_ascii_lowercase())
            }
            "Link detected" => interface.up = Some(value.starts_with("yes")),
            _ => {}
        }
    }
    if understood {
        findings.record(
            block,
            "ethtool",
            context.at,
            Payload::InterfaceCounters(interface),
        );
    }
}

fn read_statistics(block: &Block, context: &Context, findings: &mut Findings) {
    let first = block.first().unwrap_or_default();
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: interface_of(first).unwrap_or("").to_owned(),
        ..InterfaceCounters::default()
    };
    let mut understood = false;
    for (number, line) in block.numbered().skip(1) {
        match name_first_from_end(line) {
            Some((name, value)) => {
                understood = true;
                count(&mut interface, WORDS, "", name, value);
            }
            None if line.trim().is_empty() || line.starts_with(HEAD) => {}
            None => findings.complain(number, "no counter"),
        }
    }
    if understood {
        findings.record(
            block,
            "ethtool -S",
            context.at,
            Payload::InterfaceCounters(interface),
        );
    }
}

/// `rx_queue_0_packets: 7`, and bnxt's `[0]: rx_ucast_packets: 7`: the figure stands behind the last colon.
fn name_first_from_end(line: &str) -> Option<(&str, u64)> {
    let (name, figure) = line.trim().rsplit_once(':')?;
    match name.contains(": ") {
        true => Some((name, figure.trim().parse().ok()?)),
        false => name_first(line),
    }
}

#[cfg(test)]
mod tests {
    use super::super::counted::is_sorted;
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(is_sorted(WORDS));
    }

    #[test]
    fn the_command_names_the_interface() {
        assert_eq!(interface_of("[root@host ~]# ethtool -S ens1f0"), Some("ens1f0"));
        assert_eq!(interface_of("$ ethtool ens1f0"), None);
        assert_eq!(interface_of("$ ethtool -S"), None);
    }
}
