//! Names and commands inside the lab.

use std::net::ToSocketAddrs;
use std::time::{Duration, Instant};

use crate::probe::{address, inside};
use crate::{parsed, two_hosts, up};

pub(crate) fn names_resolve_inside_and_nothing_else_does() {
    let scenario = parsed(
        "title = 't'\n[[host]]\nname = 'a.lab.example'\n[[host]]\nname = 'hidden'\ndns = false\n\
         [[link]]\na = { node = 'a.lab.example' }\nb = { node = 'hidden' }\n",
    );
    let lab = up(&scenario);
    let expected = address(&lab, "a.lab.example", false);
    let found = inside(&lab, "hidden", || {
        Ok(("a.lab.example", 0)
            .to_socket_addrs()?
            .map(|a| a.ip())
            .collect::<Vec<_>>())
    });
    assert!(found.contains(&expected), "{found:?}");
    for name in ["hidden", "www.example.com"] {
        let begun = Instant::now();
        let found = inside(&lab, "a.lab.example", || Ok((name, 0).to_socket_addrs().is_ok()));
        assert!(!found, "{name} must not resolve");
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "{name} took {:?}",
            begun.elapsed()
        );
    }
}

pub(crate) fn commands_run_in_their_host() {
    let lab = up(&two_hosts("mtu = 1400"));
    let output = lab.command("b", "/bin/sh").unwrap();
    let mut command = output;
    let script = "cat /proc/sys/kernel/hostname /sys/class/net/eth0/mtu; exit 7";
    let output = command.args(["-c", script]).output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "b\n1400\n");
}
