//! What an iperf3 server says to a client: states, errors, results, and datagrams.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::iperf3::{Control, Datagram, Event, Parameters, Results, cookie, is_connect_reply};
use probe::session::{TcpPlan, UdpPlan};

fuzz_target!(|bytes: &[u8]| {
    // The first byte says how the rest is cut into pieces.
    let Some((size, rest)) = bytes.split_first() else { return };
    let plan = TcpPlan {
        server_sends: size % 2 == 0,
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 1_000,
        max_bytes: None,
        max_rate_bps: None,
        watch_hops: false,
    };
    let mut control = Control::new(&cookie([0; 36]), Parameters::tcp(&plan), 0);
    for piece in rest.chunks(usize::from(*size).max(1)) {
        let Ok(events) = control.heard(piece, 0) else { break };
        for event in events {
            match event {
                Event::Run => control.end(0),
                Event::Report => control.report(&Results::default(), 0),
                Event::Results(results) => {
                    let _ = (results.bytes(), results.retransmits(), results.length_ns());
                }
                Event::OpenStreams | Event::Over => {}
            }
        }
    }
    let _ = (control.closed(), control.expired(), is_connect_reply(bytes));

    let stream = UdpPlan {
        server_sends: true,
        size_bytes: 1_400,
        rate_bps: 1e8,
        duration_ms: u32::from(*size) * 1_000_000,
    };
    let heads = Datagram::of(&stream);
    if let Some((sequence, _)) = heads.read(rest) {
        assert!(sequence < heads.most_packets);
    }
});
