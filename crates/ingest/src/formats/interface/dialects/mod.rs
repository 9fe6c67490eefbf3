//! The dialects of `show interfaces`, a file each. Of several whose heads look alike the one is taken that understands most.

mod alcatel_aos;
mod allied_telesis;
mod alteon;
mod aos_cx;
mod arista;
mod asa;
mod catalyst_queues;
mod comware;
mod comware_ip;
mod comware_ports;
mod cumulus;
mod dell;
mod dell_n;
mod dpdk;
mod edgecore;
mod eltex;
mod esxi;
mod exos;
mod fastiron;
mod fastiron_statistics;
mod fastpath;
mod fortinet;
mod fortinet_links;
mod frr;
mod gaia;
mod huawei;
mod ios;
mod ios_switching;
mod ip_interface;
mod ip_traffic;
mod iw;
mod juniper;
mod juniper_lacp;
mod juniper_lines;
mod juniper_monitor;
mod juniper_queues;
mod juniper_words;
mod members;
mod mlnx_qos;
mod net_scaler;
mod network_manager;
mod nx_os;
mod nx_os_queues;
mod one_os;
mod onyx;
mod os10_optics;
mod packet_queues;
mod pan_os;
mod plim;
mod policy;
mod policy_xr;
mod procurve;
mod qfp;
mod sdwan;
mod slx;
mod sonic;
mod sr_linux;
mod sr_os;
mod sr_os_sap;
mod srx_flow;
mod swconfig;
mod transceivers;
mod vdsl;
mod viptela;
mod vrouter;
mod words;
mod xr_bundles;
mod xr_controllers;
mod xr_monitor;
mod xr_optics;
mod zte;

use super::dialect::Dialect;

/// Every dialect; of equals the first is taken.
pub(super) static DIALECTS: &[&Dialect] = &[
    &ios::DIALECT,
    &nx_os::DIALECT,
    &arista::DIALECT,
    &fastiron::DIALECT,
    &dell::DIALECT,
    &asa::DIALECT,
    &juniper::DIALECT,
    &juniper::LOGICAL,
    &huawei::DIALECT,
    &comware::DIALECT,
    &procurve::DIALECT,
    &aos_cx::DIALECT,
    &pan_os::DIALECT,
    &sr_os::DIALECT,
    &onyx::DIALECT,
    &fortinet::DIALECT,
    &fortinet_links::NETLINK,
    &fortinet_links::PHYSICAL,
    &policy::DIALECT,
    &slx::DIALECT,
    &eltex::DIALECT,
    &zte::DIALECT,
    &allied_telesis::DIALECT,
    &alcatel_aos::DIALECT,
    &gaia::DIALECT,
    &esxi::DIALECT,
    &one_os::DIALECT,
    &edgecore::DIALECT,
    &policy_xr::DIALECT,
    &fortinet_links::SYSTEM,
    &fortinet_links::VIRTUAL,
    &transceivers::JUNIPER,
    &transceivers::NX_OS,
    &transceivers::AOS_CX,
    &transceivers::IOS_MODULES,
    &transceivers::EOS_HARDWARE,
    &aos_cx::MANAGEMENT,
    &xr_controllers::DIALECT,
    &xr_controllers::STATE,
    &xr_bundles::DIALECT,
    &ios_switching::DIALECT,
    &catalyst_queues::FED,
    &catalyst_queues::MLS,
    &nx_os_queues::DIALECT,
    &xr_optics::DIALECT,
    &juniper_lacp::DIALECT,
    &juniper_monitor::DIALECT,
    &xr_monitor::DIALECT,
    &xr_optics::PHY,
    &nx_os::DETAILED,
    &nx_os::VLAN,
    &sonic::DIALECT,
    &sonic::ROUTED,
    &cumulus::DIALECT,
    &comware_ip::DIALECT,
    &comware_ports::DROPS,
    &comware_ports::OPTICS,
    &comware_ports::HUAWEI_OPTICS,
    &comware_ports::HUAWEI_DIAGNOSIS,
    &dell_n::DIALECT,
    &sr_os::MONITOR,
    &sr_os_sap::DIALECT,
    &pan_os::COUNTERS,
    &packet_queues::COMWARE,
    &packet_queues::OS10,
    &transceivers::SONIC,
    &frr::DIALECT,
    &fastiron_statistics::DIALECT,
    &ip_interface::DIALECT,
    &mlnx_qos::DIALECT,
    &vdsl::DIALECT,
    &members::DIALECT,
    &fastpath::DIALECT,
    &sr_linux::DIALECT,
    &viptela::DIALECT,
    &qfp::DIALECT,
    &net_scaler::DIALECT,
    &srx_flow::DIALECT,
    &ip_traffic::DIALECT,
    &plim::DIALECT,
    &fortinet::DRIVER,
    &exos::DIALECT,
    &sr_os_sap::ROUTED,
    &transceivers::ONYX,
    &transceivers::EOS_DOM,
    &dpdk::DIALECT,
    &network_manager::DIALECT,
    &iw::DIALECT,
    &fortinet::NAMED,
    &alteon::DIALECT,
    &alteon::ETHERNET,
    &swconfig::DIALECT,
    &vrouter::DIALECT,
    &os10_optics::DIALECT,
    &sdwan::DIALECT,
];
