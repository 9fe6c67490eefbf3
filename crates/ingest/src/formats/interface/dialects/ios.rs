//! Cisco IOS, IOS XE and IOS XR: counters below the rates, in words that tell the direction.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Way, Word, above, any, both};
use super::words::{COUNTERS, LINES, SHORT};
use evidence::CounterKind as K;

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS, IOS XE, IOS XR",
    reads: "`show interfaces` of physical ports, port channels, bundles, Vlan, BVI, tunnels, dialers and subinterfaces",
    is_flat: false,
    has_units: false,
    heads: &["{if} is {state}, line protocol is {link}", "{ifname} is {bare}"],
    rules: &[OWN, LINES],
    sections: &[
        Section {
            cut: Cut::FigureFirst,
            words: &[COUNTERS, SHORT],
            own: ["{}", "output {}"],
            ..SECTION
        },
        // Of pseudowires.
        Section {
            titles: &["RX"],
            way: Way::In,
            cut: Cut::FigureFirst,
            words: &[PSEUDOWIRE],
            is_closed: true,
            ..SECTION
        },
        Section {
            titles: &["TX"],
            way: Way::Out,
            cut: Cut::FigureFirst,
            words: &[PSEUDOWIRE],
            is_closed: true,
            ..SECTION
        },
    ],
};

static PSEUDOWIRE: &[Word] = &[
    both("packets", K::InputPackets, K::OutputPackets),
    both("bytes", K::InputBytes, K::OutputBytes),
    both("drops", K::InputDiscards, K::OutputDrops),
];

static OWN: &[Rule] = &[
    above("Duplex unknown, {*}"),
    above("Set of tunnels {*}"),
    // XR prints it above everything else.
    any("Interface state transitions: {Interface state transitions}"),
    above("Layer 1 Transport Mode is {*}"),
    above("Layer 2 Transport Mode{*}"),
    above("{n} TX buffers, {n} RX buffers,{*}"),
    above("{n} maximum active VCs, {*}"),
    above("VC idle disconnect time: {*}"),
    any("{n} carrier delay{*}"),
    any("Carrier delay{*}"),
    any("Timeslot(s) Used:{*}"),
    any("Asymmetric Carrier-Delay{*}"),
    any("Path MTU Discovery, {*}"),
    any("Tunnel{*}"),
    any("L2 Switched: ucast: {L2 unicast packets} pkt, {L2 unicast bytes} bytes - mcast: {*}"),
    any("L3 in Switched: ucast: {L3 in unicast packets} pkt, {L3 in unicast bytes} bytes - mcast: {*}"),
    any("L3 out Switched: ucast: {L3 out unicast packets} pkt, {L3 out unicast bytes} bytes{*}"),
    // `show ip interface`
    above("MTU is {mtu} bytes"),
    any("Internet protocol {unserved}"),
    any("Peer address is {*}"),
    any("Dialer interface is {*}"),
    any("Inbound access list {*}"),
    any("Outgoing access list {*}"),
    any("VPN Routing/Forwarding {*}"),
    any("{verification drops} verification drops"),
    any("{suppressed verification drops} suppressed verification drops"),
    any("{n} verification drop-rate"),
    any("IPv6 is {*}"),
    any("ICMP {*}"),
    any("ND {*}"),
    any("Hosts use {*}"),
    any("src-track:"),
    any("Key {*}"),
    any("Checksumming of packets {*}"),
    any("Fast tunneling {*}"),
    any("Interface is bound to {*}"),
    any("Bound to {*}"),
    any("DTR is pulsed for {*}"),
    any("Interface is unnumbered. Using address of {*}"),
    any("No. of {*}"),
    any("Members in this channel: {*}"),
    any("Member {n} : {*}"),
    any("Member {n}: {*}"),
    any("{w} Full-duplex {*}"),
    any("input flow-control is {*}"),
    any("Conversations {*}"),
    any("Reserved Conversations {*}"),
    any("Available Bandwidth {*}"),
    any("Time since {*}"),
    any("loopback not set{*}"),
    any("Damping {*}"),
    any("dampening {*}"),
    any("Dampening {*}"),
    any("half-life: {*}"),
    any("suppress: {*}"),
    any("restart-penalty: {*}"),
    any("Outer Match: {*}"),
    any("Inner Match: {*}"),
    any("Ethertype {*}"),
    any("Peer IP {*}"),
    // Of the broadcasts; how many multicasts there were in all stands below.
    any("Received {broadcasts} broadcasts ({multicast of broadcasts} multicast)"),
    // The hardware stands on the next line all the same.
    any("Hardware is not present{*}"),
    any("Output queue: {n}/{n}/{output queue drops} (size/max total/drops)"),
    // X.25 and LAPB, with timers and counters of their own.
    any("X.25 {*}"),
    any("X25 {*}"),
    any("Defaults: {*}"),
    any("input/output window sizes {*}"),
    any("Timers: {*}"),
    any("Channels: {*}"),
    any("RESTARTs {*}"),
    any("LAPB {*}"),
    any("T1 {*}"),
    any("VS {*}"),
    any("Queues: {*}"),
    any("IFRAMEs {*}"),
    any("LCP {*}"),
    any("LMI {*}"),
    any("FR SVC {*}"),
    any("Broadcast queue {*}"),
    any("DLCI {*}"),
    any("Last link flapped{*}"),
];
