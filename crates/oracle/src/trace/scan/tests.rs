//! What a visitor is reported, as text, against what stands in the input.

use std::fmt::Write as _;
use std::io::Read;

use proptest::prelude::*;

use super::super::{
    Call, Cursor, Histograms, LobCall, Notice, ParseError, Parsing, Stat, Wait, Wants, histograms,
    scan_parts,
};
use super::*;

/// Every call, one line each.
#[derive(Default, Debug, PartialEq, Eq)]
struct Visited(String);

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\n', "|")
}

impl Visited {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.0, "{line}");
    }
}

impl Visitor for Visited {
    fn wait(&mut self, wait: &Wait<'_>) {
        let (event, parameters) = (text(wait.event), text(wait.parameters));
        let Wait { cursor, ela, tim, .. } = wait;
        self.line(&format!("wait {cursor} '{event}' {ela} [{parameters}] {tim:?}"));
    }
    fn call(&mut self, call: &Call) {
        let Call { kind, cursor, cpu, elapsed, rows, depth, tim, .. } = call;
        self.line(&format!("{kind:?} {cursor} {cpu} {elapsed} {rows} {depth} {tim:?}"));
    }
    fn lob(&mut self, call: &LobCall<'_>) {
        self.line(&format!(
            "lob {} {} {} {:?}",
            text(call.kind),
            call.bytes,
            call.elapsed,
            call.tim
        ));
    }
    fn parsing(&mut self, parsing: &Parsing<'_>) {
        let id = parsing.sql_id.map(text);
        self.line(&format!("parsing {} {id:?} [{}]", parsing.cursor, text(parsing.text)));
    }
    fn parse_error(&mut self, error: &ParseError<'_>) {
        self.line(&format!("failed {} {:?} [{}]", error.cursor, error.error, text(error.text)));
    }
    fn error(&mut self, cursor: Cursor, error: u32, tim: Option<u64>) {
        self.line(&format!("error {cursor} {error} {tim:?}"));
    }
    fn stat(&mut self, stat: &Stat<'_>) {
        let Stat { cursor, id, parent, rows, object, operation } = stat;
        self.line(&format!("stat {cursor} {id} {parent} {rows} {object} [{}]", text(operation)));
    }
    fn transaction_end(&mut self, rolled_back: bool, read_only: bool, tim: Option<u64>) {
        self.line(&format!("end {rolled_back} {read_only} {tim:?}"));
    }
    fn stamp(&mut self, stamp: &[u8]) {
        self.line(&format!("stamp {}", text(stamp)));
    }
    fn label(&mut self, label: &[u8], value: &[u8]) {
        self.line(&format!("label {} = {}", text(label), text(value)));
    }
    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.line(&format!("header {} = {}", text(key), text(value)));
    }
    fn notice(&mut self, notice: Notice<'_>) {
        self.line(&format!("notice {notice:?}"));
    }
    fn damaged(&mut self, byte: u64, why: &'static str) {
        self.line(&format!("damaged at {byte}: {why}"));
    }
}

fn scanned(input: &str) -> (String, Account) {
    let mut scanned = Visited::default();
    let account = scan_slice(input.as_bytes(), &mut scanned);
    (scanned.0, account)
}

/// Gives at most so many bytes at once.
struct Drops<'a>(&'a [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let room = buffer.len().min(self.1);
        self.0.read(&mut buffer[..room])
    }
}

