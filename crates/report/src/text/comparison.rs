//! What `slowpath case verify` prints: the verdict before and after, then every figure measured in both rounds.

use super::paper::{Paper, Role, Span, TextOptions};
use super::table;
use super::verdict::state_role;
use crate::comparison::{Comparison, LossSummary, Outcome, RateSummary, comparison};
use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use crate::words;
use evidence::{Case, VerdictFile};
use stats::Ratio;

/// Columns before the text of labelled lines.
const INDENT: usize = 11;

/// Round `after` beside round `before`: what people did between them, the two verdicts, every rate and loss measured in
/// both with how much it changed, and what was not measured again.
#[must_use]
pub fn comparison_text(
    case: &Case,
    before: u32,
    after: u32,
    verdicts: &VerdictFile,
    options: TextOptions,
) -> String {
    let compared = comparison(case, before, after, verdicts);
    let subject = Subject::new(case, verdicts);
    let mut paper = Paper::new(options.width, options.style);
    verdict_line(
        &mut paper,
        &subject,
        "BEFORE",
        before,
        compared.verdict_before.as_ref(),
    );
    for entry in &compared.interventions {
        line(
            &mut paper,
            "THEN",
            vec![(Role::Plain, words::journal_line(entry))],
        );
    }
    if compared.interventions.is_empty() {
        let text = "nothing is noted between the two rounds".to_owned();
        line(&mut paper, "THEN", vec![(Role::Faint, text)]);
    }
    verdict_line(
        &mut paper,
        &subject,
        "AFTER",
        after,
        compared.verdict_after.as_ref(),
    );
    for table in tables(&compared) {
        paper.blank();
        table::write(&mut paper, &table);
    }
    paper.blank();
    gaps(&mut paper, &compared);
    paper.finish()
}

fn verdict_line(paper: &mut Paper, subject: &Subject, label: &str, round: u32, outcome: Option<&Outcome>) {
    let began = subject
        .began(round)
        .map_or(String::new(), |at| format!(", {}", words::when(at)));
    let mut spans = vec![(Role::Plain, format!("round {round}{began}:"))];
    match outcome {
        None => spans.push((Role::Unsure, "not judged".to_owned())),
        Some(outcome) => {
            let role = state_role(outcome.state);
            spans.push((role, words::state(outcome.state).to_owned()));
            spans.push((Role::Plain, outcome_words(outcome)));
        }
    }
    line(paper, label, spans);
}

/// The rate and the cause of a round.
fn outcome_words(outcome: &Outcome) -> String {
    let place = outcome.location.as_ref().map(words::place).unwrap_or_default();
    let rate = outcome.measured_bps.map(|rate| rate.to_string());
    let cause = outcome.cause.as_ref().map(|code| format!("{code} {place}"));
    match (rate, cause) {
        (Some(rate), Some(cause)) => format!("{rate}, {cause}"),
        (one, other) => one.or(other).unwrap_or_else(|| outcome.summary.clone()),
    }
}

/// The figures measured in both rounds, as tables: rates, then losses.
pub(crate) fn tables(compared: &Comparison) -> Vec<Table> {
    let head = |factor: &str| {
        let (before, after) = (compared.before, compared.after);
        let heads = ["", &format!("round {before}"), &format!("round {after}"), factor];
        heads.map(str::to_owned).to_vec()
    };
    let rates = compared.rates.iter().map(|change| {
        let (text, tone) = factor_words(change.factor, &change.after);
        Row::new(vec![
            Cell::new(&change.what),
            Cell::new(rate_words(&change.before)),
            Cell::new(rate_words(&change.after)),
            Cell::toned(text, tone),
        ])
    });
    let losses = compared.losses.iter().map(|change| {
        Row::new(vec![
            Cell::new(&change.what),
            Cell::new(loss_words(&change.before)),
            Cell::new(loss_words(&change.after)),
            loss_change_cell(&change.before, &change.after),
        ])
    });
    let table = |title: &str, rows: Vec<Row>| Table {
        title: title.to_owned(),
        head: head("change"),
        rows,
        ..Table::default()
    };
    let tables = [
        table("Rates measured in both rounds", rates.collect()),
        table("Losses measured in both rounds", losses.collect()),
    ];
    tables
        .into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect()
}

