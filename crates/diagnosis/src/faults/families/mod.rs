//! Families: what is said where the evidence shows that something of a kind is wrong, and not which of the kind.
//!
//! A mechanism that its siblings predict equally well would be a guess with a code. A family is an answer: it excludes the
//! other families, has a place, and says which measurement decides.

use crate::declaration::{Fault, Sections};

pub(crate) static LOSS: Fault = Fault {
    code: "LOSS",
    name: "families",
    title: "packets are lost; how is not decided",
    sections: Sections {
        what_it_is: "Packets are lost on the path, and it is not a full link that loses them. Open is how: at \
            random at any load (LOSS-001), only under load (LOSS-006), on an interface's way in (LOSS-002), with \
            transmission errors that a counter shows (LOSS-003), at the start of a transfer before a slower link \
            (LOSS-004).",
        why_it_hurts: "Loss-based TCP takes every loss for congestion, whatever its cause. How much is left \
            depends on the share that is lost, on the round-trip time and on the congestion control (Mathis, PFTK, \
            CUBIC of RFC 9438), not on the mechanism. That is why the rate alone does not tell the mechanism \
            either.",
        how_we_know: "- Segments are sent again, and the response function predicts the rate that was measured; or\n\
            - probes or paced streams that any host would carry do not arrive; and\n\
            - windows, processors, the program and the size of packets predict it worse.\n\
            - What decides: **UDP at two rates**, one far below what the path carries and one near it. The same \
            share at both is LOSS-001, none at the lower LOSS-006. **Idle pings**, some thousand, tell the same \
            for shares of 0.1 % and more.\n\
            - **Counters at both ends of each link**: checksum errors are LOSS-003, input drops LOSS-002, output \
            drops a queue (LOSS-004, LOSS-007).\n\
            - **When the first loss comes**, from a capture: in the first second, at the end of slow start, is \
            LOSS-004.",
        what_looks_like_it: "- **CAP**: a full link, a policer and a queue that is too short lose packets as well; \
            the rate that arrives, or the delay before the loss, is theirs.\n\
            - **HOST-002**: the receiving host drops what the path delivered.\n\
            - **MTU**: large packets are lost all of them, small ones never.\n\
            - **Answers that are missing**: routers limit their answers; when the hops behind answer, no data are \
            lost there.",
        remedy: "Compare error and drop counters, duplex, optical power and forwarding load at both ends of that \
            stretch, and measure UDP at a low and at a high rate to learn which loss it is; until then BBR or \
            several connections help.",
        whom_to_ask: "The operators of both ends of the stretch: errors and drops by kind on each interface, in \
            both directions, before and after a transfer.",
        references: &[
            "RFC 7680: one-way loss; RFC 3357: patterns of loss; RFC 6673: loss over the round trip",
            "Mathis, Semke, Mahdavi, Ott: The macroscopic behavior of the TCP congestion avoidance algorithm, CCR \
             1997",
            "Padhye, Firoiu, Towsley, Kurose: Modeling TCP throughput, SIGCOMM 1998; RFC 9438 section 5.1",
            "RFC 2863: ifInErrors, ifInDiscards, ifOutDiscards",
        ],
    },
    rule: None,
    parameter: None,
};

