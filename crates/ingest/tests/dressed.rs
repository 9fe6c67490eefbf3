//! Every text of the corpus, as mails, pages and terminals hand it on: what says the same in other bytes is read the same, and what else
//! stands around its lines, or breaks them, makes no figure another's, and no host or interface out of something else.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{corpus, fixtures, leaves};
use ingest::{Context, ImportComplaint, Record, import};
use std::collections::BTreeSet;

type Dress = (&'static str, fn(&str) -> Vec<u8>);

/// Nothing of the text is lost in these, and nothing is added that anybody sees.
const SAME: &[Dress] = &[
    ("line feeds of Windows", |text| text.replace('\n', "\r\n").into()),
    ("line ends of old Macs", |text| text.replace('\n', "\r").into()),
    ("blanks that do not break", |text| {
        text.replace(' ', "\u{a0}").into()
    }),
    ("UTF-16", |text| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }),
    ("colours", |text| {
        lines(text, |_, line| format!("\u{1b}[0;32m{line}\u{1b}[0m\u{1b}[K"))
    }),
];

/// Something stands around the lines, or they were broken.
const AROUND: &[Dress] = &[
    ("a quote", |text| lines(text, |_, line| format!("> {line}"))),
    ("a quote of a quote", |text| {
        lines(text, |_, line| format!("> > {line}"))
    }),
    ("a quote without blanks", |text| {
        lines(text, |_, line| format!(">>{line}"))
    }),
    ("an indentation", |text| {
        lines(text, |_, line| format!("    {line}"))
    }),
    ("a tab", |text| lines(text, |_, line| format!("\t{line}"))),
    ("a change", |text| lines(text, |_, line| format!("+{line}"))),
    ("numbers", |text| {
        lines(text, |number, line| format!("{number:6}\t{line}"))
    }),
    ("blanks at the end", |text| {
        lines(text, |_, line| format!("{line}   "))
    }),
    ("a blank line behind each", |text| {
        lines(text, |_, line| format!("{line}\n"))
    }),
    ("a stamp", |text| {
        lines(text, |number, line| {
            format!("2026-01-02 10:{:02}:{:02} {line}", number / 60 % 60, number % 60)
        })
    }),
    ("a log", |text| {
        lines(text, |number, line| {
            format!(
                "Jan  2 10:{:02}:{:02} log1 probe[812]: {line}",
                number / 60 % 60,
                number % 60
            )
        })
    }),
    ("a fence", |text| {
        format!("Hello, we see:\n\n```\n{}\n```\n\nAny idea?\n", text.trim_end()).into()
    }),
    ("a web page", |text| {
        let text = text.trim_end().replace('&', "&amp;");
        let text = text.replace('<', "&lt;").replace('>', "&gt;");
        format!("<p>Hello</p>\n<pre><code>{text}\n</code></pre>\n<p>Thanks</p>\n").into()
    }),
    ("prose", |text| {
        format!(
            "Hello,\n\nthis is what I get:\n\n{}\n\nIt was faster last week.\n",
            text.trim_end()
        )
        .into()
    }),
    ("a screen", |text| {
        lines(text, |_, line| {
            let signs: Vec<char> = line.chars().collect();
            let pieces: Vec<String> = signs.chunks(80).map(String::from_iter).collect();
            pieces.join("\n")
        })
    }),
    ("a mail program", |text| lines(text, |_, line| mailed(line))),
];

fn lines(text: &str, dressed: impl Fn(usize, &str) -> String) -> Vec<u8> {
    let lines = text.lines().enumerate();
    let lines: String = lines.map(|(at, line)| dressed(at + 1, line) + "\n").collect();
    lines.into()
}

/// The line, broken at its last blank before the 76th letter, again and again.
fn mailed(mut line: &str) -> String {
    let mut whole = String::new();
    while line.chars().count() > 76 {
        let blanks = line
            .char_indices()
            .take(76)
            .filter(|(at, sign)| *sign == ' ' && !line[..*at].trim().is_empty());
        let last = blanks.last();
        let Some((at, _)) = last else { break };
        whole += line[..at].trim_end();
        whole.push('\n');
        line = line[at..].trim_start();
    }
    whole + line
}

/// Every text, but for the marks of encodings, and without the line ends of Windows.
fn texts() -> impl Iterator<Item = (String, String)> {
    corpus().into_iter().chain(fixtures()).filter_map(|path| {
        let text = String::from_utf8(std::fs::read(&path).unwrap()).ok()?;
        let is_plain = !text.contains(['\u{feff}', '\u{1b}', '\u{a0}', '\r']);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        is_plain.then_some((name, text))
    })
}

