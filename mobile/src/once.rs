//! What is made once and kept: prepared mechanisms, and everything that has been drawn.
//!
//! Threads that ask for the same thing wait for the first of them; those that ask for different things do not
//! wait for each other. A thread that dies while it makes something leaves nothing behind, and the next one
//! makes it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value, or the place of one that is being made.
type Slot<V> = Arc<Mutex<Option<V>>>;

/// A lock; what it guards is whole even if a thread died with it, as each change is a single assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is in the slot, or else what `make` makes of it.
fn fill<V: Clone, E>(slot: &Slot<V>, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
    let mut value = lock(slot);
    if let Some(value) = &*value {
        return Ok(value.clone());
    }
    let made = make()?;
    *value = Some(made.clone());
    Ok(made)
}

/// Everything that has been drawn in the life of an object, by what it was drawn from and on which terms.
///
/// # Security
/// Two draws of the same text are two observations of it, and their ε add up. Whoever may draw again until
/// the outcome pleases has left the guarantee altogether.
pub(crate) struct Drawn<K, V>(Mutex<HashMap<K, Slot<V>>>);

impl<K, V> Default for Drawn<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + Hash + Eq, V: Clone> Drawn<K, V> {
    /// What has been drawn, or else what `draw` draws now.
    pub(crate) fn once<E>(&self, key: K, draw: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let slot = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        let drawn = fill(&slot, draw);
        if drawn.is_err() {
            let mut kept = lock(&self.0);
            // Here and in the map: nobody else is at it, and nobody comes while the map is locked.
            if Arc::strong_count(&slot) == 2 && lock(&slot).is_none() {
                kept.remove(&key);
            }
        }
        drawn
    }
}

/// The latest prepared mechanisms, shared between threads.
pub(crate) struct Prepared<K, V>(Mutex<textveil::Prepared<K, Slot<Arc<V>>>>);

impl<K, V> Default for Prepared<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, V> Prepared<K, V> {
    /// What `asked` has been prepared as, or else what `prepare` makes of it.
    pub(crate) fn get<E>(&self, asked: K, prepare: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        // Whoever prepares it holds its slot alone, so that others can ask for other things.
        let slot = lock(&self.0).get(asked, || Ok(Slot::default()))?;
        let prepared = fill(&slot, || prepare().map(Arc::new));
        if prepared.is_err() {
            lock(&self.0).forget(|kept| Arc::ptr_eq(kept, &slot));
        }
        prepared
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn threads_that_ask_for_the_same_draw_it_once() {
        let (drawn, draws) = (Drawn::default(), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for key in 0..100 {
                        let value = drawn.once(key, || {
                            draws.fetch_add(1, Ordering::Relaxed);
                            Ok::<_, Infallible>(key * 2)
                        });
                        assert_eq!(value, Ok(key * 2));
                    }
                });
            }
        });
        assert_eq!(draws.into_inner(), 100);
    }

    #[test]
    fn a_failed_draw_and_one_that_panics_leave_nothing_behind() {
        let drawn = Drawn::default();
        assert_eq!(drawn.once("key", || Err::<u32, _>("no entropy")), Err("no entropy"));
        assert!(lock(&drawn.0).is_empty());
        let crash = catch_unwind(AssertUnwindSafe(|| drawn.once("key", || -> Result<u32, &str> { unreachable!() })));
        assert!(crash.is_err());
        assert_eq!(drawn.once("key", || Ok::<_, &str>(7)), Ok(7));
        assert_eq!(drawn.once("key", || Err("not asked again")), Ok(7));
    }

    #[test]
    fn what_could_not_be_prepared_is_prepared_again() {
        let prepared = Prepared::default();
        assert_eq!(prepared.get("asked", || Err::<u32, _>("refused")), Err("refused"));
        assert_eq!(prepared.get("asked", || Ok::<_, &str>(7)), Ok(Arc::new(7)));
        assert_eq!(prepared.get("asked", || Err("not prepared again")), Ok(Arc::new(7)));
    }
}
