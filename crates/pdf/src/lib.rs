//! Whether a PDF can be opened without a password (ISO 32000-2, 7.6): its trailer, the dictionary of its encryption, and the
//! empty password, which opens a document that has only an owner's.

use aws_lc_rs::cipher::{AES_128, EncryptingKey, EncryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use md5::Md5;
use memchr::memmem;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The depth of arrays and dictionaries that are read; those of an encryption have three levels.
const MAX_DEPTH: usize = 16;

/// The number of rounds after which the hash of revision 6 has ended for every input: its last byte is at most 255.
const MAX_ROUNDS: usize = 64 + 255;

/// The bytes that complete a short password (ISO 32000-2, 7.6.4.3.2, step a).
const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08, 0x2e, 0x2e, 0x00,
    0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

/// Returns whether a PDF is encrypted and the empty password does not open it. An encryption that cannot be read counts:
/// programs of readers refuse it too.
pub fn needs_password(bytes: &[u8]) -> bool {
    let Some(trailer) = trailer(bytes) else { return false };
    let encryption = match trailer.find(b"Encrypt") {
        None => return false,
        Some(Object::Reference(number, generation)) => object(bytes, *number, *generation),
        Some(Object::Dictionary(dictionary)) => Some(dictionary.clone()),
        Some(_) => None,
    };
    let id = match trailer.find(b"ID") {
        Some(Object::Array(parts)) => parts.first().and_then(Object::string),
        _ => None,
    };
    !encryption.is_some_and(|encryption| opens(&encryption, id.unwrap_or_default()).unwrap_or(false))
}

/// Returns the newest trailer: the dictionary behind a table of objects, or that of a stream of them.
fn trailer(bytes: &[u8]) -> Option<Dictionary> {
    let newest = || {
        let mark = memmem::rfind(bytes, b"startxref")?;
        let Object::Number(at) = PdfReader::new(&bytes[mark + 9..]).object(0)? else { return None };
        let section = bytes.get(usize::try_from(at).ok()?..)?;
        if section.trim_ascii_start().starts_with(b"xref") {
            let mark = memmem::find(section, b"trailer")?;
            return PdfReader::new(&section[mark + 7..]).dictionary();
        }
        let mut reader = PdfReader::new(section);
        reader.object(0)?;
        reader.object(0)?;
        reader.keyword(b"obj").then(|| reader.dictionary())?
    };
    // Where the place is wrong, programs look for the last one.
    let last = || PdfReader::new(&bytes[memmem::rfind(bytes, b"trailer")? + 7..]).dictionary();
    let last_stream = || {
        let before = &bytes[..memmem::rfind(bytes, b"/XRef")?];
        PdfReader::new(&bytes[memmem::rfind(before, b"obj")? + 3..]).dictionary()
    };
    newest().or_else(last).or_else(last_stream)
}

/// Returns the dictionary of an object. That of the encryption is never in a compressed stream (7.5.7), so its newest
/// text in the file is the one.
fn object(bytes: &[u8], number: i64, generation: i64) -> Option<Dictionary> {
    let head = format!("{number} {generation} obj");
    memmem::rfind_iter(bytes, head.as_bytes())
        .filter(|at| at.checked_sub(1).is_none_or(|before| !bytes[before].is_ascii_digit()))
        .filter_map(|at| PdfReader::new(&bytes[at + head.len()..]).dictionary())
        .find(|dictionary| dictionary.find(b"Filter").is_some())
}

/// Returns whether the empty password opens a document of this encryption; `None` if a value is missing or unknown.
fn opens(encryption: &Dictionary, id: &[u8]) -> Option<bool> {
    let is_name = |key: &[u8], name: &[u8]| matches!(encryption.find(key), Some(Object::Name(found)) if found == name);
    if !is_name(b"Filter", b"Standard") {
        // Others need a certificate, or a program of their own.
        return Some(false);
    }
    let version = encryption.number(b"V").unwrap_or(0);
    let is_plain = |key: &[u8]| encryption.find(key).is_none() || is_name(key, b"Identity");
    if version >= 4 && is_plain(b"StmF") && is_plain(b"StrF") {
        // Attached files only.
        return Some(true);
    }
    let (owner, user) = (encryption.string(b"O")?, encryption.string(b"U")?);
    let revision = encryption.number(b"R")?;
    let length = match (revision, version) {
        (2, _) | (3, 1) => 5,
        (3, _) => usize::try_from(encryption.number(b"Length").unwrap_or(40)).ok()? / 8,
        (4, _) => 16,
        (5, _) => return Some(Sha256::digest(user.get(32..40)?).as_slice() == user.get(..32)?),
        (6, _) => return Some(hardened_hash(user.get(32..40)?)? == user.get(..32)?),
        _ => return None,
    };
    if !(5..=16).contains(&length) {
        return None;
    }
    let mut hash = Md5::new_with_prefix(PADDING);
    hash.update(owner.get(..32)?);
    // The permissions: 32 bits, which some programs write without a sign.
    hash.update(&encryption.number(b"P")?.to_le_bytes()[..4]);
    hash.update(id);
    if revision == 4 && matches!(encryption.find(b"EncryptMetadata"), Some(Object::Word(word)) if word == b"false") {
        hash.update([0xff; 4]);
    }
    let mut key = hash.finalize();
    if revision == 2 {
        let mut padding = PADDING;
        rc4(&key[..length], &mut padding);
        return Some(padding == user.get(..32)?);
    }
    for _ in 0..50 {
        key = Md5::digest(&key[..length]);
    }
    let mut value = Md5::new_with_prefix(PADDING).chain_update(id).finalize();
    for round in 0..20_u8 {
        let key: Vec<u8> = key[..length].iter().map(|byte| byte ^ round).collect();
        rc4(&key, &mut value);
    }
    Some(value.as_slice() == user.get(..16)?)
}

/// Returns the hash of revision 6 (7.6.4.3.4, algorithm 2.B) of the empty password.
fn hardened_hash(salt: &[u8]) -> Option<Vec<u8>> {
    let mut key = Sha256::digest(salt).to_vec();
    for round in 1..=MAX_ROUNDS {
        let mut block = key.repeat(64);
        let cipher = EncryptingKey::cbc(UnboundCipherKey::new(&AES_128, &key[..16]).ok()?).ok()?;
        let start = EncryptionContext::Iv128(FixedLength::<16>::try_from(&key[16..32]).ok()?);
        cipher.less_safe_encrypt(&mut block, start).ok()?;
        key = match block[..16].iter().map(|byte| u32::from(*byte)).sum::<u32>() % 3 {
            0 => Sha256::digest(&block).to_vec(),
            1 => Sha384::digest(&block).to_vec(),
            _ => Sha512::digest(&block).to_vec(),
        };
        if round >= 64 && usize::from(*block.last()?) + 32 <= round {
            key.truncate(32);
            return Some(key);
        }
    }
    None
}

/// Encrypts or decrypts `data` by the cipher of the older revisions. It protects nothing here: the key is public.
fn rc4(key: &[u8], data: &mut [u8]) {
    let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
    let mut j = 0_u8;
    for i in 0..256 {
        j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
        state.swap(i, usize::from(j));
    }
    let (mut i, mut j) = (0_u8, 0_u8);
    for byte in data {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(usize::from(i), usize::from(j));
        *byte ^= state[usize::from(state[usize::from(i)].wrapping_add(state[usize::from(j)]))];
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Object {
    Name(Vec<u8>),
    String(Vec<u8>),
    Number(i64),
    /// `true`, `false`, `null`, and numbers with a fraction.
    Word(Vec<u8>),
    /// Number and generation of another object.
    Reference(i64, i64),
    Array(Vec<Object>),
    Dictionary(Dictionary),
}

impl Object {
    fn string(&self) -> Option<&[u8]> {
        if let Self::String(bytes) = self { Some(bytes) } else { None }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Dictionary(Vec<(Vec<u8>, Object)>);

impl Dictionary {
    fn find(&self, key: &[u8]) -> Option<&Object> {
        self.0.iter().find(|(found, _)| found == key).map(|(_, value)| value)
    }

    fn number(&self, key: &[u8]) -> Option<i64> {
        if let Object::Number(number) = self.find(key)? { Some(*number) } else { None }
    }

    fn string(&self, key: &[u8]) -> Option<&[u8]> {
        self.find(key)?.string()
    }
}

/// Reads objects as ISO 32000-2, 7.2 and 7.3, write them.
struct PdfReader<'b> {
    rest: &'b [u8],
}

impl<'b> PdfReader<'b> {
    const fn new(rest: &'b [u8]) -> Self {
        Self { rest }
    }

    fn skip_blanks(&mut self) {
        loop {
            let start =
                self.rest.iter().position(|byte| !matches!(byte, b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' '));
            self.rest = &self.rest[start.unwrap_or(self.rest.len())..];
            if !self.rest.starts_with(b"%") {
                return;
            }
            let end = memchr::memchr2(b'\n', b'\r', self.rest);
            self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
        }
    }

    fn keyword(&mut self, word: &[u8]) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn dictionary(&mut self) -> Option<Dictionary> {
        match self.object(0)? {
            Object::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    fn object(&mut self, depth: usize) -> Option<Object> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.keyword(b"<<") {
            let mut entries = Vec::new();
            while !self.keyword(b">>") {
                let Object::Name(key) = self.object(depth + 1)? else { return None };
                entries.push((key, self.object(depth + 1)?));
            }
            return Some(Object::Dictionary(Dictionary(entries)));
        }
        if self.keyword(b"[") {
            let mut parts = Vec::new();
            while !self.keyword(b"]") {
                parts.push(self.object(depth + 1)?);
            }
            return Some(Object::Array(parts));
        }
        if self.keyword(b"<") {
            let end = memchr::memchr(b'>', self.rest)?;
            let mut digits: Vec<u8> =
                self.rest[..end].iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            digits.resize(digits.len().next_multiple_of(2), b'0');
            self.rest = &self.rest[end + 1..];
            return hex::decode(digits).ok().map(Object::String);
        }
        if self.keyword(b"(") {
            return self.literal().map(Object::String);
        }
        if self.keyword(b"/") {
            return Some(Object::Name(self.word().to_vec()));
        }
        let word = self.word();
        let Some(number) = number(word) else { return (!word.is_empty()).then(|| Object::Word(word.to_vec())) };
        // A reference is two numbers and `R`.
        let mut ahead = Self::new(self.rest);
        ahead.skip_blanks();
        if let Some(generation) = self::number(ahead.word())
            && ahead.keyword(b"R")
            && ahead.word().is_empty()
        {
            self.rest = ahead.rest;
            return Some(Object::Reference(number, generation));
        }
        Some(Object::Number(number))
    }

    /// Reads to the next blank or delimiter.
    fn word(&mut self) -> &'b [u8] {
        let is_end = |byte: &u8| b"\0\t\n\x0c\r ()<>[]{}/%".contains(byte);
        let (word, rest) = self.rest.split_at(self.rest.iter().position(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// Reads a string in round brackets behind its first one (7.3.4.2).
    fn literal(&mut self) -> Option<Vec<u8>> {
        let (mut string, mut open) = (Vec::new(), 1_usize);
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => {
                    self.escaped(&mut string)?;
                    continue;
                }
                // Every end of a line is one line feed.
                b'\r' => {
                    self.rest = self.rest.strip_prefix(b"\n").unwrap_or(self.rest);
                    string.push(b'\n');
                    continue;
                }
                _ => {}
            }
            if open == 0 {
                return Some(string);
            }
            string.push(byte);
        }
    }

    /// Reads what stands behind a backslash in a string.
    fn escaped(&mut self, string: &mut Vec<u8>) -> Option<()> {
        let digits = self.rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        if digits > 0 {
            // A number above 255 loses its highest bit.
            string.push(
                self.rest[..digits].iter().fold(0, |value: u8, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')),
            );
            self.rest = &self.rest[digits..];
            return Some(());
        }
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        match byte {
            b'n' => string.push(b'\n'),
            b'r' => string.push(b'\r'),
            b't' => string.push(b'\t'),
            b'b' => string.push(b'\x08'),
            b'f' => string.push(b'\x0c'),
            // The line goes on.
            b'\n' => {}
            b'\r' => self.rest = self.rest.strip_prefix(b"\n").unwrap_or(self.rest),
            other => string.push(other),
        }
        Some(())
    }
}

fn number(word: &[u8]) -> Option<i64> {
    str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents of qpdf and hand-made ones, by name: whether they need a password.
    #[test]
    fn password_is_needed_when_the_empty_one_does_not_open() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/pdf");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().unwrap() != "pdf" {
                continue;
            }
            let name = path.file_stem().unwrap().to_str().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(needs_password(&bytes), name.ends_with("reader"), "{name}");
            // A program in between has changed the ends of lines.
            let moved = [&bytes[..9], b"% moved\n", &bytes[9..]].concat();
            assert_eq!(needs_password(&moved), name.ends_with("reader"), "{name}, moved");
            for end in (0..bytes.len()).step_by(7) {
                let _ = needs_password(&bytes[..end]);
            }
            count += 1;
        }
        assert_eq!(count, 16);
    }

    #[test]
    fn encryption_that_readers_cannot_open_needs_a_password() {
        let document = |encryption: &str, id: &str| {
            format!("%PDF-1.7\ntrailer <</Root 1 0 R /Encrypt {encryption} /ID {id}>>\nstartxref\n9\n%%EOF")
                .into_bytes()
        };
        for (encryption, expected) in [
            ("<</Filter /Adobe.PubSec /V 4 /StmF /StdCF>>", true),
            ("<</Filter /Standard /V 5 /R 9 /O () /U () /StmF /StdCF>>", true),
            ("<</Filter /Standard /V 2 /R 3 /Length 0 /P -4 /O <00> /U <00>>>", true),
            ("7 0 R", true),
            // Attached files only.
            ("<</Filter /Standard /V 4 /R 4 /StmF /Identity /EFF /StdCF /O () /U ()>>", false),
        ] {
            assert_eq!(needs_password(&document(encryption, "[()()]")), expected, "{encryption}");
        }
        assert!(!needs_password(b"%PDF-1.7\ntrailer <</EncryptMetadata true>>\n%%EOF"));
        assert!(!needs_password(b"%PDF-1.7\nstartxref\n99999999999999999999\n%%EOF"));
    }

    #[test]
    fn objects_are_read_as_they_are_written() {
        let read = |text: &[u8]| PdfReader::new(text).object(0);
        for (text, expected) in [
            (&b"(a\\)(b)\\\\ \\101\\7z\\\r\nc\\n)"[..], &b"a)(b)\\ A\x07zc\n"[..]),
            (b"( a\r\nb )", b" a\nb "),
            (b"<48 65 6c6C6F7>", b"Hellop"),
            (b"% note\n()", b""),
        ] {
            assert_eq!(read(text), Some(Object::String(expected.to_vec())), "{text:?}");
        }
        let parts = [Object::Number(1), Object::Reference(2, 0), Object::Number(-4), Object::Word(b"0.5".to_vec())];
        assert_eq!(read(b"[1 2 0 R -4 0.5]"), Some(Object::Array(parts.to_vec())));
        assert_eq!(
            read(b"[1 0 Right]").unwrap(),
            Object::Array(vec![Object::Number(1), Object::Number(0), Object::Word(b"Right".to_vec())])
        );
        assert_eq!(read(&b"[".repeat(100_000)), None);
        for text in [&b"(a"[..], b"<<", b"<</A", b"<4", b"[", b"", b"]", b"<zz>"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn rc4_gives_the_values_of_rfc_6229() {
        let mut stream = [0; 16];
        rc4(&[1, 2, 3, 4, 5], &mut stream);
        assert_eq!(hex::encode(stream), "b2396305f03dc027ccc3524a0a1118a8");
    }
}
