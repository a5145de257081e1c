//! Tests of the trust list.

use proptest::prelude::*;
use secrets::Digest;

use super::*;

fn parse(text: &str) -> Result<Trust, String> {
    Trust::parse(Path::new("trust.toml"), text).map_err(|error| error.to_string())
}

fn error_of(text: &str) -> String {
    parse(text).unwrap_err()
}

/// Returns one provider with `more` lines, the first of which is line 4.
fn provider(more: &str) -> String {
    format!("[[provider]]\nissuer = 'https://agents.example'\nname = 'Agents'\n{more}\n")
}

fn ids(provider: &Provider) -> Vec<&str> {
    provider.clients.iter().map(|client| client.id.as_str()).collect()
}

const KEY: &str = "kty = 'OKP', crv = 'Ed25519', kid = 'k', x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'";

#[test]
fn empty_list_trusts_no_provider() {
    assert!(parse("").unwrap().is_empty());
    assert!(parse("dev = false\n").unwrap().is_empty());
    assert!(Trust::default().is_empty());
}

#[test]
fn provider_needs_issuer_and_name_only() {
    let trust = parse(&provider("")).unwrap();
    assert!(!trust.is_empty());
    let [provider] = &trust.into_providers()[..] else { panic!() };
    assert_eq!(ids(provider), ["https://agents.example"]);
    assert_eq!(provider.algorithms, Algorithm::ALL);
    assert!(matches!(&provider.keys, KeysAt::Address(url) if url == "https://agents.example/.well-known/jwks.json"));
}

#[test]
fn keys_inside_a_network_are_refused_with_the_remedy_unless_they_are_in_the_list() {
    for host in
        ["localhost", "127.0.0.1:8443", "[::1]", "169.254.169.254", "10.1.2.3", "keys", "metadata.google.internal"]
    {
        let line = format!("jwks_uri = 'https://{host}/keys'");
        let error = error_of(&provider(&line));
        assert!(error.starts_with("trust.toml:4: ") && error.contains("write them into the list as `jwks`"), "{error}");
        let own = format!("[[provider]]\nissuer = 'https://{host}'\nname = 'Agents'\n");
        assert!(error_of(&own).contains("is inside a network"), "{host}");
        // The name of an issuer is only compared.
        parse(&format!("{own}jwks = {{ keys = [{{ {KEY} }}] }}\n")).unwrap();
        parse(&format!("{own}jwks_uri = 'https://keys.example/'\n")).unwrap();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "what grows with the square takes minutes here")]
fn long_trust_list_is_read_in_linear_time() {
    use std::fmt::Write as _;
    let mut text = String::new();
    for number in 0..20_000 {
        let _ = writeln!(text, "[[provider]]\nissuer = 'https://a{number}.example'\nname = 'A'");
    }
    text.push_str("[[provider.client]]\nid = 'https://c.example'\n");
    for number in 0..20_000 {
        let _ = writeln!(text, "[[provider.client]]\nid = 'https://c{number}.example'");
    }
    let start = std::time::Instant::now();
    assert_eq!(parse(&text).unwrap().issuers().count(), 20_000);
    assert!(start.elapsed() < std::time::Duration::from_mins(1), "{:?}", start.elapsed());
    let twice = format!("{text}[[provider.client]]\nid = 'https://c.example'\n");
    assert!(error_of(&twice).contains("is in the list twice"));
}

#[test]
fn issuer_may_end_with_a_slash_and_keeps_it() {
    let trust = parse("[[provider]]\nissuer = 'https://agents.example/t/1/'\nname = 'A'\n").unwrap();
    let [provider] = &trust.into_providers()[..] else { panic!() };
    assert_eq!(provider.issuer, "https://agents.example/t/1/");
    assert!(
        matches!(&provider.keys, KeysAt::Address(url) if url == "https://agents.example/t/1/.well-known/jwks.json")
    );
}

