//! A server of a test's own.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use testing::bounded::{self, Child};

/// How long a server may run: nearly as long as a test.
const LIFE: Duration = Duration::from_secs(110);

/// A `redis-server` on a socket of its own; ends with the test.
pub struct Started {
    directory: TempDir,
    settings: Vec<String>,
    child: Option<Child>,
}

impl Started {
    /// None where no server is installed.
    pub fn new(settings: &[&str]) -> Option<Started> {
        if bounded::try_output(Command::new("redis-server").arg("--version")).is_err() {
            let said = std::io::stderr().write_all(b"SKIPPED: redis-server is not installed\n");
            said.unwrap();
            return None;
        }
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let directory = tempfile::tempdir().unwrap();
        let mut started = Started { directory, settings, child: None };
        started.start();
        Some(started)
    }

    /// Starts it, waits until it answers.
    pub fn start(&mut self) {
        let mut command = Command::new("redis-server");
        command
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"])
            .arg(self.socket())
            .arg("--dir")
            .arg(self.directory.path())
            .args(&self.settings)
            .stdout(Stdio::null());
        self.child = Some(bounded::spawn_for(&mut command, LIFE));
        bounded::until("the server to answer", || UnixStream::connect(self.socket()).ok());
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("r.sock")
    }

    /// Its address, with a user in front and options after it.
    pub fn address(&self, user: &str, options: &str) -> String {
        format!("redis://{user}{}{options}", self.socket().display())
    }

    /// Says a line to it, gives its answer without framing: for the test's own questions.
    pub fn say(&self, line: &str) -> String {
        let mut stream = UnixStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(bounded::LIMIT)).unwrap();
        stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut first = String::new();
        reader.read_line(&mut first).unwrap();
        let Some(length) = first.strip_prefix('$') else { return first.trim_end().to_owned() };
        let mut body = vec![0; length.trim_end().parse().unwrap_or(0)];
        std::io::Read::read_exact(&mut reader, &mut body).unwrap();
        String::from_utf8_lossy(&body).into_owned()
    }

    /// How often a command was called.
    pub fn calls(&self, command: &str) -> u64 {
        let start = format!("cmdstat_{command}:calls=");
        let text = self.say("INFO commandstats");
        let line = text.lines().find_map(|line| line.strip_prefix(&start));
        line.map_or(0, |line| line.split(',').next().unwrap().parse().unwrap())
    }
}
