//! LOSS-001: a link loses packets at random, at whatever load.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-001",
    name: "random_loss",
    title: "random loss on a link",
    sections: Sections {
        what_it_is: "A link or a device loses single packets at any load: a dirty or damaged fibre, a failing optic, a \
            duplex mismatch, a faulty line card. It is not congestion: packets are lost although no queue is full.",
        why_it_hurts: "Loss-based TCP takes every loss for congestion and slows down. Its rate falls with the square \
            root of the loss ratio *and* with the round-trip time, as it needs that long to recover. A loss of 1 in \
            50,000 leaves about 70 Mbit/s at 128 ms and several Gbit/s at 1 ms: tests to a nearby host look clean, \
            which is why such links stay in service for months.",
        how_we_know: "- A paced UDP stream, well under what the path carries, loses packets; drops in the two hosts are \
            counted by their kernels and taken off.\n\
            - The response function of the congestion control in use (Mathis, PFTK, CUBIC of RFC 9438) predicts the \
            measured TCP rate within a factor of 2.\n\
            - Several connections together are faster in proportion.\n\
            - Streams of small packets that expire at chosen hops find the link: hops before it answer all, hops \
            behind it miss the same share.\n\
            - BBR does not follow these functions: under 2 % of loss it is not slowed, and then loss is not the cause.\n\
            - A series of loss that somebody's probes saw makes it likely where the loss begins as the rate falls and \
            allows about what is left; it never makes it sure, and tells no place.",
        what_looks_like_it: "- **A full queue** (CAP-001): also loses packets, but only under load and together with a \
            growing delay.\n\
            - **A hop that limits its answers**: misses replies at one hop while hops behind it miss none.\n\
            - **Host drops**: full socket buffers and overloaded processors lose packets after they arrived.\n\
            - **A policer**: loss that begins at a rate; slower streams are clean.\n\
            - **Loss on the way back**: costs answers to probes, hardly any throughput; the UDP stream in the other \
            direction shows it.",
        remedy: "Clean or replace the fibre and optics, check duplex and error counters on both ends of the link, move \
            traffic to another link meanwhile. Hosts can hide it at a price: BBR, several connections, larger segments.",
        whom_to_ask: "The operators of both ends of the link: input errors and CRC counters on the receiving interface, \
            optical power, and a soak test.",
        references: &[
            "Mathis, Semke, Mahdavi, Ott: The macroscopic behavior of the TCP congestion avoidance algorithm, CCR 1997",
            "Padhye, Firoiu, Towsley, Kurose: Modeling TCP throughput, SIGCOMM 1998",
            "RFC 9438 section 5.1: CUBIC's average window; RFC 5348 section 5: loss events",
            "RFC 2680: one-way loss; Clopper, Pearson: confidence limits, Biometrika 1934",
            "FNAL to DESY throughput, ESnet 2006: loss found by counting packets in five networks",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::LossRatio,
        prior: 0.10,
        claim: words::one_in,
        remedy: "check error counters, optical power, fibre and duplex at both ends of that stretch and repair what \
                 loses packets; until then BBR or several connections at the sender hide it",
    }),
};
