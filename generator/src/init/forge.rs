//! Workflows of code forges, which check each change and publish merged ones. All of them call one script in the firm's
//! folder.

use clap::ValueEnum;
use hosts::Host;

use super::InitError;

const SCRIPT: &str = include_str!("../../forges/ci");
/// The line of a workflow that the deployment steps replace.
const DEPLOY: &str = "# deploy\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Forge {
    Github,
    Gitlab,
    // And Codeberg.
    Forgejo,
}

/// Secrets for copying files to a machine over SSH: `user@machine:/folder`, a private key, and the machine's public
/// keys.
const MACHINE: &[&str] = &["DEPLOY_TO", "DEPLOY_KEY", "DEPLOY_KNOWN_HOSTS"];

/// The deployment steps of GitHub Pages.
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

pub(super) struct ForgeFile {
    pub(super) path: &'static str,
    pub(super) text: String,
    pub(super) is_program: bool,
}

/// Returns the secrets of the deployment to a host. Without a host, `dist/` is copied to the firm's sidecar machine.
const fn secrets(host: Option<Host>) -> &'static [&'static str] {
    match host {
        None | Some(Host::Nginx | Host::Caddy | Host::Apache) => MACHINE,
        Some(Host::Cloudflare) => &["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"],
        Some(Host::Netlify) => &["NETLIFY_AUTH_TOKEN", "NETLIFY_SITE_ID"],
        Some(Host::Vercel) => &["VERCEL_TOKEN", "VERCEL_ORG_ID", "VERCEL_PROJECT_ID"],
        Some(Host::Cloudfront) => {
            &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "BUCKET", "DISTRIBUTION"]
        }
        Some(Host::GithubPages) => &[],
    }
}

/// Returns the files for these forges. With a host but without a forge, only the script and its settings.
///
/// # Errors
/// If a forge cannot serve the host.
pub(super) fn files(forges: &[Forge], host: Option<Host>) -> Result<Vec<ForgeFile>, InitError> {
    let is_pages = host == Some(Host::GithubPages);
    if is_pages && forges.iter().any(|forge| *forge != Forge::Github) {
        return Err(InitError::Pages);
    }
    if forges.is_empty() && host.is_none() {
        return Ok(Vec::new());
    }
    let file = |path, text| ForgeFile { path, text, is_program: false };
    let mut files = vec![
        ForgeFile { path: "scripts/ci", text: SCRIPT.to_owned(), is_program: true },
        file(
            "scripts/ci.conf",
            format!(
                "# The release that builds the site; `scripts/ci pin URL` writes both values.\narchive=\nsha256=\n\
                 # The host, one of `generator host`; empty for the sidecar on a machine of yours.\nhost={}\n\
                 # The address of the sidecar, https://…; without one, write `service = false` in `[agents]` of site.toml.\nsidecar=\n",
                host.map_or("", Host::as_str)
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
            _ if is_pages => TO_PAGES.to_owned(),
            Forge::Gitlab => format!("    # Variables: {}.\n    - scripts/ci deploy\n", secrets(host).join(", ")),
            Forge::Github | Forge::Forgejo => {
                let of_forge = |name: &&str| format!("          {name}: ${{{{ secrets.{name} }}}}\n");
                let fields: String = secrets(host).iter().map(of_forge).collect();
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
    fn workflow_names_only_the_secrets_of_its_host() {
        for host in Host::ALL.map(Some).into_iter().chain([None]) {
            for file in files(&[Forge::Github], host).unwrap() {
                assert!(!file.text.contains(DEPLOY), "{host:?}: {}", file.path);
                let named: Vec<&str> =
                    file.text.split("secrets.").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
                let expected = if file.path.ends_with("site.yaml") { secrets(host) } else { &[] };
                assert_eq!(named, expected, "{host:?}: {}", file.path);
            }
            assert!(SCRIPT.contains(host.map_or("''", Host::as_str)), "the script deploys to {host:?}");
            // The script tests for missing secrets before it deploys.
            let needed = format!("needs {}", secrets(host).join(" "));
            assert!(secrets(host).is_empty() || SCRIPT.contains(&needed), "{host:?}: {needed}");
        }
    }

    #[test]
    fn job_that_runs_a_change_has_no_token() {
        for file in files(&[Forge::Github, Forge::Gitlab, Forge::Forgejo], None).unwrap().split_off(2) {
            let (_, jobs) = file.text.split_once("review:\n").unwrap();
            let (review, report) = jobs.split_once("report:\n").unwrap();
            assert!(review.contains("scripts/ci review") && !review.to_lowercase().contains("token"), "{}", file.path);
            assert!(report.contains("scripts/ci comment") && !report.contains("scripts/ci review"), "{}", file.path);
        }
    }

    #[test]
    fn pages_of_one_forge_are_not_for_another() {
        assert!(matches!(files(&[Forge::Github, Forge::Gitlab], Some(Host::GithubPages)), Err(InitError::Pages)));
        assert!(files(&[], None).unwrap().is_empty());
        assert_eq!(files(&[], Some(Host::Netlify)).unwrap().len(), 2);
    }
}
