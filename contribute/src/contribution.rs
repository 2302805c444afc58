//! One user's contribution: the mean contexts of new words, clipped to a norm in integers.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use libm::sqrt;
use textveil::sampler::discrete_gaussian;
use textveil::{MAX_TEXT_BYTES, Piece, ReleaseRng, Table, TokenKind, WordId, spelling};

use crate::request::MEAN_UNIT;
use crate::{Error, Noise, Request};

/// Parts of a word's weight.
const WHOLE: f64 = 256.0;
/// The probability at which a word weighs half (Arora, Liang and Ma, ICLR 2017).
const HALF_AT: f64 = 1e-3;

/// How much each word of a table counts in a context, from public frequencies: frequent words less.
///
/// The rows of a text encoder have their weight in their length, and count whole.
#[derive(Clone, Debug)]
pub struct Weights(Vec<u16>);

impl Weights {
    /// The weights of a table's words, by row.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        if table.meta("kind") == Some("text-encoder") {
            return Self(vec![1; table.len()]);
        }
        let weight = |zipf: f64| {
            let probability = if zipf > 0.0 { libm::pow(10.0, zipf - 9.0) } else { 0.0 };
            libm::ceil(WHOLE * HALF_AT / (HALF_AT + probability)) as u16
        };
        Self(table.rows().map(|row| weight(table.zipf(row))).collect())
    }

    fn of_row(&self, row: WordId) -> u16 {
        self.0.get(row.row()).copied().unwrap_or_default()
    }
}

/// A token of a text, as contexts are read. `Debug` shows of what kind it is, and not the word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A word of the table: it is part of the contexts around it.
    Known(WordId),
    /// A word of the request, by its number: it has a context.
    New(usize),
    /// Anything else.
    Other,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known(_) => "Known(..)",
            Self::New(_) => "New(..)",
            Self::Other => "Other",
        })
    }
}

/// Reads texts for a request.
#[derive(Clone, Debug)]
pub struct Contributor {
    request: Request,
    table: Table,
    weights: Weights,
}

/// One user's exact contribution: a vector for each word of the request, one behind the other, in integers.
///
/// By itself it protects nobody. [`Sum::add`](crate::Sum::add) takes its numbers, and [`Contributor::noised`] adds a
/// device's share of the noise. `Debug` shows no number.
#[derive(Clone, PartialEq, Eq)]
pub struct Contribution(Vec<i32>);

impl Contribution {
    /// The numbers, without noise. They may only go where they are added up unseen.
    #[must_use]
    pub fn exact(&self) -> &[i32] {
        &self.0
    }

    /// The same as a vector of its own.
    #[must_use]
    pub fn into_exact(self) -> Vec<i32> {
        self.0
    }
}

impl fmt::Debug for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contribution").finish_non_exhaustive()
    }
}

/// The contexts of new words in one user's texts so far. `Debug` shows none of them.
#[derive(Clone)]
pub struct Gathered {
    /// In the order in which they were met, with the sum of their contexts.
    words: Vec<(usize, Vec<f64>)>,
    /// The place of each there, by number.
    places: Vec<(usize, usize)>,
}

impl fmt::Debug for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gathered").finish_non_exhaustive()
    }
}

impl Gathered {
    /// The words that were met, by number, with the sums of their contexts.
    pub fn sums(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.words.iter().map(|(number, sum)| (*number, sum.as_slice()))
    }
}

impl Contributor {
    /// Prepares a request for a table.
    ///
    /// # Errors
    /// [`Error::OtherTable`] if the request reads contexts in another table.
    pub fn new(request: Request, table: Table) -> Result<Self, Error> {
        if !request.is_of(&table) {
            return Err(Error::OtherTable);
        }
        let weights = Weights::of(&table);
        Ok(Self { request, table, weights })
    }

    /// The request.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// The role of a word in contexts. A word of the request is never part of a context.
    #[must_use]
    pub fn look_up(&self, token: &str) -> Token {
        let spelling = spelling(token);
        match self.request.terms().words.binary_search(&spelling) {
            Ok(number) => Token::New(number),
            Err(_) => self.table.find(&spelling).map_or(Token::Other, Token::Known),
        }
    }

