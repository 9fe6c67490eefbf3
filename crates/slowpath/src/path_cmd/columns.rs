//! Which columns fit into a width, and what stands in them.

use super::hops::{HopStatistics, RECENT};
use super::view::Display;

/// A figure of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Loss,
    Sent,
    Answered,
    Last,
    Average,
    Best,
    Worst,
    Jitter,
}

/// How the width is divided, in columns of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) host: usize,
    /// In the order shown.
    pub(super) figures: Vec<Column>,
    /// 0: no sparkline.
    pub(super) sparkline: usize,
}

/// Hop numbers and the space behind them.
pub(super) const HOP_WIDTH: usize = 4;
/// An IPv4 address.
const LEAST_HOST: usize = 15;
/// Longer names are seldom, and their end says least.
const MOST_HOST: usize = 48;
/// A shorter sparkline shows nothing.
const LEAST_SPARKLINE: usize = 12;

/// What goes first into a narrow terminal.
enum Wish {
    Figure(Column),
    Sparkline,
}

impl Column {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Sent => "Sent",
            Self::Answered => "Answ.",
            Self::Last => "Last",
            Self::Average => "Avg",
            Self::Best => "Best",
            Self::Worst => "Worst",
            Self::Jitter => "Jitter",
        }
    }

    /// With the space in front of it.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Sent | Self::Answered => 6,
            _ => 7,
        }
    }

    pub(super) fn text(self, hop: &HopStatistics) -> String {
        let count = |count: u64| match count {
            0..100_000 => count.to_string(),
            _ => format!("{}k", count / 1000),
        };
        match self {
            Self::Loss if hop.answered() == 0 => "-".to_owned(),
            Self::Loss => hop.loss().estimate().map_or_else(|| "-".to_owned(), percent),
            Self::Sent => count(hop.sent()),
            Self::Answered => count(hop.answered()),
            Self::Last => time(hop.last_ns()),
            Self::Average => time(hop.mean_ns()),
            Self::Best => time(hop.best_ns()),
            Self::Worst => time(hop.worst_ns()),
            Self::Jitter => time(hop.jitter_ns()),
        }
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.1}%", ratio * 100.0)
}

/// Milliseconds with three digits that say something.
pub(super) fn time(ns: Option<u64>) -> String {
    let Some(ns) = ns else { return "-".to_owned() };
    let ms = ns as f64 / 1e6;
    match ms {
        ..9.995 => format!("{ms:.2}"),
        ..99.95 => format!("{ms:.1}"),
        ..99_999.5 => format!("{ms:.0}"),
        _ => ">99999".to_owned(),
    }
}

/// Divides `width`; `longest_host` is what the hosts would take.
pub(super) fn columns(width: usize, longest_host: usize, display: Display, jitter: bool) -> Columns {
    use Column::{Answered, Average, Best, Jitter, Last, Loss, Sent, Worst};
    let wishes = [Loss, Average, Sent, Last].map(Wish::Figure).into_iter();
    let wishes = wishes.chain([Wish::Sparkline]);
    let rest = [Worst, Best, Jitter, Answered].map(Wish::Figure);
    // A third of the width for names, or an IPv6 address is a stump.
    let least_host = longest_host.min(MOST_HOST).min(width / 3).max(LEAST_HOST);
    let mut left = width.saturating_sub(HOP_WIDTH + least_host);
    let mut figures = Vec::new();
    let mut sparkline = 0;
    for wish in wishes.chain(rest) {
        let needed = match &wish {
            Wish::Figure(column) if !shows(*column, display, jitter) => continue,
            Wish::Figure(column) => column.width(),
            Wish::Sparkline if display == Display::Numbers => continue,
            Wish::Sparkline => LEAST_SPARKLINE + 1,
        };
        // Whoever is wished for less does not come in front of who found no room.
        let Some(rest) = left.checked_sub(needed) else {
            break;
        };
        left = rest;
        match wish {
            Wish::Figure(column) => figures.push(column),
            Wish::Sparkline => sparkline = LEAST_SPARKLINE,
        }
    }
    figures.sort_unstable();
    let for_host = left.min(longest_host.min(MOST_HOST).saturating_sub(least_host));
    let host = least_host + for_host;
    if sparkline > 0 {
        sparkline = (sparkline + left - for_host).min(RECENT);
    }
    Columns {
        host,
        figures,
        sparkline,
    }
}

