//! Several captures of one transfer against what happened in it.

mod changes;
mod clocks;
mod comparison;
mod flows;
mod hostile;
mod losses;
mod missed;
mod order;
#[path = "../common/vantage.rs"]
mod vantage;
