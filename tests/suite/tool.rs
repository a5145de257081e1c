//! The command-line tool against a running service: what it finds, and a registration from its beginning to its end.

use std::{
    cell::Cell,
    fs,
    time::{Duration, SystemTime},
};

use cli::{Clock, Exit, Out, Surroundings};
use contract::routes;
use serde_json::Value;
use tempfile::TempDir;
use tests::{Service, demonstration, fixture, secrets, send};

use crate::id_jag::{Provider, Scene};

/// A clock that moves only when the tool waits.
struct Waiting(Cell<Duration>);

impl Clock for Waiting {
    #[expect(clippy::disallowed_methods, reason = "the tool is told the time as its binary would")]
    fn now(&self) -> SystemTime {
        SystemTime::now() + self.0.get()
    }

    fn sleep(&self, time: Duration) {
        self.0.set(self.0.get() + time);
    }

    fn chance(&self) -> u16 {
        0
    }
}

/// The tool with its own folders, asking `service`.
struct Tool<'a> {
    service: &'a Service,
    home: TempDir,
    /// Whether a variable names the service.
    is_told: bool,
}

impl<'a> Tool<'a> {
    fn asking(service: &'a Service) -> Self {
        Self { service, home: TempDir::new().unwrap(), is_told: true }
    }

    /// Returns the tool after `mecelle use`, with no variable that names the host.
    fn using(service: &'a Service) -> Self {
        let tool = Self { is_told: false, ..Self::asking(service) };
        let (exit, _, notes) = tool.run(&format!("use http://{}", service.address()));
        assert_eq!(exit, Exit::Success, "{notes}");
        tool
    }

    fn run(&self, line: &str) -> (Exit, String, String) {
        let folder = |name: &str| self.home.path().join(name).display().to_string();
        let variables = [
            (
                "MECELLE_BASE_URL",
                if self.is_told { format!("http://{}", self.service.address()) } else { String::new() },
            ),
            ("MECELLE_CACHE_DIR", folder("answers")),
            ("MECELLE_CONFIG_DIR", folder("keys")),
        ];
        let env = Surroundings {
            variables: variables.map(|(name, value)| (name.to_owned(), value.into())).into(),
            screen: None,
            notes_on_screen: false,
            clock: Box::new(Waiting(Cell::default())),
            input: Box::new(|| Ok(Vec::new())),
        };
        let (mut data, mut notes) = (Vec::new(), Vec::new());
        let words = std::iter::once("mecelle").chain(line.split_whitespace()).map(Into::into);
        let exit = cli::run(words, &env, &mut Out { data: &mut data, notes: &mut notes });
        secrets::harvest(&[line.as_bytes(), b"\n", &data].concat());
        (exit, String::from_utf8(data).unwrap(), String::from_utf8(notes).unwrap())
    }

    fn json(&self, line: &str) -> Value {
        let (exit, data, notes) = self.run(line);
        assert_eq!(exit, Exit::Success, "{line}: {notes}");
        serde_json::from_str(&data).unwrap()
    }
}

/// Does what the person does: opens the link and asks for the code.
fn show_code(service: &Service, link: &str) -> String {
    let page = service.get(&format!("{}?token={link}", routes::CLAIM_VIEW), &[]);
    assert_eq!(page.status, 200);
    let body = format!("{{\"claim_attempt_token\":\"{link}\"}}");
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        routes::CLAIM_CHALLENGE,
        body.len()
    );
    let reply = send(service.address(), format!("{head}{body}").as_bytes(), false).unwrap().unwrap();
    reply.json()["challenge"].as_str().unwrap().to_owned()
}

