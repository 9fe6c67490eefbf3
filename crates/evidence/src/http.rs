//! What a transfer over HTTP was, beside its bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The exchange that a transfer over HTTP was a part of: what was asked for, who answered, and where the time before the first
/// byte went. Of several connections it is that of the first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HttpExchange {
    /// What was transferred: `https://data.example/file`. Without a query, which may hold a secret.
    pub url: String,
    /// The request: `GET` or `PUT`.
    pub method: String,
    /// The version of the protocol: `HTTP/1.1`, `HTTP/2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The status of the answer (RFC 9110 section 15); `None` where the transfer ended before it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What the server says that it is (`Server`), in its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Version and cipher suite of TLS; `None` without TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<String>,
    /// The certificate was not checked: anybody could have answered.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_unchecked: bool,
    /// What was asked for before, and led on to the next, in this order; without queries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// Length of the whole content, bytes, as the server tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_bytes: Option<u64>,
    /// How long the content has been in a cache, seconds (`Age`): a cache answered, not the server behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_for_s: Option<u64>,
    /// The name lookup, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup_ns: Option<u64>,
    /// From the SYN to its answer, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_ns: Option<u64>,
    /// The TLS handshake, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_ns: Option<u64>,
    /// From the request to the head of its answer, nanoseconds: a round trip, and what the server took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ns: Option<u64>,
    /// The longest time in which one connection had nothing to read, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_pause_ns: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
