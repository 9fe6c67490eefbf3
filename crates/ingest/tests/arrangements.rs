//! How people arrange outputs: loops with headings, several commands in a line, lines of several hosts in each other, panes side by side,
//! screens of watch(1), commands over several lines. Each output is its own command's and its own host's, or nobody's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use evidence::{Payload, Timestamp};
use ingest::{Context, Record, import};

/// What `ethtool -S` prints, with so many packets missed.
fn statistics(missed: u64) -> String {
    format!("NIC statistics:\n     rx_packets: 1000\n     rx_missed_errors: {missed}\n")
}

/// What ping prints that had one answer of two, after so many microseconds.
fn ping(host: &str, micros: u64) -> String {
    format!(
        "PING {host} (192.0.2.1) 56(84) bytes of data.\n64 bytes from {host} (192.0.2.1): icmp_seq=1 ttl=64 time=0.{micros} ms\n\n\
         --- {host} ping statistics ---\n2 packets transmitted, 1 received, 50% packet loss, time 1001ms\n\
         rtt min/avg/max/mdev = 0.{micros}/0.{micros}/0.{micros}/0.000 ms\n"
    )
}

fn records(text: &str) -> Vec<Record> {
    import(text.as_bytes(), &Context::default()).0
}

/// Of each record: where it was printed, which port it is about or which host was asked, and what shows whose figures it has.
fn told(text: &str) -> Vec<String> {
    let about = |record: &Record| match &record.payload {
        Payload::InterfaceCounters(counters) => {
            let missed = counters.counters.values().last().copied();
            format!("{} {}", counters.interface, missed.unwrap_or_default())
        }
        Payload::Probes(probes) => {
            let row = &probes.rows[0];
            let mean = row
                .delay
                .and_then(|delay| delay.mean_ns)
                .map_or(0, |ns| ns / 1000);
            format!(
                "{} {:?} {mean}",
                row.to.name.clone().unwrap_or_default(),
                row.sent
            )
        }
        other => panic!("{other:?}"),
    };
    records(text)
        .iter()
        .map(|record| {
            let place = record.place.name.clone().unwrap_or_default();
            format!("{place}: {}", about(record))
        })
        .collect()
}

fn complaints(text: &str) -> usize {
    import(text.as_bytes(), &Context::default()).1.len()
}

fn each_line(prefix: &str, text: &str) -> Vec<String> {
    text.lines().map(|line| format!("{prefix}{line}")).collect()
}

/// The lines of two, in turn.
fn in_turn(first: &[String], second: &[String]) -> String {
    let pairs = first.iter().zip(second);
    pairs.map(|(one, other)| format!("{one}\n{other}\n")).collect()
}

#[test]
fn words_that_a_loop_says_tell_whose_the_output_below_is() {
    for (said, heading) in [
        ("echo $i", "%"),
        ("echo \"=== $i ===\"", "=== % ==="),
        ("echo \"--- ${i} ---\"", "--- % ---"),
        ("echo '##' $i", "## %"),
        ("echo $i:", "%:"),
    ] {
        let output = |port: &str, missed| format!("{}\n{}", heading.replace('%', port), statistics(missed));
        let (first, second) = (output("eth0", 12), output("eth1", 77));
        let text =
            format!("[root@dtn1 ~]# for i in eth0 eth1; do {said}; ethtool -S $i; done\n{first}{second}");
        assert_eq!(told(&text), ["dtn1: eth0 12", "dtn1: eth1 77"], "{text}");
        assert_eq!(complaints(&text), 0, "{text}");
        // One that was left out takes none of the other's.
        let text = format!("[root@dtn1 ~]# for i in eth0 eth1; do {said}; ethtool -S $i; done\n{second}");
        assert_eq!(told(&text), ["dtn1: eth1 77"], "{text}");
        let (first, second) = (output("dtn1", 12), output("dtn2", 77));
        let text = format!(
            "[anna@desk ~]$ for i in dtn1 dtn2; do {said}; ssh $i ethtool -S eth0; done\n{first}{second}"
        );
        assert_eq!(told(&text), ["dtn1: eth0 12", "dtn2: eth0 77"], "{text}");
    }
    // Without the loop nobody knows what such words name.
    for heading in ["=== dtn1 ===", "--- eth0 ---", "## dtn1", "dtn1:", "eth0"] {
        let text = format!("{heading}\n{}", statistics(12));
        assert_eq!(told(&text), [":  12"], "{text}");
        // Of the heading, and that no interface is named.
        assert_eq!(complaints(&text), 2, "{text}");
    }
}

