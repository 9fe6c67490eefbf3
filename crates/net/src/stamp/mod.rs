//! STAMP on kernel sockets (RFC 8762): a sender that asks somebody's reflector, and a reflector of our own.

mod guard;
mod prefix;
mod reflector;
mod sender;

pub use prefix::{Prefix, PrefixError};
pub use probe::stamp::{Answered, ClassOfService, Counting, Direction, Key, Outcome, PORT, TlvKind};
pub use reflector::{ReflectLimits, ReflectorServer, ServeConfig};
pub use sender::{Plan, Session, run};

use crate::sys::thread_time::wall_clock_state;
use probe::stamp::Clock;

/// What is said of a clock of which the kernel says nothing.
const UNKNOWN_ERROR_NS: u64 = 16_000_000_000;

/// This host's clock.
fn clock() -> Clock {
    let (synchronised, error_ns) = wall_clock_state().unwrap_or((false, UNKNOWN_ERROR_NS));
    Clock {
        synchronised,
        error_ns,
    }
}
