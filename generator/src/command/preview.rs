//! `generator preview`: builds in memory, serves on loopback, and updates after every change.

use std::{
    net::{SocketAddr, TcpListener},
    process::ExitCode,
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use findings::messages;
use generator::{preview::Preview, vanished::find_vanished};
use jiff::Timestamp;
use site::{KnownFiles, load_into_memory};

use super::{Input, fail, language, note, now, watch::Watch};

/// How long nothing must change before a change is shown. An incomplete one is followed by another.
const QUIET: Duration = Duration::from_millis(10);

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Loopback address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
}

/// Serves the site with its drafts until the process ends.
pub(crate) fn run(arguments: Arguments) -> Result<(), ExitCode> {
    let Arguments { mut input, listen } = arguments;
    if !listen.ip().is_loopback() {
        return Err(fail(&messages::preview_for_others(listen)));
    }
    let listener = TcpListener::bind(listen).map_err(|error| fail(&messages::preview_address_taken(listen, error)))?;
    let address = listener.local_addr().map_err(|error| fail(&error))?;
    input.drafts = true;
    let site_url = input.site_url.take();
    input.site_url = Some(site_url.unwrap_or_else(|| format!("http://{address}")));
    let preview = Arc::new(Preview::new(address, input.content().to_owned(), language()));
    let served = Arc::clone(&preview);
    thread::spawn(move || {
        if let Err(error) = served.serve(&listener) {
            note(&messages::preview_ended(error));
        }
    });
    let folders = [input.content(), input.templates_to_watch()];
    let mut watch = Watch::start(folders).map_err(|error| fail(&error))?;
    let mut known = KnownFiles::with_texts();
    note(&messages::preview_at(address));
    let mut is_first = true;
    loop {
        let begin = SystemTime::from(now());
        let (mut site, findings) = input.read(load_into_memory, &mut known);
        if let Some((loaded, _)) = &mut site {
            match input.add_editor(&mut loaded.site) {
                Err(error) => note(&error),
                Ok(()) if is_first && !loaded.site.editor.is_empty() => note(&messages::preview_editor_at(address)),
                Ok(()) => {}
            }
            is_first = false;
        }
        known.keep(begin);
        let next = site.as_ref().and_then(|(loaded, _)| loaded.site.next_change).filter(|_| input.now.is_none());
        let shown = preview.show(site, findings.clone());
        // The pages do not wait for the comparison with the last commit.
        let gone = shown.map(|site| find_vanished(&input.loading(), &site)).filter(|gone| !gone.is_empty());
        let findings = match gone {
            None => findings,
            Some(gone) => {
                let all = findings.and(gone);
                preview.replace_findings(all.clone());
                all
            }
        };
        input.print(&findings)?;
        match watch.wait(|| next.is_some_and(|moment: Timestamp| moment <= input.moment())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => note(&messages::change_perhaps_missed(error)),
            Err(_) => return Err(fail(&messages::changes_not_reported())),
        }
        watch.settle(QUIET);
        // A watch on a folder that was replaced does not report the new one.
        if !watch.is_current() {
            watch = Watch::restart(folders);
        }
    }
}
