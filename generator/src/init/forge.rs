//! What a code forge runs for a firm: workflows that review each change and publish what is merged. All of them call one
//! script, which is in the firm's folder too.

use super::InitError;
use crate::diagnostic::nearest;

/// The script that every workflow calls.
const SCRIPT: &str = include_str!("../../forges/ci");
/// The line of a workflow where the steps stand that hand a site over.
const DEPLOY: &str = "# deploy\n";
/// The host that only one forge has.
const PAGES: &str = "github-pages";

/// A forge for which workflows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forge {
    /// GitHub.
    Github,
    /// GitLab.
    Gitlab,
    /// Forgejo, and Codeberg.
    Forgejo,
}

/// Every host of `generator host`, with the secrets that its deployment takes from the forge. None of them means the
/// sidecar on a machine of the firm, to which `dist/` is copied.
const HOSTS: [(&str, &[&str]); 8] = [
    ("cloudflare", &["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"]),
    ("netlify", &["NETLIFY_AUTH_TOKEN", "NETLIFY_SITE_ID"]),
    ("vercel", &["VERCEL_TOKEN", "VERCEL_ORG_ID", "VERCEL_PROJECT_ID"]),
    ("cloudfront", &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "BUCKET", "DISTRIBUTION"]),
    (PAGES, &[]),
    ("nginx", MACHINE),
    ("caddy", MACHINE),
    ("apache", MACHINE),
];
/// What is needed to copy files to a machine: `user@machine:/folder`, a private key of SSH, and the machine's public keys.
const MACHINE: &[&str] = &["DEPLOY_TO", "DEPLOY_KEY", "DEPLOY_KNOWN_HOSTS"];

/// The steps that hand a site to GitHub Pages.
const TO_PAGES: &str = "      - if: steps.due.outputs.due
        uses: actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0
        with:
          path: host/public
          # `.well-known` is one.
          include-hidden-files: true

  pages:
    name: GitHub Pages
    needs: publish
    if: needs.publish.outputs.due
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    permissions:
      pages: write
      id-token: write
    environment:
      name: github-pages
      url: ${{ steps.deployment.outputs.page_url }}
    steps:
      - id: deployment
        uses: actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0
";

/// A file for a forge.
pub(super) struct ForgeFile {
    pub(super) path: &'static str,
    pub(super) text: String,
    pub(super) is_program: bool,
}

/// Returns the files for these forges; none for none.
///
/// # Errors
/// If there is no such host, or a forge cannot serve it.
pub(super) fn files(forges: &[Forge], host: Option<&str>) -> Result<Vec<ForgeFile>, InitError> {
    let secrets = match host {
        None => MACHINE,
        Some(name) => HOSTS.iter().find(|(host, _)| *host == name).map(|(_, secrets)| *secrets).ok_or_else(|| {
            let meant = nearest(name, HOSTS.iter().map(|(host, _)| *host));
            InitError::Host(name.to_owned(), meant.map(str::to_owned))
        })?,
    };
    if host == Some(PAGES) && forges.iter().any(|forge| *forge != Forge::Github) {
        return Err(InitError::Pages);
    }
    if forges.is_empty() {
        return Ok(Vec::new());
    }
    let file = |path, text| ForgeFile { path, text, is_program: false };
    let mut files = vec![
        ForgeFile { path: "scripts/ci", text: SCRIPT.to_owned(), is_program: true },
        file(
            "scripts/ci.conf",
            format!(
                "# Which release builds the site; `scripts/ci pin URL` writes both.\narchive=\nsha256=\n\
                 # The host of `generator host`; none means the sidecar on a machine of yours.\nhost={}\n\
                 # Where the sidecar of a programmable host is, if there is one.\nsidecar=\n",
                host.unwrap_or_default()
            ),
        ),
    ];
    files.extend(forges.iter().map(|forge| {
        let (path, text) = match forge {
            Forge::Github => (".github/workflows/site.yaml", include_str!("../../forges/github.yaml")),
            Forge::Gitlab => (".gitlab-ci.yml", include_str!("../../forges/gitlab.yaml")),
            Forge::Forgejo => (".forgejo/workflows/site.yaml", include_str!("../../forges/forgejo.yaml")),
        };
        let deploy = match forge {
            _ if host == Some(PAGES) => TO_PAGES.to_owned(),
            Forge::Gitlab => format!("    # Variables: {}.\n    - scripts/ci deploy\n", secrets.join(", ")),
            Forge::Github | Forge::Forgejo => {
                let of_forge = |name: &&str| format!("          {name}: ${{{{ secrets.{name} }}}}\n");
                let fields: String = secrets.iter().map(of_forge).collect();
                format!("      - if: steps.due.outputs.due\n        run: scripts/ci deploy\n        env:\n{fields}")
            }
        };
        file(path, text.replace(DEPLOY, &deploy))
    }));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workflow_names_the_secrets_of_its_host_alone() {
        for (host, secrets) in HOSTS {
            for file in files(&[Forge::Github], Some(host)).unwrap() {
                assert!(!file.text.contains(DEPLOY), "{host}: {}", file.path);
                let named: Vec<&str> =
                    file.text.split("secrets.").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
                let expected = if file.path.ends_with("site.yaml") { secrets } else { &[] };
                assert_eq!(named, expected, "{host}: {}", file.path);
            }
            assert!(SCRIPT.contains(host), "the script deploys to {host}");
        }
    }

    #[test]
    fn host_that_is_unknown_or_of_another_forge_is_told() {
        assert!(matches!(files(&[], Some("netlfy")), Err(InitError::Host(_, Some(meant))) if meant == "netlify"));
        assert!(matches!(files(&[Forge::Github, Forge::Gitlab], Some(PAGES)), Err(InitError::Pages)));
        assert!(files(&[], None).unwrap().is_empty());
    }
}
