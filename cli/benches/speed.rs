//! How fast words are drawn: one scan of the table a word, and what is around it.
//!
//! `cargo bench -p textveil-cli --bench speed -- FILTER` measures what matches; `cargo xtask bench` runs it in rounds
//! between rounds of others, and makes ratios of the medians. Names are `part/what/…`; rates count words, those of
//! `peak` multiplications.
//!
//! `TEXTVEIL_BENCH_TABLES` names directories of further tables (`*.tvt`), as the search path is written.

#[path = "speed/parts.rs"]
mod parts;
#[path = "speed/peak.rs"]
mod peak;
#[path = "speed/processor.rs"]
mod processor;
#[path = "speed/tables.rs"]
mod tables;

use std::time::Duration;

use criterion::Criterion;
use criterion::measurement::Measurement;

use processor::ProcessorTime;

fn main() {
    let mut on_a_core = short(Criterion::default().with_measurement(ProcessorTime));
    peak::all(&mut on_a_core);
    parts::all(&mut on_a_core);
    on_a_core.final_summary();
    let mut on_all_cores = short(Criterion::default());
    peak::on_all_cores(&mut on_all_cores);
    parts::on_all_cores(&mut on_all_cores);
}

/// Short measurements: repetitions lie in the rounds, with others between them.
fn short<M: Measurement + 'static>(criterion: Criterion<M>) -> Criterion<M> {
    criterion
        .sample_size(10)
        .warm_up_time(Duration::from_millis(60))
        .measurement_time(Duration::from_millis(250))
        .configure_from_args()
}
