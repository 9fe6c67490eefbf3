//! Traffic of others.

use std::time::{Duration, Instant};

use crate::{two_v4_hosts, up};

/// Both streams of these tests have this rate.
const BYTES_PER_S: f64 = 1e6;
/// A machine that is busy sends less than it should and never more, because what is late is not made up for: of several runs
/// the one that sent most shows the rate best.
const MOST_RUNS: u32 = 8;

/// Bytes that entered the link in each direction, and for how long the lab was up.
fn bytes_of_a_second(link: &str) -> ([u64; 2], Duration) {
    let begun = Instant::now();
    let lab = up(&two_v4_hosts(&format!("both = {{ delay = '1 ms' }}\n{link}")));
    std::thread::sleep(Duration::from_secs(1));
    let counters = lab.counters();
    (
        [counters[0].counters.bytes_in, counters[1].counters.bytes_in],
        begun.elapsed(),
    )
}

/// Runs are made until one sent `enough` bytes.
fn one_of_several_sends(enough: u64, mut run: impl FnMut() -> u64) {
    let most = (0..MOST_RUNS).map(|_| run()).find(|bytes| *bytes >= enough);
    assert!(most.is_some(), "no run of {MOST_RUNS} sent {enough} bytes");
}

pub(crate) fn a_udp_stream_has_its_rate_and_its_time() {
    // 8 Mbit/s for half a second are 500 packets of 1,000 bytes, of which a busy machine sends half.
    let stream = "[[traffic]]\nfrom = 'a'\nto = 'b'\nkind = 'udp'\nrate = '8 Mbit/s'\npacket_bytes = 1000\n\
                  start = 0.2\nend = 0.7";
    one_of_several_sends(250_000, || {
        let ([there, back], _) = bytes_of_a_second(stream);
        assert!(there <= 520_000, "{there}");
        assert!(
            there % 1000 < 500,
            "packets have the wanted size, beside the lab\'s own few: {there}"
        );
        assert!(back < 1_000, "{back}");
        there
    });
}

pub(crate) fn connections_share_their_rate() {
    let connections = "[[traffic]]\nfrom = 'b'\nto = 'a'\nkind = 'tcp'\nrate = '8 Mbit/s'\nstreams = 2";
    one_of_several_sends(500_000, || {
        let ([there, back], lasted) = bytes_of_a_second(connections);
        // The payload has the rate; headers and the first write of each connection come on top.
        let most = 1.2 * BYTES_PER_S * lasted.as_secs_f64();
        assert!((back as f64) < most, "{back} in {lasted:?}");
        assert!(there < 300_000, "only acknowledgements: {there}");
        assert!(back == 0 || there > 0, "somebody acknowledges");
        back
    });
}
