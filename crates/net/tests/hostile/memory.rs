//! What a server allocates is bounded, however large the messages are that are thrown at it.

use super::support::{key, server_for, source, undisturbed};
use super::wire::Holder;
use net::Watch;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Set for the process that only serves.
const SERVES: &str = "SLOWPATH_HOSTILE_SERVES";
/// What it says before its address.
const LISTENING: &str = "hostile: listening on ";
/// What 256 sessions may cost, with the buffers of their messages and what the allocator keeps of both.
const MAX_GROWTH_KB: u64 = 40 << 10;

/// A far end in a process of its own, so that its memory can be told from its attackers'.
pub(crate) struct Alone {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Alone {
    pub(crate) fn start() -> Self {
        Self::for_holders(1)
    }

    /// One whose owner gave a token to so many; the one of the others is tried last.
    pub(crate) fn for_holders(count: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "memory::a_server_of_its_own",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .env(SERVES, count.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let address = lines
            .find_map(|line| Some(line.split_once(LISTENING)?.1.parse().unwrap()))
            .unwrap();
        Self { child, address }
    }

    /// Time that all its threads have had of a processor.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let behind_name = stat.rsplit(')').next().unwrap();
        let ticks: u64 = behind_name
            .split_ascii_whitespace()
            .skip(11)
            .take(2)
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum();
        // USER_HZ, which is 100 everywhere (proc(5)).
        Duration::from_millis(10 * ticks)
    }

    /// A figure of `/proc/PID/status`, kB.
    pub(crate) fn status_kb(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_matches(|letter: char| !letter.is_ascii_digit())
            .parse()
            .unwrap()
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "no test: the server of the others"]
fn a_server_of_its_own() {
    let Some(holders) = std::env::var(SERVES).ok().and_then(|count| count.parse().ok()) else {
        return;
    };
    let server = server_for(holders);
    println!("{LISTENING}{}", server.addresses()[0]);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.spawn(server.run(Watch::quiet()));
    // Whoever started us is gone when this ends.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// How a holder of the token can throw bytes.
#[derive(Debug, Clone, Copy)]
enum Flood {
    /// Messages of 4 MiB, as large as a client takes them.
    Large,
    /// Messages as large as the server takes them, one behind the other, and never an answer read.
    Endless,
    /// The first part of a message, and then nothing.
    Unfinished,
}

/// Takes a session if there is one to be had, throws what it can until it is thrown out, and holds on for a while.
async fn throw(flood: Flood, number: u32, to: SocketAddr) {
    let opened = Holder::open(source(30, number % 8), to, &key()).await;
    let Ok(mut holder) = opened else { return };
    if holder.hello().await.is_err() {
        return;
    }
    let mut stop = b"{\"say\":\"stop\",\"cancelled\":true,\"sent\":null".to_vec();
    stop.resize((16 << 10) - 1, b' ');
    stop.push(b'}');
    match flood {
        Flood::Large => {
            let part = vec![b' '; 59_999];
            for _ in 0..(4 << 20) / part.len() {
                if holder.send(&part, false).await.is_err() {
                    break;
                }
            }
        }
        Flood::Endless => {
            for _ in 0..64 {
                if holder.send(&stop, true).await.is_err() {
                    break;
                }
            }
        }
        Flood::Unfinished => {
            let _ = holder.send(&stop[..16_000], false).await;
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_the_largest_messages_allocates_next_to_nothing() {
    let _undisturbed = undisturbed().await;
    let serving = Alone::start();
    // The first session allocates what all share.
    throw(Flood::Unfinished, 0, serving.address).await;
    let before = serving.status_kb("VmHWM:");
    for flood in [Flood::Unfinished, Flood::Endless, Flood::Large] {
        let throwing = (0..256).map(|number| throw(flood, number, serving.address));
        futures::future::join_all(throwing).await;
        let grown = serving.status_kb("VmHWM:") - before;
        println!("{flood:?}: {grown} kB more");
        assert!(grown < MAX_GROWTH_KB, "{flood:?}: {grown} kB more at the most");
    }
}