    /// One user's contribution, of norm [`Request::norm`] at most. It is all zeros if no word of the request is in the
    /// texts. (NFKC is the caller's part.)
    ///
    /// A text of more than [`MAX_TEXT_BYTES`] is left out. It is no error, because no guarantee covers whether a device answers: that must
    /// not depend on the texts.
    ///
    /// `epsilon` is the user's own budget, if the user has one: the norm is then as much smaller as it must be.
    ///
    /// # Errors
    /// [`Error::InvalidEpsilon`] for a budget that is not above 0 or is above the request's.
    pub fn contribution<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a str>,
        epsilon: Option<f64>,
    ) -> Result<Contribution, Error> {
        let norm = epsilon.map_or(Ok(self.request.norm()), |epsilon| self.request.norm_of(epsilon))?;
        let mut gathered = self.gathered();
        for text in texts.into_iter().filter(|text| text.len() <= MAX_TEXT_BYTES) {
            self.read(text, &mut gathered)?;
        }
        Ok(self.clipped(&gathered, norm))
    }

    /// A fresh state for one user's texts.
    #[must_use]
    pub const fn gathered(&self) -> Gathered {
        Gathered { words: Vec::new(), places: Vec::new() }
    }

    /// Adds what a text of the user says.
    ///
    /// # Errors
    /// [`Error::Text`] for a text that is too long. An answer leaves such a text out ([`Self::contribution`]).
    pub fn read(&self, text: &str, gathered: &mut Gathered) -> Result<(), Error> {
        let tokens = Piece::split(text)?.into_iter().filter_map(|piece| match piece {
            Piece::Token { kind: TokenKind::Word, text } => Some(self.look_up(&text)),
            Piece::Token { .. } => Some(Token::Other),
            Piece::Layout(_) => None,
        });
        self.read_tokens(&tokens.collect::<Vec<_>>(), gathered);
        Ok(())
    }

    /// The same of tokens that were looked up.
    pub fn read_tokens(&self, tokens: &[Token], gathered: &mut Gathered) {
        let window = self.request.terms().window as usize;
        for (at, token) in tokens.iter().enumerate() {
            let Token::New(number) = *token else { continue };
            let around = tokens.get(at.saturating_sub(window)..tokens.len().min(at + window + 1)).unwrap_or_default();
            if let (Some(context), Some(sum)) = (self.context(around), self.place(gathered, number)) {
                sum.iter_mut().zip(context).for_each(|(sum, x)| *sum += x);
            }
        }
    }

    /// The sum of a word, if it is among those of the user that count.
    fn place<'a>(&self, gathered: &'a mut Gathered, number: usize) -> Option<&'a mut Vec<f64>> {
        let next = gathered.words.len();
        let place = match gathered.places.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(known) => gathered.places.get(known)?.1,
            Err(at) if next < self.request.terms().words_each as usize => {
                gathered.places.insert(at, (number, next));
                gathered.words.push((number, vec![0.0; self.request.terms().dims as usize]));
                next
            }
            Err(_) => return None,
        };
        gathered.words.get_mut(place).map(|(_, sum)| sum)
    }

    /// The direction of a context less that of public text, or `None` without a known word.
    fn context(&self, around: &[Token]) -> Option<Vec<f64>> {
        let dims = self.request.terms().dims as usize;
        let mut sum = vec![0_i64; dims];
        for token in around {
            if let Token::Known(row) = token {
                let weight = i64::from(self.weights.of_row(*row));
                sum.iter_mut().zip(self.table.vector(*row)).for_each(|(sum, step)| *sum += i64::from(step) * weight);
            }
        }
        let squares: i64 = sum.iter().map(|x| x * x).sum();
        let length = sqrt(squares as f64);
        let mean = self.request.terms().mean.iter().map(|x| f64::from(*x) / f64::from(MEAN_UNIT));
        (squares > 0).then(|| sum.iter().zip(mean).map(|(x, mean)| *x as f64 / length - mean).collect())
    }

    /// The gathered contexts, in integers of norm `norm` at most. Words that a user repeats count by the root of their
    /// number.
    #[must_use]
    pub fn clipped(&self, gathered: &Gathered, norm: u32) -> Contribution {
        let dims = self.request.terms().dims as usize;
        let mut numbers = vec![0_i32; self.request.len()];
        let lengths: Vec<f64> = gathered.words.iter().map(|(_, sum)| sqrt(sum.iter().map(|x| x * x).sum())).collect();
        // The square of the norm of all rows, each over the root of its length.
        let whole: f64 = lengths.iter().sum();
        if whole <= 0.0 {
            return Contribution(numbers);
        }
        let mut factor = f64::from(norm) / sqrt(whole);
        loop {
            for ((number, sum), length) in gathered.words.iter().zip(&lengths) {
                if *length > 0.0 {
                    let row = numbers.get_mut(number * dims..).unwrap_or_default();
                    row.iter_mut().zip(sum).for_each(|(to, x)| *to = (x / sqrt(*length) * factor) as i32);
                }
            }
            // Rounded towards zero, so that rounding errors alone can exceed the norm.
            if squared_norm(&numbers) <= u64::from(norm) * u64::from(norm) {
                return Contribution(numbers);
            }
            factor *= 1.0 - 1e-9;
        }
    }

    /// A contribution with this device's share of the noise, for a secure sum. Nothing protects the user if `rng` has a
    /// known seed, and a [`crate::Device`] says so.
    ///
    /// Each call spends the user's ε again. A [`crate::Device`] answers once.
    ///
    /// # Errors
    /// [`Error::NoiseElsewhere`] unless the request has its noise from devices. [`Error::DimensionMismatch`] or
    /// [`Error::NormExceeded`] for a contribution to another request.
    pub fn noised(&self, contribution: &Contribution, rng: &mut ReleaseRng) -> Result<Vec<i32>, Error> {
        if !matches!(self.request.terms().noise, Noise::Devices { .. }) {
            return Err(Error::NoiseElsewhere);
        }
        check(&self.request, contribution.exact())?;
        let largest = i64::from(self.request.largest());
        let noised = |number: &i32| {
            let noised = i64::from(*number) + discrete_gaussian(self.request.variance(), rng);
            noised.clamp(-largest, largest) as i32
        };
        Ok(contribution.exact().iter().map(noised).collect())
    }
}

