//! The ledger: what has been released so far, and whether the next release still fits its budget.
//!
//! # Privacy
//! A budget (ε, δ) holds for everything that one scope releases within one period, even if each release is chosen after
//! seeing all earlier ones. A release passes only while the sums of ε and of δ stay within the budget. This is the
//! basic-composition privacy filter of Rogers, Roth, Ullman and Vadhan (*Privacy Odometers and Filters*, NeurIPS 2016).
//! All losses must be about the same neighbours. They may follow only from earlier releases and from what the guarantee
//! lists as public. The budget promises no more than that. Losses about the same data add up over scopes and over
//! periods. And an interval as long as a period touches two periods.
//!
//! Sums are exact integers: every ε is rounded up to 2⁻⁶⁴ and every δ to 2⁻¹²⁷, budgets are rounded down, and
//! what would overflow is refused. (Nothing is rounded for ε ≥ 2⁻¹² and δ ≥ 2⁻⁷⁵.)
//!
//! # Time
//! The caller passes the time. A scope's time never runs backwards: an earlier time counts as the latest one seen, so
//! that setting the clock back frees nothing. Setting it forward frees the later period's budget, once. After that the
//! scope stays in that period until the clock has caught up. The ledger keeps that time, and not the number of a
//! period. If a new program counts in other periods, the sums of the last old period still count in the new period
//! around it.
//!
//! # What is stored, version 1 (little-endian)
//! | bytes | field |
//! | --- | --- |
//! | 0–7 | magic `TVLEDGER` |
//! | 8–9 | u16 version = 1 |
//! | 10–11 | u16 number of scopes, at most 1024 |
//! | 12–19 | u64 sequence number, one more with each release |
//! | 20… | the scopes, names ascending |
//! | last 32 | SHA-256 of everything before |
//!
//! A scope: u8 length of its name, the name (UTF-8), u64 time of its last release. Then, for the period of that time,
//! u32 releases, u128 Σ ε·2⁶⁴, u128 Σ δ·2¹²⁷.
//!
//! Budgets are not stored: they are the program's, and no file can raise them.
//!
//! # What is noticed
//! The checksum shows damage. A sequence number in a second place shows an old state and a missing one. The checksum is
//! no signature: anyone who can write both places can forge, restore or delete the past. Two programs that spend from
//! copies of one state do not see each other.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroU64;

use crate::{Error, Loss, sha256};

/// Longest name of a scope, in bytes of UTF-8.
pub const MAX_SCOPE_BYTES: usize = 64;
/// Most scopes in a ledger, former ones included.
pub const MAX_SCOPES: usize = 1024;

const MAGIC: &[u8; 8] = b"TVLEDGER";
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 20;
const RECORD_BYTES: usize = 44;
const CHECKSUM_BYTES: usize = 32;

/// How many units of stored ε are one nat.
const EPSILON_UNITS: f64 = (1_u128 << 64) as f64;
/// How many units of stored δ are probability 1.
const DELTA_UNITS: f64 = (1_u128 << 127) as f64;

/// The most that a scope may lose in a period. Checked when a ledger is opened with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Largest sum of ε, in nats: finite, from zero up.
    pub epsilon: f64,
    /// Largest sum of δ, from 0 to 1.
    pub delta: f64,
    /// Most releases, if they are counted.
    pub releases: Option<u32>,
    /// Length of a period in seconds, above zero. Without one the budget is for good.
    ///
    /// Periods are counted from time 0. A new period begins where the whole part of time / length grows.
    pub period: Option<u64>,
}

/// The releases of a scope in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// The sum of the losses, rounded up. ε is infinite if the past is unknown ([`Ledger::exhausted`]).
    pub loss: Loss,
    /// The number of releases, or the largest `u32` if the past is unknown.
    pub releases: u32,
}

/// The ledger's state, to be stored before the release that it records leaves the device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a release may leave only after this is stored"]
pub struct Snapshot {
    /// Bytes to store in one atomic write: half of them are a damaged state.
    pub bytes: Vec<u8>,
    /// The state's sequence number, to store in a second place after the bytes.
    pub sequence: u64,
}

