use crate::network::{RunningReflector, incident, links, measure, target, up};
use evidence::{EchoContext, EchoMode, ProbeRow, Probes};
use net::path::{EchoPlan, PathTarget, Sockets, echo_with, hop_loss};

fn row(echo: &Probes, mode: EchoMode, ttl: u8, size: u32) -> &ProbeRow {
    let wanted = (Some(mode), Some(ttl), Some(size));
    let found = echo
        .rows
        .iter()
        .find(|row| (row.mode, row.ttl, row.size_bytes) == wanted);
    found.unwrap_or_else(|| panic!("no row {mode:?} {ttl} {size}: {echo:#?}"))
}

pub(crate) fn expiring_and_direct_tell_forwarding_from_answering() {
    let lab = up(&incident("healthy-red-herrings"));
    let to = target(&lab, "receiver.example", false);
    let plan = EchoPlan {
        sizes_bytes: vec![100, 3000],
        count: 15,
        interval_ms: 40,
    };
    let work =
        |watch| async move { echo_with(&to, None, &plan, EchoContext::Idle, Sockets::Best, &watch).await };
    let echo = measure(&lab, "sender.example", work).unwrap();
    use EchoMode::{Direct, Expiring, ToDestination};
    let answered = |mode, ttl, size| row(&echo, mode, ttl, size).received.unwrap();
    for size in [100, 3000] {
        assert_eq!(answered(Expiring, 1, size), 15);
        assert_eq!(answered(Expiring, 2, size), 0);
        assert!(answered(Expiring, 3, size) < 5, "limited to one a second");
        assert_eq!(answered(Expiring, 5, size), 15);
        assert_eq!(answered(ToDestination, 6, size), 15);
    }
    // Hop 5 ignores large pings to itself, and forwards and answers everything else.
    assert_eq!(answered(Direct, 5, 100), 15);
    assert_eq!(answered(Direct, 5, 3000), 0);
    let rtt = row(&echo, ToDestination, 6, 100).delay.unwrap();
    assert!((19_000_000..40_000_000).contains(&rtt.p50_ns.unwrap()), "{rtt:?}");
    assert_eq!(echo.own_socket_drops, Some(0));
}

/// Loss to the destination, counted with `count` probes at 30,000 a second.
fn count_loss(properties: &[(usize, &str)], count: u64) -> (ProbeRow, Option<u64>) {
    let lab = up(&links(3, "", properties));
    let to = target(&lab, "b", false);
    let reflector = RunningReflector::start(&lab, "b", to.destination);
    let to = PathTarget {
        reflector: Some(reflector.reflector),
        ..to
    };
    let work = |watch| async move { hop_loss(&to, &[3], count, 30_000, &watch).await };
    let echo = measure(&lab, "a", work).unwrap();
    (
        row(&echo, EchoMode::ToDestination, 3, 64).clone(),
        echo.own_socket_drops,
    )
}

pub(crate) fn one_packet_in_a_thousand_is_counted() {
    let (row, drops) = count_loss(
        &[(
            2,
            "both = { delay = '2 ms' }\na_to_b = { loss = { every = 1000 } }",
        )],
        30_000,
    );
    let lost = row.count_lost().unwrap();
    assert_eq!((row.sent, drops), (Some(30_000), Some(0)));
    assert!((29..=32).contains(&lost), "{lost}");
}

pub(crate) fn nothing_is_lost_on_a_clean_path() {
    let (row, drops) = count_loss(&[(2, "both = { delay = '2 ms' }")], 30_000);
    assert_eq!(
        (row.sent, row.received, drops),
        (Some(30_000), Some(30_000), Some(0))
    );
}
