//! What must hold whoever is at the other end: attacks on the real far end, over loopback. What the owner's limits, the door, its
//! silence and its memory withstand. The short forms run with the other tests, the long ones by `make attack`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on must fail here"
)]

mod door;
mod limits;
mod memory;
mod silence;
mod support;
mod ten_thousand;
mod waiting;
mod wire;
