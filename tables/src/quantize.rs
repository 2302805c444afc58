//! Real vectors to int8 on one scale, no two rows alike.
//!
//! The largest coordinate becomes ±127. All others are rounded to the nearest step (halves away from zero). Two words
//! on the same lattice point would always be treated alike. So the later word, in the order of rows, moves to a free
//! neighbouring point. It takes the point nearest to its real vector, the lowest on ties.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};
use ndarray::Array2;

/// The largest coordinate.
pub(crate) const LARGEST: f64 = 127.0;

/// Vectors on the lattice.
#[derive(Debug)]
pub(crate) struct Lattice {
    /// A row a word, values in −127…127, all rows different.
    pub(crate) rows: Array2<i8>,
    /// Real coordinate = scale × int8.
    pub(crate) scale: f64,
    /// Rows that had to move to a neighbouring point.
    pub(crate) moved: usize,
}

impl Lattice {
    /// The lattice points nearest to the rows of `vectors`.
    ///
    /// # Errors
    /// A coordinate is not finite, all are zero, or the neighbourhood of a row is full because many rows are alike.
    pub(crate) fn nearest(vectors: &Array2<f64>) -> Result<Self> {
        let largest = vectors.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        ensure!(vectors.iter().all(|x| x.is_finite()), "a coordinate is not a finite number");
        ensure!(largest > 0.0, "all coordinates are zero");
        let scale = largest / LARGEST;
        let mut taken: HashSet<Vec<i8>> = HashSet::with_capacity(vectors.nrows());
        let mut rows = Array2::zeros(vectors.dim());
        let mut moved = 0;
        for (i, vector) in vectors.rows().into_iter().enumerate() {
            let exact: Vec<f64> = vector.iter().map(|x| x / scale).collect();
            let mut point: Vec<i8> = exact.iter().map(|x| x.round() as i8).collect();
            if taken.contains(&point) {
                let Some(free) = free_neighbour(&exact, &point, &taken) else {
                    bail!("too many rows are like row {i}: remove duplicates");
                };
                point = free;
                moved += 1;
            }
            rows.row_mut(i).iter_mut().zip(&point).for_each(|(to, from)| *to = *from);
            taken.insert(point);
        }
        Ok(Self { rows, scale, moved })
    }
}

/// The free point nearest to `exact` among those that differ from `point` by one step in one or two
/// coordinates.
pub(crate) fn free_neighbour(exact: &[f64], point: &[i8], taken: &HashSet<Vec<i8>>) -> Option<Vec<i8>> {
    let steps: Vec<(usize, i8)> = (0..point.len())
        .flat_map(|j| [(j, -1), (j, 1)])
        .filter(|&(j, step)| point[j].abs_diff(0) < 127 || (point[j] > 0) != (step > 0))
        .collect();
    let cost = |&(j, step): &(usize, i8)| {
        let off = f64::from(point[j]) - exact[j];
        let moved = off + f64::from(step);
        moved * moved - off * off
    };
    let stepped = |moves: &[(usize, i8)]| {
        let mut neighbour = point.to_vec();
        moves.iter().for_each(|&(j, step)| neighbour[j] += step);
        neighbour
    };
    let single = steps.iter().map(|step| (cost(step), stepped(&[*step])));
    let best = |candidates: &mut dyn Iterator<Item = (f64, Vec<i8>)>| {
        let free = candidates.filter(|(_, neighbour)| !taken.contains(neighbour));
        free.min_by(|(a, p), (b, q)| a.total_cmp(b).then_with(|| p.cmp(q))).map(|(_, neighbour)| neighbour)
    };
    best(&mut single.into_iter()).or_else(|| {
        let pairs = steps.iter().flat_map(|a| steps.iter().filter(|b| a.0 < b.0).map(move |b| (a, b)));
        best(&mut pairs.map(|(a, b)| (cost(a) + cost(b), stepped(&[*a, *b]))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(rows: &Array2<i8>) -> usize {
        rows.rows().into_iter().map(|row| row.to_vec()).collect::<HashSet<_>>().len()
    }

    #[test]
    fn the_largest_coordinate_is_127_and_the_others_are_nearest() {
        let lattice = Lattice::nearest(&ndarray::array![[1.27, -0.004], [0.0149, -0.5]]).expect("finite vectors");
        assert_eq!(lattice.rows, ndarray::array![[127, 0], [1, -50]]);
        assert_eq!(lattice.scale, 0.01);
    }

    #[test]
    fn twins_move_to_the_nearest_free_point() {
        let lattice = Lattice::nearest(&ndarray::array![[1.27, 0.5], [1.266, 0.5], [1.264, 0.501]]).expect("vectors");
        assert_eq!(lattice.rows, ndarray::array![[127, 50], [126, 50], [126, 51]]);
        assert_eq!(lattice.moved, 2);
    }

    #[test]
    fn many_equal_rows_become_distinct_and_never_leave_the_range() {
        let lattice = Lattice::nearest(&Array2::from_elem((15, 5), -0.3)).expect("room for 15");
        assert_eq!(distinct(&lattice.rows), 15);
        assert!(lattice.rows.iter().all(|value| *value >= -127));
    }

    #[test]
    fn too_many_equal_rows_are_refused() {
        assert!(Lattice::nearest(&Array2::from_elem((500, 2), 0.3)).is_err());
        assert!(Lattice::nearest(&ndarray::array![[f64::NAN]]).is_err());
        assert!(Lattice::nearest(&ndarray::array![[0.0]]).is_err());
    }
}
