//! The tool in-process, with surroundings of the test.

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::OsString,
    rc::Rc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use cli::{Exit, Out, Screen, Surroundings, ToolClock};

/// 21 November 2026, 10:00 UTC.
pub(crate) const NOW: u64 = 1_795_255_200;

pub(crate) struct Tool {
    pub(crate) variables: BTreeMap<String, OsString>,
    pub(crate) screen: Option<Screen>,
    pub(crate) later: Duration,
    /// The standard input.
    pub(crate) input: Vec<u8>,
    cache: Rc<tempfile::TempDir>,
}

/// The result of a run.
pub(crate) struct Outcome {
    pub(crate) exit: Exit,
    pub(crate) data: Vec<u8>,
    pub(crate) notes: String,
    /// Total of the pauses; the clock of a test stands still.
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
    /// Called at the first pause.
    meanwhile: Cell<Option<Box<dyn FnOnce()>>>,
}

impl ToolClock for FixedClock {
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
    /// Returns a tool in a pipe for `url`, with empty folders.
    pub(crate) fn asking(url: &str) -> Self {
        let cache = Rc::new(tempfile::tempdir().unwrap());
        let (answers, keys) = (cache.path().join("answers"), cache.path().join("keys"));
        std::fs::create_dir(&keys).unwrap();
        let variables = [
            ("MECELLE_BASE_URL", url),
            ("MECELLE_CACHE_DIR", answers.to_str().unwrap()),
            ("MECELLE_CONFIG_DIR", keys.to_str().unwrap()),
        ];
        let tool = Self {
            variables: variables.map(|(name, value)| (name.to_owned(), value.into())).into(),
            screen: None,
            later: Duration::ZERO,
            input: Vec::new(),
            cache,
        };
        tool.learned(url)
    }

    /// Returns a tool that has read the description of `url`, which publishes no key: a script begins with the request of
    /// the command.
    pub(crate) fn learned(self, url: &str) -> Self {
        std::fs::write(self.sandbox_keys(), format!("{{\"{url}\": null}}")).unwrap();
        self
    }

    /// Returns the tool on a terminal.
    pub(crate) fn on_screen(mut self, columns: usize) -> Self {
        self.screen = Some(Screen { columns, rows: 1000 });
        self
    }

    /// Returns the tool with one more variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Returns a tool that has not read the description of its host.
    pub(crate) fn unlearned(self) -> Self {
        std::fs::remove_file(self.sandbox_keys()).unwrap();
        self
    }

    /// Returns a tool after `mecelle use`.
    pub(crate) fn using(url: &str) -> Self {
        let tool = Self::asking("");
        let outcome = tool.run(&format!("use {url}"));
        assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
        tool
    }

    pub(crate) fn run(&self, line: &str) -> Outcome {
        self.run_with(&line.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_with(&self, args: &[&str]) -> Outcome {
        self.run_while(args, None)
    }

    /// Runs the words of `line`, and `other` in another terminal at the first pause.
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

    /// Returns the cache folder.
    pub(crate) fn cache(&self) -> std::path::PathBuf {
        self.cache.path().join("answers")
    }

    /// Returns the key file.
    pub(crate) fn keyring(&self) -> std::path::PathBuf {
        self.cache.path().join("keys/registrations.json")
    }

    /// Returns the file of learned sandbox keys.
    pub(crate) fn sandbox_keys(&self) -> std::path::PathBuf {
        self.cache.path().join("keys/sandbox_keys.json")
    }

    /// Returns the host file.
    pub(crate) fn kept_host(&self) -> std::path::PathBuf {
        self.cache.path().join("keys/host.json")
    }
}
