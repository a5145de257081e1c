//! Members of an agent provider's identity assertion (ID-JAG) with their limits: for the check, for its error messages,
//! and for the table in documents.
//!
//! Security event tokens of providers have some of the same claims, and two of their own.

use crate::Locale;

/// The type of an assertion, in its header.
pub const TYPE: &str = "oauth-id-jag+jwt";
/// The type of a logout token.
pub const LOGOUT_TYPE: &str = "logout+jwt";
/// The type of a security event token.
pub const EVENT_TYPE: &str = "secevent+jwt";
/// The name in a trust list of what proves a person: a verified mailbox or telephone number.
pub const CONTACT: &str = "contact";
/// Maximum length of an assertion, in bytes.
pub const MAX_BYTES: usize = 16 * 1024;
/// Maximum length of an identifier or a name, in bytes.
pub const MAX_TEXT_BYTES: usize = 512;
/// Maximum length of the name of a key, in characters.
pub const MAX_KEY_ID_CHARACTERS: usize = 128;
/// Maximum time from `iat` to `exp`, in seconds.
pub const MAX_LIFETIME: u64 = 600;
/// Maximum time since the user signed in, in seconds.
pub const MAX_AGE: u64 = 3600;
/// Maximum difference between the clocks of a provider and of the service, in seconds.
pub const CLOCK_SKEW: u64 = 60;

/// Whether an assertion must have a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The member must be present.
    Required,
    /// The member may be present.
    Optional,
    /// One of the members of this need must be present, together with its `…_verified` member.
    Either,
    /// The member must not be present.
    Absent,
}

