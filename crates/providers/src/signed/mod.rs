//! A received token before and after its signature is verified.

mod claims;
mod header;
mod json;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::id_jag::{EVENT_TYPE, ISS, LOGOUT_TYPE, MAX_BYTES, TYP, TYPE};

pub(crate) use self::claims::{Claims, named};
use self::header::Header;
use super::keys::{Algorithm, VerificationKey};

/// The kinds of tokens. Their rules exclude each other, and `typ` selects them (RFC 8725, 3.11 and 3.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identity assertion.
    IdJag,
    /// A logout token.
    Logout,
    /// A security event token.
    SecurityEvent,
}

impl TokenKind {
    /// Whether `typ` names this kind: for an assertion exactly, for reports as a media type, whose case and
    /// `application/` prefix do not matter (RFC 7515, 4.1.9).
    ///
    /// Security: a security event may have no `typ`, which is only recommended (RFC 8417, 2.3) and which Apple omits.
    /// `events`, which every report and no other token has, identifies it then.
    fn is_named(self, typ: Option<&str>) -> bool {
        const PREFIX: &str = "application/";
        let is_general = typ.is_none_or(|typ| typ.eq_ignore_ascii_case("JWT"));
        let Some(typ) = typ.filter(|_| self != Self::SecurityEvent || !is_general) else {
            return self == Self::SecurityEvent;
        };
        let bare = match typ.split_at_checked(PREFIX.len()) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(PREFIX) => rest,
            _ => typ,
        };
        match self {
            Self::IdJag => typ == TYPE,
            Self::Logout => bare.eq_ignore_ascii_case(LOGOUT_TYPE),
            Self::SecurityEvent => bare.eq_ignore_ascii_case(EVENT_TYPE),
        }
    }

    /// Returns the error of another `typ`.
    fn wrong_type(self) -> &'static str {
        match self {
            Self::IdJag => TYP.broken,
            Self::Logout => "`typ` must be `logout+jwt`",
            Self::SecurityEvent => "`typ` must be `secevent+jwt`",
        }
    }
}

/// Why a token was rejected before looking up a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// Malformed or of another kind; the reason is for the sender.
    Malformed(&'static str),
    /// An algorithm that is not accepted.
    Algorithm,
}

/// A token that the key did not sign.
pub(super) struct Forged<'a>(pub(super) Box<Unverified<'a>>);

/// An unverified token. Only what is needed to find the key can be read.
pub(super) struct Unverified<'a> {
    header: Header,
    claims: Claims,
    /// The signed text: header and claims as received.
    message: &'a str,
    signature: &'a str,
}

impl<'a> Unverified<'a> {
    /// Parses a compact JWS (RFC 7515, 7.1).
    pub(super) fn parse(jwt: &'a str, kind: TokenKind) -> Result<Self, Unreadable> {
        const NOT_A_JWT: Unreadable = Unreadable::Malformed("it is not a JWT in compact form");
        if jwt.len() > MAX_BYTES {
            return Err(Unreadable::Malformed("it is longer than 16384 bytes"));
        }
        let (message, signature) = jwt.rsplit_once('.').ok_or(NOT_A_JWT)?;
        // A further dot fails in Base64url.
        let (header, claims) = message.split_once('.').ok_or(NOT_A_JWT)?;
        let header = Header::parse(&decode_part(header).ok_or(NOT_A_JWT)?, kind)?;
        let claims = Claims::parse(&decode_part(claims).ok_or(NOT_A_JWT)?).map_err(Unreadable::Malformed)?;
        claims.required_text(ISS).map_err(Unreadable::Malformed)?;
        Ok(Self { header, claims, message, signature })
    }

    /// Returns the unverified issuer, by which the provider is found.
    pub(super) fn issuer(&self) -> &str {
        self.claims.text(ISS).ok().flatten().unwrap_or_default()
    }

    /// Returns the unverified `kid`. Security: only compared with names of keys.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.header.key_id()
    }

    /// Returns the unverified algorithm.
    pub(super) fn algorithm(&self) -> Algorithm {
        self.header.algorithm()
    }

    pub(super) fn verify(self, key: &VerificationKey) -> Result<Claims, Forged<'a>> {
        let is_genuine = self.algorithm() == key.algorithm() && key.verifies(self.message, self.signature);
        if is_genuine { Ok(self.claims) } else { Err(Forged(Box::new(self))) }
    }
}

fn decode_part(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}