fn shows(column: Column, display: Display, jitter: bool) -> bool {
    match column {
        Column::Loss | Column::Average => true,
        Column::Jitter => jitter && display != Display::Sparkline,
        _ => display != Display::Sparkline,
    }
}

/// `text` in at most `width` characters.
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The last outcomes as bars from 0 to the largest of them, the newest on the right.
pub(super) fn sparkline(hop: &HopStatistics, width: usize) -> String {
    let outcomes = hop.outcomes();
    let shown = outcomes.len().min(width);
    let outcomes: Vec<Option<u64>> = outcomes.skip(hop.outcomes().len() - shown).collect();
    let largest = outcomes.iter().flatten().copied().max().unwrap_or(0).max(1);
    let bar = |rtt_ns: u64| {
        let height = u128::from(rtt_ns) * (BARS.len() as u128 - 1) / u128::from(largest);
        BARS.get(height as usize).copied().unwrap_or('█')
    };
    outcomes
        .into_iter()
        .map(|outcome| outcome.map_or('·', bar))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(columns: &Columns) -> usize {
        let figures: usize = columns.figures.iter().map(|column| column.width()).sum();
        let sparkline = match columns.sparkline {
            0 => 0,
            width => width + 1,
        };
        HOP_WIDTH + columns.host + figures + sparkline
    }

    #[test]
    fn what_a_narrow_terminal_shows() {
        use Column::{Answered, Average, Best, Jitter, Last, Loss, Sent, Worst};
        let narrow = columns(60, 15, Display::Both, true);
        assert_eq!(
            (narrow.figures, narrow.sparkline),
            (vec![Loss, Sent, Last, Average], 13)
        );
        // Long names take the place of the sparkline.
        let named = columns(60, 40, Display::Both, true);
        assert_eq!((named.host, named.sparkline), (29, 0));
        let numbers = columns(60, 15, Display::Numbers, true);
        assert_eq!(numbers.figures, [Loss, Sent, Last, Average, Best, Worst]);
        let wide = columns(160, 40, Display::Both, true);
        assert_eq!(
            wide.figures,
            [Loss, Sent, Answered, Last, Average, Best, Worst, Jitter]
        );
        assert!(wide.host == 40 && wide.sparkline > 50, "{wide:?}");
        assert_eq!(
            columns(160, 40, Display::Sparkline, true).figures,
            [Loss, Average]
        );
    }

    #[test]
    fn times_have_three_digits() {
        let shown = [
            123,
            1_234_567,
            9_999_999,
            45_678_901,
            99_960_000,
            1_234_000_000,
            u64::MAX,
        ]
        .map(|ns| time(Some(ns)));
        assert_eq!(shown, ["0.00", "1.23", "10.0", "45.7", "100", "1234", ">99999"]);
        assert_eq!(time(None), "-");
    }

    proptest! {
        /// Nothing runs over the edge, and a wider terminal shows no less.
        #[test]
        fn a_wider_terminal_shows_no_less(width in 26usize..300, host in 0usize..60, jitter: bool) {
            for display in [Display::Both, Display::Numbers, Display::Sparkline] {
                let columns_here = columns(width, host, display, jitter);
                prop_assert!(taken(&columns_here) <= width);
                let wider = columns(width + 1, host, display, jitter);
                prop_assert!(columns_here.figures.iter().all(|column| wider.figures.contains(column)));
            }
        }
    }
}
