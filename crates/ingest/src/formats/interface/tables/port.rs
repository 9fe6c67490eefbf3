//! Cells of tables in columns: names of ports, and what is said of them.

use super::cell::{is_absent, speed_bps};
use super::columns::Holds;
use super::fixed::without_speed;
use super::gathered::{About, Said};
use crate::formats::interface::cut::figure;
use crate::formats::interface::value;

/// Names of ports without a digit.
const NAMES: [&str; 22] = [
    "mgmt", "lo", "vlan", "LATERAL", "oob", "OOBM", "loopback", "tunnel", "hsci", // Junos
    "dsc", "esi", "gre", "ipip", "irb", "jsrv", "lsi", "mtun", "pimd", "pime", "rbeb", "tap", "vtep",
];

/// Whether a word can name a port of any maker: `1`, `A24-Trk1`, `*1/1`, `ge-0/0/1`, `mgmt`.
pub(super) fn is_port_cell(word: &str) -> bool {
    let word = word.trim_matches('*');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/.:-_*#()".contains(&byte);
    word.len() < 40
        && word.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && word.bytes().all(plain)
        && (word.bytes().any(|byte| byte.is_ascii_digit()) || NAMES.contains(&word))
}

/// The name of a port: without marks, and without what was cut off behind it.
pub(super) fn name(cell: &str) -> Option<String> {
    let joined = cell.replace("/ ", "/");
    let name = joined.trim_matches(['*', ' ']);
    let name = without_speed(name.strip_suffix("-...").unwrap_or(name));
    let mut words = name.split(' ');
    let (first, second, third) = (words.next()?, words.next(), words.next());
    let is_name = match second {
        None => is_port_cell(first),
        // "Eth 1/1"
        Some(number) => third.is_none() && number.bytes().next().is_some_and(|byte| byte.is_ascii_digit()),
    };
    (is_name && !name.contains("...")).then(|| name.to_owned())
}

/// What a cell says; `None` for what does not belong there.
pub(super) fn said(holds: &Holds, cell: &str) -> Option<Vec<(About, Said)>> {
    // Comware marks what was negotiated, NX-OS whether a port is bundled or alone.
    let cell = cell.trim_end_matches('*');
    let marked = ["(a)", "(D)", "(I)"]
        .iter()
        .find_map(|mark| cell.strip_suffix(mark));
    let cell = marked.unwrap_or(cell).trim_ascii();
    if cell.is_empty() || cell == "." || is_absent(cell) {
        return Some(Vec::new());
    }
    let one = |about: About, said: Said| Some(vec![(about, said)]);
    match holds {
        Holds::Port | Holds::Nothing => Some(Vec::new()),
        Holds::Up => match up(cell)? {
            Some(up) => one(About::Up, Said::Flag(up)),
            None => Some(Vec::new()),
        },
        Holds::Duplex => match cell.to_ascii_lowercase().as_str() {
            "auto" | "none" | "na" | "unknown" | "??" | "a" => Some(Vec::new()),
            "f" => one(About::Duplex, Said::Text("full".to_owned())),
            "h" => one(About::Duplex, Said::Text("half".to_owned())),
            text => {
                let text = text.strip_prefix("duplex/").unwrap_or(text);
                one(About::Duplex, Said::Text(value::duplex(text)?.to_owned()))
            }
        },
        Holds::Speed => match cell {
            "Auto" | "auto" | "None" | "none" | "Unknown" | "0" => Some(Vec::new()),
            // "1000FDx"
            cell => match value::speed_and_duplex(cell) {
                (None, None) => one(About::Speed, Said::Number(speed_bps(cell)?)),
                joined => Some(both(joined)),
            },
        },
        Holds::SpeedAndDuplex => speeds(cell),
        Holds::Mtu => one(About::Mtu, Said::Count(figure(cell)?)),
        Holds::Description => one(About::Description, Said::Text(cell.trim_matches('"').to_owned())),
        Holds::Count(name) => one(About::Counter((*name).to_owned()), Said::Count(figure(cell)?)),
    }
}

/// Words for up and down; an inner `None` for what says neither.
pub(super) fn up(cell: &str) -> Option<Option<bool>> {
    Some(match cell.to_ascii_lowercase().as_str() {
        "up" | "yes" | "link up" | "active" | "connected" | "u/u" | "true" => Some(true),
        "down" | "no" | "disable" | "disabled" | "ready" | "notconnected" | "u/d" | "d/d" | "a/d" | "d/u"
        | "false" | "adm" | "stby" | "err-dis" | "detach" | "not present" | "notpresent" | "err-disabled" => {
            Some(false)
        }
        "suspended" | "n/a" | "unknown" | "empty" => None,
        text if text.starts_with("up") => Some(true),
        text if text.starts_with("down") => Some(false),
        _ => return None,
    })
}

/// `100FDx`, `Auto-1000full`, `1000/FD`, `1000/full/up`; nothing of `Auto`.
fn speeds(cell: &str) -> Option<Vec<(About, Said)>> {
    // "[n/a]" stands for nothing; behind the state newer ones say the FEC.
    let cell = cell.replace("[n/a]", "-");
    let cell = cell.as_str();
    let mut parts = cell.split('/');
    if let (Some(speed), Some(duplex), Some(state)) = (parts.next(), parts.next(), parts.next()) {
        let state = state.split('(').next().unwrap_or(state);
        let mut told = vec![(About::Up, Said::Flag(up(state)??))];
        if figure(speed).is_some() {
            told.extend(both(value::speed_and_duplex(&format!("{speed}/{duplex}"))));
        }
        return Some(told);
    }
    let text = cell.to_ascii_lowercase();
    // How a port takes part in VLANs is called its mode as well.
    let is_of_vlans = matches!(
        text.as_str(),
        "access" | "trunk" | "routed" | "hybrid" | "a" | "t"
    );
    if is_of_vlans || matches!(text.as_str(), "auto" | "none" | "auto/fd" | "unknown") {
        return Some(Vec::new());
    }
    match value::speed_and_duplex(cell) {
        (None, None) => None,
        joined => Some(both(joined)),
    }
}

fn both((speed, duplex): (Option<evidence::RateBps>, Option<&'static str>)) -> Vec<(About, Said)> {
    let speed = speed.map(|bps| (About::Speed, Said::Number(bps.0)));
    let duplex = duplex.map(|duplex| (About::Duplex, Said::Text(duplex.to_owned())));
    speed.into_iter().chain(duplex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ports() {
        for (cell, port) in [
            ("1", Some("1")),
            ("A24-Trk1", Some("A24-Trk1")),
            ("1/28-...", Some("1/28")),
            ("Eth 1/ 1", Some("Eth 1/1")),
            ("A8*", Some("A8")),
            ("the port", None),
            ("SW-0...", None),
        ] {
            assert_eq!(name(cell).as_deref(), port, "{cell}");
        }
    }

    #[test]
    fn what_does_not_belong_there_is_nothing() {
        assert_eq!(said(&Holds::Up, "off"), None);
        assert_eq!(said(&Holds::Count("Drops Tx"), "67,00"), None);
        assert_eq!(said(&Holds::Duplex, "100"), None);
        assert_eq!(said(&Holds::Speed, "N/A"), Some(vec![]));
        let speed = vec![
            (About::Speed, Said::Number(1e10)),
            (About::Duplex, Said::Text("full".to_owned())),
        ];
        assert_eq!(said(&Holds::SpeedAndDuplex, "10GigFD"), Some(speed));
    }
}
