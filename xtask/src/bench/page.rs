//! The report as a page: what the terminal shows and what `BENCHMARKS.md` holds.

use std::fmt::{self, Display, Write};

use super::report::{Numbers, Report};
use super::targets::{self, BATCH, Bound, PREFIX, draws, fastest_kernel, searches, share_of_peak};
use super::vocabularies::{GLOVE, SYNTHETIC};

/// The whole page, in Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    let numbers = &report.numbers;
    let mut page = Page(String::new());
    page.line("# Benchmarks\n");
    page.line(format_args!(
        "`{}`, {}, on {}. Rates, times and memory are medians of rounds in which contestants took turns; *How it grows* is \
         of one run. What counts are the ratios, since the machine is shared. Rates are words a second.\n",
        report.command, report.date, report.machine
    ));
    missing(&mut page, report);
    demands(&mut page, numbers);
    kernels(&mut page, numbers);
    peers(&mut page, report);
    product(&mut page, numbers);
    scaling(&mut page, numbers);
    instructions(&mut page, numbers);
    sizes(&mut page, numbers);
    page.0
}

/// Text that grows by lines.
struct Page(String);

impl Page {
    fn line(&mut self, line: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }

    /// A heading, what it is about, and the heads of a table.
    fn table(&mut self, heading: &str, about: &str, heads: &[&str]) {
        self.line(format_args!("## {heading}\n\n{about}\n"));
        self.row(heads);
        self.row(&vec!["---"; heads.len()]);
    }

    fn row<Cell: Display>(&mut self, cells: &[Cell]) {
        let cells: String = cells.iter().map(|cell| format!(" {cell} |")).collect();
        self.line(format_args!("|{cells}"));
    }

    fn end(&mut self) {
        self.line("");
    }
}

/// A number with as many digits as mean something; a dash for what was not measured.
struct Shown(Option<f64>);

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("–"),
            Some(number) if number >= 1000.0 => f.write_str(&grouped(number.round() as u64)),
            Some(number) if number >= 100.0 => write!(f, "{number:.0}"),
            Some(number) if number >= 10.0 => write!(f, "{number:.1}"),
            Some(number) => write!(f, "{number:.2}"),
        }
    }
}

/// 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", grouped(number / 1000), number % 1000) }
}

fn missing(page: &mut Page, report: &Report) {
    for missing in &report.missing {
        page.line(format_args!("- Not measured: {missing}"));
    }
    if !report.missing.is_empty() {
        page.end();
    }
}

fn demands(page: &mut Page, numbers: &Numbers) {
    let cores = numbers.ratio("native/peak-all-cores/all", "native/peak-all-cores/one");
    let cores = cores.map_or(String::new(), |ratio| {
        format!(
            " Multiply–adds on registers alone are {} × as many on all cores as on one: that is the ceiling of the last line.",
            Shown(Some(ratio))
        )
    });
    let peak = targets::peak(numbers, "avx2").map_or(String::new(), |peak| {
        let peak = Shown(Some(peak));
        format!(
            " A search that only multiplied and added, in registers alone, would find {peak} words a second with AVX2."
        )
    });
    let about = format!(
        "One thread, but for the last. Node and Chromium took turns with each other, not with faiss.{peak}{cores}"
    );
    page.table("Targets", &about, &["", "target", "measured", ""]);
    for target in targets::all(numbers) {
        let asked = match target.wanted {
            Bound::AtLeast(least) => format!("≥ {}", Shown(Some(least))),
            Bound::AtMost(most) => format!("≤ {}", Shown(Some(most))),
        };
        let verdict =
            target.measured.map_or("", |number| if target.wanted.holds(number) { "met" } else { "**short**" });
        page.row(&[target.what.to_owned(), asked, Shown(target.measured).to_string(), verdict.to_owned()]);
    }
    page.end();
}

