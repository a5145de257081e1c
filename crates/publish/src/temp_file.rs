//! Records in an unnamed temporary file, so that they need not be held in memory until the end of the build. The file
//! vanishes with the process; some systems give it a name for a moment.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Bytes to collect before writing.
const BUFFER: usize = 1 << 18;

/// Appends records from several threads.
#[derive(Debug)]
pub(super) struct RecordWriter {
    tail: Mutex<Tail>,
}

#[derive(Debug)]
struct Tail {
    out: BufWriter<File>,
    length: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RecordPlace {
    at: u64,
    length: u32,
}

/// Reads records from a finished temporary file.
#[derive(Debug)]
pub(super) struct RecordReader {
    file: File,
    record: Vec<u8>,
}

impl RecordWriter {
    /// Creates an empty file on the disk of `folder`.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?);
        Ok(Self { tail: Mutex::new(Tail { out, length: 0 }) })
    }

    /// Appends a record of less than 4 GiB.
    pub(super) fn put(&self, record: &[u8]) -> io::Result<RecordPlace> {
        let length = u32::try_from(record.len()).map_err(io::Error::other)?;
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let at = tail.length;
        tail.out.write_all(record)?;
        tail.length += u64::from(length);
        Ok(RecordPlace { at, length })
    }

    /// Ends writing; records can be read from here on.
    pub(super) fn finish(self) -> io::Result<RecordReader> {
        let tail = self.tail.into_inner().unwrap_or_else(PoisonError::into_inner);
        let file = tail.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(RecordReader { file, record: Vec::new() })
    }
}

impl RecordReader {
    pub(super) fn read(&mut self, place: RecordPlace) -> io::Result<&[u8]> {
        self.record.resize(place.length as usize, 0);
        read_at(&mut self.file, &mut self.record, place.at)?;
        Ok(&self.record)
    }
}

/// Reads the bytes at a position with one system call, because a build reads tens of thousands of records.
#[cfg(unix)]
fn read_at(file: &mut File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_at(file: &mut File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read as _, Seek as _};

    file.seek(io::SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let writer = RecordWriter::new(folder.path()).unwrap();
        let records: Vec<Vec<u8>> = (0..2000_usize).map(|number| vec![number as u8; number]).collect();
        let places = std::thread::scope(|scope| {
            let put = |records: &[Vec<u8>]| records.iter().map(|it| writer.put(it).unwrap()).collect::<Vec<_>>();
            let (first, second) = records.split_at(1000);
            let other = scope.spawn(move || put(second));
            [put(first), other.join().unwrap()].concat()
        });
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "the file has no name");
        let mut reader = writer.finish().unwrap();
        for (place, record) in places.into_iter().zip(&records).rev() {
            assert_eq!(reader.read(place).unwrap(), record);
        }
    }
}
