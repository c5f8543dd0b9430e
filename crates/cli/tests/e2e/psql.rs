//! Clients of a real `PostgreSQL` that a test has started.

use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};

use testing::bounded;

use super::top::started::Started;

/// A client that says one thing after the other, and stays until it is dropped.
pub struct Client {
    /// Ended when it is dropped.
    _process: bounded::Child,
    says: ChildStdin,
}

impl Client {
    /// A client of this name that has said nothing yet.
    pub fn new(server: &Started, name: &str) -> Client {
        let mut process = bounded::spawn(
            psql(server)
                .env("PGAPPNAME", name)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        let says = process.stdin.take().unwrap();
        Client { _process: process, says }
    }

    /// A client of this name that has said `sql`.
    pub fn saying(server: &Started, name: &str, sql: &str) -> Client {
        let mut client = Client::new(server, name);
        client.say(sql);
        client
    }

    pub fn say(&mut self, sql: &str) {
        writeln!(self.says, "{sql}").unwrap();
    }
}

/// What the server answers.
pub fn asked(server: &Started, sql: &str) -> String {
    let ran = bounded::output(psql(server).args(["-c", sql]).stdin(Stdio::null()));
    assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

fn psql(server: &Started) -> Command {
    let mut psql = Command::new("psql");
    psql.args(["-XqAt", "-h", &server.folder, "-U", "isotherm", "-d", "postgres"]);
    psql
}
