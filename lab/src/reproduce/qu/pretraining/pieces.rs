//! The user's side: word pieces, their vectors, and the mechanism on them.

use std::fs;

use anyhow::{Context, Result, ensure};
use ndarray::{Array2, Axis};
use textveil::{ReleaseRng, Table, WordId};
use textveil_learn::{Encoder, Shape, word_vectors};
use textveil_tables::WordPiece;

use super::super::attack::noisy;
use super::super::setting::median_distance;
use super::super::strengths::{MATCHED_ON, Strength, strengths_on};
use crate::reproduce::run::Run;
use textveil_toolkit::sampling::{below, shuffled};

/// Heads of MiniLM.
const HEADS: usize = 12;
/// Words of the small encoder, the commonest of the table.
const WORDS: usize = 3000;
/// Without an encoder: one that has learned nothing, on the table's own vectors.
const SMALL: Shape = Shape { width: 24, heads: 2, inner: 48, layers: 2, positions: 64 };
const SPECIAL: [&str; 4] = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"];
/// Pieces attacked where η is sought.
const ATTACKED: usize = 1000;
/// The same with `--quick`.
const FEW: usize = 300;
/// Sentences in which pieces are counted, at most.
const COUNTED: usize = 20_000;
/// What a piece counts that is in none of them.
const UNSEEN: f64 = 0.1;
/// Tokens of each text of a pair, at most.
const LENGTH: usize = 30;

/// The highest learning rates.
#[derive(Clone, Copy)]
pub(super) struct Rates {
    pub(super) in_clear: f64,
    pub(super) under_noise: f64,
    /// Of what names hidden pieces, which begins anew.
    pub(super) head: f64,
    pub(super) fine_tuning: f64,
}

/// Word pieces of a text or a pair, with the text of each.
#[derive(Clone)]
pub(super) struct Tokens {
    pub(super) pieces: Vec<usize>,
    pub(super) segments: Vec<u8>,
}

/// The user's table, and the encoder that stands behind it.
pub(super) struct Pieces {
    pub(super) encoder: Encoder,
    pub(super) rates: Rates,
    /// The vectors of all pieces as the user has them, a row a piece.
    pub(super) words: Array2<f32>,
    /// All but the special pieces.
    pub(super) table: Table,
    tokenizer: WordPiece,
    /// The piece of each row of the table.
    pieces: Vec<usize>,
    /// The row of each piece. Special pieces have no row.
    rows: Vec<Option<WordId>>,
    mask: usize,
}

impl Pieces {
    /// The pieces of the encoder that was passed, or of a small one.
    ///
    /// # Errors
    /// Its files cannot be read, or are not an encoder's.
    pub(super) fn of(run: &Run<'_>) -> Result<Self> {
        let Some(folder) = run.encoder_folder() else { return Self::small(run) };
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let (bytes, vocabulary) = (read("model.safetensors")?, read("vocab.txt")?);
        let vocabulary = String::from_utf8(vocabulary).context("vocab.txt is not UTF-8")?;
        let names: Vec<String> = vocabulary.lines().map(str::to_owned).collect();
        let rates = Rates { in_clear: 5e-5, under_noise: 5e-4, head: 1e-3, fine_tuning: 5e-5 };
        Self::new(&names, word_vectors(&bytes)?, Encoder::of_bert(&bytes, HEADS)?, rates)
    }

    fn small(run: &Run<'_>) -> Result<Self> {
        let table = run.table()?;
        let is_plain = |word: &WordId| table.word(*word).to_string().bytes().all(|byte| byte.is_ascii_lowercase());
        let mut words: Vec<WordId> = table.rows().filter(is_plain).collect();
        words.sort_by(|a, b| table.zipf(*b).total_cmp(&table.zipf(*a)));
        words.truncate(WORDS);
        let names = SPECIAL.iter().map(|name| (*name).to_owned());
        let names: Vec<String> = names.chain(words.iter().map(|word| table.word(*word).to_string())).collect();
        let mut rng = run.rng("pretraining/special");
        let mut vectors =
            Array2::from_shape_fn((names.len(), table.dims()), |_| below(&mut rng, 201) as f32 / 100.0 - 1.0);
        for (word, mut row) in words.iter().zip(vectors.axis_iter_mut(Axis(0)).skip(SPECIAL.len())) {
            row.iter_mut().zip(table.vector(*word)).for_each(|(to, from)| *to = f32::from(from) / 32.0);
        }
        let encoder = Encoder::random(Shape { width: table.dims(), ..SMALL }, run.seed("pretraining/encoder"))?;
        let rates = Rates { in_clear: 2e-3, under_noise: 2e-3, head: 2e-3, fine_tuning: 2e-3 };
        Self::new(&names, vectors, encoder, rates)
    }

