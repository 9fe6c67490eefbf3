//! Fortinet FortiGate: what the driver of a port says.

use super::super::dialect::{
    Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, either, input, output, own_input,
    own_output, sole,
};
use evidence::CounterKind as K;

/// Small ones and virtual ones, whose ports are those of a computer.
pub(super) static DRIVER: Dialect = Dialect {
    name: "Fortinet FortiOS, drivers of Linux",
    reads: "`get hardware nic PORT`, `diagnose hardware deviceinfo nic PORT` of igb, e1000, ixgbe, vmxnet3 and their like",
    is_flat: true,
    has_units: false,
    heads: &["Driver Name:{w}"],
    rules: &[DRIVER_LINES],
    sections: &[Section {
        way: Way::Unsaid,
        cut: Cut::NameFirst,
        words: &[DRIVER_WORDS],
        is_closed: true,
        ..SECTION
    }],
};

static DRIVER_WORDS: &[Word] = &[
    input("Rx packets", K::InputPackets),
    input("Rx bytes", K::InputBytes),
    input("Rx dropped", K::InputDiscards),
    input("Rx errors", K::InputErrors),
    input("Rx Crc err", K::InputCrc),
    input("Rx Frame err", K::InputFraming),
    input("Rx Fifo overrun", K::InputOverrun),
    output("Tx packets", K::OutputPackets),
    output("Tx bytes", K::OutputBytes),
    output("Tx dropped", K::OutputDrops),
    output("Tx errors", K::OutputErrors),
    output("Tx Fifo overrun", K::OutputUnderruns),
    either("Collisions", K::Collisions),
    own_input("Rx compressed"),
    own_input("Rx Length err"),
    own_input("Rx Buf overflow"),
    own_input("Rx Missed packets"),
    own_output("Tx compressed"),
    own_output("Tx Aborted err"),
    own_output("Tx Carrier err"),
    own_output("Tx Heartbeat err"),
    own_output("Tx Window err"),
    own_input("Multicasts"),
];

static DRIVER_LINES: &[Rule] = &[
    above("Version:{*}"),
    above("FW version:{*}"),
    above("Bus:{*}"),
    above("Hwaddr:{*}"),
    above("Permanent Hwaddr:{*}"),
    above("State:{*}"),
    above("Link:{state}"),
    above("Mtu:{mtu}"),
    above("Supported:{*}"),
    above("Advertised:{*}"),
    above("Speed:{speed-duplex}"),
    above("Auto:{*}"),
    above("RX Ring:{*}"),
    above("TX Ring:{*}"),
];

/// Of FortiOS up to 5: names of one word, and their values behind a sign of equality or blanks.
pub(super) static NAMED: Dialect = Dialect {
    name: "Fortinet FortiOS 5",
    reads: "`diagnose hardware deviceinfo nic PORT`: `Rx_Packets=12`",
    is_flat: true,
    has_units: false,
    heads: &["System_Device_Name {if}"],
    rules: &[NAMED_LINES],
    sections: &[SECTION],
};

macro_rules! named {
    ($($name:literal $counted:literal)*) => {
        &[
            above("Current_HWaddr{*}"),
            above("Permanent_HWaddr{*}"),
            above("State {*}"),
            sole("Link {state}"),
            above("Speed {speed-mbit}"),
            above("Duplex {duplex}"),
            above("FlowControl {*}"),
            above("MTU_Size {mtu}"),
            // What the driver of a Tigon 3 keeps for itself.
            any("rx_{*}"),
            any("tx_pending {*}"),
            any("tg3_{*}"),
            any("num_reset {*}"),
            $(
                any(concat!($name, "={", $counted, "}")),
                any(concat!($name, " {", $counted, "}")),
            )*
        ]
    };
}

