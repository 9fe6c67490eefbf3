//! The live view as text and styles: a pure function of what is known, and of the size of the terminal.

use super::columns::{Columns, HOP_WIDTH, columns, fit, sparkline};
use super::route::{Route, Row};
use super::table::protocol_name;
use super::view::{HELP, View};
use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::time::Duration;

/// All that is shown.
pub(super) struct Picture<'a> {
    /// The ends: "a.example -> b.example (192.0.2.1)".
    pub(super) title: &'a str,
    pub(super) route: &'a Route,
    /// Which of how many flows it is, from 1.
    pub(super) flow: (usize, usize),
    pub(super) view: View,
    pub(super) interval: Duration,
    /// Since the start.
    pub(super) now: Duration,
    /// The first trace is not done yet.
    pub(super) is_tracing: bool,
}

const KEYS: &str = "q quit  p pause  space resume  r reset  d display  n names  j jitter  ? help";
const KEYS_NARROW: &str = "q quit  p pause  r reset  d display  ? help";

/// Lines that are no hops: title, state, headings, the last change, keys.
const OTHER_LINES: usize = 5;

impl Picture<'_> {
    /// Draws into the whole terminal.
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let lines = self.lines(area.width.into(), area.height.into());
        frame.render_widget(Paragraph::new(lines), area);
    }

    fn lines(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut lines = vec![
            Line::styled(fit(&report::clean(self.title), width), bold),
            Line::styled(fit(&self.state(), width), self.state_style()),
        ];
        let room = height.saturating_sub(OTHER_LINES);
        if self.view.help {
            lines.extend(HELP.iter().map(|line| Line::raw(fit(line, width))));
            lines.truncate(height.saturating_sub(1));
        } else {
            lines.extend(self.table(width, room));
        }
        while lines.len() + 2 < height {
            lines.push(Line::raw(""));
        }
        if !self.view.help && lines.len() < height.saturating_sub(1) {
            lines.push(Line::styled(fit(&self.last_change(), width), bold));
        }
        let keys = if width < KEYS.len() { KEYS_NARROW } else { KEYS };
        lines.push(Line::styled(fit(keys, width), dim()));
        lines
    }

    fn state(&self) -> String {
        if self.is_tracing {
            return "tracing the route…".to_owned();
        }
        let protocol = self.route.protocol().map_or("", protocol_name);
        let rounds = words::plural(self.route.rounds(), "round", "rounds");
        let paused = if self.view.is_paused {
            "PAUSED, space resumes; "
        } else {
            ""
        };
        let interval_s = self.interval.as_secs_f64();
        let elapsed = elapsed(self.now);
        let refused = match self.route.refused() {
            0 => String::new(),
            refused => format!("; this host refused to send {refused}"),
        };
        let flow = match self.flow {
            (_, 1) => String::new(),
            (place, count) => format!(", flow {place} of {count} (f: the next)"),
        };
        format!("{paused}{protocol} every {interval_s} s{flow}, {rounds}, {elapsed}{refused}")
    }

    fn state_style(&self) -> Style {
        if self.view.is_paused {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            dim()
        }
    }

    fn last_change(&self) -> String {
        self.route
            .changes()
            .next_back()
            .map_or_else(String::new, |change| {
                let ago = elapsed(self.now.saturating_sub(change.at));
                format!("{}, {ago} ago (r counts anew)", change.what.words())
            })
    }

    /// Headings and hops, a mark below its hop. Where the terminal is too low, hops are left out: the destination and what
    /// is marked stay longest.
    fn table(&self, width: usize, room: usize) -> Vec<Line<'static>> {
        let rows = self.route.rows();
        let hosts: Vec<String> = rows.iter().map(|row| self.host(row)).collect();
        let longest = hosts.iter().map(|host| host.chars().count()).max().unwrap_or(0);
        let columns = columns(width, longest, self.view.display, self.view.jitter);
        let mut blocks: Vec<Vec<Line<'static>>> = rows
            .iter()
            .zip(&hosts)
            .map(|(row, host)| self.hop_lines(row, host, &columns, width))
            .collect();
        let taken = |blocks: &[Vec<Line<'static>>]| blocks.iter().map(Vec::len).sum::<usize>();
        let mut hidden = 0;
        while blocks.len() > 1 && taken(&blocks) + usize::from(hidden > 0) > room {
            blocks.remove(least_needed(&blocks));
            hidden += 1;
        }
        if hidden > 0 {
            let text = format!(
                "    … {} not shown: the terminal is too low",
                words::plural(hidden, "hop", "hops")
            );
            blocks.insert(blocks.len() - 1, vec![Line::styled(fit(&text, width), dim())]);
        }
        let headings = Line::styled(
            headings(&columns),
            Style::new().add_modifier(Modifier::UNDERLINED),
        );
        std::iter::once(headings)
            .chain(blocks.into_iter().flatten())
            .collect()
    }

    /// A name where there is one and they are wanted, else the address.
    fn host(&self, row: &Row<'_>) -> String {
        let name = row.name.filter(|_| self.view.names);
        let address = || row.address.map(|address| address.to_string());
        let host = name.map(|name| report::clean(name).into_owned()).or_else(address);
        let host = host.unwrap_or_else(|| if row.hop.sent() == 0 { "…" } else { "(no answer)" }.to_owned());
        match row.system.filter(|_| self.view.systems) {
            Some(system) => format!("AS{system} {host}"),
            None => host,
        }
    }

    fn hop_lines(&self, row: &Row<'_>, host: &str, columns: &Columns, width: usize) -> Vec<Line<'static>> {
        let style = self.style(row);
        let ttl = row.ttl.map_or("?".to_owned(), |ttl| ttl.to_string());
        let mut text = format!("{ttl:>3} {:<host$}", fit(host, columns.host), host = columns.host);
        for column in &columns.figures {
            text += &format!("{:>width$}", column.text(row.hop), width = column.width());
        }
        let mut spans = vec![Span::styled(text, style)];
        if columns.sparkline > 0 {
            let bars = format!(" {}", sparkline(row.hop, columns.sparkline));
            spans.push(Span::styled(bars, self.coloured(Color::Cyan)));
        }
        let mark = row.mark.map(|mark| {
            let text = format!("{:HOP_WIDTH$}^ {}", "", mark.words());
            Line::styled(fit(&text, width), style)
        });
        std::iter::once(Line::from(spans)).chain(mark).collect()
    }

    /// Red is for loss of what the path carries alone.
    fn style(&self, row: &Row<'_>) -> Style {
        match row.mark {
            Some(mark) if mark.is_loss() => self.coloured(Color::Red).add_modifier(Modifier::BOLD),
            Some(_) => dim(),
            None if row.hop.sent() > 0 && row.hop.answered() == 0 => dim(),
            None => Style::new(),
        }
    }

    fn coloured(&self, colour: Color) -> Style {
        if self.view.has_colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }
}

/// The last hop before the destination that has no mark, else the last before it.
fn least_needed(blocks: &[Vec<Line<'_>>]) -> usize {
    let hops = blocks.len().saturating_sub(1);
    let unmarked = blocks.iter().take(hops).rposition(|block| block.len() == 1);
    unmarked.unwrap_or(hops.saturating_sub(1))
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn headings(columns: &Columns) -> String {
    let mut text = format!("{:>3} {:<host$}", "Hop", "Host", host = columns.host);
    for column in &columns.figures {
        text += &format!("{:>width$}", column.heading(), width = column.width());
    }
    if columns.sparkline > 0 {
        text += &format!(
            " {:<width$}",
            fit("Round trips", columns.sparkline),
            width = columns.sparkline
        );
    }
    text
}

/// 0:07, 12:34, 1:02:03.
fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
