//! How text arrives: quoted in a mail, indented in a forum, stamped by a logger, as UTF-16 from a PowerShell, with the
//! colours of a terminal. It is unwrapped before formats see it, and keeps the numbers of its lines.
//!
//! Bytes become UTF-8 ([`Decoder`]); what a mail encoded is decoded ([`QuotedPrintable`]); a line loses what a terminal would not show ([`clean`]); what stands before each line
//! ([`Dress`]) is taken off where a format begins behind it, and only there, so that no line loses what a format means by it.

mod clean;
mod continued;
mod decode;
mod dress;
mod logger;
mod numbered;
mod omitted;
mod quoted_printable;
mod remarks;
mod spaced;
mod stamp;
mod torn;
mod wrap;

pub(crate) use clean::{
    as_shown, clean, is_fence, is_furniture, is_job, is_label, is_timed, may_be_of_page, may_be_unclean,
};
pub(crate) use continued::Continued;
pub(crate) use decode::Decoder;
pub(crate) use dress::{Dress, without_quotes};
pub(crate) use logger::is_facility;
pub(crate) use numbered::Numbers;
pub(crate) use omitted::is_omission;
pub(crate) use quoted_printable::{QuotedPrintable, may_be_quoted_printable};
pub(crate) use spaced::{MOST_TOGETHER, Spaced};
pub(crate) use stamp::length as stamp_length;
pub(crate) use torn::{is_torn, is_torn_in_figure, may_be_rest_of_figure, without_torn_word};
pub(crate) use wrap::{LARGEST_WRAPPED, Odd, Score, Whole, Width, Wrap, command_with_rest, may_be_broken};
