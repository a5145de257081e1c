//! Creates the folder of a firm: settings, the pages that every firm has, a sample of each kind of entry, and files for
//! git and editors.
//!
//! The files are written to a temporary folder, checked as by `generator check`, and then moved, so that the new folder
//! is complete or absent.

mod forge;

use content::Kind;
use findings::{
    Findings,
    messages::{self, Text},
};
pub use forge::Forge;
use hosts::Host;
use site::{Loading, load};

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use contract::text::Uri;
use jiff::{Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use markdown::turkish;
use tera::{Context, Kwargs, State, Tera};

use crate::{arrange::arrange, schema};

/// Every file of a new folder, sorted by name. Text files are templates.
const STARTER: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/starter.rs"));
/// Names that get a leading dot. In this repository they have none, so that git and editors ignore them.
const HIDDEN: [&str; 4] = ["editorconfig", "gitattributes", "gitignore", "vscode"];
/// Where editors find the schemas.
const SCHEMAS: &str = ".vscode/schemas";
/// Characters of a firm's name: every page shows it in its header.
const MAX_NAME: usize = 80;
/// Days until `security.txt` expires; RFC 9116 recommends less than a year.
const SECURITY_DAYS: i64 = 360;
/// Characters of the title of an MCP server.
const MAX_SERVER_TITLE: usize = 100;
/// The domain of e-mail addresses if the site has none yet.
const NO_DOMAIN: &str = "firm.example";

/// The facts about a firm for its new site.
#[derive(Clone, Copy, Debug)]
pub struct NewSite<'a> {
    pub name_en: &'a str,
    pub name_tr: &'a str,
    /// `None` to take the words with which both names begin.
    pub short_name: Option<&'a str>,
    pub site_url: &'a str,
    pub now: Timestamp,
    /// Forges for which to write workflows.
    pub forges: &'a [Forge],
    /// Host to deploy to; `None` for the sidecar on a machine of the firm.
    pub host: Option<Host>,
    /// Whether the sidecar offers MCP and registration.
    pub has_service: bool,
}

/// The reason why no folder was created.
#[derive(Debug)]
pub enum InitError {
    /// The folder contains files.
    NotEmpty(PathBuf),
    /// Not an origin, with the expected form.
    Origin(String, Text),
    /// The option has an unusable name, with the reason.
    Name(&'static str, Text),
    /// GitHub Pages with another forge than GitHub.
    Pages,
    Disk(PathBuf, io::Error),
    /// A defect in a built-in template.
    Template(tera::Error),
    /// The folder would not pass `generator check`.
    Findings(Box<Findings>),
}

impl InitError {
    pub fn message(&self) -> Text {
        match self {
            Self::NotEmpty(path) => messages::folder_not_vacant(path.display()),
            Self::Origin(given, expected) => messages::origin_not_usable(expected.clone(), given),
            Self::Name(option, problem) => messages::option_not_usable(option, problem.clone()),
            Self::Pages => messages::init_pages_without_github(),
            Self::Disk(path, error) => messages::nothing_started(path.display(), error),
            Self::Template(error) => messages::starter_defective(error),
            Self::Findings(_) => messages::starter_with_errors(),
        }
    }
}

/// Creates `folder`, and returns the number of its files.
///
/// # Errors
/// If the folder contains more than `.git`, a value is not usable, or the disk fails; new files are then removed.
pub fn init(folder: &Path, site: &NewSite<'_>) -> Result<usize, InitError> {
    let context = context(site)?;
    let of_forges = forge::files(site.forges, site.host)?;
    let folder = std::path::absolute(folder).map_err(|error| InitError::Disk(folder.to_owned(), error))?;
    check_vacant(&folder)?;
    let disk = |error| InitError::Disk(folder.clone(), error);
    let parent = folder.parent().unwrap_or(&folder);
    fs::create_dir_all(parent).map_err(disk)?;
    // On the same file system, so that the files can be renamed. Dropping it deletes it.
    let made = tempfile::Builder::new().prefix(".init-").tempdir_in(parent).map_err(disk)?;
    fill(made.path(), &context)?;
    // So that an editor in the browser changes only what a person changes.
    for change in arrange(&made.path().join("content"), false).changes {
        change.apply().map_err(|error| {
            InitError::Disk(folder.clone(), io::Error::other(error[contract::Locale::En].to_owned()))
        })?;
    }
    let schemas = schema::write(&made.path().join(SCHEMAS), schema::names());
    let schemas = schemas.map_err(|(path, error)| InitError::Disk(path, error))?;
    for file in &of_forges {
        write(&made.path().join(file.path), file.text.as_bytes(), file.is_program)?;
    }
    examine(made.path(), site)?;
    let existed = folder.is_dir();
    fs::create_dir_all(&folder).map_err(disk)?;
    let mut moved = Vec::new();
    let moving = fs::read_dir(made.path()).and_then(|entries| {
        for entry in entries {
            let entry = entry?;
            let target = folder.join(entry.file_name());
            fs::rename(entry.path(), &target)?;
            moved.push((entry.path(), target));
        }
        Ok(())
    });
    moving.map_err(|error| {
        for (from, to) in moved {
            let _ = fs::rename(to, from);
        }
        if !existed {
            let _ = fs::remove_dir(&folder);
        }
        disk(error)
    })?;
    Ok(STARTER.len() + schemas.len() + of_forges.len())
}

/// Checks that `folder` contains no files except `.git`, as in a clone of an empty repository.
fn check_vacant(folder: &Path) -> Result<(), InitError> {
    let not_empty = || InitError::NotEmpty(folder.to_owned());
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.find(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name() != ".git")) {
            Some(_) => Err(not_empty()),
            None => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(not_empty()),
        Err(error) => Err(InitError::Disk(folder.to_owned(), error)),
    }
}