/// The squares of the numbers, added up exactly.
pub(crate) fn squared_norm(numbers: &[i32]) -> u64 {
    numbers.iter().map(|number| u64::from(number.unsigned_abs()) * u64::from(number.unsigned_abs())).sum()
}

/// Checks that a vector is a contribution to a request.
pub(crate) fn check(request: &Request, contribution: &[i32]) -> Result<(), Error> {
    if contribution.len() != request.len() {
        return Err(Error::DimensionMismatch);
    }
    // Numbers within the norm: their squares cannot overflow.
    let norm = request.norm();
    if contribution.iter().any(|number| number.unsigned_abs() > norm)
        || squared_norm(contribution) > u64::from(norm) * u64::from(norm)
    {
        return Err(Error::NormExceeded);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use textveil::seeded_rng;

    use super::*;
    use crate::request::tests::terms;
    use crate::{Sum, Terms};

    fn contributor(change: impl Fn(&mut Terms)) -> Contributor {
        let table = Table::english().expect("the built-in table");
        let mut terms = terms();
        terms.table = table.id().to_string();
        change(&mut terms);
        Contributor::new(Request::new(terms).expect("a request"), table).expect("its table")
    }

    fn norm(contribution: &Contribution) -> f64 {
        sqrt(squared_norm(contribution.exact()) as f64)
    }

    const TEXTS: [&str; 3] = [
        "The bloop is broken, and my Zorp never came.",
        "Where can I buy a zorp? Every shop has sold its zorps.",
        "A zorp is a warm drink of milk and honey.",
    ];

    #[test]
    fn a_contribution_is_as_long_as_its_norm_and_never_longer() {
        for norm_steps in [256, 257, 4096, 1 << 16] {
            let contributor = contributor(|terms| terms.norm = norm_steps);
            let all = contributor.contribution(TEXTS, None).expect("short texts");
            assert!(norm(&all) <= f64::from(norm_steps) && norm(&all) > f64::from(norm_steps) - 6.0);
            let small = contributor.contribution(TEXTS, Some(0.5)).expect("a budget");
            let most = contributor.request().norm_of(0.5).expect("a budget");
            assert!(norm(&small) <= f64::from(most) && most < norm_steps / 3);
        }
    }

    #[test]
    fn sums_of_users_that_differ_in_one_differ_by_the_norm_at_most() {
        let contributor = contributor(|terms| terms.noise = Noise::Sum);
        let [a, b, c] = TEXTS.map(|text| contributor.contribution([text], None).expect("a short text"));
        for other in [&a, &b, &c] {
            // With and without one user, the sums differ by that user's contribution, for any other users.
            assert!(squared_norm(other.exact()) <= 4096 * 4096);
        }
        let mut sum = Sum::new(contributor.request().clone());
        for user in [&a, &b, &c] {
            sum.add(user.exact()).expect("a contribution");
        }
        let [a, b, c] = [a, b, c].map(Contribution::into_exact);
        let mut longer = a.clone();
        longer[0] += 4096;
        assert_eq!(sum.add(&longer), Err(Error::NormExceeded));
        assert_eq!(sum.add(&[i32::MIN; 6]), Err(Error::NormExceeded));
        assert_eq!(sum.add(&a[1..]), Err(Error::DimensionMismatch));
        let released = sum.release(&mut seeded_rng([7; 32])).expect("noise");
        let sigma = sqrt(contributor.request().variance().get());
        for (j, number) in released.iter().enumerate() {
            let exact = a[j] + b[j] + c[j];
            assert!((*number - i64::from(exact)).abs() as f64 <= 6.0 * sigma);
        }
    }

    #[test]
    fn a_word_stands_where_its_contexts_do() {
        let contributor = contributor(|terms| {
            terms.mean = vec![0; 24];
            terms.dims = 24;
        });
        let numbers = contributor.contribution(["milk zorp"], None).expect("a short text").into_exact();
        let milk = contributor.table.vector(contributor.table.find("milk").expect("a word"));
        let length = sqrt(milk.iter().map(|x| f64::from(*x) * f64::from(*x)).sum());
        for (number, step) in numbers[24..].iter().zip(milk) {
            assert!((f64::from(*number) - f64::from(step) * 4096.0 / length).abs() <= 1.0);
        }
        assert!(numbers[..24].iter().all(|number| *number == 0));
    }

    #[test]
    fn new_words_and_unknown_ones_are_no_context() {
        let contributor = contributor(|_| ());
        for text in ["", "zorp", "bloop zorp bloop", "zorp qzxvw", "zorp me@example.org", "the milk is warm"] {
            assert_eq!(contributor.contribution([text], None).expect("a short text").exact(), [0; 6], "{text}");
        }
        // Words of another text count for nothing either.
        assert_eq!(contributor.contribution(["zorp", "milk"], None).expect("short texts").exact(), [0; 6]);
    }

    #[test]
    fn of_a_user_with_many_words_the_first_count() {
        let contributor = contributor(|terms| terms.words_each = 1);
        let numbers = contributor.contribution(["milk zorp milk bloop"], None).expect("a short text").into_exact();
        assert!(numbers[..3].iter().all(|number| *number == 0) && numbers[3..].iter().any(|number| *number != 0));
        let long = "a zorp of milk and honey ".repeat(40_000);
        let texts: Vec<&str> =
            long.as_bytes().chunks(25_000).map(|text| core::str::from_utf8(text).expect("letters")).collect();
        let numbers = contributor.contribution(texts, None).expect("texts of a million words in all");
        assert!(norm(&numbers) <= 4096.0 && norm(&numbers) > 4090.0);
    }

    #[test]
    fn a_text_that_is_too_long_is_left_out() {
        let contributor = contributor(|_| ());
        let fits = "zorp milk ".repeat(MAX_TEXT_BYTES / 10);
        let long = fits.clone() + "zorp milk";
        let of = |texts: &[&str]| contributor.contribution(texts.iter().copied(), None).expect("an answer");
        assert_eq!(of(&[TEXTS[0], &long, TEXTS[1]]), of(&TEXTS[..2]));
        assert_ne!(of(&[TEXTS[0], &fits, TEXTS[1]]), of(&TEXTS[..2]));
    }

    #[test]
    fn what_was_gathered_and_a_contribution_are_printed_without_numbers() {
        let contributor = contributor(|_| ());
        let mut gathered = contributor.gathered();
        contributor.read(TEXTS[2], &mut gathered).expect("a short text");
        assert_eq!(alloc::format!("{gathered:?}"), "Gathered { .. }");
        assert_eq!(alloc::format!("{:?}", contributor.clipped(&gathered, 4096)), "Contribution { .. }");
    }

    #[test]
    fn a_contribution_to_another_request_is_refused() {
        let shared = |dims| {
            contributor(move |terms| {
                terms.noise = Noise::Devices { least: 3 };
                terms.mean = vec![0; dims as usize];
                terms.dims = dims;
            })
        };
        let small = shared(3).contribution(TEXTS, None).expect("short texts");
        assert_eq!(shared(24).noised(&small, &mut seeded_rng([1; 32])), Err(Error::DimensionMismatch));
        let long = contributor(|terms| terms.norm = 1 << 16).contribution(TEXTS, None).expect("short texts");
        assert_eq!(shared(3).noised(&long, &mut seeded_rng([1; 32])), Err(Error::NormExceeded));
    }

    #[test]
    fn a_printed_token_names_no_word() {
        let contributor = contributor(|_| ());
        for (token, printed) in [("milk", "Known(..)"), ("Zorp", "New(..)"), ("qzxvw", "Other")] {
            assert_eq!(alloc::format!("{:?}", contributor.look_up(token)), printed);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let contributor = contributor(|_| ());
        for epsilon in [0.0, -1.0, 3.5, f64::NAN] {
            assert_eq!(contributor.contribution(TEXTS, Some(epsilon)), Err(Error::InvalidEpsilon));
        }
        let other = Request::new(terms()).expect("a request");
        assert_eq!(Contributor::new(other, contributor.table.clone()).err(), Some(Error::OtherTable));
        let nothing = contributor.contribution([], None).expect("an answer");
        assert_eq!(contributor.noised(&nothing, &mut seeded_rng([1; 32])), Err(Error::NoiseElsewhere));
    }

    #[test]
    fn shares_of_noise_add_up_to_what_the_sum_is_promised() {
        let least = 400;
        let contributor = contributor(|terms| terms.noise = Noise::Devices { least });
        let nothing = contributor.contribution([], None).expect("an answer");
        let mut rng = seeded_rng([3; 32]);
        let runs: u32 = 200;
        let mut squares = 0.0;
        for _ in 0..runs {
            let mut sum = [0_i64; 6];
            for _ in 0..least {
                let share = contributor.noised(&nothing, &mut rng).expect("a share");
                assert!(share.iter().all(|number| number.unsigned_abs() <= contributor.request().largest()));
                sum.iter_mut().zip(share).for_each(|(sum, number)| *sum += i64::from(number));
            }
            squares += sum.iter().map(|x| (*x as f64) * (*x as f64)).sum::<f64>();
        }
        let promised = f64::from(least) * contributor.request().variance().get();
        let ratio = squares / f64::from(6 * runs) / promised;
        // A chi-square of 1,200 degrees of freedom, over them: standard deviation .041.
        assert!((ratio - 1.0).abs() < 0.2, "{ratio}");
        assert_eq!(Sum::new(contributor.request().clone()).release(&mut rng), Err(Error::NoiseElsewhere));
    }
}
