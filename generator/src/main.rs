//! The `generator` program: arguments in, exit status out.

use std::{io::IsTerminal as _, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand, ValueEnum};
use generator::{
    diagnostic::{Code, Findings},
    publish::{Compression, Publishing, publish},
    render::{Renderer, Theme},
    site::{Loaded, Loading, load},
};
use jiff::Timestamp;

/// Pages are made of many small texts that one thread makes and drops: what it frees it gets back without a lock.
/// Huge pages are off (`no_thp`): they cost a sixth more memory and save no time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Builds a law firm's site from Markdown.
#[derive(Debug, Parser)]
#[command(name = "generator", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the content and write the whole site to `dist/`.
    Build {
        #[command(flatten)]
        input: Input,
        /// Folder of templates, interface words and assets.
        #[arg(long, default_value = "templates")]
        templates: PathBuf,
        /// Folder to write to.
        #[arg(long, default_value = "dist")]
        out: PathBuf,
        /// How hard to compress: `none`, `fast`, or `best` for releases.
        #[arg(long, value_enum, default_value_t = CompressionName::Fast)]
        compression: CompressionName,
    },
    /// Check the content and write nothing.
    Check {
        #[command(flatten)]
        input: Input,
    },
    /// Explain the code of a finding, such as `E0101`.
    Explain {
        /// The code.
        code: String,
    },
}

#[derive(Debug, clap::Args)]
struct Input {
    /// Folder of the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
    /// Origin of the site, instead of the one in `site.toml`.
    #[arg(long)]
    site_url: Option<String>,
    /// The moment for which to build (RFC 3339), instead of now: decides on scheduled entries.
    #[arg(long)]
    now: Option<Timestamp>,
    /// Include drafts.
    #[arg(long)]
    drafts: bool,
    /// Form of the findings.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CompressionName {
    None,
    Fast,
    Best,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// One JSON object a line.
    Json,
    /// Annotations of a pull request.
    Github,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Build { input, templates, out, compression } => build(&input, &templates, &out, compression),
        Command::Check { input } => match check(&input) {
            Ok(_) => ExitCode::SUCCESS,
            Err(status) => status,
        },
        Command::Explain { code } => explain(&code),
    }
}

fn build(input: &Input, templates: &std::path::Path, out: &std::path::Path, compression: CompressionName) -> ExitCode {
    let loaded = match check(input) {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let theme = match Theme::load(templates) {
        Ok(theme) => theme,
        Err(error) => return fail(&error),
    };
    let settings = &loaded.site.settings;
    let publishing = Publishing {
        out,
        compression: match compression {
            CompressionName::None => Compression::None,
            CompressionName::Fast => Compression::Fast,
            CompressionName::Best => Compression::Best,
        },
        site_url: settings.site_url.as_str(),
        sandbox_key: &settings.sandbox_key,
    };
    let renderer = Renderer::new(&loaded.site, &theme);
    match publish(&renderer.plan(), &publishing) {
        Ok(report) => {
            eprintln!(
                "built {} files in {}: {} written, {} removed; build {:.12}",
                report.files,
                out.display(),
                report.written,
                report.removed,
                report.build,
            );
            if let Some(moment) = &loaded.site.next_change {
                eprintln!("next scheduled change: {moment}; build again then");
            }
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error),
    }
}

/// Loads the content and prints every finding.
fn check(input: &Input) -> Result<Loaded, ExitCode> {
    #[expect(clippy::disallowed_methods, reason = "the one place where the generator reads the clock")]
    let now =
        input.now.unwrap_or_else(|| Timestamp::try_from(std::time::SystemTime::now()).unwrap_or(Timestamp::UNIX_EPOCH));
    let loading = Loading { content: &input.content, site_url: input.site_url.as_deref(), now, drafts: input.drafts };
    match load(&loading) {
        Ok(loaded) => {
            print(&loaded.warnings, input.format);
            Ok(loaded)
        }
        Err(findings) => {
            print(&findings, input.format);
            Err(ExitCode::FAILURE)
        }
    }
}

fn print(findings: &Findings, format: Format) {
    match format {
        Format::Text => eprint!("{}", findings.to_text(std::io::stderr().is_terminal() && !no_colour())),
        Format::Json => print!("{}", findings.to_json_lines()),
        Format::Github => print!("{}", findings.to_annotations()),
    }
}

/// <https://no-color.org>
#[expect(clippy::disallowed_methods, reason = "the one variable that the generator knows is a convention of terminals")]
fn no_colour() -> bool {
    std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty())
}

fn explain(id: &str) -> ExitCode {
    let Some(code) = Code::find(id) else {
        eprintln!("error: there is no code `{id}`; a finding shows its code in brackets, such as error[E0101]");
        return ExitCode::from(2);
    };
    println!("{}", code.explain());
    ExitCode::SUCCESS
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
