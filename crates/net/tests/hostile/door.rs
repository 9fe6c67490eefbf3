//! Who has the token gets in, whatever strangers do.

use super::support::{connect_from, key, serve, serve_on, source, token, undisturbed};
use super::wire::{GREETING_BYTES, greeting};
use evidence::{Ask, Node, Payload};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use net::far_end::{FarEnd, Limits, Side, connect};
use net::{NetError, Watch};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A genuine client is in within this time.
const WITHIN: Duration = Duration::from_secs(2);

/// What one hostile connection does: says nothing, or nonsense, or half of a first message, or has another token.
/// Whatever it does, it holds on to its connection until it is closed.
async fn attack(kind: u32, source: IpAddr, to: SocketAddr, drawn: Arc<AtomicU64>) {
    let Ok(mut stream) = connect_from(source, to).await else {
        return;
    };
    let (wrong, _) = greeting(&[9; 32]);
    let (genuine, _) = greeting(&key());
    let said: &[u8] = match kind % 4 {
        0 => &[],
        1 => b"GET / HTTP/1.1\r\nHost: far-end.example\r\n\r\n",
        2 => &genuine[..GREETING_BYTES / 2],
        _ => &wrong,
    };
    let _ = stream.write_all(said).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    drawn.fetch_add(answer.len() as u64, Ordering::Relaxed);
}

/// Hostile connections, so many a second, the next one from `from(number)`, until dropped.
async fn storm(per_second: u32, to: SocketAddr, drawn: Arc<AtomicU64>, from: fn(u32) -> IpAddr) {
    let mut attacks = JoinSet::new();
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / per_second);
    for number in 0.. {
        tokio::select! {
            _ = ticks.tick() => {}
            Some(_) = attacks.join_next() => continue,
        }
        attacks.spawn(attack(number, from(number), to, drawn.clone()));
    }
}

async fn genuine(source: IpAddr, to: SocketAddr) -> Result<FarEnd, NetError> {
    connect(to.ip(), to.port(), &token(), Some(source), &Watch::quiet()).await
}

/// Twenty clients a second for so long, each from `from(number)`: how many there were, and what became of those that were
/// not in within time.
async fn clients(lasts: Duration, to: SocketAddr, from: fn(u32) -> IpAddr) -> (usize, Vec<String>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    let start = Instant::now();
    let coming = FuturesUnordered::new();
    let mut number = 0;
    while start.elapsed() < lasts {
        ticks.tick().await;
        let source = from(number);
        number += 1;
        coming.push(tokio::spawn(async move {
            let start = Instant::now();
            let came = genuine(source, to).await.map(drop);
            match (came, start.elapsed()) {
                (Ok(()), took) if took <= WITHIN => None,
                (came, took) => Some(format!("after {took:?}: {came:?}")),
            }
        }));
    }
    let late: Vec<Option<String>> = coming.map(|came| came.unwrap()).collect().await;
    (late.len(), late.into_iter().flatten().collect())
}

/// 99 % of genuine clients are in within two seconds under a storm, and the storm has drawn not one byte.
async fn clients_get_in(
    per_second: u32,
    lasts: Duration,
    hostile: fn(u32) -> IpAddr,
    friendly: fn(u32) -> IpAddr,
) {
    let _undisturbed = undisturbed().await;
    let serving = match friendly(0) {
        IpAddr::V4(_) => serve(),
        IpAddr::V6(_) => serve_on(Ipv6Addr::LOCALHOST.into(), Limits::default()),
    };
    let drawn = Arc::new(AtomicU64::new(0));
    let storm = tokio::spawn(storm(per_second, serving.address, drawn.clone(), hostile));
    // As many hostile connections stand as ever will.
    tokio::time::sleep(Duration::from_secs(4).min(lasts / 4)).await;
    let (all, late) = clients(lasts, serving.address, friendly).await;
    storm.abort();
    assert!(all > 10, "{all} clients are no measure");
    assert!(
        late.len() * 100 <= all,
        "{} of {all} clients: {late:?}",
        late.len()
    );
    assert_eq!(drawn.load(Ordering::Relaxed), 0);
    // A line for the first, and one every ten seconds.
    let told = serving.turned_away();
    assert!(
        (1..=2 + lasts.as_secs() as usize / 8).contains(&told.len()),
        "{told:?}"
    );
}

/// Of a network of their own, hardly ever twice the same: nobody the server knows.
fn anybody(number: u32) -> IpAddr {
    source(9, number)
}

/// The connections of a transfer are expected, and no crowd takes their places.
#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_of_many_connections_gets_through_the_crowd() {
    let _undisturbed = undisturbed().await;
    let serving = serve();
    let storm = tokio::spawn(storm(1_000, serving.address, Arc::default(), |number| {
        source(13, number % 1_000)
    }));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let far_end = genuine(source(14, 0), serving.address).await.unwrap();
    let ask = Ask::TcpThroughput {
        from: Node::named("here"),
        to: Node::named("there"),
        streams: 64,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 300,
        max_bytes: None,
        watch_hops: false,
    };
    let seen = far_end.perform(&ask, Side::Here, &Watch::quiet()).await.unwrap();
    storm.abort();
    assert!(
        matches!(&seen[..], [Payload::Transfer(transfer), ..] if transfer.ports.len() == 64 && transfer.bytes_received > Some(0)),
        "{seen:?}"
    );
}

