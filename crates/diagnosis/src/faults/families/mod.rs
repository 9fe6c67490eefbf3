//! Families: what is said where the evidence shows that something of a kind is wrong, and not which of the kind.
//!
//! A mechanism that its siblings predict equally well would be a guess with a code. A family is an answer: it excludes the
//! other families, has a place, and says which measurement decides.

use crate::declaration::Fault;

pub(crate) static LOSS: Fault = Fault {
    code: "LOSS",
    page: include_str!("LOSS.md"),
    parameters: &[],
};

pub(crate) static CAPACITY: Fault = Fault {
    code: "CAP",
    page: include_str!("CAP.md"),
    parameters: &[],
};

pub(crate) static MTU: Fault = Fault {
    code: "MTU",
    page: include_str!("MTU.md"),
    parameters: &[],
};

pub(crate) static HOST: Fault = Fault {
    code: "HOST",
    page: include_str!("HOST.md"),
    parameters: &[],
};

pub(crate) static APPLICATION: Fault = Fault {
    code: "APP",
    page: include_str!("APP.md"),
    parameters: &[],
};
