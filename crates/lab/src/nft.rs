//! Routers that hold their tongue: a few nf_tables rules in the node's own output and input, spoken to the
//! kernel in netlink.
//!
//! Only the node's own words are filtered, never what it forwards. [`rules_for`] says which packets are dropped,
//! [`expression`] how that is written as nf_tables expressions, [`message`] how those travel.

mod attribute;
mod expression;
mod message;
mod rule;

use scenario::Settings;

use crate::error::{LabError, while_doing};
use expression::Match;
use rule::{Hook, Rule};

fn drop(hook: Hook, conditions: Vec<Match>) -> Rule {
    Rule {
        hook,
        conditions,
        accept: false,
    }
}

const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMPV6: u8 = 58;

/// The rules that make a node behave like this.
fn rules_for(settings: &Settings) -> Vec<Rule> {
    let mut rules = Vec::new();
    if settings.mute {
        // Neighbour discovery goes on, or IPv6 could not be forwarded either.
        rules.push(Rule {
            hook: Hook::Output,
            conditions: vec![Match::Protocol(ICMPV6), Match::IcmpTypeRange(133, 137)],
            accept: true,
        });
        rules.push(drop(Hook::Output, vec![]));
    }
    if settings.no_time_exceeded {
        rules.push(drop(
            Hook::Output,
            vec![Match::Protocol(ICMP), Match::IcmpType(11)],
        ));
        rules.push(drop(
            Hook::Output,
            vec![Match::Protocol(ICMPV6), Match::IcmpType(3)],
        ));
    }
    if settings.no_frag_needed {
        rules.push(drop(
            Hook::Output,
            vec![Match::Protocol(ICMP), Match::IcmpType(3), Match::IcmpCode(4)],
        ));
        rules.push(drop(
            Hook::Output,
            vec![Match::Protocol(ICMPV6), Match::IcmpType(2)],
        ));
    }
    if settings.firewalled {
        for protocol in [TCP, UDP] {
            rules.push(drop(Hook::Input, vec![Match::Protocol(protocol), Match::Unasked]));
        }
    }
    if let Some(limit) = settings.ignores_echo_over_bytes {
        for (protocol, echo_request) in [(ICMP, 8), (ICMPV6, 128)] {
            let conditions = vec![
                Match::Protocol(protocol),
                Match::IcmpType(echo_request),
                Match::LongerThan(limit),
            ];
            rules.push(drop(Hook::Input, conditions));
        }
    }
    rules
}

/// Makes the calling thread's network namespace behave as the settings say, replacing earlier rules.
pub(crate) fn apply(settings: &Settings) -> Result<(), LabError> {
    let rules = rules_for(settings);
    message::send(&message::batch(&rules)).map_err(while_doing("setting nf_tables rules"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_talkative_router_has_no_rules() {
        assert!(rules_for(&Settings::default()).is_empty());
    }

    #[test]
    fn each_behaviour_covers_both_families() {
        let settings = Settings {
            no_frag_needed: true,
            ignores_echo_over_bytes: Some(1500),
            ..Settings::default()
        };
        let rules = rules_for(&settings);
        for protocol in [ICMP, ICMPV6] {
            let of_family = rules
                .iter()
                .filter(|r| r.conditions.first() == Some(&Match::Protocol(protocol)));
            assert_eq!(of_family.count(), 2);
        }
    }
}