fn fill(made: &Path, context: &Context) -> Result<(), InitError> {
    let mut engine = Tera::new();
    engine.autoescape_on(Vec::<String>::new());
    // A JSON string is also a double-quoted string of YAML and of TOML.
    engine.register_filter("quote", |text: &str, _: Kwargs, _: &State| serde_json::Value::from(text).to_string());
    engine.register_filter("line", |text: &str, _: Kwargs, _: &State| markdown::line_words(text).into_owned());
    for (name, bytes) in STARTER {
        let rendered = match str::from_utf8(bytes) {
            Ok(text) => engine.render_str(text, context, false).map_err(InitError::Template)?.into_bytes(),
            Err(_) => bytes.to_vec(),
        };
        let is_hidden = name.split('/').next().is_some_and(|first| HIDDEN.contains(&first));
        let path = if is_hidden { made.join(format!(".{name}")) } else { made.join(name) };
        write(&path, &rendered, false)?;
    }
    Ok(())
}

/// Writes a file, and the folders around it.
fn write(path: &Path, bytes: &[u8], is_program: bool) -> Result<(), InitError> {
    let disk = |error| InitError::Disk(path.to_owned(), error);
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(disk)?;
    fs::write(path, bytes).map_err(disk)?;
    #[cfg(unix)]
    if is_program {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(disk)?;
    }
    #[cfg(not(unix))]
    let _ = is_program;
    Ok(())
}

/// Checks the folder as `generator check` does.
fn examine(made: &Path, site: &NewSite<'_>) -> Result<(), InitError> {
    let content = made.join("content");
    let loading = Loading { content: &content, site_url: None, now: site.now, drafts: true };
    load(&loading).map(drop).map_err(|findings| InitError::Findings(Box::new(findings)))
}

