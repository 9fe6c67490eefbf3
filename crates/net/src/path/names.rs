//! Reverse DNS of the hops, beside the probing and never in its way.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// Nobody waits longer than this for names, counted from the first question.
const LONGEST: Duration = Duration::from_millis(800);
/// More hops than any path has: bounds the threads that a forged route could make us start.
const MOST_QUESTIONS: usize = 64;

/// Asks for each address once, as soon as it is seen. Clones share what was asked.
#[derive(Clone)]
pub(super) struct Names {
    asked: Arc<Mutex<BTreeSet<IpAddr>>>,
    answers: mpsc::UnboundedSender<(IpAddr, Option<String>)>,
}

/// Collects the answers.
pub(super) struct NameAnswers {
    answers: mpsc::UnboundedReceiver<(IpAddr, Option<String>)>,
    since: Instant,
}

pub(super) fn names() -> (Names, NameAnswers) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let asker = Names {
        asked: Arc::default(),
        answers: sender,
    };
    (
        asker,
        NameAnswers {
            answers: receiver,
            since: Instant::now(),
        },
    )
}

impl Names {
    pub(super) fn ask(&mut self, address: IpAddr) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= MOST_QUESTIONS || !asked.insert(address) {
            return;
        }
        let answers = self.answers.clone();
        // A thread of its own rather than the runtime's pool: the resolver can block for many seconds, and a runtime
        // waits for its pool when it shuts down.
        let lookup = move || {
            let _ = answers.send((address, name_of(address)));
        };
        let _ = std::thread::Builder::new()
            .name("reverse-dns".to_owned())
            .spawn(lookup);
    }
}

impl NameAnswers {
    /// The next answer; `None` when nobody can ask any more.
    pub(super) async fn next(&mut self) -> Option<(IpAddr, Option<String>)> {
        self.answers.recv().await
    }

    /// The names that arrive in time.
    pub(super) async fn collect(mut self, asker: Names) -> BTreeMap<IpAddr, String> {
        let mut waiting = asker.asked.lock().unwrap_or_else(PoisonError::into_inner).len();
        drop(asker);
        let mut names = BTreeMap::new();
        while waiting > 0 {
            let Ok(Some((address, name))) = timeout_at(self.since + LONGEST, self.answers.recv()).await
            else {
                break;
            };
            waiting -= 1;
            names.extend(name.map(|name| (address, name)));
        }
        names
    }
}

/// The name of an address; `None` when it has none, or the answer is not a name.
fn name_of(address: IpAddr) -> Option<String> {
    let name = dns_lookup::lookup_addr(&address).ok()?;
    let is_name = name.len() <= 253
        && !name.is_empty()
        && name.parse::<IpAddr>().is_err()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    is_name.then_some(name)
}
