//! From a text, or from vectors of any encoder, to a noisy representation: a vector for each word, or one
//! vector or bit string for the whole text.
//!
//! # Privacy of a vector by a text encoder
//! ε, δ for the replacement of one text by any other, of any length: `privunit2` promises as much for any two unit
//! vectors, and each text has one. It is the direction of the first coordinates of the sum of its words' rows. A text
//! without such a direction (the empty text, or one of unknown words) gets the first axis. The number of words does not
//! show, as only the direction counts.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZero;

use rand_core::CryptoRng;

use crate::account::dropout::{FixedMask, Rounding};
use crate::mechanism::{Code, Domain, Inputs, Proof, Rows, Sum, noisy};
use crate::memory::Law;
use crate::privacy::guarantee::Terms;
use crate::privacy::space::{Outside, STEPS};
use crate::sampler::{below, bernoulli};
use crate::text::Judge;
use crate::{
    Error, FileId, Guarantee, InTheClear, Loss, Mechanism, MechanismKind, Parameter, Piece, ReleaseKey, ReleaseRng,
    Table, TextEncoder, Unit, WordId, look_up,
};

/// Which words are left out (become the null vector) before the mechanism sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Dropout {
    /// None.
    #[default]
    None,
    /// Each word with this probability, by a coin of its own.
    Bernoulli(f64),
    /// This share of the words, rounded up to a whole number of them, chosen at random.
    FixedSize(f64),
    /// The marked words, by one entry for each word. The choice is not random and strengthens no guarantee. It
    /// counts as public, so it must not depend on what the words say.
    Chosen(Vec<bool>),
}

impl Dropout {
    fn check(&self, words: usize, unit: Unit) -> Result<(), Error> {
        match self {
            Self::Bernoulli(_) | Self::FixedSize(_) | Self::Chosen(_) if unit == Unit::WholeText => {
                Err(Error::NotOffered)
            }
            Self::Bernoulli(rate) | Self::FixedSize(rate) if !(0.0..1.0).contains(rate) => Err(Error::InvalidDropout),
            Self::Chosen(mask) if mask.len() != words => Err(Error::InvalidMask),
            _ => Ok(()),
        }
    }

    /// The probability with which a word is left out by chance.
    fn rate(&self, words: usize) -> f64 {
        match self {
            Self::None | Self::Chosen(_) => 0.0,
            // A product with a power of two is exact, and so is a number of 53 bits that is cut to an
            // integer.
            Self::Bernoulli(rate) => numerator(*rate) as f64 / POWER,
            Self::FixedSize(_) if words == 0 => 0.0,
            Self::FixedSize(rate) if zeros(*rate, words) == words => 1.0,
            // Rounded down, as a smaller rate promises less.
            Self::FixedSize(rate) => (zeros(*rate, words) as f64 / words as f64).next_down().max(0.0),
        }
    }

    /// Whether each word is left out.
    fn draw<R: CryptoRng>(&self, words: usize, rng: &mut R) -> Vec<bool> {
        match self {
            Self::None => vec![false; words],
            Self::Chosen(mask) => mask.clone(),
            Self::Bernoulli(rate) => (0..words).map(|_| bernoulli(numerator(*rate), rng)).collect(),
            Self::FixedSize(rate) => {
                let mut order: Vec<usize> = (0..words).collect();
                let mut mask = vec![false; words];
                for place in 0..zeros(*rate, words) {
                    let left = NonZero::new((words - place) as u128).unwrap_or(NonZero::<u128>::MIN);
                    order.swap(place, place + below(left, rng) as usize);
                    mask[order[place]] = true;
                }
                mask
            }
        }
    }
}

const POWER: f64 = 18_446_744_073_709_551_616.0;

fn numerator(rate: f64) -> u64 {
    (rate * POWER) as u64
}

