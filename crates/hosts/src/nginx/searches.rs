//! Search pages: the sidecar answers queries; without a query, the page is a file.

use std::fmt::{self, Write as _};

use contract::{Locale, media};

use super::{READ_ONLY, page};
use crate::{rules::locale_of, site::HostedSite};

/// Passes a query to the sidecar.
const ASKED: &str = "        if ($arg_q) { rewrite ^ /.sidecar last; }\n";

pub(super) fn searches(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    for path in &site.searches {
        let locale = locale_of(path).unwrap_or(Locale::DEFAULT);
        let mut text = String::new();
        page(&mut text, &format!("= {path}"), locale.as_str(), "$uri", "$uri$mecelle_end", locale.as_str())?;
        out.push_str(&text.replacen(READ_ONLY, &format!("{READ_ONLY}{ASKED}"), 1));
        writeln!(
            out,
            "    location = {path}.md {{\n        set $mecelle_class twin;\n{READ_ONLY}{ASKED}        set $mecelle_language {locale};"
        )?;
        writeln!(
            out,
            "        set $mecelle_link $mecelle_canonical_{locale};\n        types {{ }}\n        default_type '{}';",
            media::MARKDOWN
        )?;
        writeln!(out, "        try_files $uri @moved;\n    }}")?;
    }
    Ok(())
}