pub(crate) static CAPACITY: Fault = Fault {
    code: "CAP",
    name: "families",
    title: "the path carries too little; why is not decided",
    sections: Sections {
        what_it_is: "A stretch of the path carries less than the transfer could use. Open is why: a slow link or a \
            shaper (CAP-001), a fast link that others fill (CAP-002), a policer that drops what exceeds its rate \
            (CAP-003), a queue that cannot hold TCP's bursts (LOSS-007).",
        why_it_hurts: "No setting of the hosts gets more through than the stretch lets pass. What the siblings do \
            to others and to delay differs: a slow link delays, a policer drops without delay, others' traffic \
            changes with the hour.",
        how_we_know: "- The rate has a ceiling that no window, loss ratio or processor predicts, and it does not \
            move with the round-trip time; or drops come with load, and not without it.\n\
            - What decides: **UDP at two rates above what TCP reached**. The same rate arrives from both with a \
            growing delay: CAP-001. The same from both without delay: CAP-003. More from the faster stream: \
            CAP-002. Both arrive whole: LOSS-007.\n\
            - **The delay under load**, hop by hop, with the idle delay beside it: whether a queue stands, where, \
            and whether it stood there before the transfer.\n\
            - **Utilisation and drops of the link by its own counters**, over a day: others' traffic is in them.\n\
            - **The same test at night**: the rate of CAP-001 and CAP-003 stays.",
        what_looks_like_it: "- **LOSS**: a share of the packets of paced streams is missing far below the rate.\n\
            - **HOST-005**: a busy processor is a ceiling as well, without a queue on the path and with a busy \
            core.\n\
            - **HOST-001, HOST-003**: a ceiling for each connection; several together are several times as fast.\n\
            - **ROUTE-001**: a ceiling since the route changed: it is then the cause of the slow link.",
        remedy: "Ask what that stretch is meant to carry: speed, shapers, policers, queue limits and utilisation \
            over a day; and measure UDP at two rates above TCP's, with the delay under load, to learn which of \
            them it is.",
        whom_to_ask: "The operator of the router before the stretch, and the one whose contract sets the rate there.",
        references: &[
            "RFC 5136: capacity, utilisation and available capacity of links and paths",
            "Prasad, Murray, Dovrolis, Claffy: Bandwidth estimation: metrics, measurement techniques, and tools, \
             IEEE Network 2003",
            "Flach et al.: An Internet-wide analysis of traffic policing, SIGCOMM 2016, table 1: policing and \
             shaping",
            "Appenzeller, Keslassy, McKeown: Sizing router buffers, SIGCOMM 2004",
        ],
    },
    rule: None,
    parameter: None,
};

pub(crate) static MTU: Fault = Fault {
    code: "MTU",
    name: "families",
    title: "large packets vanish; why is not decided",
    sections: Sections {
        what_it_is: "Packets above some size do not get through a stretch of the path, and the sender is not told. \
            Open is why: a router that would say so is not heard (MTU-001), the two ends of a link disagree about \
            its largest packet (MTU-002), or fragments are dropped (MTU-003).",
        why_it_hurts: "Connections open, small requests are answered, and then the first full segments vanish and \
            are sent again until TCP gives up or falls back to smaller ones. The transfer stands still, or \
            crawls.",
        how_we_know: "- Small packets reach a place and large ones do not, many times over, whoever answers there.\n\
            - A transfer with full segments stalls; with a small MSS it runs.\n\
            - What decides: **sizes with and without \"don't fragment\"** to the hops before and behind the place. \
            If packets that may be fragmented pass, it is MTU-001; if they vanish as well, MTU-002, or MTU-003 \
            when even fragments of a size that fits vanish.\n\
            - **The same from another host** whose path shares the link: one operator's filter or one link.\n\
            - **Giants or oversize frames** counted by the interface behind the link: MTU-002.",
        what_looks_like_it: "- **A node that ignores large probes**, and forwards them: hops behind it answer them.\n\
            - **LOSS**: takes small packets too, in the same share.\n\
            - **A firewall on a destination** that drops all fragments: it concerns pings and not TCP, which is \
            not fragmented.",
        remedy: "Set the same MTU at both ends of that link and let ICMP \"fragmentation needed\" and \"packet too \
            big\" pass; until then clamp the MSS, lower the MTU of a host, or set net.ipv4.tcp_mtu_probing=1 at \
            the sender.",
        whom_to_ask: "The operators of both routers of the stretch: MTU of the two interfaces as each counts it, \
            tunnels, and filters of ICMP on the way back to the sender.",
        references: &[
            "RFC 1191 and RFC 8201: path MTU discovery; RFC 2923: its problems with TCP",
            "RFC 4821 and RFC 8899: discovery by packets that arrive, without ICMP",
            "RFC 8900: IP fragmentation considered fragile",
        ],
    },
    rule: None,
    parameter: None,
};

