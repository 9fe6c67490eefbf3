//! Ten thousand hostile connections at once, each of which comes again when it is closed: who has the token is served, what the
//! server allocates stays bounded, and not one byte is drawn.

use super::memory::Alone;
use super::support::{connect_from, key, room_for_sockets, source, token, undisturbed};
use super::wire::{GREETING_BYTES, greeting};
use evidence::{Ask, Node};
use net::Watch;
use net::far_end::{MOST_HOLDERS, Side, connect};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const HOSTILE: u32 = 10_000;
const ADDRESSES: u32 = 1_000;
/// Before it comes again: so all of them together come some thousand times a second.
const PAUSE: Duration = Duration::from_secs(2);
/// Rightful clients come for so long, so often.
const LASTS: Duration = Duration::from_secs(20);
const EVERY: Duration = Duration::from_millis(200);
/// The bar: who has the token is served within this.
const WITHIN: Duration = Duration::from_secs(2);
/// A kilobyte or two for each of 1,024 strangers, what the allocator keeps of them, and the sessions of those who measure.
const MAX_GROWTH_KB: u64 = 40 << 10;

#[derive(Default)]
struct Seen {
    came: AtomicU64,
    there: AtomicU64,
    most: AtomicU64,
    drawn: AtomicU64,
}

/// Says nothing, nonsense, half of a first message, a greeting under another key, or a good one byte by byte; and holds on.
async fn attack(kind: u32, mut stream: TcpStream, seen: &Seen) -> io::Result<()> {
    let (wrong, _) = greeting(&[9; 32]);
    let (genuine, _) = greeting(&key());
    match kind % 5 {
        0 => {}
        1 => {
            stream
                .write_all(b"GET / HTTP/1.1\r\nHost: far-end.example\r\n\r\n")
                .await?
        }
        2 => stream.write_all(&genuine[..GREETING_BYTES / 2]).await?,
        3 => stream.write_all(&wrong).await?,
        _ => {
            // Never its end, which would be answered: so it shows nothing.
            for byte in &genuine[..GREETING_BYTES - 1] {
                stream.write_all(&[*byte]).await?;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
    let mut answer = [0; 256];
    loop {
        match stream.read(&mut answer).await? {
            0 => return Ok(()),
            read => seen.drawn.fetch_add(read as u64, Ordering::Relaxed),
        };
    }
}

async fn attack_again_and_again(number: u32, to: SocketAddr, seen: Arc<Seen>) {
    loop {
        if let Ok(stream) = connect_from(source(40, number % ADDRESSES), to).await {
            seen.came.fetch_add(1, Ordering::Relaxed);
            let there = seen.there.fetch_add(1, Ordering::Relaxed) + 1;
            seen.most.fetch_max(there, Ordering::Relaxed);
            let _ = attack(number, stream, &seen).await;
            seen.there.fetch_sub(1, Ordering::Relaxed);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// How long it took until a client was in, and until it had what it asked for.
async fn served(from: IpAddr, to: SocketAddr) -> Result<(Duration, Duration), String> {
    let start = Instant::now();
    let far_end = connect(to.ip(), to.port(), &token(), Some(from), &Watch::quiet()).await;
    let far_end = far_end.map_err(|error| error.to_string())?;
    let came_in = start.elapsed();
    let at = Node::named("there");
    let facts = far_end
        .perform(&Ask::HostFacts { at }, Side::There, &Watch::quiet())
        .await;
    facts.map_err(|error| error.to_string())?;
    Ok((came_in, start.elapsed()))
}

/// A client every so often, each from another address: nobody whom the server knows.
async fn clients(to: SocketAddr) -> Vec<Result<(Duration, Duration), String>> {
    let start = Instant::now();
    let mut clients = JoinSet::new();
    let mut ticks = tokio::time::interval(EVERY);
    let mut number = 1;
    while start.elapsed() < LASTS {
        ticks.tick().await;
        clients.spawn(served(source(41, number), to));
        number += 1;
    }
    clients.join_all().await
}

fn on_a_runtime_of_its_own<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(work)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "half a minute of all processors: `make attack`"]
async fn ten_thousand_hostile_connections_keep_nobody_out() {
    nobody_is_kept_out(1).await;
}

/// Each greeting is tried with the key of each.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "half a minute of all processors: `make attack`"]
async fn nor_where_as_many_hold_tokens_as_may() {
    nobody_is_kept_out(MOST_HOLDERS).await;
}

async fn nobody_is_kept_out(holders: usize) {
    let _undisturbed = undisturbed().await;
    let files = room_for_sockets();
    assert!(
        files > u64::from(HOSTILE) + 500,
        "at most {files} files may be open here: `ulimit -Hn`"
    );
    let serving = Alone::for_holders(holders);
    let to = serving.address;
    served(source(41, 0), to).await.unwrap();
    let before = serving.status_kb("VmHWM:");
    let seen = Arc::new(Seen::default());
    let mut attacks = JoinSet::new();
    for number in 0..HOSTILE {
        attacks.spawn(attack_again_and_again(number, to, seen.clone()));
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let start = Instant::now();
    // On a thread of their own: behind ten thousand tasks of an attacker nobody's client would wait for its processor.
    let outcomes = tokio::task::spawn_blocking(move || on_a_runtime_of_its_own(clients(to)))
        .await
        .unwrap();
    let used = serving.processor_time();
    let grown = serving.status_kb("VmHWM:") - before;
    let rss = serving.status_kb("VmRSS:");
    attacks.shutdown().await;

    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "{} hostile connections came, {} held at once at the most; they drew {} bytes",
        read(&seen.came),
        read(&seen.most),
        read(&seen.drawn)
    );
    println!(
        "{holders} holders: the server used {used:?} of a processor in {:?}, {} µs for each hostile connection",
        start.elapsed(),
        used.as_micros() / u128::from(read(&seen.came).max(1))
    );
    let (good, failed): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    let mut times: Vec<(Duration, Duration)> = good.into_iter().flatten().collect();
    let all = times.len() + failed.len();
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1));
    println!(
        "{all} clients: in / served, half {:?}, 99 % {:?}, longest {:?}",
        at(50),
        at(99),
        times.last()
    );
    println!("server: {rss} kB, at the most {grown} kB more than with one client");
    let late = failed.len() + times.iter().filter(|(_, served)| *served > WITHIN).count();
    assert!(late * 100 <= all, "{late} of {all} were late: {failed:?}");
    assert_eq!(read(&seen.drawn), 0);
    assert!(read(&seen.came) > u64::from(HOSTILE), "{} came", read(&seen.came));
    assert!(grown < MAX_GROWTH_KB, "{grown} kB more");
}
