//! Real tools, started with a workload of a known number of operations: what they print holds them
//! all. A test without its tool says so and passes.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use isotherm_formats::{Context, Message, Recognition, Sink, recognise};
use isotherm_frame::{Account, Nanos, Reading};
use testing::bounded;

/// What was found in an input.
#[derive(Default)]
struct Found {
    account: Account,
    events: u64,
    longest: Nanos,
    time_ns: u64,
}

impl Sink for Found {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.account) else { return };
        match reading {
            Reading::Event { latency, .. } => {
                self.events += 1;
                self.time_ns += latency.as_nanos();
                self.longest = self.longest.max(latency);
            }
            Reading::Delta(frame) => {
                self.events += frame.counts.events();
                self.time_ns += frame.counts.sum().map_or(0, Nanos::as_nanos);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Reads a file with the source that knows it, which must be this one.
fn read(path: &Path, source_name: &str) -> Found {
    let bytes = fs::read(path).expect("the tool wrote it");
    let Recognition::Known(source) = recognise(&bytes) else {
        panic!("{} is not known", path.display())
    };
    assert_eq!(source.meta().name, source_name);
    let mut found = Found::default();
    source.decode(&mut bytes.as_slice(), &Context::default(), &mut found).expect("it is read");
    assert_eq!(found.account.rejected, 0, "{:?}", found.account.rejections);
    found
}

/// Runs a tool; `false` where it is not installed or may not do this here.
fn ran(command: &mut Command) -> bool {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = bounded::try_output(command.stdin(Stdio::null()));
    let done = ended.is_ok_and(|output| output.status.success());
    if !done {
        writeln!(std::io::stderr(), "SKIPPED: {program} is not installed, or may not run here")
            .expect("said");
    }
    done
}

/// Blocks that are read.
const BLOCKS: u64 = 1_024;

fn fio(room: &Path) -> Command {
    let mut fio = Command::new("fio");
    fio.current_dir(room).args([
        "--name=w",
        "--filename=file",
        "--ioengine=psync",
        "--rw=randread",
    ]);
    fio.args(["--bs=4k", &format!("--size={}k", BLOCKS * 4)]);
    fio
}

#[test]
fn every_read_of_fio_is_in_its_report() {
    let room = tempfile::tempdir().expect("a directory");
    if !ran(fio(room.path()).args(["--output-format=json+", "--output=report.json"])) {
        return;
    }
    let found = read(&room.path().join("report.json"), "fio");
    assert_eq!(found.events, BLOCKS);
    // What fio itself adds up, from its own mean.
    let report = fs::read_to_string(room.path().join("report.json")).expect("a report");
    let report: serde_json::Value =
        serde_json::from_str(&report[report.find('{').expect("an object")..]).expect("JSON");
    let read = &report["jobs"][0]["read"];
    assert_eq!(read["total_ios"].as_u64(), Some(BLOCKS));
    // Releases of fio differ in which of the two has a histogram.
    let with_bins = ["lat_ns", "clat_ns"].into_iter().find(|name| read[name]["bins"].is_object());
    let latency = &read[with_bins.expect("a histogram")];
    let total = latency["mean"].as_f64().expect("a mean") * BLOCKS as f64;
    assert!((found.time_ns as f64 / total - 1.0).abs() < 1e-6, "{} {total}", found.time_ns);
}

#[test]
fn every_read_of_fio_is_in_its_latency_log() {
    let room = tempfile::tempdir().expect("a directory");
    if !ran(fio(room.path()).args(["--write_lat_log=log"])) {
        return;
    }
    let log = room.path().join("log_lat.1.log");
    let found = read(&log, "fio");
    assert_eq!(found.events, BLOCKS);
    let text = fs::read_to_string(&log).expect("a log");
    let second = |line: &str| line.split(',').nth(1).and_then(|ns| ns.trim().parse::<u64>().ok());
    let latencies: Vec<u64> = text.lines().filter_map(second).collect();
    assert_eq!((found.time_ns, latencies.len() as u64), (latencies.iter().sum(), BLOCKS));
    assert_eq!(Some(found.longest.as_nanos()), latencies.into_iter().max());
}

#[test]
fn every_write_of_dd_is_in_the_output_of_strace() {
    let room = tempfile::tempdir().expect("a directory");
    for options in [&["-ttt"][..], &["-f", "-tt"], &["-f", "-r"], &["-y", "-ttt"]] {
        let mut strace = Command::new("strace");
        strace
            .current_dir(room.path())
            .args(["-T", "-e", "trace=write", "-o", "out"])
            .args(options);
        strace.args(["dd", "if=/dev/zero", "of=copy", "bs=4k", "status=none"]);
        if !ran(strace.arg(format!("count={BLOCKS}"))) {
            return;
        }
        let copied = fs::metadata(room.path().join("copy")).expect("a copy").len();
        assert_eq!(copied, BLOCKS * 4_096);
        let found = read(&room.path().join("out"), "strace");
        assert_eq!(found.events, BLOCKS, "{options:?}");
    }
}
