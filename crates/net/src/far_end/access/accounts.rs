//! What each holder has used, as long as the server runs, and the change of who holds a token while it does.

use super::{Access, Holder, HolderLimits, NotAllowed};
use crate::budget::{Budget, SetAside};
use crate::far_end::token::Token;
use crate::sys::thread_time::monotonic_ns;
use probe::session::Limits;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio_util::sync::CancellationToken;

/// A transfer that may move less than this says nothing of a path.
const LEAST_TRANSFER_BYTES: u64 = 1_000_000;

/// One holder while the server runs.
pub(in crate::far_end) struct Account {
    pub(in crate::far_end) name: String,
    token: Token,
    limits: Mutex<HolderLimits>,
    /// What all sessions of this holder draw on.
    pub(in crate::far_end) budget: Arc<Budget>,
    /// Cancelled when the owner has taken the token back.
    pub(in crate::far_end) revoked: CancellationToken,
}

impl Account {
    fn open(holder: &Holder, owner: &Arc<Budget>) -> Arc<Self> {
        let budget = Arc::new(Budget::below(owner.clone(), monotonic_ns()));
        let account = Arc::new(Self {
            name: holder.name.clone(),
            token: holder.token.clone(),
            limits: Mutex::default(),
            budget,
            revoked: CancellationToken::new(),
        });
        account.allow(&holder.limits);
        account
    }

    fn is_of(&self, holder: &Holder) -> bool {
        self.name == holder.name && self.token.key() == holder.token.key()
    }

    /// From now on these limits.
    fn allow(&self, limits: &HolderLimits) {
        let (rate, bytes) = (limits.max_rate_bps, limits.max_bytes_per_hour);
        self.budget.limit(rate, bytes, monotonic_ns());
        *self.limits.lock().unwrap_or_else(PoisonError::into_inner) = limits.clone();
    }

    pub(in crate::far_end) fn key(&self) -> &[u8; 32] {
        self.token.key()
    }

