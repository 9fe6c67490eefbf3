//! What RDMA ports, tracers and the log of a host print, a table for each; those of clocks stand in `said_clocks.rs`, of cards and fabrics in
//! `said_links.rs`, of services above the network in `said_services.rs`.
//!
//! A row is a sign, a pattern, and behind `=>` the name of what it says; without one the line is known and of no use. The signs: `-` a line,
//! `>` output without the command above begins with it, `+` lines of one name add up (those without a figure count 1 each), `*` both,
//! `|` a line that stands only below the headings right above it in the table.
//! Where several are said in a line (`v1`, `v2` …), their names stand behind what they share and a colon, with `&` between them.

use super::said::Said;
use super::said_clocks::{NTP_VARIABLES, NTPQ, NTPSTAT, PTP, QUERIES, SOURCES, TIMEDATECTL, TRACKING};
use super::said_links::{COLLECTIVES, HARDWARE, LINKS, MII, PEERS, RELAYS, TAILNET};
use super::said_pon::{RECEIVED, UNITS};
use super::said_services::{CALLS, MOUNTS, MOUNTS_SINCE, PODS, SENSOR, TOP};

pub(super) static TOOLS: &[Said] = &[
    TRACKING,
    SOURCES,
    NTPQ,
    NTP_VARIABLES,
    NTPSTAT,
    TIMEDATECTL,
    QUERIES,
    PTP,
    IBSTAT,
    IBSTATUS,
    DEVINFO,
    PERFQUERY,
    MLXLINK,
    RDMA,
    INFINIBAND,
    DROPWATCH,
    PERF,
    RETRANSMISSIONS,
    BPFTRACE,
    KERNEL,
    LINKS,
    COLLECTIVES,
    HARDWARE,
    MII,
    PEERS,
    RELAYS,
    TAILNET,
    MOUNTS,
    MOUNTS_SINCE,
    CALLS,
    SENSOR,
    TOP,
    PODS,
    UNITS,
    RECEIVED,
];

const IBSTAT: Said = Said {
    name: "ibstat",
    asked: &[("ibstat", "")],
    rows: "\
> CA '{scope:w}'
- CA type: {*}
- Number of ports: {*}
- Firmware version: {*}
- Hardware version: {*}
- Node GUID: {*}
- System image GUID: {*}
- Port {within:n}:
- State: {v:*} => state
- Physical state: {v:*} => physical state
- Rate: {v:*} => rate, Gbit/s
- Base lid: {*}
- LMC: {*}
- SM lid: {*}
- Capability mask: {*}
- Port GUID: {*}
- Link layer: {v:*} => link layer
",
};

const IBSTATUS: Said = Said {
    name: "ibstatus",
    asked: &[("ibstatus", "")],
    rows: "\
> Infiniband device '{scope:w}' port {within:n} status:
- default gid: {*}
- base lid: {*}
- sm lid: {*}
- state: {v:*} => state
- phys state: {v:*} => physical state
- rate: {v:*} => rate
- link_layer: {v:*} => link layer
",
};

const DEVINFO: Said = Said {
    name: "ibv_devinfo",
    asked: &[("ibv_devinfo", "")],
    rows: "\
> hca_id: {scope:w}
- transport: {*}
- fw_ver: {*}
- node_guid: {*}
- sys_image_guid: {*}
- vendor_id: {*}
- vendor_part_id: {*}
- hw_ver: {*}
- board_id: {*}
- phys_port_cnt: {*}
- port: {within:n}
- state: {v:*} => state
- max_mtu: {v:*} => largest MTU
- active_mtu: {v:*} => MTU
- sm_lid: {*}
- port_lid: {*}
- port_lmc: {*}
- link_layer: {v:*} => link layer
",
};

