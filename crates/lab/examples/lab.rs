//! Brings a scenario file up and runs a command in one of its hosts:
//! `cargo run -p lab --example lab -- FILE HOST CMD…`

use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("lab: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(host), Some(program)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: lab FILE HOST COMMAND…".into());
    };
    lab::enter_sandbox()?;
    let scenario = scenario::parse(&std::fs::read_to_string(&file)?).map_err(|e| format!("{file}: {e}"))?;
    let begun = std::time::Instant::now();
    let lab = lab::Lab::up(&scenario, 1)?;
    eprintln!("lab: up in {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
    let status = lab.command(&host, program)?.args(arguments).status()?;
    eprintln!("lab: {}", lab.validity());
    Ok(ExitCode::from(status.code().unwrap_or(1) as u8))
}