/// How many words a share of them is, rounded up: rounded down, fewer would be left out than are counted on.
fn zeros(rate: f64, words: usize) -> usize {
    FixedMask::new(words as u64, rate, Rounding::Ceil).map_or(0, |mask| mask.zeros() as usize).min(words)
}

/// Turns texts, or lists of word vectors, into noisy representations.
///
/// # Security
/// As with [`crate::Privatizer`], every representation is a release of its own and spends its ε.
pub struct Representer {
    source: Source,
    mechanism: Mechanism,
    proof: Proof,
    rows: Rows,
    unit: Unit,
    any_language: bool,
    law: Law,
}

impl fmt::Debug for Representer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Representer");
        shown.field("mechanism", &self.mechanism).field("unit", &self.unit).finish_non_exhaustive()
    }
}

enum Source {
    Table(Table),
    /// The first coordinates of this encoder's vectors.
    Encoder(TextEncoder, Outside),
    Vectors(Outside),
}

impl Source {
    fn inputs(&self) -> Inputs<'_> {
        match self {
            Self::Table(table) => Inputs::Table(table),
            Self::Encoder(_, outside) | Self::Vectors(outside) => Inputs::Vectors(*outside),
        }
    }

    fn id(&self) -> Option<FileId> {
        match self {
            Self::Table(table) => Some(table.id()),
            Self::Encoder(encoder, _) => Some(encoder.id()),
            Self::Vectors(_) => None,
        }
    }
}

/// The data that may leave the device.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Representation {
    /// One row for each word, or a single one for the text.
    pub values: Values,
    /// The guarantee for it.
    pub guarantee: Guarantee,
}

impl fmt::Debug for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Representation").field("guarantee", &self.guarantee).finish_non_exhaustive()
    }
}

/// The rows of a representation.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real vectors: element = scale × integer.
    Lattice {
        /// One list of integers a row.
        rows: Vec<Vec<i32>>,
        /// The length of one step.
        scale: f64,
    },
    /// Bit strings.
    Bits(Vec<Vec<bool>>),
}

impl Representer {
    /// The mechanism unless one is named: among the sound ones, it tells a collector most at equal ε up to about 100
    /// (`textveil-lab reproduce ome equal-epsilon`).
    pub const USUAL: MechanismKind = MechanismKind::Privunit2;

    /// Represents texts by the vectors of a table: each word by one (`Unit::Word`), or the text by the mean
    /// of them.
    ///
    /// # Errors
    /// [`Error::NotOffered`] for a mechanism that puts out words alone. Those of [`Mechanism`] for its parameters.
    pub fn of_table(table: &Table, mechanism: Mechanism, unit: Unit) -> Result<Self, Error> {
        Self::new(Source::Table(table.clone()), mechanism, unit)
    }

    /// Represents each text, whatever its length, by the first `dims` coordinates of its vector: one noisy direction
    /// under one guarantee (`Unit::WholeText`). Without `dims` they are [`Representer::USUAL_DIMS`], or all of an
    /// encoder that has fewer. No word is left out.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] unless `dims` is 1 to the encoder's. [`Error::NotOffered`] for less than 3 of them,
    /// and for another mechanism than `privunit2`. Those of [`Mechanism`] for its parameters.
    pub fn of_encoder(encoder: &TextEncoder, dims: Option<usize>, mechanism: Mechanism) -> Result<Self, Error> {
        let dims = dims.unwrap_or(Self::USUAL_DIMS.min(encoder.table().dims()));
        if !(1..=encoder.table().dims()).contains(&dims) {
            return Err(Error::DimensionMismatch);
        }
        if mechanism.kind() != MechanismKind::Privunit2 {
            return Err(Error::NotOffered);
        }
        Self::new(Source::Encoder(encoder.clone(), Outside { dims, clip: 1.0 }), mechanism, Unit::WholeText)
    }

    /// How many coordinates of a text encoder's vector are noised where it is not said (`textveil-lab statements
    /// --dimensions` has the accuracies of more and of fewer).
    pub const USUAL_DIMS: usize = 16;

