//! People (`principal`), and the links of providers' users to them (`delegation`).

use providers::Subject;
use secrets::Mailbox;

use super::{
    Result,
    sql::{Tx, values},
};

const DELEGATION: &str = "SELECT email FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3";
const LEAVE: &str = "DELETE FROM principal WHERE email = $1
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.email = principal.email)
    AND NOT EXISTS (SELECT issuer FROM delegation WHERE delegation.email = principal.email)";

/// The mailbox that a subject is linked to; `None` if the provider vouched by telephone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked(pub(crate) Option<Mailbox>);

pub(super) async fn find_link(tx: &mut Tx, subject: &Subject) -> Result<Option<Linked>> {
    let Subject { issuer, tenant, name } = subject.clone();
    let row = tx.one(DELEGATION, values![issuer, tenant, name]).await?;
    Ok(row.map(|row| row.maybe_text(0)).transpose()?.map(|email| Linked(email.map(Mailbox::from_stored))))
}

/// Deletes the person of `email` if no registration and no link refers to them. The caller holds the counter of
/// registrations, so that none is made meanwhile.
pub(super) async fn forget_person_without_rows(tx: &mut Tx, email: String) -> Result<()> {
    tx.run(LEAVE, values![email]).await?;
    Ok(())
}
