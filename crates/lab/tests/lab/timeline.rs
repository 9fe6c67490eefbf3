//! Changes, and settings of hosts.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use lab::LabError;
use nix::sys::socket::{getsockopt, sockopt};

use crate::probe::{address, answers, echo, inside, learned_mtu};
use crate::{parsed, two_hosts, two_routers, up};

pub(crate) fn a_step_changes_the_link() {
    let event =
        "[[timeline]]\nstep = 'fix'\nfrom = 'a'\nto = 'b'\nset = { accept_bytes = 9000, delay = '20 ms' }";
    let lab = up(&two_hosts(&format!(
        "mtu = 9000\na_to_b = {{ accept_bytes = 1000 }}\n{event}"
    )));
    let to = address(&lab, "b", false);
    assert_eq!(answers(&echo(&lab, "a", to, 1001, 2)), 0);
    lab.step("fix").unwrap();
    let echoes = echo(&lab, "a", to, 1001, 2);
    assert_eq!(answers(&echoes), 2);
    assert!(echoes.into_iter().flatten().min().unwrap() >= Duration::from_millis(20));
    assert_eq!(lab.scenario().links[0].directions[0].accept_bytes, Some(9000));
}

pub(crate) fn a_step_changes_mtu_and_behaviour() {
    let events = "[[timeline]]\nstep = 'fix'\nfrom = 'r1'\nto = 'r2'\nmtu = 1400\n\
                  [[timeline]]\nstep = 'fix'\nnode = 'r1'\nsettings = { no_frag_needed = false }\n\
                  [[timeline]]\nstep = 'silence'\nnode = 'r1'\nsettings = { mute = true }";
    let lab = up(&two_routers(
        "no_frag_needed = true",
        &format!("mtu = 1500\n{events}"),
    ));
    let (router, far) = (address(&lab, "r1", false), address(&lab, "b", false));
    assert_eq!(learned_mtu(&lab, "a", far, 9000), 9000);
    lab.step("fix").unwrap();
    assert_eq!(learned_mtu(&lab, "a", far, 9000), 1400);
    assert_eq!(answers(&echo(&lab, "a", router, 84, 2)), 2);
    lab.step("silence").unwrap();
    assert_eq!(answers(&echo(&lab, "a", router, 84, 2)), 0);
    assert_eq!(answers(&echo(&lab, "a", far, 84, 2)), 2);
}

pub(crate) fn unknown_steps_and_nodes_are_errors() {
    let lab = up(&two_hosts(""));
    assert!(matches!(lab.step("nope"), Err(LabError::UnknownStep { .. })));
    assert!(matches!(
        lab.command("nope", "true"),
        Err(LabError::UnknownNode { .. })
    ));
}

pub(crate) fn timed_changes_happen() {
    let event = "[[timeline]]\nat = 0.6\nfrom = 'a'\nto = 'b'\nset = { loss = { random = 1.0 } }";
    let lab = up(&two_hosts(event));
    let to = address(&lab, "b", false);
    assert_eq!(answers(&echo(&lab, "a", to, 84, 2)), 2);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(answers(&echo(&lab, "a", to, 84, 2)), 0);
}

pub(crate) fn changes_come_again() {
    let loss = |at: &str, loss: &str| {
        format!("[[timeline]]\nat = {at}\nevery = 1\nfrom = 'a'\nto = 'b'\nset = {{ loss = {loss} }}\n")
    };
    let lab = up(&two_hosts(
        &(loss("0.3", "{ random = 1.0 }") + &loss("0.8", "'none'")),
    ));
    let begun = std::time::Instant::now();
    let loses = || lab.scenario().links[0].directions[0].loss != scenario::Loss::None;
    let mut seen = vec![false];
    while begun.elapsed() < Duration::from_millis(2_100) {
        if seen.last() != Some(&loses()) {
            seen.push(loses());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(seen, [false, true, false, true, false]);
}

pub(crate) fn congestion_control_is_the_wanted_one() {
    let lab = up(&parsed(
        "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\ncongestion_control = 'reno'\n\
         [[link]]\na = { node = 'a' }\nb = { node = 'b' }\n",
    ));
    let to = address(&lab, "b", false);
    let listener = inside(&lab, "b", || TcpListener::bind((to, 5000)));
    let connected = inside(&lab, "a", || TcpStream::connect((to, 5000)));
    let (accepted, _) = listener.accept().unwrap();
    let used = |stream: &TcpStream| {
        getsockopt(stream, sockopt::TcpCongestion)
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    assert!(used(&connected).starts_with("cubic"), "{}", used(&connected));
    assert!(used(&accepted).starts_with("reno"), "{}", used(&accepted));
    drop(connected);
    assert_eq!((&accepted).read(&mut [0; 8]).unwrap(), 0);
}

pub(crate) fn buffers_are_set() {
    let event = "[[timeline]]\nstep = 'fix'\nnode = 'b'\nsettings = { tcp_rmem_max = 8388608 }";
    let lab = up(&parsed(&format!(
        "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\ntcp_rmem_max = 132000\ntcp_mtu_probing = 1\n\
         [[link]]\na = {{ node = 'a' }}\nb = {{ node = 'b' }}\n{event}\n"
    )));
    let read = |path: &str| {
        let path = format!("/proc/sys/net/ipv4/{path}");
        inside(&lab, "b", || std::fs::read_to_string(path))
            .split_whitespace()
            .last()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        (read("tcp_rmem"), read("tcp_mtu_probing")),
        ("132000".to_owned(), "1".to_owned())
    );
    lab.step("fix").unwrap();
    assert_eq!(read("tcp_rmem"), "8388608");
}
