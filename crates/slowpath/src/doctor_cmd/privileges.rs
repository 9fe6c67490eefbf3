//! What slowpath may do on this host, what that is for, and the command that would allow the rest. Pure.

use super::settings::set;
use net::host::{Capabilities, Permission};
use serde::Serialize;

/// One thing that slowpath may or may not do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Privilege {
    pub(super) what: &'static str,
    pub(super) good_for: &'static str,
    /// The operating system's refusal; `None` when it is allowed.
    pub(super) refused: Option<String>,
    /// The command that would allow it.
    pub(super) command: Option<String>,
}

/// All of them. `program` is the path of this program; `sysctl` reads a setting of the kernel.
pub(super) fn list(
    may: &Capabilities,
    program: &str,
    sysctl: impl Fn(&str) -> Option<String>,
) -> Vec<Privilege> {
    // One command for both: setcap replaces what was granted before.
    let setcap = || Some(format!("sudo setcap cap_net_raw,cap_sys_nice+ep {program}"));
    let row = |what, good_for, permission: &Permission, command: &dyn Fn() -> Option<String>| Privilege {
        what,
        good_for,
        refused: refusal(permission),
        command: if permission.is_yes() { None } else { command() },
    };
    vec![
        row(
            "UDP error queue",
            "route, path MTU, loss and delay per hop",
            &may.error_queue,
            &|| None,
        ),
        row(
            "raw ICMP sockets",
            "ICMP and TCP probes, fast loss counts per hop",
            &may.raw_icmp,
            &setcap,
        ),
        row(
            "raw ICMPv6 sockets",
            "the same over IPv6",
            &may.raw_icmpv6,
            &setcap,
        ),
        row(
            "ping sockets",
            "ICMP echo where raw sockets are refused",
            &may.ping_socket,
            &|| Some(set("net.ipv4.ping_group_range", "0 2147483647")),
        ),
        congestion_controls(may),
        row(
            "real-time scheduling",
            "punctual links in the lab",
            &may.realtime,
            &setcap,
        ),
        row(
            "user namespaces",
            "the lab without root",
            &may.user_namespace,
            &|| user_namespaces(&sysctl),
        ),
        row("TUN device", "the lab's links", &may.tun, &|| {
            Some("sudo modprobe tun; sudo chmod 666 /dev/net/tun".to_owned())
        }),
    ]
}

fn refusal(permission: &Permission) -> Option<String> {
    match permission {
        Permission::Yes => None,
        // The number at the end tells a person nothing.
        Permission::No { error } => Some(error.split(" (os error").next().unwrap_or_default().to_owned()),
    }
}

fn congestion_controls(may: &Capabilities) -> Privilege {
    let refused = &may.refused_congestion_controls;
    let all = [&may.congestion_controls[..], refused].concat().join(" ");
    Privilege {
        what: "congestion controls",
        good_for: "comparing them on one path: all that are loaded",
        refused: (!refused.is_empty())
            .then(|| format!("loaded, but not for this user: {}", refused.join(", "))),
        command: (!refused.is_empty()).then(|| set("net.ipv4.tcp_allowed_congestion_control", &all)),
    }
}

/// The setting that most likely forbids user namespaces, by the places in which distributions do so.
fn user_namespaces(sysctl: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let is = |name: &str, value: &str| sysctl(name).as_deref() == Some(value);
    [
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user.max_user_namespaces", "0", "15000"),
    ]
    .into_iter()
    .find(|(name, forbids, _)| is(name, forbids))
    .map(|(name, _, allows)| set(name, allows))
}
