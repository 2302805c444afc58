//! Tables 1 and 2 of the paper: accuracy by the ε that is claimed and by λ, and what SUE and OUE leave.
//!
//! The mechanisms are the published ones. The column "true eps" is the account's ε of the bits that were drawn, over
//! all representations. A pair of texts spends it twice. With λ above 1 it hardly depends on the claimed ε, and so
//! accuracy does not either.

use std::fmt;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use textveil::{Mechanism, MechanismKind};

use super::classifier::{Classifier, Seen};
use super::corpus::{Corpus, Input};
use super::{LAMBDAS, SETS, as_published, published_ome};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::printed::{Beside, Comparison, Number, Place, none_is_impossible, nowhere};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static TABLE_1: Experiment = Experiment {
    paper: "ome",
    table: "table-1",
    about: "Accuracy on bits under OME by epsilon and lambda, and on representations in clear (Lyu et al., SIGIR 2020)",
    data: &SETS,
    takes: &["table", "encoder"],
    runs: RUNS,
    has_plot: false,
    why: WHY,
    compute: table_1,
};

pub(crate) static TABLE_2: Experiment = Experiment {
    table: "table-2",
    about: "Accuracy on bits under SUE and OUE, beside OME (Lyu et al., SIGIR 2020)",
    compute: table_2,
    ..TABLE_1
};

const RUNS: Option<Runs> = Some(Runs { quick: 1, usual: 5, paper: None });

/// ε as claimed.
const EPSILONS: [f64; 4] = [0.5, 1.0, 5.0, 10.0];
/// The place of 1 among them.
const ONE: usize = 1;
/// How far accuracies of the same chance may lie apart: three standard errors of the difference of two means of
/// five runs, each tested on 200 texts.
const ACCURACY_TOLERANCE: f64 = 0.06;

const WHY: &str = "Ours are other vectors: the table's and, of sets called encoded, those of all-MiniLM-L6-v2, with at \
    most 400 texts to train on. The paper has GloVe and BERT. The division of the sentiment sets is another, and so is the \
    bit code where the paper leaves it open (rounding, the scale of elements).";

pub(crate) static PRINTED: [Comparison; 4] = [
    Comparison {
        paper: "ome",
        table: "Table 1",
        what: "",
        experiment: "ome table-1",
        place: |number, _| place_1(number, true),
        is_impossible: none_is_impossible,
        reason: "Measured: without noise ours tell .06 to .15 more of the sentiment sets, and logistic regression .10 to .14 \
                 (baseline kotzias), so that the printed row without noise (NPNN) is a weak start. Yelp's .425 at lambda 1 \
                 is below chance, by two standard errors of 200 texts. MRPC's .70 at eps 10 is .04 above always saying \
                 the commonest class (.665). Guess: that .04 comes of BERT, which is trained on pairs.",
    },
    Comparison {
        paper: "ome",
        table: "Table 1",
        what: "Intent and MRPC by the vectors of words",
        experiment: "ome table-1",
        place: |number, _| place_1(number, false),
        is_impossible: none_is_impossible,
        reason: "Measured: Intent differs on mean vectors of words and agrees throughout on a sentence encoder's (the line \
                 above), so that the vectors make the difference. MRPC: no row of either side is more than .04 above the \
                 commonest class.",
    },
    Comparison {
        paper: "ome",
        table: "Table 2",
        what: "",
        experiment: "ome table-2",
        place: |number, _| place_2(number),
        is_impossible: none_is_impossible,
        reason: "SUE and OUE tell nothing at eps 1, as printed.",
    },
    Comparison {
        paper: "ome",
        table: "Figure 3",
        what: "",
        experiment: "ome figure-3",
        place: nowhere,
        is_impossible: none_is_impossible,
        reason: "The paper prints no numbers. Ours are those of its formulas.",
    },
];

/// Whether a set is read by a sentence encoder, and its name here.
fn named(set: &str) -> Option<(bool, [&'static str; 2])> {
    Some(match set {
        "IMDb" => (false, ["imdb"; 2]),
        "Amazon" => (false, ["amazon"; 2]),
        "Yelp" => (false, ["yelp"; 2]),
        "Intent" => (true, ["snips, encoded", "snips"]),
        "MRPC" => (true, ["mrpc, encoded", "mrpc"]),
        _ => return None,
    })
}

fn place_1(number: &Number, is_as_in_the_paper: bool) -> Place {
    let Some((is_encoded, [set, by_words])) = named(number.word("set")) else { return Place::Nowhere };
    if !is_encoded && !is_as_in_the_paper {
        return Place::Elsewhere;
    }
    let set = json!(if is_as_in_the_paper { set } else { by_words });
    let (Some(epsilon), Some(lambda)) = (number.number("epsilon"), number.number("lambda")) else {
        return beside("Accuracy in clear", vec![("set", set)], "vectors", number);
    };
    under_noise("Accuracy on bits under OME", set, format!("OME, lambda {lambda}"), epsilon, number)
}

fn place_2(number: &Number) -> Place {
    let (Some((_, [set, _])), Some(epsilon)) = (named(number.word("set")), number.number("epsilon")) else {
        return Place::Nowhere;
    };
    let protocol = number.word("protocol").to_owned();
    under_noise("Accuracy on bits under SUE, OUE and OME", json!(set), protocol, epsilon, number)
}

fn under_noise(sheet: &'static str, set: Value, way: String, epsilon: f64, number: &Number) -> Place {
    let columns = EPSILONS.into_iter().zip(["eps 0.5", "eps 1", "eps 5", "eps 10"]);
    let Some((_, column)) = columns.into_iter().find(|(of, _)| *of == epsilon) else { return Place::Nowhere };
    beside(sheet, vec![("set", set), ("as published", json!(way))], column, number)
}

fn beside(sheet: &'static str, row: Vec<(&'static str, Value)>, column: &'static str, number: &Number) -> Place {
    Place::Beside(Beside { sheet, row, column, value: number.share(), tolerance: Some(ACCURACY_TOLERANCE) })
}

