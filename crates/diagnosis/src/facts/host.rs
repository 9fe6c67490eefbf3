//! What limits a host sets by its own settings.

use evidence::v1::{End, HostFacts, Observation, ObservationId, Payload, RateBps};

/// Settings of one host that bound what a transfer can do.
#[derive(Debug, Clone)]
pub(crate) struct HostLimits {
    /// Largest receive buffer that automatic tuning may reach: the third value of `net.ipv4.tcp_rmem`, bytes.
    pub(crate) receive_buffer_max_bytes: Option<u64>,
    /// The same for sending: `net.ipv4.tcp_wmem`.
    pub(crate) send_buffer_max_bytes: Option<u64>,
    /// Whether windows over 64 kB may be negotiated (RFC 7323).
    pub(crate) window_scaling: Option<bool>,
    /// MTU of the interface that leads to the other end.
    pub(crate) interface_mtu_bytes: Option<u32>,
    /// Speed of that interface.
    pub(crate) interface_speed: Option<RateBps>,
    pub(crate) cites: Vec<ObservationId>,
}

impl HostLimits {
    /// From all host facts of that end; of several, the last by time: settings can be changed in between.
    pub(crate) fn derive(observations: &[&Observation], end: End) -> Option<Self> {
        observations
            .iter()
            .filter_map(|o| match &o.payload {
                Payload::HostFacts(facts) if o.provenance.vantage == end => Some((o, facts)),
                _ => None,
            })
            .max_by(|(a, _), (b, _)| (a.provenance.at, &a.id).cmp(&(b.provenance.at, &b.id)))
            .map(|(o, facts)| Self::of(facts, &o.id))
    }

    fn of(facts: &HostFacts, id: &ObservationId) -> Self {
        let third = |name: &str| facts.sysctls.get(name)?.split_whitespace().nth(2)?.parse().ok();
        let interface = facts.interface.as_ref();
        Self {
            receive_buffer_max_bytes: third("net.ipv4.tcp_rmem"),
            send_buffer_max_bytes: third("net.ipv4.tcp_wmem"),
            window_scaling: facts
                .sysctls
                .get("net.ipv4.tcp_window_scaling")
                .map(|text| text.trim() != "0"),
            interface_mtu_bytes: interface.and_then(|i| i.mtu_bytes),
            interface_speed: interface
                .and_then(|i| i.speed_mbps)
                .filter(|mbps| *mbps > 0)
                .map(|mbps| RateBps(f64::from(mbps) * 1e6)),
            cites: vec![id.clone()],
        }
    }
}
