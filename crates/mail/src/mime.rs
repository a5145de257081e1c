//! Encodes a message (RFC 5322, RFC 2046).

use std::time::{Duration, UNIX_EPOCH};

use contract::text::Email;
use lettre::{
    Address, Message as Mime,
    message::{
        Mailbox, MultiPart, SinglePart,
        header::{HeaderName, HeaderValue},
    },
};

use super::{
    Message,
    error::{MailError, Reason},
};

/// Encodes `message`. `from` replaces the sender in `From`; replies still go to the sender.
///
/// Security: no value can begin a header field. An address must be a plain ASCII mailbox; every other value is in the
/// body, from the build, or encoded by the library.
pub(super) fn write(message: &Message, from: Option<&Email>) -> Result<Mime, MailError> {
    let wrong = |reason| MailError::permanent(&message.to, reason);
    let address = |text: &str, reason| {
        let plain = Email::parse(text).map_err(|_| wrong(reason))?;
        plain.as_str().parse::<Address>().map_err(|_| wrong(reason))
    };
    let to = address(&message.to, Reason::Address)?;
    let own = address(&message.sender.address, Reason::Message)?;
    let mailbox = |address| Mailbox::new(Some(line(&message.sender.name)), address);
    let mut builder = Mime::builder()
        .date(UNIX_EPOCH + Duration::from_millis(u64::try_from(message.at.millis()).unwrap_or(0)))
        .message_id(Some(format!("<{}@{}>", atom(&message.id), host(&message.host))))
        .to(Mailbox::new(None, to))
        .subject(line(&message.subject));
    builder = match from {
        Some(from) => builder.from(mailbox(address(from.as_str(), Reason::Message)?)).reply_to(mailbox(own)),
        None => builder.from(mailbox(own)),
    };
    // `Auto-Submitted` suppresses automatic replies (RFC 3834, 5); `List-Unsubscribe-Post` lets a mail program
    // unsubscribe with one click (RFC 8058).
    let unsubscribe = format!("<{}>", line(&message.unsubscribe).replace(['<', '>', ' '], ""));
    for (name, value) in [
        ("Auto-Submitted", "auto-generated"),
        ("Content-Language", message.locale.as_str()),
        ("List-Unsubscribe", &unsubscribe),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ] {
        let name = HeaderName::new_from_ascii(name.to_owned()).map_err(|_| wrong(Reason::Message))?;
        builder = builder.raw_header(HeaderValue::new(name, value.to_owned()));
    }
    let alternatives = MultiPart::alternative()
        .boundary(format!("=_{}", atom(&message.id)))
        .singlepart(SinglePart::plain(message.text.clone()))
        .singlepart(SinglePart::html(message.html.clone()));
    builder.multipart(alternatives).map_err(|_| wrong(Reason::Message))
}

fn line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Returns the characters of `text` that are safe in a `Message-ID`, a boundary and a file name.
pub(super) fn atom(text: &str) -> String {
    text.chars().filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')).take(48).collect()
}

/// Returns the host without its port, for the right half of `Message-ID`.
fn host(text: &str) -> &str {
    let name = text.split(':').next().unwrap_or_default();
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    if is_plain { name } else { "localhost" }
}

#[cfg(test)]
mod tests {
    use clock::Time;
    use contract::Locale;
    use proptest::prelude::*;

    use super::*;

    fn message(to: &str) -> Message {
        Message {
            id: "out_1".to_owned(),
            host: "firm.example:8443".to_owned(),
            at: Time::from_millis(1_795_268_700_000),
            sender: super::super::Sender {
                name: "Örnek Avukatlık".to_owned(),
                address: "info@firm.example".to_owned(),
            },
            to: to.to_owned(),
            locale: Locale::Tr,
            subject: "Bir yazılım erişim istiyor – Örnek".to_owned(),
            text: "Merhaba,\n\nİstek: – içerik\n".to_owned(),
            html: "<p>Merhaba</p>".to_owned(),
            unsubscribe: format!("https://firm.example/agent/access/stop?token=stp_{}", "0".repeat(91)),
        }
    }

    fn lines(message: &Message, from: Option<&Email>) -> Vec<String> {
        let text = String::from_utf8(write(message, from).unwrap().formatted()).unwrap();
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "every line ends in CRLF");
        text.split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn message_names_sender_and_date_and_is_marked_automatic() {
        let lines = lines(&message("ayse@client.example"), None);
        for expected in [
            "Date: Sat, 21 Nov 2026 13:45:00 +0000",
            "Message-ID: <out_1@firm.example>",
            "To: ayse@client.example",
            "Auto-Submitted: auto-generated",
            "Content-Language: tr",
            &format!("List-Unsubscribe: <https://firm.example/agent/access/stop?token=stp_{}>", "0".repeat(91)),
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(lines.iter().any(|line| line == expected), "{expected} in {lines:#?}");
        }
        assert!(lines.iter().any(|line| line.starts_with("From: =?utf-8?") && line.ends_with("<info@firm.example>")));
        assert!(!lines.iter().any(|line| line.starts_with("Reply-To")));
    }

    #[test]
    fn replies_to_another_sender_go_to_the_firm() {
        let from = Email::parse("no-reply@mail.example").unwrap();
        let lines = lines(&message("ayse@client.example"), Some(&from));
        assert!(lines.iter().any(|line| line.starts_with("From: ") && line.contains("<no-reply@mail.example>")));
        assert!(lines.iter().any(|line| line.starts_with("Reply-To: ") && line.contains("<info@firm.example>")));
    }

    #[test]
    fn same_message_is_the_same_bytes() {
        let message = message("ayse@client.example");
        assert_eq!(write(&message, None).unwrap().formatted(), write(&message, None).unwrap().formatted());
    }

    #[test]
    fn address_that_is_no_plain_mailbox_is_refused_for_good() {
        for to in [
            "",
            "ayse",
            "a@b.example\r\nBcc: c@d.example",
            "a@b.example, c@d.example",
            "\"a b\"@c.example",
            "a@[127.0.0.1]",
            "ayşe@firm.example",
            "a@fırm.example",
            "<a@b.example>",
            "a@b.example\0",
        ] {
            let error = write(&message(to), None).unwrap_err();
            assert!(matches!(error, MailError::Permanent { .. }) && !error.to_string().contains('\n'), "{to:?}");
        }
    }

    proptest! {
        #[test]
        fn no_value_begins_a_field(id: String, name: String, subject: String, host: String, text: String, stop: String) {
            let mut odd = message("ayse@client.example");
            odd.id = id;
            odd.sender.name = name;
            odd.subject = subject;
            odd.host = host;
            odd.text = text;
            odd.unsubscribe = stop;
            let lines = lines(&odd, None);
            let head: Vec<_> = lines.iter().take_while(|line| !line.is_empty()).collect();
            let names: Vec<_> = head
                .iter()
                .filter(|line| !line.starts_with(' '))
                .map(|line| line.split_once(':').unwrap().0)
                .collect();
            let known = [
                "Date", "Message-ID", "To", "Subject", "From", "Auto-Submitted", "Content-Language", "MIME-Version",
                "Content-Type", "List-Unsubscribe", "List-Unsubscribe-Post",
            ];
            prop_assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
            prop_assert_eq!(names.len(), known.len());
        }
    }
}
