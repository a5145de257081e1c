//! `sidecar diagnose`: examines what the service relies on, with a line for each part and the remedy.
//!
//! No value of a setting that may be a secret is printed: the errors of each part hold none.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clock::Clock;
use contract::{Locale, text::host_of};
use mail::{Message, Sender};
use private_files::{AccessFinding, ServiceFiles};
use providers::Keys;
use registration::{
    registrar::{FOREIGN_KEYS, Sweeper, uses_foreign_keys},
    store::{Location, StoreError},
};

use super::check_store_exists;
use crate::{Config, http, services::ResolvedConfig};

/// Open files below which the service cannot keep as many connections as a site has on a busy day.
const MIN_FILES: u64 = 4_096;
/// Seconds by which the newest file of the build may be ahead of the clock.
const MAX_AHEAD: u64 = 300;

/// What was found about a part.
enum Outcome {
    Fine(String),
    /// The service works, but not as an operator would expect.
    Note(String),
    Fault(String),
}

use Outcome::{Fault, Fine, Note};

impl From<AccessFinding> for Outcome {
    fn from(finding: AccessFinding) -> Self {
        match finding {
            AccessFinding::Fine(text) => Fine(text),
            AccessFinding::Unknown(text) => Note(text),
            AccessFinding::Fault(text) => Fault(text),
        }
    }
}

/// The report: a line for each part.
pub(crate) struct Diagnosis {
    pub(crate) text: String,
    pub(crate) faults: usize,
}

impl Diagnosis {
    fn add(&mut self, part: &str, outcome: Outcome) {
        let (word, text) = match outcome {
            Fine(text) => ("ok", text),
            Note(text) => ("note", text),
            Fault(text) => {
                self.faults += 1;
                ("fault", text)
            }
        };
        // One line, whatever an error holds.
        let text = text.replace(['\n', '\r'], " ");
        let _ = writeln!(self.text, "{word:<6}{part:<15}{text}");
    }
}

/// Examines the service that `config` describes. Reaches the database, the mail server and the providers' keys; sends
/// no message, and creates nothing but what a start creates in a database.
pub(crate) fn run(config: &Config, clock: &Clock) -> Diagnosis {
    let mut found = Diagnosis { text: String::new(), faults: 0 };
    found.add(
        "build",
        match http::check(config) {
            Ok(text) => Fine(text),
            Err(error) => Fault(error.to_string()),
        },
    );
    found.add("clock", check_clock(config, clock));
    found.add("proxies", check_proxies(config));
    found.add("limits", check_limits());
    let resolved = match ResolvedConfig::of(config) {
        Ok(resolved) => resolved,
        Err(error) => {
            found.add("settings", Fault(error.to_string()));
            return found;
        }
    };
    found.add(
        "secret file",
        match resolved.check() {
            Ok(()) => check_secret_file(&resolved),
            Err(error) => Fault(error.to_string()),
        },
    );
    for finding in check_access(config, &resolved) {
        found.add("access", finding.into());
    }
    found.add("disk", private_files::examine_space(&resolved.folder()).into());
    found.add("store", check_store(&resolved, clock));
    found.add("mail", check_mail(&resolved, config, clock));
    let trust = resolved.trust();
    let count = trust.issuers().count();
    found.add(
        "trust list",
        if count == 0 { Note("no agent provider is trusted".to_owned()) } else { Fine(format!("{count} trusted")) },
    );
    for (issuer, reached) in providers::reach_keys(trust, &Keys::over_https()) {
        found.add(
            "provider keys",
            match reached {
                Ok(keys) => Fine(format!("{issuer}: {keys}")),
                Err(problem) => {
                    Fault(format!("{issuer}: {problem}; assertions of this provider are refused until then"))
                }
            },
        );
    }
    found
}

/// A clock that is behind the build's files is wrong, or theirs was.
fn check_clock(config: &Config, clock: &Clock) -> Outcome {
    let manifest = config.dist.join(contract::manifest::FILE_NAME);
    let modified = std::fs::metadata(manifest).and_then(|file| file.modified()).ok();
    let built = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let now = u64::try_from(clock.now().millis() / 1_000).unwrap_or(0);
    match built.map(|built| built.as_secs().saturating_sub(now)) {
        Some(ahead) if ahead > MAX_AHEAD => Fault(format!(
            "the build is from {ahead} seconds in the future; set the clock of this machine, or of the one that builds"
        )),
        Some(_) => Fine("not behind the build".to_owned()),
        None => Note("nothing to compare it with".to_owned()),
    }
}

/// The file as the service will find it, whose user owns the folder.
fn check_secret_file(resolved: &ResolvedConfig) -> Outcome {
    let file = resolved.secret_file();
    let path = file.display();
    if resolved.lost_secret().is_some() {
        let text = format!("{path} does not exist; the next start creates it");
        return match resolved.location() {
            Location::File(_) => Note(text),
            Location::Postgres(_) => Note(text + "; with several machines, copy that of the first one before"),
        };
    }
    if let Some(owner) = private_files::other_owner(file) {
        return Fault(format!(
            "{path} belongs to the user {owner} and not to that of its folder, as which the service runs; \
             run `chown --reference={} {path}`",
            private_files::folder_of(file).display()
        ));
    }
    Fine(format!("{path} can be used"))
}

