//! Who watches a run: nothing is shown.

use textveil_bulk::Watch;

pub(crate) struct Quiet;

impl Watch for Quiet {
    fn reached(&self, _position: u64, _rows: u64) {}

    fn say(&self, _message: &str) {}
}
