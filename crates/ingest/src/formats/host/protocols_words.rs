//! What `netstat -s` calls the counters, in each of its dialects, and the kernel's names for them.

/// Texts of one group, and the kernel's name for each.
pub(super) type Texts = [(&'static str, &'static str)];

/// Linux (net-tools, statistics.c): the group, and its texts as printed by old and new versions, without the figure.
pub(super) const LINUX: &[(&str, &Texts)] = &[
    ("Ip", IP),
    ("Ip6", IP),
    ("Icmp", ICMP),
    ("Icmp6", ICMP),
    ("Tcp", TCP),
    ("Udp", UDP),
    ("Udp6", UDP),
    ("TcpExt", TCP_EXT),
    ("IpExt", &[]),
];

const IP: &Texts = &[
    ("total packets received", "InReceives"),
    ("with invalid headers", "InHdrErrors"),
    ("with invalid addresses", "InAddrErrors"),
    ("forwarded", "ForwDatagrams"),
    ("with unknown protocol", "InUnknownProtos"),
    ("incoming packets discarded", "InDiscards"),
    ("incoming packets delivered", "InDelivers"),
    ("requests sent out", "OutRequests"),
    ("outgoing packets dropped", "OutDiscards"),
    ("dropped because of missing route", "OutNoRoutes"),
    ("fragments dropped after timeout", "ReasmTimeout"),
    ("reassemblies required", "ReasmReqds"),
    ("packets reassembled ok", "ReasmOKs"),
    ("packet reassembles failed", "ReasmFails"),
    ("packet reassemblies failed", "ReasmFails"),
    ("fragments received ok", "FragOKs"),
    ("fragments failed", "FragFails"),
    ("fragments created", "FragCreates"),
    ("OutTransmits", "OutTransmits"),
    ("ReasmOverlaps", "ReasmOverlaps"),
    ("incoming multicast packets", "InMcastPkts"),
    ("outgoing multicast packets", "OutMcastPkts"),
];

const ICMP: &Texts = &[
    ("ICMP messages received", "InMsgs"),
    ("input ICMP message failed", "InErrors"),
    ("input ICMP message failed.", "InErrors"),
    ("ICMP messages sent", "OutMsgs"),
    ("ICMP messages failed", "OutErrors"),
    ("InCsumErrors", "InCsumErrors"),
    ("OutRateLimitGlobal", "OutRateLimitGlobal"),
    ("OutRateLimitHost", "OutRateLimitHost"),
];

const TCP: &Texts = &[
    ("active connection openings", "ActiveOpens"),
    ("active connections openings", "ActiveOpens"),
    ("passive connection openings", "PassiveOpens"),
    ("failed connection attempts", "AttemptFails"),
    ("connection resets received", "EstabResets"),
    ("connections established", "CurrEstab"),
    ("segments received", "InSegs"),
    ("segments sent out", "OutSegs"),
    ("segments send out", "OutSegs"),
    ("segments retransmitted", "RetransSegs"),
    ("segments retransmited", "RetransSegs"),
    ("bad segments received", "InErrs"),
    ("bad segments received.", "InErrs"),
    ("resets sent", "OutRsts"),
    ("InCsumErrors", "InCsumErrors"),
];

const UDP: &Texts = &[
    ("packets received", "InDatagrams"),
    ("packets to unknown port received", "NoPorts"),
    ("packets to unknown port received.", "NoPorts"),
    ("packet receive errors", "InErrors"),
    ("packets sent", "OutDatagrams"),
    ("receive buffer errors", "RcvbufErrors"),
    ("send buffer errors", "SndbufErrors"),
    ("RcvbufErrors", "RcvbufErrors"),
    ("SndbufErrors", "SndbufErrors"),
    ("InCsumErrors", "InCsumErrors"),
    ("IgnoredMulti", "IgnoredMulti"),
    ("MemErrors", "MemErrors"),
];