/// Root can read everything; the service, as another user, perhaps not. Any other user has just tried.
fn check_access(config: &Config, resolved: &ResolvedConfig) -> Vec<AccessFinding> {
    let mut written = vec![private_files::folder_of(resolved.secret_file())];
    if let Location::File(store) = resolved.location() {
        written.extend([private_files::folder_of(store), store]);
    }
    written.extend(resolved.mail_folder());
    let of_the_store = resolved.location().files_to_read();
    let read: Vec<&Path> = of_the_store.iter().chain(&config.registration.trust).map(PathBuf::as_path).collect();
    let (settings, build) = (config.settings.file(), &*config.dist);
    private_files::examine_as_root(&ServiceFiles { settings, build, read: &read, written: &written })
}

fn check_proxies(config: &Config) -> Outcome {
    let (networks, is_local) = (config.trusted_proxies.len(), config.listen.ip().to_canonical().is_loopback());
    match (networks, &config.edge_secret, is_local) {
        (0, None, true) => Note(
            "no proxy is trusted, but only this machine can connect: behind a proxy, all clients would share one limit; \
             set `trusted_proxies` (MECELLE_TRUSTED_PROXIES)"
                .to_owned(),
        ),
        (0, None, false) => Note("none is trusted: each client is counted by the address that it connects from".to_owned()),
        (networks, None, _) => Fine(format!("{networks} trusted")),
        (networks, Some(_), _) => Fine(format!("{networks} trusted, and the edge by its secret")),
    }
}

fn check_limits() -> Outcome {
    match rlimit::getrlimit(rlimit::Resource::NOFILE) {
        Ok((_, hard)) if hard < MIN_FILES => {
            Fault(format!("at most {hard} open files; raise LimitNOFILE of the unit, or `ulimit -n`"))
        }
        Ok((_, hard)) => Fine(format!("at most {hard} open files")),
        Err(error) => Note(format!("the limit on open files cannot be read: {error}")),
    }
}

/// Opens the store, writes a row, and compares clocks.
fn check_store(resolved: &ResolvedConfig, clock: &Clock) -> Outcome {
    if check_store_exists(resolved).is_err() {
        return Note("no file yet; the first start creates it".to_owned());
    }
    let (runtime, store) = match resolved.open_store() {
        Ok(opened) => opened,
        Err(error) => return Fault(error.to_string()),
    };
    let pepper = resolved.pepper();
    let examined = runtime.block_on(async {
        let examined = async {
            store.probe().await?;
            let difference = Sweeper::new(store.clone(), clock.clone()).check_clocks().await?;
            let is_foreign = match &pepper {
                Some(pepper) => uses_foreign_keys(&store, pepper).await?,
                None => false,
            };
            Ok::<_, StoreError>((difference, is_foreign))
        }
        .await;
        store.close().await;
        examined
    });
    match examined {
        Ok((Some(difference), _)) => Fault(super::TaskError::Clock(difference).to_string()),
        Ok((None, true)) => Fault(FOREIGN_KEYS.to_owned()),
        Ok((None, false)) if matches!(resolved.location(), Location::File(_)) => {
            Fine("the file can be read and written".to_owned())
        }
        Ok((None, false)) => Fine("the database can be read and written, and its clock agrees".to_owned()),
        Err(error) => Fault(super::TaskError::from(error).to_string()),
    }
}

/// Talks to the mail server up to the sender; sends nothing.
fn check_mail(resolved: &ResolvedConfig, config: &Config, clock: &Clock) -> Outcome {
    if let Some(folder) = resolved.mail_folder() {
        let text = format!("messages are written to {} and not sent", folder.display());
        return Note(text + "; set `mail` (MECELLE_MAIL) to a server");
    }
    if !resolved.abilities().mail {
        return Note(
            "`mail` (MECELLE_MAIL) is `none`: no message is sent, and no registration can be claimed".to_owned(),
        );
    }
    let Ok(site_url) = http::site_url(config) else { return Note("not examined without a build".to_owned()) };
    let host = host_of(&site_url).to_owned();
    let message = Message {
        id: "diagnose".to_owned(),
        to: format!("nobody@{host}"),
        sender: Sender { name: host.clone(), address: format!("no-reply@{host}") },
        at: clock.now(),
        locale: Locale::En,
        subject: "diagnose".to_owned(),
        text: String::new(),
        html: String::new(),
        unsubscribe: format!("{site_url}/"),
        host,
    };
    match resolved.reach_mail(&message) {
        Ok(Ok(())) => Fine("the server accepts this service as a sender".to_owned()),
        Ok(Err(error)) => Fault(error.to_string()),
        Err(error) => Fault(error.to_string()),
    }
}
