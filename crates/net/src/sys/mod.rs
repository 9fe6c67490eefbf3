//! System calls that have no safe wrapper: every `unsafe` of this crate is in here.

pub(crate) mod attempts;
pub(crate) mod ethtool;
pub(crate) mod message;
