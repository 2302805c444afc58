//! The vector of a text by a text encoder: the sum of the vectors of its rows. Only its direction counts.

use textveil::{Error, Piece, Table, WordId, look_up, normalize};

/// What stands between the two words of a row that is a pair.
pub(crate) const JOINT: char = '_';

/// The rows of a text: those of its words; one row for two neighbouring words that have one together, from the left.
/// An unknown word has none, and no pair reaches over it.
///
/// # Errors
/// The text is too long.
pub fn rows_of(encoder: &Table, text: &str) -> Result<Vec<WordId>, Error> {
    let found = words_of(encoder, text)?;
    let together = |a: Option<WordId>, b: Option<WordId>| {
        let (a, b) = (encoder.word(a?), encoder.word(b?));
        encoder.find(&format!("{}{JOINT}{}", &*a, &*b))
    };
    let (mut rows, mut words) = (Vec::new(), found.as_slice());
    while let [word, rest @ ..] = words {
        let pair = rest.first().and_then(|next| together(*word, *next));
        rows.extend(pair.or(*word));
        words = if pair.is_some() { &rest[1..] } else { rest };
    }
    Ok(rows)
}

/// The word that each token of a text is; none for an unknown one.
pub(crate) fn words_of(table: &Table, text: &str) -> Result<Vec<Option<WordId>>, Error> {
    let word = |piece| match piece {
        Piece::Token { kind, text } => Some(look_up(table, kind, &text).row),
        Piece::Layout(_) => None,
    };
    Ok(Piece::split(&normalize(text))?.into_iter().filter_map(word).collect())
}

/// The vector of a text; zeros if none of its words is known.
///
/// # Errors
/// The text is too long.
pub fn vector_of(encoder: &Table, text: &str) -> Result<Vec<f64>, Error> {
    let mut sum = vec![0.0; encoder.dims()];
    for row in rows_of(encoder, text)? {
        sum.iter_mut().zip(encoder.vector(row)).for_each(|(sum, x)| *sum += f64::from(x));
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoder() -> Table {
        let words = ["bad", "good", "not", "not_bad", "not_good"].map(str::to_owned).to_vec();
        let rows = ndarray::array![[-3.0, 1.0], [3.0, 1.0], [0.0, 0.1], [2.0, 0.5], [-2.0, 0.5]];
        crate::bare(words.into_iter(), &rows).expect("a table")
    }

    #[test]
    fn a_pair_counts_in_place_of_its_words_from_the_left() {
        let encoder = encoder();
        let words = |text: &str| {
            let rows = rows_of(&encoder, text).expect("short").into_iter();
            rows.map(|row| encoder.word(row).to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("Not good, not bad; good not not good."), "not_good not_bad good not not_good");
        assert_eq!(words("not zzzzzz good"), "not good");
        assert_eq!(words(""), "");
    }

    #[test]
    fn the_vector_of_a_text_is_the_sum_of_its_rows() {
        let encoder = encoder();
        let row = |word: &str| encoder.vector(encoder.find(word).expect("a word"));
        let expected: Vec<f64> =
            row("good").iter().zip(row("not_bad")).map(|(a, b)| f64::from(*a) + f64::from(b)).collect();
        assert_eq!(vector_of(&encoder, "good? not bad!").expect("short"), expected);
        assert_eq!(vector_of(&encoder, "zzzzzz").expect("short"), [0.0, 0.0]);
    }
}
