//! A site in memory. A page is rendered on request; all other files are rendered together at the first request for one.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use contract::Locale;
use findings::messages::{self, Text};
use rayon::prelude::*;
use render::{File, Job, Output, Plan, RenderError, Renderer, Theme};
use site::Site;

/// The answer to a request for a path.
#[derive(Clone, Debug)]
pub(super) enum PreviewAnswer {
    File {
        media_type: &'static str,
        bytes: Vec<u8>,
    },
    /// The page for unknown addresses.
    NotFound(Vec<u8>),
    /// A redirect to this path.
    Moved(String),
    /// Rendering failed, with the reason.
    Failed(Text),
}

/// A site that answers requests until it is dropped. A thread of its own owns the plan of all pages.
#[derive(Clone, Debug)]
pub(super) struct PreviewBuild {
    requests: Sender<RenderRequest>,
}

#[derive(Debug)]
struct RenderRequest {
    path: String,
    reply: Sender<PreviewAnswer>,
}

impl PreviewBuild {
    pub(super) fn start(site: Arc<Site>, theme: Theme) -> Self {
        let (requests, incoming) = mpsc::channel();
        thread::spawn(move || run(&site, &theme, &incoming));
        Self { requests }
    }

    pub(super) fn get(&self, path: &str) -> PreviewAnswer {
        let (reply, answer) = mpsc::channel();
        let sent = self.requests.send(RenderRequest { path: path.to_owned(), reply });
        let answer = sent.ok().and_then(|()| answer.recv().ok());
        answer.unwrap_or_else(|| PreviewAnswer::Failed(messages::site_not_prepared()))
    }
}

fn run(site: &Site, theme: &Theme, requests: &Receiver<RenderRequest>) {
    let renderer = Renderer::new(site, theme);
    match renderer.plan() {
        Ok(plan) => {
            let jobs = plan.jobs();
            let known = jobs.iter().flat_map(|job| plan.paths(*job).into_iter().map(|path| (path, *job))).collect();
            let mut served = Served { plan: &plan, known, others: None };
            for RenderRequest { path, reply } in requests {
                let _ = reply.send(served.get(&path).unwrap_or_else(|error| PreviewAnswer::Failed(error.message())));
            }
        }
        Err(error) => {
            for RenderRequest { reply, .. } in requests {
                let _ = reply.send(PreviewAnswer::Failed(error.message()));
            }
        }
    }
}

struct Served<'p> {
    plan: &'p Plan<'p>,
    /// The job of each path that is known without rendering.
    known: HashMap<String, Job<'p>>,
    /// The files of the other jobs, by path; `None` until the first request for one.
    others: Option<HashMap<String, File>>,
}

impl Served<'_> {
    /// Returns the answer for a path, which may have a query.
    fn get(&mut self, address: &str) -> Result<PreviewAnswer, RenderError> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let redirects = self.plan.redirects();
        if let Some(moved) = redirects.iter().find(|it| !query.is_empty() && it.from == address) {
            return Ok(PreviewAnswer::Moved(moved.to.clone()));
        }
        if let Some(job) = self.known.get(path) {
            let output = self.plan.render_alone(*job)?;
            let rendered = by_path(output).remove(path);
            return Ok(rendered.map_or_else(|| PreviewAnswer::Failed(messages::page_not_rendered()), file));
        }
        let is_former = |from: &str| from == path || Some(from) == path.strip_suffix('/');
        if let Some(moved) = redirects.into_iter().find(|it| is_former(&it.from)) {
            return Ok(PreviewAnswer::Moved(moved.to));
        }
        if let Some(trimmed) = path.strip_suffix('/').filter(|path| self.known.contains_key(*path)) {
            return Ok(PreviewAnswer::Moved(trimmed.to_owned()));
        }
        if self.others.is_none() {
            self.others = Some(self.render_others()?);
        }
        if let Some(other) = self.others.as_ref().and_then(|others| others.get(path)) {
            return Ok(PreviewAnswer::File { media_type: other.media_type, bytes: other.bytes.clone() });
        }
        Ok(self
            .not_found(path)?
            .map_or_else(|| PreviewAnswer::Failed(messages::page_absent(path)), PreviewAnswer::NotFound))
    }

    /// Renders all pages, for the files that are made from all of them.
    fn render_others(&self) -> Result<HashMap<String, File>, RenderError> {
        let texts = self.plan.texts();
        let is_wanted = |job: &Job| matches!(job, Job::Page(_) | Job::Api(_) | Job::Service(_) | Job::Feeds(_));
        let outputs: Result<Vec<Output>, RenderError> =
            self.plan.jobs().into_par_iter().filter(is_wanted).map(|job| self.plan.render(job, &texts)).collect();
        let ends: Result<Vec<Output>, RenderError> =
            Locale::ALL.into_iter().map(|locale| texts.finish(locale)).collect();
        Ok(outputs?.into_iter().chain(ends?).flat_map(by_path).collect())
    }

    /// Renders the page of the site for unknown addresses.
    fn not_found(&self, path: &str) -> Result<Option<Vec<u8>>, RenderError> {
        for job in
            self.plan.jobs().into_iter().filter(|job| matches!(job, Job::Page(_)) && self.plan.paths(*job).is_empty())
        {
            let Output { mut files, routes, .. } = self.plan.render_alone(job)?;
            let is_of = |prefix: &str| path.starts_with(prefix);
            if routes.iter().filter_map(|route| route.not_found_below.as_deref()).any(is_of) && !files.is_empty() {
                return Ok(Some(files.swap_remove(0).bytes));
            }
        }
        Ok(None)
    }
}

/// Returns the files of an output by the paths of their routes.
fn by_path(output: Output) -> HashMap<String, File> {
    let files: HashMap<String, File> = output.files.into_iter().map(|file| (file.path.clone(), file)).collect();
    let routes = output.routes.into_iter().filter(|route| route.not_found_below.is_none());
    let answers = routes.filter_map(|route| {
        let File { path, media_type, bytes } = files.get(&route.variants.first()?.file)?;
        Some((route.path, File { path: path.clone(), media_type, bytes: bytes.clone() }))
    });
    answers.collect()
}

fn file(file: File) -> PreviewAnswer {
    PreviewAnswer::File { media_type: file.media_type, bytes: file.bytes }
}
