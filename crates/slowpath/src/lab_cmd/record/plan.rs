//! Which tools are run where, and in which order.
//!
//! Transfers come before packets of set sizes, as in a diagnosis: a size probe that draws "fragmentation needed" teaches
//! the kernel a path MTU, and the transfer that follows would no longer meet the fault.

use scenario::{Family, NodeId, Run, Scenario};
use std::net::IpAddr;
use std::time::Duration;

/// Every tool that a set may hold.
pub(super) const TOOLS: &[&str] = &[
    "ip",
    "ethtool",
    "iperf3",
    "ss",
    "nuttcp",
    "ping",
    "traceroute",
    "tracepath",
    "mtr",
    "nstat",
];

/// How long a transfer is.
const TRANSFER_S: u64 = 10;
/// When the sockets are looked at: the start-up of TCP is over, and the transfer is not.
const LOOK_AT_SOCKETS: Duration = Duration::from_secs(6);
/// A person waits so long for a tool, then presses Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(60);
/// tracepath waits three seconds at each of up to thirty hops that do not answer.
const PATIENCE_WITH_TRACES: Duration = Duration::from_secs(150);
/// No UDP test is faster: beyond it a machine with two cores that has other work reads late, and what its hosts drop
/// looks like loss on the path.
const FASTEST_UDP_BPS: u64 = 200_000_000;
/// The rate of UDP tests where nobody said what is expected.
const UNASKED_BPS: u64 = 10_000_000;
/// The IP packet that Ethernet carries unless somebody set it up otherwise.
const ETHERNET_BYTES: u32 = 1500;
/// Replies and large packets are asked for so many times.
const PINGS: &str = "20";
const SIZED_PINGS: &str = "5";

/// An end of the complaint.
pub(super) struct Host<'a> {
    pub(super) name: &'a str,
    /// What a person types to reach it: its name, or an address where it has none in DNS.
    target: String,
    family: Family,
    /// The MTU of its own interface.
    mtu_bytes: u32,
    /// Its interfaces but the loopback.
    pub(super) interfaces: Vec<String>,
}

impl<'a> Host<'a> {
    fn of(scenario: &'a Scenario, id: NodeId) -> Self {
        let node = scenario.node(id);
        let address = scenario.addresses_of(id).first().copied();
        let ends = scenario.links.iter().flat_map(|link| &link.ends);
        Self {
            name: &node.name,
            target: match address {
                Some(address) if !node.in_dns => address.to_string(),
                _ => node.name.clone(),
            },
            family: match address {
                Some(IpAddr::V6(_)) => Family::V6,
                _ => Family::V4,
            },
            mtu_bytes: ends
                .filter(|end| end.node == id)
                .map(|end| end.mtu_bytes)
                .max()
                .unwrap_or(ETHERNET_BYTES),
            interfaces: Vec::new(),
        }
    }
}

/// Where tools are run.
pub(super) struct Nodes<'a> {
    pub(super) from: Host<'a>,
    pub(super) to: Host<'a>,
    routers: Vec<&'a str>,
    expected_bps: Option<u64>,
    /// Whether somebody at the receiver runs tools, too.
    far_end: bool,
}

impl<'a> Nodes<'a> {
    pub(super) fn of(scenario: &'a Scenario, run: &Run) -> Self {
        let routers = scenario.nodes.iter().filter(|n| n.role == scenario::Role::Router);
        Self {
            from: Host::of(scenario, run.from),
            to: Host::of(scenario, run.to),
            routers: routers.map(|n| n.name.as_str()).collect(),
            expected_bps: run.expect_bps,
            far_end: run.far_end,
        }
    }

    /// The ends at which tools are run, each with its peer.
    fn ends(&self) -> impl Iterator<Item = (&'static str, &Host<'a>, &Host<'a>)> {
        let far = self.far_end.then_some(("to", &self.to, &self.from));
        std::iter::once(("from", &self.from, &self.to)).chain(far)
    }
}

/// One command on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) host: String,
    pub(super) program: &'static str,
    pub(super) arguments: Vec<String>,
    /// The middle of the file's name; `None` for output that nobody keeps.
    pub(super) label: Option<String>,
    /// How long after the step began it is typed.
    pub(super) after: Duration,
    /// When it is interrupted.
    pub(super) patience: Duration,
    /// It serves the others, which are not started before it listens on this TCP port, and ends with them.
    pub(super) listens_on: Option<u16>,
    pub(super) by_operator: bool,
}

