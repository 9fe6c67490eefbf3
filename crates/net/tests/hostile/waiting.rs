//! The door of a client that waits for its far end: it is as silent as that of a server, and whom it waits for gets in.

use super::silence::drawn_by;
use super::support::{connect_from, key, room_for_sockets, server, source, token};
use super::wire::{ANSWER_BYTES, BY_CLIENT, BY_FAR_END, greeting, greeting_as, packet};
use net::far_end::{Limits, Met, Waiting};
use net::{NetError, Watch};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::io::AsyncWriteExt;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

fn waiting() -> (SocketAddr, JoinHandle<Result<Met, NetError>>, DropGuard) {
    let waiting = Waiting::bind(vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)], token()).unwrap();
    let address = waiting.addresses()[0];
    let cancel = CancellationToken::new();
    let watch = Watch::new(cancel.clone(), |_| {});
    let met = tokio::spawn(async move { waiting.far_end(&watch).await });
    (address, met, cancel.drop_guard())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_says_nothing_to_strangers_nor_to_who_has_the_token_in_another_role() {
    let (address, met, _cancel) = waiting();
    let dialed = |key: &[u8; 32]| greeting_as(BY_FAR_END, key).0;
    // What a client says to a far end, said to a client, or dressed as a far end's; and the other way round.
    let as_far_end = [BY_FAR_END.0.to_vec(), greeting(&key()).0[4..].to_vec()].concat();
    let as_client = [BY_CLIENT.0.to_vec(), dialed(&key())[4..].to_vec()].concat();
    let mut altered = dialed(&key());
    altered[20] ^= 1;
    let attempts = [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        BY_FAR_END.0.to_vec(),
        [&BY_FAR_END.0[..], &[7; 200]].concat(),
        dialed(&[9; 32]),
        greeting(&key()).0,
        as_far_end,
        as_client,
        altered,
    ];
    for (number, bytes) in attempts.iter().enumerate() {
        for is_done in [true, false] {
            assert_eq!(
                drawn_by(bytes, is_done, address).await,
                0,
                "attempt {number}, done: {is_done}"
            );
        }
    }
    assert!(!met.is_finished());
}

/// Who holds up a genuine first message and uses it himself draws the handshake's answer once, and nothing by what is not sealed.
#[tokio::test(flavor = "multi_thread")]
async fn without_fresh_keys_a_first_message_draws_its_answer_once() {
    let (address, met, _cancel) = waiting();
    let first = greeting_as(BY_FAR_END, &key()).0;
    let with_more = [&first[..], &packet(&[7; 64])].concat();
    assert_eq!(drawn_by(&with_more, true, address).await, ANSWER_BYTES);
    for again in [&first, &with_more] {
        assert_eq!(drawn_by(again, true, address).await, 0);
    }
    assert!(!met.is_finished());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_far_end_gets_in_through_a_crowd() {
    let (address, met, _cancel) = waiting();
    room_for_sockets();
    let mut crowd = Vec::new();
    for number in 0..1_500_u32 {
        let Ok(mut stream) = connect_from(source(30, number), address).await else {
            continue;
        };
        let _ = stream.write_all(&BY_FAR_END.0).await;
        crowd.push(stream);
    }
    let far = server(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)), Limits::default());
    let cancel = CancellationToken::new();
    let watch = Watch::new(cancel.clone(), |_| {});
    tokio::spawn(async move { far.dialer().dial(address, watch).await });
    let met = met.await.unwrap().unwrap();
    assert!(met.far.has_dialed());
    cancel.cancel();
}
