//! The head of a program: what it does, where, what it costs and what is not known, for whoever
//! has to approve it.

use std::fmt::Write as _;

use super::request::{Clock, Grouping, Kind, Request};
use super::template::fill;
use super::{Boundary, Symbol, boundary, comment};

/// The comment a program begins with.
pub(super) fn header(request: &Request) -> String {
    let first = request.kind.functions().first().copied().unwrap_or_default();
    fill(
        include_str!("templates/header.bt"),
        &[
            ("title", title(request.kind).to_owned()),
            ("command", comment(&request.command)),
            ("run", "sudo isotherm live bpftrace:FILE.bt".to_owned()),
            ("does", paragraphs(&does(request.kind))),
            ("where", paragraphs(&places(request))),
            ("costs", paragraphs(&costs(request.kind))),
            ("known", paragraphs(&known(request))),
            ("first_function", first.to_owned()),
            (
                "shell_binary",
                format!("'{}'", comment(&request.target.binary).replace('\'', "'\\''")),
            ),
        ],
    )
}

fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Waits(Clock::Kernel) => {
            "Oracle's waits by event, in nanoseconds of the kernel's clock, for isotherm"
        }
        Kind::Waits(Clock::Oracle) => {
            "Oracle's waits by event, in microseconds as Oracle measured them, for isotherm"
        }
        Kind::Io => "Oracle's waits and the system calls for I/O within them, for isotherm",
        Kind::LogicalReads(Grouping::Object) => "Oracle's logical reads by object, for isotherm",
        Kind::LogicalReads(Grouping::Tablespace) => {
            "Oracle's logical reads by tablespace, for isotherm"
        }
    }
}

fn does(kind: Kind) -> Vec<String> {
    let waits = "Oracle calls kskthbwt when a session begins to wait and kskthewt when the wait \
                 is over. Probes on both read the kernel's clock and the number of the event; the \
                 time between is counted in a histogram for each event.";
    let lines = match kind {
        Kind::Waits(Clock::Kernel) => vec![waits],
        Kind::Waits(Clock::Oracle) => vec![
            "Oracle calls kews_update_wait_time with the length of a wait that it has measured, in \
             microseconds, and then kskthewt with the number of the event. Probes on both put the \
             two together, thread by thread; the time is counted in a histogram for each event.",
        ],
        Kind::Io => vec![
            waits,
            "Between the two, the system calls pread64, pwrite64, preadv, pwritev, io_submit and \
             io_getevents of the same thread are timed by the kernel's tracepoints, and counted \
             with the event they were made in. Calls outside of any wait are counted apart.",
        ],
        Kind::LogicalReads(_) => vec![
            "Oracle calls kcbgtcr for a consistent get and kcbgcur for a current get. The time from \
             the call to its return is counted in a histogram. It includes the physical read where \
             the block was not in the cache. If one get is made within another of the same kind by \
             the same thread, the inner one is counted and the outer one is not.",
        ],
    };
    lines.into_iter().map(str::to_owned).collect()
}

fn places(request: &Request) -> Vec<String> {
    let target = &request.target;
    let pids: Vec<String> = target.pids.iter().map(u32::to_string).collect();
    let processes = match pids.as_slice() {
        [] => "All processes that run it are counted.".to_owned(),
        _ => format!(
            "Only the processes {} are counted; the probes are in all processes that run it, and \
             cost them time too (see below).",
            pids.join(", ")
        ),
    };
    let mut lines = vec![comment(&target.binary), processes];
    let only: Vec<String> = request.filter.only.iter().map(u32::to_string).collect();
    if !only.is_empty() {
        lines.push(format!("Of {}s, only: {}.", request.kind.key(), only.join(", ")));
    }
    if target.symbols.is_empty() {
        lines.push("The binary was not looked at when this was written (--unchecked).".to_owned());
    }
    lines.extend(target.symbols.iter().map(|symbol| place(symbol, target.offset)));
    lines
}

