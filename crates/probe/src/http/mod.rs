//! HTTP as far as a transfer needs it, without a socket: what a URL names, where a redirect may lead, what the head of an answer
//! promises, and how a download becomes an observation.
//!
//! A web server is a stranger: nothing that it says is trusted further than it binds itself.

mod answer;
mod error;
mod join;
mod redirect;
mod target;

pub use answer::{Asked, Head, Next, parts};
pub use error::HttpError;
pub use join::{join_download, join_upload, why_too_short};
pub use redirect::{MOST_REDIRECTS, follow, may_lead};
pub use target::Target;

#[cfg(test)]
mod tests;
