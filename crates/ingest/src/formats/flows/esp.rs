//! The `iperf` example of ESP-IDF, Espressif's own program: a rate each few seconds, and the last from the beginning on.

use super::tool::{PLAIN, Row, Tool, begins, passes, progress, sets};
use super::typed::Ends;

pub(super) static ESP: Tool = Tool {
    name: "ESP-IDF iperf",
    is_application: false,
    ends: |_| Ends::default(),
    rows: &[
        begins("mode={_:w}-server sip={local:w}:{n},~dip={*}").fetched(),
        begins("mode={_:w}-client sip={local:w}:{n},~dip={host:w}:{n},~{*}").sent(),
        sets("{*} iperf: accept: {host:w},{n}"),
        // The next test may not say how it was started.
        Row {
            opens: false,
            ..begins("{*} iperf: iperf exit")
        },
        passes("{*} iperf: {*}"),
        passes("Interval Bandwidth").opening(),
        // The first slice begins at 0 as the whole does, which replaces it.
        progress("0-~{s} sec {rate}"),
        passes("{n}-~{n} sec {*}"),
    ],
    ..PLAIN
};
