//! Address book cards: for the firm, each reachable person and each office, in version 4.0 (RFC 6350), and in version
//! 3.0 (RFC 2426) for older phones and Outlook.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::{PerLocale, manifest::Class, media, text::Email};
use pictures::DecodeMemory;
use site::{Attachment, Contact, MemberEntry, Office, card_paths, office_path};

use super::{
    RenderError,
    output::{Output, VariantDraft},
    photographs,
    shared::Shared,
};

/// Maximum length of a line in bytes, without its end (RFC 6350, 3.2).
const LINE: usize = 75;

/// Whether a card of the person contains more than a name.
pub(super) fn has_card(member: &MemberEntry) -> bool {
    member.email.is_some() || member.telephone.is_some()
}

/// Renders all cards.
///
/// # Errors
/// If a portrait changed since it was checked.
pub(super) fn cards(shared: &PerLocale<Shared>, memory: &DecodeMemory) -> Result<Output, RenderError> {
    let mut output = Output::default();
    for (_, shared) in shared.iter() {
        let contact = &shared.content.contact;
        let page = shared.contact_page();
        add(&mut output, shared, &page.path, &VCard::of_firm(shared, contact));
        for (at, office) in contact.offices.iter().enumerate() {
            let card = VCard::of_office(shared, contact, office, at == 0);
            add(&mut output, shared, &office_path(page, office), &card);
        }
        for member in shared.content.team.iter().filter(|member| has_card(member)) {
            let card = VCard { photo: photo(shared, member, memory)?, ..VCard::of_person(shared, contact, member) };
            add(&mut output, shared, &member.document.path, &card);
        }
    }
    Ok(output)
}

