//! Writes the manifest and the build's name, which is the digest of the manifest without the name.
//!
//! The manifest of a large site takes many megabytes and is never in memory as a whole: routes arrive one by one, and a
//! gap is left for the name, which is known at the end.

use std::{
    fs::File,
    io::{self, BufWriter, Seek as _, SeekFrom, Write},
};

use contract::manifest::{FORMAT, FileDigest, Manifest};
use sha2::{Digest as _, Sha256};

/// Length of the name in bytes.
const NAME: usize = 64;

/// The routes member of the manifest: empty, and its beginning.
const NO_ROUTES: &str = "\"routes\":[]";
const ROUTES: &[u8] = b"\"routes\":[";

/// Returns the bytes before the name.
fn head() -> Vec<u8> {
    format!("{{\"format\":{FORMAT},\"build\":\"").into_bytes()
}

/// Writes `manifest` to the beginning of `file`, with the routes from `write_routes`: JSON separated by commas.
/// `manifest` itself has no name and no routes. Returns the name.
pub(super) fn write(
    manifest: &Manifest,
    write_routes: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    file: &File,
) -> io::Result<FileDigest> {
    let text = serde_json::to_string(manifest)?;
    // Inside a JSON string a backslash precedes each quotation mark, so this is the member.
    let (before, after) = text.split_once(NO_ROUTES).ok_or(io::ErrorKind::InvalidData)?;
    let writer = HashingWriter { file, hash: Sha256::new(), head: Some(head()) };
    let mut out = BufWriter::with_capacity(1 << 16, writer);
    out.write_all(before.as_bytes())?;
    out.write_all(ROUTES)?;
    write_routes(&mut out)?;
    out.write_all(b"]")?;
    out.write_all(after.as_bytes())?;
    let HashingWriter { mut file, hash, .. } = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let name = FileDigest(hex::encode(hash.finalize()));
    file.seek(SeekFrom::Start(head().len() as u64))?;
    file.write_all(name.0.as_bytes())?;
    Ok(name)
}

/// Returns the name that a build with these manifest bytes must have, whatever name they contain.
pub(super) fn build_name(bytes: &[u8]) -> Option<FileDigest> {
    let rest = bytes.strip_prefix(head().as_slice())?.get(NAME..)?;
    let hash = Sha256::new().chain_update(head()).chain_update(rest);
    Some(FileDigest(hex::encode(hash.finalize())))
}

/// Hashes the bytes written through it, and leaves the gap for the name.
struct HashingWriter<'f> {
    file: &'f File,
    hash: Sha256,
    /// The expected beginning; `None` after it was written.
    head: Option<Vec<u8>>,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        if let Some(head) = self.head.take() {
            rest = bytes.strip_prefix(head.as_slice()).ok_or(io::ErrorKind::InvalidData)?;
            self.hash.update(&head);
            self.file.write_all(&head)?;
            self.file.write_all(&[b'0'; NAME])?;
        }
        self.hash.update(rest);
        self.file.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ROUTE: &str = r#"{"path":"/","class":"page","variants":[]}"#;

    #[test]
    fn name_is_the_digest_of_the_manifest_without_a_name() {
        let text = format!(
            "{{\"format\":{FORMAT},\"build\":\"\",\"site_url\":\"https://firm.example\",\"sandbox_key\":\"\\\"routes\\\":[]\",\
             \"classes\":{{}},\"routes\":[{ROUTE},{ROUTE}],\"redirects\":[],\"not_found\":[]}}"
        );
        let whole: Manifest = serde_json::from_str(&text).unwrap();
        let manifest = Manifest { routes: Vec::new(), ..whole.clone() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        let routes = |out: &mut dyn Write| write!(out, "{ROUTE},{ROUTE}");
        let build = write(&manifest, routes, &File::create(&path).unwrap()).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(build, FileDigest(hex::encode(Sha256::digest(&text))));
        assert_eq!(bytes, serde_json::to_vec(&Manifest { build: build.clone(), ..whole }).unwrap());
        assert_eq!(build_name(&bytes), Some(build));
        let other = String::from_utf8(bytes).unwrap().replace("firm", "farm");
        assert_ne!(build_name(other.as_bytes()), serde_json::from_str::<Manifest>(&other).map(|it| it.build).ok());
        assert_eq!(build_name(b"{}"), None);
    }
}
