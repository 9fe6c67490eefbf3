//! HOST-004: the program at the receiver takes the data slower than they could come.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-004",
    name: "slow_reader",
    title: "the receiving program reads too slowly",
    sections: Sections {
        what_it_is: "The data arrive and wait in the receiver's socket: the program writes them to a slow disk, \
            decrypts or unpacks them, scans them, or reads with pauses. The buffer fills, the window that the \
            receiver advertises shrinks, at times to nothing, and the sender must wait.",
        why_it_hurts: "TCP's flow control does what it is for: the transfer runs at the speed of the reader, not \
            of the path. No tuning of the path or of buffers changes the mean; a larger buffer only lets the first \
            seconds be faster.",
        how_we_know: "- The sending kernel waited for the receiver's window (`tcpi_rwnd_limited`), although the \
            receiver's buffer is large enough for the path.\n\
            - The advertised window shrinks during the transfer, down to zero windows that are probed (RFC 9293 \
            section 3.8.6.1); bytes stand in the receiver's queue (`Recv-Q` in `ss`).\n\
            - The first seconds are faster, until the buffer is full.\n\
            - The rate does not depend on the round-trip time, and is the same for a host nearby.\n\
            - A test program that throws the data away is faster between the same hosts; so is UDP.\n\
            - Against it: nothing stands in the receiver's queue, or segments are sent again all the time.",
        what_looks_like_it: "- **HOST-001**: the sender waits for the window as well, but the window stays at its \
            full size and is used up once per round trip; the rate is window/RTT, and the receiver's queue is \
            empty.\n\
            - **HOST-005**: a processor that is fully busy, whoever uses it; then a test program is slow, too.\n\
            - **HOST-002**: a receiver that drops instead of waiting: UDP, or a full interface queue. Segments are \
            sent again.\n\
            - **APP-001, APP-002**: the same delay at the sender: the window stays open.",
        remedy: "Measure the receiving disk and program without the network (write as much from memory), then make \
            them faster: larger and overlapping writes, another disk, no scan or decryption on the same core, \
            several processes.",
        whom_to_ask: "Whoever runs the receiving program and its storage: write speed of the disk, load of the \
            process's core, `Recv-Q` of its socket while the transfer runs.",
        references: &[
            "RFC 9293 section 3.8.6: managing the window; section 3.8.6.1: zero-window probing",
            "RFC 4898: TCP extended statistics, time limited by the receiver",
            "Linux 4.10, tcp: instrument tcp sender limits chronographs: tcpi_rwnd_limited",
            "Zhang, Breslau, Paxson, Shenker: On the characteristics and origins of Internet flow rates, SIGCOMM \
             2002",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::ReaderRate,
        prior: 0.04,
        claim: |bps| format!("the program reads no more than about {}", words::about(bps)),
        remedy: "measure the receiving program and its disk without the network, and make them faster: larger and \
                 overlapping writes, another disk, less work per byte on its core",
    }),
};