#[test]
fn outputs_that_a_filter_left_no_head_are_told_by_headings_alone() {
    let lines = "     rx_dropped: 12\n     tx_dropped: 0\n";
    let typed = |said: &str| {
        format!("[root@dtn1 ~]# for i in eth0 eth1; do {said}ethtool -S $i | grep -i drop; done\n")
    };
    let text = format!("{}eth0\n{lines}eth1\n{lines}", typed("echo $i; "));
    assert_eq!(told(&text), ["dtn1: eth0 0", "dtn1: eth1 0"]);
    let text = format!("{}{lines}{lines}", typed(""));
    assert_eq!((told(&text).len(), complaints(&text)), (0, 1));
    let text = "$ ssh dtn1 'ethtool -S eth0 | grep rx_drop; ethtool -S eth1 | grep tx_drop'\n     rx_dropped: 12\n     tx_dropped: 0\n";
    assert_eq!((told(text).len(), complaints(text)), (0, 1));
}

#[test]
fn outputs_in_the_order_of_their_commands() {
    let (first, second) = (statistics(12), statistics(77));
    for typed in [
        "ethtool -S eth0; ethtool -S eth1",
        "ethtool -S eth0 && ethtool -S eth1",
        "ssh dtn1 'ethtool -S eth0; ethtool -S eth1'",
        "for i in eth0 eth1; do ethtool -S $i; done",
    ] {
        let text = format!("[root@dtn1 ~]# {typed}\n{first}{second}");
        assert_eq!(told(&text), ["dtn1: eth0 12", "dtn1: eth1 77"], "{text}");
        let more = format!("{text}[root@dtn1 ~]# ethtool -S eth2\n{first}");
        assert_eq!(
            told(&more),
            ["dtn1: eth0 12", "dtn1: eth1 77", "dtn1: eth2 12"],
            "{more}"
        );
        // Where there are more outputs than commands, or fewer, nobody knows which is whose.
        assert_eq!(
            told(&format!("{text}{first}")),
            ["dtn1:  12", "dtn1:  77", "dtn1:  12"]
        );
        for rest in [String::new(), format!("no stats available\n{second}")] {
            let text = format!("[root@dtn1 ~]# {typed}; ethtool -S eth2\n{first}{rest}");
            let told = told(&text);
            assert!(told.iter().all(|told| told.contains(":  ")), "{text}: {told:?}");
        }
    }
    let text = format!("[a@desk ~]$ ssh dtn1 ethtool -S eth0; ssh dtn2 ethtool -S eth0\n{first}{second}");
    assert_eq!(told(&text), ["dtn1: eth0 12", "dtn2: eth0 77"]);
    let text = format!("[a@desk ~]$ ssh dtn1 ethtool -S eth0; ssh dtn2 ethtool -S eth0\n{first}");
    assert_eq!(told(&text), [":  12"]);
    // Of two kinds in turn, each has its own, and one that is missing leaves all in doubt.
    let link = |port: &str| format!("Settings for {port}:\n\tSpeed: 10000Mb/s\n\tLink detected: yes\n");
    let typed = "[root@dtn1 ~]# ethtool -S eth0; ethtool eth0; ethtool -S eth1; ethtool eth1\n";
    let text = format!("{typed}{first}{}{second}{}", link("eth0"), link("eth1"));
    assert_eq!(
        told(&text),
        ["dtn1: eth0 12", "dtn1: eth0 0", "dtn1: eth1 77", "dtn1: eth1 0"]
    );
    let text = format!("{typed}{first}{}{}", link("eth0"), link("eth1"));
    assert_eq!(told(&text), ["dtn1:  12", "dtn1: eth0 0", "dtn1: eth1 0"]);
    // A file may hold anybody's.
    let text = format!("[root@dtn1 ~]# cat old.txt; ethtool -S eth0; ethtool -S eth1\n{first}{second}");
    assert_eq!(told(&text), [":  12", ":  77"]);
}

