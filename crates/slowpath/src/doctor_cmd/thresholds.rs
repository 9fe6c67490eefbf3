//! Where good ends: every threshold of `slowpath doctor`, with its source. Nothing here knows how to read or print.

use super::judgement::Level;
use evidence::{Nanos, RateBps};

/// ESnet's advice for hosts that move large data sets.
pub(super) const ESNET: &str = "https://fasterdata.es.net/host-tuning/linux/";

/// The round-trip time that a host is judged for: ESnet's sizes are for "paths up to 100 ms"; across an ocean or a
/// continent it is 60 to 180 ms.
pub(super) const REFERENCE_RTT: Nanos = Nanos(100_000_000);

/// The rate assumed where the interface does not tell its speed (virtual machines).
pub(super) const ASSUMED_RATE: RateBps = RateBps(1e9);

/// The share of a socket buffer that becomes window; the rest is the kernel's accounting of headers and unused
/// memory. One half by `tcp_adv_win_scale` = 1 (ip-sysctl.rst), the start value also of newer kernels, which then
/// measure it per connection (0.64 is usual with 1500-byte packets).
pub(super) const WINDOW_SHARE: f64 = 0.5;

/// Share of segments sent again since boot that is worth a look. By Mathis et al. (CCR 27(3), 1997) a loss of 1e-3
/// holds one Reno stream at 4.5 Mbit/s over 100 ms.
pub(super) const RETRANSMITTED_RATIO: f64 = 1e-3;

/// Share of received frames with errors above which the link is broken rather than noisy: IEEE 802.3 asks of
/// Ethernet over fibre a frame loss below 1e-7 or so; 1e-6 leaves room for a count since boot.
pub(super) const FRAME_ERROR_RATIO: f64 = 1e-6;

/// Processors busier than this while nothing was asked of them leave too little for a fast transfer: one stream at
/// 10 Gbit/s takes most of a core (ESnet, "packet pacing" and "100G tuning").
pub(super) const BUSY_RATIO: f64 = 0.8;

/// A setting that is either right or not.
pub(super) struct Switch {
    /// Dotted name.
    pub(super) sysctl: &'static str,
    /// What to call it.
    pub(super) topic: &'static str,
    /// Values that are right; the first is proposed.
    pub(super) right: &'static [&'static str],
    /// What to say of another value.
    pub(super) otherwise: &'static str,
    /// How bad another value is.
    pub(super) level: Level,
    /// Who says so.
    pub(super) source: &'static str,
}

/// Settings that are either right or not.
pub(super) const SWITCHES: &[Switch] = &[
    Switch {
        sysctl: "net.ipv4.tcp_window_scaling",
        topic: "window scaling",
        right: &["1"],
        otherwise: "off: no window is larger than 64 KiB, which is 5 Mbit/s at 100 ms",
        level: Level::Limits,
        source: "RFC 7323 section 2",
    },
    Switch {
        sysctl: "net.ipv4.tcp_sack",
        topic: "selective ACK",
        right: &["1"],
        otherwise: "off: after several losses in one window only one is repaired per round trip",
        level: Level::Limits,
        source: "RFC 2018, RFC 6675",
    },
    Switch {
        sysctl: "net.ipv4.tcp_timestamps",
        topic: "timestamps",
        right: &["1", "2"],
        otherwise: "off: sequence numbers wrap unprotected at high rates, and round-trip times are measured less often",
        level: Level::Note,
        source: "RFC 7323 sections 4 and 5",
    },
    Switch {
        sysctl: "net.ipv4.tcp_moderate_rcvbuf",
        topic: "receive autotuning",
        right: &["1"],
        otherwise: "off: the window stays at the default size of tcp_rmem",
        level: Level::Limits,
        source: ESNET,
    },
    Switch {
        sysctl: "net.ipv4.ip_no_pmtu_disc",
        topic: "path MTU discovery",
        right: &["0"],
        otherwise: "off or restricted: packets may be fragmented, or kept far smaller than the path allows",
        level: Level::Limits,
        source: "RFC 1191",
    },
    Switch {
        sysctl: "net.ipv4.tcp_no_metrics_save",
        topic: "saved metrics",
        right: &["1"],
        otherwise: "kept: after one bad transfer, the next to the same host leaves slow start early",
        level: Level::Note,
        source: ESNET,
    },
    Switch {
        sysctl: "net.ipv4.tcp_slow_start_after_idle",
        topic: "after idle",
        right: &["0"],
        otherwise: "slow start begins anew after each pause longer than the retransmission timeout",
        level: Level::Note,
        source: "RFC 5681 section 4.1",
    },
];

/// What is known of a congestion control on long paths.
pub(super) struct CongestionControl {
    pub(super) name: &'static str,
    pub(super) level: Level,
    pub(super) text: &'static str,
    pub(super) source: &'static str,
}

/// The congestion controls that are met in practice.
pub(super) const CONGESTION_CONTROLS: &[CongestionControl] = &[
    CongestionControl {
        name: "cubic",
        level: Level::Good,
        text: "fits long paths; slows down at each loss, so rare loss far away limits it",
        source: "RFC 9438",
    },
    CongestionControl {
        name: "bbr",
        level: Level::Good,
        text: "fits long paths; goes through random loss that stops others, so this host may not notice a lossy path",
        source: "draft-ietf-ccwg-bbr",
    },
    CongestionControl {
        name: "htcp",
        level: Level::Good,
        text: "fits long paths",
        source: ESNET,
    },
    CongestionControl {
        name: "reno",
        level: Level::Limits,
        text: "wins back one segment per round trip: at 10 Gbit/s and 100 ms, 70 minutes after each loss",
        source: "RFC 9438 section 1",
    },
    CongestionControl {
        name: "dctcp",
        level: Level::Limits,
        text: "made for data centres whose switches mark packets; unfit for paths outside of them",
        source: "RFC 8257 section 5",
    },
    CongestionControl {
        name: "vegas",
        level: Level::Limits,
        text: "yields to every other flow that builds a queue",
        source: "Mo et al., INFOCOM 1999",
    },
];

/// Offloads without which one processor cannot keep up with 10 Gbit/s; by the kernel's names.
pub(super) const OFFLOADS: &[&str] = &[
    "rx-gro",
    "tx-generic-segmentation",
    "tx-scatter-gather",
    "tx-tcp-segmentation",
    "tx-tcp6-segmentation",
];
