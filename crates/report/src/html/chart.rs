//! A small chart: one quantity over time, drawn for reading at phone width and set side by side on a wide page.

use libm::{log10, pow};
use maud::{Markup, html};
use std::fmt::Write as _;

/// Drawing units: about CSS pixels at the size shown.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 120.0;
/// Room above the highest gridline for its label.
const HEAD: f64 = 14.0;

/// How the values are drawn.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mark {
    /// A curve with its area: a quantity that is there all the time.
    Curve,
    /// Bars from zero: counts of events.
    Bars,
    /// Separate dots: samples.
    Dots,
}

/// One quantity over time.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) mark: Mark,
    /// (seconds, value); values of at least 0.
    pub(super) points: Vec<(f64, f64)>,
    /// The end of the time axis, seconds.
    pub(super) until_s: f64,
    /// The highest value that must fit at least; keeps charts of one row comparable.
    pub(super) at_least: f64,
    /// A level to compare with, and its name.
    pub(super) rule: Option<(f64, String)>,
    /// How a value is written on the axis.
    pub(super) show: fn(f64) -> String,
    /// Which table behind the charts holds the values, and in which of its columns.
    pub(super) behind: (usize, usize),
}

/// Where a time stands on the drawing, on an axis that ends at `until_s`.
pub(super) fn x_of(seconds: f64, until_s: f64) -> f64 {
    let until = if until_s.is_finite() && until_s > 0.0 {
        until_s
    } else {
        1.0
    };
    (seconds / until).clamp(0.0, 1.0) * WIDTH
}

impl Chart<'_> {
    pub(super) fn draw(&self) -> Markup {
        let peak = self
            .points
            .iter()
            .map(|(_, y)| *y)
            .filter(|y| y.is_finite())
            .fold(self.at_least, f64::max);
        let (step, top) = scale(peak, 3.0);
        // With nothing but zeros there is no scale to show.
        let step = if peak > 0.0 { step } else { f64::INFINITY };
        let x = |seconds: f64| x_of(seconds, self.until_s);
        let y = |value: f64| HEAD + (1.0 - (value / top).clamp(0.0, 1.0)) * (HEIGHT - HEAD);
        html! {
            figure data-table=(self.behind.0) data-column=(self.behind.1) data-height=(HEIGHT) {
                figcaption { (self.title) }
                svg viewBox={ "-1 0 " (WIDTH + 2.0) " " (HEIGHT + 18.0) } role="img" aria-label={ (self.title) " over time" } {
                    (self.gridlines(step, top, y))
                    (self.marks(x, y))
                    (self.labels(step, top, y))
                    (self.rule(top, y))
                    (time_axis(self.until_s, x))
                }
            }
        }
    }

    fn gridlines(&self, step: f64, top: f64, y: impl Fn(f64) -> f64) -> Markup {
        html! {
            @for level in levels(step, top) {
                line.gridline x1="0" x2=(WIDTH) y1=(px(y(level))) y2=(px(y(level))) {}
            }
            line.base x1="0" x2=(WIDTH) y1=(HEIGHT) y2=(HEIGHT) {}
        }
    }

    /// Drawn after the marks, with a halo, so that a curve never hides them.
    fn labels(&self, step: f64, top: f64, y: impl Fn(f64) -> f64) -> Markup {
        html! {
            @for level in levels(step, top) { text.halo x="0" y=(px(y(level) - 3.0)) { ((self.show)(level)) } }
        }
    }

    fn marks(&self, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> Markup {
        let points = self.points.iter().filter(|(s, v)| s.is_finite() && v.is_finite());
        match self.mark {
            Mark::Curve => {
                let mut path = String::new();
                for (index, (seconds, value)) in points.clone().enumerate() {
                    let pen = if index == 0 { 'M' } else { 'L' };
                    let _ = write!(path, "{pen}{} {}", px(x(*seconds)), px(y(*value)));
                }
                let ends = points.clone().next().zip(points.clone().next_back());
                html! {
                    @if let Some((first, last)) = ends {
                        path.area d={ (path) "L" (px(x(last.0))) " " (HEIGHT) "L" (px(x(first.0))) " " (HEIGHT) "Z" } {}
                        path.curve d=(path) {}
                    }
                }
            }
            Mark::Bars => html! {
                @for (seconds, value) in points.filter(|(_, value)| *value > 0.0) {
                    rect.bar x=(px(x(*seconds) - 1.5)) width="3" y=(px(y(*value).min(HEIGHT - 1.5)))
                        height=(px((HEIGHT - y(*value)).max(1.5))) {}
                }
            },
            Mark::Dots => {
                // One path of strokes without length, which round caps make dots: thousands of them stay small.
                let mut path = String::new();
                for (seconds, value) in points {
                    let _ = write!(path, "M{} {}h0", px(x(*seconds)), px(y(*value)));
                }
                html! { path.speck d=(path) {} }
            }
        }
    }

    /// The level to compare with; one above the top is named with an arrow instead of squeezing the curve flat.
    fn rule(&self, top: f64, y: impl Fn(f64) -> f64) -> Markup {
        html! {
            @if let Some((level, name)) = &self.rule {
                @if *level <= top {
                    line.rule x1="0" x2=(WIDTH) y1=(px(y(*level))) y2=(px(y(*level))) {}
                    text.halo.tone-good x=(WIDTH) y=(px(y(*level) - 3.0)) text-anchor="end" { (name) }
                } @else {
                    text.halo.tone-good x=(WIDTH) y="10" text-anchor="end" { "↑ " (name) }
                }
            }
        }
    }
}

/// The heights at which a gridline stands.
fn levels(step: f64, top: f64) -> impl Iterator<Item = f64> {
    (1..=8)
        .map(move |n| f64::from(n) * step)
        .filter(move |level| *level <= top * 1.001)
}

fn time_axis(until: f64, x: impl Fn(f64) -> f64) -> Markup {
    let (step, _) = scale(until, 5.0);
    let ticks: Vec<f64> = (0..=10)
        .map(|n| f64::from(n) * step)
        .filter(|t| *t <= until * 1.001)
        .collect();
    html! {
        @for tick in ticks {
            @let at = x(tick);
            @let anchor = if at < 8.0 { "start" } else if at > WIDTH - 12.0 { "end" } else { "middle" };
            line.base x1=(px(at)) x2=(px(at)) y1=(HEIGHT) y2=(HEIGHT + 3.0) {}
            text x=(px(at)) y=(HEIGHT + 14.0) text-anchor=(anchor) { (number(tick)) " s" }
        }
    }
}

/// A round step (1, 2 or 5 times a power of ten) that gives at most `steps` steps up to `peak`, and the top of the
/// axis: a little more than the peak.
pub(super) fn scale(peak: f64, steps: f64) -> (f64, f64) {
    if !(peak.is_finite() && peak > 0.0) {
        return (1.0, 1.0);
    }
    let rough = peak / steps;
    let power = pow(10.0, log10(rough).floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .iter()
        .map(|n| n * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    (step, peak * 1.04)
}

/// A coordinate: a tenth of a pixel is all a screen shows.
pub(super) fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// A number without needless zeros.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_steps() {
        for (peak, step) in [(10.0, 5.0), (2.7e9, 1e9), (83.0, 50.0), (0.9, 0.5), (3.0, 1.0)] {
            assert!(
                (scale(peak, 3.0).0 / step - 1.0).abs() < 1e-9,
                "{peak}: {:?}",
                scale(peak, 3.0)
            );
        }
        assert_eq!(scale(f64::NAN, 3.0), (1.0, 1.0));
        assert_eq!(scale(0.0, 3.0), (1.0, 1.0));
    }
}
