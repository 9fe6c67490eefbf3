//! pingroute tables (SLAC): each hop of a route pinged with two packet sizes.
//!
//! `w.x.y.z  router  0%  0.0  4.0  1.0  0%  1.0  1.0  1.0 Tue May 16 21:41:04 PDT 2000`
//!
//! Documents lose line breaks and addresses: a row ends where its date ends, wherever the line does.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::host::{delay, host, rtt_ms};
use crate::when;
use evidence::{DelayStatistics, Node, Payload, ProbeRow, Probes, Timestamp};

pub(crate) static FORMAT: Format = Format {
    name: "pingroute",
    group: Group::Paths,
    reads: "loss and round-trip times of each hop, for each packet size",
    first: "p",
    has_command: false,
    marks: None,
    starts: |line| line.trim_ascii_start().starts_with(HEAD),
    continues,
    takes_in: None,
    read,
};

const HEAD: &str = "pings/node=";
/// Words of a date: `Tue May 16 21:41:04 PDT 2000`.
const DATE_WORDS: usize = 6;
/// Words for each packet size: loss, min, max, avg.
const SIZE_WORDS: usize = 4;
/// Bytes of ICMP and IPv4 header that the size printed does not count.
const HEADERS_BYTES: u32 = 28;

fn continues(block: &Block, line: &str) -> bool {
    let is_title = |line: &str| line.trim_ascii_start().starts_with("NODE ") && line.contains("%loss");
    (block.len() == 1 && is_title(line)) || ends_with_date(line)
}

fn ends_with_date(line: &str) -> bool {
    let year = line.trim_ascii_end().rsplit(' ').next().unwrap_or("");
    year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()) && line.contains('%')
}

/// What the head says.
struct Head {
    sent: Option<u64>,
    /// Whole IP packets.
    sizes_bytes: Vec<u32>,
}

/// `pings/node=4      100 byte packets      1473 byte packets`
fn head(line: &str) -> Head {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let sizes = words.windows(2).filter_map(|pair| match pair {
        [size, "byte"] => size.parse::<u32>().ok()?.checked_add(HEADERS_BYTES),
        _ => None,
    });
    Head {
        sent: words
            .first()
            .and_then(|word| word.strip_prefix(HEAD)?.parse().ok()),
        sizes_bytes: sizes.collect(),
    }
}

/// What has been read of a table.
struct Table {
    head: Head,
    rows: Vec<ProbeRow>,
    at: Option<Timestamp>,
    /// Rows of which the largest time is below the smallest or the mean.
    contradictory: u64,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut from = Node::default();
    let mut table = Table {
        head: head(block.first().unwrap_or_default()),
        rows: Vec::new(),
        at: None,
        contradictory: 0,
    };
    for (number, line) in block.numbered().skip(1) {
        let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.first() == Some(&"NODE") {
            let title = title_words(&words);
            if let Some(["from", word]) = words.get(title.saturating_sub(2)..title) {
                from = host(word);
            }
            words.drain(..title);
        }
        for row in rows(&words) {
            if let Err(reason) = table.take(row, context) {
                findings.complain(number, reason);
            }
        }
    }
    if table.contradictory > 0 {
        let reason = format!(
            "{} rows have a largest round-trip time below the smallest or the mean: left out",
            table.contradictory
        );
        findings.complain_of((block.first_line, block.last_line()), reason);
    }
    if !table.rows.is_empty() {
        let payload = Payload::Probes(Probes {
            from: context.from_or(from),
            destination: Some(context.to.clone()).filter(|to| !to.is_unknown()),
            rows: table.rows,
            ..Probes::default()
        });
        findings.record(block, "pingroute", table.at.or(context.at), payload);
    }
}

/// How many words `NODE %loss min max avg … from flora01` has; rows may follow on the same line.
fn title_words(words: &[&str]) -> usize {
    let from = words.iter().position(|word| *word == "from");
    from.map_or(words.len(), |place| (place + 2).min(words.len()))
}

/// Rows of a line: each ends with a date, which ends with a clock, a zone and a year.
fn rows<'w, 't>(words: &'w [&'t str]) -> impl Iterator<Item = &'w [&'t str]> {
    let mut rest = words;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let clock = rest
            .iter()
            .position(|word| word.contains(':') && when::clock(word).is_some());
        let end = clock.map_or(rest.len(), |clock| (clock + 3).min(rest.len()));
        let (row, behind) = rest.split_at(end);
        rest = behind;
        Some(row)
    })
}

