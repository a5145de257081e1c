//! Documents beside texts, and photographs, as they are published.

use std::{fs, io::Cursor, path::PathBuf};

use contract::{media, routes};
use publish::Publishing;
use tempfile::TempDir;
use tests::{
    Firm as _, SITE_URL, Service, build, build_from, build_with, built, content_of, copy_folder, publishing, templates,
};

/// The article that the tests write to.
const FOLDER: &str = "publications/remote-work";
const ENGLISH: &str = "/en/publications/remote-work-agreements";
const TURKISH: &str = "/tr/yayinlar/uzaktan-calisma-sozlesmesi";
const PDF: &[u8] =
    b"%PDF-1.4\n1 0 obj <</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>> endobj\n%%EOF\n";

/// A copy of the fixture firm, with files beside one of its articles.
struct EditedFirm(TempDir);

impl EditedFirm {
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
        build(self.0.path()).serve()
    }
}

#[test]
fn document_is_linked_with_type_and_size_at_a_stable_address() {
    let firm = EditedFirm::new()
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
        // The address stays the same when the document changes, so caches must revalidate.
        assert_eq!(reply.header("cache-control"), Some("public, max-age=300"));
        let tag = format!("If-None-Match: {}", reply.header("etag").unwrap());
        let again = service.get(path, &[&tag]);
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
    let path = format!("{}/ornek-sozlesme.pdf", routes::DOCUMENTS);
    assert!(service.get(&path, &[]).body.starts_with(PDF));
    assert_eq!(service.get("/files/%C3%96rnek%20S%C3%B6zle%C5%9Fme.PDF", &[]).status, 404);
}

#[test]
fn icons_are_served_at_the_usual_addresses() {
    let service = built("firm").serve();
    for (path, media_type) in [(routes::FAVICON, media::ICON), (routes::TOUCH_ICON, media::PNG)] {
        let reply = service.get(path, &[]);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)), "{path}");
        assert!(image::load_from_memory(&reply.body).is_ok(), "{path}");
    }
}

/// Width and height of the sensor, on its side.
const SENSOR: (u32, u32) = (2400, 1800);
/// A text in the metadata of the camera.
const SECRET: &str = "serial number 4711";

/// Returns a photograph of a phone: red on the left of the sensor, which is the top, blue on the right, with noise;
/// metadata with place, camera and thumbnail, and a film behind the end.
fn phone_photograph((width, height): (u32, u32)) -> Vec<u8> {
    let mut state = 1_u32;
    let pixels = image::RgbImage::from_fn(width, height, |x, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (state >> 26) as u8;
        if x < width / 2 { image::Rgb([190 + noise, noise, 40]) } else { image::Rgb([40, noise, 190 + noise]) }
    });
    let mut jpeg = Vec::new();
    pixels.write_with_encoder(image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 97)).unwrap();
    let notes = [b"Exif\0\0", &tiff()[..]].concat();
    let packet = format!("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>{SECRET}</x:xmpmeta>");
    let segment = |data: &[u8]| [b"\xff\xe1", &u16::try_from(data.len() + 2).unwrap().to_be_bytes()[..], data].concat();
    [&jpeg[..2], &segment(&notes), &segment(packet.as_bytes()), &jpeg[2..], b"ftypqt  ", SECRET.as_bytes()].concat()
}

/// Returns metadata in TIFF format (Exif 2.3, 4.6): camera, orientation and place.
fn tiff() -> Vec<u8> {
    let field = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        [&tag.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value].concat()
    };
    let make_at: u32 = 8 + 2 + 3 * 12 + 4;
    let gps_at = make_at + 20;
    let latitude_at = gps_at + 2 + 2 * 12 + 4;
    let main = [
        field(0x010f, 2, SECRET.len() as u32 + 1, make_at.to_le_bytes()),
        // Orientation 6: upright, with the sensor on its side.
        field(0x0112, 3, 1, [6, 0, 0, 0]),
        field(0x8825, 4, 1, gps_at.to_le_bytes()),
    ];
    let gps = [field(1, 2, 2, *b"N\0\0\0"), field(2, 5, 3, latitude_at.to_le_bytes())];
    let mut make = SECRET.as_bytes().to_vec();
    make.resize(20, 0);
    let degrees: Vec<u8> = [41_u32, 1, 2, 1, 30, 1].iter().flat_map(|number| number.to_le_bytes()).collect();
    let directory = |fields: &[Vec<u8>]| [&(fields.len() as u16).to_le_bytes()[..], &fields.concat(), &[0; 4]].concat();
    [b"II*\0\x08\0\0\0", &directory(&main)[..], &make, &directory(&gps), &degrees].concat()
}

