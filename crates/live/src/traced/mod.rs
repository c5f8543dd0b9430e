//! What this machine's kernel and programs do, measured by our own bpftrace programs.

mod calls;
mod meta;
mod meta_pg;
mod needs;
pub(crate) mod postgres;
mod program;
mod relations;
pub(crate) mod totals;

use std::fmt;

use self::program::{Asked, PROGRAMS, Program};
use self::relations::{NamedProgram, RelationNames};
use crate::AddressError;
use crate::disk::{bpftrace, interval_millis};
use crate::feed::{Choice, LiveOptions, OpenError, Running, read_child, spawn};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use isotherm_formats::unread_options::no_conditions;
use isotherm_formats::{Context, DecodeError, Sink, Source};
use isotherm_frame::Nanos;

/// The scheme of the probes of `PostgreSQL`.
const PGPROBE: &str = "pgprobe";

/// `runq:`, `syscall:PID`, `fs:`, `tcp:` and `pgprobe:WHAT`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::RUNQ, &meta::SYSCALL, &meta::FS, &meta::TCP, &meta_pg::PGPROBE],
    schemes: &[
        LiveScheme { name: "runq", needs: "", example: "runq:" },
        LiveScheme { name: "syscall", needs: "a process", example: "syscall:1234" },
        LiveScheme { name: "fs", needs: "", example: "fs:" },
        LiveScheme { name: "tcp", needs: "", example: "tcp:" },
        LiveScheme { name: PGPROBE, needs: "what to measure", example: "pgprobe:reads" },
    ],
    target: |scheme, rest| {
        let (what, query) = rest.split_once('?').unwrap_or((rest, ""));
        let program = PROGRAMS.iter().find(|program| program.is(scheme, what));
        let program =
            program.ok_or_else(|| AddressError::Traced(program::unknown(scheme, what)))?;
        let asked = Asked::read(scheme, what, query).map_err(AddressError::Traced)?;
        Ok(LiveAddress::new(Tracing { scheme, text: rest.to_owned(), program, asked }))
    },
    load_instead: |_| None,
};

/// The probes of the `PostgreSQL` of this machine, for an address of its own: a scheme and what stands
/// after the colon.
pub(crate) fn probes_of_server(
    (scheme, text): (&'static str, &str),
    what: &str,
    options: &str,
) -> Result<LiveAddress, String> {
    let program = PROGRAMS.iter().find(|program| program.is(PGPROBE, what));
    let program = program.ok_or_else(|| program::unknown(PGPROBE, what))?;
    let asked = Asked::read(PGPROBE, what, options)?;
    Ok(LiveAddress::new(Tracing { scheme, text: text.to_owned(), program, asked }))
}

/// Whether an address leads to one of the programs.
#[cfg(test)]
pub(crate) fn is_traced(live: &LiveAddress) -> bool {
    live.downcast::<Tracing>().is_some()
}

/// A program and what it is asked.
struct Tracing {
    scheme: &'static str,
    text: String,
    program: &'static Program,
    asked: Asked,
}

/// Without the address, which may hold a password.
impl fmt::Debug for Tracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tracing({:?})", self.program)
    }
}

impl fmt::Display for Tracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.text)
    }
}

impl Target for Tracing {
    fn starts_slowly(&self) -> bool {
        true
    }

    fn open(&self, options: &LiveOptions, begin: Start) -> Result<Running, OpenError> {
        let Start { outbox, choice } = begin;
        if !options.context.only.is_empty() {
            return Err(DecodeError::Nothing(no_conditions(self.scheme)).into());
        }
        let names = self.asked.names.as_deref().map(RelationNames::read).transpose()?;
        let address = self.to_string();
        let mut command = bpftrace(&address)?;
        let text = self.program.text_for(&self.asked, self.scheme)?;
        let millis = interval_millis(options.interval.unwrap_or(Nanos::SECOND));
        command.args(["-f", "json", "-e", &text]).arg(millis.to_string());
        command.args(self.asked.process.map(|process| process.to_string()));
        let output = spawn(command, &address, outbox.warnings())?;
        let source: &'static dyn Source = match names {
            Some(names) => NamedProgram::kept(self.program, names),
            None => self.program,
        };
        let choice = Choice { fixed: Some(source), among: &[], ..choice };
        read_child(output, choice, &Context::default(), outbox)
    }
}

/// Reads bytes as the output of each of the programs. For tests that feed anything at all.
pub(crate) fn read_any(bytes: &[u8], sink: &mut dyn Sink) -> bool {
    let context = Context::default();
    PROGRAMS.iter().all(|program| program.decode(&mut &*bytes, &context, sink).is_ok())
}

#[cfg(test)]
mod tests {
    use crate::Address;

    fn message(text: &str) -> String {
        text.parse::<Address>().expect_err(text).to_string()
    }

    #[test]
    fn addresses_read_back_and_wrong_ones_say_what_to_do() {
        for text in [
            "runq:",
            "syscall:17",
            "fs:",
            "tcp:",
            "pgprobe:reads",
            "pgprobe:wal?binary=/a/postgres",
        ] {
            assert_eq!(text.parse::<Address>().expect(text).to_string(), text);
        }
        assert!(message("syscall:").contains("syscall:1234"));
        assert!(message("syscall:mysqld").contains("pgrep"), "{}", message("syscall:mysqld"));
        assert!(message("pgprobe:disk").contains("reads, buffers, lwlocks, locks, wal"));
        assert!(message("runq:vda").contains("runq:"));
        assert!(message("pgprobe:reads?binary=/a b").contains("binary"));
        assert!(message("tcp:?colour=1").contains("colour"));
        let named = "pgprobe:reads?names=/a/names of relations";
        assert_eq!(named.parse::<Address>().expect(named).to_string(), named);
        let unnamed = message("pgprobe:locks?names=/a");
        assert!(unnamed.contains("names") && unnamed.contains("pgprobe:reads"), "{unnamed}");
    }
}
