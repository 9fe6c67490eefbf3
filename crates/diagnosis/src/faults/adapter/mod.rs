//! HOST-006: a host's network adapter or its driver is the limit.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-006",
    name: "adapter",
    title: "a host's network adapter or its driver is the limit",
    sections: Sections {
        what_it_is: "The network card, its driver, the bus that it sits on, its radio or its power saving gives less than the link: a card that sleeps between packets, a USB or PCIe lane that is too slow, a virtual card that stalls, a radio far from its access point, a driver that handles a few packets at a time.",
        why_it_hurts: "Everything that the host sends or receives passes it, so that no path is fast from there. The counters of the network look clean.",
        how_we_know: "- The host is slow with every other host and in the same way, near and far, while the others are fast among themselves.\n- Its processor has time to spare.\n- Several connections share the same rate.\n- Against it: one fast transfer of this host, or a core that is fully busy (HOST-005).",
        what_looks_like_it: "- **HOST-005**: the processor is the limit; a core is busy to 90 % and more.\n- **CAP-001** at the first or last link: the link has that speed; the negotiated speed of the interface tells.\n- **LOSS-003**: a bad cable damages frames, and a counter shows them.\n- **HOST-004**: only the program is slow; a test from memory to memory is fast.",
        remedy: "Try another adapter, port, cable and driver. Switch power saving off. Look at the negotiated speed of the port and of the bus (`ethtool`, `lspci -vv`), at the radio's rate (`iw dev … link`), and at the adapter's own counters.",
        whom_to_ask: "The administrator of that host; of a virtual machine, whoever runs the host below it.",
        references: &[
            "IEEE 802.3az: Energy-Efficient Ethernet",
            "Linux Documentation/networking: ethtool statistics, driver pages",
            "RFC 2544 section 26: throughput of a device, measured alone",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::AdapterRate,
        prior: 0.02,
        claim: |value| {
            format!(
                "the network adapter or its driver gives no more than about {}",
                words::about(value)
            )
        },
        remedy: "compare with another adapter, port, cable or driver version, switch power saving off (`ethtool --set-eee`, PCIe ASPM, Wi-Fi power save), and read the adapter's own counters (`ethtool -S`) before and after a transfer",
    }),
};
