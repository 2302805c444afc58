//! Any bytes as a list of statements, and any text over a small one.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use sha2::{Digest, Sha256};
use textveil::{
    Error, InTheClear, Otherwise, Parameter, ReleaseRng, StatementList, Statements, Table, TextEncoder, Unit,
    normalize, seeded_rng,
};

static ENCODER: LazyLock<TextEncoder> = LazyLock::new(|| {
    let table =
        Table::parse(include_bytes!("../../tests/tables/encoder.tvt").as_slice()).expect("a table of the tests");
    TextEncoder::new(table).expect("a text encoder")
});

/// Some of them begin others.
const LINES: [&str; 5] =
    ["The app crashes.", "The app crashes. It is bad.", "The delivery was so late.", "It is bad.", "Other"];

/// Without and with a statement for texts that fit nothing.
static LISTS: LazyLock<[StatementList; 2]> = LazyLock::new(|| {
    let vectors: Vec<f64> = LINES[..4].iter().flat_map(|line| ENCODER.encode(line).expect("a short text")).collect();
    let vectors = [vectors, vec![1.0; ENCODER.table().dims()]].concat();
    [None, Some(Otherwise { statement: 4, least_cosine: 0.5, left_out: ENCODER.polarity_dims() })].map(|otherwise| {
        let file = StatementList::file(&LINES, &vectors, ENCODER.table().dims(), ENCODER.id(), otherwise);
        StatementList::parse(file.expect("a list")).expect("what was written")
    })
});

/// Statements that are compared with others and looked for in texts.
const FEW: usize = 8;

/// Any bytes as a list, as they are and with the checksum that belongs to them, or as a text with settings over a small
/// list. The first byte says which.
///
/// # Panics
/// A list that was accepted does not work, or a text is exchanged for something else than as many statements of the list.
pub fn statements(data: &[u8]) {
    let Some((mode, bytes)) = data.split_first() else { return };
    if mode % 2 == 0 {
        list(bytes);
    } else {
        // Where the bytes end, there are no more settings.
        let _ = exchange(&mut Unstructured::new(bytes));
    }
}

fn list(bytes: &[u8]) {
    let mut sealed = bytes.to_vec();
    if sealed.len() >= 80 {
        let hash = Sha256::new().chain_update(&sealed[..48]).chain_update(&sealed[80..]).finalize();
        sealed[48..80].copy_from_slice(&hash);
    }
    for file in [bytes, &sealed] {
        match StatementList::parse(file) {
            Ok(list) => exercise(&list, file),
            Err(error) => assert!(matches!(error, Error::BadStatements(_)), "{error}"),
        }
    }
}

/// Uses every part of a list.
fn exercise(list: &StatementList, file: &[u8]) {
    let (length, dims) = (list.len(), list.dims());
    assert!((2..=StatementList::MAX_LENGTH).contains(&length) && (1..=StatementList::MAX_DIMS).contains(&dims));
    assert!(list.iter().len() == length && list.get(length).is_none() && list.vector(length).is_none());
    assert!(list.otherwise().is_none_or(|it| it.statement < length && (-1.0..=1.0).contains(&it.least_cosine)));
    for (number, statement) in list.iter().enumerate() {
        assert_eq!(list.get(number), Some(statement));
        assert_eq!(list.vector(number).map(<[i8]>::len), Some(dims));
    }
    round_trip(list);
    let lines: Vec<&str> = list.iter().take(FEW).collect();
    for (number, line) in lines.iter().enumerate() {
        assert!(list.has_made(line, 1) && !list.has_made(line, 0), "a statement is not its list's");
        assert!(list.has_made(&format!("{line} {}", lines[0]), 2), "two statements are not their list's");
        near(list, &own(list, number));
    }
    near(list, &vec![0.0; dims]);
    for axis in 0..dims.min(FEW) {
        let along = |x: f64| (0..dims).map(|dim| if dim == axis { x } else { 0.0 }).collect::<Vec<_>>();
        [1.0, -1.0].into_iter().for_each(|x| near(list, &along(x)));
    }
    // Whatever numbers the file's bytes are, also none.
    let numbers = file.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    let numbers: Vec<f64> = numbers.collect();
    numbers.chunks(dims).take(FEW).for_each(|vector| near(list, vector));
    let text = String::from_utf8_lossy(file);
    assert!(!list.has_made(&text, 3), "the bytes of a list are none of its statements");
}

fn own(list: &StatementList, number: usize) -> Vec<f64> {
    list.vector(number).expect("a statement's vector").iter().map(|step| f64::from(*step)).collect()
}

/// A list is written with directions alone, and from then on stays the same to the last bit.
fn round_trip(list: &StatementList) {
    let written = |list: &StatementList| {
        let lines: Vec<&str> = list.iter().collect();
        let vectors: Vec<f64> = (0..list.len()).flat_map(|number| own(list, number)).collect();
        let file = StatementList::file(&lines, &vectors, list.dims(), list.encoder(), list.otherwise());
        file.unwrap_or_else(|error| panic!("a list is not written: {error}"))
    };
    let file = written(list);
    let again = StatementList::parse(&file[..]).unwrap_or_else(|error| panic!("what was written is refused: {error}"));
    assert!(again.iter().eq(list.iter()) && again.dims() == list.dims() && again.encoder() == list.encoder());
    assert_eq!(again.otherwise(), list.otherwise());
    assert!(written(&again) == file, "a list changes when it is written again");
}

