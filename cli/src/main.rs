//! The binary: runs [`cli::run`] with the real surroundings.

use std::{
    hash::{BuildHasher, RandomState},
    io::{self, BufWriter, IsTerminal, Read},
    process::ExitCode,
    time::{Duration, SystemTime},
};

use cli::{Out, Screen, Surroundings, ToolClock};

/// Maximum length of standard input; an identity assertion is far shorter.
const MAX_INPUT_BYTES: u64 = 64 * 1024;

struct Machine;

impl ToolClock for Machine {
    #[expect(clippy::disallowed_methods, reason = "the one place in which the tool reads the clock")]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn chance(&self) -> u16 {
        // Spreads the retries of several clients; not for secrets.
        (RandomState::new().hash_one(0_u8) % 1000) as u16
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place in which the tool reads its environment")]
fn main() -> ExitCode {
    let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let env = Surroundings {
        variables: variables.collect(),
        screen: io::stdout().is_terminal().then(screen),
        notes_on_screen: io::stderr().is_terminal(),
        clock: Box::new(Machine),
        input: Box::new(|| {
            let mut bytes = Vec::new();
            io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes).map(|_| bytes)
        }),
    };
    let mut data = BufWriter::new(io::stdout().lock());
    let mut notes = io::stderr().lock();
    cli::run(std::env::args_os(), &env, &mut Out { data: &mut data, notes: &mut notes }).into()
}

fn screen() -> Screen {
    let size = terminal_size::terminal_size();
    size.map_or(Screen { columns: 80, rows: 24 }, |(width, height)| Screen {
        columns: usize::from(width.0).max(1),
        rows: usize::from(height.0).max(1),
    })
}
