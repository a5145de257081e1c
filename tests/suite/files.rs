//! Documents beside texts, and photographs: what readers and programs get of them.

use std::fs;

use contract::media;
use tempfile::TempDir;
use tests::{SITE_URL, Service, build, content_of, copy_folder};

/// The article that the tests write to.
const FOLDER: &str = "publications/remote-work";
const ENGLISH: &str = "/en/publications/remote-work-agreements";
const TURKISH: &str = "/tr/yayinlar/uzaktan-calisma-sozlesmesi";
const PDF: &[u8] =
    b"%PDF-1.4\n1 0 obj <</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>> endobj\n%%EOF\n";

/// A copy of the fixture firm, with files beside one of its articles.
struct Firm(TempDir);

impl Firm {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        copy_folder(&content_of("firm"), folder.path());
        Self(folder)
    }

    /// Adds a file beside the article.
    fn file(self, name: &str, bytes: &[u8]) -> Self {
        fs::write(self.0.path().join(FOLDER).join(name), bytes).unwrap();
        self
    }

    /// Adds a paragraph to the article in the language of `file`.
    fn text(self, file: &str, text: &str) -> Self {
        let path = self.0.path().join(FOLDER).join(file);
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{before}\n{text}\n")).unwrap();
        self
    }

    fn serve(&self) -> Service {
        let firm = build(self.0.path());
        Service::with(Service::config(&firm), firm)
    }
}

#[test]
fn document_is_linked_with_type_and_size_and_downloaded_from_an_address_that_stays() {
    let firm = Firm::new()
        .file("Örnek Sözleşme.PDF", &[PDF, &vec![b' '; 1_150_000][..], b"\n%%EOF"].concat())
        .file("hearing.ics", b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n")
        .text("en.md", "Read [the sample](%C3%96rnek%20S%C3%B6zle%C5%9Fme.PDF), and [the date](hearing.ics).")
        .text("tr.md", "Bkz. [örnek](<Örnek Sözleşme.PDF>).");
    let service = firm.serve();
    let page = service.get(ENGLISH, &[]).text();
    let link =
        "<a href=\"/files/ornek-sozlesme.pdf\">the sample <span class=\"document nobreak\">(PDF, 1.2 MB)</span></a>";
    assert!(page.contains(link) && page.contains("href=\"/files/hearing.ics\""), "{page}");
    let turkish = service.get(TURKISH, &[]).text();
    assert!(turkish.contains("örnek <span class=\"document nobreak\">(PDF, 1,2 MB)</span></a>"), "{turkish}");
    let twin = service.get(&format!("{ENGLISH}.md"), &[]).text();
    assert!(twin.contains(&format!("]({SITE_URL}/files/ornek-sozlesme.pdf) (PDF, 1.2 MB)")), "{twin}");
    assert!(twin.contains(&format!("[the date]({SITE_URL}/files/hearing.ics) (ICS, 1 KB)")), "{twin}");

    for (path, media_type) in [("/files/ornek-sozlesme.pdf", media::PDF), ("/files/hearing.ics", media::CALENDAR)] {
        let reply = service.get(path, &[]);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)));
        assert_eq!(reply.header("content-disposition"), Some("attachment"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("content-security-policy").unwrap().contains("sandbox"));
        // The address stays when the document changes, so caches ask again.
        assert_eq!(reply.header("cache-control"), Some("public, max-age=300"));
        let tag = format!("If-None-Match: {}", reply.header("etag").unwrap());
        let again = service.get(path, &[&tag]);
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
    assert!(service.get("/files/ornek-sozlesme.pdf", &[]).body.starts_with(PDF));
    assert_eq!(service.get("/files/Örnek Sözleşme.PDF", &[]).status, 404);
}

#[test]
fn policy_of_documents_is_there_only_with_documents() {
    let manifest = build(&content_of("firm")).manifest();
    assert!(manifest.classes.keys().all(|class| class.as_str() != "document"));
}
