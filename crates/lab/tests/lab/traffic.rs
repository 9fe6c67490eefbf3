//! Traffic of others.

use std::time::Duration;

use crate::{two_v4_hosts, up};

/// Bytes that entered the link in each direction after this time.
fn bytes_after(link: &str, wait: Duration) -> [u64; 2] {
    let lab = up(&two_v4_hosts(&format!("both = {{ delay = '1 ms' }}\n{link}")));
    std::thread::sleep(wait);
    let counters = lab.counters();
    [counters[0].counters.bytes_in, counters[1].counters.bytes_in]
}

pub(crate) fn a_udp_stream_has_its_rate_and_its_time() {
    // 8 Mbit/s for half a second are 500 packets of 1,000 bytes.
    let stream = "[[traffic]]\nfrom = 'a'\nto = 'b'\nkind = 'udp'\nrate = '8 Mbit/s'\npacket_bytes = 1000\n\
                  start = 0.2\nend = 0.7";
    let [there, back] = bytes_after(stream, Duration::from_millis(1_000));
    assert!((400_000..=520_000).contains(&there), "{there}");
    assert!(
        there % 1000 < 500,
        "packets have the wanted size, beside the lab\'s own few: {there}"
    );
    assert!(back < 1_000, "{back}");
}

pub(crate) fn connections_share_their_rate() {
    let connections = "[[traffic]]\nfrom = 'b'\nto = 'a'\nkind = 'tcp'\nrate = '8 Mbit/s'\nstreams = 2";
    let [there, back] = bytes_after(connections, Duration::from_millis(1_000));
    assert!((700_000..=1_300_000).contains(&back), "{back}");
    assert!(
        (1_000..300_000).contains(&there),
        "only acknowledgements: {there}"
    );
}
