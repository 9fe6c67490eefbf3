//! What the log says of connections that were not let in: a line for the first, then a count every few seconds. Whoever
//! floods the port must not fill the disk as well.

use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Time between two lines.
pub(super) const PERIOD: Duration = Duration::from_secs(10);

/// How a connection ended that was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnedAway {
    /// It did not show in time that it has the token.
    NoToken,
    /// It made room for another before it had shown anything.
    MadeRoom,
}

/// Those that no line has told of yet.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    quiet_until: Option<Instant>,
    no_token: u64,
    made_room: u64,
    last: Option<IpAddr>,
}

impl Strangers {
    /// One was turned away; gives a line if it is time for one.
    pub(super) fn note(&mut self, peer: IpAddr, how: TurnedAway, now: Instant) -> Option<String> {
        let is_quiet = self.quiet_until.is_some_and(|until| now < until);
        if !is_quiet && self.last.is_none() {
            self.quiet_until = Some(now + PERIOD);
            return Some(match how {
                TurnedAway::NoToken => format!("{peer}: no valid token"),
                TurnedAway::MadeRoom => format!("{peer}: had to make room for others"),
            });
        }
        match how {
            TurnedAway::NoToken => self.no_token += 1,
            TurnedAway::MadeRoom => self.made_room += 1,
        }
        self.last = Some(peer);
        None
    }

    /// The line that is due after a [`PERIOD`], if there is anything to tell.
    pub(super) fn due(&mut self, now: Instant) -> Option<String> {
        let last = self
            .last
            .filter(|_| self.quiet_until.is_none_or(|until| now >= until))?;
        let (no_token, made_room) = (self.no_token, self.made_room);
        *self = Self {
            quiet_until: Some(now + PERIOD),
            ..Self::default()
        };
        Some(format!(
            "{} more connections not let in, the last from {last}: {no_token} without a valid token, {made_room} had \
             to make room for others",
            no_token + made_room
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_is_named_and_the_rest_are_counted() {
        let (mut strangers, start) = (Strangers::default(), Instant::now());
        let peer = |last: u8| IpAddr::from([10, 0, 0, last]);
        let first = strangers.note(peer(1), TurnedAway::NoToken, start);
        assert_eq!(first.as_deref(), Some("10.0.0.1: no valid token"));
        assert_eq!(strangers.due(start + PERIOD), None);
        assert_eq!(strangers.note(peer(2), TurnedAway::NoToken, start), None);
        assert_eq!(strangers.note(peer(3), TurnedAway::MadeRoom, start), None);
        assert_eq!(strangers.due(start), None);
        let line = strangers.due(start + PERIOD).unwrap();
        assert!(
            line.starts_with("2 more") && line.contains("10.0.0.3") && line.contains("1 without"),
            "{line}"
        );
        assert_eq!(strangers.due(start + PERIOD), None);
    }

    proptest! {
        #[test]
        fn a_flood_gets_a_line_a_period(gaps_ms in prop::collection::vec(0u64..300, 1..500)) {
            let (mut strangers, start) = (Strangers::default(), Instant::now());
            let (mut now, mut lines) = (start, 0);
            for gap in gaps_ms {
                now += Duration::from_millis(gap);
                lines += u64::from(strangers.note([10, 0, 0, 1].into(), TurnedAway::NoToken, now).is_some());
                lines += u64::from(strangers.due(now).is_some());
            }
            prop_assert!(lines <= 1 + (now - start).as_secs() / PERIOD.as_secs());
        }
    }
}