#[test]
fn a_host_that_names_itself() {
    let output = statistics(12);
    let text = format!("$ hostname\ndtn1\n$ ethtool -S eth0\n{output}$ ethtool -S eth1\n{output}");
    assert_eq!(told(&text), ["dtn1: eth0 12", "dtn1: eth1 12"]);
    let uname = "Linux dtn1 5.14.0-362.el9.x86_64 #1 SMP PREEMPT_DYNAMIC Thu Nov 2 12:00:00 UTC 2023 x86_64 GNU/Linux";
    let text = format!("$ uname -a\n{uname}\n$ ethtool -S eth0\n{output}");
    assert_eq!(told(&text), ["dtn1: eth0 12"]);
    let text = format!(
        "$ for h in dtn1 dtn2; do ssh $h 'hostname; ethtool -S eth0'; done\ndtn1.example.org\n{output}dtn2.example.org\n{output}"
    );
    assert_eq!(told(&text), ["dtn1: eth0 12", "dtn2: eth0 12"]);
    let text = format!("Linux version 5.14.0-362 (mock@build) #1 SMP\n{output}");
    assert!(told(&text).iter().all(|told| told.starts_with(": ")), "{text}");
    // A prompt knows better, and who logs in elsewhere, or says something, is elsewhere.
    let text = format!("$ hostname\ndtn1\n[root@dtn2 ~]# ethtool -S eth0\n{output}");
    assert_eq!(told(&text), ["dtn2: eth0 12"]);
    for between in ["exit\n", "And on the other one:\n", "$ ssh $OTHER\n"] {
        let text = format!("$ hostname\ndtn1\n{between}$ ethtool -S eth0\n{output}");
        assert_eq!(told(&text), [": eth0 12"], "{text}");
    }
}

#[test]
fn lines_of_several_hosts_in_each_other() {
    let (one, other) = (ping("gw", 512), ping("gx", 712));
    for typed in [
        "$ pdsh -w dtn[1-2] ping -c 2 gw\n",
        "$ clush -w dtn[1-2] ping -c 2 gw\n",
    ] {
        let lines = in_turn(&each_line("dtn1: ", &one), &each_line("dtn2: ", &other));
        let text = format!("{typed}{lines}");
        assert_eq!(
            told(&text),
            ["dtn1: gw Some(2) 512", "dtn2: gx Some(2) 712"],
            "{text}"
        );
    }
    let lines = in_turn(&each_line("192.0.2.1: ", &one), &each_line("192.0.2.2: ", &other));
    let text = format!("$ pdsh -w 192.0.2.[1-2] ping -c 2 gw\n{lines}");
    let places: Vec<_> = records(&text)
        .iter()
        .map(|record| record.place.to_string())
        .collect();
    assert_eq!(places, ["192.0.2.1", "192.0.2.2"]);
    // Such words may be a title as well: where nothing tells that they name hosts, they do not.
    let text = in_turn(&each_line("flow1:  ", &one), &each_line("flow2:  ", &other));
    assert_eq!(told(&text), [": gw Some(2) 512", ": gx Some(2) 712"]);
    let tagged = |tag: &str, text: &str| each_line(&format!("{tag}\t"), text).join("\n");
    let text = format!("{}\n{}\n", tagged("gw", &one), tagged("gx", &other));
    assert_eq!(told(&text), [": gw Some(2) 512", ": gx Some(2) 712"]);
    let text = format!("[1] 12:00:00 [SUCCESS] root@dtn1:22\n{one}[2] 12:00:01 [SUCCESS] dtn2\n{other}");
    assert_eq!(told(&text), ["dtn1: gw Some(2) 512", "dtn2: gx Some(2) 712"]);
    assert_eq!(records(&text)[1].lines, (9, 14));
}

#[test]
fn panes_side_by_side() {
    let (one, other) = (ping("gw", 512), ping("gx", 712));
    for divide in [
        |one: &str, other: &str| format!("{one:<80}\u{2502}{other}\n"),
        |one: &str, other: &str| format!("{one:<80} | {other}\n"),
        |one: &str, other: &str| format!("{one:<72}{other}\n"),
        |one: &str, other: &str| format!("{one}\t{other}\n"),
    ] {
        let pairs = one.lines().zip(other.lines());
        let text: String = pairs.map(|(one, other)| divide(one, other)).collect();
        assert_eq!(told(&text), [": gx Some(2) 712", ": gw Some(2) 512"], "{text}");
        assert_eq!(complaints(&text), 0, "{text}");
        // What stands below them is none of theirs.
        let text = format!("{text}\nAnd from there:\n\n{one}");
        assert_eq!(told(&text).len(), 3, "{text}");
    }
}

