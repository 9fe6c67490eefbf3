//! Tables that hosts print beside those that matter, and that bear on nothing here: routes without settings, neighbours,
//! interrupts, time stamps. They are known, so that nobody is told that they are not; a line that is not of their shape ends them.

use super::command::is_only;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::prompt::command_line;

pub(crate) static FORMAT: Format = Format {
    name: "routes, neighbours, interrupts",
    group: Group::Hosts,
    reads: "known, and nothing is recorded: `netstat -r`, `route -n`, `arp`, `ipconfig`, `/proc/net/route`, `/proc/interrupts`, `/proc/softirqs`, `cpupower frequency-info`, `tuned-adm active`, `ethtool -T`, `-n`, `-x`, \
            `-P`, `--show-priv-flags`, `--show-eee`, PAN-OS' `show interface logical`, `show ip route` of Cisco and Arista",
    first: "ACDEIKPRTW?aceghinrt0-9",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            " vsys zone ",
            "Iface\tDestination\t",
            "/proc/net/route",
            "analyzing CPU ",
            "EEE settings for ",
            "Current active profile: ",
            "cpupower",
            "tuned-adm",
            "total configured logical interfaces: ",
            "interface logical",
            "Destination ",
            "Kernel IP",
            "Routing table",
            "Routing entry for ",
            "Codes:",
            "Internet:",
            "Internet6:",
            " Route Table",
            "Interface List",
            " HWtype ",
            ") at ",
            "dev ",
            "dev\t",
            "CPU",
            "-MSI",
            "Time stamping parameters for ",
            "Private flags for ",
            "RX flow hash",
            " RX rings available",
            "Permanent address: ",
            "Windows IP Configuration",
            " adapter ",
            "netstat",
            "route",
            "arp",
            "ipconfig",
            "/proc/interrupts",
            "/proc/softirqs",
            "ethtool",
        ])
    }),
    starts: |line| found(line).is_some() || is_command(line),
    continues: |block, line| {
        let Some(table) = block.lines().take(3).find_map(found) else {
            return line.trim_ascii().is_empty() && block.len() < 3 || found(line).is_some();
        };
        if is_only(block, is_command) {
            return line.trim_ascii().is_empty() || found(line).is_some();
        }
        line.trim_ascii().is_empty()
            && table.has_blanks
            && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
            || !line.trim_ascii().is_empty() && ((table.is_row)(line) || (table.is_head)(line))
    },
    takes_in: None,
    read,
};

/// One of these tables.
struct Table {
    is_head: fn(&str) -> bool,
    is_row: fn(&str) -> bool,
    /// Whether blank lines stand within.
    has_blanks: bool,
}

