//! What limited a transfer, against a simulation that knows.

mod analysis;
mod any_events;
mod findings;
mod policing;
mod shares;
mod sim;
mod tables;
mod watch;
