//! The bpftrace programs that print the path of each I/O.

use std::path::{Path, PathBuf};

use isotherm_oracle::uprobes::{SessionPlace, comment, is_path, literal};
use thiserror::Error;

use crate::disk::Devices;
use crate::feed::OpenError;
use crate::traced::postgres;

/// Which database is looked at, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathDatabase {
    /// `PostgreSQL`, by the probes that are built into it.
    Postgres {
        /// The program of the server, a path without links.
        binary: PathBuf,
    },
    /// Oracle, by two functions that begin and end its waits.
    Oracle {
        /// The program of the server.
        binary: String,
        /// How many bytes behind their beginning they are probed.
        offset: u8,
        /// What the numbers of wait events stand for.
        names: Vec<(u32, String)>,
        /// Where a process keeps its session, if that is known: waits carry its number and their parameters.
        session: Option<SessionPlace>,
    },
}

/// A program that prints the path of each I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathProgram {
    /// What is looked at.
    pub database: PathDatabase,
    /// The processes; all of the server's if there are none.
    pub processes: Vec<u32>,
    /// Only requests of these block devices are printed; of all if there are none.
    pub devices: Vec<PathDevice>,
    /// The words that led here, for the head of the program.
    pub command: String,
}

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathDevice {
    name: String,
    number: u32,
}

/// Why there can be no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathProgramError {
    /// The path would end the text it stands in.
    #[error(
        "the path '{0}' has a character that a bpftrace program cannot hold: probe the program by \
         another path, such as a symbolic link"
    )]
    Path(String),
}

const POSTGRES: &str = include_str!("templates/postgres.bt");
const ORACLE: &str = include_str!("templates/oracle.bt");
const HEAD: &str = include_str!("templates/head.bt");
const CALL: &str = include_str!("templates/call.bt");
const CALL_OF_MANY: &str = include_str!("templates/call_of_many.bt");
const BLOCK: &str = include_str!("templates/block.bt");

/// System calls with one file, and where each says the byte it begins at.
const CALLS: [(&str, &str); 13] = [
    ("read", "-1"),
    ("pread64", "args->pos"),
    ("readv", "-1"),
    ("preadv", "args->pos_l"),
    ("preadv2", "args->pos_l"),
    ("write", "-1"),
    ("pwrite64", "args->pos"),
    ("writev", "-1"),
    ("pwritev", "args->pos_l"),
    ("pwritev2", "args->pos_l"),
    ("fsync", "-1"),
    ("fdatasync", "-1"),
    ("sync_file_range", "args->offset"),
];

/// System calls for several files at once, which Oracle makes.
const CALLS_OF_MANY: [&str; 2] = ["io_submit", "io_getevents"];

impl PathDevice {
    /// The device of this name on this machine, or the one that it is a partition of. Fails where there is
    /// none.
    pub fn find(name: &str) -> Result<PathDevice, OpenError> {
        let found = Devices::of_this_machine().find(name)?;
        Ok(PathDevice { name: found.name, number: found.number })
    }
}

impl PathDatabase {
    /// `PostgreSQL` as it runs here, or the program of this path.
    /// Fails with what is wrong: none or several of them run here, or the program has no probes.
    pub fn postgres(binary: Option<&Path>) -> Result<PathDatabase, OpenError> {
        let found = binary.map_or_else(
            || postgres::running("pg-path", "--binary "),
            |path| Ok(path.to_owned()),
        )?;
        let probes: Vec<&str> = POSTGRES
            .lines()
            .filter_map(|line| line.strip_prefix("usdt:{{binary}}:postgresql:"))
            .collect();
        let binary = postgres::check_probes(&found, &probes)?;
        Ok(PathDatabase::Postgres { binary })
    }
}

impl PathProgram {
    /// The program, the same for the same request.
    /// Fails with what is wrong: a path that cannot stand in a program.
    pub fn text(&self) -> Result<String, PathProgramError> {
        let (title, lines, costs, own) = match &self.database {
            PathDatabase::Postgres { .. } => (
                "PostgreSQL's statements and waits, their system calls and block requests",
                " *   statement  ok|failed TEXT\n *   wait       OBJECT EVENT",
                POSTGRES_COSTS,
                POSTGRES,
            ),
            PathDatabase::Oracle { .. } => (
                "Oracle's waits, their system calls and block requests, for isotherm",
                " *   wait       -|sid=SESSION,p1=N,p2=N,p3=N event#NUMBER",
                ORACLE_COSTS,
                ORACLE,
            ),
        };
        let own = own.replace("{{binary}}", &self.binary()?);
        let offset = match &self.database {
            PathDatabase::Oracle { offset, .. } if *offset > 0 => format!("+{offset}"),
            _ => String::new(),
        };
        let (with_session, end_session) = self.session();
        let chosen = !self.processes.is_empty();
        let is_oracle = matches!(self.database, PathDatabase::Oracle { .. });
        let probes = own
            .replace("{{offset}}", &offset)
            .replace("{{with_session}}", &with_session)
            .replace("{{end_session}}", end_session)
            .replace("{{learn}}", if chosen { "" } else { "\t@traced[pid] = 1;\n" })
            .replace("{{if_traced}}", if chosen { "/ @traced[pid] /\n" } else { "" })
            .replace("{{and_traced}}", if chosen { "@traced[pid] && " } else { "" });
        let head = HEAD
            .replace("{{title}}", title)
            .replace("{{command}}", &comment(&self.command))
            .replace("{{lines}}", lines)
            .replace("{{costs}}", costs)
            .replace("{{devices}}", &self.device_names())
            .replace("{{begin}}", &self.begin());
        let cleared = clears(&(probes.clone() + BLOCK + CALL), chosen || is_oracle);
        let (if_device, and_device) = match self.of_devices() {
            Some(of) => (format!("/ {of} /\n"), format!(" && {of}")),
            None => (String::new(), String::new()),
        };
        let block = BLOCK
            .replace("{{if_device}}", &if_device)
            .replace("{{and_device}}", &and_device)
            .replace("{{clears}}", &cleared);
        Ok(head + &probes + &self.calls(is_oracle) + &block)
    }

