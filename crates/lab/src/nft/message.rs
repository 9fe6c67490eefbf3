//! nfnetlink messages: a batch that replaces the lab's table in one transaction.

use std::io;
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType};
use nix::sys::socket::{recv, sendto, socket};

use super::attribute::{self, Attributes};
use super::expression;
use super::rule::{Hook, Rule};

/// nfnetlink message types: the subsystem in the upper byte.
mod kind {
    pub(super) const BATCH_BEGIN: u16 = 16;
    pub(super) const BATCH_END: u16 = 17;
    const NFTABLES: u16 = 10 << 8;
    pub(super) const NEW_TABLE: u16 = NFTABLES;
    pub(super) const DELETE_TABLE: u16 = NFTABLES | 2;
    pub(super) const NEW_CHAIN: u16 = NFTABLES | 3;
    pub(super) const NEW_RULE: u16 = NFTABLES | 6;
}

const NFPROTO_INET: u8 = 1;
const NFNL_SUBSYS_NFTABLES: u16 = 10;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const NLM_F_CREATE: u16 = 0x400;
const NLM_F_APPEND: u16 = 0x800;
const NLMSG_ERROR: u16 = 2;
const NLMSG_HEADER_BYTES: usize = 16;

const TABLE: &str = "lab";
const NF_INET_LOCAL_IN: u32 = 1;
const NF_INET_LOCAL_OUT: u32 = 3;

#[derive(Debug, Default)]
struct Batch {
    bytes: Vec<u8>,
    sequence: u32,
}

impl Batch {
    fn push(&mut self, kind: u16, flags: u16, family: u8, resource: u16, attributes: &Attributes) {
        self.sequence += 1;
        let length = NLMSG_HEADER_BYTES + 4 + attributes.encoded().len();
        self.bytes.extend_from_slice(&(length as u32).to_ne_bytes());
        self.bytes.extend_from_slice(&kind.to_ne_bytes());
        self.bytes
            .extend_from_slice(&(flags | NLM_F_REQUEST).to_ne_bytes());
        self.bytes.extend_from_slice(&self.sequence.to_ne_bytes());
        self.bytes.extend_from_slice(&0u32.to_ne_bytes());
        self.bytes.push(family);
        self.bytes.push(0);
        self.bytes.extend_from_slice(&resource.to_be_bytes());
        self.bytes.extend_from_slice(attributes.encoded());
    }

    fn table(&mut self, kind: u16, flags: u16, fill: impl FnOnce(&mut Attributes)) {
        let mut attributes = Attributes::default();
        fill(&mut attributes);
        self.push(kind, flags, NFPROTO_INET, 0, &attributes);
    }
}

fn chain_name(hook: Hook) -> &'static str {
    match hook {
        Hook::Input => "input",
        Hook::Output => "output",
    }
}

/// The transaction that leaves exactly these rules. The table is created before it is deleted, so that deleting
/// works whether or not it was there.
pub(super) fn batch(rules: &[Rule]) -> Vec<u8> {
    let mut batch = Batch::default();
    let name = |a: &mut Attributes| a.string(attribute::TABLE_NAME, TABLE);
    batch.push(
        kind::BATCH_BEGIN,
        0,
        0,
        NFNL_SUBSYS_NFTABLES,
        &Attributes::default(),
    );
    batch.table(kind::NEW_TABLE, NLM_F_CREATE, name);
    batch.table(kind::DELETE_TABLE, 0, name);
    if !rules.is_empty() {
        batch.table(kind::NEW_TABLE, NLM_F_CREATE, name);
        for (hook, number) in [(Hook::Input, NF_INET_LOCAL_IN), (Hook::Output, NF_INET_LOCAL_OUT)] {
            batch.table(kind::NEW_CHAIN, NLM_F_CREATE, |a| {
                a.string(attribute::CHAIN_TABLE, TABLE);
                a.string(attribute::CHAIN_NAME, chain_name(hook));
                a.nested(attribute::CHAIN_HOOK, |h| {
                    h.u32(attribute::HOOK_NUMBER, number);
                    h.u32(attribute::HOOK_PRIORITY, 0);
                });
                a.string(attribute::CHAIN_TYPE, "filter");
            });
        }
    }
    for rule in rules {
        batch.table(kind::NEW_RULE, NLM_F_CREATE | NLM_F_APPEND, |a| {
            a.string(attribute::RULE_TABLE, TABLE);
            a.string(attribute::RULE_CHAIN, chain_name(rule.hook));
            a.nested(attribute::RULE_EXPRESSIONS, |list| {
                for condition in &rule.conditions {
                    condition.encode(list);
                }
                expression::verdict(list, rule.accept);
            });
        });
    }
    batch.push(
        kind::BATCH_END,
        NLM_F_ACK,
        0,
        NFNL_SUBSYS_NFTABLES,
        &Attributes::default(),
    );
    batch.bytes
}

/// Sends a transaction in the calling thread's network namespace and waits for the kernel's answer.
pub(super) fn send(batch: &[u8]) -> io::Result<()> {
    let flags = SockFlag::SOCK_CLOEXEC;
    let socket = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        flags,
        SockProtocol::NetlinkNetFilter,
    )?;
    sendto(
        socket.as_raw_fd(),
        batch,
        &NetlinkAddr::new(0, 0),
        MsgFlags::empty(),
    )?;
    let mut answer = vec![0u8; 65_536];
    loop {
        match recv(socket.as_raw_fd(), &mut answer, MsgFlags::empty()) {
            Ok(length) => return first_error(answer.get(..length).unwrap_or_default()),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The first error among the answers; an acknowledgement is an error of 0.
fn first_error(mut answers: &[u8]) -> io::Result<()> {
    while let Some((header, body)) = answers.split_at_checked(NLMSG_HEADER_BYTES) {
        let length = u32::from_ne_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let kind = u16::from_ne_bytes([header[4], header[5]]);
        if let (NLMSG_ERROR, Some(&[a, b, c, d])) = (kind, body.first_chunk::<4>()) {
            let code = i32::from_ne_bytes([a, b, c, d]);
            if code != 0 {
                return Err(io::Error::from_raw_os_error(-code));
            }
        }
        let Some(rest) = answers.get(length.max(NLMSG_HEADER_BYTES).next_multiple_of(4)..) else {
            break;
        };
        answers = rest;
    }
    Ok(())
}
