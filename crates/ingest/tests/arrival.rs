//! How text arrives: whole samples, mangled as mails, forums, terminals and files mangle them, say what the clean ones say,
//! or complain; and nothing else is read.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{corpus, fixtures, leaves};
use evidence::Payload;
use ingest::{Context, import};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Texts of the corpus and the fixtures, one for each kind of shape.
const SAMPLES: [&str; 11] = [
    "fixtures/path/ping-linux-df.txt",
    "fixtures/path/traceroute-linux-icmp.txt",
    "fixtures/path/tracepath-esnet-nrao-1508.txt",
    "fixtures/path/mtr-command.txt",
    "fixtures/transfers/iperf3_tcp_p2.txt",
    "fixtures/transfers/iperf3_udp.txt",
    "fixtures/transfers/iperf2_udp.txt",
    "fixtures/transfers/nuttcp_udp.txt",
    "fixtures/cisco_show_interface.txt",
    "fixtures/transfers/ss_ti.txt",
    "fixtures/path/mtr.json",
];

fn sample(path: &str) -> String {
    let path = format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What is read, without the lines that it stands in, and whether there was nothing to complain about.
fn reading(bytes: &[u8]) -> (Vec<Payload>, Vec<String>) {
    let (records, complaints) = import(bytes, &Context::default());
    let payloads = records.into_iter().map(|record| record.payload).collect();
    (payloads, complaints.iter().map(ToString::to_string).collect())
}

fn each_line(text: &str, change: impl Fn(usize, &str) -> String) -> Vec<u8> {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| change(at, line) + "\n")
        .collect::<String>()
        .into_bytes()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let marked = std::iter::once(0xfeff).chain(text.encode_utf16());
    marked.flat_map(bytes).collect()
}

/// As RFC 2045 has it, in lines of at most 76 characters.
fn quoted_printable(text: &str) -> String {
    let mut encoded = String::new();
    for line in text.lines() {
        let mut width = 0;
        let trimmed = line.trim_ascii_end();
        for (at, sign) in line.char_indices() {
            let mut bytes = [0; 4];
            let is_blank_at_end = at >= trimmed.len();
            let code: String = match sign {
                ' '..='~' if sign != '=' && !is_blank_at_end => sign.to_string(),
                '\t' if !is_blank_at_end => sign.to_string(),
                _ => sign
                    .encode_utf8(&mut bytes)
                    .bytes()
                    .map(|byte| format!("={byte:02X}"))
                    .collect(),
            };
            if width + code.len() > 75 {
                encoded += "=\n";
                width = 0;
            }
            width += code.len();
            encoded += &code;
        }
        encoded.push('\n');
    }
    encoded
}

/// Each line changed, where there are enough to show that all were.
fn apart(text: &str, change: fn(&str) -> String) -> Vec<u8> {
    match text.lines().count() {
        ..4 => text.as_bytes().to_vec(),
        _ => each_line(text, |_, line| change(line)),
    }
}

