//! Forms and e-mails with slots, and the words that fill them: parts of the build for the sidecar.

use std::collections::BTreeMap;

use contract::{
    Locale, PerLocale,
    forms::{
        Form, MARKER_OPEN, MessageKind, MessagePiece, Slot, WORDS, Words,
        search::{SEARCH_PAGE, SEARCH_TWIN, SEARCH_WORDS, SearchContact, SearchWords},
    },
    media, routes,
    scopes::Scope,
};
use findings::messages::{self, Text};
use serde_json::{Value, json};
use site::PageKind;

use super::{
    RenderError,
    output::Output,
    pages::{PageRenderer, language_of},
    shared::Shared,
    theme::{LocaleTemplates, Theme, ThemeError},
};

/// Returns the paths of forms and links.
fn paths() -> Value {
    json!({
        "claim_view": routes::CLAIM_VIEW,
        "claim_challenge": routes::CLAIM_CHALLENGE,
        "claim_deny": routes::CLAIM_DENY,
        "access": routes::ACCESS,
        "auth_md": routes::AUTH_MD,
        "authorize": routes::AUTHORIZE,
        "access_view": routes::ACCESS_VIEW,
        "access_revoke": routes::ACCESS_REVOKE,
        "mail_stop": routes::MAIL_STOP,
    })
}

/// A part of the build: its name, locale, media type and bytes.
type FormPart = (String, Locale, &'static str, Vec<u8>);

/// Renders every form, every e-mail and the words of both locales.
pub(super) fn parts(shared: &PerLocale<Shared>, theme: &Theme, pages: &PageRenderer) -> Result<Output, RenderError> {
    let mut output = Output::default();
    for part in render_all(shared, theme, pages) {
        let (name, locale, media_type, bytes) = part?;
        output.push_part(&name, Some(locale), media_type, bytes);
        if name == SEARCH_PAGE
            && let Some(part) = output.parts.last_mut()
        {
            part.location = shared[locale].page(PageKind::Search).map(|page| page.path.clone());
        }
    }
    Ok(output)
}

/// Returns the errors of all parts that fail to render.
pub(super) fn faults(shared: &PerLocale<Shared>, theme: &Theme, pages: &PageRenderer) -> Vec<RenderError> {
    render_all(shared, theme, pages).filter_map(Result::err).collect()
}

fn render_all<'a>(
    shared: &'a PerLocale<Shared>,
    theme: &'a Theme,
    pages: &'a PageRenderer,
) -> impl Iterator<Item = Result<FormPart, RenderError>> + 'a {
    shared.iter().flat_map(move |(locale, shared)| {
        let (all, pages) = (pages, pages.templates(locale));
        let forms = Form::ALL.into_iter().map(move |form| render_form(pages, locale, form));
        let messages = MessageKind::ALL.into_iter().flat_map(move |kind| {
            MessagePiece::ALL.into_iter().map(move |piece| {
                let text = render_message(pages, locale, kind, piece)?;
                let media_type = if piece == MessagePiece::Html { media::HTML } else { media::TEXT };
                Ok((kind.part(piece), locale, media_type, text.into_bytes()))
            })
        });
        let words = std::iter::once_with(move || {
            let words = serde_json::to_vec(&words(shared, theme)?);
            let words = words.map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))?;
            Ok((WORDS.to_owned(), locale, media::JSON, words))
        });
        forms.chain(messages).chain(words).chain(search(shared, theme, all, locale))
    })
}

fn render_form(pages: &LocaleTemplates, locale: Locale, form: Form) -> Result<FormPart, RenderError> {
    // `language` is the language's own name; readers can switch to the other locale.
    let other = locale.other();
    let view = json!({
        "name": form.as_str(),
        "locale": locale,
        "language": language_of(locale),
        "word": form.word(locale),
        "other": { "locale": other, "language": language_of(other) },
        "path": paths(),
    });
    let html = fill(pages, &format!("forms/{}.html", form.as_str()), ("form", &view), form.slots())?;
    Ok((form.part(), locale, media::HTML, html.into_bytes()))
}

