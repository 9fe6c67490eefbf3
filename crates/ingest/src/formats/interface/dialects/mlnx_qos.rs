//! NVIDIA `mlnx_qos -i PORT`: which priorities may be paused, and what tells a packet's priority. The command alone names the port.

use super::super::dialect::{Dialect, Rule, SECTION, any};

pub(super) static DIALECT: Dialect = Dialect {
    name: "NVIDIA adapters, classes of traffic",
    reads: "`mlnx_qos -i PORT`: trust, priority flow control and buffers by priority",
    is_flat: true,
    has_units: false,
    heads: &["DCBX mode: {*}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    any("Priority trust state: {set priority trust}"),
    any("Cable len: {*}"),
    any("PFC configuration:"),
    any("priority 0 1 2 3 4 5 6 7"),
    any("enabled {set PFC enabled by priority}"),
    any("buffer {set buffer by priority}"),
    any("dscp2prio mapping:"),
    any("default priority:"),
    any("prio:{*}"),
    any("Receive buffer size (bytes): {set receive buffers}"),
    any("tc: {*}"),
    any("priority: {n}"),
];
