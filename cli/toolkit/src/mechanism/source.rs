//! What a mechanism works on.

use textveil::Table;

/// What a mechanism works on.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Words of a table, or their vectors.
    Table(&'a Table),
    /// Vectors of this number of dimensions, and of norm at most 1.
    Vectors(usize),
    /// The values of a list with this number of them.
    List(usize),
}
