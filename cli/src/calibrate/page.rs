//! The report as a page: one file, no script, nothing loaded, light and dark.

use std::fmt::Write as _;

use textveil::{Deniability, Guarantee, InTheClear, Probability, Spread};

use super::chart::{Chart, around, ceiling};
use super::evidence::WordOdds;
use super::geometry::Geometry;
use super::report::{
    Bar, LevelEvidence, Report, Vocabulary, WordEvidence, distinct_tokens, in_words, method, percent, rows, sentence,
};
use textveil_toolkit::report::STYLE;
use textveil_toolkit::report::numbers::{counted, epsilon_in_cell, short};
use textveil_toolkit::report::plot::{Axis, escaped};

/// The page.
pub(super) fn html(report: &Report) -> String {
    let mut page = Page(String::new());
    let title = format!("Calibration of {} over {}", report.guarantee.mechanism, report.table.name);
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    // Writing to a string cannot fail.
    let _ = writeln!(
        page.0,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>",
        escaped(&title)
    );
    page.head(report);
    if let Some(vocabulary) = &report.vocabulary {
        page.tiles(report, vocabulary);
    }
    if !report.levels.is_empty() {
        page.levels(report);
    }
    if let Some(vocabulary) = &report.vocabulary {
        page.vocabulary(report, vocabulary);
    }
    if let Some(geometry) = &report.geometry {
        page.geometry(report, geometry);
    }
    if let Some(vocabulary) = &report.vocabulary {
        page.words(vocabulary);
    }
    if !report.device_only.tokens.is_empty() {
        page.tokens(report);
    }
    page.guarantee(report);
    page.0 + "</main>\n</body>\n</html>\n"
}

struct Page(String);

impl Page {
    fn element(&mut self, tag: &str, text: &str) {
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = writeln!(self.0, "<{tag}>{}</{name}>", escaped(text));
    }

    fn open(&mut self, tag: &str) {
        let _ = writeln!(self.0, "<{tag}>");
    }

    fn head(&mut self, report: &Report) {
        self.open("header");
        self.element("h1", &format!("Which level of {}?", report.guarantee.mechanism));
        let id: String = report.table.id.chars().take(12).collect();
        let words = counted(report.table.words as u64, "word");
        self.element("p", &format!("{}, {words}, table {id}…", report.table.name));
        self.open("/header");
    }

    fn tiles(&mut self, report: &Report, vocabulary: &Vocabulary) {
        self.open("section class=\"answer\"");
        let setting = report.setting();
        let mut first = setting.chars();
        let capital: String = first.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        self.element("h2", &(capital + first.as_str()));
        if let Some(reason) = report.reason() {
            self.element("p", &format!("Chosen: {reason}."));
        }
        self.open("dl class=\"tiles\"");
        let guessed = vocabulary.inversion.best();
        let Guarantee { epsilon_word, delta_word, ref clear, .. } = report.guarantee;
        let worst = match epsilon_in_cell(epsilon_word, delta_word) {
            none if delta_word >= 1.0 => none,
            epsilon if delta_word > 0.0 => format!("ε {epsilon}, δ {}", Probability(delta_word)),
            epsilon => format!("ε {epsilon}"),
        };
        let promised = match (delta_word < 1.0, clear.contains(&InTheClear::WordClasses)) {
            (false, _) => "no ε is proved for any two words",
            (true, false) => "guaranteed for any two words, in nats a word",
            (true, true) => "guaranteed for any two words of a class, in nats a word",
        };
        for (name, value, note) in [
            ("Words kept", percent(vocabulary.kept.mean), "mean of N_w over the vocabulary"),
            ("Tokens kept", percent(vocabulary.kept.weighted_mean), "the same by frequency in the language"),
            ("Word kept most", percent(vocabulary.kept.greatest), "largest N_w that was found"),
            ("Effective support", short(vocabulary.support.median()), "median of S_w, in words"),
            (
                "Guess is right",
                percent(guessed.by_frequency),
                "a reader of single words who knows how frequent they are",
            ),
            ("Worst case", worst, promised),
        ] {
            let _ = writeln!(
                self.0,
                "<div><dt>{name}</dt><dd>{}</dd><dd class=\"note\">{note}</dd></div>",
                escaped(&value)
            );
        }
        self.open("/dl");
        self.element("p class=\"method\"", &method(report, vocabulary));
        self.open("/section");
    }

