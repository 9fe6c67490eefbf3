//! Whether a text that grows takes longer for each of its bytes: `cargo bench -p ingest --bench growth [-- TEXT…]`.
//!
//! Files come from strangers, and what takes the square of their length can be made to take hours. So each text of the test fixtures
//! and of the corpus is made long in every way that a file may be: each line many times, its rows over and over below its heading, one
//! of its lines over and over, one line that is long. Each is read at a length and at four times that. What takes more for each byte
//! than it should is printed, and the run fails.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod texts;

use ingest::{Context, Importer};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SHORT_BYTES: usize = 50_000;
const LONG_BYTES: usize = 4 * SHORT_BYTES;
const PIECE_BYTES: usize = 64 << 10;

/// What takes no longer than this for each byte is not looked at again: most takes a third of it.
const USUAL_NS: f64 = 150.0;
/// What takes the square of its length takes four times as long for each byte.
const MOST_GROWTH: f64 = 2.0;
/// A machine that does something else is no growth: the fastest of so many runs counts.
const RUNS: usize = 3;
/// So many heads of each length, and so many of its lines, are tried of a text.
const HEADS: [usize; 4] = [1, 2, 3, 5];
const LINES: usize = 12;

fn main() -> ExitCode {
    let mut all: Vec<PathBuf> = std::env::args()
        .skip(1)
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .collect();
    if all.is_empty() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        all = texts::below(&tests.join("fixtures"));
        all.extend(texts::below(&tests.join("corpus")));
    }
    let (mut tried, mut slow) = (0, 0);
    for path in &all {
        let text = fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&text);
        for shape in shapes(&text.lines().collect::<Vec<_>>()) {
            tried += 1;
            if let Some(growth) = growth(&shape) {
                slow += 1;
                println!("{growth}  {} of {}", shape.name, path.display());
            }
        }
    }
    println!(
        "{} texts in {tried} shapes, {slow} of which take longer the longer they are",
        all.len()
    );
    if slow == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A text that may be made as long as one likes.
struct Shape<'l> {
    name: String,
    head: &'l [&'l str],
    again: Again<'l>,
}

enum Again<'l> {
    /// Each of these lines, then the next.
    Each(&'l [&'l str]),
    /// These lines over and over.
    All(&'l [&'l str]),
    /// The same, with one figure of each line counted up: what names something names another each time.
    Counted(&'l [&'l str], Figure),
    /// One line in which this stands over and over.
    Within(&'l str),
}

#[derive(Debug, Clone, Copy)]
enum Figure {
    First,
    Last,
}

fn shapes<'l>(lines: &'l [&'l str]) -> Vec<Shape<'l>> {
    let shape = |name: String, head: usize, again: Again<'l>| Shape {
        name,
        head: &lines[..head],
        again,
    };
    let mut shapes = vec![shape("each line".to_owned(), 0, Again::Each(lines))];
    for head in HEADS.into_iter().filter(|head| *head < lines.len()) {
        let name = format!("all below line {head}");
        shapes.push(shape(name, head, Again::All(&lines[head..])));
        for figure in [Figure::First, Figure::Last] {
            let name = format!("all below line {head} with the {figure:?} figure counted up");
            shapes.push(shape(name, head, Again::Counted(&lines[head..], figure)));
        }
    }
    for place in (0..lines.len()).step_by(lines.len().div_ceil(LINES).max(1)) {
        let name = format!("line {}", place + 1);
        shapes.push(shape(name.clone(), place, Again::All(&lines[place..=place])));
        shapes.push(shape(
            format!("{name}, long,"),
            place,
            Again::Within(lines[place]),
        ));
    }
    shapes
}

impl Shape<'_> {
    fn of_bytes(&self, bytes: usize) -> String {
        let mut text: String = self.head.iter().flat_map(|line| [*line, "\n"]).collect();
        match self.again {
            Again::Each(lines) => {
                let once: usize = lines.iter().map(|line| line.len() + 1).sum();
                let times = bytes / once.max(1) + 1;
                for line in lines {
                    text += &format!("{line}\n").repeat(times);
                }
            }
            Again::All(lines) => {
                let once: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
                text += &once.repeat(bytes / once.len().max(1) + 1);
            }
            Again::Counted(lines, figure) => {
                let mut count = 1;
                while text.len() < bytes {
                    for line in lines {
                        text += &counted(line, figure, count);
                        text.push('\n');
                    }
                    count += 1;
                }
            }
            Again::Within(line) => text += &format!("{line} ").repeat(bytes / (line.len() + 1) + 1),
        }
        text
    }
}

/// A line with another figure in it.
fn counted(line: &str, figure: Figure, count: usize) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let cut = match figure {
        Figure::First => line
            .find(is_digit)
            .map(|at| (&line[..at], line[at..].trim_start_matches(is_digit))),
        Figure::Last => line
            .rfind(is_digit)
            .map(|at| (line[..=at].trim_end_matches(is_digit), &line[at + 1..])),
    };
    cut.map_or_else(
        || line.to_owned(),
        |(before, behind)| format!("{before}{count}{behind}"),
    )
}

/// How long each byte takes, and how long where there are more of them, if that is too much.
fn growth(shape: &Shape) -> Option<String> {
    let (short, long) = (shape.of_bytes(SHORT_BYTES), shape.of_bytes(LONG_BYTES));
    let (mut once, mut later) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        once = once.min(ns_per_byte(&short));
        if once < USUAL_NS {
            return None;
        }
        later = later.min(ns_per_byte(&long));
        if later < once * MOST_GROWTH {
            return None;
        }
    }
    Some(format!(
        "{once:6.0} ns a byte, {later:6.0} where it is four times as long:"
    ))
}

fn ns_per_byte(text: &str) -> f64 {
    let context = Context::default();
    let began = Instant::now();
    let mut importer = Importer::new(&context);
    for piece in text.as_bytes().chunks(PIECE_BYTES) {
        importer.feed(piece, &mut drop);
    }
    importer.finish(&mut drop);
    began.elapsed().as_nanos() as f64 / text.len().max(1) as f64
}
