//! The detection of steps keeps its bars on seeded synthetic series.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use stats::{PowerCell, PowerTable, power_table};

/// Series a cell: at 95 % the standard error is a point and a half.
const SERIES: u32 = 200;

fn cell(table: &PowerTable, noise: f64, drop: f64) -> &PowerCell {
    let row = table.rows.iter().find(|row| row.noise_ratio == noise).unwrap();
    row.cells.iter().find(|cell| cell.drop_ratio == drop).unwrap()
}

#[test]
fn steps_are_found_and_not_imagined() {
    let table = power_table(2003, SERIES);
    let halved = cell(&table, 0.2, 0.5);
    assert!(halved.recall_after_6_points >= 0.95, "{table}");
    assert!(halved.recall >= 0.98, "{table}");
    assert!(halved.median_delay_points.unwrap() <= 6, "{table}");
    for row in &table.rows {
        assert!(row.false_alarms_per_1000_days <= 1.0, "{table}");
    }
    // More drop is never harder to see.
    for row in &table.rows {
        assert!(
            row.cells
                .windows(2)
                .all(|pair| pair[0].recall <= pair[1].recall + 0.03),
            "{table}"
        );
    }
}

#[test]
fn the_table_is_the_same_for_the_same_seed() {
    let (a, b) = (power_table(7, 3), power_table(7, 3));
    assert_eq!(a.to_string(), b.to_string());
    assert_ne!(a.to_string(), power_table(8, 3).to_string());
    let lines: Vec<String> = a.to_string().lines().skip(4).map(str::to_owned).collect();
    assert_eq!(lines.len(), 5, "{a}");
    assert!(
        lines
            .iter()
            .all(|line| line.chars().count() == lines[0].chars().count()),
        "{a}"
    );
}
