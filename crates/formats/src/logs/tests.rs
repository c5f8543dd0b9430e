use isotherm_frame::{Account, Unit};

use super::*;

fn learned(lines: &[&str]) -> Judgement {
    judged(format!("{}\n", lines.join("\n")).as_bytes(), &FieldChoice::default())
}

fn refused(lines: &[&str]) -> String {
    match learned(lines) {
        Judgement::Refused(why) | Judgement::Needs(why) => why,
        other => panic!("{lines:?}: {other:?}"),
    }
}

/// What is rejected of some lines, and what is said of them.
fn read(lines: &[&str], context: &Context) -> (Vec<String>, Vec<String>) {
    let mut account = Account::default();
    let text = format!("{}\n", lines.join("\n"));
    SOURCE.decode(&mut text.as_bytes(), context, &mut account).unwrap();
    let rejected = account.rejections.iter().map(|found| found.reason.to_string()).collect();
    (rejected, account.notices.iter().map(ToString::to_string).collect())
}

#[test]
fn day_and_month_are_recognised_by_any_line_or_refused() {
    let sure = ["03/04/2026 10:00:00 took 5ms", "13/04/2026 10:00:00 took 5ms"];
    assert!(matches!(learned(&sure), Judgement::Clear(_)));
    let open = ["03/04/2026 10:00:00 took 5ms", "04/04/2026 10:00:00 took 5ms"];
    assert!(refused(&open).contains("day and month cannot be distinguished"));
    let both = ["13/04/2026 10:00:00 took 5ms", "04/13/2026 10:00:00 took 5ms"];
    assert!(refused(&both).contains("day and month cannot be distinguished"));
}

#[test]
fn zones_and_dates_that_are_not_certain_are_refused_with_what_to_do() {
    let eastern = ["2026-03-01 10:00:00 EST took 5ms", "2026-03-01 10:00:01 EST took 5ms"];
    let why = refused(&eastern);
    assert!(why.contains("'EST'") && why.contains("--zone"), "{why}");
    let short = ["26-03-01 10:00:00 took 5ms", "26-03-02 10:00:00 took 5ms"];
    assert!(refused(&short).contains("the format of the date"));
}

#[test]
fn a_unit_that_is_missing_is_an_option_and_no_refusal() {
    let lines = [r#"{"ts":"2026-03-01T10:00:00Z","duration":1.5}"#; 3];
    assert!(refused(&lines).contains("--unit"));
    let head = lines.join("\n") + "\n";
    assert_eq!(SOURCE.sniff(head.as_bytes()), Verdict::Unsure);
    let context = Context { unit: Some(Unit::Millis), ..Context::default() };
    assert_eq!(read(&lines, &context).0, [""; 0]);
}

#[test]
fn what_stands_in_place_of_the_latency_is_rejected_with_the_reason() {
    let lines = [
        "2026-03-01 10:00:00 took 5ms",
        "2026-03-01 10:00:01 took NaNms",
        "2026-03-01 10:00:02 took <1ms",
        "2026-03-01 10:00:03 took 1 200 ms",
        "2026-03-01 10:00:04 took 2 s 100 ms",
        "2026-03-01 10:00:05 nothing to do",
        "10:00:06 took 5ms",
    ];
    let context = Context { unit: Some(Unit::Seconds), ..Context::default() };
    let (rejected, _) = read(&lines, &context);
    let expected = ["'NaNms' is not a duration", "not exact", "'1 200 ms' has several", "'2 s 100 ms' has", "and those before it have none"];
    assert_eq!(rejected.len(), expected.len(), "{rejected:?}");
    for (reason, expected) in rejected.iter().zip(expected) {
        assert!(reason.contains(expected), "{reason}: {expected}");
    }
}

#[test]
fn lengths_of_time_that_nobody_waited_are_no_latencies() {
    for line in ["will retry in 5s", "next attempt in 8s", "polling again in 30s", "expires in 3600s"] {
        let line = format!("2026-03-01 10:00:00 {line}");
        assert_eq!(learned(&[line.as_str(); 3]), Judgement::NotMine, "{line}");
    }
    for line in ["rate limited, wait 5s", "gc total time 5s", "GET /a in 5ms"] {
        let line = format!("2026-03-01 10:00:00 {line}");
        assert!(refused(&[line.as_str(); 3]).contains("nothing says"), "{line}");
    }
    let total = [r#"{"ts":"2026-03-01T10:00:00Z","count":50,"total_time_ms":900}"#; 3];
    assert!(refused(&total).contains("nothing says"));
}

#[test]
fn seconds_of_an_access_log_are_an_assumption_that_is_reported() {
    let lines = ["h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"curl/8\" 45.678"; 3];
    let (_, said) = read(&lines, &Context::default());
    assert!(said[0].contains("assumed") && said[0].contains("latency_ms=number1"), "{said:?}");
}

/// Minutes are no milliseconds of which the last byte is missing.
#[test]
fn a_unit_at_which_the_input_ends_is_not_read_as_another() {
    let of = |text: &str| {
        let mut account = Account::default();
        SOURCE.decode(&mut text.as_bytes(), &Context::default(), &mut account).unwrap();
        account.rejected
    };
    let lines = |unit: &str| -> String {
        let line = |n| format!("2026-03-01 10:00:{:02} duration={n}{unit}", n % 50);
        (100..150).map(line).collect::<Vec<_>>().join("\n") + "\n"
    };
    let (ms, minutes) = (lines("ms"), lines("m"));
    assert_eq!(of(&ms), 0);
    assert_eq!(of(ms.strip_suffix('\n').unwrap()), 0);
    assert_eq!(of(ms.strip_suffix("s\n").unwrap()), 1);
    assert_eq!(of(minutes.strip_suffix('\n').unwrap()), 0);
}

/// Lines of many workers, a third of them up to three seconds late, are those of a log; times that lie
/// anywhere in an hour are not.
#[test]
fn lines_a_few_seconds_late_are_no_jumps_back() {
    let lines = |late_s: usize| -> Vec<String> {
        let at = |line: usize| line / 10 + 1_800 - if line.is_multiple_of(3) { line * 7 % late_s } else { 0 };
        let text = |line: usize| {
            let (at, ms) = (at(line), line % 1_000);
            format!("2026-03-01 10:{:02}:{:02}.{ms:03} took 5ms", at / 60, at % 60)
        };
        (0..200).map(text).collect()
    };
    let few: Vec<String> = lines(4);
    let few: Vec<&str> = few.iter().map(String::as_str).collect();
    assert!(matches!(learned(&few), Judgement::Clear(_)));
    let far: Vec<String> = lines(1_700);
    let far: Vec<&str> = far.iter().map(String::as_str).collect();
    assert!(refused(&far).contains("its times go back repeatedly"));
}