const TCP_EXT: &Texts = &[
    ("SYN cookies sent", "SyncookiesSent"),
    ("SYN cookies received", "SyncookiesRecv"),
    ("invalid SYN cookies received", "SyncookiesFailed"),
    ("resets received for embryonic SYN_RECV sockets", "EmbryonicRsts"),
    (
        "packets pruned from receive queue because of socket buffer overrun",
        "PruneCalled",
    ),
    ("packets pruned from receive queue", "RcvPruned"),
    (
        "packets dropped from out-of-order queue because of socket buffer overrun",
        "OfoPruned",
    ),
    (
        "ICMP packets dropped because they were out-of-window",
        "OutOfWindowIcmps",
    ),
    (
        "ICMP packets dropped because socket was locked",
        "LockDroppedIcmps",
    ),
    ("TCP sockets finished time wait in fast timer", "TW"),
    ("time wait sockets recycled by time stamp", "TWRecycled"),
    ("TCP sockets finished time wait in slow timer", "TWKilled"),
    (
        "passive connections rejected because of time stamp",
        "PAWSPassive",
    ),
    ("active connections rejected because of time stamp", "PAWSActive"),
    (
        "packets rejects in established connections because of timestamp",
        "PAWSEstab",
    ),
    (
        "packets rejected in established connections because of timestamp",
        "PAWSEstab",
    ),
    ("delayed acks sent", "DelayedACKs"),
    (
        "delayed acks further delayed because of locked socket",
        "DelayedACKLocked",
    ),
    ("Quick ack mode was activated times", "DelayedACKLost"),
    ("times the listen queue of a socket overflowed", "ListenOverflows"),
    ("SYNs to LISTEN sockets dropped", "ListenDrops"),
    ("SYNs to LISTEN sockets ignored", "ListenDrops"),
    ("packets directly queued to recvmsg prequeue", "TCPPrequeued"),
    ("packets directly queued to recvmsg prequeue.", "TCPPrequeued"),
    (
        "bytes directly in process context from backlog",
        "TCPDirectCopyFromBacklog",
    ),
    (
        "bytes directly received in process context from prequeue",
        "TCPDirectCopyFromPrequeue",
    ),
    // Of old versions, which counted packets in these words.
    (
        "packets directly received from backlog",
        "TCPDirectCopyFromBacklog",
    ),
    (
        "packets directly received from prequeue",
        "TCPDirectCopyFromPrequeue",
    ),
    ("packets dropped from prequeue", "TCPPrequeueDropped"),
    ("packet headers predicted", "TCPHPHits"),
    ("packets header predicted", "TCPHPHits"),
    (
        "packets header predicted and directly queued to user",
        "TCPHPHitsToUser",
    ),
    (
        "acknowledgments not containing data payload received",
        "TCPPureAcks",
    ),
    ("acknowledgments not containing data received", "TCPPureAcks"),
    ("predicted acknowledgments", "TCPHPAcks"),
    (
        "times recovered from packet loss due to fast retransmit",
        "TCPRenoRecovery",
    ),
    (
        "times recovered from packet loss due to SACK data",
        "TCPSackRecovery",
    ),
    (
        "times recovered from packet loss by selective acknowledgements",
        "TCPSackRecovery",
    ),
    ("times recovered from packet loss by SACK data", "TCPSackRecovery"),
    ("bad SACKs received", "TCPSACKReneging"),
    ("bad SACK blocks received", "TCPSACKReneging"),
    ("Detected reordering times using FACK", "TCPFACKReorder"),
    ("Detected reordering times using SACK", "TCPSACKReorder"),
    (
        "Detected reordering times using reno fast retransmit",
        "TCPRenoReorder",
    ),
    ("Detected reordering times using time stamp", "TCPTSReorder"),
    ("congestion windows fully recovered", "TCPFullUndo"),
    (
        "congestion windows fully recovered without slow start",
        "TCPFullUndo",
    ),
    (
        "congestion windows partially recovered using Hoe heuristic",
        "TCPPartialUndo",
    ),
    ("congestion windows recovered using DSACK", "TCPDSACKUndo"),
    (
        "congestion windows recovered without slow start by DSACK",
        "TCPDSACKUndo",
    ),
    ("congestion windows recovered after partial ack", "TCPLossUndo"),
    (
        "congestion windows recovered without slow start after partial ack",
        "TCPLossUndo",
    ),
    ("TCP data loss events", "TCPLoss"),
    ("timeouts after reno fast retransmit", "TCPRenoFailures"),
    ("timeouts after SACK recovery", "TCPSackFailures"),
    ("timeouts in loss state", "TCPLossFailures"),
    ("fast retransmits", "TCPFastRetrans"),
    ("forward retransmits", "TCPForwardRetrans"),
    ("retransmits in slow start", "TCPSlowStartRetrans"),
    ("other TCP timeouts", "TCPTimeouts"),
    ("classic Reno fast retransmits failed", "TCPRenoRecoveryFail"),
    ("SACK retransmits failed", "TCPSackRecoveryFail"),
    ("sack retransmits failed", "TCPSackRecoveryFail"),
    (
        "times receiver scheduled too late for direct processing",
        "TCPSchedulerFailed",
    ),
    (
        "packets collapsed in receive queue due to low socket buffer",
        "TCPRcvCollapsed",
    ),
    ("DSACKs sent for old packets", "TCPDSACKOldSent"),
    ("DSACKs sent for out of order packets", "TCPDSACKOfoSent"),
    ("DSACKs received", "TCPDSACKRecv"),
    ("DSACKs for out of order packets received", "TCPDSACKOfoRecv"),
    ("connections reset due to unexpected SYN", "TCPAbortOnSyn"),
    ("connections reset due to unexpected data", "TCPAbortOnData"),
    ("connections reset due to early user close", "TCPAbortOnClose"),
    ("connections aborted due to memory pressure", "TCPAbortOnMemory"),
    ("connections aborted due to timeout", "TCPAbortOnTimeout"),
    (
        "connections aborted after user close in linger timeout",
        "TCPAbortOnLinger",
    ),
    ("times unable to send RST due to no memory", "TCPAbortFailed"),
    ("TCP ran low on memory times", "TCPMemoryPressures"),
];