fn kernels(page: &mut Page, numbers: &Numbers) {
    let mut names: Vec<&str> = numbers.under(PREFIX).filter_map(|(rest, _)| rest.strip_suffix("/1")).collect();
    let rate = |table: &str, mechanism: &str, kernel: &str, batch: &str| {
        numbers.get(&format!("native/draw/{table}/{mechanism}/{kernel}/{batch}"))
    };
    names.sort_by(|a, b| f64::total_cmp(&full(numbers, a), &full(numbers, b)));
    page.table(
        "Kernels",
        "One thread; draws by `metric-laplace` (noise, then the nearest word), `exponential` and `certified` (all \
         distances, weights, their sum, its inverse) of so many words at once. The peak is the kernel's multiply–add \
         instruction on registers alone, in the same run; the scan's share of it is that of `metric-laplace` in batches of \
         24 on 32,768 × 64, less the noise.",
        &["table", "mechanism", "kernel", "1 word", "4", "8", BATCH, "× portable", "of the peak"],
    );
    for (table, shape) in [(SYNTHETIC, "32,768 × 64"), ("english", "shipped, 32,413 × 24")] {
        for mechanism in ["metric-laplace", "exponential", "certified"] {
            for kernel in &names {
                let at = |batch| rate(table, mechanism, kernel, batch);
                if at(BATCH).is_none() {
                    continue;
                }
                let times = at(BATCH).zip(rate(table, mechanism, "portable", BATCH)).map(|(a, b)| a / b);
                let peaks =
                    (table == SYNTHETIC && mechanism == "metric-laplace").then(|| share_of_peak(numbers, kernel));
                let peak = peaks.flatten().map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
                let [one, four, eight, most] = ["1", "4", "8", BATCH].map(|batch| Shown(at(batch)).to_string());
                let times = Shown(times).to_string();
                page.row(&[shape, mechanism, kernel, &one, &four, &eight, &most, &times, &peak]);
            }
        }
    }
    page.end();
}

/// The rate of a kernel with large batches.
fn full(numbers: &Numbers, kernel: &str) -> f64 {
    numbers.get(&draws(SYNTHETIC, kernel)).unwrap_or(0.0)
}

fn peers(page: &mut Page, report: &Report) {
    let numbers = &report.numbers;
    if numbers.under("peers/").next().is_none() {
        return;
    }
    let versions: Vec<String> = report.versions.iter().map(|(peer, version)| format!("{peer} {version}")).collect();
    let about = format!(
        "The nearest word to a noisy vector, one thread each, the same vectors (`cargo xtask bench --peers`; {}). textveil \
         draws its noise and gives words, as mldp-text and pypantera do; numpy, faiss and usearch are handed noisy vectors and \
         only search. numpy does so twice: as it is commonly written, `argmin(norms - queries @ table)`, which takes fresh memory \
         for every step, and in place, where the norms are one more dimension and the scores lie in the same memory each time. \
         Vectors are int8 in textveil and 32-bit floats elsewhere; all searches are exact but mldp-text's default. \
         Each uses what the processor has; in the last column textveil, numpy and faiss keep to AVX2, and textveil's noise is \
         taken off, so that all three search and nothing else.",
        versions.join(", ")
    );
    page.table(
        "Beside others",
        &about,
        &["vocabulary", "", "words a second", "textveil is × as fast", "searches alone, both with AVX2"],
    );
    for (table, source) in [(SYNTHETIC, "synthetic"), (GLOVE, "GloVe 840B")] {
        let [rows, dims] = ["rows", "dims"].map(|of| numbers.get(&format!("vocabularies/{table}/{of}")));
        let [Some(rows), Some(dims)] = [rows, dims] else { continue };
        let name = format!("{source}, {} × {}", Shown(Some(rows)), dims);
        let fastest = numbers.get(&draws(table, fastest_kernel(numbers)));
        let avx2 = searches(numbers, table, dims as usize, "avx2");
        let mut rows: Vec<(&str, f64)> = numbers.under(&format!("peers/{table}/")).collect();
        rows.sort_by(|a, b| b.1.total_cmp(&a.1));
        page.row(&[name.as_str(), "textveil", &Shown(fastest).to_string(), "", ""]);
        for (peer, rate) in rows {
            let times = Shown(fastest.map(|ours| ours / rate)).to_string();
            let kept = numbers.get(&format!("peers-avx2/{table}/{peer}"));
            let with_avx2 = Shown(avx2.zip(kept).map(|(ours, theirs)| ours / theirs)).to_string();
            page.row(&[name.as_str(), peer, &Shown(Some(rate)).to_string(), &times, &with_avx2]);
        }
    }
    page.end();
}

