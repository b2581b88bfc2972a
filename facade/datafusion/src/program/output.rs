//! Writes pairs as CSV or Parquet.

use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::common::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::DataFrame;
use futures::StreamExt;

/// A writer of batches.
enum Format {
    Csv(csv::Writer<Box<dyn Write + Send>>),
    Parquet(ArrowWriter<File>),
}

impl Format {
    fn csv(out: Box<dyn Write + Send>) -> Self {
        Self::Csv(csv::WriterBuilder::new().with_header(false).build(out))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::Csv(writer) => writer.write(batch)?,
            Self::Parquet(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Csv(writer) => writer.into_inner().flush()?,
            Self::Parquet(writer) => drop(writer.close()?),
        }
        Ok(())
    }
}

/// Writes all pairs to a file, or as CSV to standard output; returns their number. The file is
/// written under another name and renamed when it is complete.
pub(crate) async fn write(found: DataFrame, path: Option<&Path>) -> Result<usize> {
    let partial = path.map(|path| path.with_added_extension("part"));
    let written = write_to(found, path, partial.as_deref()).await;
    if let (Some(path), Some(partial)) = (path, &partial) {
        match &written {
            Ok(_) => std::fs::rename(partial, path)?,
            Err(_) => drop(std::fs::remove_file(partial)),
        }
    }
    written
}

async fn write_to(found: DataFrame, path: Option<&Path>, partial: Option<&Path>) -> Result<usize> {
    // Planning fails before a file is created.
    let mut batches = found.execute_stream().await?;
    let is_parquet = path.is_some_and(|path| path.extension().is_some_and(|x| x == "parquet"));
    let mut writer = match partial {
        None => Format::csv(Box::new(BufWriter::new(stdout()))),
        Some(partial) if is_parquet => {
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
            let (file, schema) = (File::create(partial)?, batches.schema());
            Format::Parquet(ArrowWriter::try_new(file, schema, Some(properties.build()))?)
        }
        Some(partial) => Format::csv(Box::new(BufWriter::new(File::create(partial)?))),
    };
    let mut count = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        count += batch.num_rows();
        if let Err(error) = writer.write(&batch) {
            // The reader of standard output may close it early.
            let closed = path.is_none() && error.to_string().contains("Broken pipe");
            return if closed { Ok(count) } else { Err(error) };
        }
    }
    let finished = writer.finish();
    finished.map(|()| count).map_err(|error| error.context("the output cannot be completed"))
}
