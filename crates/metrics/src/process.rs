//! Metrics of the process under their usual names, from `/proc`; none where that is missing.

use std::fs;

use super::MetricsText;

/// Ticks of processor time per second, the same on all supported architectures of Linux.
const TICKS: f64 = 100.0;

/// Fields of `/proc/self/stat`, counted from the one after the name of the program.
const USER_TIME: usize = 11;
const SYSTEM_TIME: usize = 12;
const THREADS: usize = 17;
const START_TIME: usize = 19;

pub(crate) fn write(text: &mut MetricsText) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace().collect();
    let field = |place: usize| fields.get(place)?.parse::<f64>().ok();
    let cpu = || Some((field(USER_TIME)? + field(SYSTEM_TIME)?) / TICKS);
    let booted = || number_after("/proc/stat", "btime");
    let started = || Some(booted()? + field(START_TIME)? / TICKS);
    let memory = |name| number_after("/proc/self/status", name).map(|kilobytes| kilobytes * 1024.0);
    let files = || u32::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok().map(f64::from);

    text.counters("process_cpu_seconds_total", "User and system processor time.", row(cpu()));
    text.gauges("process_start_time_seconds", "Start time, in seconds since the epoch.", row(started()));
    text.gauges("process_resident_memory_bytes", "Resident memory.", row(memory("VmRSS:")));
    text.gauges("process_virtual_memory_bytes", "Virtual memory.", row(memory("VmSize:")));
    text.gauges("process_open_fds", "Open files and connections.", row(files()));
    let most = number_after("/proc/self/limits", "Max open files");
    text.gauges("process_max_fds", "Limit of open files and connections.", row(most));
    text.gauges("process_threads", "Threads.", row(field(THREADS)));
}

fn row(value: Option<f64>) -> Option<(String, f64)> {
    value.map(|value| (String::new(), value))
}

/// Returns the first number after `name` at the start of a line of `file`.
fn number_after(file: &str, name: &str) -> Option<f64> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name))?.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn process_metrics_are_complete() {
        let mut text = MetricsText::default();
        write(&mut text);
        let text = String::from(text);
        let value = |name: &str| {
            let row = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            row.unwrap_or_else(|| panic!("{name}\n{text}")).parse::<f64>().unwrap()
        };
        // The machine on which this is tested has started after 2020.
        assert!(value("process_start_time_seconds") > 1_577_836_800.0, "{text}");
        assert!(value("process_resident_memory_bytes") > 100_000.0, "{text}");
        assert!(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"), "{text}");
        assert!(value("process_open_fds") >= 3.0 && value("process_open_fds") < value("process_max_fds"), "{text}");
        assert!(value("process_threads") >= 1.0 && value("process_cpu_seconds_total") >= 0.0, "{text}");
    }
}
