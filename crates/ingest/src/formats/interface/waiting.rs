//! Interfaces of a block that were read: which of them are of the device that the prompt names is known when others were read too.

use super::asked::{Asked, asked_nic, hides_heads, is_short_for};
use super::prepared::Prepared;
use super::reader::Reading;
use super::section::record;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use evidence::{InterfaceCounters, Node};

/// So many wait before it is seen whether those that come can still tell anything of them: of a long block they would take many times
/// the memory of its text.
const MANY: usize = 64;

/// An interface that was read.
pub(super) struct Read {
    pub(super) lines: (u64, u64),
    pub(super) is_one_line: bool,
    pub(super) prepared: &'static Prepared,
    pub(super) reading: Reading,
}

impl Read {
    /// Whether it is a head and nothing else, as `show interfaces | include line protocol` leaves.
    fn is_head_alone(&self) -> bool {
        self.is_one_line && self.reading.understood == 0 && self.reading.interface.up.is_some()
    }
}

/// Those that wait.
pub(super) struct Waiting<'b> {
    block: &'b Block,
    context: &'b Context,
    device: Node,
    pub(super) asked: Asked,
    /// The dialect of the first one that was understood.
    pub(super) first: Option<&'static Prepared>,
    read: Vec<Read>,
    /// Some did not wait until the end.
    is_begun: bool,
}

impl<'b> Waiting<'b> {
    pub(super) fn new(block: &'b Block, context: &'b Context, device: Node, asked: Asked) -> Self {
        Self {
            block,
            context,
            device,
            asked,
            first: None,
            read: Vec::new(),
            is_begun: false,
        }
    }

    /// Takes the next one.
    pub(super) fn push(&mut self, read: Read, findings: &mut Findings) {
        let is_understood = read.reading.understood > 0;
        self.first = self.first.or(is_understood.then_some(read.prepared));
        self.read.push(read);
        // By one that was understood all above it are told.
        if is_understood && self.read.len() >= MANY {
            self.tell(findings);
            self.is_begun = true;
        }
    }

    /// Tells of those that wait.
    pub(super) fn tell(&mut self, findings: &mut Findings) {
        let mut read = std::mem::take(&mut self.read);
        let is_filtered = self.block.first().is_some_and(|line| line.contains('|'));
        let are_all_heads =
            !self.is_begun && read.iter().all(Read::is_head_alone) && (read.len() > 1 || is_filtered);
        self.place(&mut read, are_all_heads, findings);
        if let [one] = read.as_mut_slice()
            && !self.is_begun
        {
            self.name(one);
        }
        let are_heads_hidden = self.block.first().is_some_and(hides_heads);
        let is_asked = |name: &str| {
            let typed = self.asked.interface.as_deref();
            typed.is_some_and(|typed| is_short_for(typed, name))
        };
        for Read { lines, reading, .. } in read {
            // Where one interface is asked for, no other one's lines are here; and what prints all that is counted has its own lines first.
            let name = &reading.interface.interface;
            if are_heads_hidden && reading.understood > 0 && !is_asked(name) && !is_ethernet(name) {
                let why = "the filter of the command keeps no head of an interface that is down: these lines may be of one, and are not used";
                findings.complain_of(lines, why);
                continue;
            }
            if !are_all_heads {
                complain(findings, lines, &reading);
            }
            keep(findings, self.context, lines, reading);
        }
    }

    /// A device speaks one dialect: what is in another one was printed by another device, and so was a head with nothing below it that
    /// stands before that.
    fn place(&self, read: &mut [Read], are_all_heads: bool, findings: &mut Findings) {
        let mut is_same = true;
        for Read {
            lines,
            prepared,
            reading,
            ..
        } in read.iter_mut().rev()
        {
            if reading.understood > 0 {
                is_same = self.first.is_none_or(|first| first.is_same_maker(prepared));
            }
            let is_unsure =
                reading.understood == 0 && !are_all_heads && !reading.is_nothing && !reading.is_told_by_head;
            reading.interface.device = match is_same && !is_unsure {
                true => self.device.clone(),
                false => {
                    let first = findings
                        .placeless_from
                        .map_or(lines.0, |known| known.min(lines.0));
                    findings.placeless_from = Some(first);
                    self.context.from_or(Node::default())
                }
            };
        }
    }