/// Data are counted in words of four octets.
const PERFQUERY: Said = Said {
    name: "perfquery",
    asked: &[("perfquery", "")],
    rows: "\
> # Port counters: {scope:*} (CapMask:{*})
> # Port counters: {scope:*}
> # Port extended counters: {scope:*} (CapMask:{*})
> # Port extended counters: {scope:*}
- PortSelect:.{*}
- CounterSelect:.{*}
- CounterSelect2:.{*}
- PortXmitData:.{v:n} => PortXmitData, words of 4 octets
- PortRcvData:.{v:n} => PortRcvData, words of 4 octets
- {k:w}:.{v:n} => {k}
",
};

const MLXLINK: Said = Said {
    name: "mlxlink",
    asked: &[("mlxlink", "-d")],
    rows: "\
> Operational Info
- {_:w} Info
- Tool Information
- Physical Counters and BER Info
- ----{*}
- State~: {v:*} => state
- Physical state~: {v:*} => physical state
- Speed~: {v:*} => speed
- Width~: {*}
- FEC~: {v:*} => FEC
- Loopback Mode~: {*}
- Auto Negotiation~: {*}
- Enabled Link Speed{*}
- Supported Cable Speed{*}
- Status Opcode~: {*}
- Group Opcode~: {*}
- Recommendation~: {v:*} => recommendation
- Firmware Version~: {*}
- amBER Version~: {*}
- MFT Version~: {*}
- Time Since Last Clear [Min]~: {*}
- {k:w} Physical Errors~: {v:n} => {k} physical errors
- Symbol Errors~: {v:n} => symbol errors
- {k:w} Physical Errors Per Lane~: {v:*} => {k} physical errors by lane
- {k:w} Physical BER~: {v:*} => {k} physical BER
- Symbol BER~: {v:*} => symbol BER
- {_:w} Physical BER Per Lane~: {*}
- Link Down Counter~: {v:n} => link down counter
- Link Error Recovery Counter~: {v:n} => link error recovery counter
- Rx Power Current [dBm]~: {v:*} => Rx power, dBm
- Tx Power Current [dBm]~: {v:*} => Tx power, dBm
- Temperature [C]~: {v:*} => temperature, C
- LOS Alarm~: {v:*} => LOS alarm
- Voltage [mV]~: {*}
- Bias Current [mA]~: {*}
- Identifier~: {*}
- Compliance~: {*}
- Cable {_:w}~: {*}
- OUI~: {*}
- Vendor {*}
- Rev~: {*}
- Wavelength [nm]~: {*}
- Transfer Distance [m]~: {*}
- Attenuation {*}
- FW Version~: {*}
- Digital Diagnostic Monitoring~: {*}
- Power Class~: {*}
- CDR {_:w}~: {*}
",
};

/// A row of `rdma statistic` is a name and a figure again and again.
const RDMA: Said = Said {
    name: "rdma",
    asked: &[("rdma", "link"), ("rdma", "statistic"), ("rdma", "stat")],
    rows: "\
> link {scope:w} state {v:*} => RDMA link
> link {scope:w} rx_write_requests {v:n} {pairs:*} => rx_write_requests
- link {scope:w} {k:w} {v:n} {pairs:*} => {k}
",
};

const INFINIBAND: Said = Said {
    name: "sysfs",
    asked: &[("grep", "/sys/class/infiniband/"), ("tail", "/sys/class/infiniband/"), ("head", "/sys/class/infiniband/")],
    rows: "\
> /sys/class/infiniband/{d:w}/ports/{p:n}/hw_counters/{k:w}:{v:n} => {d}/{p} {k}
> /sys/class/infiniband/{d:w}/ports/{p:n}/counters/port_{k:w}_data:{v:n} => {d}/{p} port_{k}_data, words of 4 octets
> /sys/class/infiniband/{d:w}/ports/{p:n}/counters/{k:w}:{v:n} => {d}/{p} {k}
",
};

