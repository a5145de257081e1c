//! The order of emails as a mail server receives them.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use contract::routes;
use sidecar::Clock;
use tests::Firm as _;

use crate::agent::build;

const PERSON: &str = "ayse@person.example";
const TIMEOUT: Duration = Duration::from_mins(2);

/// A mail server that accepts every email, and delays its reply to one that contains `keeps` until `release`.
struct Server {
    port: u16,
    emails: mpsc::Receiver<String>,
    held: mpsc::Receiver<()>,
    release: mpsc::Sender<()>,
}

impl Server {
    fn start(keeps: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sent, emails) = mpsc::channel();
        let (holds, held) = mpsc::channel();
        let (release, gate) = mpsc::channel();
        let gate = Arc::new(Mutex::new(gate));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (sent, holds, gate) = (sent.clone(), holds.clone(), Arc::clone(&gate));
                thread::spawn(move || {
                    // A client may disconnect at any time.
                    let _ = serve(&stream, |email: String| {
                        if email.contains(keeps) {
                            let _ = holds.send(());
                            let _ = gate.lock().map(|gate| gate.recv());
                        }
                        let _ = sent.send(email);
                    });
                });
            }
        });
        Self { port, emails, held, release }
    }

    /// Returns the next email within `patience`, without its line breaks.
    fn email(&self, patience: Duration) -> Option<String> {
        self.emails.recv_timeout(patience).ok()
    }
}

fn serve(mut stream: &TcpStream, took: impl Fn(String)) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    stream.write_all(b"220 mail.example\r\n")?;
    while let Some(line) = lines.next() {
        match line?.to_ascii_uppercase() {
            line if line.starts_with("DATA") => {
                stream.write_all(b"354 go on\r\n")?;
                let email = lines.by_ref().map_while(Result::ok).take_while(|line| line != ".");
                took(email.collect::<Vec<_>>().join("\n").replace("=\n", ""));
                stream.write_all(b"250 taken\r\n")?;
            }
            line if line.starts_with("QUIT") => return stream.write_all(b"221 bye\r\n"),
            _ => stream.write_all(b"250 mail.example\r\n")?,
        }
    }
    Ok(())
}

#[test]
fn agent_cannot_observe_the_delivery_of_an_email() {
    let build = build();
    let clock = Clock::manual();
    let config = build.config();
    let site = build.serve_by(config, &clock);
    let until = |registered: &serde_json::Value, email: &str| {
        let echo = site.claim(&registered["claim_token"], email).json();
        echo["expires_at"].as_str().unwrap().to_owned()
    };
    let first = site.register_by_mail(PERSON);
    // This person opted out: their message counts as sent at the time at which it would have been.
    let stop = format!("token={}&word=stop", site.outbox().secret("stp_", 0));
    assert!(site.post_form(routes::MAIL_STOP, &stop).as_text().starts_with("<p>stopped "));
    let requests = [
        (PERSON, first),
        (PERSON, site.register_by_mail(PERSON)),
        ("b@person.example", site.register_by_mail("b@person.example")),
    ];
    clock.advance(Duration::from_secs(10));
    for (email, registered) in &requests {
        assert_eq!(until(registered, email), "2026-01-01T01:00:10.000Z", "as long as the email may be under way");
    }
}

#[test]
fn email_requested_by_a_person_is_not_delayed_by_others() {
    let server = Server::start("cav_");
    let build = build();
    let mut config = build.config();
    config.registration.mail = Some(format!("smtp://127.0.0.1:{}", server.port));
    let site = build.serve_with(config);
    let registered = site.register_by_mail(PERSON);
    let email = server.email(TIMEOUT).expect("the question");
    let link = &email[email.find("cvt_").unwrap()..][.."cvt_".len() + 27];
    let code = site.code(link);
    assert_eq!(site.complete(&registered["claim_token"], &code).status, 200);
    // The link to a person with registrations is being sent, slowly.
    assert_eq!(site.post_form(routes::ACCESS, &format!("email={PERSON}")).status, 200);
    server.held.recv_timeout(TIMEOUT).expect("the link");
    // An attacker cannot infer that from a delay of an email to themselves.
    site.register_by_mail("own@person.example");
    let own = server.email(Duration::from_secs(25)).expect("an email that does not wait");
    assert!(own.contains("own@person.example"));
    server.release.send(()).unwrap();
    assert!(server.email(TIMEOUT).expect("the link, at last").contains(PERSON));
}

#[test]
fn email_in_transit_at_shutdown_is_sent_once() {
    let server = Server::start(PERSON);
    let build = build();
    let mut config = build.config();
    config.registration.mail = Some(format!("smtp://127.0.0.1:{}", server.port));
    let clock = Clock::manual();
    let site = build.serve_by(config.clone(), &clock);
    site.register_by_mail(PERSON);
    server.held.recv_timeout(TIMEOUT).expect("the question");
    let site = site.restart(config, &clock, || {
        // Longer than an idle service needs to end.
        thread::sleep(Duration::from_secs(4));
        server.release.send(()).unwrap();
        // The claim of the ended process on the message expires.
        clock.advance(Duration::from_mins(2));
    });
    assert!(server.email(TIMEOUT).expect("the question").contains(PERSON));
    site.register_by_mail("other@person.example");
    assert!(server.email(TIMEOUT).expect("another question").contains("other@person.example"));
    assert!(server.held.try_recv().is_err(), "the first question came again");
}