    fn levels(&mut self, report: &Report) {
        self.open("section");
        self.element("h2", "The levels");
        let points = |number: &dyn Fn(&LevelEvidence) -> f64| -> Vec<[f64; 2]> {
            report.levels.iter().filter_map(|level| Some([level.eta?, number(level)])).collect()
        };
        let mean = points(&|level| level.kept.mean);
        if let [[first, _], .., [last, _]] = mean.as_slice() {
            self.legend(&[
                ("one", "words kept, mean of N_w"),
                ("two", "word kept most"),
                ("three", "a reader of single words who knows the frequencies is right"),
            ]);
            let axis = around(*first, *last);
            let share = (Axis::linear(0.0, 1.0), "probability");
            let mut chart =
                Chart::new("Words kept and attacks by level", (axis, "η, nats per unit of distance"), share);
            if let Some(eta) = report.guarantee.eta {
                chart.rule(eta, &report.level.map_or_else(|| "here".to_owned(), |level| format!("level {level}")));
            }
            chart.line("one", &mean);
            chart.line("two", &points(&|level| level.kept.greatest));
            chart.line("three", &points(&|level| level.inversion.best().by_frequency));
            self.figure(chart.finish(), "");
        }
        self.table(
            &[
                "level",
                "η",
                "ε a word",
                "δ",
                "words kept",
                "tokens kept",
                "worst N_w",
                "of",
                "S_w, median",
                "guessed, uniform",
                "guessed, frequency",
                "was written, frequency",
            ],
            report.levels.iter().map(|level| {
                let cells = vec![
                    level.level.map_or_else(String::new, |level| level.to_string()),
                    level.eta.map_or_else(String::new, short),
                    epsilon_in_cell(level.epsilon_word, level.delta_word),
                    Probability(level.delta_word).to_string(),
                    percent(level.kept.mean),
                    percent(level.kept.weighted_mean),
                    percent(level.kept.greatest),
                    level.worst_word.clone(),
                    level.support.map_or_else(String::new, |support| short(support.median())),
                    percent(level.inversion.best().uniform),
                    percent(level.inversion.best().by_frequency),
                    level.written.map_or_else(String::new, |written| percent(written.by_frequency.mean)),
                ];
                (level.level.is_some() && level.level == report.level, cells)
            }),
        );
        if let Some(target) = report.target {
            self.element("p", &format!("The target: {}.", in_words(target)));
        }
        self.open("/section");
    }

    fn vocabulary(&mut self, report: &Report, vocabulary: &Vocabulary) {
        self.open("section");
        self.element("h2", "Plausible deniability");
        self.open("div class=\"pair\"");
        self.histogram(
            &vocabulary.kept_histogram,
            (Axis::linear(0.0, 1.0), "N_w"),
            "How often words come out as themselves",
        );
        let decades = vocabulary.support_histogram.last().map_or(10.0, |bar| bar.to);
        self.histogram(
            &vocabulary.support_histogram,
            (Axis::logarithmic(1.0, decades), "S_w, words"),
            &format!("Among how many words {} of their outputs are", percent(1.0 - report.tail)),
        );
        self.open("/div");
        self.table(
            &["over words", "mean", "by frequency", "least", "5 %", "25 %", "50 %", "75 %", "95 %", "greatest"],
            rows(report, vocabulary).into_iter().map(|(name, spread)| {
                let Spread { mean, weighted_mean, least, quantiles, greatest } = spread;
                let numbers = [mean, weighted_mean, least].into_iter().chain(quantiles).chain([greatest]);
                (false, [name].into_iter().chain(numbers.map(short)).collect())
            }),
        );
        self.element("h2", "Guesses");
        self.table(
            &["an attacker who", "right, words uniform", "right, words by frequency"],
            vocabulary.inversion.attackers().into_iter().map(|(name, success)| {
                (false, vec![name.to_owned(), percent(success.uniform), percent(success.by_frequency)])
            }),
        );
        self.odds(report, vocabulary);
        self.open("/section");
    }

