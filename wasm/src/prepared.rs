//! Mechanisms that have been prepared for a table, because preparing one may take a second.

use std::cell::RefCell;
use std::rc::Rc;

use textveil::Error;

/// How many are kept: a page compares a handful of levels (about 2 MB each).
const MOST: usize = 8;

/// The latest prepared mechanisms by what they were asked for.
pub(crate) struct Prepared<K, V>(RefCell<Vec<(K, Rc<V>)>>);

impl<K, V> Default for Prepared<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: PartialEq, V> Prepared<K, V> {
    /// What `asked` has been prepared as, or else what `prepare` makes of it.
    pub(crate) fn get(&self, asked: K, prepare: impl FnOnce() -> Result<V, Error>) -> Result<Rc<V>, Error> {
        let mut kept = self.0.borrow_mut();
        if let Some((_, found)) = kept.iter().find(|(known, _)| *known == asked) {
            return Ok(Rc::clone(found));
        }
        let fresh = Rc::new(prepare()?);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((asked, Rc::clone(&fresh)));
        Ok(fresh)
    }
}
