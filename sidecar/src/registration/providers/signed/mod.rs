//! A token as it came: its three parts, what may be believed of them before a signature was verified, and what after.

mod claims;
mod header;
mod json;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

pub(crate) use self::claims::{
    AUD, AUTH_TIME, CLIENT_ID, CNF, Claims, EMAIL, EMAIL_VERIFIED, EVENTS, EXP, IAT, ISS, JTI, NBF, NONCE,
    PHONE_NUMBER, PHONE_NUMBER_VERIFIED, RESOURCE, SCOPE, SUB, SUB_ID, TENANT, named,
};
use self::header::Header;
use super::keys::{Algorithm, Key};

/// The three kinds of tokens that are read. Their rules exclude each other, and the `typ` of the header tells which
/// apply (RFC 8725, 3.11 and 3.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::registration) enum Kind {
    /// An identity assertion.
    IdJag,
    /// A logout token.
    Logout,
    /// A security event token.
    SecurityEvent,
}

impl Kind {
    /// Whether `typ` of a header names this kind: that of an assertion letter by letter, as its specification wants it; those
    /// of reports are media types, whose case and `application/` do not count (RFC 7515, 4.1.9).
    fn is_named(self, typ: &str) -> bool {
        const PREFIX: &str = "application/";
        let bare = match typ.split_at_checked(PREFIX.len()) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(PREFIX) => rest,
            _ => typ,
        };
        match self {
            Self::IdJag => typ == "oauth-id-jag+jwt",
            Self::Logout => bare.eq_ignore_ascii_case("logout+jwt"),
            Self::SecurityEvent => bare.eq_ignore_ascii_case("secevent+jwt"),
        }
    }
}

/// Why a token was refused before anybody's key was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is no token of this kind; the reason is for the sender.
    Malformed(&'static str),
    /// It is signed with an algorithm that nobody may use here.
    Algorithm,
}

/// The signature of this token is not by the key.
pub(super) struct Forged<'a>(pub(super) Box<Unverified<'a>>);

/// How many octets a token may have.
const LONGEST: usize = 16 * 1024;

/// A token that anybody may have written. Only what is needed to find the key can be read from it.
pub(super) struct Unverified<'a> {
    header: Header,
    claims: Claims,
    /// What was signed: header and claims as they came.
    message: &'a str,
    signature: &'a str,
}

impl<'a> Unverified<'a> {
    /// Takes a compact JWS (RFC 7515, 7.1) of this kind apart.
    pub(super) fn parse(jwt: &'a str, kind: Kind) -> Result<Self, Unreadable> {
        const NOT_A_JWT: Unreadable = Unreadable::Malformed("it is not a JWT in compact form");
        if jwt.len() > LONGEST {
            return Err(Unreadable::Malformed("it is longer than 16384 octets"));
        }
        let (message, signature) = jwt.rsplit_once('.').ok_or(NOT_A_JWT)?;
        // A further dot is outside the alphabet in which the parts are decoded.
        let (header, claims) = message.split_once('.').ok_or(NOT_A_JWT)?;
        let header = Header::parse(&decoded(header).ok_or(NOT_A_JWT)?, kind)?;
        let claims = Claims::parse(&decoded(claims).ok_or(NOT_A_JWT)?).map_err(Unreadable::Malformed)?;
        claims.required_text(ISS).map_err(Unreadable::Malformed)?;
        Ok(Self { header, claims, message, signature })
    }

    /// Who is said to have signed it: the only claim that may be read before that is known.
    pub(super) fn issuer(&self) -> &str {
        self.claims.text(ISS).ok().flatten().unwrap_or_default()
    }

    /// Which key is said to have signed it. Security: compared with the names of keys, nothing else.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.header.key_id()
    }

    /// How it is said to be signed.
    pub(super) fn algorithm(&self) -> Algorithm {
        self.header.algorithm()
    }

    /// The claims, if `key` signed them.
    pub(super) fn verify(self, key: &Key) -> Result<Claims, Forged<'a>> {
        let is_genuine = self.algorithm() == key.algorithm() && key.signed(self.message, self.signature);
        if is_genuine { Ok(self.claims) } else { Err(Forged(Box::new(self))) }
    }
}

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}
