//! Drills: killed processes, unreachable databases, full disks and floods of requests.
//!
//! Every sidecar here is a separate process. `TEST_TIMES` multiplies the repetitions.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod copies;
mod disk;
mod floods;
mod gate;
mod guesses;
mod kills;
mod logs;
mod lost_replies;
mod many_rows;
mod outages;
mod partition;
mod poolers;
mod replicas;

use std::{io, thread, time::Duration};

use cluster::Cluster;
use tests::{Database, Reply, Sidecars, StopOnDrop, secrets};

/// Password in the address of every database. The server does not request it; it must not be in a log.
const PASSWORD: &str = "hunter2-in-the-address";

fn sidecars() -> Sidecars {
    secrets::note(PASSWORD);
    Sidecars::new(env!("CARGO_BIN_EXE_sidecar-under-test"))
}

/// Creates a database and returns the store setting for it.
fn new_store(cluster: &Cluster) -> String {
    Database::connect(&cluster.address("postgres")).run("CREATE DATABASE firm");
    cluster.address("firm").replacen("mecelle@", &format!("mecelle:{PASSWORD}@"), 1)
}

/// The longest wait on a busy machine.
const COMES: Duration = Duration::from_mins(2);

/// Waits until `is_so`, whose check is slow.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "what never comes must end")]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !is_so() {
        assert!(start.elapsed() < COMES, "never: {what}");
        thread::sleep(Duration::from_millis(25));
    }
}

/// Returns the reply to `ask`, repeated while the reply is 503: on a busy machine the store may be late at any time.
#[track_caller]
fn retry_while_busy(mut ask: impl FnMut() -> io::Result<Reply>) -> Reply {
    let mut reply = ask().unwrap();
    if reply.status == 503 {
        until("a reply other than 503", || {
            reply = ask().unwrap();
            reply.status != 503
        });
    }
    reply
}

/// Returns a string member of a JSON reply.
#[track_caller]
fn text(reply: &Reply, name: &str) -> String {
    let body = reply.json();
    body[name].as_str().unwrap_or_else(|| panic!("no {name} in {} {body}", reply.status)).to_owned()
}

/// Returns the sum of the rows of a metric with `label`.
fn metric_sum(metrics: &str, name: &str, label: &str) -> u64 {
    let rows = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{')?.split_once("} "));
    rows.filter(|(labels, _)| labels.contains(label)).map(|(_, count)| count.parse::<u64>().unwrap()).sum()
}
