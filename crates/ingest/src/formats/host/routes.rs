//! `ip route` and `ip tcp_metrics`: settings that hold for some destinations alone, which no setting of the host shows.

use super::command::{arguments, facts, is_interface};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "ip route, ip tcp_metrics",
    group: Group::Hosts,
    reads: "routes with an MTU, a window, a congestion window or a congestion control of their own; what the kernel \
            remembers of destinations",
    first: "0-9a-f:idulbptm",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "dev ",
            "blackhole ",
            "unreachable ",
            "prohibit ",
            "throw ",
            "default proto ",
            "default nhid ",
            " age ",
            "ip ",
            "ip\t",
        ])
    }),
    starts: |line| is_route(line) || metrics(line).is_some() || is_command(line),
    continues: |_, line| {
        is_route(line) || metrics(line).is_some() || is_cache(line) || line.starts_with("\tnexthop ")
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    arguments(line, "ip").is_some_and(|mut words| {
        words.find(|word| !word.starts_with('-')).is_some_and(|object| {
            matches!(
                object,
                "r" | "ro" | "route" | "tcp_metrics" | "tcpmetrics" | "tcp_metric"
            )
        })
    })
}

/// The words in front of a destination: `unicast`, `local`.
fn behind_type(line: &str) -> &str {
    [
        "unicast ",
        "local ",
        "broadcast ",
        "blackhole ",
        "unreachable ",
        "prohibit ",
        "throw ",
        "anycast ",
        "multicast ",
    ]
    .iter()
    .find_map(|kind| line.strip_prefix(kind))
    .unwrap_or(line)
}

/// `198.51.100.0/24 via 192.0.2.9 dev eth0 mtu lock 1400 …`, `default via …`: the destination and the words behind it.
fn route(line: &str) -> Option<(&str, &str)> {
    let (destination, rest) = behind_type(line).split_once(' ')?;
    let address = destination.split('/').next()?;
    let known = destination == "default" || address.parse::<std::net::IpAddr>().is_ok();
    let second = rest.split_ascii_whitespace().next()?;
    let leads = matches!(second, "via" | "dev" | "from" | "nhid" | "proto") && rest.contains("dev ");
    // `unreachable default metric 4278198272`: to nowhere.
    let is_nowhere = ["blackhole ", "unreachable ", "prohibit ", "throw "]
        .iter()
        .any(|kind| line.starts_with(kind))
        && matches!(second, "metric" | "proto" | "dev" | "scope" | "table");
    (known && (leads || is_nowhere)).then_some((destination, rest))
}

fn is_route(line: &str) -> bool {
    // A route by several ways has them on lines of their own.
    let is_several = line.starts_with("default proto ") || line.starts_with("default nhid ");
    route(line).is_some() || is_several && !line.contains(" dev ")
}

/// `192.0.2.7 age 0.312sec cwnd 22 rtt 377us rttvar 682us source 192.0.2.1`
fn metrics(line: &str) -> Option<(&str, &str)> {
    let (destination, rest) = line.split_once(' ')?;
    destination.parse::<std::net::IpAddr>().ok()?;
    rest.starts_with("age ")
        .then_some((destination, rest.trim_ascii()))
}

/// What `ip route get` prints below the route.
fn is_cache(line: &str) -> bool {
    line.strip_prefix("    ")
        .is_some_and(|rest| rest.trim_ascii_end() == "cache" || rest.starts_with("cache "))
}

/// Words that settings begin with, each with a value, perhaps behind `lock`.
const SETTINGS: [&str; 18] = [
    "mtu",
    "advmss",
    "window",
    "rtt",
    "rttvar",
    "ssthresh",
    "cwnd",
    "initcwnd",
    "initrwnd",
    "rto_min",
    "quickack",
    "congctl",
    "reordering",
    "hoplimit",
    "features",
    "fastopen_no_cookie",
    "expires",
    "realm",
];

/// The settings among the words of a route, in its words; none for a route that has none.
fn settings(words: &str) -> Vec<String> {
    let mut words = words.split_ascii_whitespace();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        if SETTINGS.contains(&word) {
            let value = match words.next() {
                Some("lock") => format!("lock {}", words.next().unwrap_or("")),
                value => value.unwrap_or("").to_owned(),
            };
            found.push(format!("{word} {value}").trim_ascii_end().to_owned());
        }
    }
    found
}

/// The interface that a route leads by.
fn interface(words: &str) -> Option<&str> {
    let mut words = words.split_ascii_whitespace();
    words.find(|word| *word == "dev")?;
    words.next().filter(|name| is_interface(name))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut given = Given::default();
    let (mut understood, mut is_cached) = (false, false);
    let mut last: Option<(String, Vec<String>, u64)> = None;
    let mut close = |last: Option<(String, Vec<String>, u64)>, findings: &mut Findings| {
        if let Some((name, settings, number)) = last
            && !settings.is_empty()
        {
            given.put(findings, number, name, settings.join(" "));
        }
    };
    for (number, line) in block.numbered() {
        if let Some((destination, rest)) = metrics(line) {
            understood = true;
            let kept = ["cwnd", "ssthresh", "rtt", "rttvar", "reordering"];
            let pairs: Vec<&str> = rest.split_ascii_whitespace().collect();
            let told = pairs
                .chunks(2)
                .filter(|pair| pair.first().is_some_and(|name| kept.contains(name)));
            let told: Vec<String> = told.map(|pair| pair.join(" ")).collect();
            close(
                last.replace((format!("metrics {destination}"), told, number)),
                findings,
            );
        } else if is_cache(line) {
            match last.as_mut() {
                // Two of them: the route of one is lost, and nobody knows which one.
                Some(_) if is_cached => {
                    last = None;
                    findings.complain(number, "settings of a route that is not named");
                }
                Some((_, settled, _)) => settled.extend(settings(line)),
                None => findings.unread(number, line),
            }
            is_cached = true;
        } else if let Some((destination, rest)) = route(line) {
            (understood, is_cached) = (true, false);
            let by = interface(rest)
                .map(|name| format!(" dev {name}"))
                .unwrap_or_default();
            close(
                last.replace((format!("{destination}{by}"), settings(rest), number)),
                findings,
            );
        } else if line.starts_with("\tnexthop ") || is_route(line) {
            understood = true;
        } else if number != block.first_line {
            findings.unread(number, line);
        }
    }
    close(last.take(), findings);
    let routes = given.into_values();
    if routes.is_empty() {
        if understood {
            findings.nothing_to_say();
        }
        return;
    }
    let facts = HostFacts {
        routes,
        ..facts(block)
    };
    findings.record(block, "ip", context.at, Payload::HostFacts(facts));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_and_their_settings() {
        let line = "198.51.100.0/24 via 192.0.2.9 dev eth0 mtu lock 1400 advmss 1360 initcwnd 20 rto_min lock 50ms congctl cubic ";
        let (destination, rest) = route(line).unwrap();
        assert_eq!((destination, interface(rest)), ("198.51.100.0/24", Some("eth0")));
        assert_eq!(
            settings(rest).join(" "),
            "mtu lock 1400 advmss 1360 initcwnd 20 rto_min lock 50ms congctl cubic"
        );
        for prose in [
            "default settings dev",
            "192.0.2.1 is slow via dev eth0",
            "a via b dev c",
            "1 192.0.2.1 via dev",
        ] {
            assert!(!is_route(prose), "{prose}");
        }
    }
}
