//! Any options of any mechanism.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use textveil::{
    Calibration, Disclosure, Dropout, Error, Frequencies, Mechanism, MechanismKind, Parameter, Privatizer, Representer,
    Table, Unary, Unit, Values, seeded_rng,
};

/// Small tables, each with something that the others do not have.
static TABLES: LazyLock<[Table; 4]> = LazyLock::new(|| {
    let files = [
        include_bytes!("../../tests/tables/toy.tvt").as_slice(),
        include_bytes!("../../tests/tables/odd.tvt").as_slice(),
        include_bytes!("../../tests/tables/one.tvt").as_slice(),
        include_bytes!("../../tests/tables/classes.tvt").as_slice(),
    ];
    files.map(|file| Table::parse(file).expect("a table of the tests"))
});

const TEXTS: [&str; 4] = ["", "film", "The film was not good, 12 dogs said.", "a@b.cd 👍 we 我们"];
/// The widest vectors and the longest lists here.
const MOST_DIMS: usize = 24;
const MOST_VALUES: usize = 300;

/// Any parameters of any mechanism over any small table, over vectors or over a list: a typed error, or a guarantee in
/// range and an output of the right shape.
///
/// # Panics
/// A guarantee is out of range, or the output has another shape.
pub fn options(data: &[u8]) {
    // Where the bytes end, there are no more options.
    let _ = chosen(&mut Unstructured::new(data));
}

fn chosen(bytes: &mut Unstructured<'_>) -> Result<()> {
    let kind = *bytes.choose(MechanismKind::ALL)?;
    assert_eq!(kind.name().parse(), Ok(kind));
    let calibration = if bytes.arbitrary()? { Calibration::Published } else { Calibration::Sound };
    let mechanism = Mechanism::new(kind).calibrated(calibration);
    assert_eq!(mechanism.is_ok(), calibration == Calibration::Sound || kind.has_published());
    let Ok(mut mechanism) = mechanism else { return Ok(()) };
    for _ in 0..bytes.int_in_range(0..=4)? {
        let parameter = *bytes.choose(Parameter::ALL)?;
        let number = number(bytes)?;
        match mechanism.with(parameter, number) {
            Ok(with) => {
                assert!(with.get(parameter) == Some(number) && kind.parameters().contains(&parameter));
                mechanism = with;
            }
            Err(error) => {
                assert!([Error::Invalid(parameter), Error::InvalidOptions].contains(&error), "{parameter}: {error}");
            }
        }
    }
    let seed = bytes.arbitrary::<[u8; 4]>()?;
    let mut whole = [0; 32];
    whole[..4].copy_from_slice(&seed);
    match bytes.int_in_range(0..=3)? {
        0 => words(bytes, mechanism, whole),
        1 => representation_of_text(bytes, mechanism, whole),
        2 => representation_of_vectors(bytes, mechanism, whole),
        _ => choice(bytes, mechanism, whole),
    }
}

/// A number that somebody could pass: an ordinary one, mostly.
pub(super) fn number(bytes: &mut Unstructured<'_>) -> Result<f64> {
    const USUAL: [f64; 14] = [0.0, 1e-9, 1e-6, 1e-3, 0.05, 0.5, 0.999, 1.0, 2.0, 5.0, 10.0, 15.0, 100.0, 1e6];
    Ok(match bytes.int_in_range(0..=3)? {
        0 | 1 => *bytes.choose(&USUAL)?,
        2 => f64::from(bytes.arbitrary::<i16>()?) / 256.0,
        _ => f64::from_bits(bytes.arbitrary()?),
    })
}

fn table<'a>(bytes: &mut Unstructured<'_>) -> Result<&'a Table> {
    bytes.choose(&*TABLES)
}

fn words(bytes: &mut Unstructured<'_>, mechanism: Mechanism, seed: [u8; 32]) -> Result<()> {
    let table = table(bytes)?;
    let disclosure =
        Disclosure { function_words: bytes.arbitrary()?, placeholders: bytes.arbitrary()?, plain_layout: false };
    let privatizer = Privatizer::new(table, mechanism, disclosure);
    let Ok(privatizer) = privatizer else { return Ok(()) };
    assert!(mechanism.kind().gives_words());
    super::check(&privatizer.guarantee(bytes.arbitrary::<u32>()? as usize));
    let text = bytes.choose(&TEXTS)?;
    let release = privatizer.privatize(*text, &mut seeded_rng(seed)).expect("a short text");
    super::check(&release.guarantee);
    assert_eq!(mechanism.loss(table).map(|loss| loss.epsilon), Ok(release.guarantee.epsilon_word));
    assert!(release.account.iter().all(|entry| entry.clear || entry.output.is_some_and(|row| table.is_offered(row))));
    let private = release.account.iter().filter(|entry| !entry.clear).count();
    assert_eq!(release.guarantee.words, private);
    if let Some(outputs) = table.rows().next().and_then(|row| privatizer.distribution(row)) {
        let total: f64 = outputs.iter().map(|(_, share)| share).sum();
        assert!((total - 1.0).abs() < 1e-6 && outputs.iter().all(|(_, share)| *share >= 0.0), "{total}: {mechanism:?}");
    }
    Ok(())
}

