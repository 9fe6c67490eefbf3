//! Counters of interfaces, as routers and hosts print them.
//!
//! What a counter is called differs, what it counts hardly does: each maker's words are mapped to
//! [`evidence::CounterKind`], and whatever has no meaning across makers is kept under its own name. `show interfaces` is one
//! engine (`reader.rs`) and a table of patterns for each dialect (`dialects/`).

mod asked;
mod below;
mod benign;
mod both_ways;
mod choice;
pub(super) mod counted;
mod cut;
mod dialect;
mod dialects;
mod ethtool;
mod ethtool_statistics;
mod ethtool_words;
mod glued;
pub(crate) mod headless;
mod heads;
mod huawei_queues;
mod ip_link;
mod ip_link_tables;
mod line;
mod names;
mod nest;
mod ovs;
mod pattern;
mod places;
mod preface;
mod prepared;
mod queues;
mod reader;
pub(super) mod section;
mod setting;
mod show;
mod structured;
mod tables;
mod taken;
mod traffic;
mod unfolded;
mod value;
mod vyos;
mod waiting;
mod wrapped;

pub(crate) use both_ways::FORMAT as BOTH_WAYS;
pub(crate) use ethtool::SETTINGS as ETHTOOL;
pub(crate) use ethtool_statistics::STATISTICS as ETHTOOL_STATISTICS;
pub(crate) use huawei_queues::FORMAT as HUAWEI_QUEUES;
pub(crate) use ip_link::{FORMAT as IP_LINK, JSON as IP_LINK_JSON};
pub(crate) use ovs::FORMAT as OVS;
pub(crate) use places::is_of_a_type;
pub(crate) use show::{FORMAT as SHOW_INTERFACES, dialects as show_interfaces_dialects};
pub(crate) use structured::{GNMIC, JSON as STRUCTURED_JSON, TREES, XML as STRUCTURED_XML, asking_json};
pub(super) use tables::tell_by_row;
pub(crate) use tables::{
    ADDRESSED, BUNDLES, DROPS, FIXED as FIXED_TABLES, FORMAT as INTERFACE_TABLES, NAMED as NAMED_TABLES,
    PLUGINS, ROUTEROS, ROWS as ROW_TABLES, RULED as RULED_TABLES, VPP,
};
pub(crate) use traffic::FORMAT as TRAFFIC;
pub(crate) use vyos::asked_of_vyos;
