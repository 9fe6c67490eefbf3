//! Writes the reports of the synthetic cases into the directory given, for looking at:
//! `cargo run -p report --example gallery -- /tmp/gallery`.

#[path = "../tests/cases/mod.rs"]
mod cases;

use report::{Style, TextOptions};

fn main() -> std::io::Result<()> {
    let directory = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&directory)?;
    for (name, (case, verdicts)) in [
        ("nrao", cases::nrao()),
        ("repaired", cases::nrao_repaired()),
        ("healthy", cases::healthy()),
        ("single-ended", cases::single_ended()),
        ("empty", cases::empty()),
        ("stanford", cases::records::stanford()),
        ("caltech", cases::records::caltech()),
        ("desy", cases::records::desy()),
        ("oak-ridge", cases::records::oak_ridge()),
        (
            "ways",
            cases::records::ways::ways(
                &cases::records::ways::THERE,
                &cases::records::ways::BACK,
                evidence::Direction::Reverse,
            ),
        ),
        (
            "hostile",
            cases::hostile("\u{1b}[31m<script>alert(1)</script>\u{202e}"),
        ),
    ] {
        let options = TextOptions {
            width: 100,
            style: Style::Ansi,
        };
        std::fs::write(
            directory.join(format!("{name}.html")),
            report::html(&case, &verdicts),
        )?;
        std::fs::write(
            directory.join(format!("{name}.md")),
            report::markdown(&case, &verdicts),
        )?;
        std::fs::write(
            directory.join(format!("{name}.txt")),
            report::case_text(&case, &verdicts, report::Detail::Records, options),
        )?;
    }
    Ok(())
}
