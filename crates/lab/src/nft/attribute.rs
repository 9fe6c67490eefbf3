//! Netlink attributes: how they are put together, and their numbers (linux/netfilter/nf_tables.h), each within the
//! message or expression that it names.

pub(super) const TABLE_NAME: u16 = 1;
pub(super) const CHAIN_TABLE: u16 = 1;
pub(super) const CHAIN_NAME: u16 = 3;
pub(super) const CHAIN_HOOK: u16 = 4;
pub(super) const CHAIN_TYPE: u16 = 7;
pub(super) const HOOK_NUMBER: u16 = 1;
pub(super) const HOOK_PRIORITY: u16 = 2;
pub(super) const RULE_TABLE: u16 = 1;
pub(super) const RULE_CHAIN: u16 = 2;
pub(super) const RULE_EXPRESSIONS: u16 = 4;
pub(super) const LIST_ELEMENT: u16 = 1;
pub(super) const EXPRESSION_NAME: u16 = 1;
pub(super) const EXPRESSION_DATA: u16 = 2;
pub(super) const META_DREG: u16 = 1;
pub(super) const META_KEY: u16 = 2;
pub(super) const CT_DREG: u16 = 1;
pub(super) const CT_KEY: u16 = 2;
pub(super) const PAYLOAD_DREG: u16 = 1;
pub(super) const PAYLOAD_BASE: u16 = 2;
pub(super) const PAYLOAD_OFFSET: u16 = 3;
pub(super) const PAYLOAD_LEN: u16 = 4;
pub(super) const CMP_SREG: u16 = 1;
pub(super) const CMP_OP: u16 = 2;
pub(super) const CMP_DATA: u16 = 3;
pub(super) const DATA_VALUE: u16 = 1;
pub(super) const DATA_VERDICT: u16 = 2;
pub(super) const VERDICT_CODE: u16 = 1;
pub(super) const IMMEDIATE_DREG: u16 = 1;
pub(super) const IMMEDIATE_DATA: u16 = 2;
pub(super) const BYTEORDER_SREG: u16 = 1;
pub(super) const BYTEORDER_DREG: u16 = 2;
pub(super) const BYTEORDER_OP: u16 = 3;
pub(super) const BYTEORDER_LEN: u16 = 4;
pub(super) const BYTEORDER_SIZE: u16 = 5;

/// The bit that marks an attribute made of attributes (linux/netlink.h).
const NLA_F_NESTED: u16 = 1 << 15;

/// Netlink attributes under construction. Numbers are in network order, as nf_tables wants them.
#[derive(Debug, Default)]
pub(super) struct Attributes(Vec<u8>);

impl Attributes {
    pub(super) fn bytes(&mut self, kind: u16, value: &[u8]) {
        let length = (value.len() + 4) as u16;
        self.0.extend_from_slice(&length.to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    pub(super) fn u32(&mut self, kind: u16, value: u32) {
        self.bytes(kind, &value.to_be_bytes());
    }

    pub(super) fn string(&mut self, kind: u16, value: &str) {
        let mut with_nul = value.as_bytes().to_vec();
        with_nul.push(0);
        self.bytes(kind, &with_nul);
    }

    pub(super) fn nested(&mut self, kind: u16, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes(kind | NLA_F_NESTED, &inner.0);
    }

    pub(super) fn encoded(&self) -> &[u8] {
        &self.0
    }

    /// Appends an element of a rule's list of expressions.
    pub(super) fn expression(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.nested(LIST_ELEMENT, |element| {
            element.string(EXPRESSION_NAME, name);
            element.nested(EXPRESSION_DATA, fill);
        });
    }
}
