//! The path probes on real kernels. Where this machine gives no namespaces or TUN devices, everything is skipped,
//! loudly and with the reason.
//!
//! A runner of its own: the lab's sandbox has to be entered while the process has one thread, and labs come one at a
//! time. It understands a filter, `--list`, and ignores the other arguments of the usual one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod loss;
mod network;
mod route;
mod sizes;

use lab::{Lab, LabError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

type Test = (&'static str, fn());

/// Lists the functions under their own names.
macro_rules! tests {
    ($($module:ident: $($name:ident),* ;)*) => {
        const TESTS: &[Test] = &[$($((concat!(stringify!($module), "::", stringify!($name)), $module::$name),)*)*];
    };
}

tests! {
    route: seven_links_within_the_packets_of_traceroute, every_protocol_and_family_sees_the_same_hops,
        a_mute_hop_is_listed, a_rate_limited_hop_is_not_mute, no_route_is_an_error, a_stopped_trace_says_so;
    sizes: the_incident_is_found, lost_fragmentation_needed_is_told_from_a_lossy_link, first_and_last_link,
        ipv6_is_searched_too, a_healthy_path_passes_everything, the_reflector_answers_for_the_destination;
    loss: expiring_and_direct_tell_forwarding_from_answering, one_packet_in_a_thousand_is_counted,
        nothing_is_lost_on_a_clean_path;
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|a| !a.starts_with('-'));
    let wanted = TESTS
        .iter()
        .filter(|(name, _)| filter.is_none_or(|f| name.contains(f.as_str())));
    let wanted: Vec<&Test> = wanted.collect();
    if arguments.iter().any(|a| a == "--list") {
        wanted.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    match lab::enter_sandbox().and_then(|()| Lab::up(&network::links(2, "", &[]), 1)) {
        Ok(lab) => drop(lab),
        Err(reason) => return skip(wanted.len(), &reason),
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
fn skip(count: usize, reason: &LabError) -> ExitCode {
    if !matches!(reason, LabError::Namespaces { .. } | LabError::Tun { .. }) {
        eprintln!("the lab does not come up: {reason}");
        return ExitCode::from(101);
    }
    eprintln!("SKIPPED {count} path tests: {reason}");
    println!("\ntest result: ok. 0 passed; 0 failed; {count} ignored (SKIPPED: {reason})");
    ExitCode::SUCCESS
}

fn passes((name, test): &Test) -> bool {
    let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
    println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
    passed
}
