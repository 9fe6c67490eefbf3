//! LOSS-006: a link or device loses packets, and only while it carries much.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-006",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::LossUnderLoad,
        prior: 0.04,
        claim: |ratio| format!("under load about {} of the packets are lost", words::loss(ratio)),
        remedy: "compare negotiated speed and duplex at both ends of that stretch and look for drops for want of a \
                 buffer or of processor time while the transfer runs; until then pace the sender or use BBR",
    }],
};