fn read(bytes: &[u8]) -> (Vec<Record>, Vec<ImportComplaint>) {
    import(bytes, &Context::default())
}

#[test]
fn other_bytes_for_the_same_text_say_the_same() {
    for (name, text) in texts() {
        let said =
            |bytes: &[u8]| -> Vec<_> { read(bytes).0.into_iter().map(|record| record.payload).collect() };
        let plain = said(text.as_bytes());
        for (dress, dressed) in SAME {
            assert_eq!(said(&dressed(&text)), plain, "{name} in {dress}");
        }
    }
}

/// Figures of a record and what it is of, and names of hosts and interfaces anywhere. Places in lists do not count.
fn said(records: &[Record]) -> BTreeSet<(String, String, String)> {
    let mut said = BTreeSet::new();
    for record in records {
        let all = leaves(&serde_json::to_value(&record.payload).unwrap());
        let of = all.iter().find(|(path, _)| path == "interface");
        let of = of.map_or("", |(_, name)| name);
        for (path, value) in &all {
            let parts = path.split('.').filter(|part| part.parse::<usize>().is_err());
            let path = parts.collect::<Vec<_>>().join(".");
            let is_name = path.ends_with("name") || path == "interface";
            let is_figure = value.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-');
            if is_name && value != "\"\"" {
                said.insert((String::new(), "name".to_owned(), value.clone()));
            } else if is_figure {
                said.insert((of.to_owned(), path, value.clone()));
            }
        }
    }
    said
}

/// What is right all the same: sums over as many lines as are left together, and what a command told that is no longer known.
const EXPECTED: &[(&str, &str)] = &[
    // A table of five lines in a row is not seen to stand apart; each of its lines is read by itself.
    ("conntrack-blank-lines.part.txt", "a blank line behind each"),
    ("softnet-bare.txt", "a blank line behind each"),
    ("dd-ssh-both.txt", "a blank line behind each"),
    ("dd-ssh-progress-lines.txt", "a blank line behind each"),
    ("scp-upload.txt", "a blank line behind each"),
    // Which way the data goes is told by a command, which was broken.
    ("guc-names.txt", "a mail program"),
    ("curl-write-out-contradiction.part.txt", "a change"),
    // The prompt is further in than the rest, and is seen now.
    ("aruba-os-ip-brief.txt", "a tab"),
    // Lines that a screen of an unusual width broke are broken again, or got blanks at its margin.
    ("influx-query-at-72.json", "blanks at the end"),
    ("traceroute-two-routers-at-79.part.txt", "blanks at the end"),
    ("traceroute-two-routers-at-79.part.txt", "a mail program"),
    ("snmp-exporter-at-80.txt", "blanks at the end"),
    ("snmp-exporter-at-80.txt", "a blank line behind each"),
    // What is of one interface is not together, so its counters of 32 bits and its names of another kind are told by themselves.
    ("snmp-exporter.txt", "a blank line behind each"),
    ("snmp-walk-of.txt", "a mail program"),
    ("snmpwalk-names-shared.part.txt", "a screen"),
    ("sar-dev-chinese.txt", "a screen"),
    // Names in several words were broken.
    ("netsh-subinterfaces.txt", "a mail program"),
    ("controllers-ios-ethernet.txt", "a mail program"),
    ("entstat-two.txt", "a mail program"),
    ("kept-by-command.part.json", "a screen"),
    ("table-exos-statistics.txt", "a screen"),
];

#[test]
fn what_stands_around_lines_makes_no_figure_anothers() {
    let mut wrong = Vec::new();
    for (name, text) in texts() {
        let (records, complaints) = read(text.as_bytes());
        let plain = said(&records);
        for (dress, dressed) in AROUND {
            let (records, more) = read(&dressed(&text));
            if EXPECTED.contains(&(&name, dress)) {
                continue;
            }
            // Of a part figures may be other sums, and that it is a part is told; names and what is of a name are the same in each.
            let is_told = more.len() > complaints.len();
            let is_of_name = |of: &str, path: &str| path == "name" || !matches!(of, "" | "\"\"");
            let all = said(&records);
            let fresh = all.difference(&plain);
            let fresh = fresh.filter(|(of, path, _)| !is_told || is_of_name(of, path));
            let fresh: Vec<_> = fresh.take(3).collect();
            if !fresh.is_empty() {
                wrong.push(format!("{name} in {dress}: {fresh:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