/// A member of a token's header, or one of its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenMember {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether an assertion must have the member.
    pub need: Need,
    /// The type in English and in Turkish; empty if `meaning` includes it.
    form: [&'static str; 2],
    /// The meaning and the limits, in English and in Turkish.
    meaning: [&'static str; 2],
    /// Error detail for a missing member.
    pub missing: &'static str,
    /// Error detail for a member of another type.
    pub malformed: &'static str,
    /// Error detail for a member with another value, or outside its limits.
    pub broken: &'static str,
}

impl TokenMember {
    /// Returns the type, the meaning and the limits in `locale`.
    pub fn must_be(&self, locale: Locale) -> String {
        let [form, meaning] = [self.form, self.meaning].map(|[english, turkish]| match locale {
            Locale::En => english,
            Locale::Tr => turkish,
        });
        if form.is_empty() { meaning.to_owned() } else { format!("{form}; {meaning}") }
    }
}

macro_rules! form {
    (Said en) => {
        ""
    };
    (Said tr) => {
        ""
    };
    (Text en) => {
        "a text of 1 to 512 bytes"
    };
    (Text tr) => {
        "1–512 baytlık metin"
    };
    (Name en) => {
        "a text of at most 128 characters"
    };
    (Name tr) => {
        "en çok 128 karakterlik metin"
    };
    (Texts en) => {
        "a text, or a list of texts"
    };
    (Texts tr) => {
        "metin veya metinlerden oluşan liste"
    };
    (Seconds en) => {
        "a number of seconds since 1970"
    };
    (Seconds tr) => {
        "1970’ten bu yana geçen saniye sayısı"
    };
    (Address en) => {
        "an e-mail address"
    };
    (Address tr) => {
        "e-posta adresi"
    };
    (Number en) => {
        "a telephone number such as `+905321234567`"
    };
    (Number tr) => {
        "`+905321234567` biçiminde telefon numarası"
    };
    (Object en) => {
        "an object that is not empty, of objects or texts"
    };
    (Object tr) => {
        "boş olmayan nesne"
    };
}

macro_rules! members {
    ($($(#[$doc:meta])+ $constant:ident $name:literal $need:ident $form:ident, $en:literal, $tr:literal;)+) => {
        $(
            $(#[$doc])+
            pub const $constant: TokenMember = TokenMember {
                name: $name,
                need: Need::$need,
                form: [form!($form en), form!($form tr)],
                meaning: [$en, $tr],
                missing: concat!("`", $name, "` is missing; it must be ", $en),
                malformed: concat!("`", $name, "` must be ", form!($form en)),
                broken: concat!("`", $name, "` must be ", $en),
            };
        )+
    };
}

members! {
    /// The kind of token.
    TYP "typ" Required Said, "`oauth-id-jag+jwt`", "`oauth-id-jag+jwt`";
    /// The signature algorithm.
    ALG "alg" Required Said, "ES256, ES384, RS256, PS256 or EdDSA, if the provider may use it here",
        "ES256, ES384, RS256, PS256 veya EdDSA; sağlayıcıya burada hangilerine izin verilmişse";
    /// The signing key.
    KID "kid" Optional Name,
        "the name of the signing key in the provider's key set; required if the set has several keys",
        "imza anahtarının, sağlayıcının yayımladığı anahtarlar arasındaki adı; birden çok anahtar varsa zorunludur";
    /// Extensions that must be understood.
    CRIT "crit" Absent Said, "absent: no extension is supported", "bulunmamalı: hiçbir uzantı desteklenmez";
    /// A payload that is not encoded.
    B64 "b64" Absent Said, "absent: no extension is supported", "bulunmamalı: hiçbir uzantı desteklenmez";
    /// A compressed payload.
    ZIP "zip" Absent Said, "absent: no extension is supported", "bulunmamalı: hiçbir uzantı desteklenmez";

    /// The issuer, who signed the token.
    ISS "iss" Required Text, "the identifier under which this service trusts the provider, character for character",
        "hizmetin sağlayıcıya güvenirken kullandığı tanımlayıcı, harfi harfine";
    /// The subject of the token.
    SUB "sub" Required Text, "the provider's name for the user, the same every time",
        "sağlayıcının kullanıcıya verdiği, her seferinde aynı olan ad";
    /// The audience of the token.
    AUD "aud" Required Texts, "the `resource` of the protected resource metadata, and nothing else",
        "korunan kaynağın üst verisindeki `resource` değeri; başka değer bulunmaz";
    /// The agent.
    CLIENT_ID "client_id" Required Text, "an agent for which this service trusts the provider",
        "hizmetin, sağlayıcının adına konuşmasını kabul ettiği yazılım aracısı";
    /// The identifier of the token.
    JTI "jti" Required Text, "new for every token", "her belirteçte yeni";
    /// When the token was issued.
    IAT "iat" Required Seconds, "when the token was issued, not in the future",
        "belirtecin düzenlendiği an; gelecekte olamaz";
    /// When the token expires.
    EXP "exp" Required Seconds, "in the future, and later than `iat` by at most 600 seconds",
        "gelecekte ve `iat` değerinden sonra, en çok 600 saniye farkla";
    /// When the token becomes valid.
    NBF "nbf" Optional Seconds, "not in the future", "gelecekte olamaz";
    /// When the user last signed in.
    AUTH_TIME "auth_time" Required Seconds, "when the user last signed in at the provider, at most 3600 seconds ago",
        "kullanıcının sağlayıcıda son oturum açtığı an; en çok 3600 saniye önce";
    /// The user's mailbox.
    EMAIL "email" Either Address, "the user's address; counts only with `email_verified`",
        "kullanıcının adresi; yalnızca `email_verified` ile birlikte geçerlidir";
    /// Whether the issuer has verified the mailbox.
    EMAIL_VERIFIED "email_verified" Either Said, "`true`, as a boolean", "`true`, mantıksal değer olarak";
    /// The user's telephone number.
    PHONE_NUMBER "phone_number" Either Number, "the user's number; counts only with `phone_number_verified`",
        "kullanıcının numarası; yalnızca `phone_number_verified` ile birlikte geçerlidir";
    /// Whether the issuer has verified the telephone number.
    PHONE_NUMBER_VERIFIED "phone_number_verified" Either Said, "`true`, as a boolean", "`true`, mantıksal değer olarak";
    /// The scopes of the credential.
    SCOPE "scope" Optional Text, "names of scopes separated by spaces, which narrow the granted scopes",
        "aralarında boşluk bulunan kapsam adları; verilen yetkiyi daraltır";
    /// The resources of the credential.
    RESOURCE "resource" Optional Texts, "containing one of the resources of this service",
        "hizmetin kaynaklarından biri aralarında olmalı";
    /// The issuer's directory of the subject.
    TENANT "tenant" Optional Text, "the provider's directory of the user",
        "kullanıcının, sağlayıcının hangi dizininde olduğu";
    /// The key to which the assertion is bound.
    CNF "cnf" Absent Said, "absent: assertions bound to a key are not supported",
        "bulunmamalı: anahtara bağlı beyanlar desteklenmez";

    /// The events by kind; only in security event tokens.
    EVENTS "events" Absent Object, "an object by kind of event", "olay türlerine göre bir nesne";
    /// The subject in one of several forms (RFC 9493); only in security event tokens.
    SUB_ID "sub_id" Absent Object, "the subject as `iss_sub` or `email`", "`iss_sub` veya `email` biçiminde ilgili kişi";
    /// A member of identity tokens, which are not accepted here.
    NONCE "nonce" Absent Text, "absent", "bulunmamalı";
}

/// The members of an assertion's header.
pub const HEADER: [TokenMember; 6] = [TYP, ALG, KID, CRIT, B64, ZIP];
/// The claims of an assertion; others are ignored.
pub const CLAIMS: [TokenMember; 17] = [
    ISS,
    SUB,
    AUD,
    CLIENT_ID,
    JTI,
    IAT,
    EXP,
    NBF,
    AUTH_TIME,
    EMAIL,
    EMAIL_VERIFIED,
    PHONE_NUMBER,
    PHONE_NUMBER_VERIFIED,
    SCOPE,
    RESOURCE,
    TENANT,
    CNF,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::AgentErrorCode;

    #[test]
    fn typ_must_be_the_type() {
        assert_eq!(TYP.must_be(Locale::En), format!("`{TYPE}`"));
    }

    #[test]
    fn limits_are_named_in_both_languages() {
        for (member, limit) in [
            (SUB, MAX_TEXT_BYTES),
            (KID, MAX_KEY_ID_CHARACTERS),
            (EXP, MAX_LIFETIME as usize),
            (AUTH_TIME, MAX_AGE as usize),
        ] {
            for locale in Locale::ALL {
                let text = member.must_be(locale);
                let names_limit =
                    text.split(|letter: char| !letter.is_ascii_digit()).any(|word| word == limit.to_string());
                assert!(names_limit, "{}: {text}", member.name);
            }
        }
    }

    /// Errors that a code describes completely name the same limits.
    #[test]
    fn errors_of_an_assertion_name_the_member_and_its_limit() {
        for (code, words) in [
            (AgentErrorCode::InvalidIssuer, vec![ISS.name.to_owned()]),
            (
                AgentErrorCode::InvalidSignature,
                vec![KID.name.to_owned(), "ES256, ES384, RS256, PS256 or EdDSA".to_owned()],
            ),
            (AgentErrorCode::InvalidAudience, vec![AUD.name.to_owned()]),
            (AgentErrorCode::Expired, vec![EXP.name.to_owned(), CLOCK_SKEW.to_string()]),
            (AgentErrorCode::ReplayDetected, vec![JTI.name.to_owned()]),
            (AgentErrorCode::InvalidClientId, vec![CLIENT_ID.name.to_owned()]),
            (
                AgentErrorCode::MissingVerifiedEmail,
                vec![EMAIL_VERIFIED.name.to_owned(), PHONE_NUMBER_VERIFIED.name.to_owned()],
            ),
            (AgentErrorCode::LoginRequired, vec![AUTH_TIME.name.to_owned(), MAX_AGE.to_string()]),
            (AgentErrorCode::InsufficientUserAuthentication, vec![AUTH_TIME.name.to_owned(), MAX_AGE.to_string()]),
        ] {
            let text = format!("{} {}", code.message(), code.resolution());
            assert!(words.iter().all(|word| text.contains(word.as_str())), "{text}");
        }
    }
}
