//! What may stand in the places of patterns, by their names: `{if}` an interface, `{state}` what it is said to be.

use super::cut::figure;
use super::pattern::SETTING;
use crate::text::split_once;

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(' ')
}

/// What can stand in a place of this name.
pub(super) fn fitting(field: &str) -> fn(&str) -> bool {
    match field {
        "*" => |_| true,
        "w" | "mark" | "held-mark" | "in-held" | "out-held" | "name" | "label" => is_word,
        // Of a stack the slot stands before it.
        // A subinterface of SR Linux.
        "srl" => |value| {
            const KINDS: [&str; 6] = ["ethernet-", "irb", "lag", "lo", "mgmt", "system"];
            let unit = value.rsplit_once('.').map(|(_, unit)| unit);
            unit.is_some_and(|unit| figure(unit).is_some())
                && KINDS.iter().any(|kind| value.starts_with(kind))
        },
        "exos" => |value| {
            let mut numbers = value.split(':');
            let are_digits =
                |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            numbers.by_ref().take(2).all(are_digits) && numbers.next().is_none()
        },
        "stack" => |value| value == "statistics:",
        "eth" | "ethernet" | "numbers" => {
            |value| value.contains('/') && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/')
        }
        "flow" => |value| figure(value).is_some(),
        "of-held" => str::is_empty,
        "cpp" => |value| value.starts_with(|first: char| first.is_ascii_digit()),
        "words" => |value| !value.is_empty(),
        "plane" => |value| value == "Plane",
        "controller" => |value| {
            ["Optics", "CoherentDSP", "VDSL"]
                .iter()
                .any(|kind| value.starts_with(kind))
        },
        "tunnel" => |value| value.starts_with("ipsec ") || value.starts_with("gre "),
        "management" => |value| value == "Management Interface",
        // Nothing of an interface stands below that.
        "unserved" => |value| value == "processing disabled",
        "absent" => |value| value.ends_with("not installed") || value == "disabled",
        "duplex" => |value| value.len() < 24 && DUPLEX.iter().any(|word| starts_without_case(value, word)),
        "match" => |_| true,
        "n" | "itself" | "queue" | "of-queue" | "level" => |value| is_word(value) && starts_with_digit(value),
        "if" => is_interface,
        "ifword" => |value| is_word(value) && is_interface(value),
        "member" | "of-member" => |value| is_word(value) && is_interface(value),
        "ifname" => |value| is_interface(value) && is_of_a_type(value),
        "bare" => |value| {
            let state = value.split(" (").next();
            state.is_some_and(|state| BARE.contains(&state))
        },
        "alone" => is_alone,
        "eq" => |value| !value.is_empty() && value.bytes().all(|byte| byte == b'='),
        "points" => |value| !value.is_empty() && value.bytes().all(|byte| byte == b'.'),
        "slot" => |value| value.starts_with("slot "),
        // "Interface state is not active"
        "port" => {
            |value| is_word(value) && value.len() < 64 && value.bytes().all(is_name_byte) && value != "state"
        }
        "up" => |value| matches!(super::tables::state(value), Some(Some(_))),
        "state" => |value| STATES.iter().any(|state| starts_without_case(value, state)),
        "sole-state" => is_sole_state,
        "description" | "cleared" | "speed" | "bandwidth" | "speed-duplex" | "link" | "sonet-alarms"
        | "sonet-defects" | "bundle" | "group" | "policy-in" | "policy-out" | "policy" => {
            |value| !value.is_empty()
        }
        "list" | "in-list" | "out-list" => |value| starts_with_digit(value) || value.starts_with("- "),
        // Another unit makes the line one that is not understood.
        "in-rate" | "out-rate" => |value| starts_with_digit(value) && super::value::rate(value).is_some(),
        "over" | "interval" | "in-pps" | "out-pps" | "in-mbits" | "out-mbits" | "in-kbits" | "out-kbits" => {
            starts_with_digit
        }
        "in-bits" | "out-bits" | "in-bytes" | "out-bytes" | "in-kpps" | "out-kpps" => is_decimal,
        "lane" | "of-lane" => |value| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()),
        "alarm" => |value| value.len() < 60 && (value.ends_with(" alarm") || value.ends_with(" warning")),
        "rx-flag" | "tx-flag" => |value| super::value::flag(value).is_some(),
        "rx-mw" | "tx-mw" => is_decimal,
        "rx-dbm" | "tx-dbm" | "temperature" | "module-temperature" => {
            |value| starts_with_digit(value) || value.starts_with(['-', '+']) || value == "N/A"
        }
        set if set.starts_with(SETTING) => |value| !value.is_empty(),
        // Figures, and names of counters.
        _ => |value| figure(value).is_some() || matches!(value, "-" | "n/a"),
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// A figure, with a fraction or not.
fn is_decimal(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    figure(whole).is_some() && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// A state and no sentence, where prose begins as well: "Interface monitoring is disabled by default", "… is not supported".
fn is_sole_state(value: &str) -> bool {
    let said = value.split([',', '(']).next().unwrap_or_default();
    let mut words = said.split_ascii_whitespace();
    let begins = |word: &str| STATES.iter().any(|state| starts_without_case(word, state));
    let first = words.next().unwrap_or_default();
    let second = words.next();
    let is_whole = words.next().is_none();
    is_whole && begins(first) && (first != "not" || second.is_some_and(|word| ABSENT.contains(&word)))
}

/// What an interface is not that does not work.
const ABSENT: &[&str] = &[
    "connected",
    "present",
    "ready",
    "active",
    "initialized",
    "operational",
    "configured",
    "up",
];

/// What interfaces are said to be.
const STATES: &[&str] = &[
    "up",
    "down",
    "admin",
    "disabled",
    "enabled",
    "shutdown",
    "deleted",
    "errdisabled",
    "no_carrier",
    "reset",
    "not",
];
/// What a head may say that holds nothing else.
const BARE: &[&str] = &["up", "down", "administratively down", "admin down"];
const DUPLEX: &[&str] = &["full", "half", "auto", "fdx", "hdx", "none", "unknown"];

pub(super) fn starts_without_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

/// Names of interfaces as most makers build them: a type, and a number.
pub(crate) fn is_of_a_type(name: &str) -> bool {
    const TYPES: &[&str] = &[
        "ethernet",
        "fastethernet",
        "gigabitethernet",
        "tengigabitethernet",
        "tengige",
        "twogigabitethernet",
        "fivegigabitethernet",
        "twentyfivegige",
        "twentyfivegigabitethernet",
        "fortygige",
        "fortygigabitethernet",
        "fiftygige",
        "hundredgige",
        "hundredgigabitethernet",
        "twohundredgige",
        "fourhundredgige",
        "port-channel",
        "vlan",
        "mgmt",
        "management",
        "loopback",
        "tunnel",
        "vtep",
        "nve",
        "vfc",
        "san-port-channel",
        "pseudowire",
        "bundle-ether",
        "serial",
        "pos",
        "atm",
        "bdi",
        "bvi",
        "dialer",
        "eth",
        "fc",
        "lag",
        "ve",
        "gi",
        "te",
        "fa",
        "hu",
        "po",
        "oob",
    ];
    let end = name
        .find(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '/'))
        .unwrap_or(name.len());
    let kind = name.get(..end).unwrap_or(name);
    TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind))
}