/// The releases so far, by scope. A scope is a form field, an app, or anything else with a budget of its own.
///
/// There is one way to get a ledger at start, and it needs the stored state. There is one way to spend, and it returns
/// the state to store. In a host that keeps `bytes` and `sequence` in two places:
/// ```
/// # use textveil::{Budget, Error, Ledger, Loss};
/// # let (stored, sequence): (Option<Vec<u8>>, u64) = (None, 0);
/// # let (loss, now) = (Loss::pure(2.5), 1_800_000_000);
/// # let (store, count, send) = (|_: &[u8]| (), |_: u64| (), || ());
/// let daily = Budget { epsilon: 50.0, delta: 0.0, releases: Some(20), period: Some(86_400) };
/// let mut ledger = Ledger::restore(&[("comment", daily)], stored.as_deref(), sequence)?; // first: None, 0
/// let snapshot = ledger.spend("comment", loss, now)?; // an error here: nothing is sent
/// store(&snapshot.bytes);
/// count(snapshot.sequence); // in the second place, after the bytes
/// send();
/// # Ok::<(), Error>(())
/// ```
/// A crash between any two lines loses budget and never gains it. If more than one window or process of the
/// host can spend, they share one lock. For each release, one takes it, reads both places, opens the ledger, spends, stores both, and
/// gives it back.
///
/// # Security
/// Anyone who controls both places controls the ledger. It keeps an honest program within its budget, but it keeps no
/// attacker out. A host with one place alone cannot tell a deleted state from a first start, nor an old one from the
/// last.
#[derive(Debug)]
pub struct Ledger {
    /// Names ascending.
    accounts: Vec<(String, Account)>,
    sequence: u64,
}

/// A scope; one that the program has no budget for any more is kept, so that its past is not forgotten.
#[derive(Debug, Default)]
struct Account {
    limit: Option<Limit>,
    record: Record,
}

/// A checked [`Budget`], rounded down to units.
#[derive(Debug)]
struct Limit {
    epsilon: u128,
    delta: u128,
    releases: u32,
    period: Option<NonZeroU64>,
}

/// What was spent in the period of `time`, the latest time seen.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    time: u64,
    releases: u32,
    epsilon: u128,
    delta: u128,
}

impl Ledger {
    /// Resumes from a stored state, or starts if there never was one.
    ///
    /// `stored` is the last [`Snapshot::bytes`] and `at_least` the last [`Snapshot::sequence`]. Before the first they
    /// are `None` and 0. A state newer than `at_least` is accepted: the host died between the two stores.
    ///
    /// # Errors
    /// [`Error::InvalidBudget`] if a budget or the name of a scope is unusable, a name comes twice, or there
    /// are too many scopes. [`Error::BadLedger`] if the state is damaged, of an unknown version, older than `at_least`,
    /// or missing although `at_least` is not 0. Then nothing may be released: use [`Ledger::exhausted`].
    pub fn restore(budgets: &[(&str, Budget)], stored: Option<&[u8]>, at_least: u64) -> Result<Self, Error> {
        let mut ledger = match stored {
            Some(bytes) => Self::decode(bytes).ok_or(Error::BadLedger("damaged, or of an unknown version"))?,
            None if at_least == 0 => Self { accounts: Vec::new(), sequence: 0 },
            None => return Err(Error::BadLedger("missing")),
        };
        if ledger.sequence < at_least {
            return Err(Error::BadLedger("older than the last one known"));
        }
        for (scope, budget) in budgets {
            let limit = Limit::new(budget).filter(|_| is_name(scope)).ok_or(Error::InvalidBudget)?;
            let at = ledger.place(scope).unwrap_or_else(|at| {
                ledger.accounts.insert(at, ((*scope).to_owned(), Account::default()));
                at
            });
            if ledger.accounts[at].1.limit.replace(limit).is_some() {
                return Err(Error::InvalidBudget);
            }
        }
        if ledger.accounts.len() > MAX_SCOPES {
            return Err(Error::InvalidBudget);
        }
        Ok(ledger)
    }