/// The BSDs and macOS: the group, and those of its texts that bear on transfers, every word without a final `s` (they
/// print "1 packet" and "2 packets").
pub(super) const BSD: &[(&str, &Texts)] = &[
    (
        "tcp",
        &[
            ("packet sent", "Tcp.OutSegs"),
            ("packet received", "Tcp.InSegs"),
            ("data packet retransmitted", "Tcp.RetransSegs"),
            (
                "data packet unnecessarily retransmitted",
                "Tcp.SpuriousRetransSegs",
            ),
            ("resend initiated by MTU discovery", "Tcp.MtuResends"),
            ("out-of-order packet", "TcpExt.TCPOFOQueue"),
            ("completely duplicate packet", "Tcp.DuplicateSegs"),
            ("duplicate ack", "Tcp.DuplicateAcks"),
            ("connection request", "Tcp.ActiveOpens"),
            ("connection accept", "Tcp.PassiveOpens"),
            ("retransmit timeout", "TcpExt.TCPTimeouts"),
            ("connection dropped by rexmit timeout", "TcpExt.TCPAbortOnTimeout"),
            (
                "connection dropped by retransmit timeout",
                "TcpExt.TCPAbortOnTimeout",
            ),
            ("listen queue overflow", "TcpExt.ListenOverflows"),
            ("SACK recovery episode", "TcpExt.TCPSackRecovery"),
            ("segment rexmit in SACK recovery episode", "Tcp.SackRetransSegs"),
            ("discarded for bad checksum", "Tcp.InCsumErrors"),
            ("discarded due to memory problem", "Tcp.MemoryDrops"),
            ("discarded due to full reassembly queue", "Tcp.ReassemblyDrops"),
            ("window probe packet", "Tcp.WindowProbesSent"),
            ("persist timeout", "Tcp.PersistTimeouts"),
        ],
    ),
    (
        "udp",
        &[
            ("datagram received", "Udp.InDatagrams"),
            ("datagram output", "Udp.OutDatagrams"),
            ("dropped due to full socket buffer", "Udp.RcvbufErrors"),
            ("dropped due to no socket", "Udp.NoPorts"),
            ("with bad checksum", "Udp.InCsumErrors"),
        ],
    ),
    (
        "ip",
        &[
            ("total packet received", "Ip.InReceives"),
            ("fragment dropped after timeout", "Ip.ReasmTimeout"),
            ("packet reassembled ok", "Ip.ReasmOKs"),
            ("packet forwarded", "Ip.ForwDatagrams"),
            ("output packet dropped due to no buf, etc.", "Ip.OutDiscards"),
            ("output packet discarded due to no route", "Ip.OutNoRoutes"),
            ("output datagram fragmented", "Ip.FragOKs"),
            ("fragment created", "Ip.FragCreates"),
            ("datagram that can't be fragmented", "Ip.FragFails"),
        ],
    ),
];

