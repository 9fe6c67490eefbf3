//! Tables of `netsh` and of PowerShell: a row an interface, whose name may hold blanks.

use evidence::{CounterKind, Interface, InterfaceCounters, RateBps};
use std::collections::BTreeMap;

/// Tables, as their columns are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// `   MTU  MediaSenseState   Bytes In  Bytes Out  Interface`
    Subinterfaces,
    /// `Idx     Met         MTU          State                Name`
    Interfaces,
    /// `Name   ReceivedBytes ReceivedUnicastPackets       SentBytes SentUnicastPackets`
    Statistics,
    /// `Name  InterfaceDescription  ifIndex Status  MacAddress  LinkSpeed`: where the second column begins. A name that is
    /// shortened to fit fills its own to the last letter but one.
    Adapters { description: usize },
}

pub(super) fn table(line: &str) -> Option<Table> {
    const HEADS: [(&[&str], Table); 4] = [
        (
            &[
                "MTU",
                "MediaSenseState",
                "Bytes",
                "In",
                "Bytes",
                "Out",
                "Interface",
            ],
            Table::Subinterfaces,
        ),
        (&["Idx", "Met", "MTU", "State", "Name"], Table::Interfaces),
        (
            &[
                "Name",
                "ReceivedBytes",
                "ReceivedUnicastPackets",
                "SentBytes",
                "SentUnicastPackets",
            ],
            Table::Statistics,
        ),
        (
            &[
                "Name",
                "InterfaceDescription",
                "ifIndex",
                "Status",
                "MacAddress",
                "LinkSpeed",
            ],
            Table::Adapters { description: 0 },
        ),
    ];
    let known = HEADS
        .iter()
        .find(|(words, _)| line.split_ascii_whitespace().eq(words.iter().copied()));
    let Some((_, table)) = known else {
        return abroad(line);
    };
    Some(match table {
        Table::Adapters { .. } => Table::Adapters {
            description: line.find("InterfaceDescription")?,
        },
        table => *table,
    })
}

/// The same of netsh in another language, where what stands first is the same: `   MTU  Medienerkennungsstatus   Bytes eingehend  …`.
fn abroad(line: &str) -> Option<Table> {
    let mut words = line.split_ascii_whitespace();
    let has_figures = line.bytes().any(|byte| byte.is_ascii_digit() || byte == b':');
    let count = words.clone().count();
    match (words.next()?, words.next()?, words.next()?) {
        _ if has_figures => None,
        ("MTU", ..) if count > 4 && line.starts_with("   MTU  ") => Some(Table::Subinterfaces),
        ("Idx", "Met", "MTU") if count == 5 => Some(Table::Interfaces),
        _ => None,
    }
}

/// What a row says of one interface.
pub(super) fn row(table: Table, line: &str) -> Option<InterfaceCounters> {
    let mut interface = InterfaceCounters::default();
    // The largest number stands for "as large as it likes".
    let mtu = |word: &str| word.parse::<u32>().ok().filter(|mtu| *mtu > 0 && *mtu < u32::MAX);
    match table {
        Table::Subinterfaces => {
            let (figures, name) = leading(line, 4)?;
            let [mtu_word, media, received, sent] = figures.as_slice() else {
                return None;
            };
            name.clone_into(&mut interface.interface);
            mtu_word.parse::<u32>().ok()?;
            interface.mtu_bytes = mtu(mtu_word);
            // NDIS: 1 is connected, 2 disconnected, and 5 never told.
            interface.up = match *media {
                "1" => Some(true),
                "2" => Some(false),
                _ => None,
            };
            media.parse::<u32>().ok()?;
            interface
                .counters
                .insert(CounterKind::InputBytes, received.parse().ok()?);
            interface
                .counters
                .insert(CounterKind::OutputBytes, sent.parse().ok()?);
        }
        Table::Interfaces => {
            let (words, name) = leading(line, 4)?;
            let [index, metric, mtu_word, state] = words.as_slice() else {
                return None;
            };
            index
                .parse::<u32>()
                .and(metric.parse::<u32>())
                .and(mtu_word.parse::<u32>())
                .ok()?;
            name.clone_into(&mut interface.interface);
            interface.mtu_bytes = mtu(mtu_word);
            interface.up = match *state {
                "connected" => Some(true),
                "disconnected" => Some(false),
                _ => return None,
            };
        }
        Table::Statistics => {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let [name @ .., received, received_packets, sent, sent_packets] = words.as_slice() else {
                return None;
            };
            if name.is_empty() {
                return None;
            }
            interface.interface = name.join(" ");
            interface
                .counters
                .insert(CounterKind::InputBytes, received.parse().ok()?);
            interface
                .counters
                .insert(CounterKind::OutputBytes, sent.parse().ok()?);
            // Those to one address alone are not all packets.
            interface.other.insert(
                "ReceivedUnicastPackets".to_owned(),
                received_packets.parse().ok()?,
            );
            interface
                .other
                .insert("SentUnicastPackets".to_owned(), sent_packets.parse().ok()?);
        }
        Table::Adapters { description } => return adapter(line, description),
    }
    Some(interface)
}