    /// How sure a reader can be of single words: at the level, or at each of them.
    fn odds(&mut self, report: &Report, vocabulary: &Vocabulary) {
        let Some(WordOdds { word, written, .. }) = vocabulary.odds.first() else { return };
        self.element("h2", "How sure a reader can be");
        self.element("p", &sentence(word, *written));
        let levels = report.levels.iter().map(|level| (level.level, &level.odds));
        let alone = report.levels.is_empty().then_some((report.level, &vocabulary.odds));
        let rows = levels.chain(alone).map(|(level, odds)| {
            let number = level.map_or_else(|| "here".to_owned(), |level| level.to_string());
            let written = odds.iter().map(|odds| percent(odds.written.by_frequency));
            (level == report.level, [number].into_iter().chain(written).collect())
        });
        let words = vocabulary.odds.iter().map(|odds| odds.word.as_str());
        let head: Vec<&str> = ["level"].into_iter().chain(words).collect();
        self.table(&head, rows);
    }

    fn histogram(&mut self, bars: &[Bar], x: (Axis, &str), title: &str) {
        let top = ceiling(bars.iter().map(|bar| bar.share).fold(0.0, f64::max));
        let mut chart = Chart::new(title, x, (Axis::linear(0.0, top), "share of words"));
        chart.bars(bars.iter().filter(|bar| bar.share > 0.0).map(|bar| [bar.from, bar.to, bar.share]));
        self.figure(chart.finish(), title);
    }

    fn geometry(&mut self, report: &Report, geometry: &Geometry) {
        let (Some(first), Some(last)) = (geometry.neighbours.first(), geometry.neighbours.last()) else { return };
        self.open("section");
        self.element("h2", "Distances");
        let lengths = [("two", geometry.noise), ("three", geometry.output.map(|spread| spread.quantiles))];
        let farthest =
            lengths.iter().filter_map(|(_, lengths)| Some((*lengths)?[4])).fold(last.distance.quantiles[4], f64::max);
        let mut names = vec![("one", "distance to the k-th neighbour")];
        if geometry.noise.is_some() {
            names.push(("two", "length of metric-laplace noise at this η"));
        }
        if geometry.output.is_some() {
            names.push(("three", "expected distance of what comes out"));
        }
        self.legend(&names);
        let (from, to) = (first.k as f64, (last.k as f64).max(10.0));
        let mut chart = Chart::new(
            "Distances to neighbours, and of what comes out",
            (Axis::logarithmic(from, to), "k"),
            (Axis::linear(0.0, ceiling(farthest)), "distance, in units of the table"),
        );
        let neighbours =
            || geometry.neighbours.iter().map(|neighbour| (neighbour.k as f64, neighbour.distance.quantiles));
        chart.band("one", &neighbours().map(|(k, distances)| [k, distances[0], distances[4]]).collect::<Vec<_>>());
        for (class, lengths) in lengths {
            let Some([low, _, median, _, high]) = lengths else { continue };
            chart.band(class, &[[from, low, high], [to, low, high]]);
            chart.line(class, &[[from, median], [to, median]]);
        }
        chart.line("one", &neighbours().map(|(k, distances)| [k, distances[2]]).collect::<Vec<_>>());
        self.figure(chart.finish(), "Medians, and from 5 % to 95 % of words or draws.");
        let words = counted(geometry.words as u64, "word");
        self.element(
            "p",
            &format!(
                "A word hides among the neighbours that lie nearer than what comes out. Measured for {words} of {}, \
                 against all words that may come out.",
                report.table.words
            ),
        );
        self.open("/section");
    }

