//! What the kernel of a Linux host logs of its links: `eth0: NIC Link is Up 10 Gbps, Flow Control: RX/TX`.
//!
//! Each driver has words of its own, but all name the interface, then `Link is up` or `Link up`, or down; some a speed with its
//! unit, and the duplex (drivers/net/ethernet/*, drivers/net/phy/phy.c in Linux). Each line is what was so when it was logged: the
//! last one of an interface is how it is.

use super::command::arguments;
use crate::Context;
use crate::arrival::is_facility;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::units::{Kilo, rate_bps};
use evidence::{InterfaceCounters, Node, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "kernel's log of links",
    group: Group::Hosts,
    reads: "`Link is Up` and `Link is Down` as drivers of Linux log them: state, speed, duplex and flow control, a record a line",
    first: "[A-Za-z0-9",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "link is up",
            "link is down",
            "link up",
            "link down",
            "dmesg",
            "journalctl",
        ])
    }),
    starts: |line| said(line).is_some() || is_command(line),
    continues: |_, line| said(line).is_some(),
    takes_in: None,
    read,
};

/// What prints the kernel's log, where a filter asks for links: of a whole log the lines of links alone are known.
fn is_command(line: &str) -> bool {
    let prints = ["dmesg", "journalctl"];
    let asks = |line: &str| {
        line.split('|').skip(1).any(|part| {
            let asked = part.to_ascii_lowercase();
            asked.contains("grep") && asked.contains("link")
        })
    };
    asks(line) && prints.iter().any(|program| arguments(line, program).is_some())
}

/// What a line says of a link.
struct Said<'l> {
    interface: &'l str,
    /// The host that syslog names before its `kernel:`.
    host: Option<&'l str>,
    is_up: bool,
    speed: Option<RateBps>,
    duplex: Option<&'static str>,
    flow_control: Option<&'l str>,
}

fn said(line: &str) -> Option<Said<'_>> {
    let states = [
        (" Link is Up", true),
        (" Link is up", true),
        (" Link is Down", false),
        (" Link is down", false),
        // mlx4, mlx5
        (" Link up", true),
        (" Link Up", true),
        (" Link down", false),
        (" Link Down", false),
        // sky2, the library of old cards
        (" link up", true),
        (" link down", false),
    ];
    let found = |(words, is_up): &(&str, bool)| Some((line.split_once(words)?, *is_up));
    let ((before, behind), is_up) = states.iter().find_map(found)?;
    let is_end = behind.is_empty() || behind.starts_with([' ', ',', '.', ':', '(', '\r']);
    let named = before.trim_end();
    let behind_nic = named.strip_suffix("NIC").map(str::trim_end);
    let named = behind_nic.unwrap_or(named);
    // `igb: eno3 NIC Link is Up`: there the driver has the colon.
    let bare = || behind_nic.filter(|named| named.contains(": "));
    let interface = last_name(named.strip_suffix(':').or_else(bare)?)?;
    // Ports of a home router are `wan` and `lan`, behind the kernel or its driver: a word behind a mark, a stamp or another program is anybody's
    // (`> done: Link Up`). A driver's source has `%d`.
    let is_of_kernel = || {
        let mut words = before.split_ascii_whitespace();
        let is_driver = |word: &str| word.ends_with(':') && !word.ends_with("]:");
        before.contains("kernel")
            || before.contains("] ")
            || words.next().is_some_and(is_driver) && words.next().is_some()
    };
    let is_known = interface.bytes().any(|byte| byte.is_ascii_digit()) || is_of_kernel();
    let is_name = super::command::is_interface(interface)
        && interface.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !interface.starts_with('%');
    let host = before
        .split_once(" kernel:")
        .and_then(|(stamp, _)| stamp.rsplit(' ').next());
    (is_end && is_name && is_known).then(|| Said {
        interface,
        host: host.filter(|host| !host.is_empty() && !is_facility(host)),
        is_up,
        speed: is_up.then(|| speed(behind)).flatten(),
        duplex: is_up.then(|| duplex(behind)).flatten(),
        flow_control: is_up.then(|| flow_control(behind)).flatten(),
    })
}

/// The last word: the interface, or behind it the function of the driver that writes, `e1000: eth0: e1000_watchdog:`. Such a name has an
/// underscore, which few names of interfaces have: where a word with a colon stands before it, it is a function only if it begins with the
/// driver's name, or is longer than the name of an interface may be (IFNAMSIZ), and else nobody knows.
fn last_name(named: &str) -> Option<&str> {
    const LONGEST_NAME: usize = 15;
    let mut words = named.rsplit([' ', '\t']);
    let last = words.next()?;
    // Neither a driver with an underscore of its own, nor a place on a bus.
    let may_be_it = |name: &&str| !name.contains(['_', ':', '.']);
    let before = words
        .next()
        .and_then(|word| word.strip_suffix(':'))
        .filter(may_be_it);
    let (Some(before), Some((driver, _))) = (before, last.split_once('_')) else {
        return Some(last);
    };
    let is_function = last.len() > LONGEST_NAME || words.any(|word| word.strip_suffix(':') == Some(driver));
    is_function.then_some(before)
}

