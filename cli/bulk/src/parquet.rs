//! Parquet: the named columns are released, and no other column is written unless asked for.
//!
//! A Parquet file can be read only when it is complete. So each row group is a file of its own at first, which lets a
//! run resume. At the end their pages are put behind each other as they are. The guarantee is in the file's metadata,
//! under [`KEY`].

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use rayon::ThreadPool;
use serde_json::Value;

use crate::partial::{Partial, State};
use crate::{BadRow, CHUNK, Fault, Reason, Release, Tally, Watch, in_order, released};
use textveil_toolkit::columns;
use textveil_toolkit::files::open;
use textveil_toolkit::seed::Randomness;

/// Where the guarantee stands in the file's key–value metadata.
pub const KEY: &str = "textveil";
/// A row group has at most this number of bytes and rows.
const GROUP_BYTES: usize = 8 << 20;
const GROUP_ROWS: usize = 1 << 16;
/// The most rows that are read together, which with the longest texts is what memory must hold.
const BATCH_ROWS: u64 = 32;

/// What is made of the columns.
pub struct Job<'a> {
    /// The file, for messages.
    pub name: &'a str,
    /// The columns that are released.
    pub columns: &'a [String],
    /// The columns that pass in clear.
    pub keep: &'a [String],
    /// Makes the release of a text.
    pub release: &'a Release<'a>,
    /// What draws follow from.
    pub randomness: &'a Randomness,
    /// Each row must have a text: which rows have one is not to show.
    pub needs_all: bool,
    /// Leave out rows that cannot be read, instead of ending there.
    pub skip_bad: bool,
    /// The threads that draw.
    pub pool: &'a ThreadPool,
}

/// A file and what is known of it before any row is read.
pub struct Input {
    file: File,
    metadata: ArrowReaderMetadata,
}

impl Input {
    /// # Errors
    /// What is no Parquet file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open(path)?;
        // Types are those of Parquet: other notes of a program may hold values (categories).
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let damaged = || anyhow!("{} is not a Parquet file, or is damaged", path.display());
        let metadata = ArrowReaderMetadata::load(&file, options).map_err(|_| damaged())?;
        // The reader panics at a column that begins before the file or is shorter than nothing.
        let is_there = |column: &ColumnChunkMetaData| {
            let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            start >= 0 && column.compressed_size() >= 0
        };
        let mut columns = metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
        ensure!(columns.all(is_there), damaged());
        Ok(Self { file, metadata })
    }

    /// The file's bytes.
    pub fn size(&self) -> Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The file's rows.
    pub fn rows(&self) -> u64 {
        self.metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0)
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.metadata.schema().fields().iter().map(|field| field.name().as_str())
    }

    /// What was noted under [`KEY`].
    pub fn note(&self) -> Option<&str> {
        let notes = self.metadata.metadata().file_metadata().key_value_metadata()?;
        notes.iter().find(|note| note.key == KEY)?.value.as_deref()
    }

    /// Hands the number of each row, from 1, and its cells in the named columns, to `take`; null is `None`.
    ///
    /// # Errors
    /// The first of `take`. A column that is not there, or there twice, or is neither text nor a number, a truth value or
    /// a time; a page that cannot be read.
    pub fn each(
        &self,
        name: &str,
        columns: &[String],
        take: &mut dyn FnMut(u64, Vec<Option<String>>) -> Result<()>,
    ) -> Result<()> {
        let field = |column: &String| {
            let (index, field) = self.find(name, column)?;
            let kind = field.data_type();
            let writer = writer(kind);
            Ok((
                index,
                writer.with_context(|| {
                    format!("the column \"{column}\" of {name} is neither text, a number nor a time, but {kind}")
                })?,
            ))
        };
        let fields = columns.iter().map(field).collect::<Result<Vec<_>>>()?;
        let picked: BTreeSet<usize> = fields.iter().map(|(index, _)| *index).collect();
        // Places in the batches, which have only the picked columns.
        let place = |index: usize| picked.range(..index).count();
        let writers: Vec<_> = fields.into_iter().map(|(index, writer)| (place(index), writer)).collect();
        let mut number = 0;
        for batch in self.batches(&Vec::from_iter(picked), 0).with_context(|| name.to_owned())? {
            let batch = batch.map_err(|error| unreadable(&error)).with_context(|| name.to_owned())?;
            for row in 0..batch.num_rows() {
                number += 1;
                let cell = |(place, write): &(usize, Writer)| {
                    let column = batch.column(*place);
                    column.is_valid(row).then(|| write(column, row))
                };
                take(number, writers.iter().map(cell).collect())?;
            }
        }
        Ok(())
    }

    /// The place and the type of a column.
    fn find(&self, name: &str, column: &str) -> Result<(usize, &FieldRef)> {
        let mut found = self.metadata.schema().fields().iter().enumerate().filter(|(_, field)| field.name() == column);
        let names = || self.metadata.schema().fields().iter().map(|field| field.name().as_str());
        let listed = || format!(": {}", names().collect::<Vec<_>>().join(", "));
        let field = found.next().ok_or_else(|| columns::missing(name, column, names(), &listed()))?;
        ensure!(found.next().is_none(), "{name} has several columns \"{column}\"");
        Ok(field)
    }

    /// The batches behind the first `done` rows, with the columns that are asked for, and how many rows each has.
    fn batches(&self, picked: &[usize], done: u64) -> Result<ParquetRecordBatchReader> {
        let metadata = self.metadata.metadata();
        let size = |group: &parquet::file::metadata::RowGroupMetaData| {
            let columns = (0..group.num_columns()).filter(|leaf| picked.contains(&self.root(*leaf)));
            columns.map(|leaf| group.column(leaf).uncompressed_size().unsigned_abs()).sum::<u64>()
        };
        let mean = metadata.row_groups().iter().map(size).sum::<u64>() / self.rows().max(1);
        let together = (CHUNK as u64 / mean.max(1)).clamp(1, BATCH_ROWS);
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), picked.iter().copied());
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.try_clone()?, self.metadata.clone())
            .with_projection(mask)
            .with_batch_size(together as usize)
            .with_offset(done as usize)
            .build()
            .map_err(|error| unreadable(&error))
    }

    fn root(&self, leaf: usize) -> usize {
        self.metadata.parquet_schema().get_column_root_idx(leaf)
    }
}