#[test]
fn search_finds_pages_in_both_languages() {
    let service = demonstration();
    let tool = Tool::asking(&service);
    let english = tool.json("search remote work");
    assert!(english["results"][0]["url"].as_str().unwrap().contains("/en/"), "{english}");
    let turkish = tool.json("search uzaktan calisma -l tr --limit 3");
    let results = turkish["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.len() <= 3);
    assert!(results[0]["title"].as_str().unwrap().contains("zaktan"), "{turkish}");
}

#[test]
fn site_of_any_firm_is_read_with_the_sandbox_key_that_it_publishes() {
    for service in [fixture(), demonstration()] {
        for (tool, key, valid) in [(Tool::using(&service), "sandbox", true), (Tool::asking(&service), "none", false)] {
            for line in ["team", "health", "search tax"] {
                let (exit, data, notes) = tool.run(line);
                assert!(exit == Exit::Success && notes.is_empty() && !data.is_empty(), "{line}: {notes}");
            }
            let said = tool.json("whoami");
            assert_eq!((&said["key"], &said["valid"]), (&key.into(), &valid.into()));
        }
    }
}

#[test]
fn anonymous_registration_is_claimed_and_revoked() {
    let service = Service::of("content");
    let tool = Tool::asking(&service);
    let registered = tool.json("register");
    assert_eq!(registered["registration_type"], "anonymous");
    let key = registered["credential"].as_str().unwrap().to_owned();
    assert_eq!(tool.json("whoami")["scopes"], serde_json::json!(["content.read", "mcp.read"]));
    assert_eq!(tool.run("team").0, Exit::Success);
    let (exit, _, notes) = tool.run("claim --email lawyer@firm.example");
    assert_eq!(exit, Exit::Success, "{notes}");
    let (exit, _, notes) = tool.run("claim --code 000000");
    assert_eq!(exit, Exit::Failure, "nobody has looked at the code yet: {notes}");
    let code = show_code(&service, &service.outbox().wait("lawyer@firm.example"));
    let claimed = tool.json(&format!("claim --code {code}"));
    assert_eq!(claimed["status"], "claimed");
    assert_eq!(tool.json("whoami")["scopes"].as_array().unwrap().len(), 4);
    let bearer = format!("Authorization: Bearer {key}");
    assert_eq!(service.get(routes::TEAM, &[&bearer]).status, 200, "the same key is worth more now");
    assert_eq!(tool.run("logout").0, Exit::Success);
    assert_eq!(service.get(routes::TEAM, &[&bearer]).status, 401, "and nothing on the next call");
}

#[test]
fn registration_by_mail_has_a_key_once_its_person_agrees() {
    let service = Service::of("content");
    let tool = Tool::asking(&service);
    let registered = tool.json("register --email lawyer@firm.example");
    assert_eq!((&registered["registration_type"], registered.get("credential")), (&"email-verification".into(), None));
    assert_eq!(tool.json("whoami")["key"], "none", "there is no other key yet");
    let code = show_code(&service, &service.outbox().wait("lawyer@firm.example"));
    let claimed = tool.json(&format!("claim --code {code}"));
    assert!(claimed["credential"].is_string());
    assert_eq!(tool.json("whoami")["key"], "kept");
    assert_eq!(tool.run("team --locale tr").0, Exit::Success);
}

#[test]
fn person_who_answers_too_late_is_asked_again_in_their_language() {
    const PERSON: &str = "lawyer@firm.example";
    let clock = sidecar::Clock::manual();
    let service = Service::at("content", &clock);
    let (tool, outbox) = (Tool::asking(&service), service.outbox());
    tool.json(&format!("register --email {PERSON} --locale tr"));
    // The code's time starts here, whenever the service notes that the message has left.
    show_code(&service, &outbox.wait(PERSON));
    assert_eq!(outbox.language(PERSON), "tr");
    clock.advance(Duration::from_mins(11));
    let (exit, _, notes) = tool.run("claim --wait");
    assert_eq!(exit, Exit::Failure);
    assert!(notes.contains("expired_token") && notes.ends_with("try: mecelle claim --email ADDRESS\n"), "{notes}");
    tool.json(&format!("claim --email {PERSON} --locale en"));
    let code = show_code(&service, &outbox.wait_for(PERSON, 2));
    assert_eq!(outbox.language(PERSON), "en");
    assert!(tool.json(&format!("claim --code {code}"))["credential"].is_string());
    // Once the registration itself is over, asking again says so, and what to do.
    tool.json("register --email colleague@firm.example");
    clock.advance(Duration::from_hours(25));
    let (_, _, notes) = tool.run("claim --wait");
    assert!(notes.ends_with("try: mecelle claim --email ADDRESS\n"), "{notes}");
    let (_, _, notes) = tool.run("claim --email colleague@firm.example");
    assert!(notes.contains("claim_expired") && notes.ends_with("try: mecelle register\n"), "{notes}");
}

#[test]
fn key_that_was_revoked_elsewhere_is_thrown_away() {
    let service = Service::of("content");
    let tool = Tool::asking(&service);
    let key = tool.json("register")["credential"].as_str().unwrap().to_owned();
    let body = format!("token={key}");
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        routes::REVOKE,
        body.len()
    );
    assert_eq!(send(service.address(), format!("{head}{body}").as_bytes(), false).unwrap().unwrap().status, 200);
    let (exit, _, notes) = tool.run("team");
    assert_eq!(exit, Exit::Authentication);
    assert!(notes.contains("thrown away") && notes.contains("mecelle register"), "{notes}");
    assert_eq!(tool.run("team").0, Exit::Success, "the sandbox key serves from then on");
}