static NAMED_LINES: &[Rule] = named![
    "Rx_Packets" "InputPackets"
    "Tx_Packets" "OutputPackets"
    "Rx_Bytes" "InputBytes"
    "Tx_Bytes" "OutputBytes"
    "Rx_Errors" "InputErrors"
    "Tx_Errors" "OutputErrors"
    "Tx_errors" "OutputErrors"
    "Rx_Dropped" "InputDiscards"
    "Rx_Packets_Dropped" "InputDiscards"
    "Tx_Dropped" "OutputDrops"
    "Rx_CRC_Errors" "InputCrc"
    "Rx_Frame_Errors" "InputFraming"
    "Rx_Over_Errors" "InputOverrun"
    "Collisions" "Collisions"
    "Multicast" "Multicast"
    "Rx_Length_Errors" "Rx_Length_Errors"
    "Rx_FIFO_Errors" "Rx_FIFO_Errors"
    "Rx_Missed_Errors" "Rx_Missed_Errors"
    "Rx_No_Buffer_Count" "Rx_No_Buffer_Count"
    "Rx_Align_Errors" "Rx_Align_Errors"
    "Rx_Long_Length_Errors" "Rx_Long_Length_Errors"
    "Rx_Short_Length_Errors" "Rx_Short_Length_Errors"
    "Tx_Aborted_Errors" "Tx_Aborted_Errors"
    "Tx_Carrier_Errors" "Tx_Carrier_Errors"
    "Tx_aborted_Errors" "Tx_aborted_Errors"
    "Tx_carrier_errors" "Tx_carrier_errors"
    "Tx_FIFO_Errors" "Tx_FIFO_Errors"
    "Tx_Heartbeat_Errors" "Tx_Heartbeat_Errors"
    "Tx_Window_Errors" "Tx_Window_Errors"
    "Tx_Single_Collision_Frames" "Tx_Single_Collision_Frames"
    "Tx_Multiple_Collision_Frames" "Tx_Multiple_Collision_Frames"
];

pub(super) static DIALECT: Dialect = Dialect {
    name: "Fortinet FortiGate",
    reads: "`get hardware nic`, `diagnose hardware deviceinfo nic`",
    is_flat: true,
    has_units: false,
    heads: &[
        "Description:FortiASIC {*}",
        "Description: FortiASIC {*}",
        "Description:FortiNet {*}",
    ],
    rules: &[LINES],
    sections: &[
        SECTION,
        Section {
            titles: &["{eq} Link Status {eq}"],
            ..SECTION
        },
        // Of the NP7, which has more of them.
        Section {
            titles: &[
                "{eq} Default Link Settings {eq}",
                "{eq} Current Link Settings {eq}",
                "{eq} Netdev Status {eq}",
            ],
            rules: LINK,
            ..SECTION
        },
        Section {
            titles: &["{eq} Host Counters {eq}"],
            cut: Cut::NameFirst,
            words: &[HOST],
            is_closed: true,
            ..SECTION
        },
        Section {
            titles: &[
                "{eq} Netdev Counters {eq}",
                "{eq} Switch Poll Counters {eq}",
                "{eq} Switch Error Counters {eq}",
            ],
            cut: Cut::NameFirst,
            words: &[WORDS, SWITCH],
            ..SECTION
        },
        Section {
            titles: &["{eq} Counters {eq}"],
            way: Way::Unsaid,
            cut: Cut::NameFirst,
            words: &[WORDS],
            rules: NP4,
            ..SECTION
        },
    ],
};

static WORDS: &[Word] = &[
    input("Rx Pkts", K::InputPackets),
    input("Rx Bytes", K::InputBytes),
    output("Tx Pkts", K::OutputPackets),
    output("Tx Bytes", K::OutputBytes),
    input("Rx Errors", K::InputErrors),
    output("Tx Errors", K::OutputErrors),
    input("Rx Dropped", K::InputDiscards),
    output("Tx Dropped", K::OutputDrops),
    input("Rx CRC Errors", K::InputCrc),
    input("Rx_CRC_Errors", K::InputCrc),
    input("Rx_Frame_Too_Longs", K::InputGiants),
    input("rx_undersize", K::InputRunts),
    // Of the NP4.
    input("rx_error", K::InputErrors),
    input("rx_crc_error", K::InputCrc),
    input("rx_oversize", K::InputGiants),
    output("tx_collision", K::Collisions),
    // What the processor of the host saw, of what the network processor did not handle by itself.
    own_input("Host Rx Pkts"),
    own_input("Host Rx Bytes"),
    own_input("Host Rx dropped"),
    own_output("Host Tx Pkts"),
    own_output("Host Tx Bytes"),
    own_output("Host Tx dropped"),
    own_output("FragTxCreate"),
    own_output("FragTxOk"),
    own_output("FragTxDrop"),
];

/// What the NP4 counts of its own work, and of the switch before it.
static NP4: &[Rule] = &[
    any("clst_{*}"),
    any("dd_wo_eop:{*}"),
    any("tcp_udp_csum_err:{tcp_udp_csum_err}"),
    any("rx_len_error:{rx_len_error}"),
    any("rx_carrier:{rx_carrier}"),
    any("ip_sum_offload:{*}"),
    any("ipsec_{*}"),
    any("aps_log:{*}"),
];

