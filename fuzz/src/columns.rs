//! Any bytes as a Parquet file, and any rows in a sound one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use arbitrary::Unstructured;
use arrow_array::{Array, ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use serde_json::json;

use crate::progress::Quiet;
use crate::rows::{POOL, RANDOMNESS, expected, file, in_the_making, mark};
use textveil_bulk::parquet::{Input as ParquetInput, Job as ParquetJob};
use textveil_bulk::partial::State;

/// The most rows that are written here.
const MOST_ROWS: usize = 70;

/// What a run over a file left: its rows, if it came to an end.
struct Ran {
    batches: Result<Vec<RecordBatch>>,
    state: State,
}

/// Any bytes as a Parquet file, or rows of any bytes in one.
///
/// # Panics
/// A column comes out that is neither released nor kept, a row is lost, or a release is another one than that of its row.
pub fn parquet(data: &[u8]) {
    let Some((mode, bytes)) = data.split_first() else { return };
    if mode % 2 == 0 {
        foreign(bytes);
    } else {
        // Where the bytes end, there are no more rows.
        let _ = sound(&mut Unstructured::new(bytes));
    }
}

/// Bytes that somebody calls Parquet.
fn foreign(bytes: &[u8]) {
    cells(&file(bytes));
    let Some(Ran { batches: Ok(batches), state }) = run(&file(bytes), true) else { return };
    for batch in &batches {
        for field in batch.schema().fields() {
            assert!(["a", "b"].contains(&field.name().as_str()), "a column comes out that nobody named");
        }
        let released = batch.column_by_name("a").and_then(|column| column.as_any().downcast_ref::<StringArray>());
        let released = released.expect("the column that is released");
        let is_release = |text: &str| text.is_empty() || text.len() == 17 && text.starts_with('R');
        assert!(released.iter().flatten().all(is_release), "a text passes");
    }
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(rows as u64, state.rows - state.tally.skipped, "rows are lost");
}

/// Releases the column "a" and keeps "b"; nothing if this is no Parquet file.
fn run(file: &Path, skip_bad: bool) -> Option<Ran> {
    let input = ParquetInput::open(file).ok()?;
    let [columns, keep] = ["a", "b"].map(|name| [name.to_owned()]);
    let job = ParquetJob {
        name: "input",
        columns: &columns,
        keep: &keep,
        release: &mark,
        randomness: &RANDOMNESS,
        needs_all: false,
        skip_bad,
        pool: &POOL,
    };
    Some(in_the_making(|mut partial, output| {
        let mut state = State::default();
        let result = job.run(&Quiet, &input, &mut partial, &mut state, |_| json!({}));
        let batches = result.map(|()| read(output));
        Ran { batches, state }
    }))
}

/// The cells of the columns "a" and "b", as who reads releases gets them; what cannot be read is an error.
fn cells(file: &Path) -> Option<Vec<Vec<Option<String>>>> {
    let mut rows = Vec::new();
    let mut take = |number, cells| {
        rows.push(cells);
        assert_eq!(number, rows.len() as u64);
        Ok(())
    };
    let read = ParquetInput::open(file).ok()?.each("input", &["a", "b"].map(str::to_owned), &mut take);
    read.ok().map(|()| rows)
}

fn read(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).expect("the output");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build());
    reader.expect("the output is Parquet").collect::<Result<_, _>>().expect("the output can be read")
}

/// Columns of any texts, written in any of several ways.
fn sound(bytes: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let compression = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(Default::default()),
    ];
    let version = if bytes.arbitrary()? { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
    let properties = WriterProperties::builder()
        .set_compression(*bytes.choose(&compression)?)
        .set_writer_version(version)
        .set_dictionary_enabled(bytes.arbitrary()?)
        .set_max_row_group_row_count(Some(bytes.int_in_range(1..=MOST_ROWS)?))
        .set_data_page_row_count_limit(bytes.int_in_range(1..=MOST_ROWS)?)
        .set_write_batch_size(bytes.int_in_range(1..=MOST_ROWS)?)
        .build();
    let rows = bytes.int_in_range(0..=MOST_ROWS)?;
    let texts = |bytes: &mut Unstructured<'_>| -> arbitrary::Result<Vec<Option<String>>> {
        (0..rows).map(|_| bytes.arbitrary()).collect()
    };
    let (released, kept, dropped) = (texts(bytes)?, texts(bytes)?, texts(bytes)?);
    let hidden = dropped.iter().map(|text| text.as_ref().map(String::as_bytes));
    let columns: [(&str, ArrayRef); 4] = [
        ("number", Arc::new(Int32Array::from_iter_values(0..rows as i32))),
        ("b", Arc::new(StringArray::from(kept.clone()))),
        ("hidden", Arc::new(hidden.collect::<BinaryArray>())),
        ("a", Arc::new(StringArray::from(released.clone()))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .expect("columns of one length");
    let mut written = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut written, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    let pairs = released.iter().zip(&kept).map(|(a, b)| vec![a.clone(), b.clone()]);
    assert_eq!(cells(&file(&written)), Some(pairs.collect()), "not what stands in the columns");
    let Ran { batches, state } = run(&file(&written), false).expect("a Parquet file");
    let batches = batches.unwrap_or_else(|error| panic!("a sound file is refused: {error:#}"));
    let (mut written_released, mut written_kept) = (Vec::new(), Vec::new());
    for batch in &batches {
        let column = |place: usize| {
            let texts = batch.column(place).as_any().downcast_ref::<StringArray>().expect("a column of texts");
            texts.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(batch.num_columns(), 2, "a column comes out that nobody named");
        written_kept.extend(column(0));
        written_released.extend(column(1));
    }
    assert_eq!(written_kept, kept, "a column that is kept changes");
    let numbered = released.iter().zip(0..);
    let released: Vec<Option<String>> =
        numbered.map(|(text, number)| text.as_ref().map(|text| expected(&mark, text, number))).collect();
    assert_eq!(written_released, released, "a release is another one than that of its row");
    let texts = released.iter().flatten().count() as u64;
    assert_eq!((state.rows, state.tally.releases, state.tally.skipped), (rows as u64, texts, 0));
    Ok(())
}
