//! Runs tests that need the lab, for whoever includes this file. Where this machine gives no namespaces or TUN devices,
//! everything is skipped, loudly and with the reason.
//!
//! A runner of its own: the sandbox has to be entered while the process has one thread, and labs come one at a
//! time. It understands a filter, `--list`, and ignores the other arguments of the usual one.

use lab::{Lab, LabError};
use scenario::Scenario;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

pub(crate) type Test = (&'static str, fn());

/// Lists the functions under their own names, as `TESTS`.
macro_rules! tests {
    ($($module:ident: $($name:ident),* ;)*) => {
        const TESTS: &[crate::runner::Test] =
            &[$($((concat!(stringify!($module), "::", stringify!($name)), $module::$name),)*)*];
    };
}
pub(crate) use tests;

/// Runs the tests that the arguments ask for; `small` is a network that any lab can build.
pub(crate) fn run(what: &str, tests: &[Test], small: &Scenario) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|a| !a.starts_with('-'));
    let wanted = tests
        .iter()
        .filter(|(name, _)| filter.is_none_or(|f| name.contains(f.as_str())));
    let wanted: Vec<&Test> = wanted.collect();
    if arguments.iter().any(|a| a == "--list") {
        wanted.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    match lab::enter_sandbox().and_then(|()| Lab::up(small, 1)) {
        Ok(lab) => drop(lab),
        Err(reason) => return skip(what, wanted.len(), &reason),
    }
    let failed = wanted.iter().filter(|test| !passes(test)).count();
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {} passed; {failed} failed",
        wanted.len() - failed
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(101)
    }
}

/// Only for what this machine does not allow; any other failure to build a lab is a failed test.
fn skip(what: &str, count: usize, reason: &LabError) -> ExitCode {
    if !matches!(reason, LabError::Namespaces { .. } | LabError::Tun { .. }) {
        eprintln!("the lab does not come up: {reason}");
        return ExitCode::from(101);
    }
    eprintln!("SKIPPED {count} {what} tests: {reason}");
    println!("\ntest result: ok. 0 passed; 0 failed; {count} ignored (SKIPPED: {reason})");
    ExitCode::SUCCESS
}

fn passes((name, test): &Test) -> bool {
    let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
    println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
    passed
}
