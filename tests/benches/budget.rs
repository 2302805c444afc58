//! What a word costs in instructions: each of the measured functions is one entry for callgrind, which
//! `cargo xtask test` runs this under (`xtask/src/budget.rs`). By itself it only shows that they run.
//!
//! The kernel is named, so that the count is that of the same code on every machine that has it.

use std::hint::black_box;

use textveil::{Disclosure, Kernel, Mechanism, MechanismKind, Privatizer, ReleaseRng, Table, WordId, seeded_rng};

/// What is counted on.
const KERNEL: &str = "avx2";
/// Makes what is measured, and measures it once.
type Case = fn(Kernel, &mut ReleaseRng);

/// Twenty words of the vocabulary.
const SENTENCE: &str = "the doctor said that my sister should rest at home for a week and call her if the fever came";

/// `budget [CASE]`, all of them without; what cargo adds are options.
fn main() {
    let Some(kernel) = Kernel::available().find(|kernel| kernel.name() == KERNEL) else {
        eprintln!("this machine has no kernel {KERNEL}");
        return;
    };
    let asked = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let mut rng = seeded_rng([7; 32]);
    let cases: [(&str, Case); 3] = [
        ("certified_draw", |kernel, rng| {
            let privatizer = certified(kernel);
            let word = privatizer.table().find("doctor").expect("a word of the table");
            certified_draw(&privatizer, word, rng);
        }),
        ("argmin_32768x64", |kernel, rng| {
            let rows: Vec<Vec<i8>> = (0..32_768).map(|row| (0..64).map(|dim| coordinate(row, dim)).collect()).collect();
            let table = textveil_tests::table_of(&rows, 1.0 / 512.0).with_kernel(kernel);
            let word = table.row(0).expect("a table has a row");
            argmin_32768x64(&textveil_tests::privatizer(&table, "metric-laplace", 20.0), word, rng);
        }),
        ("sentence_of_20_words", |kernel, rng| sentence_of_20_words(&certified(kernel), rng)),
    ];
    for (name, case) in cases {
        if asked.as_deref().is_none_or(|asked| asked == name) {
            case(kernel, &mut rng);
        }
    }
}

/// The shipped table's default mechanism.
fn certified(kernel: Kernel) -> Privatizer {
    let table = Table::english().expect("the embedded table is sound").with_kernel(kernel);
    let mechanism = Mechanism::new(MechanismKind::Certified);
    Privatizer::new(&table, mechanism, Disclosure::default()).expect("the table is certified")
}

#[inline(never)]
fn certified_draw(privatizer: &Privatizer, word: WordId, rng: &mut ReleaseRng) {
    black_box(privatizer.draw(black_box(word), rng));
}

#[inline(never)]
fn argmin_32768x64(privatizer: &Privatizer, word: WordId, rng: &mut ReleaseRng) {
    black_box(privatizer.draw(black_box(word), rng));
}

#[inline(never)]
fn sentence_of_20_words(privatizer: &Privatizer, rng: &mut ReleaseRng) {
    black_box(privatizer.privatize(black_box(SENTENCE), rng)).expect("it is short");
}

/// Any numbers do: the work does not depend on them.
fn coordinate(row: u32, dim: u32) -> i8 {
    (row.wrapping_mul(2_654_435_761).rotate_left(dim) >> 25) as i8 - 64
}
