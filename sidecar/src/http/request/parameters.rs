//! The parameters of a form, each occurring once and none of them empty (RFC 6749, 3.2).

use percent_encoding::percent_decode;
use registration::domain::RegistrationError;

/// The most parameters of a request.
const MAX_PARAMETERS: usize = 32;

/// Parameters by name. Security: never printed; they hold secrets.
#[derive(Default)]
pub(crate) struct Parameters(pub(crate) Vec<(String, String)>);

impl Parameters {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, RegistrationError> {
        const TWICE: RegistrationError =
            RegistrationError::Malformed("A parameter stands twice, or there are too many.");
        let mut found: Vec<(String, String)> = Vec::new();
        for pair in bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let mut half = || decode(halves.next().unwrap_or_default());
            let (name, value) = (half()?, half()?);
            if found.len() == MAX_PARAMETERS || found.iter().any(|(known, _)| *known == name) {
                return Err(TWICE);
            }
            found.push((name, value));
        }
        Ok(Self(found))
    }

    /// Returns the value of `name`; an empty one counts as absent.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }
}

fn decode(bytes: &[u8]) -> Result<String, RegistrationError> {
    let spaced: Vec<u8> = bytes.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    let text =
        percent_decode(&spaced).decode_utf8().map_err(|_| RegistrationError::Malformed("A parameter is not UTF-8."))?;
    if text.contains(char::is_control) {
        return Err(RegistrationError::Malformed("A parameter contains a control character."));
    }
    Ok(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_empty_ones_are_absent() {
        let parameters = Parameters::parse(b"a=x%20y+z&b=&c").unwrap();
        assert_eq!(parameters.find("a"), Some("x y z"));
        assert_eq!((parameters.find("b"), parameters.find("c"), parameters.find("d")), (None, None, None));
    }

    #[test]
    fn repeated_parameter_is_refused_even_if_empty() {
        for body in [&b"a=1&a=2"[..], b"a=&a=1", b"a=1&%61=2", b"a=%ff", b"a=%0d%0a"] {
            assert!(Parameters::parse(body).is_err());
        }
    }
}
