//! Judges the kernel's settings: buffers, TCP's options, congestion control, processors. Pure.

use super::judgement::{Judgement, Level};
use super::thresholds::{
    ASSUMED_RATE, BUSY_RATIO, CONGESTION_CONTROLS, ESNET, REFERENCE_RTT, RETRANSMITTED_RATIO, SWITCHES,
    WINDOW_SHARE,
};
use evidence::{HostFacts, Nanos, RateBps};

/// All judgements over settings, most weighty topics first.
pub(super) fn judge(facts: &HostFacts, governor: Option<&str>) -> Vec<Judgement> {
    let buffers = [
        ("receive buffer", "net.ipv4.tcp_rmem"),
        ("send buffer", "net.ipv4.tcp_wmem"),
    ];
    let mut judgements: Vec<Judgement> = buffers
        .into_iter()
        .filter_map(|(topic, sysctl)| buffer(topic, sysctl, facts))
        .collect();
    judgements.extend(congestion_control(facts));
    judgements.extend(switches(facts));
    judgements.extend(mtu_probing(facts));
    judgements.extend(
        [backlog(facts), retransmitted(facts), processors(facts)]
            .into_iter()
            .flatten(),
    );
    judgements.extend(governor.and_then(frequency));
    judgements
}

/// The rate that this host is judged for.
fn rate(facts: &HostFacts) -> RateBps {
    let speed = facts
        .interface
        .as_ref()
        .and_then(|interface| interface.speed_mbps);
    speed.map_or(ASSUMED_RATE, |mbps| RateBps(f64::from(mbps) * 1e6))
}

/// A buffer of automatic size: what its largest size allows.
fn buffer(topic: &'static str, sysctl: &'static str, facts: &HostFacts) -> Option<Judgement> {
    let sizes: Vec<u64> = facts
        .sysctls
        .get(sysctl)?
        .split_whitespace()
        .map(|size| size.parse().ok())
        .collect::<Option<_>>()?;
    let [smallest, default, largest] = sizes[..] else {
        return None;
    };
    let window = largest as f64 * WINDOW_SHARE;
    let reach = |rate: RateBps| Nanos((window * 8.0 / rate.0 * 1e9) as u64);
    let wanted = rate(facts);
    let mut rates = vec![RateBps(1e9), RateBps(1e10)];
    if !rates.contains(&wanted) {
        rates.push(wanted);
    }
    let reaches: Vec<String> = rates
        .iter()
        .map(|rate| format!("{rate} up to {}", reach(*rate)))
        .collect();
    let enough = reach(wanted) >= REFERENCE_RTT;
    let needed = (wanted.0 / 8.0 * REFERENCE_RTT.0 as f64 / 1e9 / WINDOW_SHARE) as u64;
    // The kernel keeps the sizes in an int.
    let proposed = needed.next_power_of_two().min((1 << 31) - 1);
    let short_name = sysctl.rsplit('.').next().unwrap_or(sysctl);
    Some(Judgement {
        topic,
        level: if enough { Level::Good } else { Level::Limits },
        text: format!(
            "{short_name} max {}, a window of about {}: enough for {}",
            bytes(largest),
            bytes(window as u64),
            reaches.join(", ")
        ),
        command: (!enough).then(|| set(sysctl, &format!("{smallest} {default} {proposed}"))),
        source: Some(ESNET),
    })
}

fn congestion_control(facts: &HostFacts) -> Option<Judgement> {
    let name = facts.congestion_control.as_deref()?;
    let known = CONGESTION_CONTROLS.iter().find(|known| known.name == name);
    let (level, text) = known.map_or((Level::Note, "not one that slowpath can judge"), |known| {
        (known.level, known.text)
    });
    Some(Judgement {
        topic: "congestion control",
        level,
        text: format!("{name}: {text}"),
        command: (level == Level::Limits).then(|| set("net.ipv4.tcp_congestion_control", "cubic")),
        source: known.map(|known| known.source),
    })
}

/// Settings that are as they should be share one line: nobody reads seven times "ok".
fn switches(facts: &HostFacts) -> Vec<Judgement> {
    let mut good = Vec::new();
    let mut judgements = Vec::new();
    for switch in SWITCHES {
        match facts.sysctls.get(switch.sysctl) {
            Some(value) if switch.right.contains(&value.as_str()) => good.push(switch.topic),
            Some(_) => judgements.push(Judgement {
                topic: switch.topic,
                level: switch.level,
                text: switch.otherwise.to_owned(),
                command: switch.right.first().map(|right| set(switch.sysctl, right)),
                source: Some(switch.source),
            }),
            None => {}
        }
    }
    if !good.is_empty() {
        let text = format!("as they should be: {}", good.join(", "));
        judgements.insert(
            0,
            Judgement {
                topic: "TCP settings",
                level: Level::Good,
                text,
                command: None,
                source: None,
            },
        );
    }
    judgements
}