/// What the host's own processor saw.
static HOST: &[Word] = &[
    own_input("hrx_pkts"),
    own_input("hrx_bytes"),
    own_output("htx_pkts"),
    own_output("htx_bytes"),
    own_output("htx_drop"),
    own_output("htx_e_busy"),
    own_output("htx_e_noheadroom"),
    own_output("htx_e_oid"),
    own_output("htx_e_adapter"),
    own_output("htx_e_pad"),
    own_output("htx_e_frag"),
    own_output("htx_e_other"),
];

static SWITCH: &[Word] = &[
    input("rx_err", K::InputErrors),
    input("rx_crc_err", K::InputCrc),
    input("rx_over_err", K::InputOverrun),
    input("rx_drop_pkts", K::InputDiscards),
    output("tx_collision_err", K::Collisions),
    output("tx_drop_pkts", K::OutputDrops),
];

static LINK: &[Rule] = &[
    above("auto-nego:{*}"),
    above("s_{*}"),
    above("FEC{*}"),
    above("SerDes_{*}"),
    above("pm_{*}"),
    above("medium_mode:{*}"),
    above("dev_{*}"),
];

static LINES: &[Rule] = &[
    // Of the NP4, which has no lines of its own for what the port is set to.
    above("Version:{*}"),
    above("PCI_Revision_ID:{*}"),
    above("LIF ID:{*}"),
    above("NPU OID{*}"),
    above("Queue:{*}"),
    above("rx_buffer_len:{*}"),
    above("max_frame_size:{*}"),
    above("min_frame_size:{*}"),
    above("MTU:{mtu}"),
    above("Hidden:{*}"),
    above("dyn_lif:{*}"),
    above("npu_cap:{*}"),
    above("ses_mask:{*}"),
    above("cmd_in_queue:{*}"),
    above("half_id:{*}"),
    above("phy_flags:{*}"),
    above("phy_oid:{*}"),
    above("medium_type:{*}"),
    above("sw_stats_port:{*}"),
    above("slot_id:{*}"),
    above("PHY Status:{state}"),
    above("PHY Speed:{speed-mbit}"),
    above("int_phy_reinit_cnt:{*}"),
    above("link_andone:{*}"),
    above("link_status:{n}"),
    above("serdes_mode:{*}"),
    above("id:{*}"),
    above("link_speed:{*}"),
    above("link_duplex:{*}"),
    above("rx_link_status:{*}"),
    above("int_phy_link:{*}"),
    above("local_fault:{*}"),
    above("local_warning:{*}"),
    above("remote_fault:{*}"),
    above("pid:{*}"),
    above("oid:{*}"),
    above("vid:{*}"),
    above("macid:{*}"),
    above("eif_id:{*}"),
    above("promiscuous:{*}"),
    above("promiscous:{*}"),
    above("local_port:{*}"),
    above("vlan_wa_done:{*}"),
    above("mtu:{mtu}"),
    above("dev-flags:{*}"),
    above("dev-promis:{*}"),
    above("Speed:N/A"),
    above("Duplex:N/A"),
    above("Driver Name:{*}"),
    above("Name:{*}"),
    above("PCI Slot:{*}"),
    above("irq:{*}"),
    above("Board:{*}"),
    above("SN:{*}"),
    above("Major ID:{*}"),
    above("Minor ID:{*}"),
    above("lif id:{*}"),
    above("lif oid:{*}"),
    above("netdev oid:{*}"),
    above("netdev flags:{*}"),
    above("Current_HWaddr{*}"),
    above("Permanent_HWaddr{*}"),
    above("phy name:{port}"),
    above("bank_id:{*}"),
    above("phy_addr:{*}"),
    above("lane:{*}"),
    above("flags:{*}"),
    above("sw_port:{*}"),
    above("sw_np_port:{*}"),
    above("vid_phy[{*}"),
    above("vid_fwd[{*}"),
    above("oid_fwd[{*}"),
    above("Admin:{*}"),
    above("netdev status:{*}"),
    above("autonego_setting:{*}"),
    above("link_setting:{*}"),
    above("link_autonego:{*}"),
    above("speed_setting:{*}"),
    above("duplex_setting:{*}"),
    above("Speed:{speed-mbit}"),
    above("Duplex:{duplex}"),
    above("link_status:{state}"),
    // Of a switch inside: one number a port, below the counters.
    any("Member Ports{*}"),
    any("[{n}]: {w}"),
    any("host_{*}"),
];
