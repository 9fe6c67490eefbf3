use super::examination::{Examination, SCHEMA};
use super::judgement::{Judgement, Level};
use super::*;
use evidence::{CpuFacts, HostFacts, Interface};
use net::host::{Capabilities, Permission};
use std::collections::BTreeMap;

fn texts(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn counts(entries: &[(&str, u64)]) -> BTreeMap<String, u64> {
    entries
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect()
}

/// A host fresh from its installer, with a 10 Gbit/s card.
fn untuned() -> HostFacts {
    HostFacts {
        hostname: Some("dtn1.example".to_owned()),
        kernel: Some("Linux 6.1.0".to_owned()),
        sysctls: texts(&[
            ("net.core.netdev_max_backlog", "1000"),
            ("net.ipv4.ip_no_pmtu_disc", "0"),
            ("net.ipv4.tcp_moderate_rcvbuf", "1"),
            ("net.ipv4.tcp_mtu_probing", "0"),
            ("net.ipv4.tcp_no_metrics_save", "0"),
            ("net.ipv4.tcp_rmem", "4096\t131072\t6291456"),
            ("net.ipv4.tcp_sack", "1"),
            ("net.ipv4.tcp_slow_start_after_idle", "1"),
            ("net.ipv4.tcp_timestamps", "1"),
            ("net.ipv4.tcp_window_scaling", "1"),
            ("net.ipv4.tcp_wmem", "4096\t16384\t4194304"),
        ]),
        congestion_control: Some("cubic".to_owned()),
        available_congestion_controls: vec!["cubic".to_owned(), "reno".to_owned()],
        interface: Some(Interface {
            name: "ens1f0".to_owned(),
            mtu_bytes: Some(9000),
            speed_mbps: Some(10_000),
            duplex: Some("full".to_owned()),
            driver: Some("ixgbe".to_owned()),
            qdisc: Some("mq".to_owned()),
            tx_queue_length: Some(1000),
            offloads: [
                ("rx-gro".to_owned(), true),
                ("tx-tcp-segmentation".to_owned(), false),
            ]
            .into(),
            rx_ring: Some((512, 4096)),
            tx_ring: Some((4096, 4096)),
            counters: counts(&[
                ("rx_packets", 2_000_000),
                ("rx_crc_errors", 12),
                ("rx_missed_errors", 340),
                ("rx_dropped", 0),
            ]),
            ..Interface::default()
        }),
        counters: counts(&[
            ("Tcp.OutSegs", 1_000_000),
            ("Tcp.RetransSegs", 4_300),
            ("Softnet.Dropped", 17),
        ]),
        cpu: Some(CpuFacts {
            online: 16,
            model: Some("Xeon".to_owned()),
            busy_ratio: Some(0.04),
            load_1min: Some(0.3),
            ..CpuFacts::default()
        }),
        ..HostFacts::default()
    }
}

/// The same host after it was cared for.
fn tuned() -> HostFacts {
    let mut facts = untuned();
    for (name, value) in [
        ("net.ipv4.tcp_mtu_probing", "1"),
        ("net.ipv4.tcp_no_metrics_save", "1"),
        ("net.ipv4.tcp_rmem", "4096 131072 268435456"),
        ("net.ipv4.tcp_slow_start_after_idle", "0"),
        ("net.ipv4.tcp_wmem", "4096 16384 268435456"),
    ] {
        facts.sysctls.insert(name.to_owned(), value.to_owned());
    }
    let interface = facts.interface.as_mut().unwrap();
    interface.offloads.insert("tx-tcp-segmentation".to_owned(), true);
    interface.rx_ring = Some((4096, 4096));
    interface.counters = counts(&[
        ("rx_packets", 2_000_000),
        ("rx_crc_errors", 0),
        ("rx_missed_errors", 0),
    ]);
    facts.counters = counts(&[
        ("Tcp.OutSegs", 1_000_000),
        ("Tcp.RetransSegs", 30),
        ("Softnet.Dropped", 0),
    ]);
    facts
}

fn no(error: &str) -> Permission {
    Permission::No {
        error: error.to_owned(),
    }
}

fn ordinary_user() -> Capabilities {
    let denied = "Permission denied (os error 13)";
    let not_permitted = "Operation not permitted (os error 1)";
    Capabilities {
        error_queue: Permission::Yes,
        raw_icmp: no(not_permitted),
        raw_icmpv6: no(not_permitted),
        ping_socket: no(denied),
        congestion_controls: vec!["cubic".to_owned(), "reno".to_owned()],
        refused_congestion_controls: vec!["bbr".to_owned()],
        realtime: no(not_permitted),
        user_namespace: no(not_permitted),
        tun: no(denied),
    }
}

fn judged(facts: &HostFacts, governor: Option<&str>) -> Vec<Judgement> {
    let mut judgements = settings::judge(facts, governor);
    judgements.extend(interface::judge(facts));
    judgements
}

fn page(facts: HostFacts, governor: Option<&str>, may: Capabilities, to: Option<&str>) -> String {
    let sysctl =
        |name: &str| (name == "kernel.apparmor_restrict_unprivileged_userns").then(|| "1".to_owned());
    let examination = Examination {
        schema: SCHEMA,
        towards: "192.0.2.7".parse().unwrap(),
        judgements: judged(&facts, governor),
        privileges: privileges::list(&may, "/usr/local/bin/slowpath", sysctl),
        governor: governor.map(str::to_owned),
        facts,
        may,
    };
    anstream::adapter::strip_str(&render::text(&examination, to)).to_string()
}

#[test]
fn a_host_fresh_from_its_installer() {
    let page = page(
        untuned(),
        Some("powersave"),
        ordinary_user(),
        Some("dtn2.example"),
    );
    insta::assert_snapshot!(page, @r#"
    HOST     dtn1.example, Linux 6.1.0, 16 processors (Xeon), 4 % busy
    TOWARDS  dtn2.example (192.0.2.7): ens1f0, ixgbe, 10 Gbit/s, qdisc mq

    SETTINGS that bear on long transfers
    limits  receive buffer        tcp_rmem max 6 MiB, a window of about 3 MiB: enough for 1 Gbit/s up to 25.2 ms, 10 Gbit/s up to 2.52 ms
                                  sudo sysctl -w net.ipv4.tcp_rmem="4096 131072 268435456"
    limits  send buffer           tcp_wmem max 4 MiB, a window of about 2 MiB: enough for 1 Gbit/s up to 16.8 ms, 10 Gbit/s up to 1.68 ms
                                  sudo sysctl -w net.ipv4.tcp_wmem="4096 16384 268435456"
        ok  congestion control    cubic: fits long paths; slows down at each loss, so rare loss far away limits it
        ok  TCP settings          as they should be: window scaling, selective ACK, timestamps, receive autotuning, path MTU discovery
      note  saved metrics         kept: after one bad transfer, the next to the same host leaves slow start early
                                  sudo sysctl -w net.ipv4.tcp_no_metrics_save=1
      note  after idle            slow start begins anew after each pause longer than the retransmission timeout
                                  sudo sysctl -w net.ipv4.tcp_slow_start_after_idle=0
    limits  MTU probing           off, with an MTU above 1500: where the path drops large packets in silence, transfers stop dead
                                  sudo sysctl -w net.ipv4.tcp_mtu_probing=1
    limits  receive backlog       17 packets dropped since boot because a processor's backlog was full
                                  sudo sysctl -w net.core.netdev_max_backlog=10000
      note  retransmitted         0.43 % of all TCP segments since boot: `slowpath diagnose` finds where they are lost
      note  frequency governor    powersave: the processor's clock follows the load late, which costs rate and adds delay
                                  sudo cpupower frequency-set -g performance
        ok  MTU                   9000 bytes: jumbo frames, which every link of the path has to carry, or say that it does not
    limits  damaged frames        12 rx_crc_errors since boot, 6.0e-6 of those received: look at cable, optics and the port opposite
    limits  discards              340 rx_missed_errors since boot: this host was too slow to take them
                                  sudo ethtool -G ens1f0 rx 4096
      note  receive ring          512 of 4096 descriptors: bursts overflow it sooner than need be
      note  offloads              off, though the interface has them: tx-tcp-segmentation; every packet costs a processor more
                                  sudo ethtool -K ens1f0 tx-tcp-segmentation on

    WHAT SLOWPATH MAY DO here
       yes  UDP error queue       route, path MTU, loss and delay per hop
        no  raw ICMP sockets      ICMP and TCP probes, fast loss counts per hop (Operation not permitted)
                                  sudo setcap cap_net_raw,cap_sys_nice+ep /usr/local/bin/slowpath
        no  raw ICMPv6 sockets    the same over IPv6 (Operation not permitted)
        no  ping sockets          ICMP echo where raw sockets are refused (Permission denied)
                                  sudo sysctl -w net.ipv4.ping_group_range="0 2147483647"
        no  congestion controls   comparing them on one path: all that are loaded (loaded, but not for this user: bbr)
                                  sudo sysctl -w net.ipv4.tcp_allowed_congestion_control="cubic reno bbr"
        no  real-time scheduling  punctual links in the lab (Operation not permitted)
        no  user namespaces       the lab without root (Operation not permitted)
                                  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
        no  TUN device            the lab's links (Permission denied)
                                  sudo modprobe tun; sudo chmod 666 /dev/net/tun
    "#);
}

#[test]
fn on_a_tuned_host_nothing_limits_and_nothing_is_noted() {
    let complaints: Vec<_> = judged(&tuned(), Some("performance"))
        .into_iter()
        .filter(|j| j.level != Level::Good)
        .collect();
    assert_eq!(complaints, []);
}

#[test]
fn a_host_of_which_nothing_is_known_is_not_judged() {
    let unknown = HostFacts {
        hostname: None,
        kernel: None,
        sysctls: BTreeMap::new(),
        congestion_control: None,
        available_congestion_controls: Vec::new(),
        interface: None,
        counters: BTreeMap::new(),
        cpu: None,
        ..HostFacts::default()
    };
    assert_eq!(judged(&unknown, None), []);
    let page = page(unknown, None, ordinary_user(), None);
    assert!(
        page.contains("(name unknown)") && page.contains("no route leads there"),
        "{page}"
    );
}

/// Each of these faults alone turns a good host into one with exactly that complaint.
#[test]
fn one_fault_gives_one_complaint() {
    let set = |facts: &mut HostFacts, name: &str, value: &str| {
        facts.sysctls.insert(name.to_owned(), value.to_owned());
    };
    let faults: [(&str, Level, Fault); 13] = [
        (
            "window scaling",
            Level::Limits,
            Box::new(move |f| set(f, "net.ipv4.tcp_window_scaling", "0")),
        ),
        (
            "selective ACK",
            Level::Limits,
            Box::new(move |f| set(f, "net.ipv4.tcp_sack", "0")),
        ),
        (
            "timestamps",
            Level::Note,
            Box::new(move |f| set(f, "net.ipv4.tcp_timestamps", "0")),
        ),
        (
            "receive autotuning",
            Level::Limits,
            Box::new(move |f| set(f, "net.ipv4.tcp_moderate_rcvbuf", "0")),
        ),
        (
            "receive buffer",
            Level::Limits,
            Box::new(move |f| set(f, "net.ipv4.tcp_rmem", "4096 87380 132000")),
        ),
        (
            "MTU probing",
            Level::Limits,
            Box::new(move |f| set(f, "net.ipv4.tcp_mtu_probing", "0")),
        ),
        (
            "congestion control",
            Level::Limits,
            Box::new(|f| f.congestion_control = Some("reno".to_owned())),
        ),
        (
            "receive backlog",
            Level::Limits,
            Box::new(|f| f.counters = counts(&[("Softnet.Dropped", 1)])),
        ),
        (
            "processors",
            Level::Note,
            Box::new(|f| f.cpu.as_mut().unwrap().busy_ratio = Some(0.95)),
        ),
        ("MTU", Level::Note, on_interface(|i| i.mtu_bytes = Some(1400))),
        (
            "duplex",
            Level::Limits,
            on_interface(|i| i.duplex = Some("half".to_owned())),
        ),
        (
            "damaged frames",
            Level::Note,
            on_interface(|i| {
                i.counters = counts(&[("rx_packets", 4_000_000_000), ("rx_crc_errors", 2)]);
            }),
        ),
        (
            "discards",
            Level::Limits,
            on_interface(|i| {
                i.counters.insert("rx_missed_errors".to_owned(), 5);
            }),
        ),
    ];
    for (topic, level, fault) in faults {
        let mut facts = tuned();
        fault(&mut facts);
        let complaints: Vec<_> = judged(&facts, None)
            .into_iter()
            .filter(|j| j.level != Level::Good)
            .collect();
        let [only] = &complaints[..] else {
            panic!("{topic}: {complaints:#?}");
        };
        assert_eq!((only.topic, only.level), (topic, level));
    }
}

type Fault = Box<dyn Fn(&mut HostFacts)>;

fn on_interface(change: impl Fn(&mut Interface) + 'static) -> Fault {
    Box::new(move |facts| change(facts.interface.as_mut().unwrap()))
}

#[test]
fn a_card_without_a_speed_is_judged_for_one_gigabit() {
    let mut facts = tuned();
    facts
        .sysctls
        .insert("net.ipv4.tcp_rmem".to_owned(), "4096 131072 33554432".to_owned());
    let buffer = |facts: &HostFacts| {
        judged(facts, None)
            .into_iter()
            .find(|j| j.topic == "receive buffer")
            .unwrap()
    };
    assert_eq!(buffer(&facts).level, Level::Limits, "too small for 10 Gbit/s");
    facts.interface.as_mut().unwrap().speed_mbps = None;
    assert_eq!(buffer(&facts).level, Level::Good, "{:?}", buffer(&facts));
}

#[test]
fn following_the_advice_silences_it() {
    let mut facts = untuned();
    for judgement in judged(&facts, None) {
        let Some(setting) = judgement
            .command
            .as_deref()
            .and_then(|c| c.strip_prefix("sudo sysctl -w "))
        else {
            continue;
        };
        let (name, value) = setting.split_once('=').unwrap();
        facts
            .sysctls
            .insert(name.to_owned(), value.trim_matches('"').to_owned());
    }
    let left: Vec<_> = settings::judge(&facts, None)
        .into_iter()
        .filter(|j| j.level != Level::Good && j.command.is_some() && j.topic != "receive backlog")
        .collect();
    assert_eq!(left, [], "counters stay, settings are mended");
}

#[test]
fn malformed_settings_are_not_judged() {
    for value in ["", "1 2", "a b c", "1 2 3 4", "-1 2 3"] {
        let mut facts = tuned();
        facts
            .sysctls
            .insert("net.ipv4.tcp_rmem".to_owned(), value.to_owned());
        assert!(
            judged(&facts, None).iter().all(|j| j.topic != "receive buffer"),
            "{value}"
        );
    }
}

#[test]
fn foreign_text_does_not_reach_the_terminal_raw() {
    let mut facts = untuned();
    facts.hostname = Some("dtn1\u{1b}]0;owned\u{7}".to_owned());
    facts.interface.as_mut().unwrap().driver = Some("ix\ngbe".to_owned());
    let page = page(facts, None, ordinary_user(), None);
    assert!(
        page.contains("dtn1?]0;owned?") && page.contains("ix?gbe"),
        "{page}"
    );
}
