//! The lab against real kernels. Where this machine gives no namespaces or TUN devices, everything is skipped,
//! loudly and with the reason.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod behaviour;
mod emulation;
mod leftovers;
mod names;
mod probe;
mod processors;
mod routes;
mod runner;
mod timeline;
mod traffic;

use std::process::ExitCode;

use lab::Lab;
use runner::tests;
use scenario::Scenario;

tests! {
    emulation: delay_is_in_both_directions, every_nth_packet_is_lost, an_oversized_packet_vanishes_without_a_word,
        duplicates_arrive_twice, corrupted_packets_fail_their_checksum, a_policer_drops_what_exceeds_it,
        the_rate_holds, validity_is_reported;
    behaviour: a_talkative_router_answers_everything, a_mute_router_forwards_in_silence,
        no_time_exceeded_leaves_echo, a_rate_limited_router_answers_now_and_then,
        large_echo_is_ignored_on_input_only, path_mtu_is_told, path_mtu_can_be_kept_secret,
        what_is_secret_is_still_fragmented, ipv6_has_the_same_behaviours;
    routes: every_hop_has_the_address_facing_the_sender, both_ways_can_differ, ipv6_goes_end_to_end,
        equal_routes_share_flows;
    processors: programs_of_a_starved_host_stand_still, a_program_that_begins_slowly_is_not_stopped_before_it_runs,
        turns_come_and_go;
    traffic: a_udp_stream_has_its_rate_and_its_time, connections_share_their_rate;
    names: names_resolve_inside_and_nothing_else_does, commands_run_in_their_host;
    timeline: a_step_changes_the_link, a_step_changes_mtu_and_behaviour, unknown_steps_and_nodes_are_errors,
        timed_changes_happen, changes_come_again, congestion_control_is_the_wanted_one, buffers_are_set;
    leftovers: nothing_is_left_after_kill_9, a_second_lab_is_refused_and_a_later_one_is_not;
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == leftovers::HOLD) {
        return leftovers::hold();
    }
    runner::run(
        "lab",
        TESTS,
        &two_hosts("both = { delay = '0 ms', duplicate = 0.5 }"),
    )
}

/// Brings a scenario up; a test that cannot have its lab fails.
fn up(scenario: &Scenario) -> Lab {
    Lab::up(scenario, 1).unwrap_or_else(|error| panic!("{error}"))
}

fn parsed(text: &str) -> Scenario {
    scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// `a` and `b`, joined by one link with these properties.
fn two_hosts(link: &str) -> Scenario {
    joined("ipv6 = true", link)
}

/// The same without IPv6, whose multicast reports would be packets of their own where packets are counted.
fn two_v4_hosts(link: &str) -> Scenario {
    joined("", link)
}

fn joined(ipv6: &str, link: &str) -> Scenario {
    parsed(&format!(
        "title = 't'\n{ipv6}\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
         [[link]]\na = {{ node = 'a' }}\nb = {{ node = 'b' }}\n{link}\n"
    ))
}

/// `a` - `r1` - `r2` - `b` over veth with an MTU of 9000; `r1` has these settings, and its link to `r2` these.
fn two_routers(r1: &str, middle: &str) -> Scenario {
    parsed(&format!(
        "title = 't'\nipv6 = true\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
         [[router]]\nname = 'r1'\n{r1}\n[[router]]\nname = 'r2'\n\
         [[link]]\na = {{ node = 'a' }}\nb = {{ node = 'r1' }}\nmtu = 9000\n\
         [[link]]\na = {{ node = 'r1' }}\nb = {{ node = 'r2' }}\n{middle}\n\
         [[link]]\na = {{ node = 'r2' }}\nb = {{ node = 'b' }}\nmtu = 9000\n"
    ))
}
