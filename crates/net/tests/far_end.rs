//! The far end and its client over loopback: what works, and what must go wrong clearly.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail here")]

mod far_end {
    mod between;
    mod dialing;
    mod owners;
    mod refusals;
    mod support;
    mod tcp;
    mod third;
    mod udp;
    mod vanishing;
}
