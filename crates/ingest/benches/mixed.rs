//! How fast text of many tools is read, and how much memory that takes: `cargo bench -p ingest --bench mixed [-- MB tests/FOLDER]`.
//! Given a file, it is that alone, once: `-- FILE`. `-- each` reads every text alone, over and over, and prints those that take most of
//! the time of the mix, with their rates: what to look at first.
//!
//! The text is that of the test fixtures and of the corpus, in an order drawn from a seed, fed in pieces of 64 kB as from a file, with
//! prose and lines of other programs in between. Nothing of it is kept: the figure is for the importer alone, with the allocator of
//! the binary.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod texts;

use ingest::{Context, Event, Importer};
use std::fs;
use std::path::Path;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PIECE_BYTES: usize = 64 << 10;
/// So much text is put together at once: asking for the time takes some too.
const BATCH_BYTES: usize = 16 * PIECE_BYTES;
const DEFAULT_MB: usize = 500;

/// Between the records: what no format knows.
const OTHER: &str = "Nov 21 11:08:46 host kernel: [12345.678901] eth0: link is up at 10 Gbit/s, full duplex\n\
    Some prose about the path, with figures such as 5.3 ms and 100 % of the packets, and a (parenthesis).\n";

/// How long a text alone is read by `each`, and how many of them are printed.
const EACH: Duration = Duration::from_millis(20);
const PRINTED: usize = 60;

/// A ping of many lines, so that a large block is there beside the small.
fn long_ping() -> Vec<u8> {
    let mut text = String::from("PING host.example (240.0.0.1) 56(84) bytes of data.\n");
    for n in 1..=20_000 {
        let reply = format!("icmp_seq={n} ttl=57 time={}.{} ms", n % 40, n % 10);
        text += &format!("64 bytes from host.example (240.0.0.1): {reply}\n");
    }
    text += "\n--- host.example ping statistics ---\n";
    text += "20000 packets transmitted, 20000 received, 0% packet loss, time 20003ms\n\n";
    text.into_bytes()
}

/// Peak memory of this process, from the kernel, kB.
fn peak_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

/// Time that this thread spent on a processor, from the kernel: the wall clock of a busy machine measures its neighbours.
fn on_cpu() -> Duration {
    let status = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = status.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

/// Texts in an order that a seed gives.
struct Mix {
    texts: Vec<(String, Vec<u8>)>,
    state: u64,
}

impl Mix {
    fn next(&mut self) -> &[u8] {
        // Knuth's multiplier: which text comes next needs no better generator.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let place = (self.state >> 33) as usize % self.texts.len();
        let (_, text) = &self.texts[place];
        // The long one must not be all that is measured.
        if text.len() > PIECE_BYTES && self.state >> 60 != 0 {
            return b"\n";
        }
        text
    }
}

/// The importer, and what it gave and took so far.
struct Bench<'a> {
    importer: Importer<'a>,
    records: u64,
    complaints: u64,
    fed: usize,
    spent: Duration,
}

impl<'a> Bench<'a> {
    fn new(context: &'a Context) -> Self {
        Self {
            importer: Importer::new(context),
            records: 0,
            complaints: 0,
            fed: 0,
            spent: Duration::ZERO,
        }
    }

    fn feed(&mut self, text: &[u8]) {
        let (records, complaints) = (&mut self.records, &mut self.complaints);
        let mut sink = |event| match event {
            Event::Record(_) => *records += 1,
            Event::Complaint(_) => *complaints += 1,
        };
        let began = on_cpu();
        for piece in text.chunks(PIECE_BYTES) {
            self.importer.feed(piece, &mut sink);
        }
        self.spent += on_cpu().saturating_sub(began);
        self.fed += text.len();
    }

    fn finish(mut self) {
        let began = on_cpu();
        self.importer.finish(&mut |event| match event {
            Event::Record(_) => self.records += 1,
            Event::Complaint(_) => self.complaints += 1,
        });
        self.spent += on_cpu().saturating_sub(began);
        let (mb, seconds) = (self.fed as f64 / 1e6, self.spent.as_secs_f64());
        println!(
            "{mb:.0} MB in {seconds:.2} s on one core: {:.1} MB/s, {} records, {} complaints, peak {} MB",
            mb / seconds,
            self.records,
            self.complaints,
            peak_kb() / 1024
        );
    }
}

/// The texts of a folder of tests, or of both.
fn mix() -> Mix {
    let mut mix = Mix {
        texts: vec![
            ("a long ping".to_owned(), long_ping()),
            ("other lines".to_owned(), OTHER.repeat(20).into_bytes()),
        ],
        state: 1,
    };
    let folder = std::env::args().rfind(|argument| argument.starts_with("tests/"));
    let folders = folder.map_or_else(
        || vec!["tests/fixtures".to_owned(), "tests/corpus".to_owned()],
        |folder| vec![folder],
    );
    for folder in folders {
        for path in texts::below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let mut text = fs::read(&path).unwrap();
            text.extend_from_slice(b"\n\n");
            mix.texts.push((path.display().to_string(), text));
        }
    }
    mix
}

/// How long each text takes alone, those that take longest first.
fn each(context: &Context) {
    let mut taken = Vec::new();
    for (name, text) in mix().texts {
        let mut bench = Bench::new(context);
        while bench.spent < EACH {
            bench.feed(&text);
        }
        let ns_per_byte = bench.spent.as_nanos() as f64 / bench.fed as f64;
        // The mix takes texts that are as large now and then.
        let weight = if text.len() > PIECE_BYTES { 1.0 / 16.0 } else { 1.0 };
        taken.push((
            ns_per_byte * text.len() as f64 * weight,
            ns_per_byte,
            text.len(),
            name,
        ));
    }
    taken.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = taken.iter().map(|(ns, ..)| ns).sum();
    let bytes: f64 = taken.iter().map(|(ns, ns_per_byte, ..)| ns / ns_per_byte).sum();
    println!(
        "each over and over, with all that it needs at hand: {:.1} MB/s",
        bytes / all * 1e3
    );
    println!("share  ns/B  bytes");
    for (ns, ns_per_byte, bytes, name) in taken.iter().take(PRINTED) {
        println!("{:4.1} % {ns_per_byte:5.0} {bytes:6}  {name}", ns / all * 100.0);
    }
}

fn main() {
    let context = Context::default();
    let mut bench = Bench::new(&context);
    let file = std::env::args()
        .skip(1)
        .find(|argument| Path::new(argument).is_file());
    if let Some(file) = file {
        bench.feed(&fs::read(file).unwrap());
        return bench.finish();
    }
    if std::env::args().any(|argument| argument == "each") {
        return each(&context);
    }
    let megabytes = std::env::args()
        .find_map(|word| word.parse().ok())
        .unwrap_or(DEFAULT_MB);
    let mut mix = mix();
    let mut text = Vec::with_capacity(2 * BATCH_BYTES);
    while bench.fed < megabytes * 1_000_000 {
        while text.len() < BATCH_BYTES {
            text.extend_from_slice(mix.next());
        }
        bench.feed(&text);
        text.clear();
    }
    bench.finish();
}
