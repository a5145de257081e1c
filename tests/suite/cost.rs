//! The CPU time of a build, stage by stage, in units of a fixed piece of work that is measured beside it. A change that
//! makes a stage much dearer fails here, on any machine and however busy it is.

use std::{fs, hint::black_box, ops::RangeInclusive, path::Path, process::Command};

use contract::{Locale, manifest::Coding};
use publish::{Compression, Publishing, publish};
use render::{Job, Renderer, Theme};
use site::{Loading, load};
use tempfile::TempDir;
use tests::{NOW, publishing};

/// Publications in each language; with the other pages, 200 pages.
const PUBLICATIONS: &str = "80";
/// Measurements of each stage and of the fixed work, in turn; the smallest counts. Beside other work they are larger, so
/// a stage that seems dearer is measured more often.
const ROUNDS: RangeInclusive<usize> = 3..=12;
/// A stage may need this many times its usual time.
const ROOM: f64 = 1.5;
/// Bytes that the fixed work compresses.
const FIXED_BYTES: usize = 20_000_000;

/// The stages and their usual time, with the programs of `make test`, as a share of that of the fixed work. If a change
/// makes a stage dearer for a good reason, the failure shows the new share.
const STAGES: [(&str, f64); 6] = [
    ("reading and checking the texts (crates/site, crates/content)", 4.1),
    ("pages (crates/render)", 5.6),
    ("pictures for links (crates/pictures)", 3.3),
    ("lists, feeds and documents (crates/render)", 1.45),
    ("search index and collected texts (crates/search)", 0.35),
    ("compressing and writing (crates/publish)", 6.0),
];

/// Returns the CPU seconds that this thread has used.
fn thread_seconds() -> f64 {
    let nanoseconds = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    nanoseconds.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Returns the CPU seconds of `work`, which must not leave this thread.
fn cpu_seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = thread_seconds();
    let result = work();
    (result, thread_seconds() - before)
}

/// Builds the site as shipped into a new folder, and returns the CPU seconds of each stage.
fn stage_times(content: &Path) -> [f64; STAGES.len()] {
    // In memory, where writing takes the same time on every machine.
    let out = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    let loading = Loading { content, site_url: None, now: NOW.parse().unwrap(), drafts: false };
    let (loaded, reading) = cpu_seconds(|| load(&loading));
    let loaded = loaded.map_err(|findings| findings.to_text(Locale::En, false)).unwrap();
    let theme = Theme::built_in().unwrap();
    let renderer = Renderer::new(&loaded.site, &theme);
    let plan = renderer.plan().unwrap();
    let texts = plan.texts();
    let (pictures, others): (Vec<Job>, Vec<Job>) =
        plan.jobs().into_iter().partition(|job| matches!(job, Job::SharePicture(_)));
    let (pages, others): (Vec<Job>, Vec<Job>) = others.into_iter().partition(|job| matches!(job, Job::Page(_)));
    assert!(pages.len() >= 200, "{} pages", pages.len());
    let render = |jobs: &[Job]| cpu_seconds(|| jobs.iter().for_each(|job| drop(plan.render(*job, &texts).unwrap()))).1;
    let [pages, pictures, others] = [pages, pictures, others].map(|jobs| render(&jobs));
    let (_, collected) = cpu_seconds(|| Locale::ALL.map(|locale| texts.finish(locale).unwrap()));
    let options = Publishing {
        out: &out.path().join("dist"),
        site_url: loaded.site.settings.site_url.as_str(),
        sandbox_key: &loaded.site.settings.sandbox_key,
        ..publishing()
    };
    // Publishing renders everything again.
    let (_, published) = cpu_seconds(|| publish(&plan, &options).unwrap());
    [reading, pages, pictures, others, collected, published - pages - pictures - others - collected]
}

#[test]
fn no_stage_of_a_build_needs_much_more_time_than_usual() {
    let corpus = TempDir::new().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/make_corpus.py");
    let made = Command::new("python3").arg(script).arg(corpus.path()).arg(PUBLICATIONS).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let content = corpus.path().join("mecelle/content");
    // Longer than what a compressor looks back on.
    let articles =
        fs::read_dir(content.join("publications")).unwrap().map(|folder| folder.unwrap().path().join("tr.md"));
    let texts: Vec<u8> = articles.flat_map(|article| fs::read(article).unwrap()).collect();
    let fixed: Vec<u8> = texts.into_iter().cycle().take(FIXED_BYTES).collect();

    let (mut least, mut unit) = ([f64::MAX; STAGES.len()], f64::MAX);
    // On one thread, whose CPU time other tests do not change.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (mut report, mut grown) = (Vec::new(), Vec::new());
    for round in 1..=*ROUNDS.end() {
        pool.install(|| {
            unit = unit.min(cpu_seconds(|| black_box(Compression::Fast.compress(Coding::Gzip, &fixed))).1);
            least = std::array::from_fn({
                let times = stage_times(&content);
                move |stage| least[stage].min(times[stage])
            });
        });
        (report, grown) = (Vec::new(), Vec::new());
        for ((name, usual), time) in STAGES.into_iter().zip(least) {
            let share = time / unit;
            report.push(format!("{share:6.2} (usually {usual:.2})  {name}"));
            if share > usual * ROOM {
                grown.push(name);
            }
        }
        if ROUNDS.contains(&round) && grown.is_empty() {
            break;
        }
    }
    let (grown, report) = (grown.join("; "), report.join("\n"));
    println!("{report}");
    assert!(grown.is_empty(), "dearer than usual: {grown}\nCPU time of the stages / {unit:.3} s:\n{report}");
}
