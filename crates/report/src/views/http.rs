//! What a transfer over HTTP was beside its bytes, in lines.

use crate::words;
use evidence::{HttpExchange, Nanos};

/// What was asked for and who answered, what led there, and where the time before the content went.
pub(crate) fn lines(http: &HttpExchange) -> Vec<String> {
    let mut lines = vec![asked(http)];
    if !http.redirects.is_empty() {
        lines.push(format!(
            "Redirected there from {}.",
            http.redirects.join(", then ")
        ));
    }
    if http.is_unchecked {
        lines.push("The certificate was not checked: anybody could have answered.".to_owned());
    }
    if let Some(age) = http.cached_for_s {
        let age = words::long(age.saturating_mul(1_000_000_000));
        lines.push(format!(
            "It came from a cache, {age} old: what a server behind it would do is not shown."
        ));
    }
    lines.extend(phases(http));
    lines
}

fn asked(http: &HttpExchange) -> String {
    let parts = [
        http.status.map(|status| status.to_string()),
        http.version.clone(),
        http.tls.clone(),
        http.server.clone(),
        http.content_bytes
            .map(|bytes| format!("{} in all", words::bytes(bytes))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let request = format!("{} {}", http.method, http.url);
    match parts.is_empty() {
        true => format!("{request}."),
        false => format!("{request}: {}.", parts.join(", ")),
    }
}

fn phases(http: &HttpExchange) -> Option<String> {
    let phases = [
        ("name lookup", http.lookup_ns),
        ("connecting", http.connect_ns),
        ("TLS handshake", http.tls_ns),
        ("first byte of the answer", http.first_byte_ns),
        ("longest pause of a connection", http.longest_pause_ns),
    ];
    let told: Vec<String> = phases
        .into_iter()
        .filter_map(|(name, ns)| Some(format!("{name} {}", Nanos(ns?))))
        .collect();
    (!told.is_empty()).then(|| format!("Took: {}.", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_told() {
        let least = HttpExchange {
            url: "http://h/f".to_owned(),
            method: "PUT".to_owned(),
            ..HttpExchange::default()
        };
        assert_eq!(lines(&least), ["PUT http://h/f."]);
        let most = HttpExchange {
            url: "https://data.example/f".to_owned(),
            method: "GET".to_owned(),
            version: Some("HTTP/2".to_owned()),
            status: Some(200),
            server: Some("nginx".to_owned()),
            tls: Some("TLS 1.3, AES_128_GCM_SHA256".to_owned()),
            is_unchecked: true,
            redirects: vec![
                "http://data.example/f".to_owned(),
                "https://data.example/g".to_owned(),
            ],
            content_bytes: Some(5_000_000_000),
            cached_for_s: Some(90),
            lookup_ns: Some(3_000_000),
            connect_ns: Some(12_000_000),
            tls_ns: Some(25_000_000),
            first_byte_ns: Some(31_000_000),
            longest_pause_ns: Some(80_000_000),
        };
        assert_eq!(
            lines(&most),
            [
                "GET https://data.example/f: 200, HTTP/2, TLS 1.3, AES_128_GCM_SHA256, nginx, 5.00 GB in all.",
                "Redirected there from http://data.example/f, then https://data.example/g.",
                "The certificate was not checked: anybody could have answered.",
                "It came from a cache, 1.5 min old: what a server behind it would do is not shown.",
                "Took: name lookup 3 ms, connecting 12 ms, TLS handshake 25 ms, first byte of the answer 31 ms, \
                 longest pause of a connection 80 ms.",
            ]
        );
    }
}
