//! A capture, followed by all processors. The result is that of one reader who sees every packet in its order.
//!
//! A thread takes the next chunk, makes segments of it, and sorts these by connection into shards. Chunks are put back into
//! their order before any shard sees them. Each shard is worked on by one thread at a time: by the one whose caches hold its
//! connections, or where too much waits by whichever is free. Segments of few connections are followed by the thread that made
//! them, in its turn: one transfer may be all of a capture.

mod changes;
mod follow;
mod plan;

use super::one::MOST_FRAGMENTED;
use super::reader::{Chunk, FileSaid, Part, Reader};
use crate::workers::keep_apart;
use capture::decode::{Counts, Decoder, Defragmenter, Sorted, Wanted};
use capture::flow::{Limits, Sink, Table};
use capture::{FlowKey, Segments};
use changes::Changes;
use follow::{Falls, Hand, NOTHING, READING};
use plan::{Next, Plan, Work};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// Enough that two or many threads seldom want the same, few enough that a table of each costs nothing.
const SHARDS: usize = 16;

/// What is to be done.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) paths: &'a [PathBuf],
    pub(crate) threads: usize,
    /// For the connections that are followed.
    pub(crate) memory_bytes: usize,
    /// Keeps hostile captures from choosing collisions; nothing else depends on it.
    pub(crate) seed: u64,
    /// Only connections that it wants; without it all.
    pub(crate) wanted: Option<Wanted<'a>>,
    pub(crate) stop: &'a AtomicBool,
}

impl Job<'_> {
    pub(crate) fn wants(&self, key: &FlowKey) -> bool {
        self.wanted.is_none_or(|wanted| wanted(key))
    }
}

/// What was read beside the connections.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) files: Vec<FileSaid>,
    /// Packets by what they are.
    pub(crate) counts: Counts,
    /// First and last packet, nanoseconds since 1970.
    pub(crate) span_ns: Option<(i64, i64)>,
    /// Connections whose place was needed for others.
    pub(crate) evicted: u64,
}

struct Sequencer {
    next: u64,
    /// Chunks, and the threads that made segments of them.
    early: BTreeMap<u64, (Sorted, usize)>,
    defragmenter: Defragmenter,
}

struct Shard<C> {
    table: Table,
    collect: C,
    /// The thread that followed its segments last.
    by: usize,
}

struct Shared<'j, C> {
    job: &'j Job<'j>,
    reader: Mutex<Reader<'j>>,
    /// The part whose turn it is, and that it is the turn of another.
    turn: AtomicU64,
    turned: Condvar,
    decoder: Decoder,
    sequencer: Mutex<Sequencer>,
    plan: Mutex<Plan>,
    changes: Changes,
    shards: Vec<Mutex<Shard<C>>>,
    /// Segments and counts of all threads.
    seen: Mutex<(Counts, Option<(i64, i64)>)>,
    failed: Mutex<Option<String>>,
}

/// Reads all there is. `collector` makes what takes the reports of a shard; all of these come back.
///
/// # Errors
/// With the file that could not be read, in words.
pub(crate) fn run<C: Sink + Send>(
    job: &Job<'_>,
    collector: impl Fn() -> C,
) -> Result<(Outcome, Vec<C>), String> {
    // A quarter is for what no table counts: the allocator rounds sizes up, by an eighth at most, and chunks wait for their turn.
    let limits = Limits {
        memory_bytes: job.memory_bytes / SHARDS / 4 * 3,
        ..Limits::default()
    };
    let shard = |_| {
        Mutex::new(Shard {
            table: Table::new(limits),
            collect: collector(),
            by: 0,
        })
    };
    let shared = Shared {
        job,
        reader: Mutex::new(Reader::new(job.paths, job.stop)),
        turn: AtomicU64::new(0),
        turned: Condvar::new(),
        decoder: Decoder::new(job.seed),
        sequencer: Mutex::new(Sequencer {
            next: 0,
            early: BTreeMap::new(),
            defragmenter: Defragmenter::new(MOST_FRAGMENTED),
        }),
        plan: Mutex::new(Plan::new(SHARDS, job.threads.max(1))),
        changes: Changes::new(job.threads.max(1)),
        shards: (0..SHARDS).map(shard).collect(),
        seen: Mutex::default(),
        failed: Mutex::default(),
    };
    thread::scope(|scope| {
        let shared = &shared;
        let mut taken = Vec::from_iter(keep_apart(&[]));
        for thread in 1..job.threads {
            let (begun, begins) = mpsc::channel();
            let others = taken.clone();
            scope.spawn(move || {
                // What is sent is waited for.
                let _ = begun.send(keep_apart(&others));
                shared.work(thread);
            });
            taken.extend(begins.recv().ok().flatten());
        }
        shared.work(0);
    });
    shared.finish()
}

impl<'j, C: Sink> Shared<'j, C> {
    /// Takes chunks until there are no more.
    fn work(&self, thread: usize) {
        let _falls = Falls(self);
        let mut buffer = Vec::new();
        let (mut counts, mut span_ns) = (Counts::default(), None);
        let mut hand = Hand::new(thread);
        while !self.changes.has_fallen() {
            let chunk = match self.read(buffer) {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(why) => {
                    *locked(&self.failed) = Some(why);
                    break;
                }
            };
            let mut sorted = self.decode(&chunk, &mut hand);
            buffer = chunk.bytes;
            counts.add(&sorted.counts);
            span_ns = joined(span_ns, sorted.span_ns);
            hand.keep_unused(&mut sorted.shards);
            self.put_in_order(chunk.index, sorted, thread);
            self.follow(&mut hand, READING);
        }
        self.follow(&mut hand, NOTHING);
        let mut seen = locked(&self.seen);
        seen.0.add(&counts);
        seen.1 = joined(seen.1, span_ns);
    }

