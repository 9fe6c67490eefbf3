//! What stands above an output tells whose it is, and when: prompts, several commands in a line, dates, fleets, headings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use evidence::{Payload, Timestamp};
use ingest::{Context, import};

const STATISTICS: &str = "NIC statistics:\n     rx_packets: 1000\n     rx_missed_errors: 12\n";
const LINK: &str = "\
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    1234567890 1234567      3      44       5    1000
    TX:  bytes packets errors dropped carrier collsns
     987654321  987654      1      22       0       0
";
const PING: &str = "PING gw (192.0.2.1) 56(84) bytes of data.\n2 packets transmitted, 1 received, 50% packet loss, time 1001ms\n";

/// Of each record: where it was printed, whose port it is about, and which, or where the probes started.
fn told(text: &str) -> Vec<(String, String)> {
    let (records, _) = import(text.as_bytes(), &Context::default());
    let place_of = |name: &Option<String>| name.clone().unwrap_or_default();
    let about = |payload: &Payload| match payload {
        Payload::InterfaceCounters(counters) => {
            format!("{} {}", place_of(&counters.device.name), counters.interface)
        }
        Payload::Probes(probes) => place_of(&probes.from.name),
        Payload::Transfer(transfer) => {
            format!(
                "{} to {}",
                place_of(&transfer.from.name),
                place_of(&transfer.to.name)
            )
        }
        other => panic!("{other:?}"),
    };
    records
        .iter()
        .map(|record| (place_of(&record.place.name), about(&record.payload)))
        .collect()
}

fn assert_told(text: &str, expected: &[(&str, &str)]) {
    let told = told(text);
    let told: Vec<_> = told
        .iter()
        .map(|(place, about)| (place.as_str(), about.as_str()))
        .collect();
    assert_eq!(told, expected, "{text}");
}

#[test]
fn several_commands_in_a_line_print_on_one_host() {
    for (typed, first, second) in [
        ("ethtool -S eth0; ethtool -S eth1", "dtn2 eth0", "dtn2 eth1"),
        (
            "ethtool -S eth0 && sleep 10 && ethtool -S eth0",
            "dtn2 eth0",
            "dtn2 eth0",
        ),
        (
            "for i in eth0 eth1; do ethtool -S $i; done",
            "dtn2 eth0",
            "dtn2 eth1",
        ),
        (
            "for i in $(ls /sys/class/net); do ethtool -S $i; done",
            "dtn2 ",
            "dtn2 ",
        ),
    ] {
        let text = format!("[root@dtn2 ~]# {typed}\n{STATISTICS}{STATISTICS}");
        assert_told(&text, &[("dtn2", first), ("dtn2", second)]);
        // Behind prose it may be anybody's, and one output of two may be of either command.
        let first = if first == second { first } else { "dtn2 " };
        let text = format!("[root@dtn2 ~]# {typed}\n{STATISTICS}and on the other side:\n{STATISTICS}");
        assert_told(&text, &[("dtn2", first), ("", " ")]);
    }
    let text = format!("[anna@desk ~]$ ssh dtn2 'ethtool -S eth0; ip -s link show eth0'\n{STATISTICS}{LINK}");
    assert_told(&text, &[("dtn2", "dtn2 "), ("dtn2", "dtn2 eth0")]);
    // One command prints once.
    let text = format!("[root@dtn2 ~]# ethtool -S eth0\n{STATISTICS}{LINK}");
    assert_told(&text, &[("dtn2", "dtn2 eth0"), ("", " eth0")]);
}

#[test]
fn signs_of_a_shell_end_words() {
    for typed in [
        "ethtool -S eth0|grep miss",
        "ethtool -S eth0;date",
        "(ethtool -S eth0)",
        "ethtool -S eth0>/dev/stdout",
    ] {
        let text = format!("[root@dtn2 ~]# {typed}\n{STATISTICS}");
        assert_told(&text, &[("dtn2", "dtn2 eth0")]);
    }
}

