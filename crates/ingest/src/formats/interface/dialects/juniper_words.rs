//! What Junos calls its counters.

use super::super::dialect::{Meaning, Word, both, either, input, output, own, own_input, own_output};
use evidence::CounterKind as K;

pub(super) static INPUT: &[Word] = &[
    // "Drops" are those of the input queue, "Resource errors" a want of buffers.
    input("Drops", K::InputQueueDrops),
    input("Errors", K::InputErrors),
    input("FIFO errors", K::InputOverrun),
    input("Framing errors", K::InputFraming),
    input("Giants", K::InputGiants),
    input("Resource errors", K::InputNoBuffer),
    input("Runts", K::InputRunts),
    own_output("Carrier transitions"),
    own_output("Collisions"),
    own_output("Aged packets"),
    own_output("MTU errors"),
    own_output("HS link CRC errors"),
    own_input("L2 channel errors"),
    own_input("L2 mismatch timeouts"),
    own_input("L3 incompletes"),
    own_input("Policed discards"),
];

pub(super) static OUTPUT: &[Word] = &[
    output("Carrier transitions", K::CarrierTransitions),
    output("Collisions", K::Collisions),
    output("Drops", K::OutputDrops),
    output("Errors", K::OutputErrors),
    output("FIFO errors", K::OutputUnderruns),
    own_input("Framing errors"),
    own_input("Runts"),
    own_input("Giants"),
    own_input("Policed discards"),
    own_input("L3 incompletes"),
    own_input("L2 channel errors"),
    own_input("L2 mismatch timeouts"),
    own_output("Aged packets"),
    own_output("HS link CRC errors"),
    own_output("MTU errors"),
];

pub(super) static FLOW_ERRORS: &[Word] = &[
    own("Address spoofing"),
    own("Authentication failed"),
    own("Incoming NAT errors"),
    own("Invalid zone received packet"),
    own("Multiple user authentications"),
    own("Multiple incoming NAT"),
    own("No parent for a gate"),
    own("No one interested in self packets"),
    own("No minor session"),
    own("No more sessions"),
    own("No NAT gate"),
    own("No route present"),
    own("No SA for incoming SPI"),
    own("No tunnel found"),
    own("No session for a gate"),
    own("No zone or NULL zone binding"),
    own("Policy denied"),
    own("Security association not active"),
    own("TCP sequence number out of window"),
    own("Syn-attack protection"),
    own("User authentication errors"),
];

pub(super) static FEC: &[Word] = &[
    own("FEC Corrected Errors"),
    own("FEC Uncorrected Errors"),
    own("FEC Corrected Errors Rate"),
    own("FEC Uncorrected Errors Rate"),
    own("FEC Mode"),
];

pub(super) static PCS: &[Word] = &[
    own("Bit errors"),
    own("Errored blocks"),
    own("Bit errors seconds"),
    own("Errored blocks seconds"),
];

pub(super) static SONET_PHY: &[Word] = &[
    own("PLL Lock"),
    own("PHY Light"),
    own("PLL Lock seconds"),
    own("PHY Light seconds"),
];

pub(super) static SONET_SECTION: &[Word] = &[
    own("BIP-B1"),
    own("SEF"),
    own("LOS"),
    own("LOF"),
    own("ES-S seconds"),
    own("SES-S seconds"),
    own("SEFS-S seconds"),
];

pub(super) static SONET_LINE: &[Word] = &[
    own("BIP-B2"),
    own("REI-L"),
    own("RDI-L"),
    own("AIS-L"),
    own("BERR-SF"),
    own("BERR-SD"),
    own("ES-L seconds"),
    own("SES-L seconds"),
    own("UAS-L seconds"),
    own("ES-LFE seconds"),
    own("SES-LFE seconds"),
    own("UAS-LFE seconds"),
];

pub(super) static SONET_PATH: &[Word] = &[
    own("BIP-B3"),
    own("REI-P"),
    own("LOP-P"),
    own("AIS-P"),
    own("RDI-P"),
    own("UNEQ-P"),
    own("PLM-P"),
    own("TIM-P"),
    own("ES-P seconds"),
    own("SES-P seconds"),
    own("UAS-P seconds"),
    own("ES-PFE seconds"),
    own("SES-PFE seconds"),
    own("UAS-PFE seconds"),
];

pub(super) static MAC: &[Word] = &[
    own("Total octets"),
    own("Total packets"),
    own("Unicast packets"),
    own("Broadcast packets"),
    own("Multicast packets"),
    own("MAC control frames"),
    own("Jabber frames"),
    own("Fragment frames"),
    own("VLAN tagged frames"),
    own("Code violations"),
    own("Total errors"),
    Word {
        output: Some(Meaning::Own),
        ..input("CRC/Align errors", K::InputCrc)
    },
    both("FIFO errors", K::InputOverrun, K::OutputUnderruns),
    both("MAC pause frames", K::InputPauses, K::OutputPauses),
    Word {
        output: Some(Meaning::Own),
        ..input("Oversized frames", K::InputGiants)
    },
    either("Carrier transitions", K::CarrierTransitions),
];
