//! What the person at the terminal sees while a transfer runs.

use crate::Watch;
use crate::transfer::udp_send::UdpSlice;
use evidence::RateBps;
use probe::session::UdpPlan;
use probe::session::{TcpPlan, TcpSlice};

/// Of a TCP transfer.
pub(crate) struct TcpProgress<'a> {
    plan: &'a TcpPlan,
    /// `None`: the sender does not tell.
    retransmits: Option<u64>,
    bytes: u64,
}

impl<'a> TcpProgress<'a> {
    pub(crate) fn new(plan: &'a TcpPlan, sender_tells: bool) -> Self {
        Self {
            plan,
            retransmits: sender_tells.then_some(0),
            bytes: 0,
        }
    }

    pub(crate) fn tell(&mut self, slice: &TcpSlice, watch: &Watch) {
        self.bytes = self.bytes.saturating_add(slice.bytes);
        let rate = RateBps::of_bytes(slice.bytes, slice.length_ns).unwrap_or(RateBps(0.0));
        self.retransmits = self
            .retransmits
            .map(|before| before + u64::from(slice.retransmits));
        let text = match self.retransmits {
            None => rate.to_string(),
            Some(1) => format!("{rate}, 1 retransmit"),
            Some(count) => format!("{rate}, {count} retransmits"),
        };
        watch.report(text, Some(self.fraction(slice)));
    }

    fn fraction(&self, slice: &TcpSlice) -> f32 {
        let time = slice.end_ns() as f32 / (self.plan.max_time_ms.max(1) as f32 * 1e6);
        let bytes = self
            .plan
            .max_bytes
            .map_or(0.0, |limit| self.bytes as f32 / limit.max(1) as f32);
        time.max(bytes).min(1.0)
    }
}

/// Of a UDP stream.
pub(crate) fn udp(slice: &UdpSlice, plan: &UdpPlan, what: &str, watch: &Watch) {
    let bytes = slice.packets * u64::from(plan.size_bytes);
    let rate = RateBps::of_bytes(bytes, slice.at_ns).unwrap_or(RateBps(0.0));
    let missing = slice.missing.max(0);
    let fraction = slice.at_ns as f32 / (plan.duration_ms.max(1) as f32 * 1e6);
    watch.report(
        format!("{rate} {what}, {missing} missing"),
        Some(fraction.min(1.0)),
    );
}