fn render_message(
    pages: &LocaleTemplates,
    locale: Locale,
    kind: MessageKind,
    piece: MessagePiece,
) -> Result<String, RenderError> {
    let view = json!({ "kind": kind.as_str(), "locale": locale, "path": paths() });
    let (template, slots) = match piece {
        MessagePiece::Subject => ("mail/subject.txt".to_owned(), &[][..]),
        MessagePiece::Text | MessagePiece::Html => (format!("mail/{}.{}", kind.as_str(), piece.as_str()), kind.slots()),
    };
    let text = fill(pages, &template, ("mail", &view), slots)?;
    Ok(if piece == MessagePiece::Html { text } else { format!("{}\n", text.trim()) })
}

/// Renders `template` with exactly `slots` as `slot.…`; it must use each of them.
fn fill(
    pages: &LocaleTemplates,
    template: &str,
    (name, view): (&'static str, &Value),
    slots: &[Slot],
) -> Result<String, RenderError> {
    let markers: BTreeMap<&str, String> = slots.iter().map(|slot| (slot.as_str(), slot.marker())).collect();
    let text = pages.render_form(template, (name, view), ("slot", &markers))?;
    let wrong = |problem| Err(RenderError::Theme(LocaleTemplates::slot_error(template, problem)));
    if let Some(slot) = slots.iter().find(|slot| !text.contains(&slot.marker())) {
        return wrong(messages::slot_not_used(slot.as_str()));
    }
    let ours: usize = slots.iter().map(|slot| text.matches(&slot.marker()).count()).sum();
    if text.matches(MARKER_OPEN).count() != ours {
        return wrong(messages::slot_mark_in_template(MARKER_OPEN));
    }
    Ok(text)
}

/// Renders the page of search results in both forms, and its words, if the firm has a search page.
fn search(shared: &Shared, theme: &Theme, pages: &PageRenderer, locale: Locale) -> Vec<Result<FormPart, RenderError>> {
    let Some(results) = pages.results(locale) else { return Vec::new() };
    let results = match results {
        Ok(results) => results,
        Err(error) => return vec![Err(error)],
    };
    let names = [SEARCH_PAGE, SEARCH_TWIN].into_iter().zip(results.files);
    let parts = names.map(|(name, file)| Ok((name.to_owned(), locale, file.media_type, file.bytes)));
    let words = search_words(shared, theme).and_then(|words| {
        let words = serde_json::to_vec(&words);
        let words = words.map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))?;
        Ok((SEARCH_WORDS.to_owned(), locale, media::JSON, words))
    });
    parts.chain([words]).collect()
}

fn search_words(shared: &Shared, theme: &Theme) -> Result<SearchWords, RenderError> {
    let locale = shared.locale;
    let contact = shared.contact_view();
    let categories = &shared.site.settings.categories;
    Ok(SearchWords {
        site_url: shared.site.url().to_owned(),
        path: shared.page(PageKind::Search).map(|page| page.path.clone()).unwrap_or_default(),
        months: shared.language.months().map(str::to_owned).to_vec(),
        kinds: theme.table(locale, "search/kinds")?,
        subjects: categories.iter().map(|it| (it.key.clone(), it.name[locale].clone())).collect(),
        text: theme.table(locale, "search/results")?,
        contact: SearchContact {
            name: shared.site.settings.firm.name[locale].clone(),
            path: contact.path,
            email: Some(contact.email),
            telephone: Some(contact.telephone),
            telephone_display: Some(contact.telephone_display),
        },
    })
}

fn words(shared: &Shared, theme: &Theme) -> Result<Words, RenderError> {
    let locale = shared.locale;
    let word = |key: &str| theme.word(locale, key);
    let scopes = Scope::ALL.map(|scope| Ok((scope, word(&format!("forms/scopes/{}", scope.as_str()))?)));
    let words = Words {
        months: shared.language.months().map(str::to_owned).to_vec(),
        moment: word("forms/moment")?,
        offset_minutes: theme.number(locale, "forms/offset_minutes")?,
        scopes: scopes.into_iter().collect::<Result<_, ThemeError>>()?,
        no_provider: word("forms/no_provider")?,
        no_match_phrase: word("forms/no_match_phrase")?,
        sender_name: shared.site.settings.firm.name[locale].clone(),
        sender_address: shared.content.contact.email.clone(),
    };
    words.check().map_err(|problem| theme.unusable_word(locale, "forms", problem))?;
    Ok(words)
}
