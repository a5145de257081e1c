//! Checks `Host` and `Origin` of a request.
//!
//! Security: a page of another site can make a reader's browser send requests, and can point its own name at this
//! machine (DNS rebinding). The browser then sends that site in `Origin` and that name in `Host`. Only the name of the
//! site and names of this machine are accepted. IP addresses are accepted, because rebinding needs a name, and so is
//! any name from a trusted proxy.

use contract::text::origin::{address, after_scheme, is_local, name};

use crate::config::ANY_ORIGIN;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginError {
    /// `Host` is another host.
    Host,
    /// `Origin` is another site.
    Origin,
}

/// The policy for `Host` and `Origin` of one request.
pub(crate) struct OriginPolicy<'a> {
    pub(crate) site_url: &'a str,
    /// Further allowed origins; [`ANY_ORIGIN`] allows all for requests without a credential.
    pub(crate) allowed: &'a [String],
    /// Whether the request has a credential.
    pub(crate) has_credential: bool,
    /// Whether a trusted proxy sent the request.
    pub(crate) behind_proxy: bool,
}

impl OriginPolicy<'_> {
    /// Checks the values of all `Host` and `Origin` lines.
    pub(crate) fn check<'a>(
        &self,
        mut hosts: impl Iterator<Item = &'a [u8]> + Clone,
        mut origins: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), OriginError> {
        let is_here = hosts.clone().any(|host| is_local(name(host)));
        if !self.behind_proxy && !hosts.all(|host| self.is_known(name(host))) {
            return Err(OriginError::Host);
        }
        if !origins.all(|origin| self.is_allowed(origin, is_here)) {
            return Err(OriginError::Origin);
        }
        Ok(())
    }

    fn is_known(&self, host: &[u8]) -> bool {
        let site = after_scheme(self.site_url.as_bytes()).unwrap_or_default();
        host.eq_ignore_ascii_case(name(site)) || is_local(host) || address(host).is_some()
    }

    /// Whether pages of this origin may send requests; those of this machine may use a service on this machine.
    fn is_allowed(&self, origin: &[u8], is_here: bool) -> bool {
        let known = std::iter::once(self.site_url).chain(self.allowed.iter().map(String::as_str));
        known.into_iter().any(|known| origin.eq_ignore_ascii_case(known.as_bytes()))
            || (!self.has_credential && self.allowed.iter().any(|allowed| allowed == ANY_ORIGIN))
            || (is_here && after_scheme(origin).is_some_and(|host| is_local(name(host))))
    }
}

#[cfg(test)]
mod tests {
    use contract::text::origin::is_of_this_machine;

    use super::*;

    fn check(host: &'static str, origin: Option<&'static str>, behind_proxy: bool) -> Result<(), OriginError> {
        let allowed = ["https://app.example".to_owned()];
        let (site_url, has_credential) = ("https://firm.example", false);
        let policy = OriginPolicy { site_url, allowed: &allowed, has_credential, behind_proxy };
        policy.check([host.as_bytes()].into_iter(), origin.map(str::as_bytes).into_iter())
    }

    #[test]
    fn site_this_machine_and_addresses_are_hosts() {
        for host in [
            "firm.example",
            "FIRM.example:443",
            "localhost:8080",
            "127.0.0.1",
            "[::1]:8080",
            "203.0.113.4:80",
            "[2001:db8::1]",
        ] {
            assert_eq!(check(host, None, false), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "firm.example.evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:80@evil.example",
            "[::1].evil.example",
            "[",
            "",
        ] {
            assert_eq!(check(host, None, false), Err(OriginError::Host), "{host}");
        }
    }

    #[test]
    fn trusted_proxy_may_use_its_own_name_for_this_machine() {
        assert_eq!(check("sidecar:8080", None, true), Ok(()));
        assert_eq!(check("sidecar:8080", Some("https://evil.example"), true), Err(OriginError::Origin));
    }

    #[test]
    fn site_is_local_if_its_host_is_this_machine() {
        for origin in [
            "http://127.0.0.1:8080",
            "http://localhost:8080",
            "http://firm.localhost:8080",
            "http://[::1]",
            "https://localhost",
            "http://127.9.9.9",
        ] {
            assert!(is_of_this_machine(origin), "{origin}");
        }
        for origin in [
            "https://firm.example",
            "http://localhost.firm.example",
            "http://127.0.0.1.firm.example:80",
            "http://10.0.0.1:8080",
            "http://0.0.0.0:8080",
            "http://[2001:db8::1]",
            "",
        ] {
            assert!(!is_of_this_machine(origin), "{origin}");
        }
    }

    #[test]
    fn origin_of_the_site_and_configured_origins_are_allowed() {
        for origin in ["https://firm.example", "https://app.example"] {
            assert_eq!(check("firm.example", Some(origin), false), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://firm.example",
            "https://firm.example:444",
            "https://evil.example",
            "http://localhost:6274",
        ] {
            assert_eq!(check("firm.example", Some(origin), false), Err(OriginError::Origin), "{origin}");
        }
    }

    #[test]
    fn pages_on_this_machine_may_use_a_service_on_this_machine() {
        for origin in ["http://localhost:6274", "http://127.0.0.1:5173", "https://[::1]"] {
            assert_eq!(check("127.0.0.1:8080", Some(origin), false), Ok(()), "{origin}");
        }
        for origin in [
            "http://evil.example",
            "http://localhost.evil.example",
            "http://localhost:80@evil.example",
            "http://[::1].evil.example",
            "null",
            "file://",
        ] {
            assert_eq!(check("127.0.0.1:8080", Some(origin), false), Err(OriginError::Origin), "{origin}");
        }
    }
}
