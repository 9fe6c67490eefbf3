//! Tables whose headings are always the same words: of SONiC, Cumulus, EXOS, Huawei, Comware, SR OS, F5, Cisco's QFP. A table is data: its heading, a line
//! or two, and what each column holds.

use super::gathered::{About, Gathered, Said};
use super::is_rule;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::text::grouped;
use evidence::CounterKind;

pub(crate) static FORMAT: Format = Format {
    name: "tables of ports",
    group: Group::Interfaces,
    reads: "SONiC queue and PFC counters, Cumulus `net show counters`, Solaris `dladm show-link -s`, EXOS `show ports statistics`, `congestion`, `txerrors`, `rxerrors`, \
            Huawei `display interface brief`, IOS XR `show interfaces brief`, SR OS `show port PORT statistics`, F5 `show net interface`, \
            IOS XE `show platform hardware qfp active statistics drop`",
    first: "PIKLNSG=*^(>#-",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "Counter/pkts",
            " LineP ",
            " (Kbps)",
            "PFC0",
            "RX_DRP",
            "Deferred",
            "Jabber",
            "InUti",
            "Link",
            "show queue counters",
            "show pfc counters",
            "net show counters",
            "nv show interface counters",
            "dladm show-link -",
            "IPACKETS",
            "show port",
            "display interface brief",
            "dis int brief",
            "netstat -i",
            "show net interface",
            "Net::Interface",
            " Bits ",
            "hardware qfp active statistics drop",
            "QFP drops statistics",
            "Global Drop Stats",
            "Ingress",
            "Octets",
            "Tx Pkt",
            " Out ",
            "State ",
            "in Count indicates",
            "Packet",
            "Port Congestion Monitor",
            "Port Statistics",
            "Error Monitor",
            "Error Statistics",
            "Kernel Interface table",
            "in Port indicates",
            "Link State: A-Active",
            "PHY: Physical",
            "down: ",
            "): ",
        ])
    }),
    starts: |line| heading_of(line).is_some() || is_command(line) || is_beside(line),
    continues,
    takes_in: None,
    read,
};

/// What a column holds.
#[derive(Debug, Clone, Copy)]
enum Holds {
    /// A counter, by its name here.
    Count(&'static str),
    /// What goes before the names of the row's counters: a queue.
    Label,
    /// Words for up.
    Up(&'static [&'static str]),
    /// Bytes.
    Mtu,
    /// What is configured or negotiated, 1000 bit/s; 0 where there is none.
    Kbits,
    Nothing,
}

use Holds::{Count, Kbits, Label, Mtu, Nothing, Up};

struct Table {
    /// Its heading, a line each.
    heading: &'static [&'static str],
    /// The columns behind the port's.
    columns: &'static [Holds],
    /// What all rows are of, where they do not begin with a port: their first word is what was counted.
    of: Option<&'static str>,
}

/// A table of ports.
const PORTS: Table = Table {
    heading: &[],
    columns: &[],
    of: None,
};

/// As the kernel's own table has them.
const LINUX: &[Holds] = &[
    Nothing,
    Count("RX_OK"),
    Count("RX_ERR"),
    Count("RX_DRP"),
    Count("RX_OVR"),
    Count("TX_OK"),
    Count("TX_ERR"),
    Count("TX_DRP"),
    Count("TX_OVR"),
    Nothing,
];

/// EXOS, `show ports statistics`.
const EXOS: &[Holds] = &[
    Up(&["A"]),
    Count("Tx Pkt"),
    Count("Tx Byte"),
    Count("Rx Pkt"),
    Count("Rx Byte"),
    Count("Rx Bcast"),
    Count("Rx Mcast"),
];