impl Job {
    fn new(host: &str, line: &str, label: String) -> Self {
        let mut words = line.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        Self {
            host: host.to_owned(),
            program: TOOLS
                .iter()
                .copied()
                .find(|tool| *tool == name)
                .unwrap_or_default(),
            arguments: words.map(str::to_owned).collect(),
            label: Some(label),
            after: Duration::ZERO,
            patience: PATIENCE,
            listens_on: None,
            by_operator: false,
        }
    }

    fn serving(self, port: u16) -> Self {
        Self {
            listens_on: Some(port),
            ..self
        }
    }

    /// The command as it was typed.
    pub(super) fn command_line(&self) -> String {
        format!("{} {}", self.program, self.arguments.join(" "))
    }
}

/// Commands that run at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) what: String,
    pub(super) jobs: Vec<Job>,
}

/// Everything in its order.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
}

impl Plan {
    /// What is done for these nodes without the tools that are `missing`.
    pub(super) fn of(nodes: &Nodes<'_>, operators: bool, missing: &[&str]) -> Self {
        let mut steps = vec![counters(nodes, operators, "before")];
        // Nobody serves iperf3 where nobody of ours sits.
        if nodes.far_end {
            steps.extend(transfers(nodes));
        }
        steps.extend(probes(nodes));
        steps.push(counters(nodes, operators, "after"));
        // Without it nobody can tell datagrams that a busy host dropped from those that the path lost.
        steps.push(at_both(nodes, "nstat", |_, _| "nstat -as".to_owned()));
        for step in &mut steps {
            step.jobs.retain(|job| !missing.contains(&job.program));
        }
        // A server alone serves nobody, and sockets without a transfer show nothing.
        steps.retain(|step| {
            step.jobs
                .iter()
                .any(|job| job.listens_on.is_none() && job.program != "ss")
        });
        Self { steps }
    }
}

fn counters(nodes: &Nodes<'_>, operators: bool, when: &str) -> Step {
    let mut jobs = Vec::new();
    for (end, host, _) in nodes.ends() {
        jobs.push(Job::new(host.name, "ip -s link", format!("ip-link-{end}-{when}")));
        for interface in &host.interfaces {
            let line = format!("ethtool -S {interface}");
            jobs.push(Job::new(
                host.name,
                &line,
                format!("ethtool-{end}-{interface}-{when}"),
            ));
        }
    }
    for (number, router) in (1..).zip(nodes.routers.iter().filter(|_| operators)) {
        let label = format!("ip-link-router{number}-{when}");
        jobs.push(Job {
            by_operator: true,
            ..Job::new(router, "ip -s link", label)
        });
    }
    Step {
        what: format!("counters {when}"),
        jobs,
    }
}

fn transfers(nodes: &Nodes<'_>) -> Vec<Step> {
    let expected_bps = nodes.expected_bps.unwrap_or(UNASKED_BPS).min(FASTEST_UDP_BPS);
    let all = in_kilobits(expected_bps);
    let half = in_kilobits(expected_bps / 2);
    let tcp = format!("-t {TRANSFER_S} -i 1");
    let mut steps = vec![iperf3(nodes, "TCP forward", "iperf3-tcp", &tcp)];
    for (end, host, _) in nodes.ends() {
        steps[0].jobs.push(Job {
            after: LOOK_AT_SOCKETS,
            ..Job::new(host.name, "ss -tin", format!("ss-{end}"))
        });
    }
    let reverse = format!("{tcp} -R");
    steps.push(iperf3(nodes, "TCP reverse", "iperf3-tcp-reverse", &reverse));
    for (what, label, rate, reverse) in [
        ("UDP at half of the expected rate", "iperf3-udp-half", &half, ""),
        ("UDP at the expected rate", "iperf3-udp", &all, ""),
        (
            "UDP reverse at half of the expected rate",
            "iperf3-udp-reverse",
            &half,
            " -R",
        ),
    ] {
        let options = format!("-u -b {rate} {tcp}{reverse}");
        steps.push(iperf3(nodes, what, label, &options));
    }
    steps.push(nuttcp(nodes));
    steps
}

/// iperf3 takes powers of ten here.
fn in_kilobits(bps: u64) -> String {
    if bps.is_multiple_of(1_000_000) {
        format!("{}M", bps / 1_000_000)
    } else {
        format!("{}K", bps.div_ceil(1000))
    }
}

