//! What must hold whoever is at the other end: attacks on the real far end and on the real client, over loopback. Long forms are
//! ignored here and run by `make attack`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on must fail here"
)]

mod holder;
mod limits;