    /// The next chunk. Others read those behind it meanwhile.
    fn read(&self, mut buffer: Vec<u8>) -> Result<Option<Chunk>, String> {
        loop {
            let Some(mut part) = self.reader().part(buffer)? else {
                return Ok(None);
            };
            part.read();
            let mut reader = self.reader_for(&part);
            let found = reader.chunk(part);
            self.turn.store(reader.turn(), Ordering::Release);
            if reader.is_read_by_others() {
                self.turned.notify_all();
            }
            drop(reader);
            match found? {
                Ok(chunk) => return Ok(Some(chunk)),
                Err(unused) => buffer = unused,
            }
        }
    }

    /// The reader, when nobody is at it.
    fn reader(&self) -> MutexGuard<'_, Reader<'j>> {
        let free = self.changes.look_for(|| self.reader.try_lock().ok());
        free.unwrap_or_else(|| locked(&self.reader))
    }

    /// The reader, when it is the turn of a part.
    fn reader_for(&self, part: &Part) -> MutexGuard<'_, Reader<'j>> {
        let is_turn = || self.turn.load(Ordering::Acquire) == part.turn;
        self.changes.look_for(|| is_turn().then_some(()));
        let waits = |_: &mut Reader<'j>| !is_turn() && !self.changes.has_fallen();
        let waited = self.turned.wait_while(self.reader(), waits);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn decode(&self, chunk: &Chunk, hand: &mut Hand) -> Sorted {
        let thread = hand.thread;
        let spare = |(place, spare): (usize, &mut Vec<Segments>)| {
            let given_back = || {
                let mut segments = locked(&self.plan).spare(place, thread)?;
                segments.reclaim();
                Some(segments)
            };
            spare.pop().or_else(given_back).unwrap_or_default()
        };
        let mut sorted = Sorted::new(hand.spare.iter_mut().enumerate().map(spare).collect());
        for (start, packets) in &chunk.packets {
            let bytes = chunk.bytes.get(*start..).unwrap_or_default();
            self.decoder.sort(packets, bytes, self.job.wanted, &mut sorted);
        }
        sorted
    }

    /// Hands chunks to the shards in the order of the capture.
    fn put_in_order(&self, index: u64, sorted: Sorted, thread: usize) {
        let mut sequencer = locked(&self.sequencer);
        sequencer.early.insert(index, (sorted, thread));
        loop {
            let next = sequencer.next;
            let Some((mut sorted, by)) = sequencer.early.remove(&next) else {
                locked(&self.plan).early = sequencer.early.len();
                return;
            };
            sequencer.next += 1;
            for fragment in std::mem::take(&mut sorted.fragments) {
                sequencer.defragmenter.feed(&fragment, &mut |whole| {
                    if self.job.wants(&whole.key) {
                        sorted.put_whole(whole);
                    }
                });
            }
            let mut plan = locked(&self.plan);
            plan.early = sequencer.early.len();
            for (place, segments) in sorted.shards.into_iter().enumerate() {
                plan.put(place, segments, by);
            }
            for told in sorted.too_big {
                plan.put_too_big(Sorted::shard_of(&told.key, SHARDS), told);
            }
            self.changes.tell(&plan, Next::Anyone);
        }
    }

    fn finish(self) -> Result<(Outcome, Vec<C>), String> {
        if let Some(why) = unlocked(self.failed) {
            return Err(why);
        }
        let mut outcome = Outcome {
            files: unlocked(self.reader).said,
            ..Outcome::default()
        };
        (outcome.counts, outcome.span_ns) = unlocked(self.seen);
        let mut rest = Sorted::new((0..SHARDS).map(|_| Segments::default()).collect());
        let mut sequencer = unlocked(self.sequencer);
        sequencer.defragmenter.finish(&mut |whole| {
            if self.job.wants(&whole.key) {
                rest.put_whole(whole);
            }
        });
        let mut collected = Vec::with_capacity(SHARDS);
        let left = unlocked(self.plan).into_work();
        for ((shard, left), rest) in self.shards.into_iter().zip(left).zip(rest.shards) {
            let mut shard = unlocked(shard);
            left.iter().for_each(|work| shard.take(work));
            let Shard { table, collect, .. } = &mut shard;
            table.take_all(&rest, collect);
            outcome.evicted += table.counts().evicted;
            table.finish_into(collect);
            collected.push(shard.collect);
        }
        Ok((outcome, collected))
    }
}

impl<C: Sink> Shard<C> {
    /// How many segments should wait for it: as many as it has connections that have not ended. The state of thousands is larger
    /// than the caches: then each is fetched once for several of its segments. Those that linger are not fetched, and to wait for as
    /// many as them had segments leave the caches before anybody looked at them.
    fn worth_it(&self) -> usize {
        let counts = self.table.counts();
        usize::try_from(counts.live.saturating_sub(counts.lingering)).unwrap_or(usize::MAX)
    }

    fn take(&mut self, work: &Work) {
        let collect = &mut self.collect;
        match work {
            Work::Segments(made) => self.table.take_all(&made.segments, collect),
            Work::TooBig(told) => self.table.too_big(told),
        }
    }
}

fn joined(one: Option<(i64, i64)>, other: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (one, other) {
        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
        (one, other) => one.or(other),
    }
}

/// A thread that fell ends the program when the scope ends: what it left behind is not looked at.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
