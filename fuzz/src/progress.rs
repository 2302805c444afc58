//! In place of `lab`'s bar of progress: nothing is shown, and what a run says is kept.

use std::cell::RefCell;

#[derive(Default)]
pub(crate) struct Pace {
    /// What was said.
    pub(crate) said: RefCell<Vec<String>>,
}

impl Pace {
    pub(crate) fn new(_asked: bool) -> Self {
        Self::default()
    }

    pub(crate) fn reached(&self, _position: u64, _rows: u64) {}

    pub(crate) fn say(&self, message: &str) {
        self.said.borrow_mut().push(message.to_owned());
    }
}
