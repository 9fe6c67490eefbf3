//! The dialects of `show interfaces`, a file each. Of several whose heads look alike the one is taken that understands most.

mod aos_cx;
mod arista;
mod asa;
mod comware;
mod dell;
mod fastiron;
mod fortinet;
mod huawei;
mod ios;
mod juniper;
mod nx_os;
mod onyx;
mod pan_os;
mod policy;
mod policy_xr;
mod procurve;
mod sr_os;
mod words;

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
    &policy::DIALECT,
    &policy_xr::DIALECT,
];
