//! The transfer log of the Globus GridFTP server: a transfer a line, `DATE=… HOST=… NBYTES=… TYPE=RETR CODE=226`.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::host::host;
use crate::when;
use evidence::{RateBps, Timestamp, Transfer, Transport};

pub(crate) static FORMAT: Format = Format {
    name: "GridFTP log",
    group: Group::Transfers,
    reads: "a transfer a line: hosts, bytes, start and end, streams, buffer",
    first: "D",
    has_command: false,
    marks: None,
    starts,
    continues: |_, line| starts(line),
    takes_in: None,
    read,
};

fn starts(line: &str) -> bool {
    line.starts_with("DATE=") && line.contains(" NBYTES=")
}

/// The value of a field.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let at = line
        .split(' ')
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    at.map(|value| value.trim_matches(['[', ']']))
        .filter(|value| !value.is_empty())
}

/// `20261121101112.123456`, in UTC as the server writes it.
fn instant(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let number = |from: usize, to: usize| whole.get(from..to)?.parse::<i16>().ok();
    let two = |at: usize| number(at, at + 2).and_then(|n| i8::try_from(n).ok());
    let date = (number(0, 4)?, two(4)?, two(6)?);
    let at = when::timestamp(date, (two(8)?, two(10)?, two(12)?), 0)?;
    let fraction: f64 = format!("0.{fraction}").parse().ok()?;
    Some(Timestamp(at.0 + (fraction * 1e9) as i64))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    for (number, line) in block.numbered() {
        match transfer(line) {
            Ok((at, mut record)) => {
                (record.from, record.to) = (context.from_or(record.from), context.to_or(record.to));
                findings.record_of((number, number), "globus-gridftp-server", Some(at), record.into());
            }
            Err(reason) => findings.complain(number, reason),
        }
    }
}

fn transfer(line: &str) -> Result<(Timestamp, Transfer), String> {
    let need = |name: &str| field(line, name).ok_or_else(|| format!("a transfer of GridFTP without {name}"));
    // The last field: without it the line was cut.
    let code = need("CODE")?;
    if !code.starts_with('2') {
        return Err(format!("GridFTP itself says that the transfer failed: {code}"));
    }
    let time = |name: &str| instant(need(name)?).ok_or_else(|| format!("{name} is no time"));
    let (start, end) = (time("START")?, time("DATE")?);
    let bytes = need("NBYTES")?
        .parse::<u64>()
        .map_err(|_| "NBYTES is no number".to_owned())?;
    let ns = end
        .0
        .checked_sub(start.0)
        .and_then(|ns| u64::try_from(ns).ok())
        .filter(|ns| *ns > 0);
    let ns = ns.ok_or_else(|| "the transfer of GridFTP ends before it began: it is not used".to_owned())?;
    let (own, other) = (host(need("HOST")?), host(need("DEST")?));
    // As the client saw it: it retrieves from the server, or stores there.
    let sends = match need("TYPE")? {
        "RETR" | "ERET" => true,
        "STOR" | "ESTO" => false,
        other => return Err(format!("{other} is no transfer of a file")),
    };
    let (from, to) = if sends { (own, other) } else { (other, own) };
    let rate = RateBps::of_bytes(bytes, ns);
    let number = |name: &str| field(line, name)?.parse::<u64>().ok().filter(|n| *n > 0);
    Ok((
        start,
        Transfer {
            from,
            to,
            protocol: Some(Transport::Tcp),
            application: Some("gridftp".to_owned()),
            streams: number("STREAMS").and_then(|n| u16::try_from(n).ok()),
            window_bytes: number("BUFFER"),
            duration_ns: Some(ns),
            sent_bps: rate.filter(|_| sends),
            received_bps: rate.filter(|_| !sends),
            bytes_received: Some(bytes),
            ..Transfer::default()
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_fraction() {
        let at = instant("20261121101112.250000").unwrap();
        assert_eq!(at.0 - instant("20261121101112").unwrap().0, 250_000_000);
        assert!(instant("2026").is_none() && instant("").is_none());
    }
}
