//! `slowpath mesh` between the hosts of the lab: real kernels, real far ends, and a link of which the truth is known.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod far_ends;
mod filtered;
mod matrices;
#[path = "../../../lab/tests/lab/runner.rs"]
mod runner;
mod tcp_port;
mod two_others;
mod via;

use runner::tests;
use std::process::ExitCode;

tests! {
    matrices: a_lossy_link_is_named_from_gentle_tests_alone, between_sound_links_nothing_is_named,
        a_place_that_does_not_answer_is_told_and_not_zero, who_does_not_allow_it_is_not_probed,
        an_interrupted_mesh_leaves_its_case;
    two_others: a_fault_between_two_others_is_named, between_two_sound_others_nothing_is_named,
        two_others_who_may_not_meet_are_told_why;
    tcp_port: a_port_without_a_far_end_tells_where_a_loss_goes;
    via: a_link_that_hops_do_not_show_is_named_from_third_places,
        a_sound_path_is_called_sound_whatever_a_third_place_has,
        a_bad_access_of_a_third_place_is_not_the_fault_of_the_path,
        third_places_that_are_missing_or_refuse_are_told, a_third_place_that_dies_leaves_the_rest,
        an_interrupted_diagnosis_with_third_places_leaves_its_case;
    filtered: between_two_others_the_one_that_can_connects, who_cannot_be_reached_dials_and_is_measured_with,
        a_port_that_is_closed_is_named_and_the_rest_is_measured_from_here,
        what_ssh_started_behind_a_firewall_connects_to_this_host,
        a_third_place_behind_a_firewall_connects_to_this_host, a_mesh_has_a_place_behind_a_firewall_probe_the_others;
}

fn main() -> ExitCode {
    let small = "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n[[link]]\na = { node = 'a' }\nb = { node = 'b' }\n";
    runner::run("mesh", TESTS, &scenario::parse(small).unwrap())
}
