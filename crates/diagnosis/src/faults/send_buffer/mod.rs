//! HOST-003: the sending host cannot keep as much in flight as the path holds.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-003",
    name: "send_buffer",
    title: "the sender's buffer is too small",
    sections: Sections {
        what_it_is: "TCP keeps a copy of every byte until it is acknowledged. The buffer for it at the sending \
            host is smaller than what the path holds (its bandwidth-delay product): the limit of the kernel's \
            automatic tuning is low, or the program has set a fixed size.",
        why_it_hurts: "A sender may have one buffer in flight per round trip, and then waits for acknowledgements. \
            The rate cannot exceed buffer/RTT: 130 kB at 60 ms is 17 Mbit/s, and Linux's usual limit of 4 MiB \
            gives at most 340 Mbit/s at 100 ms. The kernel charges its own overhead to the buffer, so that less \
            than its size is data. Over a short path the same host is fast.",
        how_we_know: "- The sending kernel says that it waited for its buffer for most of its busy time \
            (`tcpi_sndbuf_limited`, `sndbuf_limited` in `ss -ti`).\n\
            - The rate is the buffer divided by the *smallest* round-trip time; a longer one may be the window's \
            own queue.\n\
            - Several connections together are that many times as fast.\n\
            - Segments are hardly ever sent again, and no queue grows.\n\
            - The third value of the sender's `net.ipv4.tcp_wmem`, or the size that the program sets, is below the \
            bandwidth-delay product of the rate that was expected.\n\
            - Against it: the receiver's window is what the sender waited for; or a rate well above one buffer per \
            round trip.",
        what_looks_like_it: "- **HOST-001**: the same rate from the other end. The sending kernel counts the two \
            waits apart (`rwnd_limited`), and the larger of the two buffers is not the limit.\n\
            - **APP-002**: a program that gives too little: the buffer is empty, not full (`app_limited`, \
            `notsent` near 0).\n\
            - **LOSS-001**: limits each connection alone as well, with segments sent again.\n\
            - **A protocol's own window**, as in SSH channels: the program waits for its peer; TCP's buffer is not \
            full.",
        remedy: "Raise the third value of `net.ipv4.tcp_wmem` at the sender to twice the bandwidth-delay product, \
            and let the program leave SO_SNDBUF alone: setting it switches automatic tuning off, and \
            `net.core.wmem_max` then bounds it. Where the program must set it, raise both. Several connections \
            help meanwhile.",
        whom_to_ask: "The administrator of the sending host, and whoever maintains the program if it sets \
            SO_SNDBUF or has an option for its buffer.",
        references: &[
            "Semke, Mahdavi, Mathis: Automatic TCP buffer tuning, SIGCOMM 1998",
            "Linux Documentation/networking/ip-sysctl.rst: tcp_wmem; socket(7): SO_SNDBUF, wmem_max",
            "Linux 4.10, tcp: instrument tcp sender limits chronographs: tcpi_sndbuf_limited, tcpi_rwnd_limited",
            "RFC 4898: TCP extended statistics, time limited by sender, receiver and congestion",
            "RFC 6349 section 3.3: bandwidth-delay product, and the buffers that a throughput test needs",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::SendBuffer,
        prior: 0.04,
        claim: |bytes| {
            format!(
                "a send buffer of about {} is the limit",
                words::about_bytes(bytes)
            )
        },
        remedy: "raise the sender's limits (on Linux net.ipv4.tcp_wmem, and net.core.wmem_max where the program \
                 sets its own) to twice the rate wanted times the round-trip time, and let the program leave its \
                 buffer size to the kernel",
    }),
};