impl Table {
    fn take(&mut self, words: &[&str], context: &Context) -> Result<(), String> {
        let bad = || format!("no row of a pingroute table: `{}`", words.join(" "));
        let sizes = self.head.sizes_bytes.len();
        let figures = words.len().checked_sub(DATE_WORDS).ok_or_else(bad)?;
        let names = figures.checked_sub(sizes * SIZE_WORDS).ok_or_else(bad)?;
        let (before_date, date) = words.split_at(figures);
        let (names, figures) = before_date.split_at(names);
        let to = node(names).ok_or_else(bad)?;
        let rows: Option<Vec<ProbeRow>> = figures
            .chunks(SIZE_WORDS)
            .zip(self.head.sizes_bytes.clone())
            .map(|(four, size_bytes)| self.row(&to, size_bytes, four))
            .collect();
        self.rows.extend(rows.ok_or_else(bad)?);
        self.at = self.at.or_else(|| when::unix_date(date, context.utc_offset_s));
        Ok(())
    }

    fn row(&mut self, to: &Node, size_bytes: u32, words: &[&str]) -> Option<ProbeRow> {
        let [loss, min, max, mean] = words else {
            return None;
        };
        let loss_ratio = loss.strip_suffix('%')?.parse::<f64>().ok()? / 100.0;
        if !(0.0..=1.0).contains(&loss_ratio) {
            return None;
        }
        let [min_ns, max_ns, mean_ns] = [rtt_ms(min)?, rtt_ms(max)?, rtt_ms(mean)?];
        // Without a reply the table prints zeros.
        let answered = loss_ratio < 1.0;
        let contradicts = answered && (max_ns < min_ns || max_ns < mean_ns);
        self.contradictory += u64::from(contradicts);
        Some(ProbeRow {
            to: to.clone(),
            size_bytes: Some(size_bytes),
            sent: self.head.sent,
            received: self.head.sent.and_then(|sent| received(sent, loss_ratio)),
            loss_ratio: Some(loss_ratio),
            delay: answered.then(|| DelayStatistics {
                min_ns: delay(Some(min_ns)),
                mean_ns: delay(Some(mean_ns)),
                max_ns: delay(Some(max_ns).filter(|_| !contradicts)),
                ..DelayStatistics::default()
            }),
            ..ProbeRow::default()
        })
    }
}

/// How many replies a percentage without decimals means, where it can only be one number.
fn received(sent: u64, loss_ratio: f64) -> Option<u64> {
    let replies = sent as f64 * (1.0 - loss_ratio);
    (sent <= 100).then(|| replies.round() as u64)
}

/// Address and name, either of which a document may have lost.
fn node(words: &[&str]) -> Option<Node> {
    match words {
        [one] => Some(host(one)),
        [address, name] => Some(Node {
            address: host(address).address,
            name: host(name).name,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_with_their_dates() {
        let line = "w.x.y.z router 0% 0.0 4.0 1.0 Tue May 16 21:41:04 PDT 2000 CORE 100% 0.0 0.0 0.0 Tue May 16 21:41:10 PDT 2000 cut";
        let words: Vec<&str> = line.split(' ').collect();
        let lengths: Vec<usize> = rows(&words).map(<[&str]>::len).collect();
        assert_eq!(lengths, [12, 11, 1]);
    }

    #[test]
    fn a_percentage_of_many_pings_is_no_count() {
        assert_eq!(received(4, 0.25), Some(3));
        assert_eq!(received(100, 0.99), Some(1));
        assert_eq!(received(1000, 0.25), None, "25 % of 1,000 is 746 to 755 replies");
    }

    #[test]
    fn hostile_rows() {
        let read = |row: &str| {
            let text = format!("pings/node=4 100 byte packets\n NODE %loss min max avg from here\n{row}\n");
            let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
            (records.len(), complaints.len())
        };
        let date = "Tue May 16 21:41:04 PDT 2000";
        assert_eq!(read(&format!("h 0% 1.0 2.0 1.5 {date}")), (1, 0));
        for bad in ["h 101% 1 2 1", "h 0% x 2 1", "0% 1 2 1", "a b c 0% 1 2 1"] {
            let (records, complaints) = read(&format!("{bad} {date}"));
            assert_eq!(records, 0, "{bad}");
            assert!(complaints > 0, "{bad}");
        }
    }
}
