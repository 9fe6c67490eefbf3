//! Who may measure with a far end, and within which limits: one token, or several named ones with limits each.
//!
//! Which token a client has is told by the handshake: its first message is tried with each key. So nothing on the wire names a
//! holder, and a client need not know that there are others.

mod accounts;
mod hours;
mod not_allowed;

pub use accounts::{AccessControl, Changes};
pub(super) use accounts::{Account, Accounts};
pub use hours::{Hours, NotHours};
pub(super) use not_allowed::NotAllowed;

use super::peers::AllowedPeers;
use super::token::Token;
use probe::session::Limits;

/// Holders of one far end at most: a stranger's greeting is tried with the key of each, and whoever sends thousands of greetings a
/// second must not keep the processor from those who have a token (`tests/hostile/ten_thousand.rs`).
pub const MOST_HOLDERS: usize = 16;
/// Letters of a name. It stands in logs and in metrics.
const LONGEST_NAME: usize = 32;

/// What the holder of one token may do beside what the far end allows to all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HolderLimits {
    /// Rate of any transfer, and of all that goes on with this token together, bit/s.
    pub max_rate_bps: Option<f64>,
    /// Bytes within any hour, both directions together.
    pub max_bytes_per_hour: Option<u64>,
    /// Length of any transfer or measurement, milliseconds.
    pub max_duration_ms: Option<u32>,
    /// Where its clients may be; empty: anywhere.
    pub from: Vec<AllowedPeers>,
    /// Third places; `None`: those that the far end allows to all.
    pub allow_peers: Option<Vec<AllowedPeers>>,
    /// Hours of the day; `None`: all.
    pub hours: Option<Hours>,
}

impl HolderLimits {
    /// What a single test of the holder may take, of what `all` may; the hour is for its budget to say.
    pub(super) fn within(&self, all: &Limits) -> Limits {
        let rate = match (self.max_rate_bps, all.max_rate_bps) {
            (Some(own), Some(all)) => Some(own.min(all)),
            (own, all) => own.or(all),
        };
        Limits {
            max_rate_bps: rate,
            max_duration_ms: self
                .max_duration_ms
                .map_or(all.max_duration_ms, |own| own.min(all.max_duration_ms)),
            max_bytes: all.max_bytes,
        }
    }
}

/// One who has a token.
#[derive(Clone)]
pub struct Holder {
    /// As the owner calls them; empty where there is only one and the owner names nobody.
    pub name: String,
    /// Their token.
    pub token: Token,
    /// What they may.
    pub limits: HolderLimits,
}

/// All who have a token.
#[derive(Clone)]
pub struct Access(Vec<Holder>);

/// Why a list of holders is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// Nobody.
    #[error("it names nobody: a far end without a holder of a token serves nobody")]
    Nobody,
    /// More than could be tried for each greeting.
    #[error("it names {0} holders: at most {MOST_HOLDERS} are possible")]
    TooMany(usize),
    /// A name that would not fit into a log.
    #[error("`{0}` is no name: use up to {LONGEST_NAME} letters (a to z), digits, `-`, `_` and `.`")]
    Name(String),
    /// Nobody could tell the two.
    #[error(
        "`{0}` and `{1}` have the same token: give each one of its own (`slowpath serve --new-token` prints one)"
    )]
    SameToken(String, String),
    /// Nobody could tell the two.
    #[error("`{0}` is named twice")]
    SameName(String),
}

impl Access {
    /// One token for all, without a name and limits of its own.
    #[must_use]
    pub fn single(token: Token) -> Self {
        Self(vec![Holder {
            name: String::new(),
            token,
            limits: HolderLimits::default(),
        }])
    }

    /// Several that are named.
    ///
    /// # Errors
    /// Nobody, too many, or two that could not be told from each other.
    pub fn new(holders: Vec<Holder>) -> Result<Self, AccessError> {
        match holders.len() {
            0 => return Err(AccessError::Nobody),
            1..=MOST_HOLDERS => {}
            more => return Err(AccessError::TooMany(more)),
        }
        for (number, holder) in holders.iter().enumerate() {
            if !is_name(&holder.name) {
                return Err(AccessError::Name(
                    holder.name.chars().take(2 * LONGEST_NAME).collect(),
                ));
            }
            for earlier in holders.iter().take(number) {
                if earlier.name == holder.name {
                    return Err(AccessError::SameName(holder.name.clone()));
                }
                if earlier.token.key() == holder.token.key() {
                    return Err(AccessError::SameToken(earlier.name.clone(), holder.name.clone()));
                }
            }
        }
        Ok(Self(holders))
    }

    /// Those who have a token.
    #[must_use]
    pub fn holders(&self) -> &[Holder] {
        &self.0
    }
}

/// Names stand in log lines, labels of metrics and sentences, where nothing needs an escape.
fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::super::token::new_token;
    use super::*;

    fn holder(name: &str) -> Holder {
        Holder {
            name: name.to_owned(),
            token: Token::read(&new_token().unwrap()).unwrap(),
            limits: HolderLimits::default(),
        }
    }

    #[test]
    fn holders_can_be_told_from_each_other() {
        assert!(Access::new(vec![holder("physics"), holder("ops-2.b_c")]).is_ok());
        let twice = holder("a");
        let cases = [
            vec![],
            vec![holder("")],
            vec![holder("a b")],
            vec![holder("a\"}")],
            vec![holder(&"a".repeat(33))],
            vec![holder("a"), holder("a")],
            vec![
                twice.clone(),
                Holder {
                    name: "b".to_owned(),
                    ..twice
                },
            ],
            (0..=MOST_HOLDERS).map(|n| holder(&n.to_string())).collect(),
        ];
        for case in cases {
            assert!(Access::new(case).is_err());
        }
    }

    #[test]
    fn a_limit_only_ever_takes_away() {
        let all = Limits {
            max_rate_bps: Some(1e9),
            max_duration_ms: 60_000,
            max_bytes: None,
        };
        assert_eq!(HolderLimits::default().within(&all), all, "absent");
        let more = HolderLimits {
            max_rate_bps: Some(1e10),
            max_duration_ms: Some(90_000),
            ..HolderLimits::default()
        };
        assert_eq!(more.within(&all), all);
        let less = HolderLimits {
            max_rate_bps: Some(1e8),
            max_duration_ms: Some(10_000),
            ..HolderLimits::default()
        };
        let limits = less.within(&all);
        assert_eq!(
            (limits.max_rate_bps, limits.max_duration_ms, limits.max_bytes),
            (Some(1e8), 10_000, None)
        );
    }
}