static TABLES: [Table; 12] = [
    // `/proc/net/route`: the same with its addresses as they stand in memory.
    Table {
        is_head: |line| line.starts_with("Iface\tDestination\tGateway"),
        is_row: |line| {
            let is_hex = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            line.split_ascii_whitespace().skip(1).take(2).all(is_hex)
        },
        has_blanks: false,
    },
    // Links that sleep to save energy.
    Table {
        is_head: |line| line.starts_with("EEE settings for ") && line.trim_ascii_end().ends_with(':'),
        is_row: |line| line.starts_with(['\t', ' ']) && line.contains(": "),
        has_blanks: false,
    },
    // How fast the processors run, and which profile of `tuned` is on.
    Table {
        is_head: |line| line.starts_with("analyzing CPU ") || line.starts_with("Current active profile: "),
        is_row: |line| {
            let has_figures = line.bytes().any(|byte| byte.is_ascii_digit());
            line.starts_with("  ") && (line.contains(": ") || !has_figures)
        },
        has_blanks: false,
    },
    // Routes of Cisco, Arista and others: where a packet goes next, and no measure of it.
    Table {
        is_head: |line| {
            line.starts_with("Routing entry for ")
                || line.starts_with("Source Codes:")
                || line.starts_with("Codes: ") && line.contains(" - local") | line.contains(" - connected")
        },
        is_row: is_of_router,
        has_blanks: true,
    },
    Table {
        is_head: is_routes,
        is_row: is_route,
        has_blanks: true,
    },
    // PAN-OS: zones, routers and addresses of logical interfaces.
    Table {
        is_head: |line| {
            line.starts_with("name ") && line.contains(" vsys zone ") && line.contains(" forwarding ")
                || line.starts_with("total configured logical interfaces: ")
        },
        is_row: |line| {
            let is_rule = line.len() > 40 && line.bytes().all(|byte| matches!(byte, b'-' | b' '));
            is_rule || is_logical(line)
        },
        has_blanks: true,
    },
    Table {
        is_head: |line| line.starts_with("Address ") && line.contains(" HWtype ") || is_neighbour(line),
        is_row: |line| is_neighbour(line) || is_hardware(line),
        has_blanks: false,
    },
    Table {
        is_head: |line| {
            let mut words = line.split_ascii_whitespace();
            let is_head = line.starts_with("  ")
                && words.clone().next().is_some()
                && words.all(|word| word.strip_prefix("CPU").is_some_and(is_number));
            // A filter leaves the rows of a card.
            is_head || line.contains("-MSI") && is_interrupt(line)
        },
        is_row: is_interrupt,
        has_blanks: false,
    },
    Table {
        is_head: |line| {
            line.starts_with("Time stamping parameters for ") && line.trim_ascii_end().ends_with(':')
        },
        is_row: is_stamping,
        has_blanks: true,
    },
    Table {
        is_head: |line| line.starts_with("Private flags for ") && line.trim_ascii_end().ends_with(':'),
        is_row: |line| {
            line.split_once(':')
                .is_some_and(|(_, value)| matches!(value.trim_ascii(), "on" | "off"))
        },
        has_blanks: false,
    },
    Table {
        is_head: |line| {
            line.starts_with("RX flow hash indirection table for ")
                || line.trim_ascii_end().ends_with(" RX rings available")
                    && line.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
                || line.starts_with("Permanent address: ")
        },
        is_row: is_steering,
        has_blanks: true,
    },
    Table {
        is_head: |line| {
            let text = line.trim_ascii_end();
            let begins = || ADAPTERS.iter().any(|kind| line.starts_with(kind));
            text == "Windows IP Configuration" || text.ends_with(':') && begins()
        },
        is_row: |line| {
            line.starts_with(' ')
                && (line.contains(" . ")
                    || line.contains(". :")
                    || line.trim_ascii_end().ends_with(" :")
                    || is_value_alone(line))
                || line.contains(" adapter ") && line.trim_ascii_end().ends_with(':')
        },
        has_blanks: true,
    },
];

/// What stands above the settings of each adapter in `ipconfig`.
const ADAPTERS: [&str; 4] = [
    "Ethernet adapter ",
    "Wireless LAN adapter ",
    "PPP adapter ",
    "Tunnel adapter ",
];

fn found(line: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| (table.is_head)(line))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_command(line: &str) -> bool {
    let typed = command_line(line).map_or(line.trim_ascii(), |typed| typed.command);
    let mut words = typed.split_ascii_whitespace();
    let first = match words.next() {
        Some("sudo") => words.next(),
        first => first,
    };
    let name = first.and_then(|first| first.rsplit('/').next()).unwrap_or("");
    match name {
        "netstat" => words.any(|word| {
            word.strip_prefix('-')
                .is_some_and(|options| options.contains('r') && !options.contains(['s', 'i']))
        }),
        "route" => {
            words.all(|word| matches!(word, "-n" | "-6" | "print" | "PRINT" | "-4" | "-e" | "-ee" | "-v"))
        }
        "cpupower" => words.next() == Some("frequency-info"),
        "tuned-adm" => words.next() == Some("active"),
        "arp" => words.all(|word| word.starts_with('-')),
        "show" => words.next() == Some("interface") && words.next() == Some("logical"),
        "ipconfig" => words.all(|word| word.starts_with('/')),
        "cat" | "grep" | "egrep" | "head" => {
            words.any(|word| matches!(word, "/proc/interrupts" | "/proc/softirqs" | "/proc/net/route"))
        }
        "ethtool" => matches!(
            words.next(),
            Some(
                "-T" | "--show-eee"
                    | "-n"
                    | "-u"
                    | "-x"
                    | "-P"
                    | "--show-priv-flags"
                    | "--show-time-stamping"
            )
        ),
        _ => false,
    }
}

