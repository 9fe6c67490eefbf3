use super::super::samples::{after, healthy, limiting, losing};
use super::*;
use net::path::Answered;

const AT: Duration = Duration::from_secs(5);

fn outcome(asked: Asked, from: Option<IpAddr>) -> PathEvent {
    let answer = from.map(|from| Answered {
        from,
        rtt_ns: 1_000_000,
    });
    PathEvent::Round(RoundEvent::Outcome {
        asked,
        round: 100,
        answer,
    })
}

fn moved(ttl: Option<u8>) -> PathEvent {
    PathEvent::Round(RoundEvent::DestinationAt(ttl))
}

fn ttls(route: &Route) -> Vec<Option<u8>> {
    route.rows().iter().map(|row| row.ttl).collect()
}

#[test]
fn marks_stand_at_their_hops() {
    let marks = |route: &Route| route.rows().iter().map(|row| row.mark).collect::<Vec<_>>();
    assert_eq!(marks(&after(200, &healthy())), [None; 4]);
    assert_eq!(
        marks(&after(60, &limiting())),
        [None, Some(Mark::AnswersLimited), None, None]
    );
    assert_eq!(
        marks(&after(200, &losing())),
        [None, None, Some(Mark::LossFromHere), None, None]
    );
    // Nothing yet after a handful of rounds.
    assert_eq!(marks(&after(9, &losing())), [None; 5]);
}

#[test]
fn the_path_becomes_shorter_and_longer() {
    let mut route = after(20, &healthy());
    assert_eq!(ttls(&route), [Some(1), Some(2), Some(3), Some(4)]);
    // While the destination is looked for, it stays where it was.
    route.take(moved(None), AT);
    assert_eq!(ttls(&route), [Some(1), Some(2), Some(3), Some(4)]);
    route.take(moved(Some(6)), AT);
    assert_eq!(ttls(&route).len(), 6);
    route.take(moved(Some(2)), AT);
    assert_eq!(ttls(&route), [Some(1), Some(2)]);
    let changes: Vec<Changed> = route.changes().map(|change| change.what).collect();
    assert_eq!(
        changes,
        [
            Changed::Length { was: 4, is: 6 },
            Changed::Length { was: 6, is: 2 }
        ]
    );
}

#[test]
fn after_a_change_marks_begin_anew_and_counts_do_not() {
    let mut route = after(200, &losing());
    let new: IpAddr = "203.0.113.99".parse().unwrap();
    for _ in 0..3 {
        route.take(outcome(Asked::Hop(2), Some(new)), AT);
    }
    assert_eq!(route.changes().count(), 1);
    let rows = route.rows();
    assert!(rows.iter().all(|row| row.mark.is_none()));
    assert_eq!(rows[2].hop.sent(), 200);
    assert_eq!(rows[1].address, Some(new));
}

#[test]
fn a_destination_without_an_answer_has_no_place() {
    let mut route = Route::new("198.51.100.2".parse().unwrap());
    route.take(outcome(Asked::Hop(1), Some("192.0.2.1".parse().unwrap())), AT);
    route.take(outcome(Asked::Destination, None), AT);
    assert_eq!(ttls(&route), [Some(1), None]);
    assert!(route.rows()[1].is_destination);
}

#[test]
fn a_reset_counts_anew() {
    let mut route = after(200, &losing());
    route.reset();
    assert_eq!(route.rounds(), 0);
    assert_eq!(ttls(&route).len(), 5);
    assert!(
        route
            .rows()
            .iter()
            .all(|row| row.hop.sent() == 0 && row.mark.is_none())
    );
    route.take(PathEvent::Round(RoundEvent::Refused), AT);
    assert_eq!(route.refused(), 1);
}