/// What a training sees.
#[derive(Clone, Copy)]
enum Sent {
    Vectors,
    Bits(Seen),
    Flipped(Way, f64),
}

/// A published mechanism.
#[derive(Clone, Copy)]
enum Way {
    Ome(f64),
    Sue,
    Oue,
}

/// A classifier, trained once.
struct Training<'a> {
    corpus: &'a Corpus,
    sent: Sent,
    run: u32,
}

impl fmt::Display for Training<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { corpus: Corpus { name, .. }, sent, run } = self;
        match sent {
            Sent::Vectors => write!(formatter, "{name}/vectors/run={run}"),
            Sent::Bits(Seen::AsSent) => write!(formatter, "{name}/bits/run={run}"),
            Sent::Bits(Seen::Standardized) => write!(formatter, "{name}/bits, standardized/run={run}"),
            Sent::Flipped(way, epsilon) => write!(formatter, "{name}/{way}/eps={epsilon}/run={run}"),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ome(lambda) => write!(formatter, "OME, lambda {lambda}"),
            Self::Sue => formatter.write_str("SUE"),
            Self::Oue => formatter.write_str("OUE"),
        }
    }
}

impl Way {
    fn at(self, epsilon: f64) -> Result<Mechanism> {
        Ok(match self {
            Self::Ome(lambda) => published_ome(epsilon, lambda)?,
            Self::Sue => as_published(MechanismKind::Sue, epsilon)?,
            Self::Oue => as_published(MechanismKind::Oue, epsilon)?,
        })
    }
}

impl Training<'_> {
    fn accuracy(&self, run: &Run<'_>) -> Result<f64> {
        let corpus = self.corpus;
        let mut rng = run.rng(&format!("{self}/noise"));
        let (features, seen) = match self.sent {
            Sent::Vectors => (corpus.in_clear()?, Seen::Standardized),
            Sent::Bits(seen) => (corpus.bits_in_clear(Input::Mean, &mut rng)?, seen),
            Sent::Flipped(way, epsilon) => (corpus.released(Input::Mean, way.at(epsilon)?, &mut rng)?, Seen::AsSent),
        };
        let split = corpus.split(run, self.run);
        Classifier::Perceptron.accuracy(corpus, &features, seen, &split, run.seed(&self.to_string()))
    }
}

/// The means of what was sent, in order, a list for each set.
fn means(run: &Run<'_>, corpora: &[Corpus], sent: &[Sent]) -> Result<Vec<Vec<Mean>>> {
    let trainings = corpora.iter().flat_map(|corpus| {
        sent.iter().flat_map(move |sent| (0..run.runs()).map(move |run| Training { corpus, sent: *sent, run }))
    });
    let trainings: Vec<Training<'_>> = trainings.collect();
    let accuracies = run.cells(&trainings, |training| training.accuracy(run))?;
    let means: Vec<Mean> = accuracies.chunks(run.runs() as usize).map(Mean::of).collect();
    Ok(means.chunks(sent.len()).map(<[Mean]>::to_vec).collect())
}

fn flipped(ways: &[Way]) -> impl Iterator<Item = Sent> {
    ways.iter().flat_map(|way| EPSILONS.map(|epsilon| Sent::Flipped(*way, epsilon)))
}

