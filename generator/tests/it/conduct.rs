//! Advice on advertising and personal data: findings, exceptions, and deviations that a firm accepts.

use std::{fs, path::Path};

use crate::content::Content;
use contract::Locale;
use findings::{Finding, Findings};
use generator::fix;
use site::{Loading, load};

const ABOUT: &str = "pages/about/tr.md";
const SENTENCE: &str = "Büro uydurmadır.";
const ARTICLE: &str = "publications/tax-settlement/en.md";
const NOTICE: &str = "pages/privacy-notice/tr.md";

fn findings(content: &Content) -> Findings {
    content.load().map_or_else(|findings| findings, |loaded| loaded.warnings)
}

/// Returns the findings in one line each: code, file, line, number of further ones, message.
fn finding_lines(content: &Content) -> Vec<String> {
    let line = |finding: &Finding| {
        let more = if finding.more > 0 { format!(" (+{})", finding.more) } else { String::new() };
        let (place, message) = (&finding.place, &finding.message[Locale::En]);
        format!("{} {}:{}{more} {message}", finding.code.id(), place.file, place.span.line)
    };
    findings(content).items().iter().map(line).collect()
}

fn about(text: &str) -> Content {
    Content::firm().with(ABOUT, SENTENCE, text)
}

fn with_file(content: Content, file: &str, text: &str) -> Content {
    fs::write(content.0.path().join(file), text).unwrap();
    content
}

fn with_checks(content: Content, lines: &str) -> Content {
    let settings = fs::read_to_string(content.0.path().join("site.toml")).unwrap();
    with_file(content, "site.toml", &format!("{settings}\n[checks]\n{lines}\n"))
}

#[test]
fn claims_are_reported_once_for_a_kind_and_file() {
    let text = "Alanında LİDER, en\n**iyi** büro.\n\nUzman **avukat**\nkadromuz; en iyi hizmet, UZMANLARIMIZ.";
    assert_eq!(
        finding_lines(&about(text)),
        [
            "T0802 pages/about/tr.md:9 (+2) `Alanında LİDER` can be read as praise of the firm",
            "T0803 pages/about/tr.md:12 (+1) `Uzman avukat` can be read as a claim to be a specialist",
        ]
    );
    let found = findings(&about(text));
    let first = &found.items()[0];
    assert_eq!((first.place.span.column, first.place.span.length), (1, 14));
    assert!(first.message[Locale::Tr].contains("üstünlük iddiası"));
    assert_eq!(first.help.len(), 2);
    assert_eq!(found.warnings(), 5, "each passage counts");
}

#[test]
fn passage_of_several_lines_is_one_finding() {
    assert_eq!(
        finding_lines(&about("Büromuz en\n  **iyi** sonucu arar.")),
        ["T0802 pages/about/tr.md:9 `en iyi` can be read as praise of the firm"]
    );
}

#[test]
fn quotations_code_and_destinations_are_not_checked() {
    for text in [
        "> Türkiye’nin en iyi bürosu\n>\n> > en iyi avukat",
        "Karar, “Türkiye’nin en iyi bürosu” sözünü reklam saymıştır.",
        "Karar, “en «en çok» en iyi bürosu” sözünü reklam saymıştır.",
        "Karar, \"en iyi büro\" sözünü reklam saymıştır.",
        "Karar, «en iyi büro» sözünü reklam saymıştır.",
        "Adı `en iyi` olan alan",
        "```\nen iyi büro\n```\n",
        "[Karar](https://karar.example/en-iyi-lider)",
    ] {
        assert_eq!(finding_lines(&about(text)), [""; 0], "{text}");
    }
    for text in [
        "“Karar” en iyi büro “sözü”",
        "Bir “Karar\n\nen iyi büro” sözü",
        "5\" en iyi büro",
        "[en iyi büro](https://karar.example/)",
        "> Karar\n\nen iyi büro",
    ] {
        assert_eq!(finding_lines(&about(text)).len(), 1, "{text}");
    }
}

#[test]
fn placeholders_are_not_checked() {
    let lines = finding_lines(&about("[TAMAMLAYIN: en iyi neyi yaptığınız] ve [not] en iyi"));
    assert_eq!(lines.iter().filter(|line| line.starts_with('T')).count(), 1, "{lines:?}");
}

