//! The tool in-process, with surroundings that the test decides.

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::OsString,
    rc::Rc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use cli::{Clock, Exit, Out, Screen, Surroundings};

/// 21 November 2026, 10:00 UTC.
pub(crate) const NOW: u64 = 1_795_255_200;

/// The tool and its surroundings.
pub(crate) struct Tool {
    pub(crate) variables: BTreeMap<String, OsString>,
    pub(crate) screen: Option<Screen>,
    pub(crate) later: Duration,
    /// The contents of the standard input.
    pub(crate) input: Vec<u8>,
    cache: Rc<tempfile::TempDir>,
}

/// How a run ended.
pub(crate) struct Outcome {
    pub(crate) exit: Exit,
    pub(crate) data: Vec<u8>,
    pub(crate) notes: String,
    /// How long the tool waited in total; no time passes in a test.
    pub(crate) waited: Duration,
}

impl Outcome {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.data).unwrap()
    }
}

struct FixedClock {
    now: SystemTime,
    waited: Rc<Cell<Duration>>,
    /// Called when the tool waits for the first time.
    meanwhile: Cell<Option<Box<dyn FnOnce()>>>,
}

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.now
    }

    fn sleep(&self, time: Duration) {
        self.waited.set(self.waited.get() + time);
        if let Some(happen) = self.meanwhile.take() {
            happen();
        }
    }

    fn chance(&self) -> u16 {
        0
    }
}

impl Tool {
    /// Returns a tool that is piped and asks `url`, with an empty cache of its own.
    pub(crate) fn asking(url: &str) -> Self {
        let cache = Rc::new(tempfile::tempdir().unwrap());
        let (answers, keys) = (cache.path().join("answers"), cache.path().join("keys"));
        let variables = [
            ("MECELLE_BASE_URL", url),
            ("MECELLE_CACHE_DIR", answers.to_str().unwrap()),
            ("MECELLE_CONFIG_DIR", keys.to_str().unwrap()),
        ];
        Self {
            variables: variables.map(|(name, value)| (name.to_owned(), value.into())).into(),
            screen: None,
            later: Duration::ZERO,
            input: Vec::new(),
            cache,
        }
    }

    /// Puts the tool on a terminal.
    pub(crate) fn on_screen(mut self, columns: usize) -> Self {
        self.screen = Some(Screen { columns, rows: 1000 });
        self
    }

    /// Adds a variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Gets to know the host as `mecelle use` does.
    pub(crate) fn using(url: &str) -> Self {
        let tool = Self::asking("");
        let outcome = tool.run(&format!("use {url}"));
        assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
        tool
    }

    /// Runs `mecelle` with the words of `line`.
    pub(crate) fn run(&self, line: &str) -> Outcome {
        self.run_with(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs `mecelle` with `args`.
    pub(crate) fn run_with(&self, args: &[&str]) -> Outcome {
        self.run_while(args, None)
    }

    /// Runs `mecelle` with the words of `line` and, while it waits, `other` in another terminal.
    pub(crate) fn run_meanwhile(&self, line: &str, other: &str) -> Outcome {
        let (tool, words) = (self.beside(), other.to_owned());
        let happen = move || assert_eq!(tool.run(&words).exit, Exit::Success, "{words}");
        self.run_while(&line.split_whitespace().collect::<Vec<_>>(), Some(Box::new(happen)))
    }

    /// Returns the same tool in another terminal.
    fn beside(&self) -> Self {
        Self {
            variables: self.variables.clone(),
            screen: self.screen,
            later: self.later,
            input: self.input.clone(),
            cache: Rc::clone(&self.cache),
        }
    }

    fn run_while(&self, args: &[&str], meanwhile: Option<Box<dyn FnOnce()>>) -> Outcome {
        let waited = Rc::new(Cell::new(Duration::ZERO));
        let now = UNIX_EPOCH + Duration::from_secs(NOW) + self.later;
        let env = Surroundings {
            variables: self.variables.clone(),
            screen: self.screen,
            notes_on_screen: false,
            clock: Box::new(FixedClock { now, waited: Rc::clone(&waited), meanwhile: Cell::new(meanwhile) }),
            input: {
                let input = self.input.clone();
                Box::new(move || Ok(input.clone()))
            },
        };
        let (mut data, mut notes) = (Vec::new(), Vec::new());
        let words = ["mecelle"].iter().chain(args).map(Into::into);
        let exit = cli::run(words, &env, &mut Out { data: &mut data, notes: &mut notes });
        Outcome { exit, data, notes: String::from_utf8(notes).unwrap(), waited: waited.get() }
    }

    /// Returns the folder in which answers are stored.
    pub(crate) fn cache(&self) -> std::path::PathBuf {
        self.cache.path().join("answers")
    }

    /// Returns the file in which keys are kept.
    pub(crate) fn keyring(&self) -> std::path::PathBuf {
        self.cache.path().join("keys/registrations.json")
    }

    /// Returns the file in which the host is kept.
    pub(crate) fn kept_host(&self) -> std::path::PathBuf {
        self.cache.path().join("keys/host.json")
    }
}