fn product(page: &mut Page, numbers: &Numbers) {
    page.table(
        "From text to text",
        "The shipped table; Node, Chromium and Python are the packages as they are packed. `synthetic` is 32,768 × 64, its \
         native rates those of other rounds, above.",
        &["", "native", "command line", "Node", "Chromium", "Python"],
    );
    let row = |what: &str, names: [&str; 5]| {
        [what.to_owned()].into_iter().chain(names.map(|name| Shown(numbers.get(name)).to_string())).collect::<Vec<_>>()
    };
    let engines = |what: &str, native: &str, command_line: &str, name: &str| {
        let [node, chromium, python] = ["Node", "Chromium", "Python"].map(|engine| format!("{engine}/{name}"));
        row(what, [native, command_line, &node, &chromium, &python])
    };
    let synthetic = |mechanism: &str| draws(SYNTHETIC, fastest_kernel(numbers)).replace("metric-laplace", mechanism);
    for cells in [
        engines("start (table and mechanism), ms", "native/start ms", "", "init ms"),
        engines("first sentence after it, ms", "", "", "first ms"),
        engines("sentence of 20 words, median, ms", "native/product/certified/sentence ms", "", "sentence ms"),
        engines("long text, `certified`", "native/product/certified/text", "", "certified"),
        engines("long text, `metric-laplace`", "native/product/metric-laplace/text", "", "metric-laplace"),
        engines("the bare kernel, `certified`", "native/product/certified/bare", "", ""),
        engines(
            "texts on all cores, `certified`",
            "native/all-cores/all",
            "command line/certified",
            "column, all cores",
        ),
        engines("synthetic, `metric-laplace`", &synthetic("metric-laplace"), "", "synthetic/metric-laplace"),
        engines("synthetic, `exponential`", &synthetic("exponential"), "", "synthetic/exponential"),
        engines("peak memory of the process, MB", "", "command line/memory MB", "memory MB"),
        engines("first result of a page, files cached, ms", "", "", "first result, files cached ms"),
    ] {
        page.row(&cells);
    }
    page.end();
}

fn scaling(page: &mut Page, numbers: &Numbers) {
    page.table(
        "How it grows",
        "The fastest kernel, one thread, batches of 24, 32,768 × 64 but for what is varied: words a second. A table holds up to \
         131,072 words; larger ones are not offered.",
        &["varied", "", "metric-laplace", "exponential"],
    );
    for (quantity, name) in [("rows", "words of the table"), ("dims", "dimensions"), ("batch", "words in a call")] {
        let prefix = format!("native/scaling/metric-laplace/{quantity}/");
        let mut values: Vec<u64> = numbers.under(&prefix).filter_map(|(value, _)| value.parse().ok()).collect();
        values.sort_unstable();
        for value in values {
            let rate =
                |mechanism| Shown(numbers.get(&format!("native/scaling/{mechanism}/{quantity}/{value}"))).to_string();
            page.row(&[name.to_owned(), grouped(value), rate("metric-laplace"), rate("exponential")]);
        }
    }
    page.end();
}

fn instructions(page: &mut Page, numbers: &Numbers) {
    page.table(
        "Instructions",
        "Counted by callgrind on the AVX2 kernel, whatever else the machine does; `cargo xtask test` holds them to limits \
         (`xtask/bench/budget.json`).",
        &["", "instructions"],
    );
    numbers
        .under("instructions/")
        .for_each(|(what, count)| page.row(&[what.replace('_', " "), Shown(Some(count)).to_string()]));
    page.end();
}

fn sizes(page: &mut Page, numbers: &Numbers) {
    page.table("What is downloaded", "Bytes.", &["file", "raw", "gzip", "brotli"]);
    let files = numbers.under("bytes/").filter_map(|(rest, raw)| Some((rest.strip_suffix("/raw")?, raw)));
    for (file, raw) in files {
        let packed = |form| numbers.get(&format!("bytes/{file}/{form}"));
        let [raw, gzip, brotli] = [Some(raw), packed("gzip"), packed("brotli")].map(|size| Shown(size).to_string());
        page.row(&[&format!("`{file}`"), &raw, &gzip, &brotli]);
    }
    page.end();
}
