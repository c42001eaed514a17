//! Tables as Parquet files, for DuckDB, pandas and the like.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Encoding, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

/// Rows that are held before they are written.
const GROUP: usize = 1 << 19;

/// A column's kind and its values; `None` where there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Int(Vec<Option<i64>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Truth values.
    Truth(Vec<Option<bool>>),
    /// Texts.
    Text(Vec<Option<String>>),
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A whole number.
    Int(Option<i64>),
    /// A number.
    Number(Option<f64>),
    /// A truth value.
    Truth(Option<bool>),
    /// A text.
    Text(Option<String>),
}

impl From<u32> for Cell {
    fn from(number: u32) -> Cell {
        Cell::Int(Some(i64::from(number)))
    }
}

impl From<u64> for Cell {
    /// The same 64 bits; what is greater than 2^63 becomes negative.
    fn from(number: u64) -> Cell {
        Cell::Int(Some(number.cast_signed()))
    }
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Cell {
        Cell::Truth(Some(truth))
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(Some(text.to_string()))
    }
}

/// A table that is being written.
#[derive(Debug)]
pub struct TableWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    n_rows: usize,
    n_held: usize,
}

impl<W: Write + Send> TableWriter<W> {
    /// A table of these columns, which give their kinds and are empty.
    pub fn new(out: W, columns: &[(&str, Column)]) -> io::Result<TableWriter<W>> {
        let fields = columns.iter().map(|(name, column)| field(name, column)).collect::<Result<Vec<_>, _>>();
        let schema = fields.and_then(|fields| Type::group_type_builder("table").with_fields(fields).build());
        let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        for (name, _) in columns.iter().filter(|(_, column)| matches!(column, Column::Int(_))) {
            let path = ColumnPath::from(*name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
        let writer = SerializedFileWriter::new(out, Arc::new(schema.map_err(failed)?), Arc::new(properties.build()));
        Ok(TableWriter {
            writer: writer.map_err(failed)?,
            columns: columns.iter().map(|(_, column)| column.clone()).collect(),
            n_rows: 0,
            n_held: 0,
        })
    }

    /// Adds a row: a cell of its column's kind for each column.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) -> io::Result<()> {
        let mut cells = row.into_iter();
        for column in &mut self.columns {
            match (column, cells.next()) {
                (Column::Int(values), Some(Cell::Int(value))) => values.push(value),
                (Column::Number(values), Some(Cell::Number(value))) => values.push(value),
                (Column::Truth(values), Some(Cell::Truth(value))) => values.push(value),
                (Column::Text(values), Some(Cell::Text(value))) => values.push(value),
                (column, cell) => {
                    let message = format!("a column {column:?} has no place for {cell:?}");
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
                }
            }
        }
        self.n_rows += 1;
        self.n_held += 1;
        if self.n_held == GROUP { self.flush() } else { Ok(()) }
    }

    /// Writes the rest; the number of rows.
    pub fn finish(mut self) -> io::Result<usize> {
        self.flush()?;
        self.writer.close().map_err(failed)?;
        Ok(self.n_rows)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.n_held == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            let written = match column {
                Column::Int(values) => write::<Int64Type>(&mut group, values.drain(..)),
                Column::Number(values) => write::<DoubleType>(&mut group, values.drain(..)),
                Column::Truth(values) => write::<BoolType>(&mut group, values.drain(..)),
                Column::Text(values) => {
                    let bytes = values.drain(..).map(|text| text.map(|text| ByteArray::from(text.into_bytes())));
                    write::<ByteArrayType>(&mut group, bytes)
                }
            };
            written.map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.n_held = 0;
        Ok(())
    }
}

/// Writes the next column of a row group.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<impl Write + Send>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Err(ParquetError::EOF("no column is left".into())) };
    let (mut there, mut present) = (Vec::new(), Vec::new());
    for value in values {
        there.push(i16::from(value.is_some()));
        present.extend(value);
    }
    column.typed::<T>().write_batch(&present, Some(&there), None)?;
    column.close()
}

fn field(name: &str, column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, converted) = match column {
        Column::Int(_) => (Physical::INT64, ConvertedType::INT_64),
        Column::Number(_) => (Physical::DOUBLE, ConvertedType::NONE),
        Column::Truth(_) => (Physical::BOOLEAN, ConvertedType::NONE),
        Column::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    builder.with_converted_type(converted).build().map(Arc::new)
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => io::Error::other(source),
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;

    #[test]
    fn rows_are_read_back_in_their_order_over_several_groups() {
        let columns = [
            ("number", Column::Int(Vec::new())),
            ("text", Column::Text(Vec::new())),
            ("share", Column::Number(Vec::new())),
            ("holds", Column::Truth(Vec::new())),
        ];
        let mut bytes = Vec::new();
        let mut table = TableWriter::new(&mut bytes, &columns).unwrap();
        let n = GROUP + 3;
        for number in 0..n as u64 {
            let text = (number % 2 == 0).then(|| format!("é{number}"));
            table.push([number.into(), Cell::Text(text), Cell::Number(Some(0.5)), (number % 3 == 0).into()]).unwrap();
        }
        assert_eq!(table.finish().unwrap(), n);
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        for (number, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let row = row.unwrap();
            assert_eq!(row.get_long(0).unwrap(), number as i64);
            assert_eq!(row.get_string(1).ok().cloned(), (number % 2 == 0).then(|| format!("é{number}")));
            assert_eq!((row.get_double(2).unwrap(), row.get_bool(3).unwrap()), (0.5, number % 3 == 0));
        }
    }

    #[test]
    fn a_cell_of_another_kind_is_refused() {
        let mut table = TableWriter::new(Vec::new(), &[("number", Column::Int(Vec::new()))]).unwrap();
        assert!(table.push(["one".into()]).is_err() && table.push([]).is_err());
    }
}
