//! What several threads read is what one reads: every call of the sink, in the same order, wherever
//! blocks end.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files must fail")]

use std::fs;
use std::path::{Path, PathBuf};

use isotherm_formats::{Context, Message, Only, SOURCES, Sink};
use proptest::prelude::*;

/// Everything a decoder says, as text.
#[derive(Default)]
struct Said(Vec<String>);

impl Sink for Said {
    fn take(&mut self, message: Message) {
        self.0.push(format!("{message:?}"));
    }
}

fn said(source: &str, mut input: &[u8], context: &Context) -> Vec<String> {
    let mut said = Said::default();
    let source = SOURCES.iter().find(|known| known.meta().name == source).unwrap();
    if let Err(error) = source.decode(&mut input, context, &mut said) {
        said.0.push(error.to_string());
    }
    said.0
}

/// Compares what threads say that read blocks of these lengths with what one says.
fn compare(source: &str, input: &[u8], context: &Context, lengths: &[usize], what: &str) {
    let one = said(source, input, context);
    for &length in lengths {
        for threads in [2, 3] {
            let context = Context { threads, block_length: Some(length), ..context.clone() };
            let several = said(source, input, &context);
            let differs = one.iter().zip(&several).position(|(one, several)| one != several);
            let at = differs.unwrap_or(one.len().min(several.len()));
            assert_eq!(
                one.get(at),
                several.get(at),
                "{what}: {threads} threads, {length} bytes, call {at}"
            );
        }
    }
}

