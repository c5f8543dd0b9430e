use isotherm_frame::Nanos;

use super::*;
use crate::uprobes::{Filter, Symbol, Target};

fn symbol(name: &str) -> Symbol {
    let code = vec![0x66, 0x90, 0x55, 0x48, 0x89, 0xe5];
    Symbol { name: name.to_owned(), address: 0x0c3f_1a20, code }
}

fn request(kind: Kind) -> Request {
    let symbols = kind.functions().iter().map(|name| symbol(name)).collect();
    let target = Target {
        binary: "/u01/app/oracle/product/19.0.0/dbhome_1/bin/oracle".to_owned(),
        pids: vec![4711, 4712],
        version: "18c".parse().ok(),
        offset: 2,
        symbols,
    };
    let names = vec![(153, "db file scattered read".to_owned()), (152, "log file sync".to_owned())];
    Request {
        kind,
        target,
        filter: Filter { only: Vec::new(), names },
        interval: Nanos::SECOND,
        command: "oracle-waits --pid 4711,4712".to_owned(),
    }
}

/// Nothing left unfilled, braces balanced, one comment at the head.
fn checked(request: &Request) -> String {
    let program = request.program().unwrap_or_else(|error| panic!("{error}"));
    assert!(!program.contains("{{") && !program.contains("}}"), "{program}");
    assert_eq!(program.matches('{').count(), program.matches('}').count(), "{program}");
    assert_eq!(program.matches("/*").count(), program.matches("*/").count(), "{program}");
    assert!(program.lines().all(|line| line.trim_end() == line), "{program}");
    assert_eq!(Ok(&program), request.program().as_ref(), "the same request, the same program");
    program
}

#[test]
fn waits_by_the_kernels_clock() {
    insta::assert_snapshot!(checked(&request(Kind::Waits(Clock::Kernel))));
}

#[test]
fn waits_as_oracle_measured_them_in_11_2() {
    let mut request = request(Kind::Waits(Clock::Oracle));
    request.target.version = "11.2.0.4".parse().ok();
    request.target.offset = 0;
    request.target.pids = Vec::new();
    request.filter.only = vec![152];
    insta::assert_snapshot!(checked(&request));
}

#[test]
fn waits_and_system_calls_of_a_release_nobody_tried() {
    let mut request = request(Kind::Io);
    request.target.version = "19.12".parse().ok();
    request.target.pids = Vec::new();
    request.filter.only = vec![152, 153];
    insta::assert_snapshot!(checked(&request));
}

#[test]
fn logical_reads_of_an_unknown_binary() {
    let mut request = request(Kind::LogicalReads(Grouping::Object));
    request.target.version = None;
    request.target.offset = 0;
    request.target.symbols = Vec::new();
    request.filter.only = vec![77];
    insta::assert_snapshot!(checked(&request));
}

#[test]
fn every_request_gives_a_whole_program() {
    let kinds = [
        Kind::Waits(Clock::Kernel),
        Kind::Waits(Clock::Oracle),
        Kind::Io,
        Kind::LogicalReads(Grouping::Object),
        Kind::LogicalReads(Grouping::Tablespace),
    ];
    for kind in kinds {
        for (pids, only) in
            [(vec![], vec![]), (vec![1], vec![]), (vec![], vec![7]), (vec![1], vec![7])]
        {
            let mut request = request(kind);
            let (traced, wanted) = (!pids.is_empty(), !only.is_empty());
            (request.target.pids, request.filter.only) = (pids, only);
            let program = checked(&request);
            let learns = kind == Kind::Io;
            assert_eq!(program.contains("@traced"), traced || learns, "{program}");
            assert_eq!(program.contains("@wanted"), wanted, "{program}");
            for function in kind.functions() {
                assert!(program.contains(&format!("oracle\":{function}+2\n")), "{program}");
            }
            for (map, ..) in kind.printed() {
                assert_eq!(program.matches(&format!("print({map});")).count(), 2, "{program}");
                assert!(program.contains(&format!("clear({map});")), "{program}");
                assert!(
                    program.contains(&format!("\\\"isotherm-series {map} ").replace("\\\"", "\"")),
                    "{program}"
                );
            }
        }
    }
}

#[test]
fn names_cannot_break_the_program() {
    let mut request = request(Kind::Waits(Clock::Kernel));
    let name = "a \"quoted\\name\" */ of 100%\n{{binary}}";
    request.filter.names = vec![(1, name.to_owned())];
    let program = request.program().unwrap_or_else(|error| panic!("{error}"));
    let wanted = "\tprintf(\"isotherm-name event 1 a \\\"quoted\\\\name\\\" */ of 100pct {{binary}}\\n\");\n";
    assert!(program.contains(wanted), "{program}");
    request.command = "oracle-waits --names '*/ BEGIN'".to_owned();
    assert!(checked(&Request { filter: Filter::default(), ..request }).contains("* / BEGIN"));
}

#[test]
fn two_thousand_names_are_a_hundred_lines() {
    let mut request = request(Kind::Waits(Clock::Kernel));
    request.filter.names = (0..2_000).map(|number| (number, format!("event {number}"))).collect();
    let program = checked(&request);
    let lines: Vec<&str> = program.lines().filter(|line| line.contains("isotherm-name")).collect();
    assert_eq!(lines.len(), 100);
    assert_eq!(program.matches("isotherm-name event ").count(), 2_000);
    request.filter.only = vec![5, 1_999];
    assert_eq!(checked(&request).matches("isotherm-name event ").count(), 2);
}

#[test]
fn what_a_program_cannot_hold_is_refused() {
    let mut request = request(Kind::Io);
    for path in ["/u01/or\"acle", "/u01/*/oracle", "/u01/\n", "/a\\b", "/[a]/?"] {
        request.target.binary = path.to_owned();
        let message = request.program().expect_err(path).to_string();
        assert!(message.contains("symbolic link"), "{message}");
    }
    request.target.binary = "/u01/app with blanks/oracle".to_owned();
    assert!(request.program().is_ok());
    for interval in [Nanos::ZERO, Nanos::from_millis(9), Nanos::new(u64::MAX)] {
        request.interval = interval;
        assert!(matches!(request.program(), Err(RequestError::Interval(_))), "{interval}");
    }
}
