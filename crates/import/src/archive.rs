//! The files inside an office document.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
};

use findings::messages::{self, Text};
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter};

/// The longest file inside, and all of them together, in bytes: Security: a small archive may unpack to any size.
const MAX_PART: u64 = 64 << 20;
const MAX_TOTAL: u64 = 256 << 20;
const MAX_PARTS: usize = 5_000;

/// The files of a document by name.
pub(crate) type Parts = BTreeMap<String, Vec<u8>>;

/// Returns the files of an archive.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Parts, Text> {
    let broken = |_| messages::import_not_a_document();
    let archive = ZipArchive::from_slice(bytes).map_err(broken)?;
    let mut entries = archive.entries();
    let (mut parts, mut total) = (Parts::new(), 0_u64);
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        if entry.is_dir() {
            continue;
        }
        let part = archive.get_entry(entry.wayfinder()).map_err(broken)?;
        let mut content = Vec::new();
        // The header may state any size: what is unpacked is counted.
        let read = match entry.compression_method() {
            CompressionMethod::STORE => part.data().take(MAX_PART + 1).read_to_end(&mut content),
            CompressionMethod::DEFLATE => {
                flate2::read::DeflateDecoder::new(part.data()).take(MAX_PART + 1).read_to_end(&mut content)
            }
            _ => return Err(messages::import_not_a_document()),
        };
        read.map_err(|_: io::Error| messages::import_not_a_document())?;
        total += content.len() as u64;
        if content.len() as u64 > MAX_PART || total > MAX_TOTAL || parts.len() >= MAX_PARTS {
            return Err(messages::import_too_large());
        }
        parts.insert(name, content);
    }
    Ok(parts)
}

/// Returns an archive of these files, without compression.
pub(crate) fn pack(parts: &Parts) -> Result<Vec<u8>, Text> {
    let mut output = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut output);
    let failed = |error: rawzip::Error| messages::pandoc_failed(error.to_string());
    for (name, content) in parts {
        let file = archive.new_file(name).compression_method(CompressionMethod::STORE);
        let (mut entry, config) = file.start().map_err(failed)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(content).map_err(|error| messages::pandoc_failed(error.to_string()))?;
        let (_, descriptor) = writer.finish().map_err(failed)?;
        entry.finish(descriptor).map_err(failed)?;
    }
    archive.finish().map_err(failed)?;
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_survive_packing() {
        let parts: Parts = [("a.xml".to_owned(), b"one".to_vec()), ("b/c.png".to_owned(), vec![0; 9])].into();
        assert_eq!(unpack(&pack(&parts).unwrap()).unwrap(), parts);
        assert!(unpack(b"PK\x03\x04 cut off").is_err());
    }

    #[test]
    fn archive_that_unpacks_to_too_much_is_refused() {
        let mut bytes = Vec::new();
        let mut archive = ZipArchiveWriter::new(&mut bytes);
        let file = archive.new_file("word/document.xml").compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().unwrap();
        let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::best()));
        io::copy(&mut io::repeat(0).take(MAX_PART + 1), &mut writer).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
        archive.finish().unwrap();
        assert!(bytes.len() < 100_000);
        assert_eq!(unpack(&bytes).unwrap_err(), messages::import_too_large());
    }
}