#[test]
fn every_method_answers() {
    let trust = parse(&provider(
        "jwks_uri = 'https://keys.example/set?x=1'\nclient_ids = ['a', 'b']\nevent_audiences = ['c']\nalgorithms = ['ES256', 'Ed25519']\nreuse_until_exp = true",
    ))
    .unwrap();
    let [provider] = &trust.into_providers()[..] else { panic!() };
    assert_eq!(ids(provider), ["a", "b"]);
    assert_eq!(provider.event_audiences, ["c"]);
    assert_eq!(provider.algorithms, [Algorithm::Es256, Algorithm::EdDsa]);
    assert!(provider.reuse_until_exp);
    assert!(matches!(&provider.keys, KeysAt::Address(url) if url == "https://keys.example/set?x=1"));
}

#[test]
fn both_claims_are_required_unless_the_list_names_fewer() {
    let of = |lines: &str| parse(&provider(lines)).unwrap().into_providers()[0].requires;
    let requires = |auth_time, contact| Requirements { auth_time, contact };
    assert_eq!(of(""), Requirements::ALL);
    assert_eq!(of("requires = ['auth_time', 'contact']"), Requirements::ALL);
    assert_eq!(of("requires = ['contact']"), requires(false, true));
    assert_eq!(of("requires = ['auth_time']\nreuse_until_exp = true"), requires(true, false));
    assert_eq!(of("requires = []"), requires(false, false));
}

#[test]
fn unknown_required_claim_is_refused_with_the_near_name() {
    let near = error_of(&provider("requires = ['auth_tme']"));
    assert!(near.contains(":4") && near.contains("auth_time"), "{near}");
    for lines in ["requires = 'contact'", "requires = [true]", "requires = true"] {
        let text = error_of(&provider(lines));
        assert!(text.contains("`requires` must be a list"), "{text}");
    }
}

#[test]
fn assertion_without_time_of_sign_in_is_never_reusable() {
    for requires in ["[]", "['contact']"] {
        let text = error_of(&provider(&format!("requires = {requires}\nreuse_until_exp = true")));
        assert!(text.contains(":5") && text.contains("counts once"), "{text}");
    }
}

#[test]
fn client_may_have_a_secret_of_which_the_list_has_the_digest() {
    let digest = Digest::of(b"secret");
    let with = |client: &str| provider(&format!("client_ids = ['a']\n[[provider.client]]\n{client}"));
    let text = with(&format!("id = 'b'\nsecret_sha256 = '{}'", digest.as_str().to_uppercase()));
    let [provider] = &parse(&format!("{text}[[provider.client]]\nid = 'c'\n")).unwrap().into_providers()[..] else {
        panic!()
    };
    assert_eq!(ids(provider), ["a", "b", "c"]);
    assert_eq!(
        [None, Some(digest), None].as_slice(),
        provider.clients.iter().map(|it| it.secret.clone()).collect::<Vec<_>>()
    );
    let empty = Digest::of(b"");
    let form = "trust.toml:7: `secret_sha256` must be the SHA-256 of the secret, as 64 hexadecimal digits: \
                `printf %s SECRET | sha256sum`";
    for wrong in ["secret", &"0".repeat(63), &"g".repeat(64), empty.as_str()] {
        assert_eq!(error_of(&with(&format!("id = 'b'\nsecret_sha256 = '{wrong}'"))), form, "{wrong}");
    }
    assert_eq!(error_of(&with("id = 'a'")), "trust.toml:5: the client `a` is in the list twice");
    assert_eq!(error_of(&with("secret = 'a'")), "trust.toml:6: `secret`: unknown key; did you mean `secret_sha256`?");
    assert_eq!(error_of(&with("secret_sha256 = 'a'")), "trust.toml:5: a client needs `id`");
    assert_eq!(
        error_of(&super::tests::provider("client = 'a'")),
        "trust.toml:4: `client` must be a list: write `[[provider.client]]`"
    );
}

