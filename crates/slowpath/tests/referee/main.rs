//! Real tools as the referee: what they print in a host of the lab is imported, and says the same as our own probes there.
//! A tool that is not installed is skipped, loudly.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod downloads;
mod far_ends;
mod hosts;
mod network;
mod paths;
mod rates;
#[path = "../../../lab/tests/lab/runner.rs"]
mod runner;

use runner::tests;
use std::process::ExitCode;

tests! {
    paths: pings_count_the_same_losses, traces_show_the_same_route, the_same_path_mtu_is_found;
    rates: transfers_have_the_same_rate, streams_lose_the_same_share, connections_have_the_same_account;
    far_ends: with_an_iperf3_server_the_rate_is_that_of_its_own_client,
        with_an_iperf3_server_a_stream_loses_what_its_own_client_loses,
        with_an_iperf3_server_that_has_users_a_diagnosis_logs_in;
    downloads: a_small_receive_window_is_named, a_link_that_is_full_is_taken_for_nothing_else, the_rate_is_that_of_curl;
    hosts: interfaces_have_the_same_counters, protocols_have_the_same_counters, the_card_has_the_same_settings;
}

fn main() -> ExitCode {
    runner::run("referee", TESTS, &network::network(""))
}
