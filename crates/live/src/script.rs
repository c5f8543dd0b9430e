//! The output of a bpftrace program of the user's.

use std::fmt;
use std::path::PathBuf;

use isotherm_formats::input::opening::check_file;
use isotherm_formats::{Counting, Meta};

use crate::disk::bpftrace;
use crate::feed::{LiveOptions, OpenError, Running, read_child, spawn};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::tracing_needs::{BPFTRACE, PRIVILEGE, TRACEFS};

/// `bpftrace:FILE`.
pub(crate) static LIVE: Live = Live {
    metas: &[&SCRIPT],
    schemes: &[LiveScheme { name: "bpftrace", needs: "a file", example: "bpftrace:reads.bt" }],
    target: |_, rest| Ok(LiveAddress::new(Program { file: PathBuf::from(rest) })),
    load_instead: |_| None,
};

#[derive(Debug)]
struct Program {
    file: PathBuf,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bpftrace:{}", self.file.display())
    }
}

impl Target for Program {
    fn starts_slowly(&self) -> bool {
        true
    }

    /// Runs the program, as JSON because that has an unambiguous beginning and end.
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let Start { outbox, choice } = start;
        check_file(&self.file)?;
        let address = self.to_string();
        let mut command = bpftrace(&address)?;
        command.args(["-f", "json"]).arg(&self.file);
        let output = spawn(command, &address, outbox.warnings())?;
        read_child(output, choice, &options.context, outbox)
    }
}

static SCRIPT: Meta = Meta {
    name: "script",
    address: "bpftrace:FILE",
    about: "The histograms that your own bpftrace program prints, while it runs",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live bpftrace:reads.bt",
    overhead: "That of the program: see the source bpftrace. isotherm runs the program with -f \
               json in its own process group, and ends it with SIGTERM.",
    loses: "Whatever the program cannot show: print totals and never clear() or zero() them, \
            because clearing races with counting. Prints get the time at which they arrive, some \
            milliseconds after they were made. Maps printed at the end have no interval of their \
            own: clear the maps in END.",
    counting: Counting::Varies(
        "A print counts either everything so far or what happened since the print before: \
        isotherm reads totals if no count falls from print to print, and increments otherwise, \
        and says which (--temporality overrides this). Totals begin at zero with each run; a \
        program resets increments itself, with clear() or zero().",
    ),
    exact_time: false,
    example: "\
$ cat reads.bt
tracepoint:syscalls:sys_enter_pread64 { @began[tid] = nsecs; }
tracepoint:syscalls:sys_exit_pread64 / @began[tid] / {
  @usecs = hist((nsecs - @began[tid]) / 1000); delete(@began[tid]);
}
interval:s:1 { print(@usecs); }
END { clear(@began); clear(@usecs); }
$ sudo isotherm live bpftrace:reads.bt | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░0.6 ▒31.2 ▓125 █281 to 500 sqrt
#time      ev/s waiting        p50        p99  <1µs  4µs 16µs  128µs 1.02ms      >65.5ms  note
09:20:28    469  ≈0.112   64–128µs    2–4.1ms  ▒▒▒▒░░░░    ▒▒▓▓░░░░░░░░░░░░
09:20:29.276    306  ≈0.038   64–128µs   0.51–1ms  ░░░░░░      ░░▓▓▒▒░░░░░░
09:20:30    300 ≈0.0316   64–128µs  128–256µs              ░░▓▓░░░░
09:20:31.276    331  ≈0.036   64–128µs  128–256µs  ░░░░░░░░      ▓▓▒▒░░    ░░
",
    interpretation: "300 reads a second went to the disk and took 64 to 256 µs each. The others, \
                     within 8 µs, were answered from the page cache: two bands that a mean would \
                     blur into one number.",
};
