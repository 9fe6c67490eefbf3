//! Bulk TCP transfers.

use super::support::*;
use evidence::{End, StopReason};

#[tokio::test(flavor = "multi_thread")]
async fn bytes_flow_both_ways() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        let tcp = tcp_of(&far, &tcp(sender, 700)).await;
        assert_eq!((tcp.sender, tcp.stop), (sender, StopReason::MaxTime));
        assert!(tcp.bytes_received > 10_000_000, "{}", tcp.bytes_received);
        assert!((5..=9).contains(&tcp.intervals.len()), "{:?}", tcp.intervals);
        assert_eq!((tcp.sender_accounts.len(), tcp.receiver_accounts.len()), (1, 1));
        assert!(!tcp.congestion_control.is_empty());
        assert!(tcp.mean_bps.unwrap().0 > 1e8 && tcp.steady_bps.unwrap().0 > 1e8);
        let (sent, received) = (
            tcp.sender_accounts[0].bytes_acked.unwrap(),
            tcp.receiver_accounts[0].bytes_received.unwrap(),
        );
        assert!(
            received.abs_diff(sent) < sent / 2,
            "{sent} sent, {received} received"
        );
        let port = serving.address.port();
        assert_eq!(
            if sender == End::From {
                tcp.ports[0].1
            } else {
                tcp.ports[0].0
            },
            port
        );
        eprintln!(
            "{sender:?}: mean {} steady {} cpu {:?} {:?} {:#?}",
            tcp.mean_bps.unwrap(),
            tcp.steady_bps.unwrap(),
            tcp.sender_cpu,
            tcp.receiver_cpu,
            tcp.intervals.first()
        );
    }
}
