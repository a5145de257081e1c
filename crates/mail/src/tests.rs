//! Sends messages to a scripted server.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    thread::{self, JoinHandle},
    time::Duration,
};

use clock::Time;
use contract::Locale;
use tokio::{sync::oneshot, time::timeout};

use super::{MailError, MailSetting, Mailer, Message, Sender, error::Reason};

fn message() -> Message {
    Message {
        id: "m1".to_owned(),
        host: "firm.example".to_owned(),
        at: Time::from_millis(1_795_268_700_000),
        sender: Sender { name: "A firm".to_owned(), address: "info@firm.example".to_owned() },
        to: "ayse@client.example".to_owned(),
        locale: Locale::En,
        subject: "Subject".to_owned(),
        text: "One\n.\nTwo\n".to_owned(),
        html: "<p>One</p>".to_owned(),
        unsubscribe: "https://firm.example/stop".to_owned(),
    }
}

/// Starts a server for one connection that answers the command `verb` with `answer` and accepts all others. Its thread
/// returns the received lines.
fn server(verb: &'static str, answer: &'static str) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = Vec::new();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut say = |text: &str| stream.write_all(format!("{text}\r\n").as_bytes()).is_ok();
        say(if verb == "GREETING" { answer } else { "220 mail.example" });
        let mut in_data = false;
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
            let text = line.trim_end_matches("\r\n").to_owned();
            line.clear();
            let reply = match text.as_str() {
                "." if in_data => {
                    in_data = false;
                    if verb == "." { answer } else { "250 taken" }
                }
                _ if in_data => "",
                command if command.starts_with(verb) => answer,
                "DATA" => {
                    in_data = true;
                    "354 go on"
                }
                command if command.starts_with("EHLO") => "250-mail.example\r\n250 AUTH PLAIN",
                command if command.starts_with("AUTH") => "235 welcome",
                _ => "250 fine",
            };
            lines.push(text);
            if !reply.is_empty() && !say(reply) {
                break;
            }
        }
        lines
    });
    (place, thread)
}

fn mailer(setting: &str) -> Mailer {
    Mailer::open(MailSetting::parse(setting).unwrap()).unwrap()
}

async fn send(setting: &str) -> Result<(), MailError> {
    mailer(setting).send(&message()).await
}

/// Waits for the end of the server and returns the received lines.
async fn received_lines(thread: JoinHandle<Vec<String>>) -> Vec<String> {
    tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Down,
    Transient,
    Permanent,
}
use Kind::{Down, Permanent, Transient};

#[track_caller]
fn reason(result: Result<(), MailError>) -> (Kind, Reason) {
    let error = result.unwrap_err();
    let text = error.to_string();
    assert!(!text.contains("ayse") && !text.contains('\n') && !text.contains("hunter2"), "{text}");
    match error {
        MailError::Down { reason } => (Down, reason),
        MailError::Transient { reason, .. } => (Transient, reason),
        MailError::Permanent { reason, .. } => (Permanent, reason),
        MailError::Unanswered { .. } => panic!("{text}"),
    }
}

#[tokio::test]
async fn message_arrives_with_its_envelope() {
    let (place, thread) = server("nothing", "");
    send(&format!("smtp://user:hunter2@{place}?from=no-reply@mail.example")).await.unwrap();
    let lines = received_lines(thread).await;
    assert!(lines.iter().any(|line| line.starts_with("AUTH PLAIN ")));
    assert!(lines.iter().any(|line| line.starts_with("MAIL FROM:<no-reply@mail.example>")));
    assert!(lines.iter().any(|line| line.starts_with("RCPT TO:<ayse@client.example>")));
    assert!(lines.iter().any(|line| line == "Message-ID: <m1@firm.example>"));
    assert!(lines.iter().any(|line| line == ".."), "a dot that stands alone does not end the message: {lines:#?}");
    assert!(lines.iter().any(|line| line == "Two"));
}

#[tokio::test]
async fn message_is_sent_without_the_answer_to_quit() {
    let (place, thread) = server("QUIT", "");
    let sent = timeout(Duration::from_secs(25), send(&format!("smtp://{place}"))).await;
    sent.expect("the client does not wait for the answer to QUIT").unwrap();
    drop(thread);
}

#[tokio::test]
async fn message_is_dropped_only_for_an_answer_about_it() {
    for (verb, answer, kind, code) in [
        ("RCPT", "550 5.1.1 <ayse@client.example> is unknown", Permanent, 550),
        ("RCPT", "451 4.7.1 come back later", Transient, 451),
        ("RCPT", "552 full", Permanent, 552),
        ("MAIL", "452 no room", Transient, 452),
        (".", "554 refused", Permanent, 554),
        ("AUTH", "535 5.7.8 wrong password", Down, 535),
        ("RCPT", "530 5.7.0 who are you", Down, 530),
        ("GREETING", "421 busy", Transient, 421),
    ] {
        let (place, thread) = server(verb, answer);
        let found = reason(send(&format!("smtp://user:hunter2@{place}")).await);
        assert_eq!(found, (kind, Reason::Answer(code)), "{verb}");
        drop(thread);
    }
}

