//! RouterOS' `/tool traceroute`: mtr's table, a hop a row, printed anew for each page.
//!
//! ` 1 192.0.2.1                          0%    3   0.4ms     0.4     0.4     0.5       0`

use super::run::{Hop, Run};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::routeros::{command, time};
use crate::host::delay;
use crate::invoked::target;
use crate::mpls::entry;
use crate::stray::is_stray;
use evidence::{MplsLabel, Node};

pub(crate) static FORMAT: Format = Format {
    name: "RouterOS traceroute",
    group: Group::Paths,
    reads: "/tool traceroute of MikroTik's routers: loss and times of each hop, MPLS labels",
    first: "#AC[",
    has_command: true,
    marks: Some(|| Marks::of([" LOSS ", "Columns: ADDRESS", "traceroute"])),
    starts: |line| is_head(line) || is_command(line),
    continues,
    takes_in: Some(|block, line| {
        !is_head(line) && is_stray(block, line, |line| is_head(line) || row(line).is_some())
    }),
    read,
};

static PROGRAMS: &[&str] = &["traceroute"];

fn is_command(line: &str) -> bool {
    command(line, PROGRAMS).is_some()
}

/// ` # ADDRESS   LOSS SENT    LAST     AVG    BEST   WORST STD-DEV STATUS`, and above it of version 7 `Columns: ADDRESS, LOSS, …`.
fn is_head(line: &str) -> bool {
    let text = line.trim_ascii_start().trim_start_matches(['#', ' ']);
    (text.starts_with("ADDRESS ") && text.contains(" LOSS ") && text.contains(" SENT "))
        || text.starts_with("Columns: ADDRESS, LOSS")
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    // RouterOS keeps lines of its pager: `-- [Q quit|D dump|C-z pause]`
    if text.is_empty() || text.starts_with("-- [") {
        return true;
    }
    if is_head(line) {
        return true;
    }
    row(line).is_some() && block.has(is_head) || bare_row(line).is_some() && block.has(is_bare_head)
}

/// `ADDRESS   LOSS SENT …` of version 7 over a login without a terminal: the hops have no numbers, and stand in their order.
fn is_bare_head(line: &str) -> bool {
    line.trim_ascii_start().starts_with("ADDRESS ") && is_head(line)
}

/// The address of a hop without a number, where it has one, and what stands behind it.
fn bare_row(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_ascii_whitespace().peekable();
    let address = words.next_if(|word| !word.ends_with('%')).unwrap_or("");
    let figures: Vec<&str> = words.collect();
    let (loss, rest) = figures.split_first()?;
    loss.strip_suffix('%')?.parse::<f64>().ok()?;
    let is_sent = rest.first()?.parse::<u64>().is_ok();
    (is_sent && rest.len() > 1).then_some((address, figures))
}

/// The number of a hop, its address where it has one, the share lost and what stands behind it.
fn row(line: &str) -> Option<(u8, &str, Vec<&str>)> {
    let mut words = line.split_ascii_whitespace().peekable();
    let ttl: u8 = words.next()?.parse().ok().filter(|ttl| *ttl > 0)?;
    let address = words.next_if(|word| !word.ends_with('%')).unwrap_or("");
    let figures: Vec<&str> = words.collect();
    figures.first()?.strip_suffix('%')?.parse::<f64>().ok()?;
    Some((ttl, address, figures))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut run = Run {
        tool: Some("RouterOS traceroute"),
        ..Run::default()
    };
    let mut page: Vec<Hop> = Vec::new();
    let mut is_bare = false;
    for (number, line) in block.numbered() {
        if is_head(line) {
            // Each page counts on: the last one that is not smaller tells most.
            if page.len() >= run.hops.len() {
                run.hops = std::mem::take(&mut page);
            }
            page.clear();
            is_bare = is_bare_head(line);
        } else if let Some(typed) = command(line, PROGRAMS) {
            run.to = target(&typed.words, &[]);
            run.from = typed.device.map(Node::named).unwrap_or_default();
        } else if let Some((ttl, address, figures)) = match is_bare {
            true => numbered(bare_row(line), page.len()),
            false => row(line),
        } {
            match hop(ttl, address, &figures) {
                Some(hop) => page.push(hop),
                None => findings.complain(number, format!("no row of a traceroute: {}", line.trim_ascii())),
            }
        } else if !line.trim_ascii_start().starts_with("-- [") {
            findings.unread(number, line);
        }
    }
    if page.len() >= run.hops.len() {
        run.hops = page;
    }
    let lines = (block.first_line, block.last_written_line());
    run.into_findings(lines, context, findings);
}