#[test]
fn every_record_is_reported_with_its_fields() {
    let input = "\
Trace file /u/x.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Version 19.22.0.0.0
Version:\t#2 SMP
*** 2026-11-21T01:00:10.000000+01:00 (SALES(4))
*** MODULE NAME:(a (b)) 2026-11-21T01:00:10.000001+01:00
*** TRACE CONTINUED FROM FILE /u/w.trc ***

=====================
PARSING IN CURSOR #7 len=19 dep=1 uid=3 oct=3 lid=3 tim=90 hv=12 ad='5f' sqlid='abc'
select 1
 from dual
END OF STMT
PARSE #7:c=1,e=2,p=3,cr=4,cu=5,mis=1,r=0,dep=1,og=1,plh=99,tim=100
SORT UNMAP #7:c=1,e=2,p=3,cr=4,cu=5,mis=0,r=0,dep=1,og=1,tim=101
CLOSE #7:c=0,e=9,dep=1,type=3,tim=102
ERROR #7:err=1403 tim=103
STAT #7 id=2 cnt=5 pid=1 pos=1 obj=42 op='TABLE ACCESS FULL A 'B' (cr=4)'
XCTEND rlbk=1, rd_only=0, tim=104
LOBREAD: type=TEMPORARY LOB,bytes=5,c=169,e=170,p=0,cr=0,cu=7,tim=105
WAIT #0: nam='latch: shared pool' ela= 17 address=1 number=2 tries=0 obj#=-1 tim=106
PARSE ERROR #8:len=8 dep=0 uid=3 oct=3 lid=3 tim=107 err=942
select x
RPC CALL:FUNCTION X;
";
    let (found, account) = scanned(input);
    let expected = "\
header Trace file = /u/x.trc
header banner = Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
header Version = 19.22.0.0.0
header Version: = #2 SMP
stamp 2026-11-21T01:00:10.000000+01:00 (SALES(4))
stamp 2026-11-21T01:00:10.000001+01:00
label MODULE NAME = a (b)
notice ContinuedFrom([47, 117, 47, 119, 46, 116, 114, 99])
parsing 7 Some(\"abc\") [select 1| from dual]
Parse 7 1 2 0 1 Some(100)
SortUnmap 7 1 2 0 1 Some(101)
Close 7 0 9 0 1 Some(102)
error 7 1403 Some(103)
stat 7 2 1 5 42 [TABLE ACCESS FULL A 'B' (cr=4)]
end true false Some(104)
lob LOBREAD 5 170 Some(105)
wait 0 'latch: shared pool' 17 [address=1 number=2 tries=0 obj#=-1] Some(106)
failed 8 Some(942) [select x]
";
    assert_eq!(found, expected);
    let Account { waits, calls, lobs, statements, damaged, ignored, .. } = account;
    assert_eq!((waits, calls, lobs, statements, damaged, ignored), (1, 3, 1, 2, 0, 1));
    assert_eq!((account.lines, account.bytes), (24, input.len() as u64));
}

#[test]
fn a_statement_ends_where_its_length_says() {
    let sql = "x\nEND OF STMT\nWAIT #1: nam='a' ela= 1 p1=1 p2=2 p3=3\n=====================\n\
        PARSING IN CURSOR #1 len=1\n*** 2026-11-21 01:00:10.000";
    for (newline, shown) in [("\n", "|"), ("\r\n", "\r|")] {
        let length = sql.len();
        let input = format!("PARSING IN CURSOR #1 len={length} dep=0 ad='x'\n{sql}\nEND OF STMT\n");
        let (found, account) = scanned(&input.replace('\n', newline));
        let shown = sql.replace('\n', shown);
        assert_eq!(found, format!("parsing 1 None [{shown}]\n"), "{newline:?}");
        assert_eq!((account.damaged, account.lines), (0, 8));
    }
}

#[test]
fn a_statement_whose_length_is_wrong_ends_with_its_line_or_where_nothing_else_can_be() {
    let head = "PARSING IN CURSOR #1 len=30 dep=0 ad='x'\n";
    let wait = "WAIT #1: nam='a' ela= 1 p1=1 p2=2 p3=3\n";
    let is_text = scanned(&format!("{head}select\n{wait}END OF STMT\n{wait}"));
    assert_eq!((is_text.1.waits, is_text.1.damaged), (1, 0), "{}", is_text.0);
    let comment = scanned(&format!("{head}a\n=====================\n*** b\nEND OF STMT\n{wait}"));
    assert_eq!((comment.1.waits, comment.1.damaged), (1, 0), "{}", comment.0);
    for interrupted in [
        format!("{head}select\n*** 2026-11-21 01:00:10.000\n{wait}"),
        format!("{head}select\n=====================\n{head}select\nEND OF STMT\n{wait}"),
        format!("{head}select of more than thirty bytes,\nas the length says it is\n{wait}"),
    ] {
        let (found, account) = scanned(&interrupted);
        assert_eq!((account.waits, account.damaged), (1, 1), "{found}");
        assert_eq!(account.examples[0].byte, 0);
    }
    let (found, account) = scanned(&format!("{head}select"));
    assert_eq!((account.statements, account.damaged), (1, 1), "{found}");
}

#[test]
fn the_line_end_of_a_statement_may_be_its_own() {
    let (found, account) =
        scanned("PARSING IN CURSOR #1 len=9 dep=0 ad='x'\nbegin x;\nEND OF STMT\n");
    assert_eq!((found.as_str(), account.damaged), ("parsing 1 None [begin x;]\n", 0));
}

#[test]
fn a_value_ends_where_its_length_says_or_with_its_quotation_mark() {
    let wait = "WAIT #1: nam='a' ela= 1 p1=1 p2=2 p3=3\n";
    for (value, length, waits, damaged) in [
        (format!("x\"\n{wait}y"), 3 + wait.len() + 1, 1, 0),
        (format!("x\n{wait}y"), 999, 1, 0),
        (format!("x\n{wait}y\"..."), 999, 1, 0),
        ("plain".to_owned(), 5, 1, 0),
    ] {
        let value = value.strip_suffix("\"...").map_or(format!("{value}\""), |_| value.clone());
        let input = format!(
            "BINDS #1:\n Bind#0\n  kxsbbbfp=7f  bln=32  avl={length}  flg=05\n  value=\"{value}\n\
             EXEC #1:c=0,e=5,dep=0,tim=1\n{wait}"
        );
        let (found, account) = scanned(&input);
        assert_eq!((account.waits, account.damaged), (waits, damaged), "{input}{found}");
        assert_eq!(account.calls, 1);
        assert_eq!(account.lines, input.matches('\n').count() as u64);
    }
    let broken = "  value=\"never\n closed\nEXEC #1:c=0,e=5,dep=0,tim=1\n";
    assert_eq!(
        scanned(broken).0,
        "damaged at 0: a value of a bind variable that does not end\n\
        Exec 1 0 5 0 0 Some(1)\n"
    );
}

#[test]
fn records_without_a_line_end_between_them_are_all_reported() {
    let exec = "EXEC #2:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=77";
    let wait = "WAIT #1: nam='a b' ela= 1 p1=1 p2=2 p3=3 obj#=1 tim=55";
    let stat = "STAT #2 id=1 cnt=5 pid=0 pos=1 obj=42 op='A'";
    let end = "XCTEND rlbk=0, rd_only=1, tim=78";
    let lob = "LOBREAD: type=T,bytes=5,c=1,e=2,p=0,cr=0,cu=7,tim=79";
    let all = [exec, wait, stat, end, lob];
    for one in all {
        for other in all {
            let apart = scanned(&format!("{one}\n{other}\n"));
            let glued = scanned(&format!("{one}{other}\n"));
            assert_eq!(glued.0, apart.0, "{one}{other}");
            assert_eq!((glued.1.lines, glued.1.damaged), (1, 0), "{one}{other}");
        }
    }
    for (one, other) in [(exec, lob), (wait, end), (stat, exec)] {
        let glued = scanned(&format!("{}\n", format!("{one}{other}{one}").repeat(50)));
        assert_eq!(
            glued.0,
            scanned(&format!("{one}\n{other}\n{one}\n").repeat(50)).0,
            "{one}{other}"
        );
    }
    let (found, account) = scanned(&format!("EXEC #2:c=0,e={wait}\n"));
    assert_eq!((account.waits, account.damaged), (1, 1), "{found}");
}

#[test]
fn waits_of_every_form_are_read_and_cut_ones_are_not() {
    for (line, expected) in [
        ("WAIT #3: nam='x' ela= 392 p1=13 p2=9 p3=1\t\ta note 7", "[p1=13 p2=9 p3=1] None"),
        ("WAIT #3: nam='x' ela=392 p1=13", "[p1=13] None"),
        ("WAIT #3: nam='x' ela= 392 tim=5", "[] Some(5)"),
        ("WAIT #3: nam='x' ela= 392 a tim=1 b=2 tim=5", "[a tim=1 b=2] Some(5)"),
        ("WAIT #3: nam='x' ela= 392 p1=1 tim=5\tnote", "[p1=1] Some(5)"),
        ("WAIT #3: nam='x' ela= 392 a: b=1 tim=5", "[a: b=1] Some(5)"),
    ] {
        for end in ["", "\n", "\r\n"] {
            let (found, account) = scanned(&format!("{line}{end}"));
            assert_eq!(found, format!("wait 3 'x' 392 {expected}\n"), "{line}{end:?}");
            assert_eq!(account.lines, 1);
        }
    }
    for cut in [
        "WAIT #",
        "WAIT #3",
        "WAIT #3:",
        "WAIT #3: nam='db fi",
        "WAIT #3: nam='x'",
        "WAIT #3: nam='x' ela=",
        "WAIT #3: nam='x' ela= 39",
        "WAIT #3: nam='x' ela= 392 p1=1 tim=",
        "WAIT #3: nam='x' ela= -2 p1=1 tim=5",
        "WAIT #3: nam='x' ela= 18446744073709551616 p1=1 tim=5",
        "WAIT #99999999999999999999: nam='x' ela= 1 p1=1 tim=5",
    ] {
        for end in ["", "\n", "\r\n"] {
            let (found, account) = scanned(&format!("{cut}{end}"));
            assert_eq!((account.waits, account.damaged), (0, 1), "{cut}: {found}");
            assert!(account.examples[0].wait);
        }
    }
    let quoted = "WAIT #3: nam='enq: it's mine' ela= 392 p1=1 tim=5\n";
    assert_eq!(scanned(quoted).0, "wait 3 'enq: it's mine' 392 [p1=1] Some(5)\n");
}

#[test]
fn a_name_without_its_quote_ends_with_its_line() {
    let cut = "WAIT #3: nam='SQL*Net mess\nsomething else\n";
    let after = "age' ela= 250 p1=1 tim=9\nWAIT #3: nam='a' ela= 7 p1=1 tim=10\n";
    let (scanned, account) = scanned(&format!("{cut}{after}"));
    assert_eq!((account.waits, account.damaged, account.lines), (1, 1, 4));
    assert!(scanned.contains("wait 3 'a' 7 [p1=1] Some(10)"), "{scanned}");
}

#[test]
fn a_value_ends_alike_however_it_arrives() {
    // 41 bytes from the quote of the first value there happens to be another quote.
    let input = "  bln=32  avl=41  flg=05\n  value=\"x\"\n*** 2026-11-21 01:00:10.000\n\
        \x20 value=\"x\"\nEXEC #1:c=0,e=5,dep=0,tim=7\n";
    let whole = scanned(input);
    for step in 1..input.len() {
        let mut drops = Visited::default();
        let account = scan(&mut Drops(input.as_bytes(), step), &mut drops).unwrap();
        assert_eq!((drops.0, account), whole, "{step} bytes at once");
    }
}

#[test]
fn what_is_too_long_is_passed_over_in_bounded_memory() {
    let wait = "WAIT #1: nam='a' ela= 1 p1=1 p2=2 p3=3\n";
    let line = "x".repeat(3 << 20);
    let sql = format!("{}\n{wait}", "y ".repeat(40)).repeat(30_000);
    let input = format!(
        "{wait}WAIT #1: nam='{line}\n{line}\n{wait}PARSING IN CURSOR #1 len={} dep=0 ad='x'\n{sql}\n\
         END OF STMT\n{wait}",
        sql.len() + 7
    );
    for step in [64 << 10, 1 << 20, usize::MAX] {
        let mut scanned = Visited::default();
        let account = scan(&mut Drops(input.as_bytes(), step), &mut scanned).unwrap();
        assert_eq!((account.waits, account.damaged, account.ignored), (3, 1, 1), "{step}");
        assert_eq!(account.lines, input.matches('\n').count() as u64, "{step}");
        assert_eq!((account.bytes, account.statements), (input.len() as u64, 1));
    }
}

#[test]
fn what_is_not_wanted_is_not_reported_and_hides_no_wait() {
    struct Waits(u64);
    impl Visitor for Waits {
        const WANTS: Wants = Wants::WAITS;
        fn wait(&mut self, wait: &Wait<'_>) {
            self.0 += wait.ela;
        }
        fn call(&mut self, _: &Call) {
            panic!("calls are not wanted");
        }
        fn parsing(&mut self, _: &Parsing<'_>) {
            panic!("statements are not wanted");
        }
    }
    let input = "PARSING IN CURSOR #1 len=8 dep=0 ad='x'\nselect 1\nEND OF STMT\n\
        EXEC #2:c=0,e=5,dep=0,tim=77WAIT #1: nam='a b' ela= 1 p1=1 p2=2 p3=3 obj#=1 tim=55\n\
        WAIT #1: nam='a b' ela= 2 p1=1 p2=2 p3=3\n";
    let mut waits = Waits(0);
    let account = scan_slice(input.as_bytes(), &mut waits);
    assert_eq!((waits.0, account.waits, account.calls, account.damaged), (3, 2, 0, 0));
}

/// Lines that come in traces, whole and broken.
fn line() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "WAIT #1: nam='a' ela= 1 p1=1 p2=2 p3=3\n",
        "WAIT #140374785423992: nam='db file sequential read' ela= 412 file#=7 block#=1311 blocks=1 obj#=8042 tim=7773284556264\n",
        "EXEC #1:c=0,e=5,dep=0,tim=7773284556264\n",
        "EXEC #1:c=0,e=5,dep=0,tim=7773284556264",
        "PARSE ERROR #8:len=8 dep=0 uid=3 oct=3 lid=3 tim=107 err=942\n",
        "PARSING IN CURSOR #1 len=8 dep=0 ad='x'\n",
        "PARSING IN CURSOR #1 len=49 dep=0 ad='x'\n",
        "select 1\n",
        "END OF STMT\n",
        "=====================\n",
        "BINDS #1:\n",
        "  kxsbbbfp=7f  bln=32  avl=41  flg=05\n",
        "  value=\"x\n",
        "  value=\"x\"\n",
        "y\"\n",
        "*** 2026-11-21 01:00:10.000\n",
        "XCTEND rlbk=0, rd_only=1, tim=78\n",
        "\r\n",
        "WAIT #1: nam='a",
    ]);
    prop_oneof![8 => fixed.prop_map(str::to_owned), 1 => "[ -~\n]{0,40}"]
}

