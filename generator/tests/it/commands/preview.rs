//! `preview`: one command that builds, serves and shows every change.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use contract::Locale;

use super::{NOW, copy, generator, git_on, run, templates, text, turkish::english_word, watch::KillOnDrop};

/// How long anything may take before it counts as missing.
const TIMEOUT: Duration = Duration::from_mins(2);
const ABOUT: &str = "pages/about/en.md";

/// A preview that ends with its test.
struct Preview {
    address: String,
    _process: KillOnDrop,
    lines: Receiver<String>,
}

impl Preview {
    fn of(content: &Path) -> Self {
        Self::in_language(content, Locale::En)
    }

    fn in_language(content: &Path, language: Locale) -> Self {
        let mut command: Command = generator();
        command
            .args(["--lang", language.as_str(), "preview", "--listen", "127.0.0.1:0", "--now", NOW, "--content"])
            .arg(content);
        command.arg("--templates").arg(templates());
        let mut process = KillOnDrop(command.stderr(Stdio::piped()).spawn().unwrap());
        let printed = BufReader::new(process.0.stderr.take().unwrap()).lines();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || printed.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut preview = Self { address: String::new(), _process: process, lines };
        let line = preview.wait_for("http://");
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap();
        address.clone_into(&mut preview.address);
        preview
    }

    fn wait_for(&self, what: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("{what:?} was not printed in time"));
            if line.contains(what) {
                return line;
            }
        }
    }

    fn open(&self, path: &str, host: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        stream
    }

    fn get_as(&self, path: &str, host: &str) -> String {
        let mut answer = Vec::new();
        self.open(path, host).read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.get_as(path, &self.address)
    }

    /// Waits, as the script of a page does, until the page has changed, and returns it.
    fn wait_for_change(&self, path: &str, shown: &str) -> String {
        let of = |name: &str| shown.split(&format!("data-{name}=\"")).nth(1).unwrap().split('"').next().unwrap();
        let query = format!("version={}&print={}&path={path}", of("version"), of("print"));
        let stream = self.open(&format!("/_preview/events?{query}"), &self.address);
        let news = BufReader::new(stream).lines().map(Result::unwrap).find(|line| line == "data: changed");
        assert!(news.is_some(), "the connection ended without news");
        self.get(path)
    }
}

fn replace(content: &Path, file: &str, old: &str, new: &str) {
    let path = content.join(file);
    let whole = fs::read_to_string(&path).unwrap();
    assert!(whole.contains(old), "{file} has no {old}");
    fs::write(path, whole.replace(old, new)).unwrap();
}

#[test]
fn preview_shows_a_save_an_error_and_the_recovery() {
    let content = copy();
    let preview = Preview::of(content.path());
    preview.wait_for("no findings");
    let first = preview.get("/en/about");
    assert!(first.starts_with("HTTP/1.1 200") && first.contains("class=\"preview-bar\""), "{first}");
    let body = fs::read_to_string(content.path().join(ABOUT)).unwrap();
    let (_, body) = body.split_once("---\n\n").unwrap();
    let words = body.lines().next().unwrap().to_owned();
    replace(content.path(), ABOUT, &words, "This sentence is new.");
    let second = preview.wait_for_change("/en/about", &first);
    assert!(second.contains("This sentence is new."), "{second}");
    // Other pages are unchanged.
    let other = preview.get("/en/team");
    assert!(other.starts_with("HTTP/1.1 200"), "{other}");

    replace(content.path(), ABOUT, "title: ", "titel: ");
    let broken = preview.wait_for_change("/en/about", &second);
    assert!(broken.contains("The site cannot be built"), "{broken}");
    assert!(
        broken.contains("did you mean <code>title</code>?") && broken.contains("pages/about/en.md:2:1"),
        "{broken}"
    );
    assert!(broken.contains("This sentence is new."), "the last state that could be built is below");

    replace(content.path(), ABOUT, "titel: ", "title: ");
    let mended = preview.wait_for_change("/en/about", &broken);
    assert!(!mended.contains("cannot be built"), "{mended}");
}

#[test]
fn preview_starts_with_faulty_content() {
    let content = copy();
    replace(content.path(), "site.toml", "site_url", "site-url");
    let preview = Preview::of(content.path());
    preview.wait_for("error");
    let empty = preview.get("/en");
    assert!(empty.contains("Nothing to show yet") && empty.contains("did you mean <code>site_url</code>?"), "{empty}");
    replace(content.path(), "site.toml", "site-url", "site_url");
    let page = preview.wait_for_change("/en", &empty);
    assert!(page.contains("Örnek Law") && !page.contains("Nothing to show yet"), "{page}");
}

