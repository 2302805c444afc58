//! What is measured, a function a part. What a part needs is made only if something of it is measured.

use std::cell::LazyCell;
use std::hint::black_box;
use std::sync::LazyLock;

use criterion::{BenchmarkId, Criterion, Throughput};
use rayon::prelude::*;
use textveil::{
    Disclosure, Kernel, Mechanism, MechanismKind, Privatizer, Table, TokenKind, WordId, lattice_noise, look_up,
    seeded_rng,
};

use crate::processor::ProcessorTime;
use crate::tables::Lazy;

/// Words that are drawn in one call.
const BATCHES: [usize; 4] = [1, 4, 8, 24];
/// A batch that makes use of all that a kernel has.
const FULL: usize = 24;
/// η where a table has no levels.
const ETA: f64 = 20.0;

/// Twenty words of the vocabulary.
const SENTENCE: &str = "the doctor said that my sister should rest at home for a week and call her if the fever came";
const WORDS: usize = 20;
/// A long text repeats the sentence this number of times.
const REPEATED: usize = 100;

pub(crate) fn all(criterion: &mut Criterion<ProcessorTime>) {
    draws(criterion);
    noise(criterion);
    scaling(criterion);
    product(criterion);
    start(criterion);
}

/// The bare kernels, words in and words out: `draw/TABLE/MECHANISM/KERNEL/BATCH`.
fn draws(criterion: &mut Criterion<ProcessorTime>) {
    let mut tables = vec![Lazy::english()];
    tables.extend(Lazy::files());
    for table in &tables {
        for mechanism in ["metric-laplace", "exponential", "certified", "nearest"] {
            // What tables are certified for is computed in minutes; the shipped one comes with it. `nearest` is
            // measured next to it.
            if matches!(mechanism, "certified" | "nearest") && !table.is_english() {
                continue;
            }
            for kernel in Kernel::available() {
                let privatizer = LazyCell::new(|| privatizer(&table.get().clone().with_kernel(kernel), mechanism));
                for batch in BATCHES {
                    let name = format!("draw/{}/{mechanism}/{kernel}", table.name);
                    draw(criterion, &name, &batch.to_string(), batch, || &privatizer);
                }
            }
        }
    }
}

/// How time grows with the request: `scaling/MECHANISM/QUANTITY/VALUE`, by the fastest kernel.
fn scaling(criterion: &mut Criterion<ProcessorTime>) {
    const ROWS: [usize; 6] = [4_096, 8_192, 16_384, 32_768, 65_536, Table::MAX_ROWS];
    const DIMS: [usize; 6] = [16, 32, 64, 128, 256, 300];
    const SIZES: [usize; 7] = [1, 2, 4, 8, 24, 64, 256];
    let shapes = ROWS.map(|rows| ("rows", rows, (rows, 64))).into_iter();
    let shapes = shapes.chain(DIMS.map(|dims| ("dims", dims, (32_768, dims))));
    for (quantity, value, (rows, dims)) in shapes {
        let table = Lazy::made_up(rows, dims);
        for mechanism in ["metric-laplace", "exponential"] {
            let privatizer = LazyCell::new(|| privatizer(table.get(), mechanism));
            draw(criterion, &format!("scaling/{mechanism}/{quantity}"), &value.to_string(), FULL, || &privatizer);
        }
    }
    let table = Lazy::made_up(32_768, 64);
    for mechanism in ["metric-laplace", "exponential"] {
        let privatizer = LazyCell::new(|| privatizer(table.get(), mechanism));
        for batch in SIZES {
            draw(criterion, &format!("scaling/{mechanism}/batch"), &batch.to_string(), batch, || &privatizer);
        }
    }
}