/// So many words, and the rest of the line: names of interfaces hold blanks.
fn leading(line: &str, count: usize) -> Option<(Vec<&str>, &str)> {
    let mut rest = line.trim_ascii();
    let mut words = Vec::new();
    for _ in 0..count {
        let (word, behind) = rest.split_once([' ', '\t'])?;
        words.push(word);
        rest = behind.trim_ascii_start();
    }
    (!rest.is_empty()).then_some((words, rest))
}

/// `Ethernet   Intel(R) Ethernet Connection X722   12 Up   02-00-5E-00-53-01   10 Gbps`: read from its end, as a description
/// holds blanks and figures.
fn adapter(line: &str, description: usize) -> Option<InterfaceCounters> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mac = words
        .iter()
        .rposition(|word| word.len() == 17 && word.bytes().filter(|byte| *byte == b'-').count() == 5)?;
    let (up, index) = match words.get(..mac)? {
        [.., index, "Up"] => (true, index),
        [.., index, "Disconnected" | "Disabled"] | [.., index, "Not", "Present"] => (false, index),
        _ => return None,
    };
    index.parse::<u32>().ok()?;
    let mut interface = InterfaceCounters {
        interface: first_column(line, description)?.to_owned(),
        up: Some(up),
        ..InterfaceCounters::default()
    };
    if let [number, unit] = words.get(mac + 1..)? {
        interface.bandwidth_bps = link_speed(number, unit).filter(|rate| rate.0 > 0.0);
    }
    Some(interface)
}

/// Whether a list of properties is that of an adapter, as `Get-NetAdapter | Format-List` makes it.
pub(super) fn is_adapter(has: impl Fn(&str) -> bool) -> bool {
    // The speed of a link is that of an adapter, whichever columns somebody chose beside it.
    let is_named = || ["Name", "ifAlias", "InterfaceAlias"].iter().any(|key| has(key));
    // So is what each of `-Rss`, `-Rsc` and `-Lso` alone has.
    let is_offload = || OFFLOADS.iter().any(|(own, ..)| has(own));
    (has("LinkSpeed") || is_offload()) && is_named()
        || has("InterfaceDescription")
            && [
                "LinkSpeed",
                "Status",
                "MediaConnectionState",
                "NumberOfReceiveQueues",
            ]
            .iter()
            .any(|key| has(key))
}