#[test]
fn preview_serves_everything_that_a_build_publishes() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let preview = Preview::of(content.path());
    preview.wait_for("no findings");
    let folder = |path: &Path| path.to_str().unwrap().to_owned();
    let site_url = format!("http://{}", preview.address);
    let built = run(&[
        "build",
        "--drafts",
        "--now",
        NOW,
        "--compression",
        "none",
        "--site-url",
        &site_url,
        "--content",
        &folder(content.path()),
        "--templates",
        &folder(&templates()),
        "--out",
        &folder(out.path()),
    ]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(out.path().join("manifest.json")).unwrap()).unwrap();
    let mut count = 0;
    for route in manifest["routes"].as_array().unwrap() {
        let path = route["path"].as_str().unwrap();
        let bytes = fs::read(out.path().join(route["variants"][0]["file"].as_str().unwrap())).unwrap();
        let mut answer = Vec::new();
        preview.open(path, &preview.address).read_to_end(&mut answer).unwrap();
        let at = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        let (head, body) = (String::from_utf8_lossy(&answer[..at]).into_owned(), &answer[at..]);
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        if head.contains("content-type: text/html") {
            let page = String::from_utf8(bytes).unwrap();
            let (start, end) = page.split_at(page.rfind("</body>").unwrap_or(page.len()));
            assert!(body.starts_with(start.as_bytes()) && body.ends_with(end.as_bytes()), "{path}");
        } else {
            assert!(body == bytes, "{path}");
        }
        count += 1;
    }
    assert!(count > 80, "{count}");
    for redirect in manifest["redirects"].as_array().unwrap() {
        let answer = preview.get(&redirect["from"].as_str().unwrap().replace(' ', "%20"));
        let to = redirect["to"].as_str().unwrap();
        assert!(answer.starts_with("HTTP/1.1 302") && answer.contains(&format!("location: {to}\r\n")), "{answer}");
    }
    for (path, words) in [("/tr/yok", "HTTP/1.1 404"), ("/en/about/", "location: /en/about\r\n")] {
        let answer = preview.get(path);
        assert!(answer.contains(words), "{path}: {answer}");
    }
}

#[test]
fn preview_marks_unpublished_pages() {
    let content = copy();
    replace(content.path(), "publications/tax-settlement/en.md", "title: ", "draft: true\ntitle: ");
    let preview = Preview::of(content.path());
    preview.wait_for("warning in");
    let page = preview.get("/en/publications/settlement-before-assessment");
    assert!(page.contains("<b>Draft: not public</b>"), "{page}");
    let overview = preview.get("/_preview/");
    assert!(
        overview.contains("settlement-before-assessment\">Settlement before assessment</a>: Draft: not public"),
        "{overview}"
    );
}

#[test]
fn page_is_shown_in_every_form_side_by_side() {
    let content = copy();
    let preview = Preview::of(content.path());
    preview.wait_for("no findings");
    let views = preview.get("/_preview/views?path=%2Fen%2Fabout");
    for words in [
        "<iframe src=\"/en/about\" title=\"Reader\"",
        "title=\"Phone\" width=\"390\"",
        "src=\"/_preview/print?path=%2Fen%2Fabout\"",
        "<h2>Markdown</h2><pre>---\ntitle: ",
        "<h2>Search result</h2><p>http://127.0.0.1:",
        "<h2>Share card</h2>",
    ] {
        assert!(views.contains(words), "{words}: {views}");
    }
    let printed = preview.get("/_preview/print?path=/en/about");
    let style = printed.split("href=\"/_preview/print.css?of=").nth(1).unwrap().split('"').next().unwrap();
    let style = preview.get(&format!("/_preview/print.css?of={style}"));
    assert!(
        style.contains("content-type: text/css") && style.contains("@media all") && !style.contains("@media print")
    );
}