/// Draws of a batch of words that lie all over the table.
fn draw<'a>(
    criterion: &mut Criterion<ProcessorTime>,
    group: &str,
    parameter: &str,
    batch: usize,
    privatizer: impl Fn() -> &'a Privatizer,
) {
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(batch as u64));
    group.bench_function(BenchmarkId::from_parameter(parameter), |bencher| {
        let privatizer = privatizer();
        let step = privatizer.table().len() / batch;
        let words: Vec<WordId> = privatizer.table().rows().step_by(step.max(1)).take(batch).collect();
        let mut rng = seeded_rng([1; 32]);
        bencher.iter(|| privatizer.draw_all(black_box(&words), &mut rng));
    });
    group.finish();
}

/// What of `metric-laplace` is no scan: `noise/DIMS`.
fn noise(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("noise");
    group.throughput(Throughput::Elements(1));
    for dims in [24, 64, 300] {
        let mut rng = seeded_rng([2; 32]);
        let step = 1.0 / 64.0 / f64::from(dims).sqrt();
        group.bench_function(dims.to_string(), |bencher| {
            bencher.iter(|| lattice_noise(ETA, dims as usize, step, &mut rng));
        });
    }
    group.finish();
}

/// The whole product, and the bare kernel on the same words: `product/…`.
fn product(criterion: &mut Criterion<ProcessorTime>) {
    let long = [SENTENCE; REPEATED].join(" ");
    for mechanism in ["certified", "nearest", "metric-laplace"] {
        let privatizer = LazyCell::new(|| {
            let table = Table::english().expect("the embedded table is sound");
            privatizer(&table, mechanism)
        });
        let mut group = criterion.benchmark_group(format!("product/{mechanism}"));
        let mut rng = seeded_rng([3; 32]);
        // Of interest as a time.
        group.bench_function("sentence", |bencher| bencher.iter(|| privatizer.privatize(SENTENCE, &mut rng)));

        group.throughput(Throughput::Elements((WORDS * REPEATED) as u64));
        group.bench_function("bare", |bencher| {
            let word = |token| look_up(privatizer.table(), TokenKind::Word, token).row;
            let words: Vec<Option<WordId>> = long.split(' ').map(word).collect();
            bencher.iter(|| privatizer.draw_all(&words, &mut rng));
        });
        group.bench_function("text", |bencher| bencher.iter(|| privatizer.privatize(&long, &mut rng)));
        group.finish();
    }
}

/// The same on all cores, by the clock, and next to it on one core: `all-cores/…`.
pub(crate) fn on_all_cores(criterion: &mut Criterion) {
    let long = [SENTENCE; REPEATED].join(" ");
    let privatizer = LazyLock::new(|| privatizer(&Table::english().expect("it is sound"), "certified"));
    one_and_all(criterion, "all-cores", WORDS * REPEATED, |text| {
        black_box(privatizer.privatize(&long, &mut seeded_rng([text; 32]))).expect("it is short enough");
    });
}

/// Work in equal parts, on one core and on all: `NAME/one` and `NAME/all`.
pub(crate) fn one_and_all(criterion: &mut Criterion, name: &str, elements: usize, part: impl Fn(u8) + Sync) {
    let cores = rayon::current_num_threads();
    let parts = 4 * cores;
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements((elements * parts) as u64));
    for (threads, which) in [(1, "one"), (cores, "all")] {
        let pool = LazyCell::new(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
        group.bench_function(which, |bencher| {
            bencher.iter(|| pool.install(|| (0..parts as u8).into_par_iter().for_each(&part)));
        });
    }
    group.finish();
}

/// What has to be done before the first word: `start`.
fn start(criterion: &mut Criterion<ProcessorTime>) {
    criterion.bench_function("start", |bencher| {
        bencher.iter(|| {
            let table = Table::english().expect("the embedded table is sound");
            privatizer(&table, "certified")
        });
    });
}

/// A mechanism at its usual level, or at [`ETA`] if it has no usual level.
fn privatizer(table: &Table, name: &str) -> Privatizer {
    let kind: MechanismKind = name.parse().expect("a mechanism of the list");
    if kind != MechanismKind::Nearest && table.default_level_of(kind).is_none() {
        return textveil_tests::privatizer(table, name, ETA);
    }
    Privatizer::new(table, Mechanism::new(kind), Disclosure::default()).expect("the table has its levels")
}
