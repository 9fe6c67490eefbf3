//! mtr: its report, its CSV, its JSON, its XML and its raw lines. Each gives the route as a trace, and the loss and delay of each
//! hop as pings.

mod command;
mod csv;
pub(crate) mod json;
mod piped;
mod raw;
mod report;
mod routeros;
mod run;
pub(crate) mod trippy;
mod winmtr;
pub(crate) mod xml;

pub(crate) use csv::FORMAT as CSV;
pub(crate) use piped::FORMAT as PIPED;
pub(crate) use raw::FORMAT as RAW;
pub(crate) use report::FORMAT as REPORT;
pub(crate) use routeros::FORMAT as ROUTEROS;
pub(crate) use winmtr::FORMAT as WINMTR;
