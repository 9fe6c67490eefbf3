//! What each kind of measurement would see in a world with given faults: the one place where physics lives.
//!
//! A world is a list of faults; everything else is normal. Each function gives the logarithm of the density of what was
//! seen, so that worlds can be compared by likelihood; [`predict`] gives its centre, for measurements not made yet. What is
//! badly known predicts vaguely: a precise prediction of a badly known fault would win over the truth whenever it hits by
//! chance.

mod agreement;
mod answers;
mod count;
mod loss;
mod packets;
mod predict;
mod queue;
mod rate;
mod response;
mod rest;
mod rhythm;
mod step_down;
mod stream;
mod waits;
mod ways;

pub use agreement::agreement;
pub use answers::answers;
pub use count::{count, setting};
pub use loss::{LossCause, changes_loss, path_loss};
pub use predict::predict;
pub use queue::{LEAST_QUEUE_S, Loaded};
pub use rate::{Limit, LimitedBy, STANDSTILL_BPS, limit, rate};
pub use response::{Connection, STANDARD_TIMEOUT_S, window_bps};
pub use rest::rest;
pub use rhythm::Rhythm;
pub use step_down::StepDown;
pub use stream::stream_loss;
pub use waits::waits;