fn dropout(bytes: &mut Unstructured<'_>) -> Result<Dropout> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 => Dropout::None,
        1 => Dropout::Bernoulli(number(bytes)?),
        2 => Dropout::FixedSize(number(bytes)?),
        _ => Dropout::Chosen((0..bytes.int_in_range(0..=8)?).map(|_| bytes.arbitrary()).collect::<Result<_>>()?),
    })
}

fn unit(bytes: &mut Unstructured<'_>) -> Result<Unit> {
    Ok(*bytes.choose(&[Unit::Word, Unit::Text, Unit::Value])?)
}

fn representation_of_text(bytes: &mut Unstructured<'_>, mechanism: Mechanism, seed: [u8; 32]) -> Result<()> {
    let (table, unit) = (table(bytes)?, unit(bytes)?);
    let Ok(representer) = Representer::of_table(table, mechanism, unit) else { return Ok(()) };
    assert!(mechanism.kind().gives_representations() && unit != Unit::Value);
    let (text, dropout) = (bytes.choose(&TEXTS)?, dropout(bytes)?);
    if let Ok(guarantee) = representer.guarantee(bytes.int_in_range(0..=5000)?, &dropout) {
        super::check(&guarantee);
    }
    if let Ok(representation) = representer.represent(text, &dropout, &mut seeded_rng(seed)) {
        super::check(&representation.guarantee);
        shape(&representation.values, if unit == Unit::Text { 1 } else { representation.guarantee.words });
    }
    Ok(())
}

fn representation_of_vectors(bytes: &mut Unstructured<'_>, mechanism: Mechanism, seed: [u8; 32]) -> Result<()> {
    let (dims, unit) = (bytes.int_in_range(0..=MOST_DIMS)?, unit(bytes)?);
    let clip = if bytes.arbitrary()? { Some(number(bytes)?) } else { None };
    let Ok(representer) = Representer::of_vectors(dims, clip, mechanism, unit) else { return Ok(()) };
    assert!(mechanism.kind().gives_representations() && unit != Unit::Value);
    let (count, dropout) = (bytes.int_in_range(0..=4)?, dropout(bytes)?);
    let is_unit = bytes.arbitrary()?;
    let vector = |bytes: &mut Unstructured<'_>| -> Result<Vec<f64>> {
        let vector: Vec<f64> = (0..dims).map(|_| number(bytes)).collect::<Result<_>>()?;
        let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(if is_unit && norm > 0.0 { vector.iter().map(|x| x / norm).collect() } else { vector })
    };
    let vectors: Vec<Vec<f64>> = (0..count).map(|_| vector(bytes)).collect::<Result<_>>()?;
    let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
    let are_finite = vectors.iter().all(|vector| vector.iter().all(|x| x.is_finite()));
    match representer.represent_vectors(&vectors, &dropout, &mut seeded_rng(seed)) {
        Ok(representation) => {
            assert!(are_finite && count > 0, "what is no vector was represented");
            super::check(&representation.guarantee);
            shape(&representation.values, if unit == Unit::Text { 1 } else { count });
            assert!(representation.vectors().iter().flatten().all(|x| x.is_finite()), "{mechanism:?}");
        }
        Err(error) => assert!(!error.code().is_empty()),
    }
    Ok(())
}

/// `rows` rows, all of one length.
fn shape(values: &Values, rows: usize) {
    let lengths: Vec<usize> = match values {
        Values::Lattice { rows, scale } => {
            assert!(scale.is_finite() && *scale > 0.0, "a step of {scale}");
            rows.iter().map(Vec::len).collect()
        }
        Values::Bits(rows) => rows.iter().map(Vec::len).collect(),
    };
    assert_eq!(lengths.len(), rows);
    assert!(lengths.iter().all(|length| *length > 0 && *length == lengths[0]), "rows of several lengths");
}

fn choice(bytes: &mut Unstructured<'_>, mechanism: Mechanism, seed: [u8; 32]) -> Result<()> {
    let size = bytes.int_in_range(0..=MOST_VALUES)?;
    let Ok(unary) = Unary::new(mechanism, size) else { return Ok(()) };
    super::check(&unary.guarantee());
    let value = bytes.int_in_range(0..=MOST_VALUES)?;
    let report = unary.report(value, &mut seeded_rng(seed));
    assert_eq!(report.is_ok(), value < size);
    let Ok(report) = report else { return Ok(()) };
    assert_eq!(report.len(), size);
    let mut frequencies = Frequencies::new(&unary);
    frequencies.add(&report).expect("a report of this list");
    assert!(frequencies.add(&report[1..]).is_err());
    let shares = frequencies.shares();
    assert!(shares.len() == size && shares.iter().all(|share| share.deviation >= 0.0), "{mechanism:?}");
    Ok(())
}