    /// Represents texts by vectors of `dims` dimensions that another encoder gives for each word (or the one
    /// that it gives for a text). They are clipped to Euclidean norm `clip` (`dpnr` clips each coordinate to ±`clip`,
    /// and `privunit2` takes the norm 1 and ignores `clip`). Then they are cut to steps of `clip`/4096.
    ///
    /// `privunit2` keeps the direction alone, which tells most where the vectors have little in common. A caller that
    /// centres them subtracts a public mean, never the mean of the private texts.
    ///
    /// The guarantee protects **a vector**: lists of vectors are neighbours if they differ in one. An encoder that sees
    /// the context lets one word move several vectors. Then the guarantee for the text is the one for a word.
    ///
    /// # Errors
    /// Those of [`Representer::of_table`]. [`Error::DimensionMismatch`] unless `dims` is 1…[`Representer::MAX_DIMS`].
    /// [`Error::Invalid`] for a `clip` outside 10⁻¹⁰⁰…10¹⁰⁰, or for a missing one except with `privunit2`.
    pub fn of_vectors(dims: usize, clip: Option<f64>, mechanism: Mechanism, unit: Unit) -> Result<Self, Error> {
        let known = (mechanism.kind() == MechanismKind::Privunit2).then_some(1.0);
        let clip = clip.or(known).ok_or(Error::Invalid(Parameter::Clip))?;
        // Squares of lengths near the clip must be floats.
        if !(1e-100..=1e100).contains(&clip) {
            return Err(Error::Invalid(Parameter::Clip));
        }
        if !(1..=Self::MAX_DIMS).contains(&dims) {
            return Err(Error::DimensionMismatch);
        }
        // The norm has been given.
        if mechanism.get(Parameter::Clip).is_some() {
            return Err(Error::InvalidOptions);
        }
        Self::new(Source::Vectors(Outside { dims, clip }), mechanism, unit)
    }

    /// Most dimensions of another encoder's vectors.
    pub const MAX_DIMS: usize = 4096;

    fn new(source: Source, mechanism: Mechanism, unit: Unit) -> Result<Self, Error> {
        let prepared = mechanism.prepare(&source.inputs())?;
        let rows = Rows::new(prepared.randomizer)?;
        // A value of a list is no vector (see `Unary`). Of a table's rows and of an app's vectors the number shows.
        if unit == Unit::Value || (unit == Unit::WholeText) != matches!(source, Source::Encoder(..)) {
            return Err(Error::NotOffered);
        }
        let law = Law::new("representation", source.id(), &mechanism, &prepared.proof).parameters(&mechanism);
        let law = law.item("unit", unit.name().as_bytes());
        let law = match &source {
            Source::Table(_) => law,
            Source::Encoder(_, Outside { dims, clip }) | Source::Vectors(Outside { dims, clip }) => {
                let law = law.count("dimensions", *dims as u64);
                // Its vectors have length 1, whatever is said of their norm.
                if mechanism.kind() == MechanismKind::Privunit2 { law } else { law.number("clip", *clip) }
            }
        };
        Ok(Self { source, mechanism, proof: prepared.proof, rows, unit, any_language: false, law })
    }

    /// The same for texts of any language (see [`crate::Privatizer::of_any_language`]).
    #[must_use]
    pub fn of_any_language(self) -> Self {
        Self { any_language: true, ..self }
    }

