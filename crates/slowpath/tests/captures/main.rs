//! Captures of transfers between real kernels: what the packets tell is what the kernels counted, and what the network did.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod kernel;
#[path = "../referee/network.rs"]
#[allow(dead_code, reason = "the referee uses the rest")]
mod network;
#[path = "../../../lab/tests/lab/runner.rs"]
mod runner;
mod transfer;
mod truth;

use runner::tests;
use std::process::ExitCode;

tests! {
    kernel: shares_are_those_of_the_kernel, shares_over_a_short_path_are_those_of_the_kernel,
        shares_on_a_narrow_link_are_those_of_the_kernel, shares_with_losses_are_those_of_the_kernel;
    truth: losses_are_found_where_they_are, a_full_window_is_told, a_narrow_link_is_told, a_program_that_pauses_is_told,
        a_capture_becomes_evidence, own_tests_are_captured,
        a_policer_is_told, packets_out_of_order_make_no_link_faster;
}

fn main() -> ExitCode {
    runner::run("captures", TESTS, &network::network(""))
}
