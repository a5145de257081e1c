//! Assembles the services behind registration: store, secrets, providers, mail and background work.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clock::Clock;
use contract::text::origin::is_of_this_machine;
use forms::Forms;
use mail::{MailError, MailSetting, Mailer, Message, SettingError};
use providers::{Keys, Trust, Verifier};
use registration::{
    registrar::{Abilities, EmailWorker, Offers, Quotas, Registrar, RegistrarParts, Rules, Sweeper},
    store::{Location, OpenError, Store},
};
use secrets::{Entropy, Pepper, PepperError};
use settings::{ConfigError, RawSettings};
use tokio::{
    runtime::{Builder, Runtime},
    sync::watch,
    task::JoinHandle,
};

use crate::{Config, http::UsageCounters, usage_writer::UsageWriter};

/// Threads for the store, mail and keys.
const THREADS: usize = 2;
/// How long shutdown waits for e-mails in progress: a little longer than one may take.
const EMAIL_GRACE: Duration = mail::SEND_TIMEOUT.saturating_add(Duration::from_secs(2));
/// How long shutdown waits for other background work.
const WORK_GRACE: Duration = Duration::from_secs(2);

/// The configuration of registration, parsed; nothing is opened yet.
pub(crate) struct ResolvedConfig {
    location: Location,
    secret_file: PathBuf,
    mail: MailSetting,
    trust: Trust,
    dist: PathBuf,
    settings: RawSettings,
}

/// Why registration is not possible.
#[derive(Debug, thiserror::Error)]
pub enum ServicesError {
    /// A setting or the trust list cannot be parsed.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A setting is valid, but what it names cannot be used.
    #[doc(hidden)]
    #[error("{name}: {problem}")]
    Setting {
        key: &'static str,
        /// The setting with its place, for messages.
        name: String,
        #[source]
        problem: Box<dyn Error + Send + Sync>,
    },
    #[error("cannot start threads: {0}")]
    System(#[source] io::Error),
}

impl ServicesError {
    fn setting(key: &'static str, problem: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Setting { key, name: RawSettings::default().name(key), problem: problem.into() }
    }

    /// Adds the line of a setting that came from the configuration file.
    pub(crate) fn with_place(self, settings: &RawSettings) -> Self {
        match self {
            Self::Setting { key, problem, .. } => Self::Setting { key, name: settings.name(key), problem },
            other => other,
        }
    }
}

impl From<OpenError> for ServicesError {
    fn from(error: OpenError) -> Self {
        Self::setting("store", error)
    }
}

impl From<PepperError> for ServicesError {
    fn from(error: PepperError) -> Self {
        Self::setting("secret_file", error)
    }
}

impl From<SettingError> for ServicesError {
    fn from(error: SettingError) -> Self {
        Self::setting("mail", error)
    }
}

impl ResolvedConfig {
    /// Parses the settings of `config`. Paths that are not set default to the folder `data` beside the build, or, if
    /// the store is a file, to the store's folder.
    pub(crate) fn of(config: &Config) -> Result<Self, ServicesError> {
        let resolved = Self::parse_config(config).and_then(Self::reject_published);
        resolved.map_err(|error| error.with_place(&config.settings))
    }

    fn parse_config(config: &Config) -> Result<Self, ServicesError> {
        let settings = &config.registration;
        let data = data_folder(&config.dist);
        let location = match &settings.store {
            Some(text) => Location::parse(text)?,
            None => Location::File(data.join("registrations.db")),
        };
        // Lock files beside the store need one name, whichever link leads to the store.
        let location = location.resolve_links();
        location.check()?;
        let beside = match &location {
            Location::File(path) => path.parent().map_or_else(|| data.clone(), Path::to_owned),
            Location::Postgres(_) => data,
        };
        let mail = match &settings.mail {
            Some(text) => MailSetting::parse(text)?,
            None => MailSetting::Folder { folder: beside.join("outbox"), from: None },
        };
        let trust = match &settings.trust {
            Some(path) => {
                let rewrite = "list the providers again, or write a comment (`#`) to trust none";
                let text = settings::read_text(path, ["correct it, or name another file", rewrite])
                    .map_err(|problem| ServicesError::setting("trust", format!("{} {problem}", path.display())))?;
                Trust::parse(path, &text).map_err(ServicesError::Config)?
            }
            None => Trust::default(),
        };
        let secret_file = settings.secret_file.clone().unwrap_or_else(|| beside.join("secret"));
        let (dist, settings) = (config.dist.clone(), config.settings.clone());
        Ok(Self { location, secret_file, mail, trust, dist, settings })
    }

