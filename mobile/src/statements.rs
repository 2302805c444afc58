//! One ε for a whole text: the object that draws statements.

use std::fmt;

use textveil::{Error, FileId, Otherwise, ReleaseKey, ReleaseRng, StatementList, Table, TextEncoder};

use crate::columns::released;
use crate::once::Drawn;
use crate::panics;
use crate::source::{Source, of_field};
use crate::veil::{bytes_of, dims, floats, normal};
use crate::{Guarantee, ReleaseColumn, TextColumn, TextVeilError};

/// Exchanges whole texts for statements of a public list, under one ε. To be called from any thread; every call is
/// synchronous.
///
/// Any two texts that are not refused are protected from each other, of any allowed length: nothing of a text leaves but
/// the statements.
///
/// A text is drawn **once**: for the life of the object, the same text for the same field gives the very same
/// release, because every further draw would spend ε again. Texts and releases are remembered in memory, in plain
/// text, for as long; a fresh object forgets. **One object is for one person's texts**: that equal texts have equal
/// releases would show that two people wrote the same. `privatize_column`, for the texts of many, remembers nothing.
#[derive(uniffi::Object)]
pub struct Statements {
    pub(crate) statements: textveil::Statements,
    encoder: Option<TextEncoder>,
    releases: Drawn<ReleaseKey, StatementRelease>,
    pub(crate) source: Source,
}

/// What may leave the device. Printed, it is its text.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct StatementRelease {
    /// The statements, with a space between them. This, and the guarantee, is what may be sent.
    pub text: String,
    /// One by one. They are as many as were asked for, whatever the text.
    pub statements: Vec<Statement>,
    /// What is promised about all of them together.
    pub guarantee: Guarantee,
}

impl fmt::Display for StatementRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A statement that takes the place of a text, or of a sentence of it.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Statement {
    /// Its number in the list, from 0 on.
    pub number: u32,
    /// The statement.
    pub text: String,
}

impl Statement {
    fn of(number: usize, text: &str) -> Self {
        // A list has at most 65,535 statements.
        Self { number: number as u32, text: text.to_owned() }
    }
}

impl From<textveil::StatementRelease> for StatementRelease {
    fn from(release: textveil::StatementRelease) -> Self {
        let statement = |stated: &textveil::Stated| Statement::of(stated.number, &stated.statement);
        let guarantee = (&release.guarantee).into();
        Self { text: joined(&release), statements: release.statements.iter().map(statement).collect(), guarantee }
    }
}

/// The statements of a release, with a space between them.
fn joined(release: &textveil::StatementRelease) -> String {
    release.statements.iter().map(|stated| &*stated.statement).collect::<Vec<_>>().join(" ")
}

#[uniffi::export]
impl Statements {
    /// With the file of a list (`.tvs`) and the file of the text encoder that it was made with. Without an encoder, it
    /// takes vectors and choices alone (`privatize_vectors`, `privatize_chosen`), as it does with a list of answers.
    ///
    /// `epsilon` is that of one statement, in nats; without it 8, and 2 for a list of answers. `near` says how many statements
    /// are near to each text; without it 6·M/e^ε of M statements, at least 1, and one answer. `per_sentence` says how many statements each text is exchanged for, one
    /// for each of its first sentences: each costs ε, and those that are missing are drawn for nothing. With
    /// `any_language`, texts of other languages than the encoder's are taken, too: without it, they are refused
    /// (`OtherLanguage`).
    ///
    /// # Errors
    /// `BadStatements`; `InvalidEpsilon` unless it is above 0 and at most 20; `InvalidMass` unless `near` is at least 1
    /// and less than the list has; `InvalidArgument` unless `per_sentence` is from 1 to 32, and 1 for answers; `BadTable` for an encoder
    /// that is no table; `OtherEncoder` for one that the list was not made with.
    #[uniffi::constructor(default(encoder = None, epsilon = None, near = None, per_sentence = 1, any_language = false))]
    pub fn new(
        list: Vec<u8>,
        encoder: Option<Vec<u8>>,
        epsilon: Option<f64>,
        near: Option<u32>,
        per_sentence: u32,
        any_language: bool,
    ) -> Result<Self, TextVeilError> {
        panics::print_places_only();
        let list = StatementList::parse(list)?;
        let statements = textveil::Statements::new(&list, epsilon.unwrap_or_else(|| list.usual_epsilon()))?;
        let statements = match near {
            Some(near) => statements.with_near(near as usize)?,
            None => statements,
        };
        let statements = statements.per_sentence(per_sentence as usize)?;
        // Without an encoder no text can be refused.
        let takes_all = any_language || encoder.is_none();
        let statements = if takes_all { statements.of_any_language() } else { statements };
        let encoder = encoder.filter(|_| !list.is_of_answers()).map(encoder_of).transpose()?;
        // Refuses the encoder of another list.
        encoder.as_ref().map(|encoder| statements.vectors(encoder, "")).transpose()?;
        Ok(Self { statements, encoder, releases: Drawn::default(), source: Source::default() })
    }

