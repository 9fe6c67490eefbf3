//! HOST-001: the receiver allows too little data under way.

mod recorded;

use super::words;
use crate::declaration::{Fault, Parameter, Rule, Sections};
use model::Kind;

const PRIOR: f64 = -2.5;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-001",
    name: "receive_window",
    title: "receive window too small for the path",
    sections: Sections {
        what_it_is: "The receiving host lets the sender have less data under way than the path holds (its \
            bandwidth-delay product): its socket buffer, or the limit of the kernel's automatic tuning, is too small.",
        why_it_hurts: "A sender may send one window per round trip and then waits. The rate cannot exceed window/RTT: \
            85 kB at 60 ms is 11 Mbit/s, however fast the links are. Over 1 ms the same host reaches 680 Mbit/s, so \
            nobody notices nearby.",
        how_we_know: "- The sending kernel says that it was limited by the receiver's window for most of its busy time \
            (`tcpi_rwnd_limited`).\n\
            - The rate is the advertised window divided by the round-trip time.\n\
            - Several connections together are that many times as fast.\n\
            - The receiver's `net.ipv4.tcp_rmem` maximum is below the bandwidth-delay product of the expected rate.\n\
            - Records: the same count in `ss -ti` of the sender; or the window that somebody found at the receiver, over the round-trip time. Where the rate was \
            higher with the same window, or stays low with a larger one, it is a limit of its own and not the cause.",
        what_looks_like_it: "- **A slow reader**: the program at the receiver does not keep up, and the window closes \
            although the buffer is large. Then the receiver's CPU or disk is busy and the window is not filled once a \
            round trip.\n\
            - **A small send buffer**: the sender waits for its own buffer (`tcpi_sndbuf_limited`, which Linux counts \
            unreliably).\n\
            - **Loss** (LOSS-001) also limits each connection alone; then segments are sent again.",
        remedy: "Raise the third value of `net.ipv4.tcp_rmem` at the receiver to twice the bandwidth-delay product \
            (the kernel keeps part of the buffer for itself), leave window scaling on, and do not set the socket \
            buffer in the application: that switches automatic tuning off.",
        whom_to_ask: "The administrator of the receiving host, and of the application if it sets SO_RCVBUF.",
        references: &[
            "RFC 7323 section 2: window scaling; RFC 9293 section 3.8.6: window management",
            "Linux Documentation/networking/ip-sysctl.rst: tcp_rmem, tcp_window_scaling, tcp_adv_win_scale",
            "Throughput from SLAC to Caltech, SLAC 2003: 132 kB at the Caltech host",
        ],
    },
    rule: Some(Rule {
        prior: PRIOR,
        judge: |facts| recorded::judge(facts).into_iter().collect(),
    }),
    parameter: Some(Parameter {
        kind: Kind::ReceiveWindow,
        prior: 0.10,
        claim: |bytes| {
            format!(
                "a receive window of about {} is the limit",
                words::about_bytes(bytes)
            )
        },
        remedy: "raise the receiver's limits (on Linux net.ipv4.tcp_rmem and net.core.rmem_max) to twice the rate wanted \
                 times the round-trip time, and let the program leave its buffer size to the kernel",
    }),
};
