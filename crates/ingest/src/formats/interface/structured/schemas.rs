//! The schemas of interfaces: who structures them how.

use super::junos_apart;
use super::netconf;
use super::schema::{NONE, Schema};
use super::vendor_words::{IF_MIB, NXOS, OPER};
use super::words::Means::*;
use super::words::{SPEED_TEXT, speed};
use evidence::CounterKind::*;

/// In the order in which an element is tried.
pub(super) static SCHEMAS: &[Schema] = &[
    Schema {
        tool: "show interfaces | json (EOS)",
        has: &[
            "interfaceStatus|lineProtocolStatus",
            "interfaceCounters|hardware|forwardingModel",
        ],
        words: &[
            ("bandwidth", speed(1.0)),
            ("interfacestatus", Nothing),
            ("alignmenterrors", Count(InputFraming)),
            ("linkstatuschanges", Count(CarrierTransitions)),
            ("totalinerrors", Count(InputErrors)),
            ("totalouterrors", Count(OutputErrors)),
            ("updateinterval", OverS),
            ("interfacestatistics/inbitsrate", InBps(1.0)),
            ("counterrefreshtime", Nothing),
            ("lastclear", Nothing),
        ],
        counters: &["interfacecounters"],
        skip: &["interfaceAddress", "memberInterfaces"],
        ..NONE
    },
    Schema {
        tool: "show interfaces counters errors | json (EOS)",
        has: &["alignmentErrors", "fcsErrors", "inErrors|rxErrors"],
        words: &[
            ("alignmenterrors", Count(InputFraming)),
            ("frametoolongs", Count(InputGiants)),
            ("frametooshorts", Count(InputRunts)),
        ],
        prefixes: &["symbolerrors"],
        ..NONE
    },
    Schema {
        tool: "show interfaces counters | json (EOS)",
        has: &["inOctets", "outOctets", "inUcastPkts"],
        ..NONE
    },
    Schema {
        tool: "show interfaces transceiver | json (EOS)",
        has: &["rxPower", "txPower", "txBias"],
        skip: &["details"],
        ..NONE
    },
    Schema {
        tool: "show interfaces status | json (EOS)",
        has: &["linkStatus", "lineProtocolStatus|interfaceType", "bandwidth"],
        words: &[
            ("bandwidth", speed(1.0)),
            ("linkstatus", Up),
            ("lineprotocolstatus", Nothing),
        ],
        skip: &["vlanInformation"],
        ..NONE
    },
    Schema {
        tool: "show interface | json (NX-OS)",
        has: &[
            "interface",
            "state|admin_state|svi_line_proto",
            "eth_mtu|svi_mtu|eth_hw_desc|eth_bw|eth_inpkts|svi_bw",
        ],
        names: &["interface"],
        words: NXOS,
        prefixes: &["eth", "vdclvl"],
        ..NONE
    },
    Schema {
        tool: "show interface status | json (NX-OS)",
        has: &["interface", "state", "vlan|ip_addr", "speed|duplex"],
        names: &["interface"],
        words: &[
            ("name", Description),
            ("state", Up),
            ("speed", SpeedOrMbit),
            ("duplex", Duplex),
            ("vlan", Nothing),
            ("type", Nothing),
        ],
        absent: &["--", "auto"],
        ..NONE
    },
    Schema {
        tool: "show interface counters errors | json (NX-OS)",
        has: &[
            "interface",
            "eth_fcs_err|eth_outdisc|eth_giants|eth_single_col|eth_inmacrx_err|eth_inmacrx_er|eth_inucast|eth_inbytes|eth_outbytes",
        ],
        names: &["interface"],
        words: NXOS,
        prefixes: &["eth"],
        ..NONE
    },
    Schema {
        tool: "show interface counters | json (NX-OS)",
        has: &[
            "interface_rx|interface_tx",
            "eth_inbytes|eth_inmcast|eth_outbytes|eth_outmcast",
        ],
        names: &["interface_rx", "interface_tx"],
        words: NXOS,
        prefixes: &["eth"],
        ..NONE
    },
    Schema {
        tool: "get_optics (NAPALM)",
        has: &["physical_channels/channel"],
        words: &[("inputpower/instant", Received), ("outputpower/instant", Sent)],
        ..NONE
    },
    Schema {
        tool: "setup (Ansible)",
        has: &["device", "active", "mtu|macaddress"],
        names: &["device"],
        words: &[("active", Up), ("speed", speed(1e6))],
        skip: &["ipv4", "ipv6", "features"],
        absent: &["-1"],
        ..NONE
    },
    Schema {
        tool: "interface (SR Linux)",
        has: &[
            "name",
            "statistics/in-octets|statistics/in-packets",
            "oper-state|admin-state|statistics/in-discarded-packets|statistics/in-error-packets|statistics/out-discarded-packets",
        ],
        names: &["name"],
        words: &[
            ("portspeed", SPEED_TEXT),
            ("incrcerrorframes", Count(InputCrc)),
            ("infcserrorpackets", Count(InputCrc)),
            ("indiscardedpackets", Count(InputDiscards)),
            ("outdiscardedpackets", Count(OutputDrops)),
            ("carriertransitions", Count(CarrierTransitions)),
            ("inbps", InBps(1.0)),
            ("outbps", OutBps(1.0)),
        ],
        counters: &["statistics"],
        skip: &["subinterface", "transceiver", "vlan", "adapter", "bridge-table"],
        ..NONE
    },
    netconf::VRP,
    netconf::SR_OS_PORT,
    netconf::SR_OS_ROUTED,
    Schema {
        tool: "interfaces (Cisco-IOS-XE-interfaces-oper)",
        has: &[
            "name",
            "statistics/in-errors-64|statistics/num-flaps|v4-protocol-stats|statistics/rx-kbps",
        ],
        names: &["name"],
        words: OPER,
        counters: &["statistics", "ethernetstats"],
        // What went by one protocol is not what the port counted.
        skip: &[
            "ipv4",
            "ipv6",
            "v4-protocol-stats",
            "v6-protocol-stats",
            "diffserv-info",
            "subinterfaces",
            "storm-control",
        ],
        ..NONE
    },
    // Of whoever keeps to RFC 8343: IOS XE, OS10, VRP.
    Schema {
        tool: "interfaces (ietf-interfaces)",
        has: &["name", "statistics/in-octets"],
        names: &["name"],
        words: OPER,
        counters: &["statistics"],
        skip: &["ipv4", "ipv6", "diffserv-info", "subinterfaces", "storm-control"],
        ..NONE
    },
    Schema {
        tool: "interfaces as parsed",
        has: &[
            "name",
            "counters/in-octets|counters/out-octets",
            "oper-status|admin-status",
        ],
        names: &["name"],
        words: &[("operstatus", Up)],
        counters: &["counters"],
        ..NONE
    },
    Schema {
        tool: "show interfaces (Junos)",
        has: &[
            "name",
            "traffic-statistics|input-error-list|oper-status|admin-status",
        ],
        names: &["name"],
        words: &[
            ("/inputbytes", Nothing),
            ("/inputpackets", Nothing),
            ("/outputbytes", Nothing),
            ("/outputpackets", Nothing),
            ("ethernetmacstatistics/inputbytes", Nothing),
            ("ethernetmacstatistics/inputpackets", Nothing),
            ("ethernetmacstatistics/outputbytes", Nothing),
            ("ethernetmacstatistics/outputpackets", Nothing),
            ("ethernetmacstatistics/inputfifoerrors", Nothing),
            ("ethernetmacstatistics/outputfifoerrors", Nothing),
            ("inputmacpauseframes", Count(InputPauses)),
            ("outputmacpauseframes", Count(OutputPauses)),
            ("inputoversizedframes", Count(InputGiants)),
            ("speed", SPEED_TEXT),
            ("linkmode", Duplex),
            ("operstatus", Up),
            ("inputcrcerrors", Count(InputCrc)),
            ("framingerrors", Count(InputFraming)),
            ("inputpauseframes", Count(InputPauses)),
            ("mtuerrors", Nothing),
            ("outputerrorlist/mtuerrors", Nothing),
            ("agingdrops", Nothing),
        ],
        counters: &["inputerrorlist", "outputerrorlist"],
        skip: &[
            "logical-interface",
            "ethernet-fec-statistics",
            "ethernet-pcs-statistics",
            "queue-counters",
            "ethernet-filter-statistics",
            "ethernet-autonegotiation",
            "address-family",
            "transit-traffic-statistics",
            "local-traffic-statistics",
            "ipv6-transit-statistics",
            "pfe-information",
            "cos-information",
            "multilink-interface-errors",
            "stp-traffic-statistics",
        ],
        apart: Some(junos_apart::tell),
        ..NONE
    },
    Schema {
        tool: "show interfaces diagnostics optics (Junos)",
        has: &["name", "optics-diagnostics"],
        names: &["name"],
        words: &[
            ("laseroutputpowerdbm", Sent),
            ("rxsignalavgopticalpowerdbm", Received),
            ("laserrxopticalpowerdbm", Received),
            ("moduletemperature", Celsius),
        ],
        absent: &["-Inf", "- Inf"],
        ..NONE
    },
    Schema {
        tool: "interfaces (Cisco-IOS-XR-pfi-im-cmd-oper)",
        has: &["interface-name", "interface-statistics|line-state|mtu|bandwidth"],
        names: &["interface-name"],
        words: &[
            ("packetsreceived", Count(InputPackets)),
            ("bytesreceived", Count(InputBytes)),
            ("packetssent", Count(OutputPackets)),
            ("bytessent", Count(OutputBytes)),
            ("inputdrops", Count(InputDiscards)),
            ("inputoverruns", Count(InputOverrun)),
            ("inputignoredpackets", Count(InputIgnored)),
            ("outputunderruns", Count(OutputUnderruns)),
            ("carriertransitions", Count(CarrierTransitions)),
            ("framingerrorsreceived", Count(InputFraming)),
            ("runtpacketsreceived", Count(InputRunts)),
            ("giantpacketsreceived", Count(InputGiants)),
            ("resets", Count(InterfaceResets)),
            ("bandwidth", speed(1e3)),
            ("linestate", Up),
            ("state", Nothing),
            ("inputdatarate", InBps(1e3)),
            ("outputdatarate", OutBps(1e3)),
            ("inputpacketrate", InPps),
            ("outputpacketrate", OutPps),
            ("loadinterval", Nothing),
        ],
        counters: &["fullinterfacestats", "basicinterfacestats"],
        skip: &[
            "ip-information",
            "arp-information",
            "encapsulation-information",
            "mac-address",
            "burned-in-address",
        ],
        ..NONE
    },
    Schema {
        tool: "interfaces (OpenConfig)",
        has: &["state/counters"],
        names: &["name", "state/name"],
        words: &[
            ("portspeed", SPEED_TEXT),
            ("negotiatedportspeed", SPEED_TEXT),
            ("negotiatedduplexmode", Duplex),
            ("inoversizeframes", Count(InputGiants)),
        ],
        counters: &["counters"],
        skip: &[
            "config",
            "subinterfaces",
            "hold-time",
            "aggregation",
            "routed-vlan",
        ],
        ..NONE
    },
    Schema {
        tool: "parsed show interfaces (pyATS)",
        has: &["oper_status|enabled|line_protocol", "counters"],
        words: &[
            ("bandwidth", speed(1e3)),
            ("portspeed", SPEED_TEXT),
            ("duplexmode", Duplex),
            ("incrcerrors", Count(InputCrc)),
            ("inframe", Count(InputFraming)),
            ("inframeerrors", Count(InputFraming)),
            ("ingiants", Count(InputGiants)),
            ("inrunts", Count(InputRunts)),
            ("inignored", Count(InputIgnored)),
            ("inoverrun", Count(InputOverrun)),
            ("inmacpauseframes", Count(InputPauses)),
            ("innobuffer", Count(InputNoBuffer)),
            ("outcollision", Count(Collisions)),
            ("outinterfaceresets", Count(InterfaceResets)),
            ("outlatecollision", Count(LateCollisions)),
            ("outunderruns", Count(OutputUnderruns)),
            ("queues/totaloutputdrop", Count(OutputDrops)),
            ("lineprotocol", Up),
        ],
        counters: &["counters"],
        skip: &["ipv4", "ipv6", "sub_interfaces", "port_channel"],
        ..NONE
    },
    Schema {
        tool: "show interfaces (ntc-templates)",
        has: &[
            "interface|INTERFACE|port|PORT",
            "link_status|LINK_STATUS",
            "crc|CRC|input_errors|INPUT_ERRORS|output_errors|mtu|MTU",
        ],
        names: &["interface", "INTERFACE", "port", "PORT"],
        words: &[
            ("bandwidth", SPEED_TEXT),
            ("speed", SPEED_TEXT),
            ("linkstatus", Nothing),
            ("protocolstatus", Up),
            ("frame", Count(InputFraming)),
            ("ignored", Count(InputIgnored)),
            ("nobuffer", Count(InputNoBuffer)),
            ("inputrate", InBps(1.0)),
            ("outputrate", OutBps(1.0)),
        ],
        ..NONE
    },
    Schema {
        tool: "show interfaces status (ntc-templates)",
        has: &["port", "status", "duplex", "vlan|vlan_id"],
        names: &["port"],
        words: &[("status", Up), ("speed", SpeedOrMbit), ("name", Description)],
        absent: &["auto"],
        ..NONE
    },
    Schema {
        tool: "show interfaces brief (ntc-templates)",
        has: &["interface", "intf_state", "linep_state"],
        names: &["interface"],
        words: &[("linepstate", Up), ("intbw", speed(1e3))],
        ..NONE
    },
    Schema {
        tool: "frr-interface (FRR)",
        has: &["vrf", "state/if-index", "state/mtu"],
        names: &["name"],
        words: &[("speed", speed(1e6)), ("mtu6", Nothing)],
        absent: &["0"],
        ..NONE
    },
    Schema {
        tool: "get_interfaces_counters (NAPALM)",
        has: &["tx_octets", "rx_octets", "rx_errors"],
        absent: &["-1", "-1.0"],
        ..NONE
    },
    Schema {
        tool: "get_interfaces (NAPALM)",
        has: &["is_up", "is_enabled", "speed"],
        words: &[("isup", Up), ("speed", speed(1e6))],
        absent: &["-1", "-1.0", "0", "0.0"],
        ..NONE
    },
    Schema {
        // Its bandwidth is in kbit/s of one maker and in bit/s of another.
        tool: "interfaces (Ansible)",
        has: &[
            "lineprotocol|operstatus|link_state",
            "macaddress|bandwidth|mtu|ipv4",
        ],
        words: &[("bandwidth", Nothing), ("operstatus", Up), ("lineprotocol", Up)],
        skip: &["ipv4", "ipv6"],
        ..NONE
    },
    Schema {
        tool: "ports (LibreNMS)",
        has: &[
            "ifName|ifDescr",
            "ifOperStatus|ifInOctets|ifHCInOctets|ifInErrors",
        ],
        names: &["ifName", "ifDescr"],
        words: IF_MIB,
        ..NONE
    },
    Schema {
        tool: "interface (telegraf)",
        has: &["tags/ifName|tags/ifDescr", "fields"],
        names: &["tags/ifName", "tags/ifDescr"],
        words: IF_MIB,
        at: "timestamp",
        ..NONE
    },
    Schema {
        tool: "/rest/interface (RouterOS)",
        has: &["name", "rx-byte", "tx-byte"],
        names: &["name"],
        prefixes: &["txqueuedrop"],
        words: &[
            ("running", Up),
            ("comment", Description),
            ("linkdowns", Count(CarrierTransitions)),
            ("actualmtu", Mtu),
            ("mtu", Nothing),
        ],
        ..NONE
    },
    Schema {
        tool: "show interface json (FRR)",
        has: &["administrativeStatus", "operationalStatus"],
        words: &[
            ("operationalstatus", Up),
            ("speed", speed(1e6)),
            ("bandwidth", Nothing),
            ("osdescription", Description),
            ("linkups", Nothing),
        ],
        skip: &["ipAddresses", "evpnMh"],
        absent: &["4294967295"],
        ..NONE
    },
    Schema {
        tool: "net show counters json (Cumulus)",
        has: &["RX_OK", "TX_OK", "RX_ERR"],
        words: &[
            ("rxok", Count(InputPackets)),
            ("rxerr", Count(InputErrors)),
            ("rxdrp", Count(InputDiscards)),
            ("rxovr", Nothing),
            ("txok", Count(OutputPackets)),
            ("txerr", Count(OutputErrors)),
            ("txdrp", Count(OutputDrops)),
        ],
        absent: &["N/A"],
        ..NONE
    },
    // What the daemons of OpenWrt (`ubus call network.device status`), LuCI and EdgeOS hand on of what Linux counts.
    Schema {
        tool: "devices of Linux",
        has: &[
            "stats/rx_bytes|statistics/rx_bytes",
            "stats/tx_bytes|statistics/tx_bytes",
            "mtu",
        ],
        words: &[
            ("rxbytes", Count(InputBytes)),
            ("txbytes", Count(OutputBytes)),
            ("rxpackets", Count(InputPackets)),
            ("txpackets", Count(OutputPackets)),
            ("rxerrors", Count(InputErrors)),
            ("txerrors", Count(OutputErrors)),
            ("rxdropped", Count(InputDiscards)),
            ("txdropped", Count(OutputDrops)),
            ("rxcrcerrors", Count(InputCrc)),
            ("rxframeerrors", Count(InputFraming)),
            ("rxfifoerrors", Count(InputOverrun)),
            ("txfifoerrors", Count(OutputUnderruns)),
            // Of which unit they are is not told.
            ("rxbps", Nothing),
            ("txbps", Nothing),
            // That it may be used, and not that it has a link.
            ("up", Nothing),
            ("l1up", Up),
            ("carrier", Up),
            ("speed", SpeedAndDuplex),
        ],
        counters: &["stats", "statistics"],
        skip: &["flags", "ipaddrs", "ip6addrs", "bridge-attributes"],
        ..NONE
    },
    Schema {
        tool: "show interface (PAN-OS)",
        has: &["name", "mac", "state", "duplex", "speed"],
        names: &["name"],
        words: &[("state", Up), ("speed", SpeedOrMbit)],
        absent: &["ukn", "auto", "[n/a]", "unknown"],
        ..NONE
    },
    Schema {
        tool: "show interface (PAN-OS)",
        has: &["name", "mtu", "vsys", "zone"],
        names: &["name"],
        skip: &["counters"],
        upon: &["counters"],
        ..NONE
    },
    Schema {
        tool: "show counter interface (PAN-OS)",
        has: &["name", "ibytes", "port"],
        names: &["name"],
        words: &[
            ("ibytes", Count(InputBytes)),
            ("obytes", Count(OutputBytes)),
            ("ipackets", Count(InputPackets)),
            ("opackets", Count(OutputPackets)),
            ("ierrors", Count(InputErrors)),
            ("idrops", Count(InputDiscards)),
        ],
        // What the port itself counted beside the processor.
        counters: &["port"],
        ..NONE
    },
    // Of the logical interface, of which the port's counters stand apart.
    Schema {
        tool: "show counter interface (PAN-OS)",
        has: &["name", "ibytes", "obytes"],
        names: &["name"],
        prefixes: &[""],
        ..NONE
    },
];