fn is_routes(line: &str) -> bool {
    let line = line.trim_ascii_end();
    let of_columns = line.starts_with("Destination ") && line.contains(" Gateway ")
        || line.starts_with("Destination ") && line.contains(" Next Hop ");
    of_columns
        || matches!(
            line,
            "Kernel IP routing table"
                | "Kernel IPv6 routing table"
                | "Routing tables"
                | "Internet:"
                | "Internet6:"
                | "IPv4 Route Table"
                | "IPv6 Route Table"
                | "Interface List"
        )
        || line.starts_with("Routing Table: IPv")
}

/// What a router says of its routes: the legend, a route, what is known of it, and a way that it takes.
fn is_of_router(line: &str) -> bool {
    const KNOWN: [&str; 16] = [
        "Advertised by ",
        "Known via ",
        "Last update from ",
        "Loading ",
        "MPLS label",
        "No advertising protos",
        "Redistributing via ",
        "Reliability ",
        "Route metric is ",
        "Route tag ",
        "Routing Descriptor Blocks",
        "Tag ",
        "Total delay is ",
        "AS Hops ",
        "Gateway of last resort ",
        "Installed ",
    ];
    let text = line.trim_ascii_start();
    let begins = |beginnings: &[&str]| beginnings.iter().any(|begin| text.starts_with(begin));
    let is_legend = || line.starts_with("   ") && text.contains(" - ") && !text.contains(':');
    let is_way =
        || text.contains("via ") && text.contains(['.', ':']) && text.contains(", ") | text.contains('[');
    let is_net = || text.contains(" directly connected") || text.contains(" subnetted, ");
    begins(&KNOWN) || text.starts_with("* ") || is_legend() || is_way() || is_net()
}

/// A route of any system: a destination, a way, and more words; of Windows the words around its tables.
fn is_route(line: &str) -> bool {
    let line = line.trim_ascii();
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_destination = |word: &str| {
        word == "default"
            || word.starts_with("link#")
            || word.contains(['.', ':'])
            || word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 6
    };
    let is_windows = line.bytes().all(|byte| matches!(byte, b'=' | b'-' | b' '))
        || [
            "Active Routes:",
            "Persistent Routes:",
            "Interface List",
            "None",
            "Network Destination",
            "If Metric",
            "Network Address",
            "IPv4 ",
            "IPv6 ",
        ]
        .iter()
        .any(|words| line.starts_with(words))
        || line.contains("...") && line.starts_with(|first: char| first.is_ascii_digit())
        || line == "On-link";
    is_windows
        || has_flags(&words)
        || words.len() >= 3
            && words
                .first()
                .is_some_and(|word| is_destination(word) || word.contains('/'))
            && words
                .iter()
                .any(|word| word.contains(['.', ':', '/']) || *word == "default")
        || words.len() == 1 && line.contains(['.', ':'])
}

/// `localhost link#2 UH lo0`, `_gateway 0.0.0.0 255.255.255.255 UH 100 0 0 ens33`: no name tells a route, and its flags do.
fn has_flags(words: &[&str]) -> bool {
    let is_flags = |word: &&str| {
        word.starts_with('U') && word.bytes().all(|flag| b"UGHRDMAC!SLWIcimgBb123".contains(&flag))
    };
    let has_figure = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    words.len() > 3 && words.iter().any(has_figure) && words.iter().skip(2).take(2).any(is_flags)
}

