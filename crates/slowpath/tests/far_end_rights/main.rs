//! The far end as it runs: what is left of its rights, and that it measures all the same.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod left;
mod server;
mod work;
