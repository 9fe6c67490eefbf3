#![allow(clippy::unwrap_used)]

use super::*;

fn nodes(text: &str) -> Scenario {
    scenario::parse(text).unwrap()
}

fn network(mtu: u32, expect: &str) -> Scenario {
    nodes(&format!(
        r#"
        title = "two hosts and a router"
        [[host]]
        name = "a.example"
        mtu = {mtu}
        [[host]]
        name = "b.example"
        dns = false
        addresses = ["192.0.2.9"]
        [[router]]
        name = "r.example"
        [[link]]
        a = {{ node = "a.example" }}
        b = {{ node = "r.example" }}
        [[link]]
        a = {{ node = "r.example" }}
        b = {{ node = "b.example" }}
        [run]
        from = "a.example"
        to = "b.example"
        {expect}
        "#
    ))
}

fn lines(scenario: &Scenario, operators: bool, missing: &[&str]) -> Vec<String> {
    let run = scenario.run.as_ref().unwrap();
    let mut nodes = Nodes::of(scenario, run);
    nodes.from.interfaces = vec!["e0".to_owned()];
    let plan = Plan::of(&nodes, operators, missing);
    let jobs = plan.steps.iter().flat_map(|step| &step.jobs);
    jobs.map(|job| format!("{}: {}", job.host, job.command_line()))
        .collect()
}

#[test]
fn every_tool_has_its_place() {
    let network = network(9000, "expect = \"2 Gbit/s\"");
    let lines = lines(&network, true, &[]);
    for expected in [
        "a.example: ip -s link",
        "a.example: ethtool -S e0",
        "b.example: iperf3 -s -1",
        "a.example: iperf3 -c 192.0.2.9 -t 10 -i 1",
        "b.example: ss -tin",
        "a.example: iperf3 -c 192.0.2.9 -t 10 -i 1 -R",
        "a.example: iperf3 -c 192.0.2.9 -u -b 100M -t 10 -i 1",
        "a.example: iperf3 -c 192.0.2.9 -u -b 200M -t 10 -i 1",
        "a.example: nuttcp -T10 -i1 192.0.2.9",
        "b.example: ping -c 20 a.example",
        "a.example: ping -M do -s 1472 -c 5 192.0.2.9",
        "a.example: ping -M do -s 8972 -c 5 192.0.2.9",
        "b.example: traceroute a.example",
        "a.example: tracepath -l 9000 192.0.2.9",
        "a.example: tracepath -l 1500 192.0.2.9",
        "b.example: tracepath a.example",
        "b.example: mtr -rwc 20 a.example",
        "b.example: nstat -as",
        "r.example: ip -s link",
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected}: {lines:#?}"
        );
    }
    // The end whose interface takes 1500 bytes sends no larger packets.
    assert!(
        !lines
            .iter()
            .any(|line| line.starts_with("b.example: ping -M do -s 8972"))
    );
    assert!(
        !lines
            .iter()
            .any(|line| line.starts_with("b.example: tracepath -l"))
    );
}

#[test]
fn transfers_come_before_sizes() {
    let lines = lines(&network(9000, ""), false, &[]);
    let place = |word: &str| lines.iter().position(|line| line.contains(word)).unwrap();
    let last = |word: &str| lines.iter().rposition(|line| line.contains(word)).unwrap();
    assert!(last("iperf3") < place("ping -M do") && last("nuttcp") < place("tracepath"));
    assert!(
        !lines.iter().any(|line| line.starts_with("r.example")),
        "nobody asked its operator"
    );
}

#[test]
fn nothing_runs_where_nobody_sits() {
    let lines = lines(&network(1500, "far_end = false"), false, &[]);
    assert!(
        lines.iter().all(|line| line.starts_with("a.example: ")),
        "{lines:#?}"
    );
    let tools = lines
        .iter()
        .filter(|line| line.contains("iperf3") || line.contains("ss ") || line.contains("nuttcp"));
    assert_eq!(tools.count(), 0, "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("mtr")));
}

#[test]
fn what_is_missing_is_left_out_with_its_server() {
    let network = network(1500, "expect = \"1500 kbit/s\"");
    let lines = lines(&network, false, &["nuttcp", "mtr"]);
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("nuttcp") || line.contains("mtr"))
    );
    let run = network.run.as_ref().unwrap();
    let plan = Plan::of(&Nodes::of(&network, run), false, &["iperf3"]);
    let jobs = || plan.steps.iter().flat_map(|step| &step.jobs);
    assert!(jobs().all(|job| job.program != "iperf3" && job.program != "ss"));
    assert!(
        jobs().all(|job| !job.program.is_empty()),
        "every program is a known tool"
    );
    assert!(lines.iter().any(|line| line.contains("-b 750K")), "{lines:#?}");
}

#[test]
fn sizes_tell_something_on_every_interface() {
    assert_eq!(sizes(1500), [1400, 1500]);
    assert_eq!(sizes(1280), [] as [u32; 0]);
    assert_eq!(sizes(9000), [1400, 1500, 1600, 5250, 9000]);
    assert_eq!(sizes(1600), [1400, 1500, 1550, 1600]);
}

#[test]
fn labels_are_told_apart() {
    let network = network(9000, "");
    let run = network.run.as_ref().unwrap();
    let plan = Plan::of(&Nodes::of(&network, run), true, &[]);
    let jobs = plan.steps.iter().flat_map(|step| &step.jobs);
    let mut labels: Vec<&String> = jobs.filter_map(|job| job.label.as_ref()).collect();
    let all = labels.len();
    labels.sort();
    labels.dedup();
    assert_eq!(labels.len(), all);
}
