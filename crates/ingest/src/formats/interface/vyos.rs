//! What VyOS has Linux' own tools print, which name no interface: `show interfaces ethernet eth0 statistics`. The command names it.

use crate::prompt::command_line;

/// The kinds of interfaces that VyOS knows, and what the names of each begin with.
const KINDS: [(&str, &str); 18] = [
    ("bonding", "bond"),
    ("bridge", "br"),
    ("dummy", "dum"),
    ("ethernet", "eth"),
    ("geneve", "gnv"),
    ("input", "ifb"),
    ("l2tpv3", "l2tpeth"),
    ("macsec", "macsec"),
    ("openvpn", "vtun"),
    ("pppoe", "pppoe"),
    ("pseudo-ethernet", "peth"),
    ("sstpc", "sstpc"),
    ("tunnel", "tun"),
    ("virtual-ethernet", "veth"),
    ("vti", "vti"),
    ("vxlan", "vxlan"),
    ("wireguard", "wg"),
    ("wireless", "wlan"),
];

/// The interface of which such a command asks this.
pub(crate) fn of_vyos<'c>(command: &'c str, what: &str) -> Option<&'c str> {
    let (kind, rest) = command.strip_prefix("show interfaces ")?.split_once(' ')?;
    let (port, asked) = rest.trim_ascii_end().split_once(' ')?;
    let (_, begin) = KINDS.iter().find(|(known, _)| *known == kind)?;
    let number = port.strip_prefix(begin)?;
    (asked == what && !number.contains('/') && number.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(port)
}

/// The same of a line with its prompt.
pub(crate) fn asked_of_vyos<'l>(line: &'l str, what: &str) -> Option<&'l str> {
    of_vyos(command_line(line)?.command, what)
}
