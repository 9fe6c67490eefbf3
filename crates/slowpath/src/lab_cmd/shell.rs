//! `slowpath lab shell` and `slowpath lab exec`: one program in one host of a scenario.

use lab::Lab;
use std::ffi::OsString;
use std::process::ExitCode;

use super::catalogue;
use super::failure::Failure;
use super::interrupts::Interrupts;

/// Opens the user's shell.
pub(super) fn shell(scenario: &str, host: &str) -> Result<ExitCode, Failure> {
    let program = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
    exec(scenario, host, &[program])
}

/// Runs one command.
pub(super) fn exec(name: &str, host: &str, command: &[OsString]) -> Result<ExitCode, Failure> {
    let (_, scenario) = catalogue::load(name)?;
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::Usage("no command to run".to_owned()));
    };
    lab::enter_sandbox()?;
    let _interrupts = Interrupts::leave_to_children()?;
    let lab = Lab::up(&scenario, 1)?;
    let mut command = lab.command(host, program)?;
    let status = command.args(arguments).env("SLOWPATH_LAB_HOST", host).status();
    let status =
        status.map_err(|e| Failure::Usage(format!("cannot run {}: {e}", program.to_string_lossy())))?;
    Ok(exit_code_of(status))
}

fn exit_code_of(status: std::process::ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status
        .code()
        .or_else(|| status.signal().map(|s| 128 + s))
        .unwrap_or(1);
    ExitCode::from(code as u8)
}
