//! The e-mail worker with a mail server whose answers a test chooses.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use contract::Locale;
use mail::MailSetting;
use secrets::ClaimToken;
use tokio::task::JoinHandle;

use super::*;
use crate::{
    domain::By,
    registrar::{Caller, ClaimRequest, Identity, Quotas, RegistrationRequest},
    store::testing::{TestStore, file, runtime, stores},
    testing::{claim_registration, registrar, registrar_with},
};

/// How long to wait on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The mail server's answer to a `RCPT` line. An answer with `mute` stops it after the message.
type Manner = Arc<dyn Fn(&str) -> &'static str + Send + Sync>;
type ServerLog = Arc<Mutex<Vec<String>>>;

/// Starts a mail server. Returns its address and the lines it receives.
fn server(manner: Manner) -> (String, ServerLog) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (place, heard) = (listener.local_addr().unwrap().to_string(), ServerLog::default());
    let all = Arc::clone(&heard);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (manner, heard) = (Arc::clone(&manner), Arc::clone(&all));
            // A client may disconnect at any time.
            thread::spawn(move || serve(&stream, &manner, &heard).is_ok());
        }
    });
    (place, heard)
}

fn serve(mut stream: &TcpStream, manner: &Manner, heard: &ServerLog) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let (mut is_refused, mut is_mute) = (false, false);
    stream.write_all(b"220 mail.example\r\n")?;
    while let Some(line) = lines.next() {
        let line = line?;
        heard.lock().unwrap().push(line.clone());
        let reply = match line.split(' ').next().unwrap_or_default() {
            "RCPT" => {
                let answer = manner(&line);
                (is_refused, is_mute) = (!answer.starts_with("250"), answer.contains("mute"));
                answer
            }
            // Does not answer `QUIT` after an accepted message; a client that waits for the answer waits long.
            "QUIT" if !is_refused => return lines.next().map_or(Ok(()), |line| line.map(drop)),
            "DATA" => {
                stream.write_all(b"354 go on\r\n")?;
                lines.by_ref().map_while(Result::ok).find(|line| line == ".");
                if is_mute {
                    return Ok(());
                }
                "250 taken"
            }
            _ => "250 mail.example",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
    }
    Ok(())
}

/// A running worker, aborted on drop.
struct Sending {
    kept: TestStore,
    registrar: Registrar,
    clock: Clock,
    sender: JoinHandle<()>,
    ending: watch::Sender<()>,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.sender.abort();
    }
}

impl Sending {
    fn with(place: &str, clock: Clock) -> Self {
        let kept = file();
        let registrar = registrar(&kept.store, 90, None);
        Self::of(kept, registrar, place, clock)
    }

    fn of(kept: TestStore, registrar: Registrar, place: &str, clock: Clock) -> Self {
        let forms = Arc::new(forms::testing::forms());
        let setting = MailSetting::parse(&format!("smtp://{place}")).unwrap();
        let mailer = Mailer::open(setting).unwrap();
        let forms = move || Arc::clone(&forms);
        let sender = EmailWorker::new(registrar.clone(), mailer, forms, clock.clone());
        let (ending, ended) = watch::channel(());
        let sender = runtime().spawn(sender.run(ended));
        Self { kept, registrar, clock, sender, ending }
    }

    async fn set_email_opt_out(&self, email: &Mailbox) {
        let stop = self.registrar.pepper().stop(&email.digest());
        assert!(self.registrar.set_email_opt_out(&stop, false, self.clock.now()).await.unwrap());
    }

    /// Registers an agent for `email`, which sends a request for consent.
    async fn ask(&self, email: &Mailbox) -> ClaimToken {
        let identity = Identity::Email(email.clone());
        let request = RegistrationRequest { identity, credential: None, locale: Locale::En };
        let registered = self.registrar.register(request, &Caller::Unlimited, self.clock.now()).await.unwrap();
        registered.pending.unwrap().claim_token
    }

