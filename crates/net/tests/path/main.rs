//! The path probes on real kernels. Where this machine gives no namespaces or TUN devices, everything is skipped,
//! loudly and with the reason.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod loss;
mod network;
mod route;
#[path = "../../../lab/tests/lab/runner.rs"]
mod runner;
mod sizes;
mod stamp;
mod tcp_port;

use runner::tests;
use std::process::ExitCode;

tests! {
    route: seven_links_within_the_packets_of_traceroute, every_protocol_and_family_sees_the_same_hops,
        a_mute_hop_is_listed, a_rate_limited_hop_is_not_mute, no_route_is_an_error, a_stopped_trace_says_so;
    sizes: the_incident_is_found, lost_fragmentation_needed_is_told_from_a_lossy_link, first_and_last_link,
        ipv6_is_searched_too, a_healthy_path_passes_everything, the_reflector_answers_for_the_destination;
    loss: expiring_and_direct_tell_forwarding_from_answering, one_packet_in_a_thousand_is_counted,
        nothing_is_lost_on_a_clean_path;
    stamp: loss_there_is_told_from_loss_back, a_clean_path_loses_in_neither_direction,
        a_stateless_reflector_tells_no_direction, who_is_not_allowed_or_has_no_key_is_not_answered;
    tcp_port: loss_with_sshd_is_told_by_direction, loss_with_nginx_is_told_by_direction,
        a_kernel_that_joins_acknowledgements_loses_none, a_server_that_ends_connections_is_counted_up_to_there,
        who_does_not_answer_or_refuses_is_told;
}

fn main() -> ExitCode {
    runner::run("path", TESTS, &network::links(2, "", &[]))
}