#[test]
fn screens_of_watch_and_clocks_of_routers() {
    let head = "Every 2.0s: ethtool -S eth0          dtn1: Fri Nov 22 10:12:01 2024\n\n";
    let text = format!("{head}{}\n{head}{}", statistics(12), statistics(77));
    assert_eq!(told(&text), ["dtn1: eth0 12", "dtn1: eth0 77"]);
    let here = Context {
        utc_offset_s: Some(0),
        ..Context::default()
    };
    let at = Some(Timestamp(1_732_270_321_000_000_000));
    assert_eq!(import(text.as_bytes(), &here).0[0].at, at);
    let counters = "Gi1/0/1 is up, line protocol is up (connected)\n  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,\n     \
                    7 input errors, 7 CRC, 0 frame, 0 overrun, 0 ignored\n";
    for clock in [
        "10:12:01.123 UTC Fri Nov 22 2024",
        ".10:12:01.123 UTC Fri Nov 22 2024",
    ] {
        let text = format!("sw1#show clock\n{clock}\nsw1#show interface gi1/0/1\n{counters}");
        assert_eq!(records(&text)[0].at, at, "{text}");
    }
    let text =
        format!("sw1#show clock\n*10:12:01.123 UTC Fri Nov 22 2024\nsw1#show interface gi1/0/1\n{counters}");
    assert_eq!(records(&text)[0].at, None);
}

#[test]
fn commands_over_several_lines() {
    for typed in [
        "[root@dtn1 ~]# ethtool \\\n  -S eth0\n",
        "[root@dtn1 ~]# ethtool \\\n> -S \\\n> eth0\n",
        "[root@dtn1 ~]# ethtool -S et\\\n> h0\n",
    ] {
        let text = format!("{typed}{}", statistics(12));
        assert_eq!(told(&text), ["dtn1: eth0 12"], "{text}");
        assert_eq!(records(&text)[0].lines, (1, text.lines().count() as u64));
    }
}

#[test]
fn two_programs_in_one_terminal() {
    let test = |seconds: usize| {
        let mut lines = vec![
            "Connecting to host gx, port 5201".to_owned(),
            "[  5] local 192.0.2.7 port 50122 connected to 192.0.2.9 port 5201".to_owned(),
            "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd".to_owned(),
        ];
        let second = |begin: usize| {
            let end = begin + 1;
            format!("[  5]   {begin}.00-{end}.00   sec  1.09 GBytes  9.36 Gbits/sec    {begin}   2.10 MBytes")
        };
        lines.extend((0..seconds).map(second));
        lines.push("- - - - - - - - - - - - - - - - - - - - - - - - -".to_owned());
        lines.push("[ ID] Interval           Transfer     Bitrate         Retr".to_owned());
        lines.push(format!(
            "[  5]   0.00-{seconds}.00   sec  5.45 GBytes  9.37 Gbits/sec   15             sender"
        ));
        lines.push(format!(
            "[  5]   0.00-{seconds}.00   sec  5.45 GBytes  9.36 Gbits/sec                  receiver"
        ));
        lines
    };
    let alone = |lines: &[String]| {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut payloads: Vec<_> = records(&text)
            .into_iter()
            .map(|record| format!("{:?}", record.payload))
            .collect();
        payloads.sort();
        (payloads, complaints(&text))
    };
    let pings: Vec<String> = ping("gw", 512).lines().map(str::to_owned).collect();
    let transfer = test(5);
    let mut expected = [alone(&pings).0, alone(&transfer).0].concat();
    expected.sort();
    // However many lines of the one stand between those of the other, and whichever begins.
    for step in 1..4 {
        for (first, second) in [(&pings, &transfer), (&transfer, &pings)] {
            let mut mixed = Vec::new();
            let (mut first, mut second) = (first.iter(), second.iter());
            loop {
                let before = mixed.len();
                mixed.extend(first.by_ref().take(step).cloned());
                mixed.extend(second.by_ref().take(1).cloned());
                if mixed.len() == before {
                    break;
                }
            }
            assert_eq!(alone(&mixed), (expected.clone(), 0), "{mixed:#?}");
        }
    }
    // One behind the other they are what they were.
    let text = [pings.clone(), transfer, pings].concat();
    assert_eq!(alone(&text).0.len(), 3);
    assert_eq!(alone(&text).1, 0);
}

