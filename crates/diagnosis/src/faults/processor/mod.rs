//! HOST-005: a host has no more processor time for the transfer.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-005",
    name: "processor",
    title: "a host's processor is the limit",
    sections: Sections {
        what_it_is: "One core of the sending or the receiving host is fully busy with the transfer: copying, \
            checksums, interrupts, encryption, a virtual machine's switch, a container's filter rules. The other \
            cores may be idle: one connection is handled by one core for interrupts and one for the program.",
        why_it_hurts: "Work is done per packet and per byte, so that the rate has a ceiling whatever the path can \
            do: some gigabits per second with 1500 byte packets and without offloads, tens with large segments, \
            and a few hundred megabits per second on small machines or through software encryption. A receiver \
            with too little processor time also drops, and then loses more than the time.",
        how_we_know: "- A core of one host is busy to 90 % and more while the transfer runs, in the kernel or in \
            interrupts.\n\
            - The rate is flat: the same over any distance, and with several connections no more while they share \
            the core.\n\
            - UDP with packets of the same size reaches no more packets per second either.\n\
            - No queue grows on the path, hardly anything is sent again.\n\
            - Larger packets or segmentation offloads make it faster; small packets slower in proportion.\n\
            - Against it: cores with time to spare, or a rate well above it between the same hosts.",
        what_looks_like_it: "- **CAP-001**: also flat over several connections; but a queue grows before the link, \
            and the rate is that of a usual link.\n\
            - **HOST-004**: a program that waits for its disk is not busy: its core idles, the socket's queue is \
            full.\n\
            - **HOST-002**: the receiver drops what it has no time for; the same lack, seen from the loss.\n\
            - **The test itself**: a measuring program may need more time than the user's; look at both.",
        remedy: "Switch segmentation and receive offloads on, use the largest packets that the path carries, \
            spread interrupts over cores near the interface (RSS) and keep the program on the same NUMA node, set \
            the processor to its performance governor, take encryption or filters off the path of the data or give \
            them cores of their own, and use several connections on several cores.",
        whom_to_ask: "The administrator of that host: `mpstat -P ALL 1` and `perf top` while the transfer runs, \
            offloads (`ethtool -k`), interrupt placement; of a virtual machine, whoever runs the host below it \
            (steal time).",
        references: &[
            "Cai, Chaudhary, Vuppalapati, Hwang, Agarwal: Understanding host network stack overheads, SIGCOMM 2021",
            "Mogul, Ramakrishnan: Eliminating receive livelock in an interrupt-driven kernel, ACM TOCS 1997",
            "Clark, Jacobson, Romkey, Salwen: An analysis of TCP processing overhead, IEEE Communications Magazine \
             1989",
            "Linux Documentation/networking/scaling.rst: RSS, RPS, RFS, XPS; segmentation-offloads.rst",
            "ESnet fasterdata, host tuning: interrupt binding: up to half of the rate is lost on the wrong socket",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::ProcessorRate,
        prior: 0.04,
        claim: |bps| format!("the processor manages no more than about {}", words::about(bps)),
        remedy: "look which core is busy and with what while the transfer runs; switch offloads on, use larger \
                 packets, spread interrupts and connections over cores, and move encryption or filters to cores of \
                 their own",
    }),
};
