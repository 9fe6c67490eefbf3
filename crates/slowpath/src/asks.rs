//! What an ask is called on a terminal: on the moving last line, and in the table of a plan.

use evidence::{Ask, Complaint, End, Node};

/// What is going on while it is carried out: `TCP forward, 4 streams`.
pub(crate) fn title(ask: &Ask, complaint: &Complaint) -> String {
    let end = complaint.end_of(ask.vantage());
    let is_end = |node: &&Node| complaint.end_of(node).is_some();
    let way = match (end, ask.target().filter(|node| !is_end(node))) {
        (Some(End::From), None) => "forward".to_owned(),
        (Some(End::To), None) => "reverse".to_owned(),
        _ => {
            let to = ask
                .target()
                .map_or_else(String::new, |to| format!(" to {}", to.called()));
            format!("from {}{to}", ask.vantage().called())
        }
    };
    match ask {
        Ask::HostFacts { at } => match end {
            Some(End::From) => "settings of the sender".to_owned(),
            Some(End::To) => "settings of the receiver".to_owned(),
            None => format!("settings of {}", at.called()),
        },
        Ask::Route { .. } => format!("route, {way}"),
        Ask::PathMtu { .. } => format!("packet sizes, {way}"),
        Ask::Echo { .. } => format!("loss and delay per hop, {way}"),
        Ask::HopLoss { ttls, count, .. } => {
            let hops: Vec<String> = ttls.iter().map(u8::to_string).collect();
            format!("loss up to hop {}: {count} packets", hops.join(", "))
        }
        Ask::TcpThroughput {
            streams, mss_bytes, ..
        } => {
            let streams = if *streams == 1 {
                "one stream".to_owned()
            } else {
                format!("{streams} streams")
            };
            let segments = mss_bytes
                .map(|mss| format!(", segments of {mss} bytes"))
                .unwrap_or_default();
            format!("TCP {way}, {streams}{segments}")
        }
        Ask::UdpStream { rate_bps, .. } => format!("UDP {way} at {rate_bps}"),
    }
}
