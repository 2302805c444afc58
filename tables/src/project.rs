//! A text encoder in few dimensions: those in which texts of one subject differ most.
//!
//! A noisy direction tells most in few dimensions. The sum of projected rows is the projection of the sum, so that a text
//! encoder whose rows are projected is a text encoder again. The polarity stays as it is. The mean of the texts is not
//! subtracted, which would take the length of the vector that is projected: the axes stand across the mean instead.

use std::path::Path;

use anyhow::{Result, ensure};
use ndarray::{Array2, Axis, concatenate, s};
use textveil::{Table, TextEncoder, normalize};

use super::distill::kind;
use super::lattice::lattice_rows;
use super::pca::Axes;
use super::quantize::{LARGEST, Lattice};
use super::rows::{mean_row, unit_rows};
use super::vocabulary::Flags;
use super::writer::Draft;

/// The principal axes of vectors of length 1 in the space across their mean.
#[must_use]
pub fn axes_across_mean(vectors: &Array2<f64>) -> Axes {
    let mean = mean_row(vectors);
    let mut mean = Array2::from_shape_fn((1, mean.len()), |(_, j)| mean[j]);
    unit_rows(&mut mean);
    let mut across = vectors.clone();
    for mut row in across.rows_mut() {
        let along: f64 = row.iter().zip(&mean).map(|(x, mean)| x * mean).sum();
        row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= along * mean);
    }
    Axes::of(&across)
}

/// Writes the text encoder that gives `dims` coordinates of what `encoder` does, those in which the texts differ most, and
/// the polarity. Returns it with a line for the person who asked for it.
///
/// # Errors
/// `dims` is not from 3 to one less than the encoder's dimensions without the polarity. The texts differ in fewer dimensions. The file
/// cannot be written.
pub fn project(encoder: &TextEncoder, texts: &[String], dims: usize, out: &Path) -> Result<(Table, String)> {
    projected(encoder, texts, dims)?.write(out)
}

fn projected(encoder: &TextEncoder, texts: &[String], dims: usize) -> Result<Draft> {
    let table = encoder.table();
    let all = table.dims() - encoder.polarity_dims();
    ensure!((3..all).contains(&dims), "dimensions must be from 3 to {}, not {dims}", all - 1);
    let mut vectors = texts.iter().map(|text| encoder.encode(&normalize(text))).collect::<Result<Vec<_>, _>>()?;
    vectors.iter_mut().for_each(|vector| vector.truncate(all));
    vectors.retain(|vector| vector.iter().any(|x| *x != 0.0));
    let mut vectors = Array2::from_shape_vec((vectors.len(), all), vectors.concat())?;
    unit_rows(&mut vectors);
    let axes = axes_across_mean(&vectors);
    ensure!(
        vectors.nrows() > dims && axes.variances[dims - 1] > 1e-9,
        "{} texts of known words do not differ in {dims} dimensions",
        vectors.nrows()
    );
    let steps = Array2::from_shape_vec((table.len(), table.dims()), lattice_rows(table, |_| true))?.mapv(f64::from);
    let about = axes.project(&steps.slice(s![.., ..all]).to_owned(), dims);
    let rows = concatenate![Axis(1), about, steps.slice(s![.., all..])];
    let largest = rows.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    ensure!(largest > 0.0, "the encoder's rows are all alike");
    let scale = largest / LARGEST;
    let lattice = Lattice { rows: rows.mapv(|x| (x / scale).round() as i8), scale: scale * table.scale(), moved: 0 };
    let word = |(row, text)| Flags::none().word(ToString::to_string(&text), table.zipf(row));
    let kept = ["name", "language", "source", "license", "negators", "clause-starters"].into_iter();
    let mut meta: Vec<_> = kept.filter_map(|key| Some((key, table.meta(key)?.to_owned()))).collect();
    meta.push(kind());
    meta.push(("recipe", format!("{dims} axes of {} texts, of {}", vectors.nrows(), encoder.id())));
    Ok(Draft { words: table.words().map(word).collect(), lattice, levels: Vec::new(), classes: None, meta })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 8] = [
        "The app crashes when I open it.",
        "The battery is empty after an hour.",
        "Support never answered my letters.",
        "I love the new colours.",
        "It is far too expensive.",
        "The delivery came two weeks late.",
        "I cannot log in any more.",
        "My daughter plays with it every day.",
    ];

    fn texts() -> Vec<String> {
        TEXTS.map(str::to_owned).into()
    }

    #[test]
    fn the_vector_of_a_text_is_the_projection_of_what_it_was() {
        let english = crate::text_encoder(None).expect("the built-in encoder");
        let table = projected(&english, &texts(), 4).and_then(|draft| draft.encode()).expect("a table").1;
        let few = TextEncoder::new(table).expect("an encoder");
        let matrix = |encoder: &TextEncoder, texts: &[&str]| {
            let vectors: Vec<f64> = texts.iter().flat_map(|text| encoder.encode(text).expect("short")).collect();
            let rows = Array2::from_shape_vec((texts.len(), encoder.table().dims()), vectors).expect("rows");
            let mut about = rows.slice(s![.., ..-1]).to_owned();
            unit_rows(&mut about);
            about
        };
        let axes = axes_across_mean(&matrix(&english, &TEXTS));
        let others = ["not good at all", "The picture is dark, and the sound is worse.", "Where is my parcel?"];
        let mut expected = axes.project(&matrix(&english, &others), 4);
        unit_rows(&mut expected);
        let cosines = (&matrix(&few, &others) * &expected).sum_axis(Axis(1));
        // The polarity takes part of the range of a coordinate, so the other ones are rounded to larger steps.
        assert!(cosines.iter().all(|cosine| *cosine > 0.995), "{cosines}");
        assert_eq!(few.encode("").expect("short"), [0.0; 5]);
        let polarity = |encoder: &TextEncoder, text: &str| encoder.encode(text).expect("short").last().copied();
        let scale = few.table().scale() / english.table().scale();
        for text in others {
            let (was, is) = (polarity(&english, text).unwrap_or(0.0), polarity(&few, text).unwrap_or(0.0));
            assert!((is * scale - was).abs() <= 10.0 * scale, "{text}: {was} became {is} of {scale}");
        }
    }

    #[test]
    fn axes_stand_across_the_mean_and_at_right_angles() {
        let mut vectors = ndarray::array![[1.0, 0.2, 0.0], [1.0, -0.2, 0.1], [1.0, 0.1, -0.3], [1.0, 0.0, 0.4]];
        unit_rows(&mut vectors);
        let mean = Array2::from_shape_vec((1, 3), mean_row(&vectors)).expect("a row");
        let along = axes_across_mean(&vectors).project(&mean, 2);
        assert!(along.iter().all(|x| x.abs() < 1e-12), "{along}");
    }

    #[test]
    fn texts_that_do_not_differ_enough_and_other_dimensions_are_refused() {
        let english = crate::text_encoder(None).expect("the built-in encoder");
        let refusal = |texts: &[String], dims| projected(&english, texts, dims).err().map(|error| error.to_string());
        for dims in [0, 2, 128, 1000] {
            let refusal = refusal(&texts(), dims).expect("a refusal");
            assert!(refusal.contains("must be from 3 to 127"), "{refusal}");
        }
        let same: Vec<String> = texts().into_iter().cycle().take(3).collect();
        for few in [Vec::new(), same, vec!["The app crashes.".to_owned(); 20], vec!["Привет".to_owned(); 20]] {
            assert!(refusal(&few, 3).expect("a refusal").contains("do not differ in 3 dimensions"));
        }
        assert!(refusal(&texts(), 3).is_none());
    }
}
