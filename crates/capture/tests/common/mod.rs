//! What the tests of this crate share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

pub mod packets;
pub mod read;