/// It tells again and again what was dropped since it told last.
const DROPWATCH: Said = Said {
    name: "dropwatch",
    asked: &[("dropwatch", "")],
    rows: "\
> Initializing {*} db
> Initalizing {*} db
- dropwatch> {*}
- Enabling monitoring...
- Kernel monitoring activated.
- Issue Ctrl-C to stop monitoring
- ^C
- ^CGot a stop message
- Got a stop message
- Shutting down ...
* {v:n} drops at {k:w}+{o:w} (0x{*}) [{*}] => drops at {k}+{o}
* {v:n} drops at {k:w}+{o:w} (0x{*}) => drops at {k}+{o}
+ {v:n} drops at {k:w} ({*}) [{*}] => drops at {k}
+ {v:n} drops at {k:w} ({*}) => drops at {k}
+ {v:n} drops at location {k:w} {*} => drops at {k}
",
};

const PERF: Said = Said {
    name: "perf stat",
    asked: &[("perf", "stat")],
    rows: "\
> Performance counter stats for {*}:
- {v:f} seconds time elapsed => perf stat's length, s
- {_:f} seconds {*}
- {_:f} seconds
- <not {*}
- {_:f} msec {*}
- {v:n} {k:w} # {*} => {k}
- {v:n} {k:w} => {k}
",
};

const RETRANSMISSIONS: Said = Said {
    name: "tcpretrans",
    asked: &[("tcpretrans", ""), ("tcpretrans-bpfcc", "")],
    rows: "\
> Tracing retransmits ... Hit Ctrl-C to end
> TIME PID IP LADDR:LPORT T> RADDR:RPORT STATE
+ {_:clock} {_:n} {_:n} {from:w} {t:w}> {to:w} {_:w} => retransmissions ({t}) {from} > {to}
- ^C
",
};

/// The script alone tells what a map counts.
const BPFTRACE: Said = Said {
    name: "bpftrace",
    asked: &[("bpftrace", "")],
    rows: "\
> Attaching {n} probe{*}
> Attached {n} probe{*}
- ^C
- @{m:w}[{k:*}]: {v:n} => @{m}[{k}]
- @[{k:*}]: {v:n} => @[{k}]
- @{m:w}: {v:n} => @{m}
- @: {v:n} => @
",
};

