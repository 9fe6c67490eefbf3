//! The far end and its client over loopback: what works, and what must go wrong clearly.

mod far_end {
    mod support;
    mod tcp;
}