    /// Security: rejects a store, secret file or mail folder inside the build, which any server of the build publishes.
    fn reject_published(self) -> Result<Self, ServicesError> {
        let store = if let Location::File(path) = &self.location { Some(path.as_path()) } else { None };
        let places = [("store", store), ("secret_file", Some(&self.secret_file)), ("mail", self.mail_folder())];
        for (key, path) in places {
            if let Some(path) = path.filter(|path| self.publishes(path)) {
                let (path, dist) = (path.display(), self.dist.display());
                let problem = format!("{path} is inside {dist}, which is published; choose a path outside it");
                return Err(ServicesError::setting(key, problem));
            }
        }
        Ok(self)
    }

    /// Whether `path`, which need not exist, is inside the folder of the build.
    pub(crate) fn publishes(&self, path: &Path) -> bool {
        private_files::real(path).starts_with(private_files::real(&self.dist))
    }

    pub(crate) fn abilities(&self) -> Abilities {
        Abilities { mail: !matches!(self.mail, MailSetting::None), providers: !self.trust.is_empty() }
    }

    /// Returns the rules for the site at `site_url`; provider keys of `former` are kept.
    pub(crate) fn rules(&self, quotas: Quotas, site_url: &str, offers: Offers, former: Option<&Verifier>) -> Rules {
        let abilities = self.abilities();
        let providers = abilities.providers.then(|| {
            let resources = contract::routes::resources(site_url);
            let verifier = Verifier::new(self.trust.clone(), resources, &Keys::over_https());
            Arc::new(former.into_iter().fold(verifier, Verifier::with_keys_of))
        });
        Rules { offers, abilities, quotas, providers }
    }

    /// Checks mail setting and secret file without creating a file or contacting a server.
    pub(crate) fn check(&self) -> Result<(), ServicesError> {
        let mail = self.mail.check().map_err(ServicesError::from);
        let checked = mail.and_then(|()| Ok(Pepper::check(&self.secret_file)?));
        checked.map_err(|error| error.with_place(&self.settings))
    }

    /// Returns the keys of the secret file, if there is one that can be read.
    pub(crate) fn pepper(&self) -> Option<Pepper> {
        Pepper::load_existing(&self.secret_file).ok()
    }

    pub(crate) fn secret_file(&self) -> &Path {
        &self.secret_file
    }

    /// Returns the path of the secret file if it is missing, which is right only before the first start.
    pub(crate) fn lost_secret(&self) -> Option<&Path> {
        Some(&*self.secret_file).filter(|file| matches!(file.try_exists(), Ok(false)))
    }

    /// Rejects a development provider if other machines can reach the site at `site_url`.
    pub(crate) fn check_reach(&self, config: &Config, site_url: &str) -> Result<(), ServicesError> {
        let is_local = config.listen.ip().to_canonical().is_loopback() && is_of_this_machine(site_url);
        let checked = self.trust.check_reach(is_local);
        checked.map_err(|problem| ServicesError::setting("trust", problem).with_place(&self.settings))
    }

    /// Returns the folder of the store or, for PostgreSQL, the folder `data` beside the build.
    pub(crate) fn folder(&self) -> PathBuf {
        match &self.location {
            Location::File(path) => private_files::folder_of(path).to_owned(),
            Location::Postgres(_) => data_folder(&self.dist),
        }
    }

    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Returns the folder to which mail is written instead of being sent, if any.
    pub(crate) fn mail_folder(&self) -> Option<&Path> {
        match &self.mail {
            MailSetting::Folder { folder, .. } => Some(folder),
            MailSetting::Smtp(_) | MailSetting::None => None,
        }
    }

    /// Talks to the mail server up to the sender of `message`, without sending it.
    pub(crate) fn reach_mail(&self, message: &Message) -> Result<Result<(), MailError>, ServicesError> {
        let runtime = runtime()?;
        let mail = self.mail.clone();
        runtime.block_on(async { Ok(Mailer::open(mail)?.reach(message).await) })
    }

