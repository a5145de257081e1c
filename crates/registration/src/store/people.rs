//! People, and to whom of them the users of providers are linked.

use super::{
    Result,
    sql::{Tx, values},
};
use crate::domain::{Mailbox, Subject};

const DELEGATION: &str = "SELECT email FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3";
const LEAVE: &str = "DELETE FROM principal WHERE email = $1
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.email = principal.email)
    AND NOT EXISTS (SELECT issuer FROM delegation WHERE delegation.email = principal.email)";

/// The person to whom a subject is linked; without a mailbox if the provider vouched for a telephone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked(pub(crate) Option<Mailbox>);

/// Returns to whom `subject` is linked, if it is.
pub(super) async fn find_link(tx: &mut Tx, subject: &Subject) -> Result<Option<Linked>> {
    let Subject { issuer, tenant, name } = subject.clone();
    let row = tx.one(DELEGATION, values![issuer, tenant, name]).await?;
    Ok(row.map(|row| row.maybe_text(0)).transpose()?.map(|email| Linked(email.map(Mailbox::from_stored))))
}

/// Forgets the person of `email` if nothing else is left of them. The caller holds the counter of registrations, so
/// that nobody registers meanwhile who would be linked to a person being forgotten.
pub(super) async fn forget_person_without_rows(tx: &mut Tx, email: String) -> Result<()> {
    tx.run(LEAVE, values![email]).await?;
    Ok(())
}
