//! HPE Comware, H3C and Huawei, `display ip interface`: what the processor received and sent of IPv4, which is not what passed the port.

use super::super::dialect::{Dialect, Rule, SECTION, above, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "HPE Comware, H3C, Huawei VRP, IP",
    reads: "`display ip interface`: state, MTU, and what of IPv4 the device itself received and sent",
    is_flat: true,
    has_units: false,
    heads: &["{if} current state: {state}", "{if} current state:{state}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    above("Line protocol current state:{*}"),
    above("Internet Address is {*}"),
    above("Internet protocol processing: {*}"),
    above("Broadcast address: {*}"),
    above("The Maximum Transmit Unit: {mtu} bytes"),
    above("Policy routing is {*}"),
    above(
        "input packets: {IPv4 packets received}, bytes: {IPv4 bytes received}, multicasts: {IPv4 multicasts received}",
    ),
    above(
        "output packets: {IPv4 packets sent}, bytes: {IPv4 bytes sent}, multicasts: {IPv4 multicasts sent}",
    ),
    above("Directed-broadcast packets:"),
    above("received packets: {directed broadcasts received}, sent packets: {directed broadcasts sent}"),
    above(
        "forwarded packets: {directed broadcasts forwarded}, dropped packets: {directed broadcasts dropped}",
    ),
    above("ARP packet input number: {ARP packets received}"),
    above("Request packet: {ARP requests received}"),
    above("Reply packet: {ARP replies received}"),
    above("Unknown packet: {ARP packets of an unknown kind received}"),
    above("TTL being 1 packet number: {IPv4 packets of TTL 1 received}"),
    above("TTL invalid packet number: {IPv4 packets of no TTL received}"),
    above("ICMP packet input number: {ICMP packets received}"),
    any("Echo reply: {ICMP echo replies received}"),
    any("Unreachable: {ICMP unreachables received}"),
    any("Source quench: {ICMP source quenches received}"),
    any("Routing redirect: {ICMP redirects received}"),
    any("Echo request: {ICMP echo requests received}"),
    any("Router advert: {ICMP router advertisements received}"),
    any("Router solicit: {ICMP router solicitations received}"),
    any("Time exceed: {ICMP times exceeded received}"),
    any("IP header bad: {ICMP parameter problems received}"),
    any("Timestamp request: {ICMP timestamp requests received}"),
    any("Timestamp reply: {ICMP timestamp replies received}"),
    any("Information request: {ICMP information requests received}"),
    any("Information reply: {ICMP information replies received}"),
    any("Netmask request: {ICMP netmask requests received}"),
    any("Netmask reply: {ICMP netmask replies received}"),
    any("Unknown type: {ICMP packets of an unknown type received}"),
    any("DHCP packet deal mode: {*}"),
];
