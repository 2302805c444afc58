//! Columns of texts, on all cores: a batch for servers and notebooks.
//!
//! A column has the layout of Arrow's `large_string`: one buffer of UTF-8, and where each row begins in it.
//! So it crosses the boundary in two pieces, however many rows it has.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use textveil::{Error, MAX_TEXT_BYTES};

use crate::panics;
use crate::veil::normal;
use crate::{Guarantee, Options, TextVeil, TextVeilError};

/// A column of texts.
#[derive(Clone, uniffi::Record)]
pub struct TextColumn {
    /// All rows in UTF-8, one behind the other.
    pub text: Vec<u8>,
    /// One more than there are rows, each a signed 64-bit integer, little-endian: row i is from the i-th to
    /// the next. They count from wherever the first one says that the text begins, so that a part of a column
    /// needs no others.
    pub offsets: Vec<u8>,
}

#[uniffi::export]
impl TextColumn {
    /// The first row that `privatize_column` refuses on any terms: it is no UTF-8, or too long. For the device
    /// only, where somebody is to find it.
    pub fn refused_row(&self) -> Option<u64> {
        panics::without_words(|| self.first_refused(|text| text.len() <= MAX_TEXT_BYTES))
    }
}

/// The releases of a column.
#[derive(Clone, uniffi::Record)]
pub struct ReleaseColumn {
    /// The released texts, row by row.
    pub column: TextColumn,
    /// What is promised of the row with the most private words; every row keeps it.
    pub guarantee: Guarantee,
}

#[uniffi::export]
impl TextVeil {
    /// The first row that `privatize_column` refuses on these terms, also because it is in another language. For the
    /// device only, where somebody looks for it. None where the terms themselves are refused.
    pub fn refused_row(&self, column: &TextColumn, options: &Options) -> Option<u64> {
        panics::without_words(|| {
            let privatizer = self.privatizer(options).ok()?;
            column.first_refused(|text| privatizer.check(text).is_ok())
        })
    }

    /// Privatizes each row of a column on `threads` threads (0: as many as the machine has), each row a
    /// release of its own.
    ///
    /// Nothing is remembered, and equal rows are drawn each for itself: rows are of different people, and
    /// equal releases would show that two of them wrote the same. **So a second call spends again**: keep
    /// what the first one gave. Rows of the same person add up.
    ///
    /// # Errors
    /// As `privatize`; `InvalidArgument` for what is not such a column. Nothing is released then.
    #[uniffi::method(default(threads = 0))]
    pub fn privatize_column(
        &self,
        column: &TextColumn,
        options: &Options,
        threads: u32,
    ) -> Result<ReleaseColumn, TextVeilError> {
        panics::without_words(|| {
            let privatizer = self.privatizer(options)?;
            let privatize = |text: &str| {
                let release = privatizer.privatize(text, &mut self.source.rng([text.as_bytes()])?)?;
                Ok((release.text, release.guarantee))
            };
            Ok(released(column, threads, privatize, |words| privatizer.guarantee(words))?)
        })
    }
}

/// What `draw` makes of each row in NFKC, with the guarantee of the most words that one of them has.
pub(crate) fn released(
    column: &TextColumn,
    threads: u32,
    draw: impl Fn(&str) -> Result<(String, textveil::Guarantee), Error> + Sync,
    guarantee: impl FnOnce(usize) -> textveil::Guarantee,
) -> Result<ReleaseColumn, Error> {
    let rows = column.rows().ok_or(Error::InvalidArgument)?;
    let released = on_threads(&rows, threads, |row| {
        let (text, guarantee) = draw(&normal(row)?)?;
        Ok::<_, Error>((text, guarantee.words, guarantee.known_seed))
    })?;
    let words = released.iter().map(|(_, words, _)| *words).max().unwrap_or(0);
    let mut guarantee = guarantee(words);
    guarantee.known_seed = released.iter().any(|(.., known_seed)| *known_seed);
    let column = TextColumn::of(released.iter().map(|(text, ..)| text.as_str()));
    Ok(ReleaseColumn { column, guarantee: (&guarantee).into() })
}

