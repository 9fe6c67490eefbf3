//! The examination as text: aligned, one thing a line, the command under what it would change. Pure.

use super::examination::Examination;
use super::judgement::{Judgement, Level};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// Columns of the two tables: a mark, a topic, and text that begins here.
const TEXT_COLUMN: usize = 30;

/// The whole page. `to` is the name that the user gave.
pub(super) fn text(examination: &Examination, to: Option<&str>) -> String {
    let mut page = String::new();
    head(&mut page, examination, to);
    heading(&mut page, "SETTINGS that bear on long transfers");
    for judgement in &examination.judgements {
        self::judgement(&mut page, judgement);
    }
    heading(&mut page, "WHAT SLOWPATH MAY DO here");
    for privilege in &examination.privileges {
        let (mark, colour) = match privilege.refused {
            None => ("yes", AnsiColor::Green),
            Some(_) => ("no", AnsiColor::Yellow),
        };
        let refused = privilege
            .refused
            .as_ref()
            .map(|error| format!(" ({error})"))
            .unwrap_or_default();
        row(
            &mut page,
            (mark, colour),
            privilege.what,
            &format!("{}{refused}", privilege.good_for),
        );
        command(&mut page, privilege.command.as_deref());
    }
    page
}

fn head(page: &mut String, examination: &Examination, to: Option<&str>) {
    let facts = &examination.facts;
    let mut host = vec![
        facts
            .hostname
            .clone()
            .unwrap_or_else(|| "(name unknown)".to_owned()),
    ];
    host.extend(facts.kernel.clone());
    if let Some(cpu) = &facts.cpu {
        let model = cpu
            .model
            .as_ref()
            .map(|model| format!(" ({model})"))
            .unwrap_or_default();
        let busy = cpu
            .busy_ratio
            .map(|busy| format!(", {:.0} % busy", busy * 100.0))
            .unwrap_or_default();
        let plural = if cpu.online == 1 { "" } else { "s" };
        host.push(format!("{} processor{plural}{model}{busy}", cpu.online));
    }
    let towards = match to {
        Some(name) if name != examination.towards.to_string() => format!("{name} ({})", examination.towards),
        Some(_) => examination.towards.to_string(),
        None => "the default route".to_owned(),
    };
    let by = match &facts.interface {
        None => "no route leads there".to_owned(),
        Some(interface) => {
            let mut parts = vec![interface.name.clone()];
            parts.extend(interface.driver.clone());
            parts.push(interface.speed_mbps.map_or_else(
                || "speed unknown".to_owned(),
                |mbps| evidence::RateBps(f64::from(mbps) * 1e6).to_string(),
            ));
            parts.extend(interface.qdisc.as_ref().map(|qdisc| format!("qdisc {qdisc}")));
            parts.join(", ")
        }
    };
    let bold = Style::new().bold();
    let _ = writeln!(page, "{bold}HOST{bold:#}     {}", printable(&host.join(", ")));
    let _ = writeln!(
        page,
        "{bold}TOWARDS{bold:#}  {}: {}",
        printable(&towards),
        printable(&by)
    );
}

fn heading(page: &mut String, text: &str) {
    let bold = Style::new().bold();
    let _ = writeln!(page, "\n{bold}{text}{bold:#}");
}

fn judgement(page: &mut String, judgement: &Judgement) {
    let mark = match judgement.level {
        Level::Good => ("ok", AnsiColor::Green),
        Level::Note => ("note", AnsiColor::Yellow),
        Level::Limits => ("limits", AnsiColor::Red),
    };
    row(page, mark, judgement.topic, &judgement.text);
    if judgement.level != Level::Good {
        command(page, judgement.command.as_deref());
    }
}

fn row(page: &mut String, (mark, colour): (&str, AnsiColor), topic: &str, text: &str) {
    let style = Style::new().fg_color(Some(colour.into()));
    let width = TEXT_COLUMN - 9;
    let _ = writeln!(
        page,
        "{style}{mark:>6}{style:#}  {topic:<width$} {}",
        printable(text)
    );
}

fn command(page: &mut String, command: Option<&str>) {
    // The same command may allow or mend several things: once is enough.
    let command = command.filter(|command| !page.contains(&printable(command)));
    if let Some(command) = command {
        let dim = Style::new().dimmed();
        let _ = writeln!(page, "{:TEXT_COLUMN$}{dim}{}{dim:#}", "", printable(command));
    }
}

/// Names of hosts, drivers and counters are foreign text: no control character of theirs reaches a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}