    /// Opens only the store, for an operator's command.
    pub(crate) fn open_store(&self) -> Result<(Runtime, Store), ServicesError> {
        let runtime = runtime()?;
        let store = runtime.block_on(Store::open(&self.location, runtime.handle().clone()));
        let store = store.map_err(|error| ServicesError::from(error).with_place(&self.settings))?;
        Ok((runtime, store))
    }
}

/// Returns the folder `data` beside the build.
fn data_folder(dist: &Path) -> PathBuf {
    // Resolve `.` and `..` first: otherwise `data` would be inside the published folder.
    let named = if dist.file_name().is_none() { dist.canonicalize().ok() } else { None };
    named.as_deref().unwrap_or(dist).parent().unwrap_or(Path::new("")).join("data")
}

/// Creates the runtime for the store, mail and keys.
pub(crate) fn runtime() -> Result<Runtime, ServicesError> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(THREADS).thread_name("registration").enable_all();
    builder.build().map_err(ServicesError::System)
}

/// The services behind registration, opened.
pub(crate) struct Services {
    registrar: Registrar,
    mailer: Mailer,
    runtime: Runtime,
}

impl Services {
    /// Opens all services for the site at `site_url`.
    pub(crate) fn open(
        resolved: ResolvedConfig,
        config: &Config,
        site_url: &str,
        offers: Offers,
        entropy: Entropy,
    ) -> Result<Self, ServicesError> {
        let runtime = runtime()?;
        // The store may become available later, the folders and the secret must be available now: check these first, so
        // that the log does not report a service that then fails.
        resolved.location.make_folder()?;
        let folder = private_files::folder_of(&resolved.secret_file);
        private_files::folder(folder).map_err(|error| PepperError::File(folder.to_owned(), error))?;
        let pepper = Pepper::load(&resolved.secret_file, &entropy)?;
        let rules = resolved.rules(config.limits.registration, site_url, offers, None);
        // The mailer's connections belong to the threads that use it.
        let mailer = {
            let _entered = runtime.enter();
            Mailer::open(resolved.mail)?
        };
        let store = runtime.block_on(Store::open_with_retries(&resolved.location, runtime.handle().clone()))?;
        let resources = contract::routes::resources(site_url);
        let parts = RegistrarParts { store, pepper, entropy, resources, rules };
        Ok(Self { registrar: Registrar::new(parts), mailer, runtime })
    }

    pub(crate) fn registrar(&self) -> &Registrar {
        &self.registrar
    }

    /// Starts the background work, which ends when the result is dropped.
    pub(crate) fn work(
        self,
        clock: &Clock,
        forms: impl Fn() -> Arc<Forms> + Send + Sync + 'static,
        usage: Option<Arc<UsageCounters>>,
    ) -> Background {
        let Self { registrar, mailer, runtime } = self;
        let store = registrar.store().clone();
        let writer = usage.map(|counters| {
            let (ending, ended) = watch::channel(());
            let writer = UsageWriter::new(registrar.clone(), clock.clone(), counters);
            (ending, runtime.spawn(writer.run(ended)))
        });
        let sweeper = Sweeper::new(store.clone(), clock.clone()).with_pepper(registrar.pepper().clone());
        let sender = EmailWorker::new(registrar, mailer, forms, clock.clone());
        let (ending, ended) = watch::channel(());
        let emails = runtime.spawn(sender.run(ended));
        runtime.spawn(sweeper.run());
        Background { work: Some((runtime, emails)), writer, store, closing: Closing(ending) }
    }
}

/// Background work. Dropping it waits for e-mails in progress: an e-mail that the mail server accepted but that is
/// still in the queue would be sent again.
pub(crate) struct Background {
    work: Option<(Runtime, JoinHandle<()>)>,
    /// Writes the counts of requests; all workers have ended before its last write.
    writer: Option<(watch::Sender<()>, JoinHandle<()>)>,
    store: Store,
    closing: Closing,
}

/// Announces that the service ends.
#[derive(Clone)]
pub(crate) struct Closing(watch::Sender<()>);

impl Closing {
    /// Stops the sending of further e-mails.
    pub(crate) fn begin(&self) {
        self.0.send_replace(());
    }
}

