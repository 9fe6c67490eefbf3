//! What a good scenario file means.

use proptest::prelude::*;
use scenario::{
    Change, Family, FaultFamily, GilbertElliott, Loss, NodeId, Prefix, Role, Scenario, Side, TrafficKind,
    TruthLocation, When,
};

fn parsed(text: &str) -> Scenario {
    scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// `a` - `r0` - … - `b`, with further lines behind the links.
fn chain(routers: usize, more: &str) -> String {
    let names: Vec<String> = std::iter::once("a".to_owned())
        .chain((0..routers).map(|i| format!("r{i}")))
        .chain(["b".to_owned()])
        .collect();
    let mut text = "title = 't'\nipv6 = true\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n".to_owned();
    for i in 0..routers {
        text += &format!("[[router]]\nname = 'r{i}'\n");
    }
    for pair in names.windows(2) {
        text += &format!(
            "[[link]]\na = {{ node = '{}' }}\nb = {{ node = '{}' }}\n",
            pair[0], pair[1]
        );
    }
    text + more
}

#[test]
fn directions_take_their_own_over_both() {
    let scenario = parsed(&chain(
        0,
        "both = { rate = '8 Mbit/s', delay = '10 ms', loss = { random = 0.1 } }\n\
         a_to_b = { delay = '20 ms', loss = 'none', accept_bytes = 1508 }\n",
    ));
    let link = &scenario.links[0];
    let (there, back) = (link.from_side(Side::A), link.from_side(Side::B));
    assert_eq!((there.delay_ns, back.delay_ns), (20_000_000, 10_000_000));
    assert_eq!((there.loss, back.loss), (Loss::None, Loss::Random(0.1)));
    assert_eq!((there.accept_bytes, back.accept_bytes), (Some(1508), None));
    assert_eq!(
        (there.rate_bps, back.rate_bps),
        (Some(8_000_000), Some(8_000_000))
    );
    // 50 ms of 8 Mbit/s are 50,000 bytes: less than the least.
    assert_eq!(there.effective_queue_bytes(), Some(65_536));
    assert!(link.emulated);
}

#[test]
fn a_link_that_the_timeline_touches_is_emulated_from_the_start() {
    let event = "[[timeline]]\nat = 1.5\nfrom = 'r0'\nto = 'a'\nset = { delay = '1 ms' }\nmtu = 1400\n";
    let scenario = parsed(&chain(1, event));
    assert_eq!(
        scenario.links.iter().map(|l| l.emulated).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(scenario.timeline.len(), 2);
    assert_eq!(scenario.timeline[0].when, When::At(1_500_000_000));
    assert!(matches!(
        scenario.timeline[0].change,
        Change::Direction { side: Side::B, .. }
    ));
    assert!(matches!(
        scenario.timeline[1].change,
        Change::Mtu {
            side: Side::B,
            mtu_bytes: 1400,
            ..
        }
    ));
}

#[test]
fn mtu_comes_from_the_end_or_the_link_or_the_node() {
    let text = "title = 't'\n[[host]]\nname = 'a'\nmtu = 9000\n[[host]]\nname = 'b'\nmtu = 4000\n\
                [[router]]\nname = 'r'\n\
                [[link]]\na = { node = 'a' }\nb = { node = 'r', mtu = 9192 }\n\
                [[link]]\na = { node = 'r' }\nb = { node = 'b' }\nmtu = 2000\n";
    let mtus: Vec<u32> = parsed(text)
        .links
        .iter()
        .flat_map(|l| &l.ends)
        .map(|e| e.mtu_bytes)
        .collect();
    assert_eq!(mtus, [9000, 9192, 2000, 2000]);
}

#[test]
fn truth_and_its_sequel() {
    let scenario = parsed(&chain(
        1,
        "[[timeline]]\nstep = 'fix'\nfrom = 'a'\nto = 'r0'\nmtu = 1400\n\
         [run]\nfrom = 'a'\nto = 'b'\nexpect = '2 Gbit/s'\n\
         [truth]\ncode = 'MTU-002'\nlink = { from = 'r0', to = 'b' }\ndirection = 'forward'\n\
         red_herring = [{ node = 'r0', kind = 'mute' }]\n\
         [truth.after.fix]\ncode = 'OK-001'\n",
    ));
    let truth = scenario.truth.as_ref().unwrap();
    let [r0, b] = ["r0", "b"].map(|n| scenario.node_id(n).unwrap());
    assert_eq!(
        truth.fault.location,
        Some(TruthLocation::Link { from: r0, to: b })
    );
    assert_eq!(truth.after["fix"].fault.code, "OK-001");
    assert_eq!(truth.red_herrings[0].node, r0);
    assert_eq!(scenario.run.as_ref().unwrap().expect_bps, Some(2_000_000_000));
    assert_eq!(scenario.steps(), ["fix"]);
}

#[test]
fn static_routes_override_the_shortest_path() {
    let diamond = "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
        [[router]]\nname = 'r'\n[[router]]\nname = 'up'\n[[router]]\nname = 'down'\n[[router]]\nname = 's'\n\
        [[link]]\na = { node = 'a' }\nb = { node = 'r' }\n[[link]]\na = { node = 'r' }\nb = { node = 'up' }\n\
        [[link]]\na = { node = 'r' }\nb = { node = 'down' }\n[[link]]\na = { node = 'up' }\nb = { node = 's' }\n\
        [[link]]\na = { node = 'down' }\nb = { node = 's' }\n[[link]]\na = { node = 's' }\nb = { node = 'b' }\n";
    let names = |scenario: &Scenario, from: &str, to: &str| -> Vec<String> {
        let [from, to] = [from, to].map(|n| scenario.node_id(n).unwrap());
        let path = scenario.path(from, to, Family::V4).unwrap();
        path.into_iter()
            .map(|id| scenario.node(id).name.clone())
            .collect()
    };
    let plain = parsed(diamond);
    assert_eq!(names(&plain, "a", "b"), ["a", "r", "up", "s", "b"]);
    assert_eq!(names(&plain, "b", "a"), ["b", "s", "up", "r", "a"]);
    let asymmetric = parsed(&format!(
        "{diamond}[[route]]\nnode = 's'\nto = 'a'\nvia = 'down'\n"
    ));
    assert_eq!(names(&asymmetric, "a", "b"), ["a", "r", "up", "s", "b"]);
    assert_eq!(names(&asymmetric, "b", "a"), ["b", "s", "down", "r", "a"]);
}

#[test]
fn flows_spread_over_equal_routes() {
    let diamond = "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
        [[router]]\nname = 'r'\n[[router]]\nname = 'up'\n[[router]]\nname = 'down'\n[[router]]\nname = 's'\n\
        [[link]]\na = { node = 'a' }\nb = { node = 'r' }\n[[link]]\na = { node = 'r' }\nb = { node = 'up' }\n\
        [[link]]\na = { node = 'r' }\nb = { node = 'down' }\n[[link]]\na = { node = 'up' }\nb = { node = 's' }\n\
        [[link]]\na = { node = 'down' }\nb = { node = 's' }\n[[link]]\na = { node = 's' }\nb = { node = 'b' }\n\
        [[route]]\nnode = 'r'\nto = 'b'\nvia = ['down', 'up']\n\
        [[route]]\nnode = 'r'\nto = 'up'\nvia = ['down', 'up']\n";
    let scenario = parsed(diamond);
    let [a, b, r, up] = ["a", "b", "r", "up"].map(|n| scenario.node_id(n).unwrap());
    let names = |path: &Vec<NodeId>| -> String {
        let names: Vec<&str> = path.iter().map(|id| scenario.node(*id).name.as_str()).collect();
        names.join(" ")
    };
    let paths: Vec<String> = scenario
        .paths(a, b, Family::V4)
        .unwrap()
        .iter()
        .map(names)
        .collect();
    assert_eq!(paths, ["a r down s b", "a r up s b"]);
    assert_eq!(names(&scenario.path(a, b, Family::V4).unwrap()), paths[0]);
    assert_eq!(scenario.paths(b, a, Family::V4).unwrap().len(), 1);
    // The neighbour's own address on their link needs no gateway and has no second way.
    let table = &scenario.routing_tables()[r.0];
    let of_up = scenario.addresses_of(up);
    let vias: Vec<usize> = of_up
        .iter()
        .map(|address| {
            table
                .iter()
                .find(|e| e.to == Prefix::host(*address))
                .unwrap()
                .via
                .len()
        })
        .collect();
    assert_eq!(vias, [1, 2]);
}

#[test]
fn traffic_has_its_defaults() {
    let scenario = parsed(&chain(
        1,
        "[[traffic]]\nfrom = 'a'\nto = 'b'\nkind = 'udp'\nrate = '4 Mbit/s'\n\
         [[traffic]]\nfrom = 'b'\nto = 'a'\nkind = 'tcp'\nstreams = 3\nstart = 1.5\nend = 10\n",
    ));
    let [udp, tcp] = scenario.traffic.as_slice() else {
        panic!("{:?}", scenario.traffic)
    };
    let [a, b] = ["a", "b"].map(|n| scenario.node_id(n).unwrap());
    assert_eq!((udp.from, udp.to, udp.kind), (a, b, TrafficKind::Udp));
    assert_eq!(
        (udp.rate_bps, udp.packet_bytes, udp.streams),
        (Some(4_000_000), 1200, 1)
    );
    assert_eq!((udp.start_ns, udp.end_ns), (0, None));
    assert_eq!(
        (tcp.from, tcp.kind, tcp.rate_bps, tcp.streams),
        (b, TrafficKind::Tcp, None, 3)
    );
    assert_eq!((tcp.start_ns, tcp.end_ns), (1_500_000_000, Some(10_000_000_000)));
}

#[test]
fn changes_can_come_again() {
    let scenario = parsed(&chain(
        0,
        "[[timeline]]\nat = 2\nevery = 12.5\nnode = 'b'\nsettings = { cpu_percent = 0, cpu_period = '1 s' }\n",
    ));
    let every = When::Every {
        first_ns: 2_000_000_000,
        period_ns: 12_500_000_000,
    };
    assert_eq!(scenario.timeline[0].when, every);
    let Change::Settings { node, set } = &scenario.timeline[0].change else {
        panic!("{:?}", scenario.timeline)
    };
    let mut settings = scenario.node(*node).settings.clone();
    assert_eq!((settings.cpu_percent, settings.cpu_period_ns), (100, 100_000_000));
    settings.apply(set);
    assert_eq!((settings.cpu_percent, settings.cpu_period_ns), (0, 1_000_000_000));
}

#[test]
fn a_truth_can_be_wide_and_have_company() {
    let scenario = parsed(&chain(
        1,
        "[run]\nfrom = 'a'\nto = 'b'\nfar_end = false\n\
         [truth]\ncode = 'LOSS-001'\nfamily = 'loss'\nlink = { from = 'a', to = 'r0' }\n\
         [[truth.further]]\ncode = 'HOST-001'\nhost = 'b'\n",
    ));
    assert!(!scenario.run.as_ref().unwrap().far_end);
    let truth = scenario.truth.as_ref().unwrap();
    assert_eq!(truth.fault.family, Some(FaultFamily::Loss));
    let b = scenario.node_id("b").unwrap();
    assert_eq!(truth.further[0].code, "HOST-001");
    assert_eq!(truth.further[0].location, Some(TruthLocation::Host(b)));
    assert_eq!(FaultFamily::of_code("ROUTE-002"), Some(FaultFamily::Route));
    assert_eq!(FaultFamily::of_code("CAP"), Some(FaultFamily::Capacity));
    assert_eq!(FaultFamily::of_code("OK-001"), None);
}

#[test]
fn the_example_of_the_manual_is_sound() {
    let manual = include_str!("../../../docs/scenarios.md");
    let example = manual
        .split("```toml")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    assert_eq!(parsed(example).steps(), ["fix"]);
}

#[test]
fn gilbert_elliott_mean() {
    let model = GilbertElliott {
        enter_bad: 0.01,
        leave_bad: 0.09,
        loss_good: 0.0,
        loss_bad: 0.5,
    };
    assert!((model.mean_loss_ratio() - 0.05).abs() < 1e-12);
    let frozen = GilbertElliott {
        enter_bad: 0.0,
        leave_bad: 0.0,
        loss_good: 0.25,
        loss_bad: 1.0,
    };
    assert_eq!(frozen.mean_loss_ratio(), 0.25);
}

#[test]
fn prefixes_contain() {
    let prefix = |text| Prefix::parse(text).unwrap();
    assert!(prefix("0.0.0.0/0").contains("203.0.113.9".parse().unwrap()));
    assert!(!prefix("0.0.0.0/0").contains("2001:db8::1".parse().unwrap()));
    assert!(prefix("192.0.2.128/25").contains("192.0.2.200".parse().unwrap()));
    assert!(!prefix("192.0.2.128/25").contains("192.0.2.100".parse().unwrap()));
    assert!(prefix("2001:db8::/32").contains("2001:db8:ffff::1".parse().unwrap()));
    assert!(prefix("192.0.2.1").contains("192.0.2.1".parse().unwrap()));
    assert_eq!(Prefix::parse("192.0.2.0/33"), None);
}

proptest! {
    /// In a chain everybody reaches everybody in both families, over all nodes between.
    #[test]
    fn chains_are_connected(routers in 0usize..14) {
        let scenario = parsed(&chain(routers, ""));
        let addresses: Vec<_> =
            (0..scenario.nodes.len()).flat_map(|i| scenario.addresses_of(NodeId(i))).collect();
        let distinct: std::collections::BTreeSet<_> = addresses.iter().collect();
        prop_assert_eq!(addresses.len(), distinct.len());
        let [a, b] = ["a", "b"].map(|n| scenario.node_id(n).unwrap());
        for family in Family::BOTH {
            prop_assert_eq!(scenario.path(a, b, family).unwrap().len(), routers + 2);
            let mut back = scenario.path(b, a, family).unwrap();
            back.reverse();
            prop_assert_eq!(back, scenario.path(a, b, family).unwrap());
        }
        prop_assert!(scenario.nodes.iter().filter(|n| n.role == Role::Host).count() == 2);
    }

    /// Whatever is in the file, reading it ends, and a mistake has a line that the file has.
    #[test]
    fn any_text_is_read_or_refused(text in "(\\[\\[?[a-z]{1,8}\\]?\\]|[a-z_]{1,8} = [a-z0-9'\\[\\]{} =,.-]{0,20}|\n){0,30}") {
        if let Err(error) = scenario::parse(&text) {
            prop_assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1);
            prop_assert!(!error.reason.is_empty());
        }
    }

    /// One wrong byte in a good file: never a panic, and the line is one of the file.
    #[test]
    fn a_typing_mistake_is_survived(at in 0usize..2000, byte in 32u8..127) {
        let good = include_str!("../../../scenarios/healthy-red-herrings.toml");
        let mut bytes = good.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes)
            && let Err(error) = scenario::parse(&text)
        {
            prop_assert!(error.line <= text.lines().count() + 1, "{error}");
        }
    }
}
