//! Searches logs for secrets: `secrets-in-logs SECRETS... -- LOG...`
//!
//! Each of `SECRETS` is a file with one secret a line, or a folder of files (messages, responses) in which everything
//! with the form of a secret counts. Exits with 1 if a secret is found, and with 2 if there are no secrets or no logs.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use tests::secrets::Secrets;

fn main() -> ExitCode {
    let mut paths = env::args_os().skip(1).map(PathBuf::from);
    let mut secrets = Secrets::default();
    for source in paths.by_ref().take_while(|path| path.as_os_str() != "--") {
        if let Err(problem) = gather(&source, &mut secrets) {
            return useless(&problem);
        }
    }
    let (mut logs, mut findings) = (0, 0);
    for path in paths {
        let log = match fs::read(&path) {
            Ok(log) if !log.is_empty() => log,
            Ok(_) => return useless(&format!("{} is empty", path.display())),
            Err(error) => return useless(&format!("{}: {error}", path.display())),
        };
        logs += 1;
        for finding in secrets.found_in(&log) {
            println!("{}: {finding}", path.display());
            findings += 1;
        }
    }
    if secrets.count() == 0 || logs == 0 {
        return useless("there is nothing to look for, or nowhere to look");
    }
    println!("{} secrets, {logs} logs: {findings} findings", secrets.count());
    ExitCode::from(u8::from(findings > 0))
}

fn useless(problem: &str) -> ExitCode {
    println!("{problem}");
    ExitCode::from(2)
}

fn gather(path: &Path, secrets: &mut Secrets) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(failed)? {
            let text = fs::read(entry.map_err(failed)?.path()).map_err(failed)?;
            secrets.harvest(&text);
        }
        return Ok(());
    }
    for line in fs::read(path).map_err(failed)?.split(|byte| *byte == b'\n') {
        secrets.note(line.trim_ascii());
    }
    Ok(())
}
