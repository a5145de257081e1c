//! The proxy of the environment. Only this module and the transport use the HTTP library.

use ureq::{Error, Proxy, ProxyBuilder};

use crate::{failure::Failure, settings::without_user, surroundings::Surroundings};

/// Variables for the proxy: the first that is set counts, whatever the scheme of the host. The order is that of the
/// HTTP library.
const VARIABLES: [&str; 6] = ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
/// Variables with the hosts to contact without the proxy.
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];

pub(super) struct NamedProxy {
    pub(super) proxy: Proxy,
    /// Address and variable. Security: without the part before `@`, which may be a password.
    label: String,
}

impl NamedProxy {
    /// Returns the proxy's name for failures if requests to `url` use it.
    pub(super) fn label_for(&self, url: &str) -> Option<String> {
        let is_passed_by = url.parse().is_ok_and(|uri| self.proxy.is_no_proxy(&uri));
        (!is_passed_by).then(|| self.label.clone())
    }
}

/// Returns the proxy of the environment. Security: an invalid value is an error. If it were ignored, the request and
/// its key would bypass the proxy.
pub(super) fn from_environment(env: &Surroundings) -> Result<Option<NamedProxy>, Failure> {
    let first = |names: &[&'static str]| names.iter().find_map(|name| Some((*name, env.variable(name)?)));
    let Some((name, text)) = first(&VARIABLES) else { return Ok(None) };
    let exceptions = first(&EXCEPTIONS).map(|(_, hosts)| hosts);
    let displayed = without_user(&text);
    let label = format!("{displayed} of {name}");
    parse(&text, exceptions.as_deref().unwrap_or_default()).map(|proxy| Some(NamedProxy { proxy, label })).map_err(
        |_| {
            let remedy = "Give http://, https:// or socks5:// with host and port, or unset the variable.";
            Failure::usage(format!("{name} is `{displayed}`: it is not the address of a proxy."), remedy)
        },
    )
}

/// Builds the proxy at `text`; `exceptions` is a comma-separated list of hosts.
fn parse(text: &str, exceptions: &str) -> Result<Proxy, Error> {
    let proxy = Proxy::new(text)?;
    let mut same = Proxy::builder(proxy.protocol()).host(proxy.host()).port(proxy.port());
    if let Some(name) = proxy.username() {
        same = same.username(name);
    }
    if let Some(password) = proxy.password() {
        same = same.password(password);
    }
    let exceptions = exceptions.split(',').map(str::trim).filter(|host| !host.is_empty());
    exceptions.fold(same, ProxyBuilder::no_proxy).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_keeps_scheme_host_port_and_credentials() {
        for text in
            ["http://me:p%40ss@proxy.example:3128/", "socks5h://127.0.0.1", "[::1]:3128", "HTTPS://proxy.example"]
        {
            let (library, taken) = (Proxy::new(text).unwrap(), parse(text, "").unwrap());
            assert_eq!(
                (library.protocol(), library.host(), library.port()),
                (taken.protocol(), taken.host(), taken.port())
            );
            assert_eq!((library.username(), library.password()), (taken.username(), taken.password()), "{text}");
        }
    }

    #[test]
    fn proxy_is_not_used_for_excepted_hosts() {
        let proxy = parse("proxy.example:3128", "a.example, .b.example,").unwrap();
        for (uri, without) in [
            ("https://a.example/x", true),
            ("http://c.b.example", true),
            ("https://b.example", false),
            ("https://c.example", false),
        ] {
            assert_eq!(proxy.is_no_proxy(&uri.parse().unwrap()), without, "{uri}");
        }
    }
}