#[test]
fn listed_keys_may_be_a_table_or_json() {
    let json = "jwks = '{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\",\
                \"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}'";
    for line in [format!("jwks = {{ keys = [{{ {KEY} }}] }}"), json.to_owned()] {
        let [provider] = &parse(&provider(&line)).unwrap().into_providers()[..] else { panic!() };
        assert!(matches!(&provider.keys, KeysAt::Here(keys) if keys.len() == 1), "{line}");
    }
}

#[test]
fn unknown_key_is_refused_with_its_line_and_the_nearest_name() {
    assert_eq!(
        error_of(&provider("jwks_url = 'https://keys.example'")),
        "trust.toml:4: `jwks_url`: unknown key; did you mean `jwks_uri`?"
    );
    assert_eq!(error_of("\n[[providers]]\n"), "trust.toml:2: `providers`: unknown key; did you mean `provider`?");
    assert_eq!(
        error_of(&provider("algorithms = ['ES256', 'RS512']")),
        "trust.toml:4: the algorithm `RS512` is not accepted; accepted are ES256, ES384, RS256, PS256, EdDSA"
    );
    assert!(
        error_of(&provider("algorithms = ['none']")).starts_with("trust.toml:4: the algorithm `none` is not accepted")
    );
    assert!(error_of(&provider("algorithms = ['HS256']")).contains("is not accepted"));
}

#[test]
fn repeated_key_and_syntax_error_are_named_in_our_words() {
    let twice = "[[provider]]\nissuer = 'https://a.example'\nname = 'A'\nname = 'B'\n";
    assert_eq!(error_of(twice), "trust.toml:4: `provider.name` is set here and on line 3; remove one of the two");
    let open = error_of("[[provider]]\nissuer = 'https://a.example\n");
    assert!(open.starts_with("trust.toml:2: ") && open.contains("not TOML: put a quotation mark"), "{open}");
}

#[test]
fn missing_abilities_are_named() {
    assert_eq!(error_of("[[provider]]\nname = 'A'\n"), "trust.toml:1: a provider needs `issuer`");
    assert_eq!(error_of("\n[[provider]]\nissuer = 'https://a.example'\n"), "trust.toml:2: a provider needs `name`");
}

#[test]
fn values_of_another_kind_are_refused_with_their_line() {
    for more in [
        "jwks_uri = 7",
        "jwks_uri = ''",
        "client_ids = 'a'",
        "client_ids = []",
        "client_ids = ['']",
        "client_ids = [1]",
        "algorithms = 'ES256'",
        "algorithms = []",
        "jwks = 7",
        "jwks = {}",
        "jwks = ''",
        "jwks = { keys = [] }",
        "jwks = { keys = [{ kty = 'oct', k = 'AA' }] }",
        "client_ids = [\"a\\u0000\"]",
    ] {
        assert!(error_of(&provider(more)).starts_with("trust.toml:4: "), "{more}");
    }
    assert!(error_of("dev = 1").starts_with("trust.toml:1: "));
    assert!(error_of("provider = 1").starts_with("trust.toml:1: "));
    assert!(error_of("[provider]\nissuer = 'https://a.example'").contains("[[provider]]"));
    assert!(error_of("\nissuer =").starts_with("trust.toml:2: "));
}

#[test]
fn key_in_the_list_that_cannot_be_used_is_a_mistake() {
    let problem = error_of(&provider(&format!("jwks = {{ keys = [{{ {KEY} }}, {{ {KEY} }}] }}")));
    assert_eq!(problem, "trust.toml:4: key 1 of `jwks` cannot be used: another key has the same `kid`");
    // The key of RFC 7515, A.3, with another first character.
    let key = "kty = 'EC', crv = 'P-256', x = 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', \
               y = 'y_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'";
    let problem = error_of(&provider(&format!("jwks = {{ keys = [{{ {KEY} }}, {{ {key} }}] }}")));
    assert_eq!(problem, "trust.toml:4: key 2 of `jwks` cannot be used: its point is not on its curve");
}

#[test]
fn keys_have_one_place() {
    let both = format!("jwks_uri = 'https://keys.example'\njwks = {{ keys = [{{ {KEY} }}] }}");
    assert!(error_of(&provider(&both)).starts_with("trust.toml:5: "));
}

