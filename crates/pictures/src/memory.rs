//! Memory for pictures that are decoded at the same time.

use std::sync::{Condvar, Mutex, PoisonError};

/// The largest buffer that is kept for the next picture: a photograph of a phone.
const MAX_KEPT_BYTES: usize = 40 << 20;

/// The memory limit of decoding, and buffers to reuse.
#[derive(Debug)]
pub struct DecodeMemory {
    /// In bytes.
    limit: u64,
    used: Mutex<u64>,
    freed: Condvar,
    /// Buffers of finished pictures: allocating them each time is slow.
    pixels: Mutex<Vec<Vec<u8>>>,
}

/// A reservation of memory until it is dropped.
#[derive(Debug)]
pub struct MemoryShare<'m> {
    memory: &'m DecodeMemory,
    bytes: u64,
}

impl DecodeMemory {
    /// Returns memory of `limit` bytes.
    pub const fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new(), pixels: Mutex::new(Vec::new()) }
    }

    /// Waits until `bytes` are available. More than the limit are given alone.
    pub fn reserve(&self, bytes: u64) -> MemoryShare<'_> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |used: &mut u64| *used > 0 && used.saturating_add(bytes) > self.limit;
        let mut used = self.freed.wait_while(used, is_full).unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_add(bytes);
        MemoryShare { memory: self, bytes }
    }

    /// Keeps the pixels of a picture for the next one.
    pub fn recycle(&self, pixels: Vec<u8>) {
        if pixels.len() <= MAX_KEPT_BYTES {
            self.pixels.lock().unwrap_or_else(PoisonError::into_inner).push(pixels);
        }
    }

    /// Returns a kept buffer, or an empty one.
    pub fn reuse_buffer(&self) -> Vec<u8> {
        self.pixels.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}

impl Drop for MemoryShare<'_> {
    fn drop(&mut self) {
        let mut used = self.memory.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_sub(self.bytes);
        self.memory.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const LIMIT: u64 = 300;

    #[test]
    fn decoding_waits_for_free_memory() {
        let (memory, now, most) = (DecodeMemory::new(LIMIT), AtomicU64::new(0), AtomicU64::new(0));
        let bytes = LIMIT / 3;
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _share = memory.reserve(bytes);
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
        // A picture above the limit is decoded alone.
        drop(memory.reserve(2 * LIMIT));
        assert_eq!(*memory.used.lock().unwrap(), 0);
    }
}
