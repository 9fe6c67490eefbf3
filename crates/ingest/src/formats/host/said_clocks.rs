//! What clocks say of themselves, and of the sources that they follow: tables as in `said_tables.rs`.

use super::said::Said;

pub(super) const TRACKING: Said = Said {
    name: "chronyc",
    asked: &[("chronyc", "tracking")],
    rows: "\
> Reference ID~: {v:*} => clock source
- Stratum~: {v:n} => clock stratum
- Ref time (UTC)~: {*}
- System time~: {v:*} of NTP time => clock
- Last offset~: {v:*} => clock's last offset
- RMS offset~: {v:*} => clock's RMS offset
- Frequency~: {*}
- Residual freq~: {*}
- Skew~: {*}
- Root delay~: {v:*} => clock's root delay
- Root dispersion~: {v:*} => clock's root dispersion
- Update interval~: {*}
- Leap status~: {v:*} => clock's leap status
",
};

/// The source that is followed stands for the clock; the others are known.
pub(super) const SOURCES: Said = Said {
    name: "chronyc",
    asked: &[
        ("chronyc", "sources"),
        ("chronyc", "sourcestats"),
        ("chronyc", "activity"),
        ("chronyc", "ntpdata"),
    ],
    rows: "\
> MS Name/IP address~Stratum Poll Reach LastRx Last sample
> Name/IP Address~NP NR Span Frequency Freq Skew Offset Std Dev
> 210 Number of sources = {n}
> .-- Source mode {*}
- / .- Source state {*}
- | / {*}
- ||{*}
- ===={*}
- ^* {k:w} {_:n} {_:n} {_:n} {_:w} {v:*} => clock source {k}
- #* {k:w} {_:n} {_:n} {_:n} {_:w} {v:*} => clock source {k}
- 200 OK
- {n} sources {*}
- Offset~: {v:*} => clock's offset to its source
- Peer delay~: {v:*} => clock's delay to its source
- Response time~: {*}
- ^{_:w} {*} +/- {*}
- #{_:w} {*} +/- {*}
- ={_:w} {*} +/- {*}
- {_:w} {n} {n} {_:w} {_:f} {_:f} {_:w} {_:w}
",
};

pub(super) const NTPQ: Said = Said {
    name: "ntpq",
    asked: &[
        ("ntpq", "-p"),
        ("ntpq", "-pn"),
        ("ntpq", "-np"),
        ("ntpq", "peers"),
        ("ntpq", "-pnw"),
        ("ntpq", "-pw"),
    ],
    rows: "\
> remote refid st t when poll reach delay offset jitter
- ===={*}
- *{k:w} {_:w} {_:n} {_:w} {_:w} {_:w} {_:n} {_:f} {v:f} {_:f} => clock's offset to {k}, ms
- o{k:w} {_:w} {_:n} {_:w} {_:w} {_:w} {_:n} {_:f} {v:f} {_:f} => clock's offset to {k}, ms
- {_:w} {_:w} {n} {_:w} {_:w} {_:w} {n} {_:f} {_:f} {_:f}
",
};

pub(super) const NTP_VARIABLES: Said = Said {
    name: "ntpq",
    asked: &[("ntpq", "rv"), ("ntpq", "readvar")],
    rows: "\
> associd={*} status={*}
- offset={v:w}, {*} => clock's offset, ms
- mintc={_:n}, offset={v:w}, {*} => clock's offset, ms
- {_:w}={*}, offset={v:w}, {*} => clock's offset, ms
- version={*}
- processor={*}
- precision={*}
- reftime={*}
- clock={*}
- mintc={*}
- frequency={*}
- clk_jitter={*}
- clk_wander={*}
- rootdelay={*}
- rootdisp={*}
- system={*}
- tai={*}
",
};

pub(super) const NTPSTAT: Said = Said {
    name: "ntpstat",
    asked: &[("ntpstat", "")],
    rows: "\
> synchronised to {v:*} at stratum {n} => clock source
- unsynchronised => clock unsynchronised
- time correct to within {v:n} ms => clock's error, ms
- polling server every {*}
- time server re-starting
",
};

pub(super) const TIMEDATECTL: Said = Said {
    name: "timedatectl",
    asked: &[("timedatectl", "")],
    rows: "\
> Local time: {*}
- Universal time: {*}
- RTC time: {*}
- Time zone: {*}
- System clock synchronized: {v:w} => clock synchronized
- NTP synchronized: {v:w} => clock synchronized
- NTP service: {v:w} => NTP service
- NTP enabled: {v:w} => NTP enabled
- Network time on: {v:w} => NTP enabled
- systemd-timesyncd.service active: {v:w} => NTP service active
- Server: {v:*} => clock source
- Poll interval: {*}
- Leap: {v:*} => clock's leap status
- Version: {*}
- Stratum: {v:n} => clock stratum
- Reference: {*}
- Precision: {*}
- Root distance: {v:*} => clock's root distance
- Offset: {v:*} => clock's offset
- Delay: {v:*} => clock's delay to its source
- Jitter: {v:*} => clock's jitter
- Packet count: {*}
- Frequency: {*}
- RTC in local TZ: {*}
- DST active: {*}
- Last DST change: {*}
- Next DST change: {*}
- {_:w} {_:w} {_:clock} {_:w}
",
};

/// What asks a server for the time, and sets no clock by it.
pub(super) const QUERIES: Said = Said {
    name: "ntpdate",
    asked: &[("ntpdate", "-q"), ("sntp", ""), ("clockdiff", "")],
    rows: "\
> server {k:w}, stratum {_:n}, offset {v:w}, delay {_:f} => clock's offset to {k}, s
- {*} ntpdate[{n}]: {*} time server {*}
> {_:w} {_:clock} ({_:w}) {v:w} +/- {_:f} {k:w} {_:w} s{_:n} {*} => clock's offset to {k}, s
> host={k:w} rtt={*} delta={v:w} {*} => clock of {k}, its difference
- .
",
};

/// `pmc` asks the daemon of PTP, which counts in nanoseconds.
pub(super) const PTP: Said = Said {
    name: "pmc",
    asked: &[("pmc", "")],
    rows: "\
> sending: GET {*}
- {_:w} seq {n} RESPONSE MANAGEMENT {*}
- stepsRemoved {n}
- offsetFromMaster {v:f} => PTP offset from master, ns
- meanPathDelay {v:f} => PTP mean path delay, ns
- master_offset {v:f} => PTP offset from master, ns
- ingress_time {n}
- cumulativeScaledRateOffset {*}
- scaledLastGmPhaseChange {*}
- gmTimeBaseIndicator {*}
- lastGmPhaseChange {*}
- gmPresent {v:w} => PTP grandmaster present
- gmIdentity {v:w} => PTP grandmaster
",
};