    pub(super) fn new(names: &[String], vectors: Array2<f32>, encoder: Encoder, rates: Rates) -> Result<Self> {
        ensure!(names.len() == vectors.nrows(), "{} word pieces, but {} vectors", names.len(), vectors.nrows());
        let is_special = |name: &str| name.starts_with('[') && name.ends_with(']') && name.len() > 2;
        let pieces: Vec<usize> = (0..names.len()).filter(|piece| !is_special(&names[*piece])).collect();
        let of_table = vectors.select(Axis(0), &pieces).mapv(f64::from);
        let table = textveil_tables::bare((0..pieces.len()).map(|row| format!("p{row:05}")), &of_table)?;
        let (mut words, mut rows) = (vectors, vec![None; names.len()]);
        for (row, piece) in table.rows().zip(&pieces) {
            rows[*piece] = Some(row);
            let vector = table.vector(row).into_iter().map(|x| scaled(i64::from(x), &table));
            words.row_mut(*piece).iter_mut().zip(vector).for_each(|(to, from)| *to = from);
        }
        let mask = names.iter().position(|name| name == "[MASK]").context("there is no [MASK]")?;
        let tokenizer = WordPiece::of(names.iter().cloned())?;
        Ok(Self { encoder, rates, words, table, tokenizer, pieces, rows, mask })
    }

    /// The η at which the attack names as many pieces of SST-2's training texts as at these of the paper.
    ///
    /// # Errors
    /// The set cannot be read.
    pub(super) fn strengths(&self, run: &Run<'_>, etas: &[f64]) -> Result<Vec<Strength>> {
        let median = median_distance(&self.table, &mut run.rng("distances"));
        let (set, count) = (run.set(MATCHED_ON.0)?, if run.is_quick() { FEW } else { ATTACKED });
        let order = shuffled(set.train.len(), run.seed("eta/tokens"));
        let pieces = order.into_iter().flat_map(|place| self.tokens(&set.train[place].text, None).pieces);
        let sample: Vec<WordId> = pieces.filter_map(|piece| self.rows[piece]).take(count).collect();
        strengths_on(run, "wordpieces/", &self.table, median, &sample, etas)
    }

    /// How frequent each piece is in sentences.
    pub(super) fn shares(&self, sentences: &[String]) -> Vec<f64> {
        let mut counts = vec![UNSEEN; self.rows.len()];
        for sentence in sentences.iter().step_by(sentences.len().div_ceil(COUNTED).max(1)) {
            self.tokens(sentence, None)
                .pieces
                .into_iter()
                .filter(|piece| self.rows[*piece].is_some())
                .for_each(|piece| counts[piece] += 1.0);
        }
        let total: f64 = counts.iter().sum();
        counts.into_iter().map(|count| count / total).collect()
    }

    /// A text or a pair, framed and cut.
    pub(super) fn tokens(&self, first: &str, second: Option<&str>) -> Tokens {
        let mut tokens = Tokens { pieces: Vec::new(), segments: Vec::new() };
        let limit = if second.is_some() { LENGTH } else { 2 * LENGTH };
        for (segment, text) in std::iter::once(first).chain(second).enumerate() {
            let encoded: Vec<usize> = self.tokenizer.encode(text).into_iter().map(|piece| piece as usize).collect();
            let [start, inside @ .., end] = encoded.as_slice() else { continue };
            tokens.pieces.extend((segment == 0).then_some(*start));
            tokens.pieces.extend(inside.iter().take(limit));
            tokens.pieces.push(*end);
            tokens.segments.resize(tokens.pieces.len(), segment as u8);
        }
        tokens
    }

    /// Whether a mechanism is asked about a piece.
    pub(super) fn row(&self, piece: usize) -> Option<WordId> {
        self.rows[piece]
    }

    /// The piece of a row.
    pub(super) fn piece(&self, row: WordId) -> usize {
        self.pieces[row.row()]
    }

    /// What stands for a hidden piece.
    pub(super) fn mask(&self) -> usize {
        self.mask
    }

    /// Any piece but the special ones.
    pub(super) fn any(&self, rng: &mut ReleaseRng) -> usize {
        self.pieces[below(rng, self.pieces.len())]
    }

    /// What a user sends of a piece under noise of this η.
    pub(super) fn vector(&self, piece: usize, eta: Option<f64>, rng: &mut ReleaseRng) -> Vec<f32> {
        match self.rows[piece].zip(eta) {
            Some((row, eta)) => noisy(&self.table, row, eta, rng).into_iter().map(|x| scaled(x, &self.table)).collect(),
            None => self.words.row(piece).to_vec(),
        }
    }
}