/// The kind of an error of the Parquet reader, whose message might quote a value.
fn unreadable(error: &dyn std::fmt::Debug) -> anyhow::Error {
    let shown = format!("{error:?}");
    let kind: String = shown.chars().take_while(char::is_ascii_alphanumeric).collect();
    anyhow!("a page cannot be read ({kind})")
}

/// Writes a cell of a column as text.
type Writer = fn(&dyn Array, usize) -> String;

/// What writes cells of a type, if each has one text. Times are those of UTC; one
/// that no calendar has is its number.
fn writer(kind: &DataType) -> Option<Writer> {
    Some(match kind {
        DataType::Utf8 => |column, row| column.as_string::<i32>().value(row).to_owned(),
        DataType::Boolean => |column, row| column.as_boolean().value(row).to_string(),
        DataType::Int8 => number::<Int8Type>,
        DataType::Int16 => number::<Int16Type>,
        DataType::Int32 => number::<Int32Type>,
        DataType::Int64 => number::<Int64Type>,
        DataType::UInt8 => number::<UInt8Type>,
        DataType::UInt16 => number::<UInt16Type>,
        DataType::UInt32 => number::<UInt32Type>,
        DataType::UInt64 => number::<UInt64Type>,
        DataType::Float32 => number::<Float32Type>,
        DataType::Float64 => number::<Float64Type>,
        DataType::Date32 => |column, row| {
            let days = column.as_primitive::<Date32Type>();
            days.value_as_date(row).map_or_else(|| days.value(row).to_string(), |day| day.to_string())
        },
        DataType::Timestamp(TimeUnit::Millisecond, _) => time::<TimestampMillisecondType>,
        DataType::Timestamp(TimeUnit::Microsecond, _) => time::<TimestampMicrosecondType>,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => time::<TimestampNanosecondType>,
        _ => return None,
    })
}

fn number<T: ArrowPrimitiveType<Native: Display>>(column: &dyn Array, row: usize) -> String {
    column.as_primitive::<T>().value(row).to_string()
}

