//! A real server that a script beside this file starts for a test.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use testing::bounded::{self, Child};

/// How long a server may run: a little less than the test runner gives a test.
const LIMIT: Duration = Duration::from_secs(110);

/// A server that ends when this does, or its process: it reads its end from its standard input.
pub(crate) struct Started {
    process: Child,
    /// Where its socket is.
    pub(crate) folder: String,
}

impl Started {
    /// Starts what `script` starts, with arguments and variables of the environment; `None` where it
    /// is not installed.
    pub(crate) fn new(
        script: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Option<Started> {
        let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../live/tests/fake");
        let mut command = Command::new(format!("{scripts}/{script}"));
        command
            .args(arguments)
            .env("SERVER_TEMPLATES", templates())
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = bounded::spawn_for(&mut command, LIMIT);
        let mut folder = String::new();
        BufReader::new(process.stdout.take().expect("piped")).read_line(&mut folder).expect("text");
        let mut errors = process.stderr.take().expect("piped");
        if folder.is_empty() {
            let mut why = String::new();
            errors.read_to_string(&mut why).expect("text");
            assert_eq!(process.wait().expect("ended").code(), Some(77), "{why}");
            // Past the test harness, which hides what passing tests print.
            writeln!(std::io::stderr(), "SKIPPED: {}", why.trim()).expect("written");
            return None;
        }
        // What the server goes on to say is nobody's, and must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        Some(Started { process, folder: folder.trim().to_owned() })
    }
}

/// Where data directories are kept from one test to the next.
fn templates() -> PathBuf {
    // Tests inside a crate are not told; their program is in target/debug/deps.
    let beside = || {
        let program = std::env::current_exe().expect("known");
        program.ancestors().nth(3).expect("a target directory").join("tmp")
    };
    option_env!("CARGO_TARGET_TMPDIR").map_or_else(beside, PathBuf::from).join("servers")
}

impl Drop for Started {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // As a plain process: a server that was killed, because its time was over, is no panic here.
        let _ = std::process::Child::wait(&mut self.process);
    }
}