fn add(output: &mut Output, shared: &Shared, path: &str, card: &VCard) {
    let paths = card_paths(path);
    // Both versions have the same identifier.
    let address = shared.site.absolute(&paths[0]);
    for (path, version) in paths.iter().zip([VCardVersion::Four, VCardVersion::Three]) {
        let variant = VariantDraft { locale: Some(shared.locale), ..VariantDraft::default() };
        output.push(path, Class::Document, media::VCARD, card.write(shared, &address, version), variant);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VCardVersion {
    Three,
    Four,
}

struct VCard<'a> {
    /// Path of the page with the same details.
    page: &'a str,
    name: String,
    /// Family name and given name; `None` for a firm.
    parts: Option<(&'a str, &'a str)>,
    title: Option<&'a str>,
    email: Option<&'a str>,
    telephone: Option<&'a str>,
    /// Street, city, postal code and country; an undivided address is the street.
    address: [String; 4],
    photo: Option<CardPhoto>,
}

enum CardPhoto {
    /// The address of a drawing, which address books do not show inside a card.
    Address(String, &'static str),
    /// The picture: `JPEG` or `PNG`, in base64.
    Inside(&'static str, String),
}

impl<'a> VCard<'a> {
    fn of_firm(shared: &'a Shared, contact: &'a Contact) -> Self {
        Self {
            page: &shared.contact_page().path,
            name: shared.site.settings.firm.name[shared.locale].clone(),
            parts: None,
            title: None,
            email: Some(contact.email.as_str()),
            telephone: Some(&contact.telephone),
            address: address(shared, contact, contact.offices.first()),
            photo: None,
        }
    }

    /// The main office has the firm's contact details unless it has its own.
    fn of_office(shared: &'a Shared, contact: &'a Contact, office: &'a Office, is_main: bool) -> Self {
        let firm = Self::of_firm(shared, contact);
        Self {
            name: format!("{}, {}", firm.name, office.name),
            email: office.email.as_ref().map(Email::as_str).or(firm.email.filter(|_| is_main)),
            telephone: office.telephone.as_deref().or(firm.telephone.filter(|_| is_main)),
            address: address(shared, contact, Some(office)),
            ..firm
        }
    }

    fn of_person(shared: &'a Shared, contact: &'a Contact, member: &'a MemberEntry) -> Self {
        let name = member.document.title.as_str();
        // The family name comes last, in Turkish as in English.
        let (given_names, family) = name.rsplit_once(' ').unwrap_or(("", name));
        Self {
            page: &member.document.path,
            name: name.to_owned(),
            parts: Some((family, given_names)),
            title: Some(&member.title),
            email: member.email.as_ref().map(Email::as_str),
            // As on their page.
            telephone: member.telephone.as_deref().or(Some(&contact.telephone)),
            ..Self::of_firm(shared, contact)
        }
    }

    fn write(&self, shared: &Shared, address: &str, version: VCardVersion) -> String {
        let mut card = String::with_capacity(512);
        let mut line = |name: &str, value: &str| push_folded(&mut card, &format!("{name}:{value}"));
        let is_four = version == VCardVersion::Four;
        line("BEGIN", "VCARD");
        line("VERSION", if is_four { "4.0" } else { "3.0" });
        if is_four {
            line("KIND", if self.parts.is_some() { "individual" } else { "org" });
        }
        line("FN", &escape_value(&self.name));
        // Version 3.0 requires name parts in every card.
        let parts = self.parts.or((!is_four).then_some((self.name.as_str(), "")));
        if let Some((family, given_names)) = parts {
            line("N", &format!("{};{};;;", escape_value(family), escape_value(given_names)));
        }
        line("ORG", &escape_value(&shared.site.settings.firm.name[shared.locale]));
        if let Some(title) = self.title {
            line("TITLE", &escape_value(title));
        }
        if let Some(email) = self.email {
            line(if is_four { "EMAIL;TYPE=work" } else { "EMAIL;TYPE=INTERNET,WORK" }, &escape_value(email));
        }
        match self.telephone {
            Some(number) if is_four => line("TEL;VALUE=uri;TYPE=\"work,voice\"", &format!("tel:{number}")),
            Some(number) => line("TEL;TYPE=WORK,VOICE", number),
            None => {}
        }
        let [street, city, postal_code, country] = self.address.each_ref().map(|part| escape_value(part));
        line("ADR;TYPE=WORK", &format!(";;{street};{city};;{postal_code};{country}"));
        line("URL", &shared.site.absolute(self.page));
        match &self.photo {
            Some(CardPhoto::Address(url, essence)) if is_four => line(&format!("PHOTO;MEDIATYPE={essence}"), url),
            Some(CardPhoto::Inside(kind, bytes)) if is_four => {
                line("PHOTO", &format!("data:image/{};base64,{bytes}", kind.to_ascii_lowercase()));
            }
            Some(CardPhoto::Inside(kind, bytes)) => line(&format!("PHOTO;ENCODING=b;TYPE={kind}"), bytes),
            Some(CardPhoto::Address(..)) | None => {}
        }
        line("UID", address);
        line("END", "VCARD");
        card
    }
}

/// Returns the parts of an office's address; without an office, the firm's address in one line.
fn address(shared: &Shared, contact: &Contact, office: Option<&Office>) -> [String; 4] {
    let Some(office) = office else { return [contact.address.clone(), String::new(), String::new(), String::new()] };
    let country = shared.language.country_name(&office.country).unwrap_or_else(|| office.country.clone());
    [office.street.clone(), office.city.clone(), office.postal_code.clone().unwrap_or_default(), country]
}

/// Returns the portrait of a person. A photograph becomes a JPEG, which every address book shows.
fn photo(shared: &Shared, member: &MemberEntry, memory: &DecodeMemory) -> Result<Option<CardPhoto>, RenderError> {
    let Some(portrait) = &member.portrait else { return Ok(None) };
    let is_shown = |file: &&Attachment| file.path == portrait.path;
    let Some(file) = shared.site.files.iter().find(is_shown) else { return Ok(None) };
    let ending = markdown::published_ending(&file.file).unwrap_or_default();
    let bytes = || shared.site.attachment(file);
    let inside = match (&file.photograph, ending) {
        // The job of its forms reports a picture that cannot be decoded.
        (Some(photograph), _) => photographs::card_jpeg(&bytes()?, ending, photograph, memory).map(|it| ("JPEG", it)),
        (None, "jpg") => Some(("JPEG", bytes()?)),
        (None, "png") => Some(("PNG", bytes()?)),
        (None, _) => None,
    };
    let media_type = media::of_extension(ending).map(media::essence).unwrap_or_default();
    let address = || CardPhoto::Address(shared.site.absolute(&portrait.path), media_type);
    Ok(Some(inside.map_or_else(address, |(kind, bytes)| CardPhoto::Inside(kind, STANDARD.encode(bytes)))))
}

/// Escapes a property value (RFC 6350, 3.4).
fn escape_value(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | ',' | ';' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Adds a line, folded at [`LINE`] bytes without splitting a character.
fn push_folded(card: &mut String, line: &str) {
    let mut rest = line;
    let mut room = LINE;
    while rest.len() > room {
        let at = rest.floor_char_boundary(room);
        let (part, more) = rest.split_at(at);
        card.extend([part, "\r\n "]);
        rest = more;
        // The space at the beginning counts.
        room = LINE - 1;
    }
    card.extend([rest, "\r\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_line_splits_no_character_and_unfolds_to_itself() {
        for line in ["ş".repeat(200), format!("a{}", "ğ".repeat(200)), "x".repeat(75), "x".repeat(76), String::new()]
        {
            let mut card = String::new();
            push_folded(&mut card, &line);
            assert!(card.split("\r\n").all(|part| part.len() <= LINE), "{card}");
            assert_eq!(card.replace("\r\n ", ""), format!("{line}\r\n"));
        }
    }

    #[test]
    fn property_value_is_escaped() {
        assert_eq!(escape_value("Yılmaz, A.; B\\C\nEND:VCARD\r"), "Yılmaz\\, A.\\; B\\\\C\\nEND:VCARD");
    }
}
