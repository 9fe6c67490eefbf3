//! NetworkManager, `nmcli device show`: a setting a line, below each device that it knows. Addresses and routes are left out.

use super::super::dialect::{Dialect, Rule, SECTION, any, once};

pub(super) static DIALECT: Dialect = Dialect {
    name: "NetworkManager",
    reads: "`nmcli device show`: MTU, speed, driver of each device",
    is_flat: true,
    has_units: false,
    heads: &["GENERAL.DEVICE: {port}"],
    rules: &[LINES],
    sections: &[SECTION],
};

static LINES: &[Rule] = &[
    once("GENERAL.MTU: {mtu}"),
    any("GENERAL.DRIVER: {set driver}"),
    any("GENERAL.DRIVER-VERSION: {set driver version}"),
    any("GENERAL.FIRMWARE-VERSION: {set firmware version}"),
    any("GENERAL.STATE: {n} ({set state})"),
    any("GENERAL.{*}"),
    any("CAPABILITIES.SPEED: {speed}"),
    any("CAPABILITIES.{*}"),
    any("INTERFACE-FLAGS.{*}"),
    any("WIRED-PROPERTIES.CARRIER: {set carrier}"),
    any("WIRED-PROPERTIES.{*}"),
    any("WIFI-PROPERTIES.{*}"),
    any("CONNECTIONS.{*}"),
    any("AP[{*}"),
    any("BOND.{*}"),
    any("BRIDGE.{*}"),
    any("TEAM.{*}"),
    any("VLAN.{*}"),
    any("IP4.{*}"),
    any("IP6.{*}"),
    any("DHCP4.{*}"),
    any("DHCP6.{*}"),
];
