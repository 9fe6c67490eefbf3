use super::*;
use crate::budget::Until;
use crate::far_end::token::new_token;
use std::time::Duration;

const S: u64 = 1_000_000_000;

fn holder(name: &str, limits: HolderLimits) -> Holder {
    Holder {
        name: name.to_owned(),
        token: Token::read(&new_token().unwrap()).unwrap(),
        limits,
    }
}

fn account(limits: HolderLimits) -> Arc<Account> {
    Account::open(&holder("physics", limits), &Arc::new(Budget::new(None, 0)))
}

fn with(change: impl FnOnce(&mut HolderLimits)) -> HolderLimits {
    let mut limits = HolderLimits::default();
    change(&mut limits);
    limits
}

#[test]
fn where_a_holder_may_come_from() {
    let office = account(with(|limits| {
        limits.from = vec!["192.0.2.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()];
    }));
    for near in ["192.0.2.255", "2001:db8:ffff::1", "::ffff:192.0.2.1"] {
        assert_eq!(office.comes_from(near.parse().unwrap()), Ok(()), "{near}");
    }
    for far in ["192.0.3.0", "2001:db9::"] {
        let text = office.comes_from(far.parse().unwrap()).unwrap_err().to_string();
        assert!(
            text.contains("`physics`") && text.contains(far) && text.contains("192.0.2.0/24, 2001:db8::/32"),
            "{text}"
        );
    }
    let anybody = account(HolderLimits::default());
    assert_eq!(anybody.comes_from([203, 0, 113, 9].into()), Ok(()));
}

#[test]
fn when_a_holder_may_measure() {
    let nights = account(with(|limits| limits.hours = "20:00-06:00".parse().ok()));
    let at = |hour: u64, minute: u64| nights.may_now(1_936_310_400 + hour * 3_600 + minute * 60);
    assert_eq!(at(20, 0), Ok(()));
    let text = at(14, 12).unwrap_err().to_string();
    assert!(
        text.contains("20:00 to 06:00 UTC") && text.contains("in 5 h 48 min"),
        "{text}"
    );
    assert!(at(19, 59).is_err());
    assert_eq!(account(HolderLimits::default()).may_now(0), Ok(()));
}

fn set_aside(account: &Account, bytes: u64, now: u64) -> Result<u64, Until> {
    let set_aside = account.set_aside(bytes, now);
    match set_aside {
        Ok(set_aside) => Ok(set_aside.bytes),
        Err(NotAllowed::Hour { shortage, .. }) => Err(shortage.until),
        Err(other) => panic!("{other}"),
    }
}

fn share(account: &Account, most: Option<u64>, now: u64) -> Option<Option<u64>> {
    account.share(most, now).ok().map(|(bytes, _)| bytes)
}

#[test]
fn how_much_a_holder_may_move() {
    let now = monotonic_ns();
    let small = account(with(|limits| limits.max_bytes_per_hour = Some(10_000_000)));
    assert_eq!(set_aside(&small, 10_000_000, now), Ok(10_000_000));
    assert_eq!(set_aside(&small, 10_000_001, now), Err(Until::Never));
    assert_eq!(share(&small, None, now), Some(Some(9_000_000)), "a tenth stays");
    assert_eq!(share(&small, Some(7), now), Some(Some(7)));
    let runs = small.share(None, now).ok().unwrap();
    assert_eq!(set_aside(&small, 1_000_000, now), Ok(1_000_000), "beside it");
    assert_eq!(set_aside(&small, 1_000_001, now), Err(Until::TestsEnd));
    drop(runs);
    small.budget.has_passed(9_500_000, now);
    assert_eq!(set_aside(&small, 500_000, now), Ok(500_000), "a near miss");
    let Err(Until::Passed(wait)) = set_aside(&small, 500_001, now) else {
        panic!("it may");
    };
    assert!(
        (Duration::from_secs(3_599)..Duration::from_secs(3_661)).contains(&wait),
        "{wait:?}"
    );
    // What is left says nothing of a path, unless no more was asked for.
    assert_eq!(share(&small, None, now), None);
    assert_eq!(share(&small, Some(400_000), now), Some(Some(400_000)));
    assert_eq!(share(&small, None, now + 3_661 * S), Some(Some(9_000_000)));

    let free = account(HolderLimits::default());
    free.budget.has_passed(u64::MAX / 2, now);
    assert_eq!(set_aside(&free, 1 << 60, now), Ok(1 << 60));
    assert_eq!(share(&free, None, now), Some(None));
}

#[test]
fn a_change_keeps_what_was_used_and_ends_who_is_gone() {
    let now = monotonic_ns();
    let limited = with(|limits| limits.max_bytes_per_hour = Some(1_000));
    let (stays, goes, renewed) = (
        holder("a", limited.clone()),
        holder("b", limited),
        holder("c", HolderLimits::default()),
    );
    let before = Access::new(vec![stays.clone(), goes, renewed.clone()]).unwrap();
    let accounts = Accounts::open(&before, Arc::new(Budget::new(None, 0)));
    let [a, b, c] = [0, 1, 2].map(|number| accounts.all()[number].clone());
    a.budget.has_passed(600, now);
    let control = AccessControl(accounts.clone());
    assert_eq!(control.replace(&before), Changes::default());

    let more = Holder {
        limits: with(|limits| limits.max_bytes_per_hour = Some(2_000)),
        ..stays
    };
    let after = Access::new(vec![holder("c", HolderLimits::default()), more]).unwrap();
    let changes = control.replace(&after);
    assert_eq!(changes.added, ["c"]);
    assert_eq!(changes.changed, ["a"]);
    assert_eq!(changes.removed, ["b", "c"]);
    assert!(!a.revoked.is_cancelled() && b.revoked.is_cancelled() && c.revoked.is_cancelled());
    assert_eq!(a.budget.left_of_hour(now), Some(1_400));
}