    /// The guarantee of a text of `words` words. With a text encoder it holds for any text.
    ///
    /// # Errors
    /// [`Error::InvalidDropout`], [`Error::InvalidMask`]. [`Error::NotOffered`] for random dropout with a metric
    /// mechanism, whose guarantee it would not strengthen, and for any with a text encoder.
    pub fn guarantee(&self, words: usize, dropout: &Dropout) -> Result<Guarantee, Error> {
        let proof = &self.proof;
        dropout.check(words, self.unit)?;
        let rate = dropout.rate(words);
        if rate > 0.0 && proof.eta.is_some() {
            return Err(Error::NotOffered);
        }
        // A sum does not tell which word stands where.
        let amplified = |loss: Loss| match (dropout, self.unit) {
            (Dropout::FixedSize(_), Unit::Word) => loss.after_exchange(rate),
            _ => loss.after_dropout(rate),
        };
        let (word, text) = match (&self.rows, self.unit) {
            (_, Unit::WholeText) => (proof.loss, proof.loss),
            (Rows::Encoding(encoding), Unit::Text) => {
                let word = amplified(encoding.loss_of_a_word(words, proof.loss));
                (word, if words == 1 { word } else { proof.loss })
            }
            (rows, Unit::Word) => {
                let one = match rows {
                    Rows::Encoding(encoding) => encoding.loss_of_a_word(1, proof.loss),
                    Rows::Noise { .. } => proof.loss,
                };
                let word = amplified(one);
                // A fixed number of words left out ties the words of a text together.
                let together = matches!(dropout, Dropout::FixedSize(_)) && word != one;
                (word, if together { word.group(words) } else { word.times(words) })
            }
            (_, Unit::Text | Unit::Value) => {
                let word = amplified(proof.loss);
                (word, word.group(words))
            }
        };
        let (mechanism, unit, table) = (&self.mechanism, self.unit, self.source.id());
        let (words, mut clear) =
            if unit == Unit::WholeText { (1, Vec::new()) } else { (words, vec![InTheClear::WordCount]) };
        if matches!(dropout, Dropout::Chosen(mask) if mask.contains(&true)) {
            clear.push(InTheClear::Mask);
        }
        let any_language = self.any_language || !matches!(self.source, Source::Table(_));
        Ok(Guarantee::new(Terms { mechanism, proof, unit, words, word, text, clear, table }).of_language(any_language))
    }

    /// The key by which a representation of this text is remembered. `field` is any name of what the text is for: equal
    /// representations for two fields would show that their texts are equal.
    ///
    /// # Errors
    /// [`Error::InvalidDropout`], [`Error::InvalidMask`]. [`Error::TextTooLong`] with a mask.
    pub fn key(&self, text: &str, dropout: &Dropout, field: Option<&str>) -> Result<ReleaseKey, Error> {
        let words = match dropout {
            Dropout::Chosen(_) => {
                Piece::split(text)?.iter().filter(|piece| matches!(piece, Piece::Token { .. })).count()
            }
            // These do not ask for the number.
            Dropout::None | Dropout::Bernoulli(_) | Dropout::FixedSize(_) => 0,
        };
        Ok(self.law_after(dropout, words)?.item("text", text.as_bytes()).of_field(field).key())
    }

    /// The key by which a representation of these vectors is remembered; `field` is as in [`Representer::key`].
    ///
    /// # Errors
    /// [`Error::InvalidDropout`], [`Error::InvalidMask`].
    pub fn key_of_vectors(
        &self,
        vectors: &[&[f64]],
        dropout: &Dropout,
        field: Option<&str>,
    ) -> Result<ReleaseKey, Error> {
        let law = self.law_after(dropout, vectors.len())?;
        Ok(vectors.iter().fold(law, |law, vector| law.vector(vector)).of_field(field).key())
    }

    /// The law with a dropout, which the mechanism does not know of. One that leaves out nothing says nothing.
    fn law_after(&self, dropout: &Dropout, words: usize) -> Result<Law, Error> {
        dropout.check(words, self.unit)?;
        let law = self.law.clone();
        Ok(match dropout {
            Dropout::Bernoulli(rate) if numerator(*rate) > 0 => law.count("random dropout", numerator(*rate)),
            Dropout::FixedSize(rate) if *rate > 0.0 => law.number("fixed dropout", *rate),
            Dropout::Chosen(mask) if mask.contains(&true) => {
                law.item("mask", &mask.iter().map(|left_out| u8::from(*left_out)).collect::<Vec<_>>())
            }
            _ => law,
        })
    }

