use super::*;
use proptest::prelude::*;

/// Of `sent` probes each: how many were lost at each hop.
fn of(sent: u64, lost: &[u64]) -> Vec<Option<Mark>> {
    let losses: Vec<Ratio> = lost.iter().map(|lost| Ratio::new(*lost, sent)).collect();
    marks(&losses)
}

const NOTHING: Option<Mark> = None;
const LIMITED: Option<Mark> = Some(Mark::AnswersLimited);
const FROM_HERE: Option<Mark> = Some(Mark::LossFromHere);
const AT_END: Option<Mark> = Some(Mark::LossAtEnd);

#[test]
fn loss_that_holds_to_the_destination_begins_at_its_hop() {
    assert_eq!(
        of(300, &[0, 0, 30, 28, 33]),
        [NOTHING, NOTHING, FROM_HERE, NOTHING, NOTHING]
    );
    // On the first link, and twice on one path.
    assert_eq!(of(300, &[30, 28, 33]), [FROM_HERE, NOTHING, NOTHING]);
    assert_eq!(
        of(1000, &[0, 50, 52, 200, 210]),
        [NOTHING, FROM_HERE, NOTHING, FROM_HERE, NOTHING]
    );
}

#[test]
fn a_hop_that_answers_seldom_is_no_loss() {
    assert_eq!(of(100, &[0, 60, 0, 0]), [NOTHING, LIMITED, NOTHING, NOTHING]);
    assert_eq!(of(100, &[0, 60, 55, 0]), [NOTHING, LIMITED, LIMITED, NOTHING]);
}

#[test]
fn a_limit_in_front_of_a_loss_hides_neither() {
    assert_eq!(
        of(300, &[0, 200, 30, 28, 33]),
        [NOTHING, LIMITED, FROM_HERE, NOTHING, NOTHING]
    );
    // And one behind where it begins.
    assert_eq!(
        of(300, &[0, 30, 200, 28, 33]),
        [NOTHING, FROM_HERE, LIMITED, NOTHING, NOTHING]
    );
}

#[test]
fn hops_that_never_answer_say_nothing() {
    assert_eq!(
        of(300, &[0, 300, 30, 300, 33]),
        [NOTHING, NOTHING, FROM_HERE, NOTHING, NOTHING]
    );
    assert_eq!(of(300, &[0, 300, 0]), [NOTHING; 3]);
}

#[test]
fn at_the_destination_alone_a_loss_may_be_in_its_answers() {
    assert_eq!(of(300, &[0, 0, 0, 30]), [NOTHING, NOTHING, NOTHING, AT_END]);
}

#[test]
fn a_destination_that_never_answers_shows_no_end_of_a_loss() {
    assert_eq!(of(300, &[0, 0, 30, 28, 300]), [NOTHING; 5]);
    // What one router does not show of another's loss is seen without it.
    assert_eq!(of(300, &[0, 200, 0, 300]), [NOTHING, LIMITED, NOTHING, NOTHING]);
}

#[test]
fn too_little_evidence_says_nothing() {
    // A handful of probes, even if half are lost.
    assert_eq!(of(10, &[0, 0, 5, 5, 5]), [NOTHING; 5]);
    assert_eq!(of(10, &[0, 8, 0]), [NOTHING; 3]);
    // Few losses.
    assert_eq!(of(1000, &[0, 2, 2]), [NOTHING; 3]);
    assert_eq!(of(30, &[0, 2, 0]), [NOTHING; 3]);
    // Intervals that overlap: 3 % of 100, where nothing of 100 was lost before.
    assert_eq!(of(100, &[0, 3, 3]), [NOTHING; 3]);
    assert_eq!(marks(&[]), []);
    assert_eq!(of(0, &[0, 0]), [NOTHING; 2]);
}

#[test]
fn near_misses() {
    // The loss ends before the destination: two hops that limit their answers alike, and no loss of the path.
    assert_eq!(of(300, &[0, 30, 28, 0]), [NOTHING, LIMITED, LIMITED, NOTHING]);
    // The same loss everywhere begins at the first hop, and nowhere else.
    assert_eq!(
        of(1000, &[100, 104, 97, 110]),
        [FROM_HERE, NOTHING, NOTHING, NOTHING]
    );
    // A hop that joined late leaves it open.
    let late = [
        Ratio::new(0, 300),
        Ratio::new(30, 300),
        Ratio::new(1, 5),
        Ratio::new(33, 300),
    ];
    assert_eq!(marks(&late), [NOTHING; 4]);
}

proptest! {
    /// The same ratios of more probes: what is marked stays marked.
    #[test]
    fn more_of_the_same_takes_no_mark_of_loss_away(lost in prop::collection::vec(0u64..=100, 1..8), times in 2u64..6) {
        let few = of(100, &lost);
        let many = of(100 * times, &lost.iter().map(|lost| lost * times).collect::<Vec<_>>());
        for (hop, (few, many)) in few.iter().zip(&many).enumerate() {
            if *few == LIMITED {
                prop_assert_eq!(*many, LIMITED, "hop {}: {:?}", hop, lost);
            }
        }
    }

    /// A hop that never answers changes nothing, wherever it is.
    #[test]
    fn a_mute_hop_changes_nothing(lost in prop::collection::vec(0u64..=300, 1..8), at in 0usize..8) {
        let at = at.min(lost.len() - 1);
        let mut with = lost.clone();
        with.insert(at, 300);
        let mut marked = of(300, &with);
        prop_assert_eq!(marked.remove(at), None);
        prop_assert_eq!(marked, of(300, &lost));
    }

    /// What is marked as loss is lost by every hop behind it as well, as far as these tell.
    #[test]
    fn a_loss_holds_to_the_end(lost in prop::collection::vec(0u64..=300, 1..8)) {
        let marked = of(300, &lost);
        for (hop, mark) in marked.iter().enumerate() {
            if mark.is_some_and(Mark::is_loss) {
                let before = lost[..hop].iter().zip(&marked).filter(|(lost, mark)| **lost < 300 && **mark != LIMITED);
                let most_before = before.map(|(lost, _)| *lost).next_back().unwrap_or(0);
                prop_assert!(lost[hop..].iter().all(|lost| *lost > most_before), "{lost:?} {marked:?}");
            }
        }
    }
}
