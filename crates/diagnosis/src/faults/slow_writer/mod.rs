//! APP-002: the program at the sender gives TCP less than the path could carry.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "APP-002",
    page: include_str!("page.md"),
    parameters: &[Parameter {
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
    }],
};
