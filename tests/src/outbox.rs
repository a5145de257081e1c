//! The folder of the file transport for messages.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use contract::routes;

use crate::{secrets, wait::eventually};

#[derive(Debug)]
pub struct Outbox {
    folder: PathBuf,
    /// The messages by file name, which begins with the time.
    read: Mutex<BTreeMap<String, Message>>,
}

#[derive(Debug)]
struct Message {
    to: String,
    language: String,
    /// The whole message, decoded as far as tests need.
    text: String,
}

impl Outbox {
    /// `folder` need not exist yet.
    #[must_use]
    pub const fn in_folder(folder: PathBuf) -> Self {
        Self { folder, read: Mutex::new(BTreeMap::new()) }
    }

    pub fn count(&self, mailbox: &str) -> usize {
        self.all(|messages| messages.values().filter(|message| message.to == mailbox).count())
    }

    /// Returns the secret of the link in the newest message to `mailbox`, if there is one.
    pub fn link(&self, mailbox: &str) -> Option<String> {
        // The link to the claim or to the list of access; messages have other links too.
        let views = [routes::CLAIM_VIEW, routes::ACCESS_VIEW];
        self.all(|messages| {
            let text = &newest(messages, mailbox)?.text;
            views.iter().find_map(|view| secret_after(&format!("{view}?token="), text))
        })
    }

    /// Returns the messages, oldest first; messages that wait together are sent in any order.
    pub fn texts(&self) -> Vec<String> {
        self.all(|messages| messages.values().map(|message| message.text.clone()).collect())
    }

    /// Waits for the message after the first `seen` ones with a secret of `prefix`, and returns its secret. The test must have seen
    /// those: messages that wait together are sent in any order.
    pub fn secret(&self, prefix: &str, seen: usize) -> String {
        wait_for_value(prefix, || {
            let texts = self.texts();
            let rest = texts.iter().filter_map(|text| secret_after(prefix, text)).nth(seen)?;
            Some(format!("{prefix}{rest}"))
        })
    }

    /// Waits for a message to `mailbox` with a secret of `prefix`, and returns its secret.
    pub fn secret_to(&self, mailbox: &str, prefix: &str) -> String {
        wait_for_value(mailbox, || {
            let rest = self.all(|messages| secret_after(prefix, &newest(messages, mailbox)?.text))?;
            Some(format!("{prefix}{rest}"))
        })
    }

    /// Returns the language of the newest message to `mailbox`, which must exist.
    pub fn language(&self, mailbox: &str) -> String {
        self.all(|messages| newest(messages, mailbox).expect("a message").language.clone())
    }

    /// Waits for a message to `mailbox` and returns its link.
    pub fn wait(&self, mailbox: &str) -> String {
        self.wait_for(mailbox, 1)
    }

    /// Waits for `count` messages to `mailbox` and returns the link of the newest.
    pub fn wait_for(&self, mailbox: &str, count: usize) -> String {
        wait_for_value(mailbox, || if self.count(mailbox) < count { None } else { self.link(mailbox) })
    }

    fn all<T>(&self, look: impl FnOnce(&BTreeMap<String, Message>) -> T) -> T {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = fs::read_dir(&self.folder).into_iter().flatten();
        for path in entries.map(|entry| entry.expect("a readable entry").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".eml") && !read.contains_key(&name) {
                let text = fs::read_to_string(&path).expect("a message");
                // Quoted-printable: a long line continues after `=`, and `=` is written `=3D`.
                let text = text.replace("=\r\n", "").replace("=3D", "=");
                secrets::harvest(text.as_bytes());
                let [to, language] = ["To", "Content-Language"].map(|field| {
                    let rest = text.split_once(&format!("\r\n{field}: ")).map(|(_, rest)| rest);
                    rest.and_then(|rest| rest.split("\r\n").next()).unwrap_or_else(|| panic!("no {field}")).to_owned()
                });
                read.insert(name, Message { to, language, text });
            }
        }
        look(&read)
    }
}

fn newest<'a>(messages: &'a BTreeMap<String, Message>, mailbox: &str) -> Option<&'a Message> {
    messages.values().rev().find(|message| message.to == mailbox)
}

/// Waits until `look` returns a value.
fn wait_for_value(what: &str, look: impl Fn() -> Option<String>) -> String {
    let mut it = None;
    eventually(&format!("a message for {what}"), || {
        it = look();
        it.is_some()
    });
    it.unwrap_or_default()
}

/// Returns the secret behind `beginning`.
fn secret_after(beginning: &str, text: &str) -> Option<String> {
    let (_, rest) = text.split_once(beginning)?;
    Some(rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect())
}