type Mangling = (&'static str, fn(&str) -> Vec<u8>);

const MANGLINGS: &[Mangling] = &[
    ("quoted", |text| each_line(text, |_, line| format!("> {line}"))),
    ("quoted, blank lines without blanks", |text| {
        each_line(text, |_, line| format!("> {line}").trim_end().to_owned())
    }),
    ("quoted twice", |text| {
        each_line(text, |_, line| format!(">> {line}"))
    }),
    ("quoted twice, with blanks", |text| {
        each_line(text, |_, line| format!("> > {line}"))
    }),
    ("indented by four", |text| {
        each_line(text, |_, line| format!("    {line}"))
    }),
    ("indented by a tab", |text| {
        each_line(text, |_, line| format!("\t{line}"))
    }),
    ("indented and trimmed", |text| {
        each_line(text, |_, line| format!("  {line}").trim_end().to_owned())
    }),
    ("in a code fence", |text| {
        format!("```text\n{text}```\n").into_bytes()
    }),
    ("UTF-16 little endian", |text| utf16(text, u16::to_le_bytes)),
    ("UTF-16 big endian", |text| utf16(text, u16::to_be_bytes)),
    ("UTF-8 with a mark", |text| format!("\u{feff}{text}").into_bytes()),
    ("non-breaking blanks", |text| {
        text.replace(' ', "\u{a0}").into_bytes()
    }),
    ("CRLF", |text| text.replace('\n', "\r\n").into_bytes()),
    ("CR", |text| text.replace('\n', "\r").into_bytes()),
    ("a blank line behind each", |text| {
        apart(text, |line| format!("{line}\n"))
    }),
    ("quoted, a blank line behind each", |text| {
        apart(text, |line| format!("> {line}\n>"))
    }),
    ("CR CR LF", |text| text.replace('\n', "\r\r\n").into_bytes()),
    ("stamps of ISO 8601", |text| {
        each_line(text, |at, line| {
            format!("2024-03-04T05:{:02}:{:02}.250Z {line}", at / 60 % 60, at % 60)
        })
    }),
    ("clocks in brackets", |text| {
        each_line(text, |at, line| {
            format!("[05:{:02}:{:02}] {line}", at / 60 % 60, at % 60)
        })
    }),
    ("stamps of syslog", |text| {
        each_line(text, |at, line| {
            format!("Mar  4 05:00:{:02} dtn1 run[77]: {line}", at % 60)
        })
    }),
    ("a host before each line", |text| {
        each_line(text, |_, line| format!("dtn1: {line}"))
    }),
    ("a prompt before each line", |text| {
        each_line(text, |_, line| format!("root@dtn1:~# {line}"))
    }),
    ("a container before each line", |text| {
        each_line(text, |_, line| format!("probe-1  | {line}"))
    }),
    ("numbered by cat -n", |text| {
        each_line(text, |at, line| format!("{:>6}\t{line}", at + 1))
    }),
    ("colours", |text| {
        each_line(text, |_, line| format!("\u{1b}[32m{line}\u{1b}[0m\u{1b}[K"))
    }),
    ("a session of script", |text| {
        format!("Script started on 2024-03-04 05:06:07+00:00 [TERM=\"xterm\"]\n{text}\nScript done on 2024-03-04\n")
            .replace('\n', "\r\n")
            .into_bytes()
    }),
    ("blanks at the ends", |text| {
        each_line(text, |_, line| format!("{line}   "))
    }),
    ("quoted, with CRLF", |text| {
        each_line(text, |_, line| format!("> {line}\r"))
    }),
    ("quoted and indented", |text| {
        each_line(text, |_, line| format!(">     {line}"))
    }),
    ("quoted, with colours", |text| {
        each_line(text, |_, line| format!("> \u{1b}[1m{line}\u{1b}[0m"))
    }),
    ("indented, with stamps", |text| {
        each_line(text, |at, line| format!("  05:06:{:02} {line}", at % 60))
    }),
];

#[test]
fn mangled_samples_say_what_clean_ones_say() {
    let (mut whole, mut partly) = (0, Vec::new());
    for path in SAMPLES {
        let text = sample(path);
        let (clean, complaints) = reading(text.as_bytes());
        assert!(!clean.is_empty(), "{path}");
        let complained = complaints.len();
        for (name, mangle) in MANGLINGS {
            let (mangled, complaints) = reading(&mangle(&text));
            if mangled == clean && complaints.len() == complained {
                whole += 1;
                continue;
            }
            let foreign = mangled.iter().filter(|payload| !clean.contains(payload)).count();
            partly.push(format!(
                "{path}, {name}: {foreign} records say something else; {complaints:?}"
            ));
        }
    }
    println!("whole: {whole} of {}", SAMPLES.len() * MANGLINGS.len());
    assert!(
        partly.is_empty(),
        "{} of {}:\n{}",
        partly.len(),
        partly.len() + whole,
        partly.join("\n")
    );
}

#[test]
fn mails_that_are_encoded_say_what_clean_ones_say() {
    let header = "From: a@a.example\nContent-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=\"utf-8\"\n\n";
    for path in SAMPLES {
        let text = sample(path);
        let (clean, complaints) = reading(text.as_bytes());
        for above in [header, "Hello\u{2013}\n\n"] {
            let encoded = match above == header {
                true => header.to_owned() + &quoted_printable(&text),
                false => quoted_printable(&(above.to_owned() + &text)),
            };
            let (read, told) = reading(encoded.as_bytes());
            // What stands above is a line, or several, of no format.
            assert!(
                read == clean && told.len() <= complaints.len() + 1,
                "{path}, {above:?}: {told:?}"
            );
        }
    }
}

#[test]
fn an_answer_within_a_quoted_output_is_none_of_it() {
    for path in [
        "fixtures/path/ping-linux-df.txt",
        "fixtures/path/traceroute-linux-icmp.txt",
        "fixtures/transfers/iperf3_tcp_p2.txt",
        "fixtures/transfers/iperf3_udp.txt",
    ] {
        let text = sample(path);
        let (clean, complaints) = reading(text.as_bytes());
        let half = text.lines().count() / 2;
        let answered = each_line(&text, |at, line| {
            let answer = if at == half {
                "\n\nLook at this one, and\nat what comes next:\n"
            } else {
                ""
            };
            format!("> {line}{answer}")
        });
        let (read, told) = reading(&answered);
        assert!(
            read == clean && told.len() == complaints.len() + 1,
            "{path}: {told:?}"
        );
        let lines = |bytes: &[u8]| import(bytes, &Context::default()).0[0].lines.1;
        assert_eq!(lines(&answered), lines(text.as_bytes()) + 4, "{path}");
    }
}

#[test]
fn lines_of_an_encoded_mail_have_the_numbers_that_they_have_in_it() {
    let ping = "PING a.example (240.0.0.1) 56(84) bytes of data.=20\n64 bytes from 240.0.0.1: icmp_seq=3D1 =\nttl=3D57 =\n\
                time=3D1.0 ms\n64 bytes from 240.0.0.1: icmp_seq=3D2 ttl=3D57 time=3D1.=\n5 ms\n\nend\n";
    let (records, complaints) = import(ping.as_bytes(), &Context::default());
    assert_eq!(
        records.iter().map(|record| record.lines).collect::<Vec<_>>(),
        [(1, 6)]
    );
    assert_eq!(
        complaints
            .iter()
            .map(|said| (said.first_line, said.last_line))
            .collect::<Vec<_>>(),
        [(8, 8)]
    );
}

/// Breaks lines as a screen of so many columns does.
fn screen(text: &str, columns: usize) -> String {
    let lines = text.lines().flat_map(|line| {
        let characters: Vec<char> = line.chars().collect();
        let pieces = characters.chunks(columns).map(|piece| piece.iter().collect());
        pieces
            .chain(line.is_empty().then(String::new))
            .collect::<Vec<String>>()
    });
    lines.map(|line| line + "\n").collect()
}

/// What names things and tells sizes: half of one looks like a whole one.
fn names(payloads: &[Payload]) -> BTreeSet<(String, String)> {
    let all = payloads
        .iter()
        .flat_map(|payload| leaves(&serde_json::to_value(payload).unwrap()));
    all.filter_map(|(path, value)| {
        let field = path.rsplit('.').next()?.to_owned();
        ["name", "address", "mtu_bytes", "size_bytes"]
            .contains(&field.as_str())
            .then_some((field, value))
    })
    .collect()
}

/// What is told of which interface: two tables of one command are one record or two, and tell the same.
fn told(payloads: &[Payload]) -> BTreeSet<(String, String, String)> {
    let of = |payload: &Payload| {
        let all = leaves(&serde_json::to_value(payload).unwrap());
        let interface = all.iter().find(|(path, _)| path == "interface");
        let name = interface.map(|(_, name)| name.clone()).unwrap_or_default();
        all.into_iter()
            .map(move |(path, value)| (name.clone(), path, value))
    };
    payloads.iter().flat_map(of).collect()
}

#[test]
fn what_a_screen_broke_is_read_or_complained_about() {
    let mut wrong = Vec::new();
    // Half of a window shows fewer columns, a terminal of our days more.
    for (columns, least_whole) in [(80, 0.7), (100, 0.34), (120, 0.35), (132, 0.43)] {
        let (mut whole, mut partly) = (0, 0);
        for path in corpus().into_iter().chain(fixtures()) {
            // Markdown is written in an editor and never shown as it is, and a table of numbers alone shows no break.
            let is_shown =
                path.extension().is_some_and(|ending| ending != "md") && !path.ends_with("pinger.txt");
            let Some(text) = std::fs::read_to_string(&path).ok().filter(|_| is_shown) else {
                continue;
            };
            let broken = screen(&text, columns);
            if broken.lines().count() == text.lines().count() {
                continue;
            }
            let (clean, _) = reading(text.as_bytes());
            let (read, complaints) = reading(broken.as_bytes());
            if told(&read) == told(&clean) {
                whole += 1;
                continue;
            }
            partly += 1;
            if complaints.is_empty() {
                wrong.push(format!(
                    "{columns} columns, {}: not a word of what is missing",
                    path.display()
                ));
            }
            let others: Vec<_> = names(&read)
                .into_iter()
                .filter(|(_, value)| value != "\"\"")
                .filter(|name| !names(&clean).contains(name))
                .collect();
            if columns == 80 && !others.is_empty() {
                wrong.push(format!("{columns} columns, {}: {others:?}", path.display()));
            }
        }
        println!("broken at {columns} columns: {whole} whole, {partly} with a complaint");
        let share = f64::from(whole) / f64::from(whole + partly);
        assert!(
            share > least_whole,
            "{columns} columns: {whole} whole, {partly} in part"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_mail_with_several_outputs_is_read_with_the_numbers_of_its_lines() {
    let samples = SAMPLES.map(sample);
    let mut mail = "Hi all,\n\nthis is what I see since Monday.\n\n".to_owned();
    let mut expected = Vec::new();
    for (at, text) in samples.iter().enumerate() {
        mail += &format!("Then I tried tool {at}, and got\n\n");
        let above = mail.lines().count() as u64;
        let (records, _) = import(text.as_bytes(), &Context::default());
        expected.extend(records.into_iter().map(|record| {
            let (first, last) = record.lines;
            ((first + above, last + above), record.payload)
        }));
        mail += text;
        mail += "\n\nwhich looks odd to me.\n";
    }
    for quote in ["", "> ", "    "] {
        let quoted = each_line(&mail, |_, line| format!("{quote}{line}"));
        let (records, _) = import(&quoted, &Context::default());
        let read: Vec<_> = records
            .into_iter()
            .map(|record| (record.lines, record.payload))
            .collect();
        let lines = |of: &[((u64, u64), Payload)]| of.iter().map(|(lines, _)| *lines).collect::<Vec<_>>();
        assert_eq!(lines(&read), lines(&expected), "{quote:?}");
        assert!(read == expected, "{quote:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// In pieces of any size, and with anything at all between the lines, nothing breaks.
    #[test]
    fn pieces_do_not_matter(cuts in prop::collection::vec(1_usize..200, 1..40), which in 0..SAMPLES.len(), how in 0..MANGLINGS.len()) {
        let bytes = MANGLINGS[how].1(&sample(SAMPLES[which]));
        let context = Context::default();
        let mut importer = ingest::Importer::new(&context);
        let mut events = Vec::new();
        let mut rest = bytes.as_slice();
        for cut in cuts {
            let (piece, behind) = rest.split_at(cut.min(rest.len()));
            importer.feed(piece, &mut |event| events.push(event));
            rest = behind;
        }
        importer.feed(rest, &mut |event| events.push(event));
        importer.finish(&mut |event| events.push(event));
        let mut at_once = Vec::new();
        let mut importer = ingest::Importer::new(&context);
        importer.feed(&bytes, &mut |event| at_once.push(event));
        importer.finish(&mut |event| at_once.push(event));
        prop_assert_eq!(events, at_once);
    }
}
