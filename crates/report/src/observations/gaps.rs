//! What could not be measured, in a line.

use crate::names::Names;
use crate::words::{self, plural};
use evidence::{Ask, NotMeasured};

pub(super) fn gap(gap: &NotMeasured, names: &Names) -> String {
    let (ask, obstacle) = (ask(&gap.ask, names), words::obstacle(gap.reason));
    // Most details begin with the obstacle themselves.
    if gap.detail.starts_with(obstacle) {
        return format!("{ask}: {}", gap.detail);
    }
    format!("{ask}: {obstacle} ({})", gap.detail)
}

/// What an ask is for, as a noun phrase.
fn ask(ask: &Ask, names: &Names) -> String {
    let at = names.the(ask.vantage());
    match ask {
        Ask::HostFacts { .. } => format!("settings of {at}"),
        Ask::Route { protocol: p, .. } => format!("trace from {at}, {}", words::protocol(*p)),
        Ask::PathMtu { .. } => format!("packet sizes from {at}"),
        Ask::Echo { .. } => format!("pings per hop from {at}"),
        Ask::HopLoss { .. } => format!("loss per hop from {at}"),
        Ask::TcpThroughput { streams, .. } => format!(
            "TCP transfer sent by {at}, {}",
            plural(u64::from(*streams), "stream", "streams")
        ),
        Ask::UdpStream { rate_bps, .. } => format!("UDP stream sent by {at} at {rate_bps}"),
    }
}
