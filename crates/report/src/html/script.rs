//! The page's only script: it reads values out of the tables behind the charts, and filters and sorts the evidence. All
//! that it shows is on the page without it.

use data_encoding::BASE64;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const SCRIPT: &str = include_str!("script.js");

/// What the page may do: style itself, and run this script, which is named by its hash (Content Security Policy level 2,
/// section 7.15.2), so that nothing that a stranger wrote into a case runs, were it ever taken for markup.
pub(super) fn policy() -> String {
    let hash = BASE64.encode(&Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    )
}

pub(super) fn element() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } }
}