/// The inputs of the fixtures of a source.
fn fixtures(source: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(source);
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files =
        folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let inputs = files.map(|entry| entry.unwrap().path());
    let inputs = inputs.filter(|path| path.file_stem().is_some_and(|stem| stem == "input"));
    inputs.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn only(attribute: &str, pattern: &str) -> Only {
    Only { attribute: attribute.to_owned(), pattern: pattern.to_owned(), other: false }
}

const LENGTHS: [usize; 8] = [1, 5, 64, 200, 333, 1_000, 5_000, 60_000];

#[test]
fn fixtures_of_traces_read_alike() {
    let fixtures = fixtures("oracletrace");
    assert!(fixtures.len() > 10);
    let contexts = [
        Context::default(),
        Context { leave_out_idle: true, ..Context::default() },
        Context {
            only: vec![only("event", "db file*")],
            most_series: Some(2),
            ..Context::default()
        },
        Context { by: vec!["sql".into(), "event".into()], ..Context::default() },
    ];
    for (path, input) in fixtures {
        for context in &contexts {
            compare("oracletrace", &input, context, &LENGTHS, &path.display().to_string());
        }
    }
}

/// Plain lines, as many as are looked at before threads read.
fn plain(lines: u64, start: u64, separator: char) -> String {
    let line =
        |n: u64| format!("{}.{:06}{separator}0.{:06}\n", start + n / 90, n % 90 * 11_000, n % 977);
    (0..lines).map(line).collect()
}

#[test]
fn fixtures_of_columns_after_many_lines_read_alike() {
    for (path, input) in fixtures("columns") {
        for (start, separator) in [(1_700_000_000, ','), (5, ' ')] {
            let text = [plain(4_200, start, separator).as_bytes(), &input].concat();
            let what = path.display().to_string();
            compare("columns", &text, &Context::default(), &[1, 64, 1_000, 60_000], &what);
            compare("columns", &input, &Context::default(), &[64], &what);
        }
    }
}

#[test]
fn a_record_that_is_longer_than_blocks_reads_alike() {
    let wait =
        |n: u32| format!("WAIT #1: nam='x' ela= {n} p1=1 p2=0 p3=0 obj#=1 tim={}\n", 900 + n);
    for length in [200_000, 700_000, 1_300_000, 2_500_000] {
        let text = "select 1 from dual -- WAIT #1: nam='y' ela= 5 p1=1\nWAIT #1: nam='z' ela= 5 \n";
        let text = text.repeat(length / text.len());
        let head =
            "PARSING IN CURSOR #1 len=5 dep=0 uid=1 oct=3 lid=1 tim=50 hv=7 ad='0' sqlid='a'\n";
        let some: String = (0..9_000).map(wait).collect();
        for end in ["END OF STMT\n", ""] {
            let trace = format!(
                "{some}{head}{text}{end}{some}{head}{}\nEND OF STMT\n{some}",
                "x".repeat(length)
            );
            compare(
                "oracletrace",
                trace.as_bytes(),
                &Context::default(),
                &[100_000, 512 << 10],
                "long",
            );
        }
    }
}

/// What traces are made of, with what looks like something else.
fn piece() -> impl Strategy<Value = String> {
    let event = prop_oneof![
        Just("db file sequential read"),
        Just("log file sync"),
        Just("SQL*Net message from client")
    ];
    let wait =
        (event, 0_u64..90_000, 0_u64..400, any::<bool>()).prop_map(|(event, ela, tim, timed)| {
            let tim = if timed {
                format!(" tim={}", 7_773_284_000_000_u64 + tim * 100_000)
            } else {
                String::new()
            };
            format!("WAIT #3: nam='{event}' ela= {ela} p1=1 p2=2 p3=3 obj#=4{tim}\n")
        });
    let whole = [
        "=====================\nPARSING IN CURSOR #3 len=8 dep=0 uid=1 oct=3 lid=1 tim=7773284500000 hv=7 ad='0' sqlid='abc'\nselect 1\nEND OF STMT\n",
        "PARSING IN CURSOR #4 len=61 dep=0 uid=1 oct=3 lid=1 tim=7773284500000 hv=7 ad='0' sqlid='abc'\nselect 1\nWAIT #1: nam='x' ela= 5 p1=1 p2=1 p3=2 tim=7\n from d\nEND OF STMT\n",
        "PARSING IN CURSOR #5 len=900 dep=0 uid=1 oct=3 lid=1 tim=7773284500000 hv=7 ad='0' sqlid='abc'\nselect 1\n\n",
        "PARSE ERROR #5:len=20 dep=0 uid=1 oct=3 lid=1 tim=7773284700000 err=942\nselect nothing from x\n",
        "BINDS #3:\n Bind#0\n  oacdty=01 mxl=32(10) mxlc=00\n  kxsbbbfp=7f2d  bln=32  avl=45  flg=05\n  value=\"EXEC #3:c=0,e=5,p=0 says\nSTAT #3 nothing at all\"\n",
        "  value=\"open\nand more\n",
        "EXEC #3:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=7773284600000\n",
        "XCTEND rlbk=0, rd_only=1, tim=7773284600000\n",
        "ERROR #3:err=1 tim=7773284600000\n",
        "STAT #3 id=1 cnt=1 pid=0 pos=1 obj=0 op='TABLE ACCESS'\n",
        "LOBREAD: type=PERSISTENT LOB,bytes=1,c=1,e=2,p=0,cr=1,cu=0,tim=7773284600000\n",
        "\n*** 2026-11-21T09:08:07.123456+01:00 (SALES(4))\n",
        "*** 2026-11-21 09:08:09.123\n",
        "*** MODULE NAME:(shop) 2026-11-21T09:08:07.123456+01:00\n",
        "*** DUMP FILE SIZE IS LIMITED TO 5000 BYTES ***\n",
        "Oracle8i Enterprise Edition Release 8.1.7.4.1 - Production\n",
        "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n",
        "WAIT #3: nam='latch free' ela= 5 p1=1 p2=2 p3=3 tim=7773284600001EXEC #3:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=7773284600002\n",
        "WAIT #3: nam='cut\n",
        "WAIT #3: nam='x' ela= -1 p1=1\n",
        "kcrfw: something else\n",
        "WAIT #3: nam='x' ela= 5 p1=1 p2=2 p3=3 tim=77732846\r\n",
    ];
    prop_oneof![3 => wait, 4 => proptest::sample::select(whole.to_vec()).prop_map(str::to_owned)]
}

/// Lines that are no plain lines, and some that are.
fn line() -> impl Strategy<Value = String> {
    let odd = [
        "# a comment",
        "",
        "   ",
        "1.5",
        "1,2,3",
        "x,y",
        "1.5,-3",
        "1.5,1e-3",
        "9999999999999,0.001",
        "1700000099.000001,0.000000001",
        "1700000099.0000000001,0.1",
        " 1700000099.5 , 0.25 ",
        "\"1700000099\",\"0.1\"",
        "5.25,0.125\r",
        "1700000099,99999999999",
        "1700000099.,.5",
        "time,latency",
        "\u{fffd},1",
    ];
    let plain = (0_u64..2_000_000_000, 0_u64..1_000_000)
        .prop_map(|(at, us)| format!("{at}.{us:06},0.{us:06}"));
    prop_oneof![3 => plain, 1 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn traces_read_alike(pieces in prop::collection::vec(piece(), 1..60), cut in 0_usize..40, length in 1_usize..1_500) {
        let trace = pieces.concat();
        let trace = &trace.as_bytes()[..trace.len() - cut.min(trace.len())];
        let idle = Context { leave_out_idle: true, ..Context::default() };
        compare("oracletrace", trace, &idle, &[1, 100, length], "made up");
    }

    #[test]
    fn columns_read_alike(lines in prop::collection::vec(line(), 1..200), length in 1_usize..4_000, small: bool, ended: bool) {
        let start = if small { 5 } else { 1_700_000_000 };
        let end = if ended { "\n" } else { "" };
        let text = format!("time,latency\n{}{}{end}", plain(4_200, start, ','), lines.join("\n"));
        compare("columns", text.as_bytes(), &Context::default(), &[length, 100_000], "made up");
    }
}
