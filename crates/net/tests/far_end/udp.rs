//! UDP streams.

use super::support::*;
use evidence::{StopReason, Transport};
use net::far_end::Side;

#[tokio::test(flavor = "multi_thread")]
async fn packets_flow_both_ways_evenly_and_stamped() {
    let serving = serve_elsewhere();
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
        let udp = transfer_of(&far, &udp(sender, 1_000, 8e6, 1_000)).await;
        assert_eq!((udp.from.address, udp.to.address), addresses(sender));
        assert_eq!(
            (udp.protocol, udp.stop, udp.packet_size_bytes),
            (Some(Transport::Udp), Some(StopReason::MaxTime), Some(1_000))
        );
        let sent = udp.packets_sent.unwrap();
        // A machine that is busy with other tests sends late, and less when its time is up; it never loses or bursts.
        assert!((300..=1_000).contains(&sent), "{sent}");
        assert_eq!(udp.packets_received, Some(sent));
        assert_eq!(
            (udp.duplicates, udp.reordered, udp.lost_on_path()),
            (Some(0), Some(0), Some(0))
        );
        assert_eq!(udp.loss_runs, []);
        assert_eq!(
            udp.intervals
                .iter()
                .filter_map(|interval| interval.packets_received)
                .sum::<u64>(),
            sent
        );
        let (sent_bps, received_bps) = (udp.sent_bps.unwrap().0, udp.received_bps.unwrap().0);
        assert!(
            sent_bps > 2e6 && sent_bps < 8.8e6 && received_bps > 2e6 && received_bps < 8.8e6,
            "{sent_bps} {received_bps}"
        );
        let delay = udp.one_way_delay.unwrap();
        assert!(delay.same_clock && delay.min_ns > 0, "{:?}", delay.above_min);
        assert!(
            delay.samples.len() as u64 > sent * 9 / 10,
            "{}",
            delay.samples.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_small_socket_drops_is_the_hosts_loss_not_the_paths() {
    let serving = serve_with(|config| config.udp_receive_buffer_bytes = Some(4_096));
    let far = serving.client().await;
    // One by one, several a call, and in trains that the kernel cuts and puts together.
    for rate_bps in [100e6, 1e9, 1e12] {
        let mut tries = 0;
        loop {
            let udp = transfer_of(&far, &udp(Side::Here, 1_400, rate_bps, 300)).await;
            let lost = udp.count_lost().unwrap();
            let drops = udp.host_drops.as_ref().unwrap().receiver_socket.unwrap();
            if rate_bps > 5e8 {
                assert!(lost > 0, "{udp:?}");
            }
            let told = format!("{rate_bps}: {lost} lost, {drops} dropped");
            assert!(drops <= lost + lost / 50 + 64, "{told}");
            if drops >= lost && udp.lost_on_path() == Some(0) {
                break;
            }
            // A kernel without processor time drops packets before a socket is found that could count them.
            tries += 1;
            assert!(tries < 5, "{told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rate_is_reported_as_it_was() {
    let serving = serve();
    let far = serving.client().await;
    // No host sends 1 Tbit/s: what left is what counts.
    let udp = transfer_of(&far, &udp(Side::Here, 1_428, 1e12, 200)).await;
    let sent = udp.sent_bps.unwrap().0;
    assert!(sent > 1e8 && sent < 1e12, "{sent}");
    let bits = udp.packets_sent.unwrap() as f64 * 1_428.0 * 8.0;
    assert!((bits * 1e9 / udp.duration_ns.unwrap() as f64 / sent - 1.0).abs() < 0.01);
    assert_eq!(
        udp.lost_on_path(),
        Some(0),
        "{:?} {:?}",
        udp.host_drops,
        udp.count_lost()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn packets_that_do_not_fit_are_an_error_not_a_loss() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
        // A loopback interface carries 65,536 bytes; 40 is less than the headers.
        let small = perform(&far, &udp(sender, 40, 1e6, 100), &net::Watch::quiet()).await;
        assert!(small.unwrap_err().to_string().contains("40 bytes"));
        assert!(
            transfer_of(&far, &udp(sender, 65_535, 1e8, 100))
                .await
                .packets_received
                > Some(0)
        );
    }
}
