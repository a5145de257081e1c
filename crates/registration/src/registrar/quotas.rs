//! How often things may be asked for.

/// How often things may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Anonymous registrations of one client in an hour.
    pub anonymous_per_client: u32,
    /// All anonymous registrations in an hour.
    pub anonymous: u32,
    /// Registrations of one client by e-mail and on a provider's word in an hour, together.
    pub assertions_per_client: u32,
    /// All registrations by e-mail in an hour, and as many on providers' word.
    pub assertions: u32,
    /// Letters that one client may ask for in an hour.
    pub letters_per_client: u32,
    /// Letters of each kind to one mailbox in an hour; twice as many in a day.
    pub letters_per_mailbox: u32,
    /// Letters that agents cause to all mailboxes of one domain in a day.
    pub letters_per_domain: u32,
    /// All letters that agents cause in a day, and as many that people ask for themselves.
    pub letters: u32,
    /// Wrong codes of one client in an hour.
    pub wrong_codes_per_client: u32,
    /// All wrong codes in an hour.
    pub wrong_codes: u32,
    /// Registrations that are kept, of all kinds and states; once there are as many, nobody registers without an
    /// identity.
    pub registrations: u64,
    /// Links to what agents hold that are kept; once there are as many, nobody is sent another.
    pub links: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            anonymous_per_client: 5,
            anonymous: 100,
            assertions_per_client: 60,
            assertions: 1000,
            letters_per_client: 20,
            letters_per_mailbox: 5,
            letters_per_domain: 500,
            letters: 2000,
            wrong_codes_per_client: 20,
            wrong_codes: 100,
            registrations: 1_000_000,
            links: 100_000,
        }
    }
}
