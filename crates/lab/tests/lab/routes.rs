//! Packets go the way the file says.

use crate::probe::{address, answers, echo, expire};
use crate::{parsed, two_routers, up};

pub(crate) fn every_hop_has_the_address_facing_the_sender() {
    let lab = up(&two_routers("", ""));
    let expected = {
        let scenario = lab.scenario();
        [
            scenario.links[0].ends[1].addresses[0],
            scenario.links[1].ends[1].addresses[0],
        ]
    };
    let far = address(&lab, "b", false);
    for (ttl, hop) in (1..).zip(expected) {
        assert_eq!(expire(&lab, "a", far, ttl, 1), [hop], "hop {ttl}");
    }
}

pub(crate) fn both_ways_can_differ() {
    let link = |x: &str, y: &str, extra: &str| {
        format!("[[link]]\na = {{ node = '{x}' }}\nb = {{ node = '{y}' }}\n{extra}\n")
    };
    let text = format!(
        "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
         [[router]]\nname = 'r1'\n[[router]]\nname = 'up'\n[[router]]\nname = 'down'\n[[router]]\nname = 'r2'\n\
         {}{}{}{}{}{}[[route]]\nnode = 'r2'\nto = 'a'\nvia = 'down'\n",
        link("a", "r1", ""),
        link("r1", "up", "both = { delay = '1 ms' }"),
        link("up", "r2", ""),
        link("r1", "down", "both = { delay = '20 ms' }"),
        link("down", "r2", ""),
        link("r2", "b", ""),
    );
    let scenario = parsed(&text);
    let lab = up(&scenario);
    let echoes = echo(&lab, "a", address(&lab, "b", false), 84, 5);
    assert_eq!(answers(&echoes), 5);
    // 1 ms there and 20 ms back, not 2 and not 40.
    let fastest_ms = echoes.into_iter().flatten().min().unwrap().as_secs_f64() * 1e3;
    assert!((21.0..26.0).contains(&fastest_ms), "{fastest_ms}");
    let packets = |from: &str, to: &str| {
        lab.counters()
            .into_iter()
            .find(|d| d.from == from && d.to == to)
            .unwrap()
            .counters
            .packets_in
    };
    assert_eq!((packets("r1", "up"), packets("down", "r1")), (5, 5));
    assert_eq!((packets("up", "r1"), packets("r1", "down")), (0, 0));
}

pub(crate) fn ipv6_goes_end_to_end() {
    let lab = up(&two_routers("", "mtu = 9000\nboth = { delay = '2 ms' }"));
    let (router, far) = (address(&lab, "r1", true), address(&lab, "b", true));
    assert_eq!(answers(&echo(&lab, "a", far, 1000, 3)), 3);
    assert_eq!(expire(&lab, "a", far, 1, 2), [router, router]);
}
