//! `generator build`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::Duration,
};

use clap::ValueEnum;
use findings::{Findings, clean, messages};
use generator::portable::{check_place, copy};
use publish::{Compression, Progress, PublishError, Publishing, known_files, publish};
use render::{RenderError, Renderer};
use serde_json::json;
use site::{KnownFiles, Loaded};

use super::{FindingsFormat, Input, fail, note, progress::Bar, real, write};

/// The pause between attempts while another build is running.
const PAUSE: Duration = Duration::from_millis(250);

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Folder to write to; it must be outside of the folders that are read.
    #[arg(long, default_value = "dist")]
    out: PathBuf,
    /// Level of compression: `none`, `fast`, or `best` for releases.
    #[arg(long, value_enum, default_value_t = CompressionName::Fast)]
    compression: CompressionName,
    /// Read back the files in the folder, and rewrite damaged ones.
    #[arg(long)]
    verify: bool,
    /// Write a copy with relative links to files, which opens with a plain file server or without one.
    #[arg(long, conflicts_with_all = ["compression", "verify"])]
    portable: bool,
    /// Offer nothing that needs a sidecar, whatever `[agents]` in `site.toml` says.
    #[arg(long)]
    content_only: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CompressionName {
    None,
    Fast,
    Best,
}

/// Behaviour if another build is writing to the same folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenBusy {
    Fail,
    Wait,
}

impl Arguments {
    /// Returns the arguments of a build for a host that only serves content.
    pub(super) fn content_only(input: Input, out: PathBuf) -> Self {
        let compression = CompressionName::Fast;
        Self { input, out, compression, verify: false, portable: false, content_only: true }
    }
}

/// Builds once, prints when to build again, and returns what was read, which the caller may drop or leak.
pub(crate) fn run(arguments: &Arguments) -> Result<Loaded, ExitCode> {
    let loaded = build(arguments, WhenBusy::Fail)?;
    if let Some(moment) = loaded.site.next_change {
        note(&messages::next_change(moment));
    }
    Ok(loaded)
}

pub(crate) fn build(arguments: &Arguments, when_busy: WhenBusy) -> Result<Loaded, ExitCode> {
    check_out_folder(arguments)?;
    if !arguments.portable {
        return build_into(arguments, &arguments.out, when_busy);
    }
    check_place(&arguments.out).map_err(|error| fail(&error))?;
    let made = tempfile::tempdir().map_err(|error| fail(&error))?;
    let loaded = build_into(arguments, made.path(), when_busy)?;
    let files = copy(made.path(), &arguments.out).map_err(|error| fail(&error))?;
    note(&messages::copied(messages::counted_files(files), arguments.out.display()));
    Ok(loaded)
}

fn build_into(arguments: &Arguments, out: &Path, when_busy: WhenBusy) -> Result<Loaded, ExitCode> {
    if arguments.input.format == FindingsFormat::Sarif {
        return Err(fail(&messages::build_without_sarif()));
    }
    let mut known = if arguments.verify { KnownFiles::default() } else { known_files(out) };
    let (mut loaded, theme, findings) = arguments.input.load(&mut known)?;
    if arguments.content_only {
        let agents = &mut loaded.site.settings.agents;
        if agents.service {
            note(&messages::service_left_out());
        }
        *agents = agents.content_only();
    }
    let unfinished = loaded.unfinished();
    if !unfinished.is_empty() {
        return Err(arguments.input.print_failure(&unfinished));
    }
    if arguments.portable {
        loaded.site.settings.editor = None;
    }
    arguments.input.add_editor(&mut loaded.site).map_err(|error| fail(&error))?;
    let settings = &loaded.site.settings;
    let progress = Bar::new();
    let publishing = Publishing {
        out,
        compression: match arguments.compression {
            _ if arguments.portable => Compression::None,
            CompressionName::None => Compression::None,
            CompressionName::Fast => Compression::Fast,
            CompressionName::Best => Compression::Best,
        },
        site_url: settings.site_url.as_str(),
        sandbox_key: &settings.sandbox_key,
        now: arguments.input.moment(),
        verify: arguments.verify,
        known: Some(&known),
        progress: progress.as_ref().map(|bar| bar as &dyn Progress),
    };
    let renderer = Renderer::new(&loaded.site, &theme);
    let fail_render = |error: &RenderError| print_render_error(arguments, &renderer, &findings, error);
    let plan = renderer.plan().map_err(|error| fail_render(&error))?;
    let mut published = publish(&plan, &publishing);
    if when_busy == WhenBusy::Wait
        && let Err(PublishError::Busy(out)) = &published
    {
        note(&messages::build_waiting(out.display()));
        while let Err(PublishError::Busy(_)) = &published {
            thread::sleep(PAUSE);
            published = publish(&plan, &publishing);
        }
    }
    drop(progress);
    let report = published.map_err(|error| match error {
        // The checks do not decode pictures; a broken one is reported as a finding all the same.
        PublishError::Render(RenderError::Picture(finding)) => {
            let root = arguments.input.content().display().to_string();
            arguments.input.print_failure(&findings.clone().and(Findings::new(vec![*finding], root, 0)))
        }
        PublishError::Render(error) => fail_render(&error),
        error => fail(&error.message()),
    })?;
    arguments.input.print(&findings)?;
    let build = format!("{:.12}", report.build);
    note(&messages::built(messages::counted_files(report.files), out.display(), report.written, report.removed, build));
    if arguments.input.format == FindingsFormat::Json {
        let done = json!({
            "build": report.build,
            "files": report.files,
            "written": report.written,
            "removed": report.removed,
            "next_scheduled_change": loaded.site.next_change.map(|moment| moment.to_string()),
        });
        write(&format!("{done}\n"))?;
    }
    if let Some(first) = report.foreign.first() {
        note(&messages::foreign_files_published(out.display(), report.foreign.len(), clean(first)));
    }
    Ok(loaded)
}

/// Prints why something could not be rendered. If the theme is the cause, all faults of the theme are printed with the
/// findings so far.
fn print_render_error(arguments: &Arguments, renderer: &Renderer, before: &Findings, error: &RenderError) -> ExitCode {
    match (error, renderer.faults()) {
        (RenderError::Theme(_), Ok(faults)) if faults.errors() > 0 => {
            arguments.input.print_failure(&before.clone().and(faults))
        }
        _ => fail(&error.message()),
    }
}

/// Checks that the output is neither inside nor around the folders that are read: the next build would read it as
/// content, or the content would be published.
pub(crate) fn check_out_folder(arguments: &Arguments) -> Result<(), ExitCode> {
    let out = real(&arguments.out);
    for read in [Some(arguments.input.content()), arguments.input.templates()].into_iter().flatten() {
        let read_from = real(read);
        let is_of_git = out.components().any(|part| part.as_os_str() == ".git");
        if out.starts_with(&read_from) || read_from.starts_with(&out) || is_of_git {
            return Err(fail(&messages::build_into_its_source(read.display(), arguments.out.display())));
        }
    }
    Ok(())
}
