//! System calls that have no safe wrapper: every `unsafe` of this crate is in here.
