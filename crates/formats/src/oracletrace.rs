//! SQL traces of Oracle (event 10046): every wait is an event.

mod by_blocks;
mod choice;
mod part;
mod reader;
mod records;

use std::io::BufRead;

use isotherm_frame::Place;
use isotherm_oracle::trace::{Account, LineBefore, NO_SQL_TRACE, begins_trace, scan_into};

use self::reader::Reader;
use crate::{
    Context, Counting, DecodeError, FilePart, Meta, Need, Reach, ReadingOption, Sink, Source, Verdict,
};

/// Reads SQL traces.
pub(crate) struct OracleTrace;

pub(crate) static SOURCE: OracleTrace = OracleTrace;

static META: Meta = Meta {
    name: "oracletrace",
    address: "FILE or -",
    about: "Oracle SQL traces (event 10046, with waits) of 8i to 23ai, and the files that trcsess \
        merges from them: one event per wait, by event, statement, file, object or any other \
        attribute",
    needs: &[
        Need {
            what: "a trace with waits",
            how: "exec dbms_monitor.session_trace_enable(SID, SERIAL, waits=>true), or before 10g \
                alter session set events '10046 trace name context forever, level 8'",
        },
        Need {
            what: "the right to read the trace file on the server",
            how: "select value from v$diag_info where name = 'Default Trace File'; only the owner \
                and its group can read the files, unless _trace_files_public is set",
        },
    ],
    command: "isotherm show --by event,file /u01/app/oracle/diag/rdbms/orcl/orcl/trace/*_ora_4711.trc",
    overhead: "Writing the trace costs the traced session some microseconds and about 110 bytes of \
        disk for each wait and each call: check max_dump_file_size. Reading the file does not \
        touch the server: isotherm reads a trace of 1 GiB in about a second on one core.",
    loses: "Waits are in whole microseconds (in 8i, hundredths of a second, so most waits are 0; a \
        trace of 8i without its header needs --unit cs). Only traced sessions are shown. In traces \
        of 9i and 10.1, waits have no timestamp: they are placed between the calls before and \
        after them. Before 12.2, timestamps have no time zone (use --zone). Truncated or damaged \
        lines are counted and reported. A file that reached its size limit is reported as \
        incomplete.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
*** 2026-11-21T09:08:07.123456+01:00 (SALES(4))
WAIT #140374785423992: nam='db file sequential read' ela= 412 file#=7 block#=1311 blocks=1 obj#=8042 tim=7773284556264
WAIT #140374785423992: nam='db file sequential read' ela= 388 file#=7 block#=2622 blocks=1 obj#=8042 tim=7773284556701
WAIT #140374785423992: nam='SQL*Net message to client' ela= 1 driver id=1952673792 #bytes=1 p3=0 obj#=8042 tim=7773284556760
WAIT #140374785423992: nam='SQL*Net message from client' ela= 12752 driver id=1952673792 #bytes=1 p3=0 obj#=8042 tim=7773284569528
",
    interpretation: "Two reads of one block each took about 0.4 milliseconds; then the server \
        waited 12.8 milliseconds for its client. This is idle time: it is reported, but left out \
        unless you give --idle. --by sql,file makes a series for each statement and file; --where \
        'event=db file*' keeps only the waits for data files.",
};

impl Source for OracleTrace {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if begins_trace(head) { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut reader = Reader::new(context, sink);
        let mut account = Account::default();
        let read = if context.readers() > 1 && reader.is_plain() {
            by_blocks::read(input, context, &mut reader, (&mut account, LineBefore::default()))
        } else {
            scan_into(input, &mut reader, &mut account)
        };
        reader.finish(&account);
        let place = Place { line: account.lines + 1, byte: account.bytes };
        read.map_err(|source| DecodeError::Read { place, source })?;
        // Trace files of other kinds have the same header.
        if account.is_no_sql_trace() {
            return Err(DecodeError::Nothing(NO_SQL_TRACE.to_owned()));
        }
        Ok(())
    }

    fn decode_part(
        &self,
        part: &FilePart<'_>,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<Reach, DecodeError> {
        part::read(part, context, sink)
    }
}

#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod tests;