static TABLES: &[Table] = &[
    Table {
        heading: &["Port TxQ Counter/pkts Counter/bytes Drop/pkts Drop/bytes"],
        columns: &[
            Label,
            Count("packets"),
            Count("bytes"),
            Count("dropped packets"),
            Count("dropped bytes"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Port Rx PFC0 PFC1 PFC2 PFC3 PFC4 PFC5 PFC6 PFC7"],
        columns: &[
            Count("Rx PFC0"),
            Count("Rx PFC1"),
            Count("Rx PFC2"),
            Count("Rx PFC3"),
            Count("Rx PFC4"),
            Count("Rx PFC5"),
            Count("Rx PFC6"),
            Count("Rx PFC7"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Port Tx PFC0 PFC1 PFC2 PFC3 PFC4 PFC5 PFC6 PFC7"],
        columns: &[
            Count("Tx PFC0"),
            Count("Tx PFC1"),
            Count("Tx PFC2"),
            Count("Tx PFC3"),
            Count("Tx PFC4"),
            Count("Tx PFC5"),
            Count("Tx PFC6"),
            Count("Tx PFC7"),
        ],
        ..PORTS
    },
    Table {
        heading: &["Iface MTU RX_OK RX_ERR RX_DRP RX_OVR TX_OK TX_ERR TX_DRP TX_OVR Flg"],
        columns: LINUX,
        ..PORTS
    },
    Table {
        heading: &["Interface MTU RX_OK RX_ERR RX_DRP RX_OVR TX_OK TX_ERR TX_DRP TX_OVR Flg"],
        columns: LINUX,
        ..PORTS
    },
    Table {
        heading: &["LINK IPACKETS RBYTES IERRORS OPACKETS OBYTES OERRORS"],
        columns: &[
            Count("IPACKETS"),
            Count("RBYTES"),
            Count("IERRORS"),
            Count("OPACKETS"),
            Count("OBYTES"),
            Count("OERRORS"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Tx Tx Tx Tx Tx",
            "State Coll Late coll Deferred Errors Lost Parity",
        ],
        columns: &[
            Up(&["A"]),
            Count("Tx Coll"),
            Count("Tx Late coll"),
            Count("Tx Deferred"),
            Count("Tx Errors"),
            Count("Tx Lost"),
            Count("Tx Parity"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Rx Rx Rx Rx Rx Rx Rx",
            "State Crc Over Under Frag Jabber Align Lost",
        ],
        columns: &[
            Up(&["A"]),
            Count("Rx Crc"),
            Count("Rx Over"),
            Count("Rx Under"),
            Count("Rx Frag"),
            Count("Rx Jabber"),
            Count("Rx Align"),
            Count("Rx Lost"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Intf Intf LineP Encap MTU BW",
            "Name State State Type (byte) (Kbps)",
        ],
        columns: &[Up(&["up"]), Nothing, Nothing, Mtu, Kbits],
        ..PORTS
    },
    Table {
        heading: &["Interface PHY Protocol InUti OutUti inErrors outErrors"],
        columns: &[
            Nothing,
            Up(&["up", "up(s)", "up(l)"]),
            Nothing,
            Nothing,
            Count("inErrors"),
            Count("outErrors"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Pkt Tx Byte Rx Pkt Rx Byte Rx Pkt Rx Pkt Tx Pkt Tx Pkt",
            "State Count Count Count Count Bcast Mcast Bcast Mcast",
        ],
        columns: &[
            Up(&["A"]),
            Count("Tx Pkt"),
            Count("Tx Byte"),
            Count("Rx Pkt"),
            Count("Rx Byte"),
            Count("Rx Bcast"),
            Count("Rx Mcast"),
            Count("Tx Bcast"),
            Count("Tx Mcast"),
        ],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Pkt Tx Byte Rx Pkt Rx Byte Rx Pkt Rx Pkt",
            "State Count Count Count Count Bcast Mcast",
        ],
        columns: EXOS,
        ..PORTS
    },
    Table {
        heading: &[
            "Port Link Tx Pkt Tx Byte Rx Pkt Rx Byte Rx Rx",
            "State Count Count Count Count Bcast Mcast",
        ],
        columns: EXOS,
        ..PORTS
    },
    Table {
        heading: &["Port Link Packet", "State Drop"],
        columns: &[Up(&["A"]), Count("Packet Drop")],
        ..PORTS
    },
    Table {
        heading: &[
            "Port Ingress Ingress Egress Egress",
            "Id Packets Octets Packets Octets",
        ],
        columns: &[
            Count("Ingress Packets"),
            Count("Ingress Octets"),
            Count("Egress Packets"),
            Count("Egress Octets"),
        ],
        ..PORTS
    },
    // What it drops and finds wrong is of both directions together.
    Table {
        heading: &[
            "Name Status Bits Bits Pkts Pkts Drops Errs Media",
            "In Out In Out",
        ],
        columns: &[
            Up(&["up"]),
            Nothing,
            Nothing,
            Count("Pkts In"),
            Count("Pkts Out"),
            Count("Drops"),
            Count("Errs"),
            Nothing,
        ],
        ..PORTS
    },
    Table {
        heading: &["Global Drop Stats Packets Octets"],
        columns: &[Count("packets"), Count("octets")],
        of: Some("QFP"),
    },
];

/// The names of counters that mean the same across makers, sorted.
const WORDS: &[(&str, CounterKind)] = &[
    ("Egress Octets", CounterKind::OutputBytes),
    ("Egress Packets", CounterKind::OutputPackets),
    ("IERRORS", CounterKind::InputErrors),
    ("IPACKETS", CounterKind::InputPackets),
    ("Ingress Octets", CounterKind::InputBytes),
    ("Ingress Packets", CounterKind::InputPackets),
    ("OBYTES", CounterKind::OutputBytes),
    ("OERRORS", CounterKind::OutputErrors),
    ("OPACKETS", CounterKind::OutputPackets),
    ("Packet Drop", CounterKind::OutputDrops),
    ("Pkts In", CounterKind::InputPackets),
    ("Pkts Out", CounterKind::OutputPackets),
    ("RBYTES", CounterKind::InputBytes),
    ("RX_DRP", CounterKind::InputDiscards),
    ("RX_ERR", CounterKind::InputErrors),
    ("RX_OK", CounterKind::InputPackets),
    ("RX_OVR", CounterKind::InputOverrun),
    ("Rx Align", CounterKind::InputFraming),
    ("Rx Byte", CounterKind::InputBytes),
    ("Rx Crc", CounterKind::InputCrc),
    ("Rx Over", CounterKind::InputGiants),
    ("Rx Pkt", CounterKind::InputPackets),
    ("TX_DRP", CounterKind::OutputDrops),
    ("TX_ERR", CounterKind::OutputErrors),
    ("TX_OK", CounterKind::OutputPackets),
    ("TX_OVR", CounterKind::OutputUnderruns),
    ("Tx Byte", CounterKind::OutputBytes),
    ("Tx Coll", CounterKind::Collisions),
    ("Tx Errors", CounterKind::OutputErrors),
    ("Tx Late coll", CounterKind::LateCollisions),
    ("Tx Pkt", CounterKind::OutputPackets),
    ("inErrors", CounterKind::InputErrors),
    ("outErrors", CounterKind::OutputErrors),
];

const COMMANDS: &[&str] = &[
    "show queue counters",
    "show pfc counters",
    "net show counters",
    "nv show interface counters",
    "dladm show-link -s",
    "dladm show-link -i",
    "display interface brief",
    "dis int brief",
    "netstat -i",
    "show net interface",
    "tmsh show net interface",
    "show platform hardware qfp active statistics drop",
];

/// What `show port PORTS …` is asked for. A single word tells: ports stand before it, and options behind.
const OF_PORTS: [&str; 4] = ["statistics", "congestion", "txerrors", "rxerrors"];

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed.command.split_ascii_whitespace();
        let is_of_ports = words.next() == Some("show") && matches!(words.next(), Some("port" | "ports"));
        COMMANDS.iter().any(|command| typed.command.starts_with(command))
            || is_of_ports && words.any(|word| OF_PORTS.contains(&word))
    })
}

/// What is printed around them.
fn is_beside(line: &str) -> bool {
    const BESIDE: [&str; 20] = [
        "Port Tx Error Monitor",
        "Port Rx Error Monitor",
        "Port Congestion Monitor",
        "Port Statistics",
        "> in Count indicates",
        "Net::Interface",
        "Last clearing of QFP drops statistics",
        "The Global drop stats were all zero",
        "Port Tx Error Statistics",
        "Port Rx Error Statistics",
        "Kernel Interface table",
        "> in Port indicates",
        "Link State: A-Active",
        "PHY: Physical",
        "*down: administratively",
        "^down: standby",
        "(l): loopback",
        "(s): spoofing",
        "InUti/OutUti: input",
        "(b): BFD down",
    ];
    let line = line.trim_ascii_start();
    if is_legend(line) {
        return true;
    }
    BESIDE.iter().any(|beside| line.starts_with(beside))
}

/// `(E): E-Trunk down`, `#down: LBDT down`
fn is_legend(line: &str) -> bool {
    let mark =
        |mark: &str| matches!(mark.len(), 1 | 2) && mark.bytes().all(|byte| byte.is_ascii_alphabetic());
    let bracketed = line.strip_prefix('(').and_then(|rest| rest.split_once("): "));
    bracketed.is_some_and(|(inner, _)| mark(inner))
        || matches!(line.split_once("down: "), Some(("*" | "^" | "#" | "-", _)))
}

fn is_words(line: &str, words: &str) -> bool {
    line.split_ascii_whitespace().eq(words.split(' '))
}

/// The table of which this line is in the heading, and which of its lines it is.
fn heading_of(line: &str) -> Option<(&'static Table, usize)> {
    TABLES.iter().find_map(|table| {
        let place = table.heading.iter().position(|words| is_words(line, words))?;
        Some((table, place))
    })
}

/// Whether a line is one of such a heading.
pub(super) fn is_heading(line: &str) -> bool {
    heading_of(line).is_some()
}

/// The cells of a row of this table.
fn cells<'t>(table: &Table, line: &'t str) -> Option<(&'t str, Vec<&'t str>)> {
    let mut words = line.split_ascii_whitespace();
    let port = words.next()?;
    let cells: Vec<&str> = words.collect();
    let is_name =
        port.bytes().any(|byte| byte.is_ascii_alphanumeric()) && !matches!(port, "Total" | "Totals");
    let holds = |(cell, holds): (&&str, &Holds)| match holds {
        Count(_) => grouped(cell).is_some() || matches!(*cell, "N/A" | "--" | "-") || is_rounded(cell),
        Label => cell.bytes().any(|byte| byte.is_ascii_digit()),
        Mtu | Kbits => grouped(cell).is_some(),
        Up(_) | Nothing => true,
    };
    let fits = cells.len() == table.columns.len() && cells.iter().zip(table.columns).all(holds);
    (is_name && fits).then_some((port, cells))
}

/// `1.2T`, which no counter is exactly, and what did not fit its column, with a mark for what is missing: `>91827364`.
fn is_rounded(cell: &str) -> bool {
    let is_figure = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    cell.strip_suffix(['K', 'M', 'G', 'T', 'P'])
        .is_some_and(is_figure)
        || cell.strip_prefix('>').is_some_and(is_figure)
}

fn continues(block: &Block, line: &str) -> bool {
    line.trim_ascii().is_empty()
        || is_rule(line)
        || heading_of(line).is_some()
        || is_beside(line)
        || is_command(line)
        || TABLES.iter().any(|table| cells(table, line).is_some())
            && block
                .last()
                .is_some_and(|last| !last.trim_ascii().is_empty() && !is_command(last) && !is_beside(last))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, mut device_of) = (Gathered::default(), device(block, context));
    let mut above: Option<(&'static Table, usize)> = None;
    for (number, line) in block.numbered() {
        if is_command(line) {
            if number > block.first_line {
                std::mem::take(&mut gathered).record(WORDS, &device_of, TOOL, context, findings);
                let named = command_line(line).and_then(|typed| typed.device);
                device_of = context.from_or(named.map(evidence::Node::named).unwrap_or_default());
            }
            above = None;
        } else if let Some((table, place)) = heading_of(line) {
            let follows = above.is_some_and(|(before, at)| std::ptr::eq(before, table) && at + 1 == place);
            above = (place == 0 || follows).then_some((table, place));
            if place == 0 {
                gathered.head(line);
            }
        } else if line.trim_ascii().is_empty() || is_beside(line) {
            above = None;
        } else if !is_rule(line) {
            let whole = above.filter(|(table, at)| at + 1 == table.heading.len());
            match whole.and_then(|(table, _)| Some((table, cells(table, line)?))) {
                Some((table, (port, cells))) => take(&mut gathered, findings, number, table, port, &cells),
                None => findings.complain(number, "the row does not stand below its heading: it is not used"),
            }
        }
    }
    if gathered.is_empty() {
        findings.nothing_to_say();
    }
    gathered.record(WORDS, &device_of, TOOL, context, findings);
}

const TOOL: &str = "table of ports";

fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    table: &Table,
    port: &str,
    cells: &[&str],
) {
    let (port, mut label) = table.of.map_or((port, ""), |of| (of, port));
    for (holds, cell) in table.columns.iter().zip(cells) {
        match holds {
            Label => label = cell,
            Up(words) => gathered.say(
                findings,
                number,
                port,
                About::Up,
                Said::Flag(words.contains(cell)),
            ),
            Count(name) => {
                if let Some(value) = grouped(cell) {
                    let name = if label.is_empty() {
                        (*name).to_owned()
                    } else {
                        format!("{label} {name}")
                    };
                    gathered.say(findings, number, port, About::Counter(name), Said::Count(value));
                }
            }
            Mtu => {
                if let Some(bytes) = grouped(cell) {
                    gathered.say(findings, number, port, About::Mtu, Said::Count(bytes));
                }
            }
            Kbits => {
                if let Some(kbits) = grouped(cell).filter(|kbits| *kbits > 0) {
                    let bps = kbits as f64 * 1e3;
                    gathered.say(findings, number, port, About::Speed, Said::Number(bps));
                }
            }
            Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_whole() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        for table in TABLES {
            let last = table.heading.last().unwrap();
            assert!(!table.columns.is_empty() && !last.is_empty());
        }
    }
}
