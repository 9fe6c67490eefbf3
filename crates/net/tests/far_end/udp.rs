//! UDP streams.

use super::support::*;
use evidence::{End, StopReason};

#[tokio::test(flavor = "multi_thread")]
async fn packets_flow_both_ways_evenly_and_stamped() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        let udp = udp_of(&far, &udp(sender, 1_000, 8e6, 1_000)).await;
        assert_eq!(
            (udp.sender, udp.stop, udp.size_bytes),
            (sender, StopReason::MaxTime, 1_000)
        );
        assert_eq!(udp.packets_sent, 1_000);
        assert_eq!(
            (udp.packets_received, udp.duplicates, udp.reordered),
            (1_000, 0, 0)
        );
        assert_eq!(udp.loss_runs, []);
        let (sent, received) = (udp.sent_bps.unwrap().0, udp.received_bps.unwrap().0);
        assert!(
            (0.7..1.1).contains(&(sent / 8e6)) && (0.7..1.1).contains(&(received / 8e6)),
            "{sent} {received}"
        );
        let delay = udp.one_way_delay.unwrap();
        assert!(delay.same_clock && delay.min_ns > 0, "{:?}", delay.above_min);
        assert!(delay.samples.len() > 900, "{}", delay.samples.len());
        eprintln!(
            "{sender:?} {sent} {received} min {} {:?} {:?}",
            delay.min_ns, delay.above_min, udp.host_drops
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn high_rates_go_in_trains() {
    let serving = serve();
    let far = serving.client().await;
    let udp = udp_of(&far, &udp(End::From, 1_428, 1e12, 500)).await;
    eprintln!(
        "{} pps sent, received {} of {}, cpu {:?} {:?} {:?}",
        udp.packets_sent as f64 * 1e9 / udp.duration_ns as f64,
        udp.packets_received,
        udp.packets_sent,
        udp.sender_cpu,
        udp.receiver_cpu,
        udp.host_drops
    );
}
