//! nf_tables expressions: small programs over registers (linux/netfilter/nf_tables.h).

use super::attribute::{self, Attributes};

/// One condition on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// Transport protocol.
    Protocol(u8),
    /// First byte of the transport header.
    IcmpType(u8),
    /// First byte of the transport header, both ends included.
    IcmpTypeRange(u8, u8),
    /// Second byte of the transport header.
    IcmpCode(u8),
    /// Size of the IP packet in bytes.
    LongerThan(u32),
    /// Connection tracking knows of nothing that it belongs to.
    Unasked,
}

const NFT_REG_1: u32 = 1;
const NFT_REG_VERDICT: u32 = 0;
const NFT_META_LEN: u32 = 0;
const NFT_META_L4PROTO: u32 = 16;
const NFT_PAYLOAD_TRANSPORT_HEADER: u32 = 2;
const NFT_CT_STATE: u32 = 0;
/// The state of what begins something new (`NF_CT_STATE_BIT(IP_CT_NEW)`).
const CT_STATE_NEW: u32 = 8;
const NFT_CMP_EQ: u32 = 0;
const NFT_CMP_LTE: u32 = 3;
const NFT_CMP_GT: u32 = 4;
const NFT_CMP_GTE: u32 = 5;

/// Verdicts of netfilter (linux/netfilter.h).
const NF_DROP: u32 = 0;
const NF_ACCEPT: u32 = 1;

impl Match {
    /// Appends the expressions of this condition.
    pub(super) fn encode(self, list: &mut Attributes) {
        match self {
            Self::Protocol(number) => {
                meta(list, NFT_META_L4PROTO);
                compare(list, NFT_CMP_EQ, &[number]);
            }
            Self::IcmpType(number) => {
                transport_byte(list, 0);
                compare(list, NFT_CMP_EQ, &[number]);
            }
            Self::IcmpTypeRange(first, last) => {
                transport_byte(list, 0);
                compare(list, NFT_CMP_GTE, &[first]);
                compare(list, NFT_CMP_LTE, &[last]);
            }
            Self::IcmpCode(number) => {
                transport_byte(list, 1);
                compare(list, NFT_CMP_EQ, &[number]);
            }
            Self::LongerThan(bytes) => {
                meta(list, NFT_META_LEN);
                // The register holds the length in host order, and comparisons run over its bytes in memory.
                list.expression("byteorder", |data| {
                    data.u32(attribute::BYTEORDER_SREG, NFT_REG_1);
                    data.u32(attribute::BYTEORDER_DREG, NFT_REG_1);
                    data.u32(attribute::BYTEORDER_OP, 1); // host to network
                    data.u32(attribute::BYTEORDER_LEN, 4);
                    data.u32(attribute::BYTEORDER_SIZE, 4);
                });
                compare(list, NFT_CMP_GT, &bytes.to_be_bytes());
            }
            Self::Unasked => {
                list.expression("ct", |data| {
                    data.u32(attribute::CT_DREG, NFT_REG_1);
                    data.u32(attribute::CT_KEY, NFT_CT_STATE);
                });
                // In host order, as it is compared for equality alone.
                compare(list, NFT_CMP_EQ, &CT_STATE_NEW.to_ne_bytes());
            }
        }
    }
}

/// Appends the expression that ends a rule.
pub(super) fn verdict(list: &mut Attributes, accept: bool) {
    list.expression("immediate", |data| {
        data.u32(attribute::IMMEDIATE_DREG, NFT_REG_VERDICT);
        data.nested(attribute::IMMEDIATE_DATA, |value| {
            value.nested(attribute::DATA_VERDICT, |verdict| {
                verdict.u32(attribute::VERDICT_CODE, if accept { NF_ACCEPT } else { NF_DROP });
            });
        });
    });
}

fn meta(list: &mut Attributes, key: u32) {
    list.expression("meta", |data| {
        data.u32(attribute::META_DREG, NFT_REG_1);
        data.u32(attribute::META_KEY, key);
    });
}

fn transport_byte(list: &mut Attributes, offset: u32) {
    list.expression("payload", |data| {
        data.u32(attribute::PAYLOAD_DREG, NFT_REG_1);
        data.u32(attribute::PAYLOAD_BASE, NFT_PAYLOAD_TRANSPORT_HEADER);
        data.u32(attribute::PAYLOAD_OFFSET, offset);
        data.u32(attribute::PAYLOAD_LEN, 1);
    });
}

fn compare(list: &mut Attributes, operation: u32, value: &[u8]) {
    list.expression("cmp", |data| {
        data.u32(attribute::CMP_SREG, NFT_REG_1);
        data.u32(attribute::CMP_OP, operation);
        data.nested(attribute::CMP_DATA, |to| to.bytes(attribute::DATA_VALUE, value));
    });
}
