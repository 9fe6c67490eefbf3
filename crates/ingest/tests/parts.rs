//! Parts of a text that are read by themselves give what the whole gives.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ingest::{Context, Event, Importer};
use std::fs;
use std::path::Path;

fn texts(folder: &Path, all: &mut Vec<Vec<u8>>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            texts(&path, all);
        } else if path.extension().is_none_or(|ending| ending != "read") {
            all.push(fs::read(path).unwrap());
        }
    }
}

/// Numbers by a seed (Knuth's multiplier: which text comes next needs no better generator).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn whole(text: &[u8], context: &Context) -> Vec<Event> {
    let mut events = Vec::new();
    let mut importer = Importer::new(context);
    importer.feed(text, &mut |event| events.push(event));
    importer.finish(&mut |event| events.push(event));
    events
}

/// Reads a text in parts of so many lines. Returns how many of them were of use.
fn in_parts(text: &[u8], lines: usize, context: &Context) -> (Vec<Event>, usize) {
    let all: Vec<_> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut events, mut useful) = (Vec::new(), 0);
    let mut sink = |event| events.push(event);
    let mut importer = Importer::new(context);
    let mut lines_above = 0;
    for piece in all.chunks(lines) {
        let bytes = piece.concat();
        match importer.part_reader().filter(|_| bytes.ends_with(b"\n")) {
            Some(reader) => {
                let part = reader.read(&bytes, lines_above);
                useful += usize::from(importer.join(&bytes, part, &mut sink));
            }
            None => importer.feed(&bytes, &mut sink),
        }
        lines_above += piece.len() as u64;
    }
    importer.finish(&mut sink);
    (events, useful)
}

#[test]
fn parts_say_together_what_the_whole_says() {
    let context = Context::default();
    let mut all = Vec::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    texts(&tests.join("corpus"), &mut all);
    texts(&tests.join("fixtures"), &mut all);
    let mut draw = Draw(11);
    let behind: [&[u8]; 6] = [
        b"\n",
        b"\n\n",
        b"Some prose, and 5 ms of it.\n",
        b"\nroot@dtn1:~# ",
        b"> ",
        b"",
    ];
    let mut useful = 0;
    for _ in 0..100 {
        let mut text = b"We see this:\n".to_vec();
        for _ in 0..25 {
            let one = &all[draw.below(all.len())];
            // Now and then a word processor set the lines apart.
            match draw.below(12) {
                0 => one.split_inclusive(|byte| *byte == b'\n').for_each(|line| {
                    text.extend_from_slice(line);
                    text.push(b'\n');
                }),
                _ => text.extend_from_slice(one),
            }
            text.extend_from_slice(behind[draw.below(behind.len())]);
        }
        let expected = whole(&text, &context);
        for lines in [1 + draw.below(12), 5 + draw.below(100), 300] {
            let (events, count) = in_parts(&text, lines, &context);
            useful += count;
            if let Some(at) =
                (0..expected.len().max(events.len())).find(|at| events.get(*at) != expected.get(*at))
            {
                panic!(
                    "parts of {lines} lines: {:?} is {:?}",
                    expected.get(at),
                    events.get(at)
                );
            }
        }
    }
    assert!(useful > 1_000, "{useful}");
}

/// What waits to be told when a part is met would be lost: in the first part lines stand apart, and two outputs wait for each other.
#[test]
fn what_waits_is_not_lost_where_a_part_goes_on() {
    let mut text = String::new();
    for row in [
        "Port        Align-Err     FCS-Err    Xmit-Err",
        "Gi2/0/3             0        4410           0",
        "Port      Single-Col  Multi-Col   Late-Col",
        "Gi2/0/3            0          0          0",
        "Gi2/0/4            0          0         17",
        "SW-B2#",
    ] {
        text += &format!("> {row}\n>\n");
    }
    text += "[root@dtn1 ~]# ethtool -S eth0; ethtool -S eth1\nNIC statistics:\nNIC statistics:\n\
        $ curl -o /dev/null http://dtn2.example.org/small.dat\n";
    let context = Context::default();
    for lines in 1..16 {
        assert_eq!(
            in_parts(text.as_bytes(), lines, &context).0,
            whole(text.as_bytes(), &context),
            "parts of {lines}"
        );
    }
}

#[test]
fn a_text_that_cannot_be_divided_is_not() {
    let context = Context::default();
    for text in [
        &b"P\0I\0N\0G\0\n\0"[..],
        b"PING a\rPING b\r",
        b"no line ends here",
    ] {
        let mut importer = Importer::new(&context);
        importer.feed(text, &mut |_| {});
        assert!(importer.part_reader().is_none(), "{text:?}");
    }
}