/// Windows: what a heading announces, and the names of the figures below it.
pub(super) const WINDOWS: &[(&str, &str, &Texts)] = &[
    ("IPv4 Statistics", "Ip", WINDOWS_IP),
    ("IPv6 Statistics", "Ip6", WINDOWS_IP),
    ("TCP Statistics for IPv4", "Tcp", WINDOWS_TCP),
    ("TCP Statistics for IPv6", "Tcp6", WINDOWS_TCP),
    ("UDP Statistics for IPv4", "Udp", WINDOWS_UDP),
    ("UDP Statistics for IPv6", "Udp6", WINDOWS_UDP),
    ("ICMPv4 Statistics", "", &[]),
    ("ICMPv6 Statistics", "", &[]),
];

const WINDOWS_IP: &Texts = &[
    ("Packets Received", "InReceives"),
    ("Received Header Errors", "InHdrErrors"),
    ("Received Address Errors", "InAddrErrors"),
    ("Datagrams Forwarded", "ForwDatagrams"),
    ("Unknown Protocols Received", "InUnknownProtos"),
    ("Received Packets Discarded", "InDiscards"),
    ("Received Packets Delivered", "InDelivers"),
    ("Output Requests", "OutRequests"),
    ("Routing Discards", "RoutingDiscards"),
    ("Discarded Output Packets", "OutDiscards"),
    ("Output Packet No Route", "OutNoRoutes"),
    ("Reassembly Required", "ReasmReqds"),
    ("Reassembly Successful", "ReasmOKs"),
    ("Reassembly Failures", "ReasmFails"),
    ("Datagrams Successfully Fragmented", "FragOKs"),
    ("Datagrams Failing Fragmentation", "FragFails"),
    ("Fragments Created", "FragCreates"),
];

const WINDOWS_TCP: &Texts = &[
    ("Active Opens", "ActiveOpens"),
    ("Passive Opens", "PassiveOpens"),
    ("Failed Connection Attempts", "AttemptFails"),
    ("Reset Connections", "EstabResets"),
    ("Current Connections", "CurrEstab"),
    ("Segments Received", "InSegs"),
    ("Segments Sent", "OutSegs"),
    ("Segments Retransmitted", "RetransSegs"),
];

const WINDOWS_UDP: &Texts = &[
    ("Datagrams Received", "InDatagrams"),
    ("No Ports", "NoPorts"),
    ("Receive Errors", "InErrors"),
    ("Datagrams Sent", "OutDatagrams"),
];
