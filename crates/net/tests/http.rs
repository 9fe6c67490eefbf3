//! Downloads and uploads with the real nginx over loopback, and with servers that lie.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail here")]

#[path = "http/hostile.rs"]
mod hostile;
#[path = "http/nginx.rs"]
mod nginx;
#[path = "http/support.rs"]
mod support;