    /// A ledger instead of one that could not be restored. Every budget counts as spent, a periodic one until the
    /// period after `now`, any other for good.
    ///
    /// Name every scope that there has been: one that is named later begins with nothing spent. If the clock is behind, the
    /// budget of a period is back when the clock is set right.
    ///
    /// `now` is in seconds since a fixed moment, and `at_least` is the last sequence number that the host knows.
    /// Storing its [`Ledger::snapshot`] ends the `bad-ledger` state.
    ///
    /// # Errors
    /// [`Error::InvalidBudget`] as in [`Ledger::restore`].
    pub fn exhausted(budgets: &[(&str, Budget)], now: u64, at_least: u64) -> Result<Self, Error> {
        let mut ledger = Self::restore(budgets, None, 0)?;
        // The state that was lost is an old one from here on.
        ledger.sequence = at_least.saturating_add(1);
        for (_, account) in &mut ledger.accounts {
            account.record = Record { time: now, ..Record::UNKNOWN };
        }
        Ok(ledger)
    }

    /// Records a release of this loss, or refuses it and changes nothing.
    ///
    /// `now` is in seconds since a fixed moment. The release may leave once the snapshot is stored. If
    /// storing fails, it may not, and what was spent stays spent.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] if the release would exceed the scope's budget in the period of `now`.
    /// [`Error::InvalidBudget`] if no budget was given for `scope`. [`Error::Invalid`] for an invalid ε or δ.
    pub fn spend(&mut self, scope: &str, loss: Loss, now: u64) -> Result<Snapshot, Error> {
        let loss = Loss::new(loss.epsilon, loss.delta)?;
        let at = self.place(scope).map_err(|_| Error::InvalidBudget)?;
        let Account { limit, record } = &mut self.accounts[at].1;
        let limit = limit.as_ref().ok_or(Error::InvalidBudget)?;
        let next = record.at(now, limit.period).plus(loss);
        let next = next.filter(|next| limit.allows(next)).ok_or(Error::BudgetExhausted)?;
        self.sequence = self.sequence.checked_add(1).ok_or(Error::BudgetExhausted)?;
        *record = next;
        Ok(self.snapshot())
    }

    /// The spending of `scope` in the period of `now`.
    ///
    /// # Errors
    /// [`Error::InvalidBudget`] if no budget was given for `scope`.
    pub fn spent(&self, scope: &str, now: u64) -> Result<Spent, Error> {
        let at = self.place(scope).map_err(|_| Error::InvalidBudget)?;
        let Account { limit, record } = &self.accounts[at].1;
        let limit = limit.as_ref().ok_or(Error::InvalidBudget)?;
        Ok(record.at(now, limit.period).spent())
    }

    /// Where a scope stands, or would.
    fn place(&self, scope: &str) -> Result<usize, usize> {
        self.accounts.binary_search_by(|(name, _)| name.as_str().cmp(scope))
    }

    /// The state as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { bytes: self.encode(), sequence: self.sequence }
    }

    fn encode(&self) -> Vec<u8> {
        let scopes = self.accounts.len() as u16;
        let mut bytes =
            [MAGIC, &VERSION.to_le_bytes()[..], &scopes.to_le_bytes(), &self.sequence.to_le_bytes()].concat();
        for (name, Account { record, .. }) in &self.accounts {
            bytes.push(name.len() as u8);
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(&record.encode());
        }
        let checksum = sha256(&[&bytes]);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Accepts exactly what `encode` writes.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        let (header, mut rest) = content.split_first_chunk::<HEADER_BYTES>()?;
        let mut fields = header.as_slice();
        let (magic, version, scopes) = (take(&mut fields)?, take(&mut fields)?, take(&mut fields)?);
        let scopes = usize::from(u16::from_le_bytes(scopes));
        if sha256(&[content]) != *checksum
            || magic != *MAGIC
            || u16::from_le_bytes(version) != VERSION
            || scopes > MAX_SCOPES
        {
            return None;
        }
        let sequence = u64::from_le_bytes(take(&mut fields)?);
        let mut accounts: Vec<(String, Account)> = Vec::new();
        for _ in 0..scopes {
            let (length, behind) = rest.split_first()?;
            let (name, behind) = behind.split_at_checked(usize::from(*length))?;
            let (record, behind) = behind.split_first_chunk()?;
            rest = behind;
            let name = core::str::from_utf8(name).ok().filter(|name| is_name(name))?;
            if accounts.last().is_some_and(|(last, _)| name <= last.as_str()) {
                return None;
            }
            accounts.push((name.to_owned(), Account { limit: None, record: Record::decode(record)? }));
        }
        rest.is_empty().then_some(Self { accounts, sequence })
    }
}

