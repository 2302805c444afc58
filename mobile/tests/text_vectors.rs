//! Vectors of whole texts, as the foreign callers see them.

use std::collections::HashSet;
use std::thread;

use textveil::Unit;
use textveil_mobile::{TextVectors, TextVeilError, Values};

const ENCODER: &[u8] = include_bytes!("../../tests/tables/wide.tvt");

fn vectors(epsilon: f64, dims: Option<u32>) -> Result<TextVectors, TextVeilError> {
    TextVectors::new(ENCODER.to_vec(), epsilon, dims)
}

/// The name of the error, or an empty one without an error.
fn code(made: Result<TextVectors, TextVeilError>) -> String {
    let shown = made.err().map(|error| format!("{error:?}")).unwrap_or_default();
    shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

#[test]
fn any_text_is_one_vector_under_one_guarantee() {
    let vectors = vectors(8.0, None).expect("an encoder");
    for text in ["", "the app crashes", "Приложение 我们", &"It is not good. ".repeat(3000)] {
        let representation = vectors.representation(text, None).expect("a vector");
        let Values::Vectors { rows } = representation.values else { unreachable!("bits") };
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [5 * 8]);
        assert_eq!(representation.guarantee, vectors.guarantee().expect("a guarantee"));
    }
    let guarantee = vectors.guarantee().expect("a guarantee");
    assert_eq!((guarantee.unit, guarantee.words, guarantee.clear.len()), (Unit::WholeText, 1, 0));
    assert_eq!(guarantee.table, Some(vectors.encoder_id()));
}

#[test]
fn a_text_is_drawn_once_whoever_asks_and_a_fresh_object_draws_anew() {
    let first = vectors(8.0, None).expect("an encoder");
    let drawn = || first.representation("the app is good", None).expect("a vector");
    let one = drawn();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(drawn)).collect();
        assert!(threads.into_iter().all(|thread| thread.join().expect("a thread") == one));
    });
    let again = vectors(8.0, None).expect("an encoder").representation("the app is good", None).expect("a vector");
    assert_ne!(again.values, one.values);
}

#[test]
fn a_field_has_a_vector_of_its_own() {
    let vectors = vectors(8.0, None).expect("an encoder");
    let drawn = |field: Option<&str>| {
        let drawn = vectors.representation("the app is good", field.map(str::to_owned)).expect("a vector");
        let Values::Vectors { rows } = drawn.values else { unreachable!("bits") };
        rows
    };
    let fields = [None, Some(""), Some("comment"), Some("reply")];
    let all = fields.map(drawn);
    assert_eq!(fields.map(drawn), all);
    assert_eq!(all.into_iter().collect::<HashSet<_>>().len(), fields.len());
}

#[test]
fn what_cannot_be_represented_is_refused() {
    assert_eq!(code(TextVectors::new(vec![0; 99], 8.0, None)), "BadTable");
    let toy = include_bytes!("../../tests/tables/toy.tvt");
    assert_eq!(code(TextVectors::new(toy.to_vec(), 8.0, None)), "OtherEncoder");
    for (epsilon, dims, refusal) in [
        (0.0, None, "InvalidEpsilon"),
        (f64::NAN, None, "InvalidEpsilon"),
        (8.0, Some(0), "DimensionMismatch"),
        (8.0, Some(2), "NotOffered"),
        (8.0, Some(6), "DimensionMismatch"),
        (8.0, Some(u32::MAX), "DimensionMismatch"),
        (8.0, Some(5), ""),
    ] {
        assert_eq!(code(vectors(epsilon, dims)), refusal, "{epsilon} {dims:?}");
    }
}
