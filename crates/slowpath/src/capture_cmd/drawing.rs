//! The picture of a connection, in the forms that are wanted.

use super::engine::Job;
use super::ranking::main_way;
use super::{CaptureArgs, one, write};
use crate::exit;
use capture::flow::FlowReport;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// How wide and how high a picture in a document is.
const DRAWING: (u32, u32) = (1_200, 700);

fn is_png(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Draws it.
pub(super) fn draw(args: &CaptureArgs, job: &Job<'_>, flow: &FlowReport) -> Result<(), ExitCode> {
    if args.html.is_none() && args.svg.is_none() && args.xplot.is_none() {
        return Ok(());
    }
    if job.paths.iter().any(|path| path == Path::new("-")) {
        let text = "a picture needs the capture a second time: write it to a file first";
        return Err(exit::usage(text));
    }
    let way = main_way(flow);
    let picture = one::picture(job, flow, way).map_err(|why| exit::could_not_measure(&why))?;
    if let Some(path) = &args.html {
        write(path, |file| picture.write_html(file))?;
    }
    if let Some(path) = &args.svg {
        let (width, height) = DRAWING;
        if is_png(path) {
            write(path, |file| picture.write_png(width, height, file))?;
        } else {
            write(path, |file| file.write_all(picture.svg(width, height).as_bytes()))?;
        }
    }
    if let Some(path) = &args.xplot {
        write(path, |file| picture.write_xplot(file))?;
    }
    Ok(())
}
