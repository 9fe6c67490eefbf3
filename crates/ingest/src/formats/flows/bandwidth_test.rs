//! RouterOS, `/tool bandwidth-test`: what is sent and what arrives, at this moment, over ten seconds and in all. The last is used. Which
//! way packets were lost it does not say.

use super::tool::{PLAIN, Tool, fails, passes, sets, tells};
use super::typed::{Ends, Typed};
use crate::host::host;
use evidence::Node;

/// The server is a word by itself, or behind `address=`.
fn ends(typed: &Typed<'_>) -> Ends {
    let named = typed.words.iter().find_map(|word| word.strip_prefix("address="));
    let bare = || typed.words.iter().copied().find(|word| !word.contains('='));
    Ends {
        local: typed.device.map(Node::named).unwrap_or_default(),
        remote: named.or_else(bare).map(host).unwrap_or_default(),
        ..Ends::default()
    }
}

pub(super) static BANDWIDTH_TEST: Tool = Tool {
    name: "bandwidth-test",
    programs: &["bandwidth-test"],
    is_application: false,
    measures: true,
    ends,
    rows: &[
        passes("tx-current: {*}").opening(),
        passes("rx-current: {*}").opening(),
        passes("tx-10-second-average: {*}").opening(),
        passes("rx-10-second-average: {*}").opening(),
        tells("tx-total-average: {rate}").sent().opening(),
        tells("rx-total-average: {rate}").fetched().opening(),
        fails("status: can not {*}"),
        fails("status: authentication failed"),
        fails("status: test unsupported"),
        fails("status: remote is busy"),
        passes("status: {*}"),
        sets("duration: {dur}"),
        passes("duration: {*}"),
        passes("lost-packets: {n}"),
        passes("random-data: {*}"),
        passes("direction: {*}"),
        passes("tx-size: {*}"),
        passes("rx-size: {*}"),
        passes("connection-count: {n}"),
        passes("tcp-connection-count: {n}"),
        passes("local-cpu-load: {*}"),
        passes("remote-cpu-load: {*}"),
        passes("-- [Q quit{*}"),
    ],
    ..PLAIN
};
