//! What the kernel writes in `/proc`, as values. Pure: text in, what was understood out; a line or a field that is
//! not understood is absent from the result, never zero.

use std::collections::BTreeMap;

/// Counter groups worth keeping: those of the protocols that a transfer uses.
const GROUPS: [&str; 6] = ["Ip", "Icmp", "Tcp", "Udp", "TcpExt", "IpExt"];

/// Prefixes of `/proc/net/snmp6`, longest first where one is the beginning of another.
const GROUPS_V6: [&str; 3] = ["Icmp6", "Ip6", "Udp6"];

/// `/proc/net/snmp` and `/proc/net/netstat`: pairs of lines, names and then values, both opening with the group.
/// Keys are `Group.Name`.
pub(super) fn paired_counters(text: &str) -> BTreeMap<String, u64> {
    let mut counters = BTreeMap::new();
    let mut lines = text.lines().peekable();
    while let Some(names) = lines.next() {
        let Some((group, names)) = names.split_once(": ") else {
            continue;
        };
        let Some((_, values)) = lines
            .peek()
            .and_then(|line| line.split_once(": "))
            .filter(|(g, _)| *g == group)
        else {
            continue;
        };
        let (names, values): (Vec<_>, Vec<_>) = (
            names.split_whitespace().collect(),
            values.split_whitespace().collect(),
        );
        lines.next();
        // With more names than values nobody knows which value is missing.
        if names.len() != values.len() || !GROUPS.contains(&group) {
            continue;
        }
        for (name, value) in names.into_iter().zip(values) {
            // `Tcp.MaxConn` is -1: "no limit" is no count.
            if let Ok(value) = value.parse() {
                counters.insert(format!("{group}.{name}"), value);
            }
        }
    }
    counters
}

/// `/proc/net/snmp6`: one `Ip6InReceives 12` a line. Keys are `Ip6.InReceives`.
pub(super) fn listed_counters(text: &str) -> BTreeMap<String, u64> {
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(char::is_whitespace)?;
            let (group, rest) = GROUPS_V6
                .iter()
                .find_map(|group| name.strip_prefix(group).map(|rest| (group, rest)))?;
            let value = value.trim().parse().ok()?;
            (!rest.is_empty()).then(|| (format!("{group}.{rest}"), value))
        })
        .collect()
}

/// `/proc/net/softnet_stat`: hexadecimal columns, one line per processor. The second is packets dropped because the
/// receive backlog (`net.core.netdev_max_backlog`) was full, the third how often the budget of a round ran out.
/// Sums over processors: `Softnet.Dropped`, `Softnet.TimeSqueezed`. Counts of the whole machine, not of a namespace.
pub(super) fn softnet(text: &str) -> BTreeMap<String, u64> {
    let rows: Option<Vec<(u64, u64)>> = text
        .lines()
        .map(|line| {
            let mut columns = line.split_whitespace().skip(1);
            let mut hex = || u64::from_str_radix(columns.next()?, 16).ok();
            Some((hex()?, hex()?))
        })
        .collect();
    // A sum over some of the processors would look like a small count.
    let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
        return BTreeMap::new();
    };
    let sum = |column: fn(&(u64, u64)) -> u64| rows.iter().map(column).fold(0, u64::saturating_add);
    BTreeMap::from([
        ("Softnet.Dropped".to_owned(), sum(|row| row.0)),
        ("Softnet.TimeSqueezed".to_owned(), sum(|row| row.1)),
    ])
}

/// Processor time since boot, in ticks, and the processors it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CpuTicks {
    /// Processors on line.
    pub(super) online: u32,
    /// All time, summed over processors.
    pub(super) total: u64,
    /// Of that, time in which a processor had nothing to do.
    pub(super) idle: u64,
}

/// `/proc/stat`; `None` when the total line is not there or is not understood.
pub(super) fn cpu_ticks(text: &str) -> Option<CpuTicks> {
    let fields = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // user nice system idle iowait irq softirq steal; guest time, which follows, is part of user and nice.
    let ticks: Vec<u64> = fields
        .split_whitespace()
        .take(8)
        .map(|field| field.parse().ok())
        .collect::<Option<_>>()?;
    let idle = ticks.get(3)?.saturating_add(*ticks.get(4)?);
    let online = text
        .lines()
        .filter_map(|line| line.strip_prefix("cpu"))
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .count();
    Some(CpuTicks {
        online: u32::try_from(online).ok().filter(|online| *online > 0)?,
        total: ticks.iter().copied().fold(0, u64::saturating_add),
        idle,
    })
}

/// The share of time between two readings in which processors were busy, 0 to 1; `None` when no time passed or the
/// counts went backwards (the idle count may, on some kernels).
pub(super) fn busy_ratio(before: CpuTicks, after: CpuTicks) -> Option<f64> {
    let total = after.total.checked_sub(before.total).filter(|total| *total > 0)?;
    let idle = after.idle.checked_sub(before.idle)?;
    total.checked_sub(idle).map(|busy| busy as f64 / total as f64)
}

/// The model's name in `/proc/cpuinfo`; `None` on architectures that give none.
pub(super) fn cpu_model(text: &str) -> Option<String> {
    ["model name", "cpu model", "Model", "cpu"]
        .iter()
        .find_map(|wanted| {
            text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let value = value.trim();
                (name.trim() == *wanted && !value.is_empty()).then(|| value.to_owned())
            })
        })
}

/// The one-minute load average in `/proc/loadavg`.
pub(super) fn load_1min(text: &str) -> Option<f64> {
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    (load.is_finite() && load >= 0.0).then_some(load)
}

#[cfg(test)]
#[path = "proc_text_tests.rs"]
mod tests;
