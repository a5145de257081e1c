//! A simulation: an attacker with a /48 network of IPv6, with 25 addresses of IPv4, or with both, uses the shared
//! budgets as far as possible. Then a hundred honest clients come, each from its own network. Only a long run includes
//! the weaker attackers.

use std::time::Duration;

use super::*;
use crate::store::testing::{file, runtime};

/// How many clients of a network are refused before the attacker gives the network up.
const IN_VAIN: u32 = 3;
const HONEST: u64 = 100;
/// How many honest clients must be served.
const SERVED: u64 = 95;

/// A network of the attacker, and its number of clients.
#[derive(Clone, Copy, Debug)]
struct AttackerNetwork {
    first: u64,
    clients: u64,
}

/// Returns the name and the networks of each attacker.
fn attackers() -> [(&'static str, Vec<AttackerNetwork>); 3] {
    let v6 = vec![AttackerNetwork { first: 0x2001_0db8_0007_0000, clients: 0x1_0000 }];
    let v4: Vec<_> = (0..25).map(|number| AttackerNetwork { first: 0xc633_6401 + (number << 8), clients: 1 }).collect();
    let both = [v6.clone(), v4.clone()].concat();
    [("a /48", v6), ("25 addresses", v4), ("both", both)]
}

/// Returns how often each network is served if each of its clients calls in each of `hours` until it is refused. `ask`
/// gets the client, the time and the number of the call.
async fn attack(networks: &[AttackerNetwork], hours: u32, ask: impl AsyncFn(Caller, Time, u64) -> bool) -> Vec<u64> {
    let (mut sent, mut served) = (0, Vec::new());
    for network in networks {
        let (mut got, mut in_vain) = (0, 0);
        for client in network.first..network.first + network.clients {
            for hour in 0..hours {
                sent += 1;
                while ask(Caller::Client(client), START.plus(Duration::from_hours(1) * hour), sent).await {
                    (got, in_vain) = (got + 1, 0);
                    sent += 1;
                }
                in_vain += 1;
            }
            if in_vain >= IN_VAIN * hours {
                break;
            }
        }
        served.push(got);
    }
    served
}

async fn honest(hours: u32, ask: impl AsyncFn(Caller, Time, u64) -> bool) -> u64 {
    let now = START.plus(Duration::from_hours(1) * (hours - 1));
    let mut served = 0;
    for number in 0..HONEST {
        served += u64::from(ask(Caller::Client(0x0a00_0001 + (number << 8)), now, 1_000_000 + number).await);
    }
    served
}

/// Lets each attacker use up what it can of a budget of `most`, and checks what is left for others.
fn simulate(
    what: &str,
    (quotas, most, hours): (Quotas, u32, u32),
    ask: &impl AsyncFn(&Registrar, Caller, Time, u64) -> bool,
) {
    let weaker = if journal::times() > 1 { 0 } else { attackers().len() - 1 };
    for (name, networks) in attackers().into_iter().skip(weaker) {
        let kept = file();
        let registrar = registrar_with(&kept.store, 17, quotas, None);
        let ask = async |caller, now, number| ask(&registrar, caller, now, number).await;
        let (taken, served) =
            runtime().block_on(async { (attack(&networks, hours, ask).await, honest(hours, ask).await) });
        let total: u64 = taken.iter().sum();
        assert!(taken.iter().all(|taken| *taken <= u64::from(most / 5)), "{what}, {name}: {taken:?}");
        assert!(served >= SERVED, "{what}, {name}: {served} of {HONEST} are served after {total} of {most}: {taken:?}");
        // The attacker must be a strong one: it used more than a tenth of the budget.
        assert!(total * 10 > u64::from(most), "{what}, {name}: {taken:?}");
    }
}

async fn by_email(registrar: &Registrar, address: String, caller: Caller, now: Time) -> bool {
    registrar.register(registration_request(Identity::Email(mailbox(&address))), &caller, now).await.is_ok()
}

#[test]
fn honest_clients_register_anonymously_during_an_attack() {
    let quotas = Quotas::default();
    simulate("anonymous", (quotas, quotas.anonymous, 1), &async |registrar, caller, now, _| {
        registrar.register(registration_request(Identity::Anonymous), &caller, now).await.is_ok()
    });
}

#[test]
fn honest_clients_reach_people_of_a_domain_during_an_attack() {
    let quotas = Quotas::default();
    simulate("a domain", (quotas, quotas.emails_per_domain, 6), &async |registrar, caller, now, number| {
        by_email(registrar, format!("u{number}@bigmail.example"), caller, now).await
    });
}

#[test]
fn honest_clients_reach_people_during_an_attack() {
    // A quarter of the default, to save time.
    let quotas = Quotas { emails: 500, ..Quotas::default() };
    simulate("all mail", (quotas, quotas.emails, 6), &async |registrar, caller, now, number| {
        by_email(registrar, format!("u{number}@d{number}.example"), caller, now).await
    });
}

#[test]
fn honest_people_get_access_links_during_an_attack() {
    let quotas = Quotas { emails: 200, links: 2000, ..Quotas::default() };
    simulate("links", (quotas, quotas.emails, 3), &async |registrar, caller, now, number| {
        registrar.request_access(&mailbox(&format!("u{number}@d.example")), Locale::En, &caller, now).await.is_ok()
    });
}

#[test]
fn honest_clients_complete_claims_during_guessing() {
    let kept = file();
    runtime().block_on(async {
        let (name, networks) = attackers().into_iter().next_back().unwrap();
        let registrar = registrar_with(&kept.store, 17, Quotas { emails: 5000, ..Quotas::default() }, None);
        let show_code = async |number: u64| {
            let identity = Identity::Email(mailbox(&format!("u{number}@d{number}.example")));
            let registered = registrar.register(registration_request(identity), &WHO, START).await.unwrap();
            let otp = registrar.challenge(&link(&registrar, START).await, START).await.unwrap().code;
            (token_of(&registered), otp)
        };
        let token = tokio::sync::Mutex::new(show_code(0).await.0);
        let compared = attack(&networks, 1, async |caller, now, number| {
            let mut token = token.lock().await;
            loop {
                let guess = registrar.complete(completion(&token, WRONG), &caller, now).await;
                match code(&guess) {
                    "otp_invalid" => return true,
                    // Five guesses at each code.
                    "otp_expired" | "claim_expired" => *token = show_code(number).await.0,
                    _ => return false,
                }
            }
        })
        .await;
        // The first guess at a code takes nothing from others.
        assert!(compared.iter().sum::<u64>() > 50, "{compared:?}");
        let served = honest(1, async |caller, now, number| {
            let (token, otp) = show_code(number).await;
            registrar.complete(completion(&token, otp.reveal()), &caller, now).await.is_ok()
        })
        .await;
        assert!(served >= SERVED, "{name}: {served} of {HONEST} are served after {compared:?}");
    });
}