#[tokio::test]
async fn refusal_before_the_recipient_does_not_discard_the_message() {
    for (verb, answer, code) in [
        ("GREETING", "554 No SMTP service here", 554),
        ("GREETING", "521 5.3.2 no mail is taken here", 521),
        ("GREETING", "550 5.7.1 this address is on a list", 550),
        ("EHLO", "550 5.7.1 who are you", 550),
        ("EHLO", "501 5.5.4 that is no name", 501),
        ("AUTH", "550 5.7.1 not from here", 550),
        ("MAIL", "550 5.7.1 this machine may not send", 550),
        ("MAIL", "553 5.7.1 that address is not yours", 553),
    ] {
        for is_sent in [true, false] {
            let (place, thread) = server(verb, answer);
            let mailer = mailer(&format!("smtp://user:hunter2@{place}"));
            let result = if is_sent { mailer.send(&message()).await } else { mailer.reach(&message()).await };
            assert_eq!(reason(result), (Down, Reason::Answer(code)), "{verb}, sent: {is_sent}");
            let lines = received_lines(thread).await;
            assert!(!lines.iter().any(|line| line.starts_with("RCPT")), "{lines:?}");
        }
    }
}

#[tokio::test]
async fn probe_sends_the_same_commands_as_a_message() {
    let mut before = Vec::new();
    for is_sent in [true, false] {
        let (place, thread) = server("nothing", "");
        let mailer = mailer(&format!("smtp://user:hunter2@{place}?from=no-reply@mail.example"));
        let result = if is_sent { mailer.send(&message()).await } else { mailer.reach(&message()).await };
        result.unwrap();
        let lines = received_lines(thread).await;
        let last = lines.iter().position(|line| line.starts_with("MAIL FROM:<no-reply@mail.example>")).unwrap();
        assert_eq!(lines[last + 1].starts_with("RCPT"), is_sent, "{lines:?}");
        before.push(lines[..=last].to_vec());
    }
    assert_eq!(before[0], before[1]);
}

#[tokio::test]
async fn server_that_does_not_encrypt_gets_nothing() {
    let (place, thread) = server("nothing", "");
    let found = reason(send(&format!("smtp://user:hunter2@{place}?tls=required")).await);
    assert_eq!(found, (Down, Reason::Tls));
    let lines = received_lines(thread).await;
    assert!(!lines.iter().any(|line| line.starts_with("AUTH") || line.starts_with("MAIL")), "{lines:?}");
}

#[tokio::test]
async fn unreachable_server_is_retried() {
    let place = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(reason(send(&format!("smtp://{place}")).await), (Down, Reason::Connection));
}

#[tokio::test(start_paused = true)]
async fn silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    assert_eq!(reason(send(&format!("smtp://{place}")).await), (Down, Reason::Timeout));
}

/// Starts a server for one connection that closes it after the final dot, or stays silent. The receiver is ready when
/// the server has read the dot.
fn mute(breaks_off: bool) -> (String, oneshot::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (place, (sender, receiver)) = (listener.local_addr().unwrap().to_string(), oneshot::channel());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        stream.write_all(b"220 mail.example\r\n").unwrap();
        for line in lines.by_ref().take_while(|line| line != "DATA") {
            assert!(!line.is_empty());
            stream.write_all(b"250 fine\r\n").unwrap();
        }
        stream.write_all(b"354 go on\r\n").unwrap();
        assert!(lines.by_ref().any(|line| line == "."));
        let _ = sender.send(());
        if !breaks_off {
            lines.for_each(drop);
        }
    });
    (place, receiver)
}

#[tokio::test]
async fn server_silent_after_the_message_counts_as_unanswered() {
    for breaks_off in [false, true] {
        let (place, heard) = mute(breaks_off);
        let sending = tokio::spawn(async move { send(&format!("smtp://{place}")).await });
        heard.await.unwrap();
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(25)).await;
        assert!(breaks_off || !sending.is_finished(), "it is waited for");
        let error = sending.await.unwrap().unwrap_err();
        assert!(matches!(error, MailError::Unanswered { .. }), "{error}");
        assert!(error.to_string().contains("a***@c***.example"), "{error}");
        tokio::time::resume();
    }
}

#[tokio::test]
async fn message_is_written_to_the_folder_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    send(&format!("outbox://{}", folder.path().display())).await.unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert_eq!(reason(send("none").await), (Transient, Reason::SwitchedOff));
}

#[test]
fn file_without_certificates_is_refused() {
    for file in ["/nowhere/ca.pem", "Cargo.toml"] {
        let setting = MailSetting::parse(&format!("smtps://mail.example?ca={file}")).unwrap();
        let error = Mailer::open(setting).unwrap_err().to_string();
        assert!(error.contains(file) && error.contains("PEM"), "{error}");
    }
}
