//! Policies, their classes, and policies within classes: what the names of counters stand below. Which class a policy belongs
//! to, and where it ends, only the indentation tells.

/// What a name stands below, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Nest {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    indentation: usize,
    is_policy: bool,
    name: String,
    /// Where its first counters stand.
    counters: Option<usize>,
}

/// What classes of priority share.
pub(super) const PRIORITY: &str = "priority";

impl Nest {
    /// The policy of a direction of the interface.
    pub(super) fn begin(&mut self, name: String) {
        self.levels.clear();
        self.push(0, true, name);
    }

    /// A policy within a class.
    pub(super) fn policy(&mut self, indentation: usize, name: &str) -> Result<(), String> {
        let _ = self.close(indentation);
        match self.levels.last() {
            Some(class) if !class.is_policy => {
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

    /// Queues of priority stand beside each other, and tell their level below.
    pub(super) fn name_level(&mut self, level: &str) {
        if let Some(group) = self.levels.last_mut().filter(|group| group.name == PRIORITY) {
            group.name = format!("priority level {level}");
        }
    }

    /// Whether these packets are those of one condition of a class, further in than the packets of the class.
    pub(super) fn is_of_match(&mut self, indentation: usize, name: &str) -> bool {
        let Some(class) = self.levels.last_mut().filter(|level| !level.is_policy) else {
            return false;
        };
        let first = *class.counters.get_or_insert(indentation);
        matches!(name, "packets" | "bytes") && indentation > first
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
        self.levels.push(Level {
            indentation,
            is_policy,
            name,
            counters: None,
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

    /// Whether what stands here is of a class, or of no policy at all.
    pub(super) fn is_told(&self) -> bool {
        self.levels.last().is_none_or(|level| !level.is_policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indentation_tells_where_a_policy_ends() {
        let mut nest = Nest::default();
        assert!(nest.group(4, "A").is_err());
        nest.begin("output P".to_owned());
        nest.group(4, "A").unwrap();
        nest.policy(6, "Q").unwrap();
        nest.group(8, "B").unwrap();
        assert_eq!(nest.named("packets"), "output P A Q B packets");
        nest.group(8, "C").unwrap();
        assert_eq!(nest.named("packets"), "output P A Q C packets");
        nest.group(4, "class-default").unwrap();
        assert!(nest.group(4, "E").is_err());
        nest.begin("input P".to_owned());
        nest.group(4, "D").unwrap();
        assert_eq!(nest.named("packets"), "input P D packets");
        assert!(nest.policy(4, "R").is_err());
    }
}
