//! Schemas of makers' own models of state, as NETCONF gives them: Huawei's `ifm`, SR OS' `state`.

use super::schema::{NONE, Schema};
use super::words::Means::*;
use super::words::speed;
use evidence::CounterKind::*;

pub(super) const VRP: Schema = Schema {
    tool: "ifm (VRP)",
    has: &["ifName", "ifStatistics|ifDynamicInfo"],
    names: &["ifName"],
    words: &[
        ("ifdescr", Description),
        ("ifoperstatus", Up),
        ("ifopertmtu", Mtu),
        ("ifoperspeed", speed(1.0)),
        ("receivebyte", Count(InputBytes)),
        ("sendbyte", Count(OutputBytes)),
        ("receivepacket", Count(InputPackets)),
        ("sendpacket", Count(OutputPackets)),
        ("rcvunipacket", Part(0)),
        ("rcvmutipacket", Part(1)),
        ("rcvbroadpacket", Part(2)),
        ("sendunipacket", Part(3)),
        ("sendmutipacket", Part(4)),
        ("sendbroadpacket", Part(5)),
        ("rcverrorpacket", Count(InputErrors)),
        ("rcvdroppacket", Count(InputDiscards)),
        ("senderrorpacket", Count(OutputErrors)),
        ("senddroppacket", Count(OutputDrops)),
        // Bytes a second.
        ("receivebyterate", InBps(8.0)),
        ("receivepacketrate", InPps),
        ("sendbyterate", OutBps(8.0)),
        ("sendpacketrate", OutPps),
    ],
    // What was counted since somebody cleared the counters is counted twice.
    skip: &[
        "ifClearedStat",
        "ifTrapThreshold",
        "ifControlFlap",
        "ifErrorDown",
        "ipv4Config",
        "ipv6Config",
    ],
    ..NONE
};

/// What `ethernet` counts is the same, by size and by queue.
pub(super) const SR_OS_PORT: Schema = Schema {
    tool: "port (SR OS)",
    has: &[
        "port-id",
        "statistics/in-octets|oper-state|transceiver/digital-diagnostic-monitoring",
    ],
    names: &["port-id"],
    words: &[
        ("transmitoutputpower/current", Sent),
        ("receivedopticalpower/current", Received),
        ("temperature/current", Celsius),
    ],
    counters: &["statistics"],
    skip: &["ethernet", "access", "network", "hybrid-buffer-allocation"],
    ..NONE
};

pub(super) const SR_OS_ROUTED: Schema = Schema {
    tool: "router interface (SR OS)",
    has: &[
        "interface-name",
        "statistics/ip/in-octets|oper-ip-mtu|statistics/ip/in-packets",
    ],
    names: &["interface-name"],
    words: &[
        ("ip/inoctets", Count(InputBytes)),
        ("ip/outoctets", Count(OutputBytes)),
        ("ip/inpackets", Count(InputPackets)),
        ("ip/outpackets", Count(OutputPackets)),
        ("operipmtu", Mtu),
    ],
    skip: &["ipv4", "ipv6", "mpls", "urpf"],
    ..NONE
};
