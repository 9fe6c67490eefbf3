//! What moves messages between processes: the OSU micro-benchmarks between two of them, or pairs, and UCX' own test.
//!
//! Collective operations, and memory that one side writes while the other waits, tell of no path: nothing of them is read.

use super::tool::{PLAIN, Tool, begins, ends, passes, probed, progress, sets};
use crate::units::Kilo;

/// Rows of one of the tests, and what all of them say of how they were run.
macro_rules! osu {
    ($($row:expr),* $(,)?) => {
        &[
            $($row,)*
            passes("# Datatype: {*}"),
            passes("# Window creation: {*}"),
            passes("# Synchronization: {*}"),
            passes("# Number of {*}"),
            passes("# Send Buffer on {*}"),
            passes("# Recv Buffer on {*}"),
        ]
    };
}

/// MB are 10^6 bytes. Each size of message has a row, and small ones say what the processors do with messages: the last, largest one
/// stands.
pub(super) static OSU: Tool = Tool {
    programs: &["osu_bw", "osu_bibw", "osu_mbw_mr", "osu_put_bw", "osu_get_bw"],
    rows: osu![
        begins("# OSU {both:w} Bi-Directional Bandwidth Test {*}").first(),
        begins("# OSU {both:w} Bi-directional Bandwidth Test {*}").first(),
        begins("# OSU MPI{*} Bandwidth Test {*}").first(),
        begins("# OSU MPI{*} Bandwidth / Message Rate Test {*}").first(),
        sets("# [ pairs: {streams:n} ] {*}"),
        sets("# Size {unit:w} Messages/s{*}"),
        sets("# Size Bandwidth ({unit:w}){*}"),
        progress("{message:n} {amount:f}"),
        progress("{message:n} {amount:f} {_:w}"),
    ],
    ..OF_OSU
};

/// A latency is half of a round trip. The first, smallest message tells most of the path.
pub(super) static OSU_LATENCY: Tool = Tool {
    programs: &["osu_latency", "osu_latency_mp", "osu_latency_mt"],
    smallest_first: true,
    rows: osu![
        begins("# OSU MPI Latency Test {*}").first(),
        begins("# OSU MPI-{_:w} Latency Test {*}").first(),
        begins("# OSU MPI Multi-process Latency Test {*}").first(),
        begins("# OSU MPI Multi-threaded Latency Test {*}").first(),
        passes("# Size {*}Latency{*}"),
        probed("{n} {half_us:f}"),
        probed("{n} {half_us:f} {_:w}"),
    ],
    ..OF_OSU
};

/// UCX. MB are 2^20 bytes; of average and overall the latter is of the whole run.
pub(super) static UCX: Tool = Tool {
    name: "ucx_perftest",
    is_application: false,
    kilo: Kilo::Binary,
    rows: &[
        begins("|~|~|~overhead (usec)~|~bandwidth ({unit:w})~|~message rate (msg/s)~|"),
        passes("+---{*}"),
        passes("|~Stage~|~# iterations~|{*}"),
        progress("[thread {n}] {n} {_:f} {_:f} {_:f} {_:f} {amount:f} {_:f} {_:f}"),
        ends("Final: {n} {_:f} {_:f} {_:f} {_:f} {amount:f} {_:f} {_:f}"),
    ],
    ..PLAIN
};

/// The same of latencies, each half of a round trip.
pub(super) static UCX_LATENCY: Tool = Tool {
    name: "ucx_perftest",
    is_application: false,
    rows: &[
        begins("|~|~|~latency (usec)~|~bandwidth ({_:w})~|~message rate (msg/s)~|"),
        passes("+---{*}"),
        passes("|~Stage~|~# iterations~|{*}"),
        passes("[thread {n}] {n} {_:f} {*}"),
        probed("Final: {n} {_:f} {_:f} {half_us:f} {_:f} {_:f} {_:f} {_:f}"),
    ],
    ..PLAIN
};

const OF_OSU: Tool = Tool {
    name: "OSU micro-benchmarks",
    is_application: false,
    kilo: Kilo::Thousand,
    mark: "# OSU",
    speaks: true,
    ..PLAIN
};
