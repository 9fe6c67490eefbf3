//! Which packets the kernel hands over, and how much of them: classic BPF (`SO_ATTACH_FILTER`).
//!
//! Offsets are those of the network layer, so that one program fits Ethernet, cooked and raw interfaces.

use libc::sock_filter;
use std::net::IpAddr;

/// What a live capture keeps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Packets from or to one of these; empty: of everybody.
    pub hosts: Vec<IpAddr>,
    /// TCP packets from or to one of these ports; empty: of all. ICMP errors and fragments pass whatever the port.
    pub ports: Vec<u16>,
}

/// More than this does not fit the jumps of a filter, which reach 255 instructions.
pub const MOST_HOSTS: usize = 8;
/// Likewise.
pub const MOST_PORTS: usize = 16;

const NET: u32 = libc::SKF_NET_OFF as u32;
const PROTOCOL_TCP: u32 = 6;
const PROTOCOL_ICMP: u32 = 1;
const PROTOCOL_ICMPV6: u32 = 58;

/// Where a jump leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Next,
    Accept,
    Reject,
    /// A mark that is set later.
    Mark(usize),
}

enum Step {
    /// An instruction that goes on with the next.
    Do(u16, u32),
    /// Compares the accumulator: (code, value, where if so, where if not).
    If(u16, u32, To, To),
    Mark(usize),
}

const LOAD_BYTE: u16 = (libc::BPF_LD | libc::BPF_B | libc::BPF_ABS) as u16;
const LOAD_HALF: u16 = (libc::BPF_LD | libc::BPF_H | libc::BPF_ABS) as u16;
const LOAD_WORD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const LOAD_HALF_X: u16 = (libc::BPF_LD | libc::BPF_H | libc::BPF_IND) as u16;
/// X = 4 * (low four bits of a byte): the length of an IPv4 header.
const HEADER_TO_X: u16 = (libc::BPF_LDX | libc::BPF_B | libc::BPF_MSH) as u16;
const SHIFT: u16 = (libc::BPF_ALU | libc::BPF_RSH | libc::BPF_K) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const V6: usize = 0;
const PORTS_V4: usize = 1;
const PORTS_V6: usize = 2;
/// Marks of IPv6 addresses that do not fit come behind these.
const FURTHER: usize = 3;

impl Filter {
    /// The program: IP packets that the filter wants, cut to so many bytes.
    pub(super) fn program(&self, snap_bytes: u32) -> Vec<sock_filter> {
        let mut steps = vec![
            Step::Do(LOAD_BYTE, NET),
            Step::Do(SHIFT, 4),
            Step::If(EQUAL, 6, To::Mark(V6), To::Next),
            Step::If(EQUAL, 4, To::Next, To::Reject),
        ];
        self.v4(&mut steps);
        steps.push(Step::Mark(V6));
        self.v6(&mut steps);
        assembled(&steps, snap_bytes)
    }

    fn v4(&self, steps: &mut Vec<Step>) {
        if !self.hosts.is_empty() {
            for place in [12, 16] {
                steps.push(Step::Do(LOAD_WORD, NET + place));
                for host in &self.hosts {
                    if let IpAddr::V4(host) = host {
                        steps.push(Step::If(EQUAL, host.to_bits(), To::Mark(PORTS_V4), To::Next));
                    }
                }
            }
            // What a router says of their packets comes from the router, and goes to one of them: it is among these.
            steps.push(Step::If(ANY_BIT, 0, To::Reject, To::Reject));
        }
        steps.push(Step::Mark(PORTS_V4));
        steps.push(Step::Do(LOAD_BYTE, NET + 9));
        steps.push(Step::If(EQUAL, PROTOCOL_ICMP, To::Accept, To::Next));
        steps.push(Step::If(EQUAL, PROTOCOL_TCP, To::Next, To::Reject));
        // Behind the first fragment there are no ports.
        steps.push(Step::Do(LOAD_HALF, NET + 6));
        steps.push(Step::If(ANY_BIT, 0x1fff, To::Accept, To::Next));
        steps.push(Step::Do(HEADER_TO_X, NET));
        self.ports(steps, LOAD_HALF_X, NET);
    }

    fn v6(&self, steps: &mut Vec<Step>) {
        if !self.hosts.is_empty() {
            let mut mark = FURTHER;
            for place in [8, 24] {
                for host in &self.hosts {
                    let IpAddr::V6(host) = host else { continue };
                    let bits = host.to_bits();
                    for word in 0..4 {
                        let value = (bits >> (96 - 32 * word)) as u32;
                        steps.push(Step::Do(LOAD_WORD, NET + place + 4 * word));
                        let same = if word == 3 { To::Mark(PORTS_V6) } else { To::Next };
                        steps.push(Step::If(EQUAL, value, same, To::Mark(mark)));
                    }
                    steps.push(Step::Mark(mark));
                    mark += 1;
                }
            }
            steps.push(Step::If(ANY_BIT, 0, To::Reject, To::Reject));
        }
        steps.push(Step::Mark(PORTS_V6));
        steps.push(Step::Do(LOAD_BYTE, NET + 6));
        steps.push(Step::If(EQUAL, PROTOCOL_ICMPV6, To::Accept, To::Next));
        // Extension headers are rare: what is behind them is looked at later, by the decoder.
        steps.push(Step::If(EQUAL, PROTOCOL_TCP, To::Next, To::Accept));
        self.ports(steps, LOAD_HALF, NET + 40);
    }

    /// The ports of a TCP header that begins at `start`.
    fn ports(&self, steps: &mut Vec<Step>, load: u16, start: u32) {
        if self.ports.is_empty() {
            steps.push(Step::If(ANY_BIT, 0, To::Accept, To::Accept));
            return;
        }
        for place in [0, 2] {
            steps.push(Step::Do(load, start + place));
            for port in &self.ports {
                steps.push(Step::If(EQUAL, u32::from(*port), To::Accept, To::Next));
            }
        }
        steps.push(Step::If(ANY_BIT, 0, To::Reject, To::Reject));
    }
}

/// Jumps get their distances. The last two instructions accept and reject.
fn assembled(steps: &[Step], snap_bytes: u32) -> Vec<sock_filter> {
    let is_code = |step: &&Step| !matches!(step, Step::Mark(_));
    let count = steps.iter().filter(is_code).count();
    let place_of = |to: To, next: usize| match to {
        To::Next => next,
        To::Accept => count,
        To::Reject => count + 1,
        To::Mark(mark) => {
            let is_it = |step: &Step| matches!(step, Step::Mark(it) if *it == mark);
            let above = steps.iter().take_while(|step| !is_it(step));
            above.filter(is_code).count()
        }
    };
    let mut program = Vec::with_capacity(count + 2);
    for step in steps {
        let next = program.len() + 1;
        let distance = |to: To| u8::try_from(place_of(to, next).saturating_sub(next)).unwrap_or(u8::MAX);
        match *step {
            Step::Do(code, k) => program.push(instruction(code, k, 0, 0)),
            Step::If(code, k, same, other) => {
                program.push(instruction(code, k, distance(same), distance(other)));
            }
            Step::Mark(_) => {}
        }
    }
    program.push(instruction(RETURN, snap_bytes, 0, 0));
    program.push(instruction(RETURN, 0, 0, 0));
    program
}

fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests;