const SHORT: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn clients_get_in_under_200_hostile_connections_a_second_from_1000_addresses() {
    clients_get_in(200, SHORT, |number| source(1, number % 1_000), anybody).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_get_in_beside_40_addresses_that_do_nothing_else() {
    clients_get_in(400, SHORT, |number| source(2, number % 40), anybody).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_get_in_from_the_very_address_that_attacks() {
    clients_get_in(200, SHORT, |_| source(3, 0), |_| source(3, 0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_get_in_from_the_very_ipv6_network_that_attacks() {
    let here = |_| Ipv6Addr::LOCALHOST.into();
    clients_get_in(200, SHORT, here, here).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a minute: `make attack`"]
async fn clients_get_in_for_a_minute() {
    clients_get_in(
        200,
        Duration::from_secs(60),
        |number| source(4, number % 1_000),
        anybody,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a minute: `make attack`"]
async fn clients_get_in_for_a_minute_though_all_places_are_fought_for() {
    clients_get_in(
        1_000,
        Duration::from_secs(60),
        |number| source(5, number % 1_000),
        anybody,
    )
    .await;
}

/// More than there are places, all at once and all silent: those that came first leave, reset, and no client does.
#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_of_a_crowd_make_room() {
    let _undisturbed = undisturbed().await;
    let serving = serve();
    let mut silent = Vec::new();
    for number in 0..1_500 {
        silent.push(
            connect_from(source(6, number % 500), serving.address)
                .await
                .unwrap(),
        );
    }
    genuine(source(7, 0), serving.address).await.unwrap();
    let ends = silent.iter_mut().map(|stream| async {
        let ended = tokio::time::timeout(Duration::from_millis(200), stream.read_u8()).await;
        ended.map(|read| read.unwrap_err().kind())
    });
    let ends = futures::future::join_all(ends).await;
    let reset = |end: &Result<std::io::ErrorKind, _>| *end == Ok(std::io::ErrorKind::ConnectionReset);
    assert!(
        ends[..400].iter().all(reset),
        "{:?}",
        ends[..400].iter().find(|end| !reset(end))
    );
    assert!(
        ends[600..].iter().all(Result::is_err),
        "a younger one was closed before an older one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_has_its_share_of_sessions_and_hears_when_that_is_used_up() {
    let serving = serve();
    let coming = (0..64).map(|_| genuine(source(8, 0), serving.address));
    let held: Vec<FarEnd> = futures::future::try_join_all(coming).await.unwrap();
    let start = Instant::now();
    let error = genuine(source(8, 0), serving.address).await.err().unwrap();
    assert!(start.elapsed() < Duration::from_secs(6));
    let text = error.to_string();
    assert!(
        matches!(error, NetError::NoRoom(_)) && text.contains("64 clients of your address"),
        "{text}"
    );
    assert!(text.contains("try again"), "{text}");
    genuine(source(8, 1), serving.address).await.unwrap();
    drop(held);
    genuine(source(8, 0), serving.address).await.unwrap();
}

/// A far end that resets whoever comes, so many times.
async fn crowded(times: usize) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, came) = (listener.local_addr().unwrap(), Arc::new(AtomicU64::new(0)));
    let counted = came.clone();
    tokio::spawn(async move {
        for _ in 0..times {
            let (stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
            socket2::SockRef::from(&stream)
                .set_linger(Some(Duration::ZERO))
                .unwrap();
        }
    });
    (address, came)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_reset_comes_again_and_then_says_that_it_is_crowded() {
    let (address, came) = crowded(100).await;
    let start = Instant::now();
    let error = genuine(source(10, 0), address).await.err().unwrap();
    let (text, tries) = (error.to_string(), came.load(Ordering::Relaxed));
    assert!(
        matches!(error, NetError::NoRoom(_)) && text.contains("strangers crowd"),
        "{text}"
    );
    assert!(
        text.contains("try again") && (3..=8).contains(&tries),
        "{tries}: {text}"
    );
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}

/// A relay that resets the first connections and passes the others on, as a far end does whose crowd goes away.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_reset_gets_in_when_there_is_room() {
    let serving = serve();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let to = serving.address;
    tokio::spawn(async move {
        for number in 0.. {
            let (mut near, _) = listener.accept().await.unwrap();
            if number < 3 {
                socket2::SockRef::from(&near)
                    .set_linger(Some(Duration::ZERO))
                    .unwrap();
                continue;
            }
            let mut far = connect_from(source(11, 0), to).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
        }
    });
    genuine(source(11, 1), address).await.unwrap();
}

/// It neither answers nor closes: five seconds in all, or at once where the user leaves.
#[tokio::test(flavor = "multi_thread")]
async fn a_far_end_that_says_nothing_holds_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let start = Instant::now();
    let error = genuine(source(12, 0), address).await.err().unwrap();
    assert!(error.to_string().contains("says nothing"), "{error}");
    assert!(
        (4..7).contains(&start.elapsed().as_secs()),
        "{:?}",
        start.elapsed()
    );

    let cancel = CancellationToken::new();
    let watch = Watch::new(cancel.clone(), |_| {});
    let (start, token) = (Instant::now(), token());
    let (left, ()) = tokio::join!(
        connect(address.ip(), address.port(), &token, None, &watch),
        async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            cancel.cancel();
        }
    );
    assert!(matches!(left.err(), Some(NetError::Cancelled)));
    assert!(start.elapsed() < Duration::from_secs(2));
}
