//! Routers behave as the file says.

use crate::probe::{address, answers, echo, expire, learned_mtu, sysctl, udp};
use crate::{two_routers, up};
use std::time::{Duration, Instant};

pub(crate) fn a_talkative_router_answers_everything() {
    let lab = up(&two_routers("", "mtu = 9000"));
    let (router, far) = (address(&lab, "r1", false), address(&lab, "b", false));
    assert_eq!(answers(&echo(&lab, "a", router, 1501, 5)), 5);
    assert_eq!(
        expire(&lab, "a", far, 1, 50),
        vec![router; 50],
        "no rate limit of the kernel's own"
    );
}

pub(crate) fn a_mute_router_forwards_in_silence() {
    let lab = up(&two_routers("mute = true", "mtu = 9000"));
    let (router, far) = (address(&lab, "r1", false), address(&lab, "b", false));
    assert_eq!(answers(&echo(&lab, "a", router, 84, 2)), 0);
    assert!(expire(&lab, "a", far, 1, 3).is_empty());
    assert_eq!(answers(&echo(&lab, "a", far, 84, 3)), 3);
    assert_eq!(expire(&lab, "a", far, 2, 3).len(), 3);
    assert_eq!(
        answers(&echo(&lab, "a", address(&lab, "b", true), 84, 3)),
        3,
        "IPv6 is forwarded too"
    );
}

pub(crate) fn no_time_exceeded_leaves_echo() {
    let lab = up(&two_routers("no_time_exceeded = true", "mtu = 9000"));
    let (router, far) = (address(&lab, "r1", false), address(&lab, "b", false));
    assert_eq!(answers(&echo(&lab, "a", router, 84, 2)), 2);
    assert!(expire(&lab, "a", far, 1, 3).is_empty());
}

pub(crate) fn a_rate_limited_router_answers_now_and_then() {
    let lab = up(&two_routers("icmp_rate_limit_per_s = 1", "mtu = 9000"));
    let far = address(&lab, "b", false);
    let begun = Instant::now();
    let said = expire(&lab, "a", far, 1, 20).len();
    // Linux lets six errors to one peer pass at once (XRLIM_BURST_FACTOR), and one more with each second that a busy
    // machine takes over this.
    let most = 6 + begun.elapsed().as_secs() as usize;
    assert!((1..=most).contains(&said), "{said} of 20, at most {most}");
    assert_eq!(expire(&lab, "a", far, 2, 20).len(), 20);
}

pub(crate) fn large_echo_is_ignored_on_input_only() {
    let lab = up(&two_routers("ignores_echo_over_bytes = 1500", "mtu = 9000"));
    for v6 in [false, true] {
        let (router, far) = (address(&lab, "r1", v6), address(&lab, "b", v6));
        assert_eq!(answers(&echo(&lab, "a", router, 1500, 2)), 2, "v6: {v6}");
        assert_eq!(answers(&echo(&lab, "a", router, 1501, 2)), 0, "v6: {v6}");
        assert_eq!(answers(&echo(&lab, "a", far, 1501, 2)), 2, "v6: {v6}");
    }
}

pub(crate) fn path_mtu_is_told() {
    let lab = up(&two_routers("", "mtu = 1500"));
    assert_eq!(learned_mtu(&lab, "a", address(&lab, "b", false), 9000), 1500);
}

pub(crate) fn path_mtu_can_be_kept_secret() {
    let lab = up(&two_routers("no_frag_needed = true", "mtu = 1500"));
    let far = address(&lab, "b", false);
    assert_eq!(learned_mtu(&lab, "a", far, 9000), 9000);
    assert_eq!(answers(&echo(&lab, "a", far, 1501, 2)), 0);
    assert_eq!(answers(&echo(&lab, "a", far, 1500, 2)), 2);
    assert_eq!(
        expire(&lab, "a", far, 1, 3).len(),
        3,
        "only that message is missing"
    );
}

pub(crate) fn what_is_secret_is_still_fragmented() {
    let lab = up(&two_routers("no_frag_needed = true", "mtu = 1500"));
    sysctl(&lab, "a", "ipv4/ip_no_pmtu_disc", "1");
    assert_eq!(udp(&lab, ("a", "b"), 9000, 5, Duration::from_millis(1)), 5);
}

pub(crate) fn ipv6_has_the_same_behaviours() {
    let lab = up(&two_routers(
        "no_time_exceeded = true\nno_frag_needed = true",
        "mtu = 1500",
    ));
    let far = address(&lab, "b", true);
    assert!(expire(&lab, "a", far, 1, 3).is_empty());
    assert_eq!(expire(&lab, "a", far, 2, 3).len(), 3);
    assert_eq!(answers(&echo(&lab, "a", far, 9000, 2)), 0);
    assert_eq!(answers(&echo(&lab, "a", far, 1500, 2)), 2);
    let lab_that_tells = {
        drop(lab);
        up(&two_routers("", "mtu = 1500"))
    };
    // The first is lost; once the sender was told, they go in fragments.
    let echoes = echo(&lab_that_tells, "a", far, 9000, 4);
    assert!(echoes[0].is_none() && echoes[3].is_some(), "{echoes:?}");
}
