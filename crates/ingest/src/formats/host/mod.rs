//! What hosts say of themselves: a file for each tool, or for tools that say the same thing.

pub(super) mod asides;
pub(super) mod bonding;
pub(super) mod command;
pub(super) mod connections;
pub(super) mod conntrack;
pub(super) mod counters;
pub(super) mod ethtool;
pub(super) mod ethtool_json;
mod file_tables;
pub(super) mod files;
pub(super) mod given;
pub(super) mod ifconfig;
pub(super) mod interface_table;
pub(super) mod lspci;
pub(super) mod optics;
pub(super) mod processors;
pub(super) mod protocols;
mod protocols_words;
pub(super) mod routes;
mod sar;
pub(super) mod sysctl;
pub(super) mod tc;
pub(super) mod tc_json;
pub(super) mod windows;
pub(super) mod wireless;
