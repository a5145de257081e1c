//! Renders a [`Site`] with a [`Theme`] into files and routes.
//!
//! Rendering is a pure function of the site, the theme and the checked texts: no clock, no randomness, no environment.
//! [`Renderer::plan`] lists small jobs, which run in parallel and whose results are written and dropped one by one.

mod agents;
mod api;
mod archive_index;
mod auth_md;
pub mod classes;
mod crawlers;
mod discovery;
mod drawing;
mod error;
mod feeds;
mod forms;
mod icons;
mod json_ld;
mod llms;
mod mcp;
mod openapi;
mod output;
mod pages;
mod photographs;
mod prepared;
mod redirects;
mod search;
mod share;
mod shared;
mod skills;
mod texts;
mod theme;
mod vcards;
mod versions;
pub mod view;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contract::{
    PerLocale,
    manifest::{Class, Policy, Redirect},
    media, routes,
};
pub use error::RenderError;
use output::PageText;
pub use output::{File, Output, PageFacts, PartDraft, RouteDraft, VariantDraft};
use rayon::prelude::*;
pub use texts::SiteTexts;
pub use theme::{Asset, Theme, ThemeError};
pub use theme::{ORIGINALS, Original, Originals, Sources, all_built_in, built_in};

use findings::{Code, Finding, Findings, Place, messages};
use pages::{Archive, PageJob, PageRenderer};
use pictures::DecodeMemory;
use shared::Shared;
use site::{
    Agents, Attachment, EditorFile, KnownPages, Links, MAX_DECODING_BYTES, PageKind, Photograph, Site, twin_path,
};
use theme::{Look, OnFault};

/// Data that all jobs of a build share.
pub struct Renderer<'a> {
    site: &'a Site,
    theme: &'a Theme,
    look: Look<'a>,
    shared: PerLocale<Shared<'a>>,
}

/// All jobs of a build. A job is a name, not a result.
pub struct Plan<'a> {
    pages: PageRenderer<'a>,
    shared: &'a PerLocale<Shared<'a>>,
    site: &'a Site,
    theme: &'a Theme,
    look: &'a Look<'a>,
    archives: Vec<Archive<'a>>,
    /// Decoding memory shared by all photographs.
    memory: DecodeMemory,
}

