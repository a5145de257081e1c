//! What becomes of registrations by themselves: those that nobody has claimed are over, and later forgotten.

use crate::{
    Time,
    store::{Store, StoreError},
};

/// Tells which registrations are over and forgets what nobody needs, a batch at a time with a pause for those who wait
/// to write. How many rows are gone.
pub(crate) async fn tidy(store: &Store, now: Time) -> Result<u64, StoreError> {
    while !store.expired(now).await?.is_empty() {
        tokio::task::yield_now().await;
    }
    let mut rows = 0;
    loop {
        let swept = store.sweep(now).await?;
        rows += swept.rows;
        if !swept.is_more {
            return Ok(rows);
        }
        tokio::task::yield_now().await;
    }
}