#[test]
fn a_date_above_tells_when() {
    let text = format!(
        "[root@dtn1 ~]# while true; do date; ip -s link show eth0; sleep 10; done\nMon Jun  3 10:12:01 UTC 2024\n{LINK}\
         Mon Jun  3 10:12:11 UTC 2024\n{LINK}"
    );
    assert_told(&text, &[("dtn1", "dtn1 eth0"), ("dtn1", "dtn1 eth0")]);
    let (records, complaints) = import(text.as_bytes(), &Context::default());
    assert_eq!(complaints, []);
    let times: Vec<_> = records.iter().map(|record| record.at).collect();
    let at = |s: i64| Some(Timestamp(s * 1_000_000_000));
    assert_eq!(times, [at(1_717_409_521), at(1_717_409_531)]);
    // A date below an output, or before prose, is not that of what follows.
    let text = format!("Mon Jun  3 10:12:01 UTC 2024\nand a week later\n{LINK}");
    assert_eq!(import(text.as_bytes(), &Context::default()).0[0].at, None);
    let typed = "(date; uptime; ip -s link show eth0)";
    let load = " 10:12:01 up 12 days,  3:04,  2 users,  load average: 0.00, 0.01, 0.05\n";
    let text = format!("[root@dtn1 ~]# {typed}\nMon Jun  3 10:12:01 UTC 2024\n{load}{LINK}");
    assert_told(&text, &[("dtn1", "dtn1 eth0")]);
    // Whose zone has no one meaning is no time, and costs nothing.
    let text = format!("[root@dtn1 ~]# date; ip -s link\nMon Jun  3 10:12:01 IST 2024\n{LINK}");
    let (records, complaints) = import(text.as_bytes(), &Context::default());
    assert_eq!((records[0].at, complaints.len()), (None, 0));
}

#[test]
fn what_runs_on_many_hosts_names_each() {
    let prefixed = |host: &str| {
        LINK.lines()
            .map(|line| format!("{host}: {line}\n"))
            .collect::<String>()
    };
    let text = format!(
        "$ pdsh -w dtn[1-2] 'ip -s link show eth0'\n{}{}",
        prefixed("dtn1"),
        prefixed("dtn2")
    );
    assert_told(&text, &[("dtn1", "dtn1 eth0"), ("dtn2", "dtn2 eth0")]);
    let text = format!(
        "$ ansible dtns -a 'ethtool -S eth0'\ndtn1 | CHANGED | rc=0 >>\n{STATISTICS}dtn2 | CHANGED | rc=0 >>\n{STATISTICS}"
    );
    assert_told(&text, &[("dtn1", "dtn1 "), ("dtn2", "dtn2 ")]);
    let rule = "---------------\n";
    let text = format!(
        "$ clush -w dtn[1-2] -b ethtool -S eth0\n{rule}dtn1\n{rule}{STATISTICS}{rule}dtn2\n{rule}{STATISTICS}"
    );
    assert_told(&text, &[("dtn1", "dtn1 "), ("dtn2", "dtn2 ")]);
}

#[test]
fn prompts_of_many_shells() {
    for (prompt, host) in [
        ("root@truenas[~]# ", "truenas"),
        ("Annas-MacBook-Pro:~ anna$ ", "Annas-MacBook-Pro"),
        ("dtn1 ~ # ", "dtn1"),
        ("anna@dtn1:/tmp$ ", "dtn1"),
    ] {
        assert_told(&format!("{prompt}ping -c 2 -q gw\n{PING}"), &[(host, host)]);
    }
    let text =
        format!("\u{250c}\u{2500}\u{2500}(kali\u{327f}dtn1)-[~]\n\u{2514}\u{2500}$ ping -c 2 -q gw\n{PING}");
    assert_told(&text, &[("dtn1", "")]);
    // In a container it is not the prompt's host that asks.
    for runner in ["kubectl exec pod1 --", "docker run --rm alpine", "adb shell"] {
        assert_told(
            &format!("[anna@desk ~]$ {runner} ping -c 2 -q gw\n{PING}"),
            &[("", "")],
        );
    }
}

#[test]
fn marks_around_a_command_are_none_of_its_words() {
    for above in [
        "`ethtool -S eth0`\n\n```\n",
        "**ethtool -S eth0**\n\n",
        "1. ethtool -S eth0\n",
        "ethtool -S eth0:\n",
        "<b>ethtool -S eth0</b>\n",
    ] {
        assert_told(&format!("{above}{STATISTICS}"), &[("", " eth0")]);
    }
    // The frame is a line of the text all the same.
    let text = format!("`ethtool -S eth0`\n```\n{STATISTICS}```\n");
    assert_eq!(import(text.as_bytes(), &Context::default()).0[0].lines, (1, 5));
    assert_told(&format!("ethtool -S output:\n{STATISTICS}"), &[("", " ")]);
}

