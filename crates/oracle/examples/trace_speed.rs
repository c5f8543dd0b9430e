//! How fast SQL traces are read: waits into histograms by one thread and two, and every record.
//!
//! `cargo run --release -p isotherm-oracle --example trace_speed [FOLDER [TRACE]]` makes a trace of
//! 1 GiB in FOLDER, of TRACE over and over or of one made up, and measures `rg` beside.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use isotherm_oracle::trace::{
    Call, LobCall, Parsing, Stat, Visitor, Wait, Wants, histograms, scan,
};

const SIZE: u64 = 1 << 30;

/// A trace of a made-up session: statements, binds, calls and waits of many events.
fn made_up() -> String {
    const EVENTS: [(&str, &str); 8] = [
        ("db file sequential read", "file#=7 block#=BLOCK blocks=1 obj#=OBJ"),
        ("SQL*Net message to client", "driver id=1952673792 #bytes=1 p3=0 obj#=OBJ"),
        ("SQL*Net message from client", "driver id=1952673792 #bytes=1 p3=0 obj#=OBJ"),
        ("db file scattered read", "file#=7 block#=BLOCK blocks=8 obj#=OBJ"),
        ("log file sync", "buffer#=4711 sync scn=BLOCK p3=0 obj#=-1"),
        ("gc cr block 2-way", "p1=7 p2=BLOCK p3=1 obj#=OBJ"),
        ("direct path read", "file number=9 first dba=BLOCK block cnt=64 obj#=OBJ"),
        ("latch: cache buffers chains", "address=BLOCK number=228 why=0 obj#=OBJ"),
    ];
    let (mut text, mut state, mut tim) = (String::new(), 1_u64, 7_773_284_543_286_u64);
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for statement in 0..2_000 {
        let cursor = 140_374_785_000_000 + next(50) * 1_568;
        let sql = format!("select /* {statement} */ amount, town\n  from parcels\n where id = :b1");
        let length = sql.len();
        let head = "dep=0 uid=77 oct=3 lid=77";
        let _ = write!(
            text,
            "=====================\nPARSING IN CURSOR #{cursor} len={length} {head} tim={tim} \
             hv={} ad='9d37bed8' sqlid='7qv{statement:04}xk2m3p'\n{sql}\nEND OF STMT\n\
             BINDS #{cursor}:\n\n Bind#0\n  oacdty=02 mxl=22(22) mxlc=00 mal=00 scl=00 pre=00\n  \
             oacflg=03 fl2=1000000 frm=00 csi=00 siz=24 off=0\n  kxsbbbfp=7f2d8c1e  bln=22  \
             avl=03  flg=05\n  value={}\n",
            next(4_000_000_000),
            next(100_000)
        );
        for _ in 0..4 + next(40) {
            let (event, parameters) = EVENTS[usize::try_from(next(8)).unwrap_or(0)];
            let most = 1 << (4 + next(12));
            let ela = 1 + next(most);
            tim += ela + next(50);
            let parameters = parameters
                .replace("BLOCK", &next(30_000_000).to_string())
                .replace("OBJ", &(80_000 + next(200)).to_string());
            let _ =
                writeln!(text, "WAIT #{cursor}: nam='{event}' ela= {ela} {parameters} tim={tim}");
        }
        let _ = writeln!(
            text,
            "FETCH #{cursor}:c=41,e=4711,p=3,cr=17,cu=0,mis=0,r=1,dep=0,og=1,plh=1636480816,tim={tim}"
        );
    }
    text
}

/// A file of [`SIZE`] bytes in whole copies of a trace.
fn repeated(folder: &Path, once: &[u8]) -> io::Result<(PathBuf, u64)> {
    let path = folder.join("isotherm-trace-speed.trc");
    let copies = (SIZE / once.len() as u64).max(1);
    let mut file = io::BufWriter::new(File::create(&path)?);
    for _ in 0..copies {
        file.write_all(once)?;
    }
    file.flush()?;
    Ok((path, copies * once.len() as u64))
}