/// `10 Gbps`, `1000 Mbps`, `1Gbps/Full`.
fn speed(text: &str) -> Option<RateBps> {
    let units = ["Gbps", "Mbps"];
    let found = |unit: &'static str| Some((text.split_once(unit)?.0, unit));
    let (before, unit) = units.into_iter().find_map(found)?;
    let number = before.trim_end().rsplit([' ', ',', '(']).next()?;
    rate_bps(number.parse().ok()?, unit, Kilo::Thousand)
}

fn duplex(text: &str) -> Option<&'static str> {
    let has = |word: &str| text.to_ascii_lowercase().contains(word);
    match (
        has("full duplex") || has("full-duplex") || has("bps/full"),
        has("half duplex") || has("half-duplex") || has("bps/half"),
    ) {
        (true, false) => Some("full"),
        (false, true) => Some("half"),
        _ => None,
    }
}

/// `Flow Control: RX/TX`, `flow control rx/tx`: to the end of the line.
fn flow_control(text: &str) -> Option<&str> {
    let words = ["Flow Control", "Flow control", "flow control"];
    let (_, behind) = words.iter().find_map(|words| text.split_once(words))?;
    let value = behind.trim_start_matches([':', ' ']).trim_ascii_end();
    (!value.is_empty()).then_some(value)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    for (number, line) in block.numbered() {
        let Some(said) = said(line) else { continue };
        let flow_control = said
            .flow_control
            .map(|value| ("flow control".to_owned(), value.to_owned()));
        let counters = InterfaceCounters {
            device: said.host.map_or_else(|| device(block, context), Node::named),
            interface: said.interface.to_owned(),
            up: Some(said.is_up),
            bandwidth_bps: said.speed,
            duplex: said.duplex.map(str::to_owned),
            settings: flow_control.into_iter().collect(),
            ..InterfaceCounters::default()
        };
        findings.record_of(
            (number, number),
            "kernel log",
            context.at,
            Payload::InterfaceCounters(counters),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_drivers() {
        let of = |line| {
            let said = said(line)?;
            Some((
                said.interface,
                said.is_up,
                said.speed.map(|speed| speed.0),
                said.duplex,
            ))
        };
        let ten = Some(10e9);
        let one = Some(1e9);
        for (line, wanted) in [
            (
                "ixgbe 0000:03:00.0 eno1: NIC Link is Up 10 Gbps, Flow Control: RX/TX",
                ("eno1", true, ten, None),
            ),
            (
                "i40e 0000:3b:00.0: eth2: NIC Link is Up, 10 Gbps Full Duplex, Flow Control: None",
                ("eth2", true, ten, Some("full")),
            ),
            (
                "igb 0000:05:00.1 eno3: igb: eno3 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX",
                ("eno3", true, one, Some("full")),
            ),
            (
                "tg3 0000:02:00.0 eth0: Link is up at 1000 Mbps, full duplex",
                ("eth0", true, one, Some("full")),
            ),
            (
                "[   12.1] r8169 0000:02:00.0 enp2s0: Link is Up - 1Gbps/Full - flow control rx/tx",
                ("enp2s0", true, one, Some("full")),
            ),
            (
                "ixgbe 0000:03:00.0 eno1: NIC Link is Down",
                ("eno1", false, None, None),
            ),
            (
                "[ 12.345678] eth2: link up (1000Mbps/Full)",
                ("eth2", true, one, Some("full")),
            ),
            (
                "eth0: link up, 1000Mbps, full-duplex, lpa 0xC5E1",
                ("eth0", true, one, Some("full")),
            ),
            (
                "[    9.1] e1000: eth0: e1000_watchdog: NIC Link is Up 1000 Mbps Full Duplex",
                ("eth0", true, one, Some("full")),
            ),
            (
                "host kernel: eth1: e1000_watchdog_task: NIC Link is Down",
                ("eth1", false, None, None),
            ),
            ("mlx4_en: wan_a: Link Down", ("wan_a", false, None, None)),
        ] {
            assert_eq!(of(line), Some(wanted), "{line}");
        }
        for prose in [
            "Sure, the Link is Up again",
            "my NIC Link is Up again",
            "ata1: SATA link up 6.0 Gbps",
            // Either may be the interface.
            "eth2: e1000_watchdog: NIC Link is Up 1000 Mbps",
        ] {
            assert_eq!(of(prose), None, "{prose}");
        }
        assert_eq!(of("eth0: Link is Upgraded"), None);
        assert_eq!(flow_control(" 10 Gbps, Flow Control: RX/TX"), Some("RX/TX"));
    }
}
