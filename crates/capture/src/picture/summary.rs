//! What the picture is of, in words.

use super::units;
use crate::Endpoint;
use crate::flow::HalfReport;

/// What the picture is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The name of the capture, as its user knows it.
    pub capture: String,
    /// Who sends these data.
    pub sender: Endpoint,
    /// Who receives them.
    pub receiver: Endpoint,
    /// What was measured of them, with the causes over time.
    pub half: HalfReport,
}

impl Summary {
    /// Who sends to whom.
    #[must_use]
    pub fn who(&self) -> String {
        format!("{} → {}", endpoint(&self.sender), endpoint(&self.receiver))
    }

    /// How much, how fast, and what was lost.
    #[must_use]
    pub fn how(&self) -> String {
        let half = &self.half;
        let mut words = vec![units::bytes(half.unique_bytes as f64)];
        if let Some(seconds) = self.seconds() {
            words.push(format!("in {}", units::seconds(seconds)));
            words.push(format!(
                "= {}",
                units::rate(half.unique_bytes as f64 * 8.0 / seconds)
            ));
        }
        let mut text = words.join(" ");
        if half.data_packets > 0 {
            let lost = half.lost_behind.saturating_add(half.lost_before);
            text.push_str(&match lost {
                0 => ", none lost".to_owned(),
                _ => format!(
                    ", {} of {} packets lost ({})",
                    units::count(lost),
                    units::count(half.data_packets),
                    units::percent(lost as f64 / half.data_packets as f64)
                ),
            });
        }
        text
    }

    /// From the first data to the last; `None` where that is no time.
    pub(super) fn seconds(&self) -> Option<f64> {
        let (first, last) = self.half.data_ns?;
        let ns = last.checked_sub(first).filter(|ns| *ns > 0)?;
        Some(ns as f64 / 1e9)
    }
}

/// An address and its port, in brackets where the address has colons (RFC 5952 section 6).
pub(super) fn endpoint(end: &Endpoint) -> String {
    std::net::SocketAddr::new(end.address, end.port).to_string()
}