fn time<T: ArrowTemporalType + ArrowPrimitiveType<Native = i64>>(column: &dyn Array, row: usize) -> String {
    let times = column.as_primitive::<T>();
    times.value_as_datetime(row).map_or_else(|| times.value(row).to_string(), |time| time.to_string())
}

/// What a batch came to.
#[derive(Default)]
struct Done {
    batches: Vec<RecordBatch>,
    tally: Tally,
    rows: u64,
    faults: Vec<(u64, Reason)>,
    end: Option<(u64, Fault)>,
}

impl Job<'_> {
    /// Releases the input into the parts of `partial`, and puts them together.
    ///
    /// # Errors
    /// A column that is not there, or is no text; the first row that has no release; what cannot be read or written.
    pub fn run(
        &self,
        pace: &dyn Watch,
        input: &Input,
        partial: &mut Partial,
        state: &mut State,
        statement: impl FnOnce(&State) -> Value,
    ) -> Result<()> {
        let (picked, fates, schema) = self.columns(input)?;
        let mut batches = input.batches(&picked, state.rows)?;
        let mut first = state.rows;
        let next = || {
            let batch =
                batches.next().transpose().map_err(|error| unreadable(&error)).with_context(|| self.name.to_owned())?;
            Ok(batch.map(|batch| {
                let (number, size) = (first, batch.get_array_memory_size());
                first += batch.num_rows() as u64;
                ((number, batch), size)
            }))
        };
        let mut part = None;
        // What the parts that are closed hold.
        let mut reached = state.clone();
        let write = |done: Done| {
            for batch in &done.batches {
                let part = match &mut part {
                    Some(part) => part,
                    None => part.insert(self.part(partial, reached.parts, &schema)?),
                };
                part.write(batch)?;
            }
            reached.rows += done.rows;
            reached.tally += done.tally;
            for (number, reason) in done.faults {
                pace.say(&format!("left out: {}, row {}: {reason}", self.name, number + 1));
            }
            pace.reached(reached.rows, reached.rows);
            let full = |part: &ArrowWriter<File>| {
                part.in_progress_size() >= GROUP_BYTES || part.in_progress_rows() >= GROUP_ROWS
            };
            if done.end.is_some() || part.as_ref().is_some_and(full) {
                close(part.take(), partial, &mut reached)?;
                *state = reached.clone();
            }
            done.end.map_or(Ok(()), |(number, fault)| {
                Err(match fault {
                    Fault::Row(reason) => BadRow { place: format!("{}, row {}", self.name, number + 1), reason }.into(),
                    Fault::Run(error) => error,
                })
            })
        };
        in_order(self.pool, next, |(number, batch)| self.batch(number, &batch, &fates, &schema), write)?;
        if part.is_none() && reached.parts == 0 {
            part = Some(self.part(partial, 0, &schema)?);
        }
        close(part, partial, &mut reached)?;
        *state = reached;
        merge(partial, state, &statement(state))
    }

    /// Which columns of the file are read, ascending; for each its place among the released, if it is; and what is
    /// written.
    fn columns(&self, input: &Input) -> Result<(Vec<usize>, Vec<Option<usize>>, SchemaRef)> {
        let fields = input.metadata.schema().fields();
        let mut picked = Vec::new();
        for (place, column) in self.columns.iter().chain(self.keep).enumerate() {
            let (index, field) = input.find(self.name, column)?;
            let fate = Some(place).filter(|place| *place < self.columns.len());
            let is_text = *field.data_type() == DataType::Utf8;
            ensure!(fate.is_none() || is_text, "the column \"{column}\" is no text, but {}", field.data_type());
            picked.push((index, fate));
        }
        picked.sort_unstable();
        let field = |(index, fate): &(usize, Option<usize>)| match fate {
            Some(_) => Arc::new(Field::new(fields[*index].name(), DataType::Utf8, fields[*index].is_nullable())),
            None => Arc::clone(&fields[*index]),
        };
        let schema = Schema::new(picked.iter().map(field).collect::<Vec<_>>());
        Ok((
            picked.iter().map(|(index, _)| *index).collect(),
            picked.iter().map(|(_, fate)| *fate).collect(),
            Arc::new(schema),
        ))
    }

    fn batch(&self, first: u64, batch: &RecordBatch, fates: &[Option<usize>], schema: &SchemaRef) -> Done {
        let mut done = Done::default();
        let texts: Vec<(&StringArray, usize)> = batch
            .columns()
            .iter()
            .zip(fates)
            .filter_map(|(column, fate)| Some((column.as_any().downcast_ref::<StringArray>()?, (*fate)?)))
            .collect();
        let mut releases: Vec<Vec<Option<String>>> = vec![Vec::with_capacity(batch.num_rows()); texts.len()];
        // Runs of rows between those that are left out.
        let mut good: Vec<Range<usize>> = std::iter::once(0..0).collect();
        for row in 0..batch.num_rows() {
            let number = first + row as u64;
            match self.row(&texts, row, number) {
                Ok((tally, row_releases)) => {
                    done.tally += tally.row();
                    releases.iter_mut().zip(row_releases).for_each(|(column, release)| column.push(release));
                    good.last_mut().into_iter().for_each(|run| run.end = row + 1);
                }
                Err(Fault::Row(reason)) if self.skip_bad => {
                    done.tally.skipped += 1;
                    done.faults.push((number, reason));
                    // It is cut out below; a column that knows no nulls takes no null meanwhile.
                    releases.iter_mut().for_each(|column| column.push(Some(String::new())));
                    good.push(row + 1..row + 1);
                }
                Err(fault) => {
                    done.end = Some((number, fault));
                    break;
                }
            }
            done.rows += 1;
        }
        match put_in(batch, releases, fates, schema, done.rows as usize) {
            Ok(whole) => {
                let slice = |run: Range<usize>| whole.slice(run.start, run.len());
                done.batches = good.into_iter().filter(|run| !run.is_empty()).map(slice).collect();
                done
            }
            Err(error) => Done { end: Some((first, Fault::Run(error))), ..Done::default() },
        }
    }

    fn row(
        &self,
        texts: &[(&StringArray, usize)],
        row: usize,
        number: u64,
    ) -> Result<(Tally, Vec<Option<String>>), Fault> {
        let mut tally = Tally::default();
        let release = |(column, place): &(&StringArray, usize)| {
            let text = column.is_valid(row).then(|| column.value(row));
            if self.needs_all && text.is_none() {
                return Err(Fault::Row(Reason::NoAnswer));
            }
            let text_number = number * self.columns.len() as u64 + *place as u64;
            text.map(|text| released(self.release, self.randomness, (text, text_number), &mut tally)).transpose()
        };
        let releases = texts.iter().map(release).collect::<Result<_, Fault>>()?;
        Ok((tally, releases))
    }

    fn part(&self, partial: &Partial, number: u32, schema: &SchemaRef) -> Result<ArrowWriter<File>> {
        let path = partial.part(number);
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        Ok(ArrowWriter::try_new_with_options(file, Arc::clone(schema), options)?)
    }
}

