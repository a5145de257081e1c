//! Credentials, looked up by digest.

use std::sync::Arc;

use clock::Time;
use contract::scopes::Scope;
use secrets::{Digest, RegistrationId};

use super::{Result, Store, error::is_unwritable, sql::values};

const READ: &str = "SELECT registration, scopes, expires_at, used_at, revoked_at FROM credential WHERE digest = $1";
const USE: &str = "UPDATE credential SET used_at = $2 WHERE digest = $1 AND used_at IS NULL AND revoked_at IS NULL
    RETURNING registration";

/// The registration and scopes of an accepted credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialHolder {
    pub registration: RegistrationId,
    pub(crate) scopes: Vec<Scope>,
}

impl Store {
    /// Returns the holder of the credential if it is in force at `now`, and records its first use.
    pub async fn use_credential(&self, digest: &Digest, now: Time) -> Result<Option<CredentialHolder>> {
        let (db, digest) = (Arc::clone(&self.db), digest.clone());
        self.run(async move {
            let Some(row) = db.one_by_digest(READ, &digest).await? else { return Ok(None) };
            if row.number(2)? <= now.millis() || row.maybe_number(4)?.is_some() {
                return Ok(None);
            }
            if row.maybe_number(3)?.is_none() {
                // A credential without a recorded use can be replaced as lost, so record the use before it counts. If
                // the disk is full, nothing can be replaced either, and the next use is recorded as the first.
                let is_noted = match db.one(USE, values![digest.as_str(), now]).await {
                    Err(error) if is_unwritable(&error) => true,
                    noted => noted?.is_some(),
                };
                if !is_noted {
                    let Some(again) = db.one(READ, values![digest.as_str()]).await? else { return Ok(None) };
                    if again.maybe_number(4)?.is_some() {
                        return Ok(None);
                    }
                }
            }
            Ok(Some(CredentialHolder {
                registration: RegistrationId::new(row.text(0)?),
                scopes: Scope::read_list(&row.text(1)?),
            }))
        })
        .await
    }

    /// Returns when the credential was first used.
    pub(crate) async fn first_used(&self, digest: &Digest) -> Result<Option<Time>> {
        let row = self.one(READ, values![digest.as_str()]).await?;
        Ok(row.map(|row| row.maybe_number(3)).transpose()?.flatten().map(Time::from_millis))
    }

    /// Returns the registration of a credential, in force or not.
    pub(crate) async fn by_credential(&self, digest: &Digest) -> Result<Option<RegistrationId>> {
        let row = self.one(READ, values![digest.as_str()]).await?;
        Ok(row.map(|row| row.text(0)).transpose()?.map(RegistrationId::new))
    }
}