proptest! {
    #[test]
    fn how_the_input_arrives_does_not_matter(
        lines in prop::collection::vec(line(), 0..40),
        step in 1_usize..200,
    ) {
        let input = lines.concat();
        let (whole, account) = scanned(&input);
        let mut drops = Visited::default();
        let dropped = scan(&mut Drops(input.as_bytes(), step), &mut drops).unwrap();
        prop_assert_eq!(&drops.0, &whole);
        prop_assert_eq!(&dropped, &account);
        let lines = input.matches('\n').count() + usize::from(!input.is_empty() && !input.ends_with('\n'));
        prop_assert_eq!(account.lines, lines as u64);
        prop_assert_eq!(account.bytes, input.len() as u64);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut scanned = Visited::default();
        prop_assert_eq!(scan_slice(&bytes, &mut scanned).bytes, bytes.len() as u64);
    }
}

proptest! {
    // Megabytes each, random, others in each run: a sample only has fewer.
    #![proptest_config(ProptestConfig::with_cases(testing::grid::cases(24, 3)))]

    #[test]
    fn several_threads_count_what_one_does(
        lines in prop::collection::vec(line(), 1..60),
        threads in 2_usize..5,
    ) {
        // Long enough for parts; where they begin is as likely inside a text as not.
        let input = lines.concat().repeat((5 << 20) / lines.concat().len().max(1) + 1);
        let (one, account) = histograms(input.as_bytes(), 1).unwrap();
        let (several, together) = histograms(input.as_bytes(), threads).unwrap();
        prop_assert_eq!(&several, &one);
        prop_assert_eq!(together, account);
    }
}

