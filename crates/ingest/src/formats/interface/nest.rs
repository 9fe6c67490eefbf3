//! Policies, their classes, and policies within classes: what the names of counters stand below. Which class a policy belongs
//! to, and where it ends, only the indentation tells.

/// What a name stands below, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Nest {
    levels: Vec<Level>,
    /// The line that named what stands here was damaged.
    is_lost: bool,
}

#[derive(Debug)]
struct Level {
    indentation: usize,
    is_policy: bool,
    name: String,
    /// Counters of it were taken.
    has_counters: bool,
    /// Where what it matches stands.
    matches: Option<usize>,
}

/// What classes of priority share.
pub(super) const PRIORITY: &str = "priority";

impl Nest {
    /// The policy of a direction of the interface: that of what is received stands first.
    pub(super) fn begin(&mut self, way: &str, name: &str) -> Result<(), String> {
        let is_second = self
            .levels
            .first()
            .is_some_and(|policy| !policy.name.starts_with("input "));
        if is_second && self.levels.first().is_some_and(|policy| policy.is_policy) {
            return Err(format!("policy {name} of {way} below one of output"));
        }
        self.levels.clear();
        self.push(0, true, format!("{way} {name}"));
        Ok(())
    }

    /// A policy of which neither name nor direction is told.
    pub(super) fn begin_untold(&mut self) {
        self.push(0, true, "policy".to_owned());
    }

    /// What stands next is of none of them.
    pub(super) fn leave(&mut self) {
        self.levels.clear();
    }

    /// What stands next is not told.
    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// A queue of the interface.
    pub(super) fn queue(&mut self, number: &str) {
        self.levels.clear();
        self.push(0, false, format!("queue {number}"));
    }

    /// A part of the device, of which the queue is counted: one of its kind ends the one before, with what stood within it.
    pub(super) fn part(&mut self, kind: &str, number: &str) -> Result<(), String> {
        let is_kind = |level: &Level| {
            level
                .name
                .strip_prefix(kind)
                .is_some_and(|rest| rest.starts_with(' '))
        };
        let place = self.levels.iter().position(is_kind).unwrap_or(self.levels.len());
        self.levels.truncate(place);
        let is_in_its_place = match self.levels.as_slice() {
            [_] => kind == "FPC",
            [_, part] => kind == "PFE" && part.name.starts_with("FPC "),
            _ => false,
        };
        if !is_in_its_place {
            return Err(format!("what {kind} {number} is a part of is not told"));
        }
        self.push(0, false, format!("{kind} {number}"));
        Ok(())
    }

    /// A policy within a class.
    pub(super) fn policy(&mut self, indentation: usize, name: &str) -> Result<(), String> {
        let _ = self.close(indentation);
        match self.levels.last() {
            Some(class) if !class.is_policy && !self.is_lost => {
                self.push(indentation, true, name.to_owned());
                Ok(())
            }
            _ => Err(format!("the class of policy {name} is not told")),
        }
    }

    /// A class of the policy above it.
    pub(super) fn group(&mut self, indentation: usize, name: &str) -> Result<(), String> {
        // It is the last class of every policy: another one belongs to a policy that is not told.
        if self.close(indentation) {
            return Err(format!("the policy of class {name} is not told"));
        }
        match self.levels.last() {
            Some(policy) if policy.is_policy => {
                self.push(indentation, false, name.to_owned());
                Ok(())
            }
            Some(_) => Err(format!("the policy of class {name} is not told")),
            None => Err(format!("{name} below no policy")),
        }
    }

    /// Queues of priority stand beside each other, and tell their level below: those of the first may tell none.
    pub(super) fn name_level(&mut self, level: &str) -> Result<(), String> {
        match self.levels.last_mut() {
            Some(group) if group.has_counters => Err("the level of other queues".to_owned()),
            Some(group) if group.name == PRIORITY && level != "1" => {
                group.name = format!("{PRIORITY} level {level}");
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What a class matches: packets further in are those that fit one condition, and those of the class stand above.
    pub(super) fn matches(&mut self, indentation: usize) {
        if let Some(class) = self.levels.last_mut() {
            class.matches = Some(indentation);
        }
    }

    /// Counters stand here. Whether they are those of one condition of a class.
    pub(super) fn is_of_match(&mut self, indentation: usize, name: &str) -> bool {
        let Some(class) = self.levels.last_mut().filter(|level| !level.is_policy) else {
            return false;
        };
        class.has_counters = true;
        let is_further_in = class.matches.is_some_and(|matches| indentation > matches);
        is_further_in && matches!(name, "packets" | "bytes")
    }

    /// Whether names stand below nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The name behind those of what it stands below.
    pub(super) fn named(&self, name: &str) -> String {
        let mut text = String::new();
        for level in &self.levels {
            text.push_str(&level.name);
            text.push(' ');
        }
        text.push_str(name);
        text
    }

    fn push(&mut self, indentation: usize, is_policy: bool, name: String) {
        self.is_lost = false;
        self.levels.push(Level {
            indentation,
            is_policy,
            name,
            has_counters: false,
            matches: None,
        });
    }

    /// What stands as far in or further has ended, but for the policy of the interface. Whether the last of it, as far in, was
    /// the class of what fits no other one.
    fn close(&mut self, indentation: usize) -> bool {
        let mut was_default = false;
        while self.levels.len() > 1
            && let Some(level) = self.levels.pop_if(|level| level.indentation >= indentation)
        {
            was_default = !level.is_policy && level.name == "class-default";
        }
        was_default
    }

    /// Whether it is told which class or queue this is of.
    pub(super) fn is_told(&self) -> bool {
        // A card has several engines.
        let is_whole = |level: &Level| !level.is_policy && !level.name.starts_with("FPC ");
        !self.is_lost && self.levels.last().is_some_and(is_whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indentation_tells_where_a_policy_ends() {
        let mut nest = Nest::default();
        assert!(nest.group(4, "A").is_err());
        nest.begin("input", "P").unwrap();
        nest.group(4, "A").unwrap();
        nest.policy(6, "Q").unwrap();
        nest.group(8, "B").unwrap();
        assert_eq!(nest.named("packets"), "input P A Q B packets");
        nest.group(8, "C").unwrap();
        assert_eq!(nest.named("packets"), "input P A Q C packets");
        nest.group(4, "class-default").unwrap();
        assert!(nest.group(4, "E").is_err());
        nest.begin("output", "P").unwrap();
        assert!(nest.begin("input", "P").is_err());
        nest.group(4, "D").unwrap();
        assert_eq!(nest.named("packets"), "output P D packets");
        assert!(nest.policy(4, "R").is_err());
    }

    /// Where a filter took both policies away, the second shows by what stands below the last class of the first.
    #[test]
    fn of_two_policies_that_are_not_told_one_is_read() {
        let mut nest = Nest::default();
        nest.begin_untold();
        nest.group(4, "A").unwrap();
        nest.group(4, "class-default").unwrap();
        assert_eq!(nest.named("packets"), "policy class-default packets");
        assert!(nest.group(4, "A").is_err());
    }
}
