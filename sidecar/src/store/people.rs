//! People, and to whom of them users of providers are linked.

use super::{
    Result,
    sql::{Tx, values},
};
use crate::registration::{Mailbox, Subject};

const DELEGATION: &str = "SELECT email FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3";
const LEAVE: &str = "DELETE FROM principal WHERE email = $1
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.email = principal.email)
    AND NOT EXISTS (SELECT issuer FROM delegation WHERE delegation.email = principal.email)";

/// To whom a subject is linked; to nobody's mailbox where the provider vouched for a telephone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linked(pub(crate) Option<Mailbox>);

/// To whom `subject` is linked, if it is.
pub(super) async fn linked(tx: &mut Tx, subject: &Subject) -> Result<Option<Linked>> {
    let Subject { issuer, tenant, name } = subject.clone();
    let row = tx.one(DELEGATION, values![issuer, tenant, name]).await?;
    Ok(row.map(|row| row.maybe_text(0)).transpose()?.map(|email| Linked(email.map(Mailbox::known))))
}

/// Forgets the person of `email`, if nothing else is left of them. Whoever calls this has the counter of registrations, so
/// that nobody registers meanwhile who would be linked to a person that is forgotten.
pub(super) async fn forget_if_alone(tx: &mut Tx, email: String) -> Result<()> {
    tx.run(LEAVE, values![email]).await?;
    Ok(())
}
