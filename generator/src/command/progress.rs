//! A progress bar for work that takes longer than a second.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use findings::messages;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use publish::Progress;

use super::language;

/// Work that ends sooner shows nothing.
const DELAY: Duration = Duration::from_secs(1);

/// A bar that counts photographs.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    begin: Instant,
}

impl Bar {
    /// Returns a bar if standard error is a terminal and `CI` is not set.
    #[expect(
        clippy::disallowed_methods,
        reason = "the bar shows how long work takes; `CI` is a convention of services that build"
    )]
    pub(crate) fn new() -> Option<Self> {
        if !std::io::stderr().is_terminal() || std::env::var_os("CI").is_some() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(&messages::progress()[language()]);
        Some(Self {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            begin: Instant::now(),
        })
    }
}

impl Progress for Bar {
    #[expect(clippy::disallowed_methods, reason = "the bar shows how long work takes")]
    fn advance(&self, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        if self.bar.is_hidden() && self.begin.elapsed() >= DELAY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