#[test]
fn loops_in_quotes() {
    let statistics = |missed| format!("     rx_missed_errors: {missed}\n");
    let (first, second) = (statistics(12), statistics(77));
    let text = format!(
        "[root@dtn1 ~]# for i in eth0 eth1; do echo $i; ethtool -S $i | grep missed; done\neth0\n{first}eth1\n{second}"
    );
    for prefix in ["> ", "> > ", "    ", ">     "] {
        let quoted: String = each_line(prefix, &text)
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(told(&quoted), ["dtn1: eth0 12", "dtn1: eth1 77"], "{quoted}");
        assert_eq!(complaints(&quoted), 0, "{quoted}");
        // What stands below the quote is of nobody.
        let answered = format!("{quoted}Mine:\nNIC statistics:\n{first}");
        assert_eq!(
            told(&answered),
            ["dtn1: eth0 12", "dtn1: eth1 77", ":  12"],
            "{answered}"
        );
    }
}

#[test]
fn names_of_hosts_between_rules() {
    let (one, other) = (ping("gw", 512), ping("gx", 712));
    for length in [15, 16] {
        let rule = "-".repeat(length);
        let heading = |name: &str| format!("{rule}\n{name}\n{rule}\n");
        let text = format!("{}{one}{}{other}", heading("dtn1"), heading("dtn2"));
        assert_eq!(
            told(&text),
            ["dtn1: gw Some(2) 512", "dtn2: gx Some(2) 712"],
            "{text}"
        );
        assert_eq!(complaints(&text), 0, "{text}");
        // Both outputs below a heading are of its host; prose ends it.
        let text = format!("{}{one}{other}That was all.\n{one}", heading("dtn1"));
        assert_eq!(
            told(&text),
            ["dtn1: gw Some(2) 512", "dtn1: gx Some(2) 712", ": gw Some(2) 512"],
            "{text}"
        );
        // Half a heading is none.
        for half in [
            format!("{rule}\ndtn1\n"),
            format!("dtn1\n{rule}\n"),
            format!("{rule}\n\ndtn1\n{rule}\n"),
        ] {
            let text = format!("{half}{one}");
            assert_eq!(
                (told(&text)[0].as_str(), complaints(&text)),
                (": gw Some(2) 512", 1),
                "{text}"
            );
        }
    }
    // Of any other length they stand around anything.
    let text = format!("------\ndtn1\n------\n{one}");
    assert_eq!(
        (told(&text)[0].as_str(), complaints(&text)),
        (": gw Some(2) 512", 1)
    );
}

#[test]
fn filters_that_many_hosts_ran() {
    for typed in [
        "$ clush -w dtn[1-2] \"ethtool -S eth0 | grep missed\"\n",
        "$ pdsh -w dtn[1-2] 'ethtool -S eth0 | grep missed'\n",
    ] {
        let text = format!("{typed}dtn2:      rx_missed_errors: 77\ndtn1:      rx_missed_errors: 12\n");
        assert_eq!(told(&text), ["dtn2: eth0 77", "dtn1: eth0 12"], "{text}");
        assert_eq!(complaints(&text), 0, "{text}");
    }
}

#[test]
fn names_before_lines_are_hosts_or_titles() {
    let (one, other) = (ping("gw", 512), ping("gx", 712));
    let lines = [each_line("dtn1: ", &one), each_line("dtn2: ", &other)].concat();
    let text = lines.join("\n");
    assert_eq!(told(&text), [": gw Some(2) 512", ": gx Some(2) 712"]);
    assert_eq!(complaints(&text), 1);
    let text = format!("$ pdsh -w dtn[1-2] ping -c 2 gw\n{text}");
    assert_eq!((told(&text).len(), complaints(&text)), (2, 0));
}
