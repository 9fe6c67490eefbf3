//! The user that a server becomes.

use super::capabilities;
use crate::NetError;
use caps::Capability;
use nix::unistd::{Gid, Uid, User, fchown, geteuid, getgid, getuid, setgroups, setresgid, setresuid};
use std::io;
use std::os::fd::BorrowedFd;

/// A user and its group, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// The user's number.
    pub uid: u32,
    /// The number of its group.
    pub gid: u32,
}

/// Why nobody can be switched to.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// Neither a name that the host knows nor a number.
    #[error(
        "there is no user `{0}` on this host: name one that `getent passwd` lists, or give a number such as 65534"
    )]
    Unknown(String),
    /// Root, by whatever name.
    #[error("`{0}` is root, with all its rights: name a user that has none, for example nobody")]
    Root(String),
    /// The host's list of users cannot be read.
    #[error("cannot look up the user `{0}` ({1}): give its number instead")]
    Lookup(String, io::Error),
}

impl Account {
    /// The user that owns nothing: the kernel's overflow ID, `nobody` on every distribution of the last years. Not the
    /// user who called `sudo`, whose files and processes would then be in reach.
    pub const NOBODY: Self = Self {
        uid: 65_534,
        gid: 65_534,
    };

    /// The user of this name or number. Asks the host's list of users, so before anything is given up. A number that
    /// is not in the list is its own group's.
    ///
    /// # Errors
    /// There is no such user, or it is root.
    pub fn find(text: &str) -> Result<Self, AccountError> {
        let number: Option<u32> = text.parse().ok();
        let found = match number {
            Some(uid) => User::from_uid(Uid::from_raw(uid)),
            None => User::from_name(text),
        };
        let known = found.map_err(|error| AccountError::Lookup(text.to_owned(), error.into()));
        let account = match (known, number) {
            (Ok(Some(user)), _) => Self {
                uid: user.uid.as_raw(),
                gid: user.gid.as_raw(),
            },
            (_, Some(number)) => Self {
                uid: number,
                gid: number,
            },
            (Ok(None), None) => return Err(AccountError::Unknown(text.to_owned())),
            (Err(error), None) => return Err(error),
        };
        if account.uid == 0 || account.gid == 0 {
            return Err(AccountError::Root(text.to_owned()));
        }
        // The number that means "leave as it is" to the kernel.
        if account.uid == u32::MAX || account.gid == u32::MAX {
            return Err(AccountError::Unknown(text.to_owned()));
        }
        Ok(account)
    }
}

/// Becomes `asked`, or nobody, where this process may, and takes `sockets` along: only sockets of one user share a port
/// (`SO_REUSEPORT`), and those of UDP streams are opened later. The permitted capabilities stay until
/// [`capabilities::keep_only`]. Gives in words what was not done.
///
/// # Errors
/// A user that was asked for cannot be switched to.
pub(super) fn switch(asked: Option<Account>, sockets: &[BorrowedFd<'_>]) -> Result<Vec<String>, NetError> {
    let account = asked.unwrap_or(Account::NOBODY);
    let uid = geteuid();
    let switched = match obstacle(account) {
        None => become_account(account, sockets),
        Some(why) => Err(io::Error::new(io::ErrorKind::PermissionDenied, why)),
    };
    match (switched, asked) {
        (Ok(not_done), _) => Ok(not_done),
        (Err(source), Some(wanted)) if Uid::from_raw(wanted.uid) != uid => Err(NetError::Privilege {
            doing: "switching to the user given with --user",
            hint: "start it as root, or leave out --user",
            source,
        }),
        // Who is not root has not much to lose, and nothing that can be given up.
        _ if !uid.is_root() => Ok(Vec::new()),
        (Err(why), _) => Ok(vec![format!("uid {uid} is kept: {why}")]),
    }
}

/// All or nothing of user and sockets.
fn become_account(account: Account, sockets: &[BorrowedFd<'_>]) -> io::Result<Vec<String>> {
    let before = (getuid(), getgid());
    let (user, group) = (Uid::from_raw(account.uid), Gid::from_raw(account.gid));
    let hand_over = |user, group| {
        let mut sockets = sockets.iter();
        sockets.try_for_each(|socket| fchown(socket, Some(user), Some(group)))
    };
    let mut not_done = Vec::new();
    if let Err(error) = setgroups(&[]) {
        // A user namespace that an unprivileged user made (user_namespaces(7)).
        not_done.push(format!("the supplementary groups are kept: {error}"));
    }
    let switched = hand_over(user, group)
        .and_then(|()| nix::sys::prctl::set_keepcaps(true))
        .and_then(|()| setresgid(group, group, group))
        .and_then(|()| setresuid(user, user, user));
    let _ = nix::sys::prctl::set_keepcaps(false);
    match switched {
        Ok(()) => Ok(not_done),
        Err(error) => {
            let _ = hand_over(before.0, before.1);
            Err(error.into())
        }
    }
}

/// Why this process cannot become `account`, as far as can be told without trying.
fn obstacle(account: Account) -> Option<String> {
    let needed = [
        Capability::CAP_SETUID,
        Capability::CAP_SETGID,
        Capability::CAP_CHOWN,
    ];
    if let Some(missing) = needed.into_iter().find(|needed| !capabilities::may(*needed)) {
        return Some(format!("{missing} is not to be had here"));
    }
    let unknown = |kind: &str, id: u32| {
        let map = std::fs::read_to_string(format!("/proc/self/{kind}_map")).ok()?;
        (!maps(&map, id)).then(|| format!("this user namespace knows no {kind} {id} (/proc/self/{kind}_map)"))
    };
    unknown("uid", account.uid).or_else(|| unknown("gid", account.gid))
}

/// Whether a map of a user namespace (`inside outside count` a line, user_namespaces(7)) knows this ID. One that is not
/// understood forbids nothing: then the kernel will tell.
fn maps(map: &str, id: u32) -> bool {
    let mut understood = false;
    for line in map.lines() {
        let mut numbers = line.split_ascii_whitespace().map(str::parse::<u64>);
        let (Some(Ok(inside)), Some(_), Some(Ok(count))) = (numbers.next(), numbers.next(), numbers.next())
        else {
            continue;
        };
        understood = true;
        if (inside..inside.saturating_add(count)).contains(&u64::from(id)) {
            return true;
        }
    }
    !understood
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_namespace_with_one_user_knows_nobody_else() {
        let whole = "         0          0 4294967295\n";
        assert!(maps(whole, 65_534));
        let one = "         0       1000          1\n";
        assert!(maps(one, 0));
        assert!(!maps(one, 65_534));
        let subordinate = "0 1000 1\n1 100000 65536\n";
        assert!(maps(subordinate, 65_534));
        assert!(!maps(subordinate, 65_537));
        assert!(
            maps("", 65_534) && maps("what is this", 65_534),
            "the kernel will tell"
        );
    }

    #[test]
    fn root_and_strangers_are_no_users_to_become() {
        assert!(matches!(Account::find("0"), Err(AccountError::Root(_))));
        assert!(matches!(Account::find("root"), Err(AccountError::Root(_))));
        assert!(matches!(
            Account::find("4294967295"),
            Err(AccountError::Unknown(_))
        ));
        let unknown = Account::find("no-such-user-here").unwrap_err().to_string();
        assert!(
            unknown.contains("no-such-user-here") && unknown.contains("getent passwd"),
            "{unknown}"
        );
        // Not in any list, and its own group.
        let number = Account::find("3999999999").unwrap();
        assert_eq!((number.uid, number.gid), (3_999_999_999, 3_999_999_999));
    }
}