/// What such a list says. `MtuSize` counts the head of the frame with some drivers, and is kept in the maker's words.
pub(super) fn listed_adapter(name: &str, values: &BTreeMap<String, String>) -> InterfaceCounters {
    let text = |key: &str| values.get(key).map(String::as_str);
    let mut interface = InterfaceCounters {
        interface: name.to_owned(),
        ..InterfaceCounters::default()
    };
    // What IP sends at most; the largest number stands for "as large as it likes".
    interface.mtu_bytes = text("NlMtu(Bytes)")
        .or(text("NlMtu"))
        .and_then(|mtu| mtu.parse().ok())
        .filter(|mtu| (1..u32::MAX).contains(mtu));
    let state = text("Status")
        .or(text("MediaConnectionState"))
        .or(text("ConnectionState"));
    interface.up = match state {
        Some("Up" | "Connected") => Some(true),
        Some("Disconnected" | "Disabled" | "Not Present") => Some(false),
        _ => None,
    };
    // Windows 8 and Server 2012 have the unit in the name: `LinkSpeed(Gbps) : 10`.
    let by_name = || {
        let (key, number) = values.iter().find(|(key, _)| key.starts_with("LinkSpeed("))?;
        let unit = key.strip_prefix("LinkSpeed(")?.strip_suffix(')')?;
        Some((number.as_str(), unit))
    };
    interface.bandwidth_bps = text("LinkSpeed")
        .and_then(|speed| speed.split_once(' '))
        .or_else(by_name)
        .and_then(|(number, unit)| link_speed(number, unit))
        .filter(|rate| rate.0 > 0.0);
    // `False` is also what radios and links that are down say.
    interface.duplex = (text("FullDuplex") == Some("True")).then(|| "full".to_owned());
    for key in ["MtuSize", "DriverInformation", "DriverVersion", "VlanID"] {
        if let Some(value) = text(key).filter(|value| !value.is_empty()) {
            interface.settings.insert(key.to_owned(), value.to_owned());
        }
    }
    interface
}

/// What `Get-NetAdapterRss`, `-Rsc` and `-Lso` say: a property that each of them alone has, and those that are kept.
const OFFLOADS: [(&str, &str, &[&str]); 3] = [
    (
        "NumberOfReceiveQueues",
        "rss",
        &["Enabled", "NumberOfReceiveQueues", "Profile", "MaxProcessors"],
    ),
    (
        "IPv4FailureReason",
        "rsc",
        &[
            "IPv4Enabled",
            "IPv6Enabled",
            "IPv4FailureReason",
            "IPv6FailureReason",
        ],
    ),
    (
        "V1IPv4Enabled",
        "lso",
        &["Version", "V1IPv4Enabled", "IPv4Enabled", "IPv6Enabled"],
    ),
];

/// What an adapter does for the processor, where that is what the properties say.
pub(super) fn offloads_of(name: &str, values: &BTreeMap<String, String>) -> Option<Interface> {
    let (_, of, keys) = OFFLOADS.iter().find(|(own, ..)| values.contains_key(*own))?;
    let told = keys.iter().filter_map(|key| {
        let value = values.get(*key).filter(|value| !value.is_empty())?;
        Some((format!("{of}.{key}"), value.clone()))
    });
    Some(Interface {
        name: name.to_owned(),
        other: told.collect(),
        ..Interface::default()
    })
}

/// What stands in front of the column that begins behind so many letters, if one begins there. PowerShell 7 shortens with a
/// single letter, of several bytes.
fn first_column(line: &str, letters: usize) -> Option<&str> {
    let (end, _) = line.char_indices().nth(letters)?;
    let (first, second) = line.split_at_checked(end)?;
    let is_apart = first.ends_with(' ') && !second.starts_with(' ');
    Some(first.trim_ascii_end()).filter(|first| is_apart && !first.is_empty() && !first.contains("  "))
}

/// `10 Gbps`, `866.7 Mbps`
fn link_speed(number: &str, unit: &str) -> Option<RateBps> {
    let scale = match unit {
        "Gbps" => 1e9,
        "Mbps" => 1e6,
        "Kbps" => 1e3,
        "bps" => 1.0,
        _ => return None,
    };
    number
        .parse::<f64>()
        .ok()
        .filter(|rate| rate.is_finite())
        .map(|rate| RateBps(rate * scale))
}
