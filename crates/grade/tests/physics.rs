//! The physics and the tools of the graded worlds, kind by kind: what a fault must leave in the evidence, and what not.
#![allow(clippy::unwrap_used, reason = "a test should fail loudly")]

use grade::chance::Chance;
use grade::map::{RECEIVER, SENDER};
use grade::physics::{TcpSetup, UdpSetup, idle_loss, passes, tcp, udp};
use grade::{Kind, Place, World, world};

fn worlds(kind: Kind) -> impl Iterator<Item = World> {
    (0..12).map(move |number| world(99, number, Some(kind)))
}

fn transfer(world: &World, edit: impl Fn(&mut TcpSetup)) -> grade::physics::TcpRun {
    let mut setup = TcpSetup {
        sender: SENDER,
        receiver: RECEIVER,
        streams: 1,
        mss: None,
        window: None,
        seconds: 10.0,
        is_application: false,
    };
    edit(&mut setup);
    tcp(&world.network, &setup, &mut Chance::seeded(1))
}

fn stream(world: &World, rate_bps: f64) -> grade::physics::UdpRun {
    let setup = UdpSetup {
        sender: SENDER,
        receiver: RECEIVER,
        size_bytes: 1_200,
        rate_bps,
        seconds: 5.0,
    };
    udp(&world.network, &setup, &mut Chance::seeded(1))
}

/// Share of the segments of a transfer that were sent again.
fn again(run: &grade::physics::TcpRun) -> f64 {
    run.retransmits as f64 / run.segments
}

#[test]
fn random_loss_is_there_at_any_rate_and_more_streams_get_more() {
    for world in worlds(Kind::RandomLoss) {
        let loss = idle_loss(&world.network, &world.network.way(SENDER, RECEIVER));
        let gentle = stream(&world, 5e6);
        let seen = (gentle.sent - gentle.received) as f64 / gentle.sent as f64;
        let deviation = (loss / gentle.sent as f64).sqrt();
        assert!((seen - loss).abs() < 5.0 * deviation + 1e-6, "{loss} {seen}");
        let (one, eight) = (transfer(&world, |_| ()), transfer(&world, |s| s.streams = 8));
        assert!(
            eight.steady_bps > 1.5 * one.steady_bps,
            "{} {}",
            one.steady_bps,
            eight.steady_bps
        );
    }
}

#[test]
fn loss_under_load_is_not_seen_at_rest() {
    for world in worlds(Kind::LossUnderLoad) {
        assert!(idle_loss(&world.network, &world.network.way(SENDER, RECEIVER)) < 1e-9);
        let run = transfer(&world, |_| ());
        assert!(run.retransmits > 0, "{} of {}", run.retransmits, run.segments);
    }
}

#[test]
fn no_transfer_is_faster_than_a_narrow_link_and_a_faster_stream_loses() {
    for world in worlds(Kind::Capacity) {
        let Place::Links { links } = &world.place else {
            unreachable!()
        };
        let capacity = world.network.links[links[0]].capacity_bps;
        for streams in [1, 8] {
            assert!(transfer(&world, |s| s.streams = streams).steady_bps < 0.992 * capacity);
        }
        let over = stream(&world, 1.5 * capacity);
        let through = over.received as f64 / over.sent as f64;
        let is_own = links[0] == world.network.forward[0];
        assert!(is_own || through < 0.8, "{through}");
    }
}

#[test]
fn a_window_allows_its_bytes_in_a_round_trip_and_parallel_connections_add_up() {
    for kind in [Kind::ReceiveWindow, Kind::SendBuffer] {
        for world in worlds(kind) {
            let machines = [SENDER, RECEIVER].map(|host| &world.network.hosts[host].machine);
            let window = machines[0].send_buffer_bytes.min(machines[1].window_bytes);
            let allowed = window * 8.0 / world.network.rtt_s(SENDER, RECEIVER);
            let (one, four) = (transfer(&world, |_| ()), transfer(&world, |s| s.streams = 4));
            assert!(
                one.steady_bps <= 1.01 * allowed && one.steady_bps > 0.6 * allowed,
                "{} {allowed}",
                one.steady_bps
            );
            assert!(four.steady_bps > 1.3 * one.steady_bps);
            let limited = if kind == Kind::ReceiveWindow {
                one.window_limited_s
            } else {
                one.send_limited_s
            };
            assert!(limited > 4.0, "{limited}");
        }
    }
}

#[test]
fn a_black_hole_swallows_segments_and_not_smaller_ones() {
    for kind in [Kind::MtuSilent, Kind::MtuFiltered] {
        for world in worlds(kind) {
            let fitting = transfer(&world, |s| s.mss = Some(1_228));
            let plain = transfer(&world, |_| ());
            assert!(
                fitting.steady_bps > 0.3 * world.healthy_bps || plain.stalled,
                "{}",
                fitting.steady_bps
            );
            let way = world.network.way(SENDER, RECEIVER);
            let mtu = world.network.hosts[SENDER].machine.mtu;
            assert!(!passes(&world.network, &way, mtu, false));
            assert_eq!(passes(&world.network, &way, mtu, true), kind == Kind::MtuFiltered);
        }
    }
}

#[test]
fn what_only_the_program_suffers_is_not_seen_by_a_test_from_memory_to_memory() {
    for kind in [Kind::Rhythm, Kind::Disk] {
        for world in worlds(kind) {
            let (test, program) = (
                transfer(&world, |_| ()),
                transfer(&world, |s| s.is_application = true),
            );
            assert!(test.steady_bps > 1.5 * program.steady_bps);
            assert!(again(&program) < 0.01);
        }
    }
}

#[test]
fn a_policer_drops_without_a_queue() {
    for world in worlds(Kind::Policer) {
        let run = transfer(&world, |_| ());
        let Place::Links { links } = &world.place else {
            unreachable!()
        };
        let (rate, _) = world.network.links[links[0]].policer.unwrap();
        assert!(run.steady_bps < 1.1 * rate, "{} {rate}", run.steady_bps);
        assert!(run.retransmits > 0);
        let over = stream(&world, 2.0 * rate);
        assert!(over.received < over.sent);
        let longest = over.slices.iter().map(|slice| slice.above_s).fold(0.0, f64::max);
        assert!(longest < 0.02, "{longest}");
    }
}

#[test]
fn a_healthy_path_loses_nothing_in_a_gentle_stream() {
    for world in worlds(Kind::Healthy) {
        let gentle = stream(&world, 5e6);
        assert_eq!(gentle.sent, gentle.received);
    }
}
