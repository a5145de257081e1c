//! The configuration of the editor for a site.
//!
//! Files are added beside a text only: there is no folder of media for all entries, which none of them could show.
//! Each rule here keeps a save from changing what a person did not touch: shared facts stand in the Turkish file only, or each
//! file may state them (never `duplicate`, which deletes a fact that stands in the other file); empty optional fields are left out;
//! a draft is a choice of one value, because a boolean field would write `false`; texts are edited as they are written.

use content::{
    EditorForge, EditorSettings, Field, FieldContent, Kind, PageKind, Sharing, Type, fields_of, list_title_of,
};
use contract::{Locale, text::Slug};
use serde_json::{Map, Value as Json, json};
use site::Site;

/// The kinds in the order of the editor: what changes most comes first.
const KINDS: [Kind; 5] = [Kind::Publications, Kind::Team, Kind::PracticeAreas, Kind::Network, Kind::Pages];
/// The language of files with shared facts: keys are made from its titles, by the Turkish rules.
const MAIN: Locale = Locale::Tr;
/// The list of new pictures in a form, which is in no file.
const PICTURES: &str = "pictures";
/// The name of the collection of publications in which an article can be begun in English.
const ENGLISH_FIRST: &str = "publications-english-first";
/// The fields below which the form has the text of an entry.
const ABOVE_TEXT: [&str; 3] = ["excerpt", "summary", "description"];
/// The fields at the end of a form, in the order of the files: they are seldom filled.
const SELDOM: [&str; 9] =
    ["aliases", "order", "name_language", "linkedin", "portrait_focus", "authors", "expires", "changes", "reviewed"];
/// A repository for a site without a forge; the editor requires a name.
const NO_REPOSITORY: &str = "site/content";

/// Returns the configuration with labels in a language.
pub fn configuration(site: &Site, settings: &EditorSettings, locale: Locale) -> Json {
    let form = EntryForms { site, settings, locale };
    let is_reviewed = settings.review && matches!(settings.forge, Some(EditorForge::Github | EditorForge::Gitlab));
    json!({
        "backend": backend(settings),
        "publish_mode": if is_reviewed { "editorial_workflow" } else { "simple" },
        "site_url": site.url(),
        "app_title": site.settings.firm.name[locale],
        "logo": { "src": site.settings.firm.logo },
        // Photographs of other origins are not offered.
        "media_libraries": { "default": { "config": { "slugify_filename": true } }, "stock_assets": false },
        "i18n": {
            "structure": "multiple_files",
            "locales": [MAIN, MAIN.other()],
            "default_locale": MAIN,
            "initial_locales": "all",
        },
        "slug": { "encoding": "ascii", "clean_accents": true, "maxlength": 80 },
        "output": { "omit_empty_optional_fields": true },
        "editor": { "preview": false },
        "collections": form.collections(),
        "singletons": [form.contact()],
    })
}

fn backend(settings: &EditorSettings) -> Json {
    let mut backend = Map::new();
    let mut set = |name: &str, value: Json| backend.insert(name.to_owned(), value);
    let Some(forge) = settings.forge else {
        return json!({ "name": "gitea", "repo": NO_REPOSITORY, "auth_methods": ["token"] });
    };
    set("name", json!(forge.as_str()));
    set("repo", json!(settings.repository));
    if let Some(branch) = &settings.branch {
        set("branch", json!(branch));
    }
    // The version of the forge's interface.
    let (version, methods) = match forge {
        EditorForge::Github => (3, settings.sign_in.is_some()),
        EditorForge::Gitlab => (4, settings.application.is_some()),
        EditorForge::Gitea => (1, settings.application.is_some()),
    };
    if let Some(server) = &settings.server {
        set("api_root", json!(format!("{server}/api/v{version}")));
        if forge == EditorForge::Github {
            // The editor would derive an address without `/api`.
            set("graphql_api_root", json!(format!("{server}/api/graphql")));
        } else {
            set("base_url", json!(server));
        }
    }
    if let Some(sign_in) = settings.sign_in.as_ref().filter(|_| forge == EditorForge::Github) {
        set("base_url", json!(sign_in));
    }
    if let Some(application) = &settings.application {
        set("app_id", json!(application));
        if forge == EditorForge::Gitlab {
            set("auth_type", json!("pkce"));
        }
    }
    set("auth_methods", if methods { json!(["oauth", "token"]) } else { json!(["token"]) });
    Json::Object(backend)
}