    /// Exchanges a text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
    ///
    /// `field` is any name of what the text is for, such as that of the form's field, and stays here. Each field is
    /// drawn for itself, as equal releases for two fields would show that their texts are equal.
    ///
    /// # Errors
    /// `OtherEncoder` without an encoder; `TextTooLong`, `OtherLanguage`, `EntropyUnavailable`.
    #[uniffi::method(default(field = None))]
    pub fn privatize(&self, text: &str, field: Option<String>) -> Result<StatementRelease, TextVeilError> {
        panics::without_words(|| {
            let text = normal(text)?;
            let field = field.as_deref();
            Ok(self.releases.once(self.statements.key(&text, field), || {
                self.exchange(&text, &mut self.source.rng(of_field([text.as_bytes()], field))?)
                    .map(StatementRelease::from)
            })?)
        })
    }

    /// The same for the vectors that an app's own encoder gave (each as 64-bit floats, little-endian): one for the
    /// text, or one for each sentence. Only their direction counts. Vectors that are missing are drawn for nothing.
    ///
    /// The same vectors for the same field are drawn **once**. Vectors of another length count as others, although
    /// they have the same direction.
    ///
    /// # Errors
    /// `InvalidArgument` for more vectors than statements come out; `DimensionMismatch`; `InvalidVector` for what is
    /// not a finite number; `EntropyUnavailable`.
    #[uniffi::method(default(field = None))]
    pub fn privatize_vectors(
        &self,
        vectors: Vec<Vec<u8>>,
        field: Option<String>,
    ) -> Result<StatementRelease, TextVeilError> {
        panics::without_words(|| {
            let (vectors, field) = (floats(&vectors)?, field.as_deref());
            Ok(self.releases.once(self.statements.key_of_vectors(&vectors, field), || {
                let bytes: Vec<Vec<u8>> = vectors.iter().map(|vector| bytes_of(vector)).collect();
                let input = of_field(bytes.iter().map(Vec::as_slice), field);
                self.statements.exchange_vectors(&vectors, &mut self.source.rng(input)?).map(StatementRelease::from)
            })?)
        })
    }

    /// Exchanges a text by what a person chose for it, for example from what `suggest` gave: the number of one statement,
    /// or of one for each sentence. Near are these statements and those around them. Numbers that are missing are drawn for
    /// nothing. Nothing else of the text is used: a question without a text has the empty one.
    ///
    /// The same text with the same choice is drawn **once** for a field. Another choice spends ε again, and so does an
    /// edited text. So does `privatize` for the same text: exchange a text by one of the two, when the person has finished.
    ///
    /// Whether a person has chosen says something of the text. So make the object with `any_language` also for texts
    /// where none is chosen: then all releases have one guarantee.
    ///
    /// # Errors
    /// `InvalidArgument` for more numbers than statements come out, or one that the list does not have; `TextTooLong`;
    /// `EntropyUnavailable`.
    #[uniffi::method(default(field = None))]
    pub fn privatize_chosen(
        &self,
        text: &str,
        chosen: Vec<u32>,
        field: Option<String>,
    ) -> Result<StatementRelease, TextVeilError> {
        panics::without_words(|| {
            let numbers: Vec<usize> = chosen.iter().map(|number| *number as usize).collect();
            let (text, field) = (normal(text)?, field.as_deref());
            self.statements.check_chosen(&text, &numbers)?;
            Ok(self.releases.once(self.statements.key_of_chosen(&text, &numbers, field), || {
                let bytes: Vec<u8> = chosen.iter().flat_map(|number| number.to_le_bytes()).collect();
                let input = of_field([text.as_bytes(), &bytes], field);
                self.statements.exchange_chosen(&numbers, &mut self.source.rng(input)?).map(StatementRelease::from)
            })?)
        })
    }

