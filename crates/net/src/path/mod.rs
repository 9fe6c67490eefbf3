//! Probes of the path from this host: route, path MTU, echo per hop.
//!
//! Each function opens its own sockets, runs a machine of `probe` on them and gives its observation. No packet leaves
//! for an address other than the destination, or, for direct echo, a router that answered on the path.

mod clock;
mod drive;
mod echo;
mod endpoint;
mod flow;
mod known;
mod mtu;
mod names;
mod pause;
mod rounds;
mod secret;
mod systems;
mod target;
mod trace;

pub use echo::{EchoPlan, echo, echo_with, hop_loss, hop_loss_with};
pub use endpoint::Sockets;
pub(crate) use endpoint::{domain_of, receiver, strip_ip_header};
pub use mtu::{path_mtu, path_mtu_with};
pub use pause::Pause;
pub use probe::asn::{Asn, AsnTable};
pub use probe::{Answered, Asked, RoundEvent};
pub use rounds::{PathEvent, RoundsPlan, rounds};
pub(crate) use secret::secret_number;
pub use systems::Systems;
pub(crate) use target::source_for;
pub use target::{PathTarget, Reflector};
pub use trace::{route, route_with};