/// `? (192.0.2.1) at 02:00:5e:00:53:01 on en0 ifscope [ethernet]`, `192.0.2.1 dev eth0 lladdr 02:… REACHABLE`
fn is_neighbour(line: &str) -> bool {
    let by_arp = line.contains(") at ") && line.contains(" on ") && line.contains(" (");
    let mut words = line.split_ascii_whitespace();
    let by_ip = words.next().is_some_and(|word| word.contains(['.', ':']))
        && words.next() == Some("dev")
        && words.last().is_some_and(|state| {
            matches!(
                state,
                "REACHABLE" | "STALE" | "DELAY" | "PROBE" | "FAILED" | "INCOMPLETE" | "PERMANENT" | "NOARP"
            )
        });
    by_arp || by_ip
}

/// `192.0.2.1   ether   02:00:5e:00:53:01   C   eth0`, and how many they were
fn is_hardware(line: &str) -> bool {
    line.contains(" ether ") || line.contains("(incomplete)") || line.starts_with("Entries: ")
}

/// `ethernet1/1         16    1    outside          vr:default               0      192.0.2.1/24`
fn is_logical(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_named = words
        .next()
        .is_some_and(|name| name.contains(|c: char| c.is_ascii_digit() || c == '.'));
    is_named
        && words.next().is_some_and(is_number)
        && words.next().is_some_and(is_number)
        && words.next().is_some()
}

/// `  24:   1234   0   IR-PCI-MSI 524288-edge   eth0-TxRx-0`
fn is_interrupt(line: &str) -> bool {
    line.trim_ascii_start()
        .split_once(':')
        .is_some_and(|(name, rest)| {
            let is_soft = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
            (name.len() < 8 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                || name.bytes().all(is_soft))
                && rest.split_ascii_whitespace().next().is_some_and(is_number)
        })
}

fn is_stamping(line: &str) -> bool {
    let text = line.trim_ascii();
    line.starts_with([' ', '\t'])
        && (text.contains("TIMESTAMPING_")
            || text.contains("HWTSTAMP_")
            || text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))
        || [
            "Capabilities:",
            "PTP Hardware Clock:",
            "Hardware Transmit Timestamp Modes",
            "Hardware Receive Filter Modes",
            "Hardware timestamp provider",
        ]
        .iter()
        .any(|heading| text.starts_with(heading))
        || text.contains("TIMESTAMPING_")
}

fn is_steering(line: &str) -> bool {
    let text = line.trim_ascii();
    let of_table = text
        .split_once(':')
        .is_some_and(|(place, rest)| is_number(place) && rest.split_ascii_whitespace().all(is_number));
    let is_key = text.len() > 30 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
    of_table
        || is_key
        || [
            "RSS hash key:",
            "RSS hash function:",
            "toeplitz:",
            "xor:",
            "crc32:",
            "Operation not supported",
            "Total ",
            "RSS input transformation",
        ]
        .iter()
        .any(|words| text.starts_with(words))
}

/// A second value of the line above: `                                       192.0.2.53`
fn is_value_alone(line: &str) -> bool {
    let value = line.trim_ascii_start();
    line.len() - value.len() > 30 && value.split_ascii_whitespace().count() == 1
}

fn read(_: &Block, _: &Context, findings: &mut Findings) {
    findings.nothing_to_say();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_from_words() {
        for line in [
            "0.0.0.0         192.0.2.1       0.0.0.0         UG    100    0        0 eth0",
            "default            192.0.2.1          UGSc           en0",
            "  1    331 ::1/128                  On-link",
            "localhost          link#2             UH              lo0",
            "_gateway        0.0.0.0         255.255.255.255 UH    100    0        0 ens33",
        ] {
            assert!(is_route(line), "{line}");
        }
        for line in [
            "zorkmids 4711 of 17",
            "The route is long",
            "it took 3 s",
            "Loss from the US: 3 %.",
        ] {
            assert!(!is_route(line) && found(line).is_none(), "{line}");
        }
        assert!(is_interrupt(
            "  24:   1234   0   IR-PCI-MSI 524288-edge   eth0-TxRx-0"
        ));
        assert!(is_command("$ grep mlx5 /proc/interrupts") && !is_command("$ grep mlx5 /proc/modules"));
        assert!(!is_interrupt("zorkmids 4711 of 17"));
    }
}