    /// What a person may have meant: the `count` statements nearest to a text, from 1 to 1000, the nearest first. After
    /// them comes the one for texts that fit nothing, if the list has one. An app shows them, and exchanges the one that
    /// the person chooses by `privatize_chosen`.
    ///
    /// Nothing is drawn, and no language is refused. Of a text without a known word, only the last one comes. **For the
    /// device alone**: they say more of the text than a release.
    ///
    /// # Errors
    /// `OtherEncoder` without an encoder; `TextTooLong`; `InvalidArgument` for another `count`.
    #[uniffi::method(default(count = 5))]
    pub fn suggest(&self, text: &str, count: u32) -> Result<Vec<Statement>, TextVeilError> {
        panics::without_words(|| {
            let encoder = self.encoder.as_ref().ok_or(Error::OtherEncoder)?;
            if !(1..=1000).contains(&count) {
                return Err(Error::InvalidArgument.into());
            }
            let list = self.statements.list();
            let found = list.suggested(&encoder.encode(&normal(text)?)?, count as usize)?;
            let statement = |number| Statement::of(number, list.get(number).unwrap_or_default());
            Ok(found.into_iter().map(statement).collect())
        })
    }

    /// Exchanges each row of a column on `threads` threads (0: as many as the machine has), each row a release of its
    /// own.
    ///
    /// Nothing is remembered, and equal rows are drawn each for itself: rows are of different people, and equal
    /// releases would show that two of them wrote the same. **So a second call spends again**: keep what the first one
    /// gave. Rows of the same person add up.
    ///
    /// Of a list of answers, each row is an answer as the list spells it. Also an empty row is an error then: who did not answer
    /// would show. Give the list an answer such as "No answer" for them.
    ///
    /// # Errors
    /// As `privatize`; `InvalidArgument` for what is not such a column, and for a row that is no answer. Nothing is released
    /// then.
    #[uniffi::method(default(threads = 0))]
    pub fn privatize_column(&self, column: &TextColumn, threads: u32) -> Result<ReleaseColumn, TextVeilError> {
        panics::without_words(|| {
            let exchange = |text: &str| {
                let rng = &mut self.source.rng([text.as_bytes()])?;
                let release = match self.answer(text) {
                    Some(number) => self.statements.exchange_chosen(&[number?], rng)?,
                    None => self.exchange(text, rng)?,
                };
                Ok((joined(&release), release.guarantee))
            };
            Ok(released(column, threads, exchange, |_| self.statements.guarantee())?)
        })
    }

    /// The first row that `privatize_column` refuses, also because it is in another language. For the device only, where
    /// somebody looks for it. None without an encoder, unless the list has answers.
    pub fn refused_row(&self, column: &TextColumn) -> Option<u64> {
        panics::without_words(|| match &self.encoder {
            Some(encoder) => column.first_refused(|text| self.statements.check(encoder, text).is_ok()),
            None if self.statements.list().is_of_answers() => {
                column.first_refused(|text| self.answer(text).is_some_and(|number| number.is_ok()))
            }
            None => None,
        })
    }

    /// What holds for every release of a text.
    pub fn guarantee(&self) -> Guarantee {
        (&self.statements.guarantee()).into()
    }

    /// All statements of the list, in order.
    pub fn statements(&self) -> Vec<String> {
        self.statements.list().iter().map(str::to_owned).collect()
    }

    /// The list's public identity: its SHA-256 in hexadecimal.
    pub fn list_id(&self) -> String {
        self.statements.list().id().to_string()
    }

    /// How many statements are near to each text.
    pub fn near(&self) -> u32 {
        self.statements.near() as u32
    }
}

impl Statements {
    /// The number of an answer, if the list has answers.
    fn answer(&self, text: &str) -> Option<Result<usize, Error>> {
        let list = self.statements.list();
        list.is_of_answers().then(|| list.number_of(text).ok_or(Error::InvalidArgument))
    }

    pub(crate) fn exchange(&self, text: &str, rng: &mut ReleaseRng) -> Result<textveil::StatementRelease, Error> {
        self.statements.exchange(self.encoder.as_ref().ok_or(Error::OtherEncoder)?, text, rng)
    }
}

