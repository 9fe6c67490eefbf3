use super::*;
use proptest::prelude::*;

const SNMP: &str = "\
Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 7551
Tcp: RtoAlgorithm MaxConn RetransSegs InErrs
Tcp: 1 -1 38 2
UdpLite: InDatagrams
UdpLite: 0
";

fn map<const N: usize>(entries: [(&str, u64); N]) -> BTreeMap<String, u64> {
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

#[test]
fn paired_counters_take_their_names_from_the_line_above() {
    let expected = map([
        ("Ip.Forwarding", 1),
        ("Ip.DefaultTTL", 64),
        ("Ip.InReceives", 7551),
        ("Tcp.RtoAlgorithm", 1),
        ("Tcp.RetransSegs", 38),
        ("Tcp.InErrs", 2),
    ]);
    assert_eq!(
        paired_counters(SNMP),
        expected,
        "-1 is no count, UDP-Lite is no transfer"
    );
}

#[test]
fn a_damaged_pair_is_absent_and_the_next_is_read() {
    for damaged in [
        "Tcp: A B\nTcp: 1\nUdp: InErrors\nUdp: 5\n",
        "Tcp: A B\nUdp: InErrors\nUdp: 5\n",
        "Tcp: A\nTcp: x\nUdp: InErrors\nUdp: 5\n",
        "no colon\nUdp: InErrors\nUdp: 5\nTcp: A\n",
    ] {
        assert_eq!(paired_counters(damaged), map([("Udp.InErrors", 5)]), "{damaged}");
    }
}

#[test]
fn listed_counters_are_split_after_the_protocol() {
    let text =
        "Ip6InReceives \t 12\nIcmp6InPktTooBigs\t3\nUdp6InErrors 1\nUdpLite6InErrors 9\nIp6 4\nIp6X y\n";
    let expected = map([
        ("Ip6.InReceives", 12),
        ("Icmp6.InPktTooBigs", 3),
        ("Udp6.InErrors", 1),
    ]);
    assert_eq!(listed_counters(text), expected);
}

#[test]
fn softnet_columns_are_hexadecimal_and_summed_over_processors() {
    let two = "000014b4 0000000a 00000001 00000000\n00000013 00000002 00000010 00000000\n";
    assert_eq!(
        softnet(two),
        map([("Softnet.Dropped", 12), ("Softnet.TimeSqueezed", 17)])
    );
    for damaged in ["", "000014b4 0000000a\n", "000014b4 0 0\n000014b4 zz 0\n"] {
        assert_eq!(softnet(damaged), map([]), "{damaged}");
    }
}

#[test]
fn busy_is_what_is_neither_idle_nor_waiting_for_a_disk() {
    let before = "cpu  100 0 50 800 50 0 0 0 7 0\ncpu0 50 0 25 400 25 0 0 0 0 0\ncpu1 50 0 25 400 25 0 0 0 0 0\nintr 5\n";
    let after = "cpu  103 0 51 804 51 0 1 0 7 0\ncpu0 0\ncpu1 0\n";
    let (before, after) = (cpu_ticks(before).unwrap(), cpu_ticks(after).unwrap());
    assert_eq!(
        before,
        CpuTicks {
            online: 2,
            total: 1000,
            idle: 850
        },
        "guest time is in user time already"
    );
    assert_eq!(busy_ratio(before, after), Some(0.5));
    assert_eq!(busy_ratio(before, before), None, "no time passed");
    assert_eq!(busy_ratio(after, before), None, "backwards");
    for damaged in [
        "",
        "cpu  1 2 3\ncpu0 1\n",
        "cpu  1 2 3 x 5\ncpu0 1\n",
        "cpu  1 2 3 4 5 6 7 8\n",
    ] {
        assert_eq!(cpu_ticks(damaged), None, "{damaged}");
    }
}

#[test]
fn models_go_by_several_names() {
    assert_eq!(
        cpu_model("processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n").as_deref(),
        Some("AMD EPYC")
    );
    assert_eq!(
        cpu_model("processor : 0\ncpu : POWER9, altivec\n").as_deref(),
        Some("POWER9, altivec")
    );
    assert_eq!(cpu_model("processor : 0\nmodel name :\n"), None);
}

#[test]
fn loads_are_numbers_from_zero_up() {
    assert_eq!(load_1min("0.52 0.58 0.59 1/89 1234\n"), Some(0.52));
    for text in ["", "x", "NaN 1 1", "-1", "inf"] {
        assert_eq!(load_1min(text), None, "{text}");
    }
}

/// Text that resembles what the kernel writes often enough to get past the first check.
fn proc_like() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        Just("Tcp:".to_owned()),
        Just("cpu ".to_owned()),
        Just("cpu0".to_owned()),
        Just("Ip6InX".to_owned()),
        Just("\n".to_owned()),
        any::<u64>().prop_map(|n| n.to_string()),
        "[ -~é\u{0}]{0,6}",
    ];
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #[test]
    fn no_text_breaks_a_parser(text in prop_oneof![proc_like(), any::<String>()]) {
        for key in paired_counters(&text).keys() {
            prop_assert!(GROUPS.iter().any(|group| key.starts_with(&format!("{group}."))), "{key}");
        }
        listed_counters(&text);
        softnet(&text);
        if let Some(ticks) = cpu_ticks(&text) {
            prop_assert!(ticks.idle <= ticks.total && ticks.online > 0);
        }
        cpu_model(&text);
        load_1min(&text);
    }

    #[test]
    fn every_counter_of_a_well_formed_file_is_read(
        pairs in prop::collection::btree_map("[A-Z][A-Za-z0-9]{0,12}", any::<u64>(), 1..40)
    ) {
        let names: Vec<_> = pairs.keys().map(String::as_str).collect();
        let values: Vec<_> = pairs.values().map(u64::to_string).collect();
        let text = format!("TcpExt: {}\nTcpExt: {}\n", names.join(" "), values.join(" "));
        let expected: BTreeMap<_, _> = pairs.iter().map(|(name, value)| (format!("TcpExt.{name}"), *value)).collect();
        prop_assert_eq!(paired_counters(&text), expected);
    }

    #[test]
    fn busy_is_a_share(a in any::<[u64; 2]>(), b in any::<[u64; 2]>()) {
        let ticks = |[x, y]: [u64; 2]| CpuTicks { online: 1, total: x.max(y), idle: x.min(y) };
        if let Some(busy) = busy_ratio(ticks(a), ticks(b)) {
            prop_assert!((0.0..=1.0).contains(&busy));
        }
    }
}