/// Forms for the entries of a site.
struct EntryForms<'a> {
    site: &'a Site,
    settings: &'a EditorSettings,
    locale: Locale,
}

impl EntryForms<'_> {
    fn collections(&self) -> Vec<Json> {
        let mut collections: Vec<Json> = KINDS.iter().map(|kind| self.collection(*kind)).collect();
        collections.insert(1, self.english_first());
        collections
    }

    /// Returns the collection of the same publications in which an article can be begun in English: the editor always makes
    /// the file of the first language of a collection.
    fn english_first(&self) -> Json {
        let mut collection = self.collection(Kind::Publications);
        collection["name"] = json!(ENGLISH_FIRST);
        collection["label"] = json!(self.words("Publications (English)", "Yayınlar (İngilizce)"));
        collection["i18n"]["default_locale"] = json!(MAIN.other());
        // Keys of English titles would be made by German rules: `ü` becomes `ue`.
        collection["slug"] = json!("{{fields.slug}}");
        collection
    }

    fn collection(&self, kind: Kind) -> Json {
        let title = if matches!(kind, Kind::Publications | Kind::Pages) { "title" } else { "name" };
        let mut collection = json!({
            "name": kind.folder(),
            "label": list_title_of(kind).map(|title| &title[self.locale]),
            "label_singular": content::title_of(kind.folder()).map(|title| &title[self.locale]),
            "folder": format!("{}/{}", self.settings.folder, kind.folder()),
            "path": "{{slug}}/index",
            "media_folder": "",
            "public_folder": "",
            "create": true,
            "duplicate": false,
            "identifier_field": title,
            "summary": self.summary(kind, title),
            "slug": format!("{{{{{title}}}}}"),
            "preview_path": self.preview_path(kind),
            "fields": self.fields(kind),
        });
        match kind {
            Kind::Publications => {
                // An article may exist in one language.
                collection["i18n"] = json!({ "initial_locales": "default" });
                collection["sortable_fields"] = json!({
                    "fields": ["title", "date", "updated"],
                    "default": { "field": "date", "direction": "descending" },
                });
                let label = &self.words("Drafts", "Taslaklar");
                collection["view_filters"] = json!([{ "label": label, "field": "draft", "pattern": true }]);
            }
            Kind::Pages => {
                collection["i18n"] = json!({ "initial_locales": "all" });
                collection["delete"] = json!(false);
            }
            Kind::Network => collection["i18n"] = json!(true),
            _ => {
                collection["i18n"] = json!(true);
                collection["sortable_fields"] = json!({ "fields": [title, "order"] });
            }
        }
        collection
    }

    /// Returns the line of an entry in its list: a draft, and the time of publication, are seen there.
    fn summary(&self, kind: Kind, title: &str) -> String {
        let title = format!("{{{{{title}}}}}");
        if kind != Kind::Publications {
            return title;
        }
        let draft = format!("{{{{draft | ternary(' · {}', '')}}}}", self.words("draft", "taslak"));
        [&title, &draft, "{{publish | ternary(' · ', '')}}{{publish | date('DD.MM.YYYY HH:mm')}}"].concat()
    }

    fn contact(&self) -> Json {
        let kind = Kind::Contact;
        json!({
            "name": kind.folder(),
            "label": list_title_of(kind).map(|title| &title[self.locale]),
            "file": format!("{}/{}/index.{{{{locale}}}}.md", self.settings.folder, kind.folder()),
            "i18n": true,
            "preview_path": self.preview_path(kind),
            "fields": self.fields(kind),
        })
    }

    /// Returns the address of an entry. An address with the section of the other language redirects to the right one.
    fn preview_path(&self, kind: Kind) -> String {
        let pages = &self.site.content[Locale::En].pages;
        let key = if kind == Kind::Contact { Some("contact") } else { kind.list_page() };
        let section = key.and_then(|key| pages.of(PageKind::of(key))).and_then(|page| page.document.slug.as_ref());
        let section = section.map(Slug::as_str);
        let parts = match kind {
            Kind::Network | Kind::Contact => ["{{locale}}", section.unwrap_or_default()].join("/"),
            Kind::Pages => "{{locale}}/{{fields.slug}}".to_owned(),
            _ => ["{{locale}}", section.unwrap_or(kind.folder()), "{{fields.slug}}"].join("/"),
        };
        parts.trim_end_matches('/').to_owned()
    }

    fn fields(&self, kind: Kind) -> Vec<Json> {
        let field = |field: &Field| {
            let is_shared = field.sharing == Sharing::Shared;
            // An article in English only has no other file for its shared facts.
            let is_translated = !is_shared || kind == Kind::Publications;
            self.field(field, is_translated)
        };
        let (seldom, daily): (Vec<&Field>, _) =
            fields_of(kind.folder()).iter().partition(|field| SELDOM.contains(&field.name.as_str()));
        // The text follows what a reader sees above it; its place in the form is none in the file.
        let above = daily.iter().position(|field| ABOVE_TEXT.contains(&field.name.as_str()));
        let mut fields: Vec<Json> = daily.into_iter().map(field).collect();
        let at = above.map_or(fields.len(), |at| at + 1);
        if kind != Kind::Contact {
            let pictures = (kind != Kind::Network).then(|| self.pictures());
            drop(fields.splice(at..at, [self.text()].into_iter().chain(pictures)));
        }
        fields.extend(seldom.into_iter().map(field));
        if kind == Kind::Publications {
            // Values of new entries only, as a replaced part of the program has it.
            for (name, default) in [("draft", json!(true)), ("date", json!("{{now}}"))] {
                fields
                    .iter_mut()
                    .filter(|field| field["name"] == name)
                    .for_each(|field| field["default"] = default.clone());
            }
        }
        fields
    }

    /// Returns the text of an entry, with the forms that most texts need.
    fn text(&self) -> Json {
        json!({
            "name": "body",
            "label": self.words("Text", "Metin"),
            "widget": "richtext",
            "modes": ["raw"],
            // Buttons work on formatted texts only.
            "buttons": [],
            "editor_components": [],
            "required": false,
            "i18n": true,
            "comment": self.words(
                "Heading: `## Notice`. List: `- first`, each item in a line of its own. Link: `[words](@/publications/key)` or `[words](https://…)`. \
                 Bold: `**words**`. Note: `[^1]` in the text, and `[^1]: the note` in a line at the end. An empty line begins a paragraph.",
                "Başlık: `## Fesih`. Liste: `- birinci`, her madde ayrı satırda. Bağlantı: `[sözcükler](@/publications/klasör)` veya `[sözcükler](https://…)`. \
                 Kalın: `**sözcükler**`. Dipnot: metinde `[^1]`, sonda ayrı bir satırda `[^1]: notun metni`. Boş satır yeni paragraf başlatır.",
            ),
        })
    }

    /// Returns the list of new pictures; `start.js` moves them into the text.
    fn pictures(&self) -> Json {
        json!({
            "name": PICTURES,
            "label": self.words("New pictures", "Yeni görseller"),
            "label_singular": self.words("Picture", "Görsel"),
            "widget": "list",
            "required": false,
            "i18n": true,
            "hint": self.words(
                "Files to put beside the text. When you save, each becomes a line at the end of the text; move the line to its place.",
                "Metnin yanına konacak dosyalar. Kaydettiğinizde her biri metnin sonuna bir satır olarak eklenir; satırı yerine taşıyın.",
            ),
            "fields": [
                {
                    "name": "file",
                    "label": self.words("File", "Dosya"),
                    "widget": "image",
                    "choose_url": false,
                    "required": true,
                    "i18n": true,
                },
                {
                    "name": "alt",
                    "label": self.words("What it shows", "Ne gösterdiği"),
                    "widget": "string",
                    "required": true,
                    "i18n": true,
                    "hint": self.words("For readers who do not see it.", "Görseli görmeyen okurlar için."),
                },
            ],
        })
    }

    fn field(&self, field: &Field, is_translated: bool) -> Json {
        let is_required = field.is_required && !field.is_addressed && field.sharing != Sharing::Inherited;
        let is_required = is_required && (field.sharing == Sharing::Own || !is_translated);
        let mut form = Map::new();
        form.insert("name".to_owned(), json!(field.name));
        form.insert("label".to_owned(), json!(field.label.as_ref().map(|label| &label[self.locale])));
        form.insert("required".to_owned(), json!(is_required));
        form.insert("i18n".to_owned(), json!(is_translated));
        form.insert("hint".to_owned(), json!(self.hint(field)));
        form.insert("label_singular".to_owned(), json!(field.item_label.as_ref().map(|label| &label[self.locale])));
        let widget = match &field.content {
            FieldContent::Value(of) => self.value(field, of, false),
            FieldContent::List(of, most) => {
                let mut list = self.value(field, of, true);
                if let Some(most) = most {
                    list["max"] = json!(most);
                }
                list
            }
            FieldContent::Group(fields) => json!({
                "widget": "object",
                "collapsed": "auto",
                "fields": self.inner(fields, is_translated),
            }),
            FieldContent::Groups(fields, most) => json!({
                "widget": "list",
                "collapsed": "auto",
                "max": most,
                "fields": self.inner(fields, is_translated),
            }),
        };
        if let Json::Object(widget) = widget {
            form.extend(widget);
        }
        form.retain(|_, value| !value.is_null());
        Json::Object(form)
    }

    /// Returns the meaning of a field, and the form of a value that is typed.
    fn hint(&self, field: &Field) -> String {
        if let Some(words) = &field.form_words {
            return words[self.locale].clone();
        }
        let words = &field.words[self.locale];
        match &field.content {
            FieldContent::Value(of) | FieldContent::List(of, _) if !self.has_choices(field, of) => {
                let form = &of.form().words[self.locale];
                [words.as_str(), form].join(" ").trim_end().to_owned()
            }
            _ => words.clone(),
        }
    }

    /// Returns the fields of a group. The office of one language may lack what that of the other states.
    fn inner(&self, fields: &[Field], is_translated: bool) -> Vec<Json> {
        let field = |field: &Field| {
            let mut form = self.field(field, is_translated);
            form["required"] = json!(field.is_required && field.sharing == Sharing::Own);
            form
        };
        fields.iter().map(field).collect()
    }

    /// Returns whether the form offers the values of a field, so that they are not typed.
    fn has_choices(&self, field: &Field, of: &Type) -> bool {
        of.form().schema.get("enum").is_some() || self.value(field, of, false)["widget"] != "string"
    }

    /// Returns the widget of a value, or of a list of such values.
    fn value(&self, field: &Field, of: &Type, is_list: bool) -> Json {
        let form = of.form();
        let multiple = if is_list { json!(true) } else { Json::Null };
        if let Some(words) = form.schema.get("enum") {
            return json!({ "widget": "select", "multiple": multiple, "options": words });
        }
        match (field.name.as_str(), of.name.as_str()) {
            ("category", _) => {
                let options = self.site.settings.categories.iter();
                let options = options.map(|it| json!({ "label": it.name[self.locale], "value": it.key }));
                json!({ "widget": "select", "options": options.collect::<Vec<_>>() })
            }
            ("author" | "authors", _) => Self::relation(Kind::Team, &multiple),
            ("practice_areas" | "practice_area", _) => Self::relation(Kind::PracticeAreas, &multiple),
            (_, "boolean") => {
                let label = self.words("Yes", "Evet");
                json!({ "widget": "select", "options": [{ "label": label, "value": true }] })
            }
            (_, "date") => json!({ "widget": "datetime", "type": "date", "format": "YYYY-MM-DD" }),
            (_, "moment") => json!({ "widget": "datetime", "format": "YYYY-MM-DDTHH:mm:ssZ" }),
            (_, "integer") => json!({ "widget": "number", "value_type": "int" }),
            (_, "file_name") => json!({ "widget": "image", "choose_url": false }),
            (_, "sentences") if !is_list => json!({ "widget": "text", "pattern": self.pattern(of) }),
            _ if is_list => json!({ "widget": "list", "pattern": self.pattern(of) }),
            _ => json!({ "widget": "string", "pattern": self.pattern(of) }),
        }
    }

    fn relation(kind: Kind, multiple: &Json) -> Json {
        json!({
            "widget": "relation",
            "collection": kind.folder(),
            "multiple": multiple,
            "value_field": "{{slug}}",
            "display_fields": ["name"],
            "search_fields": ["name"],
        })
    }

    /// Returns the pattern of a value, with the message for other values.
    fn pattern(&self, of: &Type) -> Json {
        let form = of.form();
        match form.schema.get("pattern") {
            Some(pattern) => json!([pattern, form.words[self.locale].replace('`', "")]),
            None => Json::Null,
        }
    }

    fn words(&self, en: &str, tr: &str) -> String {
        if self.locale == Locale::Tr { tr } else { en }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use site::{Loading, load};

    use super::*;

    fn site() -> Site {
        let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/firm/content");
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        load(&Loading { content: &content, site_url: None, now, drafts: false }).unwrap().site
    }

    fn of(settings: &EditorSettings, locale: Locale) -> Json {
        configuration(&site(), &EditorSettings { folder: "content".to_owned(), ..settings.clone() }, locale)
    }

    fn names(fields: &Json) -> Vec<&str> {
        fields.as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect()
    }

    fn assert_no_duplicates(fields: &Json) {
        for field in fields.as_array().unwrap() {
            assert!(field["i18n"].is_boolean() && field["label"].is_string(), "{field}");
            // It would write `false` into each file.
            assert_ne!(field["widget"], "boolean", "{field}");
            if !field["fields"].is_null() {
                assert_no_duplicates(&field["fields"]);
            }
        }
    }

    #[test]
    fn every_kind_has_every_field_once() {
        let (en, tr) = (of(&EditorSettings::default(), Locale::En), of(&EditorSettings::default(), Locale::Tr));
        for (configuration, label) in [(&en, "Publications"), (&tr, "Yayınlar")] {
            assert_eq!(configuration["collections"][0]["label"], label);
            let forms = configuration["collections"].as_array().unwrap().iter();
            let mut kinds = 0;
            for form in forms.chain(configuration["singletons"].as_array().unwrap()) {
                let mut fields = names(&form["fields"]);
                fields.retain(|name| !["body", PICTURES].contains(name));
                fields.sort_unstable();
                let name = form["name"].as_str().unwrap();
                let kind = if name == ENGLISH_FIRST { "publications" } else { name };
                let mut rows: Vec<_> = fields_of(kind).iter().map(|field| field.name.as_str()).collect();
                rows.sort_unstable();
                assert_eq!(fields, rows, "{name}");
                assert_no_duplicates(&form["fields"]);
                kinds += 1;
            }
            assert_eq!(kinds, Kind::ALL.len() + 1);
        }
        let (articles, english_first) = (&tr["collections"][0], &tr["collections"][1]);
        assert_eq!(articles["folder"], english_first["folder"]);
        assert_eq!(english_first["i18n"], json!({ "default_locale": "en", "initial_locales": "default" }));
        let team = &tr["collections"][2];
        let portrait = team["fields"].as_array().unwrap().iter().find(|field| field["name"] == "portrait").unwrap();
        assert_eq!(portrait["widget"], "image");
        assert_eq!(team["preview_path"], "{{locale}}/team/{{fields.slug}}");
        let category = tr["collections"][0]["fields"].as_array().unwrap().iter().find(|it| it["name"] == "category");
        assert_eq!(category.unwrap()["options"][0]["value"], "employment");
    }

    #[test]
    fn form_of_an_article_begins_with_what_it_needs_and_new_ones_are_drafts() {
        let articles = &of(&EditorSettings::default(), Locale::Tr)["collections"][0];
        let names = names(&articles["fields"]);
        assert_eq!(names[..6], ["title", "slug", "excerpt", "body", PICTURES, "updated"]);
        assert_eq!(names[11..], ["publish", "aliases", "authors", "expires", "changes", "reviewed"]);
        let field = |name: &str| articles["fields"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
        assert_eq!((&field("draft")["default"], &field("date")["default"]), (&json!(true), &json!("{{now}}")));
        assert_eq!(field("author")["hint"], "Listeden seçin.");
        assert_eq!(field("tags")["label_singular"], "Anahtar kelime");
        assert!(field("slug")["pattern"][1].as_str().unwrap().ends_with("örneğin kidem-tazminati."));
        let summary = "{{title}}{{draft | ternary(' · taslak', '')}}{{publish | ternary(' · ', '')}}\
                       {{publish | date('DD.MM.YYYY HH:mm')}}";
        assert_eq!(articles["summary"], summary);
    }

    #[test]
    fn hints_of_forms_do_not_speak_of_files() {
        for locale in Locale::ALL {
            let text = of(&EditorSettings::default(), locale)["collections"].to_string();
            for word in ["site.toml", "commit", "`true`", "(key)", "`key`"] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }

    #[test]
    fn forge_determines_where_and_how_people_sign_in() {
        let own = |forge, server: Option<&str>| EditorSettings {
            forge: Some(forge),
            repository: "erguvan/site".to_owned(),
            server: server.map(str::to_owned),
            application: Some("abc".to_owned()),
            review: true,
            ..EditorSettings::default()
        };
        let backend = |settings: &EditorSettings| of(settings, Locale::En)["backend"].clone();
        let gitlab = own(EditorForge::Gitlab, None);
        assert_eq!(
            backend(&gitlab),
            json!({ "name": "gitlab", "repo": "erguvan/site", "app_id": "abc", "auth_type": "pkce",
                    "auth_methods": ["oauth", "token"] })
        );
        assert_eq!(of(&gitlab, Locale::En)["publish_mode"], "editorial_workflow");
        let forgejo = own(EditorForge::Gitea, Some("https://git.firm.example"));
        assert_eq!(
            backend(&forgejo),
            json!({ "name": "gitea", "repo": "erguvan/site", "api_root": "https://git.firm.example/api/v1",
                    "base_url": "https://git.firm.example", "app_id": "abc", "auth_methods": ["oauth", "token"] })
        );
        assert_eq!(of(&forgejo, Locale::En)["publish_mode"], "simple", "it has no pull requests of the editor");
        let github = EditorSettings { application: None, ..own(EditorForge::Github, None) };
        assert_eq!(backend(&github)["auth_methods"], json!(["token"]));
        let enterprise = EditorSettings { server: Some("https://git.firm.example".to_owned()), ..github.clone() };
        assert_eq!(
            backend(&enterprise),
            json!({ "name": "github", "repo": "erguvan/site", "api_root": "https://git.firm.example/api/v3",
                    "graphql_api_root": "https://git.firm.example/api/graphql", "auth_methods": ["token"] })
        );
        let broker = EditorSettings { sign_in: Some("https://in.firm.example".to_owned()), ..github };
        assert_eq!(backend(&broker)["base_url"], "https://in.firm.example");
        assert_eq!(broker.forge_origin(), Some("https://api.github.com"));
    }
}
