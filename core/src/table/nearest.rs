//! The nearest offered rows to a lattice point, over the table's rows or over their clipped copies.

use alloc::vec;
use alloc::vec::Vec;

use super::{LANES, Query, Rows, Table, WordId, rows};

/// Coordinates of a point, small enough for the scan's 32-bit sums.
const FARTHEST_POINT: i32 = 16_383;

/// A search over one set of rows.
pub(crate) struct Nearest {
    /// The clipped rows, laid out as the table's, with their squared norms. `None` if the table's own serve.
    clipped: Option<(Vec<u8>, Vec<[i32; LANES]>)>,
    /// The rows that may come out: a bit each, the lowest first.
    offered: Vec<u8>,
}

/// A row, and its squared distance to the point less the point's own squared norm: enough to rank rows.
type Candidate = (i32, usize);
const NONE: Candidate = (i32::MAX, usize::MAX);

impl Nearest {
    /// Rows whose norm exceeds `limit` lattice steps are shortened to it.
    pub(crate) fn new(table: &Table, limit: Option<f64>) -> Self {
        let clipped = limit.map(|limit| {
            let vectors = table.rows().map(|row| table.clipped(row, Some(limit)));
            let bytes = rows::layout(vectors, table.dims(), table.len());
            let norms = rows::norms(&bytes, table.dims());
            (bytes, norms)
        });
        let mut offered = vec![0; table.blocks() * LANES / 8];
        for row in table.rows().filter(|row| table.is_offered(*row)) {
            offered[row.row() / 8] |= 1 << (row.row() % 8);
        }
        Self { clipped, offered }
    }

    /// The vector of a word among these rows: to clip it anew would take steps that depend on how long it is.
    pub(crate) fn vector(&self, table: &Table, word: WordId) -> Vec<i8> {
        match &self.clipped {
            Some((bytes, _)) => rows::vector(bytes, table.dims(), word.row()),
            None => table.vector(word),
        }
    }

    fn scanned<'a>(&'a self, table: &'a Table) -> Rows<'a> {
        match &self.clipped {
            Some((bytes, norms)) => Rows::new(bytes, norms, table.dims()),
            None => table.scanned(),
        }
    }

    /// For each point the nearest offered row; the first of equals. The same steps whatever the points.
    pub(crate) fn one(&self, table: &Table, points: &[Vec<i32>]) -> Vec<WordId> {
        let (kernel, rows) = (table.kernel(), self.scanned(table));
        let queries = queries(table, points);
        let mut found = Vec::with_capacity(points.len());
        for batch in kernel.batches(&queries) {
            found.extend(kernel.nearest(rows, &self.offered, &batch).into_iter().map(|row| WordId(row as u32)));
        }
        found
    }

    /// For each point the two nearest offered rows with their squared distances; no second one if only one row
    /// is offered.
    pub(crate) fn two(&self, table: &Table, points: &[Vec<i32>]) -> Vec<[Option<(WordId, i64)>; 2]> {
        let (kernel, rows) = (table.kernel(), self.scanned(table));
        let queries = queries(table, points);
        let length = table.blocks().next_multiple_of(2);
        let mut found = Vec::with_capacity(points.len());
        for batch in kernel.batches(&queries) {
            let mut scores = vec![[0; LANES]; batch.len() * length];
            kernel.distances(rows, &batch, i32::MAX, &mut scores);
            for (scores, point) in scores.chunks(length).zip(&points[found.len()..]) {
                let norm: i64 = point.iter().map(|y| i64::from(bounded(*y)).pow(2)).sum();
                let word =
                    |(score, row): Candidate| (row != NONE.1).then(|| (WordId(row as u32), norm + i64::from(score)));
                found.push(self.two_best(scores.as_flattened()).map(word));
            }
        }
        found
    }

    /// The two least scores of offered rows.
    fn two_best(&self, scores: &[i32]) -> [Candidate; 2] {
        let [mut first, mut second] = [NONE; 2];
        for (row, score) in scores.iter().enumerate() {
            // Which rows are offered is public, the scores are not.
            if self.offered.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1) {
                let row = (*score, row);
                let (is_first, is_second) = (row.0 < first.0, row.0 < second.0);
                second = if is_first { first } else { second };
                second = if is_second & !is_first { row } else { second };
                first = if is_first { row } else { first };
            }
        }
        [first, second]
    }
}

fn queries(table: &Table, points: &[Vec<i32>]) -> Vec<Query> {
    points.iter().map(|point| Query::point(table.dims(), point.iter().map(|y| bounded(*y) as i16))).collect()
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