pub(crate) static HOST: Fault = Fault {
    code: "HOST",
    name: "families",
    title: "a host is the limit; how is not decided",
    sections: Sections {
        what_it_is: "One of the two hosts holds the transfer back, and the path could carry more. Open is how: the \
            receive window (HOST-001), drops in the receiver (HOST-002), the send buffer (HOST-003), a receiving \
            program that is slow (HOST-004), a processor (HOST-005).",
        why_it_hurts: "Windows limit each connection to a buffer per round trip, so that far transfers are slow \
            and near ones fast. Readers and processors limit to a rate, near and far. Drops slow TCP like any \
            other loss. None of them shows on the path, which is why its operators find nothing.",
        how_we_know: "- The path carries more, for other hosts, for UDP, or for several connections; no queue \
            grows on it.\n\
            - The sending kernel waited for its peer's window or its own buffer, or a core was busy.\n\
            - What decides: **what the sending kernel waited for** (`ss -ti`: `rwnd_limited` or `sndbuf_limited`) \
            and **the buffer settings of both hosts**: HOST-001 or HOST-003.\n\
            - **The receiver's queue** (`Recv-Q`) while the transfer runs: full is HOST-004, empty is a window.\n\
            - **The load of each core of both hosts**: HOST-005.\n\
            - **Counters of the receiving interface and socket**: HOST-002.\n\
            - **The same transfer over a short path**: a window gets faster in proportion, a reader or processor \
            does not.",
        what_looks_like_it: "- **LOSS-001**: limits each connection alone as well, but segments are sent again.\n\
            - **CAP-001**: a ceiling as well, with a queue before it.\n\
            - **APP**: the program gives too little to send; a test program between the same hosts is fast.",
        remedy: "Read the buffer settings and the load of the cores of both hosts, and `ss -tmi` at both ends \
            while the transfer runs; then raise what is below the rate wanted times the round-trip time, or free \
            the core that is busy.",
        whom_to_ask: "The administrators of both hosts, and of the programs if they set socket buffers.",
        references: &[
            "RFC 7323 section 2: window scaling; RFC 9293 section 3.8.6: managing the window",
            "RFC 4898: TCP extended statistics: which of sender, receiver and network is the bottleneck",
            "Zhang, Breslau, Paxson, Shenker: On the characteristics and origins of Internet flow rates, SIGCOMM \
             2002",
            "Linux Documentation/networking/ip-sysctl.rst and scaling.rst",
        ],
    },
    rule: None,
    parameter: None,
};

pub(crate) static APPLICATION: Fault = Fault {
    code: "APP",
    name: "families",
    title: "the program is the limit; how is not decided",
    sections: Sections {
        what_it_is: "The program leaves the connection idle for much of the time, and network and hosts could do \
            more. Open is how: pieces and pauses of a fixed rhythm (APP-001), or a source that is slower than the \
            network (APP-002): a disk, compression, a rate limit, a wait for the peer's answers.",
        why_it_hurts: "The rate is the program's, whatever the path carries, and every improvement of the path is \
            lost on it. Time goes into the search on the network, where nothing is wrong.",
        how_we_know: "- A test program between the same hosts is several times as fast.\n\
            - The sending kernel has nothing to send (`app_limited`, a busy time far below the transfer's), waits \
            for no window and no buffer, and sends nothing again.\n\
            - What decides: **a capture or a trace of system calls at the sender**. Pieces of one size with pauses \
            of one length are APP-001; writes that come as slowly as the data do are APP-002.\n\
            - **The source read without the network**: as slow as the transfer is APP-002.\n\
            - **The same program over a short path**: faster in proportion where it waits for answers of its peer.",
        what_looks_like_it: "- **HOST-004**: the receiving program is slow: the window closes.\n\
            - **HOST-001, HOST-003**: pauses of one round-trip time, with the kernel waiting for a window or a \
            buffer.\n\
            - **HOST-005**: a busy core under the program: then the program is the work, and the processor the \
            limit.\n\
            - **Another hour**: the test program ran when the path was quiet.",
        remedy: "Measure the program's source without the network and look at the sizes and times of its writes; \
            then larger pieces, several requests under way, or another program. Neither TCP nor the path needs a \
            change.",
        whom_to_ask: "Whoever runs or maintains the program: block size, rate limit, what it waits for between two \
            writes.",
        references: &[
            "Zhang, Breslau, Paxson, Shenker: On the characteristics and origins of Internet flow rates, SIGCOMM \
             2002",
            "RFC 7661: senders that are limited by their application",
            "RFC 4898: TCP extended statistics: time in which the sender limited",
        ],
    },
    rule: None,
    parameter: None,
};
