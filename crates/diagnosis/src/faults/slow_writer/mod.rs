//! APP-002: the program at the sender gives TCP less than the path could carry.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "APP-002",
    name: "slow_writer",
    title: "the sending program gives too little to send",
    sections: Sections {
        what_it_is: "The program that sends is slower than the network: it reads from a slow disk or a loaded file \
            server, compresses or encrypts on one core, waits for answers of its peer after each piece, keeps a \
            window of its own, or has a rate limit in its settings. TCP has nothing to send for much of the \
            time.",
        why_it_hurts: "The transfer runs at the program's rate whatever the path carries. Each pause also costs \
            TCP what it has learnt: after a pause longer than its retransmission timeout it begins again with a \
            small window (RFC 5681 section 4.1), so that short pauses on long paths weigh more than their \
            length.",
        how_we_know: "- A test program between the same hosts is several times as fast, in the same hour.\n\
            - The sending kernel has nothing to send most of the time: `app_limited`, `notsent` near 0, a busy \
            time much shorter than the transfer.\n\
            - It waits neither for the receiver's window nor for its own buffer, sends nothing again, and no queue \
            grows.\n\
            - The rate is the same over any distance, unless the program waits for answers: then it is the size of \
            its piece over the round-trip time.\n\
            - Against it: a test program is just as slow; then the cause is the path or a host.",
        what_looks_like_it: "- **APP-001**: the same cause seen closely, with pieces and pauses whose sizes and \
            lengths are known and predict the rate.\n\
            - **HOST-003**: a full send buffer; here it is empty.\n\
            - **HOST-004**: the receiver's program is slow: its window closes, and the sender's buffer fills.\n\
            - **HOST-005**: compression or encryption on a busy core: a fault of the program's host; a test \
            program without them is fast.",
        remedy: "Measure the source without the network (read the same files to /dev/null), look for a rate limit \
            in the program's settings, and let it read ahead: larger pieces, several requests under way, several \
            files at once, another program that keeps the connection busy. Tuning TCP or the path changes \
            nothing.",
        whom_to_ask: "Whoever runs or maintains the sending program and its storage: speed of the source, settings \
            of rate and block size, load of its core.",
        references: &[
            "Zhang, Breslau, Paxson, Shenker: On the characteristics and origins of Internet flow rates, SIGCOMM \
             2002",
            "RFC 5681 section 4.1: restarting idle connections; RFC 7661: senders that are limited by their \
             application",
            "RFC 4254 section 5.2: the window of an SSH channel, an example of a protocol's own window",
            "RFC 4898: TCP extended statistics, time limited by the sender",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::WriterRate,
        prior: 0.05,
        claim: |bps| {
            format!(
                "the program gives TCP no more than about {} to send",
                words::about(bps)
            )
        },
        remedy: "measure the program's source without the network, look for a rate limit in its settings, and let \
                 it read ahead and write in larger pieces; neither TCP nor the path needs a change",
    }),
};
