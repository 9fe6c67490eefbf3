//! A figure as monitoring keeps it: a name, labels, a value, a time.

use evidence::Timestamp;
use std::borrow::Cow;

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample<'a> {
    pub(super) name: Cow<'a, str>,
    /// Names and values; few, so that looking one up is a walk over them.
    pub(super) labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(super) value: f64,
    pub(super) at: Option<Timestamp>,
}

impl Sample<'_> {
    /// The value of the first of these labels that is there and not empty.
    pub(super) fn label(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let (_, value) = self.labels.iter().find(|(label, _)| label == name)?;
            (!value.is_empty()).then_some(value.as_ref())
        })
    }

    /// It as a count; `None` where it is negative or no whole number. Values are floats on the wire: above 2^53 they are
    /// rounded, and whole all the same.
    pub(super) fn count(&self) -> Option<u64> {
        let is_whole = self.value.fract() == 0.0 && (0.0..9.2e18).contains(&self.value);
        is_whole.then_some(self.value as u64)
    }

    /// Whom it is of: the target that was asked, without its port.
    pub(super) fn instance(&self) -> Option<&str> {
        let instance = self.label(&["instance", "agent_host", "host", "hostname"])?;
        Some(without_port(instance))
    }
}

/// `rtr1.example:9100` and `[2001:db8::1]:9100` without the port.
pub(super) fn without_port(instance: &str) -> &str {
    if let Some((address, _)) = instance.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        return address;
    }
    match instance.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => instance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_without_ports() {
        for (instance, host) in [
            ("rtr1.example:9100", "rtr1.example"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]:9100", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("https://a.example/", "https://a.example/"),
        ] {
            assert_eq!(without_port(instance), host);
        }
    }

    #[test]
    fn counts_are_whole() {
        let of = |value| {
            Sample {
                name: "a".into(),
                labels: Vec::new(),
                value,
                at: None,
            }
            .count()
        };
        assert_eq!(of(1.5e9), Some(1_500_000_000));
        for value in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e30] {
            assert_eq!(of(value), None);
        }
    }
}
