//! What is told of the network by what works above it: mounts of NFS, what a sensor of Suricata lost, which work processors do for it in
//! `top`, how fast Cilium found its pods. Tables as in `said_tables.rs`.

use super::said::Said;

/// Each report tells of the time since the one above it. What a call took has the server's work in it.
pub(super) const MOUNTS: Said = Said {
    name: "nfsiostat",
    asked: &[("nfsiostat", "")],
    rows: "\
> {scope:w} mounted on /{_:*}:
- ops/s rpc bklog
| {v1:f} {v2:f} => calls: a second & backlog
- {within:w}: ops/s kB/s kB/op retrans avg RTT (ms) avg exe (ms){*}
| {v1:f} {v2:f} {v3:f} {v4:n} ({_:pct}) {v5:f} {v6:f} => calls: a second & kB a second & kB each & sent again & RTT, ms & until done, ms
| {v1:f} {v2:f} {v3:f} {v4:n} ({_:pct}) {v5:f} {v6:f} {v7:f} {v8:n} ({_:pct}) => calls: a second & kB a second & kB each & sent again & RTT, ms & until done, ms & waited, ms & errors
",
};

/// The same since the file system was mounted.
pub(super) const MOUNTS_SINCE: Said = Said {
    name: "mountstats",
    asked: &[("mountstats", "")],
    rows: "\
> Stats for {scope:w} mounted on /{_:*}:
- NFS mount options: {v:*} => mount options
- NFS mount age: {v:*} => time since it was mounted
- NFS server capabilities: {*}
- NFSv4 capability flags: {*}
- NFS security flavor: {*}
- NFS {_:w} counts:
- applications {k:w} {v:n} bytes via {m:*} => bytes {k} via {m}
- client {k:w} {v:n} bytes via {m:*} => bytes {k} via {m}
- RPC statistics:
- {v1:n} RPC requests sent, {v2:n} RPC replies received ({v3:n} XIDs not found) => calls: sent & answered & answers to none
- average backlog queue length: {v:f} => backlog
- {within:w}:
| {v1:n} ops ({_:pct}) {v2:n} retrans ({_:pct}) {v3:n} major timeouts{*} => calls: made & sent again & major timeouts
| {v1:n} ops ({_:pct}) {v2:n} errors ({_:pct}) => calls: made & errors
| {v:n} ops ({_:pct}) => calls: made
| avg bytes sent per op: {v1:n} avg bytes received per op: {v2:n} => bytes of a call: sent & received
| backlog wait: {v1:f} RTT: {v2:f} total execute time: {v3:f} (milliseconds) => calls, ms: waited & RTT & until done
",
};

/// The heading tells whose calls are counted; what they were for is not read.
pub(super) const CALLS: Said = Said {
    name: "nfsstat",
    asked: &[("nfsstat", "")],
    rows: "\
> Client rpc stats:
> Server rpc stats:
> Client rpc:
- {scope:w} retrans authrefrsh
| {v1:n} {v2:n} {v3:n} => by this client: made & sent again & authentications refreshed
- {scope:w} badcalls retrans badxid timeout wait newcred timers
| {v1:n} {v2:n} {v3:n} {v4:n} {v5:n} {_:n} {_:n} {_:n} => by this client: made & failed & sent again & answered twice & timed out
- {scope:w} badcalls badfmt badauth badclnt
| {v1:n} {v2:n} {v3:n} {v4:n} {v5:n} => to this server: received & bad & of bad format & of bad authentication & of bad clients
",
};

/// It counts since it began, and writes all of it down again and again.
pub(super) const SENSOR: Said = Said {
    name: "suricata",
    asked: &[],
    rows: "\
> Date: {*} (uptime: {*})
> Counter | TM Name | Value
> capture.{k:w} | {t:w} | {v:n} => capture.{k} ({t})
- {k:w} | {t:w} | {v:n} => {k} ({t})
- ----{*}
",
};

/// Where processors are busy with packets: interrupts, and the threads that take over from them.
pub(super) const TOP: Said = Said {
    name: "top",
    asked: &[("top", "")],
    rows: "\
> top - {*} load average: {*}
> %Cpu(s): {v1:f} us, {v2:f} sy, {v3:f} ni, {v4:f} id, {v5:f} wa, {v6:f} hi, {v7:f} si, {v8:f} st => processors, %: user & system & nice & idle & waiting & interrupts & software interrupts & stolen
> %Cpu(s):{v1:f} us,{v2:f} sy,{v3:f} ni,{v4:f} id,{v5:f} wa,{v6:f} hi,{v7:f} si,{v8:f} st => processors, %: user & system & nice & idle & waiting & interrupts & software interrupts & stolen
> %Cpu{k:n}~:~{v1:f} us,~{v2:f} sy,~{v3:f} ni,~{v4:f} id,~{v5:f} wa,~{v6:f} hi,~{v7:f} si,~{v8:f} st => processor {k}, %: user & system & nice & idle & waiting & interrupts & software interrupts & stolen
> CPU: {v1:pct} usr {v2:pct} sys {v3:pct} nic {v4:pct} idle {v5:pct} io {v6:pct} irq {v7:pct} sirq => processors: user & system & nice & idle & waiting & interrupts & software interrupts
> Mem: {_:w} used, {*} free, {*} cached
- Load average: {*}
- Tasks: {*}
- Threads: {*}
- {_:w} Mem~: {*}
- {_:w} Swap: {*}
- PID {*} COMMAND
- PID {*} Command
- {_:n} root {*} {v:f} {_:f} {_:clock} ksoftirqd/{k:n} => ksoftirqd/{k}, % of a processor
- {_:n} {_:w} {*} {_:f} {_:f} {_:clock} {*}
- {_:n} {_:n} {_:w} {_:w} {_:w} {_:pct} {_:n} {v:pct} [ksoftirqd/{k:n}] => ksoftirqd/{k}
- {_:n} {_:n} {_:w} {_:w} {_:w} {_:pct} {_:n} {_:pct} {*}
",
};

/// `cilium connectivity perf`: it says between which places of pods and nodes, and not between which hosts.
pub(super) const PODS: Said = Said {
    name: "cilium connectivity perf",
    asked: &[("cilium", "perf")],
    rows: "\
> 📋 Scenario | Node | Test | Duration | Throughput Mb/s
> 📋 Scenario | Node | Test | Duration | Min | Mean | Max | P50 | P90 | P99 | Transaction rate OP/s
- ----{*}
- {_:w} {k:w} | {n:w} | {t:w} | {_:w} | {v:f} => {k}, {n}, {t}: throughput, Mbit/s
- {_:w} {k:w} | {n:w} | {t:w} | {_:w} | {v1:w} | {v2:w} | {v3:w} | {v4:w} | {v5:w} | {v6:w} | {v7:f} => {k}, {n}, {t}: min & mean & max & p50 & p90 & p99 & transactions a second
",
};
