//! What is kept on the device: a release by its key, and the latest prepared mechanisms.
//!
//! # Privacy
//! Two draws of one text are two observations of it, and their ε add up. So a host keeps every release in a map by
//! its [`ReleaseKey`], and draws only for a key that is not there. The key is the digest of the input and of the
//! law that the release is drawn from. Options that give one law have one key: a level and its η, a default and
//! the same value said aloud. Options that give two laws have two keys. Where the two cannot be compared, as for
//! two cut-offs that are both beyond the table's distances, they count as two.
//!
//! A key is for the memory of one device. It is a digest without a secret, so that a guess of the text can be
//! checked against it: it must not leave the device.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::digest::Hex;
use crate::mechanism::Proof;
use crate::{FileId, Mechanism, Parameter, sha256};

/// What a release is remembered by: SPEC.md, section 12. `Debug` shows nothing of it: it is made of the user's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReleaseKey([u8; 32]);

impl fmt::Debug for ReleaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReleaseKey").finish_non_exhaustive()
    }
}

impl ReleaseKey {
    /// The key in hexadecimal.
    #[must_use]
    pub fn to_hex(&self) -> String {
        Hex(&self.0).to_string()
    }
}

/// The law that releases are drawn from, as named items. It is found once, when a mechanism is prepared.
#[derive(Clone)]
pub(crate) struct Law(Vec<u8>);

impl Law {
    /// The law of a mechanism over a table, or over what the caller says of its inputs.
    pub(crate) fn new(release: &str, table: Option<FileId>, mechanism: &Mechanism, proof: &Proof) -> Self {
        let law = Self(Vec::new()).item("release", release.as_bytes());
        let law = match table {
            Some(table) => law.item("table", table.as_bytes()),
            None => law,
        };
        let law = law.item("mechanism", mechanism.kind().name().as_bytes());
        let law = law.item("calibration", mechanism.calibration().name().as_bytes());
        // The metric mechanisms draw by η alone, however it was asked for.
        match (proof.eta, mechanism.get(Parameter::Epsilon)) {
            (Some((eta, _)), _) => law.number(Parameter::Eta.name(), eta),
            (None, Some(epsilon)) => law.number(Parameter::Epsilon.name(), epsilon),
            (None, None) => law,
        }
    }

    /// With the other parameters of the mechanism, as given or as they are unless given.
    pub(crate) fn parameters(self, mechanism: &Mechanism) -> Self {
        Parameter::ALL.iter().copied().fold(self, |law, parameter| match mechanism.value(parameter) {
            Some(value) if !Parameter::STRENGTHS.contains(&parameter) => law.number(parameter.camel_case(), value),
            _ => law,
        })
    }

    /// With one more item: its name and its bytes, each after its length. (Never inlined: there are many.)
    #[inline(never)]
    pub(crate) fn item(mut self, name: &str, bytes: &[u8]) -> Self {
        for part in [name.as_bytes(), bytes] {
            self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
            self.0.extend_from_slice(part);
        }
        self
    }

    /// With a vector. A zero loses its sign, which nothing depends on.
    pub(crate) fn vector(self, vector: &[f64]) -> Self {
        let bytes: Vec<u8> = vector.iter().flat_map(|x| (x + 0.0).to_le_bytes()).collect();
        self.item("vector", &bytes)
    }

    pub(crate) fn number(self, name: &str, value: f64) -> Self {
        self.item(name, &value.to_le_bytes())
    }

    #[cfg(feature = "all-mechanisms")]
    pub(crate) fn count(self, name: &str, count: u64) -> Self {
        self.item(name, &count.to_le_bytes())
    }

    /// With the name of what the input is for, if there is one. Equal releases for two fields would show that their
    /// inputs are equal.
    pub(crate) fn of_field(self, field: Option<&str>) -> Self {
        match field {
            Some(field) => self.item("field", field.as_bytes()),
            None => self,
        }
    }

    /// The key of a release from this law.
    pub(crate) fn key(&self) -> ReleaseKey {
        ReleaseKey(sha256(&[&self.0]))
    }
}

/// The latest prepared mechanisms by what they were asked for, because preparing one may take a second. How they
/// are shared between threads, if at all, is up to the host: `V` is a handle.
pub struct Prepared<K, V> {
    /// The oldest first.
    kept: Vec<(K, V)>,
}

impl<K, V> fmt::Debug for Prepared<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("kept", &self.kept.len()).finish()
    }
}

impl<K, V> Default for Prepared<K, V> {
    fn default() -> Self {
        Self { kept: Vec::new() }
    }
}

impl<K: PartialEq, V: Clone> Prepared<K, V> {
    /// How many are kept: somebody compares a handful of levels (about 2 MB each).
    pub const CAPACITY: usize = 8;

    /// What `asked` has been prepared as, or else what `prepare` makes of it.
    ///
    /// # Errors
    /// That of `prepare`; nothing is kept then.
    pub fn get<E>(&mut self, asked: K, prepare: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if let Some((_, found)) = self.kept.iter().find(|(known, _)| *known == asked) {
            return Ok(found.clone());
        }
        let fresh = prepare()?;
        if self.kept.len() == Self::CAPACITY {
            self.kept.remove(0);
        }
        self.kept.push((asked, fresh.clone()));
        Ok(fresh)
    }

    /// Forgets those that `is_unwanted`.
    pub fn forget(&mut self, is_unwanted: impl Fn(&V) -> bool) {
        self.kept.retain(|(_, kept)| !is_unwanted(kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_prepared_one_goes_first_and_a_failed_one_leaves_nothing() {
        let mut prepared = Prepared::default();
        let mut made = 0;
        let mut get = |asked: usize| {
            prepared.get(asked, || {
                made += 1;
                if asked < 100 { Ok(made) } else { Err("refused") }
            })
        };
        let first: Vec<_> = (0..=Prepared::<usize, i32>::CAPACITY).map(&mut get).collect();
        for refused in 100..200 {
            assert_eq!(get(refused), Err("refused"));
        }
        assert_eq!(get(Prepared::<usize, i32>::CAPACITY), first[Prepared::<usize, i32>::CAPACITY]);
        assert_eq!(get(1), first[1]);
        assert_ne!(get(0), first[0]);
        prepared.forget(|_| true);
        assert!(prepared.kept.is_empty());
    }

    #[test]
    fn items_cannot_run_into_each_other() {
        let law = || Law(Vec::new());
        assert!(law().item("a", b"bc").key() != law().item("ab", b"c").key());
        assert!(law().item("a", b"").item("b", b"").key() != law().item("a", b"b").key());
    }
}