/// Returns the Exif fields that an independent library reads.
fn metadata_fields(bytes: &[u8]) -> Vec<String> {
    let found = exif::Reader::new().read_from_container(&mut Cursor::new(bytes));
    found.map_or_else(|_| Vec::new(), |exif| exif.fields().map(|field| field.tag.to_string()).collect())
}

/// Returns the addresses and widths of the first `srcset` behind `mark`.
fn srcset(page: &str, mark: &str) -> Vec<(String, u32)> {
    let (_, tag) = page.split_once(mark).expect(page);
    let (_, set) = tag.split_once(" srcset=\"").unwrap();
    let forms = set.split('"').next().unwrap().split(", ");
    forms
        .map(|form| form.rsplit_once(' ').unwrap())
        .map(|(path, width)| (path.to_owned(), width.trim_end_matches('w').parse().unwrap()))
        .collect()
}

#[test]
fn photograph_is_published_small_upright_and_without_metadata() {
    let original = phone_photograph(SENSOR);
    assert!(original.len() > 3_000_000, "{}", original.len());
    let tags = metadata_fields(&original);
    assert!(tags.contains(&"GPSLatitude".to_owned()) && tags.contains(&"Orientation".to_owned()), "{tags:?}");
    let firm =
        EditedFirm::new().file("IMG_0001.JPG", &original).text("en.md", "![The entrance](IMG_0001.JPG \"At noon\")");
    let person = firm.0.path().join("team/ayse-yilmaz");
    fs::write(person.join("portrait.jpeg"), &original).unwrap();
    fs::remove_file(person.join("portrait.svg")).unwrap();
    let text = fs::read_to_string(person.join("en.md")).unwrap();
    let fields = "portrait: portrait.jpeg\nportrait_focus: 50% 100%";
    fs::write(person.join("en.md"), text.replacen("portrait: portrait.svg", fields, 1)).unwrap();
    let service = firm.serve();

    let page = service.get(ENGLISH, &[]).text();
    let forms = srcset(&page, "<figure><img src=\"/assets/img-0001-1200.");
    assert_eq!(forms.iter().map(|(_, width)| *width).collect::<Vec<_>>(), [480, 800, 1200]);
    assert!(page.contains("width=\"1200\" height=\"1600\"") && page.contains("<figcaption>At noon"), "{page}");
    let twin = service.get(&format!("{ENGLISH}.md"), &[]).text();
    assert!(twin.contains(&format!("![The entrance]({SITE_URL}{}", forms[2].0)), "{twin}");
    let feed = service.get("/en/atom.xml", &[]).text();
    assert!(!feed.contains("srcset=\"/") && !feed.contains("srcset=&quot;/"), "addresses in feeds are absolute");

    let page = service.get("/en/team/ayse-yilmaz", &[]).text();
    let portraits = srcset(&page, "<img class=\"portrait\" src=\"/assets/portrait-480.");
    assert_eq!(portraits.iter().map(|(_, width)| *width).collect::<Vec<_>>(), [240, 480]);

    for (path, width) in forms.iter().chain(&portraits) {
        let reply = service.get(path, &[]);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media::WEBP)), "{path}");
        assert!(reply.body.len() < 150_000, "{path} has {} bytes", reply.body.len());
        assert_eq!(metadata_fields(&reply.body), Vec::<String>::new(), "{path}");
        let picture = image::load_from_memory(&reply.body).unwrap().to_rgb8();
        let (across, down) = picture.dimensions();
        let is_portrait = portraits.iter().any(|(portrait, _)| portrait == path);
        assert_eq!((across, down), (*width, if is_portrait { width * 6 / 5 } else { (width * 4 + 1) / 3 }), "{path}");
        // The left of the sensor is the top. The focus of the portrait is the lower edge.
        let (top, bottom) = (picture.get_pixel(across / 2, 2), picture.get_pixel(across / 2, down - 3));
        assert!(top[0] > 150 && top[2] < 100 && bottom[2] > 150 && bottom[0] < 100, "{path}: {top:?} {bottom:?}");
        let lower = (0..down).filter(|y| picture.get_pixel(across / 2, *y)[2] > 120).count() as u32 * 100 / down;
        assert!(if is_portrait { lower > 53 } else { (49..=51).contains(&lower) }, "{path}: {lower}");
    }
    // The build contains nothing of the original.
    for (name, bytes) in tests::files_below(&service.firm.dist()) {
        assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "{name}");
        assert!(bytes.len() < 1_000_000 || !name.starts_with("assets/img"), "{name}");
    }
}

