//! That providers spoke of somebody, as it is shown to them.

use super::{
    Result, Store,
    providers::{mailbox_row, user_row},
    sql::{Row, values},
};
use crate::{
    Time,
    registration::{Mailbox, Subject},
};

const OF_MAILBOX: &str = "SELECT issuer, revoked_before, expires_at FROM watermark WHERE subject = $1";
const OF_USER: &str = "SELECT issuer, revoked_before, expires_at FROM watermark
    WHERE issuer = $1 AND tenant = $2 AND subject = $3";

/// That a provider spoke of somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) issuer: String,
    pub(crate) about: About,
    /// Up to when it is void what the provider has said.
    pub(crate) void_before: Option<Time>,
    /// Until when this is remembered.
    pub(crate) expires: Time,
}

/// Of whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Mailbox,
    /// The user of this name, in each tenant.
    User(String),
    Subject {
        tenant: String,
        name: String,
    },
}

impl Store {
    /// What providers said of `mailbox`, and of `users`, as far as it is remembered.
    pub(crate) async fn marks_of(&self, mailbox: &Mailbox, mut users: Vec<Subject>) -> Result<Vec<Mark>> {
        let rows = self.all(OF_MAILBOX, values![mailbox_row(mailbox)]).await?;
        let mut marks = rows.iter().map(|row| mark(row, About::Mailbox)).collect::<Result<Vec<_>>>()?;
        marks.sort_by(|one, other| one.issuer.cmp(&other.issuer));
        let parts = |user: &Subject| (user.issuer.clone(), user.name.clone(), user.tenant.clone());
        users.sort_by_key(parts);
        users.dedup();
        let mut last = None;
        for Subject { issuer, tenant, name } in users {
            let user = (issuer.clone(), name.clone());
            if last.as_ref() != Some(&user) {
                let row = user_row(issuer.clone(), name.clone());
                if let Some(row) = self.one(OF_USER, values![row.issuer, row.tenant, row.name]).await? {
                    marks.push(mark(&row, About::User(name.clone()))?);
                }
                last = Some(user);
            }
            if let Some(row) = self.one(OF_USER, values![issuer, tenant.clone(), name.clone()]).await? {
                marks.push(mark(&row, About::Subject { tenant, name })?);
            }
        }
        Ok(marks)
    }
}

fn mark(row: &Row, about: About) -> Result<Mark> {
    let void_before = Some(row.number(1)?).filter(|time| *time > 0).map(Time::from_millis);
    Ok(Mark { issuer: row.text(0)?, about, void_before, expires: Time::from_millis(row.number(2)?) })
}