    fn with<T>(&self, read: impl FnOnce(&HolderLimits) -> T) -> T {
        read(&self.limits.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What a single test may take, of what `all` may.
    pub(in crate::far_end) fn limits(&self, all: &Limits) -> Limits {
        self.with(|own| own.within(all))
    }

    /// Whether tests with this third place are allowed; `None`: as to all.
    pub(in crate::far_end) fn allows_peer(&self, peer: IpAddr) -> Option<bool> {
        self.with(|own| {
            let allowed = own.allow_peers.as_ref()?;
            Some(allowed.iter().any(|allowed| allowed.allows(peer)))
        })
    }

    fn meets_others(&self) -> bool {
        self.with(|own| {
            own.allow_peers
                .as_ref()
                .is_some_and(|allowed| !allowed.is_empty())
        })
    }

    /// Whether its holder may come from there.
    pub(in crate::far_end) fn comes_from(&self, from: IpAddr) -> Result<(), NotAllowed> {
        self.with(|own| {
            if own.from.is_empty() || own.from.iter().any(|allowed| allowed.allows(from)) {
                return Ok(());
            }
            let allowed: Vec<String> = own.from.iter().map(ToString::to_string).collect();
            Err(NotAllowed::From {
                holder: self.name.clone(),
                from,
                allowed: allowed.join(", "),
            })
        })
    }

    /// Whether its holder may measure now.
    pub(in crate::far_end) fn may_now(&self, unix_s: u64) -> Result<(), NotAllowed> {
        let Some(hours) = self.with(|own| own.hours) else {
            return Ok(());
        };
        let wait = hours.wait(unix_s);
        if wait.is_zero() {
            return Ok(());
        }
        Err(NotAllowed::Hours {
            holder: self.name.clone(),
            hours,
            wait,
        })
    }

    /// Sets the bytes of a test aside that begins now.
    pub(in crate::far_end) fn set_aside(&self, wanted: u64, now_ns: u64) -> Result<SetAside, NotAllowed> {
        self.between(wanted, wanted, now_ns)
    }

    /// Sets the bytes of a transfer aside whose user wants at most so many: it may be cut, as it ends early in the normal course
    /// anyway, and is refused only where what is left would say nothing of a path.
    pub(in crate::far_end) fn share(
        &self,
        most: Option<u64>,
        now_ns: u64,
    ) -> Result<(Option<u64>, SetAside), NotAllowed> {
        let Some(left) = self.budget.left_of_hour(now_ns) else {
            return Ok((most, self.between(0, 0, now_ns)?));
        };
        // A transfer takes all that it can get: a tenth stays for what is measured beside it.
        let most = most
            .unwrap_or(u64::MAX)
            .min((left - left / 10).max(LEAST_TRANSFER_BYTES));
        let set_aside = self.between(most.min(LEAST_TRANSFER_BYTES), most, now_ns)?;
        Ok((Some(set_aside.bytes), set_aside))
    }

    fn between(&self, least: u64, most: u64, now_ns: u64) -> Result<SetAside, NotAllowed> {
        let set_aside = self.budget.set_aside(least, most, now_ns);
        set_aside.map_err(|shortage| NotAllowed::Hour {
            holder: self.name.clone(),
            shortage,
        })
    }

    /// A refusal by the limits of a single test, in the name of its holder where that has one.
    pub(in crate::far_end) fn refusal(&self, what: String) -> String {
        match self.name.as_str() {
            "" => what,
            name => NotAllowed::OfTest {
                holder: name.to_owned(),
                what,
            }
            .to_string(),
        }
    }
}

/// All holders of one server.
pub(in crate::far_end) struct Accounts {
    accounts: RwLock<Vec<Arc<Account>>>,
    owner: Arc<Budget>,
}

impl Accounts {
    pub(in crate::far_end) fn open(access: &Access, owner: Arc<Budget>) -> Arc<Self> {
        let accounts = access.holders().iter();
        let accounts = accounts.map(|holder| Account::open(holder, &owner)).collect();
        Arc::new(Self {
            accounts: RwLock::new(accounts),
            owner,
        })
    }

    /// Those who have a token now.
    pub(in crate::far_end) fn all(&self) -> Vec<Arc<Account>> {
        self.accounts
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether any of them may have third places.
    pub(in crate::far_end) fn meet_others(&self) -> bool {
        self.all().iter().any(|account| account.meets_others())
    }

    fn replace(&self, access: &Access) -> Changes {
        let mut accounts = self.accounts.write().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Changes::default();
        let mut stay = Vec::with_capacity(access.holders().len());
        for holder in access.holders() {
            match accounts.iter().position(|account| account.is_of(holder)) {
                Some(number) => {
                    let account = accounts.remove(number);
                    if account.with(|limits| *limits != holder.limits) {
                        account.allow(&holder.limits);
                        changes.changed.push(holder.name.clone());
                    }
                    stay.push(account);
                }
                None => {
                    changes.added.push(holder.name.clone());
                    stay.push(Account::open(holder, &self.owner));
                }
            }
        }
        // Whoever is left here is not named any more, or has another token by now.
        for gone in std::mem::replace(&mut *accounts, stay) {
            gone.revoked.cancel();
            changes.removed.push(gone.name.clone());
        }
        changes
    }
}

/// What became of the holders. Who has another token was removed and added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Those who had no token, or another one.
    pub added: Vec<String>,
    /// Those with other limits.
    pub changed: Vec<String>,
    /// Those whose token opens nothing any more. Their sessions have ended.
    pub removed: Vec<String>,
}

/// Changes who may measure, while the server runs. Cheap to clone.
#[derive(Clone)]
pub struct AccessControl(pub(in crate::far_end) Arc<Accounts>);

impl AccessControl {
    /// From now on these holders and limits. What a holder has used stays counted, and tests that run go on, unless their
    /// token is not among these any more.
    pub fn replace(&self, access: &Access) -> Changes {
        self.0.replace(access)
    }
}

#[cfg(test)]
#[path = "accounts_tests.rs"]
mod tests;
