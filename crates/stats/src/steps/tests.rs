use super::*;

const MINUTE_NS: i64 = 60_000_000_000;

fn series(values: &[f64]) -> Vec<(Timestamp, f64)> {
    let at = |index: usize| Timestamp(index as i64 * 90 * MINUTE_NS);
    values
        .iter()
        .enumerate()
        .map(|(index, v)| (at(index), *v))
        .collect()
}

/// Repeatable noise of about 10 %.
fn noisy(index: usize) -> f64 {
    let turn = libm::sin(index as f64 * 12.9898) * 43_758.545;
    0.35 * (turn.fract() - 0.5 * turn.signum()).abs() + 0.9
}

fn levels(found: &Steps) -> Vec<f64> {
    found
        .regimes
        .iter()
        .map(|regime| (regime.level / 1e6).round())
        .collect()
}

#[test]
fn few_points_show_a_drop_a_blip_and_its_end() {
    let values = [
        430e6, 450e6, 58e6, 61e6, 55e6, 30e6, 380e6, 420e6, 480e6, 85e6, 90e6,
    ];
    let found = find(SeriesMetric::Throughput, &series(&values)).unwrap();
    assert_eq!(found.steps.len(), 3, "{found:?}");
    assert_eq!(found.steps[0].between.from, Timestamp(90 * MINUTE_NS));
    assert_eq!(found.steps[0].between.to, Timestamp(180 * MINUTE_NS));
    // Thirty belongs to the slow ones: one value is no stretch.
    assert_eq!(found.steps[1].between.from, Timestamp(5 * 90 * MINUTE_NS));
    assert!(found.steps.iter().all(|step| step.p_value < 0.01), "{found:?}");
}

/// A digest of a history: each level told by a value or two.
#[test]
fn a_digest_shows_its_levels() {
    let found = find(
        SeriesMetric::Throughput,
        &series(&[450e6, 58e6, 30e6, 430e6, 85e6]),
    )
    .unwrap();
    assert_eq!(
        found.regimes.iter().map(|r| r.points).collect::<Vec<_>>(),
        [1, 2, 1, 1],
        "{found:?}"
    );
    assert!(found.steps.iter().all(|step| step.p_value < 0.05), "{found:?}");
    let unclear = find(
        SeriesMetric::Throughput,
        &series(&[450e6, 250e6, 400e6, 330e6, 290e6]),
    )
    .unwrap();
    assert!(unclear.steps.is_empty(), "{unclear:?}");
}

#[test]
fn a_single_first_value_is_less_sure_than_a_plateau() {
    let sparse = find(
        SeriesMetric::Throughput,
        &series(&[450e6, 58e6, 60e6, 57e6, 62e6]),
    )
    .unwrap();
    let dense = find(
        SeriesMetric::Throughput,
        &series(&[450e6, 440e6, 460e6, 58e6, 60e6, 57e6, 62e6]),
    )
    .unwrap();
    assert_eq!((sparse.steps.len(), dense.steps.len()), (1, 1));
    assert!(sparse.steps[0].p_value > dense.steps[0].p_value);
}

#[test]
fn noise_outliers_and_too_few_points_are_no_steps() {
    let steady: Vec<f64> = (0..300).map(|i| 400e6 * noisy(i)).collect();
    let steps =
        |values: &[f64]| find(SeriesMetric::Throughput, &series(values)).map(|found| found.steps.len());
    assert_eq!(steps(&steady), Some(0));
    let mut outliers = steady;
    outliers[100] = 1e6;
    outliers[101] = 2e6;
    outliers[200] = 4e9;
    assert_eq!(steps(&outliers), Some(0));
    assert_eq!(steps(&[450e6, 300e6, 420e6, 350e6, 280e6, 390e6]), Some(0));
    assert_eq!(steps(&[450e6, 58e6, 60e6]), None);
    assert_eq!(steps(&[f64::NAN, -1.0, f64::INFINITY, 1.0, 2.0]), None);
}

/// By day half the rate of the night: no step. A real step in the same series: found.
#[test]
fn the_daily_swing_goes_and_a_step_stays() {
    let swing = |i: usize| if (i % 16) < 8 { 1.0 } else { 0.5 };
    let steady: Vec<f64> = (0..480).map(|i| 400e6 * swing(i) * noisy(i)).collect();
    let found = find(SeriesMetric::Throughput, &series(&steady)).unwrap();
    assert!(found.daily_swing && found.steps.is_empty(), "{:?}", found.steps);
    let step = |i: usize| if i < 200 { 1.0 } else { 0.6 };
    let stepped: Vec<f64> = steady.iter().enumerate().map(|(i, v)| v * step(i)).collect();
    let found = find(SeriesMetric::Throughput, &series(&stepped)).unwrap();
    assert_eq!(found.steps.len(), 1, "{:?}", found.steps);
    let start = found.steps[0].between.to.0 / (90 * MINUTE_NS);
    assert!((197..=203).contains(&start), "{start}");
}

#[test]
fn loss_that_begins_is_a_step() {
    let values: Vec<f64> = (0..100)
        .map(|i| if i < 60 { 0.0 } else { 0.01 * noisy(i) })
        .collect();
    let found = find(SeriesMetric::LossRatio, &series(&values)).unwrap();
    assert_eq!(found.steps.len(), 1, "{:?}", found.steps);
    assert_eq!(found.steps[0].between.to, Timestamp(60 * 90 * MINUTE_NS));
    let one_lost: Vec<f64> = (0..100).map(|i| if i % 17 == 3 { 0.01 } else { 0.0 }).collect();
    assert!(
        find(SeriesMetric::LossRatio, &series(&one_lost))
            .unwrap()
            .steps
            .is_empty()
    );
}

#[test]
fn the_order_of_points_does_not_matter() {
    let values: Vec<f64> = (0..90)
        .map(|i| noisy(i) * if i < 40 { 4e8 } else { 2e8 })
        .collect();
    let mut points = series(&values);
    let found = find(SeriesMetric::Throughput, &points);
    points.reverse();
    assert_eq!(find(SeriesMetric::Throughput, &points), found);
    assert_eq!(levels(&found.unwrap()).len(), 2);
}
