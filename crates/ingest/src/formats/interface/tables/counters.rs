//! Tables of counters: the headings that are known, and the rows below them.

use super::cell::{count, is_absent, is_port, number};
use super::gathered::{About, Gathered, Said, Traffic};
use crate::findings::Findings;
use crate::units::{Kilo, rate_bps, split};
use evidence::CounterKind;

/// What a heading means, sorted. UnderSize is sound but short, Runts are broken and short: two things.
pub(super) const WORDS: &[(&str, CounterKind)] = &[
    ("Align", CounterKind::InputFraming),
    ("Align-Err", CounterKind::InputFraming),
    ("CRC-Err", CounterKind::InputCrc),
    ("FCS", CounterKind::InputCrc),
    ("FCS-Err", CounterKind::InputCrc),
    ("Giants", CounterKind::InputGiants),
    ("IQD", CounterKind::InputQueueDrops),
    ("InDiscards", CounterKind::InputDiscards),
    ("InOctets", CounterKind::InputBytes),
    ("InPkts", CounterKind::InputPackets),
    ("InTotalOctets", CounterKind::InputBytes),
    ("InTotalPkts", CounterKind::InputPackets),
    ("Late-Col", CounterKind::LateCollisions),
    ("OQD", CounterKind::OutputDrops),
    ("OutDiscards", CounterKind::OutputDrops),
    ("OutOctets", CounterKind::OutputBytes),
    ("OutPkts", CounterKind::OutputPackets),
    ("OutTotalOctets", CounterKind::OutputBytes),
    ("OutTotalPkts", CounterKind::OutputPackets),
    ("RX_DROPS", CounterKind::InputDiscards),
    ("RX_DRP", CounterKind::InputDiscards),
    ("RX_ERR", CounterKind::InputErrors),
    ("RX_OK", CounterKind::InputPackets),
    // Packets that are too long, whatever the name suggests (`portstat` of sonic-utilities).
    ("RX_OVR", CounterKind::InputGiants),
    ("Rcv-Err", CounterKind::InputErrors),
    ("Runts", CounterKind::InputRunts),
    ("Rx", CounterKind::InputErrors),
    ("RxPause", CounterKind::InputPauses),
    ("TX_DROPS", CounterKind::OutputDrops),
    ("TX_DRP", CounterKind::OutputDrops),
    ("TX_ERR", CounterKind::OutputErrors),
    ("TX_OK", CounterKind::OutputPackets),
    ("Tx", CounterKind::OutputErrors),
    ("TxPause", CounterKind::OutputPauses),
    ("Xmit-Err", CounterKind::OutputErrors),
];

/// Headings without a kind, kept by their names.
const OTHERS: &[&str] = &[
    "Carri-Sen",
    "Deferred-Tx",
    "Exces-Col",
    "Excess-Col",
    "InBcastPkts",
    "InMcastPkts",
    "InUcastPkts",
    "IntMacRx-Er",
    "IntMacTx-Er",
    "Multi-Col",
    "OutBcastPkts",
    "OutMcastPkts",
    "OutUcastPkts",
    "OverSize",
    "RxPPP",
    "SQETest-Err",
    "Single-Col",
    "Stomp-CRC-Err",
    "Stomped-CRC",
    "Symbol",
    "Symbol-Err",
    "TRTL",
    "TX_OVR",
    "TxPPP",
    "UnderSize",
];

/// Headings of what is no counter.
const STATES: &[&str] = &[
    "FEC_MAX_T",
    "FEC_POST_BER",
    "FEC_PRE_BER",
    "FEC_PRE_BER_MAX",
    "FLR(O)",
    "FLR(P)",
    "IHQ",
    "OHQ",
    "Mode",
    "RXBS",
    "RXPS",
    "RX_BPS",
    "RX_PPS",
    "RX_UTIL",
    "STATE",
    "TXBS",
    "TXPS",
    "TX_BPS",
    "TX_PPS",
    "TX_UTIL",
    "Tx_PPS",
];

/// The columns behind the port, of a line that has nothing but known headings.
pub(super) fn columns(line: &str) -> Option<Vec<&str>> {
    let mut words = line.split_ascii_whitespace();
    if !matches!(words.next()?, "Port" | "Interface" | "IFACE" | "Ch") {
        return None;
    }
    let columns: Vec<&str> = words.filter(|word| !is_in_brackets(word)).collect();
    // SONiC adds columns with every release: what is no count in them is told.
    let is_sonic = line.trim_ascii_start().starts_with("IFACE ");
    let is_capital = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let known = |word: &&str| {
        is_sonic && is_capital(word)
            || WORDS.binary_search_by(|(known, _)| (*known).cmp(word)).is_ok()
            || OTHERS.contains(word)
            || STATES.contains(word)
    };
    let counts = columns.iter().any(|word| !STATES.contains(word));
    (counts && columns.iter().all(known)).then_some(columns)
}