#[test]
fn a_part_that_begins_inside_a_statement_is_read_again() {
    let wait = "WAIT #1: nam='a' ela= 1 p1=1 p2=2 p3=3\n";
    let head = "=====================\nPARSING IN CURSOR #1 len=1 dep=0 ad='x'\n";
    let sql = format!("{wait}{head}").repeat(9_800);
    let length = sql.len();
    let before = wait.repeat(15_000);
    let input = format!(
        "{before}PARSING IN CURSOR #1 len={length} dep=0 ad='x'\n{sql}\nEND OF STMT\n{wait}{wait}{before}"
    );
    let (parts, account) = scan_parts(input.as_bytes(), 2, Histograms::default).unwrap();
    assert_eq!((parts.len(), account.waits, account.damaged), (2, 30_002, 0));
    assert_eq!(account.lines, input.matches('\n').count() as u64);
}

#[test]
fn what_has_no_record_and_no_end_is_given_up() {
    let mut lines = Forever(b"no record\n", 0);
    for input in [&mut std::io::repeat(0) as &mut dyn Read, &mut lines] {
        let error = scan_within(input, &mut Visited::default(), 8 << 20).unwrap_err();
        assert_eq!(error.to_string(), "no record of a SQL trace in the first 8 MiB");
    }
    // One record before is enough, and a shorter input is read to its end.
    let late = "WAIT #1: nam='x' ela= 3 p1=1 p2=0 p3=0 obj#=-1 tim=5\n";
    let mut input = std::io::repeat(b'\n').take(7 << 20).chain(late.as_bytes());
    let mut input = (&mut input).chain(std::io::repeat(b'\n').take(9 << 20));
    let account = scan_within(&mut input, &mut Visited::default(), 8 << 20).unwrap();
    assert_eq!((account.waits, account.bytes), (1, (16 << 20) + late.len() as u64));
}

/// A line again and again, and how many bytes of them were read.
struct Forever(&'static [u8], usize);

impl Read for Forever {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.0[self.1 % self.0.len()];
            self.1 += 1;
        }
        Ok(buffer.len())
    }
}
