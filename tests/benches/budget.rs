//! The instructions that a word costs, counted by callgrind. The number is the same in every run, whatever else the
//! machine does. It is nearly the same on every machine, because the kernel is named. The limits are in `budget.json`.
//!
//! `budget [--write]` counts every case, compares it with its limit and prints JSON; `--write` makes the counts the limits.
//! `budget CASE` is what callgrind runs: it counts between entry and return of the function of that name.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::process::Command;

use serde_json::{Value, json};
use textveil::{Disclosure, Kernel, Mechanism, MechanismKind, Privatizer, ReleaseRng, Table, WordId, seeded_rng};

/// What is counted on.
const KERNEL: &str = "avx2";
/// The file of limits.
const LIMITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/budget.json");
/// Makes what is measured, and measures it once.
type Case = fn(Kernel, &mut ReleaseRng);

/// Twenty words of the vocabulary.
const SENTENCE: &str = "the doctor said that my sister should rest at home for a week and call her if the fever came";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(kernel) = Kernel::available().find(|kernel| kernel.name() == KERNEL) else {
        let why = format!("the limits are for the kernel {KERNEL}, which this processor does not have");
        println!("{}", json!({ "missing": why }));
        return Ok(());
    };
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
    if let Some((_, case)) = cases.iter().find(|(name, _)| arguments.iter().any(|argument| argument == name)) {
        case(kernel, &mut seeded_rng([7; 32]));
        return Ok(());
    }
    let mut counts = BTreeMap::new();
    for (name, _) in cases {
        counts.insert(name, count(name)?);
    }
    if arguments.iter().any(|argument| argument == "--write") {
        let limits = json!({ "renewed by": "cargo xtask budget --write", "instructions": counts });
        std::fs::write(LIMITS, format!("{limits:#}\n"))?;
    }
    let limits: Value = serde_json::from_slice(&std::fs::read(LIMITS)?)?;
    let note = textveil_tests::budget::judge(&counts, &limits["instructions"])?;
    println!("{}", json!({ "instructions": counts, "note": note }));
    Ok(())
}

/// The instructions of a case, in another process of this program.
fn count(case: &str) -> Result<u64, Box<dyn Error>> {
    let mut run = Command::new("valgrind");
    run.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", &format!("--toggle-collect=*::{case}*")]);
    let output = run.arg(std::env::current_exe()?).arg(case).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok()).filter(|count| *count > 0);
    Ok(count.ok_or_else(|| format!("callgrind counted nothing in {case}: {said}"))?)
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
