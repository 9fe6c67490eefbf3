//! Tools that measure how much goes through, or how long it took, each with tables of its own.

mod curl_layout;
mod curl_template;
pub(super) mod curl_times;
pub(super) mod ethr;
pub(super) mod gridftp;
pub(super) mod netperf;
pub(super) mod ntttcp;
pub(super) mod ntttcp_xml;

pub(super) use curl_times::KIND as CURL;