#[test]
fn the_client_of_a_test_is_where_it_was_typed() {
    let totals = "[  5]   0.00-5.00   sec  5.10 GBytes  8.76 Gbits/sec  3             sender\n\
                  [  5]   0.00-5.04   sec  5.10 GBytes  8.69 Gbits/sec                  receiver\n";
    for (typed, about) in [
        ("iperf3 -c beta -t 5", "alpha to beta"),
        ("iperf3 -c beta -t 5 -R", "beta to alpha"),
    ] {
        let text = format!("[root@alpha ~]# {typed} | grep -E 'sender|receiver'\n{totals}");
        assert_told(&text, &[("alpha", about)]);
    }
}

#[test]
fn a_date_is_of_what_it_stands_above() {
    let times = |text: &str| -> Vec<bool> {
        let (records, _) = import(text.as_bytes(), &Context::default());
        records.iter().map(|record| record.at.is_some()).collect()
    };
    let date = "Mon Jun  3 10:12:01 UTC 2024\n";
    // Printed behind, it is of none that follows, and at another prompt it is over.
    let text = format!(
        "[root@dtn1 ~]# ethtool -S eth0; date\n{STATISTICS}{date}[root@dtn1 ~]# ethtool -S eth1\n{STATISTICS}"
    );
    assert_eq!(times(&text), [false, false]);
    let text = format!(
        "[root@dtn1 ~]# date; ethtool -S eth0\n{date}{STATISTICS}[root@dtn1 ~]# ethtool -S eth1\n{STATISTICS}"
    );
    assert_eq!(times(&text), [true, false]);
    assert_told(&text, &[("dtn1", "dtn1 eth0"), ("dtn1", "dtn1 eth1")]);
    // Typed alone it is of what is typed next.
    let text = format!("[root@dtn1 ~]# date\n{date}[root@dtn1 ~]# ethtool -S eth1\n{STATISTICS}");
    assert_eq!(times(&text), [true]);
}

#[test]
fn a_host_ends_where_others_may_speak() {
    for between in ["[root@dtn1 ~]#\n", "exit\n", "C:\\>ethtool -S eth9\n"] {
        let text = format!("[root@dtn1 ~]# ethtool -S eth0; ethtool eth0\n{STATISTICS}{between}{STATISTICS}");
        let told = told(&text);
        assert_eq!(told.last().map(|(place, _)| place.as_str()), Some(""), "{text}");
    }
    for prose in [
        "ticket#12345 opened\n",
        "<anna@a.example> wrote:\n",
        "b1% loss is seen at the other end:\n",
        "root@localhost:~# ethtool -S eth0\n",
    ] {
        let told = told(&format!("{prose}{STATISTICS}"));
        assert_eq!(told.last().map(|(place, _)| place.as_str()), Some(""), "{prose}");
    }
    // A file may have been written anywhere.
    let text = format!("[root@dtn1 ~]# cat /tmp/dtn2/ethtool.txt\n{STATISTICS}");
    assert_told(&text, &[("", " ")]);
}

#[test]
fn what_ssh_asks_for_stands_between() {
    let text = format!("[anna@desk ~]$ ssh root@dtn2 ethtool -S eth0\nroot@dtn2's password:\n{STATISTICS}");
    assert_told(&text, &[("dtn2", "dtn2 eth0")]);
}

#[test]
fn a_heading_that_surely_names_a_host_is_the_place_of_what_stands_below() {
    for heading in [
        "=== dtn5.example.org ===",
        "## ops@dtn5.example.org",
        "--- host dtn5.example.org ---",
        "***** dtn5.example.org (192.0.2.5) *****",
    ] {
        let eth0 = "ethtool -S eth0\n";
        assert_told(
            &format!("{heading}\n{eth0}{STATISTICS}{eth0}{STATISTICS}"),
            &[("dtn5.example.org", "dtn5.example.org eth0"); 2],
        );
        // Prose ends it, and so does the next one.
        assert_told(
            &format!("{heading}\n{eth0}{STATISTICS}And now the other end.\n{eth0}{STATISTICS}"),
            &[("dtn5.example.org", "dtn5.example.org eth0"), ("", " eth0")],
        );
    }
    assert_told(
        &format!(
            "--- host dtn6: ethtool -S eth0 ---\n{STATISTICS}--- host dtn7: ethtool -S eth1 ---\n{STATISTICS}"
        ),
        &[("dtn6", "dtn6 eth0"), ("dtn7", "dtn7 eth1")],
    );
    // A run, a case or a host: nobody knows, and somebody is told.
    for heading in ["=== dtn5 ===", "## run2"] {
        let text = format!("{heading}\nethtool -S eth0\n{STATISTICS}");
        assert_told(&text, &[("", " eth0")]);
        let (_, complaints) = import(text.as_bytes(), &Context::default());
        assert_eq!(complaints.len(), 1, "{heading}");
    }
}
