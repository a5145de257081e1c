//! The use cases: what an agent, a person, a provider can ask for.

use super::{
    AccessToken, AccessView, Caller, Challenge, ClaimRequest, ClaimStarted, ClaimToken, ClaimView, Completed,
    Completion, Digest, Exchange, LinkToken, Mailbox, Refusal, Registered, RegistrationRequest, Secret, Token, Which,
    event::ProviderEvent,
};
use crate::Time;
use contract::Locale;

/// Keeps registrations. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registrar {}

impl Registrar {
    /// Registers an agent.
    pub(crate) async fn register(&self, _: RegistrationRequest, _: &Caller, _now: Time) -> Result<Registered, Refusal> {
        Err(Refusal::STORE)
    }

    /// Asks a person to claim a registration.
    pub(crate) async fn claim(&self, _: ClaimRequest, _: &Caller, _now: Time) -> Result<ClaimStarted, Refusal> {
        Err(Refusal::STORE)
    }

    /// Takes the code that the person was shown.
    pub(crate) async fn complete(&self, _: Completion, _: &Caller, _now: Time) -> Result<Completed, Refusal> {
        Err(Refusal::STORE)
    }

    /// Answers a poll with the claim grant.
    pub(crate) async fn redeem(&self, _: ClaimToken, _: &Caller, _now: Time) -> Result<Token, Refusal> {
        Err(Refusal::STORE)
    }

    /// Exchanges an assertion for a credential.
    pub(crate) async fn exchange(&self, _: Exchange, _: &Caller, _now: Time) -> Result<Token, Refusal> {
        Err(Refusal::STORE)
    }

    /// Ends whatever `token` is; unknown ones are ended already (RFC 7009).
    pub(crate) async fn revoke_token(&self, _token: &Secret, _now: Time) -> Result<(), Refusal> {
        Err(Refusal::STORE)
    }

    /// Applies a provider's event; says how many registrations ended.
    pub(crate) async fn provider_event(&self, _: ProviderEvent, _now: Time) -> Result<usize, Refusal> {
        Err(Refusal::STORE)
    }

    /// What a person sees who was asked. Changes nothing.
    pub(crate) async fn view(&self, _link: &LinkToken, _now: Time) -> Result<ClaimView, Refusal> {
        Err(Refusal::STORE)
    }

    /// Shows the code: the same for as long as the attempt lasts.
    pub(crate) async fn challenge(&self, _link: &LinkToken, _: &Caller, _now: Time) -> Result<Challenge, Refusal> {
        Err(Refusal::STORE)
    }

    /// The person refuses.
    pub(crate) async fn deny(&self, _link: &LinkToken, _now: Time) -> Result<(), Refusal> {
        Err(Refusal::STORE)
    }

    /// Sends a link to what agents hold, if there is anything. The answer does not tell.
    pub(crate) async fn request_access(
        &self,
        _email: &Mailbox,
        _locale: Locale,
        _: &Caller,
        _now: Time,
    ) -> Result<(), Refusal> {
        Err(Refusal::STORE)
    }

    /// What agents hold in the name of who got the link. Changes nothing.
    pub(crate) async fn access(&self, _link: &AccessToken, _now: Time) -> Result<AccessView, Refusal> {
        Err(Refusal::STORE)
    }

    /// Revokes what `which` says; says how many registrations ended.
    pub(crate) async fn revoke_access(&self, _link: &AccessToken, _: Which, _now: Time) -> Result<usize, Refusal> {
        Err(Refusal::STORE)
    }

    /// Who holds the credential of this digest.
    pub(crate) async fn check(&self, _digest: &Digest, _now: Time) -> Result<Option<()>, Refusal> {
        Err(Refusal::STORE)
    }
}
