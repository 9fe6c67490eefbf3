//! Counters of interfaces, as routers and hosts print them: a file a maker.
//!
//! What a counter is called differs, what it counts hardly does: each maker's words are mapped to [`CounterKind`], and
//! whatever has no meaning across makers is kept under its own name.

mod cisco;
pub(super) mod counted;
mod ethtool;
mod ethtool_statistics;
mod ethtool_words;
mod ip_link;
mod juniper;
mod queues;
pub(super) mod section;
mod show;
mod structured;
mod tables;

pub(crate) use ethtool::SETTINGS as ETHTOOL;
pub(crate) use ethtool_statistics::STATISTICS as ETHTOOL_STATISTICS;
pub(crate) use ip_link::{FORMAT as IP_LINK, JSON as IP_LINK_JSON};
pub(crate) use show::FORMAT as SHOW_INTERFACES;
pub(crate) use structured::{JSON as STRUCTURED_JSON, XML as STRUCTURED_XML, asking_json};
pub(crate) use tables::{FIXED as FIXED_TABLES, FORMAT as INTERFACE_TABLES};
