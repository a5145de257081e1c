//! The model of one registration: what a status needs besides its row in the table.

use contract::scopes::Scope;

use super::{
    call::{CallResult, SentCode},
    table::{CLAIM, CODE, ClaimStatus, DENY, GRANT, LINK, VOID, WAIT},
};

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// An email counts as sent this long after it was taken from the outbox.
const SENT: i64 = 45 * SECOND;
/// A poll leaves the credential of the code in place this long after the claim.
const GRACE: i64 = 2 * MINUTE;
const MAX_ATTEMPTS: usize = 5;
const MAX_TRIES: u8 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegistrationState {
    Unclaimed,
    /// When the newest attempt's email left, when its code was shown, and how many guesses were made.
    Pending {
        sent: Option<i64>,
        shown: Option<i64>,
        tries: u8,
    },
    /// Claimed by the newest attempt, if there was one.
    Claimed {
        at: i64,
    },
    Denied,
    Revoked,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Registration {
    state: RegistrationState,
    /// The provider's user, and the time of the assertion.
    pub(super) user: Option<(usize, i64)>,
    /// The only person who may claim it.
    bound: Option<usize>,
    /// The person who owns or owned it, or is asked.
    pub(super) person: Option<usize>,
    is_brief: bool,
    created: i64,
    deadline: i64,
    pub(super) attempts: Vec<usize>,
    /// The person whom each attempt asks.
    asked: Vec<usize>,
    refused: Vec<usize>,
    poll_from: i64,
    interval: i64,
    /// Every credential ever issued.
    pub(super) issued: Vec<usize>,
    held: Option<LiveCredential>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LiveCredential {
    credential: usize,
    until: i64,
    /// Whether it was issued for a claim.
    is_claimed: bool,
    is_wide: bool,
    is_used: bool,
}

impl Registration {
    pub(super) const fn new(is_brief: bool, now: i64) -> Self {
        Self {
            state: RegistrationState::Unclaimed,
            user: None,
            bound: None,
            person: None,
            is_brief,
            created: now,
            deadline: now + DAY,
            attempts: Vec::new(),
            asked: Vec::new(),
            refused: Vec::new(),
            poll_from: 0,
            interval: 5 * SECOND,
            issued: Vec::new(),
            held: None,
        }
    }

    /// Sets the provider's user.
    pub(super) const fn vouched(mut self, user: usize, asserted: i64) -> Self {
        self.user = Some((user, asserted));
        self
    }

    /// Binds it to `person`, who is asked at once.
    pub(super) fn bound(mut self, person: usize, attempt: usize) -> Self {
        self.bound = Some(person);
        self.ask(person, attempt);
        self
    }

    /// Adds a credential before any consent.
    pub(super) fn provisional(mut self, credential: usize, now: i64) -> Self {
        let until = if self.is_brief { now + HOUR } else { self.deadline };
        self.hold(LiveCredential { credential, until, is_claimed: false, is_wide: false, is_used: false });
        self
    }

    /// Makes it claimed from the start.
    pub(super) fn settled(mut self, person: Option<usize>, credential: usize, now: i64) -> Self {
        (self.state, self.deadline, self.person) = (RegistrationState::Claimed { at: now }, now, person);
        self.hold_full(credential, now);
        self
    }

    fn status(&self, now: i64) -> ClaimStatus {
        match self.state {
            RegistrationState::Claimed { .. } => ClaimStatus::Claimed,
            RegistrationState::Denied => ClaimStatus::Denied,
            RegistrationState::Revoked => ClaimStatus::Revoked,
            _ if now >= self.deadline => ClaimStatus::Expired,
            RegistrationState::Unclaimed => ClaimStatus::Unclaimed,
            RegistrationState::Pending { tries: MAX_TRIES, .. } => ClaimStatus::Over,
            RegistrationState::Pending { .. } if now >= self.end_of_attempt(now) => ClaimStatus::Over,
            RegistrationState::Pending { shown: None, .. } => ClaimStatus::Initiated,
            RegistrationState::Pending { .. } => ClaimStatus::Shown,
        }
    }

    /// Until its email has left, an attempt has its full time, limited by the registration's deadline.
    fn end_of_attempt(&self, now: i64) -> i64 {
        let RegistrationState::Pending { sent, shown, .. } = self.state else { return now };
        let own = shown.map_or_else(|| sent.map_or(now, |sent| sent.min(now)) + HOUR, |shown| shown + 10 * MINUTE);
        self.deadline.min(own)
    }

    fn life(&self) -> i64 {
        if self.is_brief { HOUR } else { 90 * DAY }
    }

    fn hold(&mut self, held: LiveCredential) {
        self.issued.push(held.credential);
        self.held = Some(held);
    }

    fn hold_full(&mut self, credential: usize, now: i64) {
        let until = now + self.life();
        self.hold(LiveCredential { credential, until, is_claimed: true, is_wide: true, is_used: false });
    }

    fn ask(&mut self, person: usize, attempt: usize) {
        self.attempts.push(attempt);
        self.asked.push(person);
        self.person = Some(person);
        (self.poll_from, self.interval) = (0, 5 * SECOND);
        self.state = RegistrationState::Pending { sent: None, shown: None, tries: 0 };
    }

    pub(super) fn claim(&mut self, person: usize, attempt: usize, now: i64) -> CallResult {
        let status = self.status(now);
        let code = match CLAIM.at(status) {
            "200" if self.bound.is_some_and(|bound| bound != person) => "claimed_or_in_flight",
            "200" if self.refused.contains(&person) => "access_denied",
            // A pending request to the same person is not repeated.
            "200" if matches!(status, ClaimStatus::Initiated | ClaimStatus::Shown) && self.person == Some(person) => {
                "200"
            }
            "200" if self.attempts.len() == MAX_ATTEMPTS => "rate_limited",
            "200" => {
                self.ask(person, attempt);
                "200"
            }
            refusal => refusal,
        };
        if code != "200" {
            return CallResult::of(code);
        }
        CallResult {
            attempt: self.attempts.last().copied(),
            until: Some(self.end_of_attempt(now)),
            ..CallResult::of(code)
        }
    }

    /// Returns the answer to the link of `attempt`. While there is a newest attempt, every other link is void.
    pub(super) fn link(&self, attempt: usize, now: i64) -> &'static str {
        let status = self.status(now);
        let is_newest = self.attempts.last() == Some(&attempt);
        match status {
            ClaimStatus::Initiated | ClaimStatus::Shown | ClaimStatus::Over | ClaimStatus::Claimed if !is_newest => {
                VOID
            }
            _ => LINK.at(status),
        }
    }

    pub(super) fn send(&mut self, attempt: usize, now: i64) {
        let now = now + SENT;
        let is_open = self.link(attempt, now) == "200";
        if let RegistrationState::Pending { sent, shown: None, .. } = &mut self.state
            && is_open
        {
            sent.get_or_insert(now);
        }
    }

    pub(super) fn show(&mut self, attempt: usize, now: i64) -> CallResult {
        let code = self.link(attempt, now);
        let RegistrationState::Pending { shown, .. } = &mut self.state else { return CallResult::of(code) };
        if code != "200" {
            return CallResult::of(code);
        }
        shown.get_or_insert(now);
        CallResult { until: Some(self.end_of_attempt(now)), ..CallResult::of(code) }
    }

    pub(super) fn deny(&mut self, attempt: usize, now: i64) -> CallResult {
        let code = DENY.at(self.status(now));
        if code != "200" {
            return CallResult::of(self.link(attempt, now));
        }
        let recipient =
            self.attempts.iter().zip(&self.asked).find(|(own, _)| **own == attempt).map(|(_, person)| *person);
        self.refused.extend(recipient);
        if self.bound.is_some() {
            self.state = RegistrationState::Denied;
        } else if self.person == recipient {
            (self.state, self.person) = (RegistrationState::Unclaimed, None);
        }
        CallResult::of(code)
    }

    pub(super) fn complete(&mut self, code: SentCode, credential: usize, now: i64) -> CallResult {
        let answer = CODE.at(self.status(now));
        let RegistrationState::Pending { tries, .. } = &mut self.state else { return CallResult::of(answer) };
        if answer != "200" {
            return CallResult::of(answer);
        }
        if self.attempts.last().copied().map(SentCode::Code) != Some(code) {
            // A text that is no code is no guess.
            *tries += u8::from(code != SentCode::Slip);
            return CallResult { left: Some(MAX_TRIES - *tries), ..CallResult::of("otp_invalid") };
        }
        self.state = RegistrationState::Claimed { at: now };
        let until = now + self.life();
        match &mut self.held {
            // The same key gets more scopes, for longer.
            Some(held) if now < held.until => {
                (held.until, held.is_wide) = (until, true);
                self.holding(None, now)
            }
            _ => {
                self.hold_full(credential, now);
                self.holding(Some(credential), now)
            }
        }
    }

    pub(super) fn poll(&mut self, credential: usize, now: i64) -> CallResult {
        let code = GRANT.at(self.status(now));
        if code == WAIT {
            return self.wait(now);
        }
        let RegistrationState::Claimed { at } = self.state else { return CallResult::of(code) };
        let is_in_use = self.held.is_some_and(|held| held.is_claimed && held.is_used);
        if now < at + GRACE && self.live(now).is_some() {
            // The longest interval is checked first, without a lock.
            let is_idle = self.is_early(now) && self.interval == MINUTE;
            return if is_in_use && !is_idle { CallResult::of("invalid_grant") } else { self.wait(now) };
        }
        if is_in_use || !self.is_to_be_repaired(now) {
            return CallResult::of("invalid_grant");
        }
        self.hold_full(credential, now);
        self.holding(Some(credential), now)
    }

    /// Counts a poll that brings nothing yet.
    fn wait(&mut self, now: i64) -> CallResult {
        if self.is_early(now) {
            self.interval = (self.interval + 5 * SECOND).min(MINUTE);
            return CallResult::of("slow_down");
        }
        self.poll_from = now + self.interval;
        CallResult::of(WAIT)
    }

    /// A poll may come half a second early, and one that is too early does not postpone the next.
    const fn is_early(&self, now: i64) -> bool {
        now + SECOND / 2 < self.poll_from
    }

    /// Whether the claim is recent enough to exchange the earlier credential and to repeat a lost reply.
    fn is_to_be_repaired(&self, now: i64) -> bool {
        let RegistrationState::Claimed { at } = self.state else { return false };
        self.held.is_some() && now < at + 10 * MINUTE
    }

    /// Whether its claim token still works.
    pub(super) fn is_token_good(&self, now: i64) -> bool {
        match self.status(now) {
            ClaimStatus::Unclaimed | ClaimStatus::Initiated | ClaimStatus::Shown | ClaimStatus::Over => true,
            ClaimStatus::Claimed => self.is_to_be_repaired(now),
            _ => false,
        }
    }

    /// Returns the answer to a call that issued or widened the credential.
    pub(super) fn holding(&self, credential: Option<usize>, now: i64) -> CallResult {
        let Some(held) = self.held.filter(|held| now < held.until) else { return CallResult::of("200") };
        CallResult { credential, scopes: held.scopes(), until: Some(held.until), ..CallResult::of("200") }
    }

    pub(super) fn present(&mut self, credential: usize, now: i64) -> CallResult {
        match &mut self.held {
            Some(held) if held.credential == credential && now < held.until => {
                held.is_used = true;
                CallResult { scopes: held.scopes(), ..CallResult::of("200") }
            }
            _ => CallResult::of("401"),
        }
    }

    /// Ends it. Returns whether there was anything to end, which for an expired registration is its key.
    pub(super) fn revoke(&mut self, now: i64) -> bool {
        let is_live = !matches!(self.status(now), ClaimStatus::Expired | ClaimStatus::Denied | ClaimStatus::Revoked);
        if is_live {
            self.deadline = self.deadline.max(now);
            self.state = RegistrationState::Revoked;
        }
        self.held.take().is_some() || is_live
    }

    /// Whether it gives agents access in the name of `person`.
    pub(super) fn is_held_for(&self, person: usize, now: i64) -> bool {
        self.person == Some(person)
            && matches!(self.state, RegistrationState::Claimed { .. })
            && self.live(now).is_some()
    }

    /// Returns the live credential and its scopes.
    pub(super) fn live(&self, now: i64) -> Option<(usize, Vec<Scope>)> {
        self.held.filter(|held| now < held.until).map(|held| (held.credential, held.scopes()))
    }

    /// Returns the time after which it is deleted.
    pub(super) fn forgotten(&self) -> i64 {
        self.held.map_or(self.created, |held| held.until).max(self.deadline) + 30 * DAY
    }

    /// Returns when its state changes by time alone.
    pub(super) fn moments(&self, now: i64) -> Vec<i64> {
        let mut moments = vec![self.deadline, self.poll_from, self.end_of_attempt(now), self.forgotten() + 1];
        if let RegistrationState::Pending { sent: Some(sent), .. } = self.state {
            moments.push(sent);
        }
        if let RegistrationState::Claimed { at } = self.state {
            moments.extend([at + GRACE, at + 10 * MINUTE]);
        }
        moments.extend(self.held.map(|held| held.until));
        moments
    }
}

impl LiveCredential {
    fn scopes(&self) -> Vec<Scope> {
        if self.is_wide { Scope::ALL.to_vec() } else { Scope::BEFORE_CLAIM.to_vec() }
    }
}