    /// The path of the server's program, as it can stand in a program.
    fn binary(&self) -> Result<String, PathProgramError> {
        let binary = match &self.database {
            PathDatabase::Postgres { binary } => binary.display().to_string(),
            PathDatabase::Oracle { binary, .. } => binary.clone(),
        };
        if !is_path(&binary) {
            return Err(PathProgramError::Path(binary));
        }
        Ok(binary)
    }

    /// What prints a wait with its session and parameters, and what ends that. Where the session waits for
    /// another event than the one that has ended, its place is wrong: then neither is printed.
    fn session(&self) -> (String, &'static str) {
        let PathDatabase::Oracle { session: Some(place), .. } = &self.database else {
            return (String::new(), "");
        };
        let [sid, event, p1, p2, p3] = place.expressions();
        let text = format!(
            "\tif ({event} == (@event[tid] & 0xffff)) {{\n\t@printed = count();\n\
             \tprintf(\"wait %llu %llu %d %d sid=%d,p1=%llu,p2=%llu,p3=%llu event#%d\\n\", @wait[tid],\n\
             \t\t$now - @wait[tid], pid, tid, {sid},\n\t\t{p1}, {p2},\n\t\t{p3}, @event[tid]);\n\
             \t}} else {{\n"
        );
        (text, "\t}\n")
    }

    /// That a request is for one of the devices; nothing where all are wanted.
    fn of_devices(&self) -> Option<String> {
        let of = self.devices.iter().map(|device| format!("args->dev == {}", device.number));
        let of: Vec<String> = of.collect();
        (!of.is_empty()).then(|| format!("({})", of.join(" || ")))
    }

    fn device_names(&self) -> String {
        let names: Vec<&str> = self.devices.iter().map(|device| device.name.as_str()).collect();
        if names.is_empty() { "the whole machine".to_owned() } else { names.join(", ") }
    }

    /// What is done first: the processes that are looked at, the names of wait events.
    fn begin(&self) -> String {
        /// Each printing costs instructions, of which old kernels allow 4096 to a program.
        const AT_ONCE: usize = 20;
        let traced = self.processes.iter().map(|pid| format!("\t@traced[{pid}] = 1;\n"));
        let names = match &self.database {
            PathDatabase::Oracle { names, .. } => names.as_slice(),
            PathDatabase::Postgres { .. } => &[],
        };
        let names = names.chunks(AT_ONCE).map(|some| {
            let lines = some
                .iter()
                .map(|(n, name)| format!("isotherm-name event {n} {}\\n", literal(name)));
            format!("\tprintf(\"{}\");\n", lines.collect::<String>())
        });
        traced.chain(names).collect()
    }

    fn calls(&self, is_oracle: bool) -> String {
        let traced = match &self.database {
            PathDatabase::Postgres { binary } if self.processes.is_empty() => {
                // What the kernel keeps of a program's name.
                let name = binary.file_name().unwrap_or_default().to_string_lossy();
                format!("comm == \"{}\"", name.chars().take(15).collect::<String>())
            }
            _ => "@traced[pid]".to_owned(),
        };
        let filled = |template: &str, call: &str, offset: &str| {
            template
                .replace("{{call}}", call)
                .replace("{{offset}}", offset)
                .replace("{{traced}}", &traced)
        };
        let of_one = CALLS.iter().map(|(call, offset)| filled(CALL, call, offset));
        let of_many = CALLS_OF_MANY.iter().filter(|_| is_oracle);
        of_one.chain(of_many.map(|call| filled(CALL_OF_MANY, call, ""))).collect()
    }
}

const POSTGRES_COSTS: &str = "For each probe of the server the kernel puts a breakpoint over one\n \
    * instruction, in its copy of the program's code, and puts it back when this program ends. All\n \
    * servers that run this program pay some microseconds for each block that is not in the buffer\n \
    * cache and for each wait for a lock; docs/guide/path-of-an-io.md has measured figures.";