impl Limit {
    fn new(budget: &Budget) -> Option<Self> {
        let usable = budget.epsilon.is_finite() && budget.epsilon >= 0.0 && (0.0..=1.0).contains(&budget.delta);
        usable.then_some(())?;
        Some(Self {
            epsilon: floor(budget.epsilon * EPSILON_UNITS),
            delta: floor(budget.delta * DELTA_UNITS),
            releases: budget.releases.unwrap_or(u32::MAX),
            period: budget.period.map(|seconds| NonZeroU64::new(seconds).ok_or(())).transpose().ok()?,
        })
    }

    const fn allows(&self, record: &Record) -> bool {
        record.releases <= self.releases && record.epsilon <= self.epsilon && record.delta <= self.delta
    }
}

impl Record {
    /// More than any budget: nothing can be added to it.
    const UNKNOWN: Self = Self { time: 0, releases: u32::MAX, epsilon: u128::MAX, delta: u128::MAX };

    fn encode(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&self.time.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.releases.to_le_bytes());
        bytes[12..28].copy_from_slice(&self.epsilon.to_le_bytes());
        bytes[28..].copy_from_slice(&self.delta.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let mut fields = bytes.as_slice();
        Some(Self {
            time: u64::from_le_bytes(take(&mut fields)?),
            releases: u32::from_le_bytes(take(&mut fields)?),
            epsilon: u128::from_le_bytes(take(&mut fields)?),
            delta: u128::from_le_bytes(take(&mut fields)?),
        })
    }

    /// What of this counts at `now`: all of it, unless a later period has begun.
    fn at(self, now: u64, period: Option<NonZeroU64>) -> Self {
        let time = now.max(self.time);
        match period {
            Some(length) if time / length > self.time / length => Self { time, ..Self::default() },
            _ => Self { time, ..self },
        }
    }

    /// This and one more release; `None` if that is beyond what can be counted.
    fn plus(self, loss: Loss) -> Option<Self> {
        Some(Self {
            time: self.time,
            releases: self.releases.checked_add(1)?,
            epsilon: self.epsilon.checked_add(units_up(loss.epsilon, EPSILON_UNITS)?)?,
            delta: self.delta.checked_add(units_up(loss.delta, DELTA_UNITS)?)?,
        })
    }

    fn spent(&self) -> Spent {
        let epsilon = if self.epsilon == u128::MAX { f64::INFINITY } else { float_up(self.epsilon) / EPSILON_UNITS };
        let delta = (float_up(self.delta) / DELTA_UNITS).min(1.0);
        Spent { loss: Loss { epsilon, delta }, releases: self.releases }
    }
}

fn is_name(scope: &str) -> bool {
    (1..=MAX_SCOPE_BYTES).contains(&scope.len())
}

/// The first bytes of `rest`, which moves on behind them.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*first)
}

/// The least number of units that is not below `value`; `None` if it does not fit. The product with a power
/// of two is exact.
fn units_up(value: f64, units: f64) -> Option<u128> {
    let scaled = libm::ceil(value * units);
    (scaled < u128::MAX as f64).then(|| floor(scaled))
}

/// The smallest float from `units` up.
fn float_up(units: u128) -> f64 {
    let float = units as f64;
    if floor(float) < units { float.next_up() } else { float }
}

/// The largest integer from `value` down; the largest of all for what is beyond it. (A function of its own
/// because a cast is many bytes.)
#[inline(never)]
fn floor(value: f64) -> u128 {
    value as u128
}
