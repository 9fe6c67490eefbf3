//! What an owner does not allow the holder of a token, in words for the person at the client: who is limited, by what, and when
//! it may be tried again.

use super::Hours;
use crate::budget::{Shortage, Until};
use std::net::IpAddr;
use std::time::Duration;

/// Why a holder of a token is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(in crate::far_end) enum NotAllowed {
    /// From another place than agreed.
    #[error("{who} may not measure from {from}: the owner of the far end allows {allowed} only", who = who(.holder))]
    From {
        holder: String,
        from: IpAddr,
        allowed: String,
    },
    /// At another time than agreed.
    #[error("{who} may measure here from {hours} only: try again in {wait}", who = who(.holder), wait = told(*.wait))]
    Hours {
        holder: String,
        hours: Hours,
        wait: Duration,
    },
    /// More bytes than are left of the hour.
    #[error("{}", of_hour(.holder, .shortage))]
    Hour { holder: String, shortage: Shortage },
    /// More than the limits of a single test.
    #[error("{who}: {what}", who = who(.holder))]
    OfTest { holder: String, what: String },
}

/// How a holder is spoken of.
fn who(holder: &str) -> String {
    match holder {
        "" => "the holder of this token".to_owned(),
        name => format!("the holder of the token `{name}`"),
    }
}

fn of_hour(holder: &str, shortage: &Shortage) -> String {
    let Shortage {
        limit, left, wanted, ..
    } = *shortage;
    let allowed = format!("{} may move {} in an hour here", who(holder), words::bytes(limit));
    let (left, wanted) = (words::bytes(left), words::bytes(wanted));
    match shortage.until {
        Until::Passed(wait) => format!(
            "{allowed} and has {left} left, and this test needs {wanted}: try again in {}",
            told(wait)
        ),
        Until::TestsEnd => format!(
            "{allowed}, tests that run may take all but {left} of what is left, and this one needs {wanted}: try again when \
             they are done"
        ),
        Until::Never => format!("{allowed}, and this test needs {wanted}: ask for a shorter or slower one"),
    }
}

/// Rounded up, so that whoever comes then does not come too early.
fn told(wait: Duration) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let minutes = seconds.div_ceil(60);
    match seconds {
        0..=90 => format!("{} s", seconds.max(1)),
        91..=5_400 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_never_told_too_short() {
        for (ms, text) in [
            (0, "1 s"),
            (1_001, "2 s"),
            (90_000, "90 s"),
            (91_000, "2 min"),
            (121_000, "3 min"),
            (5_400_000, "90 min"),
            (5_401_000, "1 h 31 min"),
            (20_880_000, "5 h 48 min"),
        ] {
            assert_eq!(told(Duration::from_millis(ms)), text);
        }
    }

    #[test]
    fn a_refusal_says_who_what_and_when() {
        let refused = NotAllowed::Hour {
            holder: "physics".to_owned(),
            shortage: Shortage {
                limit: 1_000_000_000,
                left: 2_000_000,
                wanted: 12_500_000,
                until: Until::Passed(Duration::from_secs(840)),
            },
        };
        assert_eq!(
            refused.to_string(),
            "the holder of the token `physics` may move 1.00 GB in an hour here and has 2.0 MB left, and this test needs \
             12.5 MB: try again in 14 min"
        );
    }
}