#[test]
fn repeated_issuer_is_refused() {
    let twice = format!("{}{}", provider(""), provider(""));
    assert_eq!(error_of(&twice), "trust.toml:5: the issuer `https://agents.example` is in the list twice");
}

#[test]
fn similar_issuers_are_refused() {
    for other in ["https://agents.example/", "https://Agents.Example", "https://AGENTS.example//"] {
        let text = format!("{}[[provider]]\nissuer = '{other}'\nname = 'B'\n", provider(""));
        let problem = error_of(&text);
        assert!(problem.starts_with("trust.toml:5: the issuers `https://agents.example` and `"), "{problem}");
    }
    for other in ["https://agents.example/a", "https://agents.example:444", "https://b.agents.example"] {
        let text = format!("{}[[provider]]\nissuer = '{other}'\nname = 'B'\n", provider(""));
        assert!(parse(&text).is_ok(), "{other}");
    }
}

#[test]
fn provider_names_hide_no_characters() {
    for hidden in [
        '\u{202e}', '\u{200b}', '\u{2066}', '\u{feff}', '\u{7f}', '\u{ffff}', '\u{200e}', '\u{200d}', '\u{ad}',
        '\u{61c}',
    ] {
        let text = format!("[[provider]]\nissuer = 'https://a.example'\nname = \"A{hidden}B\"\n");
        let escaped = text.replace(hidden, &format!("\\u{:04x}", u32::from(hidden)));
        assert!(error_of(&escaped).starts_with("trust.toml:3: `name` must be a text"), "{escaped}");
        let more = format!("client_ids = [\"a\\u{:04x}\"]", u32::from(hidden));
        assert!(error_of(&provider(&more)).starts_with("trust.toml:4: `client_ids` must be a text"), "{more}");
    }
}

#[test]
fn addresses_begin_with_https() {
    for url in [
        "http://agents.example",
        "ftp://agents.example",
        "agents.example",
        "https://",
        "https:///path",
        "//agents.example",
        "https://user:password@agents.example",
        "https://agents.example#x",
        "https://agents.example/?x=1",
        "https://agents example",
        "HTTPS://agents.example",
        "http://localhost",
        "http://127.0.0.1:1",
        "file:///etc/passwd",
    ] {
        let text = format!("[[provider]]\nissuer = '{url}'\nname = 'A'\n");
        assert!(error_of(&text).starts_with("trust.toml:2: `issuer` must be an address"), "{url}");
    }
}

#[test]
fn development_allows_plain_http_for_this_machine_and_nothing_else() {
    let text = |url: &str| format!("dev = true\n[[provider]]\nissuer = '{url}'\nname = 'A'\n");
    for url in
        ["http://localhost", "http://localhost:8080/x", "http://127.0.0.1:1", "http://[::1]:1", "https://a.example"]
    {
        assert!(parse(&text(url)).is_ok(), "{url}");
    }
    for url in [
        "http://agents.example",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://10.0.0.1",
        "http://localhost@evil.example",
        "http://evil.example/localhost",
        "http://0.0.0.0",
        "http://[::ffff:127.0.0.1]",
        "http://127.0.0.1:1@evil.example",
        "http://localhost:x",
    ] {
        assert!(error_of(&text(url)).starts_with("trust.toml:3: "), "{url}");
    }
}

proptest! {
    #[test]
    fn parsing_an_arbitrary_trust_list_never_panics(text in "\\PC{0,80}", value in "\\PC{0,40}", key in 0_usize..8) {
        let _ = parse(&text);
        let key = ["issuer", "name", "jwks_uri", "jwks", "client_ids", "algorithms", "dev", "provider"][key];
        let _ = parse(&provider(&format!("{key} = {value}")));
        let _ = parse(&format!("dev = true\n[[provider]]\nname = 'A'\n{key} = '{value}'\n"));
        let _ = parse(&format!("dev = true\n[[provider]]\nname = 'A'\nissuer = 'http://{value}'\n"));
    }
}
