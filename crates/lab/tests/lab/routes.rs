//! Packets go the way the file says.

use std::net::UdpSocket;
use std::time::Duration;

use crate::probe::{address, answers, echo, expire, inside};
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

pub(crate) fn equal_routes_share_flows() {
    let link = |x: &str, y: &str, extra: &str| {
        format!("[[link]]\na = {{ node = '{x}' }}\nb = {{ node = '{y}' }}\n{extra}\n")
    };
    let delayed = "both = { delay = '1 ms' }";
    let text = format!(
        "title = 't'\nipv6 = true\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
         [[router]]\nname = 'r1'\n[[router]]\nname = 'up'\n[[router]]\nname = 'down'\n[[router]]\nname = 'r2'\n\
         {}{}{}{}{}{}[[route]]\nnode = 'r1'\nto = 'b'\nvia = ['up', 'down']\n",
        link("a", "r1", ""),
        link("r1", "up", delayed),
        link("up", "r2", ""),
        link("r1", "down", delayed),
        link("down", "r2", ""),
        link("r2", "b", ""),
    );
    const FLOWS: u64 = 40;
    const PACKETS: u64 = 3;
    for v6 in [false, true] {
        let lab = up(&parsed(&text));
        let (from, to) = (address(&lab, "a", v6), address(&lab, "b", v6));
        assert_eq!(answers(&echo(&lab, "a", to, 84, 1)), 1);
        let counts = || {
            ["up", "down"].map(|member| {
                let counters = lab.counters();
                let found = counters.iter().find(|d| d.from == "r1" && d.to == member);
                found.unwrap().counters.packets_in
            })
        };
        let before = counts();
        inside(&lab, "a", || {
            for _ in 0..FLOWS {
                let socket = UdpSocket::bind((from, 0))?;
                for _ in 0..PACKETS {
                    // Nobody listens at b; that it says so is no failure of the route.
                    let _ = socket.send_to(&[0; 64], (to, 9));
                }
            }
            Ok(())
        });
        std::thread::sleep(Duration::from_millis(100));
        let after = counts();
        let sent = [after[0] - before[0], after[1] - before[1]];
        // The kernels say a few words of their own meanwhile: neighbours, routers, multicast groups.
        let chatter = (sent[0] + sent[1]).checked_sub(FLOWS * PACKETS);
        assert!(chatter.is_some_and(|packets| packets < 2 * PACKETS), "{sent:?}");
        // 40 fair coins that fall nearly all on one side are not chance.
        assert!(sent.iter().all(|n| *n > 5 * PACKETS), "{sent:?}");
    }
}
