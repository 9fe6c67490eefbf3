//! What a URL names.

use super::HttpError;
use std::net::IpAddr;
use url::{Host, Url};

/// A file on a web server: the URL that a user or a redirect named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

impl Target {
    /// Whether a far end that the user named is a URL and no host.
    #[must_use]
    pub fn is_url(text: &str) -> bool {
        text.contains("://")
    }

    /// The URL in `text` (the URL Standard, as browsers read it).
    ///
    /// # Errors
    /// It is none, is of another protocol, or holds a password.
    pub fn parse(text: &str) -> Result<Self, HttpError> {
        let url = Url::parse(text).map_err(|e| HttpError::NotAUrl(text.to_owned(), e.to_string()))?;
        Self::of(url)
    }

    /// What a redirect of this one names (RFC 9110 section 10.2.2).
    pub(super) fn join(&self, location: &str) -> Result<Self, HttpError> {
        let joined = self.url.join(location);
        Self::of(joined.map_err(|e| HttpError::BadRedirect(self.to_string(), e.to_string()))?)
    }

    fn of(mut url: Url) -> Result<Self, HttpError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(HttpError::Scheme(shown(&url)));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HttpError::Credentials);
        }
        url.set_fragment(None);
        Ok(Self { url })
    }

    /// Whether TLS is spoken there.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The host as names are looked up and certificates are checked: an IPv6 address has no brackets.
    #[must_use]
    pub fn host(&self) -> String {
        match self.url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            // Neither http nor https can be without one.
            None => String::new(),
        }
    }

    /// The address, where the URL names one instead of a host.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// The port: 80 and 443 unless it is told.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or(443)
    }

    /// Host and port as a request names them (`Host`, `:authority`).
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Path and query, as a request names them.
    #[must_use]
    pub fn path_and_query(&self) -> String {
        let path = self.url.path();
        self.url
            .query()
            .map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
    }

    /// The whole URL, with whatever its query holds: for the user, who has to copy it, and for nobody else.
    #[must_use]
    pub fn whole(&self) -> &str {
        self.url.as_str()
    }
}

/// Without the query: links that were signed hold a secret there.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&shown(&self.url))
    }
}

fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_query(url.query().map(|_| "..."));
    shown.to_string()
}