#[test]
fn visible_values_are_checked() {
    let content = Content::firm()
        .with("team/mehmet-demir/tr.md", "title: Avukat", "# lider\ntitle: Uzman avukat")
        .with("site.toml", "İzmir'de küçük bir hukuk bürosu", "İzmir'in en iyi hukuk bürosu # lider")
        .with("site.toml", "service =", "# Our success rate\nservice =");
    assert_eq!(
        finding_lines(&content),
        [
            "T0802 site.toml:9 (+1) `en iyi` can be read as praise of the firm",
            "T0803 team/mehmet-demir/tr.md:4 `Uzman avukat` can be read as a claim to be a specialist",
        ]
    );
}

#[test]
fn articles_may_contain_terms_of_the_law_but_no_calls() {
    let text = |text| finding_lines(&Content::firm().with(ARTICLE, "The taxpayer may ask for settlement.", text));
    assert_eq!(text("A specialist of the Ministry and the best offer; experts in accounting are heard."), [""; 0]);
    assert_eq!(
        text("Our lawyers can help you."),
        [format!("T0806 {ARTICLE}:10 `Our lawyers can help you` can be read as a call to give the firm a case")]
    );
}

#[test]
fn checks_can_be_switched_off_in_the_settings() {
    let claims = || about("En iyi büro. Aydınlatma metnini okudum, kabul ediyorum.");
    let codes = |content: Content| finding_lines(&content).iter().map(|line| line[..5].to_owned()).collect::<Vec<_>>();
    assert_eq!(codes(claims()), ["T0802", "T0903"]);
    assert_eq!(codes(with_checks(claims(), "advertising = \"warn\"\nkvkk = \"warn\"")), ["T0802", "T0903"]);
    assert_eq!(codes(with_checks(claims(), "advertising = \"off\"")), ["T0903"]);
    assert_eq!(codes(with_checks(claims(), "kvkk = \"off\"")), ["T0802"]);
    assert_eq!(codes(with_checks(claims(), "advertising = \"off\"\nkvkk = \"off\"")), [""; 0]);
    let lines = finding_lines(&with_checks(Content::firm(), "advertising = \"of\"\nkvk = \"off\""));
    assert!(
        lines[0].starts_with("E0119 site.toml:") && lines[0].contains("`of` is not one of `warn`, `off`"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("E0107 site.toml:") && lines[1].contains("checks.kvk"), "{lines:?}");
}

#[test]
fn notice_is_required_with_an_address() {
    let content = Content::firm();
    fs::remove_dir_all(content.0.path().join("pages/privacy-notice")).unwrap();
    let message = "the site gives an e-mail address but has no privacy notice";
    assert_eq!(finding_lines(&content), [format!("T0901 contact/en.md:3 {message}")]);
    let page = content.0.path().join("pages/kvkk-aydinlatma");
    crate::folder::copy(&Content::firm().0.path().join("pages/privacy-notice"), &page);
    assert!(finding_lines(&content).iter().all(|line| !line.starts_with('T')), "{:?}", finding_lines(&content));
}

#[test]
fn notice_contains_what_the_law_requires() {
    let notice = |text: &str| {
        let content = Content::firm();
        let path = content.0.path().join(NOTICE);
        let whole = fs::read_to_string(&path).unwrap();
        let (fields, _) = whole.rsplit_once("---\n").unwrap();
        with_file(content, NOTICE, &format!("{fields}---\n\n{text}\n"))
    };
    let found = findings(&notice("Veriler, yanıt vermek amacıyla ve m. 5’e göre işlenir. Elektronik yolla toplanır."));
    let [finding] = found.items() else { panic!("{found:?}") };
    assert_eq!((finding.code.id(), finding.place.span.line), ("T0902", 2));
    assert_eq!(
        &finding.message[Locale::Tr],
        "bu aydınlatma metninde şunlardan söz edilmiyor: veri sorumlusunun kimliği, kimlere aktarıldığı, 11. maddedeki haklar, \
         başvuru yolu"
    );
    assert_eq!(finding_lines(&notice("[Metin](https://belge.example/metin.pdf)")), [""; 0], "a document may say it");

    let whole =
        "Veri sorumlusu Örnek’tir. Amaç, hukuki sebep, elektronik yol, aktarım, haklar ve başvuru açıklanmıştır.";
    assert_eq!(finding_lines(&notice(whole)), [""; 0]);
    assert_eq!(
        finding_lines(&notice(&format!("{whole} Site Cloudflare üzerinden sunulur."))),
        [format!("T0904 {NOTICE}:7 `Cloudflare` is named, but this notice does not mention transfers abroad")]
    );
    for more in ["Site Cloudflare üzerinden sunulur; veriler yurt dışına aktarılır.", "Google Analytics kullanılmaz."]
    {
        assert_eq!(finding_lines(&notice(&format!("{whole} {more}"))), [""; 0], "{more}");
    }
}

/// A deviation that accepts the claim of `about`.
const ENTRY: &str = "[[deviation]]\ncode = \"T0802\"\nfile = \"pages/about/tr.md\"\nwords = \"en iyi büro\"\n\
     reason = \"Ödülün adıdır.\"\nname = \"Av. Ayşe Yılmaz\"\ndate = 2026-10-01\nuntil = 2027-09-30\n";

/// Returns the findings about the claim with a changed `ENTRY`.
fn findings_with_entry(old: &str, new: &str) -> Vec<String> {
    assert!(ENTRY.contains(old), "{old}");
    finding_lines(&with_file(about("Ödülün adı En **İyi** Büro’dur."), "deviations.toml", &ENTRY.replace(old, new)))
}

#[test]
fn accepted_passage_is_not_reported() {
    assert_eq!(findings_with_entry("", ""), [""; 0]);
    let both = about("En iyi büro. En iyi hizmet.");
    let both = with_file(both, "deviations.toml", ENTRY);
    assert_eq!(
        finding_lines(&both),
        ["T0802 pages/about/tr.md:9 `En iyi` can be read as praise of the firm"],
        "others are"
    );
}

#[test]
fn register_must_name_an_existing_passage() {
    let claim = "T0802 pages/about/tr.md:9 `En İyi` can be read as praise of the firm";
    assert_eq!(
        findings_with_entry("en iyi büro", "en iyi ofis"),
        ["W0811 deviations.toml:4 `en iyi ofis` is not in `pages/about/tr.md` any more", claim]
    );
    assert_eq!(
        findings_with_entry("en iyi büro", "Ödülün"),
        ["W0811 deviations.toml:4 `Ödülün` is not reported as T0802", claim]
    );
    assert_eq!(
        findings_with_entry("T0802", "T0803"),
        ["W0811 deviations.toml:4 `en iyi büro` is not reported as T0803", claim]
    );
    assert_eq!(
        findings_with_entry("about/tr.md", "abuot/tr.md"),
        ["W0811 deviations.toml:3 there is no text `pages/abuot/tr.md`", claim]
    );
    let off = with_checks(about("En iyi büro."), "advertising = \"off\"");
    assert_eq!(
        finding_lines(&with_file(off, "deviations.toml", ENTRY)),
        [""; 0],
        "what is not looked for may be accepted"
    );
}

#[test]
fn deviation_applies_between_its_days_and_for_a_year_at_most() {
    let claim = "T0802 pages/about/tr.md:9 `En İyi` can be read as praise of the firm";
    for (old, new, expected) in [
        ("2027-09-30", "2026-11-20", "W0812 deviations.toml:8 this deviation was accepted until 2026-11-20"),
        (
            "2026-10-01",
            "2026-12-01",
            "W0812 deviations.toml:7 this deviation is accepted from 2026-12-01 on, which is in the future",
        ),
        (
            "2027-09-30",
            "2026-09-30",
            "W0812 deviations.toml:8 this deviation ends on 2026-09-30, before it is accepted on 2026-10-01",
        ),
    ] {
        assert_eq!(findings_with_entry(old, new), [expected, claim], "{new}");
    }
    assert_eq!(findings_with_entry("2027-09-30", "2026-11-21"), [""; 0], "the last day counts");
    assert_eq!(
        findings_with_entry("2027-09-30", "2028-01-01"),
        ["W0812 deviations.toml:8 this deviation is accepted until 2028-01-01, for more than a year"]
    );
    assert_eq!(
        findings_with_entry("2026-10-01\nuntil = 2027-09-30", "2025-01-01\nuntil = 2027-01-01").len(),
        2,
        "a year is over"
    );
}

#[test]
fn malformed_deviation_is_refused_with_its_line() {
    for (old, new, expected) in [
        ("reason = \"Ödülün adıdır.\"\n", "", "E0101 deviations.toml:1 required field `deviation.reason` is missing"),
        ("\"Av. Ayşe Yılmaz\"", "\"\"", "E0110 deviations.toml:6 the required field `deviation.name` is empty"),
        ("2026-10-01", "\"yesterday\"", "E0112 deviations.toml:7 field `deviation.date`: expected a calendar date"),
        (
            "T0802",
            "W0331",
            "E0119 deviations.toml:2 field `deviation.code`: `W0331` is not a code that can be accepted",
        ),
        (
            "T0802",
            "T0899",
            "E0119 deviations.toml:2 field `deviation.code`: `T0899` is not a code that can be accepted",
        ),
        ("reason", "raeson", "E0107 deviations.toml:5 unknown field `deviation.raeson`"),
        ("[[deviation]]", "[[deviations]]", "E0107 deviations.toml:1 unknown field `deviations`"),
        ("words = \"", "words = ", "E0502 deviations.toml:4 this cannot be read as a setting"),
    ] {
        let findings = findings_with_entry(old, new);
        assert!(findings.iter().any(|line| line.starts_with(expected)), "{new}: {findings:?}");
    }
}

#[test]
fn register_is_limited() {
    let many = |count| with_file(about("En iyi büro."), "deviations.toml", &ENTRY.repeat(count));
    let findings_of =
        |count| finding_lines(&many(count)).into_iter().filter(|line| line.starts_with('E')).collect::<Vec<_>>();
    assert_eq!(findings_of(200), [""; 0]);
    assert_eq!(findings_of(201), ["E0123 deviations.toml:1601 the register has 201 entries; the limit is 200"]);
}

#[test]
fn date_of_a_deviation_is_fixed() {
    let content = with_file(about("En iyi büro."), "deviations.toml", &ENTRY.replace("2026-10-01", "\"01.10.2026\""));
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let fixes = fix::find(&Loading { content: content.0.path(), site_url: None, now, drafts: false }).unwrap();
    fixes.changes.iter().for_each(|change| change.apply().unwrap());
    assert_eq!(fs::read_to_string(content.0.path().join("deviations.toml")).unwrap(), ENTRY);
    assert_eq!(finding_lines(&content), [""; 0]);
}

#[test]
fn remedy_of_every_conduct_code_is_correct() {
    for (code, claim, neutral) in [
        ("T0801", "Davaların yüzde 95 başarı oranı ile sonuçlandı.", "Büro ticari davalara bakar."),
        ("T0802", "Alanında lider büro.", "Büro 2004 yılında kuruldu."),
        ("T0803", "Uzman avukat kadromuz vardır.", "Büroda üç avukat çalışır."),
        ("T0804", "Diğer bürolardan farklı olarak hızlı yanıt veririz.", "Sorular iki iş günü içinde yanıtlanır."),
        ("T0805", "İlk görüşme ücretsizdir.", "Görüşme için randevu alınır."),
        ("T0806", "Hemen arayın.", "Telefon numarası iletişim sayfasındadır."),
        ("T0807", "Müvekkil yorumları aşağıdadır.", "Yayınlar aşağıdadır."),
    ] {
        let found = finding_lines(&about(claim));
        assert!(matches!(&found[..], [one] if one.starts_with(code)), "{claim}: {found:?}");
        assert_eq!(finding_lines(&about(neutral)), [""; 0]);
        let words = found[0].split('`').nth(1).unwrap();
        let entry = ENTRY.replace("T0802", code).replace("en iyi büro", words);
        let content = with_file(about(claim), "deviations.toml", &entry);
        assert_eq!(finding_lines(&content), [""; 0], "{entry}");
        let findings = findings(&content);
        let last = format!("accepted in `{}/deviations.toml`: 1", content.0.path().display());
        assert_eq!(findings.to_text(Locale::En, false).lines().last(), Some(last.as_str()));
        let summary: serde_json::Value = serde_json::from_str(findings.to_json_lines(Locale::En).trim_end()).unwrap();
        let fields = ["code", "name", "reason", "until"].map(|name| summary["accepted"][0][name].as_str().unwrap());
        assert_eq!(fields, [code, "Av. Ayşe Yılmaz", "Ödülün adıdır.", "2027-09-30"]);
    }
}

#[test]
fn register_is_not_published() {
    let content = with_file(about("En iyi büro."), "deviations.toml", ENTRY);
    assert!(content.render().values().all(|text| !text.contains("Ödülün adıdır")));
}

#[test]
fn text_of_many_claims_has_one_finding_for_each_kind() {
    let claims = "Uzman, lider, en iyi, ücretsiz görüşme, hemen arayın, “en iyi, müvekkil yorumları. ".repeat(3_000);
    let found = finding_lines(&about(&claims));
    let mut codes: Vec<&str> = found.iter().map(|line| &line[..5]).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["T0802", "T0803", "T0805", "T0806", "T0807"], "{found:?}");
}

#[test]
fn demonstration_firm_has_no_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../content");
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let loaded = load(&Loading { content: &root, site_url: None, now, drafts: true }).unwrap();
    let advice: Vec<&Finding> = loaded.warnings.items().iter().filter(|it| it.code.is_advisory()).collect();
    assert!(advice.is_empty(), "{advice:?}");
}
