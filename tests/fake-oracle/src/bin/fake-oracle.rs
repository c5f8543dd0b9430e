//! A fake database for a person to point a client at: `fake-oracle --port 1521`, then
//! `isotherm live oracle://demo@127.0.0.1:1521/FAKE` with any password. Clients that want the server to prove
//! that it knows the password, as python-oracledb does, need `--password`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use fake_oracle::{FakeOracle, Simulation};

const USAGE: &str = "\
usage: fake-oracle [--port N] [--instances N] [--no-micro] [--password TEXT]
  --port N       listen on 127.0.0.1:N (1521); 0 is any free port
  --instances N  how many instances the database has (1)
  --no-micro     no views with microseconds, as before 12.1.0.2
  --password TEXT  lets in who has this password, and proves that it has it, too: python-oracledb
                 and others want that, and say DPY-4035 or the like without
";

struct Options {
    port: u16,
    instances: u32,
    micro: bool,
    password: Option<String>,
}

fn main() -> ExitCode {
    let Some(options) = read(std::env::args().skip(1)) else {
        // Where standard error is closed there is nobody to tell.
        let _ = io::stderr().write_all(USAGE.as_bytes());
        return ExitCode::from(2);
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "fake-oracle: port {}: {error}", options.port);
            ExitCode::FAILURE
        }
    }
}

/// Serves until the process is ended.
fn serve(options: &Options) -> io::Result<()> {
    let simulation = Simulation::new(options.instances, options.micro);
    let (script, whose) = match &options.password {
        Some(password) => (simulation.script().password(password), "the password given"),
        None => (simulation.script(), "any password"),
    };
    let server = FakeOracle::start_on(options.port, script)?;
    writeln!(io::stdout(), "oracle://demo@127.0.0.1:{}/FAKE ({whose})", server.port())?;
    loop {
        thread::park();
    }
}

fn read(mut arguments: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options { port: 1521, instances: 1, micro: true, password: None };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--port" => options.port = arguments.next()?.parse().ok()?,
            "--instances" => options.instances = arguments.next()?.parse().ok()?,
            "--no-micro" => options.micro = false,
            "--password" => options.password = Some(arguments.next()?),
            _ => return None,
        }
    }
    Some(options)
}