/// Without probing, a path that drops large packets in silence stops a connection for good; with an MTU above
/// 1500 bytes such paths are common.
fn mtu_probing(facts: &HostFacts) -> Option<Judgement> {
    let on = facts.sysctls.get("net.ipv4.tcp_mtu_probing")? != "0";
    let jumbo = facts.interface.as_ref()?.mtu_bytes? > 1500 && !is_loopback(facts);
    let (level, text) = match (on, jumbo) {
        (true, _) => (
            Level::Good,
            "on: TCP finds its way out of an MTU black hole by itself, after some timeouts",
        ),
        (false, true) => (
            Level::Limits,
            "off, with an MTU above 1500: where the path drops large packets in silence, transfers stop dead",
        ),
        (false, false) => (
            Level::Note,
            "off: where the path drops large packets in silence, transfers stop dead",
        ),
    };
    Some(Judgement {
        topic: "MTU probing",
        level,
        text: text.to_owned(),
        command: (!on).then(|| set("net.ipv4.tcp_mtu_probing", "1")),
        source: Some("RFC 4821"),
    })
}

pub(super) fn is_loopback(facts: &HostFacts) -> bool {
    facts
        .interface
        .as_ref()
        .is_some_and(|interface| interface.name == "lo")
}

fn backlog(facts: &HostFacts) -> Option<Judgement> {
    let dropped = *facts.counters.get("Softnet.Dropped")?;
    let size = facts
        .sysctls
        .get("net.core.netdev_max_backlog")
        .and_then(|size| size.parse::<u64>().ok());
    (dropped > 0).then(|| Judgement {
        topic: "receive backlog",
        level: Level::Limits,
        text: format!("{dropped} packets dropped since boot because a processor's backlog was full"),
        command: size.map(|size| set("net.core.netdev_max_backlog", &(size.max(1000) * 10).to_string())),
        source: Some(ESNET),
    })
}

fn retransmitted(facts: &HostFacts) -> Option<Judgement> {
    let sent = *facts.counters.get("Tcp.OutSegs").filter(|sent| **sent > 0)?;
    let again = *facts.counters.get("Tcp.RetransSegs")?;
    let ratio = again as f64 / sent as f64;
    (ratio > RETRANSMITTED_RATIO).then(|| Judgement {
        topic: "retransmitted",
        level: Level::Note,
        text: format!(
            "{:.2} % of all TCP segments since boot: `slowpath diagnose` finds where they are lost",
            ratio * 100.0
        ),
        command: None,
        source: Some("Mathis et al. 1997"),
    })
}

fn processors(facts: &HostFacts) -> Option<Judgement> {
    let busy = facts.cpu.as_ref()?.busy_ratio?;
    (busy > BUSY_RATIO).then(|| Judgement {
        topic: "processors",
        level: Level::Note,
        text: format!(
            "{:.0} % busy just now: a fast transfer needs most of a core at each end",
            busy * 100.0
        ),
        command: None,
        source: Some(ESNET),
    })
}

fn frequency(governor: &str) -> Option<Judgement> {
    (governor != "performance").then(|| Judgement {
        topic: "frequency governor",
        level: Level::Note,
        text: format!(
            "{governor}: the processor's clock follows the load late, which costs rate and adds delay"
        ),
        command: Some("sudo cpupower frequency-set -g performance".to_owned()),
        source: Some(ESNET),
    })
}

/// The command that changes a setting until the next boot.
pub(super) fn set(sysctl: &str, value: &str) -> String {
    if value.contains(' ') {
        format!("sudo sysctl -w {sysctl}=\"{value}\"")
    } else {
        format!("sudo sysctl -w {sysctl}={value}")
    }
}

/// A size as buffers are set: in powers of two.
fn bytes(size: u64) -> String {
    let (scale, unit) = match size {
        0..1024 => return format!("{size} bytes"),
        1024..0x10_0000 => (1024.0, "KiB"),
        0x10_0000..0x4000_0000 => (1024.0 * 1024.0, "MiB"),
        _ => (1024.0 * 1024.0 * 1024.0, "GiB"),
    };
    let text = format!("{:.1}", size as f64 / scale);
    format!("{} {unit}", text.trim_end_matches(".0"))
}