fn rate_words(rates: &RateSummary) -> String {
    if rates.measurements == 1 {
        return rates.median_bps.to_string();
    }
    let (lowest, highest) = (rates.lowest_bps, rates.highest_bps);
    format!(
        "{} (median of {}, {lowest} to {highest})",
        rates.median_bps,
        words::count(rates.measurements)
    )
}

fn factor_words(factor: Option<f64>, after: &RateSummary) -> (String, Tone) {
    match factor {
        None if after.median_bps.0 > 0.0 => ("no longer at a standstill".to_owned(), Tone::Good),
        None => ("still at a standstill".to_owned(), Tone::Bad),
        Some(f) if f >= 1.1 => (format!("{} times faster", words::factor(f)), Tone::Good),
        Some(f) if f <= 0.0 => ("at a standstill".to_owned(), Tone::Bad),
        Some(f) if f <= 1.0 / 1.1 => (format!("{} times slower", words::factor(1.0 / f)), Tone::Bad),
        Some(_) => ("about the same".to_owned(), Tone::Plain),
    }
}

fn loss_words(loss: &LossSummary) -> String {
    match (loss.lost, loss.sent) {
        (Some(lost), Some(sent)) => words::lost_of(lost, sent),
        _ => words::share(loss.ratio),
    }
}

/// Losses that differ by chance as often as this are not told as a change.
const MOST_CHANCE: f64 = 0.05;

/// Whether chance explains the difference of two losses, where their counts are known.
fn is_chance(before: &LossSummary, after: &LossSummary) -> bool {
    let ratio = |loss: &LossSummary| Some(Ratio::new(loss.lost?, loss.sent?));
    let chance = ratio(before)
        .zip(ratio(after))
        .map(|(before, after)| before.chance_of(after));
    chance.is_some_and(|chance| chance > MOST_CHANCE)
}

fn loss_change_cell(before: &LossSummary, after: &LossSummary) -> Cell {
    if is_chance(before, after) && before.ratio != after.ratio {
        return Cell::new("could be chance");
    }
    let (before, after) = (before.ratio, after.ratio);
    match (before > 0.0, after > 0.0) {
        (false, false) => Cell::new("none in either"),
        (true, false) => Cell::toned("none any more", Tone::Good),
        (false, true) => Cell::toned("loss where there was none", Tone::Bad),
        (true, true) if after >= before * 1.1 => {
            Cell::toned(format!("{} times more", words::factor(after / before)), Tone::Bad)
        }
        (true, true) if before >= after * 1.1 => Cell::toned(
            format!("{} times less", words::factor(before / after)),
            Tone::Good,
        ),
        (true, true) => Cell::new("about the same"),
    }
}

/// What cannot be compared, plainly.
fn gaps(paper: &mut Paper, compared: &Comparison) {
    let (before, after) = (compared.before, compared.after);
    if compared.rates.is_empty() {
        let text = "no pair of hosts has a transfer in both rounds: whether the rate changed is not known"
            .to_owned();
        line(paper, "NO RATE", vec![(Role::Unsure, text)]);
    }
    for (label, list, title) in [
        (
            "NOT AGAIN",
            &compared.not_measured_again,
            format!("measured in round {before} and not in round {after}: whether it changed is not known"),
        ),
        (
            "NEW",
            &compared.only_after,
            format!("measured only in round {after}"),
        ),
    ] {
        if !list.is_empty() {
            line(paper, label, vec![(Role::Faint, title)]);
            for what in list {
                line(paper, "", vec![(Role::Plain, what.clone())]);
            }
        }
    }
}

fn line(paper: &mut Paper, label: &str, spans: Vec<Span>) {
    paper.line(0, (Role::Label, label), INDENT, spans);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: (u64, u64), after: (u64, u64)) -> String {
        let loss = |(lost, sent): (u64, u64)| LossSummary {
            lost: Some(lost),
            sent: Some(sent),
            ratio: lost as f64 / sent as f64,
            observations: Vec::new(),
        };
        loss_change_cell(&loss(before), &loss(after)).text
    }

    #[test]
    fn one_lost_packet_is_no_change() {
        assert_eq!(told((0, 30), (1, 53)), "could be chance");
        assert_eq!(told((3, 50), (0, 50)), "could be chance");
        assert_eq!(told((0, 50), (20, 50)), "loss where there was none");
        assert_eq!(told((20, 50), (0, 50)), "none any more");
        assert_eq!(told((5, 50), (5, 50)), "about the same");
        assert_eq!(told((0, 50), (0, 50)), "none in either");
    }
}