    fn words(&mut self, vocabulary: &Vocabulary) {
        self.open("section");
        for (title, words) in [("Least protected", &vocabulary.kept_most), ("Most protected", &vocabulary.kept_least)] {
            self.element("h2", title);
            self.table(
                &["word", "N_w", "S_w", "distinct", "distance", "most often becomes"],
                words.iter().map(|WordEvidence { word, found, becomes }| {
                    let becomes: Vec<String> = becomes
                        .iter()
                        .map(|output| format!("{} {}", output.word, percent(output.probability)))
                        .collect();
                    let cells = [vec![word.clone()], numbers(found).to_vec(), vec![becomes.join(", ")]].concat();
                    (false, cells)
                }),
            );
        }
        self.open("/section");
    }

    fn tokens(&mut self, report: &Report) {
        self.open("section");
        self.element("h2", "Your words");
        self.element("p", "These rows tell what was written. They make this page as private as the text.");
        self.table(
            &[
                "token",
                "N_w",
                "S_w",
                "distinct",
                "distance",
                "was written, by frequency",
                "uniform",
                "read as",
                "times",
            ],
            distinct_tokens(&report.device_only.tokens).into_iter().map(|(token, found, times)| {
                let read = token.input.clone().unwrap_or_default();
                let cells = [
                    vec![token.token.clone()],
                    numbers(&found).to_vec(),
                    token.written_in_percent().to_vec(),
                    vec![read, times.to_string()],
                ]
                .concat();
                (false, cells)
            }),
        );
        self.open("/section");
    }

    fn guarantee(&mut self, report: &Report) {
        self.open("section");
        self.element("h2", "What is guaranteed, and what is not");
        self.element("p", &report.guarantee.statement());
        self.element(
            "p",
            "Everything else on this page describes. N_w, S_w and the attacks are about one word at a time, drawn \
             as the vocabulary or the language has it. Whoever knows the words around it, or sees a second release \
             of the same text, may guess better; the guarantee holds against them too.",
        );
        self.open("/section");
    }

    fn legend(&mut self, entries: &[(&str, &str)]) {
        self.open("ul class=\"legend\"");
        for (class, name) in entries {
            let _ = writeln!(
                self.0,
                "<li><svg viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path class=\"line {class}\" d=\"M0 4L28 4\"/></svg>{}</li>",
                escaped(name)
            );
        }
        self.open("/ul");
    }

    fn figure(&mut self, svg: String, caption: &str) {
        self.open("figure");
        self.0 += &svg;
        if !caption.is_empty() {
            self.element("figcaption", caption);
        }
        self.open("/figure");
    }

    /// A table; rows that are marked stand out. The first column names its row.
    fn table(&mut self, head: &[&str], rows: impl Iterator<Item = (bool, Vec<String>)>) {
        self.0 += "<div class=\"scroll\"><table>\n<thead><tr>";
        for name in head {
            let _ = write!(self.0, "<th scope=\"col\">{}</th>", escaped(name));
        }
        self.0 += "</tr></thead>\n<tbody>\n";
        for (is_marked, cells) in rows {
            self.0 += if is_marked { "<tr class=\"chosen\" aria-current=\"true\">" } else { "<tr>" };
            for (place, cell) in cells.iter().enumerate() {
                let cell = escaped(cell);
                let _ = if place == 0 {
                    write!(self.0, "<th scope=\"row\">{cell}</th>")
                } else if cell.starts_with(|c: char| c.is_ascii_digit() || c == '∞') {
                    write!(self.0, "<td class=\"number\">{cell}</td>")
                } else {
                    write!(self.0, "<td>{cell}</td>")
                };
            }
            self.0 += "</tr>\n";
        }
        self.0 += "</tbody>\n</table></div>\n";
    }
}

/// N_w, S_w, distinct words and distance of a word.
fn numbers(found: &Deniability) -> [String; 4] {
    [percent(found.kept), found.support.to_string(), short(found.distinct), short(found.distance)]
}
