//! A trace as the map takes it in.

use evidence::Node;

/// Who answered at each TTL, ascending; `None` where nobody did.
pub type Hops = Vec<(u8, Option<Node>)>;

/// One trace: who answered at each TTL from 1 upwards; `None` where nobody did.
#[derive(Debug, Clone)]
pub(super) struct Trace {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) hops: Hops,
    pub(super) reached: bool,
}
