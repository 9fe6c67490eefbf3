//! Places of observation in format 1.

use crate::End;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The place from which something was observed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Vantage {
    /// One of the two ends of the complaint.
    End(End),
    /// Somewhere else: another host, a router on the path, a third network.
    Elsewhere {
        /// Where, in words: a host's name, a router, a network. Empty: the record does not say.
        place: String,
    },
}

impl Vantage {
    /// The end of the complaint that it is; `None` elsewhere.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        match self {
            Self::End(end) => Some(*end),
            Self::Elsewhere { .. } => None,
        }
    }
}

impl From<End> for Vantage {
    fn from(end: End) -> Self {
        Self::End(end)
    }
}

impl PartialEq<End> for Vantage {
    fn eq(&self, end: &End) -> bool {
        self.end() == Some(*end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vantage_is_written_as_an_end_or_a_place() {
        let written = |vantage: &Vantage| serde_json::to_string(vantage).unwrap_or_default();
        assert_eq!(written(&End::From.into()), "\"from\"");
        let place = "chi-pt1.es.net".to_owned();
        assert_eq!(
            written(&Vantage::Elsewhere { place }),
            r#"{"place":"chi-pt1.es.net"}"#
        );
    }
}