#[test]
fn preview_is_for_this_machine_only() {
    let content = copy();
    let preview = Preview::of(content.path());
    preview.wait_for("no findings");
    let port = preview.address.rsplit(':').next().unwrap();
    for host in ["evil.example", "", &format!("evil.example:{port}"), "127.0.0.1:1", "127.0.0.1.evil.example"] {
        for path in ["/en", "/_preview/", "/_preview/events?version=0"] {
            let answer = preview.get_as(path, host);
            assert!(answer.starts_with("HTTP/1.1 421") && !answer.contains("Örnek"), "{host}: {answer}");
        }
    }
    assert!(preview.get_as("/en", &format!("LOCALHOST:{port}")).starts_with("HTTP/1.1 200"));
    for (request, status) in [
        ("POST /en HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), "405"),
        ("\u{1}\r\n\r\n".to_owned(), "400"),
        (format!("GET /{} HTTP/1.1\r\n", "a".repeat(20_000)), "431"),
    ] {
        let mut stream = TcpStream::connect(&preview.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert!(answer.ends_with(status.as_bytes()), "{request:.40}: {answer:?}");
    }
    let refused = run(&["preview", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("can be reached from other machines"), "{}", text(&refused.stderr));
}

/// Returns the part of a text that begins with `start`, up to `end`.
fn part<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let at = text.find(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    text[at..].split(end).next().unwrap()
}

#[test]
fn preview_has_turkish_pages_of_its_own() {
    let content = copy();
    replace(content.path(), "publications/tax-settlement/en.md", "title: ", "draft: true\ntitle: ");
    let preview = Preview::in_language(content.path(), Locale::Tr);
    preview.wait_for("denetlendi");
    let page = preview.get("/tr/hakkimizda");
    let bar = part(&page, "<aside class=\"preview-bar\"", "</aside>");
    assert!(bar.contains("lang=\"tr\"") && bar.contains("Bütün görünümler"), "{bar}");
    let held = preview.get("/en/publications/settlement-before-assessment");
    assert!(held.contains("<b>Taslak: herkese açık değil</b>"), "{held}");
    let overview = preview.get("/_preview/");
    assert!(overview.contains("before assessment</a>: Taslak: herkese açık değil"), "{overview}");
    // The lists contain titles of the site, which may be English.
    let overview: Vec<&str> = overview.lines().filter(|line| !line.starts_with("<li>")).collect();

    replace(content.path(), "pages/about/tr.md", "title: ", "titel: ");
    let broken = preview.wait_for_change("/tr/hakkimizda", &page);
    let error = part(&broken, "<div class=\"preview-errors\"", "</div>");
    assert!(error.contains("Site kurulamıyor") && error.contains("pages/about/tr.md:2:1"), "{error}");
    let mut own = vec![bar.to_owned(), overview.join("\n"), error.to_owned()];
    for path in [
        "/_preview/views?path=%2Ftr%2Fhakkimizda",
        "/_preview/views?path=%2Ftr%2Fyok",
        "/_preview/yok",
        "/_preview/print?path=/tr/yok",
        "/_preview/print.css?of=/yok",
    ] {
        own.push(preview.get(path));
    }
    own.push(preview.get_as("/tr", "evil.example"));
    for answer in own {
        // Header fields are not shown to people.
        let words = answer.split_once("\r\n\r\n").map_or(&*answer, |(_, words)| words);
        assert_eq!(english_word(words), None, "{words}");
    }
}

#[test]
fn editor_is_told_of_addresses_that_end_and_of_the_line_of_its_text() {
    const FILE: &str = "publications/tax-settlement/tr.md";
    let content = copy();
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "one"]] {
        git_on(1, content.path(), words);
    }
    let preview = Preview::in_language(content.path(), Locale::Tr);
    preview.wait_for("denetlendi");
    replace(content.path(), FILE, "slug: tarhiyat-oncesi-uzlasma", "slug: uzlasma");
    preview.wait_for("W0421");
    let list = preview.get("/_preview/editor");
    assert!(list.contains("(W0421)") && list.contains("<mark>uzlasma</mark>"), "{list}");
    replace(content.path(), FILE, "talep edebilir.", "talep <b>edebilir</b>.");
    preview.wait_for("E0312");
    let list = preview.get("/_preview/editor");
    let place = "<a href=\"/admin#/collections/publications/entries/tax-settlement/index\">Tarhiyat öncesi uzlaşma</a> \
                 (Türkçe, metin, 1. satır)";
    assert!(list.contains("class=\"preview-error\"") && list.contains(place), "{list}");
    assert!(list.contains("Mükellef uzlaşma talep <mark>&lt;b&gt;</mark>edebilir&lt;/b&gt;"), "{list}");
}
