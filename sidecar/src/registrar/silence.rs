//! "No more messages", for whoever has the link that stands in every message.

use super::Registrar;
use crate::{Time, registration::StopToken, store::StoreError};

impl Registrar {
    /// Whether whoever has `stop` gets messages; nothing where it is no link of ours.
    pub(crate) async fn gets_letters(&self, stop: &StopToken) -> Result<Option<bool>, StoreError> {
        let Some(mailbox) = self.0.pepper.stopped_by(stop) else { return Ok(None) };
        Ok(Some(!self.0.store.is_silent(&mailbox).await?))
    }

    /// Lets whoever has `stop` get no more messages, or get them `again`. `false` where it is no link of ours.
    pub(crate) async fn silence(&self, stop: &StopToken, again: bool, now: Time) -> Result<bool, StoreError> {
        let Some(mailbox) = self.0.pepper.stopped_by(stop) else { return Ok(false) };
        self.0.store.silence(&mailbox, again, now).await?;
        Ok(true)
    }
}