impl Background {
    pub(crate) fn closing(&self) -> Closing {
        self.closing.clone()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let Some((runtime, emails)) = self.work.take() else { return };
        self.closing.begin();
        if runtime.block_on(async { tokio::time::timeout(EMAIL_GRACE, emails).await }).is_err() {
            tracing::warn!("shutdown interrupted messages in progress: they may be sent twice");
        }
        if let Some((ending, written)) = self.writer.take() {
            ending.send_replace(());
            let _ = runtime.block_on(async { tokio::time::timeout(WORK_GRACE, written).await });
        }
        // Closing merges the write-ahead log, so that the store is one file that can be copied.
        let _ = runtime.block_on(async { tokio::time::timeout(WORK_GRACE, self.store.close()).await });
        runtime.shutdown_timeout(WORK_GRACE);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use registration::store::testing::{database, keep_journal};
    use tokio::runtime::Runtime;

    use super::*;
    use crate::RegistrationSettings;

    const DISAGREES: &str = "that of the database; nothing is deleted until they agree";
    const PAUSE: Duration = Duration::from_millis(10);

    #[test]
    fn data_folder_is_beside_the_build_however_the_path_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(folder.join("site/dist/en")).unwrap();
        for dist in ["site/dist", "site/dist/", "site/dist/.", "site/dist/en/..", "site/dist/en/../../dist/en/.."] {
            assert_eq!(data_folder(&folder.join(dist)), folder.join("site/data"), "{dist}");
        }
        assert_eq!(data_folder(Path::new("dist")), Path::new("data"));
        assert_eq!(data_folder(Path::new("site/dist")), Path::new("site/data"));
        let here = std::env::current_dir().unwrap();
        for (dist, expected) in
            [(".", here.with_file_name("data")), ("..", here.parent().unwrap().with_file_name("data"))]
        {
            assert_eq!(data_folder(Path::new(dist)), expected, "{dist}");
        }
    }

    #[test]
    fn store_secret_and_messages_inside_dist_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir_all(folder.join("dist/en")).unwrap();
        std::fs::create_dir(folder.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(folder.join("dist/en"), folder.join("linked")).unwrap();
        let refusal = |settings: &str| {
            let toml =
                format!("dist = '{0}/dist'\n{settings}", folder.display()).replace('~', &folder.display().to_string());
            ResolvedConfig::of(&Config::parse(&toml, []).unwrap()).err().map(|error| error.to_string())
        };
        for (key, text) in [
            ("store", "sqlite://~/dist/registrations.db"),
            ("store", "sqlite://~/elsewhere/../dist/new/registrations.db"),
            ("store", "sqlite://~/linked/registrations.db"),
            ("secret_file", "~/dist/secret"),
            ("mail", "outbox://~/dist/en/outbox"),
        ] {
            let message = refusal(&format!("{key} = '{text}'\n")).expect(text);
            let is_told =
                message.starts_with(&format!("configuration:2: `{key}`: ")) && message.contains("is published");
            assert!(is_told, "{text}: {message}");
        }
        for text in ["sqlite://~/distant/registrations.db", "sqlite://~/dist/../registrations.db"] {
            assert_eq!(refusal(&format!("store = '{text}'\n")), None);
        }
    }

    #[test]
    fn clock_skew_of_the_database_is_logged_at_the_start() {
        keep_journal();
        let Some(address) = database() else { return println!("no PostgreSQL") };
        let folder = tempfile::tempdir().unwrap();
        let config = Config {
            dist: folder.path().join("dist"),
            registration: RegistrationSettings {
                store: Some(address),
                secret_file: Some(folder.path().join("secret")),
                mail: Some("none".to_owned()),
                ..RegistrationSettings::default()
            },
            ..Config::default()
        };
        let resolved = ResolvedConfig::of(&config).unwrap();
        let site_url = "https://firm.example";
        let services = Services::open(resolved, &config, site_url, Offers::default(), Entropy::seeded(1)).unwrap();
        // The clock is at the beginning of a past year.
        let (registrar, clock) = (services.registrar().clone(), Clock::manual());
        let _background = services.work(&clock, || unreachable!("there are no emails"), None);
        let is_said = |_| {
            thread::sleep(PAUSE);
            String::from_utf8_lossy(&journal::logged()).contains(DISAGREES)
        };
        assert!((0..12_000).any(is_said), "the skew was not logged");
        let ahead = |now| {
            let metrics = Runtime::new().unwrap().block_on(registrar.metrics(now));
            let row = metrics.lines().find_map(|line| line.strip_prefix("mecelle_store_clock_skew_seconds "));
            row.unwrap_or_else(|| panic!("{metrics}")).parse::<f64>().unwrap()
        };
        assert!(ahead(clock.now()) > 86_400.0);
        assert!(ahead(Clock::system().now().plus(Duration::from_hours(48))) < -86_400.0);
    }
}
