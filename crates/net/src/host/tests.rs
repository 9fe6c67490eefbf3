//! These look at the machine that they run on: they hold for any Linux with a loopback interface.

use super::*;
use std::net::{Ipv4Addr, Ipv6Addr};

#[tokio::test]
async fn the_loopback_interface_leads_to_the_loopback_address() {
    let facts = facts(Ipv4Addr::LOCALHOST.into(), None).await.unwrap();
    let interface = facts.interface.expect("a route to the loopback address");
    assert_eq!(interface.name, "lo");
    assert!(
        interface.mtu_bytes.is_some_and(|mtu| mtu >= 1280),
        "{interface:?}"
    );
    assert_eq!(interface.speed_mbps, None, "no wire, no speed");
    assert!(interface.counters.contains_key("rx_dropped"), "{interface:?}");
    assert!(!interface.offloads.is_empty(), "{interface:?}");

    let rmem = &facts.sysctls["net.ipv4.tcp_rmem"];
    assert_eq!(rmem.split_whitespace().count(), 3, "{rmem}");
    let congestion_control = facts.congestion_control.unwrap();
    assert_eq!(
        congestion_control,
        facts.sysctls["net.ipv4.tcp_congestion_control"]
    );
    assert!(facts.available_congestion_controls.contains(&congestion_control));
    assert!(facts.counters.contains_key("Tcp.RetransSegs"));
    assert!(facts.counters.contains_key("TcpExt.TCPLostRetransmit"));
    let cpu = facts.cpu.unwrap();
    assert!(cpu.online >= 1);
    assert!(
        cpu.busy_ratio.is_none_or(|busy| (0.0..=1.0).contains(&busy)),
        "{cpu:?}"
    );
    assert!(facts.kernel.is_some_and(|kernel| kernel.starts_with("Linux ")));
}

#[tokio::test]
async fn a_source_of_the_other_family_leaves_the_interface_unknown() {
    let facts = facts(Ipv4Addr::LOCALHOST.into(), Some(Ipv6Addr::LOCALHOST.into()))
        .await
        .unwrap();
    assert_eq!(facts.interface, None);
    assert!(!facts.sysctls.is_empty(), "the rest is there");
}

#[tokio::test]
async fn facts_can_be_written_into_a_case_and_read_back() {
    let facts = facts(Ipv4Addr::LOCALHOST.into(), None).await.unwrap();
    let text = serde_json::to_string(&facts).unwrap();
    let back: HostFacts = serde_json::from_str(&text).unwrap();
    assert_eq!(back.sysctls, facts.sysctls);
    assert_eq!(back.interface, facts.interface);
}

#[test]
fn what_a_process_may_do_agrees_with_itself() {
    let may = capabilities();
    assert!(may.error_queue.is_yes(), "every Linux since 2.2 has it: {may:?}");
    assert!(!may.congestion_controls.is_empty());
    for refused in &may.refused_congestion_controls {
        assert!(!may.congestion_controls.contains(refused), "{may:?}");
    }
}

#[test]
fn trying_real_time_scheduling_does_not_leave_it_on() {
    let _ = capabilities();
    let policy = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    // Field 41 of proc(5)'s stat is the policy; the fields after the name in parentheses begin at 3.
    let (_, after_name) = policy.rsplit_once(") ").unwrap();
    assert_eq!(after_name.split_whitespace().nth(41 - 3), Some("0"), "{policy}");
}