/// The file of a list (`.tvs`) from its statements: each is encoded by the text encoder whose file is given. The list
/// is public.
///
/// A string that begins with a space or a tab is another phrasing of the statement before it: a text that is near to it comes
/// to that statement. Phrasings are never sent, and are not in the file.
///
/// `otherwise` is the statement for texts that fit nothing: those whose cosine to the nearest statement is below
/// `least_cosine` (0.35 unless told).
///
/// # Errors
/// `BadTable`, `OtherEncoder` for bytes that are no text encoder; `BadStatements` for less than 2 statements, more than
/// 65,535, an empty one, two that are equal, a phrasing of none, or if `least_cosine` is not from −1 to 1; `InvalidVector` for a
/// statement of unknown words alone; `InvalidArgument` if `otherwise` is not one of the statements; `InvalidOptions`
/// for a `least_cosine` without `otherwise`. For a line that breaks a rule the message names the line, from 1, and the rule.
#[uniffi::export(default(otherwise = None, least_cosine = None))]
pub fn build_statements(
    statements: Vec<String>,
    encoder: Vec<u8>,
    otherwise: Option<String>,
    least_cosine: Option<f64>,
) -> Result<Vec<u8>, TextVeilError> {
    let lines = lines(&statements)?;
    let encoder = encoder_of(encoder)?;
    let vectors = lines.iter().map(|line| encoder.encode(line)).collect::<Result<Vec<_>, _>>()?;
    Ok(file(&lines, &vectors, encoder.table().dims(), encoder.id(), otherwise, least_cosine, encoder.polarity_dims())?)
}

/// The same with the vectors that an app's own encoder gave (each as 64-bit floats, little-endian), one for each
/// statement and each phrasing. `encoder_id` names that encoder: any 32 bytes, such as a digest of its model.
///
/// # Errors
/// As `build_statements`; `DimensionMismatch` for vectors that do not fit each other or the statements; `InvalidVector`
/// for a null vector or what is not a finite number; `InvalidArgument` if `encoder_id` is not 32 bytes.
#[uniffi::export(default(otherwise = None, least_cosine = None))]
pub fn build_statements_of(
    statements: Vec<String>,
    vectors: Vec<Vec<u8>>,
    encoder_id: Vec<u8>,
    otherwise: Option<String>,
    least_cosine: Option<f64>,
) -> Result<Vec<u8>, TextVeilError> {
    let id = encoder_id.try_into().map_err(|_| Error::InvalidArgument)?;
    let vectors = floats(&vectors)?;
    Ok(file(&lines(&statements)?, &vectors, dims(&vectors), FileId::new(id), otherwise, least_cosine, 0)?)
}

/// Other phrasings have a space in front.
fn lines(statements: &[String]) -> Result<Vec<String>, Error> {
    let indent = |line| if StatementList::is_phrasing(line) { " " } else { "" };
    statements.iter().map(|line| Ok(format!("{}{}", indent(line), normal(line.trim())?))).collect()
}

fn file(
    lines: &[String],
    vectors: &[Vec<f64>],
    dims: usize,
    encoder: FileId,
    otherwise: Option<String>,
    least_cosine: Option<f64>,
    left_out: usize,
) -> Result<Vec<u8>, Error> {
    if otherwise.is_none() && least_cosine.is_some() {
        return Err(Error::InvalidOptions);
    }
    if vectors.len() != lines.len() || vectors.iter().any(|vector| vector.len() != dims) {
        return Err(Error::DimensionMismatch);
    }
    let otherwise = match otherwise {
        Some(otherwise) => {
            let otherwise = normal(otherwise.trim())?;
            let mut statements = lines.iter().filter(|line| !StatementList::is_phrasing(line));
            let statement = statements.position(|line| *line == otherwise).ok_or(Error::InvalidArgument)?;
            let least_cosine = least_cosine.unwrap_or(Otherwise::USUAL_LEAST_COSINE);
            Some(Otherwise { statement, least_cosine, left_out })
        }
        None => None,
    };
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    StatementList::file(&lines, &vectors.concat(), dims, encoder, otherwise)
}

pub(crate) fn encoder_of(file: Vec<u8>) -> Result<TextEncoder, Error> {
    TextEncoder::new(Table::parse(file)?)
}