/// Syslog names the host before its `kernel:`.
const KERNEL: Said = Said {
    name: "kernel log",
    asked: &[],
    rows: "\
* {*} {host:w} kernel: {*} {d:w}: AER: {k:w} error {*} => PCIe errors, {k}, {d}
* {*} {d:w}: AER: {k:w} error {*} => PCIe errors, {k}, {d}
* {*} {host:w} kernel: {*}NETDEV WATCHDOG: {k:w} ({*} timed out{*} => transmit queue timed out, {k}
* {*}NETDEV WATCHDOG: {k:w} ({*} timed out{*} => transmit queue timed out, {k}
* {*} {host:w} kernel: {*} {k:w}: NETDEV WATCHDOG: {*} timed out{*} => transmit queue timed out, {k}
* {*} {k:w}: NETDEV WATCHDOG: {*} timed out{*} => transmit queue timed out, {k}
* {*} {host:w} kernel: {*} {k:w}: Detected Hardware Unit Hang{*} => hardware unit hang, {k}
* {*} {k:w}: Detected Hardware Unit Hang{*} => hardware unit hang, {k}
* {*} {host:w} kernel: {*} {k:w}: Detected Tx Unit Hang{*} => hardware unit hang, {k}
* {*} {k:w}: Detected Tx Unit Hang{*} => hardware unit hang, {k}
* {*} {host:w} kernel: {*} {k:w}: Downshift occurred from negotiated speed {*} => link slower than negotiated, {k}
* {*} {k:w}: Downshift occurred from negotiated speed {*} => link slower than negotiated, {k}
* {*} {host:w} kernel: {*}Possible SYN flooding on port {k:n}. Sending cookies{*} => possible SYN flooding, port {k}
* {*}Possible SYN flooding on port {k:n}. Sending cookies{*} => possible SYN flooding, port {k}
* {*} {host:w} kernel: {*}Possible SYN flooding on port {k:w}. Sending cookies{*} => possible SYN flooding, port {k}
* {*}Possible SYN flooding on port {k:w}. Sending cookies{*} => possible SYN flooding, port {k}
* {*} {host:w} kernel: {*}neighbour: {k:w}: neighbor table overflow!{*} => table of neighbours full, {k}
* {*}neighbour: {k:w}: neighbor table overflow!{*} => table of neighbours full, {k}
* {*} {host:w} kernel: {*}TCP: time wait bucket table overflow{*} => table of connections in time wait full
* {*}TCP: time wait bucket table overflow{*} => table of connections in time wait full
* {*} {host:w} kernel: {*}TCP: too many orphaned sockets{*} => too many orphaned sockets
* {*}TCP: too many orphaned sockets{*} => too many orphaned sockets
* {*} {host:w} kernel: {*} {k:w}: dropped over-mtu packet: {*} => dropped as larger than the MTU, {k}
* {*} {k:w}: dropped over-mtu packet: {*} => dropped as larger than the MTU, {k}
* {*} {host:w} kernel: {*}nf_conntrack: table full, dropping packet{*} => conntrack table full
* {*}nf_conntrack: table full, dropping packet{*} => conntrack table full
* {*} {host:w} kernel: {*}nf_conntrack: table full, => conntrack table full
* {*}nf_conntrack: table full, => conntrack table full
- dropping packet{*}
* {*} {host:w} kernel: {*} {k:w}: Reset adapter{*} => adapter reset, {k}
* {*} {k:w}: Reset adapter{*} => adapter reset, {k}
* {*} {host:w} kernel: {*} {k:w}: TX timeout on queue{*} => transmit queue timed out, {k}
* {*} {k:w}: TX timeout on queue{*} => transmit queue timed out, {k}
* {*} {host:w} kernel: {*} {k:w}: TX timeout detected{*} => transmit queue timed out, {k}
* {*} {k:w}: TX timeout detected{*} => transmit queue timed out, {k}
* {*} {host:w} kernel: {*} {k:w}: tx_timeout: {*} => transmit queue timed out, {k}
* {*} {k:w}: tx_timeout: {*} => transmit queue timed out, {k}
* {*} {host:w} kernel: {*}(slave {k:w}): link status definitely down{*} => port of a bond went down, {k}
* {*}(slave {k:w}): link status definitely down{*} => port of a bond went down, {k}
* {*} {host:w} kernel: {*}(slave {k:w}): link status definitely up{*} => port of a bond came up, {k}
* {*}(slave {k:w}): link status definitely up{*} => port of a bond came up, {k}
* {*} {host:w} kernel: {*}TCP: out of memory{*} => TCP out of memory
* {*}TCP: out of memory -- {*} => TCP out of memory
* {*} {host:w} kernel: {*}nfs: server {k:w} not responding{*} => NFS server did not respond, {k}
* {*}nfs: server {k:w} not responding, {*} => NFS server did not respond, {k}
* {*} {host:w} kernel: {*}nfs: server {k:w} OK => NFS server responded again, {k}
* {*}nfs: server {k:w} OK => NFS server responded again, {k}
- {*}------------[ cut here ]------------
- {*}WARNING: CPU: {n} PID: {*} dev_watchdog+{*}
- TDH <{*}>
- TDT <{*}>
- next_to_use <{*}>
- next_to_clean <{*}>
- {*}: PCIe Bus Error: severity={*}
- {*} device [{*}] error status/mask={*}
- {*}: [~{n}] RxErr{*}
- {*}: [~{n}] BadTLP{*}
- {*}: [~{n}] BadDLLP{*}
- {*}: [~{n}] Rollover{*}
- {*}: [~{n}] Timeout{*}
- {*}: [~{n}] {_:w}NonFatalErr{*}
- {*}: [~{n}] NonFatalErr{*}
- {*}: [~{n}] CmpltTO{*}
- {*}: [~{n}] UnsupReq{*}
- {*}: [~{n}] ACSViol{*}
- {*}: [~{n}] DLP{*}
- {*}: [~{n}] TLP{*}
",
};