/// A row for each set and mechanism; and of each row, the means by ε.
fn by_epsilon<'a>(
    title: &str,
    ways: &[Way],
    sets: impl Iterator<Item = (&'a Corpus, &'a [Mean])>,
) -> Result<(Sheet, Vec<Vec<Vec<f64>>>)> {
    let mut sheet = Sheet::new(title);
    let mut all = Vec::new();
    for (corpus, means) in sets {
        for (way, means) in ways.iter().zip(means.chunks(EPSILONS.len())) {
            let truth = |epsilon| Ok(corpus.loss(Input::Mean, way.at(epsilon)?)?.epsilon);
            let truth: Vec<f64> = EPSILONS.into_iter().map(truth).collect::<Result<_>>()?;
            let [least, most] = [truth.first(), truth.last()].map(|end| end.map_or_else(String::new, |x| short(*x)));
            let truth = if least == most { least } else { format!("{least} to {most}") };
            let [a, b, c, d] = *means else { return Err(anyhow::anyhow!("a mean for each epsilon")) };
            sheet.row(cells![
                "set" => corpus.name.as_str(),
                "as published" => way.to_string(),
                "true eps" => truth,
                "eps 0.5" => a,
                "eps 1" => b,
                "eps 5" => c,
                "eps 10" => d,
            ]);
        }
        let rows = means.chunks(EPSILONS.len()).map(|row| row.iter().map(|mean| mean.mean).collect());
        all.push(rows.collect());
    }
    Ok((sheet, all))
}

fn table_1(run: &Run<'_>) -> Result<Report> {
    let corpora = Corpus::all(run, &SETS)?;
    let ways = LAMBDAS.map(Way::Ome);
    let sent: Vec<Sent> = [Sent::Vectors, Sent::Bits(Seen::AsSent), Sent::Bits(Seen::Standardized)]
        .into_iter()
        .chain(flipped(&ways))
        .collect();
    let means = means(run, &corpora, &sent)?;
    let mut clear = Sheet::new("Accuracy in clear");
    let split = means.iter().map(|means| means.split_at_checked(3).context("three in clear"));
    let split: Vec<(&[Mean], &[Mean])> = split.collect::<Result<_>>()?;
    for (corpus, (in_clear, _)) in corpora.iter().zip(&split) {
        if let [vectors, bits, standardized] = *in_clear {
            clear.row(cells![
                "set" => corpus.name.as_str(),
                "majority" => corpus.majority(),
                "vectors" => *vectors,
                "bits" => *bits,
                "bits, standardized" => *standardized,
            ]);
        }
    }
    let noisy = corpora.iter().zip(split.iter().map(|(_, noisy)| *noisy));
    let (sheet, rows) = by_epsilon("Accuracy on bits under OME", &ways, noisy)?;
    let mut claims = Vec::new();
    for ((corpus, (in_clear, _)), rows) in corpora.iter().zip(&split).zip(&rows) {
        let name = &corpus.name;
        let bits: Vec<f64> = in_clear.iter().skip(1).map(|mean| mean.mean).collect();
        if let ([least, .., most], true) = (rows.as_slice(), teaches(corpus, &bits)) {
            let by_lambda: Vec<f64> = rows.iter().filter_map(|row| row.get(ONE)).copied().collect();
            claims.push(Claim::flat(
                format!("{name}: at lambda 100 accuracy is flat in epsilon"),
                most,
                ACCURACY_TOLERANCE,
            ));
            claims.push(Claim::rises(
                format!("{name}: accuracy rises with lambda, epsilon 1"),
                &by_lambda,
                ACCURACY_TOLERANCE,
            ));
            claims.push(chance(corpus, "lambda 1", least));
        }
    }
    Ok(Report { sheets: vec![clear, sheet], claims, ..Report::default() })
}

fn table_2(run: &Run<'_>) -> Result<Report> {
    let corpora = Corpus::all(run, &SETS)?;
    let ways = [Way::Sue, Way::Oue, Way::Ome(100.0)];
    let means = means(run, &corpora, &flipped(&ways).collect::<Vec<_>>())?;
    let noisy = corpora.iter().zip(means.iter().map(Vec::as_slice));
    let (sheet, rows) = by_epsilon("Accuracy on bits under SUE, OUE and OME", &ways, noisy)?;
    let mut claims = Vec::new();
    for (corpus, rows) in corpora.iter().zip(&rows) {
        if rows.last().is_some_and(|ome| teaches(corpus, ome)) {
            let at_one = ["SUE", "OUE"].into_iter().zip(rows).filter_map(|(name, row)| Some((name, *row.get(ONE)?)));
            claims.extend(at_one.map(|(name, accuracy)| chance(corpus, &format!("{name} at epsilon 1"), &[accuracy])));
        }
    }
    Ok(Report { sheets: vec![sheet], claims, ..Report::default() })
}

/// Whether something was learned: more than always to say the commonest label. Of a set whose bits in clear, or under
/// OME's largest λ, do not, nothing is claimed: all that stands below would be borne out.
fn teaches(corpus: &Corpus, accuracies: &[f64]) -> bool {
    accuracies.iter().any(|accuracy| *accuracy > corpus.majority() + ACCURACY_TOLERANCE)
}

/// Claims that nothing was learned.
fn chance(corpus: &Corpus, what: &str, accuracies: &[f64]) -> Claim {
    let most = accuracies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let evidence = format!("{} at most, {} in the commonest class", short(most), short(corpus.majority()));
    Claim::new(format!("{}: {what} teaches nothing", corpus.name), !teaches(corpus, accuracies), evidence)
}
