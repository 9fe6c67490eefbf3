//! What the reader of a broken scenario file is told: the line and the reason.

use insta::assert_snapshot;

/// Two hosts and a router; lines 1 to 18.
const GOOD: &str = "\
title = 'two hosts'

[[host]]
name = 'a'

[[host]]
name = 'b'

[[router]]
name = 'r'

[[link]]
a = { node = 'a', addresses = ['192.0.2.1'] }
b = { node = 'r', addresses = ['192.0.2.2'] }

[[link]]
a = { node = 'r', addresses = ['192.0.2.3'] }
b = { node = 'b', addresses = ['192.0.2.4'] }
";

fn mistake(text: &str) -> String {
    match scenario::parse(text) {
        Ok(_) => "no mistake found".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn with(more: &str) -> String {
    mistake(&format!("{GOOD}\n{more}"))
}

fn instead(of: &str, this: &str) -> String {
    assert!(GOOD.contains(of));
    mistake(&GOOD.replacen(of, this, 1))
}

#[test]
fn the_good_one_is_good() {
    assert_eq!(mistake(GOOD), "no mistake found");
}

#[test]
fn syntax() {
    assert_snapshot!(mistake("title = \n"), @"line 1, column 9: string values must be quoted, expected literal string");
    assert_snapshot!(mistake("title = 'x'\nnonsense = 1\n"), @"line 2, column 1: unknown field `nonsense`, expected one of `title`, `description`, `ipv4`, `ipv6`, `host`, `router`, `link`, `route`, `traffic`, `timeline`, `run`, `truth`");
    assert_snapshot!(mistake("[[host]]\nname = 'a'\n"), @"line 1, column 1: missing field `title`");
    assert_snapshot!(with("[[link]]\na = { node = 'a' }\nb = { node = 'b' }\nc = { node = 'r' }\n"), @"line 23, column 1: unknown field `c`, expected one of `a`, `b`, `mtu`, `offloads`, `both`, `a_to_b`, `b_to_a`");
}

#[test]
fn names_and_addresses() {
    assert_snapshot!(instead("node = 'r', addresses = ['192.0.2.2']", "node = 'R2'"), @"line 14, column 14: unknown node `R2`: no [[host]] or [[router]] has this name");
    assert_snapshot!(instead("name = 'b'", "name = 'a'"), @"line 7, column 8: the name `a` is given twice");
    assert_snapshot!(instead("name = 'b'", "name = 'b c'"), @"line 7, column 8: `b c` is not a DNS name: letters, digits, `-` and `.`, at most 253");
    assert_snapshot!(instead("192.0.2.4", "192.0.2.1"), @"line 18, column 32: the address 192.0.2.1 is given twice");
    assert_snapshot!(instead("192.0.2.4", "192.0.2.256"), @"line 18, column 32: invalid IP address syntax");
    assert_snapshot!(instead("192.0.2.4", "127.0.0.1"), @"line 18, column 32: 127.0.0.1 is not an address that a node can have");
    assert_snapshot!(instead("['192.0.2.4']", "['192.0.2.4', '192.0.2.5']"), @"line 18, column 45: a link end has at most one address of each family");
}

#[test]
fn links() {
    assert_snapshot!(with("[[link]]\na = { node = 'a' }\nb = { node = 'r' }\n"), @"line 22, column 14: a second link joins `a` and `r`");
    assert_snapshot!(with("[[link]]\na = { node = 'a' }\nb = { node = 'a' }\n"), @"line 22, column 14: both ends of the link are `a`");
    let link = |more: &str| {
        with(&format!(
            "[[link]]\na = {{ node = 'a' }}\nb = {{ node = 'b' }}\n{more}\n"
        ))
    };
    assert_snapshot!(link("mtu = 500"), @"line 23, column 7: an MTU of 500 is out of range: 576 to 65535");
    assert_snapshot!(link("both = { rate = '1 GB/s' }"), @r#"line 23, column 17: `1 GB/s` is not a rate: write it like "100 Mbit/s""#);
    assert_snapshot!(link("both = { delay = '5' }"), @r#"line 23, column 18: `5` is not a delay: write it like "2.5 ms""#);
    assert_snapshot!(link("both = { delay = '2 min' }"), @r#"line 23, column 18: `2 min` is not a delay: write it like "2.5 ms""#);
    assert_snapshot!(link("both = { loss = { random = 1.5 } }"), @"line 23, column 8: loss = 1.5 is not a ratio: 0 to 1");
    assert_snapshot!(link("both = { loss = { every = 0 } }"), @"line 23, column 8: loss every 0th packet makes no sense: n starts at 1");
    assert_snapshot!(link("both = { loss = { sometimes = 1 } }"), @"line 23, column 19: unknown variant `sometimes`, expected one of `none`, `random`, `every`, `gilbert_elliott`");
    assert_snapshot!(link("both = { duplicate = -0.1 }"), @"line 23, column 8: duplicate = -0.1 is not a ratio: 0 to 1");
    assert_snapshot!(link("both = { queue_bytes = 10000 }"), @"line 20, column 1: queue_bytes without a rate has no effect: give the link a rate");
    assert_snapshot!(link("both = { colour = 'red' }"), @"line 23, column 10: unknown field `colour`, expected one of `rate`, `delay`, `queue_bytes`, `accept_bytes`, `loss`, `reorder`, `duplicate`, `corrupt`, `policer`");
    assert_snapshot!(link("both = { rate = '1 Mbit/s', queue_bytes = 100 }"), @"line 23, column 8: queue_bytes must be at least 576, or no packet fits");
    assert_snapshot!(link("both = { policer = { rate = '1 Mbit/s', burst_bytes = 1 } }"), @"line 23, column 8: a policer's burst_bytes must be at least 576");
}

#[test]
fn nodes_and_routes() {
    assert_snapshot!(instead("name = 'b'", "name = 'b'\ncongestion_control = 'vegas'"), @r#"line 7, column 8: congestion_control `vegas` is not one of ["cubic", "reno", "bbr"]"#);
    assert_snapshot!(instead("name = 'b'", "name = 'b'\ntcp_mtu_probing = 3"), @"line 7, column 8: tcp_mtu_probing is 0, 1 or 2");
    assert_snapshot!(instead("name = 'b'", "name = 'b'\ntcp_rmem_max = 10"), @"line 7, column 8: tcp_rmem_max is out of range: 4096 to 1073741824 bytes");
    assert_snapshot!(with("[[route]]\nnode = 'a'\nto = 'b'\nvia = 'b'\n"), @"line 23, column 7: no link joins `a` and `b`");
    assert_snapshot!(with("[[route]]\nnode = 'a'\nto = '10.0.0.0/33'\nvia = 'r'\n"), @"line 22, column 6: `10.0.0.0/33` is neither a node nor a prefix");
}

#[test]
fn timelines() {
    assert_snapshot!(with("[[timeline]]\nfrom = 'a'\nto = 'r'\nmtu = 1400\n"), @"line 20, column 1: a [[timeline]] entry needs either `at` or `step`");
    assert_snapshot!(with("[[timeline]]\nstep = 'fix'\n"), @"line 20, column 1: a [[timeline]] entry changes something: `node` with `settings`, or `from`, `to` with `set` or `mtu`");
    assert_snapshot!(with("[[timeline]]\nstep = 'fix'\nmtu = 1400\n"), @"line 20, column 1: `set` and `mtu` need the link: both `from` and `to`");
    assert_snapshot!(with("[[timeline]]\nat = -1\nnode = 'r'\nsettings = { mute = true }\n"), @"line 20, column 1: at = -1 is out of range: 0 to 86400 seconds");
    assert_snapshot!(with("[[timeline]]\nstep = 'fix'\nnode = 'r'\nsettings = { loud = true }\n"), @"line 23, column 14: unknown field `loud`, expected one of `no_time_exceeded`, `mute`, `icmp_rate_limit_per_s`, `ignores_echo_over_bytes`, `no_frag_needed`, `firewalled`, `tcp_rmem_max`, `tcp_wmem_max`, `congestion_control`, `tcp_mtu_probing`, `cpu_percent`, `cpu_period`");
    assert_snapshot!(with("[[timeline]]\nstep = 'fix'\nfrom = 'a'\nto = 'b'\nmtu = 1400\n"), @"line 23, column 6: no link joins `a` and `b`");
}

#[test]
fn equal_routes() {
    let route = |via: &str| with(&format!("[[route]]\nnode = 'a'\nto = 'b'\nvia = {via}\n"));
    assert_snapshot!(route("[]"), @"line 23, column 7: `via` names at least one neighbour");
    assert_snapshot!(route("['r', 'r']"), @"line 23, column 7: `r` is named twice");
    assert_snapshot!(route("['r', 'b']"), @"line 23, column 7: no link joins `a` and `b`");
    assert_snapshot!(route("7"), @"line 23, column 7: expected a neighbour's name or a list of them");
}

#[test]
fn traffic() {
    let traffic = |more: &str| with(&format!("[[traffic]]\nfrom = 'a'\nto = 'b'\n{more}\n"));
    assert_snapshot!(traffic("kind = 'udp'"), @"line 20, column 1: UDP traffic needs a `rate`: it knows no other limit");
    assert_snapshot!(traffic("kind = 'sctp'"), @"line 23, column 8: unknown variant `sctp`, expected `udp` or `tcp`");
    assert_snapshot!(traffic("kind = 'tcp'\npacket_bytes = 1200"), @"line 24, column 16: TCP makes its own packets: `packet_bytes` is for UDP");
    assert_snapshot!(traffic("kind = 'udp'\nrate = '1 Mbit/s'\npacket_bytes = 20"), @"line 25, column 16: packet_bytes is out of range: 64 to 9000");
    assert_snapshot!(traffic("kind = 'tcp'\nstreams = 0"), @"line 24, column 11: streams is out of range: 1 to 64");
    assert_snapshot!(traffic("kind = 'tcp'\nstart = 5\nend = 5"), @"line 20, column 1: traffic ends after its start");
    assert_snapshot!(traffic("kind = 'tcp'\nstart = -1"), @"line 20, column 1: start = -1 is out of range: 0 to 86400 seconds");
    assert_snapshot!(with("[[traffic]]\nfrom = 'a'\nto = 'r'\nkind = 'tcp'\n"), @"line 22, column 6: `r` is a router: traffic goes between hosts");
    assert_snapshot!(with("[[host]]\nname = 'island'\n[[traffic]]\nfrom = 'a'\nto = 'island'\nkind = 'tcp'\n"), @"line 24, column 6: `island` cannot be reached from `a` and back: `island` has no address of the family");
}

#[test]
fn processors_and_periods() {
    assert_snapshot!(instead("name = 'b'", "name = 'b'\ncpu_percent = 101"), @"line 7, column 8: cpu_percent is a share: 0 to 100");
    assert_snapshot!(instead("name = 'b'", "name = 'b'\ncpu_period = '1 ms'"), @"line 7, column 8: cpu_period is out of range: at least 10 ms");
    let event = |when: &str| {
        with(&format!(
            "[[timeline]]\n{when}\nnode = 'r'\nsettings = {{ mute = true }}\n"
        ))
    };
    assert_snapshot!(event("at = 1\nevery = 0.01"), @"line 20, column 1: every = 0.01 is out of range: at least 0.1 seconds");
    assert_snapshot!(event("every = 5"), @"line 20, column 1: `every` needs the first time, `at`");
    assert_snapshot!(event("step = 'fix'\nevery = 5"), @"line 20, column 1: `every` needs the first time, `at`");
    assert_snapshot!(event("at = 1\nstep = 'fix'"), @"line 20, column 1: a [[timeline]] entry needs either `at` or `step`");
}

#[test]
fn runs_and_truths() {
    let truth = |more: &str| with(&format!("[truth]\ncode = 'LOSS-001'\n{more}\n"));
    assert_snapshot!(truth("family = 'weather'"), @"line 22, column 10: unknown variant `weather`, expected one of `loss`, `capacity`, `mtu`, `host`, `application`, `route`");
    assert_snapshot!(truth("also_accept = ['loss']"), @"line 22, column 16: `loss` is not a fault code like MTU-001");
    assert_snapshot!(truth("[[truth.further]]\ncode = 'mtu'"), @"line 23, column 8: `mtu` is not a fault code like MTU-001");
    assert_snapshot!(truth("[[truth.further]]\ncode = 'HOST-001'\nhost = 'c'"), @"line 24, column 8: unknown node `c`: no [[host]] or [[router]] has this name");
    assert_snapshot!(with("[run]\nfrom = 'a'\nto = 'r'\n"), @"line 22, column 6: `r` is a router: a run goes between hosts");
    assert_snapshot!(with("[run]\nfrom = 'a'\nto = 'a'\n"), @"line 22, column 6: a run needs two different hosts");
    assert_snapshot!(with("[[host]]\nname = 'island'\n[run]\nfrom = 'a'\nto = 'island'\n"), @"line 24, column 6: `island` cannot be reached from `a` and back: `island` has no address of the family");
    let circle = "[[router]]\nname = 's'\n[[link]]\na = { node = 'r' }\nb = { node = 's' }\n\
                  [[route]]\nnode = 'r'\nto = 'b'\nvia = 's'\n[run]\nfrom = 'a'\nto = 'b'\n";
    assert_snapshot!(with(circle), @"line 31, column 6: `b` cannot be reached from `a` and back: the routes to `b` go in a circle at `r`");
    assert_snapshot!(with("[truth]\ncode = 'mtu'\n"), @"line 21, column 8: `mtu` is not a fault code like MTU-001");
    assert_snapshot!(with("[truth]\ncode = 'MTU-001'\nhost = 'a'\nlink = { from = 'a', to = 'r' }\n"), @"line 22, column 8: a truth has a `link` or a `host`, not both");
    assert_snapshot!(with("[truth]\ncode = 'MTU-001'\n[truth.after.fix]\ncode = 'OK-001'\n"), @"line 22, column 14: no [[timeline]] entry has the step `fix`");
}
