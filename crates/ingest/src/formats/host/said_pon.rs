//! What the central ends of passive optical networks say of the light of each unit at the other ends. A port of theirs has many of
//! them, so nothing of it is the port's own.

use super::said::Said;

/// Huawei SmartAX, `display ont optical-info PORT all`.
pub(super) const UNITS: Said = Said {
    name: "display ont optical-info",
    asked: &[],
    rows: "\
> ONT Rx power Tx power OLT Rx ONT Temperature Voltage Current Distance
- ID (dBm) (dBm) power(dBm) (C) (V) (mA) (m)
- -----{*}
- {k:n} {v1:w} {v2:w} {v3:w} {v4:w} {v5:w} {v6:w} {v7:w} => ONT {k}: received, dBm & sent, dBm & received of it at the OLT, dBm & temperature, Celsius & voltage, V & bias current, mA & distance, m
",
};

/// ZTE, `show pon power onu-rx PORT` and `olt-rx`.
pub(super) const RECEIVED: Said = Said {
    name: "show pon power",
    asked: &[],
    rows: "\
> Onu Rx power
- -----{*}
- {k:w}:{u:n} {v:f}(dbm) => {k}:{u}, received, dBm
- {k:w}:{u:n} {v:w} => {k}:{u}, received, dBm
",
};
