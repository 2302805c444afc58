//! The nearest offered rows to a lattice point, over the table's rows or over their clipped copies.

use alloc::vec::Vec;

use super::{LANES, Query, Table, WordId, rows};

/// Coordinates of a point, small enough for the scan's 32-bit sums.
const FARTHEST_POINT: i32 = 16_383;

/// A search over one set of rows.
pub(crate) struct Nearest {
    /// The clipped rows, laid out as the table's; none if the table's own serve.
    clipped: Option<Vec<u8>>,
    /// Squared norm of each row, by block.
    norms: Vec<[i32; LANES]>,
    /// The rows of each block that may come out.
    offered: Vec<u16>,
}

/// A row, and its squared distance to the point less the point's own squared norm: enough to rank rows.
type Candidate = (i32, usize);
const NONE: Candidate = (i32::MAX, usize::MAX);

impl Nearest {
    /// Rows whose norm exceeds `limit` lattice steps are shortened to it.
    pub(crate) fn new(table: &Table, limit: Option<f64>) -> Self {
        let clipped = limit.map(|limit| {
            let vectors = table.rows().map(|row| table.clipped(row, Some(limit)));
            rows::layout(vectors, table.dims(), table.len())
        });
        let origin = table.query(core::iter::empty());
        let bytes = clipped.as_deref().unwrap_or(table.vectors());
        let norms = (0..table.blocks())
            .map(|block| rows::distances(rows::block(bytes, table.dims(), block), &origin).map(u32::cast_signed))
            .collect();
        Self { norms, offered: table.lanes(|word| table.is_offered(word)), clipped }
    }

    /// The nearest offered row; the first of equals.
    pub(crate) fn one(&self, table: &Table, point: &[i32]) -> WordId {
        let [(_, row), _] = self.two_best(table, &query(table, point));
        WordId(row as u32)
    }

    /// The two nearest offered rows with their squared distances; no second one if only one row is offered.
    pub(crate) fn two(&self, table: &Table, point: &[i32]) -> [Option<(WordId, i64)>; 2] {
        let norm: i64 = point.iter().map(|y| i64::from(bounded(*y)).pow(2)).sum();
        let found = |(score, row): Candidate| (row != NONE.1).then(|| (WordId(row as u32), norm + i64::from(score)));
        self.two_best(table, &query(table, point)).map(found)
    }

    /// ‖v‖² − 2·v·y orders rows as ‖v − y‖² does. The same steps whatever the point.
    fn two_best(&self, table: &Table, query: &Query) -> [Candidate; 2] {
        let bytes = self.clipped.as_deref().unwrap_or(table.vectors());
        let [mut first, mut second] = [NONE; 2];
        for (block, (norms, offered)) in self.norms.iter().zip(&self.offered).enumerate() {
            let scores = rows::scores(rows::block(bytes, table.dims(), block), query, norms);
            for (lane, score) in scores.into_iter().enumerate() {
                if score < second.0 && offered >> lane & 1 == 1 {
                    let row = (score, block * LANES + lane);
                    if score < first.0 {
                        (first, second) = (row, first);
                    } else {
                        second = row;
                    }
                }
            }
        }
        [first, second]
    }
}

fn query(table: &Table, point: &[i32]) -> Query {
    table.query(point.iter().map(|y| bounded(*y) as i16))
}

fn bounded(y: i32) -> i32 {
    y.clamp(-FARTHEST_POINT, FARTHEST_POINT)
}

/// The vector, shortened to a Euclidean norm of at most `limit` lattice steps; coordinates are rounded
/// towards zero.
pub(super) fn clip(mut vector: Vec<i8>, limit: f64) -> Vec<i8> {
    const DOWNWARDS: f64 = 1.0 - 1.0 / (1_u64 << 50) as f64;
    let squared: i32 = vector.iter().map(|v| i32::from(*v).pow(2)).sum();
    let squared = f64::from(squared);
    if squared > limit * limit {
        let factor = limit / libm::sqrt(squared) * DOWNWARDS;
        for v in &mut vector {
            *v = libm::trunc(f64::from(*v) * factor) as i8;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_clipped_vector_is_no_longer_than_allowed_and_a_short_one_stays() {
        for limit in [1.0, 5.0, 12.999, 13.0, 100.0] {
            let clipped = clip(vec![3, -4, 12], limit);
            let norm: i32 = clipped.iter().map(|v| i32::from(*v).pow(2)).sum();
            assert!(f64::from(norm) <= limit * limit);
            assert_eq!(clipped == [3, -4, 12], limit >= 13.0);
        }
    }
}
