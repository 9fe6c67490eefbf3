//! Juniper SRX, `show security flow statistics`: what passed its sessions, of the device as a whole.

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Juniper SRX, flows",
    reads: "`show security flow statistics`: sessions, packets received, sent, forwarded and dropped",
    is_flat: true,
    has_units: false,
    heads: &["Current sessions: {flow}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("Packets received: {packets received}"),
    any("Packets transmitted: {packets transmitted}"),
    any("Packets forwarded/queued: {packets forwarded or queued}"),
    any("Packets copied: {packets copied}"),
    any("Packets dropped: {packets dropped}"),
    any("Services-offload packets processed: {packets of services offload}"),
    any("Fragment packets: {fragments}"),
    any("Pre fragments generated: {fragments made before}"),
    any("Post fragments generated: {fragments made behind}"),
    any("Invalid sessions: {invalid sessions}"),
];