/// The first rows of a batch with the releases in the places of the texts, which stand in the columns' order.
fn put_in(
    batch: &RecordBatch,
    releases: Vec<Vec<Option<String>>>,
    fates: &[Option<usize>],
    schema: &SchemaRef,
    rows: usize,
) -> Result<RecordBatch> {
    let mut releases = releases.into_iter();
    let column = |(column, fate): (&ArrayRef, &Option<usize>)| match fate {
        Some(_) => Arc::new(StringArray::from(releases.next().unwrap_or_default())) as ArrayRef,
        None => column.slice(0, rows),
    };
    let columns = batch.columns().iter().zip(fates).map(column).collect();
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(|_| anyhow!("the releases make no batch"))
}

/// Closes a part, if there is one, and notes what it holds.
fn close(part: Option<ArrowWriter<File>>, partial: &mut Partial, reached: &mut State) -> Result<()> {
    let Some(part) = part else { return Ok(()) };
    part.into_inner()?.sync_all()?;
    reached.parts += 1;
    partial.save(reached)
}

/// Puts the pages of all parts into one file, without reading what they hold.
fn merge(partial: &Partial, state: &State, statement: &Value) -> Result<()> {
    let part = |number| -> Result<(File, ArrowReaderMetadata)> {
        let file = open(&partial.part(number))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
        Ok((file, metadata))
    };
    let (_, first) = part(0)?;
    let schema = first.metadata().file_metadata().schema_descr().root_schema_ptr();
    let mut writer = SerializedFileWriter::new(partial.data()?, schema, Arc::default())?;
    for number in 0..state.parts {
        let (file, metadata) = part(number)?;
        append(&mut writer, &file, metadata.metadata())?;
    }
    writer.append_key_value_metadata(KeyValue::new(KEY.to_owned(), statement.to_string()));
    writer.close()?;
    Ok(())
}