/// A hop by its place in the page.
fn numbered<'l>(row: Option<(&'l str, Vec<&'l str>)>, above: usize) -> Option<(u8, &'l str, Vec<&'l str>)> {
    let (address, figures) = row?;
    Some((u8::try_from(above + 1).ok()?, address, figures))
}

/// Share lost, sent, last, mean, best, worst, deviation; `timeout` in the place of the times.
fn hop(ttl: u8, address: &str, figures: &[&str]) -> Option<Hop> {
    let mut hop = Hop {
        ttl,
        ..Hop::default()
    };
    let (loss, rest) = figures.split_first()?;
    let (sent, rest) = rest.split_first()?;
    if !hop.figure("Loss%", loss) || !hop.figure("Snt", sent) {
        return None;
    }
    let ms = |word: &str| match word.parse::<f64>() {
        Ok(ms) => crate::host::rtt_of_ms(ms),
        Err(_) => time(word),
    };
    if let [_, mean, best, worst, deviation, status @ ..] = rest
        && let (Some(mean), Some(best), Some(worst), Some(deviation)) =
            (ms(mean), ms(best), ms(worst), ms(deviation))
    {
        hop.rtt.mean_ns = delay(Some(mean));
        hop.rtt.min_ns = delay(Some(best));
        hop.rtt.max_ns = delay(Some(worst));
        hop.rtt.deviation_ns = delay(Some(deviation));
        hop.mpls = labels(status);
    } else if rest.first().is_none_or(|word| *word != "timeout") {
        return None;
    }
    hop.node(if address.is_empty() { "???" } else { address }, None);
    Some(hop)
}

/// `<MPLS:L=24001,E=0>`, several of a stack: `<MPLS:L=24001,E=0 L=3,E=0>`
fn labels(words: &[&str]) -> Vec<MplsLabel> {
    let text = words.join(" ");
    let Some((_, stack)) = text.split_once("<MPLS:") else {
        return Vec::new();
    };
    let stack = stack.split('>').next().unwrap_or("");
    let entries: Vec<&str> = stack
        .split([' ', '/'])
        .filter(|entry| !entry.is_empty())
        .collect();
    let count = entries.len();
    let label = |(place, printed): (usize, &&str)| {
        let value = |name: &str| {
            printed
                .split(',')
                .find_map(|part| part.strip_prefix(name)?.parse::<u64>().ok())
        };
        entry(
            value("L="),
            value("E="),
            Some(u64::from(place + 1 == count)),
            value("T="),
        )
    };
    entries.iter().enumerate().filter_map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_hops() {
        let (ttl, address, figures) =
            row(" 1 192.0.2.1   0%    3   0.4ms     0.4     0.3     0.5       0.1").unwrap();
        let read = hop(ttl, address, &figures).unwrap();
        assert_eq!(
            (read.sent, read.rtt.mean_ns, read.rtt.max_ns),
            (Some(3), Some(400_000), Some(500_000))
        );
        let (ttl, address, figures) = row(" 2               100%    3 timeout").unwrap();
        assert!(hop(ttl, address, &figures).unwrap().is_silent);
        let (ttl, address, figures) = row(" 3 192.0.2.3   0%    3   0.4ms").unwrap();
        assert!(hop(ttl, address, &figures).is_none(), "a row that was cut");
        assert!(row("1 of 3 was 5% larger").is_none());
    }
}
