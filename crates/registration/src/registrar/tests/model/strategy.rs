//! Random calls, mostly about the newest things, so that calls meet.

use proptest::{collection::vec, prelude::*};

use super::{
    call::{Call, ModelIdentity, ReportForm, ReportSubject, Revoked, SentCode, Wait},
    race::{Lane, Round},
};

pub(super) const PEOPLE: usize = 3;
pub(super) const USERS: usize = 3;

fn back() -> impl Strategy<Value = usize> {
    prop_oneof![8 => Just(0_usize), 3 => Just(1), 1 => 2_usize..6]
}

fn identity() -> impl Strategy<Value = ModelIdentity> {
    let asserted = prop_oneof![4 => Just(10_i64), 1 => Just(200), 1 => Just(-30)];
    let person = prop_oneof![6 => (0..PEOPLE).prop_map(Some), 1 => Just(None)];
    let provider =
        (0..USERS, person, asserted, prop::bool::weighted(0.1)).prop_map(|(user, person, asserted, is_stale)| {
            ModelIdentity::Provider { jti: 0, user, person, asserted, is_stale }
        });
    prop_oneof![2 => Just(ModelIdentity::Anonymous), 2 => (0..PEOPLE).prop_map(ModelIdentity::Mailbox), 4 => provider]
}

fn report_subject() -> impl Strategy<Value = ReportSubject> {
    prop_oneof![(0..USERS).prop_map(ReportSubject::User), (0..PEOPLE).prop_map(ReportSubject::Mailbox)]
}

fn report() -> impl Strategy<Value = Call> {
    let since =
        prop_oneof![3 => Just(0_i64), 1 => Just(-60), 3 => Just(10), 1 => Just(30), 1 => Just(75), 1 => Just(600)];
    let form = prop_oneof![Just(ReportForm::Logout), Just(ReportForm::SecurityEvent)];
    (report_subject(), since, form).prop_map(|(whom, since, form)| Call::Report { event: 0, whom, since, form })
}

fn revoked() -> impl Strategy<Value = Revoked> {
    let person = (0..PEOPLE).prop_map(Revoked::Person);
    prop_oneof![1 => Just(Revoked::All), 3 => back().prop_map(Revoked::One), 3 => person, 1 => Just(Revoked::Issuer)]
}

fn code() -> impl Strategy<Value = SentCode> {
    prop_oneof![8 => Just(SentCode::Code(0)), 4 => Just(SentCode::Code(1)), 3 => Just(SentCode::Guess), 1 => Just(SentCode::Slip)]
}

/// The themes of calls: calls of one theme meet.
#[derive(Clone, Copy, Debug)]
enum Theme {
    /// Agents and the people they ask.
    Claims,
    /// Assertions and reports of providers.
    Words,
    /// Revocations of many registrations by people and operators.
    Ends,
    /// All of these, about the same few things.
    Blows,
}

fn claims() -> BoxedStrategy<Call> {
    prop_oneof![
        3 => (identity(), any::<bool>())
            .prop_map(|(word, is_brief)| Call::Register { word, is_brief, is_exchange: false }),
        7 => (back(), 0..PEOPLE).prop_map(|(registration, person)| Call::Claim { registration, person }),
        3 => back().prop_map(|attempt| Call::Send { attempt }),
        2 => back().prop_map(|attempt| Call::View { attempt }),
        8 => back().prop_map(|attempt| Call::Show { attempt }),
        3 => back().prop_map(|attempt| Call::Deny { attempt }),
        12 => (back(), code()).prop_map(|(registration, code)| Call::Complete { registration, code }),
        9 => back().prop_map(|registration| Call::Poll { registration }),
        8 => back().prop_map(|credential| Call::Use { credential }),
        1 => back().prop_map(|credential| Call::ReturnCredential { credential }),
        1 => back().prop_map(|registration| Call::ReturnClaim { registration }),
    ]
    .boxed()
}

fn words() -> BoxedStrategy<Call> {
    prop_oneof![
        10 => (identity(), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(word, is_brief, is_exchange)| Call::Register { word, is_brief, is_exchange }),
        4 => (back(), any::<bool>()).prop_map(|(word, is_brief)| Call::Replay { word, is_brief }),
        6 => report(),
        3 => back().prop_map(|event| Call::Repeat { event }),
        2 => back().prop_map(|attempt| Call::Show { attempt }),
        6 => (back(), code()).prop_map(|(registration, code)| Call::Complete { registration, code }),
        2 => back().prop_map(|registration| Call::Poll { registration }),
        3 => back().prop_map(|credential| Call::Use { credential }),
    ]
    .boxed()
}

fn ends() -> BoxedStrategy<Call> {
    prop_oneof![
        3 => (0..PEOPLE).prop_map(|person| Call::Ask { person }),
        3 => back().prop_map(|access| Call::Look { access }),
        6 => (back(), prop::option::of(back()))
            .prop_map(|(access, registration)| Call::TakeBack { access, registration }),
        4 => revoked().prop_map(|which| Call::Revoke { which }),
        2 => (0..PEOPLE).prop_map(|person| Call::Erase { person }),
        2 => Just(Call::Tidy),
    ]
    .boxed()
}

