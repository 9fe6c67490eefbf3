//! HOST-006: a host's network adapter or its driver is the limit.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-006",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::AdapterRate,
        prior: 0.02,
        claim: |value| {
            format!(
                "the network adapter or its driver gives no more than about {}",
                words::about(value)
            )
        },
        remedy: "compare with another adapter, port, cable or driver version, switch power saving off (`ethtool --set-eee`, PCIe ASPM, Wi-Fi power save), and read the adapter's own counters (`ethtool -S`) before and after a transfer",
    }],
};