    /// What a driver calls its port is not what the device calls the interface: the command tells.
    fn name(
        &self,
        Read {
            prepared, reading, ..
        }: &mut Read,
    ) {
        let heads = prepared.dialect.heads;
        let is_without_name = |head: &str| !NAMES.iter().any(|field| head.contains(field));
        let names_none =
            heads.iter().any(|head| !head.contains('{')) || heads.iter().all(|head| is_without_name(head));
        let is_unnamed = names_none && reading.interface.interface.is_empty();
        let asked_for = || self.asked.interface.clone().filter(|_| is_unnamed);
        if let Some(name) = self.block.first().and_then(asked_nic).or_else(asked_for) {
            reading.interface.interface = name;
        }
    }
}

/// The places of heads that name an interface.
const NAMES: [&str; 11] = [
    "{if",
    "{port}",
    "{alone}",
    "{controller}",
    "{eth",
    "{slot}",
    "{management}",
    "{plane}",
    "{vlan}",
    "{exos}",
    "{srl}",
];

/// Whether this is a port of Ethernet: any system prints all counters of each. Of units, VLANs and loopbacks some print none, and a
/// line below their heads may be of the next interface, whose own is gone.
fn is_ethernet(name: &str) -> bool {
    let kind = name
        .split(|sign: char| sign.is_ascii_digit())
        .next()
        .unwrap_or(name);
    !name.contains('.') && (kind.ends_with("Ethernet") || kind.ends_with("GigE"))
}

/// Units of switched ports have addresses, and no figures.
fn is_bare(interface: &InterfaceCounters) -> bool {
    let bare = InterfaceCounters {
        device: interface.device.clone(),
        interface: interface.interface.clone(),
        description: interface.description.clone(),
        ..InterfaceCounters::default()
    };
    *interface == bare
}

pub(super) fn complain(findings: &mut Findings, lines: (u64, u64), reading: &Reading) {
    for (lines, why) in &reading.complaints {
        findings.complain_of(*lines, why);
    }
    if reading.understood == 0 && !reading.is_nothing && !reading.is_told_by_head {
        findings.complain_of(lines, "the head of an interface with nothing of it below");
    }
}

pub(super) fn keep(findings: &mut Findings, context: &Context, lines: (u64, u64), reading: Reading) {
    if reading.understood == 0 && reading.interface.up.is_none() {
        return;
    }
    if reading.understood > 0 && is_bare(&reading.interface) {
        return findings.nothing_to_say();
    }
    if reading.interface.interface.is_empty() {
        return findings.complain_of(lines, "figures of an interface without its name");
    }
    record(findings, context, "show interfaces", lines, reading.interface);
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Payload;

    #[test]
    fn of_which_device_they_are_does_not_depend_on_how_many_there_are() {
        for count in [2, MANY - 1, MANY, 2 * MANY + 1] {
            let port = |port| {
                format!(
                    "GigabitEthernet0/{port} is up, line protocol is up \n     {} packets input, 900 bytes\n",
                    port + 1
                )
            };
            let ports: String = (0..count).map(port).collect();
            // A head alone, and a port of another maker: nobody knows whose.
            let text = format!(
                "r1#show interfaces\n{ports}GigabitEthernet1/0 is up, line protocol is up \nPhysical interface: xe-0/0/0, \
                 Enabled, Physical link is Up\n  Traffic statistics:\n   Input  bytes  :   345   12 bps\n"
            );
            let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
            let are_known: Vec<bool> = records
                .iter()
                .map(|record| match &record.payload {
                    Payload::InterfaceCounters(counters) => !counters.device.is_unknown(),
                    _ => panic!("{record:?}"),
                })
                .collect();
            let expected: Vec<bool> = (0..count + 2).map(|place| place < count).collect();
            assert_eq!(are_known, expected, "{count}: {complaints:?}");
            assert_eq!(complaints.len(), 1, "{complaints:?}");
        }
    }
}