fn append(writer: &mut SerializedFileWriter<File>, file: &File, metadata: &ParquetMetaData) -> Result<()> {
    for group in metadata.row_groups() {
        let mut out = writer.next_row_group()?;
        for column in group.columns() {
            let close = ColumnCloseResult {
                bytes_written: column.compressed_size().unsigned_abs(),
                rows_written: group.num_rows().unsigned_abs(),
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            out.append_column(file, close)?;
        }
        out.close()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow_array::{
        BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array, ListArray, TimestampMicrosecondArray,
    };

    use super::*;

    /// A file with these columns.
    fn input(columns: Vec<(&str, ArrayRef)>) -> Input {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let field = |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).expect("columns of one length");
        let mut writer = ArrowWriter::try_new(file.as_file(), schema, None).expect("a schema");
        writer.write(&batch).and_then(|()| writer.close()).expect("a file");
        Input::open(file.path()).expect("a Parquet file")
    }

    fn read(input: &Input, columns: &[&str]) -> Result<Vec<(u64, Vec<Option<String>>)>> {
        let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
        let mut rows = Vec::new();
        input.each("a file", &columns, &mut |number, cells| {
            rows.push((number, cells));
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn cells_of_all_types_with_one_text_are_read_in_the_order_that_was_asked_for() {
        let input = input(vec![
            ("day", Arc::new(Date32Array::from(vec![20_000, i32::MAX])) as ArrayRef),
            ("text", Arc::new(StringArray::from(vec![Some("good film"), None]))),
            ("stars", Arc::new(Int64Array::from(vec![-5, i64::MAX]))),
            ("share", Arc::new(Float64Array::from(vec![Some(0.1), None]))),
            ("is", Arc::new(BooleanArray::from(vec![true, false]))),
            ("at", Arc::new(TimestampMicrosecondArray::from(vec![1_500_000, 0]))),
        ]);
        let row = |cells: [Option<&str>; 7]| cells.map(|cell| cell.map(str::to_owned)).to_vec();
        let first = [Some("0.1"), Some("good film"), Some("2024-10-04"), Some("-5"), Some("true")];
        let second = [None, None, Some("2147483647"), Some("9223372036854775807"), Some("false")];
        let with = |[a, b, c, d, e]: [Option<&'static str>; 5], at| row([a, b, c, d, e, Some(at), b]);
        let expected = vec![(1, with(first, "1970-01-01 00:00:01.500")), (2, with(second, "1970-01-01 00:00:00"))];
        assert_eq!(read(&input, &["share", "text", "day", "stars", "is", "at", "text"]).expect("cells"), expected);
        assert_eq!(input.note(), None);
    }

    #[test]
    fn a_column_that_is_not_there_or_has_no_one_text_is_refused() {
        let numbers = || Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef;
        let item = Arc::new(Field::new("item", DataType::Int32, true));
        let lists = ListArray::new_null(item, 2);
        let input =
            input(vec![("n", numbers()), ("twice", numbers()), ("twice", numbers()), ("list", Arc::new(lists))]);
        for (column, why) in [
            ("m", "a file has no column \"m\""),
            ("twice", "a file has several columns \"twice\""),
            ("list", "the column \"list\" of a file is neither text, a number nor a time, but List"),
        ] {
            let refusal = read(&input, &["n", column]).expect_err("refused").to_string();
            assert!(refusal.starts_with(why), "{refusal}");
        }
    }
}