/// Names that stand on a line of their own above what is printed of them: a type that no prose has, and a number.
pub(super) fn is_alone(name: &str) -> bool {
    const TYPES: &[&str] = &[
        "GigabitEthernet",
        "Ten-GigabitEthernet",
        "Twenty-FiveGigE",
        "FortyGigE",
        "HundredGigE",
        "M-GigabitEthernet",
        "M-Ethernet",
        "XGigabitEthernet",
        "TenGigabitEthernet",
        "TenGigE",
        "FastEthernet",
        "Ethernet",
        "Bridge-Aggregation",
        "Route-Aggregation",
        "Vlan-interface",
        "LoopBack",
        "Loopback",
        "InLoopBack",
        "NULL",
        "Port-channel",
        "port-channel",
        "Serial",
        "serial",
        "Tunnel",
        "Eth",
        "Mpo",
        "Po",
        "mgmt",
        "Aux",
        "Async",
        "Cellular",
        "Dialer",
        "Eth-channel",
        "Register-Tunnel",
        "Reth",
        "Virtual-Template",
        "Virtual-Ethernet",
        "Tunnel-Bundle",
        "Vsi-interface",
        "WLAN-BSS",
        "TwentyFiveGigE",
        "TwoGigabitEthernet",
        "FiveGigabitEthernet",
        "TwentyFiveGigabitEthernet",
        "FortyGigabitEthernet",
        "FiftyGigE",
        "HundredGigabitEthernet",
        "Bundle-Ether",
        "Vlan",
        "BDI",
        "TwoHundredGigE",
        "FourHundredGigE",
    ];
    let end = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    name.split_at_checked(end).is_some_and(|(kind, number)| {
        TYPES.contains(&kind)
            && !number.is_empty()
            && number.len() < 20
            && number
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'.' | b':'))
            && !number.ends_with(':')
            && (kind != "Eth" || number.contains('/'))
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/.:-_@*$".contains(&byte)
}

/// Names of interfaces have a digit, but for a few; no word of prose does.
pub(super) fn is_interface(word: &str) -> bool {
    // "TenGigabitEthernet 0/1"
    if let Some((kind, number)) = split_once(word, b' ') {
        let is_kind = !kind.is_empty()
            && kind
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && kind.bytes().last().is_some_and(|byte| byte.is_ascii_alphabetic());
        let is_number =
            number.as_bytes().first().is_some_and(u8::is_ascii_digit) && number.bytes().all(is_name_byte);
        return is_kind && is_number && number.len() < 32;
    }
    let bytes = word.as_bytes();
    bytes.len() < 64
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().copied().all(is_name_byte)
        && (bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic)
            || bytes.contains(&b'/')
            || matches!(word, "mgmt" | "management" | "Null" | "lo" | "Mgmt" | "Sync"))
}