/// What is near to a vector, in any number.
fn near(list: &StatementList, vector: &[f64]) {
    let cosines = list.cosines(vector);
    if vector.len() != list.dims() || vector.iter().any(|x| !x.is_finite()) {
        let error = if vector.len() == list.dims() { Error::InvalidVector } else { Error::DimensionMismatch };
        assert_eq!((cosines, list.nearest(vector, 1)), (Err(error), Err(error)));
        return;
    }
    let cosines = cosines.expect("a vector");
    assert_eq!(cosines.is_none(), vector.iter().all(|x| *x == 0.0));
    assert!(cosines.iter().flatten().all(|cosine| cosine.abs() <= 1.0 + 1e-9), "a cosine above 1");
    let order = list.nearest(vector, list.len()).expect("a vector");
    let most = list.largest_cosine(vector).expect("a vector").unwrap_or(f64::NEG_INFINITY);
    match (&cosines, list.otherwise()) {
        (_, Some(otherwise)) if most < otherwise.least_cosine => {
            assert_eq!(list.nearest(&own(list, otherwise.statement), list.len()), Ok(order.clone()));
        }
        (None, _) => assert!(order.is_empty(), "something is near to nothing"),
        (Some(cosines), _) => {
            assert!(order.is_sorted_by(|a, b| (cosines[*b], *a) < (cosines[*a], *b)), "{order:?}")
        }
    }
    for count in [0, 1, 2, list.len() - 1, usize::MAX] {
        let nearest = list.nearest(vector, count).expect("a vector");
        assert!(nearest == order[..count.min(order.len())], "{count} are other ones than all");
    }
}

fn exchange(bytes: &mut Unstructured<'_>) -> Result<()> {
    let list = &LISTS[usize::from(bytes.arbitrary::<bool>()?)];
    let epsilon = super::mechanism::number(bytes)?;
    let (near, releases) =
        (bytes.int_in_range(0..=LINES.len())?, bytes.int_in_range(0..=Statements::MAX_RELEASES + 1)?);
    let is_epsilon = Parameter::Epsilon.check(epsilon).is_ok() && epsilon <= 20.0;
    let statements = Statements::new(list, epsilon);
    assert_eq!(statements.is_ok(), is_epsilon);
    let Ok(statements) = statements else { return Ok(()) };
    let statements = statements.with_near(near);
    assert_eq!(statements.is_ok(), (1..LINES.len()).contains(&near));
    let Ok(statements) = statements else { return Ok(()) };
    let statements = statements.per_sentence(releases);
    assert_eq!(statements.is_ok(), (1..=Statements::MAX_RELEASES).contains(&releases));
    let Ok(statements) = statements else { return Ok(()) };
    let seed = bytes.arbitrary::<[u8; 4]>()?;
    let mut whole = [0; 32];
    whole[..4].copy_from_slice(&seed);
    let text = String::from_utf8_lossy(bytes.bytes(bytes.len())?);
    for text in [&*normalize(&text), &text] {
        release(&statements, epsilon, text, || seeded_rng(whole));
    }
    Ok(())
}

/// Exchanges a text, and looks at what comes out.
fn release(statements: &Statements, epsilon: f64, text: &str, rng: impl Fn() -> ReleaseRng) {
    let (list, releases) = (statements.list(), statements.releases());
    let release = statements.exchange(&ENCODER, text, &mut rng()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(release.statements.len(), releases, "the number of statements tells of the text");
    assert!(release.statements.iter().all(|stated| list.get(stated.number) == Some(&stated.statement)));
    let lines: Vec<&str> = release.statements.iter().map(|stated| stated.statement.as_str()).collect();
    assert!(list.has_made(&lines.join(" "), releases), "a release is not its list's");
    let guarantee = &release.guarantee;
    super::check(guarantee);
    assert_eq!((guarantee.unit, guarantee.words, guarantee.table), (Unit::WholeText, releases, Some(list.id())));
    assert!(guarantee.epsilon_word == epsilon && guarantee.epsilon_text >= epsilon * releases as f64);
    assert!(
        guarantee.clear == [InTheClear::Language] && guarantee.delta_text == 0.0,
        "something of the text is in clear"
    );
    let vectors = statements.vectors(&ENCODER, text).expect("a short text");
    assert!((1..=releases).contains(&vectors.len()), "more sentences than statements");
    let again = statements.exchange_vectors(&vectors, &mut rng()).expect("its own vectors");
    assert!(again.statements == release.statements, "a text and its vectors are exchanged for other statements");
    assert!(statements.exchange_vectors(&vec![vec![0.0; list.dims()]; releases + 1], &mut rng()).is_err());
}
