//! Any bytes as a table.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, Table, seeded_rng};

/// The number of rows that are tested in all pairs and distributions.
const FEW: usize = 64;

/// Any bytes as a table file, as they are and with the checksum that belongs to them: a table that works, or an error.
///
/// # Panics
/// A table that was accepted does not work.
pub fn table(data: &[u8]) {
    let mut file = data.to_vec();
    if let Ok(table) = Table::parse(file.clone()) {
        exercise(&table);
    }
    if file.len() >= 64 {
        seal(&mut file);
        if let Ok(table) = Table::parse(file) {
            exercise(&table);
        }
    }
}

/// Writes the checksum that belongs to a file's bytes.
fn seal(file: &mut [u8]) {
    let mut hash = Sha256::new();
    hash.update(&file[..32]);
    hash.update(&file[64..]);
    file[32..64].copy_from_slice(&hash.finalize());
}

/// Uses every part of a table.
fn exercise(table: &Table) {
    assert!(!table.is_empty() && (1..=Table::MAX_DIMS).contains(&table.dims()));
    assert!(table.scale().is_finite() && table.scale() > 0.0);
    let words: Vec<String> = table.words().map(|(_, word)| word.to_string()).collect();
    assert_eq!(words.len(), table.len());
    assert!(words.is_sorted_by(|a, b| a < b), "words are not in ascending order");
    for ((row, word), listed) in table.words().zip(&words) {
        assert_eq!(table.find(&word), Some(row));
        assert_eq!(*table.word(row), **listed);
        assert_eq!(table.vector(row).len(), table.dims());
        assert!((0.0..=12.75).contains(&table.zipf(row)));
        let name = table.class_of(row).and_then(|class| table.class_name(class));
        assert_eq!(name.is_some(), table.classes().len() > 0);
        let _ = table.is_function_word(row);
    }
    let names: BTreeSet<_> = table.classes().map(|class| table.class_name(class)).collect();
    assert_eq!(names.len(), table.classes().len(), "two classes have one name");
    for class in table.classes() {
        assert!(table.class_diameter_bound(class) >= 0.0);
    }
    let few: Vec<_> = table.rows().take(FEW).collect();
    for a in &few {
        for b in &few {
            assert!(table.distance(*a, *b) <= table.diameter_bound() * (1.0 + 1e-12), "a distance above the bound");
        }
    }
    assert!(table.mean_by_frequency().iter().all(|mean| mean.abs() <= 127.5));
    let _ = (table.meta("language"), table.to_owned());
    for level in table.levels() {
        level.mechanism().unwrap_or_else(|error| panic!("a level of the table is refused: {error}"));
    }
    for kind in MechanismKind::ALL {
        let certified = table.certificates_of(*kind);
        for (level, (place, _)) in certified.enumerate() {
            assert_eq!(table.base_codes(place).len(), table.len());
            if let Ok(mechanism) = Mechanism::new(*kind).with(Parameter::Level, level as f64) {
                draw(table, mechanism);
            }
        }
    }
    draw(table, Mechanism::new(table.default_mechanism()));
    for kind in [MechanismKind::Exponential, MechanismKind::MetricLaplace, MechanismKind::ClassExponential] {
        for parameter in [Parameter::Eta, Parameter::Epsilon] {
            if let Ok(mechanism) = Mechanism::new(kind).with(parameter, 3.0) {
                draw(table, mechanism);
            }
        }
    }
}

/// Draws words, if the table serves the mechanism.
fn draw(table: &Table, mechanism: Mechanism) {
    let Ok(privatizer) = Privatizer::new(table, mechanism, Disclosure::default()) else { return };
    let release = privatizer
        .privatize("the cat, 12 dogs & a@b.cd", &mut seeded_rng([1; 32]))
        .unwrap_or_else(|error| panic!("a short text is refused: {error}"));
    super::check(&release.guarantee);
    assert!(release.account.iter().all(|entry| entry.output.is_some_and(|word| table.is_offered(word))));
    for row in table.rows().take(2) {
        let Some(outputs) = privatizer.distribution(row) else { continue };
        let total: f64 = outputs.iter().map(|(_, share)| share).sum();
        assert!(outputs.iter().all(|(word, share)| *share >= 0.0 && table.is_offered(*word)));
        assert!((total - 1.0).abs() < 1e-6, "probabilities add up to {total}: {mechanism:?}");
    }
}
