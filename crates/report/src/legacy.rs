//! The views still think in the shapes of case format 1, where what we measured and what others recorded are kinds of
//! their own. Here a case gets those shapes before they see it.

use crate::text::{self, TextOptions};
use crate::{Comparison, comparison as rounds, html as page, markdown as ticket, message, observations};
use evidence::migrate::back;
use evidence::{Case, Complaint, Observation, Party, Payload, Timestamp, VerdictFile, v1};

/// The whole case as one HTML page that opens without a network.
#[must_use]
pub fn html(case: &Case, verdicts: &VerdictFile) -> String {
    page::html(&back::case(case), verdicts)
}

/// The whole case as Markdown, for a ticket.
#[must_use]
pub fn markdown(case: &Case, verdicts: &VerdictFile) -> String {
    ticket::markdown(&back::case(case), verdicts)
}

/// The verdict of the newest round, with what became of earlier rounds.
#[must_use]
pub fn verdict_text(case: &Case, verdicts: &VerdictFile, options: TextOptions) -> String {
    text::verdict_text(&back::case(case), verdicts, options)
}

/// The whole case: the question, every observation in a line or two, the journal, and the verdict.
#[must_use]
pub fn case_text(case: &Case, verdicts: &VerdictFile, options: TextOptions) -> String {
    text::case_text(&back::case(case), verdicts, options)
}

/// A message to the operators whom the verdict names; `None` when there is nothing to ask of anybody.
#[must_use]
pub fn operator_message(case: &Case, verdicts: &VerdictFile) -> Option<String> {
    message::operator_message(&back::case(case), verdicts)
}

/// Sets round `after` of `case` beside round `before`. A round that does not exist has measured nothing.
#[must_use]
pub fn comparison(case: &Case, before: u32, after: u32, verdicts: &VerdictFile) -> Comparison {
    rounds::comparison(&back::case(case), before, after, verdicts)
}

/// [`comparison`] as text.
#[must_use]
pub fn comparison_text(
    case: &Case,
    before: u32,
    after: u32,
    verdicts: &VerdictFile,
    options: TextOptions,
) -> String {
    text::comparison_text(&back::case(case), before, after, verdicts, options)
}

/// The table of `slowpath path`: what measurements of the path between the ends of `complaint` saw, hop by hop.
#[must_use]
pub fn path_table(seen: &[Observation], complaint: &Complaint) -> String {
    let seen: Vec<v1::Observation> = seen
        .iter()
        .flat_map(|o| back::observation(o, complaint))
        .collect();
    text::path_table(&seen)
}

/// The table of `slowpath throughput`: one transfer between the ends of `complaint`, slice by slice.
#[must_use]
pub fn transfer_table(observation: &Observation, complaint: &Complaint) -> String {
    let shapes = back::observation(observation, complaint);
    shapes.iter().map(text::transfer_table).collect()
}

/// What an observation or a record saw, in one line: in figures, without a judgement. `complaint` says which hosts are its
/// ends; of a record by itself there is none.
#[must_use]
pub fn payload_line(payload: &Payload, complaint: Option<&Complaint>) -> String {
    let nobody = || Party {
        name: String::new(),
        address: None,
    };
    let none = Complaint {
        schema: evidence::CASE_SCHEMA_VERSION,
        from: nobody(),
        to: nobody(),
        local_end: evidence::End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    };
    let shapes = back::payloads(payload, complaint.unwrap_or(&none));
    let lines: Vec<String> = shapes.iter().map(observations::payload_line).collect();
    lines.join("; ")
}