#[test]
fn photograph_is_processed_again_only_after_a_change_or_damage() {
    // Upright, it is just wide enough for every width.
    let photograph = phone_photograph((1300, 1250));
    let firm = EditedFirm::new().file("a.jpg", &photograph).text("en.md", "![It](a.jpg)");
    let out = TempDir::new().unwrap();
    let dist = out.path().join("dist");
    build_from(firm.0.path(), &dist);
    let forms = || -> Vec<PathBuf> {
        let assets = fs::read_dir(dist.join("assets")).unwrap().map(|entry| entry.unwrap().path());
        let mut forms: Vec<_> = assets.filter(|path| path.extension().is_some_and(|ending| ending == "webp")).collect();
        forms.sort();
        forms
    };
    let before = forms();
    assert_eq!(before.len(), 3);
    // A build that processed the picture again would repair the damage.
    let sound = fs::read(&before[0]).unwrap();
    fs::write(&before[0], vec![0; sound.len()]).unwrap();
    assert_eq!(build_from(firm.0.path(), &dist).written, 0);
    assert_eq!(fs::read(&before[0]).unwrap(), vec![0; sound.len()]);
    let publishing = Publishing { out: &dist, verify: true, ..publishing() };
    assert_eq!(build_with(firm.0.path(), &templates(), publishing).unwrap().written, 1);
    assert_eq!(fs::read(&before[0]).unwrap(), sound);

    let firm = firm.file("a.jpg", &[&photograph[..], b"."].concat());
    build_from(firm.0.path(), &dist);
    let after = forms();
    assert!(after.len() == 3 && after.iter().all(|path| !before.contains(path)), "{after:?}");
    // Equal pixels have equal variants.
    assert_eq!(fs::read(after.iter().find(|path| path.to_string_lossy().contains("-1200.")).unwrap()).unwrap(), sound);
}

#[test]
fn damaged_photograph_fails_the_build_and_is_named() {
    let mut png = Vec::new();
    let pixels = image::RgbImage::from_fn(1300, 40, |x, y| image::Rgb([x as u8, y as u8, (x * y) as u8]));
    pixels.write_with_encoder(image::codecs::png::PngEncoder::new(&mut png)).unwrap();
    let firm = EditedFirm::new().file("a.png", &png).text("en.md", "![It](a.png)");
    let out = TempDir::new().unwrap();
    let dist = out.path().join("dist");
    build_from(firm.0.path(), &dist);
    let before = tests::files_below(&dist);
    // Size and end are intact, the middle is damaged.
    let middle = png.len() / 2;
    png[middle..middle + 64].fill(0xaa);
    let firm = firm.file("a.png", &png).text("en.md", "A further sentence.");
    let report = tests::try_build_from(firm.0.path(), &dist).unwrap_err();
    assert!(report.contains("publications/remote-work/a.png: the picture cannot be read"), "{report}");
    assert_eq!(tests::files_below(&dist), before);
}
