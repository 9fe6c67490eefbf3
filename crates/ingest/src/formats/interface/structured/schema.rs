//! What a schema is: how an interface's element is told, and what is its own in its words.

use super::tree::Tree;
use super::words::Means;

/// Tells the counters of an element, by its name: each with its own name and its figure.
pub(super) type Apart = fn(&str, Tree<'_>, &mut dyn FnMut(String, &str));

/// How devices of one kind structure an interface.
pub(super) struct Schema {
    /// Who prints it.
    pub(super) tool: &'static str,
    /// Paths below the element that are all there; `|` between those of which one suffices.
    pub(super) has: &'static [&'static str],
    /// The leaves that may name it, in this order; none where it stands under its name.
    pub(super) names: &'static [&'static str],
    /// What names mean here that mean nothing, or something else, elsewhere: plain, or with the element above.
    pub(super) words: &'static [(&'static str, Means)],
    /// Elements, by their plain names, of which whole numbers without a meaning are kept.
    pub(super) counters: &'static [&'static str],
    /// Plain names of leaves begin so, of which the same holds.
    pub(super) prefixes: &'static [&'static str],
    /// Elements that are not looked into.
    pub(super) skip: &'static [&'static str],
    /// What is told of elements that are not looked into like the others.
    pub(super) apart: Option<Apart>,
    /// Elements that hold interfaces of their own: those upon it, or what else is told of it.
    pub(super) upon: &'static [&'static str],
    /// What stands for no value beside the usual.
    pub(super) absent: &'static [&'static str],
    /// The leaf that tells when, in seconds since 1970.
    pub(super) at: &'static str,
}

pub(super) const NONE: Schema = Schema {
    tool: "",
    has: &[],
    names: &[],
    words: &[],
    counters: &[],
    prefixes: &[],
    skip: &[],
    apart: None,
    upon: &["logical-interface", "subinterface", "sub_interfaces"],
    absent: &[],
    at: "",
};