const ORACLE_COSTS: &str = "For each probe of the server the kernel puts a breakpoint over one\n \
    * instruction, in its copy of the program's code, and puts it back when this program ends. All\n \
    * processes that run this program pay one to two microseconds for each wait.\n *\n \
    * NOT CONFIRMED with Oracle: the functions are not documented, and what they are given was found\n \
    * out by users and published for 11.2.0.4, 12.1.0.2 and 18c on x86-64. isotherm tests this\n \
    * program against a small program with functions of the same names. The probe must be at the\n \
    * beginning of an instruction; check it with\n \
    *   gdb -batch -ex 'disassemble kskthbwt,+16' $ORACLE_HOME/bin/oracle";

/// Lines that clear every map, so that bpftrace prints none by itself but the count of what was printed.
fn clears(text: &str, has_traced: bool) -> String {
    let names = text.split('@').skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    let cleared = |name: &&str| *name != "printed" && (*name != "traced" || has_traced);
    let mut maps: Vec<&str> = names.filter(cleared).collect();
    maps.sort_unstable();
    maps.dedup();
    let lines: Vec<String> = maps.iter().map(|map| format!("\tclear(@{map});\n")).collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oracle(processes: Vec<u32>) -> PathProgram {
        let names = vec![(152, "db file \"sequential\" read".to_owned())];
        let database = PathDatabase::Oracle {
            binary: "/o/bin/oracle".to_owned(),
            offset: 2,
            names,
            session: None,
        };
        PathProgram { database, processes, devices: vec![], command: "oracle-path */".to_owned() }
    }

    #[test]
    fn programs_hold_what_was_asked_for_and_no_open_places() {
        let all = oracle(vec![]).text().unwrap();
        assert!(
            all.contains("uprobe:\"/o/bin/oracle\":kskthbwt+2\n{\n\t@traced[pid] = 1;"),
            "{all}"
        );
        assert!(all.contains(r#"isotherm-name event 152 db file \"sequential\" read\n"#), "{all}");
        assert!(all.contains("sys_enter_io_submit") && all.contains("oracle-path * /"));
        let some = oracle(vec![7]).text().unwrap();
        assert!(
            some.contains("\t@traced[7] = 1;\n") && !some.contains("@traced[pid] = 1"),
            "{some}"
        );
        let device = |name: &str, number| PathDevice { name: name.to_owned(), number };
        let devices = vec![device("vda", 266338304), device("vdb", 266338320)];
        let of_two = PathProgram { devices, ..oracle(vec![]) }.text().unwrap();
        let of = "(args->dev == 266338304 || args->dev == 266338320)";
        assert!(of_two.contains(&format!("/ args->nr_sector && {of} /")), "{of_two}");
        assert!(
            of_two.contains(&format!("block_split\n/ {of} /\n")) && of_two.contains("vda, vdb")
        );
        let database = PathDatabase::Postgres { binary: "/p/postgres".into() };
        let postgres =
            PathProgram { database, processes: vec![], devices: vec![], command: String::new() }
                .text()
                .unwrap();
        assert!(postgres.contains("comm == \"postgres\"") && !postgres.contains("io_submit"));
        for text in [all, some, of_two, postgres] {
            assert!(!text.contains("{{") && !text.contains("}}"), "{text}");
            let steps = ["statement", "wait", "call", "block"];
            let printing = steps.map(|step| text.matches(&format!("printf(\"{step} ")).count());
            assert_eq!(text.matches("@printed = count();").count(), printing.iter().sum::<usize>());
            assert!(!text.contains("clear(@printed)"), "{text}");
        }
    }

    #[test]
    fn a_wait_carries_its_session_where_its_place_is_known() {
        let mut program = oracle(vec![]);
        let PathDatabase::Oracle { session, .. } = &mut program.database else { unreachable!() };
        *session = "r13-7912,sid=5920,event=5826,p1=5832,p2=5840,p3=5848".parse().ok();
        let text = program.text().unwrap();
        let both = [
            "\tif (*(uint16 *)(reg(\"r13\") - 2086) == (@event[tid] & 0xffff)) {\n",
            "\tprintf(\"wait %llu %llu %d %d sid=%d,p1=%llu,p2=%llu,p3=%llu event#%d\\n\", @wait[tid],\n",
            "\t\t$now - @wait[tid], pid, tid, *(uint16 *)(reg(\"r13\") - 1992),\n",
            "\t\t*(uint64 *)(reg(\"r13\") - 2064), @event[tid]);\n\t} else {\n\t@printed = count();\n",
            "\tprintf(\"wait %llu %llu %d %d - event#%d\\n\"",
        ];
        for part in both {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let steps = ["wait", "call", "block"];
        let printing = steps.map(|step| text.matches(&format!("printf(\"{step} ")).count());
        assert_eq!(text.matches("@printed = count();").count(), printing.iter().sum::<usize>());
    }

    #[test]
    fn a_path_that_would_end_its_text_is_refused() {
        let database =
            PathDatabase::Oracle { binary: "/o\"".into(), offset: 0, names: vec![], session: None };
        let program =
            PathProgram { database, processes: vec![], devices: vec![], command: String::new() };
        assert_eq!(program.text(), Err(PathProgramError::Path("/o\"".to_owned())));
    }
}