/// Every record, all of its fields used.
#[derive(Default)]
struct Everything(u64);

impl Visitor for Everything {
    fn wait(&mut self, wait: &Wait<'_>) {
        self.0 ^= wait.ela ^ wait.tim.unwrap_or(0) ^ wait.cursor ^ wait.parameters.len() as u64;
    }
    fn call(&mut self, call: &Call) {
        self.0 ^= call.elapsed ^ call.rows ^ call.cursor ^ call.tim.unwrap_or(0);
    }
    fn lob(&mut self, call: &LobCall<'_>) {
        self.0 ^= call.elapsed;
    }
    fn parsing(&mut self, parsing: &Parsing<'_>) {
        self.0 ^= parsing.text.len() as u64 ^ parsing.hash.unwrap_or(0);
    }
    fn stat(&mut self, stat: &Stat<'_>) {
        self.0 ^= stat.rows;
    }
}

/// Waits with when and on which cursor, and calls.
#[derive(Default)]
struct WaitsAndCalls(u64);

impl Visitor for WaitsAndCalls {
    const WANTS: Wants = Wants::WAITS.and(Wants::WAIT_TIMES).and(Wants::CALLS);
    fn wait(&mut self, wait: &Wait<'_>) {
        self.0 ^= wait.ela ^ wait.tim.unwrap_or(0) ^ wait.cursor ^ wait.parameters.len() as u64;
    }
    fn call(&mut self, call: &Call) {
        self.0 ^= call.elapsed ^ call.rows ^ call.cursor ^ call.tim.unwrap_or(0);
    }
}

/// Seconds of processor time of this process and the ones it ran, in steps of 0.01 s: 0 where the
/// system does not say.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split(' ').skip(12).take(4);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Runs something five times and prints the shortest times.
fn measure(what: &str, bytes: u64, mut run: impl FnMut() -> io::Result<String>) -> io::Result<()> {
    let (mut best, mut least, mut said) = (f64::MAX, f64::MAX, String::new());
    for _ in 0..5 {
        let (begun, used) = (Instant::now(), processor());
        said = run()?;
        best = best.min(begun.elapsed().as_secs_f64());
        least = least.min(processor() - used);
    }
    let speed = bytes as f64 / best / 1e9;
    println!("{what:<40} {best:6.3} s, processor {least:5.2} s {speed:6.2} GB/s  {said}");
    Ok(())
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().unwrap_or_else(std::env::temp_dir);
    let once = match arguments.next() {
        Some(path) => std::fs::read(path)?,
        None => made_up().into_bytes(),
    };
    let (path, bytes) = repeated(&folder, &once)?;
    println!("{bytes} bytes in copies of {}", once.len());
    let file = File::open(&path)?;
    for threads in [1, 2] {
        measure(&format!("waits into histograms, {threads} thread(s)"), bytes, || {
            let (_, account) = histograms(&file, threads)?;
            Ok(format!("{} waits, {} damaged", account.waits, account.damaged))
        })?;
    }
    measure("waits with tim and cursor, and calls", bytes, || {
        let mut all = WaitsAndCalls::default();
        let account = scan(&mut File::open(&path)?, &mut all)?;
        Ok(format!("{} waits, {} calls ({:x})", account.waits, account.calls, all.0))
    })?;
    measure("every record", bytes, || {
        let mut all = Everything::default();
        let account = scan(&mut BufReader::new(File::open(&path)?), &mut all)?;
        Ok(format!("{} statements, {} lines ({:x})", account.statements, account.lines, all.0))
    })?;
    let rg = |pattern: &str| {
        let output = Command::new("rg").args(["-c", pattern]).arg(&path).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    measure("rg -c '^WAIT #'", bytes, || rg("^WAIT #"))?;
    std::fs::remove_file(&path)
}