#[derive(Clone, Copy, Debug)]
pub enum Job<'p> {
    /// A page and its Markdown twin.
    Page(PageJobName<'p>),
    /// A localized resource of the content API, by its position in `api::JOBS`.
    Api(usize),
    /// A single document or group of documents, by its position in `SERVICES`.
    Service(usize),
    Feeds(contract::Locale),
    /// A fingerprinted file of the theme.
    Asset(&'p str),
    /// A file beside a text of the content.
    Attachment(&'p Attachment),
    /// All forms of a photograph; takes as long as hundreds of pages.
    Photograph(&'p Attachment, &'p Photograph),
    /// The picture that other sites show beside a link to a page.
    SharePicture(PageJobName<'p>),
}

#[derive(Clone, Copy, Debug)]
pub struct PageJobName<'p>(PageJob<'p>);

/// Renders a document or group of documents that a site has once.
type ServiceJob = fn(&Plan<'_>) -> Result<Output, RenderError>;

/// The jobs of [`Job::Service`].
const SERVICES: [ServiceJob; 11] = [
    |plan| api::health(plan.site),
    |plan| Output::render_narrowed(plan.agents(), |agents| openapi::description(plan.shared, agents)),
    |plan| Output::render_narrowed(plan.agents(), |agents| discovery::documents(plan.shared, agents)),
    |plan| Output::render_narrowed(plan.agents(), |agents| agents::documents(plan.shared, &plan.pages, agents)),
    |plan| Ok(crawlers::documents(plan.shared, &plan.archives)),
    |plan| forms::parts(plan.shared, plan.theme, &plan.pages),
    |plan| mcp::catalogue(plan.shared, plan.theme, &plan.archives),
    |plan| Output::render_narrowed(plan.agents(), |agents| llms::overviews(plan.shared, &plan.pages, agents)),
    icons::icons,
    |plan| vcards::cards(plan.shared, &plan.memory),
    |plan| Ok(editor(plan.site)),
];

/// Returns the editor in the browser. Its page has no ending in its address.
fn editor(site: &Site) -> Output {
    let mut output = Output::default();
    for EditorFile { path, media_type, bytes } in &site.editor {
        let name = if path == routes::ADMIN { format!("{path}/index.html") } else { path.clone() };
        let file = name.trim_start_matches('/').to_owned();
        output.push_as(path, file, Class::Editor, media_type, bytes.clone(), VariantDraft::default());
    }
    output
}

impl<'a> Renderer<'a> {
    /// Prepares the shared data.
    #[must_use]
    pub fn new(site: &'a Site, theme: &'a Theme) -> Self {
        let links = Arc::new(Links::new(site));
        let shared = PerLocale::build(|locale| Shared::new(site, Arc::clone(&links), locale));
        let has_page = shared.iter().any(|(_, shared)| shared.page(PageKind::Search).is_some());
        let look = Look::new(theme, &site.settings, has_page && site.settings.agents.service);
        Self { site, theme, look, shared }
    }

    /// Lists every job.
    ///
    /// # Errors
    /// If a part that all pages share fails to render.
    pub fn plan(&'a self) -> Result<Plan<'a>, RenderError> {
        self.plan_with(&OnFault::Stop)
    }

    fn plan_with(&'a self, on_fault: &OnFault) -> Result<Plan<'a>, RenderError> {
        Ok(Plan {
            pages: PageRenderer::new(&self.shared, self.theme, &self.look, on_fault)?,
            shared: &self.shared,
            site: self.site,
            theme: self.theme,
            look: &self.look,
            archives: pages::archives(&self.shared, self.theme)?,
            memory: DecodeMemory::new(MAX_DECODING_BYTES),
        })
    }
}

impl Renderer<'_> {
    /// Renders everything and returns the faults of the theme.
    ///
    /// # Errors
    /// If something other than the theme fails.
    pub fn faults(&self) -> Result<Findings, RenderError> {
        let on_fault = OnFault::Note(Arc::default());
        let finding = |error| match error {
            RenderError::Theme(error) => Ok(error.into_finding()),
            other => Err(other),
        };
        let mut found = Vec::new();
        match self.plan_with(&on_fault) {
            Err(error) => found.push(finding(error)?),
            Ok(plan) => {
                let texts = plan.texts();
                let failures = plan.jobs().into_par_iter().filter_map(|job| match job {
                    Job::Asset(_) | Job::Attachment(_) | Job::Photograph(..) | Job::SharePicture(_) => None,
                    job => plan.render(job, &texts).err(),
                });
                // One job renders all forms and stops at the first failure.
                let forms = forms::faults(plan.shared, plan.theme, &plan.pages).into_par_iter();
                let failures: Result<Vec<Finding>, RenderError> = failures.chain(forms).map(finding).collect();
                found.extend(failures?);
            }
        }
        found.extend(on_fault.recorded_findings());
        Ok(Findings::new(found.into_iter().map(|finding| self.theme.locate(finding)).collect(), "", 0))
    }
}

impl Plan<'_> {
    /// Returns the agent settings, as a full service supports them.
    fn agents(&self) -> &Agents {
        &self.site.settings.agents
    }

    /// Returns every job, long ones first.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job<'_>> {
        let mut jobs: Vec<Job> = (0..api::JOBS.len()).map(Job::Api).collect();
        jobs.extend((0..SERVICES.len()).map(Job::Service));
        jobs.extend(self.archives.iter().map(|archive| Job::Page(PageJobName(PageJob::Archive(archive)))));
        jobs.extend(pages::jobs(self.site).into_iter().map(|job| Job::Page(PageJobName(job))));
        jobs.extend(contract::Locale::ALL.map(Job::Feeds));
        jobs.extend(self.look.published_names().map(Job::Asset));
        // Several texts may use the same picture, which has one public name, as has an identical picture of the theme.
        let of_theme: BTreeSet<&str> = self.look.assets.values().map(|asset| asset.path.as_str()).collect();
        let attachments: BTreeMap<&str, &Attachment> =
            self.site.files.iter().map(|attachment| (attachment.path.as_str(), attachment)).collect();
        let own = attachments.into_iter().filter(|(path, _)| !of_theme.contains(path));
        jobs.extend(own.map(|(_, file)| match &file.photograph {
            Some(photograph) => Job::Photograph(file, photograph),
            None => Job::Attachment(file),
        }));
        let pages: Vec<PageJobName> =
            jobs.iter().filter_map(|job| if let Job::Page(page) = job { Some(*page) } else { None }).collect();
        jobs.extend(pages.into_iter().filter(|page| self.pages.has_own_picture(page.0)).map(Job::SharePicture));
        jobs
    }

    /// Returns the files of a page; `None` for other jobs, whose files are not known before rendering.
    #[must_use]
    pub fn files(&self, job: Job) -> Option<[String; 2]> {
        match job {
            Job::Page(PageJobName(page)) => page.path(self.site).map(pages::files),
            _ => None,
        }
    }

    /// Returns the public paths of a job, if they are known before rendering.
    #[must_use]
    pub fn paths(&self, job: Job) -> Vec<String> {
        match job {
            Job::Page(PageJobName(page)) => {
                page.path(self.site).map(|path| vec![path.to_owned(), twin_path(path)]).unwrap_or_default()
            }
            Job::Asset(name) => vec![self.look.assets[name].path.clone()],
            Job::Attachment(file) => vec![file.path.clone()],
            Job::Photograph(_, photograph) => photograph.forms.iter().map(|form| form.path.clone()).collect(),
            Job::SharePicture(PageJobName(page)) => self.pages.share_picture(page).into_iter().collect(),
            Job::Api(_) | Job::Service(_) | Job::Feeds(_) => Vec::new(),
        }
    }

    /// Renders one job without collecting its text for other files.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_alone(&self, job: Job) -> Result<Output, RenderError> {
        match job {
            Job::Page(PageJobName(page)) => self.pages.render(page, None),
            job => self.render(job, &self.texts()),
        }
    }

    #[must_use]
    pub fn texts(&self) -> SiteTexts<'_> {
        SiteTexts::new(self.shared, &self.pages, self.theme)
    }

    /// Renders one job and adds its text to `texts`.
    ///
    /// # Errors
    /// If a template fails or a text changed since it was checked.
    pub fn render(&self, job: Job, texts: &SiteTexts) -> Result<Output, RenderError> {
        match job {
            Job::Page(PageJobName(page)) => {
                let mut output = self.pages.render(page, None)?;
                if let Some(PageText { content, plain }) = output.text.take() {
                    texts.add(page, output.twin_range(content)?, plain)?;
                }
                Ok(output)
            }
            Job::Api(at) => api::JOBS[at](self.shared),
            Job::Service(at) => SERVICES[at](self),
            Job::Feeds(locale) => feeds::feeds(&self.shared[locale]),
            Job::Asset(name) => {
                let asset = &self.look.assets[name];
                Ok(Output::single(&asset.path, Class::Asset, asset.media_type, asset.bytes.clone()))
            }
            Job::Photograph(file, photograph) => {
                let bytes = self.site.attachment(file)?;
                let ending = markdown::published_ending(&file.file).unwrap_or_default();
                let made = photographs::prepare(&bytes, ending, photograph, &self.memory);
                made.map(|made| photograph_output(photograph, made)).map_err(|unusable| {
                    let message = messages::photograph_not_readable(unusable.0);
                    let finding = Finding::new(Code::PICTURE_UNUSABLE, Place::file(file.file.as_str()), message);
                    RenderError::Picture(Box::new(finding.help(messages::photograph_not_readable_help())))
                })
            }
            Job::SharePicture(PageJobName(page)) => {
                Ok(self.pages.draw(page)?.map_or_else(Output::default, |(path, bytes)| picture_output(&path, bytes)))
            }
            Job::Attachment(attachment) => {
                let bytes = self.site.attachment(attachment)?;
                let name = attachment.path.rsplit('/').next().unwrap_or_default();
                let known = name.rsplit_once('.').and_then(|(_, extension)| media::of_extension(extension));
                let (class, media_type) = match known {
                    Some(known) if attachment.is_well_known() => (Class::Text, known),
                    None if attachment.is_well_known() => {
                        (Class::Text, if name.contains('.') { media::BINARY } else { media::TEXT })
                    }
                    Some(known) => (if attachment.is_document() { Class::Document } else { Class::Asset }, known),
                    None => return Err(RenderError::Inconsistent(messages::media_type_unknown(&attachment.path))),
                };
                Ok(Output::single(&attachment.path, class, media_type, bytes))
            }
        }
    }

    /// Renders a page as [`Self::render`] does, or keeps the one of the last build if it is among `known` with the same
    /// inputs. `stored` stores the files of a kept page and returns the bytes of its twin if they are asked for; if it
    /// returns `None`, the page is rendered. Returns `None` for other jobs.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_unless_known<S>(
        &self,
        job: Job,
        texts: &SiteTexts,
        known: &KnownPages,
        stored: impl FnOnce(&Output, bool) -> Option<(S, Vec<u8>)>,
    ) -> Result<Option<(Output, Option<S>)>, RenderError> {
        let Job::Page(PageJobName(page)) = job else { return Ok(None) };
        let mut output = self.pages.render(page, Some(known))?;
        if output.page.as_ref().is_some_and(|page| page.is_kept) {
            let text = output.text.take();
            let Some((kept, twin)) = stored(&output, text.is_some() && texts.needs_twin(page)) else {
                return Ok(Some((self.render(job, texts)?, None)));
            };
            if let Some(PageText { content, plain }) = text {
                texts.add(page, twin.get(content).unwrap_or_default(), plain)?;
            }
            return Ok(Some((output, Some(kept))));
        }
        if let Some(PageText { content, plain }) = output.text.take() {
            texts.add(page, output.twin_range(content)?, plain)?;
        }
        Ok(Some((output, None)))
    }

    /// Returns the output of a job without file contents, if the file names contain a fingerprint of everything in
    /// them.
    #[must_use]
    pub fn named_by_content(&self, job: Job) -> Option<Output> {
        match job {
            Job::Photograph(_, photograph) => {
                Some(photograph_output(photograph, vec![Vec::new(); photograph.forms.len()]))
            }
            Job::SharePicture(PageJobName(page)) => Some(picture_output(&self.pages.share_picture(page)?, Vec::new())),
            _ => None,
        }
    }

    /// Returns the next moment at which the site changes without an edit.
    #[must_use]
    pub fn next_change(&self) -> Option<String> {
        self.site.next_change.map(|moment| moment.to_string())
    }

    #[must_use]
    pub fn classes(&self) -> BTreeMap<Class, Policy> {
        classes::all(self.site, self.look.script())
    }

    /// Returns every redirect: from former slugs, and from slugs of the other locale.
    #[must_use]
    pub fn redirects(&self) -> Vec<Redirect> {
        redirects::all(self.site, &self.archives)
    }
}

fn picture_output(path: &str, bytes: Vec<u8>) -> Output {
    Output::single(path, Class::Asset, media::PNG, bytes)
}

fn photograph_output(photograph: &Photograph, made: Vec<Vec<u8>>) -> Output {
    let mut output = Output::default();
    for (form, bytes) in photograph.forms.iter().zip(made) {
        let media_type = if form.path.ends_with(".jpg") { media::JPEG } else { media::WEBP };
        output.push(&form.path, Class::Asset, media_type, bytes, VariantDraft::default());
    }
    output
}
