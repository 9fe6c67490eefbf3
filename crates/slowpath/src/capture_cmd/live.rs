//! A live capture: packets of an interface are written to a file, and that is read as any other.

use super::recording::{Broke, PcapWriter, record};
use super::{CaptureArgs, analyse};
use crate::console::Meter;
use crate::{exit, intake, terminal};
use clap::Args;
use net::capture::{Capture, Counts, Filter, Settings};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is captured, and for how long.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// Capture on this interface instead of reading a file; --host and --port filter in the kernel
    #[arg(long, value_name = "INTERFACE")]
    live: Option<String>,
    /// End it after so long, for example 30s or 5m [default: Ctrl-C ends it]
    #[arg(long = "for", value_name = "TIME", requires = "live", value_parser = duration)]
    length: Option<Duration>,
    /// Keep the packets in this file (pcap) [default: they are kept while they are read]
    #[arg(long, value_name = "FILE", requires = "live")]
    write: Option<PathBuf>,
    /// Keep so many bytes of each packet; headers fit in 128
    #[arg(long, value_name = "BYTES", default_value_t = 128, value_parser = clap::value_parser!(u32).range(64..=65_535))]
    snap: u32,
    /// Memory of the kernel for packets that were not written yet, MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..=4096))]
    ring: u32,
    /// End it when the file has this size, MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    most: u64,
}

impl LiveArgs {
    pub(super) fn is_wanted(&self) -> bool {
        self.live.is_some()
    }
}

/// `30s`, `5m`, `500ms`, `1h`, or seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        _ => return Err(format!("`{text}` is no time: write for example 30s or 5m")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is no time: write for example 30s or 5m"))?;
    Duration::try_from_secs_f64(number * scale)
        .ok()
        .filter(|length| !length.is_zero())
        .ok_or_else(|| format!("`{text}` is no time that can be waited for"))
}

/// Captures, then tells what the packets say.
pub(super) fn run(args: &CaptureArgs) -> Result<ExitCode, ExitCode> {
    let stop =
        stop_on_interrupt().map_err(|error| exit::could_not_measure(&format!("cannot start: {error}")))?;
    let mut kept_here = None;
    let path = match &args.live.write {
        Some(path) => path.clone(),
        None => {
            let folder = tempfile::tempdir().map_err(|error| exit::not_written(&error))?;
            let path = folder.path().join("live.pcap");
            kept_here = Some(folder);
            path
        }
    };
    let counts = write_packets(args, &path, &stop)?;
    tell(args, counts);
    let done = analyse(args, &[path], &AtomicBool::new(false));
    drop(kept_here);
    done
}

fn tell(args: &CaptureArgs, counts: Counts) {
    let text = format!(
        "{}, {} dropped by this host for want of room{}",
        words::plural(counts.packets, "packet", "packets"),
        words::count(counts.dropped),
        args.live
            .write
            .as_deref()
            .map_or_else(String::new, |path| format!("; kept in {}", intake::shown(path)))
    );
    if counts.dropped > 0 {
        terminal::complain(&format!(
            "{text}; a larger --ring, a --host or a --port loses fewer"
        ));
    } else {
        terminal::note(&text);
    }
}

/// Writes what passes to a file until the time is over, the file is large enough, or somebody stops it.
fn write_packets(args: &CaptureArgs, path: &Path, stop: &AtomicBool) -> Result<Counts, ExitCode> {
    let settings = Settings {
        interface: args.live.live.clone().unwrap_or_default(),
        snap_bytes: args.live.snap,
        ring_bytes: (args.live.ring as usize) << 20,
        filter: Filter {
            hosts: args.host.clone(),
            ports: args.port.clone(),
        },
    };
    let mut capture =
        Capture::begin(&settings).map_err(|error| exit::could_not_measure(&error.to_string()))?;
    let written = |error: io::Error| exit::not_written(&format!("{}: {error}", intake::shown(path)));
    let file = File::create(path).map_err(written)?;
    let mut file = PcapWriter::new(
        BufWriter::with_capacity(1 << 18, file),
        capture.link_type(),
        args.live.snap,
    )
    .map_err(written)?;
    let began = Instant::now();
    let mut meter = Meter::new(&format!("capturing on {}", settings.interface), None);
    let recorded = record(&mut capture, &mut file, |bytes| {
        meter.reach(bytes);
        let left = args
            .live
            .length
            .unwrap_or(Duration::MAX)
            .saturating_sub(began.elapsed());
        let is_over = stop.load(Ordering::Relaxed) || left.is_zero() || bytes >= args.live.most << 20;
        (!is_over).then_some(left)
    });
    drop(meter);
    match recorded {
        Err(Broke::File(error)) => return Err(written(error)),
        Err(Broke::Interface(error)) => {
            terminal::complain(&format!(
                "{}: {error}; what was captured is kept",
                settings.interface
            ));
            file.out.flush().map_err(written)?;
        }
        Ok(()) => {}
    }
    capture
        .counts()
        .map_err(|error| exit::could_not_measure(&format!("counts of the capture: {error}")))
}

/// Set by Ctrl-C (or SIGTERM) once; the second ends the program.
fn stop_on_interrupt() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        runtime.block_on(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                if raised.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            }
        });
    });
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2"), Ok(Duration::from_secs(2)));
        for wrong in ["", "s", "0s", "-3s", "1e99h", "5x", "1..2s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
