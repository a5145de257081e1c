//! "No more messages", for the holder of the link that is in every message.

use clock::Time;

use super::Registrar;
use crate::{domain::StopToken, store::StoreError};

impl Registrar {
    /// Whether the holder of `stop` gets messages. `None` if it is not a link of ours.
    pub async fn gets_emails(&self, stop: &StopToken) -> Result<Option<bool>, StoreError> {
        let Some(mailbox) = self.0.pepper.stopped_by(stop) else { return Ok(None) };
        Ok(Some(!self.0.store.has_opted_out(&mailbox).await?))
    }

    /// Stops messages to the holder of `stop`, or resumes them if `again`. Returns `false` if it is not a link of ours.
    pub async fn silence(&self, stop: &StopToken, again: bool, now: Time) -> Result<bool, StoreError> {
        let Some(mailbox) = self.0.pepper.stopped_by(stop) else { return Ok(false) };
        self.0.store.silence(&mailbox, again, now).await?;
        Ok(true)
    }
}