fn iperf3(nodes: &Nodes<'_>, what: &str, label: &str, options: &str) -> Step {
    let line = format!("iperf3 -c {} {options}", nodes.to.target);
    Step {
        what: format!("iperf3 {what}"),
        jobs: vec![
            Job::new(nodes.to.name, "iperf3 -s -1", format!("{label}-server")).serving(5201),
            Job::new(nodes.from.name, &line, format!("{label}-client")),
        ],
    }
}

/// Its server says nothing that its client does not.
fn nuttcp(nodes: &Nodes<'_>) -> Step {
    let server = Job {
        label: None,
        ..Job::new(nodes.to.name, "nuttcp -1 --nofork", String::new()).serving(5000)
    };
    let line = format!("nuttcp -T{TRANSFER_S} -i1 {}", nodes.to.target);
    Step {
        what: "nuttcp TCP forward".to_owned(),
        jobs: vec![server, Job::new(nodes.from.name, &line, "nuttcp".to_owned())],
    }
}

fn probes(nodes: &Nodes<'_>) -> Vec<Step> {
    let mut steps = vec![at_both(nodes, "ping", |_, peer| {
        format!("ping -c {PINGS} {}", peer.target)
    })];
    let largest = nodes.from.mtu_bytes.max(nodes.to.mtu_bytes);
    for bytes in sizes(largest) {
        let step = at_both(nodes, &format!("ping-df-{bytes}"), |host, peer| {
            let payload = bytes - headers(peer.family);
            // Nobody sends more than the own interface takes: the tool would refuse.
            if bytes > host.mtu_bytes {
                return String::new();
            }
            format!("ping -M do -s {payload} -c {SIZED_PINGS} {}", peer.target)
        });
        steps.push(step);
    }
    steps.push(at_both(nodes, "traceroute", |_, peer| {
        format!("traceroute {}", peer.target)
    }));
    // The size is told where it is not Ethernet's: without it tracepath begins with the path MTU that the transfers taught
    // the kernel, and does not see where larger packets end.
    steps.push(at_both(nodes, "tracepath", |host, peer| {
        if host.mtu_bytes > ETHERNET_BYTES {
            format!("tracepath -l {} {}", host.mtu_bytes, peer.target)
        } else {
            format!("tracepath {}", peer.target)
        }
    }));
    if largest > ETHERNET_BYTES {
        steps.push(at_both(nodes, "tracepath-1500", |host, peer| {
            if host.mtu_bytes > ETHERNET_BYTES {
                format!("tracepath -l {ETHERNET_BYTES} {}", peer.target)
            } else {
                String::new()
            }
        }));
    }
    // One after the other: together they would drain a router's limit on answers that each alone stays below.
    let mtr = at_both(nodes, "mtr", |_, peer| {
        format!("mtr -rwc {PINGS} {}", peer.target)
    });
    steps.extend(mtr.jobs.into_iter().map(|job| Step {
        what: format!("mtr at {}", job.host),
        jobs: vec![job],
    }));
    steps
}

/// IP packets that tell something: below Ethernet's size, as large, a little larger, half way up, as large as can be.
fn sizes(largest: u32) -> Vec<u32> {
    let mut sizes = vec![1400, ETHERNET_BYTES];
    if largest > ETHERNET_BYTES {
        sizes.extend([1600, (ETHERNET_BYTES + largest) / 2, largest]);
    }
    sizes.retain(|bytes| *bytes <= largest);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// IP and ICMP.
fn headers(family: Family) -> u32 {
    match family {
        Family::V4 => 28,
        Family::V6 => 48,
    }
}

/// The same at both ends at once. Without a command line nothing is done at that end.
fn at_both(nodes: &Nodes<'_>, label: &str, line: impl Fn(&Host<'_>, &Host<'_>) -> String) -> Step {
    let job = |(end, host, peer): (&str, &Host<'_>, &Host<'_>)| {
        let line = line(host, peer);
        let patience = if line.starts_with("trace") {
            PATIENCE_WITH_TRACES
        } else {
            PATIENCE
        };
        (!line.is_empty()).then(|| Job {
            patience,
            ..Job::new(host.name, &line, format!("{label}-{end}"))
        })
    };
    Step {
        what: label.replace('-', " "),
        jobs: nodes.ends().filter_map(job).collect(),
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
