//! Output that may never end: buffered while it may go to a pager, then written as it comes.

use std::{
    io::{self, Write},
    mem,
};

use crate::output::text;

/// More than a pager is useful for.
const MAX_BUFFERED_BYTES: usize = 1024 * 1024;

pub(crate) struct BufferedOutput<'a> {
    text: Vec<u8>,
    is_streaming: bool,
    out: &'a mut dyn Write,
}

impl<'a> BufferedOutput<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { text: Vec::new(), is_streaming: false, out }
    }

    /// Returns the whole output; `None` if writing has begun, in which case the rest is written.
    pub(crate) fn finish(mut self) -> io::Result<Option<Vec<u8>>> {
        if self.is_streaming {
            return self.write_buffered().map(|()| None);
        }
        Ok(Some(self.text))
    }

    /// Writes the buffer. Security: without control characters, since it goes to a terminal.
    fn write_buffered(&mut self) -> io::Result<()> {
        self.is_streaming = true;
        self.out.write_all(&text::sanitize(&mem::take(&mut self.text)))
    }
}

impl Write for BufferedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        // At the end of a line no character is split.
        if self.text.ends_with(b"\n") && (self.is_streaming || self.text.len() > MAX_BUFFERED_BYTES) {
            self.write_buffered()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_keeps_short_output_and_streams_long_output() {
        let mut out = Vec::new();
        let mut buffer = BufferedOutput::new(&mut out);
        buffer.write_all("ş\u{9b}\n".as_bytes()).unwrap();
        assert_eq!(buffer.finish().unwrap().as_deref(), Some("ş\u{9b}\n".as_bytes()));
        assert!(out.is_empty());
        let line = format!("{}ş\u{9b}\r\n", "x".repeat(600));
        let mut buffer = BufferedOutput::new(&mut out);
        for _ in 0..4000 {
            // Writes may end within a character.
            line.as_bytes().chunks(601).try_for_each(|part| buffer.write_all(part)).unwrap();
            assert!(buffer.text.len() <= MAX_BUFFERED_BYTES + line.len());
        }
        buffer.write_all(b"end").unwrap();
        assert_eq!(buffer.finish().unwrap(), None);
        let text = String::from_utf8(out).unwrap();
        assert!(text == line.replace('\u{9b}', "\u{fffd}").repeat(4000) + "end");
    }
}