/// Returns the values of the templates.
fn context(site: &NewSite<'_>) -> Result<Context, InitError> {
    let origin =
        content::origin(site.site_url).map_err(|expected| InitError::Origin(site.site_url.to_owned(), expected))?;
    let (en, tr) = (name("--name-en", site.name_en)?, name("--name-tr", site.name_tr)?);
    let short = match site.short_name {
        Some(short) => name("--short-name", short)?,
        None => common_words(en, tr),
    };
    let slug = turkish::slug(short, contract::Locale::Tr);
    let slug = if slug.is_empty() { "firm" } else { &slug };
    let domain = domain(&origin);
    let mut labels: Vec<&str> = domain.split('.').collect();
    labels.reverse();
    let today = site.now.to_zoned(TimeZone::UTC).date();
    let expires: Date = today.saturating_add(SECURITY_DAYS.days());
    let title = |words: String| if words.chars().count() > MAX_SERVER_TITLE { short.to_owned() } else { words };

    let mut context = Context::new();
    for (key, value) in [
        ("site_url", origin.as_str().to_owned()),
        ("name_en", en.to_owned()),
        ("name_tr", tr.to_owned()),
        ("short_name", short.to_owned()),
        ("service", format!("{slug}-content-api")),
        ("sandbox_key", format!("sandbox_{}_public_readonly", slug.replace('-', "_"))),
        ("email", format!("info@{domain}")),
        ("security", format!("mailto:security@{domain}")),
        ("mcp_name", format!("{}/content", labels.join("."))),
        ("mcp_title_en", title(format!("Public content of {en}"))),
        ("mcp_title_tr", title(format!("{tr}: kamuya açık içerik"))),
        ("today", today.to_string()),
        ("expires", expires.to_string()),
    ] {
        context.insert(key, &value);
    }
    context.insert("kinds", &Kind::ALL.map(Kind::folder));
    context.insert("has_service", &site.has_service);
    context.insert("has_forge", &!site.forges.is_empty());
    Ok(context)
}

fn name<'a>(option: &'static str, text: &'a str) -> Result<&'a str, InitError> {
    let text = text.trim();
    let problem = if text.is_empty() {
        messages::firm_name_empty()
    } else if text.chars().count() > MAX_NAME {
        messages::firm_name_too_long()
    } else if text.contains(char::is_control) {
        messages::firm_name_in_lines()
    } else {
        return Ok(text);
    };
    Err(InitError::Name(option, problem))
}

/// Returns the words with which both names begin; without any, the first name.
fn common_words<'a>(one: &'a str, other: &str) -> &'a str {
    let mut end = 0;
    for (word, same) in one.split(' ').zip(other.split(' ')) {
        if word != same {
            break;
        }
        end += word.len() + usize::from(end > 0);
    }
    if end == 0 { one } else { one[..end].trim_end_matches([',', '&', ' ']) }
}

/// Returns the domain of an origin without `www.`, or [`NO_DOMAIN`] if the host is an IP address or `localhost`.
fn domain(origin: &Uri) -> &str {
    let host = origin.as_str().split_once("://").map_or("", |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let is_domain = host.contains('.') && host.rsplit('.').next().is_some_and(|last| last.parse::<u8>().is_err());
    if is_domain { host } else { NO_DOMAIN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_name_is_the_common_beginning_of_both_names() {
        assert_eq!(common_words("Erguvan Attorneys at Law", "Erguvan Avukatlık Ortaklığı"), "Erguvan");
        assert_eq!(common_words("Erguvan & Partners", "Erguvan & Ortakları"), "Erguvan");
        assert_eq!(common_words("Law Office of Erguvan", "Erguvan Hukuk Bürosu"), "Law Office of Erguvan");
        assert_eq!(common_words("Erguvan", "Erguvan"), "Erguvan");
    }

    #[test]
    fn addresses_of_mail_have_the_domain_of_the_site() {
        for (origin, expected) in [
            ("https://www.erguvan.example", "erguvan.example"),
            ("https://hukuk.erguvan.example:8443", "hukuk.erguvan.example"),
            ("http://127.0.0.1:8080", NO_DOMAIN),
            ("http://localhost:8080", NO_DOMAIN),
        ] {
            assert_eq!(domain(&content::origin(origin).unwrap()), expected);
        }
    }
}