    /// Returns the end of the attempt, as answered to the agent at `now`.
    async fn until(&self, claim_token: &ClaimToken, email: &Mailbox, now: Time) -> Time {
        let request = ClaimRequest { claim_token: claim_token.clone(), email: email.clone(), locale: Locale::En };
        self.registrar.claim(request, &Caller::Unlimited, now).await.unwrap().expires
    }

    /// Waits until the outbox has no email to `email`.
    async fn wait_until_sent(&self, email: &Mailbox) {
        let empty = async {
            while self.kept.store.personal_data(email).await.unwrap().emails > 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(TIMEOUT, empty).await.unwrap();
    }
}

fn mailbox(name: &str) -> Mailbox {
    Mailbox::parse(&format!("{name}@person.example")).unwrap()
}

#[test]
fn agent_cannot_observe_the_fate_of_its_email() {
    let clock = Clock::manual();
    let slow = clock.clone();
    let manner: Manner = Arc::new(move |line| match line {
        line if line.contains("slow@") => {
            slow.advance(Duration::from_secs(9));
            "250 fine"
        }
        line if line.contains("refused@") => "550 5.1.1 unknown",
        _ => "250 fine",
    });
    let (place, heard) = server(manner);
    let sending = Sending::with(&place, clock.clone());
    runtime().block_on(async {
        sending.set_email_opt_out(&mailbox("silent")).await;
        for name in ["quick", "silent", "refused", "slow"] {
            let (email, start) = (mailbox(name), clock.now());
            let claim_token = sending.ask(&email).await;
            sending.wait_until_sent(&email).await;
            for (seconds, until) in [(0, 3600), (44, 3644), (45, 3645), (60, 3645), (3644, 3645)] {
                let expiry = sending.until(&claim_token, &email, start.plus(Duration::from_secs(seconds))).await;
                assert_eq!(expiry, start.plus(Duration::from_secs(until)), "{name} after {seconds} s");
            }
            clock.advance(Duration::from_mins(1));
        }
    });
    let heard = heard.lock().unwrap();
    let count = |verb: &str| heard.iter().filter(|line| line.starts_with(verb)).count();
    assert_eq!((count("EHLO"), count("RCPT"), count("DATA")), (4, 3, 2), "{heard:?}");
}

#[test]
fn unwanted_email_takes_as_long_as_a_sent_one() {
    const SLOW: Duration = Duration::from_millis(300);
    let manner: Manner = Arc::new(|_| {
        thread::sleep(SLOW);
        "250 fine"
    });
    let (place, _) = server(manner);
    let sending = Sending::with(&place, Clock::system());
    runtime().block_on(async {
        sending.set_email_opt_out(&mailbox("silent")).await;
        for name in ["other", "silent"] {
            let begun = sending.clock.nanoseconds();
            sending.ask(&mailbox(name)).await;
            sending.wait_until_sent(&mailbox(name)).await;
            let taken = Duration::from_nanos(sending.clock.nanoseconds() - begun);
            assert!(taken >= SLOW, "{name} after {taken:?}");
        }
    });
}

#[test]
fn email_does_not_count_as_sent_while_the_mail_server_is_away() {
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let clock = Clock::manual();
    let sending = Sending::with(&nowhere, clock.clone());
    runtime().block_on(async {
        let start = clock.now();
        sending.set_email_opt_out(&mailbox("silent")).await;
        for name in ["other", "silent"] {
            let email = mailbox(name);
            let claim_token = sending.ask(&email).await;
            // It is postponed for five seconds; while a worker holds it, for 90.
            let again = start.plus(FIRST_WAIT);
            let put_back = async {
                while sending.kept.store.next_email(EmailQueue::Others).await.unwrap() != Some(again) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            tokio::time::timeout(TIMEOUT, put_back).await.unwrap();
            let hour = start.plus(Duration::from_hours(1));
            let until = sending.until(&claim_token, &email, hour).await;
            assert_eq!(until, hour.plus(Duration::from_hours(1)), "{name}: the whole time is yet to come");
            let due = sending.kept.store.take_email_of(EmailQueue::Others, again).await.unwrap().unwrap();
            sending.kept.store.drop_email(&due.id).await.unwrap();
        }
    });
}

#[test]
fn deferred_email_is_sent_when_its_wait_is_over() {
    let (notify, received) = mpsc::channel();
    let first = std::sync::atomic::AtomicBool::new(true);
    let manner: Manner = Arc::new(move |_| {
        let is_first = first.swap(false, Ordering::Relaxed);
        notify.send(is_first).unwrap();
        if is_first { "451 4.7.1 come back later" } else { "250 fine" }
    });
    let (place, _) = server(manner);
    let sending = Sending::with(&place, Clock::system());
    runtime().block_on(sending.ask(&mailbox("somebody")));
    assert_eq!(received.recv_timeout(TIMEOUT), Ok(true));
    assert_eq!(
        received.recv_timeout(LOOK.saturating_sub(Duration::from_secs(1))),
        Ok(false),
        "before the next look for emails of other processes"
    );
}

#[test]
fn unanswered_email_is_sent_three_times_and_counts_as_sent_from_the_first() {
    let (place, heard) = server(Arc::new(|_| "250 fine, and mute"));
    let clock = Clock::manual();
    let sending = Sending::with(&place, clock.clone());
    runtime().block_on(async {
        let (email, start) = (mailbox("somebody"), clock.now());
        let claim_token = sending.ask(&email).await;
        for _ in 0..2 {
            let again = clock.now().plus(UNANSWERED_WAIT);
            let put_back = async {
                while sending.kept.store.next_email(EmailQueue::Others).await.unwrap() != Some(again) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            tokio::time::timeout(TIMEOUT, put_back).await.unwrap();
            let expiry = sending.until(&claim_token, &email, start.plus(UNANSWERED_WAIT)).await;
            assert_eq!(expiry, start.plus(SENT).plus(Duration::from_hours(1)), "its time runs");
            clock.advance(UNANSWERED_WAIT);
            sending.registrar.email_notification(EmailQueue::Others).notify_one();
        }
        sending.wait_until_sent(&email).await;
    });
    let heard = heard.lock().unwrap();
    assert_eq!(heard.iter().filter(|line| line.starts_with("DATA")).count(), 3, "{heard:?}");
}

#[test]
fn slow_email_does_not_delay_another() {
    let ((notify, received), (release, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let gate = Mutex::new(gate);
    let manner: Manner = Arc::new(move |line| {
        let is_slow = line.contains("slow@");
        notify.send(is_slow).unwrap();
        if is_slow {
            let _ = gate.lock().unwrap().recv_timeout(TIMEOUT * 2);
        }
        "250 fine"
    });
    let (place, _) = server(manner);
    let sending = Sending::with(&place, Clock::manual());
    runtime().block_on(async {
        sending.ask(&mailbox("slow")).await;
        assert_eq!(received.recv_timeout(TIMEOUT), Ok(true));
        sending.ask(&mailbox("own")).await;
        assert_eq!(received.recv_timeout(TIMEOUT), Ok(false), "while the first is still under way");
    });
    release.send(()).unwrap();
}

#[test]
fn shutdown_finishes_emails_under_way_and_begins_no_other() {
    let ((notify, received), (release, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let gate = Mutex::new(gate);
    let manner: Manner = Arc::new(move |_| {
        notify.send(()).unwrap();
        let _ = gate.lock().unwrap().recv_timeout(TIMEOUT);
        "250 fine"
    });
    let (place, heard) = server(manner);
    let mut sending = Sending::with(&place, Clock::manual());
    runtime().block_on(async {
        sending.ask(&mailbox("first")).await;
        assert_eq!(received.recv_timeout(TIMEOUT), Ok(()));
        sending.ending.send_replace(());
        sending.ask(&mailbox("second")).await;
        let early = tokio::time::timeout(Duration::from_millis(300), &mut sending.sender).await;
        assert!(early.is_err(), "it waits for the mail server");
        release.send(()).unwrap();
        tokio::time::timeout(TIMEOUT, &mut sending.sender).await.unwrap().unwrap();
        for (name, waiting) in [("first", 0), ("second", 1)] {
            assert_eq!(sending.kept.store.personal_data(&mailbox(name)).await.unwrap().emails, waiting, "{name}");
        }
    });
    let heard = heard.lock().unwrap();
    assert_eq!(heard.iter().filter(|line| line.starts_with("DATA")).count(), 1, "{heard:?}");
}

#[test]
fn undeliverable_links_do_not_delay_others() {
    const INVENTED: u32 = 300;
    let (notify, received) = mpsc::channel();
    let manner: Manner = Arc::new(move |line| {
        notify.send(line.to_owned()).unwrap();
        "250 fine"
    });
    let (place, _) = server(manner);
    let (kept, clock) = (file(), Clock::system());
    let registrar = registrar(&kept.store, 90, None);
    runtime().block_on(async {
        claim_registration(&registrar, "known@person.example", clock.now()).await;
        let invented = (0..INVENTED).map(|number| mailbox(&format!("nobody{number}")));
        for email in invented.chain([mailbox("known")]) {
            registrar.request_access(&email, Locale::En, &Caller::Unlimited, clock.now()).await.unwrap();
        }
    });
    let _sending = Sending::of(kept, registrar, &place, clock);
    // If only sixteen emails left every second or two, the link would be later.
    let first = received.recv_timeout(TIMEOUT / 3).expect("the link leaves");
    assert!(first.contains("known@person.example"), "{first}");
}

#[test]
fn interrupted_email_takes_budget_once() {
    for kept in stores() {
        let clock = Clock::manual();
        let registrar = registrar_with(&kept.store, 90, Quotas { emails: 2, ..Quotas::default() }, None);
        let forms = Arc::new(forms::testing::forms());
        let mailer = Mailer::open(MailSetting::None).unwrap();
        let sender = EmailWorker::new(registrar.clone(), mailer, move || Arc::clone(&forms), clock.clone());
        runtime().block_on(async {
            claim_registration(&registrar, "known@person.example", clock.now()).await;
            let ask = async || {
                let email = mailbox("known");
                registrar.request_access(&email, Locale::En, &Caller::Unlimited, clock.now()).await.unwrap();
            };
            let take = async || kept.store.take_email_of(EmailQueue::Links, clock.now()).await.unwrap().unwrap();
            let leaves =
                async |due| matches!(sender.prepare(due).await.unwrap().unwrap().decision, DeliveryDecision::Sent(_));
            ask().await;
            // The worker, or the store, failed before the email was counted; later after it was.
            let first = take().await;
            clock.advance(Duration::from_mins(2));
            for _ in 0..2 {
                let again = take().await;
                assert_eq!(again.id, first.id);
                assert!(leaves(again).await, "{}", kept.name);
                clock.advance(Duration::from_mins(2));
            }
            kept.store.drop_email(&first.id).await.unwrap();
            for is_left in [true, false] {
                ask().await;
                let next = take().await;
                let id = next.id.clone();
                assert_eq!(leaves(next).await, is_left, "{}: two in a day", kept.name);
                kept.store.drop_email(&id).await.unwrap();
            }
        });
    }
}

/// Creates a worker that does not start on its own.
fn idle<F: Fn() -> Arc<Forms> + Send + Sync + 'static>(
    registrar: &Registrar,
    setting: &str,
    forms: F,
) -> EmailWorker<F> {
    let mailer = Mailer::open(MailSetting::parse(setting).unwrap()).unwrap();
    EmailWorker::new(registrar.clone(), mailer, forms, Clock::manual())
}

/// Requests an access link for `email` and takes its email from the outbox.
async fn prepare_link_email<F>(sender: &EmailWorker<F>, email: &Mailbox) -> Delivery
where
    F: Fn() -> Arc<Forms> + Send + Sync + 'static,
{
    let now = sender.clock.now();
    claim_registration(&sender.registrar, email.as_str(), now).await;
    sender.registrar.request_access(email, Locale::En, &Caller::Unlimited, now).await.unwrap();
    let due = sender.registrar.store().take_email_of(EmailQueue::Links, now).await.unwrap().unwrap();
    let turn = sender.prepare(due).await.unwrap().unwrap();
    assert!(matches!(turn.decision, DeliveryDecision::Sent(_)));
    turn
}

#[test]
fn email_waiting_for_a_slot_is_dropped_after_erasure_or_opt_out() {
    for kept in stores() {
        let (place, heard) = server(Arc::new(|_| "250 fine"));
        let (registrar, forms) = (registrar(&kept.store, 90, None), Arc::new(forms::testing::forms()));
        let sender = idle(&registrar, &format!("smtp://{place}"), move || Arc::clone(&forms));
        runtime().block_on(async {
            for name in ["erased", "silent", "neither"] {
                let (email, now) = (mailbox(name), sender.clock.now());
                let turn = prepare_link_email(&sender, &email).await;
                match name {
                    "erased" => drop(kept.replica.erase(&email, By::Operator, now).await.unwrap()),
                    "silent" => kept.replica.set_email_opt_out(&email.digest(), false, now).await.unwrap(),
                    _ => {}
                }
                sender.deliver(turn).await.unwrap();
                assert_eq!(kept.store.personal_data(&email).await.unwrap().emails, 0, "{}: {name}", kept.name);
                // Only a link that was sent is kept and counted.
                assert_eq!(kept.store.links_of(&email).await.unwrap().len(), usize::from(name == "neither"), "{name}");
                let (links, counted, _) = kept.store.links().await;
                assert_eq!(links, counted, "{}: {name}", kept.name);
            }
        });
        let heard = heard.lock().unwrap();
        let to: Vec<_> = heard.iter().filter(|line| line.starts_with("RCPT")).collect();
        assert!(to.len() == 1 && to[0].contains("neither@"), "{}: {heard:?}", kept.name);
    }
}

#[test]
fn email_file_is_removed_if_its_reader_is_erased_while_it_is_written() {
    for kept in stores() {
        let folder = tempfile::tempdir().unwrap();
        let (replica, forms) = (kept.replica.clone(), Arc::new(forms::testing::forms()));
        // An email is composed after the last check of its reader, and sent after that.
        let erase = move || {
            let (replica, (notify, received)) = (replica.clone(), mpsc::channel());
            runtime().spawn(async move {
                let erased = replica.erase(&mailbox("erased"), By::Operator, Clock::manual().now()).await;
                notify.send(erased.unwrap()).unwrap();
            });
            assert_eq!(received.recv_timeout(TIMEOUT), Ok(1));
            Arc::clone(&forms)
        };
        let registrar = registrar(&kept.store, 90, None);
        let sender = idle(&registrar, &format!("outbox://{}", folder.path().display()), erase);
        runtime().block_on(async {
            let turn = prepare_link_email(&sender, &mailbox("erased")).await;
            sender.deliver(turn).await.unwrap();
        });
        let left: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.is_empty(), "{}: {left:?}", kept.name);
    }
}

#[test]
fn wait_doubles_with_each_failure_up_to_ten_minutes() {
    let now = Time::from_millis(0);
    let waits: Vec<_> = [1, 2, 3, 9, 99].map(|tries| retry_at(now, tries).millis() / 1000).into();
    assert_eq!(waits, [5, 10, 20, 600, 600]);
}

#[test]
fn attempts_are_counted_by_outcome() {
    let (place, _) = server(Arc::new(|line| match line {
        line if line.contains("gone") => "550 no such person",
        line if line.contains("busy") => "451 later",
        _ => "250 taken",
    }));
    let sending = Sending::with(&place, Clock::manual());
    runtime().block_on(async {
        for name in ["here", "gone", "busy"] {
            sending.ask(&mailbox(name)).await;
        }
        let counted = async {
            let rows = ["sent", "refused", "deferred"];
            let rows = rows.map(|outcome| format!("mecelle_mail_sent_total{{outcome=\"{outcome}\"}} 1\n"));
            loop {
                let text = sending.registrar.metrics(sending.clock.now()).await;
                if rows.iter().all(|row| text.contains(row)) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(TIMEOUT, counted).await.unwrap();
    });
}
