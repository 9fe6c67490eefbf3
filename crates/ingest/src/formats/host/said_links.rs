//! What is said of network cards, of links of InfiniBand, and of what many hosts did over them: tables as in `said_tables.rs`.

use super::said::Said;

/// Of a network card, what the kernel's drivers told: the lines above its logical name are of the card, and say nothing of the link.
pub(super) const HARDWARE: Said = Said {
    name: "lshw",
    asked: &[("lshw", "")],
    rows: "\
> *-network{*}
> description: Ethernet interface
> description: Wireless interface
- logical name: {scope:w}
- size: {v:*} => speed
- capacity: {v:*} => highest speed
- configuration: {v:*} => configuration
- product: {*}
- vendor: {*}
- physical id: {*}
- bus info: {*}
- version: {*}
- serial: {*}
- width: {*}
- clock: {*}
- capabilities: {*}
- resources: {*}
",
};

pub(super) const MII: Said = Said {
    name: "mii-tool",
    asked: &[("mii-tool", "")],
    rows: "\
> {k:w}: negotiated {v:*}, link ok => {k}, negotiated
> {k:w}: {v:*}, link ok => {k}, set
- {k:w}: no link => {k}, no link
- product info: {*}
- basic mode: {*}
- basic status: {*}
- capabilities: {*}
- advertising: {*}
- link partner: {*}
",
};

/// What links of InfiniBand run at: the host or the switch above, a port a line, and who is at its other end. Lines of switches begin
/// otherwise: where their heading is lost they are of no host above.
pub(super) const LINKS: Said = Said {
    name: "iblinkinfo",
    asked: &[("iblinkinfo", "")],
    rows: "\
> CA: {scope:*} HCA-{_:w}:
> CA: {scope:*} mlx{_:w}:
> CA: {scope:*} Aggregation Node:
- CA: {scope:*}:
| 0x{_:w} {_:n} {k:n}[{*}] ==(~{v:*})==> {_:n} {_:n}[{*}] \"{p:*}\" ({*}) => port {k} to {p}
| 0x{_:w} {_:n} {k:n}[{*}] ==(~{v:*})==> {*} => port {k}
> Switch: 0x{_:w} {scope:*}:
| {_:n} {k:n}[{*}] ==(~{v:*})==> {_:n} {_:n}[{*}] \"{p:*}\" ({*}) => port {k} to {p}
| {_:n} {k:n}[{*}] ==(~{v:*})==> {*} => port {k}
",
};

/// nccl-tests and rccl-tests: what a collective operation of all ranks took, by the size of what each holds. It is of no path.
pub(super) const COLLECTIVES: Said = Said {
    name: "nccl-tests",
    asked: &[],
    rows: "\
> # nThread {n} nGpus {*}
> # size count type redop {*}time algbw busbw {*}
- size count type redop {*}time algbw busbw {*}
> # Avg bus bandwidth~: {v:f} => average bus bandwidth, GB/s
- # Out of bounds values~: {v:*} => values out of bounds
- {k:n} {_:n} {t:w} {r:w} {_:w} {v1:f} {v2:f} {v3:f} {v4:w} {v5:f} {v6:f} {v7:f} {v8:w} => {k} bytes, {t} {r}: time, us & algorithm's bandwidth, GB/s & bus bandwidth, GB/s & wrong & time in place, us & algorithm's bandwidth in place, GB/s & bus bandwidth in place, GB/s & wrong in place
- {k:n} {_:n} {t:w} {r:w} {v1:f} {v2:f} {v3:f} {v4:w} {v5:f} {v6:f} {v7:f} {v8:w} => {k} bytes, {t} {r}: time, us & algorithm's bandwidth, GB/s & bus bandwidth, GB/s & wrong & time in place, us & algorithm's bandwidth in place, GB/s & bus bandwidth in place, GB/s & wrong in place
- # (B) (elements) {*}
- (B) (elements) {*}
- # out-of-place in-place
- out-of-place in-place
- # Using devices
- Using devices
- # Rank {*}
- Rank {n} {*} Pid {*}
- # Collective test {*}
- {_:w} [{_:n}] NCCL {*}
- #
",
};

/// What WireGuard says of each peer.
pub(super) const PEERS: Said = Said {
    name: "wg",
    asked: &[("wg", "show")],
    rows: "\
> peer: {scope:w}=
> interface: wg{_:n}
- peer: {scope:w}
- interface: {*}
- endpoint: {v:*} => endpoint
- allowed ips: {*}
- latest handshake: {v:*} ago => time since the latest handshake
- transfer: {v1:*} received, {v2:*} sent => transfer: received & sent
- persistent keepalive: {v:*} => persistent keepalive
- preshared key: {*}
- public key: {*}
- private key: {*}
- listening port: {*}
- fwmark: {*}
",
};

/// How far Tailscale's relays are, and which is used.
pub(super) const RELAYS: Said = Said {
    name: "tailscale",
    asked: &[("tailscale", "netcheck")],
    rows: "\
> * UDP: {v:w} => UDP
> * Nearest DERP: {v:*} => nearest relay
> * DERP latency:
- Report:
- * IPv4:{*}
- * IPv6:{*}
- * Time:{*}
- * MappingVariesByDestIP:
- * MappingVariesByDestIP: {v:*} => mapping varies by destination
- * HairPinning:{*}
- * PortMapping:{*}
- * CaptivePortal:{*}
- - {k:w}: {v:w} ({*}) => delay to relay {k}
- -- {k:w}: {v:w} ({*}) => delay to relay {k}
- - {_:n}, {k:w} = {v:w} => delay to relay {k}
- - {_:w}: ({*})
",
};

/// Over what Tailscale reaches each peer, and how much it moved. Who owns a peer has an `@` or is a tag.
pub(super) const TAILNET: Said = Said {
    name: "tailscale",
    asked: &[("tailscale", "status")],
    rows: "\
> {_:w}.{_:w} {k:w} {_:w} {_:w} active; {v1:*}, tx {v2:n} rx {v3:n} => peer {k}: path & bytes sent & bytes received
> {_:w}.{_:w} {k:w} {_:w} {_:w} idle; {v1:*}, tx {v2:n} rx {v3:n} => peer {k}: path & bytes sent & bytes received
> {_:w}.{_:w} {k:w} {_:w} {_:w} idle, tx {v1:n} rx {v2:n} => peer {k}: bytes sent & bytes received
- {_:w}.{_:w} {_:w} {_:w} {_:w} active; {*}
- {_:w}.{_:w} {_:w} {_:w} {_:w} idle{*}
- {_:w}.{_:w} {_:w} {_:w} {_:w} offline{*}
- {_:w}.{_:w} {_:w} {_:w} {_:w} -{*}
",
};