/// One function as it was found.
fn place(symbol: &Symbol, offset: u8) -> String {
    let Symbol { name, address, code } = symbol;
    let bytes: Vec<String> = code.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let mut text = format!("{name} is at {address:#x} and begins with {}", bytes.join(" "));
    let verdict = match boundary(code, offset) {
        _ if offset == 0 => "",
        Boundary::Yes => ": an instruction begins at the probe",
        Boundary::No => ": NO INSTRUCTION BEGINS AT THE PROBE",
        Boundary::Unknown => ": NOT KNOWN whether an instruction begins at the probe: check it",
    };
    let _ = write!(text, "{verdict}.");
    text
}

fn costs(kind: Kind) -> Vec<String> {
    let per = match kind {
        Kind::Waits(_) => {
            "1.5 us for a wait, which passes two probes; 1.0 us in processes that are not counted."
        }
        Kind::Io => {
            "1.8 us for a wait, which passes two probes, and 1.3 us for a system call. In processes \
             that are not counted 1.1 us for a wait and, in all programs of this machine, 0.3 us \
             for a system call of these kinds."
        }
        Kind::LogicalReads(_) => {
            "1.8 us for a logical read and its return; 0.9 us in processes that are not counted. \
             Oracle itself takes about as long: sessions that read from the cache become much \
             slower. Seconds on a test system, not an hour in production."
        }
    };
    let measured = "Measured with a small program (processor time, Linux 6.18 in a virtual \
                    machine, bpftrace 0.17): ";
    let slow = "If the instruction under a probe is not one the kernel can imitate, a probe costs \
                about 10 us instead of less than one. All processes that run the binary pay; with \
                bpftrace 0.17 its option -p does not change that.";
    let keys = "A map holds 4096 buckets of events at most, more if the variable \
                BPFTRACE_MAP_KEYS_MAX says so; what is beyond is not counted, and bpftrace does \
                not tell.";
    vec![format!("{measured}{per}"), slow.to_owned(), keys.to_owned()]
}

fn known(request: &Request) -> Vec<String> {
    let mut lines = vec![
        "The functions and their arguments are not documented by Oracle. That they can be probed, \
         and what they are given, was found out by users and published (Luca Canali, \
         Linux_tracing_scripts) for 11.2.0.4, 12.1.0.2 and 18c on x86-64. isotherm tests this \
         program against a small program with functions of the same names, not against Oracle."
            .to_owned(),
    ];
    lines.push(match (request.target.version, request.target.offset) {
        (Some(version), 0) if version.offset() == 0 => format!(
            "Oracle {version}: the probes are at the first instruction, as published for 11.2.0.4."
        ),
        (Some(version), offset) => {
            let tried = if version.is_tried() {
                "as published for 18c"
            } else {
                "which nobody is known to have confirmed for this release: check it as below"
            };
            let chosen = if offset == version.offset() { "" } else { ", as was asked for" };
            let place = if offset == version.offset() { format!(", {tried}") } else { String::new() };
            format!(
                "Oracle {version}: the probes are {offset} bytes behind the beginning{chosen}{place}. \
                 From 12c on kernels were seen to refuse probes on the first instruction."
            )
        }
        (None, offset) => format!(
            "The release was not given (--version). The probes are {offset} bytes behind the \
             beginning. From 12c on kernels were seen to refuse probes on the first instruction: \
             if bpftrace cannot attach them, write this again with --offset +2."
        ),
    });
    if request.target.offset > 0 {
        lines.push(
            "bpftrace sets a probe behind the beginning of a function only if it was built with a \
             disassembler (`bpftrace --info`, bfd: yes). The 0.17 of Debian was not."
                .to_owned(),
        );
    }
    if matches!(request.kind, Kind::LogicalReads(_)) {
        lines.push(
            "The probes on returns are set at the first instruction, always. Where the kernel \
             refuses that, this program cannot run."
                .to_owned(),
        );
    }
    lines
}

/// Paragraphs as lines of a block comment.
fn paragraphs(all: &[String]) -> String {
    const WIDTH: usize = 96;
    let mut lines: Vec<String> = Vec::new();
    for paragraph in all {
        let mut line = String::from(" *   ");
        for word in paragraph.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH && line.trim() != "*" {
                lines.push(line);
                line = String::from(" *   ");
            } else if !line.ends_with(' ') {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines.join("\n")
}