#[test]
fn assertion_of_a_trusted_provider_is_worth_a_key_until_the_provider_takes_its_word_back() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let tool = Tool::asking(&scene.service);
    let place = tool.home.path().join("assertion.jwt");
    let register = |changes: Value| {
        fs::write(&place, provider.assertion(scene.now(), &changes) + "\n").unwrap();
        tool.run(&format!("register --credential api-key --assertion {}", place.display()))
    };
    let user = serde_json::json!({ "sub": "user", "email": "user@client.example" });
    let (exit, data, notes) = register(user.clone());
    assert_eq!(exit, Exit::Success, "{notes}");
    let registered: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(registered["registration_type"], "agent-provider");
    let bearer = format!("Authorization: Bearer {}", registered["credential"].as_str().unwrap());
    let who = tool.json("whoami");
    assert_eq!((&who["key"], who["scopes"].as_array().unwrap().len()), (&"kept".into(), 4));
    let (exit, team, _) = tool.run("team --locale tr");
    assert_eq!((exit, team), (Exit::Success, scene.service.get("/api/v1/team?locale=tr", &[]).text()));

    let (exit, data, notes) = tool.run(&format!("register --assertion {}", place.display()));
    assert_eq!((exit, data.as_str()), (Exit::Failure, ""), "the same assertion again");
    assert!(notes.contains("used before") && notes.contains("fresh `jti`"), "{notes}");
    assert_eq!(scene.service.get(routes::TEAM, &[&bearer]).status, 200, "the key that was there is not touched");

    assert_eq!(scene.report(&provider.report("user", scene.now())).status, 202);
    let (exit, _, notes) = tool.run("team");
    assert_eq!(exit, Exit::Authentication);
    assert!(notes.contains("thrown away") && notes.contains("mecelle register"), "{notes}");

    let (exit, _, notes) = register(serde_json::json!({ "auth_time": null }));
    assert_eq!(exit, Exit::Authentication);
    assert!(notes.contains("sign in at the provider again"), "{notes}");
    let (exit, data, notes) = register(serde_json::json!({}));
    assert_eq!(exit, Exit::Success, "{notes}");
    assert_eq!(tool.run("logout").0, Exit::Success);
    let key = serde_json::from_str::<Value>(&data).unwrap()["credential"].as_str().unwrap().to_owned();
    assert_eq!(scene.service.get(routes::TEAM, &[&format!("Authorization: Bearer {key}")]).status, 401);
}
