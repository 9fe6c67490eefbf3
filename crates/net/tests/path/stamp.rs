//! Loss in one direction, seen from one end: our sender, and our reflector behind a link of which one direction loses.

use crate::network::{address_of, links, measure, up};
use lab::Lab;
use net::stamp::{Counting, Direction, Key, Plan, ReflectLimits, ReflectorServer, ServeConfig, Session, run};
use net::{NetError, Watch};
use std::net::SocketAddr;
use std::thread::JoinHandle;
use tokio_util::sync::CancellationToken;

const PACKETS: u32 = 1_000;

/// A reflector in `b`; ends when dropped.
struct Running {
    cancel: CancellationToken,
    thread: Option<JoinHandle<()>>,
    at: SocketAddr,
}

impl Running {
    fn start(lab: &Lab, stateful: bool, key: Option<Key>, allow: &str, v6: bool) -> Self {
        let at = SocketAddr::new(address_of(lab, "b", v6), 862);
        let config = ServeConfig {
            listen: vec![at],
            key,
            stateful,
            limits: ReflectLimits {
                allow: Some(vec![allow.parse().unwrap()]),
                per_peer_pps: 10_000,
                max_rate_bps: None,
            },
        };
        let server = lab
            .inside("b", || Ok(ReflectorServer::bind(config).unwrap()))
            .unwrap();
        let cancel = CancellationToken::new();
        let watch = Watch::new(cancel.clone(), |progress| {
            println!("reflector: {}", progress.text)
        });
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(server.run(watch)).unwrap();
        });
        Self {
            cancel,
            thread: Some(thread),
            at,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.thread.take().map(JoinHandle::join);
    }
}

fn session(lab: &Lab, peer: SocketAddr, key: Option<Key>) -> Result<Session, NetError> {
    let plan = Plan {
        peer,
        source: None,
        count: PACKETS,
        interval_ns: 2_000_000,
        size_bytes: Some(400),
        ssid: 7,
        dscp: 10,
        key,
    };
    measure(lab, "a", |watch| async move { run(plan, &watch).await })
}

/// What each direction of a link with these properties loses.
fn lost(properties: &str, key: Option<Key>, v6: bool) -> (Direction, Direction) {
    let lab = up(&links(2, "", &[(2, properties)]));
    let reflector = Running::start(&lab, true, key.clone(), if v6 { "::/0" } else { "0.0.0.0/0" }, v6);
    let seen = session(&lab, reflector.at, key).unwrap();
    let outcome = &seen.outcome;
    assert_eq!(outcome.counting(), Counting::Stateful);
    assert_eq!(outcome.class.map(|class| class.arrived_dscp), Some(10));
    // One router each way.
    assert_eq!(outcome.hops(), (Some(1), Some(1)));
    let (there, back) = outcome.directions().unwrap();
    println!(
        "{properties}: {there:?} {back:?}, {:?} at the end",
        outcome.tail()
    );
    assert_eq!(there.sent + outcome.tail().lost, u64::from(PACKETS));
    let rtt = outcome
        .delays(net::stamp::Answered::rtt_ns)
        .unwrap()
        .p50_ns
        .unwrap();
    assert!(rtt > 9_500_000, "{rtt}");
    (there, back)
}

pub(crate) fn loss_there_is_told_from_loss_back() {
    let (there, back) = lost(
        "both = { delay = '5 ms' }\na_to_b = { loss = { every = 50 } }",
        None,
        false,
    );
    assert!((19..=21).contains(&there.lost()), "{there:?}");
    assert_eq!(back.lost(), 0);
    let (there, back) = lost(
        "both = { delay = '5 ms' }\nb_to_a = { loss = { every = 50 } }",
        Some(Key::new(&[7; 32]).unwrap()),
        true,
    );
    assert_eq!(there.lost(), 0);
    assert!((19..=21).contains(&back.lost()), "{back:?}");
}

pub(crate) fn a_clean_path_loses_in_neither_direction() {
    let (there, back) = lost("both = { delay = '5 ms' }", None, false);
    assert_eq!((there.lost(), back.lost()), (0, 0));
    assert_eq!(
        (there.duplicates, there.reordered, back.duplicates, back.reordered),
        (0, 0, 0, 0)
    );
}

pub(crate) fn a_stateless_reflector_tells_no_direction() {
    let lab = up(&links(2, "", &[(2, "a_to_b = { loss = { every = 50 } }")]));
    let reflector = Running::start(&lab, false, None, "0.0.0.0/0", false);
    let outcome = session(&lab, reflector.at, None).unwrap().outcome;
    assert_eq!(
        (outcome.counting(), outcome.directions()),
        (Counting::Stateless, None)
    );
    assert!((19..=21).contains(&outcome.round_trip().lost()), "{outcome:?}");
}

pub(crate) fn who_is_not_allowed_or_has_no_key_is_not_answered() {
    let lab = up(&links(2, "", &[]));
    let mine = || Some(Key::new(&[7; 32]).unwrap());
    let refused = |allow, there: Option<Key>, here: Option<Key>| {
        let reflector = Running::start(&lab, true, there, allow, false);
        session(&lab, reflector.at, here).unwrap_err().to_string()
    };
    assert!(refused("192.0.2.0/24", None, None).contains("answer only some addresses"));
    assert!(refused("0.0.0.0/0", mine(), None).contains("may want a key"));
    let other = Some(Key::new(&[8; 32]).unwrap());
    assert!(refused("0.0.0.0/0", mine(), other).contains("another key"));
    let nobody = SocketAddr::new(address_of(&lab, "b", false), 862);
    let error = session(&lab, nobody, None).unwrap_err().to_string();
    assert!(error.contains("nothing listens on that port"), "{error}");
}