/// `KB/s`, and not `12.00/s`.
fn is_unit(word: &str) -> bool {
    word.ends_with("/s") && word.starts_with(|sign: char| sign.is_ascii_alphabetic())
}

/// Whether a word says more of what stands before it: `FLR(P) (Accuracy)`, `7.81e-10 (89%)`.
fn is_in_brackets(word: &str) -> bool {
    word.starts_with('(') && word.ends_with(')')
}

/// The cells of a row: a rate and its unit are one.
fn cells(row: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for word in row.split_ascii_whitespace() {
        match cells.last_mut() {
            Some(last) if is_unit(word) && number(last).is_some() => {
                last.push(' ');
                last.push_str(word);
            }
            Some(_) if is_in_brackets(word) => {}
            _ => cells.push(word.to_owned()),
        }
    }
    cells
}

/// Whether a line can be a row of counters: a port and figures.
pub(super) fn is_row(line: &str) -> bool {
    let line = line.trim_ascii_start().trim_start_matches("* ");
    let mut words = line.split_ascii_whitespace();
    let named = words
        .next()
        .is_some_and(|word| is_port(word) || is_numbered(word) || matches!(word, "Totals" | "Total"));
    let mut figures = 0;
    let plain = words.all(|word| {
        figures += 1;
        is_absent(word)
            || word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'%'))
            || word.ends_with("/s")
            || is_in_brackets(word)
            || number(word).is_some()
            || matches!(
                word,
                "U" | "D" | "X" | "UP" | "DOWN" | "Auto" | "On" | "Off" | "on" | "off"
            )
    });
    named && plain && figures > 0
}

/// `1/0/1`, of FASTPATH's switches.
fn is_numbered(word: &str) -> bool {
    let parts = || word.split('/');
    parts().nth(1).is_some()
        && parts().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Takes a row. Its cells are counted first: one more or fewer, and nothing says which is which.
pub(super) fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    columns: &[&str],
    row: &str,
) {
    let starred = row.trim_ascii_start().starts_with("* ");
    let cells = cells(row.trim_ascii_start().trim_start_matches("* "));
    let Some((port, cells)) = cells.split_first() else {
        return;
    };
    if matches!(port.as_str(), "Totals" | "Total") {
        return;
    }
    if cells.len() != columns.len() {
        return findings.complain(
            number,
            format!(
                "{} cells stand below {} headings: none is used",
                cells.len(),
                columns.len()
            ),
        );
    }
    if columns.contains(&"IQD") {
        gathered.say(findings, number, port, About::Up, Said::Flag(starred));
    }
    for (column, cell) in columns.iter().zip(cells) {
        if STATES.contains(column) {
            if let Some((about, said)) = state(column, cell) {
                gathered.say(findings, number, port, about, said);
            }
            continue;
        }
        match count(cell) {
            Ok(Some(value)) => {
                gathered.say(
                    findings,
                    number,
                    port,
                    About::Counter((*column).to_owned()),
                    Said::Count(value),
                );
            }
            Ok(None) => {}
            Err(()) => findings.complain(number, format!("no count of {column}: {cell}")),
        }
    }
}

fn state(column: &str, cell: &str) -> Option<(About, Said)> {
    let rate = || {
        let (figure, unit) = split(cell)?;
        rate_bps(figure, unit, Kilo::Thousand).map(|rate| Said::Number(rate.0))
    };
    let per_second = || number(cell.trim_end_matches("/s").trim_ascii()).map(Said::Number);
    Some(match column {
        "STATE" => (
            About::Up,
            Said::Flag(match cell {
                "U" | "UP" => true,
                "D" | "X" | "DOWN" => false,
                _ => return None,
            }),
        ),
        "RXBS" | "RX_BPS" => (About::Load(Traffic::InBps), rate()?),
        "TXBS" | "TX_BPS" => (About::Load(Traffic::OutBps), rate()?),
        "RXPS" | "RX_PPS" => (About::Load(Traffic::InPps), per_second()?),
        "TXPS" | "TX_PPS" | "Tx_PPS" => (About::Load(Traffic::OutPps), per_second()?),
        "FEC_PRE_BER" | "FEC_POST_BER" => {
            let ratio = number(cell).filter(|ratio| (0.0..=1.0).contains(ratio));
            let name = if column == "FEC_PRE_BER" {
                "pre-FEC BER"
            } else {
                "post-FEC BER"
            };
            (
                About::Setting(name.to_owned()),
                ratio.map(|_| Said::Text(cell.to_owned()))?,
            )
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(columns("Port   Align-Err  FCS-Err").is_some());
        assert!(columns("Port   Align-Err  and more").is_none() && columns("Port Mode").is_none());
        assert!(is_row("Gi1/0/1   0  1 --") && is_row("* Vlan1  0 - 5") && !is_row("Gi1/0/1 has 5 errors"));
    }
}