/// Ends or changes the newest thing, or the data of one of two people, so that two workers meet.
fn blows() -> BoxedStrategy<Call> {
    let person = || 0_usize..2;
    let provider = (person(), 0..PEOPLE).prop_map(|(user, person)| {
        let word = ModelIdentity::Provider { jti: 0, user, person: Some(person), asserted: 10, is_stale: false };
        Call::Register { word, is_brief: false, is_exchange: false }
    });
    prop_oneof![
        4 => Just(Call::Complete { registration: 0, code: SentCode::Code(0) }),
        1 => Just(Call::Complete { registration: 0, code: SentCode::Guess }),
        2 => person().prop_map(|person| Call::Claim { registration: 0, person }),
        1 => Just(Call::Show { attempt: 0 }),
        1 => Just(Call::Deny { attempt: 0 }),
        2 => Just(Call::Poll { registration: 0 }),
        2 => Just(Call::Use { credential: 0 }),
        1 => Just(Call::ReturnCredential { credential: 0 }),
        4 => provider,
        1 => Just(Call::Replay { word: 0, is_brief: false }),
        2 => report(),
        1 => Just(Call::Repeat { event: 0 }),
        2 => Just(Call::TakeBack { access: 0, registration: None }),
        1 => Just(Call::TakeBack { access: 0, registration: Some(0) }),
        2 => person().prop_map(|person| Call::Revoke { which: Revoked::Person(person) }),
        3 => person().prop_map(|person| Call::Erase { person }),
    ]
    .boxed()
}

/// Any call but waiting, mostly about `theme`.
fn call(theme: Theme) -> impl Strategy<Value = Call> {
    let [claim, word, end, blow] = match theme {
        Theme::Claims => [14, 2, 1, 1],
        Theme::Words => [4, 12, 1, 1],
        Theme::Ends => [7, 5, 6, 1],
        Theme::Blows => [1, 1, 1, 14],
    };
    prop_oneof![claim => claims(), word => words(), end => ends(), blow => blows()]
}

/// Applies `of` to any theme. A union of strategies shrinks better than a theme that is chosen first.
fn themed<S: Strategy + 'static>(of: impl Fn(Theme) -> S, blows: u32) -> impl Strategy<Value = S::Value> {
    prop_oneof![2 => of(Theme::Claims), 2 => of(Theme::Words), 1 => of(Theme::Ends), blows => of(Theme::Blows)]
}

/// A number of seconds at the scale of one of the limits.
fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(1_i64),
        Just(5),
        Just(59),
        Just(290),
        Just(361),
        Just(600),
        Just(3600),
        Just(86_400),
        Just(8 * 86_400)
    ]
}

/// Calls with waits between them: a number of seconds or, more often, until just before or at the next change.
fn call_or_wait(theme: Theme) -> impl Strategy<Value = Call> {
    let moment = (prop_oneof![4 => 0_usize..3, 1 => 3_usize..12], any::<bool>())
        .prop_map(|(number, is_before)| Wait::Moment { number, is_before });
    let wait = prop_oneof![1 => seconds().prop_map(Wait::Seconds), 2 => moment].prop_map(Call::Wait);
    prop_oneof![7 => call(theme), 1 => wait]
}

/// A sequence of calls.
pub(super) fn sequence() -> impl Strategy<Value = Vec<Call>> {
    let rest = themed(|theme| vec(call_or_wait(theme), 1..60), 1);
    (stage(), rest).prop_map(|(stage, rest)| [stage, rest].concat())
}

/// A registration in any state, a few more calls, and then two concurrent lanes.
pub(super) fn round() -> impl Strategy<Value = Round> {
    themed(
        |theme| {
            let lane = move || {
                let ahead = prop_oneof![8 => Just(0_i64), 1 => Just(1), 1 => Just(5000), 1 => Just(600_000)];
                (ahead, vec(call(theme), 1..6)).prop_map(|(ahead, calls)| Lane { ahead, calls })
            };
            let before = (stage(), vec(call_or_wait(theme), 0..4)).prop_map(|(stage, more)| [stage, more].concat());
            let round = (before, [lane(), lane()], prop::bool::weighted(0.7));
            round.prop_map(|(before, lanes, is_abreast)| Round { before, lanes, is_abreast })
        },
        4,
    )
}

/// Calls that lead a registration to its claim or part of the way.
fn stage() -> impl Strategy<Value = Vec<Call>> {
    (0_usize..5, any::<bool>(), 0_usize..9).prop_map(|(kind, is_brief, length)| {
        let register = |word| Call::Register { word, is_brief, is_exchange: false };
        let provider = |user| ModelIdentity::Provider { jti: 0, user, person: Some(0), asserted: 10, is_stale: false };
        let begin = match kind {
            0 => vec![
                Call::Ask { person: 0 },
                register(ModelIdentity::Anonymous),
                Call::Claim { registration: 0, person: 0 },
            ],
            1 => vec![Call::Ask { person: 0 }, register(ModelIdentity::Mailbox(0))],
            // Another person is asked instead of the first.
            2 => vec![
                register(ModelIdentity::Anonymous),
                Call::Claim { registration: 0, person: 1 },
                Call::Show { attempt: 0 },
                Call::Claim { registration: 0, person: 0 },
            ],
            // One below the limit of people asked.
            3 => {
                let claims = [1, 2, 1, 0].map(|person| Call::Claim { registration: 0, person });
                [vec![register(ModelIdentity::Anonymous)], claims.to_vec()].concat()
            }
            // The second registration needs consent.
            _ => vec![register(provider(0)), register(provider(1))],
        };
        let wrong = Call::Complete { registration: 0, code: SentCode::Guess };
        let right = Call::Complete { registration: 0, code: SentCode::Code(0) };
        let go_on = vec![
            Call::Show { attempt: 0 },
            wrong.clone(),
            wrong.clone(),
            wrong.clone(),
            wrong,
            right,
            Call::Use { credential: 0 },
        ];
        // Mostly a code is shown and not guessed at.
        let length = if length > 6 { 1 } else { length };
        [begin, go_on.into_iter().take(length).collect()].concat()
    })
}