    /// Whether [`Representer::represent`] would refuse this text. Nothing is drawn.
    ///
    /// # Errors
    /// [`Error::TextTooLong`]. [`Error::OtherLanguage`] of a table unless [`Representer::of_any_language`].
    /// [`Error::NotOffered`] without a table or an encoder.
    pub fn check(&self, text: &str) -> Result<(), Error> {
        self.pieces(text).map(|_| ())
    }

    /// A text that is not refused, in pieces.
    fn pieces(&self, text: &str) -> Result<Vec<Piece>, Error> {
        let pieces = Piece::split(text)?;
        match &self.source {
            Source::Table(table) if !self.any_language => Judge::judge(table, &pieces)?,
            Source::Table(_) | Source::Encoder(..) => {}
            Source::Vectors(_) => return Err(Error::NotOffered),
        }
        Ok(pieces)
    }

    /// Represents a text by its words' vectors in the table, or by its own vector with the text encoder. (NFKC is the
    /// caller's part.) An unknown word has the vector of a dropped word. With a metric mechanism it has the rounded
    /// mean of all words.
    ///
    /// # Errors
    /// Those of [`Representer::check`] and of [`Representer::guarantee`]. Nothing is released then.
    pub fn represent(&self, text: &str, dropout: &Dropout, rng: &mut ReleaseRng) -> Result<Representation, Error> {
        let pieces = self.pieces(text)?;
        let vectors = match &self.source {
            Source::Table(table) => self.vectors(table, pieces),
            Source::Encoder(encoder, Outside { dims, .. }) => {
                let sum = encoder.sum(&pieces);
                vec![Some(sum.iter().take(*dims).map(|step| *step as i32).collect())]
            }
            Source::Vectors(_) => return Err(Error::NotOffered),
        };
        self.release(vectors, dropout, rng)
    }

