//! How people name an account at another host: `user@host`, `ssh://user@host:port`.

/// An account at another host, as ssh takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Login {
    /// What ssh is given: `user@host`, or `ssh://user@host:port`.
    pub(super) target: String,
    /// The host alone, as the user wrote it: a name, an address, or an alias of ssh's configuration.
    pub(crate) host: String,
}

impl Login {
    /// The login that a text names; of a bare host none, unless that `is_meant`.
    pub(crate) fn named(text: &str, is_meant: bool) -> Option<Self> {
        let url = text.strip_prefix("ssh://");
        let rest = url.unwrap_or(text);
        let user_and_host = rest.rsplit_once('@');
        if !(is_meant || url.is_some() || user_and_host.is_some()) {
            return None;
        }
        let host = user_and_host.map_or(rest, |(_, host)| host);
        let host = match url {
            Some(_) => without_port(host.trim_end_matches('/')),
            None => host,
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // What begins with a dash would be an option of ssh.
        let is_plain = !host.is_empty() && !host.starts_with('-') && !rest.starts_with('-');
        is_plain.then(|| Self {
            target: text.trim_end_matches('/').to_owned(),
            host: host.to_owned(),
        })
    }
}

/// Colons within brackets are of an IPv6 address.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_are_told_from_hosts() {
        let host = |text, is_meant| Login::named(text, is_meant).map(|login| login.host);
        for (text, wanted) in [
            ("me@dtn.example", Some("dtn.example")),
            ("me@lab@dtn.example", Some("dtn.example")),
            ("me@2001:db8::1", Some("2001:db8::1")),
            ("ssh://me@dtn.example:2222", Some("dtn.example")),
            ("ssh://dtn.example/", Some("dtn.example")),
            ("ssh://me@[2001:db8::1]:22", Some("2001:db8::1")),
            ("dtn.example", None),
            ("2001:db8::1", None),
            ("me@", None),
            ("ssh://", None),
            ("me@-oProxyCommand=x", None),
            ("-oProxyCommand=x@host", None),
        ] {
            assert_eq!(host(text, false).as_deref(), wanted, "{text}");
        }
        assert_eq!(host("dtn", true).as_deref(), Some("dtn"));
        assert_eq!(host("-v", true), None);
    }

    #[test]
    fn ssh_is_given_what_was_written() {
        assert_eq!(Login::named("me@dtn", false).unwrap().target, "me@dtn");
        assert_eq!(
            Login::named("ssh://me@dtn:2222/", false).unwrap().target,
            "ssh://me@dtn:2222"
        );
    }
}
