//! How many packets a reflector has sent back in each session: what makes it stateful.

use std::collections::BTreeMap;
use std::net::SocketAddr;

/// A session that was silent for so long is over (REFWAIT of RFC 5357, section 3.1).
const OVER_NS: u64 = 900 * 1_000_000_000;
/// One that was silent for so long makes room where there is none: its next packet would begin a new count.
const MAY_LEAVE_NS: u64 = 10 * 1_000_000_000;

/// What tells sessions apart (RFC 8972, section 3): both ends, and the sender's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SessionId {
    pub(super) sender: SocketAddr,
    pub(super) reflector: SocketAddr,
    pub(super) ssid: u16,
}

#[derive(Debug, Clone, Copy)]
struct Session {
    next: u32,
    /// When it was last used, and the number of that use, so that no two are the same.
    used: (u64, u64),
}

/// The sessions of a reflector, so many at most.
#[derive(Debug)]
pub(super) struct Sessions {
    by_id: BTreeMap<SessionId, Session>,
    by_use: BTreeMap<(u64, u64), SessionId>,
    uses: u64,
    most: usize,
}

impl Sessions {
    pub(super) fn at_most(most: usize) -> Self {
        Self {
            by_id: BTreeMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
            most: most.max(1),
        }
    }

    /// The number of the next packet of a session; `None`: there is no room for another one.
    pub(super) fn next(&mut self, id: SessionId, now_ns: u64) -> Option<u32> {
        while let Some((used, oldest)) = self.by_use.first_key_value().map(|(used, id)| (*used, *id)) {
            let idle_ns = now_ns.saturating_sub(used.0);
            let is_full = self.by_id.len() >= self.most && !self.by_id.contains_key(&id);
            if idle_ns < OVER_NS && !(is_full && idle_ns >= MAY_LEAVE_NS) {
                break;
            }
            self.by_use.remove(&used);
            self.by_id.remove(&oldest);
        }
        self.uses += 1;
        let used = (now_ns, self.uses);
        let before = self.by_id.get(&id).copied();
        if before.is_none() && self.by_id.len() >= self.most {
            return None;
        }
        let next = before.map_or(0, |session| session.next);
        if let Some(session) = before {
            self.by_use.remove(&session.used);
        }
        let session = Session {
            next: next.wrapping_add(1),
            used,
        };
        self.by_id.insert(id, session);
        self.by_use.insert(used, id);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn id(port: u16) -> SessionId {
        SessionId {
            sender: SocketAddr::from(([192, 0, 2, 1], port)),
            reflector: SocketAddr::from(([192, 0, 2, 2], 862)),
            ssid: 7,
        }
    }

    #[test]
    fn each_session_counts_from_zero_and_a_silent_one_anew() {
        let mut sessions = Sessions::at_most(10);
        let counted = [(1, 0), (1, 1), (2, 1), (1, 2), (1, 901), (1, 1_800)]
            .map(|(port, at_s)| sessions.next(id(port), at_s * S));
        assert_eq!(counted, [Some(0), Some(1), Some(0), Some(2), Some(3), Some(4)]);
        assert_eq!(sessions.next(id(1), 5_000 * S), Some(0));
        assert_eq!(sessions.by_id.len(), 1);
    }

    #[test]
    fn a_full_table_refuses_newcomers_until_somebody_was_silent() {
        let mut sessions = Sessions::at_most(2);
        assert_eq!(sessions.next(id(1), 0), Some(0));
        assert_eq!(sessions.next(id(2), 5 * S), Some(0));
        assert_eq!(sessions.next(id(3), 6 * S), None);
        assert_eq!(sessions.next(id(1), 7 * S), Some(1), "who is in stays in");
        assert_eq!(sessions.next(id(3), 16 * S), Some(0), "in place of 2");
        assert_eq!(sessions.next(id(1), 16 * S), Some(2));
        assert_eq!(sessions.by_id.len(), sessions.by_use.len());
    }
}
