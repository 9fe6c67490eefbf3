//! What routers print before they answer, and what they log in the middle of it.

use crate::when::is_router_clock;

/// What a device logs to the terminal, in the middle of what it prints: `*Jun  3 10:12:01.123: %LINK-3-UPDOWN: Interface …`.
pub(super) fn is_log(line: &str) -> bool {
    let is_name = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let told = || {
        let message = line.get(memchr::memchr(b'%', line.as_bytes())? + 1..)?;
        let (name, _) = message.split_once(": ")?;
        let mut parts = name.split('-');
        let facility = parts.next()?;
        let mnemonic = parts.next_back()?;
        let is_severity = parts.any(|part| part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_digit()));
        Some(is_name(facility) && is_severity && is_name(mnemonic))
    };
    told() == Some(true)
}

/// What stands above the first interface of some outputs, and nowhere else.
pub(super) const ABOVE: [&str; 5] = [
    "Global statistics status",
    "Port-channels in the group:",
    "Channel-group listing:",
    "No accounting statistics available",
    "IP Interface Status for VRF ",
];

pub(super) fn is_above(line: &str) -> bool {
    let line = line.trim_ascii_start();
    ABOVE.iter().any(|begin| line.starts_with(begin))
}

/// What routers print of themselves between the command and its output, if they are told to.
pub(super) fn is_preface(line: &str) -> bool {
    const BEGINNINGS: [&str; 18] = [
        // SR OS, above its routed interfaces.
        "Interface Statistics",
        // EOS, above the light of its ports.
        "Ch: Channel, ",
        "mA: milliamperes, ",
        "dBm: decibels ",
        // FortiGate, above its ports.
        "== [onboard]",
        "Load for ",
        // PAN-OS, above the name.
        "hardware interface counters:",
        "Time source is ",
        // Above the queues of a port: those of the whole switch, and the slot of a Nexus.
        "AQM Global counters",
        "GlobalHardLimit: ",
        "GlobalSoftLimit: ",
        "High Watermark Soft Buffers: ",
        "slot ",
        "=======",
        "Delay: ",
        "Protocol:General",
        "Group: ",
        "------",
    ];
    // `s - Port is Synchronized with peer.`
    let is_legend = |line: &str| {
        let line = line.strip_prefix("State: ").unwrap_or(line);
        line.get(1..).is_some_and(|rest| rest.starts_with(" - "))
            && line.starts_with(|sign: char| sign.is_ascii_alphabetic())
    };
    is_router_clock(line)
        || is_monitor(line)
        || is_above(line)
        || is_legend(line.trim_ascii_start())
        || BEGINNINGS
            .iter()
            .any(|begin| line.trim_ascii_start().starts_with(begin))
}

/// `mx1      Seconds: 12      Time: 11:31:09`: the top of Junos' `monitor interface`, and `cr1  Monitor Time: 00:00:12  SysUptime: 11:31:09`
/// that of IOS XR.
pub(super) fn is_monitor(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_named = words.next().is_some_and(|name| !name.ends_with(':'));
    let is_clock = |word: Option<&str>| word.is_some_and(|clock| clock.contains(':'));
    let is_one = match words.next() {
        // Some versions set the time at the end of the screen.
        Some("Seconds:") => {
            let seconds = words.next();
            match words.next() {
                None => return is_named && seconds.is_some(),
                behind => behind == Some("Time:"),
            }
        }
        Some("Monitor") => {
            words.next() == Some("Time:") && is_clock(words.next()) && words.next() == Some("SysUptime:")
        }
        _ => false,
    };
    is_named && is_one && is_clock(words.next()) && words.next().is_none()
}

pub(super) fn is_ruler(line: &str) -> bool {
    let line = line.trim_ascii();
    line.len() > 20 && line.bytes().all(|byte| matches!(byte, b'-' | b'='))
}