fn scaled(steps: i64, table: &Table) -> f32 {
    (steps as f64 * table.scale()) as f32
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use rand_core::SeedableRng;
    use serde_json::Value;
    use textveil_learn::{Sequence, Sequences};

    use super::*;

    /// Four special pieces and 16 words behind a small encoder.
    pub(in super::super) fn toy() -> Pieces {
        let names =
            SPECIAL.iter().map(|name| (*name).to_owned()).chain((b'a'..b'q').map(|of| char::from(of).to_string()));
        let names: Vec<String> = names.collect();
        let vectors = Array2::from_shape_fn((names.len(), 8), |(i, j)| ((i * 29 + j * 17) % 23) as f32 / 11.0 - 1.0);
        let encoder = Encoder::random(Shape { width: 8, ..SMALL }, 1).expect("an encoder");
        Pieces::new(
            &names,
            vectors,
            encoder,
            Rates { in_clear: 1e-3, under_noise: 1e-3, head: 1e-3, fine_tuning: 1e-3 },
        )
        .expect("pieces")
    }

    #[test]
    fn a_pair_is_framed_and_cut_and_special_pieces_have_no_row() {
        let pieces = toy();
        let tokens = pieces.tokens("a b", Some("c"));
        assert_eq!((tokens.pieces, tokens.segments), (vec![1, 4, 5, 2, 6, 2], vec![0, 0, 0, 0, 1, 1]));
        let long = pieces.tokens(&"a ".repeat(90), Some(&"b ".repeat(90)));
        assert_eq!((long.pieces.len(), long.pieces[LENGTH + 1]), (2 * LENGTH + 3, 2));
        assert!((0..4).all(|piece| pieces.row(piece).is_none()));
        assert!((4..20).all(|piece| pieces.row(piece).map(|row| pieces.piece(row)) == Some(piece)));
    }

    #[test]
    fn noise_moves_words_and_leaves_special_pieces() {
        let pieces = toy();
        let mut rng = ReleaseRng::seed_from_u64(3);
        let mut moved = |piece: usize, eta| {
            let sent = pieces.vector(piece, eta, &mut rng);
            sent.iter().zip(pieces.words.row(piece)).map(|(a, b)| (a - b).abs()).sum::<f32>()
        };
        assert_eq!((moved(3, Some(1.0)), moved(7, None)), (0.0, 0.0));
        assert!(moved(7, Some(1.0)) > 1.0 && moved(7, Some(1e4)) < 0.2);
    }

    struct Texts<'a>(&'a Array2<f32>, Vec<Vec<usize>>);

    impl Sequences for Texts<'_> {
        fn lengths(&self) -> Vec<usize> {
            self.1.iter().map(Vec::len).collect()
        }

        fn sequence(&self, text: usize) -> Sequence {
            let tokens = &self.1[text];
            Sequence { vectors: self.0.select(Axis(0), tokens), segments: vec![0; tokens.len()] }
        }
    }

    #[test]
    #[ignore = "it needs the weights: cargo xtask test --only table"]
    fn minilm_gives_what_an_independent_library_gives() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = root.join("target/table-inputs/encoder");
        let bytes = fs::read(folder.join("model.safetensors")).expect("the weights of all-MiniLM-L6-v2");
        let recorded = fs::read_to_string(root.join("tests/learn/encoder.json")).expect("recorded vectors");
        let recorded: Value = serde_json::from_str(&recorded).expect("JSON");
        let rows = recorded["minilm"]["texts"].as_array().expect("texts");
        assert_eq!(rows.len(), 100);
        let tokenizer = WordPiece::load(&folder.join("vocab.txt")).expect("a vocabulary");
        let tokens = |row: &Value| -> Vec<usize> {
            let text = tokenizer.encode(row["text"].as_str().expect("a text"));
            text.into_iter().map(|piece| piece as usize).collect()
        };
        let texts: Vec<Vec<usize>> = rows.iter().map(tokens).collect();
        let words = word_vectors(&bytes).expect("word vectors");
        let pooled = Encoder::of_bert(&bytes, HEADS).and_then(|encoder| encoder.pooled(&Texts(&words, texts.clone())));
        let pooled = pooled.expect("vectors");
        let tolerance = recorded["tolerance"].as_f64().expect("a tolerance");
        for ((row, ours), tokens) in rows.iter().zip(pooled.outer_iter()).zip(texts) {
            assert_eq!(row["tokens"], serde_json::json!(tokens));
            let theirs = row["pooled"].as_array().expect("numbers");
            assert_eq!(theirs.len(), 8);
            let off = theirs.iter().zip(ours).map(|(a, b)| (a.as_f64().expect("a number") - f64::from(*b)).abs());
            assert!(off.fold(0.0, f64::max) < tolerance, "{row} {ours}");
        }
    }
}