impl TextColumn {
    /// A column of these rows.
    pub fn of<'a>(rows: impl Iterator<Item = &'a str>) -> Self {
        let (mut text, mut offsets) = (Vec::new(), 0_i64.to_le_bytes().to_vec());
        for row in rows {
            text.extend_from_slice(row.as_bytes());
            offsets.extend((text.len() as i64).to_le_bytes());
        }
        Self { text, offsets }
    }

    /// The rows, if the offsets ascend within the text and cut it into UTF-8.
    pub fn rows(&self) -> Option<Vec<&str>> {
        self.each_row()?.collect()
    }

    /// The first row that is no text, or that is not accepted.
    pub(crate) fn first_refused(&self, is_accepted: impl Fn(&str) -> bool) -> Option<u64> {
        let is_text = |row: Option<&str>| row.is_some_and(|row| normal(row).is_ok_and(|text| is_accepted(&text)));
        self.each_row()?.position(|row| !is_text(row)).map(|row| row as u64)
    }

    /// Row by row what is one, if the offsets are numbers.
    fn each_row(&self) -> Option<impl Iterator<Item = Option<&str>>> {
        let (offsets, rest) = self.offsets.as_chunks();
        let start = usize::try_from(i64::from_le_bytes(*offsets.first()?)).ok()?;
        let place = move |bytes: &[u8; 8]| usize::try_from(i64::from_le_bytes(*bytes)).ok()?.checked_sub(start);
        let row = move |ends: &[[u8; 8]]| str::from_utf8(self.text.get(place(&ends[0])?..place(&ends[1])?)?).ok();
        rest.is_empty().then(|| offsets.windows(2).map(row))
    }
}

/// How many rows a thread takes at a time: enough that taking costs nothing, few enough that all end
/// together.
const STRIDE: usize = 8;

/// What `each` makes of every row, in their order, or the first error. The result does not depend on the
/// threads.
fn on_threads<T: Send, E: Send>(
    rows: &[&str],
    threads: u32,
    each: impl Fn(&str) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let strides = rows.len().div_ceil(STRIDE);
    let next = AtomicUsize::new(0);
    let take = |stride: usize| {
        let made: Result<Vec<T>, E> = rows.iter().skip(stride * STRIDE).take(STRIDE).map(|row| each(row)).collect();
        if made.is_err() {
            // Nobody takes another one.
            next.store(strides, Ordering::Relaxed);
        }
        (stride, made)
    };
    let strides_left = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|stride| *stride < strides);
    let work = || std::iter::from_fn(strides_left).map(take).collect::<Vec<_>>();
    let threads = if threads == 0 { thread::available_parallelism().map_or(1, |n| n.get()) } else { threads as usize };
    let mut done = thread::scope(|scope| {
        // Where the system gives no more threads, those that there are do it.
        let others = (1..threads.min(strides)).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = others.collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(stride, _)| *stride);
    let mut all = Vec::with_capacity(rows.len());
    for (_, made) in done {
        all.extend(made?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// More than three strides of rows, of several lengths.
    fn column() -> TextColumn {
        let rows: Vec<String> = (0..3 * STRIDE + 5).map(|row| "é".repeat(row % 3) + &row.to_string()).collect();
        TextColumn::of(rows.iter().map(String::as_str))
    }

    #[test]
    fn any_number_of_threads_keeps_the_order_of_the_rows() {
        let column = column();
        let rows = column.rows().expect("a column");
        for threads in [0, 1, 2, 8] {
            let made = on_threads(&rows, threads, |row| Ok::<_, Infallible>(row.to_owned()));
            assert!(made.is_ok_and(|made| made == rows), "{threads} threads");
        }
    }

    #[test]
    fn any_number_of_threads_ends_with_the_first_error() {
        let column = column();
        let rows = column.rows().expect("a column");
        // One in the second stride, one in the third.
        let refused = [rows[STRIDE + 7], rows[2 * STRIDE]];
        for threads in [1, 2, 8] {
            let ended =
                on_threads(&rows, threads, |row| refused.iter().position(|bad| *bad == row).map_or(Ok(()), Err));
            assert_eq!(ended, Err(0), "{threads} threads");
        }
    }

    #[test]
    fn what_is_no_column_has_no_rows() {
        let offsets = |offsets: &[i64]| offsets.iter().flat_map(|at| at.to_le_bytes()).collect::<Vec<u8>>();
        let rows = |offsets: Vec<u8>| {
            let column = TextColumn { text: "aé".into(), offsets };
            column.rows().map(|rows| rows.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(rows(offsets(&[7, 8, 10])), Some(vec!["a".to_owned(), "é".to_owned()]));
        assert_eq!(rows(offsets(&[7])), Some(vec![]));
        for bad in [&[][..], &[0, 2], &[0, 4], &[3, 0], &[-1, 3], &[5, 6, 4], &[i64::MIN, i64::MAX]] {
            assert_eq!(rows(offsets(bad)), None, "{bad:?}");
        }
        assert_eq!(rows(vec![0; 15]), None);
    }
}
