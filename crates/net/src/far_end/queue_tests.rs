use super::*;
use proptest::prelude::*;

const TEN: Duration = Duration::from_secs(10);

fn at(last: u8) -> IpAddr {
    [10, 0, 0, last].into()
}

fn join(queue: &mut Queue, holder: &str, last: u8) -> u64 {
    queue.join(Who::new(holder, at(last)), at(last), TEN).unwrap()
}

/// The numbers in the order in which they begin when nobody else comes.
fn all_of(queue: &mut Queue) -> Vec<u64> {
    let mut order = Vec::new();
    while queue.waiting() > 0 {
        queue.end();
        let next = queue.order()[0].1.number;
        assert_eq!(queue.begin(next, Instant::now()), Ok(()));
        order.push(next);
    }
    queue.end();
    order
}

#[test]
fn the_estimate_counts_what_runs_and_what_comes_before() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    let [first, second, third] = [1, 2, 3].map(|last| join(&mut queue, "", last));
    assert!(queue.begin(second, now).is_err(), "it is not the first");
    assert_eq!(queue.begin(first, now), Ok(()));
    let later = now + Duration::from_secs(4);
    let standing = |before, seconds| {
        Err(Standing {
            before,
            about: Duration::from_secs(seconds),
        })
    };
    assert_eq!(queue.begin(second, later), standing(0, 7));
    assert_eq!(queue.begin(third, later), standing(1, 18));
    queue.leave(second);
    assert_eq!(queue.begin(third, later), standing(0, 7));
    // One that takes longer than it said does not make the estimate negative.
    assert_eq!(queue.begin(third, now + 5 * TEN), standing(0, 0));
    queue.end();
    assert_eq!(queue.begin(third, later), Ok(()));
}

#[test]
fn many_of_one_holder_do_not_stand_before_the_first_of_another() {
    let mut queue = Queue::default();
    let a: Vec<u64> = (0..4).map(|_| join(&mut queue, "a", 1)).collect();
    let a_elsewhere = join(&mut queue, "a", 2);
    let b = join(&mut queue, "b", 3);
    assert_eq!(all_of(&mut queue), [a[0], b, a_elsewhere, a[1], a[2], a[3]]);
}

#[test]
fn who_comes_back_at_once_stands_behind_who_has_waited() {
    let mut queue = Queue::default();
    let first = join(&mut queue, "a", 1);
    assert_eq!(queue.begin(first, Instant::now()), Ok(()));
    let again = join(&mut queue, "a", 1);
    let other = join(&mut queue, "b", 2);
    assert_eq!(all_of(&mut queue), [other, again]);
}

#[test]
fn who_leaves_loses_no_turn_and_who_comes_anew_waits_for_one_round_only() {
    let mut queue = Queue::default();
    let a = [(); 3].map(|()| join(&mut queue, "a", 1));
    queue.leave(a[2]);
    let again = join(&mut queue, "a", 1);
    assert_eq!(queue.begin(a[0], Instant::now()), Ok(()));
    let b = [(); 2].map(|()| join(&mut queue, "b", 2));
    assert_eq!(all_of(&mut queue), [b[0], a[1], b[1], again]);
    assert!(queue.addresses.is_empty() && queue.holders.next.is_empty());
}

#[test]
fn there_is_an_end_to_waiting_places_and_who_does_not_wait_goes_last() {
    let mut queue = Queue::default();
    for _ in 0..MOST_WAITING_OF_ONE {
        join(&mut queue, "a", 1);
    }
    assert_eq!(
        queue.join(Who::new("a", at(1)), at(1), TEN),
        Err(QueueFull::OfOne)
    );
    assert_eq!(queue.begin_at_once(at(9), Instant::now()), Err(None));
    for last in 0..(MOST_WAITING - MOST_WAITING_OF_ONE) as u8 {
        join(&mut queue, "b", 10 + last);
    }
    assert_eq!(
        queue.join(Who::new("c", at(200)), at(200), TEN),
        Err(QueueFull::All)
    );
    assert_eq!(all_of(&mut queue).len(), MOST_WAITING);
    assert_eq!(queue.begin_at_once(at(9), Instant::now()), Ok(()));
    assert!(matches!(queue.begin_at_once(at(8), Instant::now()), Err(Some((holder, _))) if holder == at(9)));
}

proptest! {
    /// Whoever comes, goes and ends: one runs at a time, the bounds hold, and all are served in the end.
    #[test]
    fn one_at_a_time_and_everybody_in_the_end(steps in prop::collection::vec((0u8..4, 0u8..3, 0u8..4), 1..300)) {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let mut there: Vec<u64> = Vec::new();
        for (step, holder, last) in steps {
            match step {
                0 | 1 => there.extend(queue.join(Who::new(["a", "b", "c"][usize::from(holder)], at(last)), at(last), TEN).ok()),
                2 => queue.end(),
                _ => if let Some(number) = there.pop() { queue.leave(number); },
            }
            let began: Vec<u64> = there.iter().copied().filter(|number| queue.begin(*number, now).is_ok()).collect();
            prop_assert!(began.len() <= 1);
            there.retain(|number| !began.contains(number));
            prop_assert_eq!(queue.waiting(), there.len());
            prop_assert!(queue.waiting() <= MOST_WAITING);
            prop_assert!(there.is_empty() || queue.is_running());
        }
        let mut served = all_of(&mut queue);
        served.sort_unstable();
        prop_assert_eq!(served, there);
    }
}