    /// The vectors of a text's words, in steps.
    fn vectors(&self, table: &Table, pieces: Vec<Piece>) -> Vec<Option<Vec<i32>>> {
        let rows = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Token { kind, text } => Some(look_up(table, kind, &text).row),
            Piece::Layout(_) => None,
        });
        let limit = match &self.rows {
            Rows::Noise { limit, .. } => *limit,
            Rows::Encoding(_) => None,
        };
        // A word that is left out is in every mechanism's domain. A metric one bounds distances from the mean instead.
        let unknown = self.proof.eta.map(|_| self.proof.unknown(table));
        let vector = |row: Option<WordId>| row.map(|row| table.clipped(row, limit)).or_else(|| unknown.clone());
        let steps = |vector: Vec<i8>| vector.into_iter().map(i32::from).collect();
        rows.map(|row| vector(row).map(steps)).collect()
    }

    /// Represents a text by the vectors that another encoder gave for its words, or for the whole of it.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] without vectors, or for one that is empty or not finite. [`Error::DimensionMismatch`].
    /// [`Error::NotNormalized`] for PrivUnit2 unless each has length 1 to within 10⁻⁶. [`Error::NotOffered`] for a
    /// representer of a table. Those of [`Representer::guarantee`]. On an error nothing is released.
    pub fn represent_vectors(
        &self,
        vectors: &[&[f64]],
        dropout: &Dropout,
        rng: &mut ReleaseRng,
    ) -> Result<Representation, Error> {
        let Source::Vectors(outside) = self.source else { return Err(Error::NotOffered) };
        if vectors.is_empty() {
            return Err(Error::InvalidVector);
        }
        let on_lattice = |vector: &&[f64]| self.on_lattice(vector, outside).map(Some);
        let vectors: Result<Vec<_>, Error> = vectors.iter().map(on_lattice).collect();
        self.release(vectors?, dropout, rng)
    }

    /// A vector of another encoder, checked, clipped and cut to the lattice.
    fn on_lattice(&self, vector: &[f64], outside: Outside) -> Result<Vec<i32>, Error> {
        const DOWNWARDS: f64 = 1.0 - 1.0 / (1_u64 << 50) as f64;
        if vector.is_empty() || !vector.iter().all(|x| x.is_finite()) {
            return Err(Error::InvalidVector);
        }
        if vector.len() != outside.dims {
            return Err(Error::DimensionMismatch);
        }
        let norm = libm::sqrt(vector.iter().map(|x| x * x).sum());
        let domain = match &self.rows {
            Rows::Encoding(encoding) => encoding.domain(),
            Rows::Noise { .. } => Domain::Ball,
        };
        if domain == Domain::Sphere && libm::fabs(norm - 1.0) > 1e-6 {
            return Err(Error::NotNormalized);
        }
        // In steps: a length of `clip` is STEPS. A norm beyond all floats leaves the null vector.
        let shortened = match domain {
            Domain::Ball => norm > outside.clip,
            Domain::Box => false,
            Domain::Sphere => true,
        };
        let factor = if shortened { STEPS / norm * DOWNWARDS } else { STEPS / outside.clip };
        Ok(vector.iter().map(|x| libm::trunc(x * factor).clamp(-STEPS, STEPS) as i32).collect())
    }

    /// `None` is an unknown word without a vector.
    fn release(
        &self,
        vectors: Vec<Option<Vec<i32>>>,
        dropout: &Dropout,
        rng: &mut ReleaseRng,
    ) -> Result<Representation, Error> {
        let words = vectors.len();
        let guarantee = self.guarantee(words, dropout)?.of_draw(rng);
        let of_words = dropout.draw(words, rng).into_iter().zip(vectors);
        let of_words: Vec<_> = of_words.map(|(left_out, vector)| vector.filter(|_| !left_out)).collect();
        let dims = self.source.inputs().dims();
        let sums: Vec<Sum> = match self.unit {
            Unit::Word => of_words.chunks(1).map(|word| Sum::of(dims, word)).collect(),
            Unit::Text | Unit::WholeText | Unit::Value => vec![Sum::of(dims, &of_words)],
        };
        Ok(Representation { values: self.draw(&sums, rng), guarantee })
    }

    /// For each sum, the noisy mean of vectors that have it.
    fn draw<R: CryptoRng>(&self, sums: &[Sum], rng: &mut R) -> Values {
        let (mut rows, mut strings) = (Vec::new(), Vec::new());
        for sum in sums {
            match &self.rows {
                Rows::Encoding(encoding) => match encoding.encode(sum, rng) {
                    Code::Lattice(row) => rows.push(row),
                    Code::Bits(bits) => strings.push(bits),
                },
                Rows::Noise { noise, .. } => {
                    let noise = noise.draw(sum.steps.len(), rng);
                    rows.push(sum.steps.iter().zip(noise).map(|(s, k)| noisy(*s, k)).collect());
                }
            }
        }
        let scale = match &self.rows {
            Rows::Encoding(encoding) => encoding.scale(),
            Rows::Noise { .. } => Some(self.source.inputs().step() / sums.first().map_or(1, |sum| sum.words) as f64),
        };
        scale.map_or(Values::Bits(strings), |scale| Values::Lattice { rows, scale })
    }
}

impl Representation {
    /// The rows as real vectors, and bits as 0 and 1.
    #[must_use]
    pub fn vectors(&self) -> Vec<Vec<f64>> {
        match &self.values {
            Values::Lattice { rows, scale } => {
                rows.iter().map(|row| row.iter().map(|step| scale * f64::from(*step)).collect()).collect()
            }
            Values::Bits(rows) => {
                rows.iter().map(|row| row.iter().map(|bit| f64::from(u8::from(*bit))).collect()).collect()
            }
        }
    }
}
